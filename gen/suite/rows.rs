//! Rows written down as an author means them.

use cfidiff_model::{Address, CfaRule, RegisterRule, Rows};

use crate::Code;

/// A CFA that is a register plus an offset in bytes.
pub(crate) fn cfa(register: u64, offset: i64) -> CfaRule {
    CfaRule::RegisterOffset { register, offset }
}

/// A CFA that an expression gives.
pub(crate) fn cfa_expression(code: &Code, address_size: u8) -> CfaRule {
    CfaRule::Expression(Box::new(code.expression(address_size)))
}

/// A register that is saved at the CFA plus an offset in bytes.
pub(crate) fn at(offset: i64) -> RegisterRule {
    RegisterRule::Offset(offset)
}

/// A register that is saved at the address that an expression gives.
pub(crate) fn expression(code: &Code, address_size: u8) -> RegisterRule {
    RegisterRule::Expression(Box::new(code.expression(address_size)))
}

/// A register whose value an expression gives.
pub(crate) fn val_expression(code: &Code, address_size: u8) -> RegisterRule {
    RegisterRule::ValExpression(Box::new(code.expression(address_size)))
}

/// The one row of a CIE.
pub(crate) fn initial_row(cfa: CfaRule, rules: &[(u64, RegisterRule)]) -> Rows {
    Listing::new(0, 0).row(0, cfa, rules).done()
}

/// The rows of an FDE under construction.
pub(crate) struct Listing {
    start: u64,
    end: u64,
    rows: Rows,
}

impl Listing {
    /// The rows of an FDE from its initial location to the first location behind it.
    pub fn new(start: u64, end: u64) -> Listing {
        Listing { start, end, rows: Rows::default() }
    }

    /// A row that starts this many bytes behind the initial location, and ends the one before.
    pub fn row(mut self, from: u64, cfa: CfaRule, rules: &[(u64, RegisterRule)]) -> Listing {
        let start = Address(self.start.wrapping_add(from));
        self.rows.set_last_end(start);
        for (register, rule) in rules {
            self.rows.push_rule(*register, rule.clone());
        }
        self.rows.finish_row(start, Address(self.end), cfa);
        self
    }

    /// All of them.
    pub fn done(self) -> Rows {
        self.rows
    }
}
