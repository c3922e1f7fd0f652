//! The instructions of a record, each with its bytes and how its operands are computed.

use std::io;

use cfidiff_cfi::Cie;
use cfidiff_model::{Entry, Instruction, Operand, Target};

use super::Lines;
use crate::report::describe;

/// The instructions of one record.
pub(super) struct Program<'p, 'a> {
    pub(super) target: &'p Target,
    pub(super) cie: &'p Cie<'a>,
    pub(super) entry: &'p Entry,
    /// Where each starts; one more place than instructions when the last cannot be decoded.
    pub(super) places: &'p [usize],
}

impl Program<'_, '_> {
    /// Writes the instructions up to the record's end. Nops at the end are one line.
    pub(super) fn write(&self, lines: &mut Lines<'_>, start: u64, end: usize) -> io::Result<()> {
        let list = &self.entry.instructions;
        let is_nop = |instruction: &&Instruction| **instruction == Instruction::Nop;
        let padding = list.iter().rev().take_while(is_nop).count();
        let shown = if padding > 1 { list.len() - padding } else { list.len() };
        let mut location = start;
        for (index, instruction) in list.iter().take(shown).enumerate() {
            let at = self.places[index];
            let next = self.places.get(index + 1).copied().unwrap_or(end);
            let how = self.how(instruction, lines.data.get(at..next).unwrap_or_default());
            let words = describe::instruction(self.target, instruction, location);
            lines.line(at, next, &words, "", &how)?;
            match instruction.operands().first() {
                Some(Operand::Delta(delta)) => location = location.wrapping_add(*delta),
                Some(Operand::Location(new)) => location = new.0,
                _ => {}
            }
        }
        if let Some(&at) = self.places.get(shown).filter(|_| shown < list.len()) {
            lines.line(at, at + padding, &format!("{padding} x DW_CFA_nop"), "", "pad the record")?;
        }
        match self.places.get(list.len()) {
            Some(&at) => lines.line(at, end, "cannot be decoded", "", "nor can what follows"),
            None => Ok(()),
        }
    }

    /// How the operands come from the bytes.
    fn how(&self, instruction: &Instruction, bytes: &[u8]) -> String {
        let Some(&opcode) = bytes.first() else { return String::new() };
        let (code, data) = (self.cie.code_alignment_factor, self.cie.data_alignment_factor);
        let packed = match opcode & 0xc0 {
            0 => String::new(),
            high => format!("{opcode:#04x} = {high:#04x} + {}; ", opcode & 0x3f),
        };
        let advance = |delta: u64| {
            format!(
                "{packed}{} x code alignment factor {code}",
                quotient(delta.cast_signed(), code.cast_signed())
            )
        };
        let factored =
            |offset: i64| format!("{packed}{} x data alignment factor {data}", quotient(offset, data));
        match instruction {
            Instruction::AdvanceLoc { delta }
            | Instruction::AdvanceLoc1 { delta }
            | Instruction::AdvanceLoc2 { delta }
            | Instruction::AdvanceLoc4 { delta }
            | Instruction::MipsAdvanceLoc8 { delta } => advance(*delta),
            Instruction::Offset { offset, .. }
            | Instruction::OffsetExtended { offset, .. }
            | Instruction::OffsetExtendedSf { offset, .. }
            | Instruction::ValOffset { offset, .. }
            | Instruction::ValOffsetSf { offset, .. }
            | Instruction::DefCfaSf { offset, .. }
            | Instruction::DefCfaOffsetSf { offset } => factored(*offset),
            Instruction::GnuNegativeOffsetExtended { offset, .. } => {
                format!("-{} x data alignment factor {data}", quotient(-*offset, data))
            }
            Instruction::DefCfa { .. } => "register, offset in bytes: not factored".to_owned(),
            Instruction::DefCfaOffset { .. } => "in bytes: not factored".to_owned(),
            Instruction::DefCfaRegister { .. } => "the offset stays".to_owned(),
            Instruction::Restore { .. } => format!("{packed}back to the CIE's rule"),
            Instruction::RestoreExtended { .. } => "back to the CIE's rule".to_owned(),
            Instruction::RememberState => "all rules, the CFA's as well".to_owned(),
            Instruction::RestoreState => "all rules, the CFA's as well; the location stays".to_owned(),
            Instruction::GnuArgsSize { .. } => "no rule depends on it".to_owned(),
            Instruction::Expression { .. } | Instruction::ValExpression { .. } => {
                "opcode, register, size, operations; starts with the CFA on the stack".to_owned()
            }
            Instruction::DefCfaExpression { .. } => "opcode, size, operations".to_owned(),
            _ => String::new(),
        }
    }
}

/// The operand as it stands in the bytes: the value without its factor.
fn quotient(value: i64, factor: i64) -> String {
    value.checked_div(factor).map_or("operand".to_owned(), |operand| operand.to_string())
}
