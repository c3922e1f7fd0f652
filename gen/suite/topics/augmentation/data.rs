//! Augmentation data and their length: more than the letters use, less, and unknown letters.

use cfidiff_model::FaultKind;

use super::CLAUSE;
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::{CieSpec, FdeSpec, Record, Splice};

const CLAUSE_LENGTH: &str =
    "LSB Core, CIE format: the augmentation length tells where the instructions start";
const CLAUSE_UNKNOWN: &str = "DWARF 5 section 6.4.1: behind an unexpected augmentation only some fields can be read; \
    LSB Core: z gives the length of the data";

pub(super) fn add(suite: &mut Suite) {
    more_than_used(suite);
    too_short(suite);
    past_the_record(suite);
    unknown_last(suite);
    unknown_first(suite);
}

/// Data that no letter announces are skipped, in CIE and FDE.
fn more_than_used(suite: &mut Suite) {
    let machine = Convention::X86_64;
    // From 128 bytes on the length takes two bytes of its own.
    for (name, in_cie, in_fde) in [
        ("aug-extra", 3, 3),
        ("long-augmentation-data", 19, 0),
        ("augmentation-length-of-two-bytes", 127, 128),
    ] {
        let about =
            format!("{in_cie} bytes of augmentation data in the CIE and {in_fde} in the FDE of no letter.");
        let cie = CieSpec { extra_augmentation_data: vec![0x55; in_cie], ..machine.eh_frame_cie() };
        let fde =
            FdeSpec { extra_augmentation_data: vec![0x55; in_fde], ..machine.function(0, TEXT + 0x10, 0x20) };
        let records = vec![Record::Cie(cie), Record::Fde(fde), Record::Terminator];
        let name = format!("augmentation/{name}");
        suite.add(Draft::new(&name, &machine, &about).clause(CLAUSE_LENGTH).eh_frame(records));
    }
}

/// zR with no data, so that R's byte is missing.
fn too_short(suite: &mut Suite) {
    let machine = Convention::X86_64;
    // Behind the id: version, "zR" with its NUL, the factors, the register; then the length and R's byte.
    let splice = Splice { at: 7, remove: 2, insert: vec![0] };
    let records = followed_by_sound(
        &machine,
        CieSpec { splice: Some(splice), ..machine.eh_frame_cie() },
        machine.function(0, TEXT + 0x10, 0x20),
    );
    suite.add(
        Draft::new("augmentation/aug-short", &machine, "zR with an augmentation length of 0.")
            .clause(CLAUSE_LENGTH)
            .eh_frame(records)
            .entry(0, |cie| cie.faults(&[FaultKind::AugmentationLength]).free_from("augmentation_data"))
            .entry(1, |fde| fde.faults(&[FaultKind::CieUnreadable]).free_from("initial_location")),
    );
}

/// An FDE whose data reach past its end.
fn past_the_record(suite: &mut Suite) {
    let machine = Convention::X86_64;
    // Behind the CIE pointer: location and range; then the length, which becomes 0x200.
    let splice = Splice { at: 8, remove: 1, insert: vec![0x80, 0x04] };
    let fde = FdeSpec { splice: Some(splice), ..machine.function(0, TEXT + 0x10, 0x20) };
    let about = "An augmentation length of an FDE that reaches past its record.";
    suite.add(
        Draft::new("augmentation/aug-fde-long", &machine, about)
            .clause(CLAUSE_LENGTH)
            .eh_frame(followed_by_sound(&machine, machine.eh_frame_cie(), fde))
            .entry(1, |fde| fde.faults(&[FaultKind::AugmentationLength]).free_from("augmentation_data")),
    );
}

/// An unknown letter behind all known ones. Their data come first, so everything needed can be found.
fn unknown_last(suite: &mut Suite) {
    let machine = Convention::X86_64;
    let cie = CieSpec {
        augmentation: b"zRX".to_vec(),
        extra_augmentation_data: vec![0x77],
        ..machine.eh_frame_cie()
    };
    let records =
        vec![Record::Cie(cie), Record::Fde(machine.function(0, TEXT + 0x10, 0x20)), Record::Terminator];
    let draft =
        Draft::new("augmentation/aug-zRX", &machine, "An unknown letter behind R, with a byte of data.");
    suite.add(draft.clause(CLAUSE_UNKNOWN).eh_frame(records).or_refused(
        "the length of z tells where the instructions start: libgcc, readelf",
        "an unexpected augmentation cannot be read: DWARF 5, gimli, LLVM",
    ));
}

/// An unknown letter whose data, if it has any, stand before R's.
fn unknown_first(suite: &mut Suite) {
    let machine = Convention::X86_64;
    // Behind the id: version, "zR" with its NUL, the factors, the register, the length 1, R's byte. Each X gets a
    // byte of data.
    for (name, string, data) in [
        ("aug-zXR", &b"zXR\0"[..], &[2, 0x77, 0x1b][..]),
        ("aug-zXPLR", b"zXPLR\0", &[4, 0x77, 0xff, 0xff, 0x1b]),
    ] {
        let bytes = [&[1], string, &[1, 0x78, 16], data].concat();
        let splice = Splice { at: 0, remove: 9, insert: bytes };
        let broken = CieSpec {
            augmentation: string[..string.len() - 1].to_vec(),
            splice: Some(splice),
            ..machine.eh_frame_cie()
        };
        let about = "An unknown letter before R, whose data cannot be told from R's own.";
        suite.add(
            Draft::new(&format!("augmentation/{name}"), &machine, about)
                .clause(&format!("{CLAUSE_UNKNOWN}; {CLAUSE}"))
                .eh_frame(followed_by_sound(&machine, broken, machine.function(0, TEXT + 0x10, 0x20)))
                .entry(0, |cie| cie.faults(&[FaultKind::Augmentation]).free_from("address_size"))
                .entry(1, |fde| fde.faults(&[FaultKind::CieUnreadable]).free_from("initial_location")),
        );
    }
}

/// A CIE and its FDE, and behind them a sound pair.
fn followed_by_sound(machine: &Convention, cie: CieSpec, fde: FdeSpec) -> Vec<Record> {
    vec![
        Record::Cie(cie),
        Record::Fde(fde),
        Record::Cie(machine.eh_frame_cie()),
        Record::Fde(machine.function(2, TEXT + 0x40, 0x30)),
        Record::Terminator,
    ]
}
