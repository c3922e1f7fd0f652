//! remember_state and restore_state: each kind of CFA and of register rule by each kind that is in force when the
//! state comes back.

use cfidiff_model::{CfaRule, RegisterRule, SectionKind};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::functions::Functions;
use crate::suite::rows::{at, cfa, cfa_expression, expression, val_expression};
use crate::{Code, Program};

const CLAUSE: &str = "DWARF 5 section 6.4.2.4: restore_state brings back the rules of every register, and with them \
    the CFA's";
const CATCHES: &[&str] = &["gimli PR 274", "pyelftools PR 184", "binutils PR 16252", "parca-agent PR 841"];

/// A kind of CFA rule, with operands that tell the two of one kind apart.
struct Kind {
    name: &'static str,
    write: fn(Program, u8) -> Program,
    rule: fn(u8) -> CfaRule,
}

fn code(slot: u8) -> Code {
    Code::new().breg(6, -8 * i64::from(slot)).deref()
}

const KINDS: [Kind; 2] = [
    Kind {
        name: "register",
        write: |program, slot| program.def_cfa(u64::from(slot), 8 * u64::from(slot)),
        rule: |slot| cfa(slot.into(), 8 * i64::from(slot)),
    },
    Kind {
        name: "expression",
        write: |program, slot| program.def_cfa_expression(code(slot)),
        rule: |slot| cfa_expression(&code(slot), 8),
    },
];

pub(super) fn add(suite: &mut Suite) {
    for before in &KINDS {
        for after in &KINDS {
            cfas(suite, before, after);
        }
    }
    rules(suite);
}

fn cfas(suite: &mut Suite, before: &Kind, after: &Kind) {
    for kind in [SectionKind::EhFrame, SectionKind::DebugFrame] {
        let program = (before.write)(Program::new(), 2).advance_loc(1).remember_state();
        let program = (after.write)(program, 3).advance_loc(1).restore_state().advance_loc(1).offset(3, 3);
        let rows = [
            (0, (before.rule)(2), &[][..]),
            (1, (after.rule)(3), &[]),
            (2, (before.rule)(2), &[]),
            (3, (before.rule)(2), &[(3, at(-24))]),
        ];
        let machine = Convention::X86_64;
        let functions = Functions::new(&machine, kind).function(0x20, program, &rows).usual();
        let prefix = if kind == SectionKind::EhFrame { "eh" } else { "debug" };
        let name = format!("row/{prefix}-restore_state-{}-{}", before.name, after.name);
        let about = format!(
            "A CFA of kind {} remembered, and restored from one of kind {}.",
            before.name, after.name
        );
        let draft = Draft::new(&name, &machine, &about).clause(CLAUSE).catches(CATCHES);
        suite.add(functions.add_to(draft));
    }
}

/// How to give a register a rule of one kind.
struct RuleKind {
    write: fn(Program, u64) -> Program,
    rule: RegisterRule,
}

fn rule_kinds() -> [RuleKind; 7] {
    const SAVED: fn() -> Code = || Code::new().breg(7, 24);
    [
        RuleKind { write: Program::undefined, rule: RegisterRule::Undefined },
        RuleKind { write: Program::same_value, rule: RegisterRule::SameValue },
        RuleKind { write: |program, register| program.offset_extended(register, 2), rule: at(-16) },
        RuleKind {
            write: |program, register| program.val_offset(register, 3),
            rule: RegisterRule::ValOffset(-24),
        },
        RuleKind {
            write: |program, register| program.register(register, 9),
            rule: RegisterRule::Register(9),
        },
        RuleKind {
            write: |program, register| program.expression(register, SAVED()),
            rule: expression(&SAVED(), 8),
        },
        RuleKind {
            write: |program, register| program.val_expression(register, SAVED()),
            rule: val_expression(&SAVED(), 8),
        },
    ]
}

/// Every kind of register rule comes back from every other: in turn, each register takes the rule of the next.
fn rules(suite: &mut Suite) {
    const REGISTERS: [u64; 7] = [0, 1, 2, 3, 12, 13, 14];
    let kinds = rule_kinds();
    let shifted = |shift: usize| REGISTERS.into_iter().zip(kinds.iter().cycle().skip(shift));
    let set = |program: Program, shift: usize| {
        shifted(shift).fold(program, |program, (register, kind)| (kind.write)(program, register))
    };
    let program = (1..kinds.len()).fold(set(Program::new(), 0), |program, shift| {
        set(program.advance_loc(1).remember_state(), shift).advance_loc(1).restore_state()
    });
    let rows =
        |shift| shifted(shift).map(|(register, kind)| (register, kind.rule.clone())).collect::<Vec<_>>();
    let lists: Vec<_> = (0..kinds.len()).map(rows).collect();
    let mut lines = vec![(0, cfa(7, 8), &lists[0][..])];
    for (start, other) in (1..).step_by(2).zip(&lists[1..]) {
        lines.push((start, cfa(7, 8), other));
        lines.push((start + 1, cfa(7, 8), &lists[0]));
    }
    let machine = Convention::X86_64;
    let about = "Each kind of register rule restored from each other kind.";
    let draft = Draft::new("row/restore_state-rules", &machine, about).clause(CLAUSE).catches(CATCHES);
    suite.add(Functions::eh_frame(&machine).function(0x20, program, &lines).usual().add_to(draft));
}
