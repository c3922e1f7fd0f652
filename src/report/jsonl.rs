//! JSON Lines: one object for each finding, and the summary last. `schema.json` beside this file describes them.

use std::io::{self, Write};

use cfidiff_model::Finding;
use serde::Serialize;

use crate::campaign::FileReport;
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
    Unreadable { file: String, why: String },
    Summary(SummaryLine<'a>),
}

#[derive(Serialize)]
struct SummaryLine<'a> {
    files: u64,
    skipped: u64,
    unreadable: u64,
    cies: u64,
    fdes: u64,
    instructions: u64,
    rows: u64,
    unexplained: u64,
    exit: u8,
    readers: Vec<ReaderLine<'a>>,
    missing: Vec<&'a str>,
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

impl<W: Write> Report for JsonLines<W> {
    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        if let Some(error) = &report.error {
            self.line(&Line::Unreadable { file: report.path.display().to_string(), why: error.to_string() })?;
        }
        for finding in &report.findings {
            self.line(&Line::Finding(finding))?;
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
        self.line(&Line::Summary(SummaryLine {
            files: summary.ours.files,
            skipped: summary.skipped,
            unreadable: summary.unreadable,
            cies: summary.ours.cies,
            fdes: summary.ours.fdes,
            instructions: summary.ours.instructions,
            rows: summary.ours.rows,
            unexplained: summary.unexplained,
            exit: summary.exit().code(),
            readers: readers.collect(),
            missing: summary.missing.iter().map(|(missing, _)| missing.name).collect(),
        }))?;
        self.out.flush()
    }
}
