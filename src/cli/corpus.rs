//! `cfidiff corpus`: the conformance suite, which the command carries with it.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context as _;
use cfidiff::campaign::Exit;
use cfidiff::corpus;
use cfidiff::report::{coverage_json, coverage_text};
use cfidiff_gen::coverage::Coverage;
use cfidiff_gen::suite::Suite;
use clap::ValueEnum;
use serde_json::json;

use crate::cli::Common;

/// List the conformance suite, copy it, or show what of the format it covers.
#[derive(clap::Args)]
pub struct Corpus {
    /// List the cases with what each exercises; with -v also the clause that decides and the public bugs that it
    /// catches. This is the default.
    #[arg(long, group = "what")]
    list: bool,
    /// Show what of the format the cases exercise; with -v also why it is legal or not. Exit code 1 if a legal cell
    /// has no case.
    #[arg(long, group = "what")]
    coverage: bool,
    /// Write the suite into this folder, and remove from its `cases` what is not of the suite.
    #[arg(long, value_name = "DIR", group = "what", conflicts_with = "format")]
    copy: Option<PathBuf>,
    /// The form of the list and of the coverage.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

/// The forms of the suite's tables.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people.
    Text,
    /// One JSON object, for programs.
    Json,
}

impl Corpus {
    /// Does what was asked for.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let suite = Suite::build()?;
        let mut out = common.output(None)?;
        let mut exit = Exit::Agree;
        let verbose = common.verbose > 0;
        if let Some(folder) = self.copy {
            corpus::write(&suite, &folder).context("cannot write the suite")?;
            writeln!(out, "{} cases in {}", suite.cases().len(), folder.display())?;
        } else if self.coverage {
            let coverage = Coverage::of(&suite);
            match self.format {
                Form::Text => coverage_text(&mut out, &coverage, verbose)?,
                Form::Json => writeln!(out, "{}", coverage_json(&coverage))?,
            }
            if !coverage.missing().is_empty() {
                exit = Exit::Findings;
            }
        } else {
            match self.format {
                Form::Text => list(&mut out, &suite, verbose)?,
                Form::Json => {
                    let cases: Vec<_> = suite.cases().iter().map(corpus::Listed::new).collect();
                    writeln!(out, "{}", json!({ "cases": cases }))?;
                }
            }
        }
        out.flush()?;
        Ok(exit)
    }
}

/// A line for each case with the size of its file in bytes, and below it what else there is to know.
fn list(out: &mut dyn Write, suite: &Suite, verbose: bool) -> io::Result<()> {
    let cases = suite.cases();
    let width = cases.iter().map(|case| case.name.len()).max().unwrap_or_default();
    for case in cases {
        writeln!(out, "{:<width$} {:>6}  {}", case.name, case.file.len(), case.about)?;
        if !verbose {
            continue;
        }
        writeln!(out, "    clause   {}", case.clause)?;
        if !case.catches.is_empty() {
            writeln!(out, "    catches  {}", case.catches.join(", "))?;
        }
        if let Some(damage) = case.damage {
            writeln!(out, "    damage   {}: {}", damage.name(), damage.about())?;
        }
        for reading in &case.readings {
            writeln!(out, "    reading  {}: {}", reading.name, reading.why)?;
        }
    }
    let bytes: usize = cases.iter().map(|case| case.file.len()).sum();
    writeln!(out, "{} cases, {bytes} bytes in files", cases.len())
}
