//! One version on the whole suite: what it is flagged for, case by case.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anyhow::{anyhow, bail};
use cfidiff::campaign::{self, Plan, Settings};
use cfidiff::compare::Judge;
use cfidiff::corpus::verdict;
use cfidiff::image;
use cfidiff_model::{Finding, SectionKind, Verdict};
use cfidiff_oracles::Oracle;
use cfidiff_oracles::binutils::{Binutils, Program};
use cfidiff_oracles::external::External;
use cfidiff_oracles::llvm::LlvmDwarfdump;

use crate::install::Installed;
use crate::link;

/// How long a reader may take for one file, and a tool that reads many files for some of them. All are small, and some
/// old ones hang.
const TIME_OUT: Duration = Duration::from_secs(30);
/// How many files one process of a tool reads: few, so that one which hangs is found soon.
const FILES: usize = 50;
/// More findings than a case of the suite can have.
const FINDINGS: usize = 10_000;

/// What one version made of the suite, by the case's name `topic/name`.
pub type Answers = BTreeMap<String, CaseAnswer>;

/// What one version made of one case.
#[derive(Debug, Default)]
pub struct CaseAnswer {
    /// Whether some CIE or FDE of it was compared; of a linker, whether it linked some FDE.
    pub compared: bool,
    /// What it is flagged for.
    pub flags: Vec<Flag>,
    /// The verdict with its causes, as lists of verdicts have it; empty of a linker.
    pub verdict: String,
}

impl CaseAnswer {
    /// Whether there is anything that the version said or made. A refusal is an answer too.
    pub fn is_heard(&self) -> bool {
        self.compared || !self.flags.is_empty()
    }
}

/// A finding, or a place where an invariant is broken, of one version.
#[derive(Clone, Debug, Default)]
pub struct Flag {
    /// The key's name.
    pub key: &'static str,
    /// The name of its verdict, or severity.
    pub verdict: &'static str,
    /// Whether it is one that nothing explains, and so a trouble of a control.
    pub is_unexplained: bool,
    /// Where it is: section and offset.
    pub place: String,
    /// What is said there.
    pub words: String,
}

impl From<&Finding> for Flag {
    fn from(finding: &Finding) -> Flag {
        Flag {
            key: finding.key.name(),
            verdict: finding.verdict.name(),
            is_unexplained: matches!(finding.verdict, Verdict::Differ | Verdict::OracleFailed),
            place: format!("{}+{}", finding.section, finding.offset),
            words: format!("ours {}, theirs {}", finding.ours, finding.theirs),
        }
    }
}

/// Asks one version about all cases below a folder.
///
/// # Errors
/// When the version cannot be asked at all.
pub fn ask(reader: &str, version: &str, installed: &Installed, cases: &Path) -> anyhow::Result<Answers> {
    match installed {
        Installed::Linker(program) => link::ask(program, version, cases),
        _ => read(oracle(reader, installed)?, cases),
    }
}

/// Asks a reader about all cases below a folder.
///
/// The lists of known faults and open questions say what each finding is called, and excuse nothing here.
fn read(oracle: Box<dyn Oracle>, cases: &Path) -> anyhow::Result<Answers> {
    let reader = oracle.name().to_owned();
    let readers = [oracle];
    let known = cfidiff_oracles::known::load().map_err(anyhow::Error::msg)?;
    let settings = Settings {
        readers: &readers,
        judge: &Judge::new(known),
        image: image::Options { debug_files: false, ..image::Options::default() },
        invariants: false,
        sections: vec![SectionKind::EhFrame, SectionKind::DebugFrame],
        max_findings: FINDINGS,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut answers = Answers::new();
    campaign::run(&Plan::new(&[cases.to_owned()]), &settings, |file| {
        let name = file.path.strip_prefix(cases).unwrap_or(&file.path).to_string_lossy().into_owned();
        let tallies = file.cases.iter().flat_map(|case| &case.readers);
        let compared = tallies.map(|tally| tally.compared.cies + tally.compared.fdes).sum::<u64>() > 0;
        let flags = file.findings.iter().map(Flag::from).collect();
        answers.insert(name, CaseAnswer { compared, flags, verdict: verdict(&file, 0, &reader) });
        ControlFlow::Continue(())
    })
    .map_err(anyhow::Error::msg)?;
    Ok(answers)
}

/// An installed version as a reader of a run.
fn oracle(reader: &str, installed: &Installed) -> anyhow::Result<Box<dyn Oracle>> {
    Ok(match installed {
        Installed::Speaker(words) => {
            Box::new(External::with_words(reader, words.clone(), TIME_OUT).map_err(anyhow::Error::msg)?)
        }
        Installed::Readelf(program) => {
            let found = Binutils::probe_program(Program::Readelf, program);
            let mut readelf =
                found.map_err(|missing| anyhow!("{}; to install it: {}", missing.why, missing.install))?;
            (readelf.time_limit, readelf.files_per_process) =
                (TIME_OUT, readelf.files_per_process.min(FILES));
            Box::new(readelf)
        }
        Installed::LlvmDwarfdump(program) => {
            let found = LlvmDwarfdump::probe_program("llvm-dwarfdump", program);
            let mut llvm = found.map_err(|missing| {
                anyhow!("{}; to install it: apt-get install {}", missing.why, package(program))
            })?;
            (llvm.time_limit, llvm.files_per_process) = (TIME_OUT, FILES);
            Box::new(llvm)
        }
        Installed::Linker(program) => bail!("{} is no reader", program.to_string_lossy()),
    })
}

/// The package of Debian with an llvm-dwarfdump of this name.
fn package(program: &std::ffi::OsStr) -> String {
    program.to_string_lossy().replace("-dwarfdump", "")
}
