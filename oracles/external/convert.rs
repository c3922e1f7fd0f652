//! Lines to the model. What a reader says it says decides which fields have to be there.

use cfidiff_model::{
    Address, CfaRule, Cie, Entry, EntryKind, Expression, Fault, FaultKind, Fde, Format, Instruction, LookUp,
    Operation, Pointer, RegisterRule, Rows, Says, SectionOffset, operation_by_name,
};

use super::json::BadField;
use super::lines::{
    AtLine, EntryLine, FaultLine, Hex, InstructionLine, OperationLine, PointerLine, RowLine, RuleLine,
};

type Result<T> = std::result::Result<T, BadField>;

fn need<T>(value: Option<T>, path: &str) -> Result<T> {
    value.ok_or_else(|| BadField::new(path, "is missing"))
}

/// A field's value when the reader says it says it, then required; else nothing of it is looked at.
fn told<T: Default>(told: bool, value: Option<T>, path: &str) -> Result<T> {
    if told { need(value, path) } else { Ok(value.unwrap_or_default()) }
}

fn numbers(value: Option<Hex>) -> Option<u64> {
    value.map(|Hex(value)| value)
}

/// Fills `entry` with a line's meaning.
pub(super) fn entry(line: EntryLine, says: Says, entry: &mut Entry) -> Result<()> {
    entry.reset(SectionOffset(line.offset.0));
    // A reader that could not read a record need not have all of its fields.
    let is_faulty = line.faults.as_ref().is_some_and(|faults| !faults.is_empty());
    let says = if is_faulty { Says::empty() } else { says };
    entry.length = told(says.contains(Says::RECORDS), numbers(line.length), "length")?;
    if says.contains(Says::FORMAT) && line.kind != "terminator" {
        entry.format = match need(line.format.as_deref(), "format")? {
            "32" => Format::Dwarf32,
            "64" => Format::Dwarf64,
            other => return Err(BadField::new("format", format!("is {other:?}, expected \"32\" or \"64\""))),
        };
    }
    entry.kind = match line.kind.as_str() {
        "CIE" => EntryKind::Cie(Box::new(cie(&line, says)?)),
        "FDE" => EntryKind::Fde(fde(&line, says)?),
        "terminator" => EntryKind::Terminator,
        "unreadable record" => EntryKind::Unreadable,
        other => {
            let why =
                format!("is {other:?}, expected \"CIE\", \"FDE\", \"terminator\" or \"unreadable record\"");
            return Err(BadField::new("kind", why));
        }
    };
    let is_fde = matches!(entry.kind, EntryKind::Fde(_));
    let is_record = is_fde || matches!(entry.kind, EntryKind::Cie(_));
    let instructions =
        told(is_record && says.contains(Says::INSTRUCTIONS), line.instructions, "instructions")?;
    for (index, instruction) in instructions.into_iter().enumerate() {
        let path = format!("instructions[{index}]");
        entry.instructions.push(self::instruction(instruction).map_err(|bad| bad.inside(&path))?);
    }
    let rows_told =
        (is_fde && says.contains(Says::ROWS)) || (is_record && !is_fde && says.contains(Says::CIE_ROWS));
    let rows = told(rows_told, line.rows, "rows")?;
    for (index, row) in rows.into_iter().enumerate() {
        let path = format!("rows[{index}]");
        self::row(row, says, &mut entry.rows).map_err(|bad| bad.inside(&path))?;
    }
    for (index, fault) in line.faults.unwrap_or_default().into_iter().enumerate() {
        let path = format!("faults[{index}]");
        entry.faults.push(self::fault(fault, entry.offset).map_err(|bad| bad.inside(&path))?);
    }
    Ok(())
}

/// What a line says of an address. The contents of expressions may be left out: nobody compares them.
pub(super) fn look_up(line: &AtLine) -> Result<LookUp> {
    let cfa = line.cfa.as_ref().map(|cfa| cfa_rule(cfa, Says::empty())).transpose();
    let rule = line.return_address.as_ref().map(|rule| register_rule(rule, Says::empty())).transpose();
    Ok(LookUp {
        address: Address(line.address.0),
        cfa: cfa.map_err(|bad| bad.inside("cfa"))?.unwrap_or_default(),
        return_address: rule.map_err(|bad| bad.inside("return_address"))?,
    })
}

fn cie(line: &EntryLine, says: Says) -> Result<Cie> {
    let encoding = |value: Option<Hex>, path: &str| match value.map(|Hex(value)| u8::try_from(value)) {
        None => Ok(None),
        Some(Ok(byte)) => Ok(Some(byte)),
        Some(Err(_)) => Err(BadField::new(path, "is no byte")),
    };
    let factors = says.contains(Says::CIE_FACTORS);
    let meaning = says.contains(Says::AUGMENTATION);
    let string = says.contains(Says::AUGMENTATION_STRING);
    let bytes = says.contains(Says::CIE_AUGMENTATION_BYTES);
    let data_factor = line.data_alignment_factor.map(|factor| factor.0);
    let data = line.augmentation_data.as_ref().map(|data| data.0.clone());
    let personality = encoding(line.personality_encoding, "personality_encoding")?;
    Ok(Cie {
        version: told(says.contains(Says::CIE_VERSION), line.version, "version")?,
        augmentation: told(string, line.augmentation.clone(), "augmentation")?.into_bytes().into(),
        address_size: told(says.contains(Says::ADDRESS_SIZE), line.address_size, "address_size")?,
        segment_selector_size: told(
            says.contains(Says::SEGMENT_SIZE),
            line.segment_selector_size,
            "segment_selector_size",
        )?,
        code_alignment_factor: told(factors, numbers(line.code_alignment_factor), "code_alignment_factor")?,
        data_alignment_factor: told(factors, data_factor, "data_alignment_factor")?,
        return_address_register: told(
            factors,
            numbers(line.return_address_register),
            "return_address_register",
        )?,
        augmentation_data: told(bytes, data, "augmentation_data")?.into(),
        fde_encoding: encoding(line.fde_encoding, "fde_encoding")?,
        lsda_encoding: encoding(line.lsda_encoding, "lsda_encoding")?,
        personality: personality.map(|encoding| (encoding, line.personality.map(pointer))),
        signal_frame: told(meaning, line.signal_frame, "signal_frame")?,
        b_key: line.b_key.unwrap_or_default(),
        mte_tagged: line.mte_tagged.unwrap_or_default(),
    })
}

fn fde(line: &EntryLine, says: Says) -> Result<Fde> {
    let range = says.contains(Says::RANGE);
    let bytes = says.contains(Says::FDE_AUGMENTATION_BYTES);
    let data = line.augmentation_data.as_ref().map(|data| data.0.clone());
    Ok(Fde {
        cie: numbers(line.cie).map(SectionOffset),
        cie_pointer: told(says.contains(Says::CIE_POINTER), numbers(line.cie_pointer), "cie_pointer")?,
        segment: numbers(line.segment),
        initial_location: Address(told(range, numbers(line.initial_location), "initial_location")?),
        indirect: told(says.contains(Says::INDIRECT), line.indirect, "indirect")?,
        address_range: told(range, numbers(line.address_range), "address_range")?,
        augmentation_data: told(bytes, data, "augmentation_data")?.into(),
        lsda: line.lsda.map(pointer),
    })
}

fn pointer(line: PointerLine) -> Pointer {
    Pointer { address: Address(line.address.0), indirect: line.indirect }
}

fn instruction(line: InstructionLine) -> Result<Instruction> {
    let register = || need(numbers(line.register), "register");
    let offset = || need(line.offset.map(|offset| offset.0), "offset");
    let unsigned = || offset().map(i64::cast_unsigned);
    let delta = || need(numbers(line.delta), "delta");
    let space = || need(numbers(line.address_space), "address_space");
    let code = || expression(line.expression.as_deref(), true, "expression").map(Box::new);
    Ok(match line.op.as_str() {
        "nop" => Instruction::Nop,
        "set_loc" => Instruction::SetLoc { location: Address(need(numbers(line.location), "location")?) },
        "advance_loc" => Instruction::AdvanceLoc { delta: delta()? },
        "advance_loc1" => Instruction::AdvanceLoc1 { delta: delta()? },
        "advance_loc2" => Instruction::AdvanceLoc2 { delta: delta()? },
        "advance_loc4" => Instruction::AdvanceLoc4 { delta: delta()? },
        "MIPS_advance_loc8" => Instruction::MipsAdvanceLoc8 { delta: delta()? },
        "offset" => Instruction::Offset { register: register()?, offset: offset()? },
        "offset_extended" => Instruction::OffsetExtended { register: register()?, offset: offset()? },
        "offset_extended_sf" => Instruction::OffsetExtendedSf { register: register()?, offset: offset()? },
        "GNU_negative_offset_extended" => {
            Instruction::GnuNegativeOffsetExtended { register: register()?, offset: offset()? }
        }
        "restore" => Instruction::Restore { register: register()? },
        "restore_extended" => Instruction::RestoreExtended { register: register()? },
        "undefined" => Instruction::Undefined { register: register()? },
        "same_value" => Instruction::SameValue { register: register()? },
        "register" => {
            Instruction::Register { register: register()?, source: need(numbers(line.source), "source")? }
        }
        "remember_state" => Instruction::RememberState,
        "restore_state" => Instruction::RestoreState,
        "def_cfa" => Instruction::DefCfa { register: register()?, offset: unsigned()? },
        "def_cfa_sf" => Instruction::DefCfaSf { register: register()?, offset: offset()? },
        "def_cfa_register" => Instruction::DefCfaRegister { register: register()? },
        "def_cfa_offset" => Instruction::DefCfaOffset { offset: unsigned()? },
        "def_cfa_offset_sf" => Instruction::DefCfaOffsetSf { offset: offset()? },
        "def_cfa_expression" => Instruction::DefCfaExpression { expression: code()? },
        "expression" => Instruction::Expression { register: register()?, expression: code()? },
        "val_offset" => Instruction::ValOffset { register: register()?, offset: offset()? },
        "val_offset_sf" => Instruction::ValOffsetSf { register: register()?, offset: offset()? },
        "val_expression" => Instruction::ValExpression { register: register()?, expression: code()? },
        "GNU_args_size" => Instruction::GnuArgsSize { size: need(numbers(line.size), "size")? },
        "GNU_window_save" => Instruction::GnuWindowSave,
        "AARCH64_negate_ra_state" => Instruction::AArch64NegateRaState,
        "AARCH64_negate_ra_state_with_pc" => Instruction::AArch64NegateRaStateWithPc,
        "LLVM_def_aspace_cfa" => Instruction::LlvmDefAspaceCfa {
            register: register()?,
            offset: unsigned()?,
            address_space: space()?,
        },
        "LLVM_def_aspace_cfa_sf" => Instruction::LlvmDefAspaceCfaSf {
            register: register()?,
            offset: offset()?,
            address_space: space()?,
        },
        "unknown" => {
            let opcode = u8::try_from(need(numbers(line.opcode), "opcode")?);
            Instruction::Unknown { opcode: opcode.map_err(|_| BadField::new("opcode", "is no byte"))? }
        }
        other => return Err(BadField::new("op", format!("is {other:?}, which is no instruction"))),
    })
}

fn expression(lines: Option<&[OperationLine]>, needed: bool, path: &str) -> Result<Expression> {
    let Some(lines) = lines else {
        return if needed { need(None, path) } else { Ok(Expression::default()) };
    };
    let mut operations = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let number = || u8::from_str_radix(line.op.strip_prefix("0x")?, 16).ok();
        let opcode = operation_by_name(&line.op).or_else(number).ok_or_else(|| {
            let why = format!("is {:?}, which is no operation", line.op);
            BadField::new(&format!("{path}[{index}].op"), why)
        })?;
        operations.push(Operation {
            opcode,
            operands: line.operands.iter().map(|operand| operand.0.cast_unsigned()).collect(),
            block: line.block.as_ref().map(|block| block.0.clone()).unwrap_or_default(),
        });
    }
    Ok(Expression { operations, size: None })
}

fn row(line: RowLine, says: Says, rows: &mut Rows) -> Result<()> {
    for (index, rule) in line.rules.iter().enumerate() {
        let path = format!("rules[{index}]");
        let register = need(numbers(rule.register), "register").map_err(|bad| bad.inside(&path))?;
        let rule = register_rule(rule, says).map_err(|bad| bad.inside(&path))?;
        rows.push_rule(register, rule);
    }
    let cfa = cfa_rule(&line.cfa, says).map_err(|bad| bad.inside("cfa"))?;
    rows.finish_row(Address(line.start.0), Address(line.end.0), cfa);
    Ok(())
}

fn cfa_rule(line: &RuleLine, says: Says) -> Result<CfaRule> {
    Ok(match line.rule.as_str() {
        "undefined" => CfaRule::Undefined,
        "register_offset" => {
            let register = need(numbers(line.register), "register")?;
            let offset = need(line.offset, "offset")?.0;
            match line.address_space {
                None => CfaRule::RegisterOffset { register, offset },
                Some(Hex(address_space)) => {
                    CfaRule::RegisterOffsetInSpace { register, offset, address_space }
                }
            }
        }
        "expression" => CfaRule::Expression(Box::new(row_expression(line, says)?)),
        other => return Err(BadField::new("rule", format!("is {other:?}, which is no rule of the CFA"))),
    })
}

fn register_rule(line: &RuleLine, says: Says) -> Result<RegisterRule> {
    let offset = || need(line.offset, "offset").map(|offset| offset.0);
    Ok(match line.rule.as_str() {
        "undefined" => RegisterRule::Undefined,
        "same_value" => RegisterRule::SameValue,
        "offset" => RegisterRule::Offset(offset()?),
        "val_offset" => RegisterRule::ValOffset(offset()?),
        "register" => RegisterRule::Register(need(numbers(line.source), "source")?),
        "expression" => RegisterRule::Expression(Box::new(row_expression(line, says)?)),
        "val_expression" => RegisterRule::ValExpression(Box::new(row_expression(line, says)?)),
        "architectural" => RegisterRule::Architectural(need(numbers(line.value), "value")?),
        other => return Err(BadField::new("rule", format!("is {other:?}, which is no rule of a register"))),
    })
}

fn row_expression(line: &RuleLine, says: Says) -> Result<Expression> {
    expression(line.expression.as_deref(), says.contains(Says::ROW_EXPRESSIONS), "expression")
}

fn fault(line: FaultLine, record: SectionOffset) -> Result<Fault> {
    let kind = FaultKind::ALL.iter().copied().find(|kind| kind.name() == line.key);
    let kind = kind.ok_or_else(|| {
        BadField::new(
            "key",
            format!("is {:?}, which is no kind of fault; fault.reported stands for any", line.key),
        )
    })?;
    let offset = numbers(line.offset).map_or(record, SectionOffset);
    let expected = line.expected.unwrap_or_else(|| kind.name().to_owned());
    Ok(Fault { offset, bytes: Default::default(), kind, expected: expected.into() })
}
