//! `cfidiff explain` on the records that textbooks of the trade take apart, with numbers from their bytes by hand.

use std::path::Path;

use crate::support::run;

fn explain(arguments: &[&str]) -> crate::support::Run {
    run(std::iter::once("explain").chain(arguments.iter().copied()))
}

fn case(name: &str) -> String {
    format!("{}/corpus/cases/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Asserts that the lines are there in this order, each with these words beside each other.
#[track_caller]
fn has_lines(said: &str, wanted: &[&[&str]]) {
    let mut lines = said.lines();
    for words in wanted {
        let line = words.join(" ");
        let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(lines.any(|there| squeezed(there).contains(&line)), "no {line:?} in this order in\n{said}");
    }
}

/// `24000000 1c000000 78efffff 20000000 00 0e10 46 0e18 4a 0f 0b 77...`: the CIE is at the field minus the value, the
/// location is the field's address plus the value, the range a plain length, and the expression has eleven bytes.
#[test]
fn an_fde_of_a_linked_program() {
    let run = explain(&[&case("reference/shape"), "--offset", "0x48"]);
    has_lines(
        &run.exits(0).stdout,
        &[
            &["00000048 24 00 00 00 length 0x24 0x4c + 0x24 = 0x70"],
            &["0000004c 1c 00 00 00 CIE pointer 0x1c this field 0x4c - 0x1c = 0x30, the CIE"],
            &["00000050 78 ef ff ff initial location 0x1020 pcrel sdata4:"],
            &["00000054 20 00 00 00 address range 0x20 a plain length: 0x1020..0x1040"],
            &["00000058 00 augmentation length 0"],
            &["00000059 0e 10 DW_CFA_def_cfa_offset: 16 in bytes: not factored"],
            &["0000005b 46 DW_CFA_advance_loc: 6 to 0000000000001026"],
            &["0000005c 0e 18 DW_CFA_def_cfa_offset: 24"],
            &["0000005f 0f 0b 77 08 80 00 3f 1a DW_CFA_def_cfa_expression (DW_OP_breg7 (rsp): 8;"],
            &["0000006c 00 00 00 00 4 x DW_CFA_nop"],
            &["0x1020..0x1026 cfa=rsp+16 rip=c-8"],
            &["0x1026..0x1030 cfa=rsp+24 rip=c-8"],
        ],
    );
    run.says("this field's address 0x2058 + 0x50 = 0x20a8, - 0x1088");
}

/// `0c 07 08` is one instruction; `90 01` has the operand 1, times -8.
#[test]
fn the_cies_of_both_sections() {
    let run = explain(&[&case("reference/shape"), "--offset", "0"]);
    has_lines(
        &run.exits(0).stdout,
        &[
            &["00000000 14 00 00 00 length 0x14 0x4 + 0x14 = 0x18"],
            &["00000009 7a 52 00 augmentation \"zR\""],
            &["0000000d 78 data alignment factor -8"],
            &["0000000f 01 augmentation length 1"],
            &["00000010 1b R: location encoding 0x1b pcrel sdata4"],
            &["00000011 0c 07 08 DW_CFA_def_cfa: r7 (rsp) ofs 8"],
            &[
                "00000014 90 01 DW_CFA_offset: r16 (rip) at cfa-8 0x90 = 0x80 + 16; 1 x data alignment factor -8",
            ],
            &["00000016 07 10 DW_CFA_undefined: r16 (rip)"],
            &["cfa=rsp+8 rip=u"],
        ],
    );
    // No field for a length of the initial instructions: 11 bytes of them, six of which are nops.
    let run = explain(&[&case("reference/t"), "--offset", "0"]);
    has_lines(
        &run.exits(0).stdout,
        &[
            &["00000004 ff ff ff ff CIE id 0xffffffff in .debug_frame all bits set"],
            &["0000000c 10 return address register r16 (rip)"],
            &["0000000d 0c 07 08 DW_CFA_def_cfa: r7 (rsp) ofs 8"],
            &["00000012 00 00 00 00 00 00 6 x DW_CFA_nop"],
        ],
    );
    let run = explain(&[&case("reference/t"), "--offset", "0x18"]);
    run.exits(0).says("an offset from the section's start: 0x0, the CIE");
}

#[test]
fn a_program_counter_finds_its_fde_and_marks_its_row() {
    let run = explain(&[&case("reference/shape"), "--pc", "0x102f"]);
    run.exits(0).says("FDE at 0x48 of .eh_frame");
    has_lines(&run.stdout, &[&["0x1026..0x1030 cfa=rsp+24 rip=c-8 <- 0x102f"]]);
    explain(&[&case("reference/shape"), "--pc", "0x9000"]).exits(4).logs("no such record");
    explain(&[&case("reference/shape"), "--offset", "0x49"]).exits(4);
    explain(&[&case("reference/shape")]).exits(2);
}

#[test]
fn another_reader_stands_beside() {
    let run = explain(&[&case("reference/shape"), "--offset", "0x48", "--with", "gimli"]);
    has_lines(
        &run.exits(0).stdout,
        &[&["same initial location 0x1020"], &["same row 0x1026..0x1030 cfa=rsp+24 rip=c-8"]],
    );
    assert!(!run.stdout.contains("differs"), "{}", run.stdout);
    explain(&[&case("reference/shape"), "--offset", "0x48", "--with", "nobody"]).exits(2);
    if !Path::new("/usr/bin/readelf").exists() {
        println!("skipped: readelf not found");
        return;
    }
    // For an FDE before its CIE, binutils starts the rows without the CIE's instructions.
    let run = explain(&[&case("cie-pointer/fde-before-cie-df"), "--offset", "0", "--with", "readelf"]);
    run.exits(0).says("differs");
}

/// Whatever the bytes, every record is explained without a panic.
#[test]
fn damaged_records_are_explained_as_far_as_they_go() {
    let folder = case("damage");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the suite is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            continue;
        }
        for offset in ["0", "0x18", "0x30"] {
            let name = path.to_str().expect("a name");
            let run = explain(&[name, "--offset", offset]);
            assert!(matches!(run.code, Some(0 | 2 | 4)), "{name} {offset}: {}", run.stderr);
            assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
            seen += 1;
        }
        if seen > 90 {
            break;
        }
    }
    assert!(seen > 30, "{seen}");
}
