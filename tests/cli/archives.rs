//! Archives: every reader that can read one is compared on its members, and one that cannot is told.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use crate::support::{Folder, run, there};

const OBJECTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/cases/relocatable");

/// An archive in the System V format, of cases under these names. Names are as Go's packages have them, filled up with
/// spaces, or end in a slash.
fn archive(folder: &Folder, members: &[(&str, &str)]) -> PathBuf {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, case) in members {
        let contents = match *case {
            "" => b"go object linux amd64 go1.19.8\n".to_vec(),
            _ => fs::read(format!("{OBJECTS}/{case}")).expect("a case of the suite"),
        };
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, contents.len());
        bytes.extend([header.as_bytes(), &contents].concat());
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    let path = folder.path().join("lib.a");
    fs::write(&path, bytes).expect("an archive");
    path
}

/// How many FDEs were compared with each reader that was asked, and how many cases it was not asked about.
fn compared(folder: &Folder, members: &[(&str, &str)]) -> Vec<(String, u64, u64)> {
    let path = archive(folder, members);
    let run = run(["check".as_ref(), "--format".as_ref(), "jsonl".as_ref(), path.as_os_str()]);
    let summary = run.exits(0).summary();
    let readers = summary["readers"].as_array().expect("a list").iter();
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    readers
        .map(|reader| {
            let name = reader["name"].as_str().expect("a name").to_owned();
            (name, number(&reader["compared"]["fdes"]), number(&reader["unsupported"]))
        })
        .collect()
}

#[test]
fn a_member_that_is_no_object_costs_no_reader_but_those_that_refuse_the_archive() {
    let folder = Folder::new();
    let read = compared(&folder, &[("__.PKGDEF", ""), ("race_linux_amd64", "t-plain.o")]);
    assert!(read.iter().any(|(name, ..)| name == "gimli"), "{read:?}");
    for (name, fdes, unsupported) in read {
        match name.as_str() {
            name if name.starts_with("llvm-dwarfdump") => assert_eq!((fdes, unsupported), (0, 1), "{name}"),
            "eu-readelf" | "libdw" | "pyelftools" => assert_eq!((fdes, unsupported), (0, 1), "{name}"),
            name => assert_eq!((fdes, unsupported), (2, 0), "{name}"),
        }
    }
}

#[test]
fn silence_on_a_whole_archive_is_a_failure() {
    if !there("eu-readelf") {
        return;
    }
    let folder = Folder::new();
    let path = archive(&folder, &[("unwind.o/", "clang-sht-unwind.o")]);
    let options = ["check", "--reader", "gimli", "--reader", "eu-readelf"].map(OsStr::new);
    let checked = run(options.into_iter().chain([path.as_os_str()]));
    checked.exits(0).says("known-fault eu-readelf-unwind-sections: 1 finding of eu-readelf");
}

#[test]
fn the_type_of_a_member_s_section_is_its_own() {
    let folder = Folder::new();
    let members = [("plain.o/", "t-plain.o"), ("unwind.o/", "clang-sht-unwind.o")];
    for (name, fdes, unsupported) in compared(&folder, &members) {
        match name.as_str() {
            // It prints no section of the type SHT_X86_64_UNWIND.
            "eu-readelf" => assert_eq!((fdes, unsupported), (2, 0), "{name}"),
            "libdw" | "pyelftools" => assert_eq!((fdes, unsupported), (0, 2), "{name}"),
            name => assert_eq!((fdes, unsupported), (6, 0), "{name}"),
        }
    }
}
