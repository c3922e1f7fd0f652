//! Instructions as a list: the visitor that turns each into the model's form.

use cfidiff_model::{Address, Expression, Fault, Instruction};

use crate::expression::decode;
use crate::op;
use crate::program::{Block, Stop, Visitor};
use crate::reader::Reader;
use crate::row_machine::Rule;
use crate::semantics::Semantics;
use crate::table::MAX_FAULTS;

/// Pushes every instruction that it is shown, and with `PLACES` where it starts.
pub(crate) struct Lister<'r, 'a, S: Semantics + ?Sized, const PLACES: bool = false> {
    pub reader: &'r Reader<'a, S>,
    /// The size of an address, for expressions.
    pub address_size: u8,
    pub list: &'r mut Vec<Instruction>,
    /// What was wrong with expressions.
    pub faults: &'r mut Vec<Fault>,
    /// The section offsets of the instructions.
    pub places: Vec<usize>,
}

impl<S: Semantics + ?Sized, const PLACES: bool> Lister<'_, '_, S, PLACES> {
    #[inline(always)]
    fn push(&mut self, instruction: Instruction) -> Result<(), Stop> {
        self.list.push(instruction);
        Ok(())
    }

    #[inline(never)]
    fn expression(&mut self, block: Block) -> Box<Expression> {
        let (expression, fault) =
            decode(self.reader.data, block, self.address_size, self.reader.target.endianness);
        if self.faults.len() < MAX_FAULTS {
            self.faults.extend(fault);
        }
        Box::new(expression)
    }
}

impl<S: Semantics + ?Sized, const PLACES: bool> Visitor for Lister<'_, '_, S, PLACES> {
    #[inline(always)]
    fn at(&mut self, position: usize) {
        if PLACES {
            self.places.push(position);
        }
    }

    #[inline(always)]
    fn advance(&mut self, opcode: u8, delta: u64) -> Result<(), Stop> {
        self.push(match opcode {
            op::ADVANCE_LOC1 => Instruction::AdvanceLoc1 { delta },
            op::ADVANCE_LOC2 => Instruction::AdvanceLoc2 { delta },
            op::ADVANCE_LOC4 => Instruction::AdvanceLoc4 { delta },
            op::MIPS_ADVANCE_LOC8 => Instruction::MipsAdvanceLoc8 { delta },
            _ => Instruction::AdvanceLoc { delta },
        })
    }

    fn set_loc(&mut self, location: u64) -> Result<(), Stop> {
        self.push(Instruction::SetLoc { location: Address(location) })
    }

    #[inline(always)]
    fn rule(&mut self, opcode: u8, register: u64, rule: Rule) -> Result<(), Stop> {
        let instruction = match rule {
            Rule::Offset(offset) => match opcode {
                op::OFFSET_EXTENDED => Instruction::OffsetExtended { register, offset },
                op::OFFSET_EXTENDED_SF => Instruction::OffsetExtendedSf { register, offset },
                op::GNU_NEGATIVE_OFFSET_EXTENDED => {
                    Instruction::GnuNegativeOffsetExtended { register, offset }
                }
                _ => Instruction::Offset { register, offset },
            },
            Rule::ValOffset(offset) if opcode == op::VAL_OFFSET_SF => {
                Instruction::ValOffsetSf { register, offset }
            }
            Rule::ValOffset(offset) => Instruction::ValOffset { register, offset },
            Rule::Undefined => Instruction::Undefined { register },
            Rule::SameValue => Instruction::SameValue { register },
            Rule::Register(source) => Instruction::Register { register, source },
            Rule::Expression(block) => {
                Instruction::Expression { register, expression: self.expression(block) }
            }
            Rule::ValExpression(block) => {
                Instruction::ValExpression { register, expression: self.expression(block) }
            }
            // No instruction sets such a rule with a register operand.
            Rule::Architectural(_) => return Ok(()),
        };
        self.push(instruction)
    }

    fn restore(&mut self, opcode: u8, register: u64) -> Result<(), Stop> {
        self.push(match opcode {
            op::RESTORE_EXTENDED => Instruction::RestoreExtended { register },
            _ => Instruction::Restore { register },
        })
    }

    fn remember_state(&mut self) -> Result<(), Stop> {
        self.push(Instruction::RememberState)
    }

    fn restore_state(&mut self) -> Result<(), Stop> {
        self.push(Instruction::RestoreState)
    }

    fn def_cfa(&mut self, opcode: u8, register: u64, offset: i64) -> Result<(), Stop> {
        self.push(match opcode {
            op::DEF_CFA_SF => Instruction::DefCfaSf { register, offset },
            _ => Instruction::DefCfa { register, offset: offset as u64 },
        })
    }

    fn def_cfa_register(&mut self, register: u64) -> Result<(), Stop> {
        self.push(Instruction::DefCfaRegister { register })
    }

    #[inline(always)]
    fn def_cfa_offset(&mut self, opcode: u8, offset: i64) -> Result<(), Stop> {
        self.push(match opcode {
            op::DEF_CFA_OFFSET_SF => Instruction::DefCfaOffsetSf { offset },
            _ => Instruction::DefCfaOffset { offset: offset as u64 },
        })
    }

    fn def_cfa_expression(&mut self, block: Block) -> Result<(), Stop> {
        let expression = self.expression(block);
        self.push(Instruction::DefCfaExpression { expression })
    }

    fn def_aspace_cfa(&mut self, opcode: u8, register: u64, offset: i64, space: u64) -> Result<(), Stop> {
        self.push(match opcode {
            op::LLVM_DEF_ASPACE_CFA_SF => {
                Instruction::LlvmDefAspaceCfaSf { register, offset, address_space: space }
            }
            _ => Instruction::LlvmDefAspaceCfa { register, offset: offset as u64, address_space: space },
        })
    }

    #[inline(always)]
    fn nop(&mut self) -> Result<(), Stop> {
        self.push(Instruction::Nop)
    }

    fn args_size(&mut self, size: u64) -> Result<(), Stop> {
        self.push(Instruction::GnuArgsSize { size })
    }

    fn window_save(&mut self) -> Result<(), Stop> {
        self.push(Instruction::GnuWindowSave)
    }

    fn negate_ra_state(&mut self, with_pc: bool) -> Result<(), Stop> {
        self.push(if with_pc {
            Instruction::AArch64NegateRaStateWithPc
        } else {
            Instruction::AArch64NegateRaState
        })
    }

    fn unknown(&mut self, opcode: u8) {
        self.list.push(Instruction::Unknown { opcode });
    }
}
