//! The text of one row, such as `0x00001061: <off cfa=16(r7) > <off r6=-16(cfa) >`.

use cfidiff_model::{Address, CfaRule, RegisterRule, Rows};

use super::expression::parse_expression;
use crate::printed::cursor::Cursor;

/// Parses a row and adds it; it ends at `end` until the next one starts. `None` for text of another form.
pub(super) fn parse_row(text: &[u8], end: Address, rows: &mut Rows) -> Option<()> {
    let mut cursor = Cursor::new(text);
    cursor.expect(b"0x")?;
    let start = Address(cursor.hex()?.0);
    cursor.expect(b": ")?;
    let mut cells = Cells { rest: cursor.rest() };
    let mut cfa = CfaRule::Undefined;
    let mut rules = Vec::new();
    while let Some(cell) = cells.next()? {
        let (kind, rest) = split_once(cell, b" ")?;
        let (name, value) = split_once(rest, b"=")?;
        let (name, value) = (name.trim_ascii(), value.trim_ascii());
        let expression = match kind {
            b"expr" | b"valexpr" => {
                // Its bytes, and then what they mean.
                cells.next()??;
                Some(Box::new(parse_expression(cells.next()??.strip_prefix(b"expr:")?)?))
            }
            _ => None,
        };
        if name == b"cfa" {
            cfa = match expression {
                Some(expression) => CfaRule::Expression(expression),
                None => register_and_offset(value)?,
            };
            continue;
        }
        let register = Cursor::new(name).register()?;
        let rule = match (kind, expression) {
            (b"expr", Some(expression)) => RegisterRule::Expression(expression),
            (_, Some(expression)) => RegisterRule::ValExpression(expression),
            (b"valoff", None) => RegisterRule::ValOffset(cfa_offset(value)?),
            (b"off", None) => match value {
                b"s" => RegisterRule::SameValue,
                b"u" => RegisterRule::Undefined,
                [b'r', ..] => RegisterRule::Register(Cursor::new(value).register()?),
                _ => RegisterRule::Offset(cfa_offset(value)?),
            },
            _ => return None,
        };
        rules.push((register, rule));
    }
    rows.set_last_end(start);
    rules.into_iter().for_each(|(register, rule)| rows.push_rule(register, rule));
    rows.finish_row(start, end, cfa);
    Some(())
}

/// The cells `<...>` of a row. An expression's may hold others.
struct Cells<'t> {
    rest: &'t [u8],
}

impl<'t> Cells<'t> {
    /// The next cell without its brackets; the inner `None` at the end.
    fn next(&mut self) -> Option<Option<&'t [u8]>> {
        let rest = self.rest.trim_ascii();
        if rest.is_empty() {
            return Some(None);
        }
        let mut depth = 0_usize;
        for (at, &byte) in rest.iter().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                self.rest = &rest[at + 1..];
                return Some(Some(rest[..at].strip_prefix(b"<")?));
            }
        }
        None
    }
}

/// `16(r7)`, or `r7` for an offset of zero.
fn register_and_offset(text: &[u8]) -> Option<CfaRule> {
    if text.starts_with(b"r") {
        return Some(CfaRule::RegisterOffset { register: Cursor::new(text).register()?, offset: 0 });
    }
    let mut cursor = Cursor::new(text);
    let offset = cursor.signed()?;
    cursor.expect(b"(")?;
    let register = cursor.register()?;
    cursor.expect(b")")?;
    Some(CfaRule::RegisterOffset { register, offset })
}

/// `-16(cfa)`.
fn cfa_offset(text: &[u8]) -> Option<i64> {
    let mut cursor = Cursor::new(text);
    let offset = cursor.signed()?;
    cursor.expect(b"(cfa)")?;
    Some(offset)
}

fn split_once<'t>(text: &'t [u8], between: &[u8]) -> Option<(&'t [u8], &'t [u8])> {
    let at = memchr::memmem::find(text, between)?;
    Some((&text[..at], &text[at + between.len()..]))
}

#[cfg(test)]
mod tests {
    use cfidiff_model::{Expression, Operation};

    use super::*;

    type Told = (u64, CfaRule, Vec<(u64, RegisterRule)>);

    fn parse(text: &str) -> Option<Told> {
        let mut rows = Rows::default();
        parse_row(text.as_bytes(), Address(0x2000), &mut rows)?;
        let row = rows.get(0)?;
        Some((row.start.0, row.cfa.clone(), row.rules.to_vec()))
    }

    #[test]
    fn rows_as_20210528_prints_them() {
        let text = "0x00001061: <off cfa=08(r7) > <valoff r3=-24(cfa) > <off r6=-16(cfa) > <off r12=u > \
            <off r13=s > <off r14=r15 > ";
        let cfa = CfaRule::RegisterOffset { register: 7, offset: 8 };
        let rules = vec![
            (3, RegisterRule::ValOffset(-24)),
            (6, RegisterRule::Offset(-16)),
            (12, RegisterRule::Undefined),
            (13, RegisterRule::SameValue),
            (14, RegisterRule::Register(15)),
        ];
        assert_eq!(parse(text), Some((0x1061, cfa, rules)));
        let bare = CfaRule::RegisterOffset { register: 2, offset: 0 };
        assert_eq!(parse("0x00001010: <off cfa=r2 > "), Some((0x1010, bare, vec![])));
        let lost = (0x1010, CfaRule::Undefined, vec![(16, RegisterRule::Offset(-8))]);
        assert_eq!(parse("0x00001010: <off r16=-8(cfa) > "), Some(lost));
    }

    #[test]
    fn expressions_within_rows() {
        let text = "0x00001010: <expr cfa=expr-block-len=2> <exprbytes:7708> <expr:DW_OP_breg7+8><expr \
            r3=expr-block-len=2> <exprbytes:7778> <expr:<blkoff 0x0000> DW_OP_breg7-8><valexpr \
            r12=expr-block-len=1> <valexprbytes:31> <expr:DW_OP_lit1><off r16=-8(cfa) > ";
        let expression = |opcode, operands: &[u64]| {
            Box::new(Expression { operations: vec![Operation::new(opcode, operands)], size: None })
        };
        let rules = vec![
            (3, RegisterRule::Expression(expression(0x77, &[(-8_i64).cast_unsigned()]))),
            (12, RegisterRule::ValExpression(expression(0x31, &[]))),
            (16, RegisterRule::Offset(-8)),
        ];
        assert_eq!(parse(text), Some((0x1010, CfaRule::Expression(expression(0x77, &[8])), rules)));
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "0x00001010: <off cfa=08(r7) ",
            "0x00001010: > <off cfa=08(r7) >",
            "0x00001010: <expr cfa=expr-block-len=2> <exprbytes:e996> ",
            "0x00001010: <off r3=8(r7) >",
            "0x00001010: <x>",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
