//! The file that the stacks are of: its functions by address, as its FDEs give them.

use std::path::Path;

use cfidiff_cfi::{Reader, Semantics as _, Standard, Table};
use cfidiff_model::{Address, Case, Entry, EntryKind, Says, SectionKind, SectionOffset, Target};

use crate::image::{self, Layout, OpenError, SegmentKind, Surroundings};

/// One function, or one part of a function: what an FDE covers.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, where a symbol tells it.
    pub name: Option<String>,
    /// Its first link-time address.
    pub start: u64,
    /// How many bytes it has.
    pub size: u64,
    /// The number of its case and of the section that its FDE is in.
    pub(super) section: (usize, usize),
    /// Where the FDE starts in its section.
    pub offset: SectionOffset,
    /// Where the initial location's field is in the section.
    pub field: u64,
    /// Where its CIE starts in the section.
    pub cie: Option<SectionOffset>,
    /// Whether its frames are signal frames (`S`).
    pub is_signal_frame: bool,
}

impl Function {
    /// Whether a link-time address is in it.
    pub fn holds(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.size
    }
}

/// Why a file is of no use for stacks.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It is not one linked image.
    #[error("{file}: {why}")]
    Unfit {
        /// The path as given.
        file: String,
        /// What it is instead.
        why: &'static str,
    },
}

/// A linked file.
pub struct Program {
    /// How reports call it.
    pub name: String,
    pub(super) cases: Vec<Case>,
    pub(super) layout: Layout,
    functions: Vec<Function>,
    /// What is added to a link-time address to get the run-time address.
    pub(super) bias: u64,
}

impl Program {
    /// Opens a file, with its separate debug file if there is one. The load base is that of the file itself.
    pub fn open(path: &Path) -> Result<Program, ProgramError> {
        let options = image::Options { surroundings: Surroundings::Code, ..image::Options::default() };
        let unfit = |why| ProgramError::Unfit { file: path.display().to_string(), why };
        let mut image = image::open(path, &options)?;
        let Some(first) = image.cases.first() else { return Err(unfit("it holds no ELF file")) };
        if first.member.is_some() {
            return Err(unfit("it is an archive; stacks are of a linked file"));
        }
        if first.target.relocatable {
            return Err(unfit(
                "it is a relocatable object, whose addresses are not settled; stacks are of a linked file",
            ));
        }
        let name = first.name.clone();
        // Which symbols are the fuller ones does not depend on where the code is.
        let fuller = image.layouts.iter().position(|layout| layout.symbols.are_complete).unwrap_or(0);
        let symbols = std::mem::take(&mut image.layouts[fuller].symbols);
        let mut layout = image.layouts.swap_remove(0);
        layout.symbols = symbols;
        let mut program = Program { name, cases: image.cases, layout, functions: Vec::new(), bias: 0 };
        program.functions = program.read_functions();
        Ok(program)
    }

    /// The functions that FDEs describe, by address. Of two FDEs for one start, that of `.eh_frame` is kept.
    fn read_functions(&self) -> Vec<Function> {
        let mut functions = Vec::new();
        for (case, input) in self.cases.iter().enumerate() {
            for (index, section) in input.frame_sections() {
                let mut table = Table::new(Reader::new(section, input.target));
                let mut entry = Entry::default();
                for record in 0..table.len() {
                    table.fill(record, Says::empty(), &mut entry);
                    let EntryKind::Fde(fde) = &entry.kind else { continue };
                    if fde.address_range == 0 || !entry.faults.is_empty() {
                        continue;
                    }
                    let selector = u64::from(fde.segment.is_some()) * 4;
                    let id = u64::from(Standard.id_width(section.kind, entry.format));
                    let field = entry.offset.0 + entry.format.length_size() + id + selector;
                    let is_signal_frame = is_signal_frame(&mut table, fde.cie);
                    functions.push(Function {
                        name: None,
                        start: fde.initial_location.0,
                        size: fde.address_range,
                        section: (case, index),
                        offset: entry.offset,
                        field,
                        cie: fde.cie,
                        is_signal_frame,
                    });
                }
            }
        }
        functions.sort_by_key(|function| (function.start, self.section_kind(function), function.section));
        functions.dedup_by_key(|function| function.start);
        for function in &mut functions {
            function.name = self.symbol(function.start);
        }
        functions
    }

    fn section_kind(&self, function: &Function) -> SectionKind {
        self.cases[function.section.0].sections[function.section.1].kind
    }

    /// How addresses are written.
    pub fn target(&self) -> &Target {
        &self.cases[0].target
    }

    /// The functions by address.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The number of the function at a link-time address.
    pub fn function_at(&self, address: u64) -> Option<usize> {
        let after = self.functions.partition_point(|function| function.start <= address);
        // FDEs seldom overlap; of those that do, the one that starts last counts.
        let before = (0..after).rev().take(4);
        before.into_iter().find(|&index| self.functions[index].holds(address))
    }

    /// The link-time address of a run-time address.
    pub fn link_time(&self, address: u64) -> u64 {
        self.cut(address.wrapping_sub(self.bias))
    }

    /// Whether a run-time address is inside what is loaded of the file.
    pub fn holds(&self, address: u64) -> bool {
        self.segment_at(self.link_time(address)).is_some()
    }

    /// Whether a link-time address is in code of the file.
    pub fn is_code(&self, address: u64) -> bool {
        self.function_at(address).is_some()
            || self.layout.code_section(address).is_some()
            || (self.layout.sections.is_empty() && self.segment_at(address) == Some(true))
    }

    /// Whether the segment at a link-time address is executable, if there is one.
    fn segment_at(&self, address: u64) -> Option<bool> {
        let loaded = self.layout.segments.iter().filter(|segment| segment.kind == SegmentKind::Load);
        let mut around = loaded.filter(|segment| address.wrapping_sub(segment.address) < segment.size);
        around.next().map(|segment| segment.is_executable)
    }

    /// The name of the section at a link-time address.
    pub fn section_at(&self, address: u64) -> Option<&str> {
        let named = self.layout.sections.iter().filter(|section| section.address > 0);
        let mut around = named.filter(|section| address.wrapping_sub(section.address) < section.size);
        around.next().map(|section| section.name.as_str())
    }

    /// The first address of the image in memory: that of its lowest segment, at the start of its page.
    pub fn first_address(&self) -> u64 {
        let loaded = self.layout.segments.iter().filter(|segment| segment.kind == SegmentKind::Load);
        loaded.map(|segment| segment.address).min().unwrap_or(0) & !0xfff
    }

    /// The run-time address of the image's first byte.
    pub fn load_base(&self) -> u64 {
        self.cut(self.first_address().wrapping_add(self.bias))
    }

    /// Places the image in memory.
    pub fn load_at(&mut self, base: u64) {
        self.bias = self.cut(base.wrapping_sub(self.first_address()));
    }

    /// The address of the section that a function's FDE is in.
    pub fn section_address(&self, function: &Function) -> Address {
        self.cases[function.section.0].sections[function.section.1].address
    }

    /// A function in words: `main (0x1203..0x124b)`.
    pub fn function_words(&self, index: Option<usize>) -> String {
        let Some(function) = index.and_then(|index| self.functions.get(index)) else {
            return "code without an FDE of this file".to_owned();
        };
        let range = format!("{:#x}..{:#x}", function.start, function.start.wrapping_add(function.size));
        match &function.name {
            Some(name) => format!("{name} ({range})"),
            None => range,
        }
    }

    /// An FDE in words: `.eh_frame+0x108`.
    pub fn record_words(&self, function: &Function) -> String {
        let section = &self.cases[function.section.0].sections[function.section.1];
        format!("{}+{}", section.name, function.offset)
    }

    /// The difference of two addresses, by the width of the target's.
    pub fn difference(&self, observed: u64, expected: u64) -> i64 {
        let shift = 64 - 8 * u32::from(self.target().class.address_size());
        ((observed.wrapping_sub(expected) << shift) as i64) >> shift
    }

    fn cut(&self, address: u64) -> u64 {
        Standard.wrap(address, self.target().class.address_size())
    }

    fn symbol(&self, address: u64) -> Option<String> {
        let symbols = &self.layout.symbols;
        let section = self.layout.code_section(address)?;
        let first =
            symbols.list.partition_point(|symbol| (symbol.section, symbol.address) < (section, address));
        let here = symbols.list[first..].iter().take_while(|symbol| symbol.address == address);
        let function = here.into_iter().find(|symbol| symbol.is_function)?;
        Some(symbols.name(function).into_owned())
    }
}

/// Whether the CIE at an offset makes signal frames.
pub(super) fn is_signal_frame<S: cfidiff_cfi::Semantics + ?Sized>(
    table: &mut Table<'_, S>,
    cie: Option<SectionOffset>,
) -> bool {
    let Some(index) = cie.and_then(|cie| table.index_of(cie)) else { return false };
    match table.record(index).map(|record| record.kind) {
        Some(cfidiff_cfi::RecordKind::Cie(place)) => table.cie(place).is_some_and(|cie| cie.signal_frame),
        _ => false,
    }
}
