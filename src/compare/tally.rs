//! Counts: what was compared, and how it ended.

use std::collections::HashMap;

use cfidiff_model::{Case, Verdict};
use serde::Serialize;

use crate::compare::comparator::{CaseAnswer, SectionAnswer};

/// How much there was to compare, or was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// Cases: files and archive members.
    pub cases: u64,
    /// CIEs.
    pub cies: u64,
    /// FDEs.
    pub fdes: u64,
    /// Instructions of CIEs and FDEs, padding included.
    pub instructions: u64,
    /// Rows of FDEs.
    pub rows: u64,
}

impl Counts {
    /// Adds another count.
    pub fn add(&mut self, other: &Counts) {
        self.cases += other.cases;
        self.cies += other.cies;
        self.fdes += other.fdes;
        self.instructions += other.instructions;
        self.rows += other.rows;
    }
}

/// How records ended: every record of every section that a reader was asked about is in one of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Records {
    /// Nothing differs.
    pub agree: u64,
    /// Something differs, and nothing explains it.
    pub differ: u64,
    /// Something differs that the specifications leave open.
    pub open: u64,
    /// Something differs for a listed fault of the reader.
    pub known_fault: u64,
    /// The reader broke before or at it.
    pub failed: u64,
}

impl Records {
    /// Counts `count` records with this verdict.
    pub fn count(&mut self, verdict: Verdict, count: u64) {
        *match verdict {
            Verdict::Agree => &mut self.agree,
            Verdict::Differ => &mut self.differ,
            Verdict::Open => &mut self.open,
            Verdict::KnownFault => &mut self.known_fault,
            Verdict::OracleFailed => &mut self.failed,
        } += count;
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Records) {
        self.agree += other.agree;
        self.differ += other.differ;
        self.open += other.open;
        self.known_fault += other.known_fault;
        self.failed += other.failed;
    }

    /// How many records ended in any way.
    pub fn total(&self) -> u64 {
        self.agree + self.differ + self.open + self.known_fault + self.failed
    }
}

/// What became of one reader over all cases.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReaderTally {
    /// What was compared with it.
    pub compared: Counts,
    /// How the records ended.
    pub records: Records,
    /// Cases that it cannot be asked about, such as bytes without a file for a tool that reads files.
    pub unsupported: u64,
}

/// Adds up the passes of one reader over one case: a record counts once, with the worst verdict of any pass.
pub fn tally(case: &Case, passes: &[CaseAnswer]) -> ReaderTally {
    let mut tally = ReaderTally::default();
    if passes.iter().all(|pass| pass.unsupported.is_some() && pass.sections.is_empty()) {
        tally.unsupported = 1;
        return tally;
    }
    tally.compared.cases = 1;
    let by_section = by_section(passes);
    for answers in case.frame_sections().filter_map(|(section, _)| by_section.get(&section)) {
        // Passes of one reader give the same records; what each adds to them is counted where it is said.
        let most = |count: fn(&Counts) -> u64| {
            answers.iter().map(|answer| count(&answer.compared)).max().unwrap_or(0)
        };
        tally.compared.add(&Counts {
            cases: 0,
            cies: most(|counts| counts.cies),
            fdes: most(|counts| counts.fdes),
            instructions: most(|counts| counts.instructions),
            rows: most(|counts| counts.rows),
        });
        let records = answers.iter().map(|answer| answer.verdicts.len()).max().unwrap_or(0);
        for index in 0..records {
            let verdicts = answers.iter().filter_map(|answer| answer.verdicts.get(index).copied().flatten());
            if let Some(verdict) = verdicts.fold(None, |sum, verdict| Some(worse(sum, verdict))) {
                tally.records.count(verdict, 1);
            }
        }
    }
    tally
}

/// What all passes of a reader said of each section.
pub(crate) fn by_section<'a>(
    passes: impl IntoIterator<Item = &'a CaseAnswer>,
) -> HashMap<usize, Vec<&'a SectionAnswer>> {
    let mut by_section: HashMap<usize, Vec<&SectionAnswer>> = HashMap::new();
    for answer in passes.into_iter().flat_map(|pass| &pass.sections) {
        by_section.entry(answer.section).or_default().push(answer);
    }
    by_section
}

/// The verdict that weighs more: an unexplained difference most, agreement least.
pub(crate) fn worse(one: Option<Verdict>, other: Verdict) -> Verdict {
    let weight = |verdict: Verdict| match verdict {
        Verdict::Agree => 0,
        Verdict::Open => 1,
        Verdict::KnownFault => 2,
        Verdict::OracleFailed => 3,
        Verdict::Differ => 4,
    };
    match one {
        Some(one) if weight(one) >= weight(other) => one,
        _ => other,
    }
}
