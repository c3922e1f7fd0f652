//! The subcommand: exit codes, what is listed, what is counted.

use std::process::{Command, Output};

use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cfidiff"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it is UTF-8")
}

const SHADOWED: &str = "corpus/cases/header/hdr-zero-length";
const SOUND: &str = "tests/data/image/linked.so";

#[test]
fn errors_are_findings_and_warnings_when_strict() {
    assert_eq!(run(&["invariants", SOUND]).status.code(), Some(0));
    assert_eq!(run(&["invariants", SHADOWED]).status.code(), Some(1));
    // Its table cannot be searched, which is a warning.
    let warned = "corpus/cases/header/hdr-04-udata8";
    assert_eq!(run(&["invariants", warned]).status.code(), Some(0));
    assert_eq!(run(&["invariants", "--strict", warned]).status.code(), Some(1));
    assert_eq!(run(&["invariants", "no-such-file"]).status.code(), Some(2));
    assert_eq!(run(&["invariants", "corpus/README.md"]).status.code(), Some(2));
    // A finding weighs more than an input that cannot be read.
    assert_eq!(run(&["invariants", SHADOWED, "no-such-file"]).status.code(), Some(1));
    assert_eq!(run(&["invariants"]).status.code(), Some(2), "a path is wanted");
}

#[test]
fn a_report_lists_what_weighs_enough_and_counts_all() {
    let lines = |least: &str| -> Vec<Value> {
        let output = run(&["invariants", "--severity", least, "--format", "jsonl", SHADOWED]);
        text(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let keys = |lines: &[Value]| -> Vec<String> {
        lines.iter().filter_map(|line| Some(line["key"].as_str()?.to_owned())).collect()
    };
    assert_eq!(keys(&lines("error")), ["hdr.shadowed-by-empty-fde"]);
    let all = lines("info");
    assert!(keys(&all).contains(&"fde.empty".to_owned()), "{all:?}");
    assert_eq!(all.last(), lines("error").last(), "the sum is the same");
    let sum = all.last().expect("a last line");
    assert_eq!((sum["type"].as_str(), &sum["exit"]), (Some("survey"), &Value::from(1)));
    let counted = sum["broken"].as_array().expect("a list");
    assert_eq!(counted.len(), keys(&all).len());
    let shadowed = &all[0];
    assert_eq!(shadowed["places"][0]["address"], "0x1010");
    assert_eq!(shadowed["count"], 1);
}

#[test]
fn text_says_what_was_found_and_why_it_matters() {
    let said = text(&run(&["invariants", SHADOWED]));
    for words in [
        "error hdr.shadowed-by-empty-fde corpus/cases/header/hdr-zero-length .eh_frame_hdr+0x",
        "    found   the search for 0x1010 ends at the FDE of 0x1010..0x1010 at 0x30;",
        "(LSB exception frame header: binary search table)",
        "    repro   cfidiff invariants corpus/cases/header/hdr-zero-length",
        "1 error, 0 warnings",
    ] {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
}

/// Of the case itself it is not asked: it has its expected answer beside it.
#[test]
fn check_tells_of_errors_unless_it_is_told_not_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = folder.path().join("shadowed");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/").to_owned() + SHADOWED, &alone).expect("a copy");
    let alone = alone.to_str().expect("a path in UTF-8");
    let check = |arguments: &[&str]| {
        let output = run(&[&["check", "--reader", "gimli", alone], arguments].concat());
        (output.status.code(), text(&output))
    };
    for (strict, expected) in [(&[][..], 0), (&["--strict"][..], 1)] {
        let (code, said) = check(strict);
        assert_eq!(code, Some(expected), "{said}");
        for words in ["error hdr.shadowed-by-empty-fde", "1 broken invariant"] {
            assert!(said.contains(words), "no {words:?} in\n{said}");
        }
    }
    let (code, said) = check(&["--no-invariants"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = check(&["--sections", ".debug_frame"]);
    assert_eq!(code, Some(4), "the header belongs to .eh_frame: {said}");
}
