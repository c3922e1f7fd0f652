//! What must hold of call frame information by itself, whoever reads it.
//!
//! What goes in is a case, its sections read by our own reader, and what stands around them in the file. What comes
//! out is one [`BrokenInvariant`] for each invariant and section, with its first places and their number. One
//! function asks for one invariant; [`Invariant`](cfidiff_model::Invariant) lists them. Only errors say that the information is wrong.
//!
//! Time is n log n in the section's size and memory linear, whatever the file holds.

mod code;
mod debug_frame;
mod findings;
mod gaps;
mod header;
mod padding;
mod ranges;
mod records;
mod row_reader;
mod rows;
mod symbols;
mod table;

use cfidiff_model::{BrokenInvariant, Case, Section, SectionKind};

use crate::image::{Layout, Surroundings};
use code::Code;
use findings::Findings;
use table::FrameTable;

/// A case with all that the invariants ask about.
struct Subject<'a> {
    case: &'a Case,
    layout: &'a Layout,
    code: Code,
    tables: Vec<FrameTable<'a>>,
}

/// What was found in a case.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// How many CIEs it has.
    pub cies: u64,
    /// How many FDEs it has.
    pub fdes: u64,
    /// What does not hold of it.
    pub findings: Vec<BrokenInvariant>,
}

/// Checks the sections of these kinds of a case against every invariant that can be told with the layout: without symbols and code, nothing is said
/// of gaps and functions. The header belongs to `.eh_frame`. Lists at most `max_places` places of one invariant and section; all are counted. In the
/// order of severity, then of [`Invariant`](cfidiff_model::Invariant), then of sections.
pub fn check(case: &Case, layout: &Layout, kinds: &[SectionKind], max_places: usize) -> Checked {
    let mut findings = Findings::new(max_places);
    let code = Code::new(layout, case.target.relocatable);
    let mut subject = Subject { case, layout, code, tables: Vec::new() };
    for (_, section) in case.frame_sections().filter(|(_, section)| kinds.contains(&section.kind)) {
        let table = table::read(&subject, section, &mut findings);
        subject.tables.push(table);
    }
    for table in &subject.tables {
        ranges::in_code(&subject, table, &mut findings);
        ranges::overlaps(&subject, table, &mut findings);
    }
    debug_frame::agrees(&subject, &mut findings);
    if kinds.contains(&SectionKind::EhFrame) {
        header::check(&subject, &mut findings);
    }
    if layout.surroundings >= Surroundings::Code && !subject.tables.iter().all(|table| table.fdes.is_empty())
    {
        gaps::classify(&subject, &mut findings);
        symbols::check(&subject, &mut findings);
    }
    let sum = |count: fn(&FrameTable<'_>) -> u64| subject.tables.iter().map(count).sum();
    let (cies, fdes) = (sum(|table| table.cie_count), sum(|table| table.fde_count));
    Checked { cies, fdes, findings: findings.finish(case) }
}

impl Subject<'_> {
    fn sections(&self, kind: SectionKind) -> impl Iterator<Item = &Section> {
        self.case.sections.iter().filter(move |section| section.kind == kind)
    }

    /// The tables of `.eh_frame`, or of `.debug_frame`.
    fn tables(&self, kind: SectionKind) -> impl Iterator<Item = &FrameTable<'_>> {
        self.tables.iter().filter(move |table| table.section.kind == kind)
    }
}
