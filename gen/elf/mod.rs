//! A small ELF file around sections, such as tools expect to open (ELF gABI).

mod compression;
mod headers;
mod layout;
mod object;
mod psabi;
mod relocations;
mod symbols;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use cfidiff_model::{Address, Class, Section, SectionKind, Target};

pub use compression::Compression;
pub use psabi::RelocationTypes;
pub use relocations::Relocation;
pub use symbols::{Symbol, SymbolKind};

use layout::Layout;

/// SHT_PROGBITS, SHT_STRTAB and SHT_NOBITS.
const PROGBITS: u32 = 1;
const STRTAB: u32 = 3;
const NOBITS: u32 = 8;
/// SHF_WRITE, SHF_ALLOC and SHF_EXECINSTR.
const WRITE: u64 = 1;
const ALLOC: u64 = 2;
const EXECUTE: u64 = 4;
/// The page size of ordinary files.
const PAGE: u64 = 0x1000;
/// As many sections as the header can count in any case.
const MOST_SECTIONS: usize = 0x7fff;

/// A section of a file under construction.
#[derive(Clone, Debug)]
pub struct ElfSection {
    /// The name.
    pub name: String,
    /// The type, for instance 1 for SHT_PROGBITS. With 8, SHT_NOBITS, only the size of the contents is told.
    pub section_type: u32,
    /// The flags: 1 write, 2 alloc, 4 execute.
    pub flags: u64,
    /// The address; zero without the alloc flag, and in a relocatable object.
    pub address: Address,
    /// The alignment.
    pub align: u64,
    /// The contents, before any compression.
    pub data: Vec<u8>,
    /// What is left to be filled in by whoever places the sections.
    pub relocations: Vec<Relocation>,
    /// Whether and how the file holds the contents compressed. The section's name has to fit.
    pub compression: Option<Compression>,
}

/// A file as it is to be written: relocatable (ET_REL) when the target says so, else linked.
///
/// In a linked file each section with the alloc flag is in a PT_LOAD segment of its own, unless neighbours share
/// theirs, and one named `.eh_frame_hdr` in a PT_GNU_EH_FRAME segment as well. When there is room below the lowest section, the
/// headers are loaded at address zero, as in ordinary files. The tables of symbols, relocations and names
/// come by themselves behind the sections.
#[derive(Clone, Debug)]
pub struct ElfSpec {
    /// Machine, class and byte order.
    pub target: Target,
    /// The machine's flags (`e_flags`), for instance 2 for PPC64 with its second ABI.
    pub flags: u32,
    /// Whether a linked file can be loaded anywhere (ET_DYN) or at its addresses alone (ET_EXEC).
    pub position_independent: bool,
    /// Whether there is a section header table. Linked files run without it.
    pub section_headers: bool,
    /// What file offsets and addresses of loaded sections agree in (`p_align`): a power of two. Files that
    /// nobody runs are small with a small one.
    pub page_size: u64,
    /// Whether loaded sections with the same flags, and less than a page between them, share a segment, as linkers
    /// have it.
    pub shared_segments: bool,
    /// The sections in the order of the section header table.
    pub sections: Vec<ElfSection>,
    /// The symbols, in any order.
    pub symbols: Vec<Symbol>,
}

/// Why a file cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ElfError {
    /// A section that ends past the address space of the class, or the file does.
    TooBig(String),
    /// Two sections that occupy the same addresses.
    Overlap(String, String),
    /// More sections than the header can count.
    TooMany,
    /// A reference of a section that the machine has no relocation type for: its width in bits.
    NoRelocation(String, u8),
    /// A reference of a section to a section that is not there.
    NoSection(String, &'static str),
}

impl fmt::Display for ElfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElfError::TooBig(name) => write!(f, "section {name} ends past the address space"),
            ElfError::Overlap(one, other) => write!(f, "sections {one} and {other} overlap"),
            ElfError::TooMany => f.write_str("too many sections"),
            ElfError::NoRelocation(name, bits) => {
                write!(f, "section {name}: no relocation type for a reference of {bits} bits")
            }
            ElfError::NoSection(name, wanted) => {
                write!(f, "section {name} refers to {wanted}, which is missing")
            }
        }
    }
}

impl std::error::Error for ElfError {}

impl ElfSection {
    /// `.text` with `size` zero bytes.
    pub fn text(address: Address, size: usize) -> ElfSection {
        ElfSection {
            name: ".text".to_owned(),
            section_type: PROGBITS,
            flags: ALLOC | EXECUTE,
            address,
            align: 16,
            data: vec![0; size],
            relocations: Vec::new(),
            compression: None,
        }
    }

    /// A section of this name, with `size` bytes of code that the file does not hold, as in a separate debug
    /// file.
    pub fn code_elsewhere(name: &str, address: Address, size: usize) -> ElfSection {
        let text = ElfSection::text(address, size);
        ElfSection { name: name.to_owned(), section_type: NOBITS, ..text }
    }

    /// `.got` with `size` zero bytes, from which datarel pointers of `.eh_frame` count.
    pub fn got(address: Address, size: usize) -> ElfSection {
        let text = ElfSection::text(address, size);
        ElfSection { name: ".got".to_owned(), flags: ALLOC | WRITE, align: 8, ..text }
    }

    /// A section of constants of this name.
    pub fn constants(name: &str, address: Address, data: Vec<u8>) -> ElfSection {
        let text = ElfSection::text(address, 0);
        ElfSection { name: name.to_owned(), flags: ALLOC, align: 4, data, ..text }
    }

    /// A section of call frame information. `.debug_frame` is not loaded.
    pub fn frame(kind: SectionKind, address: Address, data: Vec<u8>) -> ElfSection {
        let loaded = kind != SectionKind::DebugFrame;
        ElfSection {
            flags: if loaded { ALLOC } else { 0 },
            address: if loaded { address } else { Address(0) },
            align: if kind == SectionKind::EhFrameHdr { 4 } else { 8 },
            ..ElfSection::constants(kind.name(), address, data)
        }
    }

    fn is_loaded(&self) -> bool {
        self.flags & ALLOC != 0
    }

    pub(crate) fn is_code(&self) -> bool {
        self.flags & EXECUTE != 0
    }

    /// Whether these bytes are all in the section.
    pub(crate) fn holds(&self, start: u64, size: u64) -> bool {
        start >= self.address.0 && start.checked_add(size).is_some_and(|end| end <= self.end())
    }

    fn is_header(&self) -> bool {
        self.name == SectionKind::EhFrameHdr.name()
    }

    fn end(&self) -> u64 {
        self.address.0 + self.data.len() as u64
    }
}

impl From<&Section> for ElfSection {
    fn from(section: &Section) -> ElfSection {
        ElfSection::frame(section.kind, section.address, section.data.clone())
    }
}

/// A section with what its header says beside: the ones of the file's description, and the tables behind
/// them.
#[derive(Clone, Debug)]
struct Entry<'s> {
    section: Cow<'s, ElfSection>,
    /// What the file holds of the contents.
    contents: Cow<'s, [u8]>,
    /// `sh_link`, `sh_info` and `sh_entsize`.
    link: u32,
    info: u32,
    entry_size: u64,
}

impl<'s> Entry<'s> {
    fn of(section: &'s ElfSection, target: Target) -> Entry<'s> {
        let contents = match section.compression {
            _ if section.section_type == NOBITS => Cow::Borrowed(&[][..]),
            None => Cow::Borrowed(section.data.as_slice()),
            Some(compression) => Cow::Owned(compression.compress(&section.data, section.align, target)),
        };
        Entry { section: Cow::Borrowed(section), contents, link: 0, info: 0, entry_size: 0 }
    }

    /// A table that describes the file itself.
    fn table(name: String, section_type: u32, align: u64, contents: Vec<u8>) -> Entry<'s> {
        let section = ElfSection {
            section_type,
            flags: 0,
            align,
            ..ElfSection::constants(&name, Address(0), Vec::new())
        };
        Entry { section: Cow::Owned(section), contents: contents.into(), link: 0, info: 0, entry_size: 0 }
    }

    /// The size as the section header tells it.
    fn size(&self) -> u64 {
        if self.section.section_type == NOBITS {
            self.section.data.len() as u64
        } else {
            self.contents.len() as u64
        }
    }
}

impl ElfSpec {
    /// A file without flags whose segments start at pages of 4 KiB.
    pub fn new(target: Target, sections: Vec<ElfSection>) -> ElfSpec {
        ElfSpec {
            target,
            flags: 0,
            position_independent: true,
            section_headers: true,
            page_size: PAGE,
            shared_segments: false,
            sections,
            symbols: Vec::new(),
        }
    }

    /// Where in the file each section's contents are, in the order of the sections.
    pub fn file_ranges(&self) -> Vec<Range<u64>> {
        let entries = self.entries();
        let layout = Layout::of(self, &entries);
        let places = layout.offsets.iter().zip(&entries);
        places.take(self.sections.len()).map(|(at, entry)| *at..at + entry.contents.len() as u64).collect()
    }

    /// Writes the file.
    pub fn build(&self) -> Result<Vec<u8>, ElfError> {
        self.check()?;
        let entries = self.entries();
        let layout = Layout::of(self, &entries);
        Ok(self.write(&entries, &layout))
    }

    fn check(&self) -> Result<(), ElfError> {
        if self.sections.len() > MOST_SECTIONS {
            return Err(ElfError::TooMany);
        }
        let limit = match self.target.class {
            Class::Elf32 => u64::from(u32::MAX),
            Class::Elf64 => u64::MAX,
        };
        let mut loaded: Vec<&ElfSection> =
            self.sections.iter().filter(|section| section.is_loaded()).collect();
        loaded.sort_by_key(|section| section.address);
        for section in &loaded {
            let end = section.address.0.checked_add(section.data.len() as u64);
            if end.is_none_or(|end| end > limit) {
                return Err(ElfError::TooBig(section.name.clone()));
            }
        }
        for pair in loaded.windows(2) {
            // In a relocatable object nothing is placed yet.
            if !self.target.relocatable && pair[0].end() > pair[1].address.0 {
                return Err(ElfError::Overlap(pair[0].name.clone(), pair[1].name.clone()));
            }
        }
        Ok(())
    }

    /// The sections and the tables behind them.
    fn entries(&self) -> Vec<Entry<'_>> {
        let mut entries: Vec<_> =
            self.sections.iter().map(|section| Entry::of(section, self.target)).collect();
        if !self.section_headers {
            return entries;
        }
        let symbol_table = entries.len() as u32 + 1;
        let relocated = self.sections.iter().any(|section| !section.relocations.is_empty());
        if relocated || !self.symbols.is_empty() {
            let (table, names, places) = symbols::tables(&self.symbols, self.target, symbol_table + 1);
            entries.extend([table, names]);
            entries.extend(relocations::tables(&self.sections, self.target, symbol_table, &places));
        }
        entries.push(Entry::table(".shstrtab".to_owned(), STRTAB, 1, Vec::new()));
        let names = entries.iter().flat_map(|entry| [entry.section.name.as_bytes(), &[0]]);
        let names: Vec<u8> = [&[0][..]].into_iter().chain(names).flatten().copied().collect();
        if let Some(own) = entries.last_mut() {
            own.contents = names.into();
        }
        entries
    }
}

#[cfg(test)]
mod tests;
