//! What people and programs read: text, JSON Lines, and the words for entries, instructions and rows.

pub mod describe;
mod jsonl;
mod summary;
mod text;

pub use jsonl::JsonLines;
pub use summary::{Explained, ReaderSummary, Summary};
pub use text::Text;

use std::io;

use cfidiff_model::Finding;

use crate::campaign::FileReport;

/// A form of report: told of each file as it is done, and of the sum at the end.
pub trait Report {
    /// One file is done.
    fn file(&mut self, report: &FileReport) -> io::Result<()>;
    /// All files are done.
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}

/// The case that a finding is about, as a place that a reader of the report finds: section and offset.
fn place(finding: &Finding) -> String {
    format!("{}+{}", finding.section, finding.offset)
}
