//! Relocation types of s390, 31 and 64-bit.

use super::Howto::{self, Absolute, Ignore, Relative};
use super::field::Field::Bytes;

/// R_390_ types (s390x ELF Application Binary Interface Supplement, "Relocation Types").
pub(super) fn s390(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,              // NONE
        1 => Absolute(Bytes(1)),  // 8
        3 => Absolute(Bytes(2)),  // 16
        4 => Absolute(Bytes(4)),  // 32
        5 => Relative(Bytes(4)),  // PC32
        8 => Relative(Bytes(4)),  // PLT32
        16 => Relative(Bytes(2)), // PC16
        22 => Absolute(Bytes(8)), // 64
        23 => Relative(Bytes(8)), // PC64
        24 => Relative(Bytes(8)), // PLT64
        _ => return None,
    })
}
