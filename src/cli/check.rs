//! `cfidiff check`: compare all readers on files and directories.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use cfidiff::campaign::{self, Exit, FileReport, Plan, Settings};
use cfidiff::compare::Judge;
use cfidiff::corpus;
use cfidiff::image::{self, Surroundings};
use cfidiff::report::{JsonLines, Report, Summary, Text};
use cfidiff_gen::suite::Suite;
use cfidiff_gen::variants::Cache;
use cfidiff_oracles::external::{self, External};
use cfidiff_oracles::{Missing, Oracle, registry};

use crate::cli::log::{Log, progress_bar};
use crate::cli::variants::{Generated, HowMany, Options};
use crate::cli::{Common, Format, TIME_OUTS, section_kinds};

/// Compare readers on files and directories; without a path, on the checked-in corpus.
///
/// Directories are walked: files that are neither ELF nor archives are passed over and counted. Every record is
/// compared with every reader, and each difference is a finding with a verdict and a reason. Call frame information that
/// is wrong by itself is a finding as well.
#[derive(clap::Args)]
pub struct Check {
    /// Files and directories.
    paths: Vec<PathBuf>,
    /// Compare with this reader only, or with all versions of this tool; may be given again. Default: all that are
    /// there, see `doctor`.
    #[arg(long = "reader", value_name = "NAME", value_parser = reader_name)]
    readers: Vec<String>,
    /// Compare with a reader of yours as well: a command that speaks the protocol of oracles/PROTOCOL.md. With
    /// {file} in it the command is started for each file, without it is asked for file after file. May be given again.
    #[arg(long = "reader-cmd", value_name = "NAME=CMD")]
    reader_commands: Vec<String>,
    /// How many threads work. Default: one for each core.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// The form of the report.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
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
    /// Do not ask what must hold of the files by themselves, see `invariants`. Of the corpus it is never asked.
    #[arg(long)]
    no_invariants: bool,
    /// Check programs compiled in many ways instead: made in a temporary folder, of which only what fails is kept.
    #[arg(long, value_enum, value_name = "SIZE", conflicts_with = "paths")]
    generate: Option<HowMany>,
    #[command(flatten)]
    options: Options,
    /// How long one process of a tool may run, and a reader of yours for one file, in seconds. Default: 600 for a tool,
    /// which gets many files at once, and 30 for a reader of yours.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(TIME_OUTS))]
    timeout: Option<u64>,
}

/// The readers that are there, and those that are not, each with whether it was asked for by name.
type Readers = (Vec<Box<dyn Oracle>>, Vec<(Missing, bool)>);

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
        let plan = Plan::new(&paths);
        let (readers, missing) = self.readers();
        let known = cfidiff_oracles::known::load().map_err(anyhow::Error::msg)?;
        // The corpus is broken on purpose, and its manifest says where.
        let is_suite = self.paths.is_empty() && generated.is_none();
        let invariants = !self.no_invariants && !is_suite;
        let settings = Settings {
            readers: &readers,
            judge: &Judge::new(known),
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
        let out = common.output(self.output.as_deref())?;
        let mut report: Box<dyn Report> = match self.format {
            Format::Text => Box::new(Text::new(out, common.verbose > 0, common.quiet)),
            Format::Jsonl => Box::new(JsonLines::new(out)),
        };
        let bar = progress_bar(plan.files.len() as u64, common.quiet);
        let log = Log { bar: bar.clone(), silent: self.report_is_on_terminal() };
        log.missing(&summary, common.quiet);
        let mut suspicious = Vec::new();
        let mut written = plan.unreadable.iter().try_for_each(|unreadable| {
            log.line(&format!("{}: {}", unreadable.path.display(), unreadable.why));
            report.unreadable(unreadable)
        });
        if written.is_ok() {
            campaign::run(&plan, &settings, |file| {
                summary.add(&file);
                log.problems(&file);
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
        match written.and_then(|()| report.end(&summary)) {
            // Who reads only the start of a report still learns from the exit code how it went up to there.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(summary.exit()),
            result => result.context("cannot write the report")?,
        }
        if self.format != Format::Text || self.output.is_some() {
            log.conclusion(&summary, common.quiet);
        }
        match generated {
            Some(generated) => generated.end(&suspicious, summary.exit()),
            None => Ok(summary.exit()),
        }
    }

    /// Whether the person at the terminal reads the report as it comes, and so needs no log of what it says.
    fn report_is_on_terminal(&self) -> bool {
        self.format == Format::Text && self.output.is_none() && io::stdout().is_terminal()
    }

    /// Looks for the readers that are wanted.
    fn readers(&self) -> Readers {
        let asked_for = !self.readers.is_empty();
        let asked_time = self.timeout.map(Duration::from_secs);
        let time_out = asked_time.unwrap_or(registry::TIME_OUT);
        let found =
            if asked_for { registry::probe(&self.readers, time_out) } else { registry::probe_all(time_out) };
        let (mut there, mut missing) = (Vec::new(), Vec::new());
        for reader in found {
            match reader {
                Ok(oracle) => there.push(oracle),
                Err(why) => missing.push((why, asked_for)),
            }
        }
        for pair in &self.reader_commands {
            match start(pair, &there, asked_time.unwrap_or(external::TIME_OUT)) {
                Ok(external) => there.push(Box::new(external)),
                Err(why) => {
                    let name = pair.split('=').next().unwrap_or_default().to_owned();
                    missing.push((Missing { name, why, install: String::new() }, true));
                }
            }
        }
        (there, missing)
    }
}

/// Starts a reader of the user's, whose name none of the others has.
fn start(pair: &str, others: &[Box<dyn Oracle>], time_out: Duration) -> Result<External, String> {
    if others.iter().any(|other| pair.split('=').next() == Some(other.name())) {
        return Err("another reader of this run has the name".to_owned());
    }
    External::start(pair, time_out)
}

/// A name that some reader has or could have.
pub(crate) fn reader_name(name: &str) -> Result<String, String> {
    if registry::tool_of(name).is_some() {
        return Ok(name.to_owned());
    }
    let names: Vec<&str> = registry::TOOLS.iter().map(|tool| tool.name).collect();
    Err(format!("no reader has this name; there are {}", names.join(", ")))
}

/// The conformance suite: in the current directory, in the project's own folder, or written where the user's caches are.
fn suite_folder(common: &Common) -> anyhow::Result<PathBuf> {
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

    fn problems(&self, file: &FileReport) {
        if let Some(error) = &file.error {
            self.line(&error.to_string());
        }
    }
}
