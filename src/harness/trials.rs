//! Each case of the suite as a test, and one test more for the list of expected findings.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use cfidiff_gen::suite::{Answer, Case, Suite};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::expectations::{Expectations, Place};
use crate::harness::failure;
use crate::harness::hold::Found;
use crate::harness::subject::{self, Subject};
use crate::harness::{Reader, Unwinder};

/// With this in the environment, the test of the list rewrites it.
const UPDATE: &str = "CFIDIFF_UPDATE_EXPECTATIONS";
/// The name of the test of the list.
const LIST: &str = "expectations";

/// The suite as tests of one reader.
pub struct Harness {
    subject: Subject,
    list: Option<PathBuf>,
}

impl Harness {
    /// Tests a reader that lists the records of sections.
    pub fn new(reader: impl Reader) -> Harness {
        Harness { subject: Subject::Reader(Box::new(reader)), list: None }
    }

    /// Tests a reader that answers for single addresses.
    pub fn unwinder(unwinder: impl Unwinder) -> Harness {
        Harness { subject: Subject::Unwinder(Box::new(unwinder)), list: None }
    }

    /// Excuses what a list of expected findings names, in the form of [`crate::expectations`], with the names of cases
    /// such as `encoding/enc-1b-pcrel-sdata4` for `case`. The path counts from the package's folder.
    ///
    /// A test named `expectations` fails for each entry that is stale, without need, or has no reason. With
    /// `CFIDIFF_UPDATE_EXPECTATIONS=1` in the environment it rewrites the list instead, which need not be there before.
    pub fn expecting(mut self, list: impl Into<PathBuf>) -> Harness {
        self.list = Some(list.into());
        self
    }

    /// Runs the tests that the process's arguments ask for, and ends as `cargo test` wants it.
    pub fn run(self) -> ExitCode {
        let arguments = Arguments::from_args();
        match self.trials() {
            Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
            Err(why) => {
                eprintln!("{why}");
                ExitCode::FAILURE
            }
        }
    }

    fn trials(self) -> Result<Vec<Trial>, String> {
        let suite = Suite::build().map_err(|error| error.to_string())?;
        let list = self.list.as_deref().map(read_list).transpose()?;
        let tests = Arc::new(Tests { subject: self.subject, suite, list });
        let mut trials: Vec<Trial> = (0..tests.suite.cases().len())
            .map(|index| {
                let tests_of_case = Arc::clone(&tests);
                Trial::ignorable_test(&tests.suite.cases()[index].name, move || tests_of_case.case(index))
            })
            .collect();
        if tests.list.is_some() {
            trials.push(Trial::test(LIST, move || tests.list()));
        }
        Ok(trials)
    }
}

fn is_update() -> bool {
    env::var_os(UPDATE).is_some_and(|value| !value.is_empty() && value != "0")
}

fn read_list(path: &Path) -> Result<Expectations, String> {
    let list = if is_update() && !path.exists() {
        Expectations::parse(path, String::new())
    } else {
        Expectations::read(path)
    };
    list.map_err(|error| error.to_string())
}

/// What the tests share.
pub(super) struct Tests {
    pub subject: Subject,
    pub suite: Suite,
    pub list: Option<Expectations>,
}

impl Tests {
    /// Where the findings of a case are.
    fn place<'a>(&'a self, case: &'a Case) -> Place<'a> {
        let reader = self.subject.name();
        Place { reader, tool: reader, version: self.subject.version(), case: &case.name, path: None }
    }

    fn is_expected(&self, case: &Case, found: &Found) -> bool {
        self.list.as_ref().is_some_and(|list| list.excuse(self.place(case), found.key).is_some())
    }

    /// The test of a case.
    pub fn case(&self, index: usize) -> Result<Completion, Failed> {
        let case = &self.suite.cases()[index];
        let input = subject::input(case)?;
        let compared = self.subject.compare(case, &input);
        if compared.is_empty() {
            return Ok(Completion::ignored_with("nothing to compare: the reader reads no section of it"));
        }
        let unexpected: Vec<(&Answer, &Found)> = compared
            .iter()
            .flat_map(|section| section.found.iter().map(|found| (&case.sections[section.section], found)))
            .filter(|(_, found)| !self.is_expected(case, found))
            .collect();
        if unexpected.is_empty() {
            return Ok(Completion::Completed);
        }
        Err(failure::text(case, &input, &unexpected).into())
    }

    /// The test of the list: every entry is of use. It asks about the cases itself, since each test may be alone in its
    /// process.
    pub fn list(&self) -> Result<(), Failed> {
        let Some(list) = &self.list else { return Ok(()) };
        for case in self.suite.cases() {
            if !is_update() && !list.is_about(self.place(case)) {
                continue;
            }
            let compared = self.subject.compare(case, &subject::input(case)?);
            for found in compared.iter().flat_map(|section| &section.found) {
                list.excuse(self.place(case), found.key);
            }
            if !compared.is_empty() {
                list.saw(self.place(case));
            }
        }
        if is_update() {
            let update = list.updated().map_err(|error| error.to_string())?;
            fs::write(list.path(), &update.text)
                .map_err(|error| format!("{}: {error}", list.path().display()))?;
            println!("{}: {} entries added, {} removed", list.path().display(), update.added, update.removed);
            return Ok(());
        }
        let problems: Vec<String> = list.problems().iter().map(ToString::to_string).collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
    }
}
