//! The address range: the format of the initial location without its application, and no sign.

use cfidiff_model::EntryKind;

use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::{Expected, Suite};
use crate::{CieSpec, Record};

const CLAUSE: &str = "LSB Core, FDE format: the address range is the number of bytes, in the format of R's \
    encoding; whether a signed format has a sign there is left open";

/// The reading that a size has no sign.
const SIZE: &str = "size";
/// The reading that a signed format is signed everywhere.
const SIGNED: &str = "signed";

pub(super) fn add(suite: &mut Suite) {
    for (machine, name, encoding, range, signed_range) in [
        (Convention::X86_64, "range-bit15", 0x0a, 0xf000, 0xffff_ffff_ffff_f000),
        (Convention::X86_64, "range-bit31", 0x1b, 0x9000_0000, 0xffff_ffff_9000_0000),
        // In 32 bits both readings of 0x90000000 are the same number.
        (Convention::I386, "i386-range-bit15", 0x0a, 0xf000, 0xffff_f000),
    ] {
        let about = format!("The range {range:#x} in a signed format whose sign bit it sets.");
        let cie = CieSpec { fde_encoding: encoding, ..machine.eh_frame_cie() };
        let records =
            vec![Record::Cie(cie), Record::Fde(machine.function(0, TEXT + 0x10, range)), Record::Terminator];
        let draft = Draft::new(&format!("encoding/{name}"), &machine, &about)
            .clause(CLAUSE)
            .reading(SIZE, "a number of bytes has no sign: readelf, elfutils")
            .reading(SIGNED, "the format is signed wherever it stands: gimli, LLVM, libdwarf, pyelftools")
            .eh_frame(records);
        suite.add(draft.answer(|entries| {
            let signed = sign_extended(&entries[1], signed_range);
            entries[1] = entries[1].clone().reading(SIZE);
            entries.insert(2, signed);
        }));
    }
}

/// The same FDE as who extends the sign of its range reads it. Its range goes past all addresses, so how its last row
/// ends is left open.
fn sign_extended(expected: &Expected, range: u64) -> Expected {
    let mut signed = expected.clone().reading(SIGNED).free(&["rows", "faults"]);
    if let EntryKind::Fde(fde) = &mut signed.entry.kind {
        fde.address_range = range;
    }
    signed
}
