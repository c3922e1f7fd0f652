//! What must hold of a record: its size, its CIE, what stands before and behind it.

use cfidiff_cfi::{Cie, Fde, Record, RecordKind, Semantics, Standard, Table};
use cfidiff_model::{Invariant, SectionKind};

use super::table::Walk;

/// How many zero bytes at the end of a record are more than its alignment takes. An address has at most eight bytes,
/// and a few zeros may be operands.
const MUCH_PADDING: usize = 16;

/// What must hold of a CIE beside what the reader complains about.
pub(super) fn cie(walk: &mut Walk<'_, '_>, record: &Record<'_>, cie: &Cie<'_>) {
    is_aligned(walk, record, cie.address_size);
    if cie.usable {
        is_not_padded(walk, record, cie.instructions);
        has_usual_version(walk, cie);
        has_factors(walk, cie);
    }
}

/// What must hold of an FDE beside what the reader complains about.
pub(super) fn fde(walk: &mut Walk<'_, '_>, record: &Record<'_>, fde: &Fde<'_>, cie: &Cie<'_>) {
    is_aligned(walk, record, cie.address_size);
    is_not_padded(walk, record, fde.instructions);
    is_not_by_other_rule(walk, record, fde);
    if cie.usable && fde.has_rows {
        covers_something(walk, record, fde);
    }
}

/// `record.unaligned`.
fn is_aligned(walk: &mut Walk<'_, '_>, record: &Record<'_>, address_size: u8) {
    let unit = match walk.section.kind {
        SectionKind::DebugFrame => usize::from(address_size.max(1)),
        _ => 4,
    };
    let size = record.end - record.offset;
    if !size.is_multiple_of(unit) {
        walk.add(Invariant::RecordAligned, record.offset as u64, || {
            format!("the record has {size} bytes, which is no multiple of {unit}")
        });
    }
}

/// `record.padding`.
fn is_not_padded(walk: &mut Walk<'_, '_>, record: &Record<'_>, instructions: usize) {
    let program = walk.section.data.get(instructions..record.end).unwrap_or_default();
    let zeros = program.iter().rev().take_while(|&&byte| byte == 0).count();
    if zeros >= MUCH_PADDING {
        walk.add(Invariant::RecordPadding, record.offset as u64, || {
            format!("the record's instructions end with {zeros} nops")
        });
    }
}

/// `cie.version-of-debug-frame`.
fn has_usual_version(walk: &mut Walk<'_, '_>, cie: &Cie<'_>) {
    let version = cie.version;
    if walk.section.kind == SectionKind::EhFrame && version >= 4 {
        walk.add(Invariant::CieUsual, cie.offset as u64, || format!("the CIE's version is {version}"));
    }
}

/// `cie.factor-zero`.
fn has_factors(walk: &mut Walk<'_, '_>, cie: &Cie<'_>) {
    let (code, data) = (cie.code_alignment_factor, cie.data_alignment_factor);
    if code == 0 || data == 0 {
        walk.add(Invariant::CieFactors, cie.offset as u64, || {
            format!("the code alignment factor is {code}, the data alignment factor {data}")
        });
    }
}

/// `fde.empty`.
fn covers_something(walk: &mut Walk<'_, '_>, record: &Record<'_>, fde: &Fde<'_>) {
    if fde.address_range == 0 {
        let start = fde.initial_location;
        walk.add_at(Invariant::FdeEmpty, record.offset as u64, start, || {
            format!("the FDE at {start:#x} has an address range of 0")
        });
    }
}

/// `fde.cie-by-both-rules`.
fn is_not_by_other_rule(walk: &mut Walk<'_, '_>, record: &Record<'_>, fde: &Fde<'_>) {
    let other = match walk.section.kind {
        SectionKind::EhFrame => SectionKind::DebugFrame,
        _ => SectionKind::EhFrame,
    };
    let (offset, field) = (record.offset as u64, record.offset as u64 + record.format.length_size());
    let target = Standard.cie_offset(other, field, offset, fde.cie_pointer);
    if walk.cies.binary_search(&target).is_ok() {
        let pointer = fde.cie_pointer;
        walk.add(Invariant::FdeOtherRule, offset, || {
            format!(
                "by the rule of {} the CIE pointer {pointer:#x} leads to the CIE at {target:#x}",
                other.name()
            )
        });
    }
}

/// `fde.unrelocated`.
pub(super) fn unrelocated(walk: &mut Walk<'_, '_>, offset: u64, field: u64) {
    walk.add(Invariant::FdeRelocated, offset, || {
        format!("no relocation is for the initial location at {field:#x}")
    });
}

/// `section.terminator-inside`, at an FDE. Asked once for each terminator.
pub(super) fn nothing_before(walk: &mut Walk<'_, '_>, fde: u64, terminator: &mut Option<u64>) {
    if let Some(offset) = terminator.take() {
        walk.add(Invariant::SectionTerminator, offset, || {
            format!("the terminator is before the FDE at {fde:#x}")
        });
    }
}

/// `section.no-terminator`.
pub(super) fn ends_with_terminator(walk: &mut Walk<'_, '_>, table: &mut Table<'_>, has_fdes: bool) {
    let asked = walk.section.kind == SectionKind::EhFrame && !walk.target.relocatable && has_fdes;
    let last = table.len().checked_sub(1).filter(|_| asked);
    let Some(record) = last.and_then(|last| table.record(last)) else { return };
    if !matches!(record.kind, RecordKind::Terminator) {
        walk.add(Invariant::SectionTerminated, record.offset as u64, || {
            "the last record is no terminator".to_owned()
        });
    }
}
