//! What must hold of the ranges that FDEs cover: inside code, none twice.

use cfidiff_model::Invariant;

use super::Subject;
use super::findings::Findings;
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

/// `fde.overlap`. In a linked file by address alone: where sections overlap, so do the FDEs of both.
pub(super) fn overlaps(subject: &Subject<'_>, table: &FrameTable<'_>, findings: &mut Findings) {
    let code = |fde: &FdePlace| fde.code.filter(|_| subject.case.target.relocatable);
    let mut live: Vec<&FdePlace> = table.fdes.iter().filter(|fde| fde.is_live()).collect();
    live.sort_by_key(|fde| (code(fde), fde.start, fde.size, fde.offset));
    // The one of those before that reaches furthest.
    let mut furthest: Option<&FdePlace> = None;
    for fde in live {
        match furthest.filter(|before| code(before) == code(fde)) {
            Some(before) if before.end() > fde.start => {
                let (start, end) = (fde.start, fde.end());
                findings.add(Invariant::FdeOverlap, &table.section.name, fde.offset.into(), start, || {
                    format!(
                        "the FDE of {start:#x}..{end:#x} overlaps the one of {:#x}..{:#x} at {:#x}",
                        before.start,
                        before.end(),
                        before.offset
                    )
                });
                if fde.end() > before.end() {
                    furthest = Some(fde);
                }
            }
            _ => furthest = Some(fde),
        }
    }
}
