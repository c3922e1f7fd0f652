//! The sum of a run: what was compared, how it ended, what explains the rest.

use std::collections::BTreeMap;

use cfidiff_model::{Finding, Verdict};
use cfidiff_oracles::{Missing, Oracle};

use crate::campaign::{Exit, FileReport, Plan};
use crate::compare::{Counts, ReaderTally};

/// Everything that a run adds up to.
#[derive(Debug, Default)]
pub struct Summary {
    /// What our reader found: files are those that were read.
    pub ours: Counts,
    /// How many files were passed over: no ELF files, or met before under another name.
    pub skipped: u64,
    /// How many named inputs could not be read.
    pub unreadable: u64,
    /// Each reader with what became of it.
    pub readers: Vec<ReaderSummary>,
    /// Readers that could not be had, with whether they were asked for by name.
    pub missing: Vec<(Missing, bool)>,
    /// How many findings nothing explains.
    pub unexplained: u64,
    /// How many times an oracle broke.
    pub broken: u64,
    /// What explains findings, with how many and where first.
    pub explained: BTreeMap<(Verdict, String), Explained>,
}

/// One reader in the sum.
#[derive(Clone, Debug, Default)]
pub struct ReaderSummary {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What became of it.
    pub tally: ReaderTally,
}

/// Findings with one reason.
#[derive(Clone, Debug, Default)]
pub struct Explained {
    /// How many findings.
    pub count: u64,
    /// The readers concerned.
    pub readers: Vec<String>,
    /// The first place: file, section and offset.
    pub first: String,
    /// The reason as given there.
    pub reason: String,
}

impl Summary {
    /// An empty sum for these readers.
    pub fn new(plan: &Plan, readers: &[Box<dyn Oracle>], missing: Vec<(Missing, bool)>) -> Summary {
        let readers = readers.iter().map(|oracle| ReaderSummary {
            name: oracle.name().to_owned(),
            version: oracle.version().to_owned(),
            tally: ReaderTally::default(),
        });
        Summary {
            skipped: plan.skipped,
            unreadable: plan.unreadable.len() as u64,
            readers: readers.collect(),
            missing,
            ..Summary::default()
        }
    }

    /// Adds a file.
    pub fn add(&mut self, report: &FileReport) {
        if report.error.is_some() {
            self.unreadable += 1;
            return;
        }
        self.ours.files += 1;
        for case in &report.cases {
            self.ours.add(&Counts { files: 0, ..case.ours });
            for (reader, tally) in self.readers.iter_mut().zip(&case.readers) {
                reader.tally.compared.add(&tally.compared);
                reader.tally.records.add(&tally.records);
                reader.tally.unsupported += tally.unsupported;
            }
        }
        report.findings.iter().for_each(|finding| self.add_finding(finding));
        for ((_, verdict, cause), count) in &report.unlisted {
            self.count(*verdict, *count);
            if let Some(explained) = self.explained.get_mut(&(*verdict, cause.clone())) {
                explained.count += count;
            }
        }
    }

    fn count(&mut self, verdict: Verdict, count: u64) {
        match verdict {
            Verdict::Differ => self.unexplained += count,
            Verdict::OracleFailed => self.broken += count,
            Verdict::Agree | Verdict::Open | Verdict::KnownFault => {}
        }
    }

    fn add_finding(&mut self, finding: &Finding) {
        self.count(finding.verdict, 1);
        if !matches!(finding.verdict, Verdict::Open | Verdict::KnownFault) {
            return;
        }
        let explained =
            self.explained.entry((finding.verdict, finding.cause.clone())).or_insert_with(|| Explained {
                first: format!("{} {}", finding.file, super::place(finding)),
                reason: finding.reason.clone(),
                ..Explained::default()
            });
        explained.count += 1;
        if !explained.readers.contains(&finding.reader) {
            explained.readers.push(finding.reader.clone());
        }
    }

    /// How the run ended. An unexplained difference weighs most, then a broken reader, then an input that could
    /// not be read; nothing compared is no success.
    pub fn exit(&self) -> Exit {
        let compared = |reader: &ReaderSummary| {
            reader.tally.records.agree
                + reader.tally.records.differ
                + reader.tally.records.open
                + reader.tally.records.known_fault
        };
        if self.unexplained > 0 {
            Exit::Findings
        } else if self.broken > 0 || self.missing.iter().any(|(_, asked_for)| *asked_for) {
            Exit::ReaderBroke
        } else if self.unreadable > 0 {
            Exit::Usage
        } else if self.readers.iter().all(|reader| compared(reader) == 0) {
            Exit::NothingCompared
        } else {
            Exit::Agree
        }
    }
}
