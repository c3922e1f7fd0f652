//! libdwarf's dwarfdump as a reader: it is run on one file at a time and its text is parsed.
//!
//! One pass gives the fields, the instructions and the rows of both sections. It prints the FDEs first, in the
//! order of their addresses, and the CIEs behind them; the FDEs are kept until then, since some operands are not
//! multiplied by the factors of their CIE. Registers are numbers. A register that a row does not list is undefined
//! or without a rule. All that it has to complain about is in its output.

mod expression;
mod instruction;
mod records;
mod row;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use cfidiff_model::{Case, Says, Sink};

use self::records::Records;
use crate::printed::{self, Printer, ask};
use crate::process::{self, Limits};
use crate::usage::{Meter, Usage};
use crate::{Missing, Oracle, Pass};

/// The name of the tool.
pub const NAME: &str = "dwarfdump";

/// What it says of a section.
///
/// Left out, since it does not print them: formats, terminators, sizes of addresses and of segment selectors, and
/// records behind a terminator, at which it stops. The augmentation data of an FDE it prints only where that is not
/// longer than the instructions behind it; else it complains in the middle of the line.
const SAYS: Says = Says::RECORDS
    .union(Says::AUGMENTATION_STRING)
    .union(Says::CIE_FACTORS)
    .union(Says::CIE_VERSION)
    .union(Says::CIE_AUGMENTATION_BYTES)
    .union(Says::CIE_OF_FDE)
    .union(Says::CIE_POINTER)
    .union(Says::RANGE)
    .union(Says::INSTRUCTIONS)
    .union(Says::INSTRUCTION_FORMS)
    .union(Says::ROWS)
    .union(Says::ROWS_OF_NOPS)
    .union(Says::ROW_EXPRESSIONS);

/// dwarfdump of one version.
#[derive(Clone, Debug)]
pub struct Dwarfdump {
    /// How the program is called.
    program: OsString,
    version: String,
    /// The wall time that it may take for one file. [`process::TIME_OUT`] unless set; large files have more.
    pub time_limit: Duration,
    /// The bytes that it may print of one file. 64 GiB unless set: a large library gives a few hundred megabytes.
    pub output_limit: u64,
    /// What its processes take.
    meter: Arc<Meter>,
}

impl Dwarfdump {
    /// The program that is found by its usual name.
    ///
    /// # Errors
    /// When it is missing or is not libdwarf's.
    pub fn probe() -> Result<Dwarfdump, Missing> {
        Dwarfdump::probe_program(NAME)
    }

    /// The program under another name or path, for instance an older version.
    ///
    /// # Errors
    /// When it is missing or is not libdwarf's.
    pub fn probe_program(program: impl AsRef<OsStr>) -> Result<Dwarfdump, Missing> {
        let program = program.as_ref();
        let missing = |why| Missing { name: NAME.into(), why, install: "apt-get install dwarfdump".into() };
        let banner = ask(program, "--version", Duration::from_secs(20)).map_err(missing)?;
        let version = banner.split_once("Package Version \"").and_then(|(_, rest)| rest.split('"').next());
        let Some(version) = version else {
            let why = format!("tried {}: it tells no version of libdwarf", program.display());
            return Err(missing(why));
        };
        Ok(Dwarfdump {
            program: program.to_owned(),
            version: version.to_owned(),
            time_limit: process::TIME_OUT,
            output_limit: 64 << 30,
            meter: Arc::default(),
        })
    }
}

impl Printer for Dwarfdump {
    type Dialect<'p> = Records;

    fn name(&self) -> &str {
        NAME
    }

    fn limits(&self) -> Limits {
        Limits { time: self.time_limit, output: self.output_limit }
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }

    fn files_per_process(&self) -> usize {
        1
    }

    fn command(&self, _pass: usize) -> Command {
        let mut command = Command::new(&self.program);
        // Without the lookup of functions' names and of debug files, each expression on one line, strings as they
        // are, both sections.
        command.args([
            "-n",
            "--no-follow-debuglink",
            "--format-expr-ops-joined",
            "--format-suppress-sanitize",
        ]);
        command.args(["-f", "-F", "-vv"]);
        command
    }

    fn says(&self, _pass: usize) -> Says {
        SAYS
    }

    fn dialect(&self, _pass: usize, first: &Case) -> Records {
        Records::new(first)
    }
}

impl Oracle for Dwarfdump {
    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn passes(&self) -> &[Pass] {
        &[Pass { name: "frames", says: SAYS }]
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
