//! Running the command, and the files to run it on.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A shared object with both sections: 2 CIEs and 6 FDEs, on which all readers agree.
pub const LINKED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/image/linked.so");

/// Removes what a sum says of time, which no two runs take alike, wherever it is in the value.
pub fn forget_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["own_cpu_seconds", "cpu_seconds", "wall_seconds"] {
                assert!(fields.remove(name).is_none_or(|seconds| seconds.is_f64()), "{name}");
            }
            fields.values_mut().for_each(forget_times);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_times),
        _ => {}
    }
}

/// How a run of the command ended.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The lines of a JSON Lines report.
    pub fn json(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// The summary, which is the last line of a JSON Lines report.
    pub fn summary(&self) -> Value {
        let last = self.json().pop().expect("a report has lines");
        assert_eq!(last["type"], "summary");
        last
    }

    /// Asserts the exit code, and shows everything when it is another.
    #[track_caller]
    pub fn exits(&self, code: i32) -> &Run {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that the report has a line with these words.
    #[track_caller]
    pub fn says(&self, words: &str) -> &Run {
        assert!(self.stdout.contains(words), "no {words:?} in stdout:\n{}", self.stdout);
        self
    }

    /// Asserts that the log has a line with these words.
    #[track_caller]
    pub fn logs(&self, words: &str) -> &Run {
        assert!(self.stderr.contains(words), "no {words:?} in stderr:\n{}", self.stderr);
        self
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The command, with colors off whatever the terminal of the tests.
pub fn cfidiff() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cfidiff"));
    command.env("NO_COLOR", "1");
    command
}

/// Runs the command.
pub fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    cfidiff().args(arguments).output().expect("the program starts").into()
}

/// Runs `check` with gimli alone, which is always there.
pub fn check<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    let mut command = cfidiff();
    command.args(["check", "--reader", "gimli"]).args(arguments);
    command.output().expect("the program starts").into()
}

/// A folder of inputs that goes away with its owner.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).expect("a file is written");
        path
    }

    /// A script under this name.
    pub fn script(&self, name: &str, lines: &str) {
        let path = self.file(name, format!("#!/bin/sh\n{lines}\n").as_bytes());
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("it becomes executable");
    }
}

/// The bytes of [`LINKED`].
pub fn linked() -> Vec<u8> {
    std::fs::read(LINKED).expect("the test's input is there")
}

/// An ELF file without sections and segments.
pub fn without_cfi() -> Vec<u8> {
    let mut header = linked()[..64].to_vec();
    // Offsets and numbers of program headers and section headers, and the section that holds names.
    for range in [32..48, 56..58, 60..64] {
        header[range].fill(0);
    }
    header
}

/// Whether the reader is there; a run that requires all of them fails when it is not.
pub fn there(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let required = std::env::var_os("CFIDIFF_REQUIRE_ORACLES") == Some(OsString::from("all"));
    assert!(found || !required, "{name} is required and not found");
    if !found {
        println!("skipped: {name} not found");
    }
    found
}
