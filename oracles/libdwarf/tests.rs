//! What becomes of the tool's text, of its complaints, and of text that is hostile. What the installed version says
//! of real sections is tested elsewhere.

use std::path::Path;

use cfidiff_model::{Address, CfaRule, EntryKind, Instruction, Outcome, SectionOffset};
use proptest::prelude::*;

use super::*;
use crate::printed::testing::{Kept, case, lines_like, parse, parse_files};

/// A file as 20210528 prints it: the FDE at the lower address is the second in the section.
const REAL: &str = "
.debug_frame is not present

.eh_frame

fde:
<    0><0x00001010:0x00001030><><cie offset 0x0000003c::cie index     1><fde offset 0x00000058 length: 0x00000018>
       <eh aug data len 0x4ERROR:The .eh_frame augmentation data is too large to print>
        0x00001010: <off cfa=08(r7) > <off r16=-8(cfa) > 
        0x00001018: <expr cfa=expr-block-len=3> <exprbytes:761006> <expr:DW_OP_breg6+16 DW_OP_deref><off r16=-8(cfa) > 
 fde section offset 88 0x00000058 cie offset for fde: 60 0x0000003c
   0 DW_CFA_advance_loc1 2
   2 DW_CFA_def_cfa_expression expr block len 3
    761006
    DW_OP_breg6+16 DW_OP_deref
   7 DW_CFA_expression 3 expr block len 2
    7778
    DW_OP_breg7-8
    DW_OP_breg7-8
  12 DW_CFA_nop
<    1><0x00001040:0x00001060><><cie offset 0x0000001c::cie index     0><fde offset 0x00000018 length: 0x00000010>
       <eh aug data len 0x0>
        0x00001040: <off cfa=08(r7) > <off r16=-8(cfa) > 
 fde section offset 24 0x00000018 cie offset for fde: 28 0x0000001c
   0 DW_CFA_nop

cie:
<    0> version      1
  cie section offset    0 0x00000000
  augmentation                  zR
  code_alignment_factor         1
  data_alignment_factor         -8
  return_address_register       16
  eh aug data len                0x1 bytes 0x1b 
  bytes of initial instructions 7
  cie length                    20
  initial instructions
   0 DW_CFA_def_cfa r7 8
   3 DW_CFA_offset r16 -8  (1 * -8)
<    1> version      1
  cie section offset   32 0x00000020
  augmentation                  zLR
  code_alignment_factor         4
  data_alignment_factor         -8
  return_address_register       16
  eh aug data len                0x2 bytes 0x1b 1b 
  bytes of initial instructions 7
  cie length                    20
  initial instructions
   0 DW_CFA_def_cfa r7 8

There were 3 DWARF errors reported: see ERROR above.
";

fn read(text: &str, size: usize) -> Kept {
    parse(Records::new(&case()), text.as_bytes(), size)
}

#[test]
fn cies_come_first_and_their_factors_are_used() {
    for size in [1, 3, 100, REAL.len()] {
        let kept = read(REAL, size);
        assert_eq!(kept.offsets(0, 0), [0, 0x20, 0x58, 0x18]);
        assert_eq!(kept.sections[&(0, 0)], Outcome::Answered);
        let [_, cie, fde, other] = &kept.entries[&(0, 0)][..] else { panic!("four entries") };
        assert!(kept.entries.values().flatten().all(|entry| entry.faults.is_empty()));
        let EntryKind::Cie(fields) = &cie.kind else { panic!("a CIE") };
        assert_eq!((fields.code_alignment_factor, fields.augmentation.as_slice()), (4, &b"zLR"[..]));
        assert_eq!((cie.length, fields.augmentation_data.as_slice()), (20, &[0x1b, 0x1b][..]));
        let EntryKind::Fde(fields) = &fde.kind else { panic!("an FDE") };
        assert_eq!((fields.cie, fields.cie_pointer), (Some(SectionOffset(0x20)), 0x3c));
        assert_eq!((fields.initial_location, fields.address_range), (Address(0x1010), 0x20));
        assert_eq!(fde.instructions[0], Instruction::AdvanceLoc1 { delta: 8 });
        let EntryKind::Fde(fields) = &other.kind else { panic!("an FDE") };
        assert_eq!((fields.cie, other.length), (Some(SectionOffset(0)), 0x10));
    }
}

#[test]
fn expressions_that_are_printed_twice_are_one() {
    let kept = read(REAL, 64);
    let fde = &kept.entries[&(0, 0)][2];
    let [_, Instruction::DefCfaExpression { expression: cfa }, Instruction::Expression { expression, .. }, _] =
        &fde.instructions[..]
    else {
        panic!("{:?}", fde.instructions)
    };
    assert_eq!((cfa.operations.len(), cfa.size, expression.operations.len()), (2, Some(3), 1));
    let row = fde.rows.get(1).expect("two rows");
    assert!(matches!(row.cfa, CfaRule::Expression(told) if told.operations == cfa.operations));
    let ends: Vec<_> = fde.rows.iter().map(|row| (row.start.0, row.end.0)).collect();
    assert_eq!(ends, [(0x1010, 0x1018), (0x1018, 0x1030)]);
}

#[test]
fn complaints_within_fdes_are_of_the_fde_and_end_the_list() {
    let cut = REAL.find(" fde section offset 24").expect("a line");
    let behind = REAL.find("cie:").expect("the other list");
    let text = format!(
        "{}\nERROR: on getting fde details for fde row for address 0x00001040\nERROR: Printing fde 1 fails. Error \
         X\nERROR: printing fdes fails. X Attempting to continue. \n\n{}",
        &REAL[..cut],
        &REAL[behind..]
    );
    let kept = read(&text, 64);
    assert_eq!(kept.offsets(0, 0), [0, 0x20, 0x58, 0x18]);
    let faults: Vec<_> = kept.entries[&(0, 0)].iter().map(|entry| entry.faults.len()).collect();
    assert_eq!(faults, [0, 0, 0, 2]);
    assert!(matches!(&kept.sections[&(0, 0)], Outcome::Failed(why) if why.contains("printing fdes fails")));
}

#[test]
fn sections_that_are_refused_compressed_or_not_there() {
    let refused = "\nERROR: .eh_frame not loadable. dwarf_get_fde_list_eh X\n\ndwarfdump ERROR:  X\n";
    let text = format!("{}{refused}", REAL.replace("\n.eh_frame\n", "\n.debug_frame\n"));
    let kept = read(&text, 64);
    assert!(matches!(&kept.sections[&(0, 0)], Outcome::Failed(why) if why.contains("not loadable")));
    assert_eq!((&kept.sections[&(0, 1)], kept.offsets(0, 1).len()), (&Outcome::Answered, 4));
    assert!(kept.entries[&(0, 1)].iter().all(|entry| entry.faults.is_empty()));
    let text = REAL.replace("\n.eh_frame\n", "\n.debug_frame SHF_COMPRESSED CompLen=219 Uncomp=184\n");
    assert_eq!(read(&text, 64).offsets(0, 1), [0, 0x20, 0x58, 0x18]);
    assert!(!read(REAL, 64).entries.contains_key(&(0, 1)), "it says that the section is not present");
}

#[test]
fn members_of_an_archive_are_named_without_it() {
    let member = Case { path: Some(Path::new("/lib.a").into()), member: Some("b.o".into()), ..case() };
    let text = format!("\narchive member \ta.o\n{REAL}\narchive member \tb.o\n{REAL}");
    let kept = parse_files(Records::new(&member), &text, &["/lib.a(b.o)"]);
    assert_eq!((&kept.cases[&0], kept.offsets(0, 0).len()), (&Outcome::Answered, 4));
}

#[test]
fn what_is_missing_or_something_else_is_told() {
    let missing = Dwarfdump::probe_program("no-such-program-of-that-name").expect_err("it is missing");
    assert!(missing.why.contains("no-such-program") && missing.install.contains("dwarfdump"));
    assert!(Dwarfdump::probe_program("true").expect_err("it is another").why.contains("no version"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_output_ends_in_an_outcome(lines in lines_like(REAL), size in 1_usize..200) {
        let kept = parse(Records::new(&case()), &lines.join(&b'\n'), size);
        prop_assert!(kept.is_closed() && kept.cases.len() == 1);
    }
}
