//! The text of a DWARF expression, such as `(DW_OP_breg7 (rsp): 8; DW_OP_lit15; DW_OP_and)`, to operations.

use cfidiff_model::{Endianness, Expression, Operation, Target, operation_by_name};

use crate::printed::cursor::Cursor;

/// How deep DW_OP_entry_value may nest before the rest is given up. Compilers do not nest it at all.
const DEPTH: usize = 16;

/// Parses an expression with its parentheses. The flag tells whether the tool could read it to its end; an
/// operation that it could not read is left out with all that follows. `None` for text of another form.
pub(super) fn parse_expression(cursor: &mut Cursor<'_>, target: Target) -> Option<(Expression, bool)> {
    let mut operations = Vec::new();
    cursor.expect(b"(")?;
    let complete = operation_list(cursor, target, 0, &mut operations)?;
    Some((Expression { operations, size: None }, complete))
}

/// Operations up to the closing parenthesis.
fn operation_list(
    cursor: &mut Cursor<'_>,
    target: Target,
    depth: usize,
    operations: &mut Vec<Operation>,
) -> Option<bool> {
    if cursor.eat(b")") {
        return Some(true);
    }
    loop {
        if cursor.peek() == Some(b'(') || depth > DEPTH {
            // `(Unknown location op 0x2)`, `(User defined location op 0xe9)`, `(DW_OP_call_ref in frame info)`.
            return Some(false);
        }
        let operation = operation(cursor, target, depth)?;
        let complete = operation.is_some();
        operations.extend(operation);
        if !complete {
            return Some(false);
        }
        if cursor.eat(b")") {
            return Some(true);
        }
        cursor.expect(b"; ")?;
    }
}

/// One operation; the inner `None` for a nested expression that the tool could not read.
fn operation(cursor: &mut Cursor<'_>, target: Target, depth: usize) -> Option<Option<Operation>> {
    let name = cursor.until(|byte| matches!(byte, b':' | b' ' | b';' | b')'));
    // Two names for one opcode.
    cursor.eat(b" or DW_OP_HP_unknown");
    let name = std::str::from_utf8(name).ok()?;
    let opcode = operation_by_name(name).or_else(|| other_name(name))?;
    let mut operation = Operation::new(opcode, &[]);
    let mut text = form(opcode).text.as_bytes();
    while let [first, rest @ ..] = text {
        text = rest;
        if *first != b'%' {
            cursor.expect(&[*first])?;
            continue;
        }
        let [directive, rest @ ..] = text else { return None };
        text = rest;
        match directive {
            b'n' => operation.operands.push(cursor.number()?),
            b'x' => operation.operands.push(cursor.hex()?.0),
            b'h' => operation.operands.push(cursor.prefixed_hex()?),
            b'r' => cursor.expect(b"(").and_then(|()| cursor.name_in_parentheses())?,
            b'b' => operation.block = block(cursor)?,
            _ => match nested(cursor, target, depth)? {
                Some(bytes) => operation.block = bytes,
                None => return Some(None),
            },
        }
    }
    Some(Some(operation))
}

/// ` 3 byte block: 1 2 ff `.
fn block(cursor: &mut Cursor<'_>) -> Option<Vec<u8>> {
    cursor.expect(b" ")?;
    let size = usize::try_from(cursor.number()?).ok()?;
    cursor.expect(b" byte block: ")?;
    let mut bytes = Vec::new();
    while bytes.len() < size {
        let (byte, _) = cursor.hex()?;
        bytes.push(u8::try_from(byte).ok()?);
        cursor.expect(b" ")?;
    }
    Some(bytes)
}

/// The operations of a DW_OP_entry_value, written back to bytes, since that is its operand.
fn nested(cursor: &mut Cursor<'_>, target: Target, depth: usize) -> Option<Option<Vec<u8>>> {
    let mut operations = Vec::new();
    if !operation_list(cursor, target, depth + 1, &mut operations)? {
        return Some(None);
    }
    let mut bytes = Vec::new();
    operations.iter().for_each(|operation| encode(operation, target, &mut bytes));
    Some(Some(bytes))
}

/// How an operation looks as text after its name, and its operands in the bytes.
struct Form {
    /// `%n` a decimal number, `%x` and `%h` a hexadecimal one without and with prefix, `%r` a register's name in
    /// parentheses, `%b` a block, `%e` an expression without its opening parenthesis.
    text: &'static str,
    /// `1`, `2`, `4`, `8` so many bytes, `a` an address, `u` and `s` LEB128, `b` and `c` a block behind its size
    /// as LEB128 and as one byte.
    bytes: &'static str,
}

/// The forms that differ from a bare name (binutils 2.40).
fn form(opcode: u8) -> Form {
    let (text, bytes) = match opcode {
        0x03 => (": %x", "a"),
        0x08 | 0x09 | 0x15 | 0x94 | 0x95 => (": %n", "1"),
        0x0a | 0x0b | 0x28 | 0x2f => (": %n", "2"),
        0x0c | 0x0d => (": %n", "4"),
        0x0e | 0x0f => (": %n", "8"),
        0x10 | 0x23 | 0x93 => (": %n", "u"),
        0x11 | 0x91 => (": %n", "s"),
        0x50..=0x6f => (" %r", ""),
        0x70..=0x8f => (" %r: %n", "s"),
        0x90 => (": %n %r", "u"),
        0x92 => (": %n %r %n", "us"),
        0x98 => (": <%h>", "2"),
        0x99 | 0xfa => (": <%h>", "4"),
        0x9d => (": size: %n offset: %n ", "uu"),
        0x9e => ("%b", "b"),
        0xa1 | 0xa2 | 0xa8 | 0xa9 | 0xf7 | 0xf9 | 0xfb | 0xfc => (" <%h>", "u"),
        0xa3 | 0xf3 => (": (%e", "b"),
        0xa4 | 0xf4 => (": <%h> %b", "uc"),
        0xa5 | 0xf5 => (": %n %r <%h>", "uu"),
        0xa6 | 0xf6 => (": %n <%h>", "1u"),
        0xf1 => (": fmt:%x addr:%x", "1a"),
        _ => ("", ""),
    };
    Form { text, bytes }
}

/// Names that binutils knows beyond the standard's and the GNU ones.
fn other_name(name: &str) -> Option<u8> {
    Some(match name {
        "DW_OP_HP_is_value" => 0xe1,
        "DW_OP_HP_fltconst4" => 0xe2,
        "DW_OP_HP_fltconst8" => 0xe3,
        "DW_OP_HP_mod_range" => 0xe4,
        "DW_OP_HP_unmod_range" => 0xe5,
        "DW_OP_HP_tls" => 0xe6,
        "DW_OP_PGI_omp_thread_num" => 0xf8,
        _ => return None,
    })
}

/// Writes an operation back to bytes, LEB128 numbers in their shortest form.
fn encode(operation: &Operation, target: Target, bytes: &mut Vec<u8>) {
    bytes.push(operation.opcode);
    let mut operands = operation.operands.iter().copied();
    for kind in form(operation.opcode).bytes.bytes() {
        match kind {
            b'u' => uleb128(operands.next().unwrap_or_default(), bytes),
            b's' => sleb128(operands.next().unwrap_or_default().cast_signed(), bytes),
            b'b' => uleb128(operation.block.len() as u64, bytes),
            b'c' => bytes.push(operation.block.len().to_le_bytes()[0]),
            b'a' => {
                fixed(operands.next().unwrap_or_default(), target.class.address_size().into(), target, bytes);
            }
            digit => fixed(operands.next().unwrap_or_default(), usize::from(digit - b'0'), target, bytes),
        }
    }
    bytes.extend_from_slice(&operation.block);
}

fn fixed(value: u64, size: usize, target: Target, bytes: &mut Vec<u8>) {
    match target.endianness {
        Endianness::Little => bytes.extend_from_slice(&value.to_le_bytes()[..size]),
        Endianness::Big => bytes.extend_from_slice(&value.to_be_bytes()[8 - size..]),
    }
}

fn uleb128(mut value: u64, bytes: &mut Vec<u8>) {
    while value > 0x7f {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

fn sleb128(mut value: i64, bytes: &mut Vec<u8>) {
    while !(-0x40..0x40).contains(&value) {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0] & 0x7f);
}

#[cfg(test)]
mod tests {
    use cfidiff_model::{Class, Machine};

    use super::*;

    const TARGET: Target = Target {
        machine: Machine::X86_64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        relocatable: false,
    };

    fn parse(text: &str) -> Option<(Vec<Operation>, bool)> {
        let mut cursor = Cursor::new(text.as_bytes());
        let (expression, complete) = parse_expression(&mut cursor, TARGET)?;
        assert!(!complete || cursor.is_empty(), "{text}");
        Some((expression.operations, complete))
    }

    fn one(text: &str) -> Operation {
        let (operations, complete) = parse(text).unwrap_or_else(|| panic!("{text}"));
        assert!(complete && operations.len() == 1, "{text}");
        operations[0].clone()
    }

    #[test]
    fn operations_as_2_40_prints_them() {
        let cases: &[(&str, u8, &[u64], &[u8])] = &[
            ("(DW_OP_addr: 9493928581ff0705)", 0x03, &[0x9493_9285_81ff_0705], &[]),
            ("(DW_OP_deref)", 0x06, &[], &[]),
            ("(DW_OP_const1s: -1)", 0x09, &[u64::MAX], &[]),
            ("(DW_OP_const8u: 18446744073709551615)", 0x0e, &[u64::MAX], &[]),
            ("(DW_OP_consts: -9223372036854775808)", 0x11, &[1 << 63], &[]),
            ("(DW_OP_bra: -3)", 0x28, &[(-3_i64).cast_unsigned()], &[]),
            ("(DW_OP_lit31)", 0x4f, &[], &[]),
            ("(DW_OP_reg31 (xmm14))", 0x6f, &[], &[]),
            ("(DW_OP_breg31 (xmm14): 5)", 0x8f, &[5], &[]),
            ("(DW_OP_regx: 5 (rdi))", 0x90, &[5], &[]),
            ("(DW_OP_fbreg: -8)", 0x91, &[(-8_i64).cast_unsigned()], &[]),
            ("(DW_OP_bregx: 5 (rdi) 7)", 0x92, &[5, 7], &[]),
            ("(DW_OP_deref_size: 4)", 0x94, &[4], &[]),
            ("(DW_OP_call2: <0x705>)", 0x98, &[0x705], &[]),
            ("(DW_OP_call4: <0>)", 0x99, &[0], &[]),
            ("(DW_OP_bit_piece: size: 5 offset: 7 )", 0x9d, &[5, 7], &[]),
            ("(DW_OP_implicit_value 3 byte block: 1 2 ff )", 0x9e, &[], &[1, 2, 255]),
            ("(DW_OP_implicit_value 0 byte block: )", 0x9e, &[], &[]),
            ("(DW_OP_addrx <0x5>)", 0xa1, &[5], &[]),
            ("(DW_OP_const_type: <0x5>  2 byte block: ff 81 )", 0xa4, &[5], &[0xff, 0x81]),
            ("(DW_OP_regval_type: 5 (rdi) <0x7>)", 0xa5, &[5, 7], &[]),
            ("(DW_OP_deref_type: 5 <0x7>)", 0xa6, &[5, 7], &[]),
            ("(DW_OP_GNU_convert <0>)", 0xf7, &[0], &[]),
            ("(DW_OP_GNU_push_tls_address or DW_OP_HP_unknown)", 0xe0, &[], &[]),
            (
                "(DW_OP_GNU_encoded_addr: fmt:05 addr:019493928581ff07)",
                0xf1,
                &[5, 0x0194_9392_8581_ff07],
                &[],
            ),
            ("(DW_OP_GNU_parameter_ref: <0x81ff0705>)", 0xfa, &[0x81ff_0705], &[]),
            ("(DW_OP_HP_tls)", 0xe6, &[], &[]),
            ("(DW_OP_entry_value: (DW_OP_breg5 (rdi): 0; DW_OP_stack_value))", 0xa3, &[], &[0x75, 0, 0x9f]),
        ];
        for &(text, opcode, operands, block) in cases {
            let expected = Operation { opcode, operands: operands.into(), block: block.to_vec() };
            assert_eq!(one(text), expected, "{text}");
        }
    }

    #[test]
    fn lists_end_where_the_tool_gave_up() {
        assert_eq!(parse("()"), Some((vec![], true)));
        let (operations, complete) =
            parse("(DW_OP_breg7 (rsp): 16; DW_OP_lit1; DW_OP_plus)").expect("a list");
        assert_eq!((operations.len(), complete), (3, true));
        let (operations, complete) = parse("(DW_OP_nop; (Unknown location op 0x2))").expect("a list");
        assert_eq!((operations.len(), complete), (1, false));
        assert_eq!(parse("((User defined location op 0xe9))"), Some((vec![], false)));
        let nested = "(DW_OP_entry_value: ((Unknown location op 0x7)); DW_OP_nop)";
        assert_eq!(parse(nested), Some((vec![], false)));
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "(", "(DW_OP_no_such)", "(DW_OP_deref", "(DW_OP_addr: )", "(DW_OP_deref: 3)"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&"(DW_OP_entry_value: ".repeat(100_000)), Some((vec![], false)));
    }

    #[test]
    fn operations_written_back_have_the_machine_s_byte_order() {
        let mut bytes = Vec::new();
        let big = Target { endianness: Endianness::Big, class: Class::Elf32, ..TARGET };
        encode(&Operation::new(0x03, &[0x1020_3040]), big, &mut bytes);
        encode(&Operation::new(0x0a, &[0x0102]), TARGET, &mut bytes);
        encode(&Operation::new(0x11, &[(-65_i64).cast_unsigned()]), TARGET, &mut bytes);
        encode(&Operation::new(0x10, &[128]), TARGET, &mut bytes);
        assert_eq!(bytes, [3, 0x10, 0x20, 0x30, 0x40, 0x0a, 2, 1, 0x11, 0xbf, 0x7f, 0x10, 0x80, 1]);
    }
}
