//! The rows of single FDEs, read once more where two are held against each other.

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{Entry, RowRef, Rows, Says, SectionOffset};

use super::Subject;
use super::table::{FdePlace, FrameTable};

/// The rows of one FDE of a table, read when asked for and kept until another is.
pub(super) struct RowsOf<'a> {
    table: Table<'a>,
    entry: Entry,
    offset: Option<u32>,
}

impl<'a> RowsOf<'a> {
    pub(super) fn new(subject: &Subject<'_>, table: &FrameTable<'a>) -> RowsOf<'a> {
        let reader = Reader::new(table.section, subject.case.target);
        RowsOf { table: Table::new(reader), entry: Entry::default(), offset: None }
    }

    pub(super) fn get(&mut self, fde: &FdePlace) -> &Rows {
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
pub(super) fn first_difference(one: &Rows, two: &Rows) -> Option<u64> {
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
