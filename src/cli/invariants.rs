//! `cfidiff invariants`: what must hold of files by themselves.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Context as _;
use cfidiff::campaign::{self, Exit, Plan, SurveySettings};
use cfidiff::image::{self, Surroundings};
use cfidiff::report::{Survey, SurveyJson, SurveyReport, SurveyText};
use cfidiff_model::Severity;
use clap::ValueEnum;

use crate::cli::log::{Log, progress_bar};
use crate::cli::{Common, Format, section_kinds};

/// Check call frame information by itself, without another reader.
///
/// Asks of each file what must hold of its CIEs, FDEs, rows, of the header's search table, and of the code that they are
/// about. Errors are wrong information, warnings are information that lacks something, the rest is worth to know. Exit
/// code 1 if there is an error.
#[derive(clap::Args)]
pub struct Invariants {
    /// Files and directories.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// List what weighs at least so much; all is counted.
    #[arg(long, value_enum, default_value_t = Least::Warning)]
    severity: Least,
    /// Exit with 1 for warnings as well.
    #[arg(long)]
    strict: bool,
    /// How many places of one invariant and section are listed; all are counted.
    #[arg(long, value_name = "N", default_value_t = 3)]
    max_places: usize,
    /// The form of the report.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the report to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The sections to look at.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = [".eh_frame", ".debug_frame"])]
    sections: Vec<String>,
    /// How many threads work. Default: one for each core.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// Do not look for separate debug files.
    #[arg(long)]
    no_debug_files: bool,
}

/// The least severity that is listed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Least {
    /// Errors alone.
    Error,
    /// Errors and warnings.
    Warning,
    /// All.
    Info,
}

impl From<Least> for Severity {
    fn from(least: Least) -> Severity {
        match least {
            Least::Error => Severity::Error,
            Least::Warning => Severity::Warning,
            Least::Info => Severity::Info,
        }
    }
}

impl Invariants {
    /// Runs the survey and tells how it ended.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let plan = Plan::new(&self.paths);
        let settings = SurveySettings {
            image: image::Options {
                debug_files: !self.no_debug_files,
                surroundings: Surroundings::Code,
                ..image::Options::default()
            },
            sections: section_kinds(&self.sections),
            max_places: self.max_places,
            jobs: self.jobs,
        };
        let out = common.output(self.output.as_deref())?;
        let least = self.severity.into();
        let mut report: Box<dyn SurveyReport> = match self.format {
            Format::Text => Box::new(SurveyText::new(out, least, common.quiet)),
            Format::Jsonl => Box::new(SurveyJson::new(out, least)),
        };
        let mut survey = Survey::new(&plan, self.strict);
        let bar = progress_bar(plan.files.len() as u64, common.quiet);
        let log = Log { bar: bar.clone(), silent: false };
        let mut written = plan.unreadable.iter().try_for_each(|unreadable| {
            log.line(&format!("{}: {}", unreadable.path.display(), unreadable.why));
            report.unreadable(unreadable)
        });
        if written.is_ok() {
            campaign::survey(&plan, &settings, |file| {
                survey.add(&file);
                if let Some(error) = &file.error {
                    log.line(&error.to_string());
                }
                bar.inc(1);
                written = bar.suspend(|| report.file(&file));
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
            .map_err(anyhow::Error::msg)?;
        }
        bar.finish_and_clear();
        match written.and_then(|()| report.end(&survey)) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(survey.exit()),
            result => result.context("cannot write the report")?,
        }
        Ok(survey.exit())
    }
}
