//! Rows of two readers: equal where they say the same of every location.

use cfidiff_model::{Address, CfaRule, Class, Key, RegisterRule, RowRef, Rows, Says, Target};

use crate::compare::entries::Differences;
use crate::report::describe;

/// What two readers say of an FDE's range, so that a difference there is not told again with every row.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// What must be added to their locations, when they start the FDE elsewhere.
    pub shift: u64,
    /// Whether the ends of the last rows are compared: not when the address ranges differ.
    pub same_range: bool,
}

/// Compares rows. Readers split a table into rows differently (one row for each advance, or one for each
/// change), so rows that say the same of neighbouring locations are joined before anything is called a
/// difference.
pub(crate) fn compare_rows(
    differences: &mut Differences<'_>,
    ours: &Rows,
    theirs: &Rows,
    says: Says,
    frame: Frame,
) {
    let plain = frame.shift == 0 && frame.same_range;
    let same = plain
        && ours.len() == theirs.len()
        && ours.iter().zip(theirs.iter()).all(|(a, b)| same_row(&a, &b, says));
    if !same {
        let class = differences.target.class;
        let theirs = joined(theirs, says, class, frame);
        let ours = joined(ours, says, class, Frame { shift: 0, ..frame });
        compare_joined(differences, ours, theirs, says);
    }
}

/// Compares the one row of a CIE, which holds for no location of its own.
pub(crate) fn compare_initial_row(differences: &mut Differences<'_>, ours: &Rows, theirs: &Rows, says: Says) {
    let show = |row: Option<RowRef<'_>>| {
        row.map_or_else(|| "no row".to_owned(), |row| describe::row(differences.target, &row))
    };
    match (ours.get(0), theirs.get(0)) {
        (None, None) => {}
        (Some(ours), Some(theirs)) => compare_row(differences, &ours, &theirs, says),
        (ours, theirs) => {
            let (ours, theirs) = (show(ours), show(theirs));
            differences.push(Key::RowLocation, ours, theirs);
        }
    }
}

fn same_row(ours: &RowRef<'_>, theirs: &RowRef<'_>, says: Says) -> bool {
    ours.start == theirs.start && ours.end == theirs.end && same_rules(ours, theirs, says)
}

fn same_rules(ours: &RowRef<'_>, theirs: &RowRef<'_>, says: Says) -> bool {
    // What is equal is equal whatever is said of it, and mostly it is.
    if ours.cfa == theirs.cfa && ours.rules == theirs.rules {
        return true;
    }
    same_cfa(ours.cfa, theirs.cfa, says) && said(ours.rules, says).eq_by_rule(said(theirs.rules, says), says)
}

fn same_cfa(ours: &CfaRule, theirs: &CfaRule, says: Says) -> bool {
    match (ours, theirs) {
        (CfaRule::Expression(a), CfaRule::Expression(b)) => {
            !says.contains(Says::ROW_EXPRESSIONS) || a.same_as(b)
        }
        _ => ours == theirs,
    }
}

/// The rules that a reader with these capabilities would show.
fn said(rules: &[(u64, RegisterRule)], says: Says) -> Said<'_> {
    Said { rules: rules.iter(), says }
}

struct Said<'a> {
    rules: std::slice::Iter<'a, (u64, RegisterRule)>,
    says: Says,
}

impl<'a> Iterator for Said<'a> {
    type Item = &'a (u64, RegisterRule);

    fn next(&mut self) -> Option<Self::Item> {
        let says = self.says;
        self.rules.find(|(_, rule)| match rule {
            RegisterRule::Undefined => says.contains(Says::UNDEFINED_RULES),
            // A state of zero is the state of a register that no rule ever touched.
            RegisterRule::Architectural(0) => false,
            RegisterRule::Architectural(_) => says.contains(Says::ARCHITECTURAL_RULES),
            _ => true,
        })
    }
}

impl<'a> Said<'a> {
    fn eq_by_rule(mut self, mut other: Said<'a>, says: Says) -> bool {
        loop {
            match (self.next(), other.next()) {
                (None, None) => return true,
                (Some((a, rule)), Some((b, other))) if a == b && same_register_rule(rule, other, says) => {}
                _ => return false,
            }
        }
    }
}

fn same_register_rule(ours: &RegisterRule, theirs: &RegisterRule, says: Says) -> bool {
    match (ours, theirs) {
        (RegisterRule::Expression(a), RegisterRule::Expression(b))
        | (RegisterRule::ValExpression(a), RegisterRule::ValExpression(b)) => {
            !says.contains(Says::ROW_EXPRESSIONS) || a.same_as(b)
        }
        _ => ours == theirs,
    }
}

/// Compares location by location, in the ranges that both tables' boundaries cut.
fn compare_joined(
    differences: &mut Differences<'_>,
    ours: Vec<RowRef<'_>>,
    theirs: Vec<RowRef<'_>>,
    says: Says,
) {
    let (mut a, mut b) = (ours.iter().peekable(), theirs.iter().peekable());
    // Where the comparison stands: everything before is told.
    let mut at = Address(0);
    loop {
        let (x, y) = match (a.peek().copied(), b.peek().copied()) {
            (None, None) => return,
            (x, y) => (x, y),
        };
        match (x, y) {
            (Some(x), Some(y)) if x.start.max(at) < y.end && y.start.max(at) < x.end => {
                if x.start.max(at) != y.start.max(at) {
                    uncovered(differences, x, y);
                }
                if !same_rules(x, y, says) {
                    compare_row(differences, x, y, says);
                }
                at = x.end.min(y.end);
                a.next_if(|row| row.end <= at);
                b.next_if(|row| row.end <= at);
            }
            (Some(x), y) if y.is_none_or(|y| x.end <= y.start.max(at)) => {
                differences.push(Key::RowLocation, describe::row(differences.target, x), "no row".into());
                a.next();
            }
            (_, Some(y)) => {
                differences.push(Key::RowLocation, "no row".into(), describe::row(differences.target, y));
                b.next();
            }
            (Some(_), None) | (None, None) => return,
        }
    }
}

/// One reader has a row where the other's has not begun.
fn uncovered(differences: &mut Differences<'_>, ours: &RowRef<'_>, theirs: &RowRef<'_>) {
    let (ours, theirs) = (describe::row(differences.target, ours), describe::row(differences.target, theirs));
    differences.push(Key::RowLocation, ours, theirs);
}

/// A table's rows moved by the frame's shift, without empty ones, neighbours that say the same joined. Rows that end
/// before they start are as empty: a location that goes down is a fault that both sides told. Where the ranges differ
/// the last row has no end, as has one that goes up to the end of the address space.
fn joined<'r>(rows: &'r Rows, says: Says, class: Class, frame: Frame) -> Vec<RowRef<'r>> {
    let mut list: Vec<RowRef<'r>> = Vec::with_capacity(rows.len());
    for (index, mut row) in rows.iter().enumerate() {
        row.start = Address(row.start.0.wrapping_add(frame.shift));
        row.end = Address(row.end.0.wrapping_add(frame.shift));
        if index + 1 == rows.len() && (!frame.same_range || is_top(&row, class)) {
            row.end = Address(u64::MAX);
        }
        match list.last_mut() {
            _ if row.start >= row.end => {}
            Some(last) if last.end == row.start && same_rules(last, &row, says) => last.end = row.end,
            _ => list.push(row),
        }
    }
    list
}

/// Whether a row goes up to the end of the address space. Readers say zero for that end, or, of 32-bit addresses,
/// one more than the last address. A row from zero to zero is empty.
fn is_top(row: &RowRef<'_>, class: Class) -> bool {
    (row.end == Address(0) && row.start != Address(0))
        || (class == Class::Elf32 && row.end == Address(1 << 32))
}

/// Names what differs in two rows that hold at one location.
fn compare_row(differences: &mut Differences<'_>, ours: &RowRef<'_>, theirs: &RowRef<'_>, says: Says) {
    let at: Address = ours.start.max(theirs.start);
    let target: &Target = differences.target;
    if !same_cfa(ours.cfa, theirs.cfa, says) {
        let key = match (ours.cfa, theirs.cfa) {
            (
                CfaRule::RegisterOffset { register: r, offset: o },
                CfaRule::RegisterOffset { register: s, offset: p },
            ) => match (r == s, o == p) {
                (true, false) => Key::RowCfaOffset,
                (false, true) => Key::RowCfaRegister,
                _ => Key::RowCfa,
            },
            _ => Key::RowCfa,
        };
        let show = |rule| format!("at {at}: cfa={}", describe::cfa_rule(target.machine, rule));
        differences.push(key, show(ours.cfa), show(theirs.cfa));
    }
    let show = |register: u64, rule: Option<&RegisterRule>| {
        let name = describe::short_register(target.machine, register);
        let rule = rule.map_or("none".to_owned(), |rule| describe::register_rule(target.machine, rule));
        format!("at {at}: {name}={rule}")
    };
    let (mut a, mut b) = (said(ours.rules, says).peekable(), said(theirs.rules, says).peekable());
    while let Some(register) = [a.peek(), b.peek()].into_iter().flatten().map(|(register, _)| *register).min()
    {
        let x = a.next_if(|(number, _)| *number == register).map(|(_, rule)| rule);
        let y = b.next_if(|(number, _)| *number == register).map(|(_, rule)| rule);
        let same = matches!((x, y), (Some(x), Some(y)) if same_register_rule(x, y, says));
        if !same {
            differences.push(Key::RowRegisterRule, show(register, x), show(register, y));
        }
    }
}
