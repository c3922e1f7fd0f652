//! A case under construction.

use cfidiff_model::{Address, Bases, EntryKind, SectionKind};

use crate::suite::convention::Convention;
use crate::suite::{Answer, Case, Damage, Expected, FrameAnswer, HeaderAnswer, Reading, SuiteError};
use crate::{ElfSection, ElfSpec, HeaderSpec, Record, SectionSpec, Symbol, SymbolKind, Writer};

/// Where `.text` is, unless a case says otherwise, and its size in bytes.
pub(crate) const TEXT: u64 = 0x1000;
pub(crate) const TEXT_SIZE: u64 = 0x80;
/// Where `.eh_frame_hdr`, `.eh_frame` and `.got` are.
pub(crate) const HEADER: u64 = 0x1f00;
pub(crate) const FRAME: u64 = 0x2000;
pub(crate) const GOT: u64 = 0x6000;

/// A case under construction. Its first error is told by [`Draft::finish`].
pub(crate) struct Draft {
    case: Case,
    elf: ElfSpec,
    bases: Bases,
    error: Option<String>,
}

impl Draft {
    /// A file for the machine with `.text` and nothing else so far. `about` is one sentence.
    pub fn new(name: &str, machine: &Convention, about: &str) -> Draft {
        let target = machine.target();
        let text = ElfSection::text(Address(TEXT), TEXT_SIZE as usize);
        Draft {
            case: Case {
                name: name.to_owned(),
                about: about.to_owned(),
                clause: String::new(),
                catches: Vec::new(),
                damage: None,
                target,
                file: Vec::new(),
                readings: Vec::new(),
                sections: Vec::new(),
                header: None,
                frames: Vec::new(),
            },
            elf: ElfSpec { flags: machine.flags, page_size: 16, ..ElfSpec::new(target, vec![text]) },
            bases: Bases { text: Some(Address(TEXT)), data: None },
            error: None,
        }
    }

    /// Makes it a relocatable object, in which every section is at address zero. For use before anything
    /// else.
    pub fn object(mut self) -> Draft {
        self.case.target.relocatable = true;
        self.elf.target.relocatable = true;
        self.text(0, TEXT_SIZE)
    }

    /// The clauses that decide the case.
    pub fn clause(mut self, clause: &str) -> Draft {
        clause.clone_into(&mut self.case.clause);
        self
    }

    /// The public bugs that the case would have caught.
    pub fn catches(mut self, bugs: &[&'static str]) -> Draft {
        self.case.catches.extend_from_slice(bugs);
        self
    }

    /// The corruption that the case has.
    pub fn damage(mut self, damage: Damage) -> Draft {
        self.case.damage = Some(damage);
        self
    }

    /// A reading that is accepted; the expected entries refer to it by name. Our reader has the first one.
    pub fn reading(mut self, name: &'static str, why: &'static str) -> Draft {
        self.case.readings.push(Reading { name, why });
        self
    }

    /// Puts `.text` elsewhere. For use before any frame section.
    pub fn text(mut self, address: u64, size: u64) -> Draft {
        self.elf.sections[0] = ElfSection::text(Address(address), size as usize);
        self.bases.text = Some(Address(address));
        self
    }

    /// Adds `.got`, from which datarel pointers count. For use before any frame section.
    pub fn got(self) -> Draft {
        let mut draft = self.extra(ElfSection::got(Address(GOT), 16));
        draft.bases.data = Some(Address(GOT));
        draft
    }

    /// Adds `.got` whose slots hold addresses in `.text`, for indirect pointers: each slot is as far into
    /// `.got` as its address into `.text`. For use before any frame section.
    pub fn slots(self, offsets: &[u64]) -> Draft {
        let target = self.case.target;
        let width = usize::from(target.class.address_size());
        let text = self.bases.text.map_or(0, |text| text.0);
        let size = offsets.iter().max().map_or(0, |last| *last as usize + width);
        let mut data = Writer::new(target.endianness);
        data.bytes(&vec![0; size]);
        for &offset in offsets {
            data.patch(offset as usize, text + offset, width);
        }
        let got = ElfSection { data: data.into_bytes(), ..ElfSection::got(Address(GOT), 0) };
        let mut draft = self.extra(got);
        draft.bases.data = Some(Address(GOT));
        draft
    }

    /// Adds a section that is no call frame information.
    pub fn extra(mut self, section: ElfSection) -> Draft {
        self.elf.sections.push(section);
        self
    }

    /// Adds `.eh_frame` at the usual address.
    pub fn eh_frame(self, records: Vec<Record>) -> Draft {
        let spec = self.spec(SectionKind::EhFrame, records);
        self.frame(spec)
    }

    /// Adds `.debug_frame`.
    pub fn debug_frame(self, records: Vec<Record>) -> Draft {
        let spec = self.spec(SectionKind::DebugFrame, records);
        self.frame(spec)
    }

    /// A section of these records with the usual address and bases, for [`Draft::frame`].
    pub fn spec(&self, kind: SectionKind, records: Vec<Record>) -> SectionSpec {
        let placed = kind != SectionKind::DebugFrame && !self.case.target.relocatable;
        let address = Address(if placed { FRAME } else { 0 });
        SectionSpec { kind, target: self.case.target, address, bases: self.bases, wide_ids: false, records }
    }

    /// Adds a frame section as described.
    pub fn frame(self, spec: SectionSpec) -> Draft {
        self.frame_as(spec, |_| {})
    }

    /// Adds a frame section as described in an ELF section that `change` makes special.
    pub fn frame_as(mut self, spec: SectionSpec, change: impl FnOnce(&mut ElfSection)) -> Draft {
        let built = match spec.build() {
            Ok(built) => built,
            Err(error) => return self.fail(&error.to_string()),
        };
        let mut section = ElfSection::frame(spec.kind, spec.address, built.data);
        change(&mut section);
        self.case.sections.push(Answer {
            kind: spec.kind,
            name: section.name.clone(),
            index: self.next_index(),
            address: section.address,
            file_offset: 0,
            size: 0,
            bases: spec.bases,
            compression: section.compression,
            relocated: false,
            entries: built.entries.into_iter().map(Expected::whole).collect(),
        });
        if !self.case.target.relocatable {
            self.elf.sections.push(section);
            return self;
        }
        match self.elf.push_relocated(section, &built.references) {
            Ok(()) => self.symbols(),
            Err(error) => self.fail(&error.to_string()),
        }
    }

    /// Adds a symbol for each function that the last frame section covers, unless one is there.
    pub fn symbols(mut self) -> Draft {
        let entries = self.case.sections.last().map_or(&[][..], |section| &section.entries);
        for expected in entries {
            let EntryKind::Fde(fde) = &expected.entry.kind else { continue };
            let (start, size) = (fde.initial_location.0, fde.address_range);
            let holds = |section: &ElfSection| section.is_code() && section.holds(start, size);
            let Some(index) = self.elf.sections.iter().position(holds) else { continue };
            let there = |symbol: &Symbol| symbol.kind == SymbolKind::Function && symbol.value == start;
            if size > 0 && !self.elf.symbols.iter().any(there) {
                let name = format!("function_{start:x}");
                self.elf.symbols.push(Symbol::function(&name, index, start, size));
            }
        }
        self
    }

    /// Adds `.eh_frame_hdr`.
    pub fn header(mut self, spec: HeaderSpec) -> Draft {
        let data = match spec.build(self.case.target) {
            Ok(data) => data,
            Err(error) => return self.fail(&error.to_string()),
        };
        let index = self.next_index();
        self.elf.sections.push(ElfSection::frame(SectionKind::EhFrameHdr, spec.address, data));
        self.case.header = Some(HeaderAnswer::whole(spec, index));
        self
    }

    /// A `.eh_frame_hdr` as linkers write it, whose table has an entry for each FDE of the last frame
    /// section.
    pub fn matching_header(&self) -> HeaderSpec {
        let last = self.case.sections.last();
        let frame = last.map_or(Address(FRAME), |section| section.address);
        let entries = last.map_or(&[][..], |section| &section.entries);
        HeaderSpec::matching(Address(HEADER), frame, entries.iter().map(|expected| &expected.entry))
    }

    /// Changes what is expected of `.eh_frame_hdr`.
    pub fn header_answer(mut self, change: impl FnOnce(HeaderAnswer) -> HeaderAnswer) -> Draft {
        match self.case.header.take() {
            Some(header) => self.case.header = Some(change(header)),
            None => return self.fail("no header to change"),
        }
        self
    }

    /// Changes what is expected of the last frame section's entry with this index.
    pub fn entry(mut self, index: usize, change: impl FnOnce(Expected) -> Expected) -> Draft {
        match self.case.sections.last_mut().and_then(|section| section.entries.get_mut(index)) {
            Some(expected) => *expected = change(expected.clone()),
            None => return self.fail(&format!("no entry {index} to change")),
        }
        self
    }

    /// Changes what is expected of the last frame section.
    pub fn answer(mut self, change: impl FnOnce(&mut Vec<Expected>)) -> Draft {
        match self.case.sections.last_mut() {
            Some(section) => change(&mut section.entries),
            None => return self.fail("no section to change"),
        }
        self
    }

    /// Accepts, beside the reading in full, that a reader refuses the CIEs and FDEs of the last frame section. It has
    /// to tell that they are there all the same.
    pub fn or_refused(self, why_read: &'static str, why_refused: &'static str) -> Draft {
        self.or_refused_where(|_| true, why_read, why_refused)
    }

    /// The same for some entries, by their index.
    pub fn or_refused_where(
        self,
        is_refused: impl Fn(usize) -> bool,
        why_read: &'static str,
        why_refused: &'static str,
    ) -> Draft {
        const READ: &str = "read";
        const REFUSED: &str = "refused";
        self.reading(READ, why_read).reading(REFUSED, why_refused).answer(|entries| {
            let both = |(index, expected): (usize, Expected)| {
                let field = match expected.entry.kind {
                    _ if !is_refused(index) => return vec![expected],
                    EntryKind::Cie(_) => "address_size",
                    EntryKind::Fde(_) => "initial_location",
                    EntryKind::Terminator | EntryKind::Unreadable => return vec![expected],
                };
                let refused = expected.clone().free_from(field).free(&["faults"]).reading(REFUSED);
                vec![expected.reading(READ), refused]
            };
            *entries = std::mem::take(entries).into_iter().enumerate().flat_map(both).collect();
        })
    }

    /// Adds what rows of the last frame section give for known registers.
    pub fn frames(mut self, frames: impl IntoIterator<Item = FrameAnswer>) -> Draft {
        self.case.frames.extend(frames);
        self
    }

    /// Changes the file, for what the other methods do not do.
    pub fn elf(mut self, change: impl FnOnce(&mut ElfSpec)) -> Draft {
        change(&mut self.elf);
        self
    }

    /// Writes the file.
    pub fn finish(mut self) -> Result<Case, SuiteError> {
        if self.error.is_none() {
            match self.elf.build() {
                Ok(file) => self.case.file = file,
                Err(error) => self.error = Some(error.to_string()),
            }
        }
        if let Some(cause) = self.error {
            return Err(SuiteError { case: self.case.name, cause });
        }
        self.case.target = self.elf.target;
        let ranges = self.elf.file_ranges();
        let place = |index: &mut u32| {
            let range = &ranges[*index as usize - 1];
            if !self.elf.section_headers {
                *index = 0;
            }
            (range.start, range.end - range.start)
        };
        for section in &mut self.case.sections {
            section.relocated = !self.elf.sections[section.index as usize - 1].relocations.is_empty();
            (section.file_offset, section.size) = place(&mut section.index);
        }
        if let Some(header) = &mut self.case.header {
            (header.file_offset, header.size) = place(&mut header.index);
        }
        Ok(self.case)
    }

    /// The index in the section header table of the section that is added next. The null section has zero.
    fn next_index(&self) -> u32 {
        self.elf.sections.len() as u32 + 1
    }

    fn fail(mut self, cause: &str) -> Draft {
        self.error.get_or_insert_with(|| cause.to_owned());
        self
    }
}
