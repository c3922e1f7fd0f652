//! JSON Lines: one object for each finding, and the summary last. `schema.json` beside this file describes them.

use std::io::{self, Write};

use cfidiff_model::{BrokenInvariant, Finding, Verdict};
use serde::Serialize;

use crate::campaign::{FileReport, Unreadable};
use crate::compare::Counts;
use crate::report::{Report, Summary};

/// Writes JSON Lines.
pub struct JsonLines<W: Write> {
    out: W,
}

impl<W: Write> JsonLines<W> {
    /// A report into `out`.
    pub fn new(out: W) -> JsonLines<W> {
        JsonLines { out }
    }

    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.write_all(b"\n")
    }
}

/// One line. The names are a contract.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Finding(&'a Finding),
    Invariant(&'a BrokenInvariant),
    Unlisted { file: String, reader: &'a str, verdict: Verdict, cause: &'a str, count: u64 },
    Unreadable { file: String, why: &'a str },
    Damaged { file: String, why: &'a str },
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
}

#[derive(Serialize)]
struct MissingLine<'a> {
    name: &'a str,
    why: &'a str,
    install: &'a str,
}

impl<W: Write> Report for JsonLines<W> {
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()> {
        self.line(&Line::Unreadable { file: unreadable.path.display().to_string(), why: &unreadable.why })
    }

    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        let file = || report.path.display().to_string();
        if let Some(error) = &report.error {
            let words = error.to_string();
            let why = words.strip_prefix(&format!("{}: ", file())).unwrap_or(&words);
            self.line(&Line::Unreadable { file: file(), why })?;
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
        for ((reader, verdict, cause), count) in &report.unlisted {
            let (verdict, count) = (*verdict, *count);
            self.line(&Line::Unlisted { file: file(), reader, verdict, cause, count })?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let readers = summary.readers.iter().map(|reader| ReaderLine {
            name: &reader.name,
            version: &reader.version,
            compared: &reader.tally.compared,
            agree: reader.tally.records.agree,
            differ: reader.tally.records.differ,
            open: reader.tally.records.open,
            known_fault: reader.tally.records.known_fault,
            failed: reader.tally.records.failed,
            unsupported: reader.tally.unsupported,
        });
        let missing = summary.missing.iter().map(|(missing, _)| MissingLine {
            name: &missing.name,
            why: &missing.why,
            install: &missing.install,
        });
        self.line(&Line::Summary(SummaryLine {
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
            readers: readers.collect(),
            missing: missing.collect(),
        }))?;
        self.out.flush()
    }
}
