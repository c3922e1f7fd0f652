//! FDEs against symbols: an FDE for each function and a function for each FDE.

use std::ops::Range;

use cfidiff_model::Invariant;

use super::Subject;
use super::findings::Findings;
use crate::image::{Symbol, Symbols};

/// How many symbols before an address are looked at for one that reaches over it. Symbols seldom nest.
const LOOK_BACK: usize = 8;

/// Tells of FDEs that start where no function does. Without `.symtab` most functions have no symbol, so nothing is
/// told.
pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) {
    let symbols = &subject.layout.symbols;
    if !symbols.are_complete {
        return;
    }
    for table in &subject.tables {
        for fde in table.fdes.iter().filter(|fde| fde.is_live()) {
            let Some(code) = fde.code else { continue };
            let here = fde.start..fde.start.saturating_add(1);
            if functions_in(symbols, code, &here).next().is_some() {
                continue;
            }
            let (key, found) = match reaching_into(symbols, code, fde.start) {
                Some(function) => (Invariant::FunctionOneFde, format!("inside {}", symbols.name(&function))),
                None => (Invariant::FdeSymbol, "in no function that has a symbol".to_owned()),
            };
            findings.add(key, &table.section.name, fde.offset.into(), fde.start, || {
                format!("the FDE of {:#x}..{:#x} starts {found}", fde.start, fde.end())
            });
        }
    }
}

/// The symbols that start in a range of a section.
pub(super) fn symbols_in<'s>(symbols: &'s Symbols, section: u32, range: &Range<u64>) -> &'s [Symbol] {
    let list = &symbols.list;
    let first = list.partition_point(|symbol| (symbol.section, symbol.address) < (section, range.start));
    let last = list.partition_point(|symbol| (symbol.section, symbol.address) < (section, range.end));
    list.get(first..last).unwrap_or_default()
}

/// The functions that start in a range of a section.
pub(super) fn functions_in<'s>(
    symbols: &'s Symbols,
    section: u32,
    range: &Range<u64>,
) -> impl Iterator<Item = &'s Symbol> + Clone + use<'s> {
    symbols_in(symbols, section, range).iter().filter(|symbol| symbol.is_function)
}

/// A function that starts before an address and reaches over it.
pub(super) fn reaching_into(symbols: &Symbols, section: u32, address: u64) -> Option<Symbol> {
    let list = &symbols.list;
    let after = list.partition_point(|symbol| (symbol.section, symbol.address) < (section, address));
    let before = list[..after].iter().rev().take(LOOK_BACK);
    let mut before = before.take_while(|symbol| symbol.section == section);
    before.find(|symbol| symbol.is_function && address - symbol.address < symbol.size).copied()
}
