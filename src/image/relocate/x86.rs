//! Relocation types of x86-64 and i386.

use super::Howto::{self, Absolute, Ignore, Relative};
use super::field::Field::Bytes;

/// R_X86_64_ types (System V psABI AMD64, "Relocation Types").
pub(super) fn x86_64(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,              // NONE
        1 => Absolute(Bytes(8)),  // 64
        2 => Relative(Bytes(4)),  // PC32
        4 => Relative(Bytes(4)),  // PLT32
        10 => Absolute(Bytes(4)), // 32
        11 => Absolute(Bytes(4)), // 32S
        12 => Absolute(Bytes(2)), // 16
        13 => Relative(Bytes(2)), // PC16
        14 => Absolute(Bytes(1)), // 8
        15 => Relative(Bytes(1)), // PC8
        24 => Relative(Bytes(8)), // PC64
        _ => return None,
    })
}

/// R_386_ types (System V psABI Intel386, "Relocation Types").
pub(super) fn i386(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,              // NONE
        1 => Absolute(Bytes(4)),  // 32
        2 => Relative(Bytes(4)),  // PC32
        4 => Relative(Bytes(4)),  // PLT32
        20 => Absolute(Bytes(2)), // 16
        21 => Relative(Bytes(2)), // PC16
        22 => Absolute(Bytes(1)), // 8
        23 => Relative(Bytes(1)), // PC8
        _ => return None,
    })
}
