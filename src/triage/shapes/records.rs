//! Shapes of whole records: some are missing, or all are wrong from one on.

use std::collections::{BTreeMap, BTreeSet};

use cfidiff_model::{EntryKind, Key, SectionOffset};

use crate::triage::answers::{Cases, Part, Place, Said};
use crate::triage::observed::Observed;
use crate::triage::shapes::{Open, Shape};

/// How many records in a row have to be wrong before it is told that all are.
const MANY: usize = 3;

/// Records that the reader does not list.
pub(super) fn missing(open: &[Open<'_>]) -> Vec<Shape> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for open in open.iter().filter(|open| *open.theirs == Said::Nothing) {
        let Said::Entry(entry) = open.ours else { continue };
        let shape = match entry.kind {
            EntryKind::Fde(_) => "missing-fdes",
            EntryKind::Cie(_) => "missing-cies",
            EntryKind::Terminator | EntryKind::Unreadable => continue,
        };
        *counts.entry(shape).or_default() += 1;
    }
    let (key, of) = (Key::EntryMissing.name(), open.len());
    counts
        .into_iter()
        .map(|(shape, count)| {
            let (noun, suspect) = match shape {
                "missing-fdes" => {
                    ("FDEs", "their CIE is not found or not understood, or the walk ends early")
                }
                _ => ("CIEs", "their augmentation or version is not understood, or the walk ends early"),
            };
            Shape { shape, key, words: format!("{noun} are missing"), suspect, count, of }
        })
        .collect()
}

/// Sections of which all FDEs are wrong from one on, and those before it are right.
pub(super) fn from_one_on(cases: &Cases, observed: &Observed, open: &[Open<'_>]) -> Option<Shape> {
    let mut by_section: BTreeMap<(usize, u32, Part), BTreeSet<u64>> = BTreeMap::new();
    for open in open {
        by_section.entry((open.pass, open.place.case, open.place.part)).or_default().insert(open.place.at);
    }
    let (mut count, mut first) = (0, None);
    for ((pass, case, part), wrong) in by_section {
        let is_asked = |at: u64| {
            let place = Place { case, part, at };
            !observed.passes[pass].open.contains(&place)
        };
        let fdes: Vec<u64> = cases.fdes(case, part).filter(|at| is_asked(*at)).collect();
        let start = fdes.iter().position(|at| wrong.contains(at));
        let Some((before, after)) = start.map(|start| fdes.split_at(start)) else { continue };
        if !before.is_empty() && after.len() >= MANY && after.iter().all(|at| wrong.contains(at)) {
            count += after.len();
            first = first.or(after.first().copied());
        }
    }
    let words = format!("all FDEs are wrong from {} on, and none before", SectionOffset(first?));
    let suspect = "the record before it, or its CIE, is read wrongly, and nothing behind it is found again";
    let key = Key::EntryKind.name();
    Some(Shape { shape: "from-one-record-on", key, words, suspect, count, of: open.len() })
}
