//! What becomes of the tool's text, of its complaints, and of text that is hostile. What the installed versions say
//! of real sections is tested elsewhere.

use cfidiff_model::{Address, EntryKind, Instruction, Outcome, SectionOffset};
use proptest::prelude::*;

use super::*;
use crate::printed::testing::{Kept, lines_like, parse, parse_files};

/// A file as 19.1 prints it.
const REAL: &str = "\
EHFrameHeader {
  Address: 0x1f00
  Header {
    version: 1
    entry 0 {
      initial_location: 0x1010
      address: 0x2018
    }
  }
}
.eh_frame section at offset 0x3000 address 0x2000:
  [0x2000] CIE length=20
    version: 1
    augmentation: zR
    code_alignment_factor: 4
    data_alignment_factor: -8
    return_address_register: 16

    Program:
      DW_CFA_def_cfa: reg7 +8
      DW_CFA_nop:

  [0x2018] FDE length=28 cie=[0x2000]
    initial_location: 0x1010
    address_range: 0x20 (end : 0x1030)

    Program:
      DW_CFA_advance_loc: 4 to 0x1014
      DW_CFA_def_cfa_expression: DW_OP_breg6 +16, DW_OP_deref
      DW_CFA_val_expression: reg3 DW_OP_entry_value(DW_OP_reg5), DW_OP_plus
      DW_CFA_nop:

  [0x2038] CIE length=0
    version: 0
    augmentation: 
    code_alignment_factor: 0
    data_alignment_factor: 0
    return_address_register: 0

    Program:

";

fn dialect() -> Records {
    Records::new(OsStr::new("llvm-readelf-19"))
}

fn read(text: &str, size: usize) -> Kept {
    parse(dialect(), text.as_bytes(), size)
}

#[test]
fn addresses_become_offsets_and_an_empty_cie_the_terminator() {
    // Version 14 indents less and does not tell where an advance leads to.
    let old = REAL.replace("      DW_CFA", "  DW_CFA").replace(" to 0x1014", "");
    for (text, size) in [(REAL, 1), (REAL, 50), (&old, 1000)] {
        let kept = read(text, size);
        let [cie, fde, end] = &kept.entries[&(0, 0)][..] else { panic!("three entries") };
        assert_eq!(kept.offsets(0, 0), [0, 0x18, 0x38]);
        let EntryKind::Cie(fields) = &cie.kind else { panic!("a CIE") };
        assert_eq!((fields.augmentation.as_slice(), fields.data_alignment_factor), (&b"zR"[..], -8));
        let EntryKind::Fde(fields) = &fde.kind else { panic!("an FDE") };
        assert_eq!(fields.cie, Some(SectionOffset(0)));
        assert_eq!((fields.initial_location, fields.address_range), (Address(0x1010), 0x20));
        assert_eq!(fde.instructions[0], Instruction::AdvanceLoc { delta: 4 });
        let Instruction::ValExpression { register: 3, expression } = &fde.instructions[2] else {
            panic!("{fde:?}")
        };
        assert_eq!(expression.operations[0].block, [0x55]);
        assert_eq!((fde.faults.len(), &end.kind), (0, &EntryKind::Terminator));
        assert_eq!(kept.sections[&(0, 0)], Outcome::Answered);
    }
}

#[test]
fn debug_frame_is_none_of_its_business() {
    let kept = read(REAL, 64);
    assert!(matches!(&kept.sections[&(0, 1)], Outcome::Unsupported(_)));
    assert_eq!(kept.cases[&0], Outcome::Answered, "the other section is");
}

#[test]
fn complaints_end_the_file_and_are_of_nobody_else() {
    let heading = ".eh_frame section at offset 0x3000 address 0x2000:\n";
    let error = "llvm-readelf-19: error: '/b': parsing augmentation data at 0x18 failed\n";
    let text = format!("\nFile: /a\n{REAL}\nFile: /b\n{heading}{error}");
    let kept = parse_files(dialect(), &text, &["/a", "/b"]);
    assert_eq!((&kept.sections[&(0, 0)], kept.offsets(0, 0).len()), (&Outcome::Answered, 3));
    let why = Outcome::Failed("parsing augmentation data at 0x18 failed".into());
    assert_eq!(kept.sections[&(1, 0)], why);
    // The error stream is not in step with the output.
    let text = format!("warning: failed to compute relocation: R_390_PC32\n\nFile: /a\n{REAL}");
    assert_eq!(parse_files(dialect(), &text, &["/a"]).cases[&0], Outcome::Answered);
    let kept = read("llvm-readelf-19: error: '/a': initial_location is out of order\n", 64);
    assert!(matches!(&kept.cases[&0], Outcome::Failed(why) if why.contains("out of order")));
}

#[test]
fn what_is_missing_or_something_else_is_told() {
    let missing =
        LlvmReadelf::probe_program(TOOL, "no-such-program-of-that-name").expect_err("it is missing");
    assert!(missing.why.contains("no-such-program") && missing.install.contains("llvm"));
    assert!(LlvmReadelf::probe_program(TOOL, "true").expect_err("it is another").why.contains("no version"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_output_ends_in_an_outcome(lines in lines_like(REAL), size in 1_usize..200) {
        let kept = parse(dialect(), &lines.join(&b'\n'), size);
        prop_assert!(kept.is_closed() && kept.cases.len() == 1);
    }
}
