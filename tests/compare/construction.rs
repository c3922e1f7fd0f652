//! The highest rung: a case with an expected answer beside it.

use std::fs;
use std::path::PathBuf;

use cfidiff::campaign::FileReport;
use cfidiff_model::{CfaRule, Entry, EntryKind, Finding, Key, Rung, Verdict, Worth, Wrong};
use tempfile::TempDir;

use crate::support::{Fake, change_rows, path, run};

/// A CIE at 0, an FDE at 0x18 with a range of 0x20 bytes, an FDE at 0x30 with one of 0x30.
const CASE: &str = "encoding/enc-1b-pcrel-sdata4";

/// A copy of a case, with its expected answer changed.
struct Copy {
    _folder: TempDir,
    path: PathBuf,
}

impl Copy {
    fn new(change: impl Fn(String) -> String) -> Copy {
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join("case");
        fs::copy(path(CASE), &copy).expect("the case is copied");
        let expected = fs::read_to_string(format!("{}.jsonl", path(CASE).display()));
        let changed = change(expected.expect("the answer is there"));
        fs::write(folder.path().join("case.jsonl"), changed).expect("the answer is written");
        Copy { _folder: folder, path: copy }
    }

    fn read(&self, fakes: Vec<Fake>) -> FileReport {
        run(std::slice::from_ref(&self.path), fakes, usize::MAX, 1).remove(0)
    }
}

/// The same with one word of the expected answer replaced, which is there once.
fn replaced(from: &str, to: &str) -> Copy {
    Copy::new(|text| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    })
}

/// A reader that says this range of the first FDE.
fn saying(range: u64) -> Fake {
    Fake::with(move |entries: &mut Vec<Entry>| {
        let EntryKind::Fde(fde) = &mut entries[1].kind else { panic!("an FDE") };
        fde.address_range = range;
    })
}

/// The findings on the range.
fn on_range(report: &FileReport) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| finding.key == Key::FdeAddressRange).collect()
}

/// Who says what, and what that is worth.
fn told(finding: &Finding) -> Vec<(&str, &str, Worth)> {
    let told = finding.statements.iter();
    told.map(|statement| (statement.reader.as_str(), statement.says.as_str(), statement.worth)).collect()
}

const RANGE: &str = r#""address_range":"0x20""#;

#[test]
fn ours_is_as_constructed_on_the_whole_suite() {
    let cases = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/cases"));
    let mut seen = 0;
    for report in run(&[cases], vec![Fake::with(|_| {})], usize::MAX, 0) {
        assert!(report.findings.is_empty() && report.damage.is_empty(), "{report:#?}");
        seen += 1;
    }
    assert!(seen > 400, "{seen} cases");
}

#[test]
fn a_reader_that_differs_from_what_was_made_is_wrong() {
    let report =
        replaced(RANGE, RANGE).read(vec![saying(0x30).named("wrong"), Fake::with(|_| {}).named("right")]);
    let [finding] = on_range(&report)[..] else { panic!("{report:#?}") };
    assert_eq!(
        (finding.verdict, finding.wrong, finding.rung),
        (Verdict::Differ, Wrong::Reader, Rung::Construction)
    );
    assert!(finding.reason.ends_with("; the file was made for our answer"), "{}", finding.reason);
    let expected =
        [("ours", "0x20", Worth::Right), ("wrong", "0x30", Worth::Wrong), ("right", "0x20", Worth::Right)];
    assert_eq!(told(finding), expected);
    assert_eq!(finding.statements[1].why, "not as constructed");
}

#[test]
fn two_readers_that_agree_are_no_match_for_it() {
    let report = replaced(RANGE, RANGE).read(vec![saying(0x30).named("one"), saying(0x30).named("other")]);
    for finding in on_range(&report) {
        assert_eq!((finding.wrong, finding.rung), (Wrong::Reader, Rung::Construction));
    }
    assert_eq!(on_range(&report).len(), 2);
}

#[test]
fn ours_is_wrong_when_the_file_was_made_for_another_answer() {
    let copy = replaced(RANGE, r#""address_range":"0x30""#);
    // Nobody differs from ours, and all are wrong.
    let report = copy.read(vec![Fake::with(|_| {})]);
    let [finding] = on_range(&report)[..] else { panic!("{report:#?}") };
    assert_eq!(finding.reader, Finding::EXPECTED);
    assert_eq!(
        (finding.verdict, finding.wrong, finding.rung),
        (Verdict::Differ, Wrong::Ours, Rung::Construction)
    );
    assert_eq!((finding.ours.as_str(), finding.theirs.as_str(), finding.offset.0), ("0x20", "0x30", 0x18));
    assert_eq!(told(finding), [("ours", "0x20", Worth::Wrong), ("expected answer", "0x30", Worth::Right)]);
    // A reader that has it right is told of, and nothing else.
    let report = copy.read(vec![saying(0x30).named("right"), Fake::with(|_| {}).named("wrong")]);
    let [finding] = on_range(&report)[..] else { panic!("{report:#?}") };
    assert_eq!((finding.reader.as_str(), finding.wrong), ("right", Wrong::Ours));
    let expected =
        [("ours", "0x20", Worth::Wrong), ("right", "0x30", Worth::Right), ("wrong", "0x20", Worth::Wrong)];
    assert_eq!(told(finding), expected);
    // Both can be wrong.
    let report = copy.read(vec![saying(0x40).named("other")]);
    let [finding] = on_range(&report)[..] else { panic!("{report:#?}") };
    assert_eq!((finding.wrong, finding.rung), (Wrong::Both, Rung::Construction));
    let expected = [
        ("ours", "0x20", Worth::Wrong),
        ("other", "0x40", Worth::Wrong),
        ("expected answer", "0x30", Worth::Right),
    ];
    assert_eq!(told(finding), expected);
}

#[test]
fn records_that_only_one_of_both_has_are_told() {
    let last = |text: String| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.pop();
        lines.join("\n")
    };
    let report = Copy::new(last).read(vec![Fake::with(|_| {})]);
    let told = |report: &FileReport| {
        let findings = report.findings.iter();
        findings.map(|finding| (finding.key, finding.offset.0, finding.wrong)).collect::<Vec<_>>()
    };
    assert_eq!(told(&report), [(Key::EntryMissing, 0x30, Wrong::Ours)]);
    let more = |text: String| {
        format!(
            r#"{text}{{"type":"entry","kind":"terminator","offset":"0x48","length":"0x0","format":"32"}}"#
        )
    };
    let report = Copy::new(more).read(vec![Fake::with(|_| {})]);
    assert_eq!(told(&report), [(Key::EntryExtra, 0x48, Wrong::Ours)]);
}

#[test]
fn nobody_is_wrong_on_what_is_left_to_the_reader() {
    let copy = replaced(RANGE, r#""free":["address_range"]"#);
    let report = copy.read(vec![saying(0x30)]);
    let [finding] = on_range(&report)[..] else { panic!("{report:#?}") };
    assert_eq!(
        (finding.verdict, finding.wrong, finding.rung),
        (Verdict::Open, Wrong::Nobody, Rung::Construction)
    );
    assert_eq!(finding.cause, "left-to-the-reader");
    assert_eq!(told(finding), [("ours", "0x20", Worth::Open), ("fake", "0x30", Worth::Open)]);
    let records = report.cases[0].readers[0].records;
    assert_eq!((report.findings.len(), records.differ, records.open), (1, 0, 1));
}

#[test]
fn nobody_is_wrong_where_accepted_readings_differ() {
    let copy = Copy::new(|text| {
        let readings = r#""type":"case","readings":[{"name":"a","why":""},{"name":"b","why":""}]"#;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[0] = lines[0].replace(r#""type":"case""#, readings);
        let fde = lines.iter().position(|line| line.contains(RANGE)).expect("an FDE");
        let of = |name: &str| {
            lines[fde].replace(r#""type":"entry""#, &format!(r#""type":"entry","reading":"{name}""#))
        };
        let other = of("b").replace(RANGE, r#""address_range":"0x30""#);
        lines[fde] = of("a");
        lines.insert(fde + 1, other);
        lines.join("\n")
    });
    let report = copy.read(vec![saying(0x30)]);
    let [finding] = on_range(&report)[..] else { panic!("{report:#?}") };
    assert_eq!((finding.verdict, finding.wrong), (Verdict::Open, Wrong::Nobody));
    // In what the readings share there is a right and a wrong.
    let longer = Fake::with(|entries: &mut Vec<Entry>| entries[1].length += 4);
    let report = copy.read(vec![longer]);
    let [finding] = &report.findings[..] else { panic!("{report:#?}") };
    assert_eq!(
        (finding.key, finding.wrong, finding.rung),
        (Key::EntryLength, Wrong::Reader, Rung::Construction)
    );
}

#[test]
fn an_answer_that_cannot_be_used_is_damage_and_the_file_is_compared() {
    let report = replaced(RANGE, r#""address_range":32"#).read(vec![saying(0x30)]);
    let [damage] = &report.damage[..] else { panic!("{report:#?}") };
    assert!(damage.contains("case.jsonl: line 4, field address_range: "), "{damage}");
    assert_eq!(on_range(&report)[0].rung, Rung::Clause);
}

#[test]
fn lines_of_another_kind_are_no_answer() {
    for text in ["", "no JSON", r#"{"type":"finding"}"#] {
        let report = Copy::new(|_| text.to_owned()).read(vec![saying(0x30)]);
        assert!(report.damage.is_empty());
        assert_eq!(on_range(&report)[0].rung, Rung::Clause, "{text}");
    }
}

/// A source that states its rows says nothing of the rest, nor where an assembler puts them.
#[test]
fn rows_of_a_function_decide_on_rows_alone() {
    let with_cfa = |offset: u64| {
        let row = |start: u64, end: u64, offset: u64| {
            let cfa = format!(r#"{{"rule":"register_offset","register":"0x7","offset":"{offset:#x}"}}"#);
            let more =
                if start == 0x1011 { r#"{"register":"0x6","rule":"offset","offset":"-0x10"},"# } else { "" };
            let rules = format!(r#"[{more}{{"register":"0x10","rule":"offset","offset":"-0x8"}}]"#);
            format!(r#"{{"start":"{start:#x}","end":"{end:#x}","cfa":{cfa},"rules":{rules}}}"#)
        };
        let rows = format!("[{},{}]", row(0x1010, 0x1011, 8), row(0x1011, 0x1030, offset));
        let lines = [
            r#"{"type":"case","about":"rows"}"#.to_owned(),
            r#"{"type":"section","name":".eh_frame"}"#.to_owned(),
            format!(
                r#"{{"type":"function","initial_location":"0x1010","address_range":"0x20","rows":{rows}}}"#
            ),
        ];
        Copy::new(move |_| lines.join("\n"))
    };
    let other_cfa = || {
        Fake::with(|entries: &mut Vec<Entry>| {
            change_rows(&mut entries[1], |rows| {
                rows[1].cfa = CfaRule::RegisterOffset { register: 7, offset: 0x28 }
            });
        })
    };
    let told = |report: &FileReport| {
        let findings = report.findings.iter();
        findings.map(|finding| (finding.key, finding.wrong, finding.rung)).collect::<Vec<_>>()
    };
    assert_eq!(told(&with_cfa(0x20).read(vec![Fake::with(|_| {})])), []);
    let by_construction = |wrong| [(Key::RowCfaOffset, wrong, Rung::Construction)];
    assert_eq!(told(&with_cfa(0x20).read(vec![other_cfa()])), by_construction(Wrong::Reader));
    assert_eq!(told(&with_cfa(0x28).read(vec![other_cfa()])), by_construction(Wrong::Ours));
    assert_eq!(told(&with_cfa(0x30).read(vec![other_cfa()])), by_construction(Wrong::Both));
    assert_eq!(told(&with_cfa(0x28).read(vec![Fake::with(|_| {})])), by_construction(Wrong::Ours));
    let of_range = told(&with_cfa(0x20).read(vec![saying(0x30)]));
    assert_eq!(of_range, [(Key::FdeAddressRange, Wrong::Reader, Rung::Clause)]);
}
