//! The lines under one section's heading, to entries; and the lines between sections.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cfidiff_model::{
    Address, Bytes, Case, Cie, Entry, EntryKind, Expression, Fde, Instruction, Outcome, Section,
    SectionOffset, Target,
};

use super::expression::{address, parse_operation};
use super::headers::base;
use super::instruction::parse_instruction;
use crate::printed::cursor::Cursor;
use crate::printed::draft::{Draft, shortened};
use crate::printed::{Dialect, Special, Taken};

/// What it says on the error stream without emptying its output before, so that it comes anywhere in the output:
/// nobody can tell what record or file it is about.
const UNSUPPORTED: &[u8] = b"Unsupported pointer encoding: ";
/// How far fields are indented.
const FIELD: usize = 3;
/// How far instructions are indented.
const INSTRUCTION: usize = 5;
/// How far the operations of an expression are indented; those of one within it are so further.
const OPERATION: usize = 10;

/// The state between two lines of one section.
pub(crate) struct Records {
    /// What its complaints start with.
    name: Vec<u8>,
    target: Target,
    /// The address that addresses of the file count from.
    base: u64,
    draft: Draft,
    /// Whether the record's instructions have begun.
    in_program: bool,
    /// The code alignment factor of the record that is being read.
    factor: u64,
    factors: HashMap<SectionOffset, u64>,
    /// What it said last, when no record came after it.
    last_words: Option<String>,
}

impl Records {
    pub(super) fn new(program: &OsStr, target: Target) -> Records {
        Records {
            name: [program.as_bytes(), b": "].concat(),
            target,
            base: 0,
            draft: Draft::default(),
            in_program: false,
            factor: 0,
            factors: HashMap::new(),
            last_words: None,
        }
    }
}

impl Dialect for Records {
    fn special<'l>(&mut self, line: &'l [u8]) -> Option<Special<'l>> {
        if let Some(words) = line.strip_prefix(self.name.as_slice()) {
            return Some(Special::Complaint(words));
        }
        if line.starts_with(b"invalid CIE ") {
            return Some(Special::Complaint(line));
        }
        match memchr::memmem::find(line, UNSUPPORTED) {
            Some(0) => return Some(Special::Idle),
            Some(kept) => return Some(Special::Interrupted { kept }),
            None => {}
        }
        if let [b'/' | b'.', ..] = line {
            let name = Cow::Borrowed(line.strip_suffix(b":")?);
            return Some(Special::File { names: [name.clone(), name], unsupported: None });
        }
        // Those of other sections end the one before.
        let is_heading = [&b"Call frame "[..], b"DWARF section [", b"Exception handling "]
            .iter()
            .any(|start| line.starts_with(start));
        let quoted = line[memchr::memchr(b'\'', line).filter(|_| is_heading)?..].strip_prefix(b"'")?;
        Some(Special::Section(&quoted[..memchr::memchr(b'\'', quoted)?]))
    }

    fn begin(&mut self, section: &Section, case: &Case) {
        self.target = case.target;
        let path = file(case).filter(|_| !case.target.relocatable);
        self.base = path.map_or(0, |path| base(path, case.target));
        self.draft.begin(section);
        self.factors.clear();
        self.last_words = None;
    }

    fn line(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Taken {
        if line.is_empty() || self.draft.is_broken() {
            return Taken::Whole;
        }
        // The rest of the line is in the next.
        if memchr::memmem::find(line, UNSUPPORTED).is_some() {
            return Taken::Not;
        }
        if line.starts_with(b" [") {
            return match self.head(&line[1..], deliver) {
                Some(()) => Taken::Whole,
                None => Taken::Not,
            };
        }
        let text = line.trim_ascii_start();
        let indent = line.len() - text.len();
        let taken = match (self.draft.is_open(), self.in_program, indent) {
            (false, ..) => None,
            (true, false, FIELD) => return self.field(text),
            (true, false, OPERATION..) => self.more_augmentation_data(text),
            (true, true, OPERATION..) => self.operation(text, indent),
            (true, true, INSTRUCTION..) => self.instruction(text),
            _ => None,
        };
        if taken.is_some() { Taken::Whole } else { Taken::Not }
    }

    fn odd(&mut self, line: &[u8]) -> Taken {
        if let Some(at) = memchr::memmem::find(line, &self.name) {
            // It was in the middle of a line.
            self.complain(&line[at + self.name.len()..]);
        } else if self.draft.is_open() {
            self.draft.fault(line);
        } else {
            self.draft.give_up(line);
        }
        Taken::Whole
    }

    fn complain(&mut self, words: &[u8]) {
        // Said of what follows the record at hand: when that has come to its instructions, which it says
        // nothing of in these words, or has none.
        let is_done = self.in_program || self.draft.entry.kind == EntryKind::Terminator;
        let of_next = is_done
            && [&b"invalid data in "[..], b"invalid CIE "].iter().any(|start| words.starts_with(start));
        if self.draft.is_open() && !of_next {
            self.draft.fault(words);
        }
        self.last_words = Some(format!("stopped: {}", shortened(words)));
    }

    fn give_up(&mut self, line: &[u8]) {
        self.draft.give_up(line);
    }

    fn end(&mut self, complete: bool, deliver: &mut dyn FnMut(&Entry)) -> Outcome {
        match (self.draft.end(complete, deliver), self.last_words.take()) {
            (Outcome::Answered, Some(words)) => Outcome::Failed(words),
            (outcome, _) => outcome,
        }
    }
}

impl Records {
    /// `[    50] Zero terminator`, `[     0] CIE length=20`, or `[    18] FDE length=20 cie=[     0]`.
    fn head(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Option<()> {
        let mut cursor = Cursor::new(line);
        let offset = in_brackets(&mut cursor)?;
        cursor.expect(b" ")?;
        let (length, kind) = if cursor.eat(b"Zero terminator") {
            (0, EntryKind::Terminator)
        } else if cursor.eat(b"CIE length=") {
            let address_size = self.target.class.address_size();
            (cursor.number()?, EntryKind::Cie(Box::new(Cie { address_size, ..Cie::default() })))
        } else {
            cursor.expect(b"FDE length=")?;
            let length = cursor.number()?;
            cursor.expect(b" cie=")?;
            let cie = in_brackets(&mut cursor)?;
            self.factor = self.factors.get(&cie).copied().unwrap_or_default();
            (length, EntryKind::Fde(Fde { cie: Some(cie), ..Fde::default() }))
        };
        cursor.end()?;
        self.in_program = false;
        self.last_words = None;
        self.draft.start(offset, length, kind, deliver);
        Some(())
    }

    /// A line such as `code_alignment_factor:    1`.
    fn field(&mut self, text: &[u8]) -> Taken {
        if text == b"Program:" {
            self.in_program = true;
            return Taken::Whole;
        }
        if text.starts_with(b"augmentation:") && (!text.ends_with(b"\"") || text.ends_with(b": \"")) {
            // The string holds a line break.
            return Taken::Unfinished { kept: text.len() + FIELD, broken: true };
        }
        let taken = match &mut self.draft.entry.kind {
            EntryKind::Cie(cie) => cie_field(text, cie),
            EntryKind::Fde(fde) => fde_field(text, fde, self.base),
            _ => None,
        };
        if let EntryKind::Cie(cie) = &self.draft.entry.kind {
            self.factor = cie.code_alignment_factor;
            self.factors.insert(self.draft.entry.offset, self.factor);
        }
        if taken.is_some() { Taken::Whole } else { Taken::Not }
    }

    fn more_augmentation_data(&mut self, text: &[u8]) -> Option<()> {
        match &mut self.draft.entry.kind {
            EntryKind::Cie(cie) => augmentation_data(text, &mut cie.augmentation_data),
            EntryKind::Fde(_) => Some(()),
            _ => None,
        }
    }

    fn instruction(&mut self, text: &[u8]) -> Option<()> {
        let instruction = parse_instruction(text, self.factor)?;
        self.draft.entry.instructions.push(instruction);
        self.draft.check_amount();
        Some(())
    }

    /// A line of an expression. What the tool cannot read of it is a fault of the record.
    fn operation(&mut self, text: &[u8], indent: usize) -> Option<()> {
        let is_read = match self.draft.entry.instructions.last_mut() {
            Some(
                Instruction::DefCfaExpression { expression }
                | Instruction::Expression { expression, .. }
                | Instruction::ValExpression { expression, .. },
            ) => text == b"(empty)" || push_operation(text, indent, self.base, expression).is_some(),
            _ => false,
        };
        if !is_read {
            self.draft.fault(text);
        }
        Some(())
    }
}

/// The file whose headers are the case's own.
fn file(case: &Case) -> Option<&Path> {
    case.path.as_deref().filter(|_| case.member.is_none())
}

/// Adds an operation, or one of the DW_OP_entry_value before, which is bytes: of a register alone, since that is
/// one byte whatever the writer's taste.
fn push_operation(text: &[u8], indent: usize, base: u64, expression: &mut Expression) -> Option<()> {
    let operation = parse_operation(text, base)?;
    if indent == OPERATION {
        expression.operations.push(operation);
        return Some(());
    }
    let outer = expression.operations.last_mut().filter(|outer| matches!(outer.opcode, 0xa3 | 0xf3))?;
    outer.block.push(operation.opcode);
    operation.operands.is_empty().then_some(())
}

fn in_brackets(cursor: &mut Cursor<'_>) -> Option<SectionOffset> {
    cursor.expect(b"[")?;
    cursor.spaces();
    let (offset, _) = cursor.hex()?;
    cursor.expect(b"]")?;
    Some(SectionOffset(offset))
}

/// A field's name and its value.
fn name_and_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b':', text)?;
    Some((&text[..at], text[at + 1..].trim_ascii()))
}

fn cie_field(text: &[u8], cie: &mut Cie) -> Option<()> {
    let (name, value) = name_and_value(text)?;
    match name {
        b"augmentation" => {
            cie.augmentation = Bytes::from_slice(value.strip_prefix(b"\"")?.strip_suffix(b"\"")?);
            return Some(());
        }
        b"Augmentation data" => {
            return augmentation_data(value, &mut cie.augmentation_data);
        }
        _ => {}
    }
    let mut cursor = Cursor::new(value);
    let number = cursor.number()?;
    cursor.end()?;
    match name {
        b"CIE_id" => {}
        b"version" => cie.version = u8::try_from(number).ok()?,
        b"address_size" => cie.address_size = u8::try_from(number).ok()?,
        b"segment_size" => cie.segment_selector_size = u8::try_from(number).ok()?,
        b"code_alignment_factor" => cie.code_alignment_factor = number,
        b"data_alignment_factor" => cie.data_alignment_factor = number.cast_signed(),
        b"return_address_register" => cie.return_address_register = number,
        _ => return None,
    }
    Some(())
}

fn fde_field(text: &[u8], fde: &mut Fde, base: u64) -> Option<()> {
    let (name, value) = name_and_value(text)?;
    // What is in parentheses is an offset in the file.
    let number = value.split(|&byte| byte == b' ').next()?;
    match name {
        b"CIE_pointer" => fde.cie_pointer = Cursor::new(number).number()?,
        b"initial_location" => {
            let end = memchr::memmem::find(value, b" (offset: ").unwrap_or(value.len());
            fde.initial_location = Address(address(&value[..end], base)?);
        }
        b"address_range" => fde.address_range = Cursor::new(number).prefixed_hex()?,
        // The LSDA pointer as written, or bytes without a meaning.
        b"Augmentation data" => {}
        _ => return None,
    }
    Some(())
}

/// `0x9b 0xc5 0x1f 0 0 (sdata4 8133)`: bytes, and what they mean in parentheses.
fn augmentation_data(text: &[u8], data: &mut Bytes) -> Option<()> {
    let mut cursor = Cursor::new(text);
    while !matches!(cursor.peek(), None | Some(b'(')) {
        data.push(u8::try_from(cursor.prefixed_hex()?).ok()?);
        cursor.spaces();
    }
    Some(())
}
