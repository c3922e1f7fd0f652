//! The text of one row, such as `0x1139: CFA=RSP+8: RBP=[CFA-16], RIP=[CFA-8]`.

use cfidiff_model::{Address, CfaRule, RegisterRule, Rows};

use super::expression::parse_expression;
use super::registers::Names;
use crate::printed::cursor::Cursor;

/// The number of a register by its name, or of `reg56` that has none.
#[inline]
pub(super) fn register(name: &[u8], names: &Names) -> Option<u64> {
    if let Some(&number) = names.get(name) {
        return Some(number);
    }
    let mut cursor = Cursor::new(name.strip_prefix(b"reg")?);
    let number = cursor.number()?;
    cursor.is_empty().then_some(number)
}

/// SPARC's registers of the window, which a window save spills.
const WINDOW: std::ops::RangeInclusive<u64> = 16..=31;

/// Parses a row, which starts at a location but in a CIE, and adds it; it ends at `end` until the next one starts.
/// Returns whether the tool could read all its expressions. `None` for text of another form.
///
/// Where SPARC's window was saved, the tool shows plain offsets for what the machine's ABI does.
pub(super) fn parse_row(
    text: &[u8],
    names: &Names,
    end: Address,
    has_window: bool,
    rows: &mut Rows,
) -> Option<bool> {
    let mut cursor = Cursor::new(text);
    let (start, end) = if cursor.eat(b"0x") {
        let start = Address(cursor.hex()?.0);
        cursor.expect(b": ")?;
        (start, end)
    } else {
        (Address(0), Address(0))
    };
    cursor.expect(b"CFA=")?;
    let (cfa, mut rules) = cfa_and_rules(cursor.rest());
    let mut complete = true;
    let cfa = cfa_rule(cfa, names, &mut complete)?;
    rows.set_last_end(start);
    while !rules.is_empty() {
        let (rule, rest) = first_rule(rules);
        let at = memchr::memchr(b'=', rule)?;
        let (name, rule) = (&rule[..at], &rule[at + 1..]);
        let register = register(name, names)?;
        let rule = match register_rule(rule, names, &mut complete)? {
            RegisterRule::Offset(offset) if has_window && WINDOW.contains(&register) => {
                RegisterRule::Architectural(offset.cast_unsigned())
            }
            rule => rule,
        };
        rows.push_rule(register, rule);
        rules = rest;
    }
    rows.finish_row(start, end, cfa);
    Some(complete)
}

/// Cuts at the colon behind the CFA rule; an expression may hold another, which no register's rule follows.
fn cfa_and_rules(text: &[u8]) -> (&[u8], &[u8]) {
    let is_end = |&at: &usize| begins_rule(&text[at + 2..]);
    match memchr::memmem::find_iter(text, b": ").find(is_end) {
        Some(at) => (&text[..at], &text[at + 2..]),
        None => (text, b""),
    }
}

/// Cuts behind the first rule; expressions hold the same commas.
fn first_rule(text: &[u8]) -> (&[u8], &[u8]) {
    let is_end = |&at: &usize| begins_rule(&text[at + 2..]);
    match memchr::memmem::find_iter(text, b", ").find(is_end) {
        Some(at) => (&text[..at], &text[at + 2..]),
        None => (text, b""),
    }
}

/// Whether a register's name and an equals sign come next.
fn begins_rule(text: &[u8]) -> bool {
    let name = text.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
    name.is_some_and(|length| length > 0 && text[length] == b'=')
}

/// `RSP+8`, `RSP`, `RSP+8 in addrspace1`, `unspecified`, or an expression.
fn cfa_rule(text: &[u8], names: &Names, complete: &mut bool) -> Option<CfaRule> {
    if text == b"unspecified" {
        return Some(CfaRule::Undefined);
    }
    if is_expression(text) {
        return Some(CfaRule::Expression(expression(text, names, complete)?));
    }
    const SPACE: &[u8] = b" in addrspace";
    let (text, address_space) = match memchr::memmem::find(text, SPACE) {
        Some(at) => (&text[..at], Some(Cursor::new(&text[at + SPACE.len()..]).number()?)),
        None => (text, None),
    };
    let (register, offset) = register_and_offset(text, names)?;
    Some(match address_space {
        Some(address_space) => CfaRule::RegisterOffsetInSpace { register, offset, address_space },
        None => CfaRule::RegisterOffset { register, offset },
    })
}

fn register_and_offset(text: &[u8], names: &Names) -> Option<(u64, i64)> {
    match text.iter().rposition(|byte| matches!(byte, b'+' | b'-')) {
        Some(at) => Some((register(&text[..at], names)?, number(&text[at..])?)),
        None => Some((register(text, names)?, 0)),
    }
}

fn register_rule(text: &[u8], names: &Names, complete: &mut bool) -> Option<RegisterRule> {
    let (text, in_memory) = match text {
        [b'[', inner @ .., b']'] => (inner, true),
        _ => (text, false),
    };
    if is_expression(text) {
        let expression = expression(text, names, complete)?;
        return Some(match in_memory {
            true => RegisterRule::Expression(expression),
            false => RegisterRule::ValExpression(expression),
        });
    }
    if let Some(rest) = text.strip_prefix(b"CFA") {
        let offset = if rest.is_empty() { 0 } else { number(rest)? };
        return Some(if in_memory { RegisterRule::Offset(offset) } else { RegisterRule::ValOffset(offset) });
    }
    match text {
        _ if in_memory => None,
        b"undefined" => Some(RegisterRule::Undefined),
        b"same" => Some(RegisterRule::SameValue),
        // A bare number: the state of AArch64's RA_SIGN_STATE.
        [b'0'..=b'9' | b'-', ..] => Some(RegisterRule::Architectural(number(text)?.cast_unsigned())),
        name => Some(RegisterRule::Register(register(name, names)?)),
    }
}

fn is_expression(text: &[u8]) -> bool {
    text.starts_with(b"DW_OP_") || text.starts_with(b"<")
}

fn expression(text: &[u8], names: &Names, complete: &mut bool) -> Option<Box<cfidiff_model::Expression>> {
    let (expression, is_complete) = parse_expression(text, names)?;
    *complete &= is_complete;
    Some(Box::new(expression))
}

fn number(text: &[u8]) -> Option<i64> {
    let mut cursor = Cursor::new(text);
    let number = cursor.signed()?;
    cursor.is_empty().then_some(number)
}

#[cfg(test)]
mod tests {
    use cfidiff_model::{Expression, Operation};

    use super::*;

    type Told = (u64, CfaRule, Vec<(u64, RegisterRule)>);

    fn parse(text: &str) -> Option<Told> {
        let names = [("RBX", 3), ("RBP", 6), ("RSP", 7), ("R15", 15), ("RIP", 16)];
        let names = names.map(|(name, number)| (name.as_bytes().to_vec(), number)).into();
        let mut rows = Rows::default();
        parse_row(text.as_bytes(), &names, Address(0x2000), false, &mut rows)?;
        let row = rows.get(0)?;
        Some((row.start.0, row.cfa.clone(), row.rules.to_vec()))
    }

    fn expression(operations: &[Operation]) -> Box<Expression> {
        Box::new(Expression { operations: operations.to_vec(), size: None })
    }

    #[test]
    fn rows_as_19_1_prints_them() {
        let rsp8 = CfaRule::RegisterOffset { register: 7, offset: 8 };
        assert_eq!(parse("CFA=RSP+8: RIP=[CFA-8]"), Some((0, rsp8, vec![(16, RegisterRule::Offset(-8))])));
        assert_eq!(parse("0x1010: CFA=unspecified"), Some((0x1010, CfaRule::Undefined, vec![])));
        let breg = Operation::new(0x76, &[8]);
        let cfa = CfaRule::Expression(expression(&[breg.clone(), Operation::new(6, &[])]));
        let rules = vec![
            (3, RegisterRule::ValExpression(expression(std::slice::from_ref(&breg)))),
            (6, RegisterRule::Expression(expression(&[breg, Operation::new(0x30, &[])]))),
            (7, RegisterRule::ValOffset(0)),
            (15, RegisterRule::Undefined),
            (16, RegisterRule::SameValue),
            (34, RegisterRule::Architectural(1)),
            (40, RegisterRule::Register(15)),
        ];
        let text = "0x1014: CFA=DW_OP_breg6 RBP+8, DW_OP_deref: RBX=DW_OP_breg6 RBP+8, \
            RBP=[DW_OP_breg6 RBP+8, DW_OP_lit0], RSP=CFA, R15=undefined, RIP=same, reg34=1, reg40=R15";
        assert_eq!(parse(text), Some((0x1014, cfa, rules)));
        let spaced = CfaRule::RegisterOffsetInSpace { register: 7, offset: 24, address_space: 1 };
        assert_eq!(parse("0x1010: CFA=RSP+24 in addrspace1"), Some((0x1010, spaced, vec![])));
        let bare = CfaRule::RegisterOffset { register: 7, offset: 0 };
        assert_eq!(parse("0x1010: CFA=RSP"), Some((0x1010, bare, vec![])));
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "0x1010: RSP+8",
            "0x1010: CFA=XYZ+8",
            "0x1010: CFA=RSP+8: RIP=[RSP-8]",
            "0x1010: CFA=RSP+8: XYZ=[CFA-8]",
            "0x1010: CFA=RSP+8x",
            "1010: CFA=RSP+8",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
