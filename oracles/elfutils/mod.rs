//! elfutils' eu-readelf as a reader: it is run on many files at once and its text is parsed.
//!
//! Its printer decodes call frame information by code of its own, not by that of libdw: the two err in different
//! places. It gives records and instructions, no rows. What it prints of `.eh_frame_hdr` and `.gcc_except_table`
//! in between is passed over.
//!
//! In a shared object it prints addresses from the start of the file's first segment on, which is added here. The
//! targets of its advances are offsets in the file, so that only the deltas are taken.

mod expression;
mod headers;
mod instruction;
mod records;
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
pub const NAME: &str = "eu-readelf";

/// What it says of a section.
///
/// Left out: of an FDE's augmentation data it prints the LSDA pointer as written, neither its bytes nor where it
/// leads; what an encoding means is told by the augmentation data.
const SAYS: Says = Says::RECORDS
    .union(Says::TERMINATORS)
    .union(Says::PAST_TERMINATOR)
    .union(Says::AUGMENTATION_STRING)
    .union(Says::CIE_FACTORS)
    .union(Says::CIE_VERSION)
    .union(Says::ADDRESS_SIZE)
    .union(Says::SEGMENT_SIZE)
    .union(Says::CIE_AUGMENTATION_BYTES)
    .union(Says::CIE_OF_FDE)
    .union(Says::CIE_POINTER)
    .union(Says::RANGE)
    .union(Says::INSTRUCTIONS)
    .union(Says::INSTRUCTION_FORMS);

/// eu-readelf of one version.
#[derive(Clone, Debug)]
pub struct EuReadelf {
    /// How the program is called, which is also what it puts before its complaints.
    program: OsString,
    version: String,
    /// The wall time that one process may take for all its files. [`process::TIME_OUT`] unless set; large files have more.
    pub time_limit: Duration,
    /// The bytes that one process may print. 64 GiB unless set: a large library gives a few hundred megabytes.
    pub output_limit: u64,
    /// What its processes take.
    meter: Arc<Meter>,
    /// How many files are read by one process. 200 unless set: a start costs little, but many starts do not.
    pub files_per_process: usize,
}

impl EuReadelf {
    /// The program that is found by its usual name.
    ///
    /// # Errors
    /// When it is missing or is not elfutils'.
    pub fn probe() -> Result<EuReadelf, Missing> {
        EuReadelf::probe_program(NAME)
    }

    /// The program under another name or path, for instance an older version.
    ///
    /// # Errors
    /// When it is missing or is not elfutils'.
    pub fn probe_program(program: impl AsRef<OsStr>) -> Result<EuReadelf, Missing> {
        let program = program.as_ref();
        let missing = |why| Missing { name: NAME.into(), why, install: "apt-get install elfutils".into() };
        let banner = ask(program, "--version", Duration::from_secs(20)).map_err(missing)?;
        let first = banner.lines().next().unwrap_or_default();
        let version = first.split_once("(elfutils) ").map(|(_, version)| version.trim());
        let Some(version) = version else {
            let why = format!("tried {}: it calls itself {first:?}, not elfutils", program.display());
            return Err(missing(why));
        };
        Ok(EuReadelf {
            program: program.to_owned(),
            version: version.to_owned(),
            time_limit: process::TIME_OUT,
            output_limit: 64 << 30,
            meter: Arc::default(),
            files_per_process: 200,
        })
    }
}

impl Printer for EuReadelf {
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
        self.files_per_process
    }

    fn command(&self, _pass: usize) -> Command {
        let mut command = Command::new(&self.program);
        // Without -N it looks a symbol up for each address, in time quadratic in the section's size.
        command.arg("-N").arg("--debug-dump=frames");
        command
    }

    fn refuses_archive(&self, words: &str) -> bool {
        words.ends_with("not a valid ELF file")
    }

    fn says(&self, _pass: usize) -> Says {
        SAYS
    }

    fn dialect(&self, _pass: usize, first: &Case) -> Records {
        Records::new(&self.program, first.target)
    }
}

impl Oracle for EuReadelf {
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
