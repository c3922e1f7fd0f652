//! Call frame instructions made to order (DWARF 5 section 6.4.2).

use cfidiff_model::{Address, Instruction};

use crate::{Code, Operand, Places, Referent, Unwritable, Writer};

/// A list of instructions, in the order of the calls.
///
/// Operands are what stands in the bytes: deltas before the code alignment factor, offsets before the data
/// alignment factor. What an instruction means in bytes follows when it is written under a CIE's factors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    /// An opcode, its operands, and what they mean before any factor.
    Plain(u8, Vec<Operand>, Instruction),
    DefCfaExpression(Code),
    Expression(u64, Code),
    ValExpression(u64, Code),
    SetLoc(Address),
    Raw(Vec<u8>, Vec<Instruction>),
}

/// What the operands of a program are written and meant under.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    /// The CIE's code alignment factor.
    pub code: u64,
    /// The CIE's data alignment factor.
    pub data: i64,
    /// The encoding of DW_CFA_set_loc's operand: that of initial locations, or a plain address.
    pub set_loc: u8,
}

/// Makes the builder's methods for instructions whose operands are numbers: the opcode, the operands as they
/// are written, and the meaning before any factor.
macro_rules! plain {
    ($($(#[doc = $doc:literal])+ $name:ident($($operand:ident: $type:ty),*)
        = $opcode:expr, [$($written:expr),*], $instruction:ident { $($field:ident: $value:expr),* };)+) => {
        $($(#[doc = $doc])+ pub fn $name(mut self, $($operand: $type),*) -> Program {
            let instruction = Instruction::$instruction { $($field: $value),* };
            self.steps.push(Step::Plain($opcode, vec![$($written),*], instruction));
            self
        })+
    };
}

use Operand::{Fixed, Sleb, Uleb};

impl Program {
    /// The empty program.
    pub fn new() -> Program {
        Program::default()
    }

    /// Whether it has no instruction.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    plain! {
        /// DW_CFA_nop.
        nop() = 0x00, [], Nop {};
        /// DW_CFA_advance_loc; of a delta above 63 the low six bits.
        advance_loc(delta: u8) = 0x40 | (delta & 63), [], AdvanceLoc { delta: (delta & 63).into() };
        /// DW_CFA_advance_loc1.
        advance_loc1(delta: u8) = 0x02, [Fixed(delta.into(), 1)], AdvanceLoc1 { delta: delta.into() };
        /// DW_CFA_advance_loc2.
        advance_loc2(delta: u16) = 0x03, [Fixed(delta.into(), 2)], AdvanceLoc2 { delta: delta.into() };
        /// DW_CFA_advance_loc4.
        advance_loc4(delta: u32) = 0x04, [Fixed(delta.into(), 4)], AdvanceLoc4 { delta: delta.into() };
        /// DW_CFA_MIPS_advance_loc8.
        mips_advance_loc8(delta: u64) = 0x1d, [Fixed(delta, 8)], MipsAdvanceLoc8 { delta: delta };
        /// DW_CFA_offset; of a register above 63 the low six bits.
        offset(register: u8, factored: u64) = 0x80 | (register & 63), [Uleb(factored)],
            Offset { register: (register & 63).into(), offset: factored.cast_signed() };
        /// DW_CFA_offset_extended.
        offset_extended(register: u64, factored: u64) = 0x05, [Uleb(register), Uleb(factored)],
            OffsetExtended { register: register, offset: factored.cast_signed() };
        /// DW_CFA_offset_extended_sf.
        offset_extended_sf(register: u64, factored: i64) = 0x11, [Uleb(register), Sleb(factored)],
            OffsetExtendedSf { register: register, offset: factored };
        /// DW_CFA_GNU_negative_offset_extended, whose operand is the negative of the factored offset.
        gnu_negative_offset_extended(register: u64, negated: u64) = 0x2f, [Uleb(register), Uleb(negated)],
            GnuNegativeOffsetExtended { register: register, offset: negated.cast_signed().wrapping_neg() };
        /// DW_CFA_restore; of a register above 63 the low six bits.
        restore(register: u8) = 0xc0 | (register & 63), [], Restore { register: (register & 63).into() };
        /// DW_CFA_restore_extended.
        restore_extended(register: u64) = 0x06, [Uleb(register)], RestoreExtended { register: register };
        /// DW_CFA_undefined.
        undefined(register: u64) = 0x07, [Uleb(register)], Undefined { register: register };
        /// DW_CFA_same_value.
        same_value(register: u64) = 0x08, [Uleb(register)], SameValue { register: register };
        /// DW_CFA_register: the caller's `register` is in `source`.
        register(register: u64, source: u64) = 0x09, [Uleb(register), Uleb(source)],
            Register { register: register, source: source };
        /// DW_CFA_remember_state.
        remember_state() = 0x0a, [], RememberState {};
        /// DW_CFA_restore_state.
        restore_state() = 0x0b, [], RestoreState {};
        /// DW_CFA_def_cfa, whose offset has no factor.
        def_cfa(register: u64, offset: u64) = 0x0c, [Uleb(register), Uleb(offset)],
            DefCfa { register: register, offset: offset };
        /// DW_CFA_def_cfa_sf.
        def_cfa_sf(register: u64, factored: i64) = 0x12, [Uleb(register), Sleb(factored)],
            DefCfaSf { register: register, offset: factored };
        /// DW_CFA_def_cfa_register.
        def_cfa_register(register: u64) = 0x0d, [Uleb(register)], DefCfaRegister { register: register };
        /// DW_CFA_def_cfa_offset, whose offset has no factor.
        def_cfa_offset(offset: u64) = 0x0e, [Uleb(offset)], DefCfaOffset { offset: offset };
        /// DW_CFA_def_cfa_offset_sf.
        def_cfa_offset_sf(factored: i64) = 0x13, [Sleb(factored)], DefCfaOffsetSf { offset: factored };
        /// DW_CFA_val_offset.
        val_offset(register: u64, factored: u64) = 0x14, [Uleb(register), Uleb(factored)],
            ValOffset { register: register, offset: factored.cast_signed() };
        /// DW_CFA_val_offset_sf.
        val_offset_sf(register: u64, factored: i64) = 0x15, [Uleb(register), Sleb(factored)],
            ValOffsetSf { register: register, offset: factored };
        /// DW_CFA_GNU_args_size.
        gnu_args_size(size: u64) = 0x2e, [Uleb(size)], GnuArgsSize { size: size };
        /// DW_CFA_GNU_window_save, for SPARC.
        gnu_window_save() = 0x2d, [], GnuWindowSave {};
        /// DW_CFA_AARCH64_negate_ra_state, the same byte for AArch64.
        aarch64_negate_ra_state() = 0x2d, [], AArch64NegateRaState {};
        /// DW_CFA_AARCH64_negate_ra_state_with_pc.
        aarch64_negate_ra_state_with_pc() = 0x2c, [], AArch64NegateRaStateWithPc {};
        /// DW_CFA_LLVM_def_aspace_cfa.
        llvm_def_aspace_cfa(register: u64, offset: u64, address_space: u64)
            = 0x30, [Uleb(register), Uleb(offset), Uleb(address_space)],
            LlvmDefAspaceCfa { register: register, offset: offset, address_space: address_space };
        /// DW_CFA_LLVM_def_aspace_cfa_sf.
        llvm_def_aspace_cfa_sf(register: u64, factored: i64, address_space: u64)
            = 0x31, [Uleb(register), Sleb(factored), Uleb(address_space)],
            LlvmDefAspaceCfaSf { register: register, offset: factored, address_space: address_space };
    }

    /// DW_CFA_set_loc, in the encoding of initial locations.
    pub fn set_loc(self, location: Address) -> Program {
        self.step(Step::SetLoc(location))
    }

    /// DW_CFA_def_cfa_expression.
    pub fn def_cfa_expression(self, code: Code) -> Program {
        self.step(Step::DefCfaExpression(code))
    }

    /// DW_CFA_expression.
    pub fn expression(self, register: u64, code: Code) -> Program {
        self.step(Step::Expression(register, code))
    }

    /// DW_CFA_val_expression.
    pub fn val_expression(self, register: u64, code: Code) -> Program {
        self.step(Step::ValExpression(register, code))
    }

    /// Bytes as they are, with what a reader has to make of them. After [`Instruction::Unknown`] nothing in
    /// the record can be read, so nothing more is expected of it.
    pub fn raw(self, bytes: &[u8], meaning: &[Instruction]) -> Program {
        self.step(Step::Raw(bytes.to_vec(), meaning.to_vec()))
    }

    fn step(mut self, step: Step) -> Program {
        self.steps.push(step);
        self
    }

    /// Writes the instructions at the writer's end and gives their meaning.
    pub(crate) fn write(
        &self,
        to: &mut Writer,
        factors: Factors,
        places: &Places,
    ) -> Result<Vec<Instruction>, Unwritable> {
        let mut meaning = Vec::with_capacity(self.steps.len());
        let mut location = places.function;
        for step in &self.steps {
            meaning.push(match step {
                Step::Plain(opcode, operands, instruction) => {
                    let start = to.len();
                    to.u8(*opcode);
                    for operand in operands {
                        operand.write(to, places.address_size);
                    }
                    let instruction = in_bytes(instruction.clone(), factors);
                    location = refer_advance(to, start, &instruction, location);
                    instruction
                }
                Step::DefCfaExpression(code) => {
                    to.u8(0x0f);
                    Instruction::DefCfaExpression {
                        expression: Box::new(code.write_block(to, places.address_size)),
                    }
                }
                Step::Expression(register, code) => {
                    to.u8(0x10);
                    to.uleb(*register);
                    let expression = Box::new(code.write_block(to, places.address_size));
                    Instruction::Expression { register: *register, expression }
                }
                Step::ValExpression(register, code) => {
                    to.u8(0x16);
                    to.uleb(*register);
                    let expression = Box::new(code.write_block(to, places.address_size));
                    Instruction::ValExpression { register: *register, expression }
                }
                Step::SetLoc(target) => {
                    to.u8(0x01);
                    places.write_reference(to, factors.set_loc, *target, Referent::Code(*target))?;
                    location = Some(*target);
                    Instruction::SetLoc { location: Address(places.wrap(target.0)) }
                }
                Step::Raw(bytes, instructions) => {
                    to.bytes(bytes);
                    meaning.extend_from_slice(instructions);
                    continue;
                }
            });
        }
        if let Some(end) = meaning.iter().position(|each| matches!(each, Instruction::Unknown { .. })) {
            meaning.truncate(end + 1);
        }
        Ok(meaning)
    }
}

/// Notes the distance in an advance that starts at `start`, and gives the location behind it. A CIE's
/// instructions have no location.
fn refer_advance(
    to: &mut Writer,
    start: usize,
    instruction: &Instruction,
    location: Option<Address>,
) -> Option<Address> {
    let (&Instruction::AdvanceLoc { delta }
    | &Instruction::AdvanceLoc1 { delta }
    | &Instruction::AdvanceLoc2 { delta }
    | &Instruction::AdvanceLoc4 { delta }
    | &Instruction::MipsAdvanceLoc8 { delta }) = instruction
    else {
        return location;
    };
    let from = location?;
    let end = Address(from.0.wrapping_add(delta));
    // The shortest form has the delta in the opcode's low six bits.
    let (at, bits) = match to.len() - start {
        1 => (start, 6),
        size => (start + 1, 8 * (size - 1) as u8),
    };
    to.refer(at, bits, false, Referent::Distance { from, to: end, is_range: false });
    Some(end)
}

/// Applies the CIE's factors: the code alignment factor to deltas, the data alignment factor to the offsets
/// that DWARF 5 section 6.4.2 calls factored.
fn in_bytes(mut instruction: Instruction, factors: Factors) -> Instruction {
    match &mut instruction {
        Instruction::AdvanceLoc { delta }
        | Instruction::AdvanceLoc1 { delta }
        | Instruction::AdvanceLoc2 { delta }
        | Instruction::AdvanceLoc4 { delta }
        | Instruction::MipsAdvanceLoc8 { delta } => *delta = delta.wrapping_mul(factors.code),
        Instruction::Offset { offset, .. }
        | Instruction::OffsetExtended { offset, .. }
        | Instruction::OffsetExtendedSf { offset, .. }
        | Instruction::GnuNegativeOffsetExtended { offset, .. }
        | Instruction::DefCfaSf { offset, .. }
        | Instruction::DefCfaOffsetSf { offset }
        | Instruction::ValOffset { offset, .. }
        | Instruction::ValOffsetSf { offset, .. }
        | Instruction::LlvmDefAspaceCfaSf { offset, .. } => *offset = offset.wrapping_mul(factors.data),
        _ => {}
    }
    instruction
}
