//! What compilers write for a machine, as the ordinary surroundings of what a case exercises.

use cfidiff_model::{Address, Class, Endianness, Machine, RegisterRule, Rows, Target};

use crate::suite::rows::{Listing, at, cfa, initial_row};
use crate::{CieSpec, FdeSpec, Program};

/// A machine with the numbers that its compilers use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Convention {
    pub machine: Machine,
    pub class: Class,
    pub endianness: Endianness,
    /// The flags of the ELF header that tell the ABI.
    pub flags: u32,
    /// The CIE version that the machine's assembler writes into `.eh_frame`.
    pub version: u8,
    pub code_alignment_factor: u64,
    pub data_alignment_factor: i64,
    pub return_address_register: u64,
    pub stack_pointer: u64,
    /// The CFA at a function's entry, in bytes above the stack pointer.
    pub entry_offset: i64,
    /// Whether the call put the return address on the stack, in the first slot below the CFA.
    pub pushes_return_address: bool,
    /// A register that functions save.
    pub saved: u64,
}

impl Convention {
    pub const X86_64: Convention = Convention {
        machine: Machine::X86_64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        flags: 0,
        version: 1,
        code_alignment_factor: 1,
        data_alignment_factor: -8,
        return_address_register: 16,
        stack_pointer: 7,
        entry_offset: 8,
        pushes_return_address: true,
        saved: 6,
    };

    /// x86-64 with addresses of 32 bits: a call still pushes eight bytes.
    pub const X32: Convention = Convention { class: Class::Elf32, ..Convention::X86_64 };

    pub const I386: Convention = Convention {
        machine: Machine::I386,
        class: Class::Elf32,
        data_alignment_factor: -4,
        return_address_register: 8,
        stack_pointer: 4,
        entry_offset: 4,
        saved: 5,
        ..Convention::X86_64
    };

    pub const AARCH64: Convention = Convention {
        machine: Machine::AARCH64,
        code_alignment_factor: 4,
        return_address_register: 30,
        stack_pointer: 31,
        entry_offset: 0,
        pushes_return_address: false,
        saved: 29,
        ..Convention::X86_64
    };

    /// With the flags of EABI version 5.
    pub const ARM: Convention = Convention {
        machine: Machine::ARM,
        class: Class::Elf32,
        flags: 0x0500_0000,
        code_alignment_factor: 2,
        data_alignment_factor: -4,
        return_address_register: 14,
        stack_pointer: 13,
        saved: 11,
        ..Convention::AARCH64
    };

    pub const RISCV64: Convention = Convention {
        machine: Machine::RISCV,
        version: 3,
        code_alignment_factor: 1,
        data_alignment_factor: -4,
        return_address_register: 1,
        stack_pointer: 2,
        saved: 8,
        ..Convention::AARCH64
    };

    pub const PPC: Convention = Convention {
        machine: Machine::PPC,
        class: Class::Elf32,
        endianness: Endianness::Big,
        data_alignment_factor: -4,
        return_address_register: 65,
        stack_pointer: 1,
        saved: 31,
        ..Convention::AARCH64
    };

    /// Little-endian, with the flag of the second ABI.
    pub const PPC64LE: Convention = Convention {
        machine: Machine::PPC64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        flags: 2,
        data_alignment_factor: -8,
        ..Convention::PPC
    };

    pub const S390X: Convention = Convention {
        machine: Machine::S390,
        endianness: Endianness::Big,
        code_alignment_factor: 1,
        return_address_register: 14,
        stack_pointer: 15,
        entry_offset: 160,
        saved: 11,
        ..Convention::AARCH64
    };

    /// 32-bit, big-endian, with the flags of o32.
    pub const MIPS: Convention = Convention {
        machine: Machine::MIPS,
        class: Class::Elf32,
        endianness: Endianness::Big,
        flags: 0x7000_1005,
        code_alignment_factor: 1,
        data_alignment_factor: -4,
        return_address_register: 31,
        stack_pointer: 29,
        saved: 30,
        ..Convention::AARCH64
    };

    pub const SPARC64: Convention = Convention {
        machine: Machine::SPARCV9,
        endianness: Endianness::Big,
        return_address_register: 15,
        stack_pointer: 14,
        entry_offset: 2047,
        saved: 30,
        ..Convention::AARCH64
    };

    /// With the flags of LP64D.
    pub const LOONGARCH64: Convention = Convention {
        machine: Machine::LOONGARCH,
        flags: 0x43,
        return_address_register: 1,
        stack_pointer: 3,
        saved: 22,
        ..Convention::AARCH64
    };

    /// The same machine with another class and byte order, whether or not anybody builds it.
    pub fn as_target(self, class: Class, endianness: Endianness) -> Convention {
        Convention { class, endianness, ..self }
    }

    /// The target of a linked file.
    pub fn target(&self) -> Target {
        let Convention { machine, class, endianness, .. } = *self;
        Target { machine, class, endianness, relocatable: false }
    }

    /// The rules that hold at a function's entry.
    pub fn entry_rules(&self) -> Vec<(u64, RegisterRule)> {
        match self.pushes_return_address {
            true => vec![(self.return_address_register, at(self.data_alignment_factor))],
            false => Vec::new(),
        }
    }

    /// The initial row of the usual CIE.
    pub fn entry_row(&self) -> Rows {
        initial_row(cfa(self.stack_pointer, self.entry_offset), &self.entry_rules())
    }

    /// The initial instructions that compilers write.
    pub fn entry_program(&self) -> Program {
        let program = Program::new().def_cfa(self.stack_pointer, self.entry_offset.cast_unsigned());
        match self.pushes_return_address {
            true => program.offset(self.return_address_register as u8, 1),
            false => program,
        }
    }

    /// The usual CIE of `.eh_frame`: `zR` with pcrel sdata4.
    pub fn eh_frame_cie(&self) -> CieSpec {
        let usual = CieSpec::eh_frame(self.data_alignment_factor, self.return_address_register);
        CieSpec { version: self.version, ..self.with_program(usual) }
    }

    /// The usual CIE of `.debug_frame`: no augmentation.
    pub fn debug_frame_cie(&self) -> CieSpec {
        let usual = CieSpec::debug_frame(self.data_alignment_factor, self.return_address_register);
        CieSpec { version: self.version, ..self.with_program(usual) }
    }

    fn with_program(&self, usual: CieSpec) -> CieSpec {
        CieSpec {
            code_alignment_factor: self.code_alignment_factor,
            program: self.entry_program(),
            rows: self.entry_row(),
            ..usual
        }
    }

    /// A function that opens a frame of 32 bytes with its first instruction and saves a register two slots below
    /// the CFA, and one slot below it the return address unless the call did. For FDEs of a CIE with the
    /// machine's factors and the usual initial instructions.
    pub fn function(&self, cie: usize, start: u64, size: u64) -> FdeSpec {
        let mut program = Program::new().advance_loc(1).def_cfa_offset(32).offset(self.saved as u8, 2);
        if !self.pushes_return_address {
            program = program.offset_extended(self.return_address_register, 1);
        }
        let fde = FdeSpec::new(cie, Address(start), size, program);
        FdeSpec { rows: self.function_rows(start, size), ..fde }
    }

    /// The rows of [`Convention::function`].
    pub fn function_rows(&self, start: u64, size: u64) -> Rows {
        let rules = [
            (self.saved, at(2 * self.data_alignment_factor)),
            (self.return_address_register, at(self.data_alignment_factor)),
        ];
        let entry = cfa(self.stack_pointer, self.entry_offset);
        let framed = cfa(self.stack_pointer, 32);
        Listing::new(start, start.wrapping_add(size))
            .row(0, entry, &self.entry_rules())
            .row(self.code_alignment_factor, framed, &rules)
            .done()
    }
}
