//! DWARF expressions made to order.

use cfidiff_model::{Address, Expression, Operation};

use crate::Writer;

/// An operand with the way it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// The low bytes of a number, as many as the second field says.
    Fixed(u64, u8),
    /// The same for a signed number.
    FixedSigned(i64, u8),
    /// An unsigned LEB128 number.
    Uleb(u64),
    /// A signed LEB128 number.
    Sleb(i64),
    /// A target address.
    Address(Address),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Item {
    opcode: u8,
    operands: Vec<Operand>,
    /// A block with its length in front, behind the operands.
    block: Option<Vec<u8>>,
}

/// The operations of an expression (DWARF 5 section 2.5), in the order of the calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Code {
    items: Vec<Item>,
}

impl Code {
    /// The empty expression.
    pub fn new() -> Code {
        Code::default()
    }

    /// Any operation, with operands for which the caller vouches.
    pub fn operation(mut self, opcode: u8, operands: &[Operand]) -> Code {
        self.items.push(Item { opcode, operands: operands.to_vec(), block: None });
        self
    }

    /// An operation without operands, for instance 0x06, DW_OP_deref.
    pub fn plain(self, opcode: u8) -> Code {
        self.operation(opcode, &[])
    }

    /// DW_OP_lit0 to DW_OP_lit31; of a greater number the low five bits.
    pub fn lit(self, value: u8) -> Code {
        self.plain(0x30 + (value & 31))
    }

    /// DW_OP_breg0 to DW_OP_breg31; of a greater number the low five bits.
    pub fn breg(self, register: u8, offset: i64) -> Code {
        self.operation(0x70 + (register & 31), &[Operand::Sleb(offset)])
    }

    /// DW_OP_bregx.
    pub fn bregx(self, register: u64, offset: i64) -> Code {
        self.operation(0x92, &[Operand::Uleb(register), Operand::Sleb(offset)])
    }

    /// DW_OP_addr.
    pub fn addr(self, address: Address) -> Code {
        self.operation(0x03, &[Operand::Address(address)])
    }

    /// DW_OP_const1u.
    pub fn const1u(self, value: u8) -> Code {
        self.operation(0x08, &[Operand::Fixed(value.into(), 1)])
    }

    /// DW_OP_const1s.
    pub fn const1s(self, value: i8) -> Code {
        self.operation(0x09, &[Operand::FixedSigned(value.into(), 1)])
    }

    /// DW_OP_const2u.
    pub fn const2u(self, value: u16) -> Code {
        self.operation(0x0a, &[Operand::Fixed(value.into(), 2)])
    }

    /// DW_OP_const2s.
    pub fn const2s(self, value: i16) -> Code {
        self.operation(0x0b, &[Operand::FixedSigned(value.into(), 2)])
    }

    /// DW_OP_const4u.
    pub fn const4u(self, value: u32) -> Code {
        self.operation(0x0c, &[Operand::Fixed(value.into(), 4)])
    }

    /// DW_OP_const4s.
    pub fn const4s(self, value: i32) -> Code {
        self.operation(0x0d, &[Operand::FixedSigned(value.into(), 4)])
    }

    /// DW_OP_const8u.
    pub fn const8u(self, value: u64) -> Code {
        self.operation(0x0e, &[Operand::Fixed(value, 8)])
    }

    /// DW_OP_const8s.
    pub fn const8s(self, value: i64) -> Code {
        self.operation(0x0f, &[Operand::FixedSigned(value, 8)])
    }

    /// DW_OP_constu.
    pub fn constu(self, value: u64) -> Code {
        self.operation(0x10, &[Operand::Uleb(value)])
    }

    /// DW_OP_consts.
    pub fn consts(self, value: i64) -> Code {
        self.operation(0x11, &[Operand::Sleb(value)])
    }

    /// DW_OP_deref.
    pub fn deref(self) -> Code {
        self.plain(0x06)
    }

    /// DW_OP_deref_size.
    pub fn deref_size(self, size: u8) -> Code {
        self.operation(0x94, &[Operand::Fixed(size.into(), 1)])
    }

    /// DW_OP_plus.
    pub fn plus(self) -> Code {
        self.plain(0x22)
    }

    /// DW_OP_plus_uconst.
    pub fn plus_uconst(self, value: u64) -> Code {
        self.operation(0x23, &[Operand::Uleb(value)])
    }

    /// DW_OP_skip: the bytes to step over, back if negative.
    pub fn skip(self, bytes: i16) -> Code {
        self.operation(0x2f, &[Operand::FixedSigned(bytes.into(), 2)])
    }

    /// DW_OP_bra: the same if the value on top is not zero.
    pub fn bra(self, bytes: i16) -> Code {
        self.operation(0x28, &[Operand::FixedSigned(bytes.into(), 2)])
    }

    /// DW_OP_implicit_value.
    pub fn implicit_value(self, block: &[u8]) -> Code {
        self.block(0x9e, block)
    }

    /// DW_OP_entry_value: the bytes of the operations that give the value at the function's entry.
    pub fn entry_value(self, operations: &[u8]) -> Code {
        self.block(0xa3, operations)
    }

    fn block(mut self, opcode: u8, block: &[u8]) -> Code {
        self.items.push(Item { opcode, operands: Vec::new(), block: Some(block.to_vec()) });
        self
    }

    /// Writes the operations, without a length in front.
    pub fn write(&self, to: &mut Writer, address_size: u8) {
        for item in &self.items {
            to.u8(item.opcode);
            for operand in &item.operands {
                operand.write(to, address_size);
            }
            if let Some(block) = &item.block {
                to.uleb(block.len() as u64);
                to.bytes(block);
            }
        }
    }

    /// Writes the operations behind their length in bytes, and gives their meaning.
    pub(crate) fn write_block(&self, to: &mut Writer, address_size: u8) -> Expression {
        let mut block = to.fresh();
        self.write(&mut block, address_size);
        let bytes = block.into_bytes();
        to.uleb(bytes.len() as u64);
        to.bytes(&bytes);
        self.meaning(bytes.len())
    }

    /// What the expression means to a reader.
    pub fn expression(&self, address_size: u8) -> Expression {
        // The size in bytes does not depend on the byte order.
        let mut block = Writer::new(cfidiff_model::Endianness::Little);
        self.write(&mut block, address_size);
        self.meaning(block.len())
    }

    /// What the expression means to a reader that finds `size` bytes of it.
    fn meaning(&self, size: usize) -> Expression {
        Expression { operations: self.items.iter().map(Item::meaning).collect(), size: Some(size as u64) }
    }
}

impl Operand {
    pub(crate) fn write(&self, to: &mut Writer, address_size: u8) {
        match *self {
            Operand::Fixed(value, width) => to.unsigned(value, width.into()),
            Operand::FixedSigned(value, width) => to.unsigned(value.cast_unsigned(), width.into()),
            Operand::Uleb(value) => to.uleb(value),
            Operand::Sleb(value) => to.sleb(value),
            Operand::Address(address) => to.unsigned(address.0, address_size.into()),
        }
    }
}

impl Item {
    fn meaning(&self) -> Operation {
        let operands = self.operands.iter().map(|&operand| match operand {
            Operand::Fixed(value, _) | Operand::Uleb(value) => value,
            Operand::FixedSigned(value, _) | Operand::Sleb(value) => value.cast_unsigned(),
            Operand::Address(address) => address.0,
        });
        Operation {
            opcode: self.opcode,
            operands: operands.collect(),
            block: self.block.clone().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfidiff_model::Endianness;

    #[test]
    fn bytes_and_meaning_of_the_usual_operations() {
        let code = Code::new().breg(7, -8).lit(5).const2s(-2).implicit_value(&[1, 2]);
        let mut to = Writer::new(Endianness::Big);
        code.write(&mut to, 8);
        let bytes = to.into_bytes();
        assert_eq!(bytes, [0x77, 0x78, 0x35, 0x0b, 0xff, 0xfe, 0x9e, 2, 1, 2]);
        let meaning = code.meaning(bytes.len());
        assert_eq!(meaning.size, Some(10));
        assert_eq!(meaning.operations[0], Operation::new(0x77, &[-8_i64 as u64]));
        assert_eq!(meaning.operations[2], Operation::new(0x0b, &[-2_i64 as u64]));
        assert_eq!(meaning.operations[3].block, [1, 2]);
    }
}
