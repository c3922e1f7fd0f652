//! restore and restore_extended: each kind of rule that the CIE can set by each kind that the FDE can put in its
//! place.

use cfidiff_model::RegisterRule;

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::functions::Functions;
use crate::suite::rows::{at, cfa, expression, val_expression};
use crate::{Code, Program};

const CLAUSE: &str =
    "DWARF 5 section 6.4.2.3: the rule that the CIE's initial instructions set, which may be none";

/// The register whose rule is restored.
const REGISTER: u8 = 3;

/// A kind of rule, written so that the CIE's and the FDE's differ in their operands.
struct Kind {
    name: &'static str,
    /// The instruction for a slot below the CFA; slots tell rules of one kind apart.
    write: fn(Program, u8) -> Program,
    rule: fn(u8) -> Option<RegisterRule>,
}

fn code(slot: u8) -> Code {
    Code::new().breg(7, i64::from(slot)).lit(slot).plus()
}

const KINDS: [Kind; 8] = [
    Kind { name: "none", write: |program, _| program, rule: |_| None },
    Kind {
        name: "undefined",
        write: |program, _| program.undefined(REGISTER.into()),
        rule: |_| Some(RegisterRule::Undefined),
    },
    Kind {
        name: "same_value",
        write: |program, _| program.same_value(REGISTER.into()),
        rule: |_| Some(RegisterRule::SameValue),
    },
    Kind {
        name: "offset",
        write: |program, slot| program.offset(REGISTER, slot.into()),
        rule: |slot| Some(at(-8 * i64::from(slot))),
    },
    Kind {
        name: "val_offset",
        write: |program, slot| program.val_offset(REGISTER.into(), slot.into()),
        rule: |slot| Some(RegisterRule::ValOffset(-8 * i64::from(slot))),
    },
    Kind {
        name: "register",
        write: |program, slot| program.register(REGISTER.into(), 8 + u64::from(slot)),
        rule: |slot| Some(RegisterRule::Register(8 + u64::from(slot))),
    },
    Kind {
        name: "expression",
        write: |program, slot| program.expression(REGISTER.into(), code(slot)),
        rule: |slot| Some(expression(&code(slot), 8)),
    },
    Kind {
        name: "val_expression",
        write: |program, slot| program.val_expression(REGISTER.into(), code(slot)),
        rule: |slot| Some(val_expression(&code(slot), 8)),
    },
];

pub(super) fn add(suite: &mut Suite) {
    for kind in &KINDS {
        restores(suite, "restore", kind, |program| program.restore(REGISTER));
        restores(suite, "restore_extended", kind, |program| program.restore_extended(REGISTER.into()));
    }
}

/// A CIE with a rule of a kind, and an FDE for each kind of rule that is in force before the restore.
fn restores(suite: &mut Suite, opcode: &str, in_cie: &Kind, restore: fn(Program) -> Program) {
    let machine = Convention::X86_64;
    let rule = |kind: &Kind, slot: u8| (kind.rule)(slot).map(|rule| (u64::from(REGISTER), rule));
    let initial: Vec<_> = machine.entry_rules().into_iter().chain(rule(in_cie, 2)).collect();
    let program = (in_cie.write)(machine.entry_program(), 2);
    let functions = Functions::eh_frame(&machine).initial(program, cfa(7, 8), &initial);
    let functions = KINDS.iter().fold(functions, |functions, in_fde| {
        let program = restore((in_fde.write)(Program::new(), 4).advance_loc(4));
        let before: Vec<_> = rule(in_fde, 4).into_iter().collect();
        functions.function(0x10, program, &[(0, cfa(7, 8), &before), (4, cfa(7, 8), &[])])
    });
    let name = format!("row/{opcode}-{}", in_cie.name);
    let about = format!(
        "DW_CFA_{opcode} of a register whose rule in the CIE is {}, from each kind of rule.",
        in_cie.name
    );
    suite.add(functions.add_to(Draft::new(&name, &machine, &about).clause(CLAUSE)));
}
