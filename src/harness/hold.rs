//! An answer on a section held against what its case was made for.

use std::collections::HashMap;

use cfidiff_gen::suite::Expected;
use cfidiff_model::{Bytes, Entry, EntryKind, Fault, FaultKind, Key, Says, SectionOffset, Target};

use crate::compare::{Difference, Differences};
use crate::corpus::take_free;
use crate::harness::faults;
use crate::report::counted;

/// A place where the answer is not the expected one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub key: Key,
    /// Where the record starts.
    pub offset: SectionOffset,
    pub expected: String,
    pub found: String,
}

impl Found {
    pub fn new(key: Key, offset: SectionOffset, expected: &str, found: &str) -> Found {
        Found { key, offset, expected: expected.to_owned(), found: found.to_owned() }
    }
}

/// Compares records that a reader gave, of which it says so much, and how its answer ended.
pub(super) fn compare(
    target: &Target,
    expected: &[&Expected],
    theirs: &[Entry],
    end: &Result<(), String>,
    says: Says,
) -> Vec<Found> {
    let by_offset: HashMap<SectionOffset, usize> =
        expected.iter().enumerate().map(|(index, each)| (each.entry.offset, index)).collect();
    let mut found = Vec::new();
    let mut given = vec![0_usize; expected.len()];
    for entry in theirs {
        let Some(&index) = by_offset.get(&entry.offset) else {
            found.push(Found::new(Key::EntryExtra, entry.offset, "no record starts here", entry.kind.name()));
            continue;
        };
        given[index] += 1;
        match given[index] {
            1 => found.extend(compare_entry(target, expected[index], entry, says)),
            2 => found.push(Found::new(Key::EntryRepeated, entry.offset, "once", "again")),
            // Told once.
            _ => {}
        }
    }
    let given: Vec<bool> = given.into_iter().map(|times| times > 0).collect();
    missing(expected, &given, end, says, &mut found);
    // Why a reader broke may explain all the rest.
    found.sort_by_key(|found| (found.key != Key::SectionUnread, found.offset, found.key));
    found
}

/// Compares one record.
pub(super) fn compare_entry(target: &Target, expected: &Expected, theirs: &Entry, says: Says) -> Vec<Found> {
    let mut ours = expected.entry.clone();
    ours.faults = expected.faults.iter().map(|&kind| fault(ours.offset, kind)).collect();
    expected.free.iter().for_each(|field| take_free(field, theirs, &mut ours));
    if theirs.faults.is_empty() {
        // Of what is broken in a part that the reader does not read, it need not know.
        let is_read = |fault: &Fault| faults::is_read(fault.kind, &expected.entry.kind, says);
        ours.faults.retain(is_read);
    }
    let mut differences = Differences { target, list: Vec::new(), without_rows: false };
    differences.entries(&ours, theirs, says);
    let found = |Difference { key, ours: expected, theirs: found }| {
        let found = if key == Key::EntryRejected { words(theirs) } else { found };
        Found { key, offset: ours.offset, expected, found }
    };
    differences.list.into_iter().map(found).collect()
}

/// What the reader said of a record that it refuses. Its own words stand for themselves.
fn words(theirs: &Entry) -> String {
    let words = theirs.faults.iter().map(|fault| match fault.kind {
        FaultKind::Reported => fault.expected.to_string(),
        _ => fault.to_string(),
    });
    words.collect::<Vec<_>>().join("; ")
}

fn fault(offset: SectionOffset, kind: FaultKind) -> Fault {
    Fault { offset, bytes: Bytes::new(), kind, expected: "to be reported".into() }
}

/// What the reader left out.
fn missing(
    expected: &[&Expected],
    given: &[bool],
    end: &Result<(), String>,
    says: Says,
    found: &mut Vec<Found>,
) {
    let last_given = given.iter().rposition(|&given| given);
    // A reader that stops with an error has told of the first broken record behind those that it gave.
    let stopped_at = expected
        .iter()
        .enumerate()
        .skip(last_given.map_or(0, |last| last + 1))
        .find(|(_, each)| !matches!(each.entry.kind, EntryKind::Terminator))
        .filter(|(_, each)| end.is_err() && may_be_refused(each))
        .map(|(index, _)| index);
    let mut unread = Vec::new();
    for (index, each) in expected.iter().enumerate() {
        if given[index] || Some(index) == stopped_at {
            continue;
        }
        let is_hole = last_given.is_some_and(|last| index < last);
        let offset = each.entry.offset;
        match each.entry.kind {
            // Readers print a run of zero words as one terminator, and not every reader tells of them.
            EntryKind::Terminator => {
                let before = index.checked_sub(1).map(|before| (given[before], &expected[before].entry.kind));
                let follows = matches!(before, Some((true, EntryKind::Terminator)));
                if is_hole && says.contains(Says::TERMINATORS) && !follows {
                    found.push(Found::new(Key::EntryMissing, offset, "terminator", "nothing"));
                }
            }
            // The error is about what comes before, or nothing was said at all.
            EntryKind::Unreadable if end.is_err() => {}
            EntryKind::Unreadable => {
                let faults: Vec<&str> = each.faults.iter().map(|kind| kind.name()).collect();
                found.push(Found::new(Key::EntryAccepted, offset, &faults.join(", "), "no complaint"));
            }
            EntryKind::Cie(_) | EntryKind::Fde(_) if is_hole => {
                found.push(Found::new(Key::EntryMissing, offset, each.entry.kind.name(), "nothing"));
            }
            EntryKind::Cie(_) | EntryKind::Fde(_) => unread.push(offset),
        }
    }
    let words = end.as_ref().err();
    if let Some(&first) = unread.first() {
        let ours = format!("{} from here on", counted(unread.len() as u64, "record"));
        let theirs = words.map_or("no more records, no complaint", String::as_str);
        found.push(Found::new(Key::SectionUnread, first, &ours, theirs));
    } else if let Some(words) = words
        && stopped_at.is_none()
    {
        let last = expected.last().map_or(SectionOffset(0), |each| each.entry.offset);
        found.push(Found::new(Key::SectionUnread, last, "the section ends behind this record", words));
    }
}

/// Whether a reader does right to refuse the record.
fn may_be_refused(expected: &Expected) -> bool {
    !expected.faults.is_empty() || expected.free.contains(&"faults")
}
