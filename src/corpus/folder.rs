//! The suite's files: `cases/topic/name`, beside it `name.jsonl` with the expected answer, and the manifest.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cfidiff_gen::suite::{Case, Suite};
use serde::Serialize;
use walkdir::WalkDir;

/// The folder with the cases.
pub const CASES: &str = "cases";
/// The file that lists the cases.
pub const MANIFEST: &str = "manifest.toml";

/// What the manifest starts with.
const HEAD: &str = "\
# The cases of this suite: the file below `cases/`, and what it exercises. The expected answer is beside the file, in
# `NAME.jsonl`. See README.md. `cfidiff gen corpus` writes this list.
";

/// A case in lists: what there is to know of it beside its answer.
#[derive(Serialize)]
pub struct Listed<'a> {
    name: &'a str,
    about: &'a str,
    clause: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    catches: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    damage: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    readings: Vec<&'a str>,
    /// The size of the file in bytes.
    size: usize,
}

/// The files of the suite by their path below its folder.
pub fn files(suite: &Suite) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    files.insert(PathBuf::from(MANIFEST), manifest(suite).into_bytes());
    for case in suite.cases() {
        let path = Path::new(CASES).join(&case.name);
        let mut answer = path.clone().into_os_string();
        answer.push(".jsonl");
        files.insert(answer.into(), case.json_lines().into_bytes());
        files.insert(path, case.file.clone());
    }
    files
}

fn manifest(suite: &Suite) -> String {
    let cases: BTreeMap<&str, &str> =
        suite.cases().iter().map(|case| (case.name.as_str(), case.about.as_str())).collect();
    // A table of strings always has a TOML form.
    format!("{HEAD}\n{}", toml::to_string(&cases).unwrap_or_default())
}

impl<'a> Listed<'a> {
    /// What there is to know of a case.
    pub fn new(case: &'a Case) -> Listed<'a> {
        Listed {
            name: &case.name,
            about: &case.about,
            clause: &case.clause,
            catches: &case.catches,
            damage: case.damage.map(|damage| damage.name()),
            readings: case.readings.iter().map(|reading| reading.name).collect(),
            size: case.file.len(),
        }
    }
}

/// A file or folder that could not be written or removed.
#[derive(Debug, thiserror::Error)]
#[error("{}", path.display())]
pub struct NotWritten {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// Writes the suite into a folder, which is made when it is not there, and removes what is left below `cases/` of
/// another version of the suite. Gives how many files changed. A file that is right already is not touched.
pub fn write(suite: &Suite, folder: &Path) -> Result<usize, NotWritten> {
    let files = files(suite);
    let mut changed = 0;
    for (name, contents) in &files {
        let path = folder.join(name);
        if fs::read(&path).is_ok_and(|there| there == *contents) {
            continue;
        }
        let written =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, contents));
        written.map_err(|source| NotWritten { path, source })?;
        changed += 1;
    }
    for stale in stale(folder, &files) {
        fs::remove_file(&stale).map_err(|source| NotWritten { path: stale, source })?;
        changed += 1;
    }
    Ok(changed)
}

/// Files below `cases/` that are not of this suite.
fn stale(folder: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    let there = WalkDir::new(folder.join(CASES)).into_iter().filter_map(Result::ok);
    let paths = there.filter(|entry| !entry.file_type().is_dir()).map(walkdir::DirEntry::into_path);
    paths.filter(|path| path.strip_prefix(folder).is_ok_and(|name| !files.contains_key(name))).collect()
}
