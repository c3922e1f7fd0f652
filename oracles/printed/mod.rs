//! Programs that print what they read: run on many files at once, their text parsed as it comes.
//!
//! What such tools have in common is here: which files go into one process and what to do when it breaks
//! ([`batch`]), and whose case and section each line is of ([`stream`]). What one tool's text looks like is told
//! by its [`Dialect`].

pub(crate) mod batch;
pub(crate) mod cursor;
pub(crate) mod draft;
mod stream;
#[cfg(test)]
pub(crate) mod testing;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::process::Command;
use std::time::Duration;

use cfidiff_model::{Case, Entry, Outcome, Says, Section, Sink};

use crate::process::{self, Errors, Limits};
use crate::usage::Meter;
pub(crate) use batch::argument;
#[cfg(test)]
pub(crate) use stream::Stream;

/// A tool that is given files and prints what it reads in them.
pub(crate) trait Printer {
    /// What parses its text.
    type Dialect<'p>: Dialect
    where
        Self: 'p;

    /// Its name, for the words of a failure.
    fn name(&self) -> &str;
    /// What one process may use, for all its files.
    fn limits(&self) -> Limits;
    /// Where what its processes take is added up.
    fn meter(&self) -> &Meter;
    /// How many files are read by one process.
    fn files_per_process(&self) -> usize;
    /// The command of a pass, without its files.
    fn command(&self, pass: usize) -> Command;
    /// Whether its error stream goes into its output. A tool that does not empty its output before it complains has it
    /// apart, and the complaints are read behind the output: what ends such a tool is of the file that it was at.
    fn errors(&self) -> Errors {
        Errors::Merged
    }
    /// Whether these words, the only ones on an archive, tell that it has a member which is no object file, and that the
    /// tool reads none of the others then.
    fn refuses_archive(&self, _words: &str) -> bool {
        false
    }
    /// What the pass says of a section.
    fn says(&self, pass: usize) -> Says;
    /// A parser for the output of one process, which reads this case first.
    fn dialect(&self, pass: usize, first: &Case) -> Self::Dialect<'_>;
}

/// The text of one tool, parsed line by line. It lives as long as one process does.
pub(crate) trait Dialect {
    /// Whether the line belongs to no record: `None` when it may still be the words of one.
    fn special<'l>(&mut self, line: &'l [u8]) -> Option<Special<'l>>;
    /// Why the tool prints nothing of a section of this case, when that is none of its business; `None` for all that
    /// it should. Asked for sections that had no heading.
    fn passes_over(&self, _section: &Section, _case: &Case) -> Option<&'static str> {
        None
    }
    /// Begins a section of this case.
    fn begin(&mut self, section: &Section, case: &Case);
    /// Takes one line of the section, without its line break. A record that is whole goes to `deliver`.
    fn line(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Taken;
    /// Takes a line that is neither of a record nor special.
    fn odd(&mut self, line: &[u8]) -> Taken;
    /// Takes a complaint that came within the section.
    fn complain(&mut self, words: &[u8]);
    /// Ends the section at a line that makes the rest unreliable.
    fn give_up(&mut self, line: &[u8]);
    /// Ends the section. The last record goes to `deliver` when its lines are `complete`.
    fn end(&mut self, complete: bool, deliver: &mut dyn FnMut(&Entry)) -> Outcome;
}

/// What became of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It was of a record.
    Whole,
    /// It is not whole: its first `kept` bytes go before the next line, with a line break in between if `broken`
    /// says so.
    Unfinished { kept: usize, broken: bool },
    /// It is of no record.
    Not,
}

/// A line that belongs to no record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Special<'l> {
    /// Something that the tool says besides its tables.
    Complaint(&'l [u8]),
    /// A file begins, whose name is the first of these that was asked for. With the reason why the tool cannot read
    /// it, if it says so.
    File { names: [Cow<'l, [u8]>; 2], unsupported: Option<&'static str> },
    /// A section of this name begins: the next of several.
    Section(&'l [u8]),
    /// The only section of this name that the tool shows begins: the last of several.
    LastSection(&'l [u8]),
    /// The tool says that it has nothing to show of the section of this name.
    Empty(&'l [u8]),
    /// Words that may be of any file stand in the line. It had so many bytes when they came, and goes on in the next.
    Interrupted { kept: usize },
    /// It says nothing that is needed.
    Idle,
}

/// Reads the cases in one pass.
pub(crate) fn read<P: Printer>(printer: &P, pass: usize, cases: &[Case], sink: &mut dyn Sink) {
    batch::read(printer, pass, cases, sink);
}

/// What a program prints when asked for one thing, up to a limit; else what went wrong, in words.
pub(crate) fn ask(program: &OsStr, question: &str, time_limit: Duration) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg(question);
    let limits = Limits { time: time_limit, output: 1 << 20 };
    let mut answer = Vec::new();
    let ended = process::run(command, Errors::Apart, limits, &mut |chunk| {
        answer.extend_from_slice(chunk);
        ControlFlow::Continue(())
    });
    match ended.map(|ended| ended.failure()) {
        Ok(None) => Ok(String::from_utf8_lossy(&answer).into_owned()),
        Ok(Some(failure)) => Err(format!("tried {}: with {question} it {failure}", program.display())),
        Err(error) => Err(format!("tried {}: {error}", program.display())),
    }
}
