//! FDEs that cannot be read from some field on, and ranges that no function has.

use cfidiff_model::Address;

use super::{BROKEN, LARGEST, MACHINE, TOO_LARGE, case, debug_frame, eh_frame, replace, with_cie, with_fde};
use crate::suite::convention::Convention;
use crate::suite::draft::TEXT;
use crate::suite::{Damage, Draft, Suite};
use crate::{CieSpec, FdeSpec, PCREL_SDATA4, Record, Splice};

const FIELDS: &str =
    "DWARF 5 section 6.4.1: the fields of an FDE in order; LSB Core, exception frames: the same";
const NUMBER: &str =
    "LSB Core, DWARF exception header encoding: uleb128; a number that does not fit must not be cut";
const DATA: &str = "LSB Core, exception frames: Augmentation Length and Augmentation Data of an FDE";
const ENCODING: &str = "LSB Core, DWARF exception header encoding: what an application is relative to";
const RANGE: &str = "DWARF 5 section 6.4.1: address_range bytes from initial_location on";

// Where the fields of an FDE in pcrel sdata4 are, behind its CIE pointer; the initial location is at 0.
const ADDRESS_RANGE: usize = 4;
const DATA_LENGTH: usize = 8;

pub(super) fn add(suite: &mut Suite) {
    add_truncated(suite);
    add_data_lengths(suite);
    add_lsdas(suite);
    add_leb128_locations(suite);
    add_without_base(suite);
    add_wrapping(suite);
}

/// A function in the middle of `.text` with a change to its bytes.
fn spliced(cie: usize, splice: Option<Splice>) -> Record {
    Record::Fde(FdeSpec { splice, ..MACHINE.function(cie, TEXT + 0x40, 0x20) })
}

fn cut(at: usize) -> Option<Splice> {
    Some(Splice::cut(at))
}

fn cut_inside_number(at: usize) -> Option<Splice> {
    Some(Splice { at, remove: usize::MAX, insert: vec![0x80] })
}

/// An FDE of the usual CIE that can be read up to a field.
fn add_unreadable(suite: &mut Suite, damage: Damage, clause: &str, splice: Option<Splice>, field: &str) {
    let draft = eh_frame(case(damage, &MACHINE, clause), &MACHINE, vec![spliced(0, splice)]);
    suite.add(draft.entry(BROKEN, |fde| fde.faults(&[damage.fault()]).free_from(field)));
}

/// An FDE of a CIE of its own.
fn with_own_cie(damage: Damage, clause: &str, cie: CieSpec, fde: Record) -> Draft {
    eh_frame(case(damage, &MACHINE, clause), &MACHINE, vec![Record::Cie(cie), fde])
}

fn add_truncated(suite: &mut Suite) {
    for (damage, splice, field) in [
        (Damage::FdeEmpty, cut(0), "initial_location"),
        (Damage::LocationTruncated, cut(2), "initial_location"),
        (Damage::RangeMissing, cut(ADDRESS_RANGE), "address_range"),
        (Damage::RangeTruncated, cut(ADDRESS_RANGE + 2), "address_range"),
    ] {
        add_unreadable(suite, damage, FIELDS, splice, field);
    }
    let damage = Damage::SegmentTruncated;
    let cie = CieSpec { version: 4, segment_selector_size: 4, ..MACHINE.debug_frame_cie() };
    let between = vec![Record::Cie(cie), spliced(BROKEN, cut(2))];
    let draft = debug_frame(case(damage, &MACHINE, FIELDS), &MACHINE, between);
    suite.add(draft.entry(BROKEN + 1, |fde| fde.faults(&[damage.fault()]).free_from("segment")));
}

fn add_data_lengths(suite: &mut Suite) {
    for (damage, clause, splice) in [
        (Damage::FdeDataLengthMissing, DATA, cut(DATA_LENGTH)),
        (Damage::FdeDataLengthTruncated, DATA, cut_inside_number(DATA_LENGTH)),
        (Damage::FdeDataLengthOverflow, NUMBER, replace(DATA_LENGTH, &TOO_LARGE)),
        (Damage::FdeDataLengthPastRecord, DATA, replace(DATA_LENGTH, &[0x7f])),
        // 2^32 is zero in 32 bits.
        (Damage::FdeDataLengthWide, DATA, replace(DATA_LENGTH, &[0x80, 0x80, 0x80, 0x80, 0x10])),
        (Damage::FdeDataLengthLargest, DATA, replace(DATA_LENGTH, &LARGEST)),
    ] {
        add_unreadable(suite, damage, clause, splice, "augmentation_data");
    }
}

/// LSDA pointers that cannot be read. The length still says where the instructions start.
fn add_lsdas(suite: &mut Suite) {
    let cie =
        |lsda_encoding| CieSpec { augmentation: b"zLR".to_vec(), lsda_encoding, ..MACHINE.eh_frame_cie() };
    let overlong = [&[10][..], &TOO_LARGE].concat();
    // The length and the pointer are replaced by a length and less, or more.
    for (damage, clause, encoding, remove, insert) in [
        (Damage::LsdaMissing, DATA, PCREL_SDATA4, 1 + 4, vec![0]),
        (Damage::LsdaTruncated, DATA, PCREL_SDATA4, 1 + 4, vec![2, 0, 0x30]),
        (Damage::LsdaOverflow, NUMBER, 0x01, 1 + 3, overlong),
    ] {
        let data = insert[1..].to_vec();
        let splice = Some(Splice { at: DATA_LENGTH, remove, insert });
        let function = MACHINE.function(BROKEN, TEXT + 0x40, 0x20);
        let fde = FdeSpec { lsda: Some(Address(0x5000)), splice, ..function };
        let draft = with_own_cie(damage, clause, cie(encoding), Record::Fde(fde));
        suite.add(draft.entry(BROKEN + 1, |fde| {
            let fde = with_fde(fde, |fde| fde.augmentation_data = data.as_slice().into());
            fde.faults(&[damage.fault()]).free(&["lsda"])
        }));
    }
    let damage = Damage::LsdaBase;
    // The encoding of L is the first byte of the data, behind the head of a CIE with a letter more.
    let datarel = CieSpec { splice: replace(9, &[0x3b]), ..cie(PCREL_SDATA4) };
    let fde = FdeSpec { lsda: Some(Address(0x5000)), ..MACHINE.function(BROKEN, TEXT + 0x40, 0x20) };
    let draft = with_own_cie(damage, ENCODING, datarel, Record::Fde(fde));
    let draft = draft.entry(BROKEN, |cie| {
        with_cie(cie, |cie| {
            cie.augmentation_data[0] = 0x3b;
            cie.lsda_encoding = Some(0x3b);
        })
    });
    suite.add(draft.entry(BROKEN + 1, |fde| fde.faults(&[damage.fault()]).free(&["lsda"])));
}

/// Locations in uleb128: two bytes, and one of the range behind them.
fn add_leb128_locations(suite: &mut Suite) {
    let cie = CieSpec { fde_encoding: 0x01, ..MACHINE.eh_frame_cie() };
    let too_large = |at, remove| Some(Splice { at, remove, insert: TOO_LARGE.to_vec() });
    for (damage, clause, splice, field) in [
        (Damage::LocationLebTruncated, FIELDS, cut_inside_number(0), "initial_location"),
        (Damage::LocationOverflow, NUMBER, too_large(0, 2), "initial_location"),
        (Damage::RangeLebOverflow, NUMBER, too_large(2, 1), "address_range"),
    ] {
        let draft = with_own_cie(damage, clause, cie.clone(), spliced(BROKEN, splice));
        suite.add(draft.entry(BROKEN + 1, |fde| fde.faults(&[damage.fault()]).free_from(field)));
    }
}

/// Applications whose base is not known here. The CIE can be read.
fn add_without_base(suite: &mut Suite) {
    for (damage, encoding) in [(Damage::LocationBase, 0x3b), (Damage::LocationFuncrel, 0x4b)] {
        let cie = CieSpec { splice: replace(8, &[encoding]), ..MACHINE.eh_frame_cie() };
        let draft = with_own_cie(damage, ENCODING, cie, spliced(BROKEN, None));
        let draft = draft.entry(BROKEN, |cie| {
            with_cie(cie, |cie| {
                cie.augmentation_data[0] = encoding;
                cie.fde_encoding = Some(encoding);
            })
        });
        suite.add(draft.entry(BROKEN + 1, |fde| fde.faults(&[damage.fault()]).free_from("initial_location")));
    }
}

fn add_wrapping(suite: &mut Suite) {
    for (damage, machine, start) in [
        (Damage::RangeWraps, Convention::X86_64, 0xffff_ffff_ffff_fff0),
        (Damage::RangeWraps32, Convention::I386, 0xffff_fff0),
    ] {
        let cie = CieSpec { fde_encoding: 0, ..machine.eh_frame_cie() };
        let between = vec![Record::Cie(cie), Record::Fde(machine.function(BROKEN, start, 0x20))];
        let draft = eh_frame(case(damage, &machine, RANGE), &machine, between);
        suite.add(draft.entry(BROKEN + 1, |fde| fde.faults(&[damage.fault()]).free(&["rows"])));
    }
}
