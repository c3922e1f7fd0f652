//! The register rules of the current row.

use crate::row_machine::Rule;

/// Registers below this are found by number; others, which few machines have, by a search.
const DIRECT: usize = 128;

/// How many rules of such other registers are kept, so that a row's cost stays bounded.
pub const MAX_EXTRA_RULES: usize = 512;

/// Rules by register number, as a sparse set: a dense list of the rules, and for each register the place in it.
///
/// A place counts only if the list has that register there, so that nothing but the list's length needs to be
/// cleared, and those who read a row's rules read the list.
pub(crate) struct RegisterFile {
    rules: Vec<(u64, Rule)>,
    places: [u16; DIRECT],
    /// How many of the rules are of registers that are searched for.
    extra: usize,
}

impl Default for RegisterFile {
    fn default() -> Self {
        RegisterFile { rules: Vec::with_capacity(32), places: [0; DIRECT], extra: 0 }
    }
}

impl RegisterFile {
    /// Sets a rule; `false` when there are too many.
    #[inline(always)]
    #[must_use]
    pub fn set(&mut self, register: u64, rule: Rule) -> bool {
        if register >= DIRECT as u64 {
            return self.set_extra(register, rule);
        }
        let place = &mut self.places[register as usize];
        match self.rules.get_mut(usize::from(*place)) {
            Some(entry) if entry.0 == register => entry.1 = rule,
            _ => {
                *place = self.rules.len() as u16;
                self.rules.push((register, rule));
            }
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn set_extra(&mut self, register: u64, rule: Rule) -> bool {
        if let Some(entry) = self.rules.iter_mut().find(|(number, _)| *number == register) {
            entry.1 = rule;
            return true;
        }
        if self.extra >= MAX_EXTRA_RULES {
            return false;
        }
        self.extra += 1;
        self.rules.push((register, rule));
        true
    }

    /// Where a register's rule is in the list.
    #[inline(always)]
    fn find(&self, register: u64) -> Option<usize> {
        if register >= DIRECT as u64 {
            return self.rules.iter().position(|&(number, _)| number == register);
        }
        let place = usize::from(self.places[register as usize]);
        self.rules.get(place).is_some_and(|&(number, _)| number == register).then_some(place)
    }

    /// Removes a register's rule.
    #[inline(always)]
    pub fn remove(&mut self, register: u64) {
        let Some(place) = self.find(register) else { return };
        self.rules.swap_remove(place);
        self.extra -= usize::from(register >= DIRECT as u64);
        if let Some(&(moved, _)) = self.rules.get(place)
            && moved < DIRECT as u64
        {
            self.places[moved as usize] = place as u16;
        }
    }

    /// A register's rule.
    pub fn get(&self, register: u64) -> Option<Rule> {
        self.find(register).map(|place| self.rules[place].1)
    }

    /// Makes these the only rules. They come from a register file, so they fit and name no register twice.
    #[inline(always)]
    pub fn reset(&mut self, rules: &[(u64, Rule)]) {
        self.rules.clear();
        self.extra = 0;
        for &(register, rule) in rules {
            if register < DIRECT as u64 {
                self.places[register as usize] = self.rules.len() as u16;
            } else {
                self.extra += 1;
            }
            self.rules.push((register, rule));
        }
    }

    /// The rules in no order.
    #[inline(always)]
    pub fn rules(&self) -> &[(u64, Rule)] {
        &self.rules
    }

    /// The rules by register number up to 127, then the others in no order.
    #[inline(always)]
    pub fn by_number(&self) -> impl Iterator<Item = (u64, &Rule)> {
        let direct = self.rules.iter().filter(|&&(register, _)| register < DIRECT as u64);
        let mut set = direct.fold(0u128, |set, &(register, _)| set | 1 << register);
        let mut others = if self.extra == 0 { [].iter() } else { self.rules.iter() };
        std::iter::from_fn(move || {
            if set != 0 {
                let register = set.trailing_zeros();
                set &= set - 1;
                let place = usize::from(self.places[register as usize % DIRECT]);
                return self.rules.get(place).map(|(register, rule)| (*register, rule));
            }
            others.find(|&&(register, _)| register >= DIRECT as u64).map(|(register, rule)| (*register, rule))
        })
    }
}
