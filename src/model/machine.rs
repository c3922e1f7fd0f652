//! The machines that give call frame information its register numbers and vendor opcodes.

/// The machine of a file: the ELF header's `e_machine`, kept as the number so that an unlisted machine is
/// still a machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Machine(pub u16);

impl Machine {
    /// EM_SPARC, 32-bit.
    pub const SPARC: Machine = Machine(2);
    /// EM_386.
    pub const I386: Machine = Machine(3);
    /// EM_68K.
    pub const M68K: Machine = Machine(4);
    /// EM_MIPS, 32 and 64-bit.
    pub const MIPS: Machine = Machine(8);
    /// EM_PARISC.
    pub const PARISC: Machine = Machine(15);
    /// EM_SPARC32PLUS.
    pub const SPARC32PLUS: Machine = Machine(18);
    /// EM_PPC, 32-bit.
    pub const PPC: Machine = Machine(20);
    /// EM_PPC64.
    pub const PPC64: Machine = Machine(21);
    /// EM_S390, 31 and 64-bit.
    pub const S390: Machine = Machine(22);
    /// EM_ARM.
    pub const ARM: Machine = Machine(40);
    /// EM_SH.
    pub const SH: Machine = Machine(42);
    /// EM_SPARCV9, 64-bit.
    pub const SPARCV9: Machine = Machine(43);
    /// EM_X86_64 (with 4-byte addresses: x32).
    pub const X86_64: Machine = Machine(62);
    /// EM_AVR.
    pub const AVR: Machine = Machine(83);
    /// EM_MSP430.
    pub const MSP430: Machine = Machine(105);
    /// EM_HEXAGON.
    pub const HEXAGON: Machine = Machine(164);
    /// EM_AARCH64.
    pub const AARCH64: Machine = Machine(183);
    /// EM_AMDGPU.
    pub const AMDGPU: Machine = Machine(224);
    /// EM_RISCV, 32 and 64-bit.
    pub const RISCV: Machine = Machine(243);
    /// EM_LANAI.
    pub const LANAI: Machine = Machine(244);
    /// EM_LOONGARCH, 32 and 64-bit.
    pub const LOONGARCH: Machine = Machine(258);
    /// EM_ALPHA, the number that GNU tools use.
    pub const ALPHA: Machine = Machine(0x9026);

    /// The machine's usual name in lower case, or `None` for a machine that is not listed here.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Machine::SPARC | Machine::SPARC32PLUS => "sparc",
            Machine::SPARCV9 => "sparcv9",
            Machine::I386 => "i386",
            Machine::M68K => "m68k",
            Machine::MIPS => "mips",
            Machine::PARISC => "parisc",
            Machine::PPC => "ppc",
            Machine::PPC64 => "ppc64",
            Machine::S390 => "s390",
            Machine::ARM => "arm",
            Machine::SH => "sh",
            Machine::X86_64 => "x86_64",
            Machine::AARCH64 => "aarch64",
            Machine::RISCV => "riscv",
            Machine::LOONGARCH => "loongarch",
            Machine::ALPHA => "alpha",
            Machine::AVR => "avr",
            Machine::AMDGPU => "amdgpu",
            Machine::MSP430 => "msp430",
            Machine::HEXAGON => "hexagon",
            Machine::LANAI => "lanai",
            _ => return None,
        })
    }

    /// Whether this is a SPARC of any width.
    pub fn is_sparc(self) -> bool {
        matches!(self, Machine::SPARC | Machine::SPARC32PLUS | Machine::SPARCV9)
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "machine-{}", self.0),
        }
    }
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Machine({self})")
    }
}
