//! Every key: one mistake, one finding, with its place, its words, its verdict and the tally of records.

use cfidiff_model::{
    Address, CfaRule, Cie, Entry, EntryKind, Fde, Format, Instruction, Key, Pointer, RegisterRule, Says,
    SectionOffset, Verdict,
};

use crate::support::{Fake, Found, PLAIN, at, case, change_rows, compare, records};

/// A mistake and what must be said of it.
pub struct Mistake {
    pub change: fn(&mut Vec<Entry>),
    /// What a reader must say for the mistake to be one; [`Says::RECORDS`] where every reader does.
    pub says: Says,
    /// The offset of the record.
    offset: u64,
    ours: &'static str,
    theirs: &'static str,
}

fn cie(entries: &mut [Entry]) -> &mut Cie {
    match &mut entries[0].kind {
        EntryKind::Cie(cie) => cie,
        _ => panic!("the first record is a CIE"),
    }
}

fn fde(entries: &mut [Entry]) -> &mut Fde {
    let index = at(entries, 0x28);
    match &mut entries[index].kind {
        EntryKind::Fde(fde) => fde,
        _ => panic!("the record at 0x28 is an FDE"),
    }
}

fn in_cie(
    says: Says,
    ours: &'static str,
    theirs: &'static str,
    change: fn(&mut Vec<Entry>),
) -> Option<Mistake> {
    Some(Mistake { change, says, offset: 0, ours, theirs })
}

fn in_fde(
    says: Says,
    ours: &'static str,
    theirs: &'static str,
    change: fn(&mut Vec<Entry>),
) -> Option<Mistake> {
    Some(Mistake { change, says, offset: 0x28, ours, theirs })
}

/// The mistake of a key; `None` for a mistake that a well-formed record cannot show.
pub fn mistake(key: Key) -> Option<Mistake> {
    match key {
        Key::SectionUnread
        | Key::EntryMissing
        | Key::EntryExtra
        | Key::EntryRepeated
        | Key::EntryRejected
        | Key::EntryAccepted
        | Key::EntryKind
        | Key::EntryLength
        | Key::EntryFormat => of_entry(key),
        Key::CieVersion
        | Key::CieAugmentation
        | Key::CieAddressSize
        | Key::CieSegmentSelectorSize
        | Key::CieCodeAlignmentFactor
        | Key::CieDataAlignmentFactor
        | Key::CieReturnAddressRegister
        | Key::CieFdeEncoding
        | Key::CieLsdaEncoding
        | Key::CiePersonality
        | Key::CieSignalFrame => of_cie(key),
        Key::AugmentationData
        | Key::FdeCie
        | Key::FdeCiePointer
        | Key::FdeSegment
        | Key::FdeInitialLocation
        | Key::FdeIndirect
        | Key::FdeAddressRange
        | Key::FdeLsda => of_fde(key),
        Key::InstructionOpcode
        | Key::InstructionOperands
        | Key::InstructionCount
        | Key::RowLocation
        | Key::RowCfa
        | Key::RowCfaRegister
        | Key::RowCfaOffset
        | Key::RowRegisterRule => of_program(key),
    }
}

fn of_entry(key: Key) -> Option<Mistake> {
    let says = Says::RECORDS;
    match key {
        Key::SectionUnread => Some(Mistake {
            change: |entries| entries.truncate(2),
            says,
            offset: 0x48,
            ours: "1 record from here on",
            theirs: "no more records, no complaint",
        }),
        Key::EntryMissing => in_fde(says, "FDE", "nothing", |entries| _ = entries.remove(1)),
        Key::EntryExtra => Some(Mistake {
            change: |entries| {
                let mut extra = entries[1].clone();
                extra.offset = SectionOffset(0x30);
                entries.insert(2, extra);
            },
            says,
            offset: 0x30,
            ours: "no record starts here",
            theirs: "FDE",
        }),
        Key::EntryRepeated => in_fde(says, "once", "again", |entries| entries.insert(2, entries[1].clone())),
        Key::EntryRejected => in_fde(says, "well-formed", "fault.reported at 0x28: no good", |entries| {
            entries[1].faults.push(crate::complaints::complaint("no good"));
        }),
        Key::EntryAccepted => None,
        Key::EntryKind => {
            in_fde(says, "FDE", "terminator", |entries| entries[1].kind = EntryKind::Terminator)
        }
        Key::EntryLength => in_fde(says, "0x1c", "0x20", |entries| entries[1].length = 0x20),
        Key::EntryFormat => in_fde(Says::FORMAT, "Dwarf32", "Dwarf64", |entries| {
            entries[1].format = Format::Dwarf64;
        }),
        _ => panic!("{key:?} is not of entries"),
    }
}

fn of_cie(key: Key) -> Option<Mistake> {
    let meaning = Says::AUGMENTATION;
    match key {
        Key::CieVersion => in_cie(Says::CIE_VERSION, "1", "3", |entries| cie(entries).version = 3),
        Key::CieAugmentation => in_cie(Says::AUGMENTATION_STRING, "\"zPLR\"", "\"zR\"", |entries| {
            cie(entries).augmentation = b"zR"[..].into();
        }),
        Key::CieAddressSize => in_cie(Says::ADDRESS_SIZE, "8", "4", |entries| cie(entries).address_size = 4),
        Key::CieSegmentSelectorSize => {
            in_cie(Says::SEGMENT_SIZE, "0", "2", |entries| cie(entries).segment_selector_size = 2)
        }
        Key::CieCodeAlignmentFactor => {
            in_cie(Says::CIE_FACTORS, "1", "4", |entries| cie(entries).code_alignment_factor = 4)
        }
        Key::CieDataAlignmentFactor => {
            in_cie(Says::CIE_FACTORS, "-8", "120", |entries| cie(entries).data_alignment_factor = 120)
        }
        Key::CieReturnAddressRegister => {
            in_cie(Says::CIE_FACTORS, "16", "8", |entries| cie(entries).return_address_register = 8)
        }
        Key::CieFdeEncoding => in_cie(meaning, "0x1b", "none", |entries| cie(entries).fde_encoding = None),
        Key::CieLsdaEncoding => {
            in_cie(meaning, "0x1b", "0x0b", |entries| cie(entries).lsda_encoding = Some(0x0b))
        }
        Key::CiePersonality => in_cie(meaning, "0x00 0x1234", "0x80 at 0x1234", |entries| {
            let pointer = Pointer { address: Address(0x1234), indirect: true };
            cie(entries).personality = Some((0x80, Some(pointer)));
        }),
        Key::CieSignalFrame => in_cie(meaning, "false", "true", |entries| cie(entries).signal_frame = true),
        _ => panic!("{key:?} is not of CIEs"),
    }
}

fn of_fde(key: Key) -> Option<Mistake> {
    match key {
        Key::AugmentationData => in_fde(Says::FDE_AUGMENTATION_BYTES, "00 01 00 00", "00 01", |entries| {
            fde(entries).augmentation_data.truncate(2);
        }),
        Key::FdeCie => in_fde(Says::CIE_OF_FDE, "0x0", "none", |entries| fde(entries).cie = None),
        Key::FdeCiePointer => {
            in_fde(Says::CIE_POINTER, "0x2c", "0x28", |entries| fde(entries).cie_pointer = 0x28)
        }
        Key::FdeSegment => in_fde(Says::SEGMENT, "none", "0x7", |entries| fde(entries).segment = Some(7)),
        Key::FdeInitialLocation => in_fde(Says::RANGE, "0x1010", "0x1014", |entries| {
            fde(entries).initial_location = Address(0x1014);
            change_rows(&mut entries[1], |rows| {
                rows.iter_mut().for_each(|row| (row.start, row.end) = (row.start + 4, row.end + 4));
            });
        }),
        Key::FdeIndirect => in_fde(Says::INDIRECT, "false", "true", |entries| fde(entries).indirect = true),
        Key::FdeAddressRange => in_fde(Says::RANGE, "0x20", "0x10", |entries| {
            fde(entries).address_range = 0x10;
            change_rows(&mut entries[1], |rows| rows[2].end = 0x1020);
        }),
        Key::FdeLsda => in_fde(Says::LSDA, "0x2139", "none", |entries| fde(entries).lsda = None),
        _ => panic!("{key:?} is not of FDEs"),
    }
}

fn of_program(key: Key) -> Option<Mistake> {
    match key {
        Key::InstructionOpcode => {
            let theirs = "#1 DW_CFA_def_cfa_register: r7 (rsp)";
            in_fde(Says::INSTRUCTIONS, "#1 DW_CFA_def_cfa_offset: 16", theirs, |entries| {
                entries[1].instructions[1] = Instruction::DefCfaRegister { register: 7 };
            })
        }
        Key::InstructionOperands => {
            let theirs = "#1 DW_CFA_def_cfa_offset: 24";
            in_fde(Says::INSTRUCTIONS, "#1 DW_CFA_def_cfa_offset: 16", theirs, |entries| {
                entries[1].instructions[1] = Instruction::DefCfaOffset { offset: 24 };
            })
        }
        Key::InstructionCount => in_fde(Says::INSTRUCTIONS, "8", "7", |entries| {
            entries[1].instructions.truncate(7);
        }),
        Key::RowLocation => {
            in_fde(Says::ROWS, "0x1014..0x1030 cfa=rbp+16 rbp=c-16 rip=c-8", "no row", |entries| {
                change_rows(&mut entries[1], |rows| rows.truncate(2));
            })
        }
        Key::RowCfa => in_fde(Says::ROWS, "at 0x1014: cfa=rbp+16", "at 0x1014: cfa=undefined", |entries| {
            change_rows(&mut entries[1], |rows| rows[2].cfa = CfaRule::Undefined);
        }),
        Key::RowCfaRegister => {
            in_fde(Says::ROWS, "at 0x1014: cfa=rbp+16", "at 0x1014: cfa=rsp+16", |entries| {
                let rule = CfaRule::RegisterOffset { register: 7, offset: 16 };
                change_rows(&mut entries[1], |rows| rows[2].cfa = rule);
            })
        }
        Key::RowCfaOffset => in_fde(Says::ROWS, "at 0x1014: cfa=rbp+16", "at 0x1014: cfa=rbp+8", |entries| {
            let rule = CfaRule::RegisterOffset { register: 6, offset: 8 };
            change_rows(&mut entries[1], |rows| rows[2].cfa = rule);
        }),
        Key::RowRegisterRule => in_fde(Says::ROWS, "at 0x1014: rbp=c-16", "at 0x1014: rbp=s", |entries| {
            change_rows(&mut entries[1], |rows| rows[2].rules[0].1 = RegisterRule::SameValue);
        }),
        _ => panic!("{key:?} is not of programs"),
    }
}

/// The verdict on the mistake, and how many of the four records have it.
fn outcome(key: Key) -> (Verdict, u64) {
    match key {
        Key::SectionUnread => (Verdict::OracleFailed, 1),
        // There is no record of ours that it could be counted with.
        Key::EntryExtra => (Verdict::Differ, 0),
        _ => (Verdict::Differ, 1),
    }
}

/// How many records agree: all others, but for the terminator that a reader which stops does not give.
fn agreeing(key: Key) -> u64 {
    match key {
        Key::SectionUnread => 2,
        Key::EntryExtra => 4,
        _ => 3,
    }
}

#[test]
fn an_unchanged_answer_has_no_finding() {
    compare(&case(PLAIN), &Fake::with(|_| {})).agrees(4);
}

#[test]
fn every_mistake_is_found_under_its_key_and_no_other() {
    for &key in Key::ALL {
        let Some(Mistake { change, offset, ours, theirs, .. }) = mistake(key) else { continue };
        let case = case(PLAIN);
        let found: Found = compare(&case, &Fake::with(change));
        assert_eq!(found.told(), [(key, offset, ours, theirs)]);
        let finding = found.only();
        let (verdict, count) = outcome(key);
        assert_eq!((finding.verdict, finding.count), (verdict, 1), "{key:?}");
        assert_eq!(found.tally.records, records(agreeing(key), verdict, count), "{key:?}");
        assert_eq!(finding.reader, "fake");
        assert_eq!(finding.file, case.name);
        assert_eq!(finding.section, ".eh_frame");
        assert!(finding.repro.starts_with("cfidiff check --reader fake "), "{}", finding.repro);
        assert!(finding.repro.ends_with(PLAIN), "{}", finding.repro);
        if verdict == Verdict::Differ {
            assert_eq!(finding.reason, format!("by the clause, ours is right: {}", key.clause()));
            assert_eq!(finding.cause, "");
        }
    }
}

#[test]
fn the_only_key_without_a_mistake_in_a_well_formed_record_is_entry_accepted() {
    let without: Vec<Key> = Key::ALL.iter().copied().filter(|&key| mistake(key).is_none()).collect();
    assert_eq!(without, [Key::EntryAccepted]);
}

#[test]
fn several_mistakes_in_one_record_are_several_findings_and_one_record() {
    let found = compare(
        &case(PLAIN),
        &Fake::with(|entries| {
            cie(entries).version = 3;
            cie(entries).code_alignment_factor = 2;
        }),
    );
    assert_eq!(found.keys(), [(Key::CieVersion, 0), (Key::CieCodeAlignmentFactor, 0)]);
    assert_eq!(found.tally.records, records(3, Verdict::Differ, 1));
}
