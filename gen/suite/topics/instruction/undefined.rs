//! Opcodes without a definition, and instructions that the end of the record cuts off. Nothing behind them can be
//! read, since an operand's size is not known or not there.

use std::ops::RangeInclusive;

use cfidiff_model::{FaultKind, Instruction, SectionKind};

use crate::Program;
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::functions::Functions;
use crate::suite::rows::{at, cfa};

const MACHINE: Convention = Convention::X86_64;
const TABLE: &str = "DWARF 5 section 7.24, table 7.29: the opcode is not in the table";

pub(super) fn add(suite: &mut Suite) {
    for (opcode, name) in [(0x17, "op-unk-17"), (0x1c, "op-unk-1c"), (0x3f, "op-unk-3f")] {
        let about =
            format!("The undefined opcode {opcode:#04x}, and an instruction that cannot be found behind it.");
        let functions =
            Functions::eh_frame(&MACHINE).broken(0x40, unknown(opcode), &[FaultKind::UnknownOpcode]);
        suite.add(functions.usual().add_to(draft(name, &about).clause(TABLE)));
    }
    family(
        suite,
        "undefined-17-1c",
        &MACHINE,
        0x17..=0x1c,
        "that the standard keeps for itself and the first of the user's",
    );
    family(
        suite,
        "undefined-1e-2c",
        &MACHINE,
        0x1e..=0x2c,
        "of the user's, the last one of which AArch64 has",
    );
    family(suite, "undefined-32-3f", &MACHINE, 0x32..=0x3f, "at the end of the user's");
    family(suite, "undefined-aarch64", &Convention::AARCH64, 0x2a..=0x2b, "next to those that AArch64 has");
    in_cie(suite);
    cut_off(suite);
}

fn draft(name: &str, about: &str) -> Draft {
    Draft::new(&format!("instruction/{name}"), &MACHINE, about)
}

/// An opcode with what may be its operands or other instructions.
fn unknown(opcode: u8) -> Program {
    Program::new().raw(&[opcode, 0x0e, 0x18], &[Instruction::Unknown { opcode }])
}

/// A function for each of the opcodes, between ordinary ones, in both sections.
fn family(suite: &mut Suite, name: &str, machine: &Convention, opcodes: RangeInclusive<u8>, which: &str) {
    for kind in [SectionKind::EhFrame, SectionKind::DebugFrame] {
        let prefix = if kind == SectionKind::EhFrame { "eh" } else { "debug" };
        let name = format!("instruction/{prefix}-{name}");
        let about = format!("The undefined opcodes {which}, each in an FDE of its own.");
        let functions = opcodes.clone().fold(Functions::new(machine, kind).usual(), |functions, opcode| {
            let program = Program::new()
                .advance_loc(1)
                .def_cfa_offset(16)
                .raw(&[opcode], &[Instruction::Unknown { opcode }]);
            functions.broken(0x10, program, &[FaultKind::UnknownOpcode])
        });
        let draft = Draft::new(&name, machine, &about)
            .clause(TABLE)
            .catches(&["gimli PR 673", "parca-agent issue 2181"]);
        suite.add(functions.usual().add_to(draft));
    }
}

fn in_cie(suite: &mut Suite) {
    let (about, free) = ("An undefined opcode in the CIE, so that no row of its FDEs is known.", &["rows"]);
    let program = Program::new()
        .def_cfa(7, 8)
        .offset(16, 1)
        .raw(&[0x17, 0x0e, 0x20], &[Instruction::Unknown { opcode: 0x17 }]);
    let framed =
        || Program::new().advance_loc(1).def_cfa_offset(16).offset(6, 2).advance_loc(3).def_cfa_register(6);
    let functions = Functions::eh_frame(&MACHINE)
        .initial(program, cfa(7, 8), &[(16, at(-8))])
        .faulty_cie(&[FaultKind::UnknownOpcode], free)
        .broken(0x40, framed(), &[FaultKind::CieUnreadable])
        .broken(0x20, framed(), &[FaultKind::CieUnreadable]);
    suite.add(functions.add_to(draft("op-unk-cie", about).clause(TABLE)));
}

fn cut_off(suite: &mut Suite) {
    let clause = "DWARF 5 section 6.4.1: the record's length bounds its instructions";
    let singles: [(&str, &str, &[u8]); 3] = [
        ("op-trunc-adv4", "The record ends inside the operand of DW_CFA_advance_loc4.", &[0x04, 0x03, 0x00]),
        (
            "op-trunc-op",
            "The record ends before the second operand of DW_CFA_offset_extended.",
            &[0x05, 0x03],
        ),
        ("op-trunc-leb", "The record ends inside a LEB128 operand of DW_CFA_def_cfa_offset.", &[0x0e, 0x90]),
    ];
    for (name, about, bytes) in singles {
        let program = Program::new().def_cfa_offset(16).raw(bytes, &[]);
        let functions =
            Functions::eh_frame(&MACHINE).cut_off(0x40, program, &[FaultKind::TruncatedInstruction]);
        suite.add(functions.usual().add_to(draft(name, about).clause(clause)));
    }
}
