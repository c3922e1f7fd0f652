//! `cfidiff corpus`: the conformance suite, which the command carries with it.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Context as _;
use cfidiff::campaign::{self, Exit, FileReport, Plan, Settings};
use cfidiff::compare::Judge;
use cfidiff::corpus::{Matrix, Verdicts, verdict};
use cfidiff::report::{
    Summary, causes_markdown, coverage_json, coverage_text, matrix_json, matrix_markdown, matrix_text,
};
use cfidiff::{corpus, image};
use cfidiff_gen::coverage::Coverage;
use cfidiff_gen::suite::Suite;
use cfidiff_model::SectionKind;
use cfidiff_oracles::Missing;
use clap::ValueEnum;
use serde_json::json;

use crate::cli::Common;
use crate::cli::log::{Log, progress_bar};
use crate::cli::readers::Wanted;

/// List the conformance suite, copy it, show what of the format it covers, or what each reader makes of it.
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
    /// Run the readers on the suite and show what each makes of each topic, and the cause of each case that it has
    /// wrong; with -v also why. Exit code 1 if nothing explains a difference.
    #[arg(long, group = "what")]
    matrix: bool,
    #[command(flatten)]
    wanted: Wanted,
    /// Write the suite into this folder, and remove from its `cases` what is not of the suite.
    #[arg(long, value_name = "DIR", group = "what", conflicts_with = "format")]
    copy: Option<PathBuf>,
    /// The form of the list, of the coverage and of the matrix.
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
    /// Tables of Markdown, of the matrix alone.
    Markdown,
}

impl Corpus {
    /// Does what was asked for.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        anyhow::ensure!(
            self.matrix || self.format != Form::Markdown,
            "the matrix alone has a form in Markdown"
        );
        anyhow::ensure!(self.matrix || !self.wanted.are_given(), "readers are asked for --matrix alone");
        let suite = Suite::build()?;
        let mut out = common.output(None)?;
        let mut exit = Exit::Agree;
        let verbose = common.verbose > 0;
        if let Some(folder) = self.copy {
            corpus::write(&suite, &folder).context("cannot write the suite")?;
            writeln!(out, "{} cases in {}", suite.cases().len(), folder.display())?;
        } else if self.matrix {
            let (matrix, ended) = self.matrix(&suite, common)?;
            match self.format {
                Form::Text => matrix_text(&mut out, &matrix, verbose)?,
                Form::Json => writeln!(out, "{}", matrix_json(&matrix))?,
                Form::Markdown => write!(out, "{}\n{}", matrix_markdown(&matrix), causes_markdown(&matrix))?,
            }
            exit = ended;
        } else if self.coverage {
            let coverage = Coverage::of(&suite);
            match self.format {
                Form::Text | Form::Markdown => coverage_text(&mut out, &coverage, verbose)?,
                Form::Json => writeln!(out, "{}", coverage_json(&coverage))?,
            }
            if !coverage.missing().is_empty() {
                exit = Exit::Findings;
            }
        } else {
            match self.format {
                Form::Text | Form::Markdown => list(&mut out, &suite, verbose)?,
                Form::Json => {
                    let cases: Vec<_> = suite.cases().iter().map(corpus::Listed::new).collect();
                    writeln!(out, "{}", json!({ "cases": cases }))?;
                }
            }
        }
        out.flush()?;
        Ok(exit)
    }

    /// Runs the readers on a copy of the suite.
    fn matrix(&self, suite: &Suite, common: &Common) -> anyhow::Result<(Matrix, Exit)> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        corpus::write(suite, folder.path()).context("cannot write the suite")?;
        let cases = folder.path().join(corpus::CASES);
        let plan = Plan::new(std::slice::from_ref(&cases));
        let (readers, missing) = self.wanted.find();
        let log = Log::plain();
        for (Missing { name, why, .. }, asked_for) in &missing {
            if *asked_for || !common.quiet {
                log.line(&format!("{name} is not asked: {why}"));
            }
        }
        let known = cfidiff_oracles::known::load().map_err(anyhow::Error::msg)?;
        let settings = Settings {
            readers: &readers,
            judge: &Judge::new(known.clone()),
            image: image::Options { debug_files: false, ..image::Options::default() },
            invariants: false,
            sections: vec![SectionKind::EhFrame, SectionKind::DebugFrame],
            max_findings: usize::MAX,
            jobs: 0,
        };
        let mut summary = Summary::new(&plan, &readers, missing);
        let mut verdicts = Verdicts::new(&readers);
        let bar = progress_bar(plan.files.len() as u64, common.quiet);
        let each = |report: FileReport| {
            let case = report.path.strip_prefix(&cases).unwrap_or(&report.path).display().to_string();
            for (number, oracle) in readers.iter().enumerate() {
                verdicts.set(&case, oracle.name(), verdict(&report, number, oracle.name()));
            }
            summary.add(&report);
            bar.inc(1);
            ControlFlow::Continue(())
        };
        campaign::run(&plan, &settings, each).map_err(anyhow::Error::msg)?;
        bar.finish_and_clear();
        let names: Vec<String> = readers.iter().map(|oracle| oracle.name().to_owned()).collect();
        let cases = suite.cases().iter().map(|case| case.name.as_str());
        Ok((Matrix::new(&verdicts, &names, cases, &known), summary.exit()))
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
