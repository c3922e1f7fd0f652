//! The conformance suite is the one that is checked in, and our reader's answer on each case is the one that the
//! case was made for.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cfidiff::corpus;
use cfidiff::image;
use cfidiff_gen::suite::{Case, Role, Suite};
use cfidiff_model::{EntryKind, FaultKind};
use walkdir::WalkDir;

/// The most that the whole folder may have, so that a checkout stays small.
const MAX_BYTES: u64 = 4 << 20;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"))
}

fn suite() -> Suite {
    Suite::build().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_checked_in_suite_is_the_one_that_is_built() {
    let wanted = corpus::files(&suite());
    for (path, contents) in &wanted {
        let there = fs::read(folder().join(path)).unwrap_or_default();
        assert!(there == *contents, "{} is another: run `cfidiff gen corpus`", path.display());
    }
    let there: BTreeSet<PathBuf> = WalkDir::new(folder().join(corpus::CASES))
        .into_iter()
        .map(|entry| entry.expect("the folder can be listed"))
        .filter(|entry| !entry.file_type().is_dir())
        .map(|entry| entry.path().strip_prefix(folder()).expect("below the folder").to_owned())
        .collect();
    let stale: Vec<_> = there.iter().filter(|path| !wanted.contains_key(*path)).collect();
    assert!(stale.is_empty(), "not of the suite: {stale:?}");
}

#[test]
fn the_suite_is_small_and_large_enough() {
    let all = WalkDir::new(folder()).into_iter().map(|entry| entry.expect("the folder can be listed"));
    let files = all.filter(|entry| entry.file_type().is_file());
    let bytes: u64 = files.map(|entry| entry.metadata().map_or(0, |meta| meta.len())).sum();
    assert!(bytes <= MAX_BYTES, "{bytes} bytes");
    assert!(suite().cases().len() >= 400, "{} cases", suite().cases().len());
}

#[test]
fn our_reader_answers_what_each_case_was_made_for() {
    let mut wrong = String::new();
    for case in suite().cases() {
        let image = image::from_bytes(&case.name, &case.file, &image::Options::default());
        let image = image.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        for mismatch in corpus::compare(case, &image.cases[0]) {
            let _ = writeln!(wrong, "{}: {mismatch}", case.name);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// An expected answer that leaves the rows out says nothing of the reader's hardest part.
#[test]
fn every_sound_record_has_expected_rows() {
    for case in suite().cases() {
        for expected in case.sections.iter().flat_map(|section| &section.entries) {
            let told = match &expected.entry.kind {
                EntryKind::Cie(_) | EntryKind::Fde(_) => !expected.entry.rows.is_empty(),
                EntryKind::Terminator | EntryKind::Unreadable => true,
            };
            let free = !expected.faults.is_empty() && expected.free.contains(&"rows");
            assert!(told || free, "{}: no rows at {}", case.name, expected.entry.offset);
        }
        let clause = !case.clause.trim().is_empty();
        assert!(clause && !case.about.trim().is_empty(), "{}: no clause or no about", case.name);
        assert_eq!(case.name.split('/').count(), 2, "{} is not `topic/name`", case.name);
    }
}

#[test]
fn writing_touches_what_is_wrong_and_removes_what_is_not_of_the_suite() {
    let suite = suite();
    let folder = tempfile::tempdir().expect("a folder");
    let write = || corpus::write(&suite, folder.path()).expect("the suite can be written");
    assert_eq!(write(), corpus::files(&suite).len());
    assert_eq!(write(), 0);
    let case = folder.path().join(corpus::CASES).join(&suite.cases()[0].name);
    fs::write(&case, "another").expect("the case can be written");
    let stale = case.with_file_name("of-another-version");
    fs::write(&stale, "").expect("the file can be written");
    let beside = folder.path().join("notes");
    fs::write(&beside, "").expect("the file can be written");
    assert_eq!(write(), 2);
    assert_eq!(fs::read(&case).expect("the case is there"), suite.cases()[0].file);
    assert!(!stale.exists() && beside.exists());
}

/// What the suite finds, changed in one place, is told with that place.
#[test]
fn another_answer_is_told_by_its_place() {
    let suite = suite();
    let told = |name: &str, change: &dyn Fn(&mut Case)| {
        let mut case =
            suite.cases().iter().find(|case| case.name == name).expect("the case is there").clone();
        let image = image::from_bytes(name, &case.file, &image::Options::default()).expect("it opens");
        change(&mut case);
        let mismatches = corpus::compare(&case, &image.cases[0]);
        mismatches.into_iter().map(|mismatch| mismatch.place).collect::<Vec<_>>()
    };
    let plain = "encoding/enc-1b-pcrel-sdata4";
    assert_eq!(told(plain, &|_| {}), [""; 0]);
    let length = |case: &mut Case| case.sections[0].entries[1].entry.length += 1;
    assert_eq!(told(plain, &length), [".eh_frame+0x18 length"]);
    let rows = |case: &mut Case| case.sections[0].entries[1].entry.rows.clear();
    assert_eq!(told(plain, &rows), [".eh_frame+0x18 rows"]);
    let fault = |case: &mut Case| case.sections[0].entries[0].faults.push(FaultKind::LebOverflow);
    assert_eq!(told(plain, &fault), [".eh_frame+0x0 faults"]);
    let fewer = |case: &mut Case| _ = case.sections[0].entries.pop();
    assert_eq!(told(plain, &fewer), [".eh_frame"]);
    let section = |case: &mut Case| case.sections[0].index += 1;
    assert_eq!(told(plain, &section)[0], ".eh_frame");
    let free = |case: &mut Case| {
        case.sections[0].entries[1].entry.length += 1;
        case.sections[0].entries[1].free.push("length");
    };
    assert_eq!(told(plain, &free), [""; 0]);
    // What only an unwinder has to give is not asked of a program that lists sections, so there is one entry less.
    let role = |case: &mut Case| case.sections[0].entries[2].role = Some(Role::Unwinder);
    assert_eq!(told(plain, &role)[0], ".eh_frame");
    let dumper = |case: &mut Case| case.sections[0].entries[2].role = Some(Role::Dumper);
    assert_eq!(told(plain, &dumper), [""; 0]);
    let header = |case: &mut Case| _ = case.header.as_mut().and_then(|header| header.spec.entries.pop());
    assert_eq!(told("header/hdr-good", &header), [".eh_frame_hdr count", ".eh_frame_hdr table"]);
}
