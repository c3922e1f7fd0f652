//! DWARF expressions, operation by operation (DWARF 5 section 2.5 and 7.7.1).

use std::borrow::Cow;

use cfidiff_model::{Endianness, Expression, Fault, FaultKind, Operation};
use smallvec::SmallVec;

use crate::cursor::{Cursor, ReadError};
use crate::fault::fault;
use crate::program::Block;

/// How an operation's operands are written.
#[derive(Clone, Copy)]
enum Operand {
    /// An unsigned number of this many bytes.
    Fixed(u8),
    /// A signed number of this many bytes.
    SignedFixed(u8),
    /// An address of the target.
    Address,
    /// An unsigned LEB128 number.
    Uleb,
    /// A signed LEB128 number.
    Sleb,
    /// A one-byte size and that many bytes.
    ByteBlock,
    /// An unsigned LEB128 size and that many bytes.
    UlebBlock,
}

/// The operands of an opcode in order, or `None` for an opcode without a definition in frame information.
fn operands(opcode: u8) -> Option<&'static [Operand]> {
    use Operand::*;
    Some(match opcode {
        0x03 => &[Address],
        0x08 | 0x15 | 0x94 | 0x95 => &[Fixed(1)],
        0x09 => &[SignedFixed(1)],
        0x0a | 0x98 => &[Fixed(2)],
        0x0b | 0x28 | 0x2f => &[SignedFixed(2)],
        0x0c | 0x99 => &[Fixed(4)],
        0x0d => &[SignedFixed(4)],
        0x0e => &[Fixed(8)],
        0x0f => &[SignedFixed(8)],
        0x10 | 0x23 | 0x90 | 0x93 | 0xa1 | 0xa2 | 0xa8 | 0xa9 | 0xf7 | 0xf9 | 0xfb | 0xfc => &[Uleb],
        0x11 | 0x91 => &[Sleb],
        0x70..=0x8f => &[Sleb],
        0x92 => &[Uleb, Sleb],
        0x9d | 0xa5 | 0xf5 => &[Uleb, Uleb],
        0x9e | 0xa3 | 0xf3 => &[UlebBlock],
        0xa4 | 0xf4 => &[Uleb, ByteBlock],
        0xa6 | 0xa7 | 0xf6 => &[Fixed(1), Uleb],
        0xfa => &[Fixed(4)],
        0x06 | 0x12..=0x14 | 0x16..=0x22 | 0x24..=0x27 | 0x29..=0x2e | 0x30..=0x6f => &[],
        0x96 | 0x97 | 0x9b | 0x9c | 0x9f | 0xe0 | 0xf0 => &[],
        _ => return None,
    })
}

/// Decodes the expression in a block of the section. With it comes the fault that ended it early, if any.
pub fn decode(
    data: &[u8],
    block: Block,
    address_size: u8,
    endianness: Endianness,
) -> (Expression, Option<Fault>) {
    let start = block.offset as usize;
    let mut cursor = Cursor::new(data, start, start + block.size as usize, endianness);
    let mut expression = Expression { operations: Vec::new(), size: Some(u64::from(block.size)) };
    while cursor.remaining() > 0 {
        let at = cursor.position;
        match operation(&mut cursor, address_size) {
            Ok(operation) => expression.operations.push(operation),
            Err(words) => {
                return (
                    expression,
                    Some(fault(cursor.data, at, FaultKind::Expression, Cow::Borrowed(words))),
                );
            }
        }
    }
    (expression, None)
}

fn operation(cursor: &mut Cursor<'_>, address_size: u8) -> Result<Operation, &'static str> {
    const TRUNCATED: &str = "the operands of an operation inside the expression";
    let opcode = cursor.u8().map_err(|_| TRUNCATED)?;
    let shape = operands(opcode).ok_or("an opcode of a DWARF operation")?;
    let mut operation = Operation { opcode, operands: SmallVec::new(), block: Vec::new() };
    for operand in shape {
        match read_operand(cursor, *operand, address_size, &mut operation.block) {
            Ok(Some(value)) => operation.operands.push(value),
            Ok(None) => {}
            Err(ReadError::Truncated) => return Err(TRUNCATED),
            Err(ReadError::LebOverflow) => return Err("operands of at most 64 bits"),
        }
    }
    Ok(operation)
}

fn read_operand(
    cursor: &mut Cursor<'_>,
    operand: Operand,
    address_size: u8,
    block: &mut Vec<u8>,
) -> Result<Option<u64>, ReadError> {
    let size = match operand {
        Operand::Fixed(width) => return cursor.unsigned(width).map(Some),
        Operand::SignedFixed(width) => {
            let unused = 64 - 8 * u32::from(width);
            return cursor.unsigned(width).map(|value| Some((((value << unused) as i64) >> unused) as u64));
        }
        Operand::Address => return cursor.unsigned(address_size).map(Some),
        Operand::Uleb => return cursor.uleb().map(Some),
        Operand::Sleb => return cursor.sleb().map(|value| Some(value as u64)),
        Operand::ByteBlock => u64::from(cursor.u8()?),
        Operand::UlebBlock => cursor.uleb()?,
    };
    let size = usize::try_from(size).map_err(|_| ReadError::Truncated)?;
    block.extend_from_slice(cursor.bytes(size)?);
    Ok(None)
}
