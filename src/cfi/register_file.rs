//! The register rules of the current row.

use crate::row_machine::Rule;

/// Registers kept in the array; others, which few machines have, go into a list.
const DIRECT: usize = 128;

/// How many rules beyond the array are kept, so that a row's cost stays bounded.
pub const MAX_EXTRA_RULES: usize = 512;

/// Rules by register number: an array, and a bit mask of the entries that are set, so that resetting costs
/// nothing per register.
pub(crate) struct RegisterFile {
    rules: [Rule; DIRECT],
    set: [u64; DIRECT / 64],
    extra: Vec<(u64, Rule)>,
}

impl Default for RegisterFile {
    fn default() -> Self {
        RegisterFile { rules: [Rule::Undefined; DIRECT], set: [0; DIRECT / 64], extra: Vec::new() }
    }
}

impl RegisterFile {
    /// Sets a rule; `false` when there are too many.
    #[inline(always)]
    #[must_use]
    pub fn set(&mut self, register: u64, rule: Rule) -> bool {
        if register < DIRECT as u64 {
            self.rules[register as usize] = rule;
            self.set[register as usize / 64] |= 1 << (register % 64);
            true
        } else {
            self.set_extra(register, rule)
        }
    }

    #[cold]
    fn set_extra(&mut self, register: u64, rule: Rule) -> bool {
        if let Some(entry) = self.extra.iter_mut().find(|(number, _)| *number == register) {
            entry.1 = rule;
            return true;
        }
        if self.extra.len() >= MAX_EXTRA_RULES {
            return false;
        }
        self.extra.push((register, rule));
        true
    }

    /// Removes a register's rule.
    #[inline(always)]
    pub fn remove(&mut self, register: u64) {
        if register < DIRECT as u64 {
            self.set[register as usize / 64] &= !(1 << (register % 64));
        } else {
            self.extra.retain(|&(number, _)| number != register);
        }
    }

    /// A register's rule.
    pub fn get(&self, register: u64) -> Option<Rule> {
        if register < DIRECT as u64 {
            let is_set = self.set[register as usize / 64] >> (register % 64) & 1 == 1;
            is_set.then(|| self.rules[register as usize])
        } else {
            self.extra.iter().find(|&&(number, _)| number == register).map(|&(_, rule)| rule)
        }
    }

    /// Makes these the only rules. They come from a register file, so they fit and name no register twice.
    #[inline(always)]
    pub fn reset(&mut self, rules: &[(u64, Rule)]) {
        self.set = [0; DIRECT / 64];
        self.extra.clear();
        for &(register, rule) in rules {
            if register < DIRECT as u64 {
                let fits = self.set(register, rule);
                debug_assert!(fits);
            } else {
                // Not searched for: a search per rule would make restoring quadratic in their number.
                self.extra.push((register, rule));
            }
        }
    }

    /// The rules that are set: the array's by number, then the others.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (u64, Rule)> + '_ {
        let direct = self.set.iter().enumerate().flat_map(move |(word, &set)| {
            Bits(set).map(move |bit| {
                let register = word * 64 + bit as usize;
                (register as u64, self.rules[register])
            })
        });
        direct.chain(self.extra.iter().copied())
    }
}

/// The positions of the bits that are set, ascending.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let bit = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit)
    }
}
