//! Relocation types of machines that need only a few: m68k, Alpha, SuperH, PA-RISC, Hexagon, MSP430, AVR and Lanai.

use super::Howto::{self, Absolute, BranchRelative, Ignore, Relative};
use super::field::Field::Bytes;

/// R_68K_ types (System V psABI Motorola 68000, "Relocation Types").
pub(super) fn m68k(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,             // NONE
        1 => Absolute(Bytes(4)), // 32
        2 => Absolute(Bytes(2)), // 16
        3 => Absolute(Bytes(1)), // 8
        4 => Relative(Bytes(4)), // PC32
        5 => Relative(Bytes(2)), // PC16
        6 => Relative(Bytes(1)), // PC8
        _ => return None,
    })
}

/// R_ALPHA_ types (as GNU binutils number them).
pub(super) fn alpha(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,              // NONE
        1 => Absolute(Bytes(4)),  // REFLONG
        2 => Absolute(Bytes(8)),  // REFQUAD
        9 => Relative(Bytes(2)),  // SREL16
        10 => Relative(Bytes(4)), // SREL32
        11 => Relative(Bytes(8)), // SREL64
        _ => return None,
    })
}

/// R_SH_ types (as GNU binutils number them).
pub(super) fn sh(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,             // NONE
        1 => Absolute(Bytes(4)), // DIR32
        2 => Relative(Bytes(4)), // REL32
        _ => return None,
    })
}

/// R_PARISC_ types (Processor-Specific ELF Supplement for PA-RISC).
pub(super) fn parisc(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,                    // NONE
        1 => Absolute(Bytes(4)),        // DIR32
        9 => BranchRelative(Bytes(4)),  // PCREL32
        72 => BranchRelative(Bytes(8)), // PCREL64
        80 => Absolute(Bytes(8)),       // DIR64
        _ => return None,
    })
}

/// R_HEX_ types (Qualcomm Hexagon Application Binary Interface).
pub(super) fn hexagon(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,              // NONE
        6 => Absolute(Bytes(4)),  // 32
        7 => Absolute(Bytes(2)),  // 16
        8 => Absolute(Bytes(1)),  // 8
        31 => Relative(Bytes(4)), // 32_PCREL
        _ => return None,
    })
}

/// R_MSP430_ types (as GNU binutils number them).
pub(super) fn msp430(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,                 // NONE
        1 => Absolute(Bytes(4)),     // 32
        3 | 5 => Absolute(Bytes(2)), // 16, 16_BYTE
        _ => return None,
    })
}

/// R_AVR_ types (as GNU binutils number them).
pub(super) fn avr(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,             // NONE
        1 => Absolute(Bytes(4)), // 32
        4 => Absolute(Bytes(2)), // 16
        _ => return None,
    })
}

/// R_LANAI_ types (as LLVM numbers them).
pub(super) fn lanai(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,             // NONE
        4 => Absolute(Bytes(4)), // 32
        _ => return None,
    })
}
