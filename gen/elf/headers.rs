//! The headers of a file, in either class.

use cfidiff_model::{Class, Endianness};

use super::layout::{LOAD, Layout, Segment};
use super::{EXECUTE, ElfSpec, Entry};
use crate::Writer;

/// ET_REL, ET_EXEC and ET_DYN.
const REL: u16 = 1;
const EXEC: u16 = 2;
const DYN: u16 = 3;

/// The sizes of the headers by class.
pub(super) struct Sizes {
    pub(super) file_header: usize,
    pub(super) program_header: usize,
    pub(super) section_header: usize,
}

impl Sizes {
    pub(super) fn of(class: Class) -> Sizes {
        match class {
            Class::Elf32 => Sizes { file_header: 52, program_header: 32, section_header: 40 },
            Class::Elf64 => Sizes { file_header: 64, program_header: 56, section_header: 64 },
        }
    }
}

impl ElfSpec {
    /// Writes headers and contents to their places.
    pub(super) fn write(&self, entries: &[Entry<'_>], layout: &Layout) -> Vec<u8> {
        let mut to = Writer::new(self.target.endianness);
        self.file_header(&mut to, layout, entries.len());
        for segment in &layout.segments {
            self.segment(&mut to, segment);
        }
        for &index in &layout.file_order {
            fill(&mut to, layout.offsets[index]);
            to.bytes(&entries[index].contents);
        }
        if self.section_headers {
            fill(&mut to, layout.section_headers);
            to.bytes(&vec![0; Sizes::of(self.target.class).section_header]);
            let mut name = 1;
            for (entry, offset) in entries.iter().zip(&layout.offsets) {
                self.section_header(&mut to, entry, name, *offset);
                name += entry.section.name.len() as u32 + 1;
            }
        }
        to.into_bytes()
    }

    fn file_header(&self, to: &mut Writer, layout: &Layout, section_count: usize) {
        let sizes = Sizes::of(self.target.class);
        let class = if self.target.class == Class::Elf64 { 2 } else { 1 };
        let order = if self.target.endianness == Endianness::Little { 1 } else { 2 };
        let file_type = match (self.target.relocatable, self.position_independent) {
            (true, _) => REL,
            (false, true) => DYN,
            (false, false) => EXEC,
        };
        let segments = layout.segments.len();
        // The null section comes first, the name table last.
        let (sections, names) =
            if self.section_headers { (section_count + 1, section_count) } else { (0, 0) };
        let entry = self.sections.iter().find(|section| section.flags & EXECUTE != 0);
        to.bytes(&[0x7f, b'E', b'L', b'F', class, order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        to.u16(file_type);
        to.u16(self.target.machine.0);
        to.u32(1);
        self.word(to, entry.map_or(0, |section| section.address.0));
        self.word(to, if segments > 0 { sizes.file_header as u64 } else { 0 });
        self.word(to, layout.section_headers);
        to.u32(self.flags);
        to.u16(sizes.file_header as u16);
        to.u16(if segments > 0 { sizes.program_header as u16 } else { 0 });
        to.u16(segments as u16);
        to.u16(if sections > 0 { sizes.section_header as u16 } else { 0 });
        to.u16(sections as u16);
        to.u16(names as u16);
    }

    fn segment(&self, to: &mut Writer, segment: &Segment) {
        to.u32(segment.segment_type);
        if self.target.class == Class::Elf64 {
            to.u32(segment.flags);
        }
        self.word(to, segment.offset);
        self.word(to, segment.address);
        self.word(to, segment.address);
        self.word(to, segment.file_size);
        self.word(to, segment.size);
        if self.target.class == Class::Elf32 {
            to.u32(segment.flags);
        }
        self.word(to, if segment.segment_type == LOAD { self.page_size } else { 4 });
    }

    fn section_header(&self, to: &mut Writer, entry: &Entry<'_>, name: u32, offset: u64) {
        let section = &entry.section;
        let compressed = section.compression.map_or(0, |compression| compression.flag());
        to.u32(name);
        to.u32(section.section_type);
        self.word(to, section.flags | compressed);
        self.word(to, section.address.0);
        self.word(to, offset);
        self.word(to, entry.size());
        to.u32(entry.link);
        to.u32(entry.info);
        self.word(to, section.align);
        self.word(to, entry.entry_size);
    }

    /// A number as wide as the class.
    fn word(&self, to: &mut Writer, value: u64) {
        to.unsigned(value, self.target.class.address_size().into());
    }
}

/// Writes zero bytes up to a file offset.
fn fill(to: &mut Writer, offset: u64) {
    while (to.len() as u64) < offset {
        to.u8(0);
    }
}
