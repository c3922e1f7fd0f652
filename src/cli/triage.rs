//! `cfidiff triage`: which mistake explains a reader's differences.

use std::io::{self, Write};
use std::path::PathBuf;

use cfidiff::campaign::{Exit, Plan};
use cfidiff::compare::Judge;
use cfidiff::image::{self, OpenError};
use cfidiff::report::{Detail, Json, triage_text};
use cfidiff::triage::{Account, Deadline, Effort};
use cfidiff_model::Case;
use clap::ValueEnum;

use crate::cli::Common;
use crate::cli::check::suite_folder;
use crate::cli::log::Log;
use crate::cli::readers::Wanted;
use crate::cli::upstream::Reports;

/// What `--reader` says here.
const READERS: &str = "The reader to ask, or all versions of this tool; may be given again. Default, with no reader-cmd \
    either: all that are there, see `doctor`";
/// What `--reader-cmd` says here.
const COMMANDS: &str = "A reader of yours to ask: a command that speaks the protocol of oracles/PROTOCOL.md. With {file} in \
    it the command is started for each file, without it is asked for file after file. May be given again";

/// Name the one mistake that explains a reader's differences; without a path, on the checked-in corpus.
///
/// The reader's answers are held against those of our reader with each fault of `cfidiff faults` planted in it, then
/// with two of them. What no fault explains is told by its shape: which numbers are off, by what. Exit code 1 if the
/// reader differs.
#[derive(clap::Args)]
#[command(mut_arg("readers", |arg| arg.help(READERS).long_help(READERS)))]
#[command(mut_arg("commands", |arg| arg.help(COMMANDS).long_help(COMMANDS)))]
pub struct Triage {
    /// Files and directories.
    paths: Vec<PathBuf>,
    #[command(flatten)]
    wanted: Wanted,
    /// The form of the report. With -v the text has every record byte by byte, with -q none.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Write the report to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// For each mistake write a report to the reader's authors below this directory, with the smallest case that shows
    /// it. What is there already is left alone, which is an error.
    #[arg(long, value_name = "DIR")]
    write_report: Option<PathBuf>,
}

/// The forms of the report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people.
    Text,
    /// JSON Lines, one object for each reader.
    Jsonl,
    /// One JSON document: the list of what the JSON Lines are.
    Json,
}

impl Triage {
    /// Asks each reader and names what explains it.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let paths = if self.paths.is_empty() { vec![suite_folder(common)?] } else { self.paths };
        let (inputs, unreadable) = open(&paths);
        let (readers, missing) = self.wanted.find_named();
        for (missing, _) in missing.iter().filter(|(_, asked_for)| *asked_for) {
            Log::plain().line(&format!("{} is not asked: {}", missing.name, missing.why));
        }
        let judge = Judge::new(cfidiff_oracles::known::load().map_err(anyhow::Error::msg)?);
        let reports = self.write_report.as_deref().map(Reports::below);
        let out = common.output(self.output.as_deref())?;
        let mut report = match self.format {
            Form::Text => Report::Text(out, detail(common)),
            Form::Jsonl => Report::Json(Json::lines(out)),
            Form::Json => Report::Json(Json::document(out)),
        };
        let (mut differs, mut broke, mut compared) = (false, false, false);
        for reader in readers.iter().filter(|_| !inputs.is_empty()) {
            let account = Account::of(&**reader, &inputs, &judge, Effort::FULL, &Deadline::never())?;
            differs |= account.differences > 0;
            broke |= account.is_broken();
            compared |= account.sections > 0;
            report.reader(&account, &inputs)?;
            if let Some(reports) = &reports {
                reports.write(&**reader, &account, &inputs, &judge)?;
            }
        }
        report.end()?;
        Ok(match () {
            () if differs => Exit::Findings,
            () if broke || missing.iter().any(|(_, asked_for)| *asked_for) => Exit::ReaderBroke,
            () if unreadable => Exit::Usage,
            () if !compared => Exit::NothingCompared,
            () => Exit::Agree,
        })
    }
}

/// The cases of all files, and whether something could not be read.
pub(super) fn open(paths: &[PathBuf]) -> (Vec<Case>, bool) {
    let plan = Plan::new(paths);
    for path in &plan.unreadable {
        Log::plain().line(&format!("{}: {}", path.path.display(), path.why));
    }
    let mut unreadable = !plan.unreadable.is_empty();
    let mut inputs = Vec::new();
    for (path, _) in &plan.files {
        match image::open(path, &image::Options::default()) {
            Ok(image) => inputs.extend(image.cases),
            Err(error) => {
                unreadable |= !matches!(error, OpenError::NotElf { .. });
                Log::plain().line(&error.to_string());
            }
        }
    }
    (inputs, unreadable)
}

fn detail(common: &Common) -> Detail {
    match () {
        () if common.quiet => Detail::Answers,
        () if common.verbose > 0 => Detail::EveryRecord,
        () => Detail::FirstRecord,
    }
}

/// The report, reader by reader.
enum Report {
    Text(Box<dyn Write>, Detail),
    Json(Json<Box<dyn Write>>),
}

impl Report {
    fn reader(&mut self, account: &Account, inputs: &[Case]) -> io::Result<()> {
        match self {
            Report::Text(out, detail) => triage_text(account, inputs, *detail, out),
            Report::Json(json) => json.triage(account),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        match self {
            Report::Text(out, _) => out.flush(),
            Report::Json(json) => json.close(),
        }
    }
}
