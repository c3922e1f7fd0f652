//! `cfidiff triage` on readers that are ours but for one number: what it says, in each form, and the report that it writes.

use std::fs;

use serde_json::Value;

use crate::support::{Folder, Run, cfidiff};

const CFIDIFF: &str = env!("CARGO_BIN_EXE_cfidiff");
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/cases");

/// The row behind restore_state keeps the CFA that was changed since: what remembered-without-cfa says of this case.
const FORGETS_CFA: &str = r#"s/\("0x1013","end":"0x1050","cfa":{[^}]*"offset":\)"0x10"/\1"0x20"/"#;
/// Every FDE is said to cover three bytes more.
const LONGER: &str =
    r#"s/"address_range":"0x40"/"address_range":"0x43"/; s/"address_range":"0x20"/"address_range":"0x23"/"#;

/// A reader that is ours but for what the script makes of its lines.
fn reader(folder: &Folder, script: &str) -> String {
    folder.script("reader", &format!("{CFIDIFF} reader \"$1\" | sed '{script}'"));
    format!("mine={}/reader {{file}}", folder.path().display())
}

fn triage(folder: &Folder, script: &str, arguments: &[&str]) -> Run {
    let reader = reader(folder, script);
    let case = format!("{CORPUS}/state/op-rs-cfa");
    // With a name given, only that reader is asked beside ours: gimli, which is right here.
    let options = ["triage", "--reader", "gimli", "--reader-cmd", &reader, &case];
    cfidiff().args(options).args(arguments).output().expect("the program starts").into()
}

#[test]
fn a_known_mistake_is_shown_where_it_shows() {
    let folder = Folder::new();
    let run = triage(&folder, FORGETS_CFA, &[]);
    run.exits(1)
        .says("gimli 0.34")
        .says("no difference to explain")
        .says("diagnosis remembered-without-cfa")
        .says("The reader restores the registers alone at restore_state. It should restore the CFA rule as well.")
        .says("explains  1 of 1 difference, 0 remain")
        .says("00000033  0b                       DW_CFA_restore_state")
        .says("differs  row                     ours    0x1013..0x1050 cfa=rsp+16")
        .says("0x1013..0x1050 cfa=rsp+32")
        .says("repro     cfidiff check --reader-cmd 'mine=");
    assert!(!run.stdout.contains("  same  "), "what is the same stands in the first list: {}", run.stdout);
    let quiet = triage(&folder, FORGETS_CFA, &["-q"]);
    assert!(!quiet.stdout.contains("00000033"), "{}", quiet.stdout);
}

#[test]
fn what_no_fault_explains_is_told_by_its_shape() {
    let folder = Folder::new();
    triage(&folder, LONGER, &[])
        .exits(1)
        .says("unexplained 2 of 2 differences")
        .says("shape     constant in fde.address-range: theirs = ours + 0x3 (2 of 2)")
        .says("differs  address range           ours    0x20");
}

#[test]
fn the_document_is_a_list_with_an_object_for_each_reader() {
    let folder = Folder::new();
    let run = triage(&folder, FORGETS_CFA, &["--format", "json"]);
    let list: Value = serde_json::from_str(&run.exits(1).stdout).expect("JSON");
    let names: Vec<&str> =
        list.as_array().expect("a list").iter().filter_map(|r| r["reader"].as_str()).collect();
    assert_eq!(names, ["gimli", "mine"]);
    assert_eq!(list[0]["differences"], 0);
    let found = &list[1]["diagnoses"][0];
    assert_eq!(found["exact"], true);
    assert_eq!(found["faults"][0]["name"], "remembered-without-cfa");
    assert_eq!((&found["explained"], &found["contradicted"]), (&1.into(), &0.into()));
    assert_eq!(found["evidence"][0]["offset"], "0x18");
    let none = cfidiff().args(["triage", "--format", "json", "no-such-file"]).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&none.stdout), "[]\n");
}

#[test]
fn a_report_for_the_authors_has_the_case_and_is_not_overwritten() {
    let folder = Folder::new();
    let reports = folder.path().join("below/reports");
    let arguments = ["--write-report", reports.to_str().expect("letters")];
    triage(&folder, FORGETS_CFA, &arguments).exits(1);
    let written = reports.join("mine-remembered-without-cfa");
    let report = fs::read_to_string(written.join("report.md")).expect("the report");
    for words in [
        ": the reader restores the registers alone at restore_state\n",
        "It should restore the CFA rule as well: DWARF 5 section 6.4.2.4",
        "## Commands\n\nIn the folder of this report:\n\n```console\ncfidiff triage --reader-cmd ",
        "## Expected\n\n```text\nat 0x1013: cfa=rsp+16\n```",
        "## Actual\n\n```text\nat 0x1013: cfa=rsp+32\n```",
        concat!("- cfidiff ", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(report.contains(words), "no {words:?} in\n{report}");
    }
    let case = fs::read(written.join("case")).expect("the case");
    assert_eq!(case, fs::read(format!("{CORPUS}/state/op-rs-cfa")).expect("the case of the suite"));

    fs::write(written.join("report.md"), "edited").expect("it can be edited");
    let again = triage(&folder, FORGETS_CFA, &arguments);
    assert!(again.exits(2).stderr.contains("no report is overwritten"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(written.join("report.md")).expect("the report"), "edited");
}

#[test]
fn a_reader_alone_is_asked_when_it_is_named_and_its_command_is_read() {
    let folder = Folder::new();
    let reader = reader(&folder, FORGETS_CFA);
    let case = format!("{CORPUS}/state/op-rs-cfa");
    let run = |reader: &str| -> Run {
        let options = ["triage", "--format", "json", "--reader-cmd", reader, &case];
        cfidiff().args(options).output().expect("it starts").into()
    };
    let list: Value = serde_json::from_str(&run(&reader).exits(1).stdout).expect("JSON");
    assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
    for wrong in ["./mine", "=./mine", "mine="] {
        run(wrong).exits(2).logs("a name and a command are expected");
    }
}

#[test]
fn a_reader_that_breaks_is_not_taken_for_one_that_is_right() {
    let folder = Folder::new();
    let case = format!("{CORPUS}/state/op-rs-cfa");
    let run = |script: &str| -> Run {
        folder.script("broken", script);
        let reader = format!("mine={}/broken {{file}}", folder.path().display());
        cfidiff().args(["triage", "--reader-cmd", &reader, &case]).output().expect("it starts").into()
    };
    // Of the file that it is asked about first, to see whether it speaks the protocol, it does answer.
    run(&format!("case $1 in *op-rs-cfa) echo too hard >&2; exit 7;; *) {CFIDIFF} reader \"$1\";; esac"))
        .exits(3)
        .says("nothing to compare")
        .says("1 section it did not read to the end, which is no wrong answer and has no diagnosis:")
        .says("op-rs-cfa");
    // It falls silent behind its first record, without a word: that is to be explained.
    let silent = format!("{CFIDIFF} reader \"$1\" | sed '/\"kind\":\"FDE\"/d'");
    run(&silent).exits(1).says("shape     missing-fdes");
}

fn check(folder: &Folder, script: &str, arguments: &[&str]) -> Run {
    let reader = reader(folder, script);
    let case = folder.file("case", &fs::read(format!("{CORPUS}/state/op-rs-cfa")).expect("the case"));
    let options = ["check", "--reader", "gimli", "--reader-cmd", &reader];
    cfidiff().args(options).arg(case).args(arguments).output().expect("the program starts").into()
}

#[test]
fn a_check_names_the_mistake_behind_what_nothing_explains() {
    let folder = Folder::new();
    let words = "diagnosis for mine: remembered-without-cfa explains 1 of 1 difference\n    The reader restores the registers alone at";
    check(&folder, FORGETS_CFA, &[]).exits(1).says(words);
    for silent in [&["--no-triage"][..], &["-q"]] {
        let run = check(&folder, FORGETS_CFA, silent);
        assert!(!run.exits(1).stdout.contains("remembered-without-cfa"), "{}", run.stdout);
    }
    let lines = check(&folder, FORGETS_CFA, &["--format", "jsonl"]).json();
    let found: Vec<&Value> = lines.iter().filter(|line| line["type"] == "triage").collect();
    assert_eq!(found.len(), 1, "the right reader has none");
    assert_eq!((&found[0]["reader"], &found[0]["explained"]), (&"mine".into(), &1.into()));
    check(&folder, LONGER, &[])
        .exits(1)
        .says("no known mistake explains 2 of 2 differences of mine")
        .says("shape     constant in fde.address-range: theirs = ours + 0x3 (2 of 2)");
    let right = check(&folder, "", &["--format", "jsonl"]);
    assert!(right.exits(0).json().iter().all(|line| line["type"] != "triage"), "{}", right.stdout);
}
