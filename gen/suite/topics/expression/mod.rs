//! DWARF expressions in call frame instructions: each operation that may stand there, and expressions that end in
//! the wrong place.

mod ill_formed;
mod operations;

use cfidiff_model::Address;

use crate::suite::compiled::procedure_linkage_table;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::functions::{Functions, Line};
use crate::suite::rows::{at, cfa, cfa_expression, expression, val_expression};
use crate::suite::{FrameAnswer, Suite};
use crate::{Code, Program, Record};

const X86_64: Convention = Convention::X86_64;

pub(super) fn add(suite: &mut Suite) {
    operations::add(suite);
    ill_formed::add(suite);
    forms(suite);
    plt(suite);
    realigned(suite);
}

fn forms(suite: &mut Suite) {
    let (cfa_code, saved, value) =
        (Code::new().breg(7, 8), Code::new().breg(7, -8), Code::new().breg(7, 16).lit(1).plus());
    let program = Program::new()
        .def_cfa_expression(cfa_code.clone())
        .expression(3, saved.clone())
        .val_expression(12, value.clone());
    let rules = [(3, expression(&saved, 8)), (12, val_expression(&value, 8))];
    let functions = Functions::eh_frame(&X86_64)
        .function(0x40, program, &[(0, cfa_expression(&cfa_code, 8), &rules)])
        .usual();
    let clause = "DWARF 5 sections 6.4.2.2 and 6.4.2.3: an expression with its length in front (exprloc)";
    let about = "def_cfa_expression, expression and val_expression.";
    suite.add(functions.add_to(Draft::new("expression/op-expr", &X86_64, about).clause(clause)));

    let functions = Functions::eh_frame(&X86_64)
        .initial(
            Program::new().def_cfa_expression(cfa_code.clone()).offset(16, 1),
            cfa_expression(&cfa_code, 8),
            &[(16, at(-8))],
        )
        .function(
            0x40,
            Program::new().advance_loc(1).def_cfa(6, 16),
            &[(0, cfa_expression(&cfa_code, 8), &[]), (1, cfa(6, 16), &[])],
        );
    let about = "A CIE whose CFA is an expression, and an FDE that puts a register in its place.";
    suite.add(functions.add_to(Draft::new("expression/cfa-in-cie", &X86_64, about).clause(clause)));

    let program = Program::new().expression(3, Code::new()).val_expression(12, Code::new());
    let rules = [(3, expression(&Code::new(), 8)), (12, val_expression(&Code::new(), 8))];
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, &[(0, cfa(7, 8), &rules)]).usual();
    let clause = "DWARF 5 section 6.4.2.3: the CFA is on the stack at the start, so no operation is needed";
    let about = "Expressions of no bytes, which give the CFA that they start with.";
    let frame = FrameAnswer {
        address: Address(TEXT + 0x10),
        registers: vec![(7, 0x7000)],
        memory: Vec::new(),
        cfa: 0x7008,
        saved: vec![(3, 0x7008), (16, 0x7000)],
        values: vec![(12, 0x7008)],
    };
    let functions = functions.add_to(Draft::new("expression/empty", &X86_64, about).clause(clause));
    suite.add(functions.frames([frame]));
}

/// The linker's FDE for the procedure linkage table: each entry of 16 bytes pushes 8 at its byte 11, or 9 where the
/// entry starts with endbr64.
fn plt(suite: &mut Suite) {
    for (name, pushed, about) in [
        ("plt", 11, "The FDE that linkers write for the procedure linkage table."),
        ("plt-ibt", 9, "The same for a table whose entries start with endbr64."),
    ] {
        let table = Record::Fde(procedure_linkage_table(0, TEXT + 0x20, pushed));
        let functions = Functions::eh_frame(&X86_64).record(table).at(TEXT + 0x40).usual();
        let clause = "DWARF 5 section 6.4.2.2: the CFA is the value of the expression";
        let draft = Draft::new(&format!("expression/{name}"), &X86_64, about).clause(clause);
        let frames = (0..0x20).map(|byte| in_table(TEXT + 0x20, byte, pushed.into()));
        let draft = draft.catches(&["opentelemetry-ebpf-profiler PR 1253"]);
        suite.add(functions.add_to(draft).frames(frames));
    }
}

/// The frame at a byte of the procedure linkage table, with the stack pointer at 0x7000: what was pushed so far
/// stands between it and the CFA.
fn in_table(table: u64, byte: u64, pushed: u64) -> FrameAnswer {
    let words = match byte {
        0..6 => 2,
        6..16 => 3,
        _ if byte % 16 >= pushed => 2,
        _ => 1,
    };
    let (address, cfa) = (Address(table + byte), 0x7000 + 8 * words);
    let registers = vec![(7, 0x7000), (16, address.0)];
    FrameAnswer {
        address,
        registers,
        memory: Vec::new(),
        cfa,
        saved: vec![(16, cfa - 8)],
        values: Vec::new(),
    }
}

/// A function that realigns its stack, as GCC writes it: r10 holds the CFA and is saved in the frame.
fn realigned(suite: &mut Suite) {
    let saved = |offset| Code::new().breg(6, offset);
    let from_frame = saved(-8).deref();
    let program = Program::new()
        .advance_loc(5)
        .def_cfa(10, 0)
        .advance_loc(9)
        .expression(6, saved(0))
        .advance_loc(5)
        .def_cfa_expression(from_frame.clone())
        .expression(3, saved(-16));
    let (rbp, rbx) = ((6, expression(&saved(0), 8)), (3, expression(&saved(-16), 8)));
    let lines: &[Line] = &[
        (0, cfa(7, 8), &[]),
        (5, cfa(10, 0), &[]),
        (14, cfa(10, 0), std::slice::from_ref(&rbp)),
        (19, cfa_expression(&from_frame, 8), &[rbx, rbp.clone()]),
    ];
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, lines);
    let program =
        Program::new().def_cfa_expression(Code::new().breg(6, -8).deref()).register(16, 2).offset(6, 2);
    let rules = [(6, at(-16)), (16, cfidiff_model::RegisterRule::Register(2))];
    let functions = functions.function(0x20, program, &[(0, cfa_expression(&from_frame, 8), &rules)]).usual();
    let clause = "DWARF 5 sections 6.4.2.2 and 6.4.2.3";
    let about = "A function that realigns its stack: the CFA is in a register, then in the frame.";
    suite.add(functions.add_to(Draft::new("expression/realigned-stack", &X86_64, about).clause(clause)));
}
