//! `cfidiff check`: compare all readers on files and directories.

use std::io::{self, IsTerminal, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use cfidiff::campaign::{self, Exit, FileReport, Plan, Settings};
use cfidiff::compare::Judge;
use cfidiff::corpus;
use cfidiff::image::{self, Surroundings};
use cfidiff::report::{Summary, costs_text};
use cfidiff::triage::Unexplained;
use cfidiff_gen::suite::Suite;
use cfidiff_gen::variants::Cache;
use cfidiff_oracles::Missing;

use crate::cli::expected::{self, Expected};
use crate::cli::form::Form;
use crate::cli::log::{Log, progress_bar};
use crate::cli::readers::Wanted;
use crate::cli::variants::{Generated, HowMany, Options};
use crate::cli::{Common, section_kinds};

/// Compare readers on files and directories; without a path, on the checked-in corpus.
///
/// Directories are walked: files that are neither ELF nor archives are passed over and counted. Every record is
/// compared with every reader, and each difference is a finding with a verdict and a reason. Call frame information that
/// is wrong by itself is a finding as well.
#[derive(clap::Args)]
pub struct Check {
    /// Files and directories.
    paths: Vec<PathBuf>,
    #[command(flatten)]
    wanted: Wanted,
    /// How many threads work. Default: one for each core.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// The form of the report.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Write the report to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The sections to look at.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = [".eh_frame", ".debug_frame"])]
    sections: Vec<String>,
    /// How many findings of one section and reader are listed; all are counted.
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_findings: usize,
    /// Do not look for separate debug files.
    #[arg(long)]
    no_debug_files: bool,
    /// Check programs compiled in many ways instead: made in a temporary folder, of which only what fails is kept.
    #[arg(long, value_enum, value_name = "SIZE", conflicts_with = "paths")]
    generate: Option<HowMany>,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    expected: Expected,
    /// Do not ask what must hold of the files by themselves, see `invariants`. It is never asked of a case with its
    /// expected answer beside it, which may be broken on purpose.
    #[arg(long)]
    no_invariants: bool,
    /// Do not look for the mistake behind a reader's unexplained differences, see `triage`. It is looked for in the
    /// smallest files, for no longer than the check took and 20 seconds at most.
    #[arg(long)]
    no_triage: bool,
}

impl Check {
    /// Runs the check and tells how it ended.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let is_idle = self.generate.is_none() && self.options.are_given();
        anyhow::ensure!(!is_idle, "--seed and --cc say what --generate makes, which is not asked for");
        let generated = self.generate.map(|size| Generated::new(size, &self.options, common)).transpose()?;
        let paths = match &generated {
            Some(generated) => vec![generated.folder()],
            None if self.paths.is_empty() => vec![suite_folder(common)?],
            None => self.paths.clone(),
        };
        let mut judge = Judge::new(cfidiff_oracles::known::load().map_err(anyhow::Error::msg)?);
        if let Some(list) = self.expected.read()? {
            judge = judge.expecting(list);
        }
        let plan = Plan::new(&paths);
        let (readers, missing) = self.wanted.find();
        let invariants = !self.no_invariants;
        let settings = Settings {
            readers: &readers,
            judge: &judge,
            image: image::Options {
                debug_files: !self.no_debug_files,
                surroundings: if invariants { Surroundings::Headers } else { Surroundings::None },
                ..image::Options::default()
            },
            invariants,
            sections: section_kinds(&self.sections),
            max_findings: self.max_findings,
            jobs: self.jobs,
        };
        let mut summary = Summary::new(&plan, &readers, missing);
        summary.strict = self.expected.strict;
        let out = common.output(self.output.as_deref())?;
        let mut report = self.format.report(out, common, &summary);
        let bar = progress_bar(plan.files.len() as u64, common.quiet);
        let log = Log { bar: bar.clone(), silent: self.report_is_on_terminal() };
        log.missing(&summary, common.quiet);
        let started = Instant::now();
        let mut suspicious = Vec::new();
        let mut unexplained = Unexplained::default();
        let mut written = plan.unreadable.iter().try_for_each(|unreadable| {
            log.line(&format!("{}: {}", unreadable.path.display(), unreadable.why));
            report.unreadable(unreadable)
        });
        if written.is_ok() {
            summary.costs = campaign::run(&plan, &settings, |file| {
                summary.add(&file);
                log.problems(&file);
                if let Some(list) = judge.expectations().filter(|_| self.sections.is_empty()) {
                    expected::saw(list, &file, &readers);
                }
                if !self.no_triage && self.sections.is_empty() {
                    unexplained.add(&file);
                }
                if file.has_trouble() {
                    suspicious.push(file.path.clone());
                }
                bar.inc(1);
                let rate = summary.ours.fdes as f64 / bar.elapsed().as_secs_f64().max(0.001);
                bar.set_message(format!(", {} FDEs, {rate:.0} FDEs/s", summary.ours.fdes));
                written = bar.suspend(|| report.file(&file));
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
            .map_err(anyhow::Error::msg)?;
        }
        bar.finish_and_clear();
        let updated = match judge.expectations().filter(|_| written.is_ok()) {
            Some(list) => self.expected.conclude(list, &mut summary)?,
            None => None,
        };
        summary.triages =
            unexplained.explain(&readers, &judge, &settings.image, &self.paths, started.elapsed())?;
        log.costs(&summary, common.quiet);
        match written.and_then(|()| report.end(&summary)) {
            // Who reads only the start of a report still learns from the exit code how it went up to there.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(summary.exit()),
            result => result.context("cannot write the report")?,
        }
        if self.format != Form::Text || self.output.is_some() {
            log.conclusion(&summary, common.quiet);
        }
        if let Some(words) = updated {
            log.line(&words);
        }
        match generated {
            Some(generated) => generated.end(&suspicious, summary.exit()),
            None => Ok(summary.exit()),
        }
    }

    /// Whether the person at the terminal reads the report as it comes, and so needs no log of what it says.
    fn report_is_on_terminal(&self) -> bool {
        self.format == Form::Text && self.output.is_none() && io::stdout().is_terminal()
    }
}

/// The conformance suite: in the current directory, in the project's own folder, or written where the user's caches are.
pub(super) fn suite_folder(common: &Common) -> anyhow::Result<PathBuf> {
    let places = [Path::new("corpus"), Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"))];
    let cases = match places.iter().map(|place| place.join(corpus::CASES)).find(|cases| cases.is_dir()) {
        Some(cases) => cases,
        None => {
            let caches = Cache::user_folder().context("no corpus here, and no home to write it to")?;
            let folder = caches.with_file_name("corpus");
            corpus::write(&Suite::build()?, &folder)?;
            folder.join(corpus::CASES)
        }
    };
    if !common.quiet {
        let words = "checks the corpus; gen variants makes more cases, with the compilers that are here";
        Log::plain().line(words);
    }
    Ok(cases)
}

impl Log {
    fn missing(&self, summary: &Summary, quiet: bool) {
        for (missing, asked_for) in &summary.missing {
            if *asked_for || !quiet {
                let Missing { name, why, install } = missing;
                let help =
                    if install.is_empty() { String::new() } else { format!("; to install it: {install}") };
                self.line(&format!("{name} is not compared: {why}{help}"));
            }
        }
    }

    fn conclusion(&self, summary: &Summary, quiet: bool) {
        if !quiet {
            self.line(&summary.conclusion());
        }
    }

    fn costs(&self, summary: &Summary, quiet: bool) {
        if !quiet {
            // No report has it, so it is told to whoever reads the report as well.
            self.bar.suspend(|| _ = write!(io::stderr(), "{}", costs_text(summary)));
        }
    }

    fn problems(&self, file: &FileReport) {
        if let Some(error) = &file.error {
            self.line(&error.to_string());
        }
    }
}
