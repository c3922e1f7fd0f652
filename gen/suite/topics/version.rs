//! CIE versions: which there are, and what each adds to the record.

use cfidiff_model::{EntryKind, FaultKind, SectionKind};

use super::linked::stripped;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::{Expected, Suite};
use crate::{CieSpec, FdeSpec, Record, Splice};

const VERSIONS: &str = "DWARF 2 to 5 section 6.4.1: version 1 in DWARF 2, 3 in DWARF 3, 4 since DWARF 4; LSB Core, \
                        exception frames: version 1";
const SIZES: &str = "DWARF 5 section 6.4.1: address_size and segment_selector_size, since version 4";
const RETURN: &str =
    "DWARF 2 section 6.4.1: return_address_register is a byte; DWARF 3 and later: unsigned LEB128";

const MACHINE: Convention = Convention::X86_64;

const BOTH: [(SectionKind, &str); 2] = [(SectionKind::EhFrame, "eh"), (SectionKind::DebugFrame, "df")];

pub(super) fn add(suite: &mut Suite) {
    for (kind, section) in BOTH {
        add_versions(suite, kind, section);
        add_return_registers(suite, kind, section);
    }
    add_version_4_in_eh_frame(suite);
    add_address_sizes(suite);
    add_segments(suite);
}

fn usual(kind: SectionKind, machine: &Convention) -> CieSpec {
    match kind {
        SectionKind::DebugFrame => machine.debug_frame_cie(),
        _ => machine.eh_frame_cie(),
    }
}

fn with_functions(cie: CieSpec, machine: &Convention) -> Vec<Record> {
    let fde = |start| Record::Fde(machine.function(0, TEXT + start, 0x20));
    vec![Record::Cie(cie), fde(0x10), fde(0x40)]
}

/// What is expected of a CIE that can be read up to a field, for this fault, and of its FDEs.
fn unreadable_from(entries: &mut [Expected], field: &str, fault: FaultKind) {
    for (index, expected) in entries.iter_mut().enumerate() {
        let broken = expected.clone();
        *expected = match index {
            0 => broken.faults(&[fault]).free_from(field),
            _ => broken.of_unreadable_cie(),
        };
    }
}

fn add_versions(suite: &mut Suite, kind: SectionKind, section: &str) {
    let about = format!("Version 3 in {}.", kind.name());
    let records = with_functions(CieSpec { version: 3, ..usual(kind, &MACHINE) }, &MACHINE);
    let draft = Draft::new(&format!("version/ver-{section}-3"), &MACHINE, &about).clause(VERSIONS);
    let spec = draft.spec(kind, records);
    suite.add(draft.frame(spec));
    for version in [2, 5] {
        let about = format!("Version {version} in {}, which no standard has.", kind.name());
        let records = with_functions(CieSpec { version, ..usual(kind, &MACHINE) }, &MACHINE);
        let draft =
            Draft::new(&format!("version/ver-{section}-{version}"), &MACHINE, &about).clause(VERSIONS);
        let spec = draft.spec(kind, records);
        suite.add(draft.frame(spec).answer(|entries| {
            unreadable_from(entries, "augmentation", FaultKind::CieVersion);
        }));
    }
}

/// Return address registers that look different as a byte and as LEB128.
fn add_return_registers(suite: &mut Suite, kind: SectionKind, section: &str) {
    // Register 0x9c is past what readers know of x86-64.
    let machine = Convention { return_address_register: 0x9c, ..Convention::PPC64LE };
    let catches: [(u8, &[&'static str]); 3] = [
        (1, &["gimli PR 493", "gimli issue 244"]),
        (3, &["gimli PR 493"]),
        (4, &["elfutils commit 4a87dfa1", "pyelftools PR 563"]),
    ];
    for (version, catches) in catches {
        let about = format!("The return address register 0x9c in version {version} of {}.", kind.name());
        let records = with_functions(CieSpec { version, ..usual(kind, &machine) }, &machine);
        let draft = Draft::new(&format!("version/return-register-{section}-{version}"), &machine, &about);
        let draft = draft.clause(RETURN).catches(catches);
        let spec = draft.spec(kind, records);
        suite.add(draft.frame(spec));
    }
}

fn add_version_4_in_eh_frame(suite: &mut Suite) {
    let about = "Version 4 in .eh_frame with address size and segment selector size.";
    let records = with_functions(CieSpec { version: 4, ..MACHINE.eh_frame_cie() }, &MACHINE);
    let draft = Draft::new("version/ver-eh-4-asz", &MACHINE, about).clause(SIZES);
    suite.add(draft.catches(&["LIEF issue 488"]).eh_frame(records));
    let about = "Version 4 in .eh_frame of a stripped program, where readers start at the header.";
    let cie = CieSpec { version: 4, ..MACHINE.eh_frame_cie() };
    let draft = stripped("version/ver-eh-4-stripped", about, cie).clause(SIZES);
    suite.add(draft.catches(&["LIEF issue 488"]));
    let about = "Version 4 in .eh_frame without address size and segment selector size, which are missed.";
    let splice = Some(Splice { at: 0, remove: 1, insert: vec![4] });
    let records = with_functions(CieSpec { splice, ..MACHINE.eh_frame_cie() }, &MACHINE);
    // The two bytes where the sizes should be are the factors, of which the second is no selector's size.
    let draft = Draft::new("version/ver-eh-4", &MACHINE, about).clause(SIZES);
    suite.add(draft.eh_frame(records).answer(|entries| {
        unreadable_from(entries, "address_size", FaultKind::SegmentSelectorSize);
        if let EntryKind::Cie(cie) = &mut entries[0].entry.kind {
            cie.version = 4;
        }
    }));
}

fn add_address_sizes(suite: &mut Suite) {
    for size in [1, 2, 4, 8] {
        let about = format!("A CIE of .debug_frame with an address size of {size} in a 64-bit file.");
        let cie = CieSpec { version: 4, address_size: Some(size), ..MACHINE.debug_frame_cie() };
        let start = if size == 1 { 0x10 } else { TEXT + 0x10 };
        let records = vec![Record::Cie(cie), Record::Fde(MACHINE.function(0, start, 0x20))];
        let draft = Draft::new(&format!("version/ver-df-4-a{size}-s0"), &MACHINE, &about).clause(SIZES);
        suite.add(draft.catches(&["breakpad commit f32b83eb"]).debug_frame(records));
    }
    let about = "A CIE of .debug_frame with an address size of 8 in a 32-bit file.";
    let machine = Convention::I386;
    let cie = CieSpec { version: 4, address_size: Some(8), ..machine.debug_frame_cie() };
    let draft = Draft::new("version/ver-df-4-a8-elf32", &machine, about).clause(SIZES);
    suite.add(draft.debug_frame(with_functions(cie, &machine)));
    let about = "A CIE of version 4 with addresses of 4 bytes, then one of version 1 with those of the file.";
    let small = CieSpec { version: 4, address_size: Some(4), ..MACHINE.debug_frame_cie() };
    let records = vec![
        Record::Cie(small),
        Record::Fde(MACHINE.function(0, TEXT + 0x10, 0x20)),
        Record::Cie(MACHINE.debug_frame_cie()),
        Record::Fde(MACHINE.function(2, TEXT + 0x40, 0x20)),
    ];
    let draft = Draft::new("version/two-address-sizes-df", &MACHINE, about).clause(SIZES);
    suite.add(draft.catches(&["breakpad commit f32b83eb"]).debug_frame(records));
    // Sizes that no target has. They are put in behind the version and the NUL of the augmentation.
    for size in [0, 3, 16] {
        let about = format!("A CIE of .debug_frame with an address size of {size}, which no target has.");
        let splice = Some(Splice { at: 2, remove: 1, insert: vec![size] });
        let cie = CieSpec { version: 4, splice, ..MACHINE.debug_frame_cie() };
        let draft = Draft::new(&format!("version/ver-df-4-a{size}-s0"), &MACHINE, &about).clause(SIZES);
        suite.add(draft.debug_frame(with_functions(cie, &MACHINE)).answer(|entries| {
            unreadable_from(entries, "address_size", FaultKind::AddressSize);
        }));
    }
}

fn add_segments(suite: &mut Suite) {
    for size in [1, 2, 4, 8] {
        let about =
            format!("Segment selectors of {size} bytes before the initial locations of .debug_frame.");
        let cie = CieSpec { version: 4, segment_selector_size: size, ..MACHINE.debug_frame_cie() };
        let fde = |start| Record::Fde(FdeSpec { segment: 7, ..MACHINE.function(0, start, 0x20) });
        let records = vec![Record::Cie(cie), fde(TEXT + 0x10), fde(TEXT + 0x40)];
        let name = format!("version/ver-df-4-a8-s{size}");
        suite.add(
            Draft::new(&name, &MACHINE, &about)
                .clause(
                    "DWARF 5 section 6.4.1: segment_selector_size, and initial_location with its selector",
                )
                .catches(&["gimli PR 720"])
                .debug_frame(records),
        );
    }
}
