//! `.eh_frame_hdr` on any bytes.

use cfidiff_cfi::{Header, HeaderEntry};
use cfidiff_model::Address;

use crate::input::header_case;

/// Reads any bytes as a header, all entries of its table, and looks each of them up.
///
/// # Panics
///
/// When the reader panics, when the table has more entries than fit the section, or when a sorted table's entry is
/// not found by its own location.
pub fn header(bytes: &[u8]) {
    let Some(case) = header_case(bytes) else { return };
    let section = &case.sections[0];
    let header = Header::new(section, case.target);
    let entries: Vec<HeaderEntry> = header.entries().map_while(Result::ok).collect();
    assert!(entries.len() <= section.data.len(), "more entries than bytes");
    let all_read = header.count == Some(entries.len() as u64);
    let sorted = entries.is_sorted_by(|a, b| a.initial_location < b.initial_location);
    for entry in &entries {
        let found = header.lookup(entry.initial_location);
        // Entries of LEB128 numbers have no fixed size and cannot be searched.
        if all_read && sorted && found.is_some() {
            assert_eq!(found, Some(*entry));
        }
    }
    for address in [0, 1, section.address.0, u64::MAX] {
        header.lookup(Address(address));
    }
}
