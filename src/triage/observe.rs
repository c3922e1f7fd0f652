//! Asking a reader: its differences from ours, with what it says at each.

use std::collections::BTreeSet;

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{Case, Outcome, Verdict};
use cfidiff_oracles::Oracle;

use crate::compare::{Comparator, Judge, SectionAnswer, failure, look_up};
use crate::triage::account::Effort;
use crate::triage::answers::{Part, Place, Said};
use crate::triage::deadline::Deadline;
use crate::triage::observed::{Observed, Pass};

/// How many cases a reader is asked about at once, at most, when time is short.
const AT_ONCE: usize = 16;
/// How many ways to break are told apart.
const MAX_BREAKS: usize = 64;

/// Which differences of a reader are to be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Differing {
    /// Also those for which a fault of the tool is listed, since it is for the triage to find that fault; and records
    /// behind which a reader falls silent.
    All,
    /// Only those that nothing explains yet.
    Unexplained,
}

impl Differing {
    fn has(self, verdict: Verdict, is_silence: bool) -> bool {
        match verdict {
            Verdict::Differ => true,
            Verdict::KnownFault => self == Differing::All,
            Verdict::OracleFailed => self == Differing::All && is_silence,
            Verdict::Agree | Verdict::Open => false,
        }
    }
}

/// Asks a reader about the cases, until the time is over. Differences that nobody can judge are set aside, and those
/// that are not asked for. Of each section no more differing records are kept than the effort has places.
pub fn observe(
    oracle: &dyn Oracle,
    inputs: &[Case],
    judge: &Judge,
    effort: Effort,
    deadline: &Deadline,
) -> Observed {
    let passes = if oracle.looks_up() { 1 } else { oracle.passes().len() };
    let mut observed = Observed {
        passes: (0..passes).map(|_| Pass { looks_up: oracle.looks_up(), ..Pass::default() }).collect(),
        ..Observed::default()
    };
    // Of a slow reader's time no more is spent than for one case before the clock is looked at.
    let mut at_once = if deadline.is_set() { 1 } else { inputs.len() };
    while observed.asked < inputs.len() && !deadline.is_over() {
        let first = observed.asked;
        let cases = &inputs[first..inputs.len().min(first + at_once)];
        for pass in 0..passes {
            let mut comparator = Comparator::new(cases, judge, oracle, 0).keeping(effort.places);
            if oracle.looks_up() {
                look_up(oracle, cases, &mut comparator);
            } else {
                oracle.read(pass, cases, &mut comparator);
            }
            for (index, answer) in comparator.finish().into_iter().enumerate() {
                for section in answer.sections {
                    observed.add(pass, &cases[index], first + index, section, effort.differing);
                }
            }
        }
        observed.asked += cases.len();
        at_once = (2 * at_once).min(AT_ONCE);
    }
    for pass in &mut observed.passes {
        pass.wrong.sort_by_key(|(place, _)| *place);
        pass.wrong.dedup_by_key(|(place, _)| *place);
    }
    observed
}

impl Observed {
    fn add(&mut self, pass: usize, input: &Case, case: usize, answer: SectionAnswer, differing: Differing) {
        let Some(section) = input.sections.get(answer.section) else { return };
        let place = |at| Place { case: case as u32, part: Part::Section(answer.section as u32), at };
        let table = Table::new(Reader::new(section, input.target));
        let has_given = answer.compared.cies + answer.compared.fdes > 0;
        let is_silence = has_given && answer.outcome == Some(Outcome::Answered);
        self.count_break(place(0), &answer, is_silence);
        let is_wrong = |verdict| differing.has(verdict, is_silence);
        let pass = &mut self.passes[pass];
        pass.of_section.insert((place(0).case, place(0).part), answer.says);
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
        // Behind the place where a reader gave up nothing tells what it would have said.
        let gave_up = matches!(answer.outcome, Some(Outcome::Failed(_)));
        let is_given = |(record, verdict): (usize, &Option<Verdict>)| {
            let is_kept = || table.offset(record).is_some_and(|offset| kept.contains(&offset.0));
            *verdict == Some(Verdict::Agree) || is_kept()
        };
        let given = answer.verdicts.iter().enumerate().rposition(is_given).map_or(0, |last| last + 1);
        for (record, verdict) in answer.verdicts.iter().enumerate() {
            let Some(offset) = table.offset(record) else { continue };
            match verdict {
                Some(Verdict::Agree) => {}
                Some(verdict) if kept.contains(&offset.0) && is_wrong(*verdict) => {}
                Some(verdict) if is_wrong(*verdict) && !answer.truncated && !(gave_up && record >= given) => {
                    pass.wrong.push((place(offset.0), Said::Nothing));
                }
                verdict => {
                    pass.left_out += usize::from(answer.truncated && verdict.is_some_and(is_wrong));
                    pass.open.insert(place(offset.0));
                }
            }
        }
    }

    /// Counts a section at which the reader broke, by its words.
    fn count_break(&mut self, section: Place, answer: &SectionAnswer, is_silence: bool) {
        let words = match &answer.outcome {
            Some(Outcome::Failed(words)) if answer.is_unread => failure(words),
            Some(Outcome::Answered) if answer.is_unread && !is_silence => {
                "no answer, no complaint".to_owned()
            }
            _ => return,
        };
        let is_one_more = !self.breaks.contains_key(&words) && self.breaks.len() >= MAX_BREAKS;
        let words = if is_one_more { "other words".to_owned() } else { words };
        let broke = self.breaks.entry(words).or_default();
        if broke.sections.insert((section.case, section.part)) {
            let is_unread = |verdict: &&Option<Verdict>| **verdict == Some(Verdict::OracleFailed);
            broke.unexplained += answer.verdicts.iter().filter(is_unread).count();
        }
    }
}
