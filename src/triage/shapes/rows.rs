//! Shapes of whole rows: they come late or early, or some are missing.

use cfidiff_model::{Key, RowRef, Rows};

use crate::triage::answers::Said;
use crate::triage::shapes::{Open, Shape};

/// How a record's rows differ as a whole: the stable name, in words, what such a reader tends to do, and how to tell.
type RowShape = (&'static str, &'static str, &'static str, fn(&Rows, &Rows) -> bool);

const ALL: [RowShape; 3] = [
    (
        "one-row-late",
        "each row has the rules of the row before",
        "an instruction is applied behind the advance that it stands in front of, or a row is cut at the wrong advance",
        |ours, theirs| is_shifted(ours, theirs),
    ),
    (
        "one-row-early",
        "each row has the rules of the row behind",
        "a row is finished behind the instructions that follow its advance",
        |ours, theirs| is_shifted(theirs, ours),
    ),
    (
        "missing-rows",
        "rows are missing, and the others are right",
        "instructions end too early, or a row is not started at some advance",
        are_missing,
    ),
];

/// Counts the records whose rows have each shape.
#[derive(Default)]
pub(super) struct Tally {
    counts: [usize; ALL.len()],
    /// How many records have other rows.
    of: usize,
}

impl Tally {
    /// Counts a record, and tells whether its rows have one of the shapes.
    pub fn add(&mut self, open: &Open<'_>) -> bool {
        let (Said::Entry(theirs), Said::Entry(ours)) = (open.theirs, open.ours) else { return false };
        if theirs.rows == ours.rows || theirs.rows.is_empty() {
            return false;
        }
        self.of += 1;
        let Some(found) = ALL.iter().position(|shape| shape.3(&ours.rows, &theirs.rows)) else {
            return false;
        };
        self.counts[found] += 1;
        true
    }

    /// The shapes that some records have.
    pub fn shapes(self) -> Vec<Shape> {
        let all = ALL.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        let key = Key::RowLocation.name();
        all.map(|((shape, words, suspect, _), count)| Shape {
            shape,
            key,
            words: (*words).to_owned(),
            suspect,
            count,
            of: self.of,
        })
        .collect()
    }
}

fn has_same_rules(one: RowRef<'_>, other: RowRef<'_>) -> bool {
    one.cfa == other.cfa && one.rules == other.rules
}

/// Whether both have the same locations, and each row of `late` behind the first has the rules that the row before has
/// in `right`. Two rows are too few to tell.
fn is_shifted(right: &Rows, late: &Rows) -> bool {
    let same_places = right.len() == late.len()
        && right.iter().zip(late.iter()).all(|(one, other)| one.start == other.start);
    let follow = right.iter().zip(late.iter().skip(1)).all(|(before, row)| has_same_rules(before, row));
    right.len() > 2 && same_places && follow
}

/// Whether each of their rows is one of ours, and they have fewer.
fn are_missing(ours: &Rows, theirs: &Rows) -> bool {
    let mut ours_left = ours.iter();
    theirs.len() < ours.len()
        && theirs
            .iter()
            .all(|row| ours_left.any(|other| other.start == row.start && has_same_rules(other, row)))
}
