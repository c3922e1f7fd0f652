//! Call frame instructions: bytes to calls of a visitor, one per instruction, operands resolved.
//!
//! The rows and the list of instructions are two visitors of the same decoder, so that there is one place that
//! knows how an instruction is written.

use std::borrow::Cow;

use cfidiff_model::{Fault, FaultKind};

use crate::choices::{Opcode2d, OpcodeUse, PointerField};
use crate::cie::Cie;
use crate::cursor::{Cursor, ReadError};
use crate::fault::fault;
use crate::op;
use crate::pointer::{Encoding, PointerContext, read_pointer};
use crate::reader::Reader;
use crate::row_machine::Rule;
use crate::semantics::Semantics;

/// The bits that tell an opcode whose other bits are an operand; zero in all other opcodes.
const PRIMARY: u8 = 0xc0;

/// An expression's place: offset from the section's start and size, in bytes.
///
/// Aligned like the numbers of other rules, so that all variants of a rule have their contents in the same eight
/// bytes. Otherwise a rule is copied in pieces that overlap those it was written in, which stalls the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(align(8))]
pub struct Block {
    /// Where its first byte is.
    pub offset: u32,
    /// How many bytes it has.
    pub size: u32,
}

/// A visitor wants no more instructions, or none for now.
pub(crate) struct Stop;

/// How far a program was decoded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// To its end.
    Ended,
    /// Up to an instruction at which the visitor stopped. Running on starts behind it.
    Stopped,
}

/// What is done with each instruction. `opcode` is the primary opcode without its low six bits.
///
/// A visitor has a method for what it does something about, and keeps what is wrong with an instruction in its place (a restore without a state, say); whether the
/// program goes on is its own choice.
pub(crate) trait Visitor {
    /// The next call is for the instruction at this offset of the section.
    #[inline(always)]
    fn at(&mut self, _position: usize) {}
    /// Whether the visitor wants to be called for this opcode at all.
    #[inline(always)]
    fn heeds(&self, _opcode: u8) -> bool {
        true
    }
    fn advance(&mut self, _opcode: u8, _delta: u64) -> Result<(), Stop> {
        Ok(())
    }
    fn set_loc(&mut self, _location: u64) -> Result<(), Stop> {
        Ok(())
    }
    fn rule(&mut self, _opcode: u8, _register: u64, _rule: Rule) -> Result<(), Stop> {
        Ok(())
    }
    fn restore(&mut self, _opcode: u8, _register: u64) -> Result<(), Stop> {
        Ok(())
    }
    fn remember_state(&mut self) -> Result<(), Stop> {
        Ok(())
    }
    fn restore_state(&mut self) -> Result<(), Stop> {
        Ok(())
    }
    fn def_cfa(&mut self, _opcode: u8, _register: u64, _offset: i64) -> Result<(), Stop> {
        Ok(())
    }
    fn def_cfa_register(&mut self, _register: u64) -> Result<(), Stop> {
        Ok(())
    }
    fn def_cfa_offset(&mut self, _opcode: u8, _offset: i64) -> Result<(), Stop> {
        Ok(())
    }
    fn def_cfa_expression(&mut self, _block: Block) -> Result<(), Stop> {
        Ok(())
    }
    fn def_aspace_cfa(&mut self, _opcode: u8, _register: u64, _offset: i64, _space: u64) -> Result<(), Stop> {
        Ok(())
    }
    fn nop(&mut self) -> Result<(), Stop> {
        Ok(())
    }
    fn args_size(&mut self, _size: u64) -> Result<(), Stop> {
        Ok(())
    }
    fn window_save(&mut self) -> Result<(), Stop> {
        Ok(())
    }
    fn negate_ra_state(&mut self, _with_pc: bool) -> Result<(), Stop> {
        Ok(())
    }
    /// An opcode without a definition. The program ends there.
    fn unknown(&mut self, _opcode: u8) {}
}

/// What instructions without effect are shown to.
struct Deaf;

impl Visitor for Deaf {}

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

/// What the operands of a record's instructions depend on.
pub(crate) struct Program<'r, 'a, S: Semantics + ?Sized> {
    pub reader: &'r Reader<'a, S>,
    pub cie: &'r Cie<'a>,
    /// The FDE's initial location, for funcrel operands; `None` in a CIE.
    pub function: Option<u64>,
}

impl<'r, 'a, S: Semantics + ?Sized> Program<'r, 'a, S> {
    /// A cursor over the instructions from `start` up to `end`, both from the section's start.
    #[inline(always)]
    pub fn cursor(&self, start: usize, end: usize) -> Cursor<'a> {
        let end = self.reader.semantics.instructions_end(end);
        Cursor::new(self.reader.data, start, end, self.reader.target.endianness)
    }

    /// Decodes instructions into the visitor, up to the cursor's limit or to where the visitor stops. The fault is
    /// that of an instruction which cannot be decoded; nothing behind it can.
    #[inline(always)]
    pub fn run<V: Visitor>(&self, cursor: &mut Cursor<'a>, visitor: &mut V) -> Result<Progress, Box<Fault>> {
        while cursor.position < cursor.data.len() {
            let at = cursor.position;
            let opcode = cursor.data[at];
            cursor.position += 1;
            visitor.at(at);
            let primary = if opcode & PRIMARY == 0 { opcode } else { opcode & PRIMARY };
            let step = match self.reader.semantics.opcode_use(primary) {
                OpcodeUse::Instruction if !visitor.heeds(primary) => self.step(opcode, cursor, &mut Deaf),
                OpcodeUse::Instruction => self.step(opcode, cursor, visitor),
                OpcodeUse::WithoutOperands => Ok(()),
                OpcodeUse::Undefined => {
                    visitor.unknown(opcode);
                    Err(Halt::Unknown)
                }
                OpcodeUse::End => return Ok(Progress::Ended),
            };
            match step {
                Ok(()) => {}
                Err(Halt::Stopped) => return Ok(Progress::Stopped),
                Err(halt) => return Err(self.halt(halt, opcode, at, cursor.data)),
            }
        }
        Ok(Progress::Ended)
    }

    #[cold]
    #[inline(never)]
    fn halt(&self, halt: Halt, opcode: u8, at: usize, data: &[u8]) -> Box<Fault> {
        let (kind, words) = match halt {
            Halt::Fault(fault) => return fault,
            Halt::Unreadable(ReadError::Truncated) => (
                FaultKind::TruncatedInstruction,
                format!("all operands of opcode {opcode:#04x} inside the record"),
            ),
            Halt::Unreadable(ReadError::LebOverflow) => {
                (FaultKind::LebOverflow, format!("operands of opcode {opcode:#04x} of at most 64 bits"))
            }
            Halt::Unknown | Halt::Stopped => {
                let machine = self.reader.target.machine;
                (
                    FaultKind::UnknownOpcode,
                    format!("an opcode that is defined for {machine}, not {opcode:#04x}"),
                )
            }
        };
        Box::new(fault(data, at, kind, Cow::Owned(words)))
    }

    #[inline(always)]
    fn step<V: Visitor>(&self, opcode: u8, cursor: &mut Cursor<'a>, visitor: &mut V) -> Result<(), Halt> {
        /// The last opcode of a group whose low six bits are an operand.
        const LOW: u8 = 0x3f;
        const ADVANCE_LOC_LAST: u8 = op::ADVANCE_LOC | LOW;
        const OFFSET_LAST: u8 = op::OFFSET | LOW;
        const RESTORE_LAST: u8 = op::RESTORE | LOW;
        let semantics = self.reader.semantics;
        let low = u64::from(opcode & LOW);
        // Two of five instructions are this one. Asked for by itself, it costs a comparison and no jump table.
        if opcode == op::DEF_CFA_OFFSET {
            return Ok(visitor.def_cfa_offset(opcode, semantics.cfa_offset(cursor.uleb()?) as i64)?);
        }
        match opcode {
            op::ADVANCE_LOC..=ADVANCE_LOC_LAST => visitor.advance(op::ADVANCE_LOC, self.delta(low))?,
            op::OFFSET..=OFFSET_LAST => {
                visitor.rule(
                    op::OFFSET,
                    semantics.register(low),
                    Rule::Offset(self.factored(op::OFFSET, cursor)?),
                )?;
            }
            op::RESTORE..=RESTORE_LAST => visitor.restore(op::RESTORE, semantics.register(low))?,
            op::NOP => visitor.nop()?,
            op::DEF_CFA => {
                let register = self.register(cursor)?;
                visitor.def_cfa(opcode, register, semantics.cfa_offset(cursor.uleb()?) as i64)?;
            }
            op::DEF_CFA_REGISTER => visitor.def_cfa_register(self.register(cursor)?)?,
            op::REMEMBER_STATE => visitor.remember_state()?,
            op::RESTORE_STATE => visitor.restore_state()?,
            op::ADVANCE_LOC1 | op::ADVANCE_LOC2 | op::ADVANCE_LOC4 | op::MIPS_ADVANCE_LOC8 => {
                let raw = cursor.unsigned(semantics.advance_width(opcode))?;
                visitor.advance(opcode, self.delta(raw))?;
            }
            op::GNU_ARGS_SIZE => visitor.args_size(cursor.uleb()?)?,
            op::RESTORE_EXTENDED => visitor.restore(opcode, self.register(cursor)?)?,
            op::UNDEFINED => visitor.rule(opcode, self.register(cursor)?, Rule::Undefined)?,
            op::SAME_VALUE => visitor.rule(opcode, self.register(cursor)?, Rule::SameValue)?,
            _ => {
                let (position, result) = self.rare(opcode, *cursor, visitor);
                cursor.position = position;
                result?;
            }
        }
        Ok(())
    }

    /// The opcodes that compilers hardly emit, kept out of the hot loop. Returns the cursor's new position as well:
    /// a reference to the cursor would keep it out of registers.
    #[inline(never)]
    fn rare<V: Visitor>(
        &self,
        opcode: u8,
        mut cursor: Cursor<'a>,
        visitor: &mut V,
    ) -> (usize, Result<(), Halt>) {
        let result = self.rare_step(opcode, &mut cursor, visitor);
        (cursor.position, result)
    }

    #[inline(always)]
    fn rare_step<V: Visitor>(
        &self,
        opcode: u8,
        cursor: &mut Cursor<'a>,
        visitor: &mut V,
    ) -> Result<(), Halt> {
        match opcode {
            op::DEF_CFA_EXPRESSION => visitor.def_cfa_expression(self.block(cursor)?)?,
            op::OFFSET_EXTENDED | op::OFFSET_EXTENDED_SF | op::GNU_NEGATIVE_OFFSET_EXTENDED => {
                let register = self.register(cursor)?;
                visitor.rule(opcode, register, Rule::Offset(self.factored(opcode, cursor)?))?;
            }
            op::VAL_OFFSET | op::VAL_OFFSET_SF => {
                let register = self.register(cursor)?;
                visitor.rule(opcode, register, Rule::ValOffset(self.factored(opcode, cursor)?))?;
            }
            op::REGISTER => {
                let register = self.register(cursor)?;
                visitor.rule(opcode, register, Rule::Register(self.register(cursor)?))?;
            }
            op::EXPRESSION => {
                let register = self.register(cursor)?;
                visitor.rule(opcode, register, Rule::Expression(self.block(cursor)?))?;
            }
            op::VAL_EXPRESSION => {
                let register = self.register(cursor)?;
                visitor.rule(opcode, register, Rule::ValExpression(self.block(cursor)?))?;
            }
            op::DEF_CFA_SF => {
                let register = self.register(cursor)?;
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
    fn register(&self, cursor: &mut Cursor<'a>) -> Result<u64, ReadError> {
        cursor.uleb().map(|number| self.reader.semantics.register(number))
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
        Ok(self.reader.semantics.cfa_offset_sf(opcode, self.operand(opcode, cursor)?, code, data))
    }

    /// LLVM's DW_CFA_LLVM_def_aspace_cfa and _sf: register, offset, address space.
    fn aspace<V: Visitor>(&self, opcode: u8, cursor: &mut Cursor<'a>, visitor: &mut V) -> Result<(), Halt> {
        let register = self.register(cursor)?;
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
        let size = self.reader.semantics.expression_size(cursor.uleb()?);
        let size = usize::try_from(size).map_err(|_| ReadError::Truncated)?;
        let offset = cursor.position;
        cursor.bytes(size)?;
        Ok(Block { offset: offset as u32, size: size as u32 })
    }

    fn location(&self, cursor: &mut Cursor<'a>) -> Result<u64, Halt> {
        let section = self.reader.section;
        let encoding = self.reader.semantics.set_loc_encoding(section.kind, self.cie.fde_encoding);
        let context = PointerContext {
            section,
            bases: &section.bases,
            function: self.function,
            address_size: self.cie.address_size,
        };
        let field = PointerField::SetLoc;
        let encoding = Encoding::new(self.reader.semantics, field, encoding, self.cie.address_size);
        let pointer = read_pointer(self.reader.semantics, cursor, &encoding, field, &context);
        match pointer {
            Ok(Some(pointer)) => Ok(pointer.address.0),
            Ok(None) => Err(Halt::Unreadable(ReadError::Truncated)),
            // The same fault as of any other operand, told of the instruction.
            Err(fault) => Err(match fault.kind {
                FaultKind::TruncatedRecord => Halt::Unreadable(ReadError::Truncated),
                FaultKind::LebOverflow => Halt::Unreadable(ReadError::LebOverflow),
                _ => Halt::Fault(fault),
            }),
        }
    }
}
