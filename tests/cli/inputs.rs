//! Inputs that cannot be read, in part or at all.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::{Folder, LINKED, check, linked, without_cfi};

#[test]
fn a_good_file_agrees() {
    check([LINKED]).exits(0).says("1 file read, 0 skipped; 2 CIEs, 6 FDEs").says("(exit 0)");
}

#[test]
fn a_text_file_that_was_named_is_an_error_and_the_others_are_checked() {
    let folder = Folder::new();
    let text = folder.file("notes.txt", b"no ELF file\n");
    let run = check([text.as_os_str(), LINKED.as_ref()]);
    run.exits(2).says("notes.txt: is neither an ELF file nor an archive").says("6 FDEs");
    run.logs("notes.txt: is neither an ELF file nor an archive").says("1 input cannot be read (exit 2)");
}

#[test]
fn a_text_file_in_a_directory_is_passed_over_and_counted() {
    let folder = Folder::new();
    folder.file("notes.txt", b"no ELF file\n");
    folder.file("empty", b"");
    folder.file("lib.so", &linked());
    let run = check([folder.path()]);
    run.exits(0).says("1 file read, 2 skipped");
    assert!(!run.stdout.contains("notes.txt"), "{}", run.stdout);
    assert!(!run.stderr.contains("cfidiff: "), "{}", run.stderr);
}

#[test]
fn dangling_links_and_pipes_in_a_directory_are_passed_over_and_named_ones_are_errors() {
    let folder = Folder::new();
    let (link, socket) = (folder.path().join("link"), folder.path().join("socket"));
    symlink("nowhere", &link).expect("a link is made");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket is made");
    folder.file("lib.so", &linked());
    check([folder.path()]).exits(0).says("1 file read, 2 skipped");
    check([&link]).exits(2).says("link: no such file or directory");
    check([&socket]).exits(2).says("socket: is not a regular file");
}

#[test]
fn one_file_under_two_names_is_read_once() {
    let folder = Folder::new();
    let file = folder.file("lib.so", &linked());
    symlink("lib.so", folder.path().join("lib.so.1")).expect("a link is made");
    fs::hard_link(&file, folder.path().join("lib.so.2")).expect("a link is made");
    check([folder.path()]).exits(0).says("1 file read, 2 skipped");
    check([&file, &file]).exits(0).says("1 file read, 1 skipped");
}

#[test]
fn a_missing_path_is_an_error_and_the_others_are_checked() {
    let folder = Folder::new();
    let missing = folder.path().join("missing");
    let run = check([missing.as_os_str(), LINKED.as_ref()]);
    run.exits(2).says("missing: no such file or directory").logs("missing: no such file").says("6 FDEs");
}

#[test]
fn a_directory_and_a_file_without_permission_are_errors() {
    let folder = Folder::new();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a folder is made");
    let file = folder.file("lib.so", &linked());
    for path in [&inner, &file] {
        fs::set_permissions(path, PermissionsExt::from_mode(0o000)).expect("permissions change");
    }
    if fs::read_dir(&inner).is_ok() {
        println!("skipped: permissions do not bind the superuser");
        return;
    }
    check([folder.path()]).exits(2).says("inner: permission denied").says("lib.so: permission denied");
}

#[test]
fn a_walk_tells_of_what_it_cannot_read() {
    // A file that even the superuser can open and not read.
    let memory = std::path::Path::new("/proc/self/mem");
    if !memory.exists() {
        println!("skipped: {} not found", memory.display());
        return;
    }
    check([memory]).exits(2).says("/proc/self/mem: ").says("1 input cannot be read");
}

#[test]
fn an_elf_file_without_cfi_is_nothing_compared_when_alone() {
    let folder = Folder::new();
    let bare = folder.file("bare", &without_cfi());
    check([&bare])
        .exits(4)
        .says("no call frame information to compare in ")
        .says("nothing was compared (exit 4)");
    check([bare.as_os_str(), LINKED.as_ref()]).exits(0).says("1 without call frame information");
    let quiet = check([bare.as_os_str(), "-q".as_ref()]);
    assert_eq!(quiet.exits(4).stdout, "nothing was compared (exit 4)\n");
}

#[test]
fn an_empty_directory_is_nothing_compared() {
    check([Folder::new().path()]).exits(4).says("0 files read");
}

#[test]
fn truncated_files_never_break_it() {
    let folder = Folder::new();
    let whole = linked();
    for size in (4..64).step_by(12).chain((64..whole.len()).step_by(997)) {
        let file = folder.file("cut", &whole[..size]);
        let run = check([&file]);
        assert!(matches!(run.code, Some(0 | 1 | 2 | 4)), "cut at {size}: {:?}\n{}", run.code, run.stderr);
        assert!(!run.stderr.contains("panicked"), "cut at {size}: {}", run.stderr);
    }
    let header = folder.file("header", &whole[..40]);
    check([&header]).exits(2).says("the ELF header at offset 0x0 cannot be read");
}

#[test]
fn odd_names_are_read_and_shown() {
    let folder = Folder::new();
    for name in ["-x", "@x", "a b", "tab\there", "é"] {
        let file = folder.file(name, &linked());
        check(["--".as_ref(), file.as_os_str()]).exits(0).says("6 FDEs");
    }
    check([folder.path()]).exits(0).says("5 files read");
}

#[test]
fn a_name_cannot_speak_to_the_terminal() {
    let folder = Folder::new();
    let file = folder.file("red\u{1b}[31m\nline", b"no ELF file\n");
    let run = check([&file]);
    run.exits(2).says(r"red\u{1b}[31m\nline: is neither").logs(r"red\u{1b}[31m\nline: is neither");
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'));
}

#[test]
fn wrong_usage_says_what_is_right() {
    check(["--timeout", "0", LINKED]).exits(2).logs("1..=");
    check(["--sections", ".text", LINKED]).exits(2).logs(".eh_frame, .debug_frame");
    check(["--reader", "nobody", LINKED]).exits(2).logs("there are gimli, readelf, objdump, llvm-dwarfdump");
    check(["--jobs", "many", LINKED]).exits(2).logs("invalid digit");
}
