//! The forms of output: what programs parse, and what does not depend on how the work is done.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Folder, LINKED, cfidiff, check, forget_times, linked, run};

/// An object on which gimli does not agree: a row without a CFA rule.
const DIFFERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/image");

/// A report without what its sum says of time, as one document or line by line.
fn without_times(report: &str) -> String {
    let forgotten = |text: &str| {
        let mut value: Value = serde_json::from_str(text).ok()?;
        forget_times(&mut value);
        Some(value.to_string())
    };
    let by_line = || report.lines().map(|line| forgotten(line).unwrap_or_else(|| line.to_owned()));
    forgotten(report).unwrap_or_else(|| by_line().collect::<Vec<_>>().join("\n"))
}

#[test]
fn what_the_readers_took_is_told_beside_the_report() {
    let run = check(["--format", "jsonl", LINKED]);
    run.logs("processes  cases  CPU s  wall s  CPU ms per case\ngimli  ").logs("\ncfidiff  ");
    let summary = run.summary();
    let gimli = &summary["readers"][0];
    assert_eq!((&gimli["name"], &gimli["processes"]), (&"gimli".into(), &0.into()));
    for seconds in [&gimli["cpu_seconds"], &gimli["wall_seconds"], &summary["own_cpu_seconds"]] {
        assert!(seconds.as_f64().is_some_and(|seconds| seconds > 0.0 && seconds < 60.0), "{seconds}");
    }
    assert!(!check(["-q", LINKED]).stderr.contains("CPU"));
}

#[test]
fn json_lines_end_with_the_sum() {
    let run = check(["--format", "jsonl", LINKED]);
    assert_eq!(run.exits(0).json().len(), 1);
    let summary = run.summary();
    for (field, value) in [("files", 1), ("skipped", 0), ("unreadable", 0), ("without_cfi", 0), ("cies", 2)] {
        assert_eq!(summary[field], value, "{field}");
    }
    for (field, value) in [("fdes", 6), ("instructions", 41), ("rows", 14), ("unexplained", 0), ("exit", 0)] {
        assert_eq!(summary[field], value, "{field}");
    }
    let reader = &summary["readers"][0];
    assert_eq!(reader["name"], "gimli");
    assert_eq!((&reader["agree"], &reader["differ"], &reader["failed"]), (&8.into(), &0.into(), &0.into()));
    for (field, value) in [("cases", 1), ("cies", 2), ("fdes", 6), ("instructions", 41), ("rows", 14)] {
        assert_eq!(reader["compared"][field], value, "{field}");
    }
}

#[test]
fn the_sum_counts_the_lines_before_it() {
    let folder = Folder::new();
    let text = folder.file("notes.txt", b"no ELF file\n");
    let run = check([
        "--format".as_ref(),
        "jsonl".as_ref(),
        "--max-findings=2".as_ref(),
        text.as_os_str(),
        DIFFERS.as_ref(),
    ]);
    let lines = run.json();
    let sum = |wanted: &dyn Fn(&serde_json::Value) -> u64| lines.iter().map(wanted).sum::<u64>();
    let differ = sum(&|line| u64::from(line["type"] == "finding" && line["verdict"] == "differ"));
    let unlisted = sum(&|line| {
        let counts = line["type"] == "unlisted" && line["verdict"] == "differ";
        if counts { line["count"].as_u64().unwrap_or(0) } else { 0 }
    });
    let unreadable = sum(&|line| u64::from(line["type"] == "unreadable"));
    let summary = run.summary();
    assert_eq!(summary["unexplained"], differ + unlisted);
    assert_eq!(summary["unreadable"], unreadable);
    assert_eq!(summary["exit"].as_i64(), run.code.map(i64::from));
}

#[test]
fn a_report_goes_to_the_file_that_is_named() {
    let folder = Folder::new();
    for format in ["text", "jsonl", "json", "sarif", "github"] {
        let file = folder.path().join(format);
        let path = file.to_str().expect("a path of letters");
        let to_stdout = check(["--format", format, LINKED]);
        let to_file = check(["--format", format, "-o", path, LINKED]);
        assert_eq!(to_file.exits(0).stdout, "");
        to_file.logs("(exit 0)");
        let in_file = std::fs::read_to_string(&file).expect("the report is there");
        assert_eq!(without_times(&in_file), without_times(&to_stdout.stdout));
    }
    check(["-o", "/no/such/folder/report", LINKED]).exits(2).logs("cannot write /no/such/folder/report");
    if Path::new("/dev/full").exists() {
        check(["-o", "/dev/full", LINKED]).exits(2).logs("cannot write the report");
    }
}

#[test]
fn the_sections_that_are_named_are_compared() {
    for (sections, fdes) in [(".eh_frame", 3), (".debug_frame", 3), (".eh_frame,.debug_frame", 6)] {
        let run = check(["--format", "jsonl", "--sections", sections, LINKED]);
        assert_eq!(run.exits(0).summary()["fdes"], fdes, "{sections}");
        assert_eq!(run.summary()["readers"][0]["compared"]["fdes"], fdes, "{sections}");
    }
}

#[test]
fn the_number_of_findings_is_limited_and_what_is_left_out_is_counted() {
    let all = check(["--format", "jsonl", DIFFERS]);
    let none = check(["--format", "jsonl", "--max-findings", "0", DIFFERS]);
    assert_eq!(all.code, none.code);
    let findings =
        |run: &crate::support::Run| run.json().iter().filter(|line| line["type"] == "finding").count();
    assert_eq!(findings(&none), 0);
    let records = |run: &crate::support::Run| {
        let summary: Value = serde_json::from_str(&without_times(&run.summary().to_string())).expect("JSON");
        summary["readers"].clone()
    };
    assert_eq!(records(&all), records(&none));
    assert!(findings(&all) == 0 || none.json().iter().any(|line| line["type"] == "unlisted"));
}

#[test]
fn reports_do_not_depend_on_the_number_of_threads() {
    for (format, readers) in [
        ("text", &[][..]),
        ("jsonl", &[]),
        ("json", &["--reader", "gimli"]),
        ("sarif", &["--reader", "gimli"]),
        ("github", &["--reader", "gimli"]),
    ] {
        // How far a triage gets depends on its time.
        let arguments = [&["check", "-v", "--no-triage", "--format", format, DIFFERS], readers].concat();
        let reports: Vec<String> = ["1", "4", "0"]
            .into_iter()
            .map(|jobs| run([&arguments[..], &["--jobs", jobs]].concat()).stdout)
            .map(|report| without_times(&report))
            .collect();
        assert!(reports[0].len() > 100, "{}", reports[0]);
        assert!(reports.iter().all(|report| *report == reports[0]), "{format}");
    }
}

#[test]
fn a_pipe_that_is_closed_early_is_no_error() {
    let folder = Folder::new();
    for index in 0..300 {
        folder.file(&format!("text-{index:0200}"), b"no ELF file\n");
    }
    folder.file("lib.so", &linked());
    for arguments in [&["check", "--format", "jsonl"][..], &["check"], &["doctor"]] {
        let mut command = cfidiff();
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        if arguments[0] == "check" {
            // More than a pipe holds.
            command
                .args((0..300).map(|index| folder.path().join(format!("text-{index:0200}"))))
                .arg(folder.path());
        }
        let mut child = command.spawn().expect("the program starts");
        let mut line = String::new();
        let mut output = BufReader::with_capacity(16, child.stdout.take().expect("a pipe"));
        output.read_line(&mut line).expect("a line comes");
        drop(output);
        let errors = std::io::read_to_string(child.stderr.take().expect("a pipe")).expect("it is UTF-8");
        let status = child.wait().expect("it ends");
        assert!(!errors.contains("panicked"), "{errors}");
        assert!(!errors.contains("roken pipe"), "{errors}");
        assert!(matches!(status.code(), Some(0 | 2)), "{arguments:?}: {status}\n{errors}");
    }
}

#[test]
fn nobody_listening_to_the_log_is_no_error() {
    let folder = Folder::new();
    let names: Vec<_> = (0..2000).map(|index| folder.path().join(format!("missing-{index:0100}"))).collect();
    let mut child = cfidiff()
        .args(["check", "--reader", "gimli", LINKED])
        .args(&names)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stderr.take());
    let report = std::io::read_to_string(child.stdout.take().expect("a pipe")).expect("it is UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
    assert!(report.contains("2000 inputs cannot be read (exit 2)"), "{report}");
}

#[test]
fn color_is_there_when_asked_for() {
    let colored = |arguments: &[&str]| {
        let output = cfidiff().env_remove("NO_COLOR").arg("check").args(arguments).arg(LINKED).output();
        output.expect("the program starts").stdout.contains(&0x1b)
    };
    assert!(colored(&["--color", "always"]));
    assert!(!colored(&["--color", "never"]) && !colored(&[]));
}

#[test]
fn help_tells_the_exit_codes() {
    let help = run(["--help"]);
    for exit in cfidiff::campaign::Exit::ALL {
        help.exits(0).says(&format!("{} {}", exit.code(), exit.meaning()));
    }
}
