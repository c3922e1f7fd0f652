//! The in-house reader on any bytes.

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{Entry, EntryKind, Says, SectionOffset};

use crate::input::frame_case;

/// Reads any bytes as a section. The first byte tells how, see the crate's `input`.
///
/// # Panics
///
/// When the reader panics, when records do not tile the section, when a fault is outside its section, or when the
/// rows of a faultless FDE do not cover its range.
pub fn section(bytes: &[u8]) {
    let Some(case) = frame_case(bytes) else { return };
    let section = &case.sections[0];
    let reader = Reader::new(section, case.target);
    let mut end = 0;
    let mut count = 0;
    for record in reader.walk() {
        assert_eq!(record.offset, end, "a gap or an overlap");
        assert!(record.end > record.offset, "an empty record");
        end = record.end;
        count += 1;
    }
    assert_eq!(end, section.data.len(), "the walk ended early");

    let mut table = Table::new(reader);
    assert_eq!(table.len(), count);
    let (mut entry, mut again) = (Entry::default(), Entry::default());
    for index in 0..table.len() {
        assert!(table.fill(index, Says::all(), &mut entry));
        assert_eq!(table.index_of(entry.offset), Some(index));
        check(&entry, section.data.len());
        table.fill(index, Says::all(), &mut again);
        assert_eq!(entry, again, "two answers for one record");
    }
    assert!(!table.fill(count, Says::all(), &mut entry));
}

fn check(entry: &Entry, size: usize) {
    for fault in &entry.faults {
        assert!(fault.offset <= SectionOffset(size as u64), "{fault} in {size} bytes");
    }
    let EntryKind::Fde(fde) = &entry.kind else { return };
    if !entry.faults.is_empty() {
        return;
    }
    let mut at = fde.initial_location;
    for row in entry.rows.iter() {
        assert_eq!(row.start, at, "a gap between rows at {}", entry.offset);
        assert!(row.rules.is_sorted_by_key(|(register, _)| register), "rules out of order");
        at = row.end;
    }
}
