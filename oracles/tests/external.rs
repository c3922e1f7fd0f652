//! The user's own reader: commands that speak the protocol, and commands that do not.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use cfidiff_model::{Case, EntryKind, Outcome};
use cfidiff_oracles::Oracle;
use cfidiff_oracles::external::External;

#[expect(dead_code, reason = "no tool of the registry is asked here")]
mod support;

use support::{Kept, parse_case, write_elf};

const SECTION: &str = "
section .eh_frame 0x2000
14 00 00 00 00 00 00 00 01 7a 52 00 01 78 10 01
1b 0c 07 08 90 01 00 00
";
const HELLO: &str = r#"{"type":"reader","protocol":1,"version":"7","says":["range","instructions"]}"#;
const GOOD: &str = r#"{"type":"section","name":".eh_frame"}
{"type":"entry","kind":"CIE","offset":"0x0","length":"0x14","instructions":[{"op":"def_cfa","register":"0x7","offset":"0x8"}]}
{"type":"entry","kind":"FDE","offset":"0x18","length":"0x14","initial_location":"0x1010","address_range":"0x20","instructions":[]}
{"type":"end"}
"#;
const TIME: Duration = Duration::from_secs(20);

fn case(folder: &Path) -> Case {
    let mut case = parse_case("mine", SECTION);
    write_elf(&mut case, &folder.join("mine"));
    case
}

/// A reader that is a shell script, called with the file when `with_file` says so.
fn start(folder: &Path, script: &str, with_file: bool, time: Duration) -> Result<External, String> {
    let path = folder.join("reader.sh");
    fs::write(&path, script).expect("the script can be written");
    let file = if with_file { " {file}" } else { "" };
    External::start(&format!("mine=sh {}{file}", path.display()), time)
}

fn prints(folder: &Path, answer: &str) -> String {
    let path = folder.join("answer.jsonl");
    fs::write(&path, answer).expect("the answer can be written");
    format!("cat {}", path.display())
}

fn read(reader: &External, case: &Case) -> Kept {
    let mut kept = Kept::default();
    reader.read(0, std::slice::from_ref(case), &mut kept);
    kept
}

#[test]
fn an_answer_comes_into_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let script = prints(folder.path(), &format!("{HELLO}\n{GOOD}"));
    let reader = start(folder.path(), &script, true, TIME).expect("it speaks the protocol");
    assert_eq!((reader.name(), reader.version()), ("mine", "7"));
    let kept = read(&reader, &case);
    assert_eq!(kept.cases[&0], Outcome::Answered);
    let entries = &kept.entries[&(0, 0)];
    assert_eq!((entries[0].offset.0, entries[0].length, entries[0].instructions.len()), (0, 0x14, 1));
    let EntryKind::Fde(fde) = &entries[1].kind else { panic!("{entries:?}") };
    assert_eq!((fde.initial_location.0, fde.address_range), (0x1010, 0x20));
}

#[test]
fn a_reader_that_lives_on_is_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let count = folder.path().join("starts");
    let script = format!(
        "echo x >>{}\necho '{HELLO}'\nwhile read -r line; do {}; done",
        count.display(),
        prints(folder.path(), GOOD)
    );
    let reader = start(folder.path(), &script, false, TIME).expect("it speaks the protocol");
    for _ in 0..3 {
        assert_eq!(read(&reader, &case).cases[&0], Outcome::Answered);
    }
    assert_eq!(fs::read_to_string(count).expect("it was started"), "x\n");
}

/// What a reader cannot say ends a section or is about the whole file, and a line of type "end" follows.
#[test]
fn a_reader_tells_what_it_cannot_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let section = r#"{"type":"section","name":".eh_frame"}"#;
    let unsupported = r#"{"type":"unsupported","why":"no such machine"}"#;
    let failed = r#"{"type":"failed","why":"is lost","offset":"0x18"}"#;
    let of_handshake =
        format!("case $1 in */mine) ;; *) echo '{HELLO}'; echo '{{\"type\":\"end\"}}'; exit;; esac");
    let answers = |lines: &[&str]| {
        let script = prints(folder.path(), &format!("{HELLO}\n{}\n{{\"type\":\"end\"}}\n", lines.join("\n")));
        let reader = start(folder.path(), &format!("{of_handshake}\n{script}"), true, TIME);
        let mut kept = read(&reader.expect("it speaks the protocol"), &case);
        (kept.sections.remove(&(0, 0)), kept.cases.remove(&0).expect("the case ends"))
    };
    let cannot = Outcome::Unsupported("no such machine".to_owned());
    let lost = Outcome::Failed("is lost at 0x18".to_owned());
    assert_eq!(answers(&[unsupported]), (None, cannot.clone()));
    assert_eq!(answers(&[section, unsupported]), (Some(cannot), Outcome::Answered));
    assert_eq!(answers(&[section, failed]), (Some(lost.clone()), Outcome::Answered));
    assert_eq!(answers(&[section, failed, failed]), (Some(lost.clone()), lost));
}

/// A record that a reader could not read need not have the fields of one that it could.
#[test]
fn a_record_with_faults_may_lack_fields() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let entry = r#"{"type":"entry","kind":"FDE","offset":"0x18","faults":[{"key":"fault.reported","expected":"oh"}]}"#;
    let answer =
        format!("{HELLO}\n{}\n{entry}\n{{\"type\":\"end\"}}\n", r#"{"type":"section","name":".eh_frame"}"#);
    let reader =
        start(folder.path(), &prints(folder.path(), &answer), true, TIME).expect("it speaks the protocol");
    let kept = read(&reader, &case);
    assert_eq!(kept.cases[&0], Outcome::Answered);
    assert_eq!(kept.entries[&(0, 0)][0].faults[0].expected, "oh");
}

/// What is wrong with an answer is told by line and field.
#[test]
fn a_refusal_names_the_line_and_the_field() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let section = r#"{"type":"section","name":".eh_frame"}"#;
    let refused = |answer: &str, words: &str| {
        // The small file that comes first gets a good answer, the real one a bad one.
        let (good, bad) = (folder.path().join("good"), folder.path().join("bad"));
        fs::write(&good, format!("{HELLO}\n{GOOD}")).expect("written");
        fs::write(&bad, answer).expect("written");
        let script = format!("case $1 in */mine) cat {};; *) cat {};; esac", bad.display(), good.display());
        let reader = start(folder.path(), &script, true, TIME).expect("it speaks the protocol");
        match &read(&reader, &case).cases[&0] {
            Outcome::Failed(why) => assert!(why.contains(words), "{why:?} has no {words:?}"),
            other => panic!("{other:?} for {words}"),
        }
    };
    let fde = |rest: &str| {
        format!(
            r#"{HELLO}
{section}
{{"type":"entry","kind":"FDE","offset":"0x18","length":"0x14",{rest}}}"#
        )
    };
    refused("hello", "line 1 is not JSON");
    refused(section, "line 1: the first line has to be of type \"reader\"");
    refused(&HELLO.replace(":1,", ":2,"), "line 1: speaks protocol 2");
    refused(&HELLO.replace("\"range\"", "\"ranges\""), "line 1, field says: \"ranges\" is no capability");
    refused(&format!("{HELLO}\n{{\"type\":\"entry\"}}"), "line 2: an entry needs a line of type \"section\"");
    refused(
        &format!("{HELLO}\n{{\"type\":\"section\",\"name\":\".x\"}}"),
        "line 2, field name: the file has no",
    );
    refused(&format!("{HELLO}\n{{\"type\":\"section\"}}"), "line 2: missing field `name`");
    refused(&format!("{HELLO}\n{{\"type\":\"what\"}}"), "line 2, field type: \"what\"");
    refused(
        &fde(r#""initial_location":4112,"address_range":"0x20""#),
        "line 3, field initial_location: invalid type",
    );
    refused(
        &fde(r#""initial_location":"4112","address_range":"0x20""#),
        "line 3, field initial_location: invalid value",
    );
    refused(&fde(r#""initial_location":"0x1010""#), "line 3, field address_range: is missing");
    refused(
        &fde(
            r#""initial_location":"0x1010","address_range":"0x20","instructions":[{"op":"nop"},{"op":"offset","register":"0x1"}]"#,
        ),
        "line 3, field instructions[1].offset: is missing",
    );
    refused(
        &fde(r#""initial_location":"0x1010","address_range":"0x20","instructions":[{"op":"push"}]"#),
        "line 3, field instructions[0].op: is \"push\", which is no instruction",
    );
    refused(&format!("{HELLO}\n{section}\n"), "ended without a line of type \"end\"");
    refused(&format!("{HELLO}\n{GOOD}{section}\n"), "stands behind the end of the answer");
}

/// A reader that is broken costs its own answer and no more time than it was given.
#[test]
fn broken_readers_give_one_clear_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let fails_in = |time: Duration, script: &str, with_file: bool, words: &str| {
        let started = Instant::now();
        let why = match start(folder.path(), script, with_file, time) {
            Err(why) => why,
            Ok(_) => panic!("{script} was taken"),
        };
        assert!(why.contains(words) && !why.contains('\n'), "{script}: {why:?} has no {words:?}");
        assert!(started.elapsed() < time + Duration::from_secs(15), "{script}");
    };
    let second = Duration::from_secs(1);
    let fails = |script: &str, with_file: bool, words: &str| fails_in(TIME, script, with_file, words);
    for with_file in [true, false] {
        fails("", with_file, "ended without a line");
        fails_in(second, "exec sleep 600", with_file, "ran out of time after 1s");
        fails("exec yes", with_file, "line 1 is not JSON");
        fails("kill -SEGV $$", with_file, "died of signal 11");
        fails_in(second, &format!("echo '{HELLO}'; exec yes ''"), with_file, "ran out of time after 1s");
        fails("exec tr '\\0' x </dev/zero", with_file, "bytes");
    }
    fails("echo oops >&2; exit 3", true, "printed nothing and exited with 3; it said: oops");
    let missing = External::start("mine=no-such-reader {file}", second);
    assert!(missing.is_err_and(|why| why.contains("cannot be run")));
    assert!(External::start("no-such-reader", second).is_err());
}
