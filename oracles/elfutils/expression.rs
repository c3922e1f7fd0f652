//! The lines of a DWARF expression, such as `[ 2] breg7 8` at offset 2, to operations.

use cfidiff_model::{Operation, operation_by_name};

use crate::printed::cursor::Cursor;

/// Parses one operation. Addresses count from `base`. `None` for one that the tool could not read, and for text of
/// another form.
pub(super) fn parse_operation(text: &[u8], base: u64) -> Option<Operation> {
    let mut cursor = Cursor::new(text);
    cursor.expect(b"[")?;
    cursor.spaces();
    let offset = cursor.number()?;
    cursor.expect(b"] ")?;
    let name = cursor.until(|byte| byte == b' ' || byte == b':');
    let opcode = operation_by_name(&format!("DW_OP_{}", std::str::from_utf8(name).ok()?))?;
    cursor.eat(b":");
    let mut operation = Operation::new(opcode, &[]);
    let operands = &mut operation.operands;
    cursor.spaces();
    match opcode {
        0x03 => operands.push(address(cursor.rest(), base)?),
        // Where the branch leads, printed in place of how far: it counts from behind its two bytes.
        0x28 | 0x2f => operands.push(cursor.number()?.wrapping_sub(offset.wrapping_add(3))),
        0x98 | 0x99 | 0x9a | 0xa8 | 0xa9 | 0xf7 | 0xf9 | 0xfa | 0xfd => {
            operands.push(in_brackets(&mut cursor)?)
        }
        // Decimal, and a note that the file has no such entry.
        0xa1 | 0xa2 | 0xfb | 0xfc => {
            cursor.expect(b"[")?;
            operands.push(cursor.number()?);
        }
        0x9d => {
            operands.push(cursor.number()?);
            cursor.expect(b", ")?;
            operands.push(cursor.number()?);
        }
        0x9e => operation.block = block(&mut cursor)?,
        0xa4 | 0xf4 => {
            operands.push(in_brackets(&mut cursor)?);
            cursor.spaces();
            operation.block = block(&mut cursor)?;
        }
        0xa5 | 0xa6 | 0xa7 | 0xf5 | 0xf6 => {
            operands.push(cursor.number()?);
            cursor.spaces();
            operands.push(in_brackets(&mut cursor)?);
        }
        0xa0 | 0xf2 => {
            operands.push(in_brackets(&mut cursor)?);
            cursor.spaces();
            operands.push(cursor.number()?);
        }
        _ => {
            while !cursor.is_empty() {
                operands.push(cursor.number()?);
                cursor.spaces();
            }
        }
    }
    Some(operation)
}

/// An address as the tool prints it: `0x401000`, `+0x1000` behind the start of a shared object, `.text+0x10` in a
/// relocatable object. Zero has no prefix and as many digits as the others have with it.
pub(super) fn address(text: &[u8], base: u64) -> Option<u64> {
    let (before, digits) = match text.iter().rposition(|&byte| byte == b'+') {
        Some(at) => (Some(&text[..at]), &text[at + 1..]),
        None => (None, text),
    };
    let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
    let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
    let value = match &digits[zeros..] {
        [] if zeros > 0 => 0,
        digits => {
            let mut cursor = Cursor::new(digits);
            let (value, _) = cursor.hex()?;
            cursor.end()?;
            value
        }
    };
    Some(if before == Some(b"") { value.wrapping_add(base) } else { value })
}

/// `[    2a]`: an offset in hexadecimal.
fn in_brackets(cursor: &mut Cursor<'_>) -> Option<u64> {
    cursor.expect(b"[")?;
    cursor.spaces();
    let (value, _) = cursor.hex()?;
    cursor.expect(b"]")?;
    Some(value)
}

/// `2 byte block: aa 01`.
fn block(cursor: &mut Cursor<'_>) -> Option<Vec<u8>> {
    let size = usize::try_from(cursor.number()?).ok()?;
    cursor.expect(b" byte block:")?;
    cursor.spaces();
    let mut bytes = Vec::new();
    while !cursor.is_empty() {
        bytes.push(u8::try_from(cursor.hex()?.0).ok()?);
        cursor.spaces();
    }
    (bytes.len() == size).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_as_0_188_prints_them() {
        let cases: &[(&str, u8, &[u64], &[u8])] = &[
            ("[ 0] addr +0x1234567", 0x03, &[0x1274567], &[]),
            ("[ 0] const1s -1", 0x09, &[u64::MAX], &[]),
            ("[ 0] const8u 578437695752307201", 0x0e, &[578_437_695_752_307_201], &[]),
            ("[ 4] bra 7", 0x28, &[0], &[]),
            ("[ 4] skip 5", 0x2f, &[(-2_i64).cast_unsigned()], &[]),
            ("[ 0] lit31", 0x4f, &[], &[]),
            ("[ 2] reg5", 0x55, &[], &[]),
            ("[64] breg0 -1", 0x70, &[u64::MAX], &[]),
            ("[ 0] bregx 100 -1", 0x92, &[100, u64::MAX], &[]),
            ("[ 0] call4 [    1f]", 0x99, &[0x1f], &[]),
            ("[ 0] bit_piece 3, 4", 0x9d, &[3, 4], &[]),
            ("[ 0] implicit_value: 2 byte block: aa 01", 0x9e, &[], &[0xaa, 1]),
            ("[ 0] implicit_pointer [4030201] +5", 0xa0, &[0x0403_0201, 5], &[]),
            ("[ 0] addrx [5] ???", 0xa1, &[5], &[]),
            ("[ 0] const_type [     9] 2 byte block: 01 02", 0xa4, &[9], &[1, 2]),
            ("[ 0] regval_type 6 [     9]", 0xa5, &[6, 9], &[]),
            ("[   0] xderef_type 8 [     9]", 0xa7, &[8, 9], &[]),
            ("[ 0] GNU_uninit", 0xf0, &[], &[]),
        ];
        for &(text, opcode, operands, block) in cases {
            let expected = Operation { opcode, operands: operands.into(), block: block.to_vec() };
            assert_eq!(parse_operation(text.as_bytes(), 0x40000), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_the_tool_cannot_read_is_none() {
        for text in
            ["[ 1] ??? (0x5)", "[ 0] lo_user+0x9", "[69] regx  <TRUNCATED>", "<INVALID DATA>", "", "[ 0]"]
        {
            assert_eq!(
                parse_operation(text.as_bytes(), 0).filter(|told| !told.operands.is_empty()),
                None,
                "{text}"
            );
        }
    }

    #[test]
    fn addresses_of_every_form() {
        let address = |text: &str| address(text.as_bytes(), 0x1000);
        assert_eq!(address("+0x0000000000001010"), Some(0x2010));
        assert_eq!(address("+000000000000000000"), Some(0x1000));
        assert_eq!(address("0x0000000000401000"), Some(0x40_1000));
        assert_eq!(address(".text+a+0x0000000000000020"), Some(0x20));
        assert_eq!(address(".text+000000000000000000"), Some(0));
        assert_eq!(address("+0x"), None);
        assert_eq!(address("+0x12 x"), None);
    }
}
