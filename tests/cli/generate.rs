//! Cases made to order: what is made, what is kept, and what a broken compiler or folder leads to.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Folder, Run, cfidiff};

/// Runs the command with a cache of its own, so that nothing of the user's is read or written.
fn run(arguments: &[&str], cache: &Path) -> Run {
    let mut command = cfidiff();
    command.env("XDG_CACHE_HOME", cache).args(arguments);
    command.output().expect("the program starts").into()
}

/// Whether gcc is here.
fn has_gcc() -> bool {
    let found = Command::new("gcc").arg("--version").output().is_ok();
    if !found {
        println!("skipped: gcc not found");
        let required = std::env::var_os("CFIDIFF_REQUIRE_ORACLES").is_some_and(|value| value == "all");
        assert!(!required, "gcc not found");
    }
    found
}

/// A gcc that first does this with its arguments.
fn wrapper(folder: &Folder, lines: &str) -> String {
    folder.script("gcc", &format!("{lines}\nexec gcc \"$@\""));
    text(&folder.path().join("gcc"))
}

fn text(path: &Path) -> String {
    path.to_str().expect("a temporary folder's name is text").to_owned()
}

fn manifest(folder: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(folder.join("manifest.jsonl")).expect("there is a manifest");
    lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn random_programs_follow_from_their_seeds() {
    let folder = Folder::new();
    let programs = |name: &str, seed: &str, count: &str| {
        let to = folder.path().join(name);
        let run = run(&["gen", "random", &text(&to), "--count", count, "--seed", seed], folder.path());
        run.exits(0).says(&format!("{count} programs in "));
        to
    };
    let (one, other) = (programs("one", "7", "3"), programs("other", "8", "1"));
    let read = |folder: &Path, name: &str| fs::read(folder.join(name)).expect("it was written");
    assert_eq!(read(&one, "random-8.c"), read(&other, "random-8.c"));
    assert_ne!(read(&one, "random-7.c"), read(&one, "random-9.c"));
    let below = text(&one.join("random-7.c/below"));
    run(&["gen", "random", &below, "--count", "1", "--seed", "1"], folder.path())
        .exits(2)
        .logs("cannot write ");
}

#[test]
fn folders_that_cannot_be_used_are_told_of_before_anything_is_made() {
    let folder = Folder::new();
    let file = folder.file("notes.txt", b"of a person\n");
    let variants = |path: &Path| run(&["gen", "variants", &text(path)], folder.path());
    variants(&file.join("below")).exits(2).logs("cannot write ");
    variants(folder.path()).exits(2).logs("is not empty and has no manifest.jsonl of an earlier run");
    assert_eq!(fs::read(&file).expect("it is there"), b"of a person\n");
}

#[test]
fn without_a_compiler_there_is_nothing_to_make() {
    let folder = Folder::new();
    let to = text(&folder.path().join("variants"));
    let mut command = cfidiff();
    command.env("PATH", folder.path()).env("XDG_CACHE_HOME", folder.path()).args(["gen", "variants", &to]);
    let none: Run = command.output().expect("the program starts").into();
    none.exits(2).logs("no C or C++ compiler works: install gcc or clang, or name one");
    let missing = run(&["gen", "variants", &to, "--cc", "no-such-gcc"], folder.path());
    missing.exits(2).logs("no-such-gcc --version: no such program");
}

#[test]
fn what_a_compiler_fails_on_is_told_and_the_others_are_made() {
    if !has_gcc() {
        return;
    }
    let folder = Folder::new();
    // One that fails on a program, hangs on another, and leaves a child behind when it is killed.
    let compiler = wrapper(
        &folder,
        "case \"$*\" in\n*sources/vla.c*) echo no arrays today >&2; exit 1;;\n*sources/leaf.c*) sleep 600;;\nesac",
    );
    let to = folder.path().join("variants");
    let arguments = [
        "gen",
        "variants",
        &text(&to),
        "--timeout",
        "3",
        "--cc",
        &compiler,
        "--cc",
        "gcc -fno-such-option",
        "--cc",
        "no-such-gcc",
    ];
    let run = run(&arguments, folder.path());
    run.exits(3).logs("no-such-gcc --version: no such program").logs("-fno-such-option");
    run.logs("exit code 1: no arrays today").logs("ran out of time after 3s");
    let lines = manifest(&to);
    let failed: Vec<&Value> = lines.iter().filter(|line| line["type"] == "failure").collect();
    let made: Vec<&Value> = lines.iter().filter(|line| line["type"] == "file").collect();
    assert!(!failed.is_empty() && made.len() + failed.len() == 80, "{} and {}", made.len(), failed.len());
    let is_of = |line: &Value, seed: &str| line["factors"]["seed"] == seed;
    // A machine under load may run out of time elsewhere too.
    let out_of_time =
        |line: &Value| line["why"].as_str().is_some_and(|why| why.starts_with("ran out of time"));
    assert!(failed.iter().all(|line| is_of(line, "vla") || out_of_time(line)), "{failed:?}");
    assert!(failed.iter().any(|line| is_of(line, "vla")) && failed.iter().any(|line| is_of(line, "leaf")));
    assert!(!made.iter().any(|line| is_of(line, "vla") || is_of(line, "leaf")));
    assert!(made.iter().all(|line| to.join(line["file"].as_str().expect("a name")).is_file()));
    run.says(&format!(
        "{} variants ({} compiled, 0 from the cache), {} failures",
        made.len(),
        made.len(),
        failed.len()
    ));
}

#[test]
fn a_check_of_generated_variants_keeps_only_what_fails() {
    if !has_gcc() {
        return;
    }
    let folder = Folder::new();
    // The file is the last argument, and one program's is cut after its first bytes.
    let compiler = wrapper(
        &folder,
        "case \"$*\" in\n*sources/vla.c*) for last; do :; done; printf '\\177ELF' >\"$last\"; exit 0;;\nesac",
    );
    let arguments = ["check", "--reader", "gimli", "--generate", "small", "--cc", &compiler];
    let run = run(&arguments, folder.path());
    run.exits(2).says("vla.").logs("kept in ").logs("was made by ");
    let kept = run.stderr.lines().find_map(|line| line.strip_prefix("cfidiff: kept in ")?.split_once(": "));
    let (kept, count) = kept.expect("the folder is named");
    let files: Vec<String> = fs::read_dir(Path::new(kept).join("variants"))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name().into_string().expect("a name is text"))
        .collect();
    assert!(files.iter().all(|name| name.starts_with("vla.")), "{files:?}");
    assert_eq!(count, format!("{} of the variants", files.len()));
    assert_eq!(manifest(Path::new(kept)).len(), 1 + files.len());
    assert!(Path::new(kept).join("sources/vla.c").is_file());
    fs::remove_dir_all(kept).expect("it goes away");
}

#[test]
fn options_of_generation_need_it() {
    let folder = Folder::new();
    run(&["check", "--seed", "3", "file"], folder.path()).exits(2).logs("--generate");
    run(&["check", "--generate", "small", "file"], folder.path()).exits(2).logs("cannot be used with");
}

#[test]
fn a_check_without_paths_tells_of_generated_cases() {
    let run = run(&["check", "--reader", "gimli"], Folder::new().path());
    run.logs("gen variants makes more cases");
}
