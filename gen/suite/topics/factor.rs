//! The code alignment factor and the data alignment factor: of which operands they are factors, of both signs, zero,
//! large, and different in two CIEs of one section.

use cfidiff_model::{FaultKind, RegisterRule, SectionKind};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::functions::{EMPTY_ROWS, Functions, Line};
use crate::suite::rows::{Listing, at, cfa, initial_row};
use crate::{CieSpec, FdeSpec, Program, Record};

const X86_64: Convention = Convention::X86_64;
const CODE: &str = "DWARF 5 section 6.4.2.1: the delta is times the code alignment factor";
const DATA: &str =
    "DWARF 5 section 6.4.2: factored offsets are times the data alignment factor, whose sign counts";
const MODULO: &str = "DWARF 5 section 6.4.2: the product of a LEB128 number and a factor; \
    addresses, and so the sums it is for, are modulo the address space";

pub(super) fn add(suite: &mut Suite) {
    code_factors(suite);
    each_advance(suite);
    code_factor_zero(suite);
    code_factor_huge(suite);
    data_factors(suite);
    unfactored(suite);
    signed_under_code_factor(suite);
    two_cies(suite);
    overflows(suite);
}

fn draft(name: &str, about: &str, clause: &str) -> Draft {
    Draft::new(&format!("factor/{name}"), &X86_64, about).clause(clause)
}

/// A CIE with this code alignment factor.
fn code_factor(factor: u64) -> Functions {
    Functions::eh_frame(&X86_64).cie(|cie| CieSpec { code_alignment_factor: factor, ..cie })
}

/// A CIE with this data alignment factor, under which the return address is in the first slot.
fn data_factor(factor: i64) -> Functions {
    Functions::eh_frame(&X86_64).cie(|cie| CieSpec { data_alignment_factor: factor, ..cie }).initial(
        X86_64.entry_program(),
        cfa(7, 8),
        &[(16, at(factor))],
    )
}

fn code_factors(suite: &mut Suite) {
    let program = Program::new().advance_loc(1).def_cfa_offset(16).advance_loc1(2).def_cfa_offset(24);
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (4, cfa(7, 16), &[]), (12, cfa(7, 24), &[])];
    let about = "A code alignment factor of 4.";
    suite.add(code_factor(4).function(0x40, program, lines).add_to(draft("op-caf4", about, CODE)));

    let program = Program::new().advance_loc(2).def_cfa_offset(16).advance_loc1(4).def_cfa_offset(8);
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (8, cfa(7, 16), &[]), (24, cfa(7, 8), &[])];
    let about = "A code alignment factor of 4 on two advances, whose mistakes add up.";
    let bugs = &["gimli PR 401"];
    suite.add(code_factor(4).function(0x40, program, lines).add_to(draft("caf4", about, CODE).catches(bugs)));

    let program = Program::new().advance_loc(1).def_cfa_offset(16);
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (128, cfa(7, 16), &[])];
    let about = "A code alignment factor of 128, in two bytes of LEB128.";
    suite.add(code_factor(128).function(0x100, program, lines).add_to(draft("caf128", about, CODE)));
}

/// The signed definitions of the CFA under a code alignment factor that would show in their offsets.
fn signed_under_code_factor(suite: &mut Suite) {
    let program = Program::new().advance_loc(1).def_cfa_sf(6, -3).advance_loc(1).def_cfa_offset_sf(-5);
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (4, cfa(6, 24), &[]), (8, cfa(6, 40), &[])];
    let about = "def_cfa_sf and def_cfa_offset_sf under a code alignment factor of 4.";
    let clause = "DWARF 5 section 6.4.2.2: the operand is times the data alignment factor";
    let functions = code_factor(4).function(0x40, program, lines);
    let bugs = &["pyelftools issue 554"];
    suite.add(functions.add_to(draft("sf-caf4", about, clause).catches(bugs)));
}

/// Every form of advance under factors other than 1, in both sections and byte orders.
fn each_advance(suite: &mut Suite) {
    let machines = [
        ("arm-caf2", Convention::ARM, Convention::ARM.debug_frame_cie()),
        ("aarch64-caf4", Convention::AARCH64, Convention::AARCH64.eh_frame_cie()),
        ("ppc-caf4", Convention::PPC, Convention::PPC.eh_frame_cie()),
        ("sparc64-caf4", Convention::SPARC64, Convention::SPARC64.debug_frame_cie()),
    ];
    for (name, machine, cie) in machines {
        let kind = if cie.augmentation.is_empty() { SectionKind::DebugFrame } else { SectionKind::EhFrame };
        let (factor, stack) = (machine.code_alignment_factor, machine.stack_pointer);
        let program = Program::new()
            .advance_loc(3)
            .def_cfa_offset(16)
            .advance_loc1(0x81)
            .def_cfa_offset(32)
            .advance_loc2(0x0102)
            .def_cfa_offset(48)
            .advance_loc4(0x0001_0203)
            .def_cfa_offset(64);
        let deltas = [0, 3, 0x84, 0x186, 0x1_0389];
        let offsets = [machine.entry_offset, 16, 32, 48, 64];
        let lines: Vec<Line> = deltas
            .iter()
            .zip(offsets)
            .map(|(delta, offset)| (delta * factor, cfa(stack, offset), &[][..]))
            .collect();
        let about = format!("Each form of advance under a code alignment factor of {factor}.");
        let functions = Functions::new(&machine, kind).function(0x8_0000, program, &lines).usual();
        let draft = Draft::new(&format!("factor/{name}"), &machine, &about).clause(CODE);
        suite.add(functions.add_to(draft.catches(&["gimli PR 401"])));
    }
}

fn code_factor_zero(suite: &mut Suite) {
    let clause =
        "DWARF 5 section 6.4.1 gives the code alignment factor no lower bound; times zero, no delta moves";
    let program = Program::new().advance_loc(1).def_cfa_offset(16).advance_loc(2).def_cfa_offset(24);
    let functions = code_factor(0)
        .function(0x40, program, &[(0, cfa(7, 8), &[]), (0, cfa(7, 16), &[]), (0, cfa(7, 24), &[])])
        .or(EMPTY_ROWS, &[(0, cfa(7, 24), &[])]);
    let about = "A code alignment factor of 0: all instructions are at the FDE's start.";
    let bugs = &["java-profiler PR 786"];
    suite.add(functions.add_to(draft("op-caf0", about, clause).catches(bugs)));
}

fn code_factor_huge(suite: &mut Suite) {
    const HUGE: u64 = (1 << 32) + 1;
    let program = || Program::new().advance_loc(1).def_cfa_offset(16);
    let about = "A code alignment factor of 2^32+1 in .eh_frame, where one unit is past the FDE's end.";
    let functions = code_factor(HUGE).broken(0x40, program(), &[FaultKind::LocationPastEnd]);
    suite.add(functions.add_to(draft("op-cafhuge", about, CODE)));

    let about = "A code alignment factor of 2^32+1 in .debug_frame, in a range of 2^34 bytes.";
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (HUGE, cfa(7, 16), &[])];
    let functions = Functions::new(&X86_64, SectionKind::DebugFrame)
        .cie(|cie| CieSpec { code_alignment_factor: HUGE, ..cie })
        .function(1 << 34, program(), lines);
    suite.add(functions.add_to(draft("caf-33-bits", about, CODE)));
}

fn data_factors(suite: &mut Suite) {
    let program = Program::new().def_cfa_offset(16).offset(3, 2).offset_extended_sf(12, -2).val_offset(13, 1);
    let rules = [(3, at(16)), (12, at(-16)), (13, RegisterRule::ValOffset(8))];
    let about = "A data alignment factor of +8.";
    let functions = data_factor(8).function(0x40, program, &[(0, cfa(7, 16), &rules)]);
    suite.add(functions.add_to(draft("op-dafpos", about, DATA)));

    for (name, factor, words) in [
        ("op-daf0", 0, "0"),
        ("daf-1", -1, "-1, one byte of LEB128 with all bits set"),
        ("daf-64", -64, "-64, the least of one byte of LEB128"),
        ("daf-65", -65, "-65, in two bytes of LEB128"),
        ("op-dafhuge", -(1 << 40), "-2^40"),
    ] {
        let about = format!("A data alignment factor of {words}.");
        let program = Program::new().def_cfa_offset(16).offset(3, 2);
        let functions =
            data_factor(factor).function(0x40, program, &[(0, cfa(7, 16), &[(3, at(2 * factor))])]);
        suite.add(functions.add_to(draft(name, &about, DATA).catches(&["java-profiler PR 786"])));
    }
}

/// Factors where a reader that applies the wrong one, or one where none belongs, cannot be right by chance.
fn unfactored(suite: &mut Suite) {
    let program = Program::new()
        .def_cfa(7, 5)
        .offset(3, 2)
        .val_offset_sf(12, -2)
        .gnu_args_size(7)
        .advance_loc(3)
        .def_cfa_offset(11)
        .offset_extended(13, 3)
        .advance_loc1(2)
        .def_cfa_sf(6, -2)
        .advance_loc2(1)
        .def_cfa_offset_sf(3);
    let saved = |rest: &[(u64, RegisterRule)]| {
        let first = [(3, at(-14)), (12, RegisterRule::ValOffset(14))];
        first.iter().chain(rest).cloned().collect::<Vec<_>>()
    };
    let (early, late) = (saved(&[]), saved(&[(13, at(-21))]));
    let lines: &[Line] =
        &[(0, cfa(7, 5), &early), (9, cfa(7, 11), &late), (15, cfa(6, 14), &late), (18, cfa(6, -21), &late)];
    let about = "Factors of 3 and -7: which operands they belong to, and which they do not.";
    let functions = data_factor(-7).cie(|cie| CieSpec { code_alignment_factor: 3, ..cie });
    let clause = "DWARF 5 section 6.4.2: factored deltas and offsets; def_cfa, def_cfa_offset and sizes have no factor";
    suite.add(functions.function(0x40, program, lines).add_to(draft("which-operands", about, clause)));
}

/// Two CIEs whose factors differ, and functions of both in turn.
fn two_cies(suite: &mut Suite) {
    let of = |code_alignment_factor: u64, data_alignment_factor: i64| CieSpec {
        code_alignment_factor,
        data_alignment_factor,
        rows: initial_row(cfa(7, 8), &[(16, at(data_alignment_factor))]),
        ..X86_64.eh_frame_cie()
    };
    let fde = |cie: usize, start: u64| {
        let (code, data) = if cie == 0 { (1, -8) } else { (4, -4) };
        let rows = Listing::new(start, start + 0x20)
            .row(0, cfa(7, 8), &[(16, at(data))])
            .row(2 * code, cfa(7, 16), &[(6, at(3 * data)), (16, at(data))])
            .done();
        let program = Program::new().advance_loc(2).def_cfa_offset(16).offset(6, 3);
        Record::Fde(FdeSpec { rows, ..FdeSpec::new(cie, cfidiff_model::Address(start), 0x20, program) })
    };
    let records = vec![
        Record::Cie(of(1, -8)),
        Record::Cie(of(4, -4)),
        fde(1, 0x1010),
        fde(0, 0x1030),
        fde(1, 0x1050),
        Record::Terminator,
    ];
    let about = "Two CIEs with different factors, and functions of both in turn.";
    let clause = "DWARF 5 section 6.4.1: the factors are the ones of the CIE that the FDE points to";
    suite.add(draft("two-cies", about, clause).catches(&["java-profiler PR 786"]).eh_frame(records));
}

/// Products that do not fit 64 bits, for each operand with a factor.
fn overflows(suite: &mut Suite) {
    const FACTOR: i64 = -(1 << 62);
    let bugs = &["gimli PR 509", "libdwarf DW202306-001"];
    let about = "A data alignment factor of -2^62 and a def_cfa_sf of 2^40, whose product is 0 modulo 2^64.";
    let functions = Functions::eh_frame(&X86_64)
        .cie(|cie| CieSpec { data_alignment_factor: FACTOR, ..cie })
        .initial(X86_64.entry_program(), cfa(7, 8), &[(16, at(FACTOR))])
        .function(0x40, Program::new().def_cfa_sf(6, 1 << 40), &[(0, cfa(6, 0), &[])]);
    suite.add(functions.add_to(draft("product-overflow", about, MODULO).catches(bugs)));

    // 2^60 times -8 is -2^63, the least number; 2^60 + 1 times -8 is 2^63 - 8 modulo 2^64.
    const OVER: u64 = (1 << 60) + 1;
    const PRODUCT: i64 = i64::MAX - 7;
    let signed = OVER.cast_signed();
    let programs = [
        ("offset", Program::new().offset(3, OVER), at(PRODUCT)),
        ("offset_extended", Program::new().offset_extended(3, OVER), at(PRODUCT)),
        ("offset_extended_sf", Program::new().offset_extended_sf(3, signed), at(PRODUCT)),
        ("val_offset", Program::new().val_offset(3, OVER), RegisterRule::ValOffset(PRODUCT)),
        ("val_offset_sf", Program::new().val_offset_sf(3, signed), RegisterRule::ValOffset(PRODUCT)),
    ];
    let functions =
        programs.into_iter().fold(Functions::eh_frame(&X86_64), |functions, (_, program, rule)| {
            functions.function(0x10, program, &[(0, cfa(7, 8), &[(3, rule)])])
        });
    let functions = functions
        .function(0x10, Program::new().def_cfa_sf(6, signed), &[(0, cfa(6, PRODUCT), &[])])
        .function(0x10, Program::new().def_cfa_offset_sf(signed), &[(0, cfa(7, PRODUCT), &[])]);
    let about = "Factored offsets of 2^60+1, whose products with -8 do not fit 64 bits.";
    suite.add(functions.usual().add_to(draft("offset-overflows", about, MODULO).catches(bugs)));

    let programs = [i64::MIN, i64::MAX].map(|operand| Program::new().offset_extended_sf(3, operand));
    let about = "Factored offsets of -2^63 and 2^63-1, whose LEB128 has ten bytes.";
    let [least, greatest] = programs;
    let functions = Functions::eh_frame(&X86_64)
        .function(0x10, least, &[(0, cfa(7, 8), &[(3, at(0))])])
        .function(0x10, greatest, &[(0, cfa(7, 8), &[(3, at(8))])]);
    suite.add(functions.usual().add_to(draft("offset-extremes", about, MODULO).catches(bugs)));
}
