//! Archives and thin archives.

use std::fs;

use cfidiff::image;

use super::{alone, fixture, fixture_bytes, open};

/// An archive with these members, in the System V format.
fn archive(magic: &str, members: &[(&str, &[u8])], contents_inside: bool) -> Vec<u8> {
    let mut file = magic.as_bytes().to_vec();
    for (name, contents) in members {
        let header =
            format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("{name}/"), 0, 0, 0, 644, contents.len());
        file.extend(header.into_bytes());
        if contents_inside {
            file.extend(*contents);
            file.extend(std::iter::repeat_n(b'\n', contents.len() % 2));
        }
    }
    file
}

#[test]
fn each_member_is_a_case() {
    let (x86_64, s390x) = (fixture_bytes("x86_64.o"), fixture_bytes("s390x.o"));
    let members = [("a.o", x86_64.as_slice()), ("notes.txt", b"words"), ("b.o", &s390x), ("c.o", b"\x7fELF")];
    let bytes = archive("!<arch>\n", &members, true);
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("lib.a");
    fs::write(&path, &bytes).expect("a file");
    let image = open(&path, &alone());
    let shown = path.display();
    let names: Vec<_> = image.cases.iter().map(|case| case.name.clone()).collect();
    assert_eq!(names, [format!("{shown}(a.o)"), format!("{shown}(b.o)")]);
    let members: Vec<_> = image.cases.iter().map(|case| case.member.as_ref()?.to_str()).collect();
    assert_eq!(members, [Some("a.o"), Some("b.o")]);
    assert!(image.cases.iter().all(|case| case.path.as_ref() == Some(&path)));
    assert_eq!(image.notes, [format!("{shown}(notes.txt): the member is not an ELF image")]);
    let damage = [format!(
        "{shown}(c.o): the ELF header at offset 0x0 cannot be read: 0x10 bytes at offset 0x0 reach past the end of the file at 0x4"
    )];
    assert_eq!(image.damage, damage);
    // A member's contents are those of the file alone, and from memory they are the same.
    let alone = super::case("x86_64.o");
    assert_eq!(image.cases[0].sections[0].data, alone.sections[0].data);
    let memory =
        image::from_bytes("lib.a", &bytes, &super::alone()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(memory.cases[1].sections[0].data, image.cases[1].sections[0].data);
    assert_eq!(memory.cases[1].name, "lib.a(b.o)");
}

#[test]
fn members_of_a_thin_archive_are_files_of_their_own() {
    let x86_64 = fixture_bytes("x86_64.o");
    let bytes = archive("!<thin>\n", &[("here.o", &x86_64), ("gone.o", &x86_64)], false);
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("lib.a");
    let member = directory.path().join("here.o");
    fs::write(&path, &bytes).expect("a file");
    fs::copy(fixture("x86_64.o"), &member).expect("a file");
    let image = open(&path, &alone());
    assert_eq!(image.cases.len(), 1);
    assert_eq!(image.cases[0].name, format!("{}(here.o)", path.display()));
    assert_eq!((image.cases[0].path.as_ref(), image.cases[0].member.as_ref()), (Some(&member), None));
    let gone = directory.path().join("gone.o");
    let note = format!(
        "{}(gone.o): the thin archive's member is missing: {}: no such file",
        path.display(),
        gone.display()
    );
    assert_eq!(image.damage, [note]);
    let memory = image::from_bytes("lib.a", &bytes, &alone()).unwrap_or_else(|error| panic!("{error}"));
    assert!(memory.cases.is_empty());
    assert_eq!(memory.notes.len(), 2);
}

#[test]
fn a_cut_archive_still_gives_what_is_there() {
    let x86_64 = fixture_bytes("x86_64.o");
    let bytes = archive("!<arch>\n", &[("a.o", &x86_64), ("b.o", &x86_64)], true);
    let image = image::from_bytes("lib.a", &bytes[..bytes.len() - 100], &alone());
    let image = image.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(image.cases.len(), 1);
    assert_eq!(image.damage[0], "lib.a(b.o): the member reaches past the end of the archive");
    assert!(
        image.damage[1].starts_with("lib.a(b.o): the section header table at offset"),
        "{:?}",
        image.damage
    );
}
