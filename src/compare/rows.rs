//! Rows of two readers: equal where they say the same of every location.

use cfidiff_model::{Address, CfaRule, Key, RegisterRule, RowRef, Rows, Says, Target};

use crate::compare::entries::Differences;
use crate::report::describe;

/// Compares rows. Readers split a table into rows differently (one row for each advance, or one for each
/// change), so rows that say the same of neighbouring locations are joined before anything is called a
/// difference.
pub(crate) fn compare_rows(differences: &mut Differences<'_>, ours: &Rows, theirs: &Rows, says: Says) {
    let same = ours.len() == theirs.len() && ours.iter().zip(theirs.iter()).all(|(a, b)| same_row(&a, &b, says));
    if !same {
        compare_joined(differences, ours, theirs, says);
    }
}

fn same_row(ours: &RowRef<'_>, theirs: &RowRef<'_>, says: Says) -> bool {
    ours.start == theirs.start && ours.end == theirs.end && same_rules(ours, theirs, says)
}

fn same_rules(ours: &RowRef<'_>, theirs: &RowRef<'_>, says: Says) -> bool {
    same_cfa(ours.cfa, theirs.cfa, says) && said(ours.rules, says).eq_by_rule(said(theirs.rules, says), says)
}

fn same_cfa(ours: &CfaRule, theirs: &CfaRule, says: Says) -> bool {
    match (ours, theirs) {
        (CfaRule::Expression(a), CfaRule::Expression(b)) => {
            !says.contains(Says::ROW_EXPRESSIONS) || a.operations == b.operations
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
            !says.contains(Says::ROW_EXPRESSIONS) || a.operations == b.operations
        }
        _ => ours == theirs,
    }
}

/// Compares location by location, in the ranges that both tables' boundaries cut.
fn compare_joined(differences: &mut Differences<'_>, ours: &Rows, theirs: &Rows, says: Says) {
    let (ours, theirs) = (joined(ours, says), joined(theirs, says));
    let (mut a, mut b) = (ours.iter().peekable(), theirs.iter().peekable());
    loop {
        match (a.peek().copied(), b.peek().copied()) {
            (None, None) => return,
            (Some(row), None) => {
                differences.push(Key::RowLocation, describe::row(differences.target, row), "no row".into());
                a.next();
            }
            (None, Some(row)) => {
                differences.push(Key::RowLocation, "no row".into(), describe::row(differences.target, row));
                b.next();
            }
            (Some(x), Some(y)) => {
                if !same_rules(x, y, says) {
                    compare_row(differences, x, y, says);
                } else if x.start != y.start {
                    let (ours, theirs) = (describe::row(differences.target, x), describe::row(differences.target, y));
                    differences.push(Key::RowLocation, ours, theirs);
                }
                step(&mut a, &mut b, x, y);
            }
        }
    }
}

type Peekable<'i, 'r> = std::iter::Peekable<std::slice::Iter<'i, RowRef<'r>>>;

/// Moves to the next boundary: past the row that ends first, past both when they end together.
fn step(a: &mut Peekable<'_, '_>, b: &mut Peekable<'_, '_>, x: &RowRef<'_>, y: &RowRef<'_>) {
    if x.end <= y.end {
        a.next();
    }
    if y.end <= x.end {
        b.next();
    }
}

/// A table's rows without empty ones, neighbours that say the same joined.
fn joined<'r>(rows: &'r Rows, says: Says) -> Vec<RowRef<'r>> {
    let mut list: Vec<RowRef<'r>> = Vec::with_capacity(rows.len());
    for row in rows.iter().filter(|row| row.start != row.end) {
        match list.last_mut() {
            Some(last) if last.end == row.start && same_rules(last, &row, says) => last.end = row.end,
            _ => list.push(row),
        }
    }
    list
}

/// Names what differs in two rows that hold at one location.
fn compare_row(differences: &mut Differences<'_>, ours: &RowRef<'_>, theirs: &RowRef<'_>, says: Says) {
    let at: Address = ours.start.max(theirs.start);
    let target: &Target = differences.target;
    if !same_cfa(ours.cfa, theirs.cfa, says) {
        let key = match (ours.cfa, theirs.cfa) {
            (CfaRule::RegisterOffset { register: r, offset: o }, CfaRule::RegisterOffset { register: s, offset: p }) => {
                match (r == s, o == p) {
                    (true, false) => Key::RowCfaOffset,
                    (false, true) => Key::RowCfaRegister,
                    _ => Key::RowCfa,
                }
            }
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
    while let Some(register) = [a.peek(), b.peek()].into_iter().flatten().map(|(register, _)| *register).min() {
        let x = a.next_if(|(number, _)| *number == register).map(|(_, rule)| rule);
        let y = b.next_if(|(number, _)| *number == register).map(|(_, rule)| rule);
        let same = matches!((x, y), (Some(x), Some(y)) if same_register_rule(x, y, says));
        if !same {
            differences.push(Key::RowRegisterRule, show(register, x), show(register, y));
        }
    }
}
