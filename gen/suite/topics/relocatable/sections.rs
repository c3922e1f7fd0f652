//! What sections of objects look like beside PROGBITS under their usual names.

use cfidiff_model::{Address, Format, SectionKind};

use super::CLAUSE;
use crate::suite::Suite;
use crate::suite::compiled::unoptimized;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::rows::{Listing, cfa};
use crate::{CieSpec, Compression, ElfSection, FdeSpec, Padding, Program, Record, Symbol};

/// SHT_X86_64_UNWIND.
pub(super) const X86_64_UNWIND: u32 = 0x7000_0001;

const TYPE: &str =
    "AMD64 psABI, Special Sections: .eh_frame has type SHT_X86_64_UNWIND; tools also write SHT_PROGBITS";
const COMPRESSED: &str = "ELF gABI, Section Compression; relocations are to the uncompressed contents";
const OLD_COMPRESSED: &str =
    "GNU binutils: .zdebug_ sections are \"ZLIB\", the size as eight big-endian bytes, and a zlib stream";

pub(super) fn add(suite: &mut Suite) {
    suite.add(unwind_type());
    suite.add(compressed("gz-zlib.o", COMPRESSED, Compression::Zlib));
    suite.add(compressed("gz-zlib-gnu.o", OLD_COMPRESSED, Compression::GnuZlib));
    suite.add(dwarf64());
    suite.add(function_sections());
}

fn functions(cie: usize, padding: Padding) -> Vec<Record> {
    let places = [(0, 0x16), (0x20, 0x7c), (0xa0, 0x120), (0x1c0, 0x3a)];
    places.map(|(start, size)| Record::Fde(FdeSpec { padding, ..unoptimized(cie, start, size, 0) })).to_vec()
}

fn draft(name: &str, about: &str) -> Draft {
    Draft::new(&format!("relocatable/{name}"), &Convention::X86_64, about).object().text(0, 0x200)
}

/// What clang writes for x86-64.
fn unwind_type() -> Draft {
    let mut records = vec![Record::Cie(Convention::X86_64.eh_frame_cie())];
    records.extend(functions(0, Padding::Align(8)));
    let draft = draft("clang-sht-unwind.o", "The section .eh_frame of an object has type SHT_X86_64_UNWIND.");
    let spec = draft.spec(SectionKind::EhFrame, records);
    draft
        .clause(TYPE)
        .catches(&["elfutils commit 825e48c4"])
        .frame_as(spec, |section| section.section_type = X86_64_UNWIND)
}

fn compressed(name: &str, clause: &str, compression: Compression) -> Draft {
    let about =
        format!("The section .debug_frame of an object is compressed in the form {}.", compression.name());
    let mut records = vec![Record::Cie(Convention::X86_64.debug_frame_cie())];
    records.extend(functions(0, Padding::Align(8)));
    let draft = draft(name, &about);
    let spec = draft.spec(SectionKind::DebugFrame, records);
    draft.clause(clause).frame_as(spec, |section| {
        section.compression = Some(compression);
        if compression == Compression::GnuZlib {
            section.name = ".zdebug_frame".to_owned();
        }
    })
}

/// What clang writes with `-gdwarf64`.
fn dwarf64() -> Draft {
    let format = Format::Dwarf64;
    let cie = CieSpec { format, version: 4, ..Convention::X86_64.debug_frame_cie() };
    let mut records = vec![Record::Cie(cie)];
    records.extend(functions(0, Padding::Align(8)));
    for record in &mut records {
        if let Record::Fde(fde) = record {
            fde.format = format;
        }
    }
    draft(
        "clang-dwarf64.o",
        "The section .debug_frame is in the 64-bit format, with CIE pointers of eight bytes.",
    )
    .clause("DWARF 5 section 7.4: in the 64-bit format CIE_pointer has eight bytes")
    .debug_frame(records)
}

/// What compilers write with `-ffunction-sections`: each function starts at zero of its own section.
fn function_sections() -> Draft {
    let machine = Convention::X86_64;
    let (start, size) = (0, 0x20);
    let single = FdeSpec {
        rows: Listing::new(start, size).row(0, cfa(7, 8), &machine.entry_rules()).done(),
        ..FdeSpec::new(0, Address(start), size, Program::new())
    };
    let records = vec![
        Record::Cie(machine.eh_frame_cie()),
        Record::Fde(machine.function(0, start, size)),
        Record::Fde(single),
    ];
    let other = ElfSection { name: ".text.other".to_owned(), ..ElfSection::text(Address(0), 0x20) };
    let about =
        "Two functions in sections of their own: both start at zero, and only their relocations differ.";
    draft("function-sections.o", about).extra(other).clause(CLAUSE).eh_frame(records).elf(|elf| {
        let symbol = elf.symbol(Symbol::section(1));
        elf.symbol(Symbol::function("other", 1, 0, 0x20));
        if let Some(last) = elf.sections.last_mut().and_then(|frame| frame.relocations.last_mut()) {
            last.symbol = symbol;
        }
    })
}
