//! GNU readelf as a reader: its program is run on many files at once and its two tables are parsed.
//!
//! It takes two passes, since `-wf` prints instructions and `-wF` prints rows. The error stream is merged into the
//! output, because the tool flushes before it complains: so each complaint is known to be of one file, and
//! mostly of one record.

mod batch;
mod complaint;
mod cursor;
mod expression;
mod head;
mod instruction;
mod lines;
mod records;
mod row;
mod stream;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::process::Command;
use std::time::Duration;

use cfidiff_model::{Case, Says, Sink};

use self::records::Form;
use crate::process::{self, Errors, Limits};
use crate::{Missing, Oracle, Pass};

/// What both tables tell.
const BOTH: Says = Says::RECORDS
    .union(Says::FORMAT)
    .union(Says::TERMINATORS)
    .union(Says::PAST_TERMINATOR)
    .union(Says::AUGMENTATION_STRING)
    .union(Says::CIE_FACTORS)
    .union(Says::ADDRESS_SIZE)
    .union(Says::CIE_OF_FDE)
    .union(Says::CIE_POINTER)
    .union(Says::SEGMENT)
    .union(Says::RANGE);

const PASSES: [Pass; 2] = [
    Pass {
        name: "raw",
        says: BOTH
            .union(Says::CIE_VERSION)
            .union(Says::SEGMENT_SIZE)
            .union(Says::AUGMENTATION_BYTES)
            .union(Says::INSTRUCTIONS)
            .union(Says::INSTRUCTION_FORMS),
    },
    Pass { name: "interp", says: BOTH.union(Says::ROWS).union(Says::CIE_ROWS) },
];

/// GNU readelf of one version.
#[derive(Clone, Debug)]
pub struct Readelf {
    /// How the program is called.
    program: OsString,
    version: String,
    /// What it calls itself in its complaints.
    own_name: String,
    /// Whether it knows how not to read separate debug files, and so would read them.
    follows_links: bool,
    /// The wall time that one process may take for all its files. 600 seconds unless set.
    pub time_limit: Duration,
    /// The bytes that one process may print. 64 GiB unless set: a large library gives a few hundred megabytes.
    pub output_limit: u64,
    /// How many files are read by one process. 200 unless set: from there on a start costs little beside the work.
    pub files_per_process: usize,
}

impl Readelf {
    /// The `readelf` that is found by its name.
    ///
    /// # Errors
    /// When it is missing or is not GNU's.
    pub fn probe() -> Result<Readelf, Missing> {
        Readelf::probe_program("readelf")
    }

    /// A readelf under another name or path, for instance an older version.
    ///
    /// # Errors
    /// When it is missing or is not GNU's.
    pub fn probe_program(program: impl AsRef<OsStr>) -> Result<Readelf, Missing> {
        let program = program.as_ref();
        let banner = ask(program, "--version")?;
        let first = banner.lines().next().unwrap_or_default();
        let version = first.split_whitespace().last().filter(|_| first.starts_with("GNU readelf"));
        let Some(version) = version else {
            return Err(missing(program, &format!("it calls itself {first:?}, not GNU readelf")));
        };
        let help = ask(program, "--help")?;
        let usage = help.strip_prefix("Usage: ").and_then(|usage| usage.split_once(" <option(s)>"));
        let Some((own_name, _)) = usage else {
            return Err(missing(program, "its help does not tell what it calls itself"));
        };
        Ok(Readelf {
            program: program.to_owned(),
            version: version.to_owned(),
            own_name: own_name.to_owned(),
            follows_links: help.contains("no-follow-links"),
            time_limit: Duration::from_secs(600),
            output_limit: 64 << 30,
            files_per_process: 200,
        })
    }

    fn limits(&self) -> Limits {
        Limits { time: self.time_limit, output: self.output_limit }
    }

    /// The command without its files.
    fn command(&self, form: Form) -> Command {
        let mut command = Command::new(&self.program);
        let follow = if self.follows_links { "N" } else { "" };
        let table = match form {
            Form::Raw => "f",
            Form::Interpreted => "F",
        };
        command.arg(format!("-w{follow}{table}"));
        command
    }
}

impl Oracle for Readelf {
    fn name(&self) -> &str {
        "readelf"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn passes(&self) -> &[Pass] {
        &PASSES
    }

    fn reads_files(&self) -> bool {
        true
    }

    fn read(&self, pass: usize, cases: &[Case], sink: &mut dyn Sink) {
        let form = if pass == 0 { Form::Raw } else { Form::Interpreted };
        let says = PASSES[pass.min(1)].says;
        batch::read(self, (form, says), cases, sink);
    }
}

/// What the program prints when asked for one thing, up to a limit.
fn ask(program: &OsStr, question: &str) -> Result<String, Missing> {
    let mut command = Command::new(program);
    command.arg(question);
    let limits = Limits { time: Duration::from_secs(20), output: 1 << 20 };
    let mut answer = Vec::new();
    let ended = process::run(command, Errors::Apart, limits, &mut |chunk| {
        answer.extend_from_slice(chunk);
        ControlFlow::Continue(())
    });
    match ended.map(|ended| ended.failure()) {
        Ok(None) => Ok(String::from_utf8_lossy(&answer).into_owned()),
        Ok(Some(failure)) => Err(missing(program, &format!("with {question} it {failure}"))),
        Err(error) => Err(missing(program, &error.to_string())),
    }
}

fn missing(program: &OsStr, why: &str) -> Missing {
    let why = format!("tried {}: {why}", program.display());
    Missing { name: "readelf", why, install: "apt-get install binutils" }
}
