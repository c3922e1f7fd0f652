//! The text of one call frame instruction, such as `offset r6 (rbp) at cfa-16`.

use cfidiff_model::{Address, Expression, Instruction};

use crate::printed::cursor::Cursor;

/// Parses an instruction of a record with this code alignment factor; the operations of an expression are on the
/// lines that follow. `None` for text of another form.
pub(super) fn parse_instruction(text: &[u8], factor: u64) -> Option<Instruction> {
    let mut cursor = Cursor::new(text);
    let name = cursor.until(|byte| byte == b' ');
    cursor.spaces();
    let instruction = match name {
        b"nop" => Instruction::Nop,
        b"remember_state" => Instruction::RememberState,
        b"restore_state" => Instruction::RestoreState,
        b"GNU_window_save" => Instruction::GnuWindowSave,
        b"AARCH64_negate_ra_state" => Instruction::AArch64NegateRaState,
        b"advance_loc" => Instruction::AdvanceLoc { delta: delta(&mut cursor, factor)? },
        b"advance_loc1" => Instruction::AdvanceLoc1 { delta: delta(&mut cursor, factor)? },
        b"advance_loc2" => Instruction::AdvanceLoc2 { delta: delta(&mut cursor, factor)? },
        b"advance_loc4" => Instruction::AdvanceLoc4 { delta: delta(&mut cursor, factor)? },
        b"MIPS_advance_loc8" => Instruction::MipsAdvanceLoc8 { delta: delta(&mut cursor, factor)? },
        b"set_loc" => {
            let location = Address(cursor.prefixed_hex()?);
            target(&mut cursor)?;
            Instruction::SetLoc { location }
        }
        b"def_cfa_offset" => Instruction::DefCfaOffset { offset: cursor.number()? },
        b"def_cfa_offset_sf" => Instruction::DefCfaOffsetSf { offset: cursor.signed()? },
        b"args_size" => Instruction::GnuArgsSize { size: cursor.number()? },
        b"def_cfa_expression" => {
            let expression = Expression { operations: Vec::new(), size: Some(cursor.number()?) };
            Instruction::DefCfaExpression { expression: Box::new(expression) }
        }
        b"val_offset" | b"val_offset_sf" => val_offset(name, &mut cursor)?,
        b"???" => {
            cursor.expect(b"(")?;
            let opcode = u8::try_from(cursor.number()?).ok()?;
            cursor.expect(b")")?;
            Instruction::Unknown { opcode }
        }
        _ => of_register(name, &mut cursor)?,
    };
    cursor.end()?;
    Some(instruction)
}

/// `3 to 0x1005`: the delta as written, to be multiplied. The target is an offset in the file.
fn delta(cursor: &mut Cursor<'_>, factor: u64) -> Option<u64> {
    let delta = cursor.number()?;
    target(cursor)?;
    Some(delta.wrapping_mul(factor))
}

fn target(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.expect(b" to ")?;
    cursor.prefixed_hex().map(|_| ())
}

/// `val_offset 3 at offset 18446744073709551592`: the register without its `r`, a signed offset as unsigned.
fn val_offset(name: &[u8], cursor: &mut Cursor<'_>) -> Option<Instruction> {
    let register = cursor.number()?;
    cursor.expect(b" at offset ")?;
    let offset = cursor.signed()?;
    Some(match name {
        b"val_offset" => Instruction::ValOffset { register, offset },
        _ => Instruction::ValOffsetSf { register, offset },
    })
}

/// The instructions whose first operand is a register in the long form.
fn of_register(name: &[u8], cursor: &mut Cursor<'_>) -> Option<Instruction> {
    let register = cursor.register()?;
    let cfa_offset = |cursor: &mut Cursor<'_>| {
        cursor.expect(b" at cfa")?;
        cursor.signed()
    };
    Some(match name {
        b"offset" => Instruction::Offset { register, offset: cfa_offset(cursor)? },
        b"offset_extended" => Instruction::OffsetExtended { register, offset: cfa_offset(cursor)? },
        b"offset_extended_sf" => Instruction::OffsetExtendedSf { register, offset: cfa_offset(cursor)? },
        b"restore" => Instruction::Restore { register },
        b"restore_extended" => Instruction::RestoreExtended { register },
        b"undefined" => Instruction::Undefined { register },
        b"same_value" => Instruction::SameValue { register },
        b"def_cfa_register" => Instruction::DefCfaRegister { register },
        b"expression" => Instruction::Expression { register, expression: Box::default() },
        b"val_expression" => Instruction::ValExpression { register, expression: Box::default() },
        b"register" => {
            cursor.expect(b" in ")?;
            Instruction::Register { register, source: cursor.register()? }
        }
        b"def_cfa" => {
            cursor.expect(b" at offset ")?;
            Instruction::DefCfa { register, offset: cursor.number()? }
        }
        b"def_cfa_sf" => {
            cursor.expect(b" at offset ")?;
            Instruction::DefCfaSf { register, offset: cursor.signed()? }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_as_0_188_prints_them() {
        let sized = Box::new(Expression { operations: Vec::new(), size: Some(3) });
        let cases = [
            ("nop", Instruction::Nop),
            ("advance_loc 3 to 0x1005", Instruction::AdvanceLoc { delta: 12 }),
            ("advance_loc1 2 to 0x101c", Instruction::AdvanceLoc1 { delta: 8 }),
            ("advance_loc2 301 to 0x1135", Instruction::AdvanceLoc2 { delta: 1204 }),
            ("advance_loc4 0 to 0", Instruction::AdvanceLoc4 { delta: 0 }),
            ("MIPS_advance_loc8 1 to 0x1006", Instruction::MipsAdvanceLoc8 { delta: 4 }),
            ("set_loc 0x1020 to 0x2020", Instruction::SetLoc { location: Address(0x1020) }),
            ("def_cfa r7 (rsp) at offset 8", Instruction::DefCfa { register: 7, offset: 8 }),
            ("def_cfa r100 (??? 0x64) at offset 8", Instruction::DefCfa { register: 100, offset: 8 }),
            ("def_cfa_sf r7 (rsp) at offset -16", Instruction::DefCfaSf { register: 7, offset: -16 }),
            ("def_cfa_offset 16", Instruction::DefCfaOffset { offset: 16 }),
            ("def_cfa_offset_sf -16", Instruction::DefCfaOffsetSf { offset: -16 }),
            ("def_cfa_register r6 (rbp)", Instruction::DefCfaRegister { register: 6 }),
            ("def_cfa_expression 3", Instruction::DefCfaExpression { expression: sized }),
            ("expression r3 (rbx) ", Instruction::Expression { register: 3, expression: Box::default() }),
            (
                "val_expression r3 (rbx)",
                Instruction::ValExpression { register: 3, expression: Box::default() },
            ),
            ("offset r16 (rip) at cfa-8", Instruction::Offset { register: 16, offset: -8 }),
            ("offset_extended r3 (rbx) at cfa+0", Instruction::OffsetExtended { register: 3, offset: 0 }),
            (
                "offset_extended_sf r3 (rbx) at cfa+16",
                Instruction::OffsetExtendedSf { register: 3, offset: 16 },
            ),
            (
                "val_offset 3 at offset 18446744073709551592",
                Instruction::ValOffset { register: 3, offset: -24 },
            ),
            ("val_offset_sf 3 at offset 16", Instruction::ValOffsetSf { register: 3, offset: 16 }),
            ("register r14 (r14) in r15 (r14)", Instruction::Register { register: 14, source: 15 }),
            ("restore_extended r3 (rbx)", Instruction::RestoreExtended { register: 3 }),
            ("args_size 16", Instruction::GnuArgsSize { size: 16 }),
            ("??? (47)", Instruction::Unknown { opcode: 47 }),
        ];
        for (text, instruction) in cases {
            assert_eq!(parse_instruction(text.as_bytes(), 4), Some(instruction), "{text}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in
            ["", "nop x", "advance_loc 1", "def_cfa r7", "offset 3 at cfa-8", "??? (256)", "no_such r3 (rbx)"]
        {
            assert_eq!(parse_instruction(text.as_bytes(), 1), None, "{text}");
        }
    }
}
