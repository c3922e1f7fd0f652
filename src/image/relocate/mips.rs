//! Relocation types of MIPS in its three ABIs.

use super::Howto::{self, Absolute, Difference, Ignore, Relative};
use super::field::Field::Bytes;

/// R_MIPS_ types (64-bit ELF Object File Specification, "Relocation"). REL32 counts from the field's address only
/// in what the dynamic linker sees; in an object file it is the symbol's value.
pub(super) fn mips(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,                 // NONE
        1 => Absolute(Bytes(2)),     // 16
        2 | 3 => Absolute(Bytes(4)), // 32, REL32
        18 => Absolute(Bytes(8)),    // 64
        24 => Difference(Bytes(8)),  // SUB
        248 => Relative(Bytes(4)),   // PC32
        _ => return None,
    })
}
