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
    /// The registers below [`DIRECT`] that have a rule, a bit each: gives the rules by number.
    set: [u64; 2],
    /// How many of the rules are of registers that are searched for.
    extra: usize,
}

impl Default for RegisterFile {
    fn default() -> Self {
        RegisterFile { rules: Vec::with_capacity(32), places: [0; DIRECT], set: [0; 2], extra: 0 }
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
                self.set[register as usize / 64] |= 1 << (register % 64);
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
        if register < DIRECT as u64 {
            self.set[register as usize / 64] &= !(1 << (register % 64));
        } else {
            self.extra -= 1;
        }
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
        self.set = [0; 2];
        self.extra = 0;
        for &(register, rule) in rules {
            if register < DIRECT as u64 {
                self.places[register as usize] = self.rules.len() as u16;
                self.set[register as usize / 64] |= 1 << (register % 64);
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
        let [mut low, mut high] = self.set;
        let mut others = if self.extra == 0 { [].iter() } else { self.rules.iter() };
        std::iter::from_fn(move || {
            let register = if low != 0 {
                take_lowest(&mut low)
            } else if high != 0 {
                64 + take_lowest(&mut high)
            } else {
                return others.find(|&&(register, _)| register >= DIRECT as u64).map(by_reference);
            };
            self.rules.get(usize::from(self.places[register as usize % DIRECT])).map(by_reference)
        })
    }
}

#[inline(always)]
fn by_reference((register, rule): &(u64, Rule)) -> (u64, &Rule) {
    (*register, rule)
}

/// Clears the lowest bit that is set and gives its position.
#[inline(always)]
fn take_lowest(bits: &mut u64) -> u64 {
    let position = u64::from(bits.trailing_zeros());
    *bits &= *bits - 1;
    position
}
