//! Sections of one file: both kinds, two of a kind, and special section types.

use cfidiff_model::{Address, SectionKind};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, FRAME, GOT, TEXT};
use crate::suite::rows::{at, cfa, initial_row};
use crate::{CieSpec, FdeSpec, PCREL_SDATA4, Record};

const BOTH: &str = "DWARF 5 section 6.4.1 for .debug_frame, LSB Core, exception frames for .eh_frame: each section by \
                    its own rules";

const MACHINE: Convention = Convention::X86_64;

pub(super) fn add(suite: &mut Suite) {
    add_both(suite);
    add_special(suite);
}

fn functions(cie: CieSpec, machine: &Convention, starts: &[u64]) -> Vec<Record> {
    let mut records = vec![Record::Cie(cie)];
    records.extend(starts.iter().map(|start| Record::Fde(machine.function(0, TEXT + start, 0x20))));
    records
}

fn add_both(suite: &mut Suite) {
    let narrow = Convention { data_alignment_factor: -4, ..MACHINE };
    let about = "Both sections, with different functions and factors.";
    let draft = Draft::new("section/both-sections", &MACHINE, about).clause(BOTH);
    suite.add(draft.eh_frame(functions(MACHINE.eh_frame_cie(), &MACHINE, &[0x10])).debug_frame(functions(
        narrow.debug_frame_cie(),
        &narrow,
        &[0x40],
    )));

    for (name, machine) in
        [("x86-64", MACHINE), ("aarch64", Convention::AARCH64), ("s390x", Convention::S390X)]
    {
        let about = format!("One program of {name} described in both sections: the rows are the same.");
        let starts = [0x10, 0x40, 0x80];
        let draft = Draft::new(&format!("section/same-rows-{name}"), &machine, &about).clause(BOTH);
        let eh_frame = functions(machine.eh_frame_cie(), &machine, &starts);
        let debug_frame = functions(machine.debug_frame_cie(), &machine, &starts);
        suite.add(draft.eh_frame(eh_frame).debug_frame(debug_frame));
    }

    let about = "A zPLR CIE in .eh_frame beside a CIE without augmentation in .debug_frame.";
    let with_personality = CieSpec {
        augmentation: b"zPLR".to_vec(),
        personality: (0x9b, Some(Address(GOT))),
        lsda_encoding: PCREL_SDATA4,
        ..MACHINE.eh_frame_cie()
    };
    let with_lsda = |start| {
        Record::Fde(FdeSpec { lsda: Some(Address(0x5000)), ..MACHINE.function(0, TEXT + start, 0x20) })
    };
    let eh_frame = vec![Record::Cie(with_personality), with_lsda(0x10), with_lsda(0x40), Record::Terminator];
    let draft = Draft::new("section/zplr-beside-debug-frame", &MACHINE, about).clause(BOTH).got();
    suite.add(draft.eh_frame(eh_frame).debug_frame(functions(MACHINE.debug_frame_cie(), &MACHINE, &[0x80])));

    let about = "The CIE of .debug_frame is its second record and its second CIE; the .eh_frame has one CIE.";
    let unused = CieSpec { rows: initial_row(cfa(7, 8), &[(16, at(-4))]), ..narrow.debug_frame_cie() };
    let debug_frame = vec![
        Record::Cie(unused),
        Record::Cie(MACHINE.debug_frame_cie()),
        Record::Fde(MACHINE.function(1, TEXT + 0x40, 0x20)),
    ];
    let draft = Draft::new("section/second-cie-beside-eh-frame", &MACHINE, about).clause(BOTH);
    suite.add(draft.eh_frame(functions(MACHINE.eh_frame_cie(), &MACHINE, &[0x10])).debug_frame(debug_frame));
}

fn add_special(suite: &mut Suite) {
    let about = "An .eh_frame without a byte, as start-up files have it, beside a .debug_frame.";
    let draft = Draft::new("section/empty-eh-frame", &MACHINE, about).clause(
        "LSB Core, exception frames: .eh_frame contains one or more records; the start-up files' have none",
    );
    let records = functions(MACHINE.debug_frame_cie(), &MACHINE, &[0x10]);
    suite.add(draft.eh_frame(Vec::new()).debug_frame(records));

    let about = "Two sections that are both named .eh_frame.";
    let draft = Draft::new("section/two-eh-frame", &MACHINE, about)
        .clause("ELF gABI: a file may have more than one section with the same name");
    let first = draft.spec(SectionKind::EhFrame, functions(MACHINE.eh_frame_cie(), &MACHINE, &[0x10]));
    let mut second = draft.spec(SectionKind::EhFrame, functions(MACHINE.eh_frame_cie(), &MACHINE, &[0x40]));
    second.address = Address(FRAME + 0x1000);
    suite.add(draft.frame(first).frame(second));

    let about = "An .eh_frame of the type SHT_X86_64_UNWIND.";
    let draft = Draft::new("section/sht-unwind", &MACHINE, about)
        .clause("x86-64 psABI section 4.2.2: SHT_X86_64_UNWIND, unwind function table entries")
        .catches(&["elfutils commit 825e48c4"]);
    let mut records = functions(MACHINE.eh_frame_cie(), &MACHINE, &[0x10, 0x40]);
    records.push(Record::Terminator);
    let spec = draft.spec(SectionKind::EhFrame, records);
    suite.add(draft.frame_as(spec, |section| section.section_type = 0x7000_0001));

    let about = "An .eh_frame of type SHT_NOBITS beside a .debug_frame, as in a file of debug information.";
    let draft = Draft::new("section/nobits", &MACHINE, about)
        .clause("ELF gABI, Sections: a section of type SHT_NOBITS occupies no space in the file");
    let spec = draft.spec(SectionKind::EhFrame, Vec::new());
    let draft = draft.frame_as(spec, |section| (section.section_type, section.data) = (8, vec![0; 0x5c]));
    suite.add(draft.debug_frame(functions(MACHINE.debug_frame_cie(), &MACHINE, &[0x10])));

    let about = "A file without a section header table: a segment has the header, which leads to .eh_frame.";
    let mut records = functions(MACHINE.eh_frame_cie(), &MACHINE, &[0x10, 0x40, 0x80]);
    records.push(Record::Terminator);
    let draft = Draft::new("section/no-section-headers", &MACHINE, about)
        .clause("LSB Core, .eh_frame_hdr: eh_frame_ptr; ELF gABI, Sections: only files for linking need the table")
        .eh_frame(records);
    let header = draft.matching_header();
    suite.add(draft.header(header).elf(|elf| elf.section_headers = false));
}
