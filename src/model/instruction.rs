//! Call frame instructions with their operands resolved.

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};

use crate::{Address, Expression};

/// One call frame instruction (DWARF 5 section 6.4.2) with its operands in the units of the result: location
/// deltas in bytes (already times the code alignment factor), factored offsets in bytes (already times the
/// data alignment factor). Registers are DWARF numbers of the machine's ABI.
///
/// Variants that differ only in how their operands are written are kept apart, since a reader can be wrong
/// in one and right in the other.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
#[expect(missing_docs, reason = "the variants' fields are named by the standard's operand names")]
pub enum Instruction {
    /// DW_CFA_nop.
    Nop,
    /// DW_CFA_set_loc: the new location.
    SetLoc { location: Address },
    /// DW_CFA_advance_loc: the delta is in the low six bits of the opcode.
    AdvanceLoc { delta: u64 },
    /// DW_CFA_advance_loc1.
    AdvanceLoc1 { delta: u64 },
    /// DW_CFA_advance_loc2.
    AdvanceLoc2 { delta: u64 },
    /// DW_CFA_advance_loc4.
    AdvanceLoc4 { delta: u64 },
    /// DW_CFA_MIPS_advance_loc8.
    MipsAdvanceLoc8 { delta: u64 },
    /// DW_CFA_offset: the register is in the low six bits of the opcode.
    Offset { register: u64, offset: i64 },
    /// DW_CFA_offset_extended.
    OffsetExtended { register: u64, offset: i64 },
    /// DW_CFA_offset_extended_sf.
    OffsetExtendedSf { register: u64, offset: i64 },
    /// DW_CFA_GNU_negative_offset_extended: the operand counts downwards, so the offset here is its negative.
    GnuNegativeOffsetExtended { register: u64, offset: i64 },
    /// DW_CFA_restore: the register is in the low six bits of the opcode.
    Restore { register: u64 },
    /// DW_CFA_restore_extended.
    RestoreExtended { register: u64 },
    /// DW_CFA_undefined.
    Undefined { register: u64 },
    /// DW_CFA_same_value.
    SameValue { register: u64 },
    /// DW_CFA_register: `register`'s value in the caller is in `source`.
    Register { register: u64, source: u64 },
    /// DW_CFA_remember_state.
    RememberState,
    /// DW_CFA_restore_state.
    RestoreState,
    /// DW_CFA_def_cfa: the offset is in bytes as written.
    DefCfa { register: u64, offset: u64 },
    /// DW_CFA_def_cfa_sf.
    DefCfaSf { register: u64, offset: i64 },
    /// DW_CFA_def_cfa_register.
    DefCfaRegister { register: u64 },
    /// DW_CFA_def_cfa_offset: the offset is in bytes as written.
    DefCfaOffset { offset: u64 },
    /// DW_CFA_def_cfa_offset_sf.
    DefCfaOffsetSf { offset: i64 },
    /// DW_CFA_def_cfa_expression.
    DefCfaExpression { expression: Box<Expression> },
    /// DW_CFA_expression.
    Expression { register: u64, expression: Box<Expression> },
    /// DW_CFA_val_offset.
    ValOffset { register: u64, offset: i64 },
    /// DW_CFA_val_offset_sf.
    ValOffsetSf { register: u64, offset: i64 },
    /// DW_CFA_val_expression.
    ValExpression { register: u64, expression: Box<Expression> },
    /// DW_CFA_GNU_args_size: the size in bytes.
    GnuArgsSize { size: u64 },
    /// DW_CFA_GNU_window_save, on SPARC.
    GnuWindowSave,
    /// DW_CFA_AARCH64_negate_ra_state, the same opcode on AArch64.
    AArch64NegateRaState,
    /// DW_CFA_AARCH64_negate_ra_state_with_pc.
    AArch64NegateRaStateWithPc,
    /// DW_CFA_LLVM_def_aspace_cfa.
    LlvmDefAspaceCfa { register: u64, offset: u64, address_space: u64 },
    /// DW_CFA_LLVM_def_aspace_cfa_sf.
    LlvmDefAspaceCfaSf { register: u64, offset: i64, address_space: u64 },
    /// An opcode that the reader knows no operands for: nothing after it in the record can be read.
    Unknown { opcode: u8 },
}

/// One operand of an instruction, in the units of [`Instruction`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operand<'a> {
    /// A new location.
    Location(Address),
    /// Bytes that the location advances by.
    Delta(u64),
    /// The register that the instruction is about.
    Register(u64),
    /// The register that holds its value.
    Source(u64),
    /// A signed offset in bytes.
    Offset(i64),
    /// An offset in bytes as written by the forms without a sign.
    UnsignedOffset(u64),
    /// A DWARF expression.
    Expression(&'a Expression),
    /// A size in bytes.
    Size(u64),
    /// An address space.
    AddressSpace(u64),
    /// The opcode itself, of an instruction without a definition.
    Opcode(u8),
}

impl Instruction {
    /// The operands in the order in which they are written.
    pub fn operands(&self) -> SmallVec<[Operand<'_>; 3]> {
        use Operand::{AddressSpace, Delta, Offset, Opcode, Register, Size, Source, UnsignedOffset};
        match *self {
            Instruction::Nop
            | Instruction::RememberState
            | Instruction::RestoreState
            | Instruction::GnuWindowSave
            | Instruction::AArch64NegateRaState
            | Instruction::AArch64NegateRaStateWithPc => smallvec![],
            Instruction::SetLoc { location } => smallvec![Operand::Location(location)],
            Instruction::AdvanceLoc { delta }
            | Instruction::AdvanceLoc1 { delta }
            | Instruction::AdvanceLoc2 { delta }
            | Instruction::AdvanceLoc4 { delta }
            | Instruction::MipsAdvanceLoc8 { delta } => smallvec![Delta(delta)],
            Instruction::Offset { register, offset }
            | Instruction::OffsetExtended { register, offset }
            | Instruction::OffsetExtendedSf { register, offset }
            | Instruction::GnuNegativeOffsetExtended { register, offset }
            | Instruction::ValOffset { register, offset }
            | Instruction::ValOffsetSf { register, offset }
            | Instruction::DefCfaSf { register, offset } => smallvec![Register(register), Offset(offset)],
            Instruction::Restore { register }
            | Instruction::RestoreExtended { register }
            | Instruction::Undefined { register }
            | Instruction::SameValue { register }
            | Instruction::DefCfaRegister { register } => smallvec![Register(register)],
            Instruction::Register { register, source } => smallvec![Register(register), Source(source)],
            Instruction::DefCfa { register, offset } => smallvec![Register(register), UnsignedOffset(offset)],
            Instruction::DefCfaOffset { offset } => smallvec![UnsignedOffset(offset)],
            Instruction::DefCfaOffsetSf { offset } => smallvec![Offset(offset)],
            Instruction::DefCfaExpression { ref expression } => smallvec![Operand::Expression(expression)],
            Instruction::Expression { register, ref expression }
            | Instruction::ValExpression { register, ref expression } => {
                smallvec![Register(register), Operand::Expression(expression)]
            }
            Instruction::GnuArgsSize { size } => smallvec![Size(size)],
            Instruction::LlvmDefAspaceCfa { register, offset, address_space } => {
                smallvec![Register(register), UnsignedOffset(offset), AddressSpace(address_space)]
            }
            Instruction::LlvmDefAspaceCfaSf { register, offset, address_space } => {
                smallvec![Register(register), Offset(offset), AddressSpace(address_space)]
            }
            Instruction::Unknown { opcode } => smallvec![Opcode(opcode)],
        }
    }

    /// The instruction's standard name, without the `DW_CFA_` prefix.
    pub fn name(&self) -> &'static str {
        match self {
            Instruction::Nop => "nop",
            Instruction::SetLoc { .. } => "set_loc",
            Instruction::AdvanceLoc { .. } => "advance_loc",
            Instruction::AdvanceLoc1 { .. } => "advance_loc1",
            Instruction::AdvanceLoc2 { .. } => "advance_loc2",
            Instruction::AdvanceLoc4 { .. } => "advance_loc4",
            Instruction::MipsAdvanceLoc8 { .. } => "MIPS_advance_loc8",
            Instruction::Offset { .. } => "offset",
            Instruction::OffsetExtended { .. } => "offset_extended",
            Instruction::OffsetExtendedSf { .. } => "offset_extended_sf",
            Instruction::GnuNegativeOffsetExtended { .. } => "GNU_negative_offset_extended",
            Instruction::Restore { .. } => "restore",
            Instruction::RestoreExtended { .. } => "restore_extended",
            Instruction::Undefined { .. } => "undefined",
            Instruction::SameValue { .. } => "same_value",
            Instruction::Register { .. } => "register",
            Instruction::RememberState => "remember_state",
            Instruction::RestoreState => "restore_state",
            Instruction::DefCfa { .. } => "def_cfa",
            Instruction::DefCfaSf { .. } => "def_cfa_sf",
            Instruction::DefCfaRegister { .. } => "def_cfa_register",
            Instruction::DefCfaOffset { .. } => "def_cfa_offset",
            Instruction::DefCfaOffsetSf { .. } => "def_cfa_offset_sf",
            Instruction::DefCfaExpression { .. } => "def_cfa_expression",
            Instruction::Expression { .. } => "expression",
            Instruction::ValOffset { .. } => "val_offset",
            Instruction::ValOffsetSf { .. } => "val_offset_sf",
            Instruction::ValExpression { .. } => "val_expression",
            Instruction::GnuArgsSize { .. } => "GNU_args_size",
            Instruction::GnuWindowSave => "GNU_window_save",
            Instruction::AArch64NegateRaState => "AARCH64_negate_ra_state",
            Instruction::AArch64NegateRaStateWithPc => "AARCH64_negate_ra_state_with_pc",
            Instruction::LlvmDefAspaceCfa { .. } => "LLVM_def_aspace_cfa",
            Instruction::LlvmDefAspaceCfaSf { .. } => "LLVM_def_aspace_cfa_sf",
            Instruction::Unknown { .. } => "unknown",
        }
    }

    /// The form that stands for all encodings of the same instruction:
    ///
    /// | canonical | stands for |
    /// |---|---|
    /// | advance_loc | advance_loc1, advance_loc2, advance_loc4, MIPS_advance_loc8 |
    /// | offset | offset_extended, offset_extended_sf, GNU_negative_offset_extended |
    /// | restore | restore_extended |
    /// | def_cfa | def_cfa_sf, its offset as two's complement of 64 bits |
    /// | def_cfa_offset | def_cfa_offset_sf, its offset likewise |
    /// | val_offset | val_offset_sf |
    /// | LLVM_def_aspace_cfa | LLVM_def_aspace_cfa_sf, its offset likewise |
    ///
    /// Every other instruction stands for itself.
    pub fn canonical(&self) -> Cow<'_, Instruction> {
        Cow::Owned(match *self {
            Instruction::AdvanceLoc1 { delta }
            | Instruction::AdvanceLoc2 { delta }
            | Instruction::AdvanceLoc4 { delta }
            | Instruction::MipsAdvanceLoc8 { delta } => Instruction::AdvanceLoc { delta },
            Instruction::OffsetExtended { register, offset }
            | Instruction::OffsetExtendedSf { register, offset }
            | Instruction::GnuNegativeOffsetExtended { register, offset } => {
                Instruction::Offset { register, offset }
            }
            Instruction::RestoreExtended { register } => Instruction::Restore { register },
            Instruction::DefCfaSf { register, offset } => {
                Instruction::DefCfa { register, offset: offset.cast_unsigned() }
            }
            Instruction::DefCfaOffsetSf { offset } => {
                Instruction::DefCfaOffset { offset: offset.cast_unsigned() }
            }
            Instruction::ValOffsetSf { register, offset } => Instruction::ValOffset { register, offset },
            Instruction::LlvmDefAspaceCfaSf { register, offset, address_space } => {
                let offset = offset.cast_unsigned();
                Instruction::LlvmDefAspaceCfa { register, offset, address_space }
            }
            _ => return Cow::Borrowed(self),
        })
    }

    /// Whether two instructions mean the same, whichever of several encodings each was written in.
    pub fn same_effect(&self, other: &Instruction) -> bool {
        self == other || self.canonical() == other.canonical()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_of_one_instruction_have_the_same_effect() {
        let short = Instruction::AdvanceLoc { delta: 4 };
        assert!(short.same_effect(&Instruction::AdvanceLoc4 { delta: 4 }));
        assert!(!short.same_effect(&Instruction::AdvanceLoc4 { delta: 8 }));
        let signed = Instruction::DefCfaSf { register: 7, offset: -16 };
        assert!(signed.same_effect(&Instruction::DefCfa { register: 7, offset: -16_i64 as u64 }));
        assert!(!signed.same_effect(&Instruction::DefCfaOffsetSf { offset: -16 }));
    }

    #[test]
    fn canonical_forms_stand_for_themselves() {
        let forms = [
            Instruction::Offset { register: 3, offset: -8 },
            Instruction::GnuNegativeOffsetExtended { register: 3, offset: -8 },
            Instruction::ValOffsetSf { register: 3, offset: 8 },
            Instruction::RestoreExtended { register: 3 },
            Instruction::Nop,
        ];
        for form in forms {
            assert_eq!(form.canonical().canonical(), form.canonical());
        }
    }
}
