//! `.debug_frame` against `.eh_frame`: equal rows where both cover an address.

use cfidiff_model::{Invariant, Rows, SectionKind};

use super::Subject;
use super::findings::Findings;
use super::row_reader::{RowsOf, first_difference};
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
