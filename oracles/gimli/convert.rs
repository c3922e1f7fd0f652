//! gimli's instructions and rules, in the model's units.

use ::gimli::{
    CallFrameInstruction, CommonInformationEntry, Encoding, EndianSlice, Endianity, Register,
    UnwindExpression, UnwindSection,
};
use cfidiff_model::{Address, CfaRule, Expression, Instruction, RegisterRule};

use super::expression;

type Slice<'a, E> = EndianSlice<'a, E>;

/// Turns what gimli decoded under one CIE into the model: operands in bytes, expressions operation by operation.
pub(super) struct Converter<'f, S> {
    frame: &'f S,
    encoding: Encoding,
    code_alignment_factor: u64,
    data_alignment_factor: i64,
}

impl<'f, S> Converter<'f, S> {
    /// A converter for the instructions of `cie` and of its FDEs in the section `frame`.
    pub(super) fn new<'a, E: Endianity>(
        frame: &'f S,
        cie: &CommonInformationEntry<Slice<'a, E>>,
    ) -> Converter<'f, S>
    where
        S: UnwindSection<Slice<'a, E>>,
    {
        Converter {
            frame,
            encoding: cie.encoding(),
            code_alignment_factor: cie.code_alignment_factor(),
            data_alignment_factor: cie.data_alignment_factor(),
        }
    }

    /// One instruction, in the canonical form where gimli merges several. An expression that gimli cannot decode
    /// to its end comes with the error.
    #[inline]
    pub(super) fn instruction<'a, E: Endianity>(
        &self,
        decoded: CallFrameInstruction<usize>,
    ) -> (Instruction, Result<(), ::gimli::Error>)
    where
        S: UnwindSection<Slice<'a, E>>,
    {
        use CallFrameInstruction as I;
        let instruction = match decoded {
            I::Nop => Instruction::Nop,
            I::AdvanceLoc { delta } => {
                Instruction::AdvanceLoc { delta: u64::from(delta).wrapping_mul(self.code_alignment_factor) }
            }
            I::DefCfaOffset { offset } => Instruction::DefCfaOffset { offset },
            I::Offset { register, factored_offset } => Instruction::Offset {
                register: number(register),
                offset: self.unfactored(factored_offset.cast_signed()),
            },
            I::DefCfaRegister { register } => Instruction::DefCfaRegister { register: number(register) },
            I::DefCfa { register, offset } => Instruction::DefCfa { register: number(register), offset },
            I::Restore { register } => Instruction::Restore { register: number(register) },
            I::RememberState => Instruction::RememberState,
            I::RestoreState => Instruction::RestoreState,
            I::SetLoc { address } => Instruction::SetLoc { location: Address(address) },
            I::Undefined { register } => Instruction::Undefined { register: number(register) },
            I::SameValue { register } => Instruction::SameValue { register: number(register) },
            I::Register { dest_register, src_register } => {
                Instruction::Register { register: number(dest_register), source: number(src_register) }
            }
            I::DefCfaSf { register, factored_offset } => {
                Instruction::DefCfaSf { register: number(register), offset: self.unfactored(factored_offset) }
            }
            I::DefCfaOffsetSf { factored_offset } => {
                Instruction::DefCfaOffsetSf { offset: self.unfactored(factored_offset) }
            }
            I::OffsetExtendedSf { register, factored_offset } => Instruction::OffsetExtendedSf {
                register: number(register),
                offset: self.unfactored(factored_offset),
            },
            I::ValOffset { register, factored_offset } => Instruction::ValOffset {
                register: number(register),
                offset: self.unfactored(factored_offset.cast_signed()),
            },
            I::ValOffsetSf { register, factored_offset } => Instruction::ValOffsetSf {
                register: number(register),
                offset: self.unfactored(factored_offset),
            },
            I::ArgsSize { size } => Instruction::GnuArgsSize { size },
            I::NegateRaState => Instruction::AArch64NegateRaState,
            I::DefCfaExpression { expression } => {
                let (expression, read) = self.expression(expression);
                return (Instruction::DefCfaExpression { expression: Box::new(expression) }, read);
            }
            I::Expression { register, expression } => {
                let (expression, read) = self.expression(expression);
                let register = number(register);
                return (Instruction::Expression { register, expression: Box::new(expression) }, read);
            }
            I::ValExpression { register, expression } => {
                let (expression, read) = self.expression(expression);
                let register = number(register);
                return (Instruction::ValExpression { register, expression: Box::new(expression) }, read);
            }
        };
        (instruction, Ok(()))
    }

    /// A row's CFA rule. gimli has no "no rule": it says register 0 plus 0.
    #[inline]
    pub(super) fn cfa_rule<'a, E: Endianity>(&self, rule: &::gimli::CfaRule<usize>) -> CfaRule
    where
        S: UnwindSection<Slice<'a, E>>,
    {
        match *rule {
            ::gimli::CfaRule::RegisterAndOffset { register, offset } => {
                CfaRule::RegisterOffset { register: number(register), offset }
            }
            ::gimli::CfaRule::Expression(expression) => {
                CfaRule::Expression(Box::new(self.expression(expression).0))
            }
        }
    }

    /// A row's rule for one register.
    #[inline]
    pub(super) fn register_rule<'a, E: Endianity>(&self, rule: &::gimli::RegisterRule<usize>) -> RegisterRule
    where
        S: UnwindSection<Slice<'a, E>>,
    {
        use ::gimli::RegisterRule as R;
        match *rule {
            R::Offset(offset) => RegisterRule::Offset(offset),
            R::Undefined => RegisterRule::Undefined,
            R::SameValue => RegisterRule::SameValue,
            R::ValOffset(offset) => RegisterRule::ValOffset(offset),
            R::Register(register) => RegisterRule::Register(number(register)),
            R::Expression(expression) => RegisterRule::Expression(Box::new(self.expression(expression).0)),
            R::ValExpression(expression) => {
                RegisterRule::ValExpression(Box::new(self.expression(expression).0))
            }
            R::Constant(value) => RegisterRule::Architectural(value),
            // No instruction that gimli reads gives this rule; the variant is there for callers.
            R::Architectural => RegisterRule::Architectural(0),
        }
    }

    fn expression<'a, E: Endianity>(
        &self,
        place: UnwindExpression<usize>,
    ) -> (Expression, Result<(), ::gimli::Error>)
    where
        S: UnwindSection<Slice<'a, E>>,
    {
        match place.get(self.frame) {
            Ok(found) => expression::convert(found.0, self.encoding),
            Err(error) => (Expression::default(), Err(error)),
        }
    }

    /// A factored operand in bytes, wrapping as in gimli's rows.
    fn unfactored(&self, factored_offset: i64) -> i64 {
        factored_offset.wrapping_mul(self.data_alignment_factor)
    }
}

#[inline]
fn number(register: Register) -> u64 {
    register.0.into()
}
