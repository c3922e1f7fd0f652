//! The plan: every file once, in an order that does not depend on the directory.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use cfidiff::campaign::Plan;
use tempfile::TempDir;

use crate::support::{PLAIN, path};

/// A folder with an ELF file under each of these names.
fn folder(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in names {
        let to = folder.path().join(name);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder is made");
        fs::copy(path(PLAIN), to).expect("the file is copied");
    }
    folder
}

/// The names of the planned files below a folder.
fn names(plan: &Plan, below: &Path) -> Vec<String> {
    let name = |path: &PathBuf| path.strip_prefix(below).expect("it is below").display().to_string();
    plan.files.iter().map(|(path, _)| name(path)).collect()
}

fn plan(paths: &[&Path]) -> Plan {
    Plan::new(&paths.iter().map(|path| path.to_path_buf()).collect::<Vec<_>>())
}

#[test]
fn a_directory_is_walked_by_name() {
    let folder = folder(&["b", "a/z", "c/d/e", "a/b"]);
    let plan = plan(&[folder.path()]);
    assert_eq!(names(&plan, folder.path()), ["a/b", "a/z", "b", "c/d/e"]);
    assert_eq!((plan.skipped, plan.unreadable.len()), (0, 0));
}

#[test]
fn arguments_keep_their_order() {
    let folder = folder(&["b", "a/z"]);
    let plan = plan(&[&folder.path().join("b"), &folder.path().join("a")]);
    assert_eq!(names(&plan, folder.path()), ["b", "a/z"]);
}

#[test]
fn a_file_is_taken_once_under_all_its_names() {
    let folder = folder(&["a"]);
    let at = |name: &str| folder.path().join(name);
    fs::hard_link(at("a"), at("hard")).expect("a hard link");
    symlink(at("a"), at("soft")).expect("a symbolic link");
    let walked = plan(&[folder.path()]);
    assert_eq!((names(&walked, folder.path()), walked.skipped), (vec!["a".to_owned()], 2));
    let named = plan(&[&at("soft"), &at("a"), &at("hard"), &at("soft"), folder.path()]);
    assert_eq!(names(&named, folder.path()), ["soft"]);
    // Three more names as arguments, three in the walk.
    assert_eq!(named.skipped, 6);
}

#[test]
fn links_to_directories_are_not_followed_in_a_walk() {
    let folder = folder(&["inner/a"]);
    symlink(folder.path(), folder.path().join("inner/loop")).expect("a symbolic link");
    let plan = plan(&[folder.path()]);
    assert_eq!((names(&plan, folder.path()), plan.skipped), (vec!["inner/a".to_owned()], 1));
}

#[test]
fn what_is_no_elf_file_is_skipped_in_a_walk_and_taken_when_named() {
    let folder = folder(&["a"]);
    let text = folder.path().join("text");
    fs::write(&text, "no ELF file\n").expect("a file is written");
    let walked = plan(&[folder.path()]);
    assert_eq!((names(&walked, folder.path()), walked.skipped), (vec!["a".to_owned()], 1));
    assert_eq!(names(&plan(&[&text]), folder.path()), ["text"]);
}

#[test]
fn a_path_that_is_not_there_is_unreadable() {
    let folder = folder(&["a"]);
    let plan = plan(&[&folder.path().join("lost"), &folder.path().join("a")]);
    assert_eq!(plan.unreadable.len(), 1);
    assert_eq!(plan.unreadable[0].why, "no such file or directory");
    assert_eq!(names(&plan, folder.path()), ["a"]);
}

#[test]
fn batches_hold_neighbours_up_to_both_limits() {
    let sized = |sizes: &[u64]| Plan {
        files: sizes.iter().enumerate().map(|(index, &size)| (index.to_string().into(), size)).collect(),
        ..Plan::default()
    };
    let cut = |sizes: &[u64], files, bytes| -> Vec<usize> {
        let batches = sized(sizes).batches(files, bytes);
        let flat: Vec<PathBuf> = batches.iter().flatten().cloned().collect();
        assert_eq!(flat, (0..sizes.len()).map(|index| index.to_string().into()).collect::<Vec<PathBuf>>());
        batches.iter().map(Vec::len).collect()
    };
    assert_eq!(cut(&[1; 5], 2, 100), [2, 2, 1]);
    assert_eq!(cut(&[40, 60, 1], 10, 100), [2, 1]);
    assert_eq!(cut(&[500, 1, 1], 10, 100), [1, 2]);
    assert_eq!(cut(&[1, 500, 1], 10, 100), [1, 1, 1]);
    assert_eq!(cut(&[u64::MAX / 2, u64::MAX / 2], 10, 100), [1, 1]);
    assert_eq!(cut(&[], 10, 100), Vec::<usize>::new());
}
