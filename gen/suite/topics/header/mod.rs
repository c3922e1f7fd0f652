//! `.eh_frame_hdr`: its encodings, and tables that fit `.eh_frame` or do not.

mod broken;
mod encodings;
mod tables;

use cfidiff_model::Address;

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::rows::{Listing, cfa};
use crate::{FdeSpec, Program, Record};

/// What decides most of the cases.
const CLAUSE: &str = "LSB Core, exception frame header: its fields, and a table sorted by initial location";

pub(super) fn add(suite: &mut Suite) {
    encodings::add(suite);
    tables::add(suite);
    broken::add(suite);
}

/// A CIE with a function of 32 bytes at each of these addresses.
fn functions(machine: &Convention, addresses: &[u64]) -> Vec<Record> {
    let functions = addresses.iter().map(|&address| Record::Fde(machine.function(0, address, 0x20)));
    let cie = Record::Cie(machine.eh_frame_cie());
    [cie].into_iter().chain(functions).chain([Record::Terminator]).collect()
}

/// A function without instructions of its own: its one row is the CIE's.
fn leaf(machine: &Convention, start: u64, size: u64) -> FdeSpec {
    let rows = Listing::new(start, start + size)
        .row(0, cfa(machine.stack_pointer, machine.entry_offset), &machine.entry_rules())
        .done();
    FdeSpec { rows, ..FdeSpec::new(0, Address(start), size, Program::new()) }
}
