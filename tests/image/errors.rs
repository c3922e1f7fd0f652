//! Files that give no case at all.

use std::fs;
use std::path::Path;

use cfidiff::image::{self, OpenError, is_elf_or_archive};

use super::{alone, fixture, fixture_bytes};

fn error(path: &Path) -> OpenError {
    image::open(path, &alone()).expect_err("no case")
}

#[test]
fn each_reason_is_told_apart() {
    let directory = tempfile::tempdir().expect("a directory");
    let missing = directory.path().join("missing");
    assert!(matches!(error(&missing), OpenError::NotFound { .. }));
    assert_eq!(error(&missing).to_string(), format!("{}: no such file", missing.display()));
    assert!(matches!(error(&fixture("x86_64.o").join("below")), OpenError::NotFound { .. }));
    assert!(matches!(error(directory.path()), OpenError::IsDirectory { .. }));
    for contents in [&b""[..], b"\x7fEL", b"#!/bin/sh\n", b"!<arch>"] {
        let path = directory.path().join("file");
        fs::write(&path, contents).expect("a file");
        assert!(matches!(error(&path), OpenError::NotElf { .. }), "{contents:?}");
        assert!(!is_elf_or_archive(&path).expect("a file"));
    }
}

#[test]
fn a_malformed_header_tells_file_and_offset() {
    let bytes = fixture_bytes("x86_64.o");
    let message = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        image::from_bytes("a.o", &bytes, &alone()).expect_err("no case").to_string()
    };
    let what = "a.o: the ELF header at offset";
    assert_eq!(message(&|bytes| bytes[4] = 3), format!("{what} 0x4 cannot be read: class 3 is not defined"));
    assert_eq!(
        message(&|bytes| bytes[5] = 0),
        format!("{what} 0x5 cannot be read: byte order 0 is not defined")
    );
    assert_eq!(
        message(&|bytes| bytes[6] = 9),
        format!("{what} 0x6 cannot be read: version 9 is not defined")
    );
    // The section header table of an object file cut short is past its end.
    let table = u64::from_le_bytes(bytes[40..48].try_into().expect("eight bytes"));
    assert_eq!(
        message(&|bytes| bytes.truncate(1000)),
        format!(
            "a.o: the section header table at offset {table:#x} cannot be read: Invalid ELF section header \
             offset/size/alignment"
        )
    );
    assert!(message(&|bytes| bytes.truncate(40)).starts_with(&format!("{what} 0x0 cannot be read")));
}

#[test]
fn the_probe_opens_nothing_but_files() {
    assert!(is_elf_or_archive(&fixture("x86_64.o")).expect("a file"));
    assert!(!is_elf_or_archive(&fixture("frames.s")).expect("a file"));
    assert!(!is_elf_or_archive(&fixture("")).expect("a directory"));
    assert!(is_elf_or_archive(&fixture("missing")).is_err());
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_opened() {
    let null = Path::new("/dev/null");
    assert!(matches!(error(null), OpenError::NotRegular { .. }));
    assert!(!is_elf_or_archive(null).expect("a device"));
}
