//! What people and programs read: text, JSON, SARIF, JUnit, annotations, and the words for entries, instructions and rows.

mod cluster;
mod costs;
mod coverage;
pub mod describe;
mod dump;
mod explain;
mod github;
mod invariants;
mod json;
mod junit;
mod matrix;
mod sarif;
mod stacks;
mod summary;
mod text;
mod triage;
mod troubles;
mod upstream;

pub use cluster::{Cluster, Clusters, Example, Place};
pub use costs::costs_text;
pub use coverage::{coverage_json, coverage_text};
pub use dump::Dump;
pub use explain::{Answer, Beside, Explain, side_by_side};
pub use github::GitHub;
pub use invariants::{Broken, Survey, SurveyJson, SurveyReport, SurveyText};
pub use json::Json;
pub use junit::Junit;
pub use matrix::{causes_markdown, matrix_json, matrix_markdown, matrix_text};
pub use sarif::Sarif;
pub use stacks::{StackList, StackTriage};
pub use summary::{ReaderSummary, Summary};
pub use text::Text;
pub use triage::{Detail, triage_lines, triage_text};
pub use upstream::Upstream;

use std::borrow::Cow;
use std::io;

use cfidiff_model::Finding;

use crate::campaign::{FileReport, Unreadable};

/// The JSON Schema of the objects that [`Json`] writes.
pub const SCHEMA: &str = include_str!("schema.json");

/// A form of report: told of what could not be looked at, then of each file as it is done, then of the sum.
pub trait Report {
    /// A path that could not be looked at.
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()>;
    /// One file is done.
    fn file(&mut self, report: &FileReport) -> io::Result<()>;
    /// All files are done.
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}

/// What a finding is about, as a place that a reader of the report finds: the case, with section and offset when it is
/// not about the whole.
fn place(finding: &Finding) -> String {
    match finding.section.as_str() {
        "" => finding.file.clone(),
        section => format!("{} {section}+{}", finding.file, finding.offset),
    }
}

/// A number with its noun: `1 file`, `2 files`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Words with control characters escaped: names and what tools print may hold any, and a terminal obeys them.
pub fn printable(words: &str) -> Cow<'_, str> {
    if !words.contains(char::is_control) {
        return Cow::Borrowed(words);
    }
    let escaped = |letter: char| {
        if letter.is_control() { letter.escape_default().to_string() } else { letter.to_string() }
    };
    Cow::Owned(words.chars().map(escaped).collect())
}
