//! Objects with one thing to look at each.

use cfidiff_model::{Address, CfaRule, Class, Endianness, Format, Machine, Rows};

use super::CLAUSE;
use crate::suite::Suite;
use crate::suite::compiled::unoptimized;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::rows::{Listing, at, cfa, initial_row};
use crate::{CieSpec, ElfSection, FdeSpec, Padding, Program, Record, Symbol};

const X86_64: Convention = Convention::X86_64;

/// With the flags of Hexagon v60.
const HEXAGON: Convention = Convention {
    machine: Machine::HEXAGON,
    class: Class::Elf32,
    endianness: Endianness::Little,
    flags: 0x60,
    data_alignment_factor: -4,
    return_address_register: 31,
    stack_pointer: 30,
    ..Convention::AARCH64
};

const LANAI: Convention = Convention {
    machine: Machine::LANAI,
    class: Class::Elf32,
    endianness: Endianness::Big,
    data_alignment_factor: -4,
    return_address_register: 15,
    ..Convention::AARCH64
};

const ALPHA: Convention = Convention {
    machine: Machine::ALPHA,
    data_alignment_factor: -4,
    return_address_register: 26,
    stack_pointer: 30,
    ..Convention::AARCH64
};

pub(super) fn add(suite: &mut Suite) {
    for draft in [
        ilp32(),
        x32(),
        x32_debug_frame(),
        hexagon(),
        lanai(),
        alpha(),
        mips_pc32(),
        riscv_distances(),
        symbol_and_addend(),
        set_loc(),
        cfa_sf("def_cfa_sf.o", false),
        cfa_sf("def_cfa_sf_and_gnu_neg_offset.o", true),
        dwarf64(),
        extended_length(),
        fde_before_cie(),
        overlap(),
        beside_empty("before", true),
        beside_empty("behind", false),
        plain(),
        frame(),
    ] {
        suite.add(draft);
    }
}

fn draft(name: &str, machine: &Convention, about: &str) -> Draft {
    Draft::new(&format!("relocatable/{name}"), machine, about).object().clause(CLAUSE)
}

/// A leaf function of four bytes behind four others, which keeps the CIE's row.
fn leaf(machine: &Convention, cie: &CieSpec) -> Vec<Record> {
    let initial = initial_of(cie);
    let rows = Listing::new(4, 8).row(0, initial, &machine.entry_rules()).done();
    let fde = FdeSpec { rows, ..FdeSpec::new(0, Address(4), 4, Program::new()) };
    vec![Record::Cie(cie.clone()), Record::Fde(fde)]
}

/// The CFA of a CIE's row.
fn initial_of(cie: &CieSpec) -> CfaRule {
    cie.rows.iter().next().map(|row| row.cfa.clone()).unwrap_or_default()
}

fn ilp32() -> Draft {
    let machine = Convention::AARCH64.as_target(Class::Elf32, Endianness::Little);
    let about = "A location is R_AARCH64_P32_PREL32, the type of the variant with 32-bit addresses.";
    draft("aarch64-ilp32-prel32.o", &machine, about)
        .clause("AAELF64, Static Data relocations: R_AARCH64_P32_PREL32 is S + A - P")
        .eh_frame(leaf(&machine, &machine.eh_frame_cie()))
}

fn x32() -> Draft {
    let machine = Convention::X32;
    let about = "A location is R_X86_64_PC32 in a file of the other class.";
    draft("x32-pc32.o", &machine, about)
        .clause("AMD64 psABI, ILP32: the relocation types are those of LP64; R_X86_64_PC32 is S + A - P")
        .eh_frame(leaf(&machine, &machine.eh_frame_cie()))
}

fn x32_debug_frame() -> Draft {
    let machine = Convention::X32;
    let about = "Addresses in .debug_frame have four bytes, by R_X86_64_32, as have the CIE pointers.";
    draft("x32-32.o", &machine, about)
        .clause("AMD64 psABI, ILP32: an address has 32 bits; R_X86_64_32 is S + A")
        .debug_frame(leaf(&machine, &machine.debug_frame_cie()))
}

fn hexagon() -> Draft {
    let about = "A location in encoding 0x10 is R_HEX_32_PCREL.";
    draft("hexagon.o", &HEXAGON, about)
        .clause("Qualcomm Hexagon ABI, Relocation Types: R_HEX_32_PCREL is S + A - P")
        .eh_frame(leaf(&HEXAGON, &CieSpec { fde_encoding: 0x10, ..HEXAGON.eh_frame_cie() }))
}

/// LLVM's CIE for this machine has no instructions, so that nothing defines the CFA.
fn lanai() -> Draft {
    let about = "A location is R_LANAI_32 against a label, and no instruction defines the CFA.";
    let rows = initial_row(CfaRule::Undefined, &[]);
    let cie = CieSpec { fde_encoding: 0x00, program: Program::new(), rows, ..LANAI.eh_frame_cie() };
    draft("lanai.o", &LANAI, about)
        .clause("LLVM's Lanai back end: R_LANAI_32 is S + A; DWARF 5 section 6.4.2.2 for the CFA")
        .eh_frame(leaf(&LANAI, &cie))
}

fn alpha() -> Draft {
    draft("alpha.o", &ALPHA, "A location is R_ALPHA_SREL32.")
        .clause("GNU binutils, the only definition of Alpha's ELF: R_ALPHA_SREL32 is S + A - P")
        .eh_frame(leaf(&ALPHA, &ALPHA.eh_frame_cie()))
}

/// LLVM's CIE for this machine names the CFA's register without an offset.
fn mips_pc32() -> Draft {
    let machine = Convention { flags: 0x7000_1006, ..Convention::MIPS };
    let about =
        "A location is R_MIPS_PC32 with its addend in the field, and the CIE names a CFA register alone.";
    let program = Program::new().def_cfa_register(machine.stack_pointer);
    let rows = initial_row(cfa(machine.stack_pointer, 0), &[]);
    let cie = CieSpec { program, rows, ..machine.eh_frame_cie() };
    draft("mips-pc32.o", &machine, about)
        .clause("MIPS psABI: R_MIPS_PC32 is S + A - P, A sign-extended from the field")
        .eh_frame(leaf(&machine, &cie))
}

/// Each width of an advance, and the range, as the GNU assembler writes them where linkers shorten code.
fn riscv_distances() -> Draft {
    let machine = Convention::RISCV64;
    let sp = machine.stack_pointer;
    let about =
        "Advances of each width and the range on RISC-V are pairs of relocations, SET or ADD and SUB.";
    let size = 0x1_2000;
    let program = Program::new()
        .advance_loc(2)
        .def_cfa_offset(16)
        .advance_loc1(100)
        .def_cfa_offset(32)
        .advance_loc2(300)
        .def_cfa_offset(48)
        .advance_loc4(70_000)
        .def_cfa_offset(0);
    let rows = Listing::new(0, size)
        .row(0, cfa(sp, 0), &[])
        .row(2, cfa(sp, 16), &[])
        .row(102, cfa(sp, 32), &[])
        .row(402, cfa(sp, 48), &[])
        .row(70_402, cfa(sp, 0), &[])
        .done();
    let fde = FdeSpec { rows, ..FdeSpec::new(0, Address(0), size, program) };
    let records = vec![
        Record::Cie(machine.eh_frame_cie()),
        Record::Fde(fde),
        Record::Fde(machine.function(0, size, 0x20)),
    ];
    draft("riscv64-f-O2.o", &machine, about)
        .elf(|elf| {
            let size = size as usize + 0x20;
            elf.sections[0] = ElfSection::code_elsewhere(".text", Address(0), size);
        })
        .clause("RISC-V psABI, Relocations: SET6 to SET16 and ADD32 with SUB6 to SUB32, in order")
        .eh_frame(records)
}

/// The location of the second function is its symbol and something more.
fn symbol_and_addend() -> Draft {
    let about = "Relocations refer to a symbol behind its section's start, with addends of both signs.";
    let records = vec![
        Record::Cie(X86_64.eh_frame_cie()),
        Record::Fde(X86_64.function(0, 0x10, 0x20)),
        Record::Fde(X86_64.function(0, 0x40, 0x30)),
    ];
    draft("symbol-and-addend.o", &X86_64, about).eh_frame(records).elf(|elf| {
        let symbol = elf.symbol(Symbol { name: "middle".to_owned(), ..Symbol::label(0, 0x30) });
        for relocation in elf.sections.iter_mut().flat_map(|section| &mut section.relocations) {
            (relocation.symbol, relocation.addend) = (symbol, relocation.addend - 0x30);
        }
    })
}

/// The operand of DW_CFA_set_loc has the encoding of locations, and is a relocation like them.
fn set_loc() -> Draft {
    let about = "The operand of set_loc is pcrel and a relocation, as the location before it.";
    let program = Program::new().set_loc(Address(0x18)).def_cfa_offset(32).offset(6, 2);
    let rows = Listing::new(0x10, 0x30)
        .row(0, cfa(7, 8), &[(16, at(-8))])
        .row(8, cfa(7, 32), &[(6, at(-16)), (16, at(-8))])
        .done();
    let moving = FdeSpec { rows, ..FdeSpec::new(0, Address(0x10), 0x20, program) };
    let records = vec![
        Record::Cie(X86_64.eh_frame_cie()),
        Record::Fde(moving),
        Record::Fde(X86_64.function(0, 0x40, 0x30)),
    ];
    draft("set_loc-pcrel.o", &X86_64, about)
        .clause("LSB Core, exception frames: the encoding of R; AMD64 psABI: R_X86_64_PC32 is S + A - P")
        .catches(&["elfutils commit 00f758c2", "elfutils commit c1e4e29f"])
        .eh_frame(records)
}

fn cfa_sf(name: &str, negative: bool) -> Draft {
    let about = match negative {
        false => "def_cfa_sf and def_cfa_offset_sf, whose offsets the data alignment factor turns positive.",
        true => "def_cfa_sf and def_cfa_offset_sf, and in a second function GNU_negative_offset_extended.",
    };
    let rules = [(16, at(-8))];
    let program = Program::new().advance_loc(1).def_cfa_sf(7, -2).advance_loc(1).def_cfa_offset_sf(-3);
    let rows = Listing::new(0, 3)
        .row(0, cfa(7, 8), &rules)
        .row(1, cfa(7, 16), &rules)
        .row(2, cfa(7, 24), &rules)
        .done();
    let factored = FdeSpec { rows, ..FdeSpec::new(0, Address(0), 3, program) };
    let mut records = vec![Record::Cie(X86_64.eh_frame_cie()), Record::Fde(factored)];
    if negative {
        let program = Program::new().advance_loc(1).gnu_negative_offset_extended(3, 2);
        let rows = Listing::new(3, 5)
            .row(0, cfa(7, 8), &rules)
            .row(1, cfa(7, 8), &[(3, at(16)), (16, at(-8))])
            .done();
        records.push(Record::Fde(FdeSpec { rows, ..FdeSpec::new(0, Address(3), 2, program) }));
    }
    draft(name, &X86_64, about)
        .clause("DWARF 5 sections 6.4.2.2 and 6.4.2.3: offsets of _sf instructions are signed and factored")
        .eh_frame(records)
}

/// A function that only moves the CFA, by its first byte.
fn pushes(cie: usize, start: u64, size: u64, offset: u64) -> FdeSpec {
    let program = Program::new().advance_loc(1).def_cfa_offset(offset);
    let fde = FdeSpec::new(cie, Address(start), size, program);
    FdeSpec { rows: pushed_rows(start, size, offset), padding: Padding::Align(8), ..fde }
}

fn pushed_rows(start: u64, size: u64, offset: u64) -> Rows {
    Listing::new(start, start + size)
        .row(0, cfa(7, 8), &[(16, at(-8))])
        .row(1, cfa(7, offset.cast_signed()), &[(16, at(-8))])
        .done()
}

fn dwarf64() -> Draft {
    let format = Format::Dwarf64;
    let cie = CieSpec { format, version: 4, ..X86_64.debug_frame_cie() };
    let records = vec![Record::Cie(cie), Record::Fde(FdeSpec { format, ..pushes(0, 0, 2, 16) })];
    let about = "A version 4 CIE and its FDE in the 64-bit format: the CIE pointer is R_X86_64_64.";
    draft("debug_frame_dwarf64.o", &X86_64, about)
        .clause("DWARF 5 section 7.4: in the 64-bit format CIE_id and CIE_pointer have eight bytes")
        .debug_frame(records)
}

fn extended_length() -> Draft {
    let format = Format::Dwarf64;
    let cie =
        CieSpec { format, augmentation: Vec::new(), padding: Padding::Align(8), ..X86_64.eh_frame_cie() };
    let records = vec![Record::Cie(cie), Record::Fde(FdeSpec { format, ..pushes(0, 0, 2, 16) })];
    let about = "Records of .eh_frame with an extended length, whose ids have four bytes all the same.";
    draft("eh_frame_extended_length.o", &X86_64, about)
        .clause("LSB Core, exception frames: Extended Length is followed by a 4-byte CIE ID or CIE Pointer")
        .eh_frame(records)
}

fn fde_before_cie() -> Draft {
    let cie = CieSpec { version: 4, ..X86_64.debug_frame_cie() };
    let records = vec![Record::Fde(pushes(1, 0, 3, 16)), Record::Cie(cie), Record::Fde(pushes(1, 3, 2, 32))];
    let about = "An FDE stands before its CIE, another one behind it.";
    draft("fde_before_cie.o", &X86_64, about)
        .clause("DWARF 5 section 6.4.1: CIE_pointer is an offset into the section; nothing orders records")
        .debug_frame(records)
}

fn overlap() -> Draft {
    let about =
        "Three FDEs start at one address: one with other rows, one without a byte, and one of a second CIE.";
    let clause = "DWARF 5 section 6.4.1: each FDE tells its own initial location and range";
    draft("overlap_and_zero_length.o", &X86_64, about).clause(clause).eh_frame(overlapping(0, true))
}

/// Functions at one start, the second one without a byte. A linker leaves that one and the second CIE out.
pub(in crate::suite::topics) fn overlapping(start: u64, all: bool) -> Vec<Record> {
    let rules = [(16, at(-8))];
    let function = |cie, size, offset: Option<u64>| {
        let program = offset.map_or(Program::new(), |offset| Program::new().def_cfa_offset(offset));
        let offset = offset.unwrap_or(8).cast_signed();
        let rows = Listing::new(start, start + size).row(0, cfa(7, offset), &rules).done();
        Record::Fde(FdeSpec { rows, ..FdeSpec::new(cie, Address(start), size, program) })
    };
    let cie = Record::Cie(X86_64.eh_frame_cie());
    match all {
        true => {
            vec![cie.clone(), function(0, 3, Some(99)), function(0, 0, None), cie, function(3, 4, None)]
        }
        false => vec![cie, function(0, 3, Some(99)), function(0, 4, None)],
    }
}

/// What GCC leaves of a cold part without a byte, at the address of the next function. A linker that lists both in
/// `.eh_frame_hdr`, or the first alone, hides the function.
fn beside_empty(place: &str, is_before: bool) -> Draft {
    let about =
        format!("The FDE of a function without a byte stands {place} that of a function at its address.");
    let rows = Listing::new(0x40, 0x40).row(0, cfa(7, 8), &[(16, at(-8))]).done();
    let empty = Record::Fde(FdeSpec { rows, ..FdeSpec::new(0, Address(0x40), 0, Program::new()) });
    let mut records = vec![
        Record::Cie(X86_64.eh_frame_cie()),
        Record::Fde(X86_64.function(0, 0x10, 0x30)),
        Record::Fde(X86_64.function(0, 0x40, 0x20)),
    ];
    records.insert(if is_before { 2 } else { 3 }, empty);
    draft(&format!("empty-function-{place}.o"), &X86_64, &about)
        .clause("DWARF 5 section 6.4.1: address_range is how many bytes the FDE is about")
        .catches(&[if is_before { "llvm-project issue 218124" } else { "mold issue 1648" }])
        .eh_frame(records)
}

/// Two functions of a C file, compiled without optimization for a processor with indirect branch tracking.
fn two_functions(padding: Padding) -> [Record; 2] {
    [(0, 0x2a), (0x2a, 0x50)]
        .map(|(start, size)| Record::Fde(FdeSpec { padding, ..unoptimized(0, start, size, 4) }))
}

fn plain() -> Draft {
    let mut records = vec![Record::Cie(X86_64.eh_frame_cie())];
    records.extend(two_functions(Padding::Align(8)));
    draft(
        "t-plain.o",
        &X86_64,
        "Two functions in .eh_frame; built with the other flag they are in .debug_frame.",
    )
    .eh_frame(records)
}

/// The same rows as [`plain`]. The CIE's six nops fill it up to eight bytes.
fn frame() -> Draft {
    let mut records = vec![Record::Cie(X86_64.debug_frame_cie())];
    records.extend(two_functions(Padding::Align(8)));
    draft(
        "t-frame.o",
        &X86_64,
        "Two functions in .debug_frame; built with the other flag they are in .eh_frame.",
    )
    .debug_frame(records)
}
