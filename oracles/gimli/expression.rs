//! gimli's decoding of DWARF expressions, in the model's operations.

use ::gimli::{DieReference, Encoding, EndianSlice, Endianity, Operation as Decoded, constants};
use cfidiff_model::{Expression, Operation};
use smallvec::{SmallVec, smallvec};

/// Decodes the expression in `bytes`, up to the first operation that gimli refuses, whose error comes with it.
///
/// gimli gives one operation for several opcodes (`DW_OP_lit5` and `DW_OP_constu 5` are one constant), so the
/// opcode is the byte at which gimli starts the operation, and the operands are those that gimli decodes.
pub(super) fn convert<E: Endianity>(
    bytes: EndianSlice<'_, E>,
    encoding: Encoding,
) -> (Expression, Result<(), ::gimli::Error>) {
    let whole = ::gimli::Expression(bytes);
    let mut decoder = whole.operations(encoding);
    let mut expression = Expression { operations: Vec::new(), size: Some(bytes.len() as u64) };
    loop {
        let offset = decoder.offset_from(&whole);
        match decoder.next() {
            Ok(None) => return (expression, Ok(())),
            Err(error) => return (expression, Err(error)),
            Ok(Some(decoded)) => {
                let opcode = bytes.slice().get(offset).copied().unwrap_or_default();
                expression.operations.push(operation(opcode, &decoded));
            }
        }
    }
}

fn operation<E: Endianity>(opcode: u8, decoded: &Decoded<EndianSlice<'_, E>>) -> Operation {
    let block = match decoded {
        Decoded::ImplicitValue { data } => data.slice(),
        Decoded::EntryValue { expression } => expression.slice(),
        Decoded::TypedLiteral { value, .. } => value.slice(),
        _ => &[],
    };
    Operation { opcode, operands: operands(opcode, decoded), block: block.to_vec() }
}

/// The operands that stand in the bytes. Those that gimli makes up for an opcode which holds them in itself
/// are left out.
fn operands<E: Endianity>(opcode: u8, decoded: &Decoded<EndianSlice<'_, E>>) -> SmallVec<[u64; 2]> {
    let opcode = constants::DwOp(opcode);
    match *decoded {
        Decoded::UnsignedConstant { value } => match opcode {
            constants::DwOp(byte) if is_literal(byte) => smallvec![],
            _ => smallvec![value],
        },
        Decoded::SignedConstant { value } => smallvec![value.cast_unsigned()],
        Decoded::Register { register } => match opcode {
            constants::DW_OP_regx => smallvec![register.0.into()],
            _ => smallvec![],
        },
        Decoded::RegisterOffset { register, offset, base_type } => match opcode {
            constants::DW_OP_bregx => smallvec![register.0.into(), offset.cast_unsigned()],
            constants::DW_OP_regval_type | constants::DW_OP_GNU_regval_type => {
                smallvec![register.0.into(), base_type.0 as u64]
            }
            _ => smallvec![offset.cast_unsigned()],
        },
        Decoded::Deref { base_type, size, .. } => match opcode {
            constants::DW_OP_deref | constants::DW_OP_xderef => smallvec![],
            constants::DW_OP_deref_size | constants::DW_OP_xderef_size => smallvec![size.into()],
            _ => smallvec![size.into(), base_type.0 as u64],
        },
        Decoded::Pick { index } => match opcode {
            constants::DW_OP_pick => smallvec![index.into()],
            _ => smallvec![],
        },
        Decoded::Piece { size_in_bits, bit_offset: Some(offset) } => smallvec![size_in_bits, offset],
        Decoded::Piece { size_in_bits, bit_offset: None } => smallvec![size_in_bits / 8],
        Decoded::FrameOffset { offset } => smallvec![offset.cast_unsigned()],
        Decoded::PlusConstant { value } => smallvec![value],
        Decoded::Bra { target } | Decoded::Skip { target } => smallvec![i64::from(target).cast_unsigned()],
        Decoded::Call { offset: DieReference::UnitRef(offset) } => smallvec![offset.0 as u64],
        Decoded::Call { offset: DieReference::DebugInfoRef(offset) } => smallvec![offset.0 as u64],
        Decoded::VariableValue { offset } => smallvec![offset.0 as u64],
        Decoded::ImplicitPointer { value, byte_offset } => {
            smallvec![value.0 as u64, byte_offset.cast_unsigned()]
        }
        Decoded::ParameterRef { offset } => smallvec![offset.0 as u64],
        Decoded::Address { address } => smallvec![address],
        Decoded::AddressIndex { index } | Decoded::ConstantIndex { index } => smallvec![index.0 as u64],
        Decoded::TypedLiteral { base_type, .. }
        | Decoded::Convert { base_type }
        | Decoded::Reinterpret { base_type } => smallvec![base_type.0 as u64],
        Decoded::WasmLocal { index } | Decoded::WasmGlobal { index } | Decoded::WasmStack { index } => {
            smallvec![index.into()]
        }
        _ => smallvec![],
    }
}

fn is_literal(opcode: u8) -> bool {
    (constants::DW_OP_lit0.0..=constants::DW_OP_lit31.0).contains(&opcode)
}
