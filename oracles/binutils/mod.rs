//! GNU binutils as readers: readelf and objdump are run on many files at once and their two tables are parsed.
//!
//! Both print by the same code, so that what differs is what comes before it: relocation, the knowledge of machines,
//! and how files are named. Each takes two passes, one for instructions and one for rows. The error stream is
//! merged into the output, because the tools flush before they complain: so each complaint is known to be of one
//! file, and mostly of one record.

mod complaint;
mod expression;
mod head;
mod instruction;
mod records;
mod row;
mod special;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use cfidiff_model::{Case, Says, Sink};

use self::complaint::Complaints;
use self::records::{Form, Records};
use crate::printed::{self, Printer, ask};
use crate::process::{self, Limits};
use crate::usage::{Meter, Usage};
use crate::{Missing, Oracle, Pass, versions};

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
            .union(Says::CIE_AUGMENTATION_BYTES)
            .union(Says::FDE_AUGMENTATION_BYTES)
            .union(Says::INSTRUCTIONS)
            .union(Says::INSTRUCTION_FORMS),
    },
    Pass { name: "interp", says: BOTH.union(Says::ROWS).union(Says::CIE_ROWS) },
];

/// Which of the two programs it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// GNU readelf: reads ELF files by itself.
    Readelf,
    /// GNU objdump: reads files through the library BFD, which knows the machines that it was built for.
    Objdump,
}

impl Program {
    /// The name by which it is usually called.
    pub fn name(self) -> &'static str {
        match self {
            Program::Readelf => "readelf",
            Program::Objdump => "objdump",
        }
    }

    /// The package that has it. Only one of all packages with objdump has it for every machine.
    fn install(self) -> &'static str {
        match self {
            Program::Readelf => "apt-get install binutils",
            Program::Objdump => "apt-get install binutils-multiarch",
        }
    }
}

/// GNU readelf or objdump of one version.
#[derive(Clone, Debug)]
pub struct Binutils {
    kind: Program,
    /// How the program is called.
    program: OsString,
    version: String,
    complaints: Complaints,
    /// Whether it knows how not to read separate debug files, and so would read them.
    follows_links: bool,
    /// The wall time that one process may take for all its files. [`process::TIME_OUT`] unless set; large files have more.
    pub time_limit: Duration,
    /// The bytes that one process may print. 64 GiB unless set: a large library gives a few hundred megabytes.
    pub output_limit: u64,
    /// What its processes take.
    meter: Arc<Meter>,
    /// How many files are read by one process. 200 unless set, from there on a start costs little beside the work; one of
    /// a version whose complaints are not in step with its output.
    pub files_per_process: usize,
}

impl Binutils {
    /// The program that is found by its usual name.
    ///
    /// # Errors
    /// When it is missing or is not GNU's.
    pub fn probe(kind: Program) -> Result<Binutils, Missing> {
        Binutils::probe_program(kind, kind.name())
    }

    /// The program under another name or path, for instance an older version.
    ///
    /// # Errors
    /// When it is missing or is not GNU's.
    pub fn probe_program(kind: Program, program: impl AsRef<OsStr>) -> Result<Binutils, Missing> {
        let program = program.as_ref();
        let missing = |why| Missing { name: kind.name().into(), why, install: kind.install().into() };
        let tried = |why: String| missing(format!("tried {}: {why}", program.display()));
        let ask = |question| ask(program, question, Duration::from_secs(20)).map_err(missing);
        let banner = ask("--version")?;
        let first = banner.lines().next().unwrap_or_default();
        let is_it = first.starts_with(&format!("GNU {}", kind.name()));
        let Some(version) = version_in(first).filter(|_| is_it) else {
            return Err(tried(format!("it calls itself {first:?}, not GNU {}", kind.name())));
        };
        let help = ask("--help")?;
        let usage = help.strip_prefix("Usage: ").and_then(|usage| usage.split_once(" <option(s)>"));
        let Some((own_name, _)) = usage else {
            return Err(tried("its help does not tell what it calls itself".into()));
        };
        Ok(Binutils {
            kind,
            program: program.to_owned(),
            version: version.to_owned(),
            complaints: Complaints::of_program(own_name.as_bytes()),
            follows_links: help.contains("no-follow-links"),
            time_limit: process::TIME_OUT,
            output_limit: 64 << 30,
            meter: Arc::default(),
            files_per_process: if keeps_in_step(version) { 200 } else { 1 },
        })
    }
}

/// The version in the first line of a program's banner: distributions write their name before it or behind.
fn version_in(banner: &str) -> Option<&str> {
    banner.split_whitespace().rev().find(|word| word.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// Whether what it complains of comes behind what it printed before: 2.16.1 complains at once and prints later, so that
/// nobody can tell which of several files is meant; 2.26 empties its output first.
fn keeps_in_step(version: &str) -> bool {
    versions::numbers(version).is_some_and(|numbers| numbers >= vec![2, 26])
}

/// What a pass prints.
fn form(pass: usize) -> Form {
    if pass == 0 { Form::Raw } else { Form::Interpreted }
}

impl Printer for Binutils {
    type Dialect<'p> = Records<'p>;

    fn name(&self) -> &str {
        self.kind.name()
    }

    fn limits(&self) -> Limits {
        Limits { time: self.time_limit, output: self.output_limit }
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }

    fn files_per_process(&self) -> usize {
        self.files_per_process
    }

    fn command(&self, pass: usize) -> Command {
        let mut command = Command::new(&self.program);
        let table = match (self.kind, form(pass)) {
            (Program::Readelf, Form::Raw) => "f",
            (Program::Readelf, Form::Interpreted) => "F",
            (Program::Objdump, Form::Raw) => "frames",
            (Program::Objdump, Form::Interpreted) => "frames-interp",
        };
        match self.kind {
            Program::Readelf => {
                command.arg(format!("-w{}{table}", if self.follows_links { "N" } else { "" }))
            }
            Program::Objdump => {
                let links = if self.follows_links { ",no-follow-links" } else { "" };
                command.arg(format!("--dwarf={table}{links}"))
            }
        };
        command
    }

    fn says(&self, pass: usize) -> Says {
        PASSES[pass.min(1)].says
    }

    fn dialect(&self, pass: usize, first: &Case) -> Records<'_> {
        Records::new(self.kind, form(pass), &self.complaints, first.target)
    }
}

impl Oracle for Binutils {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn passes(&self) -> &[Pass] {
        &PASSES
    }

    fn usage(&self) -> Option<Usage> {
        Some(self.meter.usage())
    }

    fn reads_files(&self) -> bool {
        true
    }

    fn read(&self, pass: usize, cases: &[Case], sink: &mut dyn Sink) {
        printed::read(self, pass, cases, sink);
    }
}
