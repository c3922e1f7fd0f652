//! JSON: one object for each finding, and the summary last, as lines or as one list. `schema.json` beside this file
//! describes them.

use std::io::{self, Write};

use cfidiff_model::{BrokenInvariant, Finding, Key, Verdict};
use cfidiff_oracles::usage::Usage;
use serde::Serialize;
use serde_json::{Value, json};

use crate::campaign::{FileReport, Unreadable};
use crate::compare::{Counts, Likeness};
use crate::expectations::Problem;
use crate::report::{Report, Summary};
use crate::triage::Account;

/// What stands before the first object of a list.
const FIRST: &str = "[\n";

/// Writes JSON.
pub struct Json<W: Write> {
    out: W,
    /// Whether the objects are the items of one list, and not lines by themselves.
    is_list: bool,
    /// What stands before the next object.
    before: &'static str,
}

impl<W: Write> Json<W> {
    /// A report into `out` as JSON Lines.
    pub fn lines(out: W) -> Json<W> {
        Json { out, is_list: false, before: "" }
    }

    /// A report into `out` as one document: the list of what would be the lines.
    pub fn document(out: W) -> Json<W> {
        Json { out, is_list: true, before: FIRST }
    }

    /// Writes what the triage found for a reader.
    pub fn triage(&mut self, account: &Account) -> io::Result<()> {
        self.line(&Line::Triage(account))
    }

    /// Writes what is behind the last object.
    pub fn close(&mut self) -> io::Result<()> {
        if self.is_list {
            // No object, no start of the list.
            let end: &[u8] = if self.before == FIRST { b"[]\n" } else { b"\n]\n" };
            self.out.write_all(end)?;
        }
        self.out.flush()
    }

    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        self.out.write_all(self.before.as_bytes())?;
        serde_json::to_writer(&mut self.out, line)?;
        if self.is_list {
            self.before = ",\n";
            return Ok(());
        }
        self.out.write_all(b"\n")
    }
}

/// One line. The names are a contract.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Finding(&'a Finding),
    Invariant(&'a BrokenInvariant),
    Unlisted {
        file: String,
        reader: &'a str,
        verdict: Verdict,
        cause: &'a str,
        key: Key,
        pattern: &'a str,
        count: u64,
    },
    Unreadable {
        file: String,
        why: &'a str,
    },
    Damaged {
        file: String,
        why: &'a str,
    },
    Expectation {
        file: &'a str,
        line: usize,
        about: &'a str,
        state: &'a str,
    },
    Triage(&'a Account),
    Summary(SummaryLine<'a>),
}

#[derive(Serialize)]
struct SummaryLine<'a> {
    version: &'a str,
    files: u64,
    skipped: u64,
    unreadable: u64,
    damaged: u64,
    without_cfi: u64,
    cies: u64,
    fdes: u64,
    instructions: u64,
    rows: u64,
    unexplained: u64,
    invariant_errors: u64,
    exit: u8,
    own_cpu_seconds: f64,
    readers: Vec<ReaderLine<'a>>,
    missing: Vec<MissingLine<'a>>,
}

#[derive(Serialize)]
struct ReaderLine<'a> {
    name: &'a str,
    version: &'a str,
    compared: &'a Counts,
    agree: u64,
    differ: u64,
    open: u64,
    known_fault: u64,
    failed: u64,
    unsupported: u64,
    processes: u64,
    cpu_seconds: f64,
    wall_seconds: f64,
}

#[derive(Serialize)]
struct MissingLine<'a> {
    name: &'a str,
    why: &'a str,
    install: &'a str,
}

impl<'a> SummaryLine<'a> {
    fn new(summary: &'a Summary) -> SummaryLine<'a> {
        let usage = summary.costs.readers.iter().copied().chain(std::iter::repeat(Usage::default()));
        let readers = summary.readers.iter().zip(usage).map(|(reader, usage)| ReaderLine {
            name: &reader.name,
            version: &reader.version,
            compared: &reader.tally.compared,
            agree: reader.tally.records.agree,
            differ: reader.tally.records.differ,
            open: reader.tally.records.open,
            known_fault: reader.tally.records.known_fault,
            failed: reader.tally.records.failed,
            unsupported: reader.tally.unsupported,
            processes: usage.processes,
            cpu_seconds: usage.cpu.as_secs_f64(),
            wall_seconds: usage.wall.as_secs_f64(),
        });
        let missing = summary.missing.iter().map(|(missing, _)| MissingLine {
            name: &missing.name,
            why: &missing.why,
            install: &missing.install,
        });
        SummaryLine {
            version: env!("CARGO_PKG_VERSION"),
            files: summary.files,
            skipped: summary.skipped,
            unreadable: summary.unreadable,
            damaged: summary.damaged,
            without_cfi: summary.without_cfi,
            cies: summary.ours.cies,
            fdes: summary.ours.fdes,
            instructions: summary.ours.instructions,
            rows: summary.ours.rows,
            unexplained: summary.unexplained,
            invariant_errors: summary.invariant_errors,
            exit: summary.exit().code(),
            own_cpu_seconds: summary.costs.own.as_secs_f64(),
            readers: readers.collect(),
            missing: missing.collect(),
        }
    }
}

/// The sum of a run as an object, with the fields of the last line but its type.
pub(crate) fn summary_value(summary: &Summary) -> Value {
    json!(SummaryLine::new(summary))
}

impl<W: Write> Report for Json<W> {
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()> {
        self.line(&Line::Unreadable { file: unreadable.path.display().to_string(), why: &unreadable.why })
    }

    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        let file = || report.path.display().to_string();
        if let Some(why) = report.why_unreadable() {
            self.line(&Line::Unreadable { file: file(), why: &why })?;
        }
        for words in &report.damage {
            self.line(&Line::Damaged { file: file(), why: words })?;
        }
        for finding in &report.findings {
            self.line(&Line::Finding(finding))?;
        }
        for broken in &report.invariants {
            self.line(&Line::Invariant(broken))?;
        }
        for ((reader, Likeness { verdict, cause, key, pattern }), count) in &report.unlisted {
            let (verdict, key, count) = (*verdict, *key, *count);
            self.line(&Line::Unlisted { file: file(), reader, verdict, cause, key, pattern, count })?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        for Problem { file, line, about, state } in &summary.expectations {
            self.line(&Line::Expectation { file, line: *line, about, state: state.name() })?;
        }
        for account in &summary.triages {
            self.line(&Line::Triage(account))?;
        }
        self.line(&Line::Summary(SummaryLine::new(summary)))?;
        self.close()
    }
}
