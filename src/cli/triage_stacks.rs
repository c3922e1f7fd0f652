//! `cfidiff triage-stacks`: which mistake makes one list of stacks from the other.

use std::io::Write;
use std::path::PathBuf;

use cfidiff::campaign::Exit;
use cfidiff::report::{StackList, StackTriage};
use cfidiff::triage::stacks::{self, Comparison, LoadBase, Program};
use clap::ValueEnum;

use crate::cli::Common;
use crate::cli::dump::parse_number;

/// Name the mistake behind wrong backtraces, from two lists of stacks: those observed and those expected.
///
/// A list has a frame a line, innermost first, as 0x and hexadecimal digits, and an empty line between stacks; or it is
/// JSON Lines of {"stack":["0x1234"]}, or what gdb's `bt`, eu-stack or perf script print. The stacks of both lists are
/// paired by their order. Exit code 1 if they differ.
#[derive(clap::Args)]
pub struct TriageStacks {
    /// The linked file that the addresses are of.
    #[arg(short, long, value_name = "FILE")]
    binary: PathBuf,
    /// The stacks in question.
    observed: PathBuf,
    /// The stacks that are right.
    expected: PathBuf,
    /// The run-time address of the file's first byte, as in /proc/PID/maps; worked out from the expected stacks when
    /// left out. One that is not moved has its lowest link-time address.
    #[arg(long, value_name = "ADDR", value_parser = parse_number)]
    load_base: Option<u64>,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The forms of the report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people.
    Text,
    /// One JSON object, for programs.
    Json,
}

impl TriageStacks {
    /// Compares the lists and names what explains their differences.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let mut program = Program::open(&self.binary)?;
        let observed = stacks::read(&self.observed)?;
        let expected = stacks::read(&self.expected)?;
        let base = match self.load_base {
            Some(address) => {
                program.load_at(address);
                Ok(LoadBase { address, fits: None })
            }
            None => stacks::work_out(&mut program, &expected.list),
        };
        let lists = Comparison::new(&program, &observed, &expected);
        // Lists that agree need no base.
        let base = if lists.agrees() { base.ok() } else { Some(base?) };
        let report = stacks::triage(&program, &lists);
        let exit = match () {
            () if !lists.agrees() => Exit::Findings,
            () if lists.pairs.is_empty() => Exit::NothingCompared,
            () => Exit::Agree,
        };
        let path = |path: &PathBuf| path.display().to_string();
        let (binary, observed_path, expected_path) =
            (path(&self.binary), path(&self.observed), path(&self.expected));
        let triage = StackTriage {
            program: &program,
            path: &binary,
            observed: StackList { path: &observed_path, stacks: &observed },
            expected: StackList { path: &expected_path, stacks: &expected },
            base,
            lists: &lists,
            report: &report,
        };
        let mut out = common.output(self.output.as_deref())?;
        match self.format {
            Form::Text => triage.text(&mut out, common.quiet)?,
            Form::Json => writeln!(out, "{}", triage.json(exit.code()))?,
        }
        out.flush()?;
        Ok(exit)
    }
}
