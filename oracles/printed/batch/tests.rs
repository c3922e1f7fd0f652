//! What becomes of the other files of a process that runs out of time.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use cfidiff_model::{Case, Entry, Outcome, Says, Section};

use super::read;
use crate::printed::testing::{self, Kept};
use crate::printed::{Dialect, Printer, Special, Taken};
use crate::process::{Errors, Limits};
use crate::usage::Meter;

/// Notes the names of its files in `log`, then prints a heading and an empty section of each. It hangs on files that
/// hold something.
const SCRIPT: &str = r#"
log=$1; shift
for file; do echo "${file##*/}"; done | paste -sd' ' - >>"$log"
for file; do
    echo "file $file"
    if [ -s "$file" ]; then exec sleep 60; fi
    echo "section .eh_frame"
done"#;

struct Script {
    log: PathBuf,
    meter: Meter,
}

impl Printer for Script {
    type Dialect<'p> = Headings;

    fn name(&self) -> &str {
        "script"
    }
    fn limits(&self) -> Limits {
        Limits { time: Duration::from_secs(2), output: 1 << 20 }
    }
    fn meter(&self) -> &Meter {
        &self.meter
    }
    fn files_per_process(&self) -> usize {
        100
    }
    fn command(&self, _pass: usize) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "script"]).arg(&self.log);
        command
    }
    fn errors(&self) -> Errors {
        Errors::Apart
    }
    fn says(&self, _pass: usize) -> Says {
        Says::RECORDS
    }
    fn dialect(&self, _pass: usize, _first: &Case) -> Headings {
        Headings
    }
}

/// A dialect without records.
struct Headings;

impl Dialect for Headings {
    fn special<'l>(&mut self, line: &'l [u8]) -> Option<Special<'l>> {
        if let Some(name) = line.strip_prefix(b"file ") {
            return Some(Special::File {
                names: [Cow::Borrowed(name), Cow::Borrowed(name)],
                unsupported: None,
            });
        }
        line.strip_prefix(b"section ").map(Special::Section)
    }
    fn begin(&mut self, _section: &Section, _case: &Case) {}
    fn line(&mut self, _line: &[u8], _deliver: &mut dyn FnMut(&Entry)) -> Taken {
        Taken::Not
    }
    fn odd(&mut self, _line: &[u8]) -> Taken {
        Taken::Not
    }
    fn complain(&mut self, _words: &[u8]) {}
    fn give_up(&mut self, _line: &[u8]) {}
    fn end(&mut self, _complete: bool, _deliver: &mut dyn FnMut(&Entry)) -> Outcome {
        Outcome::Answered
    }
}

/// Otherwise each of them that hangs as well would cost the time of all that are left.
#[test]
fn after_a_process_ran_out_of_time_each_file_left_is_asked_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let files = [("a", ""), ("b", "hangs"), ("c", ""), ("d", "hangs"), ("e", "")];
    let cases = files.map(|(name, contents)| {
        let path = folder.path().join(name);
        fs::write(&path, contents).expect("the file can be written");
        let mut case = testing::case();
        case.sections.truncate(1);
        Case { path: Some(path), ..case }
    });
    let mut kept = Kept::default();
    read(&Script { log: log.clone(), meter: Meter::default() }, 0, &cases, &mut kept);
    let starts = fs::read_to_string(log).expect("it was started");
    assert_eq!(starts.lines().collect::<Vec<_>>(), ["a b c d e", "b", "c", "d", "e"]);
    for (index, (name, contents)) in files.iter().enumerate() {
        let outcome = &kept.cases[&index];
        if contents.is_empty() {
            assert_eq!(outcome, &Outcome::Answered, "{name}");
        } else {
            let Outcome::Failed(why) = outcome else { panic!("{name}: {outcome:?}") };
            assert!(why.starts_with("script ran out of time after 2s"), "{name}: {why}");
        }
    }
    assert!(kept.is_closed());
}
