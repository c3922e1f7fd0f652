//! What of the format the suite exercises: one table for each dimension, one cell for each thing that the
//! specifications allow or forbid, and the cases that have it.
//!
//! The cases are counted by what they were made to be, never by reading their bytes.

mod cells;
mod count;
mod legal;
mod names;
mod rules;

use std::collections::BTreeMap;

use crate::suite::Suite;

/// The coverage of a suite.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// How many cases the suite has.
    pub cases: usize,
    /// The dimensions.
    pub tables: Vec<Table>,
}

/// The cells of one dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The table's stable name, with which the names of its cells start.
    pub name: &'static str,
    /// What the rows and the columns are.
    pub about: &'static str,
    /// Its cells, row by row.
    pub cells: Vec<Cell>,
}

/// One thing that a case can exercise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The stable name, for instance `pointer/lsda/pcrel/sdata4/indirect`.
    pub name: String,
    /// Its place in the table.
    pub row: String,
    /// Its place in the row.
    pub column: String,
    /// Whether the format has it, so that the suite must have a case of it. What the specifications leave open is
    /// legal.
    pub legal: bool,
    /// Why, with the clause that says so.
    pub why: &'static str,
    /// The names of the cases that exercise it, in order.
    pub cases: Vec<String>,
}

impl Coverage {
    /// Counts the cases of a suite.
    pub fn of(suite: &Suite) -> Coverage {
        let mut by_cell: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for case in suite.cases() {
            for cell in count::cells_of(case) {
                by_cell.entry(cell).or_default().push(case.name.clone());
            }
        }
        let mut tables = cells::tables();
        for cell in tables.iter_mut().flat_map(|table| &mut table.cells) {
            cell.cases = by_cell.remove(&cell.name).unwrap_or_default();
        }
        Coverage { cases: suite.cases().len(), tables }
    }

    /// All cells, table by table.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.tables.iter().flat_map(|table| &table.cells)
    }

    /// How many cells are legal, and how many of those have a case.
    pub fn legal_and_covered(&self) -> (usize, usize) {
        count_legal(self.cells())
    }

    /// The names of the legal cells without a case.
    pub fn missing(&self) -> Vec<&str> {
        let missing = self.cells().filter(|cell| cell.legal && cell.cases.is_empty());
        missing.map(|cell| cell.name.as_str()).collect()
    }
}

impl Table {
    /// How many cells are legal, and how many of those have a case.
    pub fn legal_and_covered(&self) -> (usize, usize) {
        count_legal(self.cells.iter())
    }
}

fn count_legal<'a>(cells: impl Iterator<Item = &'a Cell>) -> (usize, usize) {
    let legal: Vec<&Cell> = cells.filter(|cell| cell.legal).collect();
    (legal.len(), legal.iter().filter(|cell| !cell.cases.is_empty()).count())
}
