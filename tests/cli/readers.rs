//! Readers that are missing or that break: each costs itself only, and the others are compared.

use cfidiff_oracles::registry;

use crate::support::{Folder, LINKED, Run, cfidiff, there, without_cfi};

/// How a stand-in for readelf answers when it is asked who it is.
const WHO: &str = r#"case "$1" in
--version) echo "GNU readelf (GNU Binutils) 2.40"; exit 0;;
--help) echo "Usage: readelf <option(s)> elf-file(s)"; exit 0;;
esac"#;

/// Runs the command with nothing but this folder in PATH; the scripts in it name their programs in full.
fn run_in(folder: &Folder, arguments: &[&str]) -> Run {
    // A reader that was compiled before is found in the user's cache, whatever PATH is.
    let alone = [("PATH", folder.path()), ("XDG_CACHE_HOME", folder.path())];
    cfidiff().envs(alone).args(arguments).output().expect("the program starts").into()
}

/// Runs a check with a readelf that does as the script says once it has told who it is.
fn with_readelf(script: &str) -> Run {
    let folder = Folder::new();
    let path = std::env::var_os("PATH").unwrap_or_default().into_string().unwrap_or_default();
    folder.script("readelf", &format!("{WHO}\nPATH='{path}'\n{script}"));
    run_in(&folder, &["check", "--timeout", "1", LINKED])
}

/// Asserts that readelf broke in these words, and that the rest was compared all the same.
#[track_caller]
fn breaks(script: &str, words: &str) {
    let run = with_readelf(script);
    run.exits(3).says("oracle-failed section.unread").says(words).says("readelf broke on 8 records (exit 3)");
    let gimli = run.stdout.lines().find(|line| line.starts_with("gimli")).expect("a line for gimli");
    assert_eq!(
        gimli.split_whitespace().collect::<Vec<_>>()[2..8],
        ["1", "2", "6", "41", "14", "8"],
        "{gimli}"
    );
    let longest = run.stdout.lines().map(str::len).max().unwrap_or(0);
    assert!(longest < 400, "a line of {longest} bytes:\n{}", run.stdout);
    assert!(run.stdout.lines().count() < 40, "{}", run.stdout);
}

#[test]
fn readelf_that_is_missing_is_not_compared() {
    let nothing = Folder::new();
    let run = run_in(&nothing, &["check", LINKED]);
    run.exits(0).says("readelf was not compared: ").says("to install it: apt-get install binutils");
    run.says("6 FDEs").logs("readelf is not compared");
    let json = run_in(&nothing, &["check", "--format", "jsonl", LINKED]);
    assert_eq!(json.exits(0).summary()["missing"][0]["install"], "apt-get install binutils");
}

#[test]
fn readelf_that_is_missing_and_was_asked_for_is_a_failure() {
    let nothing = Folder::new();
    for quiet in [&[][..], &["-q"]] {
        let run = run_in(&nothing, &[&["check", "--reader", "readelf", LINKED], quiet].concat());
        run.exits(3).says("apt-get install binutils").says("readelf was asked for and is missing (exit 3)");
    }
}

#[test]
fn readelf_that_is_none_counts_as_missing() {
    for script in ["echo something else", "exit 1", "kill -SEGV $$", "while :; do echo y; done", ""] {
        let folder = Folder::new();
        folder.script("readelf", script);
        run_in(&folder, &["check", LINKED]).exits(0).says("readelf was not compared: tried readelf: ");
        run_in(&folder, &["check", "--reader", "readelf", LINKED]).exits(3).says("is missing (exit 3)");
    }
}

#[test]
fn readelf_that_prints_garbage_breaks() {
    breaks("echo lorem; echo ipsum dolor", "it said: ");
    // Bytes that are no text, and words that would turn a terminal red.
    let run = with_readelf(r"printf '\377\000\033[31m\001\n%.0s' $(seq 1000)");
    run.exits(3).says(r"\u{1b}[31m").says("readelf broke on 8 records (exit 3)");
    assert!(!run.stdout.contains('\u{1b}'));
}

#[test]
fn readelf_that_is_silent_breaks() {
    breaks("exit 0", "silence is a failure of the reader, never agreement");
}

#[test]
fn readelf_that_sleeps_breaks() {
    breaks("exec sleep 600", "readelf ran out of time after 1s");
}

#[test]
fn readelf_that_crashes_breaks() {
    breaks("kill -SEGV $$", "readelf died of signal 11");
    breaks("kill -KILL $$", "readelf died of signal 9");
}

#[test]
fn readelf_that_prints_without_end_breaks() {
    breaks("exec yes", "readelf ran out of time after 1s");
}

#[test]
fn readelf_that_breaks_on_a_file_without_cfi_is_told() {
    let folder = Folder::new();
    let bare = folder.file("bare", &without_cfi());
    folder.script("readelf", &format!("{WHO}\nkill -SEGV $$"));
    let path = bare.to_str().expect("a path of letters");
    run_in(&folder, &["check", path]).exits(3).says("oracle-failed ").says("readelf died of signal 11");
}

#[test]
fn readelf_that_is_wrong_is_found_out() {
    if !there("readelf") {
        return;
    }
    let run = with_readelf(r#"readelf "$@" | sed 's/def_cfa_offset: 16/def_cfa_offset: 24/'"#);
    run.exits(1).says("differ instruction.operands").says("gimli sides with ours");
    run.says("ours    #3 DW_CFA_def_cfa_offset: 16").says("theirs  #3 DW_CFA_def_cfa_offset: 24");
}

#[test]
fn doctor_tells_what_is_there_and_how_to_get_the_rest() {
    let nothing = Folder::new();
    let run = run_in(&nothing, &["doctor"]);
    run.exits(0).says("to install readelf: apt-get install binutils").says("1 of ");
    let lines = run_in(&nothing, &["doctor", "--format", "jsonl"]).json();
    let installed = lines.iter().map(|line| line["installed"] == true);
    let expected = registry::TOOLS.iter().map(|tool| tool.install.is_empty());
    assert_eq!(installed.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    assert_eq!(
        (&lines[1]["name"], &lines[1]["install"]),
        (&"readelf".into(), &"apt-get install binutils".into())
    );
    if there("readelf") {
        let all: Run = cfidiff().arg("doctor").output().expect("the program starts").into();
        all.exits(0).says("readelf interp");
        let (_, table) = all.stdout.split_once("\nsays ").expect("the table of what they say");
        let widest = table.lines().map(str::len).max();
        assert!(widest <= Some(120), "{widest:?} columns:\n{}", all.stdout);
    }
}

/// Every version of a tool in PATH is a reader of its own; the tool's name stands for all.
#[test]
fn versions_side_by_side_are_readers_each() {
    let folder = Folder::new();
    for version in [9, 14] {
        let script = format!("echo '  LLVM version {version}.0.1'");
        folder.script(&format!("llvm-dwarfdump-{version}"), &script);
    }
    let run = run_in(&folder, &["doctor"]);
    run.exits(0).says("llvm-dwarfdump-9   9.0.1").says("llvm-dwarfdump-14  14.0.1");
    let lines = run_in(&folder, &["doctor", "--format", "jsonl"]).json();
    let names = lines
        .iter()
        .filter_map(|line| line["name"].as_str())
        .filter(|name| name.starts_with("llvm-dwarfdump"));
    assert_eq!(names.collect::<Vec<_>>(), ["llvm-dwarfdump-9", "llvm-dwarfdump-14"]);
    // These print nothing of a file, which is a failure of each.
    let both = run_in(&folder, &["check", "--reader", "llvm-dwarfdump", LINKED]);
    both.exits(3).says("llvm-dwarfdump-9 broke on").says("llvm-dwarfdump-14 broke on");
    let one = run_in(&folder, &["check", "--reader", "llvm-dwarfdump-14", LINKED]);
    assert!(!one.exits(3).stdout.contains("llvm-dwarfdump-9"));
    let none = run_in(&folder, &["check", "--reader", "llvm-dwarfdump-12", LINKED]);
    none.exits(3).says("llvm-dwarfdump-12 was asked for and is missing");
}
