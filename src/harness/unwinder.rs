//! A reader that answers for single addresses, and how it is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use cfidiff_gen::suite::Expected;
use cfidiff_model::{Address, Entry, EntryKind, Fde, Key, LookUp, SectionOffset};

use crate::compare::look_up::{SAYS, answered, samples, unambiguous};
use crate::harness::Section;
use crate::harness::hold::{Found, compare_entry};

/// A reader under test that answers for single addresses, as a profiler does: how to get the CFA and the return address.
pub trait Unwinder: Send + Sync + 'static {
    /// The name, for the list of expected findings.
    fn name(&self) -> &str;

    /// The version, for the ranges in the list of expected findings. To be given when the reader is another crate; one's
    /// own has the version that it has.
    fn version(&self) -> &str {
        ""
    }

    /// Whether it reads such sections: this kind, machine, byte order. Others are passed over.
    fn reads(&self, _section: &Section<'_>) -> bool {
        true
    }

    /// What holds at a link-time address, which one FDE of the section covers: each row is asked about at its first and
    /// at its last byte. `None` when there is no row for it.
    ///
    /// A panic counts as an error.
    fn look_up(&self, section: &Section<'_>, address: Address) -> Result<Option<LookUp>, Box<dyn Error>>;
}

/// What was answered, by address: the words of an error, or a row if there is one.
pub(super) type Answers = BTreeMap<Address, Result<Option<LookUp>, String>>;

/// Compares what was answered with the records of one reading.
pub(super) fn compare(section: &Section<'_>, expected: &[&Expected], answers: &Answers) -> Vec<Found> {
    let rows: BTreeMap<Address, LookUp> = answers
        .iter()
        .filter_map(|(address, answer)| {
            let answer = answer.as_ref().ok()?.clone();
            Some((*address, answer.unwrap_or_else(|| LookUp::without_row(*address))))
        })
        .collect();
    let mut found = Vec::new();
    for each in expected {
        let EntryKind::Fde(fde) = &each.entry.kind else { continue };
        if !is_sound(each) {
            found.extend(accepted(each, fde, answers));
            continue;
        }
        let asked: BTreeSet<Address> = each.entry.rows.iter().flat_map(|row| samples(&row)).collect();
        let refused = asked.iter().find_map(|at| Some((at, answers.get(at)?.as_ref().err()?)));
        if let Some((address, why)) = refused {
            let theirs = format!("at {address}: {why}");
            found.push(Found::new(Key::EntryRejected, each.entry.offset, "well-formed", &theirs));
        } else if let Some(register) = return_address(expected, fde.cie) {
            let rows = answered(&each.entry.rows, register, &rows);
            let theirs = Entry { rows, ..each.entry.clone() };
            found.extend(compare_entry(&section.target(), each, &theirs, SAYS));
        }
    }
    found
}

/// A row out of an FDE that one reading refuses as a whole, though another reading has it. Of one that is broken
/// further on, rows may well be given.
fn accepted(expected: &Expected, fde: &Fde, answers: &Answers) -> Option<Found> {
    if !expected.free.contains(&"initial_location") {
        return None;
    }
    let end = Address(fde.initial_location.0.saturating_add(fde.address_range));
    let mut answered = answers.range(fde.initial_location..end.max(fde.initial_location));
    let (address, _) = answered.find(|(_, answer)| matches!(answer, Ok(Some(_))))?;
    let theirs = format!("a row at {address}");
    Some(Found::new(Key::EntryAccepted, expected.entry.offset, "refused", &theirs))
}

/// Whether everybody has to find the FDE's rows.
fn is_sound(expected: &Expected) -> bool {
    let is_there = matches!(&expected.entry.kind, EntryKind::Fde(fde) if !fde.indirect);
    is_there && expected.faults.is_empty() && expected.free.is_empty()
}

/// The addresses of one reading to ask about, ascending: those that one FDE covers.
pub(super) fn points(expected: &[&Expected]) -> BTreeSet<Address> {
    let ranges = expected.iter().filter_map(|each| {
        let EntryKind::Fde(fde) = &each.entry.kind else { return None };
        let rows = each.entry.rows.iter().filter(|row| row.start < row.end && is_sound(each));
        let points = rows.flat_map(|row| samples(&row)).collect();
        Some((fde.initial_location.0, fde.address_range, points))
    });
    unambiguous(ranges.collect()).into_iter().collect()
}

fn return_address(expected: &[&Expected], cie: Option<SectionOffset>) -> Option<u64> {
    let cie = expected.iter().find(|each| Some(each.entry.offset) == cie)?;
    match &cie.entry.kind {
        EntryKind::Cie(cie) => Some(cie.return_address_register),
        _ => None,
    }
}
