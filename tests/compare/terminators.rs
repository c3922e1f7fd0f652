//! Terminators: runs of zero words, readers that stop there and readers that go on.

use cfidiff_model::{Case, Entry, EntryKind, Key, Says, Verdict};

use crate::support::{Fake, PLAIN, ZERO_INSIDE, case, compare, records};

fn stop_at_terminator(entries: &mut Vec<Entry>) {
    let first = entries.iter().position(|entry| entry.kind == EntryKind::Terminator);
    entries.truncate(first.map_or(entries.len(), |first| first + 1));
}

/// A case whose section ends in a run of three terminators.
fn run_of_three() -> Case {
    let mut case = case(PLAIN);
    case.sections[0].data.extend([0; 8]);
    case
}

#[test]
fn a_run_of_zero_words_may_be_given_as_one_terminator() {
    compare(&run_of_three(), &Fake::with(|entries| entries.truncate(4))).agrees(6);
}

#[test]
fn a_run_of_zero_words_may_be_given_as_many_terminators() {
    compare(&run_of_three(), &Fake::with(|_| {})).agrees(6);
}

#[test]
fn a_terminator_given_twice_is_repeated() {
    let found = compare(&run_of_three(), &Fake::with(|entries| entries.push(entries[3].clone())));
    assert_eq!(found.keys(), [(Key::EntryRepeated, 0x68)]);
}

#[test]
fn a_terminator_may_be_left_out_at_the_end() {
    let found = compare(&run_of_three(), &Fake::with(|entries| entries.truncate(3)));
    found.agrees(3);
}

#[test]
fn a_reader_that_goes_on_agrees_on_all() {
    compare(&case(ZERO_INSIDE), &Fake::with(|_| {})).agrees(7);
}

#[test]
fn a_reader_that_stops_at_a_terminator_is_right_in_its_role() {
    let fake = Fake::right().pass(Says::all() - Says::PAST_TERMINATOR, stop_at_terminator);
    let found = compare(&case(ZERO_INSIDE), &fake);
    let finding = found.only();
    let told = (Key::EntryMissing, 0x3c, "3 records behind a terminator", "stops at the terminator");
    assert_eq!(found.told(), [told]);
    assert_eq!((finding.verdict, finding.count), (Verdict::Open, 3));
    assert_eq!(finding.cause, "stops-at-terminator");
    assert_eq!(found.tally.records, records(3, Verdict::Open, 3));
    assert!(!found.answers[0].sections[0].whole);
}

#[test]
fn a_reader_that_stops_need_not_tell_of_the_terminator() {
    let says = Says::all() - Says::PAST_TERMINATOR - Says::TERMINATORS;
    let fake = Fake::right().pass(says, |entries| entries.truncate(2));
    let found = compare(&case(ZERO_INSIDE), &fake);
    assert_eq!(found.keys(), [(Key::EntryMissing, 0x3c)]);
    assert_eq!(found.only().verdict, Verdict::Open);
}

#[test]
fn a_reader_that_stops_owes_the_records_before_the_terminator() {
    let fake = Fake::right().pass(Says::all() - Says::PAST_TERMINATOR, |entries| entries.truncate(1));
    let found = compare(&case(ZERO_INSIDE), &fake);
    assert_eq!(found.keys(), [(Key::EntryMissing, 0x3c), (Key::SectionUnread, 0x18)]);
    assert_eq!(found.tally.records.failed, 1);
}

#[test]
fn a_reader_that_claims_to_go_on_and_stops_broke() {
    let found = compare(&case(ZERO_INSIDE), &Fake::with(stop_at_terminator));
    assert_eq!(found.keys(), [(Key::SectionUnread, 0x3c)]);
    assert_eq!((found.only().verdict, found.only().count), (Verdict::OracleFailed, 3));
}

#[test]
fn nobody_stops_at_a_zero_word_in_debug_frame() {
    let fake = Fake::right().pass(Says::all() - Says::PAST_TERMINATOR, stop_at_terminator);
    let found = compare(&case("terminator/zero-middle-df"), &fake);
    assert_eq!(found.keys(), [(Key::SectionUnread, 0x3c)]);
}
