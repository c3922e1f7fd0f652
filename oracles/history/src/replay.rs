//! One version on the whole suite, and what a pair's two versions show.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use cfidiff::campaign::{self, Plan, Settings};
use cfidiff::compare::Judge;
use cfidiff::image;
use cfidiff_model::{Finding, SectionKind, Verdict};
use cfidiff_oracles::Oracle;
use cfidiff_oracles::binutils::{Binutils, Program};
use cfidiff_oracles::external::External;
use cfidiff_oracles::llvm::LlvmDwarfdump;

use crate::install::Installed;
use crate::pairs::{Control, Pair, globs};

/// How long a reader may take for one file, and a tool that reads many files for some of them. All are small, and some
/// old ones hang.
const TIME_OUT: Duration = Duration::from_secs(10);
/// How many files one process of a tool reads: few, so that one which hangs is found soon.
const FILES: usize = 50;
/// More findings than a case of the suite can have.
const FINDINGS: usize = 10_000;

/// What one version made of the suite, by the case's name `topic/name`.
pub type Answers = BTreeMap<String, CaseAnswer>;

/// What one version made of one case.
#[derive(Debug, Default)]
pub struct CaseAnswer {
    /// Whether some CIE or FDE of it was compared.
    pub compared: bool,
    /// How it differs.
    pub findings: Vec<Finding>,
}

/// Asks one version about all cases below a folder.
///
/// The lists of known faults and open questions say what each finding is called, and excuse nothing here.
///
/// # Errors
/// When the version cannot be asked at all.
pub fn ask(reader: &str, installed: &Installed, cases: &Path) -> anyhow::Result<Answers> {
    let readers = [oracle(reader, installed)?];
    let known = cfidiff_oracles::known::load().map_err(anyhow::Error::msg)?;
    let settings = Settings {
        readers: &readers,
        judge: &Judge::new(known),
        image: image::Options { debug_files: false, ..image::Options::default() },
        sections: vec![SectionKind::EhFrame, SectionKind::DebugFrame],
        max_findings: FINDINGS,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut answers = Answers::new();
    campaign::run(&Plan::new(&[cases.to_owned()]), &settings, |file| {
        let name = file.path.strip_prefix(cases).unwrap_or(&file.path).to_string_lossy().into_owned();
        let tallies = file.cases.iter().flat_map(|case| &case.readers);
        let compared = tallies.map(|tally| tally.compared.cies + tally.compared.fdes).sum::<u64>() > 0;
        answers.insert(name, CaseAnswer { compared, findings: file.findings });
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
            (readelf.time_limit, readelf.files_per_process) = (TIME_OUT, FILES);
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
    })
}

/// The package of Debian with an llvm-dwarfdump of this name.
fn package(program: &std::ffi::OsStr) -> String {
    program.to_string_lossy().replace("-dwarfdump", "")
}

/// What a pair came to.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Outcome {
    /// How many findings of the expected keys the bad version has on the pair's cases.
    pub findings: u64,
    /// On how many cases.
    pub on_cases: usize,
    /// The first of those, `topic/name section+offset key`.
    pub first: Option<String>,
    /// How many such findings the good version has.
    pub of_good: u64,
    /// What is not as it has to be; empty when all is.
    pub wrong: Vec<String>,
}

impl Outcome {
    /// Whether the bad version was flagged on each case, and the good one on none.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }
}

/// Holds a pair's expectation against what its two versions answered.
///
/// # Errors
/// When a glob of the pair is none.
pub fn judge(pair: &Pair, bad: &Answers, good: &Answers) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome { findings: 0, on_cases: 0, first: None, of_good: 0, wrong: Vec::new() };
    let expected = |answer: &CaseAnswer| -> Vec<Finding> {
        let is_expected = |finding: &&Finding| pair.keys.iter().any(|key| key == finding.key.name());
        answer.findings.iter().filter(is_expected).cloned().collect()
    };
    for (glob, pattern) in globs(&pair.cases)?.iter().zip(&pair.cases) {
        let mut names = bad.keys().filter(|name| glob.is_match(name)).peekable();
        if names.peek().is_none() {
            outcome.wrong.push(format!("the suite has no case {pattern}"));
        }
        for name in names {
            let found = bad.get(name).map(expected).unwrap_or_default();
            if found.is_empty() {
                outcome.wrong.push(format!("{} is not flagged on {name}", pair.bad));
            } else {
                outcome.on_cases += 1;
            }
            outcome.findings += found.len() as u64;
            if outcome.first.is_none() {
                outcome.first = found.first().map(|finding| place(name, finding));
            }
            let answer = good.get(name);
            let of_good = answer.map(expected).unwrap_or_default();
            if let Some(finding) = of_good.first() {
                outcome.wrong.push(format!("{} is flagged as well: {}", pair.good, place(name, finding)));
            }
            outcome.of_good += of_good.len() as u64;
            if answer.is_none_or(|answer| !answer.compared) {
                outcome.wrong.push(format!("nothing of {} was compared on {name}", pair.good));
            }
        }
    }
    Ok(outcome)
}

/// Holds a control against what its two versions answered: no finding on its cases may be unexplained.
///
/// # Errors
/// When a glob of the control is none.
pub fn judge_control(control: &Control, old: &Answers, new: &Answers) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome { findings: 0, on_cases: 0, first: None, of_good: 0, wrong: Vec::new() };
    for (glob, pattern) in globs(&control.cases)?.iter().zip(&control.cases) {
        for (version, answers) in [(&control.old, old), (&control.new, new)] {
            let mut compared = 0;
            for (name, answer) in answers.iter().filter(|(name, _)| glob.is_match(name)) {
                // A refusal is an answer too, and is judged below.
                compared += usize::from(answer.compared || !answer.findings.is_empty());
                let is_trouble =
                    |finding: &&Finding| matches!(finding.verdict, Verdict::Differ | Verdict::OracleFailed);
                for finding in answer.findings.iter().filter(is_trouble) {
                    outcome.of_good += 1;
                    outcome.wrong.push(format!("{version} is flagged: {}", place(name, finding)));
                }
            }
            if compared == 0 {
                outcome.wrong.push(format!("nothing of {version} was compared on {pattern}"));
            }
            outcome.on_cases += compared;
        }
    }
    Ok(outcome)
}

/// Where a finding is, in short.
fn place(case: &str, finding: &Finding) -> String {
    format!("{case} {}+{} {}", finding.section, finding.offset, finding.key.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::Table;
    use cfidiff_model::{Key, SectionOffset};

    fn finding(key: Key, verdict: Verdict) -> Finding {
        let (section, offset, count) = (".eh_frame".to_owned(), SectionOffset(0x18), 1);
        let [reader, file, ours, theirs, cause, reason, repro] = <[String; 7]>::default();
        Finding { key, verdict, reader, file, section, offset, ours, theirs, cause, reason, repro, count }
    }

    fn answers(findings: &[(&str, Key, Verdict)]) -> Answers {
        let mut answers = Answers::new();
        for name in ["state/one", "state/two", "row/other"] {
            answers.insert(name.to_owned(), CaseAnswer { compared: true, findings: Vec::new() });
        }
        for (name, key, verdict) in findings {
            answers.entry((*name).to_owned()).or_default().findings.push(finding(*key, *verdict));
        }
        answers
    }

    fn pair() -> Pair {
        let mut pair = Table::load().unwrap().pair.remove(0);
        pair.cases = vec!["state/*".to_owned()];
        pair.keys = vec![Key::RowCfa.name().to_owned()];
        pair
    }

    #[test]
    fn a_pair_is_right_when_each_case_flags_the_bad_version_alone() {
        let known = Verdict::KnownFault;
        let bad = answers(&[("state/one", Key::RowCfa, known), ("state/two", Key::RowCfa, Verdict::Open)]);
        // Another key, and another case, are not what the pair is about.
        let good = answers(&[("state/one", Key::EntryMissing, known), ("row/other", Key::RowCfa, known)]);
        let outcome = judge(&pair(), &bad, &good).unwrap();
        assert!(outcome.is_right(), "{outcome:?}");
        assert_eq!((outcome.findings, outcome.on_cases, outcome.of_good), (2, 2, 0));
        assert_eq!(outcome.first.as_deref(), Some("state/one .eh_frame+0x18 row.cfa"));
    }

    #[test]
    fn a_case_without_a_finding_a_flagged_good_version_and_a_silent_one_are_told() {
        let one = [("state/one", Key::RowCfa, Verdict::Differ)];
        let wrong = |bad: &Answers, good: &Answers| judge(&pair(), bad, good).unwrap().wrong;
        let missed = wrong(&answers(&one), &answers(&[]));
        assert!(missed.len() == 1 && missed[0].contains("not flagged on state/two"), "{missed:?}");
        let both = [one[0], ("state/two", Key::RowCfa, Verdict::Differ)];
        let flagged = wrong(&answers(&both), &answers(&one));
        assert!(flagged.len() == 1 && flagged[0].contains("flagged as well: state/one"), "{flagged:?}");
        let mut silent = answers(&[]);
        silent.get_mut("state/two").unwrap().compared = false;
        let unheard = wrong(&answers(&both), &silent);
        assert!(unheard.len() == 1 && unheard[0].contains("was compared on state/two"), "{unheard:?}");
    }

    #[test]
    fn a_control_may_be_open_and_not_unexplained() {
        let mut control = Table::load().unwrap().control.remove(0);
        control.cases = vec!["state/*".to_owned()];
        let open = answers(&[("state/one", Key::RowCfa, Verdict::Open)]);
        assert!(judge_control(&control, &open, &answers(&[])).unwrap().is_right());
        let differs = answers(&[("state/one", Key::RowCfa, Verdict::Differ)]);
        assert_eq!(judge_control(&control, &open, &differs).unwrap().of_good, 1);
    }
}
