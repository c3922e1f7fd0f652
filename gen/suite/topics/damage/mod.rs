//! Every corruption with a name, in a section whose other records are sound and have to be read in full.

mod cie;
mod fde;
mod length;
mod pointer;
mod program;
mod rows;

use cfidiff_model::{Cie, EntryKind, Fde};

use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::{Damage, Expected, Suite};
use crate::{Record, Splice};

const MACHINE: Convention = Convention::X86_64;

/// The bytes of an unsigned LEB128 number of 65 bits, 2^64.
const TOO_LARGE: [u8; 10] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2];
/// Those of a signed one, -2^64.
const TOO_LOW: [u8; 10] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7e];
/// The largest unsigned number of 64 bits.
const LARGEST: [u8; 10] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
/// 1 + 2^32, which is 1 in 32 bits.
const WIDE_ONE: [u8; 5] = [0x81, 0x80, 0x80, 0x80, 0x10];

/// The index of the first record between the sound ones.
const BROKEN: usize = 2;

pub(super) fn add(suite: &mut Suite) {
    length::add(suite);
    pointer::add(suite);
    cie::add(suite);
    fde::add(suite);
    program::add(suite);
    rows::add(suite);
}

/// The case of a corruption, without a section so far.
fn case(damage: Damage, machine: &Convention, clause: &str) -> Draft {
    let name = format!("damage/{}", damage.name());
    Draft::new(&name, machine, damage.about()).damage(damage).clause(clause).catches(bugs(damage))
}

/// Public bugs of readers that took the corruption for something else, or fell over it.
fn bugs(damage: Damage) -> &'static [&'static str] {
    match damage {
        Damage::LengthPastSection => &["binutils ChangeLog 2006-06-30"],
        Damage::LengthOneTooLong => &["elfutils commit ee29a31c"],
        Damage::IdTruncated | Damage::CieEmpty | Damage::FdeEmpty => &["opentelemetry-ebpf-profiler PR 112"],
        Damage::CiePointerPastSection => &["binutils PR 27836", "binutils PR 27860"],
        Damage::AugmentationUnterminated => &["opentelemetry-ebpf-profiler PR 1568"],
        Damage::CieDataLengthPastRecord => &["binutils PR 24898"],
        Damage::BlockPastRecord | Damage::ValBlockPastRecord => &["KSCrash PR 871"],
        Damage::RangeWraps => &["gimli PR 730"],
        Damage::RememberDepth => &["gimli PR 687"],
        _ => &[],
    }
}

/// A `.eh_frame` in which records stand behind a CIE with a function and before another function of it.
fn eh_frame(draft: Draft, machine: &Convention, between: Vec<Record>) -> Draft {
    let mut records = vec![Record::Cie(machine.eh_frame_cie()), function(machine, 0, 0x10)];
    records.extend(between);
    records.push(function(machine, 0, 0x80));
    draft.eh_frame(records)
}

/// The same for `.debug_frame`.
fn debug_frame(draft: Draft, machine: &Convention, between: Vec<Record>) -> Draft {
    let mut records = vec![Record::Cie(machine.debug_frame_cie()), function(machine, 0, 0x10)];
    records.extend(between);
    records.push(function(machine, 0, 0x80));
    draft.debug_frame(records)
}

/// A function of the CIE at this index, so many bytes into `.text`.
fn function(machine: &Convention, cie: usize, start: u64) -> Record {
    Record::Fde(machine.function(cie, TEXT + start, 0x20))
}

/// Other bytes in place of one.
fn replace(at: usize, insert: &[u8]) -> Option<Splice> {
    Some(Splice { at, remove: 1, insert: insert.to_vec() })
}

/// Changes what is expected of a CIE's fields.
fn with_cie(mut expected: Expected, change: impl FnOnce(&mut Cie)) -> Expected {
    if let EntryKind::Cie(cie) = &mut expected.entry.kind {
        change(cie);
    }
    expected
}

/// Changes what is expected of an FDE's fields.
fn with_fde(mut expected: Expected, change: impl FnOnce(&mut Fde)) -> Expected {
    if let EntryKind::Fde(fde) = &mut expected.entry.kind {
        change(fde);
    }
    expected
}
