//! Lengths and ids: where a record ends, and whether it is a CIE.

use cfidiff_model::{Entry, EntryKind, FaultKind, Fde, Format, Instruction, SectionOffset};

use super::{BROKEN, MACHINE, case, debug_frame, eh_frame, function};
use crate::suite::draft::TEXT;
use crate::suite::{Damage, Expected, Role, Suite};
use crate::{CieSpec, FdeSpec, Record};

const CLAUSE: &str = "DWARF 5 section 7.4: initial lengths, the escape to 64 bits and reserved values; LSB Core, \
                      exception frames: Length and Extended Length";
const ID: &str = "DWARF 5 section 6.4.1: CIE_id is all ones; LSB Core, exception frames: the CIE id is zero, and any \
                  other value is a CIE pointer";

pub(super) fn add(suite: &mut Suite) {
    add_unknown_ends(suite);
    add_wide(suite);
    add_shifted(suite);
    add_truncated(suite);
    add_ids(suite);
}

/// Lengths that leave the record's end unknown: it takes the rest of the section.
fn add_unknown_ends(suite: &mut Suite) {
    for (damage, length) in [
        (Damage::LengthPastSection, 0x100),
        (Damage::LengthHighBit, 0x8000_0000),
        (Damage::LengthLargest, 0xffff_ffef),
        (Damage::LengthReservedLowest, 0xffff_fff0),
        (Damage::LengthReservedHighest, 0xffff_fffe),
    ] {
        let broken = FdeSpec { false_length: Some(length), ..MACHINE.function(0, TEXT + 0x40, 0x20) };
        let draft = eh_frame(case(damage, &MACHINE, CLAUSE), &MACHINE, vec![Record::Fde(broken)]);
        // A reserved value is no length.
        let length = if damage.fault() == FaultKind::ReservedLength { 0 } else { length };
        suite.add(draft.answer(|entries| take_rest(entries, Format::Dwarf32, length, damage.fault())));
    }
}

/// The same with extended lengths.
fn add_wide(suite: &mut Suite) {
    // Of the id, two addresses, five bytes of instructions and three of padding.
    let right = 8 + 8 + 8 + 5 + 3;
    for (damage, length) in [(Damage::LengthWide, (1 << 32) + right), (Damage::LengthWideLargest, u64::MAX)] {
        let sound = MACHINE.function(0, TEXT + 0x40, 0x20);
        let broken = FdeSpec { format: Format::Dwarf64, false_length: Some(length), ..sound };
        let draft = debug_frame(case(damage, &MACHINE, CLAUSE), &MACHINE, vec![Record::Fde(broken)]);
        suite.add(draft.answer(|entries| take_rest(entries, Format::Dwarf64, length, damage.fault())));
    }
}

/// The broken record has the rest of the section.
fn take_rest(entries: &mut Vec<Expected>, format: Format, length: u64, fault: FaultKind) {
    entries.truncate(BROKEN);
    let at = entries.last().map_or(0, Expected::end);
    entries.push(Expected::unreadable(at, format, length, fault));
}

/// Lengths that are a little wrong, so that the next one is read from the wrong place.
fn add_shifted(suite: &mut Suite) {
    let last = MACHINE.function(0, TEXT + 0x40, 0x20);
    // Of the id, location, range and augmentation length, five bytes of instructions and two of padding.
    let right = 4 + 4 + 4 + 1 + 5 + 2;
    let records = |length| {
        let last = FdeSpec { false_length: Some(length), ..last.clone() };
        vec![
            Record::Cie(MACHINE.eh_frame_cie()),
            function(&MACHINE, 0, 0x10),
            Record::Fde(last),
            Record::Terminator,
        ]
    };
    let damage = Damage::LengthOneTooLong;
    let draft = case(damage, &MACHINE, CLAUSE);
    suite.add(draft.eh_frame(records(right + 1)).answer(|entries| {
        entries.truncate(BROKEN + 1);
        let long = &mut entries[BROKEN].entry;
        long.length = right + 1;
        // The terminator's first byte is a nop more.
        long.instructions.push(Instruction::Nop);
        let at = entries[BROKEN].end();
        entries.push(Expected::unreadable(at, Format::Dwarf32, 0, damage.fault()));
    }));

    let damage = Damage::LengthOneTooShort;
    let short = FdeSpec { false_length: Some(right - 1), ..last.clone() };
    let draft = eh_frame(case(damage, &MACHINE, CLAUSE), &MACHINE, vec![Record::Fde(short)]);
    suite.add(draft.answer(|entries| {
        entries.truncate(BROKEN + 1);
        let short = &mut entries[BROKEN].entry;
        short.length = right - 1;
        short.instructions.pop();
        let at = entries[BROKEN].end();
        // The nop left over and three bytes of the next length.
        entries.push(Expected::unreadable(at, Format::Dwarf32, right << 8, damage.fault()));
    }));

    let damage = Damage::LengthZero;
    let draft = case(damage, &MACHINE, CLAUSE);
    suite.add(draft.eh_frame(records(0)).answer(|entries| {
        entries.truncate(BROKEN);
        let at = entries[1].end();
        entries.push(Expected::whole(Entry { offset: SectionOffset(at), ..Entry::default() }));
        // The CIE pointer: how far its own field is from the section's start.
        let pointer = Expected::unreadable(at + 4, Format::Dwarf32, at + 4, damage.fault());
        entries.push(pointer.only(Role::Dumper));
    }));
}

fn add_truncated(suite: &mut Suite) {
    for (damage, bytes, format) in [
        (Damage::LengthTruncated, &[0x18, 0, 0][..], Format::Dwarf32),
        (Damage::LengthWideTruncated, &[0xff, 0xff, 0xff, 0xff, 0x18, 0, 0], Format::Dwarf64),
    ] {
        let records = vec![
            Record::Cie(MACHINE.eh_frame_cie()),
            function(&MACHINE, 0, 0x10),
            Record::Bytes(bytes.to_vec()),
        ];
        let draft = case(damage, &MACHINE, CLAUSE).eh_frame(records);
        suite.add(draft.answer(|entries| take_rest(entries, format, 0, damage.fault())));
    }
    let damage = Damage::IdTruncated;
    let broken = Record::Bytes(vec![2, 0, 0, 0, 0x1c, 0]);
    let draft = eh_frame(case(damage, &MACHINE, CLAUSE), &MACHINE, vec![broken]);
    suite.add(draft.answer(|entries| insert_unreadable(entries, Format::Dwarf32, 2, damage.fault())));

    let damage = Damage::IdWideTruncated;
    let broken = Record::Bytes(vec![0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let draft = debug_frame(case(damage, &MACHINE, CLAUSE), &MACHINE, vec![broken]);
    suite.add(draft.answer(|entries| insert_unreadable(entries, Format::Dwarf64, 4, damage.fault())));
}

/// The broken record is one of bytes as they are; those behind it can be read.
fn insert_unreadable(entries: &mut Vec<Expected>, format: Format, length: u64, fault: FaultKind) {
    let at = entries[BROKEN - 1].end();
    entries.insert(BROKEN, Expected::unreadable(at, format, length, fault));
}

/// CIEs with another id, which makes them FDEs, and their own FDEs, which have no CIE then.
fn add_ids(suite: &mut Suite) {
    let damage = Damage::IdOne;
    let cie = CieSpec { false_id: Some(1), ..MACHINE.eh_frame_cie() };
    let between = vec![Record::Cie(cie), function(&MACHINE, BROKEN, 0x40)];
    let draft = eh_frame(case(damage, &MACHINE, ID), &MACHINE, between);
    suite.add(draft.answer(|entries| expect_fde(entries, 1, damage.fault())));

    let damage = Damage::IdAlmost;
    let cie = CieSpec { false_id: Some(0xffff_fffe), ..MACHINE.debug_frame_cie() };
    let between = vec![Record::Cie(cie), function(&MACHINE, BROKEN, 0x40)];
    let draft = debug_frame(case(damage, &MACHINE, ID), &MACHINE, between);
    suite.add(draft.answer(|entries| expect_fde(entries, 0xffff_fffe, damage.fault())));
}

fn expect_fde(entries: &mut [Expected], pointer: u64, fault: FaultKind) {
    entries[BROKEN].entry.kind = EntryKind::Fde(Fde::default());
    entries[BROKEN] = entries[BROKEN].clone().without_cie(pointer, fault);
    let orphan = entries[BROKEN + 1].clone();
    let EntryKind::Fde(Fde { cie_pointer, .. }) = orphan.entry.kind else { return };
    entries[BROKEN + 1] = orphan.without_cie(cie_pointer, FaultKind::CiePointerNotCie);
}
