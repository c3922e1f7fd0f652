//! llvm-dwarfdump as a reader, every installed version by itself: it is run on many files at once and its text
//! is parsed.
//!
//! One pass gives all that it has: the fields, the instructions and the rows of both sections. It reads a whole
//! section before it prints of it, so that one record that it cannot read costs the section. The error stream is
//! merged into the output, because the tool flushes before it complains. Registers are printed by names of its
//! own, which it is asked for first, see [`registers`].

mod expression;
pub(crate) mod instruction;
mod records;
pub(crate) mod registers;
mod row;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use cfidiff_model::{Case, Says, Sink};

use self::records::Records;
use self::registers::Registers;
use crate::printed::{self, Printer, ask};
use crate::process::{self, Limits};
use crate::usage::{Meter, Usage};
use crate::{Missing, Oracle, Pass};

/// The name of the tool, and what the names of its readers start with.
const TOOL: &str = "llvm-dwarfdump";

/// What it says of a section.
///
/// Left out, since it does not print them: the segment selector and the augmentation data of an FDE, encodings of
/// pointers, records behind a terminator, at which it stops, and rows without a CFA and without a rule.
const SAYS: Says = Says::RECORDS
    .union(Says::FORMAT)
    .union(Says::TERMINATORS)
    .union(Says::AUGMENTATION_STRING)
    .union(Says::CIE_FACTORS)
    .union(Says::CIE_VERSION)
    .union(Says::ADDRESS_SIZE)
    .union(Says::SEGMENT_SIZE)
    .union(Says::CIE_AUGMENTATION_BYTES)
    .union(Says::CIE_OF_FDE)
    .union(Says::CIE_POINTER)
    .union(Says::RANGE)
    .union(Says::LSDA)
    .union(Says::INSTRUCTIONS)
    .union(Says::INSTRUCTION_FORMS)
    .union(Says::ROWS)
    .union(Says::CIE_ROWS)
    .union(Says::UNDEFINED_RULES)
    .union(Says::ROW_EXPRESSIONS)
    .union(Says::ARCHITECTURAL_RULES);

/// llvm-dwarfdump of one version.
#[derive(Debug)]
pub struct LlvmDwarfdump {
    name: String,
    program: OsString,
    version: String,
    registers: Registers,
    /// The wall time that one process may take for all its files. [`process::TIME_OUT`] unless set; large files have more.
    pub time_limit: Duration,
    /// The bytes that one process may print. 64 GiB unless set: a large library gives a few hundred megabytes.
    pub output_limit: u64,
    /// What its processes take.
    meter: Arc<Meter>,
    /// How many files are read by one process. 200 unless set: a start costs as much as hundreds of small files.
    pub files_per_process: usize,
}

impl LlvmDwarfdump {
    /// All versions in `PATH`, in ascending order, each under the name that it is called by. The program without a
    /// number in its name comes first, and only when it is none of the numbered ones.
    ///
    /// # Errors
    /// For each program that is there and does not tell its version, and when there is none at all.
    pub fn probe_all() -> Vec<Result<LlvmDwarfdump, Missing>> {
        let programs = installed(TOOL);
        if programs.is_empty() {
            return vec![Err(missing(
                TOOL,
                "looked for llvm-dwarfdump and llvm-dwarfdump-VERSION: not found",
            ))];
        }
        programs.iter().map(|(name, path)| LlvmDwarfdump::probe_program(name, path)).collect()
    }

    /// A program under this name for the reports.
    ///
    /// # Errors
    /// When it is missing or is not LLVM's.
    pub fn probe_program(name: &str, program: impl AsRef<OsStr>) -> Result<LlvmDwarfdump, Missing> {
        let program = program.as_ref();
        let version = version_of(program).map_err(|why| missing(name, &why))?;
        Ok(LlvmDwarfdump {
            name: name.to_owned(),
            program: program.to_owned(),
            version,
            registers: Registers::of_program(program.to_owned()),
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

/// The version that a tool of LLVM tells; else what went wrong, in words.
pub(crate) fn version_of(program: &OsStr) -> Result<String, String> {
    let banner = ask(program, "--version", Duration::from_secs(20))?;
    let version = banner.split_once("LLVM version ").and_then(|(_, rest)| rest.split_whitespace().next());
    version
        .map(str::to_owned)
        .ok_or_else(|| format!("tried {}: it tells no version of LLVM", program.display()))
}

/// The programs `TOOL` and `TOOL-VERSION` in `PATH`, see [`programs`].
pub(crate) fn installed(tool: &str) -> Vec<(String, PathBuf)> {
    let folders = env::var_os("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>());
    programs(tool, &folders.unwrap_or_default())
}

/// The programs in these folders by their names, in the order of their numbers. Of two of one name the first counts,
/// as it does for a shell.
fn programs(tool: &str, folders: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let mut found: BTreeMap<Option<u32>, PathBuf> = BTreeMap::new();
    for folder in folders {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(tool)) else { continue };
            let number = rest.strip_prefix('-').and_then(|digits| digits.parse().ok());
            if (rest.is_empty() || number.is_some()) && entry.path().is_file() {
                found.entry(number).or_insert_with(|| entry.path());
            }
        }
    }
    let is_same = |one: &Path, other: &Path| fs::canonicalize(one).ok() == fs::canonicalize(other).ok();
    let plain = found.remove(&None);
    let plain = plain.filter(|plain| !found.values().any(|numbered| is_same(plain, numbered)));
    let numbered = found.into_iter().filter_map(|(number, path)| Some((format!("{tool}-{}", number?), path)));
    plain.map(|path| (tool.to_owned(), path)).into_iter().chain(numbered).collect()
}

impl Printer for LlvmDwarfdump {
    type Dialect<'p> = Records<'p>;

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
        // Both sections: `--debug-frame` is another name for it, and old versions refuse to be told both.
        command.arg("--eh-frame");
        command
    }

    fn refuses_archive(&self, words: &str) -> bool {
        words.ends_with("The file was not recognized as a valid object file")
    }

    fn says(&self, _pass: usize) -> Says {
        SAYS
    }

    fn dialect(&self, _pass: usize, first: &Case) -> Records<'_> {
        Records::new(&self.registers, first.target)
    }
}

impl Oracle for LlvmDwarfdump {
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
        &[Pass { name: "eh-frame", says: SAYS }]
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
