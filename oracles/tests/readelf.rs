//! What the installed readelf says of small sections, against answers beside them.
//!
//! The sections are those in `tests/data/readelf/NAME.case`, and those on which another oracle's answers are on file.
//! `tests/data/readelf/NAME.answer` holds what readelf 2.40 says. `BLESS=1` writes the answers anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use cfidiff_model::{Case, CfaRule, Entry, Expression, Instruction, Operation, RegisterRule};
use cfidiff_oracles::Oracle;
use cfidiff_oracles::binutils::{Binutils, Program};

mod support;

use support::{Kept, found, parse_case, write_elf};

/// The version whose answers are on file.
const VERSION: &str = "2.40";

fn data(folder: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", folder].iter().collect()
}

/// All cases by name, each with a file of its own in `folder`.
fn cases(folder: &std::path::Path) -> Vec<Case> {
    let mut texts = BTreeMap::new();
    for source in ["gimli", "readelf"] {
        for file in fs::read_dir(data(source)).expect("the cases") {
            let path = file.expect("a file").path();
            if path.extension().is_some_and(|extension| extension == "case") {
                let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                texts.insert(name, fs::read_to_string(&path).expect("a case"));
            }
        }
    }
    let make = |(name, text): (&String, &String)| {
        let mut case = parse_case(name, text);
        write_elf(&mut case, &folder.join(name));
        case
    };
    texts.iter().map(make).collect()
}

/// Everything that was said of one case, a line for each thing.
fn describe(kept: &Kept, index: usize, case: &Case) -> String {
    let mut text = String::new();
    for (&(_, section), entries) in kept.entries.range((index, 0)..(index + 1, 0)) {
        let outcome = &kept.sections[&(index, section)];
        writeln!(text, "section {} {outcome:?}", case.sections[section].name).expect("text");
        for entry in entries {
            describe_entry(&mut text, entry);
        }
    }
    writeln!(text, "case {:?}", kept.cases[&index]).expect("text");
    text
}

fn describe_entry(text: &mut String, entry: &Entry) {
    let Entry { offset, length, format, kind, instructions, rows, faults } = entry;
    writeln!(text, "{offset} length {length} {format:?} {kind:?}").expect("text");
    for instruction in instructions {
        writeln!(text, "  {instruction:?}").expect("text");
    }
    for row in rows.iter() {
        writeln!(text, "  {}..{} {:?} {:?}", row.start, row.end, row.cfa, row.rules).expect("text");
    }
    for fault in faults {
        writeln!(text, "  {fault}").expect("text");
    }
}

#[test]
fn answers_are_those_on_file() {
    let Some(readelf) = found(Binutils::probe(Program::Readelf)) else { return };
    if readelf.version() != VERSION {
        println!("skipped: the answers are of readelf {VERSION}, and this is {}", readelf.version());
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let cases = cases(folder.path());
    let kept = [0, 1].map(|pass| {
        let mut kept = Kept::default();
        readelf.read(pass, &cases, &mut kept);
        kept
    });
    let mut wrong = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let [raw, interp] = [0, 1].map(|pass: usize| describe(&kept[pass], index, case));
        let answer = format!("pass raw\n{raw}pass interp\n{interp}");
        let path = data("readelf").join(format!("{}.answer", case.name));
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &answer).expect("an answer that can be written");
        } else if fs::read_to_string(&path).unwrap_or_default() != answer {
            wrong.push(format!("--- {}\n{answer}", case.name));
        }
    }
    assert!(wrong.is_empty(), "answers that differ from those on file:\n{}", wrong.join("\n"));
}

#[test]
fn several_files_in_one_process_and_one_file_for_each_say_the_same() {
    let Some(mut readelf) = found(Binutils::probe(Program::Readelf)) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let cases = cases(folder.path());
    for pass in [0, 1] {
        let [many, one] = [usize::MAX, 1].map(|files| {
            readelf.files_per_process = files;
            let mut kept = Kept::default();
            readelf.read(pass, &cases, &mut kept);
            kept
        });
        assert_eq!(many.entries, one.entries);
        assert_eq!(many.sections, one.sections);
        assert_eq!(many.cases, one.cases);
    }
}

/// Each operation with an operand of its own kind, in one expression each.
#[test]
fn every_operation_comes_back_from_the_text() {
    let Some(readelf) = found(Binutils::probe(Program::Readelf)) else { return };
    let operation = |opcode, operands: &[u64], block: &[u8]| {
        let operation = Operation { opcode, operands: operands.into(), block: block.to_vec() };
        Box::new(Expression { operations: vec![operation, Operation::new(0x96, &[])], size: None })
    };
    let cases: &[(&[u8], Box<Expression>)] = &[
        (&[0x03, 1, 2, 3, 4, 5, 6, 7, 0x88], operation(0x03, &[0x8807_0605_0403_0201], &[])),
        (&[0x06], operation(0x06, &[], &[])),
        (&[0x09, 0xff], operation(0x09, &[u64::MAX], &[])),
        (&[0x0a, 0xfe, 0xff], operation(0x0a, &[0xfffe], &[])),
        (&[0x0f, 1, 0, 0, 0, 0, 0, 0, 0x80], operation(0x0f, &[0x8000_0000_0000_0001], &[])),
        (&[0x10, 0x80, 1], operation(0x10, &[128], &[])),
        (&[0x28, 0xfd, 0xff], operation(0x28, &[(-3_i64).cast_unsigned()], &[])),
        (&[0x4f], operation(0x4f, &[], &[])),
        (&[0x51], operation(0x51, &[], &[])),
        (&[0x77, 0x78], operation(0x77, &[(-8_i64).cast_unsigned()], &[])),
        (&[0x90, 0x38], operation(0x90, &[56], &[])),
        (&[0x92, 6, 0x70], operation(0x92, &[6, (-16_i64).cast_unsigned()], &[])),
        (&[0x9d, 5, 7], operation(0x9d, &[5, 7], &[])),
        (&[0x9e, 2, 0xaa, 1], operation(0x9e, &[], &[0xaa, 1])),
        (&[0xa3, 3, 0x75, 0, 0x9f], operation(0xa3, &[], &[0x75, 0, 0x9f])),
        (&[0xa4, 5, 1, 0xff], operation(0xa4, &[5], &[0xff])),
        (&[0xa5, 6, 9], operation(0xa5, &[6, 9], &[])),
        (&[0xa6, 4, 9], operation(0xa6, &[4, 9], &[])),
        (&[0xf7, 0], operation(0xf7, &[0], &[])),
        (&[0xe0], operation(0xe0, &[], &[])),
    ];
    let mut text =
        String::from("section .debug_frame 0x0\n0c 00 00 00 ff ff ff ff 03 00 01 78 10 0c 07 08\n");
    for (bytes, _) in cases {
        let length = 4 + 8 + 8 + 2 + bytes.len() + 1;
        let head = [length as u64, 0].map(|word| word.to_le_bytes()[..4].to_vec()).concat();
        let range = [0x1000_u64, 0x10].map(u64::to_le_bytes).concat();
        let block = [&[0x0f, bytes.len().to_le_bytes()[0] + 1], *bytes, &[0x96]].concat();
        for byte in [head, range, block].concat() {
            write!(text, "{byte:02x} ").expect("text");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut case = parse_case("operations", &text);
    write_elf(&mut case, &folder.path().join("operations"));
    let mut kept = Kept::default();
    readelf.read(0, &[case], &mut kept);
    let told: Vec<_> = kept.entries[&(0, 0)][1..].iter().map(|entry| entry.instructions.clone()).collect();
    let expected: Vec<_> = cases
        .iter()
        .map(|(_, expression)| vec![Instruction::DefCfaExpression { expression: expression.clone() }])
        .collect();
    assert_eq!(told, expected);
}

/// The rows of expressions, which have no contents here.
#[test]
fn rows_tell_that_there_is_an_expression() {
    let Some(readelf) = found(Binutils::probe(Program::Readelf)) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let text = "section .debug_frame 0x0\n0c 00 00 00 ff ff ff ff 03 00 01 78 10 0c 07 08\n\
        1c 00 00 00 00 00 00 00 00 10 00 00 00 00 00 00 10 00 00 00 00 00 00 00\n\
        0f 01 96 10 03 01 96 00\n";
    let mut case = parse_case("expressions", text);
    write_elf(&mut case, &folder.path().join("expressions"));
    let mut kept = Kept::default();
    readelf.read(1, &[case], &mut kept);
    let row = kept.entries[&(0, 0)][1].rows.get(0).expect("a row");
    assert_eq!(*row.cfa, CfaRule::Expression(Box::default()));
    assert_eq!(row.rules, [(3, RegisterRule::Expression(Box::default()))]);
}
