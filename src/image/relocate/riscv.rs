//! Relocation types of RISC-V, whose linkers shorten code, so that distances stay open until then and are written
//! as pairs of additions and subtractions.

use super::Howto::{self, Absolute, Add, Ignore, Relative, Subtract};
use super::field::Field::{Bytes, LowSixBits, Uleb128};

/// R_RISCV_ types (RISC-V ELF psABI, "Relocations").
pub(super) fn riscv(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 | 43 | 51 => Ignore,      // NONE, ALIGN, RELAX
        1 => Absolute(Bytes(4)),    // 32
        2 => Absolute(Bytes(8)),    // 64
        33 => Add(Bytes(1)),        // ADD8
        34 => Add(Bytes(2)),        // ADD16
        35 => Add(Bytes(4)),        // ADD32
        36 => Add(Bytes(8)),        // ADD64
        37 => Subtract(Bytes(1)),   // SUB8
        38 => Subtract(Bytes(2)),   // SUB16
        39 => Subtract(Bytes(4)),   // SUB32
        40 => Subtract(Bytes(8)),   // SUB64
        52 => Subtract(LowSixBits), // SUB6
        53 => Absolute(LowSixBits), // SET6
        54 => Absolute(Bytes(1)),   // SET8
        55 => Absolute(Bytes(2)),   // SET16
        56 => Absolute(Bytes(4)),   // SET32
        57 => Relative(Bytes(4)),   // 32_PCREL
        59 => Relative(Bytes(4)),   // PLT32
        60 => Absolute(Uleb128),    // SET_ULEB128
        61 => Subtract(Uleb128),    // SUB_ULEB128
        _ => return None,
    })
}
