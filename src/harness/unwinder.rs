//! A reader that answers for single addresses, and how it is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use cfidiff_gen::suite::Expected;
use cfidiff_model::{Address, Entry, EntryKind, Key, LookUp, SectionOffset};

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

/// Asks for the addresses of a section's rows. `None` when it has none to ask about.
pub(super) fn compare(
    section: &Section<'_>,
    expected: &[&Expected],
    mut look_up: impl FnMut(Address) -> Result<Option<LookUp>, String>,
) -> Option<Vec<Found>> {
    let points = points(expected);
    if points.is_empty() {
        return None;
    }
    let (mut answers, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for address in points {
        match look_up(address) {
            Ok(answer) => _ = answers.insert(address, answer.unwrap_or_else(|| LookUp::without_row(address))),
            Err(why) => _ = refused.insert(address, why),
        }
    }
    let mut found = Vec::new();
    for each in expected.iter().filter(|each| is_sound(each)) {
        let EntryKind::Fde(fde) = &each.entry.kind else { continue };
        let asked: BTreeSet<Address> = each.entry.rows.iter().flat_map(|row| samples(&row)).collect();
        if let Some((address, why)) = asked.iter().find_map(|at| refused.get_key_value(at)) {
            let theirs = format!("at {address}: {why}");
            found.push(Found::new(Key::EntryRejected, each.entry.offset, "well-formed", &theirs));
        } else if let Some(register) = return_address(expected, fde.cie) {
            let rows = answered(&each.entry.rows, register, &answers);
            let theirs = Entry { rows, ..each.entry.clone() };
            found.extend(compare_entry(&section.target(), each, &theirs, SAYS));
        }
    }
    Some(found)
}

/// Whether everybody has to find the FDE's rows.
fn is_sound(expected: &Expected) -> bool {
    let is_there = matches!(&expected.entry.kind, EntryKind::Fde(fde) if !fde.indirect);
    is_there && expected.faults.is_empty() && expected.free.is_empty()
}

/// The addresses to ask about, ascending.
fn points(expected: &[&Expected]) -> BTreeSet<Address> {
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
