//! Readers that answer for single addresses, as a profiler does: the CFA and the return address there.
//!
//! Their answers are put into the rows that ours has, so that they are compared, judged and reported like any other
//! table. Each row is asked about at its first and its last location. Behind a terminator of `.eh_frame` nothing is
//! asked, since a reader that looks up has the role of a run-time unwinder, which stops there. An FDE for which a reader
//! has no row at all is one that it could not read.

use std::collections::BTreeMap;

use cfidiff_cfi::{Reader, RecordKind, Table};
use cfidiff_model::{
    Address, Bytes, Case, CfaRule, Entry, EntryKind, Fault, FaultKind, LookUp, Outcome, RegisterRule, RowRef,
    Rows, Says, Section, SectionKind, Sink,
};
use cfidiff_oracles::Oracle;

/// What a table made of look-ups says.
pub(crate) const SAYS: Says =
    Says::RECORDS.union(Says::ROWS).union(Says::UNDEFINED_RULES).union(Says::ROWS_OF_NOPS);

/// A zero word in `.debug_frame` ends nothing.
const SAYS_DEBUG_FRAME: Says = SAYS.union(Says::PAST_TERMINATOR);

/// Asks the reader for addresses of each case and hands the tables that follow to the sink.
pub(crate) fn read(oracle: &dyn Oracle, cases: &[Case], sink: &mut dyn Sink) {
    for (number, case) in cases.iter().enumerate() {
        let addresses = addresses(case);
        if addresses.is_empty() {
            sink.end_case(number, Outcome::Unsupported("no FDE covers an address to ask about".to_owned()));
            continue;
        }
        let mut answers = BTreeMap::new();
        let outcome =
            oracle.look_up(case, &addresses, &mut |answer| _ = answers.insert(answer.address, answer));
        if !answers.is_empty() {
            if outcome == Outcome::Answered {
                no_rows(&addresses, &mut answers);
            }
            tables(number, case, &answers, sink);
        }
        sink.end_case(number, outcome);
    }
}

/// An address of which a reader says nothing, though it came to its end, is one that it has no row for.
fn no_rows(asked: &[Address], answers: &mut BTreeMap<Address, LookUp>) {
    for address in asked {
        answers.entry(*address).or_insert_with(|| LookUp::without_row(*address));
    }
}

/// The addresses to ask about, ascending, each once: those of the FDEs that no other of the section overlaps.
fn addresses(case: &Case) -> Vec<Address> {
    let mut addresses = Vec::new();
    for (_, section) in case.frame_sections() {
        let mut table = Table::new(Reader::new(section, case.target));
        let mut entry = Entry::default();
        let mut ranges = Vec::new();
        for index in 0..table.len() {
            table.fill(index, Says::ROWS, &mut entry);
            if ends(section, &entry) {
                break;
            }
            if let EntryKind::Fde(fde) = &entry.kind
                && entry.faults.is_empty()
                && !fde.indirect
            {
                let points =
                    entry.rows.iter().filter(|row| row.start < row.end).flat_map(|row| samples(&row));
                ranges.push((fde.initial_location.0, fde.address_range, points.collect::<Vec<_>>()));
            }
        }
        addresses.extend(unambiguous(ranges));
    }
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// The points of the ranges that no other overlaps: which one a reader takes is nowhere said, and it may drop the other.
/// So may a linker that makes the table of `.eh_frame_hdr`: an FDE without a byte can stand there for one that starts at
/// its location. A range is a start, a size in bytes, and the points in it.
pub(crate) fn unambiguous(mut ranges: Vec<(u64, u64, Vec<Address>)>) -> Vec<Address> {
    ranges.sort();
    let mut addresses = Vec::new();
    let (mut covered, mut last) = (0, None);
    for (index, (start, size, points)) in ranges.iter().enumerate() {
        let end = start.saturating_add(*size);
        let next = ranges.get(index + 1).map_or(u64::MAX, |(next, _, _)| *next);
        if *start >= covered && end <= next && last != Some(*start) {
            addresses.extend(points);
        }
        (covered, last) = (covered.max(end), Some(*start));
    }
    addresses
}

/// Whether an unwinder reads no further.
fn ends(section: &Section, entry: &Entry) -> bool {
    section.kind == SectionKind::EhFrame && matches!(entry.kind, EntryKind::Terminator)
}

/// The locations at which a row is asked about: the first and the last.
pub(crate) fn samples(row: &RowRef<'_>) -> [Address; 2] {
    [row.start, Address(row.end.0.max(row.start.0.saturating_add(1)) - 1)]
}

fn tables(number: usize, case: &Case, answers: &BTreeMap<Address, LookUp>, sink: &mut dyn Sink) {
    for (index, section) in case.frame_sections() {
        let is_debug_frame = section.kind == SectionKind::DebugFrame;
        sink.section(number, index, if is_debug_frame { SAYS_DEBUG_FRAME } else { SAYS });
        let mut table = Table::new(Reader::new(section, case.target));
        let mut entry = Entry::default();
        for index in 0..table.len() {
            table.fill(index, Says::ROWS, &mut entry);
            if ends(section, &entry) {
                break;
            }
            let return_address = match &entry.kind {
                EntryKind::Cie(_) => None,
                EntryKind::Fde(fde) => fde.cie.and_then(|offset| {
                    let record = table.index_of(offset).and_then(|index| table.record(index))?;
                    let RecordKind::Cie(place) = record.kind else { return None };
                    table.cie(place).map(|cie| cie.return_address_register)
                }),
                // A look-up tells nothing of these.
                EntryKind::Terminator | EntryKind::Unreadable => continue,
            };
            if let Some(register) = return_address {
                entry.faults.extend(rejected(&entry, answers));
                entry.rows = answered(&entry.rows, register, answers);
            }
            sink.entry(&entry);
        }
        sink.end_section(Outcome::Answered);
    }
}

/// Our FDE as it is put together from look-ups in another reading of it.
pub(crate) fn seen(ours: &Entry, theirs: Option<&Entry>, return_address: u64) -> Entry {
    let mut answers = BTreeMap::new();
    for address in ours.rows.iter().flat_map(|row| samples(&row)) {
        let holds = |row: &RowRef<'_>| (row.start..row.end).contains(&address);
        let row = theirs.and_then(|entry| entry.rows.iter().find(holds));
        let answer = row.map_or(LookUp::without_row(address), |row| LookUp {
            address,
            cfa: row.cfa.clone(),
            return_address: row
                .rules
                .iter()
                .find(|(number, _)| *number == return_address)
                .map(|(_, rule)| rule.clone()),
        });
        answers.insert(address, answer);
    }
    let mut seen = ours.clone();
    seen.faults.extend(rejected(ours, &answers));
    seen.rows = answered(&ours.rows, return_address, &answers);
    seen
}

/// The fault of an FDE with rows, when the reader has none of them.
fn rejected(fde: &Entry, answers: &BTreeMap<Address, LookUp>) -> Option<Fault> {
    let mut asked = fde.rows.iter().flat_map(|row| samples(&row)).filter_map(|point| answers.get(&point));
    let first = asked.next()?.address;
    let is_without = |answer: &LookUp| answer.same_as(&LookUp::without_row(answer.address));
    let is_without = is_without(&answers[&first]) && asked.all(is_without);
    let has_rows = fde.rows.iter().any(|row| *row.cfa != CfaRule::Undefined);
    (is_without && has_rows).then(|| Fault {
        offset: fde.offset,
        bytes: Bytes::new(),
        kind: FaultKind::Reported,
        expected: format!("no row at {:#x}", first.0).into(),
    })
}

/// Our rows with the reader's CFA and return address in them. What it says nothing of stays, and so compares equal.
pub(crate) fn answered(ours: &Rows, return_address: u64, answers: &BTreeMap<Address, LookUp>) -> Rows {
    let mut rows = Rows::default();
    for row in ours.iter() {
        let asked = samples(&row).map(|point| answers.get(&point));
        let mut push = |start, end, answer: Option<&LookUp>| {
            let replaced = |register| answer.is_some() && register == return_address;
            for (register, rule) in row.rules.iter().filter(|(register, _)| !replaced(*register)) {
                rows.push_rule(*register, rule.clone());
            }
            let rule: Option<&RegisterRule> = answer.and_then(|answer| answer.return_address.as_ref());
            if let Some(rule) = rule {
                rows.push_rule(return_address, rule.clone());
            }
            rows.finish_row(start, end, answer.map_or(row.cfa, |answer| &answer.cfa).clone());
        };
        match asked {
            [Some(first), Some(last)] if !first.same_as(last) => {
                push(row.start, Address(row.end.0 - 1), Some(first));
                push(Address(row.end.0 - 1), row.end, Some(last));
            }
            [first, _] => push(row.start, row.end, first),
        }
    }
    rows
}
