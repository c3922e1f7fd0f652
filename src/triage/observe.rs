//! Asking a reader: its differences from ours, with what it says at each.

use std::collections::BTreeSet;

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{Case, Verdict};
use cfidiff_oracles::Oracle;

use crate::compare::{Comparator, Judge, SectionAnswer, look_up};
use crate::triage::answers::{Part, Place, Said};
use crate::triage::observed::{Observed, Pass};

/// How many differing records of one section are kept.
const KEPT: usize = 4096;

/// Which differences of a reader are to be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Differing {
    /// Also those for which a fault of the tool is listed: it is for the triage to find that fault.
    All,
    /// Only those that nothing explains yet.
    Unexplained,
}

impl Differing {
    fn has(self, verdict: Verdict) -> bool {
        verdict == Verdict::Differ || self == Differing::All && verdict == Verdict::KnownFault
    }
}

/// Asks a reader about all cases. Differences that nobody can judge are set aside, and those that are not asked for.
pub fn observe(oracle: &dyn Oracle, inputs: &[Case], judge: &Judge, differing: Differing) -> Observed {
    let passes = if oracle.looks_up() { 1 } else { oracle.passes().len() };
    let mut observed = Observed::default();
    for pass in 0..passes {
        let mut comparator = Comparator::new(inputs, judge, oracle, 0).keeping(KEPT);
        if oracle.looks_up() {
            look_up(oracle, inputs, &mut comparator);
        } else {
            oracle.read(pass, inputs, &mut comparator);
        }
        let mut seen = Pass::default();
        for (case, answer) in comparator.finish().into_iter().enumerate() {
            for section in answer.sections {
                add(&mut seen, &inputs[case], case, section, differing);
            }
        }
        seen.wrong.sort_by_key(|(place, _)| *place);
        seen.wrong.dedup_by_key(|(place, _)| *place);
        observed.passes.push(seen);
    }
    observed
}

fn add(pass: &mut Pass, input: &Case, case: usize, answer: SectionAnswer, differing: Differing) {
    let is_wrong = |verdict| differing.has(verdict);
    let part = Part::Section(answer.section as u32);
    let place = |at| Place { case: case as u32, part, at };
    pass.of_section.insert((case as u32, part), answer.says);
    let Some(section) = input.sections.get(answer.section) else { return };
    let table = Table::new(Reader::new(section, input.target));
    let mut kept: BTreeSet<u64> = BTreeSet::new();
    for entry in answer.kept {
        let at = entry.offset.0;
        let record = table.index_of(entry.offset);
        let verdict = record.and_then(|record| answer.verdicts.get(record).copied().flatten());
        // What is a difference and no record of ours is an extra record.
        if record.is_none() || verdict.is_some_and(is_wrong) {
            kept.insert(at);
            pass.wrong.push((place(at), Said::Entry(Box::new(entry))));
        }
    }
    for (record, verdict) in answer.verdicts.iter().enumerate() {
        let Some(offset) = table.offset(record) else { continue };
        match verdict {
            Some(Verdict::Agree) => {}
            Some(verdict) if kept.contains(&offset.0) && is_wrong(*verdict) => {}
            Some(verdict) if is_wrong(*verdict) && !answer.truncated => {
                pass.wrong.push((place(offset.0), Said::Nothing));
            }
            _ => _ = pass.open.insert(place(offset.0)),
        }
    }
}
