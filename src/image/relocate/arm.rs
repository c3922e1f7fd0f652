//! Relocation types of 32-bit ARM and of AArch64.

use cfidiff_model::Class;

use super::Howto::{self, Absolute, Ignore, Relative};
use super::field::Field::{Bytes, Low31Bits};

/// R_AARCH64_ types (ELF for the Arm 64-bit Architecture, "Static Data relocations"); in a 32-bit image those of
/// the ILP32 variant.
pub(super) fn aarch64(kind: u32, class: Class) -> Option<Howto> {
    Some(match (class, kind) {
        (_, 0 | 256) => Ignore,                    // NONE
        (Class::Elf32, 1) => Absolute(Bytes(4)),   // P32_ABS32
        (Class::Elf32, 2) => Absolute(Bytes(2)),   // P32_ABS16
        (Class::Elf32, 3) => Relative(Bytes(4)),   // P32_PREL32
        (Class::Elf32, 4) => Relative(Bytes(2)),   // P32_PREL16
        (Class::Elf64, 257) => Absolute(Bytes(8)), // ABS64
        (Class::Elf64, 258) => Absolute(Bytes(4)), // ABS32
        (Class::Elf64, 259) => Absolute(Bytes(2)), // ABS16
        (Class::Elf64, 260) => Relative(Bytes(8)), // PREL64
        (Class::Elf64, 261) => Relative(Bytes(4)), // PREL32
        (Class::Elf64, 262) => Relative(Bytes(2)), // PREL16
        (Class::Elf64, 314) => Relative(Bytes(4)), // PLT32
        _ => return None,
    })
}

/// R_ARM_ types (ELF for the Arm Architecture, "Static data relocations"). The bit that marks Thumb code is part
/// of st_value already. TARGET1 is ABS32 on every system with these sections.
pub(super) fn arm(kind: u32) -> Option<Howto> {
    Some(match kind {
        0 => Ignore,               // NONE
        2 => Absolute(Bytes(4)),   // ABS32
        3 => Relative(Bytes(4)),   // REL32
        5 => Absolute(Bytes(2)),   // ABS16
        8 => Absolute(Bytes(1)),   // ABS8
        38 => Absolute(Bytes(4)),  // TARGET1
        42 => Relative(Low31Bits), // PREL31
        _ => return None,
    })
}
