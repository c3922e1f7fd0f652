//! Lists of expected findings: what they excuse, what is told of them, and how they are written.

use std::fs;
use std::path::PathBuf;

use crate::support::{Folder, LINKED, Run, cfidiff, linked, without_cfi};

/// A folder with a reader that takes an offset of -8 for -24: in both sections of [`LINKED`] that is one factor of a
/// CIE, one instruction, and eight rules.
struct Wrong {
    folder: Folder,
    list: PathBuf,
}

impl Wrong {
    fn new(list: &str) -> Wrong {
        let folder = Folder::new();
        let right = env!("CARGO_BIN_EXE_cfidiff");
        folder.script("wrong", &format!("{right} reader \"$1\" | sed 's/\"-0x8\"/\"-0x18\"/g'"));
        let list = folder.file("list.toml", list.as_bytes());
        Wrong { folder, list }
    }

    fn check(&self, arguments: &[&str]) -> Run {
        let mut command = cfidiff();
        command.args(["check", "--reader", "gimli", "--reader-cmd"]);
        command.arg(format!("mine={}/wrong {{file}}", self.folder.path().display()));
        command.arg("--expect").arg(&self.list).args(arguments);
        command.output().expect("the program starts").into()
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.list).expect("the list is there")
    }
}

fn entry(fields: &str) -> String {
    format!("[[expect]]\n{fields}\n")
}

const ALL: &str =
    "key = '*'\nreader = 'm*'\nversions = '<1'\ncase = '*.so'\nreason = 'it is made so'\nlink = 'a-link'";

#[test]
fn what_is_expected_is_a_known_fault_with_its_entry_as_cause() {
    let wrong = Wrong::new(&entry(ALL));
    let run = wrong.check(&["-v", "--strict", LINKED]);
    run.exits(0).says("known-fault row.register-rule ").says("    reason  it is made so (a-link)");
    let cause = format!("known-fault {}:1: 20 findings of mine", wrong.list.display());
    run.says(&cause).says("0 unexplained differences");
    assert!(!run.stdout.contains("expectation"), "{}", run.stdout);
    let differ = run.stdout.lines().rfind(|line| line.starts_with("mine ")).expect("a line of the table");
    // Of its 8 records, the two CIEs and the six FDEs.
    assert!(
        differ.split_whitespace().eq(["mine", "0.1.0", "1", "2", "6", "41", "14", "0", "0", "0", "8", "0"])
    );
}

#[test]
fn what_no_entry_matches_is_unexplained() {
    for (from, to) in [
        ("key = '*'", "key = '{cie,instruction}.*'"),
        ("reader = 'm*'", "reader = 'g*'"),
        ("versions = '<1'", "versions = '>=1'"),
        ("case = '*.so'", "case = 'data/*.so'"),
    ] {
        let run = Wrong::new(&entry(&ALL.replace(from, to))).check(&[LINKED]);
        run.exits(1).says("differ row.register-rule ");
    }
}

#[test]
fn findings_that_are_only_counted_are_expected_too() {
    Wrong::new(&entry(ALL)).check(&["--max-findings", "1", LINKED]).exits(0).says("20 findings of mine");
}

#[test]
fn a_stale_entry_is_told_and_fails_a_strict_run() {
    let stale = entry("key = 'fde.lsda'\nreader = 'mine'\nreason = 'it was so'");
    let wrong = Wrong::new(&format!("{}{stale}", entry(ALL)));
    let words = format!("stale expectation {}:8 (fde.lsda of mine in **): ", wrong.list.display());
    wrong.check(&[LINKED]).exits(0).says(&words);
    let run = wrong.check(&["--strict", "-q", LINKED]);
    run.exits(1).says(&words).says("0 unexplained differences; 1 stale expectation (exit 1)");
    // Of a run that looks at less, nothing follows.
    let run = wrong.check(&["--strict", "--sections", ".eh_frame", LINKED]);
    run.exits(0);
    assert!(!run.stdout.contains("stale"), "{}", run.stdout);
}

#[test]
fn only_what_was_looked_at_can_be_stale() {
    let entries =
        ["reader = 'other'", "reader = 'mine'\ncase = 'another'", "reader = 'mine'\nversions = '>=9'"];
    let entries = entries.map(|fields| entry(&format!("key = 'fde.lsda'\nreason = 'so'\n{fields}")));
    let wrong = Wrong::new(&format!("{}{}", entry(ALL), entries.concat()));
    wrong.check(&["--strict", LINKED]).exits(0);
}

#[test]
fn a_reader_that_breaks_makes_nothing_stale() {
    let wrong = Wrong::new(&entry("key = 'fde.lsda'\nreader = 'mine'\nreason = 'so'"));
    let right = env!("CARGO_BIN_EXE_cfidiff");
    wrong
        .folder
        .script("wrong", &format!("case $1 in *linked.so) exit 9;; esac; exec {right} reader \"$1\""));
    let run = wrong.check(&["--strict", LINKED]);
    run.exits(3);
    assert!(!run.stdout.contains("stale"), "{}", run.stdout);
    // That it breaks can be expected as well.
    fs::write(&wrong.list, entry("key = 'section.unread'\nreader = 'mine'\nreason = 'so'")).expect("a list");
    wrong.check(&["--strict", LINKED]).exits(0);
    // So it can where there is nothing to read.
    let bare = wrong.folder.file("bare.linked.so", &without_cfi());
    wrong.check(&["--strict", LINKED, bare.to_str().expect("a path of letters")]).exits(0);
}

#[test]
fn an_entry_for_what_is_explained_already_is_needless() {
    let again = entry("key = 'row.*'\nreader = 'mine'\nreason = 'so'");
    let wrong = Wrong::new(&format!("{}{again}", entry(ALL)));
    wrong
        .check(&["--strict", LINKED])
        .exits(1)
        .says("needless expectation ")
        .says("1 needless expectation (exit 1)");
    wrong.check(&[LINKED]).exits(0).says("needless expectation ");
}

#[test]
fn a_placeholder_is_no_reason() {
    let wrong = Wrong::new(&entry(&ALL.replace("it is made so", "TODO")));
    wrong.check(&[LINKED]).exits(0).says("it has a placeholder for a reason, which is none");
    wrong.check(&["--strict", LINKED]).exits(1).says("1 unreasoned expectation (exit 1)");
}

#[test]
fn a_list_is_written_and_then_holds() {
    let wrong = Wrong::new("# A list.\n");
    fs::remove_file(&wrong.list).expect("it was there");
    let run = wrong.check(&["--update-expectations", LINKED]);
    run.exits(1).logs("list.toml: 3 entries added, 0 removed; replace 3 placeholders by reasons");
    let text = wrong.text();
    for line in ["key = \"row.register-rule\"", "reader = \"mine\"", "versions = \"=0.1.0\""] {
        assert!(text.lines().any(|there| there == line), "{line}\n{text}");
    }
    assert_eq!(text.matches("reason = \"TODO: ").count(), 3, "{text}");
    wrong.check(&[LINKED]).exits(0).says("unreasoned expectation ");
    let run = wrong.check(&["--update-expectations", LINKED]);
    run.exits(0).logs("list.toml: 0 entries added, 0 removed");
    assert_eq!(wrong.text(), text);
}

#[test]
fn an_update_removes_what_is_stale_and_keeps_what_a_person_wrote() {
    let mine = entry("key = 'row.*' # rows\nreader = 'mine'\nreason = 'mine'");
    let stale = entry("key = 'fde.lsda'\nreader = 'mine'\nreason = 'so'");
    let wrong = Wrong::new(&format!("# A list.\n\n# First.\n{mine}\n# Second.\n{stale}"));
    // All findings are seen, however few are listed.
    let run = wrong.check(&["--update-expectations", "--max-findings", "0", LINKED]);
    run.exits(1).logs("2 entries added, 1 removed");
    let text = wrong.text();
    assert!(text.starts_with(&format!("# A list.\n\n# First.\n{mine}\n")), "{text}");
    assert!(
        !text.contains("lsda") && !text.contains("Second") && text.contains("cie.data-alignment-factor"),
        "{text}"
    );
}

#[test]
fn a_cluster_is_one_entry() {
    let wrong = Wrong::new("");
    let names: Vec<PathBuf> =
        (0..12).map(|number| wrong.folder.file(&number.to_string(), &linked())).collect();
    let names: Vec<&str> = names.iter().filter_map(|name| name.to_str()).collect();
    let mut arguments = vec!["--update-expectations"];
    arguments.extend(&names);
    wrong.check(&arguments).exits(1).logs("3 entries added");
    let glob = format!("case = \"{}/*\"", wrong.folder.path().display());
    assert_eq!(wrong.text().matches(&glob).count(), 3, "{}", wrong.text());
    wrong.check(&names).exits(0);
}

#[test]
fn a_list_that_cannot_be_read_is_wrong_usage() {
    let wrong = Wrong::new(&entry("key = 'rows'\nreader = 'mine'\nreason = 'so'"));
    wrong.check(&[LINKED]).exits(2).logs("list.toml:1: key \"rows\" matches no finding key");
    fs::remove_file(&wrong.list).expect("it was there");
    wrong.check(&[LINKED]).exits(2).logs("list.toml: No such file");
    let run: Run =
        cfidiff().args(["check", "--update-expectations", LINKED]).output().expect("it starts").into();
    run.exits(2).logs("--expect");
}

#[test]
fn programs_get_lines_for_entries_that_are_not_in_order() {
    let wrong = Wrong::new(&entry("key = 'fde.lsda'\nreader = 'gimli'\nreason = 'so'"));
    let run = wrong.check(&["--format", "jsonl", "--sections", ".eh_frame", LINKED]);
    assert!(run.exits(1).json().iter().all(|line| line["type"] != "expectation"));
    let run = wrong.check(&["--format", "jsonl", LINKED]);
    let lines = run.exits(1).json();
    let told: Vec<_> = lines.iter().filter(|line| line["type"] == "expectation").collect();
    assert_eq!(told.len(), 1);
    assert_eq!((&told[0]["state"], &told[0]["line"]), (&"stale".into(), &1.into()));
    let run = wrong.check(&["--format", "github", LINKED]);
    let list = wrong.list.display();
    run.says(&format!(
        "::warning file={list},line=1,title=stale expectation::{list}:1 (fde.lsda of gimli in **): "
    ));
}
