//! llvm-readelf as a reader, every installed version by itself: it is run on many files at once and its text is
//! parsed.
//!
//! It reads `.eh_frame` by the code of llvm-dwarfdump and prints it in its own way: addresses in place of offsets,
//! numbers in place of registers' names, and no rows. Before that it reads `.eh_frame_hdr`, and gives up the file
//! when the table there is not in order.

mod records;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use cfidiff_model::{Case, Says, Sink};

use self::records::Records;
use crate::llvm::{installed, version_of};
use crate::printed::{self, Printer};
use crate::process::{self, Errors, Limits};
use crate::usage::{Meter, Usage};
use crate::{Missing, Oracle, Pass};

/// The name of the tool, and what the names of its readers start with.
pub const TOOL: &str = "llvm-readelf";

/// What it says of a section.
const SAYS: Says = Says::RECORDS
    .union(Says::TERMINATORS)
    .union(Says::AUGMENTATION_STRING)
    .union(Says::CIE_FACTORS)
    .union(Says::CIE_VERSION)
    .union(Says::CIE_OF_FDE)
    .union(Says::RANGE)
    .union(Says::INSTRUCTIONS)
    .union(Says::INSTRUCTION_FORMS);

/// llvm-readelf of one version.
#[derive(Clone, Debug)]
pub struct LlvmReadelf {
    name: String,
    program: OsString,
    version: String,
    /// The wall time that one process may take for all its files. [`process::TIME_OUT`] unless set; large files have more.
    pub time_limit: Duration,
    /// The bytes that one process may print. 64 GiB unless set: a large library gives a few hundred megabytes.
    pub output_limit: u64,
    /// What its processes take.
    meter: Arc<Meter>,
    /// How many files are read by one process. 200 unless set: a start costs as much as hundreds of small files.
    pub files_per_process: usize,
}

impl LlvmReadelf {
    /// All versions in `PATH`, in ascending order, each under the name that it is called by. The program without a
    /// number in its name comes first, and only when it is none of the numbered ones.
    ///
    /// # Errors
    /// For each program that is there and does not tell its version, and when there is none at all.
    pub fn probe_all() -> Vec<Result<LlvmReadelf, Missing>> {
        let programs = installed(TOOL);
        if programs.is_empty() {
            return vec![Err(missing(TOOL, "looked for llvm-readelf and llvm-readelf-VERSION: not found"))];
        }
        programs.iter().map(|(name, path)| LlvmReadelf::probe_program(name, path)).collect()
    }

    /// A program under this name for the reports.
    ///
    /// # Errors
    /// When it is missing or is not LLVM's.
    pub fn probe_program(name: &str, program: impl AsRef<OsStr>) -> Result<LlvmReadelf, Missing> {
        let program = program.as_ref();
        let version = version_of(program).map_err(|why| missing(name, &why))?;
        Ok(LlvmReadelf {
            name: name.to_owned(),
            program: program.to_owned(),
            version,
            time_limit: process::TIME_OUT,
            output_limit: 64 << 30,
            meter: Arc::default(),
            files_per_process: 200,
        })
    }
}

fn missing(name: &str, why: &str) -> Missing {
    Missing { name: name.to_owned(), why: why.to_owned(), install: "apt-get install llvm".to_owned() }
}

impl Printer for LlvmReadelf {
    type Dialect<'p> = Records;

    fn name(&self) -> &str {
        &self.name
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

    fn command(&self, _pass: usize) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--unwind");
        command
    }

    fn errors(&self) -> Errors {
        Errors::Apart
    }

    fn says(&self, _pass: usize) -> Says {
        SAYS
    }

    fn dialect(&self, _pass: usize, _first: &Case) -> Records {
        Records::new(&self.program)
    }
}

impl Oracle for LlvmReadelf {
    fn name(&self) -> &str {
        &self.name
    }

    fn tool(&self) -> &str {
        TOOL
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn passes(&self) -> &[Pass] {
        &[Pass { name: "unwind", says: SAYS }]
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
