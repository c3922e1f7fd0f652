//! What becomes of the tool's text, of its complaints, and of text that is hostile. What the installed version says
//! of real sections is tested elsewhere.

use cfidiff_model::{Address, EntryKind, Instruction, Outcome, SectionOffset};
use proptest::prelude::*;

use super::*;
use crate::printed::testing::{Kept, case, lines_like, parse, parse_files};

/// A file as 0.188 prints it.
const REAL: &str = "
Call frame search table section [ 7] '.eh_frame_hdr':
 version:          1
 eh_frame_ptr_enc: 0x1b (sdata4 pcrel)
 Table:
  0xfffff014 (offset: 0x1010) -> 0x94 fde=[    20]

Call frame information section [ 8] '.eh_frame' at offset 0x2000:

 [     0] CIE length=28
   CIE_id:                   0
   version:                  1
   augmentation:             \"zPLR\"
   code_alignment_factor:    4
   data_alignment_factor:    -8
   return_address_register:  16
   Augmentation data:        0x9b 0xc5 0x1f 0 0 (sdata4 8133)
                             0x1b (LSDA pointer encoding: sdata4 pcrel)
                             0x1b (FDE address encoding: sdata4 pcrel)

   Program:
     def_cfa r7 (rsp) at offset 8
     nop

 [    20] FDE length=28 cie=[     0]
   CIE_pointer:              36
   initial_location:         +0x0000000000001010 (offset: 0x1010)
   address_range:            0x20 (end offset: 0x1030)
   Augmentation data:        LSDA pointer: 0x8f

   Program:
     advance_loc 1 to 0x1014
     def_cfa_expression 3
          [ 0] breg6 16
          [ 2] deref
     val_expression r3 (rbx)
          [ 0] entry_value:
               [ 0] reg5
     nop

 [    40] Zero terminator

Exception handling table section [ 9] '.gcc_except_table':
 LPStart encoding:    0xff (omit)

DWARF section [12] '.debug_frame' at offset 0x3000:

 [     0] CIE length=20
   CIE_id:                   18446744073709551615
   version:                  4
   augmentation:             \"\"
   address_size:             8
   segment_size:             0
   code_alignment_factor:    1
   data_alignment_factor:    -8
   return_address_register:  16

   Program:
     nop
";

fn read(text: &str, size: usize) -> Kept {
    parse(Records::new(OsStr::new(NAME), case().target), text.as_bytes(), size)
}

fn failed(outcome: &Outcome, words: &str) -> bool {
    matches!(outcome, Outcome::Failed(why) if why.contains(words))
}

#[test]
fn sections_are_told_apart_wherever_the_chunks_are_cut() {
    for size in [1, 2, 7, 100, REAL.len()] {
        let kept = read(REAL, size);
        assert_eq!((kept.offsets(0, 0), kept.offsets(0, 1)), (vec![0, 0x20, 0x40], vec![0]));
        assert!(kept.sections.values().all(|outcome| *outcome == Outcome::Answered));
        assert!(kept.entries.values().flatten().all(|entry| entry.faults.is_empty()));
    }
}

#[test]
fn fields_and_instructions_of_one_record() {
    let kept = read(REAL, 64);
    let [cie, fde, end] = &kept.entries[&(0, 0)][..] else { panic!("three entries") };
    let EntryKind::Cie(fields) = &cie.kind else { panic!("a CIE") };
    assert_eq!((fields.version, fields.augmentation.as_slice()), (1, &b"zPLR"[..]));
    assert_eq!(fields.augmentation_data.as_slice(), [0x9b, 0xc5, 0x1f, 0, 0, 0x1b, 0x1b]);
    let EntryKind::Fde(fields) = &fde.kind else { panic!("an FDE") };
    assert_eq!((fields.cie, fields.cie_pointer), (Some(SectionOffset(0)), 36));
    assert_eq!((fields.initial_location, fields.address_range), (Address(0x1010), 0x20));
    let [advance, cfa, value, nop] = &fde.instructions[..] else { panic!("{:?}", fde.instructions) };
    assert_eq!(*advance, Instruction::AdvanceLoc { delta: 4 }, "times the factor");
    let Instruction::DefCfaExpression { expression } = cfa else { panic!("{cfa:?}") };
    assert_eq!((expression.operations.len(), expression.size), (2, Some(3)));
    let Instruction::ValExpression { register: 3, expression } = value else { panic!("{value:?}") };
    assert_eq!(expression.operations[0].block, [0x55]);
    assert_eq!((nop, &end.kind), (&Instruction::Nop, &EntryKind::Terminator));
}

#[test]
fn complaints_are_of_the_record_at_hand_or_of_what_should_follow() {
    let cut = REAL.find("   Augmentation data:        LSDA").expect("a field");
    let kept = read(&format!("{}eu-readelf: invalid augmentation length\n", &REAL[..cut]), 64);
    assert_eq!(kept.entries[&(0, 0)][1].faults.len(), 1);
    assert!(failed(&kept.sections[&(0, 0)], "augmentation length"));
    let cut = REAL.find("\nException").expect("a heading");
    let text = format!("{}eu-readelf: invalid data in section [8] '.eh_frame'\n", &REAL[..cut]);
    let kept = read(&text, 64);
    assert!(kept.entries[&(0, 0)].iter().all(|entry| entry.faults.is_empty()));
    assert!(failed(&kept.sections[&(0, 0)], "invalid data"));
    let text = REAL.replace(" [    40] Zero", "invalid CIE reference in FDE\n [    40] Zero");
    assert_eq!(read(&text, 64).sections[&(0, 0)], Outcome::Answered, "it went on");
    let text = REAL.replace("     nop\n\n [    40]", "     what is this\n\n [    40]");
    assert_eq!(read(&text, 64).entries[&(0, 0)][1].faults.len(), 1);
}

#[test]
fn words_that_may_be_of_any_file_are_passed_over_wherever_they_stand() {
    let words = "Unsupported pointer encoding: 0x2, assuming pointer size of 8.\n";
    let whole = read(REAL, 64).entries;
    // The tool's error stream is not buffered and its output is, so the words come anywhere.
    for at in 0..=REAL.len() {
        let text = format!("{}{words}{}", &REAL[..at], &REAL[at..]);
        assert_eq!(read(&text, 64).entries, whole, "{text}");
    }
}

#[test]
fn files_are_headed_by_their_names_alone() {
    let dialect = Records::new(OsStr::new(NAME), case().target);
    let text = format!("\n/a b:\n\n{REAL}\n./c:\n\n{REAL}");
    let kept = parse_files(dialect, &text, &["/a b", "./c"]);
    for case in 0..2 {
        assert_eq!((&kept.cases[&case], kept.offsets(case, 0).len()), (&Outcome::Answered, 3));
    }
}

#[test]
fn what_is_missing_or_something_else_is_told() {
    let missing = EuReadelf::probe_program("no-such-program-of-that-name").expect_err("it is missing");
    assert!(missing.why.contains("no-such-program") && missing.install.contains("elfutils"));
    assert!(EuReadelf::probe_program("true").expect_err("it is another").why.contains("not elfutils"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_output_ends_in_an_outcome(lines in lines_like(REAL), size in 1_usize..200) {
        let dialect = Records::new(OsStr::new(NAME), case().target);
        let kept = parse(dialect, &lines.join(&b'\n'), size);
        prop_assert!(kept.is_closed() && kept.cases.len() == 1);
    }
}
