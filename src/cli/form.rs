//! The forms in which `cfidiff check` reports.

use std::io::Write;

use cfidiff::report::{GitHub, Json, Junit, Report, Sarif, Summary, Text};
use clap::ValueEnum;

use crate::cli::Common;

/// The forms of a report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people.
    Text,
    /// JSON Lines, for programs.
    Jsonl,
    /// One JSON document: the list of what the JSON Lines are.
    Json,
    /// SARIF 2.1.0, for code scanning and editors: findings with one cause are one result.
    Sarif,
    /// JUnit XML, for the test report of a CI: a suite for each reader, a test case for each file.
    Junit,
    /// Annotations of GitHub Actions: findings with one cause are one annotation.
    Github,
}

impl Form {
    /// The report into `out`. The summary has the readers of the run, and nothing is added to it yet.
    pub fn report(self, out: Box<dyn Write>, common: &Common, summary: &Summary) -> Box<dyn Report> {
        match self {
            Form::Text => Box::new(Text::new(out, common.verbose > 0, common.quiet)),
            Form::Jsonl => Box::new(Json::lines(out)),
            Form::Json => Box::new(Json::document(out)),
            Form::Sarif => Box::new(Sarif::new(out)),
            Form::Junit => Box::new(Junit::new(out, &summary.readers)),
            Form::Github => Box::new(GitHub::new(out, common.quiet)),
        }
    }
}
