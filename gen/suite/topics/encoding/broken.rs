//! Encodings that are not defined, or not for an initial location.

use cfidiff_model::{EntryKind, FaultKind};

use super::CLAUSE;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::{Expected, Suite};
use crate::{CieSpec, Record, Splice};

/// The byte of `R` in a CIE of version 1 with `zR`, behind the id.
const R: usize = 8;

pub(super) fn add(suite: &mut Suite) {
    let undefined: &[FaultKind] = &[FaultKind::PointerEncoding];
    for (name, encoding, cie, fde, about) in [
        ("enc-0d-invalid", 0x0d, undefined, FaultKind::PointerEncoding, "R with the undefined format 0x0d."),
        (
            "enc-6b-invalid",
            0x6b,
            undefined,
            FaultKind::PointerEncoding,
            "R with the undefined application 0x60.",
        ),
        (
            "enc-ff-omit",
            0xff,
            undefined,
            FaultKind::PointerEncoding,
            "R says that FDEs have no initial location.",
        ),
        ("enc-4b-funcrel", 0x4b, &[], FaultKind::PointerBase, "The initial location counts from itself."),
    ] {
        suite.add(broken(&format!("encoding/{name}"), encoding, about, cie, fde));
    }
}

/// An FDE whose location cannot be read between two CIEs, the second with a sound FDE.
fn broken(name: &str, encoding: u8, about: &str, cie_faults: &[FaultKind], fde_fault: FaultKind) -> Draft {
    let machine = Convention::X86_64;
    // Everything is written as with sdata4, and then the encoding is changed.
    let splice = Splice { at: R, remove: 1, insert: vec![encoding] };
    let records = vec![
        Record::Cie(CieSpec { fde_encoding: 0x0b, splice: Some(splice), ..machine.eh_frame_cie() }),
        Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
        Record::Cie(machine.eh_frame_cie()),
        Record::Fde(machine.function(2, TEXT + 0x40, 0x30)),
        Record::Terminator,
    ];
    let changed = |mut expected: Expected| {
        if let EntryKind::Cie(cie) = &mut expected.entry.kind {
            cie.fde_encoding = Some(encoding);
            cie.augmentation_data = [encoding].as_slice().into();
        }
        expected.faults(cie_faults)
    };
    Draft::new(name, &machine, about)
        .clause(CLAUSE)
        .eh_frame(records)
        .entry(0, changed)
        .entry(1, |fde| fde.faults(&[fde_fault]).free_from("initial_location"))
}
