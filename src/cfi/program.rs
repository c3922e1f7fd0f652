//! Call frame instructions: bytes to calls of a visitor, one per instruction, operands resolved.
//!
//! The rows and the list of instructions are two visitors of the same decoder, so that there is one place that
//! knows how an instruction is written.

use std::borrow::Cow;

use cfidiff_model::{Fault, FaultKind};

use crate::cie::Cie;
use crate::cursor::{Cursor, ReadError};
use crate::fault::fault;
use crate::pointer::{PointerContext, read_pointer};
use crate::reader::Reader;
use crate::row_machine::Rule;
use crate::semantics::{Opcode2d, PointerField, Semantics, op};

/// An expression's place: offset from the section's start and size, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Block {
    /// Where its first byte is.
    pub offset: u32,
    /// How many bytes it has.
    pub size: u32,
}

/// Why a visitor wants no more instructions.
pub(crate) struct Stop;

/// What is done with each instruction. `opcode` is the primary opcode without its low six bits.
///
/// A visitor keeps what is wrong with an instruction in its place (a restore without a state, say); whether the
/// program goes on is its own choice.
pub(crate) trait Visitor {
    /// The next call is for the instruction at this offset of the section.
    fn at(&mut self, position: usize);
    fn advance(&mut self, opcode: u8, delta: u64) -> Result<(), Stop>;
    fn set_loc(&mut self, location: u64) -> Result<(), Stop>;
    fn rule(&mut self, opcode: u8, register: u64, rule: Rule) -> Result<(), Stop>;
    fn restore(&mut self, opcode: u8, register: u64) -> Result<(), Stop>;
    fn remember_state(&mut self) -> Result<(), Stop>;
    fn restore_state(&mut self) -> Result<(), Stop>;
    fn def_cfa(&mut self, opcode: u8, register: u64, offset: i64) -> Result<(), Stop>;
    fn def_cfa_register(&mut self, register: u64) -> Result<(), Stop>;
    fn def_cfa_offset(&mut self, opcode: u8, offset: i64) -> Result<(), Stop>;
    fn def_cfa_expression(&mut self, block: Block) -> Result<(), Stop>;
    fn def_aspace_cfa(&mut self, opcode: u8, register: u64, offset: i64, space: u64) -> Result<(), Stop>;
    fn nop(&mut self) -> Result<(), Stop>;
    fn args_size(&mut self, size: u64) -> Result<(), Stop>;
    fn window_save(&mut self) -> Result<(), Stop>;
    fn negate_ra_state(&mut self, with_pc: bool) -> Result<(), Stop>;
    /// An opcode without a definition. The program ends there.
    fn unknown(&mut self, opcode: u8);
}

/// Why a program could not be decoded to its end.
enum Halt {
    Stopped,
    Unreadable(ReadError),
    Fault(Box<Fault>),
    Unknown,
}

impl From<ReadError> for Halt {
    #[inline(always)]
    fn from(error: ReadError) -> Halt {
        Halt::Unreadable(error)
    }
}

impl From<Stop> for Halt {
    #[inline(always)]
    fn from(_: Stop) -> Halt {
        Halt::Stopped
    }
}

/// One program: the instructions of a record, with what their operands depend on.
pub(crate) struct Program<'r, 'a, S: Semantics + ?Sized> {
    pub reader: &'r Reader<'a, S>,
    pub cie: &'r Cie<'a>,
    /// The FDE's initial location, for funcrel operands; `None` in a CIE.
    pub function: Option<u64>,
    /// The first byte, from the section's start.
    pub start: usize,
    /// The first byte after the last.
    pub end: usize,
}

impl<'r, 'a, S: Semantics + ?Sized> Program<'r, 'a, S> {
    /// Decodes the program into the visitor. Ends at the record's end, at an instruction that cannot be decoded,
    /// which is the fault, or when the visitor stops.
    #[inline(always)]
    pub fn run<V: Visitor>(&self, visitor: &mut V) -> Result<(), Fault> {
        let mut cursor = Cursor::new(self.reader.data, self.start, self.end, self.reader.target.endianness);
        while cursor.position < cursor.data.len() {
            let at = cursor.position;
            let opcode = cursor.data[at];
            cursor.position += 1;
            visitor.at(at);
            if let Err(halt) = self.step(opcode, &mut cursor, visitor) {
                return self.halt(halt, opcode, at, &cursor);
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn halt(&self, halt: Halt, opcode: u8, at: usize, cursor: &Cursor<'_>) -> Result<(), Fault> {
        let (kind, words) = match halt {
            Halt::Stopped => return Ok(()),
            Halt::Fault(fault) => return Err(*fault),
            Halt::Unreadable(ReadError::Truncated) => (
                FaultKind::TruncatedInstruction,
                format!("all operands of opcode {opcode:#04x} inside the record"),
            ),
            Halt::Unreadable(ReadError::LebOverflow) => {
                (FaultKind::LebOverflow, format!("operands of opcode {opcode:#04x} of at most 64 bits"))
            }
            Halt::Unknown => {
                let machine = self.reader.target.machine;
                (
                    FaultKind::UnknownOpcode,
                    format!("an opcode that is defined for {machine}, not {opcode:#04x}"),
                )
            }
        };
        Err(fault(cursor.data, at, kind, Cow::Owned(words)))
    }

    #[inline(always)]
    fn step<V: Visitor>(&self, opcode: u8, cursor: &mut Cursor<'a>, visitor: &mut V) -> Result<(), Halt> {
        let low = u64::from(opcode & 0x3f);
        match opcode & 0xc0 {
            op::ADVANCE_LOC => Ok(visitor.advance(op::ADVANCE_LOC, self.delta(low))?),
            op::OFFSET => {
                let offset = self.factored(op::OFFSET, cursor)?;
                Ok(visitor.rule(op::OFFSET, low, Rule::Offset(offset))?)
            }
            op::RESTORE => Ok(visitor.restore(op::RESTORE, low)?),
            _ => self.extended(opcode, cursor, visitor),
        }
    }

    #[inline(always)]
    fn extended<V: Visitor>(&self, opcode: u8, cursor: &mut Cursor<'a>, visitor: &mut V) -> Result<(), Halt> {
        let semantics = self.reader.semantics;
        match opcode {
            op::NOP => visitor.nop()?,
            op::DEF_CFA_OFFSET => {
                visitor.def_cfa_offset(opcode, semantics.cfa_offset(cursor.uleb()?) as i64)?
            }
            op::DEF_CFA => {
                let register = cursor.uleb()?;
                visitor.def_cfa(opcode, register, semantics.cfa_offset(cursor.uleb()?) as i64)?;
            }
            op::DEF_CFA_REGISTER => visitor.def_cfa_register(cursor.uleb()?)?,
            op::REMEMBER_STATE => visitor.remember_state()?,
            op::RESTORE_STATE => visitor.restore_state()?,
            op::ADVANCE_LOC1 => self.advance(op::ADVANCE_LOC1, cursor, visitor)?,
            op::ADVANCE_LOC2 => self.advance(op::ADVANCE_LOC2, cursor, visitor)?,
            op::ADVANCE_LOC4 => self.advance(op::ADVANCE_LOC4, cursor, visitor)?,
            op::MIPS_ADVANCE_LOC8 => self.advance(op::MIPS_ADVANCE_LOC8, cursor, visitor)?,
            op::GNU_ARGS_SIZE => visitor.args_size(cursor.uleb()?)?,
            op::RESTORE_EXTENDED => visitor.restore(opcode, cursor.uleb()?)?,
            op::UNDEFINED => visitor.rule(opcode, cursor.uleb()?, Rule::Undefined)?,
            op::SAME_VALUE => visitor.rule(opcode, cursor.uleb()?, Rule::SameValue)?,
            op::DEF_CFA_EXPRESSION => visitor.def_cfa_expression(self.block(cursor)?)?,
            _ => return self.rare(opcode, cursor, visitor),
        }
        Ok(())
    }

    /// The opcodes that compilers hardly emit, kept out of the hot loop.
    #[inline(never)]
    fn rare<V: Visitor>(&self, opcode: u8, cursor: &mut Cursor<'a>, visitor: &mut V) -> Result<(), Halt> {
        match opcode {
            op::OFFSET_EXTENDED | op::OFFSET_EXTENDED_SF | op::GNU_NEGATIVE_OFFSET_EXTENDED => {
                let register = cursor.uleb()?;
                visitor.rule(opcode, register, Rule::Offset(self.factored(opcode, cursor)?))?;
            }
            op::VAL_OFFSET | op::VAL_OFFSET_SF => {
                let register = cursor.uleb()?;
                visitor.rule(opcode, register, Rule::ValOffset(self.factored(opcode, cursor)?))?;
            }
            op::REGISTER => {
                let register = cursor.uleb()?;
                visitor.rule(opcode, register, Rule::Register(cursor.uleb()?))?;
            }
            op::EXPRESSION => {
                let register = cursor.uleb()?;
                visitor.rule(opcode, register, Rule::Expression(self.block(cursor)?))?;
            }
            op::VAL_EXPRESSION => {
                let register = cursor.uleb()?;
                visitor.rule(opcode, register, Rule::ValExpression(self.block(cursor)?))?;
            }
            op::DEF_CFA_SF => {
                let register = cursor.uleb()?;
                visitor.def_cfa(opcode, register, self.cfa_offset_sf(opcode, cursor)?)?;
            }
            op::DEF_CFA_OFFSET_SF => visitor.def_cfa_offset(opcode, self.cfa_offset_sf(opcode, cursor)?)?,
            op::SET_LOC => visitor.set_loc(self.location(cursor)?)?,
            op::LLVM_DEF_ASPACE_CFA | op::LLVM_DEF_ASPACE_CFA_SF => self.aspace(opcode, cursor, visitor)?,
            _ => self.by_machine(opcode, visitor)?,
        }
        Ok(())
    }

    /// The opcodes without operands that a machine's ABI defines.
    fn by_machine<V: Visitor>(&self, opcode: u8, visitor: &mut V) -> Result<(), Halt> {
        let semantics = self.reader.semantics;
        let machine = self.reader.target.machine;
        match opcode {
            op::GNU_WINDOW_SAVE => match semantics.opcode_2d(machine) {
                Opcode2d::WindowSave => return Ok(visitor.window_save()?),
                Opcode2d::NegateRaState => return Ok(visitor.negate_ra_state(false)?),
            },
            op::AARCH64_NEGATE_RA_STATE_WITH_PC if semantics.has_negate_ra_state_with_pc(machine) => {
                return Ok(visitor.negate_ra_state(true)?);
            }
            _ => {}
        }
        visitor.unknown(opcode);
        Err(Halt::Unknown)
    }

    #[inline(always)]
    fn delta(&self, raw: u64) -> u64 {
        self.reader.semantics.advance_delta(raw, self.cie.code_alignment_factor)
    }

    #[inline(always)]
    fn advance<V: Visitor>(&self, opcode: u8, cursor: &mut Cursor<'a>, visitor: &mut V) -> Result<(), Halt> {
        let raw = cursor.unsigned(self.reader.semantics.advance_width(opcode))?;
        Ok(visitor.advance(opcode, self.delta(raw))?)
    }

    #[inline(always)]
    fn operand(&self, opcode: u8, cursor: &mut Cursor<'a>) -> Result<i64, ReadError> {
        if self.reader.semantics.offset_is_signed(opcode) {
            cursor.sleb()
        } else {
            cursor.uleb().map(|value| value as i64)
        }
    }

    #[inline(always)]
    fn factored(&self, opcode: u8, cursor: &mut Cursor<'a>) -> Result<i64, ReadError> {
        let (code, data) = (self.cie.code_alignment_factor, self.cie.data_alignment_factor);
        Ok(self.reader.semantics.factored_offset(opcode, self.operand(opcode, cursor)?, code, data))
    }

    fn cfa_offset_sf(&self, opcode: u8, cursor: &mut Cursor<'a>) -> Result<i64, ReadError> {
        let (code, data) = (self.cie.code_alignment_factor, self.cie.data_alignment_factor);
        Ok(self.reader.semantics.cfa_offset_sf(self.operand(opcode, cursor)?, code, data))
    }

    /// LLVM's DW_CFA_LLVM_def_aspace_cfa and _sf: register, offset, address space.
    fn aspace<V: Visitor>(&self, opcode: u8, cursor: &mut Cursor<'a>, visitor: &mut V) -> Result<(), Halt> {
        let register = cursor.uleb()?;
        let offset = if opcode == op::LLVM_DEF_ASPACE_CFA_SF {
            self.cfa_offset_sf(opcode, cursor)?
        } else {
            self.reader.semantics.cfa_offset(cursor.uleb()?) as i64
        };
        Ok(visitor.def_aspace_cfa(opcode, register, offset, cursor.uleb()?)?)
    }

    /// The place of an expression: its size and its bytes (DWARF 5 section 7.5.4, form exprloc).
    #[inline(never)]
    fn block(&self, cursor: &mut Cursor<'a>) -> Result<Block, ReadError> {
        let size = cursor.uleb()?;
        let size = usize::try_from(size).map_err(|_| ReadError::Truncated)?;
        let offset = cursor.position;
        cursor.bytes(size)?;
        Ok(Block { offset: offset as u32, size: size as u32 })
    }

    fn location(&self, cursor: &mut Cursor<'a>) -> Result<u64, Halt> {
        let section = self.reader.section;
        let encoding = self.reader.semantics.set_loc_encoding(section.kind, self.cie.fde_encoding);
        let context = PointerContext {
            section: section.address,
            bases: &section.bases,
            function: self.function,
            address_size: self.cie.address_size,
        };
        let pointer = read_pointer(self.reader.semantics, cursor, encoding, PointerField::SetLoc, &context);
        match pointer {
            Ok(Some(pointer)) => Ok(pointer.address.0),
            Ok(None) => Err(Halt::Unreadable(ReadError::Truncated)),
            // The same fault as of any other operand, told of the instruction.
            Err(fault) => Err(match fault.kind {
                FaultKind::TruncatedRecord => Halt::Unreadable(ReadError::Truncated),
                FaultKind::LebOverflow => Halt::Unreadable(ReadError::LebOverflow),
                _ => Halt::Fault(Box::new(fault)),
            }),
        }
    }
}
