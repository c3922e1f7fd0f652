//! What linkers make of empty FDEs and of sections that are placed on each other.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use cfidiff_model::{Invariant, Severity};

use crate::support::{broken, keys};

/// `live` behind `empty` at one address, both with an FDE: `empty`'s has no range.
const EMPTY_FIRST: &str = "\t.section .text.live, \"ax\", @progbits
\t.type\tempty, @function
empty:
\t.cfi_startproc
\t.cfi_endproc
\t.size\tempty, . - empty
\t.globl\tlive
\t.type\tlive, @function
live:
\t.cfi_startproc
\tnop
\tret
\t.cfi_endproc
\t.size\tlive, . - live
";

/// The same with the FDE of `empty` behind that of `live`: a subsection places code before what was assembled earlier.
const EMPTY_LAST: &str = "\t.section .text.live, \"ax\", @progbits
\t.subsection 1
\t.globl\tlive
\t.type\tlive, @function
live:
\t.cfi_startproc
\tnop
\tret
\t.cfi_endproc
\t.size\tlive, . - live
\t.subsection 0
\t.type\tempty, @function
empty:
\t.cfi_startproc
\t.cfi_endproc
\t.size\tempty, . - empty
";

/// The entry point that every program needs.
const START: &str = "\t.text
\t.globl\t_start
\t.type\t_start, @function
_start:
\t.cfi_startproc
\tnop
\tnop
\tret
\t.cfi_endproc
\t.size\t_start, . - _start
";

/// Two sections, the second of which starts at the second byte of the first.
const SCRIPT: &str = "SECTIONS {
  .one 0x401000 : { *(.text) }
  .two 0x401001 : { *(.text.live) }
  .eh_frame_hdr 0x402000 : { *(.eh_frame_hdr) }
  .eh_frame 0x403000 : { *(.eh_frame) }
}
";

/// Assembles and links. `None` when a tool is missing.
fn link(linker: &str, source: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    if !is_there("as") || !is_there(linker) {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let run = |command: &mut Command| {
        let output = command.current_dir(folder.path()).output().expect("it starts");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    fs::write(folder.path().join("in.s"), format!("{START}{source}")).expect("a file");
    fs::write(folder.path().join("script"), SCRIPT).expect("a file");
    run(Command::new("as").args(["--64", "in.s", "-o", "in.o"]));
    run(Command::new(linker)
        .args(["-m", "elf_x86_64", "--eh-frame-hdr", "in.o", "-o", "out"])
        .args(arguments));
    Some(fs::read(folder.path().join("out")).expect("the output"))
}

fn is_there(tool: &str) -> bool {
    let there = cfg!(target_arch = "x86_64")
        && env::split_paths(&env::var_os("PATH").unwrap_or_default())
            .any(|folder| folder.join(tool).is_file());
    if !there {
        println!("skipped: {tool} not found");
        let required = env::var_os("CFIDIFF_REQUIRE_ORACLES").is_some_and(|value| value == "all");
        assert!(!required, "{tool} is required");
    }
    there
}

/// The versions of LLVM's linker that are on the search path.
fn llds() -> Vec<String> {
    let folders: Vec<_> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    let names = (13..40).map(|version| format!("ld.lld-{version}"));
    names.filter(|name| folders.iter().any(|folder| Path::new(folder).join(name).is_file())).collect()
}

fn errors(file: &[u8]) -> Vec<Invariant> {
    let keys = keys(&broken("linked", file)).into_iter();
    keys.filter(|key| key.severity() == Severity::Error).collect()
}

/// GNU ld and gold leave the empty FDE out of `.eh_frame`.
#[test]
fn gnu_linkers_hide_no_function_behind_an_empty_fde() {
    for linker in ["ld.bfd", "ld.gold"] {
        for source in [EMPTY_FIRST, EMPTY_LAST] {
            if let Some(file) = link(linker, source, &[]) {
                assert_eq!(errors(&file), [], "{linker}");
            }
        }
    }
}

/// LLVM's linker keeps the first of two entries for one address, so an empty FDE in front hides the function.
#[test]
fn lld_hides_a_function_behind_an_empty_fde_in_front() {
    for linker in llds() {
        let Some(file) = link(&linker, EMPTY_FIRST, &[]) else { continue };
        assert_eq!(errors(&file), [Invariant::HdrShadowedByEmpty], "{linker}");
        let Some(file) = link(&linker, EMPTY_LAST, &[]) else { continue };
        assert_eq!(errors(&file), [], "{linker}");
    }
}

/// mold 1 keeps both entries, and a search ends at the last.
#[test]
fn mold_hides_a_function_before_an_empty_fde() {
    let version = Command::new("mold").arg("--version").output();
    let version =
        version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let Some(file) = link("mold", EMPTY_LAST, &[]) else { return };
    if !version.starts_with("mold 1.") {
        println!("skipped: the fault is of mold 1, not of {version}");
        return;
    }
    assert_eq!(errors(&file), [Invariant::HdrShadowedByEmpty]);
    let found = broken("linked", &file);
    assert!(found[0].places[0].found.contains("0x40"), "{:?}", found[0].places);
}

#[test]
fn sections_that_are_placed_on_each_other_have_fdes_that_overlap() {
    let source = EMPTY_FIRST.replace("empty:\n\t.cfi_startproc\n\t.cfi_endproc\n", "empty:\n");
    for linker in llds() {
        if let Some(file) = link(&linker, &source, &["--no-check-sections", "-T", "script"]) {
            let found = broken("linked", &file);
            assert_eq!(errors(&file), [Invariant::FdeOverlap], "{linker}");
            assert_eq!(found[0].places[0].address.0, 0x40_1001);
        }
    }
}
