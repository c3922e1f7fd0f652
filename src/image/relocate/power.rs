//! Relocation types of PowerPC.

use super::Howto::{self, Absolute, Ignore, Relative};
use super::field::Field::Bytes;

/// R_PPC_ types (Power Architecture 32-bit ABI Supplement, "Relocation Types").
pub(super) fn ppc(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,                  // NONE
        1 | 24 => Absolute(Bytes(4)), // ADDR32, UADDR32
        3 | 25 => Absolute(Bytes(2)), // ADDR16, UADDR16
        26 => Relative(Bytes(4)),     // REL32
        _ => return None,
    })
}

/// R_PPC64_ types (64-Bit ELF V2 ABI Specification, "Relocation Types"), which the older ABI shares.
pub(super) fn ppc64(kind: u32) -> Option<Howto> {
    Some(match kind {
        38 | 43 => Absolute(Bytes(8)), // ADDR64, UADDR64
        44 => Relative(Bytes(8)),      // REL64
        _ => return ppc(kind),
    })
}
