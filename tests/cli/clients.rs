//! The ready-made clients of `oracles/clients`: each agrees on real files, and on the corpus keeps to the protocol.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::Value;

use crate::support::{Folder, LINKED, cfidiff};

const CLIENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/oracles/clients");
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/cases");
/// What every Debian machine has.
const REAL: [&str; 2] = ["/usr/bin/true", "/usr/bin/ls"];

/// Whether a command succeeds, or a note that what it needs is missing: a failure where every reader is required.
fn is_there(name: &str, command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = status.is_ok_and(|status| status.success());
    if !there {
        println!("skipped: {name} not found");
        let required = env::var_os("CFIDIFF_REQUIRE_ORACLES").is_some_and(|value| value == "all");
        assert!(!required, "{name} is required");
    }
    there
}

fn python(program: &str) -> Command {
    let mut command = Command::new("python3");
    command.args(["-c", program]);
    command
}

/// Asserts that a client agrees with ours on real files, and breaks nowhere.
#[track_caller]
fn works(command: &str) {
    works_but_for(command, |_| false);
}

/// The same for a client that cannot help but differ in some findings.
#[track_caller]
fn works_but_for(command: &str, differs: fn(&Value) -> bool) {
    let reader = format!("mine={command}");
    let options = ["check", "--no-triage", "--reader", "gimli", "--reader-cmd", &reader, "--format", "jsonl"];
    let real = REAL.into_iter().filter(|path| Path::new(path).exists());
    let output = cfidiff().args(options).arg(LINKED).args(real).output().expect("the program starts");
    let run = crate::support::Run::from(output);
    let mine = &run.summary()["readers"][1];
    assert_eq!(mine["name"], "mine");
    for finding in run.json().iter().filter(|line| line["type"] == "finding") {
        assert!(differs(finding), "{finding}");
    }
    assert!(mine["compared"]["fdes"].as_u64() >= Some(6), "{mine}");
    let output = cfidiff().args(options).arg(CORPUS).output().expect("the program starts");
    let run = crate::support::Run::from(output);
    assert!(run.summary()["readers"][1]["compared"]["fdes"].as_u64() > Some(100), "{}", run.summary());
    for finding in run.json().iter().filter(|line| line["reader"] == "mine") {
        let theirs = finding["theirs"].as_str().unwrap_or_default();
        let broke = ["line ", "exited with", "died of", "ran out", "printed", "ended without"];
        assert!(!broke.iter().any(|words| theirs.starts_with(words)), "{finding}");
    }
}

#[test]
fn minimal() {
    if is_there("python3", &mut python("")) {
        works(&format!("python3 {CLIENTS}/minimal.py {{file}}"));
    }
}

#[test]
fn minimal_is_as_small_as_the_protocol_says() {
    let lines = fs::read_to_string(format!("{CLIENTS}/minimal.py")).expect("it is there").lines().count();
    let protocol = fs::read_to_string(format!("{CLIENTS}/../PROTOCOL.md")).expect("it is there");
    assert!(
        lines <= 50 && protocol.contains("script of 50 lines") && protocol.contains("| 50 lines"),
        "{lines}"
    );
}

#[test]
fn pyelftools() {
    if is_there("pyelftools", &mut python("import elftools")) {
        works(&format!("python3 {CLIENTS}/pyelftools.py"));
    }
}

#[test]
fn gimli() {
    let programs = Path::new(env!("CARGO_BIN_EXE_cfidiff")).parent().expect("a folder");
    let program = programs.join("examples/gimli-reader");
    if is_there("the example gimli-reader", Command::new(&program).stdin(Stdio::null())) {
        works(&program.display().to_string());
    }
}

/// A client in C, compiled; `None` when what it needs is missing.
fn compiled(folder: &Folder, name: &str, package: &str, libraries: &[&str]) -> Option<String> {
    let program = folder.path().join(name);
    let mut compiler = Command::new("cc");
    compiler.arg("-o").arg(&program).arg(format!("{CLIENTS}/{name}.c")).args(libraries);
    is_there(package, &mut compiler).then(|| program.display().to_string())
}

#[test]
fn libdw() {
    let folder = Folder::new();
    if let Some(command) = compiled(&folder, "libdw", "libdw-dev", &["-ldw", "-lelf"]) {
        works(&command);
    }
}

/// Its module comes from the network, which not every machine that is to have all readers is let to.
#[test]
fn delve() {
    let folder = Folder::new();
    for name in ["go.mod", "main.go"] {
        fs::copy(format!("{CLIENTS}/delve/{name}"), folder.path().join(name)).expect("a copy");
    }
    let program = folder.path().join("delve-reader");
    let mut go = Command::new("go");
    go.args(["build", "-mod=mod", "-o"]).arg(&program).arg(".").current_dir(folder.path());
    match go.output() {
        Ok(output) if output.status.success() => works(&program.display().to_string()),
        _ => println!("skipped: a Go toolchain with Delve's module not found"),
    }
}

/// It sees values and not how they are computed, so that the expression of a PLT is an offset to it.
#[test]
fn libunwind() {
    let folder = Folder::new();
    if let Some(program) = compiled(&folder, "libunwind", "libunwind-dev", &["-lunwind-x86_64", "-lunwind"]) {
        works_but_for(&format!("{program} {{file}} {{addresses}}"), |finding| {
            finding["key"] == "row.cfa"
                && finding["ours"].as_str().is_some_and(|ours| ours.contains("cfa=exp"))
        });
    }
}
