//! The text of one call frame instruction, such as `DW_CFA_offset: RBP -16`.

use cfidiff_model::{Address, Expression, Instruction};

use super::expression::parse_expression;
use super::registers::Names;
use super::row::register;
use crate::printed::cursor::Cursor;

/// Parses a line's text behind its two spaces. The flag tells whether the tool could read the instruction to its
/// end. `None` for text of another form.
pub(crate) fn parse_instruction(text: &[u8], names: &Names) -> Option<(Instruction, bool)> {
    if text.starts_with(b":") {
        return nameless(text);
    }
    let at = memchr::memchr(b':', text)?;
    let (name, rest) = (text[..at].strip_prefix(b"DW_CFA_")?, &text[at + 1..]);
    let mut cursor = Cursor::new(rest.strip_prefix(b" ").unwrap_or(rest));
    if let Some(instruction) = without_operands(name) {
        cursor.end()?;
        return Some((instruction, true));
    }
    if name == b"def_cfa_expression" {
        let (expression, complete) = expression(cursor.rest(), names)?;
        return Some((Instruction::DefCfaExpression { expression }, complete));
    }
    if let Some(instruction) = location(name, &mut cursor) {
        cursor.end()?;
        return Some((instruction, true));
    }
    let register = register(cursor.until(|byte| byte == b' '), names)?;
    cursor.eat(b" ");
    if matches!(name, b"expression" | b"val_expression") {
        let (expression, complete) = expression(cursor.rest(), names)?;
        let instruction = match name {
            b"expression" => Instruction::Expression { register, expression },
            _ => Instruction::ValExpression { register, expression },
        };
        return Some((instruction, complete));
    }
    Some((of_register(name, register, cursor, names)?, true))
}

/// An instruction for which the tool has no name on this machine: it prints the operands of GNU_args_size, and none
/// of the opcode 0x2d, which some machines define.
fn nameless(text: &[u8]) -> Option<(Instruction, bool)> {
    let opcode = if text == b":" { 0x2d } else { 0x2e };
    Some((Instruction::Unknown { opcode }, true))
}

fn expression(text: &[u8], names: &Names) -> Option<(Box<Expression>, bool)> {
    let (expression, complete) = parse_expression(text, names)?;
    Some((Box::new(expression), complete))
}

fn without_operands(name: &[u8]) -> Option<Instruction> {
    Some(match name {
        b"nop" => Instruction::Nop,
        b"remember_state" => Instruction::RememberState,
        b"restore_state" => Instruction::RestoreState,
        b"GNU_window_save" => Instruction::GnuWindowSave,
        b"AARCH64_negate_ra_state" => Instruction::AArch64NegateRaState,
        b"AARCH64_negate_ra_state_with_pc" => Instruction::AArch64NegateRaStateWithPc,
        _ => return None,
    })
}

/// The instructions whose operands are numbers alone. `None` with the cursor untouched for any other name.
fn location(name: &[u8], cursor: &mut Cursor<'_>) -> Option<Instruction> {
    Some(match name {
        b"advance_loc" => Instruction::AdvanceLoc { delta: delta(cursor)? },
        b"advance_loc1" => Instruction::AdvanceLoc1 { delta: delta(cursor)? },
        b"advance_loc2" => Instruction::AdvanceLoc2 { delta: delta(cursor)? },
        b"advance_loc4" => Instruction::AdvanceLoc4 { delta: delta(cursor)? },
        b"MIPS_advance_loc8" => Instruction::MipsAdvanceLoc8 { delta: delta(cursor)? },
        b"set_loc" => Instruction::SetLoc { location: Address(cursor.hex()?.0) },
        b"def_cfa_offset" => Instruction::DefCfaOffset { offset: cursor.number()? },
        b"def_cfa_offset_sf" => Instruction::DefCfaOffsetSf { offset: factored(cursor)? },
        b"GNU_args_size" => Instruction::GnuArgsSize { size: cursor.number()? },
        _ => return None,
    })
}

/// `18 to 0x13`, from version 17 on; `18` before; `18*code_alignment_factor` when the factor is zero.
fn delta(cursor: &mut Cursor<'_>) -> Option<u64> {
    let delta = cursor.number()?;
    if cursor.eat(b"*code_alignment_factor") {
        return Some(0);
    }
    if cursor.eat(b" to 0x") {
        cursor.hex()?;
    }
    Some(delta)
}

/// An offset in bytes, or `2*data_alignment_factor` when the factor is zero.
fn factored(cursor: &mut Cursor<'_>) -> Option<i64> {
    let offset = cursor.signed()?;
    Some(if cursor.eat(b"*data_alignment_factor") { 0 } else { offset })
}

/// The instructions whose first operand is a register, which is passed already.
fn of_register(name: &[u8], register: u64, mut cursor: Cursor<'_>, names: &Names) -> Option<Instruction> {
    let cursor = &mut cursor;
    let instruction = match name {
        b"offset" => Instruction::Offset { register, offset: factored(cursor)? },
        b"offset_extended" => Instruction::OffsetExtended { register, offset: factored(cursor)? },
        b"offset_extended_sf" => Instruction::OffsetExtendedSf { register, offset: factored(cursor)? },
        b"val_offset" => Instruction::ValOffset { register, offset: factored(cursor)? },
        b"val_offset_sf" => Instruction::ValOffsetSf { register, offset: factored(cursor)? },
        b"restore" => Instruction::Restore { register },
        b"restore_extended" => Instruction::RestoreExtended { register },
        b"undefined" => Instruction::Undefined { register },
        b"same_value" => Instruction::SameValue { register },
        b"def_cfa_register" => Instruction::DefCfaRegister { register },
        b"register" => {
            let source = self::register(cursor.until(|byte| byte == b' '), names)?;
            Instruction::Register { register, source }
        }
        b"def_cfa" => Instruction::DefCfa { register, offset: cursor.number()? },
        b"def_cfa_sf" => Instruction::DefCfaSf { register, offset: factored(cursor)? },
        b"LLVM_def_aspace_cfa" => {
            let offset = cursor.number()?;
            Instruction::LlvmDefAspaceCfa { register, offset, address_space: address_space(cursor)? }
        }
        b"LLVM_def_aspace_cfa_sf" => {
            let offset = factored(cursor)?;
            Instruction::LlvmDefAspaceCfaSf { register, offset, address_space: address_space(cursor)? }
        }
        _ => return None,
    };
    cursor.end()?;
    Some(instruction)
}

/// ` in addrspace1`.
fn address_space(cursor: &mut Cursor<'_>) -> Option<u64> {
    cursor.expect(b" in addrspace")?;
    cursor.number()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<(Instruction, bool)> {
        let names = [("RBX", 3), ("RBP", 6), ("RSP", 7), ("R15", 15)];
        let names = names.map(|(name, number)| (name.as_bytes().to_vec(), number)).into();
        parse_instruction(text.as_bytes(), &names)
    }

    #[test]
    fn instructions_as_14_and_19_print_them() {
        let cases = [
            ("DW_CFA_nop:", Instruction::Nop),
            ("DW_CFA_advance_loc: 18", Instruction::AdvanceLoc { delta: 18 }),
            ("DW_CFA_advance_loc: 18 to 0x13", Instruction::AdvanceLoc { delta: 18 }),
            ("DW_CFA_advance_loc1: 1*code_alignment_factor", Instruction::AdvanceLoc1 { delta: 0 }),
            ("DW_CFA_set_loc: 1020", Instruction::SetLoc { location: Address(0x1020) }),
            ("DW_CFA_def_cfa: RSP +8", Instruction::DefCfa { register: 7, offset: 8 }),
            ("DW_CFA_def_cfa_sf: RSP 16", Instruction::DefCfaSf { register: 7, offset: 16 }),
            ("DW_CFA_def_cfa_offset: +16", Instruction::DefCfaOffset { offset: 16 }),
            ("DW_CFA_def_cfa_offset_sf: -16", Instruction::DefCfaOffsetSf { offset: -16 }),
            ("DW_CFA_def_cfa_register: RBP", Instruction::DefCfaRegister { register: 6 }),
            ("DW_CFA_offset: RBP -16", Instruction::Offset { register: 6, offset: -16 }),
            ("DW_CFA_offset: RBP 2*data_alignment_factor", Instruction::Offset { register: 6, offset: 0 }),
            ("DW_CFA_offset: reg56 -16", Instruction::Offset { register: 56, offset: -16 }),
            ("DW_CFA_register: RBX R15", Instruction::Register { register: 3, source: 15 }),
            ("DW_CFA_GNU_args_size: +16", Instruction::GnuArgsSize { size: 16 }),
            (
                "DW_CFA_LLVM_def_aspace_cfa: RSP +8 in addrspace1",
                Instruction::LlvmDefAspaceCfa { register: 7, offset: 8, address_space: 1 },
            ),
            (": +8", Instruction::Unknown { opcode: 0x2e }),
            (":", Instruction::Unknown { opcode: 0x2d }),
        ];
        for (text, instruction) in cases {
            assert_eq!(parse(text), Some((instruction, true)), "{text}");
        }
        let unread = parse("DW_CFA_expression: RBX <decoding error> e9");
        assert!(unread.is_some_and(|(_, complete)| !complete));
        let empty = parse("DW_CFA_def_cfa_expression: <empty>");
        assert_eq!(empty, Some((Instruction::DefCfaExpression { expression: Box::default() }, true)));
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "DW_CFA_nop",
            "DW_CFA_nop: 1",
            "DW_CFA_advance_loc: x",
            "DW_CFA_offset: XYZ -16",
            "DW_CFA_offset: RBP -16 ",
            "DW_CFA_offset: RBP",
            "DW_CFA_no_such: RBP",
        ] {
            let is_padded = text.ends_with(' ');
            assert_eq!(parse(text).is_some(), is_padded, "{text}");
        }
    }
}
