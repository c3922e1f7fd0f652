//! Zero lengths at the end, in the middle and alone, and bytes behind the last record.

use cfidiff_model::{Entry, EntryKind, FaultKind, Format, SectionKind, SectionOffset};

use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::rows::{at, cfa, initial_row};
use crate::suite::{Expected, Role, Suite};
use crate::{CieSpec, FdeSpec, Padding, Record};

const END: &str = "LSB Core, exception frames: a Length of zero is a terminator";
const ROLES: &str = "LSB Core, exception frames: a terminator ends the table for the unwinder; a section that a \
                     linker joined from several can have records behind one";
const PADDING: &str = "DWARF 5 section 6.4: .debug_frame has no terminator; assemblers and linkers leave zero words \
                       between contributions";

const MACHINE: Convention = Convention::X86_64;

pub(super) fn add(suite: &mut Suite) {
    add_ends(suite);
    add_garbage(suite);
    add_middles(suite);
    add_debug_frame(suite);
    add_big_endian(suite);
    add_extended(suite);
}

fn cie() -> Record {
    Record::Cie(MACHINE.eh_frame_cie())
}

/// A function of the CIE at this index.
fn function(cie: usize, start: u64) -> Record {
    Record::Fde(MACHINE.function(cie, start, 0x20))
}

/// Leaves what stands behind the first terminator to programs that list sections.
fn for_dumpers(entries: &mut [Expected]) {
    let is_terminator = |each: &Expected| each.entry.kind == EntryKind::Terminator;
    let first = entries.iter().position(is_terminator).unwrap_or(entries.len());
    for behind in entries.iter_mut().skip(first + 1) {
        behind.role = Some(Role::Dumper);
    }
}

fn add_ends(suite: &mut Suite) {
    let empty = Draft::new("terminator/empty", &MACHINE, "An empty .eh_frame.");
    suite.add(empty.clause(END).eh_frame(Vec::new()));
    let only = Draft::new("terminator/only-zero", &MACHINE, "An .eh_frame with nothing but a terminator.");
    suite.add(only.clause(END).catches(&["elfutils commit 6dd08dc7"]).eh_frame(vec![Record::Terminator]));
    let sound = vec![cie(), function(0, TEXT + 0x10), function(0, TEXT + 0x40)];
    suite.add(
        Draft::new("terminator/no-terminator", &MACHINE, "An .eh_frame that ends with its last record.")
            .clause(END)
            .catches(&["llvm issue 76957"])
            .eh_frame(sound.clone()),
    );
    let trails: [(&str, &str, &[u8]); 4] = [
        ("trail-1", "A zero byte behind the last record.", &[0]),
        ("trail-2", "Two zero bytes behind the last record.", &[0, 0]),
        ("trail-3", "Three zero bytes behind the last record.", &[0, 0, 0]),
        ("trail-3nz", "Three bytes that are not zero behind the last record.", &[1, 2, 3]),
    ];
    for (name, about, bytes) in trails {
        let mut records = sound.clone();
        records.push(Record::Bytes(bytes.to_vec()));
        let draft = Draft::new(&format!("terminator/{name}"), &MACHINE, about);
        suite.add(
            draft.clause("LSB Core, exception frames: Length has four bytes").eh_frame(records).answer(
                |entries| {
                    let at = entries.last().map_or(0, Expected::end);
                    let fault = FaultKind::TruncatedLength;
                    entries.push(Expected::unreadable(at, Format::Dwarf32, 0, fault));
                },
            ),
        );
    }
}

/// Behind a terminator only a program that lists sections meets the garbage.
fn add_garbage(suite: &mut Suite) {
    let about = "Bytes behind the terminator that are no record.";
    let garbage = Record::Bytes(vec![0xde, 0xad, 0xbe, 0x6f, 0x11]);
    let records = vec![cie(), function(0, TEXT + 0x10), Record::Terminator, garbage];
    let draft = Draft::new("terminator/garbage-behind", &MACHINE, about).clause(ROLES);
    suite.add(draft.catches(&["mold commit a4d81fb7"]).eh_frame(records).answer(|entries| {
        let at = entries.last().map_or(0, Expected::end);
        let fault = FaultKind::LengthPastSection;
        let garbage = Expected::unreadable(at, Format::Dwarf32, 0x6fbe_adde, fault);
        entries.push(garbage.only(Role::Dumper));
    }));
}

fn add_middles(suite: &mut Suite) {
    let other = CieSpec {
        data_alignment_factor: -4,
        rows: initial_row(cfa(7, 8), &[(16, at(-4))]),
        ..MACHINE.eh_frame_cie()
    };
    let narrow = Convention { data_alignment_factor: -4, ..MACHINE };
    let zero = || Record::Terminator;
    let cases: [(&str, &str, &[&'static str], Vec<Record>); 5] = [
        (
            "zero-middle",
            "A terminator in the middle, with records behind it, one of a CIE before it.",
            &["binutils ChangeLog 2006-05-15"],
            vec![
                cie(),
                function(0, TEXT + 0x10),
                zero(),
                function(0, TEXT + 0x40),
                Record::Cie(other),
                Record::Fde(narrow.function(4, TEXT + 0x80, 0x20)),
                zero(),
            ],
        ),
        (
            "two-contributions",
            "Two tables behind each other, each with its CIE, FDE and terminator.",
            &["binutils ChangeLog 2006-05-15"],
            vec![cie(), function(0, TEXT + 0x10), zero(), cie(), function(3, TEXT + 0x40), zero()],
        ),
        (
            "several",
            "Four zero words at the end.",
            &["elfutils commit 6dd08dc7"],
            vec![cie(), function(0, TEXT + 0x10), zero(), zero(), zero(), zero()],
        ),
        (
            "zero-first",
            "A zero word before the first CIE.",
            &["binutils ChangeLog 2006-05-15"],
            vec![zero(), cie(), function(1, TEXT + 0x10)],
        ),
        (
            "zero-before-its-fde",
            "A zero word between a CIE and its FDE.",
            &["delve commit a5b230b8"],
            vec![cie(), zero(), function(0, TEXT + 0x10), zero()],
        ),
    ];
    for (name, about, catches, records) in cases {
        let draft = Draft::new(&format!("terminator/{name}"), &MACHINE, about).clause(ROLES).catches(catches);
        suite.add(draft.eh_frame(records).answer(|entries| for_dumpers(entries)));
    }
}

fn add_debug_frame(suite: &mut Suite) {
    let cie = || Record::Cie(MACHINE.debug_frame_cie());
    let zero = || Record::Terminator;
    let cases: [(&str, &str, &[&'static str], Vec<Record>); 5] = [
        (
            "zero-middle-df",
            "A zero word in the middle of .debug_frame.",
            &["gimli PR 486"],
            vec![cie(), function(0, TEXT + 0x10), zero(), function(0, TEXT + 0x40)],
        ),
        (
            "zeros-middle-df",
            "Eight zero bytes in the middle of .debug_frame, as old assemblers pad.",
            &["gimli PR 486"],
            vec![cie(), function(0, TEXT + 0x10), zero(), zero(), cie(), function(4, TEXT + 0x40)],
        ),
        (
            "zeros-end-df",
            "Eight zero bytes at the end of .debug_frame.",
            &["gimli PR 741"],
            vec![cie(), function(0, TEXT + 0x10), zero(), zero()],
        ),
        (
            "zero-before-cie-df",
            "A zero word between an FDE and the next CIE in .debug_frame.",
            &["delve commit a5b230b8", "gimli PR 486"],
            vec![cie(), function(0, TEXT + 0x10), zero(), cie(), function(3, TEXT + 0x40)],
        ),
        ("only-zero-df", "A .debug_frame with nothing but a zero word.", &["gimli PR 741"], vec![zero()]),
    ];
    for (name, about, catches, records) in cases {
        let draft = Draft::new(&format!("terminator/{name}"), &MACHINE, about).clause(PADDING);
        suite.add(draft.catches(catches).debug_frame(records));
    }
    let about =
        "A zero word in .debug_frame before a record whose length is 256, so that its first byte is zero.";
    let nops = Padding::Nops(235);
    let round = FdeSpec { padding: nops, ..MACHINE.function(0, TEXT + 0x40, 0x20) };
    let records = vec![cie(), function(0, TEXT + 0x10), zero(), Record::Fde(round)];
    let draft = Draft::new("terminator/zero-before-round-length", &MACHINE, about).clause(PADDING);
    suite.add(draft.debug_frame(records));
}

fn add_big_endian(suite: &mut Suite) {
    let machine = Convention::S390X;
    let about =
        "A terminator in the middle of a big-endian section, before a length whose first byte is zero.";
    let records = vec![
        Record::Cie(machine.eh_frame_cie()),
        Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
        Record::Terminator,
        Record::Fde(machine.function(0, TEXT + 0x40, 0x20)),
        Record::Terminator,
    ];
    let draft = Draft::new("terminator/zero-middle-big-endian", &machine, about).clause(ROLES);
    suite.add(
        draft
            .catches(&["binutils ChangeLog 2006-05-15"])
            .eh_frame(records)
            .answer(|entries| for_dumpers(entries)),
    );
}

/// A zero behind the escape of the 64-bit format.
fn add_extended(suite: &mut Suite) {
    let about = "An extended length of zero: the escape and eight zero bytes, before more records.";
    let draft = Draft::new("terminator/extended-zero", &MACHINE, about).clause(
        "LSB Core, exception frames: a terminator has the Length zero; of an Extended Length of zero nothing is said",
    );
    let mut escape = vec![0xff; 4];
    escape.extend_from_slice(&[0; 8]);
    let records =
        vec![Record::Cie(MACHINE.debug_frame_cie()), Record::Bytes(escape), function(0, TEXT + 0x10)];
    let spec = draft.spec(SectionKind::DebugFrame, records);
    suite.add(
        draft
            .reading("terminator", "a length of zero is one in either format")
            .reading("too-short", "the record has no room for its id")
            .frame(spec)
            .answer(|entries| {
                let at = entries[0].end();
                let entry = Entry { offset: SectionOffset(at), format: Format::Dwarf64, ..Entry::default() };
                entries.insert(1, Expected::whole(entry).reading("terminator"));
                let short = Expected::unreadable(at, Format::Dwarf64, 0, FaultKind::TruncatedRecord);
                entries.insert(2, short.reading("too-short"));
            }),
    );
}
