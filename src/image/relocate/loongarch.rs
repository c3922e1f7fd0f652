//! Relocation types of LoongArch, whose linkers shorten code as RISC-V's do.

use super::Howto::{self, Absolute, Add, Ignore, Relative, Subtract};
use super::field::Field::{Bytes, LowSixBits, Uleb128};

/// R_LARCH_ types (ELF for the LoongArch Architecture, "Relocations").
pub(super) fn loongarch(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 | 20 | 21 | 100..=102 => Ignore, // NONE, MARK_LA, MARK_PCREL, RELAX, DELETE, ALIGN
        1 => Absolute(Bytes(4)),           // 32
        2 => Absolute(Bytes(8)),           // 64
        47 => Add(Bytes(1)),               // ADD8
        48 => Add(Bytes(2)),               // ADD16
        49 => Add(Bytes(3)),               // ADD24
        50 => Add(Bytes(4)),               // ADD32
        51 => Add(Bytes(8)),               // ADD64
        52 => Subtract(Bytes(1)),          // SUB8
        53 => Subtract(Bytes(2)),          // SUB16
        54 => Subtract(Bytes(3)),          // SUB24
        55 => Subtract(Bytes(4)),          // SUB32
        56 => Subtract(Bytes(8)),          // SUB64
        99 => Relative(Bytes(4)),          // 32_PCREL
        105 => Add(LowSixBits),            // ADD6
        106 => Subtract(LowSixBits),       // SUB6
        107 => Add(Uleb128),               // ADD_ULEB128
        108 => Subtract(Uleb128),          // SUB_ULEB128
        109 => Relative(Bytes(8)),         // 64_PCREL
        _ => return None,
    })
}
