//! Separate debug files, by build id and by debug link.

use std::fs;
use std::path::{Path, PathBuf};

use cfidiff::image::Options;

use super::{fixture, locations, open, section_names};

/// The build id of `linked.so`, by `readelf -n`, split as the directory below `.build-id` has it.
const BUILD_ID: (&str, &str) = ("75", "71e59e9aa94cddac36ee8e8310985bbe2a46d6");

/// A directory with `stripped.so` in it, and a debug root of its own.
struct Tree {
    directory: tempfile::TempDir,
}

impl Tree {
    fn new() -> Tree {
        let directory = tempfile::tempdir().expect("a directory");
        let tree = Tree { directory };
        tree.copy("stripped.so", &tree.program());
        tree
    }

    fn path(&self) -> PathBuf {
        fs::canonicalize(self.directory.path()).expect("the directory")
    }

    fn program(&self) -> PathBuf {
        self.path().join("bin/stripped.so")
    }

    fn root(&self) -> PathBuf {
        self.path().join("debug")
    }

    fn copy(&self, name: &str, to: &Path) {
        fs::create_dir_all(to.parent().expect("a directory")).expect("a directory");
        fs::copy(fixture(name), to).expect("a copy");
    }

    fn options(&self) -> Options {
        Options { debug_root: self.root(), ..Options::default() }
    }

    /// That the program's debug file is found at `place`.
    fn finds(&self, place: &Path) {
        let image = open(&self.program(), &self.options());
        assert_eq!(image.notes, [""; 0]);
        assert_eq!(image.cases.len(), 2, "{}", place.display());
        let debug = &image.cases[1];
        assert_eq!(debug.name, place.display().to_string());
        // The program has the contents of the first.
        assert_eq!(section_names(debug), [".eh_frame", ".debug_frame"]);
        assert!(debug.sections[0].data.is_empty());
        assert_eq!(debug.notes[0], format!("debug file of {}", self.program().display()));
        // frames.s linked with its .text at 0x22c.
        assert_eq!(locations::of(&debug.sections[1], &debug.target)[0], (0x22c, 0x24c));
    }
}

#[test]
fn by_build_id() {
    let tree = Tree::new();
    let place = tree.root().join(".build-id").join(BUILD_ID.0).join(format!("{}.debug", BUILD_ID.1));
    tree.copy("stripped.debug", &place);
    tree.finds(&place);
}

#[test]
fn by_debug_link() {
    let below_root = |tree: &Tree| {
        let directory = tree.path().join("bin");
        tree.root().join(directory.strip_prefix("/").expect("an absolute path")).join("stripped.debug")
    };
    let places: [&dyn Fn(&Tree) -> PathBuf; 3] = [
        &|tree| tree.path().join("bin/stripped.debug"),
        &|tree| tree.path().join("bin/.debug/stripped.debug"),
        &below_root,
    ];
    for place in places {
        let tree = Tree::new();
        let place = place(&tree);
        tree.copy("stripped.debug", &place);
        tree.finds(&place);
    }
}

#[test]
fn a_file_that_does_not_match_is_noted_and_not_used() {
    let tree = Tree::new();
    let by_id = tree.root().join(".build-id").join(BUILD_ID.0).join(format!("{}.debug", BUILD_ID.1));
    tree.copy("linked-32.so", &by_id);
    let by_name = tree.path().join("bin/stripped.debug");
    tree.copy("linked.so", &by_name);
    let image = open(&tree.program(), &tree.options());
    assert_eq!(image.cases.len(), 1);
    let program = tree.program();
    let notes = [
        format!("{}: is not the debug file of {}: its build id differs", by_id.display(), program.display()),
        format!(
            "{}: is not the debug file of {}: its checksum differs",
            by_name.display(),
            program.display()
        ),
    ];
    assert_eq!(image.notes, notes);
}

#[test]
fn none_is_looked_for_when_not_wanted() {
    let tree = Tree::new();
    tree.copy("stripped.debug", &tree.path().join("bin/stripped.debug"));
    let image = open(&tree.program(), &Options { debug_files: false, ..tree.options() });
    assert_eq!(image.cases.len(), 1);
}

#[test]
fn a_debug_file_is_not_its_own() {
    let tree = Tree::new();
    let place = tree.root().join(".build-id").join(BUILD_ID.0).join(format!("{}.debug", BUILD_ID.1));
    tree.copy("stripped.debug", &place);
    let image = open(&place, &tree.options());
    assert_eq!(image.cases.len(), 1);
    assert_eq!(image.notes, [""; 0]);
}
