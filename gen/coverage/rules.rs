//! What a program's restores go back from and to. Kinds of rule alone: the values are the rows' affair.

use std::collections::BTreeMap;

use cfidiff_model::Instruction;

use super::names;

/// A register without a rule of its own.
const NONE: &str = "none";

/// What is in force at a place of a program.
#[derive(Clone, Default)]
struct State {
    /// The kinds of rule that the program has given so far, by register.
    rules: BTreeMap<u64, &'static str>,
    /// The kind of CFA rule.
    cfa: Option<&'static str>,
    /// How many instructions have set the CFA.
    cfa_changes: usize,
}

impl State {
    fn apply(&mut self, instruction: &Instruction) {
        if let Some((register, rule)) = names::rule(instruction) {
            self.rules.insert(register, rule);
        }
        if let Some(cfa) = names::cfa(instruction) {
            self.cfa = Some(cfa);
            self.cfa_changes += 1;
        }
    }
}

/// The cells that an FDE's instructions exercise behind its CIE's.
pub(super) fn cells_of(cie: &[Instruction], fde: &[Instruction]) -> Vec<String> {
    let mut initial = State::default();
    cie.iter().for_each(|instruction| initial.apply(instruction));
    let mut state = State { rules: BTreeMap::new(), ..initial.clone() };
    let mut remembered: Vec<State> = Vec::new();
    let mut cells = Vec::new();
    for instruction in fde {
        state.apply(instruction);
        match instruction {
            Instruction::Restore { register } | Instruction::RestoreExtended { register } => {
                let in_cie = initial.rules.get(register).copied().unwrap_or(NONE);
                let in_fde = state.rules.remove(register).unwrap_or(NONE);
                cells.push(names::restore(in_cie, in_fde, instruction.name()));
            }
            Instruction::RememberState => remembered.push(state.clone()),
            Instruction::RestoreState => {
                let Some(before) = remembered.pop() else { continue };
                // What has not changed cannot be seen to come back.
                let changed = before.cfa_changes != state.cfa_changes;
                if let (true, Some(remembered), Some(since)) = (changed, before.cfa, state.cfa) {
                    cells.push(names::state(remembered, since));
                }
                state = before;
            }
            _ => {}
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfidiff_model::Expression;

    #[test]
    fn a_restore_is_told_by_the_rules_on_both_sides() {
        let cie = [Instruction::DefCfa { register: 7, offset: 8 }, Instruction::SameValue { register: 3 }];
        let expression = Box::new(Expression::default());
        let fde = [
            Instruction::RememberState,
            Instruction::ValOffsetSf { register: 3, offset: 8 },
            Instruction::Restore { register: 3 },
            Instruction::RestoreExtended { register: 3 },
            Instruction::RestoreExtended { register: 4 },
            Instruction::RestoreState, // The CFA has not changed.
            Instruction::RememberState,
            Instruction::DefCfaExpression { expression },
            Instruction::RestoreState,
            Instruction::RestoreState, // Nothing is remembered.
        ];
        let expected = [
            "restore/same-value/val-offset/restore",
            "restore/same-value/none/restore-extended",
            "restore/none/none/restore-extended",
            "state/register-offset/expression",
        ];
        assert_eq!(cells_of(&cie, &fde), expected);
    }
}
