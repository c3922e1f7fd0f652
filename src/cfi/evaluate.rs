//! The caller's frame: the values that CFA rules and register rules give for known registers (DWARF 5 sections
//! 6.4.2 and 2.5).

use cfidiff_model::{CfaRule, Expression, Operation, RegisterRule};

use crate::semantics::Semantics;

/// How deep the stack of an expression may grow.
const MAX_STACK: usize = 64;

/// A frame whose registers are known.
pub struct Frame<'f, S: Semantics + ?Sized> {
    /// The rules of the format.
    pub semantics: &'f S,
    /// The values of registers; `None` for one that is not known.
    pub register: &'f dyn Fn(u64) -> Option<u64>,
    /// So many bytes of memory at an address; `None` where it is not known.
    pub memory: &'f dyn Fn(u64, u8) -> Option<u64>,
    /// The size of an address in bytes.
    pub address_size: u8,
}

/// Where the caller's value of a register is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// In memory at this address.
    At(u64),
    /// This is it.
    Is(u64),
    /// Still in this register.
    In(u64),
    /// It is lost.
    Lost,
}

impl<S: Semantics + ?Sized> Frame<'_, S> {
    /// The CFA that a rule gives, or `None` when it cannot be told.
    pub fn cfa(&self, rule: &CfaRule) -> Option<u64> {
        match rule {
            CfaRule::RegisterOffset { register, offset } => {
                Some(self.wrap((self.register)(*register)?.wrapping_add_signed(*offset)))
            }
            CfaRule::Expression(expression) => self.evaluate(expression, None),
            CfaRule::Undefined | CfaRule::RegisterOffsetInSpace { .. } => None,
        }
    }

    /// Where a rule says that the caller's value is, given the CFA; `None` when it cannot be told.
    pub fn value(&self, register: u64, rule: &RegisterRule, cfa: u64) -> Option<Value> {
        let start = self.semantics.expression_starts_with_cfa().then_some(cfa);
        Some(match rule {
            RegisterRule::Undefined => Value::Lost,
            RegisterRule::SameValue => Value::In(register),
            RegisterRule::Offset(offset) => Value::At(self.wrap(cfa.wrapping_add_signed(*offset))),
            RegisterRule::ValOffset(offset) => Value::Is(self.wrap(cfa.wrapping_add_signed(*offset))),
            RegisterRule::Register(source) => Value::In(*source),
            RegisterRule::Expression(expression) => Value::At(self.evaluate(expression, start)?),
            RegisterRule::ValExpression(expression) => Value::Is(self.evaluate(expression, start)?),
            RegisterRule::Architectural(_) => return None,
        })
    }

    fn wrap(&self, value: u64) -> u64 {
        self.semantics.wrap(value, self.address_size)
    }

    /// The top of the stack behind the last operation; `None` for operations that need more than registers and
    /// memory, and for jumps, which rules of frames do not have.
    fn evaluate(&self, expression: &Expression, start: Option<u64>) -> Option<u64> {
        let mut stack: Vec<u64> = start.into_iter().collect();
        for operation in &expression.operations {
            self.operate(operation, &mut stack)?;
            if stack.len() > MAX_STACK {
                return None;
            }
        }
        stack.pop().map(|top| self.wrap(top))
    }

    fn operate(&self, operation: &Operation, stack: &mut Vec<u64>) -> Option<()> {
        let operand = operation.operands.first().copied().unwrap_or_default();
        let value = match operation.opcode {
            0x96 => return Some(()),
            0x13 => {
                stack.pop()?;
                return Some(());
            }
            0x16 => {
                let top = stack.len().checked_sub(1)?;
                stack.swap(top, top.checked_sub(1)?);
                return Some(());
            }
            0x17 => {
                stack.len().checked_sub(3).map(|first| stack[first..].rotate_right(1))?;
                return Some(());
            }
            0x03 | 0x08..=0x11 => operand,
            0x12 => *stack.last()?,
            0x14 => stack.len().checked_sub(2).map(|second| stack[second])?,
            0x15 => stack.len().checked_sub(1 + usize::try_from(operand).ok()?).map(|place| stack[place])?,
            0x06 => (self.memory)(stack.pop()?, self.address_size)?,
            0x94 => (self.memory)(stack.pop()?, u8::try_from(operand).ok()?)?,
            0x19 => (stack.pop()? as i64).unsigned_abs(),
            0x1f => stack.pop()?.wrapping_neg(),
            0x20 => !stack.pop()?,
            0x23 => stack.pop()?.wrapping_add(operand),
            lit @ 0x30..=0x4f => u64::from(lit - 0x30),
            breg @ 0x70..=0x8f => (self.register)(u64::from(breg - 0x70))?.wrapping_add(operand),
            0x92 => {
                let offset = *operation.operands.get(1)?;
                let (register, offset) = self.semantics.operation_operands(0x92, operand, offset);
                (self.register)(register)?.wrapping_add(offset)
            }
            opcode => {
                let top = stack.pop()?;
                let (one, other) = self.semantics.operation_operands(opcode, stack.pop()?, top);
                self.of_two(opcode, one, other)?
            }
        };
        stack.push(self.wrap(value));
        Some(())
    }

    fn of_two(&self, opcode: u8, one: u64, other: u64) -> Option<u64> {
        let unused = 64 - 8 * u32::from(self.address_size.clamp(1, 8));
        let signed = |value: u64| ((value << unused) as i64) >> unused;
        let (a, b) = (signed(one), signed(other));
        let shift = u32::try_from(other).unwrap_or(u32::MAX);
        let truth = |holds: bool| if holds { self.semantics.value_of_true() } else { 0 };
        Some(match opcode {
            0x1a => one & other,
            0x1b => a.checked_div(b)? as u64,
            0x1c => one.wrapping_sub(other),
            0x1d => one.checked_rem(other)?,
            0x1e => one.wrapping_mul(other),
            0x21 => one | other,
            0x22 => one.wrapping_add(other),
            0x24 => one.checked_shl(shift).unwrap_or_default(),
            0x25 => one.checked_shr(shift).unwrap_or_default(),
            0x26 => (a >> shift.min(63)) as u64,
            0x27 => one ^ other,
            0x29 => truth(a == b),
            0x2a => truth(a >= b),
            0x2b => truth(a > b),
            0x2c => truth(a <= b),
            0x2d => truth(a < b),
            0x2e => truth(a != b),
            _ => return None,
        })
    }
}
