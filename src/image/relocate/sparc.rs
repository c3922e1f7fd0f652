//! Relocation types of SPARC, 32 and 64-bit.

use super::Howto::{self, Absolute, Ignore, Relative};
use super::field::Field::Bytes;

/// R_SPARC_ types (SPARC Compliance Definition 2.4, "Relocation Types").
pub(super) fn sparc(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,                   // NONE
        1 => Absolute(Bytes(1)),       // 8
        2 | 55 => Absolute(Bytes(2)),  // 16, UA16
        3 | 23 => Absolute(Bytes(4)),  // 32, UA32
        4 => Relative(Bytes(1)),       // DISP8
        5 => Relative(Bytes(2)),       // DISP16
        6 => Relative(Bytes(4)),       // DISP32
        32 | 54 => Absolute(Bytes(8)), // 64, UA64
        46 => Relative(Bytes(8)),      // DISP64
        _ => return None,
    })
}
