//! How an FDE names its CIE: back from its own field in `.eh_frame`, by section offset in `.debug_frame`.

use cfidiff_model::{Address, FaultKind, SectionKind};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::rows::{Listing, cfa};
use crate::{CieSpec, FdeSpec, Program, Record};

const CLAUSE: &str = "LSB Core, exception frames: the CIE pointer is subtracted from its own field's offset; \
                      DWARF 5 section 6.4.1: CIE_pointer is an offset into .debug_frame";

const MACHINE: Convention = Convention::X86_64;
/// The same machine with another factor, so that an FDE read by the wrong CIE has other rows.
const OTHER: Convention = Convention { data_alignment_factor: -4, ..MACHINE };

const BOTH: [(SectionKind, &str); 2] = [(SectionKind::EhFrame, ""), (SectionKind::DebugFrame, "-df")];

pub(super) fn add(suite: &mut Suite) {
    add_broken(suite);
    add_inside(suite);
    for (kind, suffix) in BOTH {
        add_orders(suite, kind, suffix);
    }
    add_far(suite);
}

/// The usual CIE of a section of this kind.
fn cie_spec(kind: SectionKind, convention: &Convention) -> CieSpec {
    match kind {
        SectionKind::DebugFrame => convention.debug_frame_cie(),
        _ => convention.eh_frame_cie(),
    }
}

fn add_broken(suite: &mut Suite) {
    let cases: [(&str, &str, u64, FaultKind, &[&'static str]); 3] = [
        ("cieptr-mid", "A CIE pointer into the middle of the CIE.", 0x1b, FaultKind::CiePointerInside, &[]),
        (
            "cieptr-oob",
            "A CIE pointer to before the section's start.",
            0x4000,
            FaultKind::CiePointerOutside,
            &["binutils PR 27836", "binutils PR 27860"],
        ),
        // The FDE at 0x18 is 0x1c bytes before the field at 0x34.
        ("cieptr-to-fde", "A CIE pointer to an FDE.", 0x1c, FaultKind::CiePointerNotCie, &[]),
    ];
    for (name, about, false_pointer, fault, catches) in cases {
        let broken =
            FdeSpec { false_cie_pointer: Some(false_pointer), ..MACHINE.function(0, TEXT + 0x40, 0x20) };
        let records = vec![
            Record::Cie(MACHINE.eh_frame_cie()),
            Record::Fde(MACHINE.function(0, TEXT + 0x10, 0x20)),
            Record::Fde(broken),
            Record::Fde(MACHINE.function(0, TEXT + 0x80, 0x20)),
            Record::Terminator,
        ];
        suite.add(
            Draft::new(&format!("cie-pointer/{name}"), &MACHINE, about)
                .clause(CLAUSE)
                .catches(catches)
                .eh_frame(records)
                .entry(2, |broken| broken.without_cie(false_pointer, fault)),
        );
    }
}

/// A pointer to bytes that could be read as a CIE, and are data of another record.
fn add_inside(suite: &mut Suite) {
    /// The bytes of the usual CIE.
    const CIE: [u8; 24] = *b"\x14\0\0\0\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01\0\0";
    // The data start at 0x29, which is 0x23 bytes before the field at 0x4c.
    const POINTER: u64 = 0x23;
    let function = |start: u64| MACHINE.function(0, TEXT + start, 0x20);
    let records = vec![
        Record::Cie(MACHINE.eh_frame_cie()),
        Record::Fde(FdeSpec { extra_augmentation_data: CIE.to_vec(), ..function(0x10) }),
        Record::Fde(FdeSpec { false_cie_pointer: Some(POINTER), ..function(0x40) }),
        Record::Fde(function(0x80)),
        Record::Terminator,
    ];
    let about = "A CIE pointer into the augmentation data of another record, whose bytes look like a CIE.";
    suite.add(
        Draft::new("cie-pointer/cieptr-into-data", &MACHINE, about)
            .clause(CLAUSE)
            .catches(&["gimli PR 741"])
            .eh_frame(records)
            .entry(2, |broken| broken.without_cie(POINTER, FaultKind::CiePointerInside)),
    );
}

fn add_orders(suite: &mut Suite, kind: SectionKind, suffix: &str) {
    let cie = || Record::Cie(cie_spec(kind, &MACHINE));
    let other = || Record::Cie(cie_spec(kind, &OTHER));
    let fde = |cie: usize, start: u64| Record::Fde(MACHINE.function(cie, TEXT + start, 0x10));
    let other_fde = |cie: usize, start: u64| Record::Fde(OTHER.function(cie, TEXT + start, 0x10));
    let second = if kind == SectionKind::DebugFrame { "df-cie2" } else { "cie2" };
    let first_cie = "java-profiler PR 786";
    let cases: [(String, &str, &[&'static str], Vec<Record>); 6] = [
        (
            second.to_owned(),
            "An FDE of the second CIE.",
            &[first_cie],
            vec![cie(), other(), other_fde(1, 0x10)],
        ),
        (
            format!("interleaved{suffix}"),
            "FDEs that name the first and the second CIE in turn, some behind the other CIE.",
            &[first_cie],
            vec![
                cie(),
                fde(0, 0x10),
                other(),
                fde(0, 0x20),
                other_fde(2, 0x30),
                fde(0, 0x40),
                other_fde(2, 0x50),
            ],
        ),
        (
            format!("fde-before-cie{suffix}"),
            "An FDE before its CIE.",
            &["binutils PR 16563"],
            vec![fde(1, 0x10), cie()],
        ),
        (
            format!("between-fdes{suffix}"),
            "A CIE between two FDEs that both name it, with another CIE before them.",
            &["binutils PR 16563"],
            vec![other(), fde(2, 0x10), cie(), fde(2, 0x20)],
        ),
        (
            format!("cies-last{suffix}"),
            "All FDEs before all CIEs, which they name in the other order.",
            &["binutils PR 16563"],
            vec![fde(3, 0x10), other_fde(2, 0x20), other(), cie()],
        ),
        (
            format!("equal-cies{suffix}"),
            "Two equal CIEs, each with its FDE: entries name different offsets.",
            &[],
            vec![cie(), fde(0, 0x10), cie(), fde(2, 0x20)],
        ),
    ];
    for (name, about, catches, records) in cases {
        let draft =
            Draft::new(&format!("cie-pointer/{name}"), &MACHINE, about).clause(CLAUSE).catches(catches);
        let spec = draft.spec(kind, records);
        suite.add(draft.frame(spec));
    }
    if kind == SectionKind::DebugFrame {
        let about = "A .debug_frame whose CIE is not at offset 0: a zero word stands before it.";
        let records = vec![Record::Terminator, cie(), fde(1, 0x10), fde(1, 0x20)];
        let draft = Draft::new("cie-pointer/cie-not-at-zero-df", &MACHINE, about).clause(CLAUSE);
        suite.add(draft.debug_frame(records));
    }
}

/// A CIE pointer of more than 16 bits, over an FDE of many nops.
fn add_far(suite: &mut Suite) {
    let kind = SectionKind::EhFrame;
    let about = "A CIE more than 64 KiB before its FDE.";
    let rows = Listing::new(TEXT + 0x10, TEXT + 0x20).row(0, cfa(7, 8), &MACHINE.entry_rules()).done();
    let nops = Program::new().raw(&[0; 0x1_0010], &[]);
    let filler = FdeSpec { rows, ..FdeSpec::new(0, Address(TEXT + 0x10), 0x10, nops) };
    let records = vec![
        Record::Cie(cie_spec(kind, &MACHINE)),
        Record::Fde(filler),
        Record::Cie(cie_spec(kind, &OTHER)),
        Record::Fde(OTHER.function(2, TEXT + 0x20, 0x10)),
        Record::Fde(MACHINE.function(0, TEXT + 0x30, 0x10)),
    ];
    let draft = Draft::new("cie-pointer/far", &MACHINE, about).clause(CLAUSE);
    let spec = draft.spec(kind, records);
    // Tens of thousands of nops would be a long answer that says nothing.
    suite.add(draft.frame(spec).entry(1, |filler| filler.free(&["instructions"])));
}
