//! Look-up: from an address to the FDE that covers it and the row that holds there.

use cfidiff_model::{Entry, Says};

use crate::reader::RecordKind;
use crate::semantics::Semantics;
use crate::table::Table;

/// What an FDE covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Covered {
    start: u64,
    length: u64,
    /// The record's number.
    index: usize,
}

impl<S: Semantics + ?Sized> Table<'_, S> {
    /// Fills `entry` with the FDE that covers a place in code, with its rows, and gives the number of the row that
    /// holds there. Of FDEs that overlap, the one that starts last is found. An FDE without rows is not.
    pub fn look_up(&mut self, address: u64, is_return_address: bool, entry: &mut Entry) -> Option<usize> {
        let semantics = self.reader.semantics;
        let address = semantics.address_to_look_up(address, is_return_address);
        let index = self.covering(address)?;
        if !self.fill(index, Says::ROWS, entry) {
            return None;
        }
        let held = entry.rows.iter().enumerate().filter(|(_, row)| row.start < row.end);
        held.filter(|(_, row)| semantics.row_is_candidate(row.start.0, address)).map(|(row, _)| row).last()
    }

    /// The number of the FDE that covers an address.
    fn covering(&mut self, address: u64) -> Option<usize> {
        let semantics = self.reader.semantics;
        if self.by_address.is_none() {
            self.by_address = Some(self.covered());
        }
        let list = self.by_address.as_ref()?;
        let mut place = list.partition_point(|fde| fde.start <= address).checked_sub(1)?;
        if !semantics.range_contains(list[place].start, list[place].length, address) {
            return None;
        }
        let follows =
            |place: usize| list[place - 1].start.wrapping_add(list[place - 1].length) == list[place].start;
        while semantics.adjacent_fdes_are_one() && place > 0 && follows(place) {
            place -= 1;
        }
        Some(list[place].index)
    }

    /// What each FDE covers, by start, then in the order of the section.
    fn covered(&mut self) -> Vec<Covered> {
        let keeps_empty = self.reader.semantics.empty_fde_is_kept();
        let mut list = Vec::new();
        for index in 0..self.len() {
            let Some(RecordKind::Fde(fde)) = self.record(index).map(|record| record.kind) else { continue };
            if fde.has_rows && (fde.address_range > 0 || keeps_empty) {
                list.push(Covered { start: fde.initial_location, length: fde.address_range, index });
            }
        }
        list.sort_by_key(|fde| fde.start);
        list
    }
}
