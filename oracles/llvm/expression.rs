//! The text of a DWARF expression, such as `DW_OP_breg7 RSP+8, DW_OP_lit15, DW_OP_and`, to operations.

use cfidiff_model::{Expression, Operation, operation_by_name};

use super::registers::Names;
use super::row::register;
use crate::printed::cursor::Cursor;

/// Parses an expression. The flag tells whether the tool could read it to its end; from an operation that it could
/// not read on it prints bytes. `None` for text of another form.
pub(super) fn parse_expression(text: &[u8], names: &Names) -> Option<(Expression, bool)> {
    let mut operations = Vec::new();
    let mut cursor = Cursor::new(text);
    if text == b"<empty>" {
        return Some((Expression { operations, size: None }, true));
    }
    loop {
        if cursor.eat(b"<decoding error>") {
            return Some((Expression { operations, size: None }, false));
        }
        operations.push(operation(&mut cursor, names)?);
        if cursor.is_empty() {
            return Some((Expression { operations, size: None }, true));
        }
        cursor.expect(b", ")?;
    }
}

/// One operation with its operands, up to the comma or the parenthesis behind it.
fn operation(cursor: &mut Cursor<'_>, names: &Names) -> Option<Operation> {
    let name = cursor.until(|byte| matches!(byte, b' ' | b',' | b'(' | b')'));
    let opcode = operation_by_name(std::str::from_utf8(name).ok()?)?;
    let mut operation = Operation::new(opcode, &[]);
    if cursor.eat(b"(") {
        // The operand of DW_OP_entry_value, which is bytes. Of several operations the tool does not print the
        // closing parenthesis where they end, so that one register is all that can be read back.
        let inner = self::operation(cursor, names)?;
        operation.block = matches!(inner.opcode, 0x50..=0x6f).then(|| vec![inner.opcode])?;
        cursor.expect(b")")?;
        return Some(operation);
    }
    let text = cursor.until(|byte| matches!(byte, b',' | b')'));
    let text = text.strip_prefix(b" ").unwrap_or(text);
    match opcode {
        // The register is in the opcode, its name is for people.
        0x50..=0x6f => {}
        0x70..=0x8f => operation.operands.push(behind_sign(text)?.1),
        0x92 => {
            let (name, offset) = behind_sign(text)?;
            operation.operands.extend([register_operand(name.trim_ascii_end(), names)?, offset]);
        }
        0x90 => operation.operands.push(register_operand(text, names)?),
        0xa5 => {
            let (name, kind) = split_once(text, b" <base_type ref: ")?;
            let kind = Cursor::new(kind.strip_suffix(b">")?).prefixed_hex()?;
            operation.operands.extend([register_operand(name, names)?, kind]);
        }
        0x9e => {
            let mut bytes = numbers(text)?;
            let size = bytes.first().copied()?;
            bytes.remove(0);
            operation.block = bytes.iter().map(|&byte| u8::try_from(byte).ok()).collect::<Option<_>>()?;
            (operation.block.len() as u64 == size).then_some(())?;
        }
        _ => operation.operands.extend(numbers(text)?),
    }
    Some(operation)
}

/// `RBP`, or `0xc8` for a register without a name.
fn register_operand(text: &[u8], names: &Names) -> Option<u64> {
    match text {
        [b'0', b'x', digits @ ..] => Some(Cursor::new(digits).hex()?.0),
        name => register(name, names),
    }
}

/// `RSP-8` to the name and the number.
fn behind_sign(text: &[u8]) -> Option<(&[u8], u64)> {
    let at = text.iter().rposition(|byte| matches!(byte, b'+' | b'-'))?;
    let mut cursor = Cursor::new(&text[at..]);
    let number = cursor.number()?;
    cursor.is_empty().then_some((&text[..at], number))
}

/// Numbers with spaces between: unsigned ones in hexadecimal, signed ones in decimal.
fn numbers(text: &[u8]) -> Option<Vec<u64>> {
    let number = |word: &[u8]| {
        let mut cursor = Cursor::new(word);
        let number = if word.starts_with(b"0x") { cursor.prefixed_hex()? } else { cursor.number()? };
        cursor.is_empty().then_some(number)
    };
    text.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).map(number).collect()
}

fn split_once<'t>(text: &'t [u8], between: &[u8]) -> Option<(&'t [u8], &'t [u8])> {
    let at = memchr::memmem::find(text, between)?;
    Some((&text[..at], &text[at + between.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<(Vec<Operation>, bool)> {
        let names =
            [("RBP", 6), ("RSP", 7), ("RDI", 5)].map(|(name, number)| (name.as_bytes().to_vec(), number));
        let (expression, complete) = parse_expression(text.as_bytes(), &names.into())?;
        Some((expression.operations, complete))
    }

    #[test]
    fn operations_as_19_1_prints_them() {
        let cases: &[(&str, u8, &[u64], &[u8])] = &[
            ("DW_OP_addr 0x8807060504030201", 0x03, &[0x8807_0605_0403_0201], &[]),
            ("DW_OP_const4s -2080177663", 0x0d, &[(-2_080_177_663_i64).cast_unsigned()], &[]),
            ("DW_OP_consts -128", 0x11, &[(-128_i64).cast_unsigned()], &[]),
            ("DW_OP_pick 0x2", 0x15, &[2], &[]),
            ("DW_OP_skip +1", 0x2f, &[1], &[]),
            ("DW_OP_lit31", 0x4f, &[], &[]),
            ("DW_OP_reg31 XMM14", 0x6f, &[], &[]),
            ("DW_OP_breg7 RSP-8", 0x77, &[(-8_i64).cast_unsigned()], &[]),
            ("DW_OP_regx 0xc8", 0x90, &[0xc8], &[]),
            ("DW_OP_regx RBP", 0x90, &[6], &[]),
            ("DW_OP_bregx RBP-16", 0x92, &[6, (-16_i64).cast_unsigned()], &[]),
            ("DW_OP_bregx 0xc8 +16", 0x92, &[0xc8, 16], &[]),
            ("DW_OP_bit_piece 0x5 0x7", 0x9d, &[5, 7], &[]),
            ("DW_OP_implicit_value 0x2 0xaa 0x01", 0x9e, &[], &[0xaa, 1]),
            ("DW_OP_regval_type RBP <base_type ref: 0x9>", 0xa5, &[6, 9], &[]),
            ("DW_OP_GNU_entry_value(DW_OP_reg5 RDI)", 0xf3, &[], &[0x55]),
        ];
        for &(text, opcode, operands, block) in cases {
            let expected = Operation { opcode, operands: operands.into(), block: block.to_vec() };
            assert_eq!(parse(text), Some((vec![expected], true)), "{text}");
        }
        let (operations, complete) = parse("DW_OP_breg7 RSP+8, DW_OP_lit15, DW_OP_and").expect("a list");
        assert_eq!((operations.len(), complete), (3, true));
        assert_eq!(parse("<empty>"), Some((vec![], true)));
    }

    #[test]
    fn what_the_tool_cannot_read_or_print_is_told() {
        assert_eq!(parse("<decoding error> 9a 01 02"), Some((vec![], false)));
        let (operations, complete) = parse("DW_OP_nop, <decoding error> e9").expect("a list");
        assert_eq!((operations.len(), complete), (1, false));
        for text in [
            "DW_OP_entry_value(DW_OP_breg5 RDI+0, DW_OP_stack_value, DW_OP_nop",
            "DW_OP_no_such",
            "DW_OP_deref,",
            "DW_OP_implicit_value 0x2 0xaa",
            "DW_OP_regx XYZ",
            "",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
