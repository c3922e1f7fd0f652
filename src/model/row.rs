//! Rows of the unwind table that an FDE describes.

use crate::{Address, Expression};

/// How a row computes the canonical frame address (DWARF 5 section 6.4.1).
#[derive(Clone, PartialEq, Eq, Debug, Hash, Default)]
#[expect(missing_docs, reason = "the variants' fields are named by the standard's operand names")]
pub enum CfaRule {
    /// No instruction has defined it yet.
    #[default]
    Undefined,
    /// The register's value plus a signed offset in bytes.
    RegisterOffset { register: u64, offset: i64 },
    /// The same, in an address space of its own (LLVM's extension for heterogeneous machines).
    RegisterOffsetInSpace { register: u64, offset: i64, address_space: u64 },
    /// The value of a DWARF expression. Empty when the reader says only that there is one.
    Expression(Box<Expression>),
}

/// How a row recovers one register of the caller (DWARF 5 section 6.4.1).
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum RegisterRule {
    /// The caller's value is lost.
    Undefined,
    /// The register still holds the caller's value.
    SameValue,
    /// Saved in memory at the CFA plus this many bytes.
    Offset(i64),
    /// The value is the CFA plus this many bytes.
    ValOffset(i64),
    /// The value is in another register.
    Register(u64),
    /// Saved in memory at the address that the expression gives, started with the CFA on its stack.
    Expression(Box<Expression>),
    /// The value is what the expression gives, started with the CFA on its stack.
    ValExpression(Box<Expression>),
    /// The machine's ABI decides. On AArch64 for register 34 (RA_SIGN_STATE): the state's bits. On SPARC for
    /// registers 16 to 31 after a window save: the offset in bytes from the CFA at which the window was spilled.
    Architectural(u64),
}

/// The rows of one FDE in address order, stored flat so that the storage is reused from entry to entry.
///
/// The row at `start` holds until its `end`; the last one ends where the FDE does. A register without a
/// rule is absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rows {
    heads: Vec<Head>,
    rules: Vec<(u64, RegisterRule)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Head {
    start: Address,
    end: Address,
    cfa: CfaRule,
    /// Where the row's rules end in `rules`; they start where the row before has its end.
    rules_end: usize,
}

/// One row, borrowed from [`Rows`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RowRef<'a> {
    /// The first location that the row holds for.
    pub start: Address,
    /// The first location after it.
    pub end: Address,
    /// The CFA rule.
    pub cfa: &'a CfaRule,
    /// The rules by register number, ascending.
    pub rules: &'a [(u64, RegisterRule)],
}

impl Rows {
    /// Removes all rows and keeps the storage.
    #[inline]
    pub fn clear(&mut self) {
        self.heads.clear();
        self.rules.clear();
    }

    /// How many rows there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Adds a rule to the row that the next [`Rows::finish_row`] closes. Rules may come in any order.
    #[inline]
    pub fn push_rule(&mut self, register: u64, rule: RegisterRule) {
        self.rules.push((register, rule));
    }

    /// Closes a row: all rules pushed since the last call belong to it.
    #[inline]
    pub fn finish_row(&mut self, start: Address, end: Address, cfa: CfaRule) {
        let first = self.heads.last().map_or(0, |head| head.rules_end);
        let rules = &mut self.rules[first..];
        if !rules.is_sorted_by_key(|&(register, _)| register) {
            rules.sort_by_key(|&(register, _)| register);
        }
        self.heads.push(Head { start, end, cfa, rules_end: self.rules.len() });
    }

    /// Moves the last row's end, for readers that learn it with the next row.
    #[inline]
    pub fn set_last_end(&mut self, end: Address) {
        if let Some(head) = self.heads.last_mut() {
            head.end = end;
        }
    }

    /// The row with this index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<RowRef<'_>> {
        let head = self.heads.get(index)?;
        let first = if index == 0 { 0 } else { self.heads[index - 1].rules_end };
        Some(RowRef {
            start: head.start,
            end: head.end,
            cfa: &head.cfa,
            rules: &self.rules[first..head.rules_end],
        })
    }

    /// The rows in order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = RowRef<'_>> {
        (0..self.len()).map_while(|index| self.get(index))
    }
}
