//! Words for what an entry holds, in the manner of readelf, so that both can be laid side by side.

use std::fmt::Write as _;

use cfidiff_model::{
    Address, CfaRule, Class, Expression, Instruction, Machine, Operation, Pointer, RegisterRule, RowRef,
    Target, operation_name, register_name,
};

/// A register as its number with the machine's name for it: `r7 (rsp)`.
pub fn register(machine: Machine, number: u64) -> String {
    match register_name(machine, number) {
        Some(name) => format!("r{number} ({name})"),
        None => format!("r{number}"),
    }
}

/// A register as its name, or its number where it has none: `rsp`, `r77`.
pub fn short_register(machine: Machine, number: u64) -> String {
    register_name(machine, number).map_or_else(|| format!("r{number}"), str::to_owned)
}

/// An address in hexadecimal with the digits of its class and no prefix.
pub fn address(class: Class, address: u64) -> String {
    match class {
        Class::Elf32 => format!("{address:08x}"),
        Class::Elf64 => format!("{address:016x}"),
    }
}

/// An encoded pointer.
pub fn pointer(pointer: Option<Pointer>) -> String {
    match pointer {
        None => "none".to_owned(),
        Some(Pointer { address, indirect: false }) => address.to_string(),
        Some(Pointer { address, indirect: true }) => format!("at {address}"),
    }
}

/// Bytes in hexadecimal, separated by spaces.
pub fn bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for (index, byte) in bytes.iter().enumerate() {
        let _ = write!(text, "{}{byte:02x}", if index == 0 { "" } else { " " });
    }
    text
}

/// An expression: its operations, separated by `; `.
pub fn expression(machine: Machine, expression: &Expression) -> String {
    let operations: Vec<String> = expression.operations.iter().map(|op| operation(machine, op)).collect();
    operations.join("; ")
}

fn operation(machine: Machine, operation: &Operation) -> String {
    let mut text =
        operation_name(operation.opcode).unwrap_or_else(|| format!("DW_OP_{:#04x}", operation.opcode));
    if let Some(name) = implied_register(operation.opcode).and_then(|number| register_name(machine, number)) {
        let _ = write!(text, " ({name})");
    }
    for (index, operand) in operation.operands.iter().enumerate() {
        text.push_str(if index == 0 { ": " } else { " " });
        let _ = match operation.opcode {
            0x03 => write!(text, "{operand:x}"),
            _ => write!(text, "{}", operand.cast_signed()),
        };
    }
    if !operation.block.is_empty() {
        let _ = write!(text, " {} byte block: {}", operation.block.len(), bytes(&operation.block));
    }
    text
}

/// The register that `DW_OP_reg0` to `DW_OP_breg31` carry in the opcode.
fn implied_register(opcode: u8) -> Option<u64> {
    matches!(opcode, 0x50..=0x8f).then(|| u64::from((opcode - 0x50) & 0x1f))
}

/// An instruction with its operands. `location` is where it applies, for the new location of an advance.
pub fn instruction(target: &Target, instruction: &Instruction, location: u64) -> String {
    let machine = target.machine;
    let name = format!("DW_CFA_{}", instruction.name());
    let reg = |number: &u64| register(machine, *number);
    match instruction {
        Instruction::Nop
        | Instruction::RememberState
        | Instruction::RestoreState
        | Instruction::GnuWindowSave
        | Instruction::AArch64NegateRaState
        | Instruction::AArch64NegateRaStateWithPc => name,
        Instruction::SetLoc { location } => format!("{name}: {}", address(target.class, location.0)),
        Instruction::AdvanceLoc { delta }
        | Instruction::AdvanceLoc1 { delta }
        | Instruction::AdvanceLoc2 { delta }
        | Instruction::AdvanceLoc4 { delta }
        | Instruction::MipsAdvanceLoc8 { delta } => {
            format!("{name}: {delta} to {}", address(target.class, location.wrapping_add(*delta)))
        }
        Instruction::Offset { register, offset }
        | Instruction::OffsetExtended { register, offset }
        | Instruction::OffsetExtendedSf { register, offset }
        | Instruction::GnuNegativeOffsetExtended { register, offset } => {
            format!("{name}: {} at cfa{offset:+}", reg(register))
        }
        Instruction::ValOffset { register, offset } | Instruction::ValOffsetSf { register, offset } => {
            format!("{name}: {} is cfa{offset:+}", reg(register))
        }
        Instruction::Restore { register }
        | Instruction::RestoreExtended { register }
        | Instruction::Undefined { register }
        | Instruction::SameValue { register }
        | Instruction::DefCfaRegister { register } => format!("{name}: {}", reg(register)),
        Instruction::Register { register, source } => format!("{name}: {} in {}", reg(register), reg(source)),
        Instruction::DefCfa { register, offset } => format!("{name}: {} ofs {offset}", reg(register)),
        Instruction::DefCfaSf { register, offset } => format!("{name}: {} ofs {offset}", reg(register)),
        Instruction::DefCfaOffset { offset } => format!("{name}: {offset}"),
        Instruction::DefCfaOffsetSf { offset } => format!("{name}: {offset}"),
        Instruction::DefCfaExpression { expression: ops } => format!("{name} ({})", expression(machine, ops)),
        Instruction::Expression { register, expression: ops }
        | Instruction::ValExpression { register, expression: ops } => {
            format!("{name}: {} ({})", reg(register), expression(machine, ops))
        }
        Instruction::GnuArgsSize { size } => format!("{name}: {size}"),
        Instruction::LlvmDefAspaceCfa { register, offset, address_space } => {
            format!("{name}: {} ofs {offset} in space {address_space}", reg(register))
        }
        Instruction::LlvmDefAspaceCfaSf { register, offset, address_space } => {
            format!("{name}: {} ofs {offset} in space {address_space}", reg(register))
        }
        Instruction::Unknown { opcode } => format!("DW_CFA_??? ({opcode:#04x})"),
    }
}

/// A CFA rule: `rsp+16`, `exp (…)`.
pub fn cfa_rule(machine: Machine, rule: &CfaRule) -> String {
    match rule {
        CfaRule::Undefined => "undefined".to_owned(),
        CfaRule::RegisterOffset { register, offset } => {
            format!("{}{offset:+}", short_register(machine, *register))
        }
        CfaRule::RegisterOffsetInSpace { register, offset, address_space } => {
            format!("{}{offset:+} in space {address_space}", short_register(machine, *register))
        }
        CfaRule::Expression(ops) => with_expression("exp", machine, ops),
    }
}

/// A register rule: `c-16`, `v-16`, `u`, `s`, `rax`, `exp (…)`, `vexp (…)`.
pub fn register_rule(machine: Machine, rule: &RegisterRule) -> String {
    match rule {
        RegisterRule::Undefined => "u".to_owned(),
        RegisterRule::SameValue => "s".to_owned(),
        RegisterRule::Offset(offset) => format!("c{offset:+}"),
        RegisterRule::ValOffset(offset) => format!("v{offset:+}"),
        RegisterRule::Register(register) => short_register(machine, *register),
        RegisterRule::Expression(ops) => with_expression("exp", machine, ops),
        RegisterRule::ValExpression(ops) => with_expression("vexp", machine, ops),
        RegisterRule::Architectural(value) => format!("arch:{value}"),
    }
}

fn with_expression(word: &str, machine: Machine, ops: &Expression) -> String {
    if ops.operations.is_empty() { word.to_owned() } else { format!("{word} ({})", expression(machine, ops)) }
}

/// A row on one line: its range, its CFA, its rules. The last number there is stands for no end, where that is not compared.
pub fn row(target: &Target, row: &RowRef<'_>) -> String {
    let end = if row.end == Address(u64::MAX) { String::new() } else { row.end.to_string() };
    let mut text = format!("{}..{end} cfa={}", row.start, cfa_rule(target.machine, row.cfa));
    for (number, rule) in row.rules {
        let name = short_register(target.machine, *number);
        let _ = write!(text, " {name}={}", register_rule(target.machine, rule));
    }
    text
}
