//! Complaints: a record that one of the readers finds ill-formed, or both.

use cfidiff_model::{Bytes, Entry, EntryKind, Fault, FaultKind, Key, SectionOffset, Verdict};

use crate::support::{Fake, PLAIN, TRAILING, case, compare, records};

/// An FDE at 0x18 whose second instruction has no definition.
const UNKNOWN_OPCODE: &str = "instruction/op-unk-17";
/// A CIE with a restore, whose FDEs are well-formed by themselves.
const CIE_WITH_FAULT: &str = "state/op-restore-cie";

/// A tool's words about the record at 0x28.
pub fn complaint(words: &'static str) -> Fault {
    Fault {
        offset: SectionOffset(0x28),
        bytes: Bytes::new(),
        kind: FaultKind::Reported,
        expected: words.into(),
    }
}

fn accept(entries: &mut [Entry]) {
    entries.iter_mut().for_each(|entry| entry.faults.clear());
}

#[test]
fn both_complain_and_agree_whatever_else_they_say() {
    let case = case(UNKNOWN_OPCODE);
    let found = compare(
        &case,
        &Fake::with(|entries| {
            let ill_formed = entries.iter_mut().find(|entry| !entry.faults.is_empty());
            let entry = ill_formed.expect("an FDE is ill-formed");
            entry.faults = vec![complaint("in words of its own")];
            entry.rows.clear();
            entry.instructions.clear();
            entry.length = 1;
        }),
    );
    assert_eq!(found.told(), []);
    assert_eq!(found.tally.records.agree, found.tally.records.total());
}

#[test]
fn silence_on_an_ill_formed_record_is_open() {
    let found = compare(&case(UNKNOWN_OPCODE), &Fake::with(|entries| accept(entries)));
    let finding = found.only();
    assert_eq!((finding.key, finding.verdict), (Key::EntryAccepted, Verdict::Open));
    assert!(finding.ours.starts_with("fault.unknown-opcode at 0x"), "{}", finding.ours);
    assert_eq!(finding.theirs, "no complaint");
    assert_eq!(finding.cause, "ill-formed: fault.unknown-opcode");
    assert!(
        finding.reason.starts_with("the record is ill-formed: fault.unknown-opcode"),
        "{}",
        finding.reason
    );
    let total = found.tally.records.total();
    assert_eq!(found.tally.records, records(total - 1, Verdict::Open, 1));
}

#[test]
fn another_reading_of_an_ill_formed_record_is_open_and_told_in_place_of_the_silence() {
    let found = compare(
        &case(UNKNOWN_OPCODE),
        &Fake::with(|entries| {
            let ill_formed = entries.iter_mut().find(|entry| !entry.faults.is_empty());
            ill_formed.expect("an FDE is ill-formed").length += 4;
            accept(entries);
        }),
    );
    assert_eq!((found.only().key, found.only().verdict), (Key::EntryLength, Verdict::Open));
}

#[test]
fn a_record_is_ill_formed_by_its_cie_as_well() {
    let fake = Fake::with(|entries| {
        for entry in entries.iter_mut().filter(|entry| matches!(entry.kind, EntryKind::Fde(_))) {
            assert!(entry.faults.is_empty(), "the FDE is well-formed by itself");
            entry.length += 4;
        }
    });
    let found = compare(&case(CIE_WITH_FAULT), &fake);
    assert!(!found.findings.is_empty());
    for finding in &found.findings {
        assert_eq!((finding.key, finding.verdict), (Key::EntryLength, Verdict::Open));
        assert_eq!(finding.cause, "ill-formed: fault.restore-in-cie");
        assert!(finding.reason.starts_with("the record's CIE is ill-formed:"), "{}", finding.reason);
    }
}

#[test]
fn a_record_that_is_refused_is_not_compared_any_further() {
    let found = compare(
        &case(PLAIN),
        &Fake::with(|entries| {
            entries[1].faults.extend([complaint("one"), complaint("two")]);
            entries[1].length = 1;
            entries[1].rows.clear();
        }),
    );
    let theirs = "fault.reported at 0x28: one; fault.reported at 0x28: two";
    assert_eq!(found.told(), [(Key::EntryRejected, 0x28, "well-formed", theirs)]);
}

#[test]
fn bytes_that_are_no_record_are_owed_by_nobody() {
    let case = case(TRAILING);
    let whole = compare(&case, &Fake::with(|_| {}));
    assert_eq!((whole.told(), whole.tally.records.agree), (vec![], 3));
    let silent = compare(&case, &Fake::with(|entries| entries.truncate(2)));
    assert_eq!((silent.told(), silent.tally.records.agree), (vec![], 2));
    let accepted = compare(&case, &Fake::with(|entries| accept(entries)));
    assert_eq!((accepted.only().key, accepted.only().verdict), (Key::EntryAccepted, Verdict::Open));
}

#[test]
fn a_field_that_cfidiff_cannot_relocate_blames_nobody() {
    let mut case = case(PLAIN);
    let expected = "a relocation type that cfidiff knows".into();
    let offset = SectionOffset(0x30);
    case.sections[0].faults.push(Fault {
        offset,
        bytes: Bytes::new(),
        kind: FaultKind::Relocation,
        expected,
    });
    let found = compare(
        &case,
        &Fake::with(|entries| {
            accept(entries);
            if let EntryKind::Fde(fde) = &mut entries[1].kind {
                fde.segment = Some(1);
            }
        }),
    );
    let finding = found.only();
    assert_eq!((finding.key, finding.verdict), (Key::FdeSegment, Verdict::Open));
    assert_eq!(finding.cause, "not-relocated");
    assert!(finding.reason.starts_with("cfidiff could not relocate a field"), "{}", finding.reason);
}
