//! The command line: one file for each subcommand.

use std::io::{self, IsTerminal, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use cfidiff::campaign::Exit;
use cfidiff::report::printable;
use cfidiff_model::SectionKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use comfy_table::Table;

mod check;
mod corpus;
mod doctor;
mod dump;
mod expected;
mod explain;
mod faults;
mod form;
mod r#gen;
mod invariants;
mod log;
mod reader;
mod readers;
mod signals;
mod triage;
mod triage_stacks;
mod upstream;
mod variants;

/// The time limits that can be asked for, in seconds: up to a year.
const TIME_OUTS: RangeInclusive<u64> = 1..=365 * 24 * 60 * 60;

/// Finds out whether readers of DWARF call frame information are right.
#[derive(Parser)]
#[command(version, after_help = exit_codes(), max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    subcommand: Sub,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Sub {
    Check(check::Check),
    Corpus(corpus::Corpus),
    Dump(dump::Dump),
    Explain(explain::ExplainRecord),
    Doctor(doctor::Doctor),
    Faults(faults::Faults),
    Gen(r#gen::Gen),
    Invariants(invariants::Invariants),
    Reader(reader::Reader),
    Triage(triage::Triage),
    TriageStacks(triage_stacks::TriageStacks),
}

/// What every subcommand takes.
#[derive(Args)]
struct Common {
    /// When to color: auto, always or never. NO_COLOR is honoured.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    color: Color,
    /// Say less: unexplained findings and the last line only.
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Say more: explained findings and notes in full.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// The forms of output.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// JSON Lines, for programs.
    Jsonl,
}

/// Runs the command that the process's arguments give.
pub fn main() -> ExitCode {
    let command = Command::parse();
    // Without it readers outlive an interrupt, and everything else works.
    let _ = signals::end_readers_with_us();
    let result = match command.subcommand {
        Sub::Check(check) => check.run(&command.common),
        Sub::Corpus(corpus) => corpus.run(&command.common),
        Sub::Dump(dump) => dump.run(&command.common),
        Sub::Explain(explain) => explain.run(&command.common),
        Sub::Doctor(doctor) => doctor.run(&command.common),
        Sub::Faults(faults) => faults.run(&command.common),
        Sub::Gen(r#gen) => r#gen.run(&command.common),
        Sub::Invariants(invariants) => invariants.run(&command.common),
        Sub::Reader(reader) => reader.run(),
        Sub::Triage(triage) => triage.run(&command.common),
        Sub::TriageStacks(triage) => triage.run(&command.common),
    };
    match result {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "cfidiff: {}", printable(&format!("{error:#}")));
            ExitCode::from(Exit::Usage.code())
        }
    }
}

/// A reader of our output that went away, as `head` does, is no error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>();
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.map(io::Error::kind).or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}

impl Common {
    /// Where results go: the file, or standard output, with colors as asked for.
    fn output(&self, path: Option<&Path>) -> anyhow::Result<Box<dyn Write>> {
        use anyhow::Context as _;
        let stdout = io::stdout();
        let choice = match self.color {
            _ if path.is_some() => ColorChoice::Never,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
            Color::Auto if stdout.is_terminal() => AutoStream::choice(&stdout),
            Color::Auto => ColorChoice::Never,
        };
        let raw: Box<dyn Write> = match path {
            Some(path) => {
                let file = std::fs::File::create(path)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                Box::new(io::BufWriter::new(file))
            }
            None => Box::new(io::BufWriter::new(stdout)),
        };
        Ok(Box::new(AutoStream::new(raw, choice)))
    }
}

/// The kinds of section with these names, or all without any.
fn section_kinds(names: &[String]) -> Vec<SectionKind> {
    let all = [SectionKind::EhFrame, SectionKind::DebugFrame];
    all.into_iter().filter(|kind| names.is_empty() || names.iter().any(|name| name == kind.name())).collect()
}

/// A table's lines without the blanks that surround each.
fn plain_lines(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim())).collect()
}

fn exit_codes() -> String {
    let lines: Vec<String> =
        Exit::ALL.iter().map(|exit| format!("  {} {}", exit.code(), exit.meaning())).collect();
    format!("Exit codes:\n{}", lines.join("\n"))
}
