//! Personality routines: null ones, aligned ones, and encodings without a definition.

use cfidiff_model::{Address, FaultKind};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::encodings::name;
use crate::{ALIGNED, CieSpec, FdeSpec, Record, Splice};

const CLAUSE: &str = "LSB Core, augmentation string format: P, with the DWARF exception header encoding";
const CLAUSE_NULL: &str =
    "C++ ABI level II and GCC's unwind-pe.h: a pointer that is written as zero is null, whatever its base";

const ROUTINE: Address = Address(TEXT + 0x80);

pub(super) fn add(suite: &mut Suite) {
    null(suite);
    aligned(suite);
    undefined(suite);
}

/// One null pointer for each application, and for indirect ones, which lead to no slot.
fn null(suite: &mut Suite) {
    let machine = Convention::X86_64;
    for encoding in [0x00, 0x03, 0x1b, 0x2b, 0x3b, ALIGNED, 0x80, 0x9b, 0xbb] {
        let about = format!("A null personality routine in encoding {encoding:#04x}.");
        let cie = CieSpec {
            augmentation: b"zPR".to_vec(),
            personality: (encoding, None),
            ..machine.eh_frame_cie()
        };
        let records =
            vec![Record::Cie(cie), Record::Fde(machine.function(0, TEXT + 0x10, 0x20)), Record::Terminator];
        let draft = Draft::new(&format!("personality/null-{}", name(encoding)), &machine, &about);
        suite.add(draft.clause(CLAUSE_NULL).got().eh_frame(records));
    }
    let cie = CieSpec {
        augmentation: b"zPLR".to_vec(),
        personality: (0x9b, None),
        lsda_encoding: 0x1b,
        ..machine.eh_frame_cie()
    };
    let fde = FdeSpec { lsda: Some(Address(TEXT + 0xc0)), ..machine.function(0, TEXT + 0x10, 0x20) };
    let about = "zPLR with a null personality routine in indirect pcrel sdata4, and an LSDA.";
    let records = vec![Record::Cie(cie), Record::Fde(fde), Record::Terminator];
    suite.add(
        Draft::new("augmentation/null-personality", &machine, about).clause(CLAUSE_NULL).eh_frame(records),
    );
}

/// An aligned pointer behind each number of bytes of padding: one more letter before `P` shifts it by one byte.
fn aligned(suite: &mut Suite) {
    let machine = Convention::X86_64;
    let case = |name: &str, augmentation: &str, about: &str| {
        let cie = CieSpec {
            augmentation: augmentation.into(),
            personality: (ALIGNED, Some(ROUTINE)),
            lsda_encoding: 0x1b,
            ..machine.eh_frame_cie()
        };
        let records =
            vec![Record::Cie(cie), Record::Fde(machine.function(0, TEXT + 0x10, 0x20)), Record::Terminator];
        Draft::new(name, &machine, about).clause(CLAUSE).eh_frame(records)
    };
    let about = "A personality routine in DW_EH_PE_aligned behind six bytes of padding.";
    suite.add(case("encoding/aligned_personality", "zPR", about));
    let about = "A personality routine in DW_EH_PE_aligned behind four bytes of padding.";
    suite.add(case("personality/aligned-padding-4", "zRP", about));
    let about = "A personality routine in DW_EH_PE_aligned without padding before it.";
    suite.add(case("personality/aligned-padding-0", "zSSRLP", about));
    suite.add(short_padding());
}

/// Padding that a byte is missing of. The pointer takes its eighth byte from `R`, and for `R` nothing is left.
fn short_padding() -> Draft {
    let machine = Convention::X86_64;
    // Behind the id: version, "zPR" with its NUL, the factors, the register, the length 16, the encoding of `P`,
    // six bytes of padding. The length becomes 15, and a byte of padding is taken out.
    let splice = Splice { at: 8, remove: 3, insert: vec![15, ALIGNED] };
    let cie = CieSpec {
        augmentation: b"zPR".to_vec(),
        personality: (ALIGNED, Some(ROUTINE)),
        splice: Some(splice),
        ..machine.eh_frame_cie()
    };
    let records = vec![
        Record::Cie(cie),
        Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
        Record::Cie(machine.eh_frame_cie()),
        Record::Fde(machine.function(2, TEXT + 0x40, 0x30)),
        Record::Terminator,
    ];
    let about =
        "A personality routine in DW_EH_PE_aligned whose padding is one byte short, so that R is missing.";
    Draft::new("augmentation/aug-pers-aligned", &machine, about)
        .clause(CLAUSE)
        .eh_frame(records)
        .entry(0, |cie| cie.faults(&[FaultKind::AugmentationLength]).free_from("augmentation_data"))
        .entry(1, |fde| fde.faults(&[FaultKind::CieUnreadable]).free_from("initial_location"))
}

/// A pointer of unknown size hides all letters behind it.
fn undefined(suite: &mut Suite) {
    /// The encoding of `P` in a CIE of version 1 with `zPR`, behind the id.
    const P: usize = 9;
    let machine = Convention::X86_64;
    for (name, encoding) in [("personality/0d-undefined", 0x0d), ("personality/6b-undefined", 0x6b)] {
        let about = format!("The undefined personality encoding {encoding:#04x}: what R says is not known.");
        let splice = Splice { at: P, remove: 1, insert: vec![encoding] };
        let cie = CieSpec {
            augmentation: b"zPR".to_vec(),
            personality: (0x0b, Some(ROUTINE)),
            splice: Some(splice),
            ..machine.eh_frame_cie()
        };
        let records = vec![
            Record::Cie(cie),
            Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
            Record::Cie(machine.eh_frame_cie()),
            Record::Fde(machine.function(2, TEXT + 0x40, 0x30)),
            Record::Terminator,
        ];
        suite.add(
            Draft::new(name, &machine, &about)
                .clause(CLAUSE)
                .eh_frame(records)
                .entry(0, |cie| cie.faults(&[FaultKind::PointerEncoding]).free_from("augmentation_data"))
                .entry(1, |fde| match encoding {
                    // The format tells the size, so a reader may well go on behind an undefined application.
                    0x6b => fde.free_from("initial_location").free(&["faults"]),
                    _ => fde.free_from("initial_location"),
                })
                .entry(1, |fde| fde.faults(&[FaultKind::CieUnreadable])),
        );
    }
}
