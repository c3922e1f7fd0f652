//! What every adapter must give of one small section whose contents are known by hand.

use std::time::Duration;

use cfidiff_model::{
    Address, Case, CfaRule, Entry, EntryKind, Instruction, LookUp, Outcome, RegisterRule, Says, SectionOffset,
};
use cfidiff_oracles::{Oracle, registry};

mod support;

use support::{Kept, found, parse_case, write_elf};

/// `push %rbp; mov %rsp,%rbp; …; leave; ret`, as every x86-64 compiler describes it.
const SECTION: &str = "
section .eh_frame 0x2000
14 00 00 00 00 00 00 00 01 7a 52 00 01 78 10 01
1b 0c 07 08 90 01 00 00 1c 00 00 00 1c 00 00 00
e0 ef ff ff 20 00 00 00 00 41 0e 10 86 02 43 0d
06 5b 0c 07 08 00 00 00 00 00 00 00
";

#[test]
fn every_reader() {
    for reader in registry::probe_all(Duration::from_secs(60)) {
        if let Some(oracle) = found(reader) {
            smoke(&*oracle);
        }
    }
}

/// Runs every pass of the oracle and checks each thing that the pass says.
fn smoke(oracle: &dyn Oracle) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut case = parse_case("smoke", SECTION);
    write_elf(&mut case, &folder.path().join("smoke"));
    assert!(!oracle.name().is_empty() && !oracle.version().is_empty());
    if oracle.looks_up() {
        return look_ups(oracle, &case);
    }
    for (index, pass) in oracle.passes().iter().enumerate() {
        let mut kept = Kept::default();
        oracle.read(index, std::slice::from_ref(&case), &mut kept);
        let what = format!("{} {}", oracle.name(), pass.name);
        assert_eq!(kept.cases[&0], Outcome::Answered, "{what}");
        assert_eq!(kept.sections[&(0, 0)], Outcome::Answered, "{what}");
        check(&what, pass.says, &kept.entries[&(0, 0)], &case);
    }
}

/// Asks for single addresses: the first and the last of each row.
fn look_ups(oracle: &dyn Oracle, case: &Case) {
    let expected =
        [(0x1000, 7, 8), (0x1001, 7, 16), (0x1003, 7, 16), (0x1004, 6, 16), (0x101e, 6, 16), (0x101f, 7, 8)];
    let asked: Vec<Address> = expected.iter().map(|&(address, ..)| Address(address)).collect();
    let mut told = Vec::new();
    let outcome = oracle.look_up(case, &asked, &mut |answer| told.push(answer));
    assert_eq!(outcome, Outcome::Answered, "{}", oracle.name());
    told.sort_by_key(|answer| answer.address);
    let expected = expected.map(|(address, register, offset)| LookUp {
        address: Address(address),
        cfa: CfaRule::RegisterOffset { register, offset },
        return_address: Some(RegisterRule::Offset(-8)),
    });
    assert_eq!(told, expected, "{}", oracle.name());
}

fn check(what: &str, says: Says, entries: &[Entry], case: &Case) {
    // The terminator is there, but not every reader tells it.
    let records: Vec<&Entry> = entries.iter().filter(|entry| entry.kind != EntryKind::Terminator).collect();
    assert_eq!(
        (entries.len(), records.len()),
        (2 + usize::from(says.contains(Says::TERMINATORS)), 2),
        "{what}"
    );
    assert!(entries.iter().all(|entry| entry.faults.is_empty()), "{what}");
    let places: Vec<_> = records.iter().map(|entry| (entry.offset.0, entry.length)).collect();
    assert_eq!(places, [(0, 0x14), (0x18, 0x1c)], "{what}");
    let (EntryKind::Cie(cie), EntryKind::Fde(fde)) = (&records[0].kind, &records[1].kind) else {
        panic!("{what}: {records:?}");
    };
    if says.contains(Says::CIE_FACTORS) {
        assert_eq!((cie.code_alignment_factor, cie.data_alignment_factor), (1, -8), "{what}");
        assert_eq!(cie.return_address_register, 16, "{what}");
    }
    if says.contains(Says::AUGMENTATION_STRING) {
        assert_eq!(cie.augmentation.as_slice(), b"zR", "{what}");
    }
    if says.contains(Says::CIE_VERSION) {
        assert_eq!(cie.version, 1, "{what}");
    }
    if says.contains(Says::ADDRESS_SIZE) {
        assert_eq!(cie.address_size, case.target.class.address_size(), "{what}");
    }
    if says.contains(Says::AUGMENTATION) {
        assert_eq!((cie.fde_encoding, cie.signal_frame), (Some(0x1b), false), "{what}");
    }
    if says.contains(Says::CIE_AUGMENTATION_BYTES) {
        assert_eq!(cie.augmentation_data.as_slice(), [0x1b], "{what}");
    }
    if says.contains(Says::FDE_AUGMENTATION_BYTES) {
        assert_eq!(fde.augmentation_data.len(), 0, "{what}");
    }
    if says.contains(Says::CIE_OF_FDE) {
        assert_eq!(fde.cie, Some(SectionOffset(0)), "{what}");
    }
    if says.contains(Says::CIE_POINTER) {
        assert_eq!(fde.cie_pointer, 0x1c, "{what}");
    }
    if says.contains(Says::RANGE) {
        assert_eq!((fde.initial_location, fde.address_range), (Address(0x1000), 0x20), "{what}");
    }
    if says.contains(Says::INSTRUCTIONS) {
        instructions(what, &records);
    }
    if says.contains(Says::ROWS) {
        rows(what, records[1]);
    }
    if says.contains(Says::CIE_ROWS) {
        let row = records[0].rows.get(0).expect(what);
        assert_eq!(
            (row.start.0, row.end.0, row.rules),
            (0, 0, &[(16, RegisterRule::Offset(-8))][..]),
            "{what}"
        );
    }
}

fn instructions(what: &str, records: &[&Entry]) {
    let initial = [
        Instruction::DefCfa { register: 7, offset: 8 },
        Instruction::Offset { register: 16, offset: -8 },
        Instruction::Nop,
        Instruction::Nop,
    ];
    assert_eq!(records[0].instructions, initial, "{what}");
    let expected = [
        Instruction::AdvanceLoc { delta: 1 },
        Instruction::DefCfaOffset { offset: 16 },
        Instruction::Offset { register: 6, offset: -16 },
        Instruction::AdvanceLoc { delta: 3 },
        Instruction::DefCfaRegister { register: 6 },
        Instruction::AdvanceLoc { delta: 27 },
        Instruction::DefCfa { register: 7, offset: 8 },
    ];
    let (told, padding) = records[1].instructions.split_at(expected.len());
    assert_eq!(told, expected, "{what}");
    assert_eq!(padding, [Instruction::Nop, Instruction::Nop, Instruction::Nop], "{what}");
}

fn rows(what: &str, fde: &Entry) {
    let cfa = |register, offset| CfaRule::RegisterOffset { register, offset };
    let (rbp, rip) = ((6, RegisterRule::Offset(-16)), (16, RegisterRule::Offset(-8)));
    let expected = [
        (0x1000, 0x1001, cfa(7, 8), vec![rip.clone()]),
        (0x1001, 0x1004, cfa(7, 16), vec![rbp.clone(), rip.clone()]),
        (0x1004, 0x101f, cfa(6, 16), vec![rbp.clone(), rip.clone()]),
        (0x101f, 0x1020, cfa(7, 8), vec![rbp, rip]),
    ];
    let told: Vec<_> =
        fde.rows.iter().map(|row| (row.start.0, row.end.0, row.cfa.clone(), row.rules.to_vec())).collect();
    assert_eq!(told, expected, "{what}");
}
