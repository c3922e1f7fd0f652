//! Sections byte by byte, against ones that were assembled by hand.

use cfidiff_gen::{BuildError, CieSpec, FdeSpec, Padding, Program, Record, SectionSpec, Splice, Unwritable};
use cfidiff_model::{
    Address, Bases, Class, Endianness, EntryKind, Format, Instruction, Machine, SectionKind, SectionOffset,
    Target,
};

fn section(kind: SectionKind, records: Vec<Record>) -> SectionSpec {
    let target = Target {
        machine: Machine::X86_64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        relocatable: false,
    };
    let address = Address(if kind == SectionKind::EhFrame { 0x2000 } else { 0 });
    SectionSpec { kind, target, address, bases: Bases::default(), wide_ids: false, records }
}

fn with_program(mut cie: CieSpec) -> CieSpec {
    cie.program = Program::new().def_cfa(7, 8).offset(16, 1);
    cie
}

fn bytes(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

#[test]
fn set_loc_in_the_encoding_of_the_cie() {
    let program =
        Program::new().def_cfa_offset(16).advance_loc(1).set_loc(Address(0x1020)).def_cfa_offset(24);
    let mut fde = FdeSpec::new(0, Address(0x1010), 0x40, program);
    fde.padding = Padding::Nops(5);
    let records =
        vec![Record::Cie(with_program(CieSpec::eh_frame(-8, 16))), Record::Fde(fde), Record::Terminator];
    let built = section(SectionKind::EhFrame, records).build().unwrap();
    let expected = bytes(
        "14 00 00 00 00 00 00 00 01 7a 52 00 01 78 10 01
         1b 0c 07 08 90 01 00 00 1c 00 00 00 1c 00 00 00
         f0 ef ff ff 40 00 00 00 00 0e 10 41 01 f3 ef ff
         ff 0e 18 00 00 00 00 00 00 00 00 00",
    );
    assert_eq!(built.data, expected);
    assert!(built.well_formed);
    assert!(built.entries[1].instructions.contains(&Instruction::SetLoc { location: Address(0x1020) }));
}

#[test]
fn both_formats_in_debug_frame() {
    let program = Program::new().advance_loc(1).def_cfa_offset(16);
    let mut cie = with_program(CieSpec::debug_frame(-8, 16));
    cie.format = Format::Dwarf64;
    cie.padding = Padding::Nops(0);
    let mut fde = FdeSpec::new(1, Address(0x1010), 0x20, program);
    fde.padding = Padding::Nops(1);
    let mut in_64_bit_format = fde.clone();
    in_64_bit_format.format = Format::Dwarf64;
    let records = vec![Record::Fde(fde), Record::Cie(cie), Record::Fde(in_64_bit_format)];
    let built = section(SectionKind::DebugFrame, records).build().unwrap();
    let expected = bytes(
        "18 00 00 00 1c 00 00 00 10 10 00 00 00 00 00 00 20 00 00 00 00 00 00 00 41 0e 10 00
         ff ff ff ff 12 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff 01 00 01 78 10 0c 07 08 90 01
         ff ff ff ff 1c 00 00 00 00 00 00 00 1c 00 00 00 00 00 00 00 10 10 00 00 00 00 00 00
         20 00 00 00 00 00 00 00 41 0e 10 00",
    );
    assert_eq!(built.data, expected);
    for entry in [&built.entries[0], &built.entries[2]] {
        let EntryKind::Fde(fde) = &entry.kind else { panic!("{entry:?}") };
        assert_eq!((fde.cie, fde.cie_pointer), (Some(SectionOffset(0x1c)), 0x1c));
    }
}

#[test]
fn false_fields_are_written_and_told() {
    let cie = with_program(CieSpec::eh_frame(-8, 16));
    let fde = FdeSpec::new(0, Address(0x1010), 0x20, Program::new());
    let right = section(SectionKind::EhFrame, vec![Record::Cie(cie.clone()), Record::Fde(fde.clone())]);
    let right = right.build().unwrap();

    let false_length = FdeSpec { false_length: Some(6), ..fde.clone() };
    let false_pointer = FdeSpec { false_cie_pointer: Some(0x18), ..fde };
    for (record, at, value) in [(false_length, 0x18, 6), (false_pointer, 0x1c, 0x18)] {
        let spec = section(SectionKind::EhFrame, vec![Record::Cie(cie.clone()), Record::Fde(record)]);
        let built = spec.build().unwrap();
        let mut expected = right.data.clone();
        expected[at] = value;
        assert_eq!(built.data, expected);
        assert!(!built.well_formed);
        // What was meant stays what was meant.
        assert_eq!(built.entries, right.entries);
    }
    let spec = section(SectionKind::EhFrame, vec![Record::Bytes(vec![1, 2, 3])]);
    let built = spec.build().unwrap();
    assert_eq!((built.data.as_slice(), built.well_formed), (&[1, 2, 3][..], false));
}

/// The FDE is `loc range 00` behind its CIE pointer: two fields of four bytes and an augmentation length.
#[test]
fn a_splice_changes_bytes_and_the_length() {
    let cie = with_program(CieSpec::eh_frame(-8, 16));
    let built = |splice| {
        let fde =
            FdeSpec { splice, ..FdeSpec::new(0, Address(0x1010), 0x20, Program::new().def_cfa_offset(16)) };
        section(SectionKind::EhFrame, vec![Record::Cie(cie.clone()), Record::Fde(fde)]).build().unwrap()
    };
    let insert = vec![0x80, 0x80, 0];
    let longer = built(Some(Splice { at: 8, remove: 1, insert }));
    assert_eq!(
        longer.data[0x18..],
        bytes("12 00 00 00 1c 00 00 00 f0 ef ff ff 20 00 00 00 80 80 00 0e 10 00")
    );
    assert_eq!((longer.entries[1].length, longer.well_formed), (0x12, false));
    let shorter = built(Some(Splice::cut(2)));
    assert_eq!(shorter.data[0x18..], bytes("06 00 00 00 1c 00 00 00 f0 ef"));
    assert_eq!(shorter.entries[1].length, 6);
}

#[test]
fn nothing_is_expected_behind_an_unknown_opcode() {
    let program =
        Program::new().raw(&[0x3f, 1, 2], &[Instruction::Unknown { opcode: 0x3f }]).def_cfa_offset(16);
    let cie = with_program(CieSpec::eh_frame(-8, 16));
    let fde = FdeSpec::new(0, Address(0x1010), 0x20, program);
    let built = section(SectionKind::EhFrame, vec![Record::Cie(cie), Record::Fde(fde)]).build().unwrap();
    assert_eq!(built.entries[1].instructions, [Instruction::Unknown { opcode: 0x3f }]);
}

#[test]
fn what_cannot_be_written_names_its_record() {
    let mut cie = CieSpec::eh_frame(-8, 256);
    let build = |cie: CieSpec, of: usize| {
        let fde = FdeSpec::new(of, Address(0x1_0000_1000), 0x20, Program::new());
        section(SectionKind::EhFrame, vec![Record::Cie(cie), Record::Fde(fde)]).build().unwrap_err()
    };
    assert_eq!(build(cie.clone(), 0), BuildError { record: 0, cause: Unwritable::Fit(256) });
    cie.return_address_register = 16;
    assert_eq!(build(cie.clone(), 1), BuildError { record: 1, cause: Unwritable::NoCie(1) });
    assert!(matches!(build(cie.clone(), 0), BuildError { record: 1, cause: Unwritable::Fit(_) }));
    cie.fde_encoding = 0x2b;
    assert_eq!(build(cie, 0), BuildError { record: 1, cause: Unwritable::Base(0x2b) });
}
