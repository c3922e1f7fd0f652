//! Where rows start and end: at one location, at the FDE's ends, at the ends of the address space.

use cfidiff_model::{Address, FaultKind, SectionKind};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::functions::{EMPTY_ROWS, Functions, Line};
use crate::suite::rows::{Listing, at, cfa};
use crate::{CieSpec, FdeSpec, Padding, Program, Record};

const ROWS: &str =
    "DWARF 5 section 6.4.3: a row holds from its location up to the next one's, the last to the FDE's end";
const X86_64: Convention = Convention::X86_64;

pub(super) fn add(suite: &mut Suite) {
    empty_program(suite);
    one_location(suite);
    empty_rows(suite);
    advance_to_end(suite);
    wide_deltas(suite);
    top_of_address_space(suite);
    past_address_space(suite);
}

fn draft(name: &str, machine: &Convention, about: &str) -> Draft {
    Draft::new(&format!("row/{name}"), machine, about).clause(ROWS)
}

fn empty_program(suite: &mut Suite) {
    for (kind, name) in
        [(SectionKind::EhFrame, "eh-no-instructions"), (SectionKind::DebugFrame, "debug-no-instructions")]
    {
        let start = TEXT + 0x80;
        let bare = FdeSpec {
            rows: Listing::new(start, start + 0x20).row(0, cfa(7, 8), &X86_64.entry_rules()).done(),
            padding: Padding::Nops(0),
            ..FdeSpec::new(0, Address(start), 0x20, Program::new())
        };
        let about = "An FDE without instructions, not even padding: its one row is the CIE's.";
        let functions = Functions::new(&X86_64, kind).usual().record(Record::Fde(bare));
        suite.add(functions.add_to(draft(name, &X86_64, about)));
    }
}

fn one_location(suite: &mut Suite) {
    let program = Program::new()
        .def_cfa_offset(64)
        .offset(3, 8)
        .def_cfa(6, 16)
        .offset(3, 2)
        .undefined(12)
        .restore(12)
        .advance_loc(4)
        .offset(12, 5)
        .offset(3, 3)
        .offset(12, 6)
        .def_cfa_offset(24)
        .def_cfa_offset(32);
    let lines: &[Line] = &[(0, cfa(6, 16), &[(3, at(-16))]), (4, cfa(6, 32), &[(3, at(-24)), (12, at(-48))])];
    let about = "Several instructions at one location: the row has what the last ones say.";
    let functions = Functions::eh_frame(&X86_64).function(0x20, program, lines).usual();
    suite.add(functions.add_to(draft("last-instruction-counts", &X86_64, about)));
}

fn empty_rows(suite: &mut Suite) {
    let advances: [(&str, Program); 5] = [
        ("advance_loc", Program::new().advance_loc(0)),
        ("advance_loc1", Program::new().advance_loc1(0)),
        ("advance_loc2", Program::new().advance_loc2(0)),
        ("advance_loc4", Program::new().advance_loc4(0)),
        ("set_loc", Program::new().set_loc(Address(TEXT + 0x10))),
    ];
    for (opcode, advance) in advances {
        let program = advance.def_cfa_offset(16).advance_loc(1).def_cfa_offset(24);
        let functions = Functions::eh_frame(&X86_64)
            .function(0x20, program, &[(0, cfa(7, 8), &[]), (0, cfa(7, 16), &[]), (1, cfa(7, 24), &[])])
            .or(EMPTY_ROWS, &[(0, cfa(7, 16), &[]), (1, cfa(7, 24), &[])]);
        let about = format!("DW_CFA_{opcode} that moves the location by nothing.");
        suite.add(functions.usual().add_to(draft(&format!("{opcode}-by-nothing"), &X86_64, &about)));
    }
}

fn advance_to_end(suite: &mut Suite) {
    let program = Program::new().advance_loc(0x1f).def_cfa_offset(16);
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (0x1f, cfa(7, 16), &[])];
    let about = "A row for the last byte of the FDE alone.";
    let functions = Functions::eh_frame(&X86_64).function(0x20, program, lines).usual();
    suite.add(functions.add_to(draft("last-byte", &X86_64, about).catches(&["delve commit 464a6b96"])));

    let program = Program::new().advance_loc(1).def_cfa_offset(16).advance_loc(0x1f).def_cfa_offset(8);
    let functions = Functions::eh_frame(&X86_64)
        .function(0x20, program, &[(0, cfa(7, 8), &[]), (1, cfa(7, 16), &[]), (0x20, cfa(7, 8), &[])])
        .or(EMPTY_ROWS, &[(0, cfa(7, 8), &[]), (1, cfa(7, 16), &[])]);
    let about = "An advance to the FDE's end, where no address is left for the row.";
    suite.add(functions.usual().add_to(draft("advance-to-end", &X86_64, about)));
}

fn wide_deltas(suite: &mut Suite) {
    let program = Program::new()
        .advance_loc4(0x8000_0000)
        .def_cfa_offset(16)
        .advance_loc4(0xffff_ffff)
        .def_cfa_offset(24)
        .mips_advance_loc8(0x1_0000_0001)
        .def_cfa_offset(32);
    let lines: &[Line] = &[
        (0, cfa(7, 8), &[]),
        (0x8000_0000, cfa(7, 16), &[]),
        (0x1_7fff_ffff, cfa(7, 24), &[]),
        (0x2_8000_0000, cfa(7, 32), &[]),
    ];
    let about = "Advances by 2^31, by 2^32-1 and by more than 32 bits in a range of 2^34 bytes.";
    let draft = draft("wide-deltas", &X86_64, about);
    suite.add(
        Functions::new(&X86_64, SectionKind::DebugFrame).function(1 << 34, program, lines).add_to(draft),
    );
}

fn top_of_address_space(suite: &mut Suite) {
    let machines = [
        ("x86-64", Convention::X86_64, 0x40_u64.wrapping_neg()),
        ("i386", Convention::I386, 0xffff_ffc0),
        ("s390x", Convention::S390X, 0x40_u64.wrapping_neg()),
        ("ppc", Convention::PPC, 0xffff_ffc0),
    ];
    for (name, machine, start) in machines {
        let (register, entry) = (machine.stack_pointer, machine.entry_offset);
        let program =
            Program::new().advance_loc((0x30 / machine.code_alignment_factor) as u8).def_cfa_offset(32);
        let rows = Listing::new(start, 0)
            .row(0, cfa(register, entry), &machine.entry_rules())
            .row(0x30, cfa(register, 32), &machine.entry_rules())
            .done();
        let fde = FdeSpec { rows, ..FdeSpec::new(0, Address(start), 0x40, program) };
        for (kind, section) in [(SectionKind::EhFrame, "eh"), (SectionKind::DebugFrame, "debug")] {
            let about = "An FDE of the last 64 bytes of the address space: its end is the address zero.";
            // A plain address in .eh_frame too, since no pcrel sdata4 reaches so far in 64 bits.
            let functions = Functions::new(&machine, kind).cie(|cie| CieSpec { fde_encoding: 0, ..cie });
            let functions = functions.record(Record::Fde(fde.clone())).usual();
            suite.add(functions.add_to(draft(&format!("{section}-top-{name}"), &machine, about)));
        }
    }
}

fn past_address_space(suite: &mut Suite) {
    let machines =
        [("x86-64", Convention::X86_64, 0x10_u64.wrapping_neg()), ("i386", Convention::I386, 0xffff_fff0)];
    for (name, machine, start) in machines {
        let about = "An FDE that reaches past the end of the address space, and an advance that goes there.";
        let program = Program::new().advance_loc(0x20).def_cfa_offset(16);
        let faults = [FaultKind::RangeOverflow, FaultKind::LocationBackwards];
        let functions = Functions::eh_frame(&machine)
            .cie(|cie| CieSpec { fde_encoding: 0, ..cie })
            .usual()
            .at(start)
            .broken(0x40, program, &faults);
        let draft = draft(&format!("past-top-{name}"), &machine, about);
        suite.add(functions.add_to(draft.catches(&["gimli PR 509", "gimli PR 730"])));
    }
}
