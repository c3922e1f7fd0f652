//! How long records are, how they are filled up, and which addresses FDEs cover.

use cfidiff_model::{Address, FaultKind, Format};

use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::rows::{Listing, at, cfa};
use crate::suite::{Expected, Suite};
use crate::{CieSpec, FdeSpec, Padding, Program, Record};

const LENGTH: &str =
    "LSB Core, exception frames: Length; DWARF 5 section 7.4: the length does not count itself";
const RANGE: &str = "DWARF 5 section 6.4.1: initial_location and address_range";

const MACHINE: Convention = Convention::X86_64;

pub(super) fn add(suite: &mut Suite) {
    add_padding(suite);
    add_cies(suite);
    add_lengths(suite);
    add_ranges(suite);
    add_extremes(suite);
}

/// The usual CIE, functions of it and a terminator.
fn functions(functions: &[(u64, u64)]) -> Vec<Record> {
    let mut records = vec![Record::Cie(MACHINE.eh_frame_cie())];
    let fdes = functions.iter().map(|&(start, size)| Record::Fde(MACHINE.function(0, start, size)));
    records.extend(fdes);
    records.push(Record::Terminator);
    records
}

/// The same with this many nops at the end of each record.
fn padded(cie: CieSpec, nops: u8) -> Vec<Record> {
    let padding = Padding::Nops(nops);
    let fde = |start, size| Record::Fde(FdeSpec { padding, ..MACHINE.function(0, start, size) });
    vec![Record::Cie(CieSpec { padding, ..cie }), fde(TEXT + 0x10, 0x20), fde(TEXT + 0x40, 0x30)]
}

fn add_padding(suite: &mut Suite) {
    const CLAUSE: &str = "DWARF 5 section 6.4.1: padding is enough nops for a size that fits; section 7.4: \
                          a record ends where its length says, aligned or not";
    for nops in 0..=11 {
        let about = format!("Records padded with {nops} nops, whether or not that makes a round size.");
        let mut records = padded(MACHINE.eh_frame_cie(), nops);
        records.push(Record::Terminator);
        suite.add(
            Draft::new(&format!("record/pad-{nops}"), &MACHINE, &about).clause(CLAUSE).eh_frame(records),
        );
    }
    for nops in [0, 1, 3, 6, 7] {
        let about = format!("Records of .debug_frame padded with {nops} nops.");
        let records = padded(MACHINE.debug_frame_cie(), nops);
        let name = format!("record/pad-df-{nops}");
        suite.add(Draft::new(&name, &MACHINE, &about).clause(CLAUSE).debug_frame(records));
    }
}

fn add_cies(suite: &mut Suite) {
    suite.add(
        Draft::new("record/cie-only", &MACHINE, "A CIE without any FDE.")
            .clause("LSB Core, exception frames: an FDE follows a CIE zero or more times")
            .eh_frame(functions(&[])),
    );
    let narrow = Convention { data_alignment_factor: -4, ..MACHINE };
    let mut unused = functions(&[(TEXT + 0x10, 0x20)]);
    unused.insert(2, Record::Cie(narrow.eh_frame_cie()));
    suite.add(
        Draft::new("record/unused-cie", &MACHINE, "Two CIEs of which no FDE uses the second.")
            .clause("LSB Core, exception frames: an FDE belongs to the CIE that its CIE pointer names")
            .eh_frame(unused),
    );
    let about = "An FDE without any instruction or padding: the CIE's rules hold all over it.";
    let bare = Record::Fde(FdeSpec { padding: Padding::Nops(0), ..bare(TEXT + 0x10, 0x20) });
    let records = vec![Record::Cie(MACHINE.eh_frame_cie()), bare, Record::Terminator];
    suite.add(Draft::new("record/no-instructions", &MACHINE, about).clause(LENGTH).eh_frame(records));
}

fn add_lengths(suite: &mut Suite) {
    let long = FdeSpec { false_length: Some(0x100), ..MACHINE.function(0, TEXT + 0x10, 0x20) };
    let records = vec![Record::Cie(MACHINE.eh_frame_cie()), Record::Fde(long), Record::Terminator];
    let about = "An FDE whose length reaches past the end of the section.";
    suite.add(
        Draft::new("record/len-past-end", &MACHINE, about)
            .clause(LENGTH)
            .catches(&["binutils ChangeLog 2006-06-30"])
            .eh_frame(records)
            .answer(|entries| {
                entries.truncate(1);
                let at = entries[0].end();
                let fault = FaultKind::LengthPastSection;
                entries.push(Expected::unreadable(at, Format::Dwarf32, 0x100, fault));
            }),
    );
    let short = FdeSpec { false_length: Some(6), ..MACHINE.function(0, TEXT + 0x40, 0x20) };
    let mut records = functions(&[(TEXT + 0x10, 0x20)]);
    records.insert(2, Record::Fde(short));
    suite.add(
        Draft::new("record/len-too-short", &MACHINE, "An FDE of length 6, too short for its fields.")
            .clause(LENGTH)
            .catches(&["elfutils commit ee29a31c"])
            .eh_frame(records)
            .answer(|entries| {
                entries.truncate(3);
                entries[2].entry.length = 6;
                let at = entries[2].end();
                // The upper half of the initial location and the lower one of the range make the next length.
                let fault = FaultKind::LengthPastSection;
                entries.push(Expected::unreadable(at, Format::Dwarf32, 0x0020_ffff, fault));
            })
            .entry(2, |short| short.faults(&[FaultKind::TruncatedRecord]).free_from("initial_location")),
    );
}

fn add_ranges(suite: &mut Suite) {
    let overlap =
        functions(&[(TEXT + 0x10, 0x20), (TEXT + 0x20, 0x20), (TEXT + 0x10, 0x20), (TEXT + 0x100, 0)]);
    let about = "FDEs that overlap, that are equal, and one that covers nothing but moves on all the same.";
    suite.add(
        Draft::new("record/overlap", &MACHINE, about)
            .clause(RANGE)
            .catches(&["elfutils commit e04da0e6", "elfutils commit 8bbfc552"])
            .eh_frame(overlap)
            .entry(4, |empty| empty.faults(&[FaultKind::LocationPastEnd]).free(&["rows"])),
    );
    let before = |fde: FdeSpec, next: u64| {
        let next = Record::Fde(MACHINE.function(0, next, 0x20));
        vec![Record::Cie(MACHINE.eh_frame_cie()), Record::Fde(fde), next, Record::Terminator]
    };
    let cases: [(&str, &str, &[&'static str], Vec<Record>); 6] = [
        (
            "touching",
            "An FDE that starts where the one before ends.",
            &["delve commit 464a6b96"],
            functions(&[(TEXT + 0x10, 0x20), (TEXT + 0x30, 0x20)]),
        ),
        (
            "gapped",
            "Two FDEs with a gap between their ranges.",
            &[],
            functions(&[(TEXT + 0x10, 0x20), (TEXT + 0x60, 0x20)]),
        ),
        (
            "descending",
            "FDEs in descending order of their addresses.",
            &[],
            functions(&[(TEXT + 0x80, 0x20), (TEXT + 0x40, 0x20), (TEXT, 0x20)]),
        ),
        (
            "duplicate",
            "The same FDE twice.",
            &["elfutils commit 8bbfc552"],
            functions(&[(TEXT + 0x10, 0x20), (TEXT + 0x10, 0x20)]),
        ),
        (
            "one-byte",
            "An FDE that covers a single byte, before the one of the next byte.",
            &[],
            before(bare(TEXT + 0x30, 1), TEXT + 0x31),
        ),
        (
            "zero-length",
            "An FDE that covers nothing, before the one of the same address.",
            &["mold issue 1648", "opentelemetry-ebpf-profiler PR 112", "elfutils commit e04da0e6"],
            before(bare(TEXT + 0x30, 0), TEXT + 0x30),
        ),
    ];
    for (name, about, catches, records) in cases {
        let draft = Draft::new(&format!("record/{name}"), &MACHINE, about).clause(RANGE).catches(catches);
        suite.add(draft.eh_frame(records));
    }
}

/// Addresses at both ends of the address space, as plain addresses.
fn add_extremes(suite: &mut Suite) {
    let cie = CieSpec { fde_encoding: 0, ..MACHINE.eh_frame_cie() };
    let about = "An FDE for address 0, as linkers leave them of functions that they dropped.";
    let records = |start, size| vec![Record::Cie(cie.clone()), Record::Fde(MACHINE.function(0, start, size))];
    suite.add(Draft::new("record/at-zero", &MACHINE, about).clause(RANGE).eh_frame(records(0, 0x20)));
    let about = "An FDE for the last 16 bytes of the address space, whose end is the first address, zero.";
    let top = records(0u64.wrapping_sub(0x10), 0x10);
    suite.add(
        Draft::new("record/up-to-the-top", &MACHINE, about)
            .clause(RANGE)
            .catches(&["gimli PR 509", "gimli PR 730"])
            .eh_frame(top),
    );
    let machine = Convention::I386;
    let about = "An FDE for the last 16 bytes of a 32-bit address space.";
    let cie = CieSpec { fde_encoding: 0, ..machine.eh_frame_cie() };
    let fde = machine.function(0, 0xffff_fff0, 0x10);
    // The end wraps around at 32 bits.
    let rows = Listing::new(0xffff_fff0, 0)
        .row(0, cfa(4, 4), &[(8, at(-4))])
        .row(1, cfa(4, 32), &[(5, at(-8)), (8, at(-4))])
        .done();
    let records = vec![Record::Cie(cie), Record::Fde(FdeSpec { rows, ..fde })];
    suite.add(Draft::new("record/up-to-the-top-32", &machine, about).clause(RANGE).eh_frame(records));
}

/// An FDE without instructions.
fn bare(start: u64, size: u64) -> FdeSpec {
    let entry = cfa(MACHINE.stack_pointer, MACHINE.entry_offset);
    let rows = Listing::new(start, start + size).row(0, entry, &MACHINE.entry_rules()).done();
    FdeSpec { rows, ..FdeSpec::new(0, Address(start), size, Program::new()) }
}
