//! The text of one call frame instruction, such as `DW_CFA_offset: r6 (rbp) at cfa-16`.

use cfidiff_model::{Address, Expression, Instruction, Target};

use super::expression::parse_expression;
use crate::printed::cursor::Cursor;

/// What every instruction's line starts with.
pub(super) const PREFIX: &[u8] = b"  DW_CFA_";

/// Parses a line's text after [`PREFIX`] and adds the instruction. Returns whether the tool objects to it: a register
/// that it has no column for, an expression that it could not read. `None` for any other text.
#[inline]
pub(super) fn parse_instruction(text: &[u8], target: Target, to: &mut Vec<Instruction>) -> Option<bool> {
    let mut cursor = Cursor::new(text);
    // Nine of ten lines are of these.
    if cursor.eat(b"advance_loc: ") {
        let delta = delta(&mut cursor)?;
        cursor.end()?;
        to.push(Instruction::AdvanceLoc { delta });
    } else if cursor.eat(b"def_cfa_offset: ") {
        let offset = cursor.number()?;
        cursor.end()?;
        to.push(Instruction::DefCfaOffset { offset });
    } else if cursor.eat(b"offset: r") {
        let register = cursor.register_behind_r()?;
        let offset = cfa_offset(&mut cursor)?;
        cursor.end()?;
        to.push(Instruction::Offset { register, offset });
    } else if text == b"nop" {
        to.push(Instruction::Nop);
    } else {
        let (instruction, objection) = parse_rarer(cursor, target)?;
        to.push(instruction);
        return Some(objection);
    }
    Some(false)
}

fn parse_rarer(mut cursor: Cursor<'_>, target: Target) -> Option<(Instruction, bool)> {
    let name = cursor.until(|byte| matches!(byte, b':' | b' '));
    if name == b"def_cfa_expression" {
        cursor.expect(b" ")?;
        let (expression, complete) = expression(&mut cursor, target)?;
        return Some((Instruction::DefCfaExpression { expression }, !complete));
    }
    if name == b"???" {
        cursor.expect(b" (User defined call frame op: ")?;
        let opcode = u8::try_from(cursor.prefixed_hex()?).ok()?;
        cursor.expect(b")")?;
        cursor.end()?;
        return Some((Instruction::Unknown { opcode }, false));
    }
    if let Some(instruction) = without_operands(name) {
        cursor.end()?;
        return Some((instruction, false));
    }
    cursor.expect(b": ")?;
    if let Some(location) = location(name, &mut cursor) {
        cursor.end()?;
        return Some((location, false));
    }
    let mut objection = cursor.eat(b"bad register: ");
    let register = cursor.register()?;
    let instruction = match name {
        b"expression" | b"val_expression" => {
            cursor.expect(b" ")?;
            let (expression, complete) = expression(&mut cursor, target)?;
            objection |= !complete;
            match name {
                b"expression" => Instruction::Expression { register, expression },
                _ => Instruction::ValExpression { register, expression },
            }
        }
        _ => of_register(name, register, &mut cursor)?,
    };
    Some((instruction, objection))
}

/// `4 to 0000000000001130`: the first number, since the second follows from it.
#[inline]
fn delta(cursor: &mut Cursor<'_>) -> Option<u64> {
    let delta = cursor.number()?;
    cursor.expect(b" to ")?;
    cursor.hex()?;
    Some(delta)
}

fn expression(cursor: &mut Cursor<'_>, target: Target) -> Option<(Box<Expression>, bool)> {
    let (expression, complete) = parse_expression(cursor, target)?;
    if complete {
        cursor.end()?;
    }
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
        b"advance_loc1" => Instruction::AdvanceLoc1 { delta: delta(cursor)? },
        b"advance_loc2" => Instruction::AdvanceLoc2 { delta: delta(cursor)? },
        b"advance_loc4" => Instruction::AdvanceLoc4 { delta: delta(cursor)? },
        b"MIPS_advance_loc8" => Instruction::MipsAdvanceLoc8 { delta: delta(cursor)? },
        b"set_loc" => Instruction::SetLoc { location: Address(cursor.hex()?.0) },
        b"def_cfa_offset_sf" => Instruction::DefCfaOffsetSf { offset: cursor.signed()? },
        b"GNU_args_size" => Instruction::GnuArgsSize { size: cursor.number()? },
        _ => return None,
    })
}

/// The instructions whose first operand is a register.
fn of_register(name: &[u8], register: u64, cursor: &mut Cursor<'_>) -> Option<Instruction> {
    let instruction = match name {
        b"offset" => Instruction::Offset { register, offset: cfa_offset(cursor)? },
        b"offset_extended" => Instruction::OffsetExtended { register, offset: cfa_offset(cursor)? },
        b"offset_extended_sf" => Instruction::OffsetExtendedSf { register, offset: cfa_offset(cursor)? },
        b"GNU_negative_offset_extended" => {
            Instruction::GnuNegativeOffsetExtended { register, offset: cfa_offset(cursor)? }
        }
        b"val_offset" => Instruction::ValOffset { register, offset: cfa_offset(cursor)? },
        b"val_offset_sf" => Instruction::ValOffsetSf { register, offset: cfa_offset(cursor)? },
        b"restore" => Instruction::Restore { register },
        b"restore_extended" => Instruction::RestoreExtended { register },
        b"undefined" => Instruction::Undefined { register },
        b"same_value" => Instruction::SameValue { register },
        // Up to 2.16 it has the second name.
        b"def_cfa_register" | b"def_cfa_reg" => Instruction::DefCfaRegister { register },
        b"register" => {
            cursor.expect(b" in ")?;
            Instruction::Register { register, source: cursor.register()? }
        }
        b"def_cfa" => {
            cursor.expect(b" ofs ")?;
            Instruction::DefCfa { register, offset: cursor.number()? }
        }
        b"def_cfa_sf" => {
            cursor.expect(b" ofs ")?;
            Instruction::DefCfaSf { register, offset: cursor.signed()? }
        }
        _ => return None,
    };
    cursor.end()?;
    Some(instruction)
}

/// ` at cfa-16`, or ` is cfa-24` of val_offset, for which old versions say `at` too.
#[inline]
fn cfa_offset(cursor: &mut Cursor<'_>) -> Option<i64> {
    if !cursor.eat(b" at cfa") {
        cursor.expect(b" is cfa")?;
    }
    cursor.signed()
}

#[cfg(test)]
mod tests {
    use cfidiff_model::{Class, Endianness, Machine, Operation};

    use super::*;

    const TARGET: Target = Target {
        machine: Machine::X86_64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        relocatable: false,
    };

    fn parse(text: &str) -> Option<(Instruction, bool)> {
        let mut to = Vec::new();
        let objection = parse_instruction(text.as_bytes(), TARGET, &mut to)?;
        Some((to.pop()?, objection))
    }

    #[test]
    fn instructions_as_2_40_prints_them() {
        let pair = |opcode, operand| Operation::new(opcode, &[operand]);
        let expression = |operation| Box::new(Expression { operations: vec![operation], size: None });
        let cases = [
            ("nop", Instruction::Nop),
            ("advance_loc: 4 to 0000000000001130", Instruction::AdvanceLoc { delta: 4 }),
            ("advance_loc1: 200 to 00001130", Instruction::AdvanceLoc1 { delta: 200 }),
            ("advance_loc2: 0 to 00001130", Instruction::AdvanceLoc2 { delta: 0 }),
            ("advance_loc4: 4294967280 to 0000000100000ff1", Instruction::AdvanceLoc4 { delta: 0xffff_fff0 }),
            ("MIPS_advance_loc8: 16 to 0000000000001021", Instruction::MipsAdvanceLoc8 { delta: 16 }),
            ("set_loc: 0000000000001020", Instruction::SetLoc { location: Address(0x1020) }),
            ("def_cfa: r7 (rsp) ofs 8", Instruction::DefCfa { register: 7, offset: 8 }),
            ("def_cfa_sf: r7 (rsp) ofs 16", Instruction::DefCfaSf { register: 7, offset: 16 }),
            ("def_cfa_register: r6 (rbp)", Instruction::DefCfaRegister { register: 6 }),
            ("def_cfa_reg: r6", Instruction::DefCfaRegister { register: 6 }),
            ("def_cfa_offset: 16", Instruction::DefCfaOffset { offset: 16 }),
            ("def_cfa_offset: -1", Instruction::DefCfaOffset { offset: u64::MAX }),
            ("def_cfa_offset_sf: -24", Instruction::DefCfaOffsetSf { offset: -24 }),
            ("offset: r6 (rbp) at cfa-16", Instruction::Offset { register: 6, offset: -16 }),
            ("offset: r56 at cfa+16", Instruction::Offset { register: 56, offset: 16 }),
            ("offset_extended: r3 (rbx) at cfa+0", Instruction::OffsetExtended { register: 3, offset: 0 }),
            (
                "offset_extended_sf: r3 (rbx) at cfa+16",
                Instruction::OffsetExtendedSf { register: 3, offset: 16 },
            ),
            (
                "GNU_negative_offset_extended: r3 (rbx) at cfa+16",
                Instruction::GnuNegativeOffsetExtended { register: 3, offset: 16 },
            ),
            ("val_offset: r3 (rbx) is cfa-16", Instruction::ValOffset { register: 3, offset: -16 }),
            ("val_offset: r3 (rbx) at cfa-16", Instruction::ValOffset { register: 3, offset: -16 }),
            ("val_offset_sf: r12 (r12) is cfa+16", Instruction::ValOffsetSf { register: 12, offset: 16 }),
            ("restore: r3 (rbx)", Instruction::Restore { register: 3 }),
            ("restore_extended: r16 (rip)", Instruction::RestoreExtended { register: 16 }),
            ("undefined: r16 (rip)", Instruction::Undefined { register: 16 }),
            ("same_value: r12 (r12)", Instruction::SameValue { register: 12 }),
            ("register: r3 (rbx) in r15 (r15)", Instruction::Register { register: 3, source: 15 }),
            ("remember_state", Instruction::RememberState),
            ("restore_state", Instruction::RestoreState),
            ("GNU_args_size: 32", Instruction::GnuArgsSize { size: 32 }),
            ("GNU_window_save", Instruction::GnuWindowSave),
            ("AARCH64_negate_ra_state", Instruction::AArch64NegateRaState),
            ("??? (User defined call frame op: 0x3f)", Instruction::Unknown { opcode: 0x3f }),
            (
                "def_cfa_expression (DW_OP_breg7 (rsp): 8)",
                Instruction::DefCfaExpression { expression: expression(pair(0x77, 8)) },
            ),
            (
                "expression: r3 (rbx) (DW_OP_breg7 (rsp): -8)",
                Instruction::Expression {
                    register: 3,
                    expression: expression(pair(0x77, (-8_i64).cast_unsigned())),
                },
            ),
            (
                "val_expression: r56 (DW_OP_addr: 10)",
                Instruction::ValExpression { register: 56, expression: expression(pair(3, 0x10)) },
            ),
        ];
        for (text, instruction) in cases {
            assert_eq!(parse(text), Some((instruction, false)), "{text}");
        }
    }

    #[test]
    fn objections_are_told() {
        let offset = Instruction::OffsetExtended { register: 200, offset: -16 };
        assert_eq!(parse("offset_extended: bad register: r200 at cfa-16"), Some((offset, true)));
        assert!(parse("offset: bad register: r60 at cfa-16").is_some_and(|(_, objection)| objection));
        let unread = parse("def_cfa_expression ((Unknown location op 0x2))");
        assert!(unread.is_some_and(|(_, objection)| objection));
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "advance_loc: 4",
            "advance_loc: 4 to 1130 x",
            "def_cfa: r7 (rsp)",
            "expression: <corrupt len 200>",
            "def_cfa_expression: <corrupt len 200>",
            "no_such: r1 (rdx)",
            "??? (User defined call frame op: 0x123)",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
