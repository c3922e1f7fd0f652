//! The state that instructions build up: what the CIE leaves undefined, what is remembered, and that nothing of it
//! goes from one FDE to the next.

use cfidiff_model::{CfaRule, FaultKind, RegisterRule, SectionKind};

use crate::Program;
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::functions::{EMPTY_ROWS, Functions, Line};
use crate::suite::rows::{at, cfa};

const X86_64: Convention = Convention::X86_64;
const STATE: &str = "DWARF 5 section 6.4.2.4: the rules are pushed, and popped into the current row";
const CFA: &str = "DWARF 5 section 6.4.2.2: the CFA rule is what an instruction that defines it says";
const REGISTERS: &str =
    "DWARF 5 section 6.4.2.3; section 6.4.4: no caller when the return address is undefined";

pub(super) fn add(suite: &mut Suite) {
    remembered(suite);
    remembered_by_history(suite);
    remembered_in_cie(suite);
    unbalanced(suite);
    bomb(suite);
    between_functions(suite);
    without_cfa(suite);
    restores(suite);
    return_addresses(suite);
}

fn draft(name: &str, about: &str, clause: &str) -> Draft {
    Draft::new(&format!("state/{name}"), &X86_64, about).clause(clause)
}

fn remembered(suite: &mut Suite) {
    let program = Program::new()
        .def_cfa_offset(16)
        .advance_loc(1)
        .remember_state()
        .advance_loc(1)
        .def_cfa_offset(32)
        .offset(3, 3)
        .advance_loc(1)
        .restore_state();
    let lines: &[Line] =
        &[(0, cfa(7, 16), &[]), (1, cfa(7, 16), &[]), (2, cfa(7, 32), &[(3, at(-24))]), (3, cfa(7, 16), &[])];
    let draft_of =
        draft("op-rs-cfa", "remember_state, def_cfa_offset, restore_state: the CFA comes back too.", STATE);
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, lines).usual();
    suite.add(functions.add_to(draft_of.catches(&["binutils PR 16252", "parca-agent PR 841"])));

    let program = Program::new()
        .gnu_args_size(8)
        .advance_loc(1)
        .remember_state()
        .advance_loc(1)
        .gnu_args_size(16)
        .def_cfa_offset(32)
        .advance_loc(1)
        .restore_state();
    let lines: &[Line] =
        &[(0, cfa(7, 8), &[]), (1, cfa(7, 8), &[]), (2, cfa(7, 32), &[]), (3, cfa(7, 8), &[])];
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, lines).usual();
    suite.add(functions.add_to(draft("op-rs-args", "remember_state, GNU_args_size, restore_state.", STATE)));

    let program = Program::new()
        .remember_state()
        .advance_loc(1)
        .def_cfa_offset(16)
        .remember_state()
        .advance_loc(1)
        .def_cfa_offset(24)
        .remember_state()
        .advance_loc(1)
        .def_cfa_offset(32)
        .advance_loc(1)
        .restore_state()
        .advance_loc(1)
        .restore_state()
        .advance_loc(1)
        .restore_state();
    let offsets = [8, 16, 24, 32, 24, 16, 8];
    let lines: Vec<Line> = (0..).zip(offsets).map(|(from, offset)| (from, cfa(7, offset), &[][..])).collect();
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, &lines).usual();
    let nested = draft("op-rs-nest", "Three remembered states, nested.", STATE);
    suite.add(functions.add_to(nested.catches(&["gimli issue 273", "gimli PR 274"])));
}

/// A function with two early returns, as compilers write it.
fn remembered_by_history(suite: &mut Suite) {
    let saved: &[(u64, RegisterRule)] = &[(6, at(-16))];
    let program = Program::new()
        .advance_loc(1)
        .def_cfa_offset(16)
        .offset(6, 2)
        .advance_loc(3)
        .remember_state()
        .def_cfa_register(6)
        .advance_loc(8)
        .remember_state()
        .def_cfa(7, 8)
        .restore(6)
        .advance_loc(1)
        .restore_state()
        .advance_loc(4)
        .restore_state()
        .advance_loc(1)
        .def_cfa_offset(8);
    let lines: &[Line] = &[
        (0x00, cfa(7, 8), &[]),
        (0x01, cfa(7, 16), saved),
        (0x04, cfa(6, 16), saved),
        (0x0c, cfa(7, 8), &[]),
        (0x0d, cfa(6, 16), saved),
        (0x11, cfa(7, 16), saved),
        (0x12, cfa(7, 8), saved),
    ];
    let bugs = &["gimli PR 274", "pyelftools PR 184", "binutils PR 16252"];
    let about = "Two early returns, whose states are nested: the rules come back and the location goes on.";
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, lines).usual();
    suite.add(functions.add_to(draft("early-returns", about, STATE).catches(bugs)));
}

fn remembered_in_cie(suite: &mut Suite) {
    let about = "remember_state in the CIE, restore_state in the FDE.";
    let clause = "DWARF 5 section 6.4.3 step 2 executes the CIE's instructions for each FDE, but does not say whether \
        the stack of states is one of both; the CIE's own use of it is in no specification";
    let program = Program::new().advance_loc(1).def_cfa_offset(16).advance_loc(1).restore_state();
    let rows = |last| [(0, cfa(7, 8), &[][..]), (1, cfa(7, 16), &[]), (2, cfa(7, last), &[])];
    let functions = Functions::eh_frame(&X86_64)
        .initial(X86_64.entry_program().remember_state(), cfa(7, 8), &X86_64.entry_rules())
        .function(0x40, program, &rows(8))
        .usual();
    let draft = draft("op-rs-in-cie", about, clause)
        .reading("own-stack", "the stack is empty at the start of an FDE, so nothing can be restored")
        .reading("cie-stack", "the FDE goes on with the CIE's stack, so the CIE's state comes back");
    suite.add(functions.add_to(draft).answer(|entries| {
        let restored = entries[1].clone().reading("cie-stack");
        let nothing = entries[1].clone().reading("own-stack");
        entries[1] = nothing.faults(&[FaultKind::RestoreWithoutRemember]).free(&["rows"]);
        entries.insert(2, restored);
    }));
}

fn unbalanced(suite: &mut Suite) {
    let fault = [FaultKind::RestoreWithoutRemember];
    let program = Program::new().advance_loc(1).restore_state().def_cfa_offset(24);
    let about = "restore_state without a remembered state.";
    let functions = Functions::eh_frame(&X86_64).broken(0x40, program, &fault).usual();
    suite.add(functions.add_to(draft("op-rs-empty", about, STATE)));

    let program =
        Program::new().remember_state().advance_loc(1).restore_state().advance_loc(1).restore_state();
    let about = "One restore_state more than remember_state.";
    let functions = Functions::eh_frame(&X86_64).broken(0x40, program, &fault).usual();
    suite.add(functions.add_to(draft("one-restore-too-many", about, STATE)));

    let program = Program::new().advance_loc(1).remember_state().def_cfa_offset(16);
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (1, cfa(7, 16), &[])];
    let about = "A remembered state that is never restored.";
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, lines).usual();
    suite.add(functions.add_to(draft("op-rs-unbal", about, STATE)));
}

/// More remembered states than anybody has use for.
fn bomb(suite: &mut Suite) {
    const COUNT: usize = 1 << 14;
    let program = (0..COUNT).fold(Program::new(), |program, _| program.remember_state());
    let program = program.advance_loc(1).def_cfa_offset(16);
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (1, cfa(7, 16), &[])];
    let about =
        "16,384 times remember_state: a reader has to bound its memory, and to go on with the next FDE.";
    let clause = "DWARF 5 section 6.4.2.4 gives the stack no bound; a bound is the reader's own";
    let draft = draft("remember-bomb", about, clause)
        .catches(&["gimli PR 687"])
        .reading("bounded", "the reader keeps so many states and reports the rest")
        .reading("unbounded", "the reader has the memory");
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, lines).usual();
    suite.add(functions.add_to(draft).answer(|entries| {
        let function = entries[1].clone().free(&["instructions"]);
        entries[1] = function.clone().reading("bounded").faults(&[FaultKind::RememberDepth]).free(&["rows"]);
        entries.insert(2, function.reading("unbounded"));
    }));
}

fn between_functions(suite: &mut Suite) {
    let first = Program::new().advance_loc(1).def_cfa(6, 32).offset(3, 4).undefined(16).remember_state();
    let lines: &[Line] =
        &[(0, cfa(7, 8), &[]), (1, cfa(6, 32), &[(3, at(-32)), (16, RegisterRule::Undefined)])];
    let functions = || Functions::eh_frame(&X86_64).function(0x20, first.clone(), lines);

    let about = "An FDE that ends in another state than it began with: the next one starts with the CIE's.";
    let clause = "DWARF 5 section 6.4.3: each FDE starts from its CIE's initial instructions";
    let next = Program::new().advance_loc(1).restore(3).restore(16).def_cfa_offset(16);
    let lines: &[Line] = &[(0, cfa(7, 8), &[]), (1, cfa(7, 16), &[])];
    suite.add(functions().function(0x20, next, lines).usual().add_to(draft(
        "next-starts-anew",
        about,
        clause,
    )));

    let about = "remember_state in one FDE, restore_state in the next: there is nothing to restore.";
    let next = Program::new().advance_loc(1).restore_state();
    let functions = functions().broken(0x20, next, &[FaultKind::RestoreWithoutRemember]).usual();
    suite.add(functions.add_to(draft("remembered-in-another", about, clause)));
}

fn without_cfa(suite: &mut Suite) {
    let undefined = || CfaRule::Undefined;
    let ra = X86_64.entry_rules();
    let program = Program::new().advance_loc(1).def_cfa(7, 8);
    let lines: &[Line] = &[(0, undefined(), &[]), (1, cfa(7, 8), &[])];
    let bugs = &["pyelftools PR 177", "binutils ChangeLog 2016-06-02"];
    let about = "No instruction defines a CFA before the second row, as from .cfi_startproc simple.";
    let functions = Functions::eh_frame(&X86_64).initial(Program::new(), undefined(), &[]);
    suite.add(functions.function(0x40, program, lines).add_to(draft("cfi-simple", about, CFA).catches(bugs)));

    let framed = || Program::new().advance_loc(1).def_cfa_offset(16).offset(6, 2).advance_loc(3);
    let fault = [FaultKind::CfaNotRegister];
    let about = "A CIE without instructions, so without a CFA for def_cfa_offset to change.";
    let functions = Functions::eh_frame(&X86_64)
        .initial(Program::new(), undefined(), &[])
        .broken(0x40, framed().def_cfa_register(6), &fault)
        .broken(0x20, framed().def_cfa_register(6), &fault);
    suite.add(functions.add_to(draft("op-empty-cie", about, CFA).catches(bugs)));

    let about = "A CIE without a CFA rule, and an FDE that starts with def_cfa_offset.";
    let program = Program::new().def_cfa_offset(16).advance_loc(1).def_cfa_register(6);
    let functions = Functions::eh_frame(&X86_64)
        .initial(Program::new().offset(16, 1), undefined(), &ra)
        .broken(0x40, program, &fault)
        .broken(0x20, framed().def_cfa_register(6), &fault);
    suite.add(functions.add_to(draft("op-no-cfa", about, CFA).catches(bugs)));

    let about = "A CIE that defines nothing: each FDE defines its CFA before its first row.";
    let program = Program::new().def_cfa(7, 8).offset(16, 1).advance_loc(1).def_cfa_offset(16).offset(6, 2);
    let lines: &[Line] = &[(0, cfa(7, 8), &[(16, at(-8))]), (1, cfa(7, 16), &[(6, at(-16)), (16, at(-8))])];
    let kinds = [("fdes-define-cfa", SectionKind::EhFrame), ("fdes-define-cfa-df", SectionKind::DebugFrame)];
    for (name, kind) in kinds {
        let functions = Functions::new(&X86_64, kind).initial(Program::new(), undefined(), &[]);
        let functions = functions.function(0x40, program.clone(), lines);
        let functions = functions.function(0x20, program.clone(), lines);
        suite.add(functions.add_to(draft(name, about, CFA).catches(bugs)));
    }

    let about =
        "A CIE for MIPS as the GNU assembler writes it: def_cfa_register alone, which means offset zero.";
    let clause = "GNU assembler for MIPS and RISC-V: a CIE that starts with DW_CFA_def_cfa_register; \
        DWARF 5 section 6.4.2.2 wants a rule to change";
    let mips = Convention::MIPS;
    let program = Program::new().advance_loc(4).def_cfa_offset(32).offset(31, 1);
    let lines: &[Line] = &[(0, cfa(29, 0), &[]), (4, cfa(29, 32), &[(31, at(-4))])];
    let functions = Functions::eh_frame(&mips)
        .initial(Program::new().def_cfa_register(29), cfa(29, 0), &[])
        .function(0x40, program, lines)
        .usual();
    suite.add(functions.add_to(Draft::new("state/first-def_cfa_register", &mips, about).clause(clause)));
}

fn restores(suite: &mut Suite) {
    let clause =
        "DWARF 5 section 6.4.2.3: the rule that the CIE's initial instructions set, which may be none";
    let program = Program::new()
        .offset(3, 2)
        .advance_loc(1)
        .restore(3)
        .advance_loc(1)
        .offset(16, 3)
        .advance_loc(1)
        .restore(16);
    let lines: &[Line] = &[
        (0, cfa(7, 8), &[(3, at(-16))]),
        (1, cfa(7, 8), &[]),
        (2, cfa(7, 8), &[(16, at(-24))]),
        (3, cfa(7, 8), &[]),
    ];
    let about = "restore of a register without a rule in the CIE, and of one with a rule.";
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, lines).usual();
    suite.add(functions.add_to(draft("op-restore-noinit", about, clause)));

    let about = "restore in the CIE, where there is nothing to go back to.";
    let functions = Functions::eh_frame(&X86_64)
        .initial(X86_64.entry_program().restore(3), cfa(7, 8), &X86_64.entry_rules())
        .faulty_cie(&[FaultKind::RestoreInCie], &["rows"]);
    let draft_of = functions.usual().usual().add_to(draft("op-restore-cie", about, clause));
    let read = "there is nothing to go back to, so the restore changes nothing";
    suite.add(draft_of.or_refused_where(|index| index > 0, read, "the FDEs start from a CIE that is broken"));

    let clause = "DWARF 5 sections 6.4.2.1 and 6.4.3: an advance makes a row, also with nothing behind it";
    let program = Program::new()
        .def_cfa_offset(16)
        .def_cfa_offset(24)
        .advance_loc(1)
        .advance_loc(0)
        .advance_loc(1)
        .def_cfa_offset(24)
        .advance_loc(1);
    let row = |from| (from, cfa(7, 24), &[][..]);
    let functions = Functions::eh_frame(&X86_64)
        .function(0x40, program, &[row(0), row(1), row(1), row(2), row(3)])
        .or(EMPTY_ROWS, &[row(0), row(1), row(2), row(3)]);
    let about = "Two def_cfa_offset at one location, and an advance with nothing behind it.";
    suite.add(functions.usual().add_to(draft("op-same-row", about, clause)));
}

fn return_addresses(suite: &mut Suite) {
    use RegisterRule::Undefined;
    let bugs = &["framehop commit 07ce0f4"];
    let about = "The return address undefined in the FDE, as in _start: the outermost frame.";
    let lines: &[Line] = &[(0, cfa(7, 8), &[(16, Undefined)])];
    let functions = Functions::eh_frame(&X86_64).function(0x40, Program::new().undefined(16), lines).usual();
    suite.add(functions.add_to(draft("op-dup-cie-rules", about, REGISTERS).catches(bugs)));

    let about = "The return address undefined in the CIE, as in that of crt1.o.";
    let program = Program::new().def_cfa(7, 8).offset(16, 1).undefined(16);
    let functions = Functions::eh_frame(&X86_64).initial(program, cfa(7, 8), &[(16, Undefined)]).function(
        0x40,
        Program::new(),
        &[(0, cfa(7, 8), &[])],
    );
    suite.add(functions.add_to(draft("undefined-in-cie", about, REGISTERS).catches(bugs)));

    let aarch64 = Convention::AARCH64;
    let about = "The return address undefined on AArch64, as in _start.";
    let lines: &[Line] = &[(0, cfa(31, 0), &[(30, Undefined)])];
    let functions = Functions::eh_frame(&aarch64).function(0x40, Program::new().undefined(30), lines).usual();
    let start = Draft::new("state/undefined-aarch64", &aarch64, about).clause(REGISTERS).catches(bugs);
    suite.add(functions.add_to(start));

    let leaves = [
        ("leaf-aarch64", Convention::AARCH64, &["symbolic issue 948", "symbolic PR 949"][..]),
        ("leaf-mips", Convention::MIPS, &["symbolic PR 612"]),
        ("leaf-arm", Convention::ARM, &["symbolic PR 949"]),
        ("leaf-ppc64le", Convention::PPC64LE, &["symbolic PR 949"]),
    ];
    for (name, machine, bugs) in leaves {
        let about = "A leaf function: no rule for the return address, which stays in its register.";
        let entry = || cfa(machine.stack_pointer, machine.entry_offset);
        let framed = cfa(machine.stack_pointer, 16);
        let program = Program::new().advance_loc(1).def_cfa_offset(16);
        let lines: &[Line] = &[(0, entry(), &[]), (machine.code_alignment_factor, framed, &[])];
        let functions = Functions::eh_frame(&machine)
            .function(0x10, Program::new(), &[(0, entry(), &[])])
            .function(0x20, program, lines)
            .usual();
        let clause = "DWARF 5 section 6.4.1: what a register without a rule holds is the ABI's to say";
        suite.add(
            functions
                .add_to(Draft::new(&format!("state/{name}"), &machine, about).clause(clause).catches(bugs)),
        );
    }
}
