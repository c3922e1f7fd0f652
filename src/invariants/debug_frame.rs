//! `.debug_frame` against `.eh_frame`: equal rows where both cover an address.

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{Entry, Invariant, RowRef, Rows, Says, SectionKind, SectionOffset};

use super::Subject;
use super::findings::Findings;
use super::table::{FdePlace, FrameTable};
use crate::report::describe;

/// `debug-frame.differs`, once for each pair of FDEs.
pub(super) fn agrees(subject: &Subject<'_>, findings: &mut Findings) {
    for eh_frame in subject.tables(SectionKind::EhFrame) {
        for debug_frame in subject.tables(SectionKind::DebugFrame) {
            pairs(subject, eh_frame, debug_frame, findings);
        }
    }
}

/// Goes through both tables by address. FDEs that overlap one before them in their own table are left out: they are
/// told of there, and without them the pairs are no more than the FDEs.
fn pairs(subject: &Subject<'_>, eh: &FrameTable<'_>, debug: &FrameTable<'_>, findings: &mut Findings) {
    let (ehs, debugs) = (disjoint(eh), disjoint(debug));
    let (mut of_eh, mut of_debug) = (RowsOf::new(subject, eh), RowsOf::new(subject, debug));
    let (mut at, mut other) = (0, 0);
    while let (Some(one), Some(two)) = (ehs.get(at), debugs.get(other)) {
        let key = |fde: &FdePlace| (fde.code, fde.end());
        if one.code == two.code && one.start < two.end() && two.start < one.end() {
            let (one_rows, two_rows) = (of_eh.get(one), of_debug.get(two));
            if let Some(location) = first_difference(one_rows, two_rows) {
                findings.add(
                    Invariant::DebugFrameAgrees,
                    &debug.section.name,
                    two.offset.into(),
                    location,
                    || {
                        let words = |rows: &Rows| {
                            let row = rows.iter().find(|row| row.start.0 <= location && location < row.end.0);
                            row.map_or("nothing".to_owned(), |row| describe::row(&subject.case.target, &row))
                        };
                        format!(
                            "at {location:#x} .eh_frame has {}, .debug_frame {}",
                            words(one_rows),
                            words(two_rows)
                        )
                    },
                );
            }
        }
        if key(one) <= key(two) { at += 1 } else { other += 1 }
    }
}

/// The live FDEs by address, without those that overlap.
fn disjoint<'t>(table: &'t FrameTable<'_>) -> Vec<&'t FdePlace> {
    let mut fdes: Vec<&FdePlace> =
        table.fdes.iter().filter(|fde| fde.is_live() && fde.code.is_some()).collect();
    fdes.sort_by_key(|fde| (fde.code, fde.start, fde.offset));
    let mut end = (None, 0);
    fdes.retain(|fde| {
        let is_free = fde.code != end.0 || fde.start >= end.1;
        if is_free {
            end = (fde.code, fde.end());
        }
        is_free
    });
    fdes
}

/// The rows of one FDE of a table, read when asked for and kept until another is.
struct RowsOf<'a> {
    table: Table<'a>,
    entry: Entry,
    offset: Option<u32>,
}

impl<'a> RowsOf<'a> {
    fn new(subject: &Subject<'_>, table: &FrameTable<'a>) -> RowsOf<'a> {
        let reader = Reader::new(table.section, subject.case.target);
        RowsOf { table: Table::new(reader), entry: Entry::default(), offset: None }
    }

    fn get(&mut self, fde: &FdePlace) -> &Rows {
        if self.offset != Some(fde.offset) {
            self.entry.rows.clear();
            if let Some(index) = self.table.index_of(SectionOffset(fde.offset.into())) {
                self.table.fill(index, Says::ROWS, &mut self.entry);
            }
            self.offset = Some(fde.offset);
        }
        &self.entry.rows
    }
}

/// The first location for which both have a row, and not the same.
fn first_difference(one: &Rows, two: &Rows) -> Option<u64> {
    let same = |a: &RowRef<'_>, b: &RowRef<'_>| a.cfa == b.cfa && a.rules == b.rules;
    let (mut at, mut other) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(at), two.get(other)) {
        let start = a.start.max(b.start);
        if start < a.end.min(b.end) && !same(&a, &b) {
            return Some(start.0);
        }
        if a.end <= b.end { at += 1 } else { other += 1 }
    }
    None
}
