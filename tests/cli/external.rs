//! The user's own readers: those that speak the protocol, and those that break at all files or at one.

use crate::support::{Folder, LINKED, Run, cfidiff, linked};

const CFIDIFF: &str = env!("CARGO_BIN_EXE_cfidiff");
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/cases");
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

/// One that is started for each file has a process for each and one to introduce itself; one that lives on has as many
/// as are asked at once.
#[test]
fn what_its_processes_took_is_told() {
    let folder = Folder::new();
    let names =
        ["a", "b", "c"].map(|name| folder.file(name, &linked()).to_str().expect("letters").to_owned());
    for (reader, processes) in [("{file}", 4), ("", 1)] {
        let command = format!("mine={CFIDIFF} reader {reader}");
        let options =
            ["check", "--format", "jsonl", "--reader", "gimli", "--jobs", "1", "--reader-cmd", &command];
        let run: Run = cfidiff().args(options).args(&names).output().expect("the program starts").into();
        let mine = run.exits(0).summary()["readers"][1].clone();
        assert_eq!((&mine["name"], &mine["processes"]), (&"mine".into(), &processes.into()));
        for seconds in ["cpu_seconds", "wall_seconds"] {
            assert!(mine[seconds].as_f64().is_some_and(|seconds| seconds > 0.0), "{mine}");
        }
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

/// What is wrong with a line is told in the same words whichever way the reader is asked.
#[test]
fn what_is_wrong_with_a_line() {
    for (line, words) in [
        ("[]", "line 1 is not a JSON object"),
        ("{}", "line 1, field type: is missing"),
        ("reading", "line 1 is not JSON: expected value at column 1: reading"),
        ("\\377", "line 1 is not UTF-8: byte 1 is 0xff"),
        ("{\"type\":\"\\000\"}", "line 1 is not JSON: "),
    ] {
        breaks_at_one_file(&format!("printf '{line}\\n'; exit 0"), [words; 2]);
    }
}

/// Who says the same again, or what nobody asked, cannot go on for ever.
#[test]
fn answers_that_were_not_asked_for() {
    let section = "{\"type\":\"section\",\"name\":\".eh_frame\"}";
    let entry =
        "{\"type\":\"entry\",\"kind\":\"FDE\",\"offset\":\"0x0\",\"faults\":[{\"key\":\"fault.reported\"}]}";
    let at = "{\"type\":\"at\",\"address\":\"0x1000\"}";
    for (lines, code, words) in [
        (format!("yes '{section}'"), 3, "line 3, field name: \".eh_frame\" was answered before"),
        (format!("echo '{section}'; yes '{entry}'"), 1, "the section has no room for so many entries"),
        (format!("yes '{at}'"), 3, "line 2, field address: 0x1000 was not asked about"),
        ("yes '{\"type\":\"end\"}'".to_owned(), 3, "line 3: stands behind the end of the answer"),
    ] {
        let folder = Folder::new();
        let bad = folder.file("bad", &linked());
        let answers = format!("{CFIDIFF} reader </dev/null; {lines}");
        folder.script(
            "one",
            &format!("case \"$1\" in */bad) {answers};; *) exec {CFIDIFF} reader \"$1\";; esac"),
        );
        let reader = format!("mine={}/one {{file}}", folder.path().display());
        check(&reader, &[bad.to_str().expect("letters")]).exits(code).says(words);
    }
}

/// A process ends with all that it started, and what it left behind is not waited for.
#[test]
fn no_process_stays() {
    let sleeps = "sleep 7531 & trap '' TERM; sleep 7531";
    breaks_at_one_file(sleeps, ["ran out of time after 4s"; 2]);
    breaks_at_one_file("sleep 7531 & exit 0", ["ended without a line of type \"end\""; 2]);
    breaks_at_one_file("exec 0<&-; sleep 7531", ["ran out of time after 4s"; 2]);
    let processes = std::fs::read_dir("/proc").expect("a list of processes").flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    assert_eq!(lines.filter(|line| line == b"sleep\x007531\0").count(), 0);
}

#[test]
fn a_reader_that_breaks_at_once_is_not_compared() {
    for (command, words) in [
        ("mine=no-such-program {file}", "cannot be run: there is no program no-such-program in PATH"),
        ("mine=/etc/passwd {file}", "cannot be run: /etc/passwd is not executable"),
        (
            "mine=sh -c 'exit 7'",
            "mine is not compared: printed nothing and ended without a line of type \"end\": it exited with 7",
        ),
        ("mine=echo hello {file}", "mine is not compared: line 1 is not JSON"),
        ("mine=sh -c 'sleep 600'", "mine is not compared: ran out of time after 4s"),
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

/// A reader of look-ups that is ours and notes the addresses that it is asked about; without the lines that `without`
/// tells, a pattern of grep.
fn looks_up(folder: &Folder, without: &str) -> String {
    let notes = folder.path().join("asked");
    folder.script(
        "looks-up",
        &format!(
            "cat \"$2\" >{}; {CFIDIFF} reader \"$1\" --addresses \"$2\" | grep -v {without}",
            notes.display()
        ),
    );
    format!("mine={}/looks-up {{file}} {{addresses}}", folder.path().display())
}

#[test]
fn an_fde_without_a_row_is_one_that_could_not_be_read() {
    let file = format!("{CORPUS}/instruction/op-args");
    for (without, finding) in [("0x10[1-4]", "differ entry.rejected "), ("0x1010", "differ row.cfa ")] {
        let folder = Folder::new();
        let run = check(&looks_up(&folder, without), &[&file]);
        let findings: Vec<&str> =
            run.exits(1).stdout.lines().filter(|line| line.starts_with("differ ")).collect();
        assert!(findings.iter().any(|line| line.starts_with(finding)), "{findings:?}");
        let rejected = findings.iter().filter(|line| line.contains("entry.rejected")).count();
        assert_eq!(rejected, usize::from(finding.contains("rejected")), "{findings:?}");
    }
}

/// A run-time unwinder stops at the terminator of `.eh_frame`, and which of two FDEs it takes for an address is its own
/// affair.
#[test]
fn addresses_are_those_that_a_reader_has_to_find() {
    for (case, asked) in [
        ("terminator/zero-middle", "0x1010 0x1011 0x102f"),
        ("terminator/zero-middle-df", "0x1010 0x1011 0x102f 0x1040 0x1041 0x105f"),
        // Those of the small file at the start.
        ("linked/overlap_and_zero_length", "0x1010 0x1011"),
    ] {
        let folder = Folder::new();
        check(&looks_up(&folder, "nothing"), &[&format!("{CORPUS}/{case}")]).exits(0);
        let notes = std::fs::read_to_string(folder.path().join("asked")).expect("it was asked");
        assert_eq!(notes.split_whitespace().collect::<Vec<_>>().join(" "), asked, "{case}");
    }
}
