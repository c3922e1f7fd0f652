//! The text of one call frame instruction, such as `   3 DW_CFA_offset r6 -16  (2 * -8)`.

use cfidiff_model::{Address, Expression, Instruction};

use crate::printed::cursor::Cursor;

/// Parses an instruction's line, its offset before it, of a record with this code alignment factor. The operations
/// of an expression are on the lines that follow. `None` for text of another form.
pub(super) fn parse_instruction(line: &[u8], factor: u64) -> Option<Instruction> {
    let mut cursor = Cursor::new(line.trim_ascii());
    cursor.number()?;
    cursor.expect(b" ")?;
    if cursor.eat(b"Unexpected op ") {
        return Some(Instruction::Unknown { opcode: u8::try_from(cursor.prefixed_hex()?).ok()? });
    }
    cursor.expect(b"DW_CFA_")?;
    let name = cursor.until(|byte| byte == b' ');
    cursor.spaces();
    let instruction = match name {
        b"nop" => Instruction::Nop,
        b"remember_state" => Instruction::RememberState,
        b"restore_state" => Instruction::RestoreState,
        b"GNU_window_save" => Instruction::GnuWindowSave,
        // It prints no operands, and reads none.
        b"GNU_negative_offset_extended" => Instruction::Unknown { opcode: 0x2f },
        b"advance_loc" => {
            let delta = cursor.number()?;
            factors(&mut cursor)?;
            Instruction::AdvanceLoc { delta }
        }
        // Only the short form is multiplied.
        b"advance_loc1" => Instruction::AdvanceLoc1 { delta: cursor.number()?.wrapping_mul(factor) },
        b"advance_loc2" => Instruction::AdvanceLoc2 { delta: cursor.number()?.wrapping_mul(factor) },
        b"advance_loc4" => Instruction::AdvanceLoc4 { delta: cursor.number()?.wrapping_mul(factor) },
        b"MIPS_advance_loc8" => Instruction::MipsAdvanceLoc8 { delta: cursor.number()?.wrapping_mul(factor) },
        b"set_loc" => Instruction::SetLoc { location: Address(cursor.number()?) },
        b"def_cfa_offset" => Instruction::DefCfaOffset { offset: cursor.number()? },
        b"def_cfa_offset_sf" => Instruction::DefCfaOffsetSf { offset: behind_arrow(&mut cursor)? },
        b"GNU_args_size" => {
            cursor.expect(b"arg size: ")?;
            Instruction::GnuArgsSize { size: cursor.number()? }
        }
        b"def_cfa_expression" => Instruction::DefCfaExpression { expression: sized(&mut cursor)? },
        b"expression" | b"val_expression" => {
            let register = cursor.number()?;
            cursor.expect(b" ")?;
            let expression = sized(&mut cursor)?;
            match name {
                b"expression" => Instruction::Expression { register, expression },
                _ => Instruction::ValExpression { register, expression },
            }
        }
        _ => of_register(name, &mut cursor)?,
    };
    cursor.end()?;
    Some(instruction)
}

/// `  (2 * -8)`: how the number before came about.
fn factors(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.spaces();
    cursor.expect(b"(")?;
    cursor.number()?;
    cursor.expect(b" * ")?;
    cursor.number()?;
    cursor.expect(b")")
}

/// `-2 (*data alignment factor=> 16)`: the second number.
fn behind_arrow(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.number()?;
    cursor.expect(b" (*data alignment factor=>")?;
    cursor.spaces();
    let offset = cursor.signed()?;
    cursor.expect(b")")?;
    Some(offset)
}

/// `expr block len 2`.
fn sized(cursor: &mut Cursor<'_>) -> Option<Box<Expression>> {
    cursor.expect(b"expr block len ")?;
    Some(Box::new(Expression { operations: Vec::new(), size: Some(cursor.number()?) }))
}

/// The instructions whose first operand is a register.
fn of_register(name: &[u8], cursor: &mut Cursor<'_>) -> Option<Instruction> {
    let register = cursor.register()?;
    cursor.spaces();
    let factored = |cursor: &mut Cursor<'_>| {
        let offset = cursor.signed()?;
        factors(cursor)?;
        Some(offset)
    };
    Some(match name {
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
            cursor.expect(b"= ")?;
            Instruction::Register { register, source: cursor.register()? }
        }
        b"def_cfa" => Instruction::DefCfa { register, offset: cursor.number()? },
        b"def_cfa_sf" => Instruction::DefCfaSf { register, offset: behind_arrow(cursor)? },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_as_20210528_prints_them() {
        let sized = |size| Box::new(Expression { operations: Vec::new(), size: Some(size) });
        let cases = [
            ("   5 DW_CFA_nop", Instruction::Nop),
            ("   0 DW_CFA_advance_loc 4  (1 * 4)", Instruction::AdvanceLoc { delta: 4 }),
            ("   3 DW_CFA_advance_loc1 2", Instruction::AdvanceLoc1 { delta: 8 }),
            (" 208 DW_CFA_advance_loc4 0", Instruction::AdvanceLoc4 { delta: 0 }),
            ("  91 DW_CFA_set_loc 4128", Instruction::SetLoc { location: Address(0x1020) }),
            ("   0 DW_CFA_def_cfa r7 8", Instruction::DefCfa { register: 7, offset: 8 }),
            (
                "  55 DW_CFA_def_cfa_sf r7 -2 (*data alignment factor=>16)",
                Instruction::DefCfaSf { register: 7, offset: 16 },
            ),
            (
                "  58 DW_CFA_def_cfa_offset_sf -2 (*data alignment factor=> 16)",
                Instruction::DefCfaOffsetSf { offset: 16 },
            ),
            ("   5 DW_CFA_offset r6 -16  (2 * -8)", Instruction::Offset { register: 6, offset: -16 }),
            (
                "  74 DW_CFA_val_offset_sf r3 16  (-2 * -8)",
                Instruction::ValOffsetSf { register: 3, offset: 16 },
            ),
            ("  31 DW_CFA_register r3 = r4", Instruction::Register { register: 3, source: 4 }),
            ("  82 DW_CFA_GNU_window_save ", Instruction::GnuWindowSave),
            ("  83 DW_CFA_GNU_args_size arg size: 16", Instruction::GnuArgsSize { size: 16 }),
            ("  85 DW_CFA_GNU_negative_offset_extended ", Instruction::Unknown { opcode: 0x2f }),
            (
                "  21 DW_CFA_def_cfa_expression expr block len 3",
                Instruction::DefCfaExpression { expression: sized(3) },
            ),
            (
                "   9 DW_CFA_val_expression 12 expr block len 4",
                Instruction::ValExpression { register: 12, expression: sized(4) },
            ),
            (" 228 Unexpected op 0x17: ", Instruction::Unknown { opcode: 0x17 }),
        ];
        for (text, instruction) in cases {
            assert_eq!(parse_instruction(text.as_bytes(), 4), Some(instruction), "{text}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in
            ["", "DW_CFA_nop", "0 DW_CFA_offset r6 -16", "0 DW_CFA_no_such r1", "0 DW_CFA_def_cfa r7 8 x"]
        {
            assert_eq!(parse_instruction(text.as_bytes(), 1), None, "{text}");
        }
    }
}
