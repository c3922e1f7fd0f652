//! Single functions with one instruction or a few of them, for readers that are at their beginning.

use cfidiff_model::RegisterRule::{Register, SameValue, Undefined, ValOffset};
use cfidiff_model::{Address, FaultKind, SectionKind};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::functions::{EMPTY_ROWS, Functions, Line};
use crate::suite::rows::{at, cfa};
use crate::{CieSpec, Program};

const MACHINE: Convention = Convention::X86_64;
const DELTA: &str = "DWARF 5 section 6.4.2.1: the delta is unsigned, times the code alignment factor";

pub(super) fn add(suite: &mut Suite) {
    advances(suite);
    advances_too_far(suite);
    set_locs(suite);
    rules(suite);
}

fn draft(name: &str, about: &str, clause: &str) -> Draft {
    Draft::new(&format!("instruction/{name}"), &MACHINE, about).clause(clause)
}

fn advances(suite: &mut Suite) {
    let singles = [
        ("op-adv1", "DW_CFA_advance_loc1 of 32.", Program::new().advance_loc1(32)),
        ("op-adv2", "DW_CFA_advance_loc2 of 32.", Program::new().advance_loc2(32)),
        ("op-adv4", "DW_CFA_advance_loc4 of 32.", Program::new().advance_loc4(32)),
        ("op-adv8-mips", "DW_CFA_MIPS_advance_loc8 of 32 on x86-64.", Program::new().mips_advance_loc8(32)),
    ];
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (32, cfa(7, 16), &[])];
    for (name, about, program) in singles {
        let functions = Functions::eh_frame(&MACHINE).function(0x40, program.def_cfa_offset(16), lines);
        suite.add(functions.usual().add_to(draft(name, about, DELTA)));
    }
    let program = Program::new().advance_loc(0).def_cfa_offset(16).advance_loc(1).def_cfa_offset(24);
    let functions = Functions::eh_frame(&MACHINE)
        .function(0x40, program, &[(0, cfa(7, 8), &[]), (0, cfa(7, 16), &[]), (1, cfa(7, 24), &[])])
        .or(EMPTY_ROWS, &[(0, cfa(7, 16), &[]), (1, cfa(7, 24), &[])]);
    suite.add(functions.usual().add_to(draft("op-adv0", "DW_CFA_advance_loc of 0.", DELTA)));
}

fn advances_too_far(suite: &mut Suite) {
    let clause =
        "DWARF 5 sections 6.4.1 and 6.4.2.1: a delta is unsigned, and rows are of the range's addresses";
    let past_end = [FaultKind::LocationPastEnd];
    let program = Program::new().advance_loc1(64).def_cfa_offset(16);
    let about = "DW_CFA_advance_loc1 past the end of the FDE.";
    let functions = Functions::eh_frame(&MACHINE).broken(0x20, program, &past_end);
    suite.add(functions.usual().add_to(draft("adv-past-end", about, clause)));

    let program = Program::new().advance_loc4(0xffff_fff0).def_cfa_offset(16);
    let about = "DW_CFA_advance_loc4 of 0xfffffff0, which is no step back.";
    let functions = Functions::eh_frame(&MACHINE).broken(0x40, program, &past_end);
    suite.add(functions.usual().add_to(draft("op-adv4-neg", about, clause)));
}

fn set_locs(suite: &mut Suite) {
    let clause = "DWARF 5 section 6.4.2.1: a target address; in .eh_frame compilers write it in R's encoding";
    let program = || Program::new().def_cfa_offset(16).set_loc(Address(0x1020)).def_cfa_offset(24);
    let lines: &[Line] = &[(0, cfa(7, 16), &[]), (0x10, cfa(7, 24), &[])];
    let about = "DW_CFA_set_loc where R says that locations are plain addresses.";
    let functions = Functions::eh_frame(&MACHINE).cie(|cie| CieSpec { fde_encoding: 0, ..cie });
    let functions = functions.function(0x40, program(), lines);
    suite.add(functions.add_to(draft("op-set_loc-abs", about, clause)));

    let about = "DW_CFA_set_loc in .debug_frame.";
    let functions = Functions::new(&MACHINE, SectionKind::DebugFrame).function(0x40, program(), lines);
    suite.add(functions.add_to(draft("op-set_loc-df", about, clause)));

    let about =
        "DW_CFA_set_loc where R says pcrel sdata4: four bytes, counted from the operand's own address.";
    let program =
        Program::new().def_cfa_offset(16).advance_loc(1).set_loc(Address(0x1020)).def_cfa_offset(24);
    let lines: &[Line] = &[(0, cfa(7, 16), &[]), (1, cfa(7, 16), &[]), (0x10, cfa(7, 24), &[])];
    let functions = Functions::eh_frame(&MACHINE).function(0x40, program, lines);
    suite.add(functions.add_to(draft("op-set_loc-pcrel", about, clause)));
}

fn rules(suite: &mut Suite) {
    let clause = "DWARF 5 section 6.4.2.2: the offset is signed, times the data alignment factor";
    let program = Program::new().def_cfa_sf(7, -2).advance_loc(1).def_cfa_offset_sf(-3);
    let lines: &[Line] = &[(0, cfa(7, 16), &[]), (1, cfa(7, 24), &[])];
    let functions = Functions::eh_frame(&MACHINE).function(0x40, program, lines);
    suite.add(functions.usual().add_to(draft(
        "op-cfasf",
        "DW_CFA_def_cfa_sf and def_cfa_offset_sf.",
        clause,
    )));

    let clause = "DWARF 5 section 6.4.2.3: register rule instructions";
    let program = Program::new()
        .offset_extended(3, 2)
        .restore_extended(3)
        .offset_extended_sf(3, -2)
        .undefined(12)
        .same_value(13)
        .register(14, 15);
    let rules = [(3, at(16)), (12, Undefined), (13, SameValue), (14, Register(15))];
    let functions = Functions::eh_frame(&MACHINE).function(0x40, program, &[(0, cfa(7, 8), &rules)]);
    let about = "offset_extended, restore_extended, offset_extended_sf, undefined, same_value and register.";
    suite.add(functions.usual().add_to(draft("op-extended", about, clause)));

    let program = Program::new().val_offset(3, 2).val_offset_sf(12, -2);
    let lines: &[Line] = &[(0, cfa(7, 8), &[(3, ValOffset(-16)), (12, ValOffset(16))])];
    let functions = Functions::eh_frame(&MACHINE).function(0x40, program, lines);
    suite.add(functions.usual().add_to(draft("op-valoff", "DW_CFA_val_offset and val_offset_sf.", clause)));
}
