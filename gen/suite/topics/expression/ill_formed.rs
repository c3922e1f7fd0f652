//! Expressions that cannot be read to their end, or that something is done with which only a register and an offset
//! allow.

use cfidiff_model::FaultKind;

use super::X86_64;
use crate::suite::Suite;
use crate::suite::draft::Draft;
use crate::suite::functions::Functions;
use crate::{Code, Program};

pub(super) fn add(suite: &mut Suite) {
    lengths(suite);
    operations(suite);
    changed_as_register(suite);
}

fn draft(name: &str, about: &str, clause: &str) -> Draft {
    Draft::new(&format!("expression/{name}"), &X86_64, about).clause(clause)
}

fn lengths(suite: &mut Suite) {
    let clause = "DWARF 5 section 7.5.5: an exprloc's length counts bytes of the same record";
    let cases: [(&str, &str, &[u8]); 3] = [
        ("op-expr-long", "def_cfa_expression", &[0x0f, 0x40, 0x77, 0x08]),
        ("expression-long", "expression", &[0x10, 0x03, 0x40, 0x77, 0x08]),
        ("val_expression-long", "val_expression", &[0x16, 0x03, 0x40, 0x77, 0x08]),
    ];
    for (name, opcode, bytes) in cases {
        let about = format!("The expression of DW_CFA_{opcode} has a length past the end of the record.");
        let program = Program::new().raw(bytes, &[]);
        let functions =
            Functions::eh_frame(&X86_64).cut_off(0x40, program, &[FaultKind::TruncatedInstruction]);
        suite.add(functions.usual().add_to(draft(name, &about, clause).catches(&["KSCrash PR 871"])));
    }
}

fn operations(suite: &mut Suite) {
    let clause = "DWARF 5 sections 2.5.1 and 7.7.1: the operations, and how their operands are written";
    let unknown = Code::new().plain(0x02);
    let cut = || Code::new().plain(0x03).plain(0x08);
    let user = Code::new().plain(0xe9);
    let program = Program::new()
        .def_cfa_expression(unknown)
        .advance_loc(1)
        .def_cfa_expression(cut())
        .advance_loc(1)
        .def_cfa_expression(Code::new())
        .expression(3, user);
    let about =
        "Expressions with an undefined operation, with an operand that is cut off, and with no value.";
    let functions = Functions::eh_frame(&X86_64).broken(0x40, program, &[FaultKind::Expression]);
    // What a reader makes of the operations is its own choice, the bytes of the instructions are not in the answer.
    let draft = functions.usual().add_to(draft("op-expr-bad", about, clause));
    suite.add(draft.entry(1, |entry| entry.free(&["instructions"])));
}

fn changed_as_register(suite: &mut Suite) {
    let clause = "DWARF 5 section 6.4.2.2: valid only if the current CFA rule is a register and an offset";
    let program = Program::new()
        .def_cfa_expression(Code::new().breg(7, 8))
        .advance_loc(1)
        .def_cfa_register(6)
        .advance_loc(1)
        .def_cfa_offset(16);
    let about = "def_cfa_register and def_cfa_offset while the CFA is an expression.";
    let functions = Functions::eh_frame(&X86_64).broken(0x40, program, &[FaultKind::CfaNotRegister]).usual();
    suite.add(functions.add_to(draft("op-cfareg-after-expr", about, clause)));

    let program =
        Program::new().def_cfa_expression(Code::new().breg(7, 8)).advance_loc(1).def_cfa_offset_sf(-2);
    let about = "def_cfa_offset_sf while the CFA is an expression.";
    let functions = Functions::eh_frame(&X86_64).broken(0x40, program, &[FaultKind::CfaNotRegister]).usual();
    suite.add(functions.add_to(draft("cfa-offset_sf-after-expression", about, clause)));
}
