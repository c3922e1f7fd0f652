//! What must hold of the source itself: who may depend on whom, how long a file may be, what no file may hold.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};
use walkdir::WalkDir;

/// Which crates of the workspace a crate may depend on. Nothing points back, so that no reader leans on another
/// and a mistake of the generator is not hidden by the reader that shares it.
const ARROWS: [(&str, &[&str]); 7] = [
    ("cfidiff-model", &[]),
    ("cfidiff-cfi", &["cfidiff-model"]),
    ("cfidiff-gen", &["cfidiff-model"]),
    ("cfidiff-oracles", &["cfidiff-model"]),
    ("cfidiff-fuzz", &["cfidiff-model", "cfidiff-cfi", "cfidiff-gen", "cfidiff-oracles"]),
    ("cfidiff", &["cfidiff-model", "cfidiff-cfi", "cfidiff-gen", "cfidiff-oracles"]),
    // Stands outside the workspace and on all of it.
    ("cfidiff-history", &["cfidiff", "cfidiff-model", "cfidiff-gen", "cfidiff-oracles"]),
];

/// Which crates may depend on a library that reads what we check, tests and benchmarks included.
const LIBRARIES: [(&str, &[&str]); 2] =
    [("gimli", &["cfidiff-oracles", "cfidiff"]), ("object", &["cfidiff"])];

/// The most lines that a source file may have.
const MAX_LINES: usize = 600;

/// What no source file may hold. Each is cut in two here, so that this file does not hold it.
const FORBIDDEN: [(&str, &str); 5] = [
    (concat!("to", "do!("), "unfinished code is not checked in"),
    (concat!("unimple", "mented!("), "unfinished code is not checked in"),
    (concat!("db", "g!("), "it prints to standard error"),
    (concat!("#[ig", "nore"), "a test that does not run proves nothing"),
    (concat!("uns", "afe {"), "there is no need for it yet"),
];

/// Paths of one machine, which mean nothing on another.
const MACHINE_PATHS: [&str; 4] =
    [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/tm", "p/")];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of the project, by path from its root: all but what builds and fuzzers leave behind.
fn files() -> Vec<PathBuf> {
    let left_behind = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        let in_fuzz = path.parent().is_some_and(|parent| parent.ends_with("fuzz"));
        name == ".git"
            || name == "target"
            || in_fuzz && (["artifacts", "corpus", "coverage"].iter().any(|left| name == *left))
    };
    WalkDir::new(root())
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| !left_behind(entry.path()))
        .map(|entry| entry.expect("the project can be read"))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.path().strip_prefix(root()).expect("it is below the root").to_owned())
        .collect()
}

/// The text of a file of the project; nothing when it is no text.
fn text(path: &Path) -> Option<String> {
    String::from_utf8(fs::read(root().join(path)).expect("the project can be read")).ok()
}

fn sources() -> Vec<(PathBuf, String)> {
    let rust = files().into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let sources: Vec<_> = rust.filter_map(|path| Some((path.clone(), text(&path)?))).collect();
    assert!(sources.len() > 50, "the walk found the sources");
    sources
}

fn manifests() -> Vec<(PathBuf, Table)> {
    let manifests =
        files().into_iter().filter(|path| path.file_name().is_some_and(|name| name == "Cargo.toml"));
    manifests
        .map(|path| {
            let table = text(&path).expect("a manifest is text").parse().expect("a manifest is TOML");
            (path, table)
        })
        .collect()
}

fn name(manifest: &Table) -> &str {
    manifest["package"]["name"].as_str().expect("a name is text")
}

/// Everything that a crate depends on, for whatever purpose and target.
fn dependencies(manifest: &Table) -> BTreeSet<String> {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let of = |table: &Table| -> Vec<String> {
        let tables = kinds.iter().filter_map(|kind| table.get(*kind)?.as_table());
        tables.flat_map(|table| table.keys().cloned()).collect()
    };
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(|targets| targets.values().filter_map(Value::as_table));
    of(manifest).into_iter().chain(targets.flat_map(of)).collect()
}

#[test]
fn dependencies_follow_the_arrows() {
    let manifests = manifests();
    let names: BTreeSet<&str> = manifests.iter().map(|(_, manifest)| name(manifest)).collect();
    assert_eq!(names, ARROWS.iter().map(|(name, _)| *name).collect(), "every crate has its arrows");
    for (path, manifest) in &manifests {
        let name = name(manifest);
        let allowed = ARROWS.iter().find(|(crate_name, _)| *crate_name == name).map_or(&[][..], |(_, to)| to);
        for dependency in dependencies(manifest) {
            let is_ours = names.contains(dependency.as_str());
            assert!(!is_ours || allowed.contains(&dependency.as_str()), "{}: {dependency}", path.display());
            let readers = LIBRARIES.iter().find(|(library, _)| *library == dependency);
            assert!(readers.is_none_or(|(_, by)| by.contains(&name)), "{}: {dependency}", path.display());
        }
    }
}

#[test]
fn the_library_and_the_command_do_not_lean_on_gimli() {
    let (_, manifest) =
        manifests().into_iter().find(|(path, _)| path == Path::new("Cargo.toml")).expect("the root");
    let normal = manifest["dependencies"].as_table().expect("a table");
    assert!(!normal.contains_key("gimli"));
}

#[test]
fn every_crate_has_the_lints_of_the_workspace() {
    let manifests = manifests();
    let workspace = manifests.iter().find_map(|(_, manifest)| manifest.get("workspace")?.get("lints"));
    let workspace = workspace.expect("the workspace has lints");
    for (path, manifest) in &manifests {
        let lints = manifest.get("lints").unwrap_or_else(|| panic!("{}: no lints", path.display()));
        if lints.get("workspace").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        // A crate with a condition of its own has to say all of it again.
        let mut own = lints.clone();
        own.get_mut("rust").and_then(Value::as_table_mut).map(|rust| rust.remove("unexpected_cfgs"));
        assert_eq!(own, *workspace, "{}", path.display());
    }
}

#[test]
fn only_the_image_uses_object() {
    for (path, text) in sources() {
        let allowed = ["src/image", "tests/image", "benches", "oracles/clients", "oracles/history/clients"]
            .iter()
            .any(|folder| path.starts_with(folder));
        let used = text
            .lines()
            .any(|line| line.trim_start().starts_with("use object") || line.contains(" object::"));
        let spoken_of = path == Path::new("tests/tidy.rs");
        assert!(allowed || spoken_of || !used, "{}", path.display());
    }
}

#[test]
fn files_have_a_first_line_and_are_not_too_long() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{}: the first line says what the file is", path.display());
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "{}: {lines} lines, more than {MAX_LINES}", path.display());
    }
}

#[test]
fn sources_hold_nothing_forbidden() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            let forbidden = FORBIDDEN.iter().filter(|(words, _)| line.contains(words));
            found.extend(
                forbidden.map(|(words, why)| format!("{}:{}: {words} ({why})", path.display(), number + 1)),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_file_names_a_path_of_one_machine() {
    let mut found = Vec::new();
    for path in files() {
        let Some(text) = text(&path) else { continue };
        for (number, line) in text.lines().enumerate() {
            if MACHINE_PATHS.iter().any(|words| line.contains(words)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
