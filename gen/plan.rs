//! Rows first: instructions found for the rows that are wanted.
//!
//! A row is planned with its CFA and its rules, and the plan writes what changes from row to row, in any of the
//! encodings that say it. So the expected rows are the plan itself.

use std::collections::BTreeMap;

use cfidiff_model::{Address, CfaRule, RegisterRule, Rows};

use crate::{Code, Program};

/// How a planned row computes the CFA.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlannedCfa {
    /// A register plus an offset in bytes. A negative offset has to be a multiple of the data alignment factor.
    Register(u64, i64),
    /// An expression.
    Expression(Code),
}

/// How a planned row recovers a register. Offsets are in units of the data alignment factor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlannedRule {
    /// The value is lost.
    Undefined,
    /// The register still holds it.
    SameValue,
    /// Saved at the CFA plus this.
    Offset(i64),
    /// It is the CFA plus this.
    ValOffset(i64),
    /// It is in another register.
    Register(u64),
    /// Saved at the address that the expression gives.
    Expression(Code),
    /// It is what the expression gives.
    ValExpression(Code),
}

/// The CFA and the rules that hold in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The CFA.
    pub cfa: PlannedCfa,
    /// The rules by register. A register without one is absent.
    pub rules: BTreeMap<u64, PlannedRule>,
}

/// A row of an FDE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedRow {
    /// How many units of the code alignment factor the row before lasts. Of no effect in the first row.
    pub after: u32,
    /// What holds in the row.
    pub state: State,
    /// Whether the state is put on the stack, to be taken from there when a later row has the same.
    pub remember: bool,
}

/// The rows of one FDE, over the initial row that its CIE's instructions set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The state that the CIE's instructions set.
    pub initial: State,
    /// The rows. The first one starts at the initial location.
    pub rows: Vec<PlannedRow>,
}

/// Takes decisions between ways to say the same.
pub trait Chooser {
    /// A number below `count`, which is at least 1.
    fn choose(&mut self, count: usize) -> usize;
}

/// Always takes the first way, which is the shortest one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shortest;

impl Chooser for Shortest {
    fn choose(&mut self, _count: usize) -> usize {
        0
    }
}

impl State {
    /// The CIE instructions that set this state. Rows written with `data_alignment_factor` zero may have no
    /// negative CFA offset.
    pub fn program(&self, data_alignment_factor: i64, chooser: &mut dyn Chooser) -> Program {
        let mut program = define_cfa(Program::new(), &self.cfa, data_alignment_factor, chooser);
        for (&register, rule) in &self.rules {
            program = set_rule(program, register, rule, chooser);
        }
        program
    }

    /// The initial row of a CIE whose instructions set this state.
    pub fn initial_row(&self, data_alignment_factor: i64, address_size: u8) -> Rows {
        let mut rows = Rows::default();
        self.push_row(&mut rows, Address(0), Address(0), data_alignment_factor, address_size);
        rows
    }

    fn push_row(
        &self,
        rows: &mut Rows,
        start: Address,
        end: Address,
        data_alignment_factor: i64,
        address_size: u8,
    ) {
        for (&register, rule) in &self.rules {
            rows.push_rule(register, rule_meaning(rule, data_alignment_factor, address_size));
        }
        let cfa = match &self.cfa {
            PlannedCfa::Register(register, offset) => {
                CfaRule::RegisterOffset { register: *register, offset: *offset }
            }
            PlannedCfa::Expression(code) => CfaRule::Expression(Box::new(code.expression(address_size))),
        };
        rows.finish_row(start, end, cfa);
    }
}

impl Plan {
    /// The FDE instructions that make the rows.
    pub fn program(&self, data_alignment_factor: i64, chooser: &mut dyn Chooser) -> Program {
        let mut program = Program::new();
        let mut state = &self.initial;
        let mut remembered: Vec<&State> = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                program = advance(program, row.after, chooser);
            }
            if remembered.last().is_some_and(|last| **last == row.state) {
                remembered.pop();
                program = program.restore_state();
            } else {
                program = self.change(program, state, &row.state, data_alignment_factor, chooser);
            }
            state = &row.state;
            if row.remember {
                remembered.push(state);
                program = program.remember_state();
            }
        }
        program
    }

    /// The rows as a reader has to give them.
    pub fn rows(
        &self,
        start: Address,
        range: u64,
        code_alignment_factor: u64,
        data_alignment_factor: i64,
        address_size: u8,
    ) -> Rows {
        let mut starts = Vec::with_capacity(self.rows.len() + 1);
        let mut at = start.0;
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                at = at.wrapping_add(u64::from(row.after).wrapping_mul(code_alignment_factor));
            }
            starts.push(Address(at));
        }
        starts.push(Address(start.0.wrapping_add(range)));
        let mut rows = Rows::default();
        for (row, bounds) in self.rows.iter().zip(starts.windows(2)) {
            row.state.push_row(&mut rows, bounds[0], bounds[1], data_alignment_factor, address_size);
        }
        rows
    }

    fn change(
        &self,
        mut program: Program,
        from: &State,
        to: &State,
        data_alignment_factor: i64,
        chooser: &mut dyn Chooser,
    ) -> Program {
        program = match (&from.cfa, &to.cfa) {
            (before, after) if before == after => program,
            (&PlannedCfa::Register(before, _), &PlannedCfa::Register(register, offset))
                if before == register && chooser.choose(3) != 2 =>
            {
                define_cfa_offset(program, offset, data_alignment_factor, chooser)
            }
            (&PlannedCfa::Register(_, before), &PlannedCfa::Register(register, offset))
                if before == offset && chooser.choose(3) != 2 =>
            {
                program.def_cfa_register(register)
            }
            (_, after) => define_cfa(program, after, data_alignment_factor, chooser),
        };
        for register in from.rules.keys().chain(to.rules.keys().filter(|key| !from.rules.contains_key(key))) {
            let (before, after) = (from.rules.get(register), to.rules.get(register));
            let initial = self.initial.rules.get(register);
            program = match after {
                _ if before == after => program,
                // Only restore takes a rule away, and only when there was none to begin with.
                Some(rule) if after != initial || chooser.choose(3) == 2 => {
                    set_rule(program, *register, rule, chooser)
                }
                _ => restore(program, *register, chooser),
            };
        }
        program
    }
}

fn advance(program: Program, delta: u32, chooser: &mut dyn Chooser) -> Program {
    let shorter = [delta < 1 << 6, delta < 1 << 8, delta < 1 << 16].into_iter().filter(|fits| *fits).count();
    match 3 - shorter + chooser.choose(shorter + 1) {
        0 => program.advance_loc(delta as u8),
        1 => program.advance_loc1(delta as u8),
        2 => program.advance_loc2(delta as u16),
        _ => program.advance_loc4(delta),
    }
}

/// The factored form of an offset in bytes, where it has one.
fn factored(offset: i64, data_alignment_factor: i64) -> Option<i64> {
    (offset.checked_rem(data_alignment_factor)? == 0).then(|| offset / data_alignment_factor)
}

fn define_cfa(
    program: Program,
    cfa: &PlannedCfa,
    data_alignment_factor: i64,
    chooser: &mut dyn Chooser,
) -> Program {
    match cfa {
        PlannedCfa::Expression(code) => program.def_cfa_expression(code.clone()),
        &PlannedCfa::Register(register, offset) => match factored(offset, data_alignment_factor) {
            Some(factored) if offset < 0 || chooser.choose(3) == 2 => program.def_cfa_sf(register, factored),
            _ => program.def_cfa(register, offset.cast_unsigned()),
        },
    }
}

fn define_cfa_offset(
    program: Program,
    offset: i64,
    data_alignment_factor: i64,
    chooser: &mut dyn Chooser,
) -> Program {
    match factored(offset, data_alignment_factor) {
        Some(factored) if offset < 0 || chooser.choose(3) == 2 => program.def_cfa_offset_sf(factored),
        _ => program.def_cfa_offset(offset.cast_unsigned()),
    }
}

fn set_rule(program: Program, register: u64, rule: &PlannedRule, chooser: &mut dyn Chooser) -> Program {
    match rule {
        PlannedRule::Undefined => program.undefined(register),
        PlannedRule::SameValue => program.same_value(register),
        PlannedRule::Register(source) => program.register(register, *source),
        PlannedRule::Expression(code) => program.expression(register, code.clone()),
        PlannedRule::ValExpression(code) => program.val_expression(register, code.clone()),
        &PlannedRule::Offset(offset) => match (u64::try_from(offset), u8::try_from(register)) {
            (Ok(unsigned), Ok(low @ 0..64)) if chooser.choose(2) == 0 => program.offset(low, unsigned),
            (Ok(unsigned), _) if chooser.choose(2) == 0 => program.offset_extended(register, unsigned),
            _ => program.offset_extended_sf(register, offset),
        },
        &PlannedRule::ValOffset(offset) => match u64::try_from(offset) {
            Ok(unsigned) if chooser.choose(2) == 0 => program.val_offset(register, unsigned),
            _ => program.val_offset_sf(register, offset),
        },
    }
}

fn restore(program: Program, register: u64, chooser: &mut dyn Chooser) -> Program {
    match u8::try_from(register) {
        Ok(low @ 0..64) if chooser.choose(3) != 2 => program.restore(low),
        _ => program.restore_extended(register),
    }
}

fn rule_meaning(rule: &PlannedRule, data_alignment_factor: i64, address_size: u8) -> RegisterRule {
    match rule {
        PlannedRule::Undefined => RegisterRule::Undefined,
        PlannedRule::SameValue => RegisterRule::SameValue,
        PlannedRule::Offset(offset) => RegisterRule::Offset(offset.wrapping_mul(data_alignment_factor)),
        PlannedRule::ValOffset(offset) => RegisterRule::ValOffset(offset.wrapping_mul(data_alignment_factor)),
        PlannedRule::Register(source) => RegisterRule::Register(*source),
        PlannedRule::Expression(code) => RegisterRule::Expression(Box::new(code.expression(address_size))),
        PlannedRule::ValExpression(code) => {
            RegisterRule::ValExpression(Box::new(code.expression(address_size)))
        }
    }
}
