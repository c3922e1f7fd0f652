//! Augmentation strings without `z`, and augmentations in `.debug_frame`.

use cfidiff_model::{Address, FaultKind, SectionKind};

use super::CLAUSE;
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::{CieSpec, FdeSpec, Record, UDATA4};

const CLAUSE_NONE: &str = "LSB Core, CIE format: without z there is no augmentation data, in FDEs either, and an \
    initial location is a plain address; DWARF 5 section 6.4.1";
const CLAUSE_UNKNOWN: &str = "DWARF 5 section 6.4.1: of an unexpected augmentation only length, id, version and the string can be read";

pub(super) fn add(suite: &mut Suite) {
    known(suite);
    of_arm(suite);
    unknown(suite);
    in_debug_frame(suite);
}

fn known(suite: &mut Suite) {
    let (x86, i386, mips) = (Convention::X86_64, Convention::I386, Convention::MIPS);
    for (name, machine, augmentation, bugs, about) in [
        ("aug-none", x86, "", &["kenz-gelsoft/gecko-dev issue 2"][..], "No augmentation: plain addresses."),
        ("aug-S", x86, "S", &["gimli PR 438", "gimli PR 887"], "The signal frame's letter S without z."),
        ("aug-eh", x86, "eh", &[], "GCC 2's augmentation eh with its exception data pointer of eight bytes."),
        ("aug-eh-i386", i386, "eh", &[], "The exception data pointer of eh has the size of an address."),
        ("aug-eh-mips", mips, "eh", &[], "The exception data pointer of eh, big-endian."),
    ] {
        let cie = CieSpec { augmentation: augmentation.into(), eh_data: 0x1234, ..machine.eh_frame_cie() };
        suite.add(
            Draft::new(&format!("augmentation/{name}"), &machine, about)
                .clause(CLAUSE_NONE)
                .catches(bugs)
                .eh_frame(functions(&machine, cie)),
        );
    }
}

/// ARM's compiler wrote `armcc+` into `.debug_frame`, which has no further fields.
fn of_arm(suite: &mut Suite) {
    let machine = Convention::ARM;
    let cie = |usual: CieSpec| CieSpec { augmentation: b"armcc+".to_vec(), ..usual };
    for (name, section) in [("aug-armcc", SectionKind::EhFrame), ("aug-armcc-df", SectionKind::DebugFrame)] {
        let about = format!("The augmentation of ARM's compiler in {}.", section.name());
        let draft = Draft::new(&format!("augmentation/{name}"), &machine, &about).clause(CLAUSE_NONE);
        let draft = match section {
            SectionKind::DebugFrame => {
                let mut records = functions(&machine, cie(machine.debug_frame_cie()));
                // As that compiler ends it: a terminator is for `.eh_frame`, and not every reader bears one here.
                records.pop_if(|record| matches!(record, Record::Terminator));
                draft.debug_frame(records)
            }
            _ => draft.eh_frame(functions(&machine, cie(machine.eh_frame_cie()))),
        };
        suite.add(draft.catches(&["pyelftools PR 602"]).or_refused(
            "one compiler's string without further fields: readelf, pyelftools",
            "an unexpected augmentation cannot be read: DWARF 5, gimli",
        ));
    }
}

/// Strings of which no reader can know what they announce, before a CIE that can be read.
fn unknown(suite: &mut Suite) {
    let machine = Convention::X86_64;
    for (name, augmentation, about) in [
        ("aug-foo", "foo", "An unknown augmentation without z."),
        ("aug-R-noz", "R", "The letter R without z, so that there is no length of its data."),
        ("aug-P-noz", "P", "The letter P without z."),
        ("aug-L-noz", "L", "The letter L without z."),
        ("aug-Rz", "Rz", "The letter z, which is not the first."),
    ] {
        let broken = CieSpec { augmentation: augmentation.into(), ..machine.eh_frame_cie() };
        let records = vec![
            Record::Cie(broken),
            Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
            Record::Cie(machine.eh_frame_cie()),
            Record::Fde(machine.function(2, TEXT + 0x40, 0x30)),
            Record::Terminator,
        ];
        suite.add(
            Draft::new(&format!("augmentation/{name}"), &machine, about)
                .clause(CLAUSE_UNKNOWN)
                .eh_frame(records)
                .entry(0, |cie| cie.faults(&[FaultKind::Augmentation]).free_from("address_size"))
                .entry(1, |fde| fde.faults(&[FaultKind::CieUnreadable]).free_from("initial_location")),
        );
    }
}

fn in_debug_frame(suite: &mut Suite) {
    let machine = Convention::X86_64;
    let clause =
        "LSB Core, augmentation string format; the GNU assembler's .cfi_signal_frame in .debug_frame";
    let plain = machine.debug_frame_cie();
    let signal = CieSpec { augmentation: b"S".to_vec(), ..plain.clone() };
    let about = "S in .debug_frame, as the GNU assembler writes for .cfi_signal_frame.";
    suite.add(
        Draft::new("augmentation/aug-S-df", &machine, about)
            .clause(clause)
            .catches(&["gimli PR 438", "gimli PR 887"])
            .debug_frame(vec![Record::Cie(signal), Record::Fde(machine.function(0, TEXT + 0x10, 0x20))]),
    );
    let located = CieSpec { augmentation: b"zR".to_vec(), fde_encoding: 0x1b, ..plain.clone() };
    let about = ".debug_frame with zR and pcrel sdata4.";
    let reason = "a section that is not loaded has the address zero, from which its fields count";
    suite.add(
        Draft::new("augmentation/aug-zR-df", &machine, about)
            .clause(&format!("{CLAUSE}; {reason}"))
            .debug_frame(vec![Record::Cie(located), Record::Fde(machine.function(0, TEXT + 0x10, 0x20))]),
    );
    let full = CieSpec {
        augmentation: b"zPLR".to_vec(),
        fde_encoding: UDATA4,
        lsda_encoding: UDATA4,
        personality: (UDATA4, Some(Address(TEXT + 0x80))),
        ..plain
    };
    let fde = FdeSpec { lsda: Some(Address(TEXT + 0xc0)), ..machine.function(0, TEXT + 0x10, 0x20) };
    let about = ".debug_frame with zPLR, all pointers in udata4.";
    suite.add(
        Draft::new("augmentation/aug-zPLR-df", &machine, about)
            .clause(CLAUSE)
            .debug_frame(vec![Record::Cie(full), Record::Fde(fde)]),
    );
}

/// The CIE with two functions.
fn functions(machine: &Convention, cie: CieSpec) -> Vec<Record> {
    vec![
        Record::Cie(cie),
        Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
        Record::Fde(machine.function(0, TEXT + 0x40, 0x30)),
        Record::Terminator,
    ]
}
