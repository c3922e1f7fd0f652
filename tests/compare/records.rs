//! Records that are out of order, extra, repeated, left out; readers that fall silent or break.

use cfidiff_model::{EntryKind, Key, Outcome, Says, SectionOffset, Verdict};

use crate::support::{Fake, Found, PLAIN, TRAILING, case, compare, records};

fn broken(words: &str) -> Option<Outcome> {
    Some(Outcome::Failed(words.to_owned()))
}

#[track_caller]
fn is_failure(found: &Found, offset: u64, count: u64, theirs: &str, reason: &str) {
    let finding = found.only();
    assert_eq!((finding.key, finding.verdict), (Key::SectionUnread, Verdict::OracleFailed));
    assert_eq!((finding.offset, finding.count), (SectionOffset(offset), count));
    assert_eq!((finding.theirs.as_str(), finding.reason.as_str()), (theirs, reason));
    assert_eq!(finding.cause, "reader-broke");
    assert_eq!(found.tally.records.failed, count);
}

#[test]
fn the_order_of_records_does_not_matter() {
    compare(&case(PLAIN), &Fake::with(|entries| entries.reverse())).agrees(4);
    compare(&case(PLAIN), &Fake::with(|entries| entries.swap(0, 2))).agrees(4);
}

#[test]
fn a_record_left_out_in_the_middle_is_missing() {
    let found = compare(&case(PLAIN), &Fake::with(|entries| _ = entries.drain(..2)));
    assert_eq!(
        found.told(),
        [(Key::EntryMissing, 0, "CIE", "nothing"), (Key::EntryMissing, 0x28, "FDE", "nothing")]
    );
    assert_eq!(found.tally.records, records(2, Verdict::Differ, 2));
    assert!(!found.answers[0].sections[0].whole);
}

#[test]
fn records_left_out_at_the_end_are_a_failure() {
    let found = compare(&case(PLAIN), &Fake::with(|entries| entries.truncate(1)));
    let reason = "fewer records than the section has, without a complaint";
    is_failure(&found, 0x28, 2, "no more records, no complaint", reason);
    assert_eq!(found.only().ours, "2 records from here on");
    assert_eq!(found.tally.records, records(1, Verdict::OracleFailed, 2));
}

#[test]
fn a_section_without_any_record_is_a_failure() {
    let found = compare(&case(PLAIN), &Fake::with(Vec::clear));
    let reason = "silence is a failure of the reader, never agreement";
    is_failure(&found, 0, 3, "no answer, no complaint", reason);
}

#[test]
fn a_section_passed_over_is_a_failure() {
    let found = compare(&case(PLAIN), &Fake { section: None, ..Fake::with(|_| {}) });
    let reason = "silence is a failure of the reader, never agreement";
    is_failure(&found, 0, 3, "no answer, no complaint", reason);
}

#[test]
fn a_reader_that_breaks_in_a_section_is_a_failure_in_its_own_words() {
    let found = compare(
        &case(PLAIN),
        &Fake { section: broken("crashed"), ..Fake::with(|entries| entries.truncate(2)) },
    );
    is_failure(&found, 0x48, 1, "crashed", "the reader broke");
    assert_eq!(found.tally.records, records(2, Verdict::OracleFailed, 1));
}

#[test]
fn a_reader_that_breaks_before_any_section_is_a_failure_in_its_own_words() {
    let found = compare(&case(PLAIN), &Fake { section: None, case: broken("killed"), ..Fake::with(|_| {}) });
    is_failure(&found, 0, 3, "killed", "the reader broke");
    assert_eq!(found.answers[0].failure.as_deref(), Some("killed"));
}

#[test]
fn a_reader_that_breaks_behind_the_last_record_is_a_failure() {
    let found = compare(&case(PLAIN), &Fake { section: broken("crashed"), ..Fake::with(|_| {}) });
    let finding = found.only();
    assert_eq!((finding.key, finding.verdict), (Key::SectionUnread, Verdict::OracleFailed));
    assert_eq!((finding.ours.as_str(), finding.theirs.as_str()), ("the section ends here", "crashed"));
    assert_eq!(found.tally.records, records(4, Verdict::OracleFailed, 0));
}

#[test]
fn a_reader_may_give_up_on_bytes_that_are_no_record() {
    let stops = Fake { section: broken("3 bytes left"), ..Fake::with(|entries| entries.truncate(2)) };
    assert_eq!(compare(&case(TRAILING), &stops).told(), []);
}

#[test]
fn a_reader_that_ends_neither_section_nor_case_broke() {
    let unended = Fake { case: None, ..Fake::with(|_| {}) };
    let found = compare(&case(PLAIN), &unended);
    assert_eq!(found.answers[0].failure.as_deref(), Some("stopped before the end of the case"));
    let silent = Fake { section: None, case: None, ..Fake::with(|_| {}) };
    is_failure(
        &compare(&case(PLAIN), &silent),
        0,
        3,
        "stopped before the end of the case",
        "the reader broke",
    );
}

#[test]
fn a_case_that_a_reader_cannot_be_asked_about_is_no_failure() {
    let why = Some(Outcome::Unsupported("in memory only".to_owned()));
    let found = compare(&case(PLAIN), &Fake { section: None, case: why, ..Fake::with(|_| {}) });
    assert_eq!(found.told(), []);
    assert_eq!((found.tally.unsupported, found.tally.compared.cases, found.tally.records.total()), (1, 0, 0));
}

#[test]
fn a_section_that_a_reader_cannot_be_asked_about_is_no_failure() {
    let why = Some(Outcome::Unsupported("compressed".to_owned()));
    let found = compare(&case(PLAIN), &Fake { section: why, ..Fake::with(Vec::clear) });
    assert_eq!((found.told(), found.tally.records.total()), (vec![], 0));
}

#[test]
fn one_pass_that_answers_is_an_answer() {
    let fake = Fake::with(|_| {}).pass(Says::all(), |entries| entries.truncate(1));
    let found = compare(&case(PLAIN), &fake);
    assert_eq!(found.only().key, Key::SectionUnread);
    // A record counts once, with the worst verdict of any pass.
    assert_eq!(found.tally.records, records(2, Verdict::OracleFailed, 2));
}

#[test]
fn a_record_in_the_middle_of_another_is_extra_and_the_rest_is_compared() {
    let found = compare(
        &case(PLAIN),
        &Fake::with(|entries| {
            let mut extra = entries[3].clone();
            extra.offset = SectionOffset(0x1_0000_0028);
            entries.insert(1, extra);
            entries[2].length = 0x20;
        }),
    );
    let extra = (Key::EntryExtra, 0x1_0000_0028, "no record starts here", "terminator");
    assert_eq!(found.told(), [extra, (Key::EntryLength, 0x28, "0x1c", "0x20")]);
}

#[test]
fn a_repeated_record_keeps_its_worse_verdict() {
    let found = compare(
        &case(PLAIN),
        &Fake::with(|entries| {
            entries.push(entries[0].clone());
            entries[1].kind = EntryKind::Terminator;
        }),
    );
    assert_eq!(found.keys(), [(Key::EntryKind, 0x28), (Key::EntryRepeated, 0)]);
    assert_eq!(found.tally.records, records(2, Verdict::Differ, 2));
}
