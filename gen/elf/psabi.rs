//! The relocation types that assemblers leave in sections of call frame information, by machine. The numbers
//! are those of the processor supplements.

use cfidiff_model::{Class, Machine, Target};

/// A machine's relocation types for call frame information. In the formulas S is the symbol's value, A the
/// addend and P the field's address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RelocationTypes {
    /// S + A, in fields of four and of eight bytes; 0 for none.
    pub absolute: [u32; 2],
    /// S + A - P, in fields of four and of eight bytes; 0 for none.
    pub relative: [u32; 2],
    /// Whether the addend is in the field (SHT_REL) and not in the table (SHT_RELA).
    pub in_place: bool,
    /// Whether assemblers refer to labels and not to sections.
    pub labels: bool,
    /// How distances are written, on machines whose linkers shorten code.
    pub distances: Option<Distances>,
}

/// A distance is written by two relocations of one field: the first puts the end's address in or adds it, the
/// second subtracts the start's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Distances {
    /// The ends of advances, for the low six bits of a byte, and for fields of 8, 16, 32 and 64 bits.
    pub ends: [u32; 5],
    /// The ends of address ranges, for fields of 32 and 64 bits.
    pub range_ends: [u32; 2],
    /// The starts, for the widths of advances.
    pub starts: [u32; 5],
}

const fn types(absolute: [u32; 2], relative: [u32; 2]) -> RelocationTypes {
    RelocationTypes { absolute, relative, in_place: false, labels: false, distances: None }
}

impl RelocationTypes {
    /// Those of the target's machine, or `None` for a machine that is not listed here.
    pub fn of(target: Target) -> Option<RelocationTypes> {
        Some(match (target.machine, target.class) {
            // R_X86_64_32, 64, PC32, PC64 (System V psABI AMD64).
            (Machine::X86_64, _) => types([10, 1], [2, 24]),
            // R_386_32, PC32 (System V psABI Intel386).
            (Machine::I386, _) => RelocationTypes { in_place: true, ..types([1, 0], [2, 0]) },
            // R_AARCH64_ABS32, ABS64, PREL32, PREL64; in ILP32 R_AARCH64_P32_ABS32, PREL32 (AAELF64).
            (Machine::AARCH64, Class::Elf64) => types([258, 257], [261, 260]),
            (Machine::AARCH64, Class::Elf32) => types([1, 0], [3, 0]),
            // R_ARM_ABS32, REL32 (AAELF32).
            (Machine::ARM, _) => RelocationTypes { in_place: true, ..types([2, 0], [3, 0]) },
            // R_RISCV_32, 64, 32_PCREL, and SET6 to SET32, ADD32, ADD64 with SUB6 to SUB64 (RISC-V psABI). There
            // is no SET64.
            (Machine::RISCV, _) => RelocationTypes {
                labels: true,
                distances: Some(Distances {
                    ends: [53, 54, 55, 56, 36],
                    range_ends: [35, 36],
                    starts: [52, 37, 38, 39, 40],
                }),
                ..types([1, 2], [57, 0])
            },
            // R_LARCH_32, 64, 32_PCREL, 64_PCREL, and ADD6 to ADD64 with SUB6 to SUB64 (LoongArch ELF psABI).
            (Machine::LOONGARCH, _) => RelocationTypes {
                labels: true,
                distances: Some(Distances {
                    ends: [105, 47, 48, 50, 51],
                    range_ends: [50, 51],
                    starts: [106, 52, 53, 55, 56],
                }),
                ..types([1, 2], [99, 109])
            },
            // R_PPC_ADDR32, REL32 (Power Architecture 32-bit ABI Supplement).
            (Machine::PPC, _) => types([1, 0], [26, 0]),
            // R_PPC64_ADDR32, ADDR64, REL32, REL64 (64-Bit ELF V2 ABI).
            (Machine::PPC64, _) => types([1, 38], [26, 44]),
            // R_390_32, 64, PC32, PC64 (s390x ELF ABI Supplement).
            (Machine::S390, _) => types([4, 22], [5, 23]),
            // R_MIPS_32, PC32 (MIPS psABI); with 64-bit addresses also R_MIPS_64, and addends in the table.
            (Machine::MIPS, Class::Elf32) => RelocationTypes { in_place: true, ..types([2, 0], [248, 0]) },
            (Machine::MIPS, Class::Elf64) => types([2, 18], [248, 0]),
            // R_SPARC_UA32, UA64, DISP32, DISP64 (SPARC Compliance Definition 2.4).
            (Machine::SPARCV9, _) => types([23, 54], [6, 46]),
            // R_HEX_32, 32_PCREL (Qualcomm Hexagon ABI).
            (Machine::HEXAGON, _) => types([6, 0], [31, 0]),
            // R_ALPHA_REFLONG, REFQUAD, SREL32, SREL64 (as GNU binutils numbers them).
            (Machine::ALPHA, _) => types([1, 2], [10, 11]),
            // R_LANAI_32 (as LLVM numbers it).
            (Machine::LANAI, _) => RelocationTypes { labels: true, ..types([4, 0], [0, 0]) },
            _ => return None,
        })
    }
}
