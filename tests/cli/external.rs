//! The user's own readers: those that speak the protocol, and those that break at all files or at one.

use crate::support::{Folder, LINKED, Run, cfidiff, linked};

const CFIDIFF: &str = env!("CARGO_BIN_EXE_cfidiff");
/// How long a reader gets, in seconds: enough for a start on a busy machine.
const TIME: &str = "4";

fn check(reader: &str, files: &[&str]) -> Run {
    let options = ["check", "--reader", "gimli", "--timeout", TIME, "--reader-cmd", reader];
    cfidiff().args(options).args(files).output().expect("the program starts").into()
}

/// Where a reader's line of the table at the end has its counts: cases, CIEs, FDEs, instructions, rows, and so on.
fn counts(run: &Run, reader: &str) -> Vec<String> {
    let line = run
        .stdout
        .lines()
        .rfind(|line| line.starts_with(&format!("{reader} ")))
        .expect("a line of the table");
    line.split_whitespace().skip(2).map(str::to_owned).collect()
}

/// A reader that is ours but for files named `bad`, at which it does as the script says: one that is started for
/// each file, and one that lives on.
fn readers(folder: &Folder, script: &str) -> [String; 2] {
    folder.script("one", &format!("case \"$1\" in */bad) {script};; *) exec {CFIDIFF} reader \"$1\";; esac"));
    folder.script(
        "more",
        &format!(
            "{CFIDIFF} reader </dev/null
while read -r line; do
    file=$(printf '%s' \"$line\" | sed 's/.*\"file\":\"\\([^\"]*\\)\".*/\\1/')
    case \"$file\" in */bad) {script};; *) {CFIDIFF} reader \"$file\" | tail -n +2;; esac
done"
        ),
    );
    let folder = folder.path().display();
    [format!("mine={folder}/one {{file}}"), format!("mine={folder}/more")]
}

/// Asserts that a reader which does so at one of three files breaks there in these words, by the way it is asked, which is
/// one finding for each of the file's two sections, and that everything else is compared.
#[track_caller]
fn breaks_at_one_file(script: &str, words: [&str; 2]) {
    let folder = Folder::new();
    let names =
        ["a", "bad", "z"].map(|name| folder.file(name, &linked()).to_str().expect("letters").to_owned());
    for (reader, words) in readers(&folder, script).iter().zip(words) {
        let run = check(reader, &names.each_ref().map(String::as_str));
        run.exits(3).says(words).says("mine broke on 8 records (exit 3)");
        let findings: Vec<&str> =
            run.stdout.lines().filter(|line| line.starts_with("oracle-failed ")).collect();
        assert!(
            findings.len() == 2 && findings.iter().all(|line| line.contains("/bad ")),
            "{reader}: {}",
            run.stdout
        );
        assert!(run.stdout.lines().all(|line| line.len() < 600), "{reader}: {}", run.stdout);
        assert_eq!(counts(&run, "gimli")[..6], ["3", "6", "18", "123", "42", "24"], "{reader}");
        assert_eq!(counts(&run, "mine")[1..3], ["4", "12"], "{reader}");
    }
}

#[test]
fn our_reader_speaks_the_protocol_in_each_way() {
    for reader in ["{file}", "", "{file} --addresses {addresses}"] {
        let run = check(&format!("mine={CFIDIFF} reader {reader}"), &[LINKED]);
        run.exits(0);
        let instructions = if reader.contains("addresses") { "0" } else { "41" };
        assert_eq!(counts(&run, "mine")[..5], ["1", "2", "6", instructions, "14"], "{reader}");
    }
}

#[test]
fn a_difference_can_be_shown_again() {
    let folder = Folder::new();
    folder.script("wrong", &format!("{CFIDIFF} reader \"$1\" | sed 's/\"-0x8\"/\"-0x18\"/g'"));
    let reader = format!("my-own={}/wrong {{file}}", folder.path().display());
    let run = check(&reader, &[LINKED]);
    run.exits(1).says("differ row.register-rule ").says(&format!("--reader-cmd '{reader}' {LINKED}"));
}

#[test]
fn what_is_no_json_or_has_wrong_types() {
    breaks_at_one_file("echo '{'", ["line 1 is not JSON: ", "line 1 is not JSON: "]);
    let words = "line 1: the first line has to be of type \"reader\"";
    breaks_at_one_file(
        "echo '{\"type\":\"section\",\"name\":7}'",
        [words, "line 1, field name: invalid type: integer `7`"],
    );
}

#[test]
fn silence() {
    breaks_at_one_file(
        "exit 0",
        [
            "printed nothing and ended without a line of type \"end\"",
            "ended without a line of type \"end\": it exited with 0",
        ],
    );
    breaks_at_one_file("exec sleep 600", ["ran out of time after 4s"; 2]);
}

#[test]
fn output_without_end() {
    breaks_at_one_file("exec yes", ["line 1 is not JSON: "; 2]);
    breaks_at_one_file("exec yes ''", ["ran out of time after 4s"; 2]);
}

#[test]
fn ten_gigabytes() {
    breaks_at_one_file(
        "exec head -c 10000000000 /dev/zero",
        ["printed a line of more than 67108864 bytes"; 2],
    );
}

#[test]
fn a_crash_is_told_with_the_last_words() {
    breaks_at_one_file("kill -SEGV $$", ["died of signal 11"; 2]);
    let script = "echo Traceback >&2; echo KeyError: 7 >&2; exit 3";
    breaks_at_one_file(script, ["exited with 3; it said: Traceback KeyError: 7"; 2]);
}

#[test]
fn a_reader_that_breaks_at_once_is_not_compared() {
    for (command, words) in [
        ("mine=no-such-program {file}", "mine is not compared: cannot be run: "),
        (
            "mine=sh -c 'exit 7'",
            "mine is not compared: ended without a line of type \"end\": it exited with 7",
        ),
        ("mine=echo hello {file}", "mine is not compared: line 1 is not JSON"),
        ("mine=sh -c 'sleep 600'", "mine is not compared: ran out of time after 4s"),
        ("mine", "mine is not compared: expected NAME=CMD"),
        ("mine='unended", "mine is not compared: the quotes of \"'unended\" do not match"),
        ("gimli=true", "gimli is not compared: another reader of this run has the name"),
    ] {
        let run = check(command, &[LINKED]);
        run.exits(3).logs(words).says("6 FDEs");
        assert_eq!(
            run.stderr.lines().filter(|line| line.contains("is not compared")).count(),
            1,
            "{}",
            run.stderr
        );
    }
}
