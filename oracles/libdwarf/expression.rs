//! The text of a DWARF expression, such as `DW_OP_breg7+8 DW_OP_lit15 DW_OP_and`, to operations.

use cfidiff_model::{Expression, Operation, operation_by_name};

use crate::printed::cursor::Cursor;

/// What every operation starts with.
const PREFIX: &[u8] = b"DW_OP_";

/// Parses an expression. `None` for text of another form.
pub(super) fn parse_expression(text: &[u8]) -> Option<Expression> {
    let mut operations = Vec::new();
    let mut rest = text.trim_ascii();
    while !rest.is_empty() {
        let end = memchr::memmem::find_iter(rest, PREFIX).find(|&at| at > 0).unwrap_or(rest.len());
        // Where branches are, each operation has its offset before it, in front of the first name as well.
        if rest.starts_with(PREFIX) {
            operations.push(operation(&rest[..end])?);
        } else if !rest.starts_with(b"<") {
            return None;
        }
        rest = &rest[end..];
    }
    Some(Expression { operations, size: None })
}

/// One operation with its operands. What is in `<` and `>` is said about them.
fn operation(text: &[u8]) -> Option<Operation> {
    let end = memchr::memchr(b'<', text).unwrap_or(text.len());
    let text = text[..end].trim_ascii_end();
    let end = text.iter().position(|byte| matches!(byte, b' ' | b'+' | b'-')).unwrap_or(text.len());
    let opcode = operation_by_name(std::str::from_utf8(&text[..end]).ok()?)?;
    let mut operation = Operation::new(opcode, &[]);
    let mut words = text[end..].split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    match opcode {
        0x92 => {
            // `0x00000064+-1`
            let word = words.next()?;
            let at = memchr::memchr(b'+', word)?;
            operation.operands.extend([number(&word[..at])?, number(&word[at + 1..])?]);
        }
        0x9e | 0xa3 | 0xf3 | 0xa4 | 0xf4 => {
            if matches!(opcode, 0xa4 | 0xf4) {
                operation.operands.push(number(words.next()?)?);
            }
            words.find(|word| *word == b"contents")?;
            operation.block = hex_bytes(words.next()?.strip_prefix(b"0x")?)?;
        }
        _ => {
            for word in words.filter(|word| *word != b"offset") {
                operation.operands.push(number(word)?);
            }
        }
    }
    Some(operation)
}

/// A number with its sign, or a hexadecimal one with its prefix.
fn number(word: &[u8]) -> Option<u64> {
    let mut cursor = Cursor::new(word);
    let number = if word.starts_with(b"0x") { cursor.prefixed_hex()? } else { cursor.number()? };
    cursor.is_empty().then_some(number)
}

/// `aa01`.
fn hex_bytes(text: &[u8]) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    text.chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_as_20210528_prints_them() {
        let cases: &[(&str, u8, &[u64], &[u8])] = &[
            ("DW_OP_addr 0x807060504030201", 0x03, &[0x0807_0605_0403_0201], &[]),
            ("DW_OP_const1s -1", 0x09, &[u64::MAX], &[]),
            ("DW_OP_const8u 578437695752307201", 0x0e, &[578_437_695_752_307_201], &[]),
            ("<blkoff 0x0002> DW_OP_bra 2 <target op: 0x0007>", 0x28, &[2], &[]),
            ("DW_OP_lit31", 0x4f, &[], &[]),
            ("DW_OP_breg7+8", 0x77, &[8], &[]),
            ("DW_OP_breg0-1", 0x70, &[u64::MAX], &[]),
            ("DW_OP_bregx 0x00000064+-1", 0x92, &[100, u64::MAX], &[]),
            ("DW_OP_call2 0x00000000 <No DIE, cannot verify die offset>", 0x98, &[0], &[]),
            ("DW_OP_bit_piece 0x00000003 offset 0x00000004", 0x9d, &[3, 4], &[]),
            ("DW_OP_implicit_value 0x00000002 contents 0xaa01", 0x9e, &[], &[0xaa, 1]),
            ("DW_OP_entry_value 0x00000001 contents 0x55", 0xa3, &[], &[0x55]),
            ("DW_OP_const_type 0x00000009 const length: 2 contents 0x0102 <No DIE>", 0xa4, &[9], &[1, 2]),
            ("DW_OP_regval_type 0x6 0x00000009 <No DIE>", 0xa5, &[6, 9], &[]),
            ("DW_OP_GNU_parameter_ref 0x4030201", 0xfa, &[0x0403_0201], &[]),
        ];
        for &(text, opcode, operands, block) in cases {
            let expected = Operation { opcode, operands: operands.into(), block: block.to_vec() };
            let told = parse_expression(text.as_bytes()).map(|told| told.operations);
            assert_eq!(told, Some(vec![expected]), "{text}");
        }
        let list = b"<blkoff 0x0000> DW_OP_breg0+0 <blkoff 0x0002> DW_OP_bra 2 <target op: 0x0007> <blkoff 0x0005> DW_OP_lit8";
        assert_eq!(parse_expression(list).map(|told| told.operations.len()), Some(3));
        assert_eq!(parse_expression(b""), Some(Expression::default()));
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["31 2b", "DW_OP_no_such", "DW_OP_lit0 x", "DW_OP_bregx 5", "DW_OP_implicit_value 0x2"] {
            assert_eq!(parse_expression(text.as_bytes()), None, "{text}");
        }
    }
}
