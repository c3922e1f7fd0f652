//! The sum of a run: what was compared, how it ended, what explains the rest.

use cfidiff_model::{BrokenInvariant, Severity, Verdict};
use cfidiff_oracles::{Missing, Oracle};

use crate::campaign::{Costs, Exit, FileReport, Plan};
use crate::compare::{Counts, ReaderTally};
use crate::expectations::{Problem, State};
use crate::report::{Clusters, counted};
use crate::triage::Account;

/// Everything that a run adds up to.
#[derive(Debug, Default)]
pub struct Summary {
    /// How many files were read.
    pub files: u64,
    /// What our reader found in them.
    pub ours: Counts,
    /// How many files were passed over: no ELF files, or met before under another name.
    pub skipped: u64,
    /// How many inputs could not be read at all.
    pub unreadable: u64,
    /// How many of the files that were read are broken in places.
    pub damaged: u64,
    /// How many of the files that were read have no CIE and no FDE.
    pub without_cfi: u64,
    /// How many notes there are on what was passed over.
    pub notes: u64,
    /// Each reader with what became of it.
    pub readers: Vec<ReaderSummary>,
    /// Readers that could not be had, with whether they were asked for by name.
    pub missing: Vec<(Missing, bool)>,
    /// What the run cost; to be set when it is over.
    pub costs: Costs,
    /// How many invariants are broken whose breaking is an error, by case and section.
    pub invariant_errors: u64,
    /// How many findings nothing explains.
    pub unexplained: u64,
    /// How many times an oracle broke.
    pub broken: u64,
    /// The findings, put together.
    pub clusters: Clusters,
    /// What explains the differences of readers that nothing explained, as far as that was looked for.
    pub triages: Vec<Account>,
    /// The entries of the user's list of expected findings that are not in order.
    pub expectations: Vec<Problem>,
    /// Whether such an entry, or a file that is wrong by itself, makes the run fail.
    pub strict: bool,
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

impl Summary {
    /// An empty sum for these readers.
    pub fn new(plan: &Plan, readers: &[Box<dyn Oracle>], missing: Vec<(Missing, bool)>) -> Summary {
        let tools =
            readers.iter().map(|oracle| (oracle.name().to_owned(), oracle.tool().to_owned())).collect();
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
            clusters: Clusters::new(tools),
            ..Summary::default()
        }
    }

    /// Adds a file.
    pub fn add(&mut self, report: &FileReport) {
        if report.error.is_some() {
            self.unreadable += 1;
            return;
        }
        self.damaged += u64::from(!report.damage.is_empty());
        self.files += 1;
        self.without_cfi += u64::from(report.has_no_cfi());
        self.notes += report.notes.len() as u64;
        for case in &report.cases {
            self.ours.add(&case.ours);
            for (reader, tally) in self.readers.iter_mut().zip(&case.readers) {
                reader.tally.compared.add(&tally.compared);
                reader.tally.records.add(&tally.records);
                reader.tally.unsupported += tally.unsupported;
            }
        }
        let is_error = |broken: &&BrokenInvariant| broken.severity == Severity::Error;
        self.invariant_errors += report.invariants.iter().filter(is_error).count() as u64;
        report.findings.iter().for_each(|finding| self.count(finding.verdict, 1));
        report.unlisted.iter().for_each(|((_, likeness), count)| self.count(likeness.verdict, *count));
        self.clusters.add(report);
    }

    fn count(&mut self, verdict: Verdict, count: u64) {
        match verdict {
            Verdict::Differ => self.unexplained += count,
            Verdict::OracleFailed => self.broken += count,
            Verdict::Agree | Verdict::Open | Verdict::KnownFault => {}
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
        let is_out_of_order = self.invariant_errors > 0 || !self.expectations.is_empty();
        if self.unexplained > 0 || self.strict && is_out_of_order {
            Exit::Findings
        } else if self.broken > 0 || self.missing.iter().any(|(_, asked_for)| *asked_for) {
            Exit::ReaderBroke
        } else if self.unreadable + self.damaged > 0 {
            Exit::Usage
        } else if self.readers.iter().all(|reader| compared(reader) == 0) {
            Exit::NothingCompared
        } else {
            Exit::Agree
        }
    }

    /// The last line: what the exit code says, and why.
    pub fn conclusion(&self) -> String {
        let exit = self.exit();
        let mut troubles = Vec::new();
        for state in [State::Stale, State::Needless, State::Unreasoned] {
            let count = self.expectations.iter().filter(|problem| problem.state == state).count();
            if self.strict && count > 0 {
                troubles.push(counted(count as u64, &format!("{} expectation", state.name())));
            }
        }
        for reader in self.readers.iter().filter(|reader| reader.tally.records.failed > 0) {
            troubles.push(format!(
                "{} broke on {}",
                reader.name,
                counted(reader.tally.records.failed, "record")
            ));
        }
        for (missing, _) in self.missing.iter().filter(|(_, asked_for)| *asked_for) {
            // A reader of the user's has no command to install it.
            let what = if missing.install.is_empty() { "cannot be asked" } else { "is missing" };
            troubles.push(format!("{} was asked for and {what}", missing.name));
        }
        if self.unreadable > 0 {
            troubles.push(format!("{} cannot be read", counted(self.unreadable, "input")));
        }
        if self.damaged > 0 {
            troubles.push(format!("{} read in part only", counted(self.damaged, "damaged input")));
        }
        if self.invariant_errors > 0 {
            troubles.push(counted(self.invariant_errors, "broken invariant"));
        }
        if troubles.is_empty() && matches!(exit, Exit::ReaderBroke) {
            troubles.push("a reader broke".to_owned());
        }
        let mut words = match exit {
            Exit::NothingCompared => exit.meaning().to_owned(),
            Exit::Agree => format!("0 unexplained differences: {}", exit.meaning()),
            _ => counted(self.unexplained, "unexplained difference"),
        };
        if !troubles.is_empty() {
            words = format!("{words}; {}", troubles.join("; "));
        }
        format!("{words} (exit {})", exit.code())
    }
}
