//! A small ELF file around sections, such as tools expect to open (ELF gABI).

use std::fmt;

use cfidiff_model::{Address, Class, Endianness, Section, SectionKind, Target};

use crate::Writer;

/// ET_DYN.
const DYN: u16 = 3;
/// SHT_PROGBITS and SHT_STRTAB.
const PROGBITS: u32 = 1;
const STRTAB: u32 = 3;
/// SHF_WRITE, SHF_ALLOC and SHF_EXECINSTR.
const WRITE: u64 = 1;
const ALLOC: u64 = 2;
const EXECUTE: u64 = 4;
/// PT_NULL, PT_LOAD and PT_GNU_EH_FRAME.
const NULL: u32 = 0;
const LOAD: u32 = 1;
const GNU_EH_FRAME: u32 = 0x6474_e550;
/// PF_X, PF_W and PF_R.
const EXECUTABLE: u32 = 1;
const WRITABLE: u32 = 2;
const READABLE: u32 = 4;
/// The page size that offsets and addresses agree in.
const PAGE: u64 = 0x1000;
/// As many sections as the header can count in any case.
const MOST_SECTIONS: usize = 0x7fff;

/// A section of a file under construction.
#[derive(Clone, Debug)]
pub struct ElfSection {
    /// The name.
    pub name: String,
    /// The type, for instance 1 for SHT_PROGBITS.
    pub section_type: u32,
    /// The flags: 1 write, 2 alloc, 4 execute.
    pub flags: u64,
    /// The address; zero without the alloc flag.
    pub address: Address,
    /// The alignment.
    pub align: u64,
    /// The contents.
    pub data: Vec<u8>,
}

/// A linked file (ET_DYN) as it is to be written.
///
/// Each section with the alloc flag is in a PT_LOAD segment of its own, and one named `.eh_frame_hdr` in a
/// PT_GNU_EH_FRAME segment as well. When there is room below the lowest section, the headers are loaded at
/// address zero, as in ordinary files. The name table `.shstrtab` comes by itself.
#[derive(Clone, Debug)]
pub struct ElfSpec {
    /// Machine, class and byte order.
    pub target: Target,
    /// The machine's flags (`e_flags`), for instance 2 for PPC64 with its second ABI.
    pub flags: u32,
    /// The sections in the order of the section header table.
    pub sections: Vec<ElfSection>,
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
}

impl fmt::Display for ElfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElfError::TooBig(name) => write!(f, "section {name} ends past the address space"),
            ElfError::Overlap(one, other) => write!(f, "sections {one} and {other} overlap"),
            ElfError::TooMany => f.write_str("too many sections"),
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
        }
    }

    /// `.got` with `size` zero bytes, from which datarel pointers of `.eh_frame` count.
    pub fn got(address: Address, size: usize) -> ElfSection {
        let text = ElfSection::text(address, size);
        ElfSection { name: ".got".to_owned(), flags: ALLOC | WRITE, align: 8, ..text }
    }

    fn is_loaded(&self) -> bool {
        self.flags & ALLOC != 0
    }

    fn is_header(&self) -> bool {
        self.name == SectionKind::EhFrameHdr.name()
    }

    fn end(&self) -> u64 {
        self.address.0 + self.data.len() as u64
    }

    /// A section of call frame information. `.debug_frame` is not loaded.
    pub fn frame(kind: SectionKind, address: Address, data: Vec<u8>) -> ElfSection {
        let loaded = kind != SectionKind::DebugFrame;
        ElfSection {
            name: kind.name().to_owned(),
            section_type: PROGBITS,
            flags: if loaded { ALLOC } else { 0 },
            address: if loaded { address } else { Address(0) },
            align: if kind == SectionKind::EhFrameHdr { 4 } else { 8 },
            data,
        }
    }
}

impl From<&Section> for ElfSection {
    fn from(section: &Section) -> ElfSection {
        ElfSection::frame(section.kind, section.address, section.data.clone())
    }
}

impl ElfSpec {
    /// Writes the file.
    pub fn build(&self) -> Result<Vec<u8>, ElfError> {
        self.check()?;
        let (name_table, name_offsets) = self.names();
        let sections: Vec<&ElfSection> = self.sections.iter().chain([&name_table]).collect();
        let layout = Layout::of(self.target.class, &sections);
        let mut to = Writer::new(self.target.endianness);
        self.file_header(&mut to, &layout, sections.len());
        for segment in &layout.segments {
            self.segment(&mut to, segment);
        }
        for &index in &layout.file_order {
            fill(&mut to, layout.offsets[index]);
            to.bytes(&sections[index].data);
        }
        fill(&mut to, layout.section_headers);
        to.bytes(&vec![0; Sizes::of(self.target.class).section_header]);
        for (index, section) in sections.iter().enumerate() {
            self.section_header(&mut to, section, name_offsets[index], layout.offsets[index]);
        }
        Ok(to.into_bytes())
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
            if pair[0].end() > pair[1].address.0 {
                return Err(ElfError::Overlap(pair[0].name.clone(), pair[1].name.clone()));
            }
        }
        Ok(())
    }

    /// The name table, and where in it each section's name starts, its own last.
    fn names(&self) -> (ElfSection, Vec<u32>) {
        let mut data = vec![0];
        let mut offsets = Vec::with_capacity(self.sections.len() + 1);
        let own = ".shstrtab".to_owned();
        for name in self.sections.iter().map(|section| &section.name).chain([&own]) {
            offsets.push(data.len() as u32);
            data.extend_from_slice(name.as_bytes());
            data.push(0);
        }
        let table =
            ElfSection { name: own, section_type: STRTAB, flags: 0, address: Address(0), align: 1, data };
        (table, offsets)
    }

    fn file_header(&self, to: &mut Writer, layout: &Layout, section_count: usize) {
        let sizes = Sizes::of(self.target.class);
        let class = if self.target.class == Class::Elf64 { 2 } else { 1 };
        let order = if self.target.endianness == Endianness::Little { 1 } else { 2 };
        to.bytes(&[0x7f, b'E', b'L', b'F', class, order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        to.u16(DYN);
        to.u16(self.target.machine.0);
        to.u32(1);
        let entry = self.sections.iter().find(|section| section.flags & EXECUTE != 0);
        self.word(to, entry.map_or(0, |section| section.address.0));
        self.word(to, sizes.file_header as u64);
        self.word(to, layout.section_headers);
        to.u32(self.flags);
        to.u16(sizes.file_header as u16);
        to.u16(sizes.program_header as u16);
        to.u16(layout.segments.len() as u16);
        to.u16(sizes.section_header as u16);
        // The null section comes first, the name table last.
        to.u16(section_count as u16 + 1);
        to.u16(section_count as u16);
    }

    fn segment(&self, to: &mut Writer, segment: &Segment) {
        to.u32(segment.segment_type);
        if self.target.class == Class::Elf64 {
            to.u32(segment.flags);
        }
        self.word(to, segment.offset);
        self.word(to, segment.address);
        self.word(to, segment.address);
        self.word(to, segment.size);
        self.word(to, segment.size);
        if self.target.class == Class::Elf32 {
            to.u32(segment.flags);
        }
        self.word(to, if segment.segment_type == LOAD { PAGE } else { 4 });
    }

    fn section_header(&self, to: &mut Writer, section: &ElfSection, name: u32, offset: u64) {
        to.u32(name);
        to.u32(section.section_type);
        self.word(to, section.flags);
        self.word(to, section.address.0);
        self.word(to, offset);
        self.word(to, section.data.len() as u64);
        to.u32(0);
        to.u32(0);
        self.word(to, section.align);
        self.word(to, 0);
    }

    /// A number as wide as the class.
    fn word(&self, to: &mut Writer, value: u64) {
        to.unsigned(value, self.target.class.address_size().into());
    }
}

/// The sizes of the headers by class.
struct Sizes {
    file_header: usize,
    program_header: usize,
    section_header: usize,
}

impl Sizes {
    fn of(class: Class) -> Sizes {
        match class {
            Class::Elf32 => Sizes { file_header: 52, program_header: 32, section_header: 40 },
            Class::Elf64 => Sizes { file_header: 64, program_header: 56, section_header: 64 },
        }
    }
}

struct Segment {
    segment_type: u32,
    flags: u32,
    offset: u64,
    address: u64,
    size: u64,
}

impl Segment {
    fn of(section: &ElfSection, segment_type: u32, offset: u64) -> Segment {
        let flags = READABLE
            | if section.flags & WRITE != 0 { WRITABLE } else { 0 }
            | if section.flags & EXECUTE != 0 { EXECUTABLE } else { 0 };
        Segment { segment_type, flags, offset, address: section.address.0, size: section.data.len() as u64 }
    }
}

/// Where everything stands in the file.
struct Layout {
    segments: Vec<Segment>,
    /// The file offset of each section, in the order of their headers.
    offsets: Vec<u64>,
    /// The sections by ascending file offset.
    file_order: Vec<usize>,
    /// Where the section header table starts.
    section_headers: u64,
}

impl Layout {
    fn of(class: Class, sections: &[&ElfSection]) -> Layout {
        let sizes = Sizes::of(class);
        let loaded = sections.iter().filter(|section| section.is_loaded());
        let headers = sections.iter().filter(|section| section.is_header()).count();
        // One segment more is for the headers.
        let segments = loaded.clone().count() + headers + 1;
        let headers_size = (sizes.file_header + sizes.program_header * segments) as u64;

        let mut file_order: Vec<usize> = (0..sections.len()).collect();
        file_order.sort_by_key(|&index| (!sections[index].is_loaded(), sections[index].address));
        let mut offsets = vec![0; sections.len()];
        let mut at = headers_size;
        for &index in &file_order {
            let section = sections[index];
            at = match section.is_loaded() {
                true => at + (section.address.0 % PAGE + PAGE - at % PAGE) % PAGE,
                false => at.next_multiple_of(section.align.max(1)),
            };
            offsets[index] = at;
            at += section.data.len() as u64;
        }

        let lowest = loaded.map(|section| section.address.0).min();
        // Where sections leave no room for the headers at address zero, an empty segment keeps their place.
        let size = if lowest.is_some_and(|lowest| lowest >= headers_size) { headers_size } else { 0 };
        let segment_type = if size > 0 { LOAD } else { NULL };
        let mut segments = vec![Segment { segment_type, flags: READABLE, offset: 0, address: 0, size }];
        for &index in file_order.iter().filter(|&&index| sections[index].is_loaded()) {
            segments.push(Segment::of(sections[index], LOAD, offsets[index]));
        }
        for &index in file_order.iter().filter(|&&index| sections[index].is_header()) {
            segments.push(Segment::of(sections[index], GNU_EH_FRAME, offsets[index]));
        }
        Layout { segments, offsets, file_order, section_headers: at.next_multiple_of(8) }
    }
}

/// Writes zero bytes up to a file offset.
fn fill(to: &mut Writer, offset: u64) {
    while (to.len() as u64) < offset {
        to.u8(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfidiff_model::Machine;

    fn spec(sections: Vec<ElfSection>) -> ElfSpec {
        let target = Target {
            machine: Machine::X86_64,
            class: Class::Elf64,
            endianness: Endianness::Little,
            relocatable: false,
        };
        ElfSpec { target, flags: 0, sections }
    }

    #[test]
    fn offsets_and_addresses_agree_within_a_page() {
        let frame = ElfSection::frame(SectionKind::EhFrame, Address(0x2345), vec![1, 2, 3]);
        let file = spec(vec![ElfSection::text(Address(0x1010), 4), frame]).build().unwrap();
        assert_eq!(file[0x345..][..3], [0, 0, 0]);
        assert_eq!(file[0x1345..][..3], [1, 2, 3]);
    }

    #[test]
    fn overlapping_sections_are_an_error() {
        let sections = vec![ElfSection::text(Address(0x1000), 16), ElfSection::text(Address(0x100f), 1)];
        assert!(matches!(spec(sections).build(), Err(ElfError::Overlap(..))));
        let past_the_end = vec![ElfSection::text(Address(u64::MAX), 2)];
        assert!(matches!(spec(past_the_end).build(), Err(ElfError::TooBig(_))));
    }
}
