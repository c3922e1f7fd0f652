//! What lies where no FDE covers anything: padding, linker-made code, start-up code, data, or a function that a stack
//! cannot be unwound through.

use std::ops::Range;

use cfidiff_model::Invariant;

use super::Subject;
use super::code::CodeRange;
use super::findings::Findings;
use super::padding::is_padding;
use super::symbols::{functions_in, reaching_into, symbols_in};
use crate::image::{SectionPlace, Symbol};

/// Functions of the start-up files (GCC's crtstuff.c, glibc's csu), which are made without call frame information: no
/// exception passes through them, and they call nothing that unwinds.
const STARTUP: [&str; 12] = [
    "_init",
    "_fini",
    "_start",
    "__start",
    "deregister_tm_clones",
    "register_tm_clones",
    "__do_global_dtors_aux",
    "__do_global_ctors_aux",
    "frame_dummy",
    "call_weak_fn",
    "call_gmon_start",
    "_dl_relocate_static_pie",
];

/// Names that start so are of linkage tables.
const LINKAGE: [&str; 5] = [".plt", ".iplt", ".MIPS.stubs", ".glink", ".stub"];

/// Sections of start-up code.
const STARTUP_SECTIONS: [&str; 2] = [".init", ".fini"];

/// One stretch of an executable section without call frame information.
struct Gap<'g> {
    section: &'g SectionPlace,
    index: u32,
    range: Range<u64>,
    /// The bytes; `None` when the file does not hold them.
    bytes: Option<&'g [u8]>,
}

/// Tells of every stretch without call frame information what lies there.
pub(super) fn classify(subject: &Subject<'_>, findings: &mut Findings) {
    let mut covered: Vec<(u32, u64, u64)> = subject
        .tables
        .iter()
        .flat_map(|table| table.fdes.iter().filter(|fde| fde.is_live()))
        .filter_map(|fde| Some((fde.code?, fde.start, fde.end())))
        .collect();
    covered.sort_unstable();
    for range in subject.code.ranges() {
        let Some(section) = subject.layout.sections.get(range.index as usize) else { continue };
        let first = covered.partition_point(|(index, ..)| *index < range.index);
        let inside = covered[first..].partition_point(|(index, ..)| *index == range.index);
        let covered = &covered[first..first + inside];
        for gap in gaps(range, covered) {
            let bytes = section.contents.as_ref().and_then(|contents| {
                contents.get((gap.start - range.start) as usize..(gap.end - range.start) as usize)
            });
            let gap = Gap { section, index: range.index, range: gap, bytes };
            match covered.is_empty() {
                true => whole_section(subject, &gap, findings),
                false => stretch(subject, &gap, findings),
            }
        }
    }
}

/// The stretches of a range that are not covered. What covers it is sorted and may overlap.
fn gaps(range: &CodeRange, covered: &[(u32, u64, u64)]) -> Vec<Range<u64>> {
    let (mut at, end) = (range.start, range.start.saturating_add(range.size));
    let mut gaps = Vec::new();
    for &(_, start, stop) in covered {
        if start > at {
            gaps.push(at..start.min(end));
        }
        at = at.max(stop);
    }
    if at < end {
        gaps.push(at..end);
    }
    gaps
}

/// A section without any FDE: `section.without-cfi` when it holds functions.
fn whole_section(subject: &Subject<'_>, gap: &Gap<'_>, findings: &mut Findings) {
    let name = &gap.section.name;
    if is_linkage(name) {
        gap.add(Invariant::GapPlt, findings, String::new);
    } else if STARTUP_SECTIONS.contains(&name.as_str()) {
        gap.add(Invariant::GapStartup, findings, String::new);
    } else if gap.is_padding(subject) {
        gap.add(Invariant::GapPadding, findings, String::new);
    } else {
        let functions = own_functions(subject, gap);
        match functions.first() {
            Some(first) => gap.add(Invariant::SectionCovered, findings, || {
                let first = subject.layout.symbols.name(first);
                format!("{name} has no FDE and {} functions, the first is {first}", functions.len())
            }),
            None => gap.add(Invariant::GapUnnamed, findings, || format!("the whole of {name}")),
        }
    }
}

/// A stretch between FDEs, or between one and the section's start or end.
fn stretch(subject: &Subject<'_>, gap: &Gap<'_>, findings: &mut Findings) {
    let symbols = &subject.layout.symbols;
    let functions = functions_in(symbols, gap.index, &gap.range);
    if is_linkage(&gap.section.name) {
        gap.add(Invariant::GapPlt, findings, String::new);
    } else if functions.clone().next().is_none() && gap.is_padding(subject) {
        gap.add(Invariant::GapPadding, findings, String::new);
    } else if functions.clone().next().is_some() {
        let own = own_functions(subject, gap);
        for function in &own {
            uncovered_function(subject, gap, function, findings);
        }
        if own.is_empty() {
            gap.add(Invariant::GapStartup, findings, || "start-up code".to_owned());
        }
    } else if let Some(function) = reaching_into(symbols, gap.index, gap.range.start) {
        gap.add(Invariant::FunctionWhole, findings, || {
            format!("the FDE of {} ends before the function", symbols.name(&function))
        });
    } else if let Some(data) = symbols_in(symbols, gap.index, &gap.range).iter().find(|s| !s.is_function) {
        gap.add(Invariant::GapData, findings, || symbols.name(data).into_owned());
    } else {
        gap.add(Invariant::GapUnnamed, findings, String::new);
    }
}

/// `function.without-fde`.
fn uncovered_function(subject: &Subject<'_>, gap: &Gap<'_>, function: &Symbol, findings: &mut Findings) {
    let offset = function.address - gap.range.start + gap.offset();
    findings.add(Invariant::FunctionCovered, &gap.section.name, offset, function.address, || {
        let (name, address) = (subject.layout.symbols.name(function), function.address);
        let uncovered = gap.range.end - address;
        if function.size > uncovered {
            format!(
                "no FDE covers the first {uncovered:#x} bytes of {name} at {address:#x}, {:#x} bytes",
                function.size
            )
        } else {
            format!("no FDE covers {name} at {address:#x}, {:#x} bytes", function.size)
        }
    });
}

/// The functions that start in a gap and are none of the start-up files, one for each address.
fn own_functions(subject: &Subject<'_>, gap: &Gap<'_>) -> Vec<Symbol> {
    let symbols = &subject.layout.symbols;
    let mut own: Vec<Symbol> = Vec::new();
    for symbol in functions_in(symbols, gap.index, &gap.range) {
        if own.last().is_none_or(|last| last.address != symbol.address)
            && !STARTUP.contains(&&*symbols.name(symbol))
        {
            own.push(*symbol);
        }
    }
    own
}

fn is_linkage(section: &str) -> bool {
    LINKAGE.iter().any(|name| section.starts_with(name))
}

impl Gap<'_> {
    /// Where it starts, from its section's start.
    fn offset(&self) -> u64 {
        self.range.start.wrapping_sub(self.section.address)
    }

    fn is_padding(&self, subject: &Subject<'_>) -> bool {
        self.bytes.is_some_and(|bytes| is_padding(bytes, &subject.case.target))
    }

    fn add(&self, key: Invariant, findings: &mut Findings, more: impl FnOnce() -> String) {
        let Range { start, end } = self.range;
        findings.add(key, &self.section.name, self.offset(), start, || {
            let more = more();
            let colon = if more.is_empty() { "" } else { ": " };
            format!("no FDE covers {start:#x}..{end:#x}{colon}{more}")
        });
    }
}
