//! Cases: what a reader is asked to read.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Address, Fault, Machine};

/// The byte order of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Endianness {
    /// Least significant byte first (ELFDATA2LSB).
    Little,
    /// Most significant byte first (ELFDATA2MSB).
    Big,
}

impl Endianness {
    /// The usual word.
    pub fn name(self) -> &'static str {
        match self {
            Endianness::Little => "little",
            Endianness::Big => "big",
        }
    }
}

/// The ELF class, which gives the size of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Class {
    /// ELFCLASS32: four-byte addresses.
    Elf32,
    /// ELFCLASS64: eight-byte addresses.
    Elf64,
}

impl Class {
    /// The size of an address in bytes.
    pub fn address_size(self) -> u8 {
        match self {
            Class::Elf32 => 4,
            Class::Elf64 => 8,
        }
    }
}

/// What every section of a case shares: how its numbers are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Target {
    /// The machine, for register names and vendor opcodes.
    pub machine: Machine,
    /// The class, for the size of an address.
    pub class: Class,
    /// The byte order.
    pub endianness: Endianness,
    /// Whether the file is a relocatable object (ET_REL), whose addresses all start at zero.
    pub relocatable: bool,
}

/// Which rules a section's contents follow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum SectionKind {
    /// `.eh_frame`, LSB Core, chapter on exception frames.
    EhFrame,
    /// `.debug_frame` (also `.zdebug_frame` once decompressed), DWARF 5 section 6.4.
    DebugFrame,
    /// `.eh_frame_hdr`, LSB Core, exception frame header.
    EhFrameHdr,
}

impl SectionKind {
    /// The section's standard name.
    pub fn name(self) -> &'static str {
        match self {
            SectionKind::EhFrame => ".eh_frame",
            SectionKind::DebugFrame => ".debug_frame",
            SectionKind::EhFrameHdr => ".eh_frame_hdr",
        }
    }

    /// Whether the section holds CIEs and FDEs.
    pub fn has_entries(self) -> bool {
        !matches!(self, SectionKind::EhFrameHdr)
    }
}

/// What encoded pointers count from. A base that the file does not tell is `None`, and a pointer that needs
/// it is a fault of its field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bases {
    /// For DW_EH_PE_textrel: the start of `.text`.
    pub text: Option<Address>,
    /// For DW_EH_PE_datarel in `.eh_frame`: the start of `.got`, or the value of DT_PLTGOT.
    pub data: Option<Address>,
}

/// One section that concerns call frame information, with its contents ready to read: decompressed, and
/// relocated when the file is a relocatable object.
#[derive(Clone, Debug)]
pub struct Section {
    /// Which rules apply.
    pub kind: SectionKind,
    /// The name in the file, for instance `.zdebug_frame`.
    pub name: String,
    /// The index in the section header table; `None` when found through program headers.
    pub index: Option<u32>,
    /// Its type there, sh_type (gABI): mostly SHT_PROGBITS. SHT_NULL, zero, when found through program headers.
    pub section_type: u32,
    /// The link-time address of the first byte; zero in relocatable objects.
    pub address: Address,
    /// The file offset of the first byte; `None` when the contents do not stand in the file as they are here.
    pub file_offset: Option<u64>,
    /// The contents; nothing where the file has none, as with type SHT_NOBITS in a file of debug information.
    pub data: Vec<u8>,
    /// What encoded pointers count from.
    pub bases: Bases,
    /// Fields that relocation could not settle, by section offset.
    pub faults: Vec<Fault>,
}

/// One input: an ELF image, from a file or from a member of an archive, and its sections.
#[derive(Clone, Debug)]
pub struct Case {
    /// How reports call it: the path as given, with `(member)` behind it for a member of an archive.
    pub name: String,
    /// The file that a tool can be run on; `None` when the case exists in memory only.
    pub path: Option<PathBuf>,
    /// The archive member's name as it stands there, when the path is an archive.
    pub member: Option<OsString>,
    /// How its numbers are to be read.
    pub target: Target,
    /// Its sections in the order of the section header table.
    pub sections: Vec<Section>,
    /// What could not be read, in words, each a whole sentence fragment such as
    /// ".eh_frame has type NOBITS: its contents are in the stripped file".
    pub notes: Vec<String>,
}

impl Case {
    /// The sections that hold CIEs and FDEs, with their index into `sections`.
    pub fn frame_sections(&self) -> impl Iterator<Item = (usize, &Section)> {
        self.sections.iter().enumerate().filter(|(_, section)| section.kind.has_entries())
    }
}
