//! What must hold of the ranges that FDEs cover: inside code, none twice.

use cfidiff_model::Invariant;

use super::Subject;
use super::findings::Findings;
use super::row_reader::{RowsOf, first_difference};
use super::table::{FdePlace, FrameTable};

/// `fde.outside-code`, and `fde.discarded` for what linkers leave of discarded code.
pub(super) fn in_code(subject: &Subject<'_>, table: &FrameTable<'_>, findings: &mut Findings) {
    if !subject.code.is_known() {
        return;
    }
    for fde in table.fdes.iter().filter(|fde| !fde.is_elsewhere) {
        let FdePlace { offset, start, size, .. } = *fde;
        if fde.is_discarded {
            findings.add(Invariant::FdeDiscarded, &table.section.name, offset.into(), start, || {
                format!("the FDE of {size:#x} bytes starts at {start:#x}, where no code is")
            });
            continue;
        }
        // What a relocation does not tell is told by `fde.unrelocated`.
        if size == 0 || subject.case.target.relocatable && fde.code.is_none() {
            continue;
        }
        let range = fde.code.and_then(|index| subject.code.of_section(index));
        if range.is_some_and(|range| range.holds(start, size)) {
            continue;
        }
        findings.add(Invariant::FdeInCode, &table.section.name, offset.into(), start, || {
            let end = fde.end();
            let words = match range.and_then(|range| subject.layout.sections.get(range.index as usize)) {
                Some(section) => format!("goes past the end of {}", section.name),
                None => "is in no executable section or segment".to_owned(),
            };
            format!("the FDE of {start:#x}..{end:#x} {words}")
        });
    }
}

/// `fde.overlap`, and `fde.repeated` for two of the same range that say the same. In a linked file by address alone:
/// where sections overlap, so do the FDEs of both.
pub(super) fn overlaps(subject: &Subject<'_>, table: &FrameTable<'_>, findings: &mut Findings) {
    let code = |fde: &FdePlace| fde.code.filter(|_| subject.case.target.relocatable);
    let mut live: Vec<&FdePlace> = table.fdes.iter().filter(|fde| fde.is_live()).collect();
    live.sort_by_key(|fde| (code(fde), fde.start, fde.size, fde.offset));
    // Made for the first that overlap.
    let mut rows: Option<[RowsOf<'_>; 2]> = None;
    // The one of those before that reaches furthest.
    let mut furthest: Option<&FdePlace> = None;
    for fde in live {
        let Some(before) = furthest.filter(|before| code(before) == code(fde) && before.end() > fde.start)
        else {
            furthest = Some(fde);
            continue;
        };
        let is_same_range = (before.start, before.size) == (fde.start, fde.size);
        let is_repeated = is_same_range && {
            let new = || [RowsOf::new(subject, table), RowsOf::new(subject, table)];
            let [one, two] = rows.get_or_insert_with(new);
            first_difference(one.get(before), two.get(fde)).is_none()
        };
        let (key, words) = match is_repeated {
            true => (Invariant::FdeRepeated, "says the same as"),
            false => (Invariant::FdeOverlap, "overlaps"),
        };
        findings.add(key, &table.section.name, fde.offset.into(), fde.start, || {
            let (start, end, other_start, other_end) = (fde.start, fde.end(), before.start, before.end());
            format!(
                "the FDE of {start:#x}..{end:#x} {words} the one of {other_start:#x}..{other_end:#x} at {:#x}",
                before.offset
            )
        });
        if fde.end() > before.end() {
            furthest = Some(fde);
        }
    }
}
