//! The lines under one section's heading, to entries.

use std::collections::HashMap;

use cfidiff_model::{
    Address, Bytes, Case, Cie, Entry, EntryKind, Fault, FaultKind, Fde, Instruction, Outcome, Section,
    SectionOffset, Target,
};

use super::Program;
use super::complaint::{Complaints, unknown_opcode};
use super::head::{self, Head, Record, parse_head};
use super::instruction::{self, parse_instruction};
use super::row::{self, Columns, Line, RegisterNames, parse_row};
use super::special::SpecialLines;
use crate::printed::cursor::Cursor;
use crate::printed::{Dialect, Special, Taken};

/// How many faults are kept of one record.
const FAULTS: usize = 32;
/// How many bytes of a line are kept as words of a fault.
const WORDS: usize = 300;

/// Which of its two tables the tool was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `-wf`: every instruction.
    Raw,
    /// `-wF`: the rows.
    Interpreted,
}

/// The state between two lines of one section. It lives as long as the process does, so that its storage is
/// reused from section to section.
pub(crate) struct Records<'a> {
    form: Form,
    complaints: &'a Complaints,
    special: SpecialLines,
    target: Target,
    entry: Entry,
    /// Whether `entry` is of a record whose lines are still coming.
    open: bool,
    /// The size of the section. No record has more instructions or rows, no section more records, and a tool
    /// that prints more must not fill the memory.
    most: usize,
    records: usize,
    /// The return address registers of the CIEs, which name the column `ra` of the tables.
    return_addresses: HashMap<SectionOffset, u64>,
    names: RegisterNames,
    columns: Columns,
    /// Complaints that belong to the record whose line comes next.
    held: Vec<Vec<u8>>,
    /// Why the rest of the section cannot be relied on.
    broken: Option<String>,
}

impl<'a> Records<'a> {
    pub(super) fn new(
        program: Program,
        form: Form,
        complaints: &'a Complaints,
        target: Target,
    ) -> Records<'a> {
        Records {
            form,
            complaints,
            special: SpecialLines::of(program),
            target,
            entry: Entry::default(),
            open: false,
            most: 0,
            records: 0,
            return_addresses: HashMap::new(),
            names: RegisterNames::new(target.machine),
            columns: Columns::default(),
            held: Vec::new(),
            broken: None,
        }
    }
}

impl Dialect for Records<'_> {
    fn special<'l>(&mut self, line: &'l [u8]) -> Option<Special<'l>> {
        match self.complaints.words(line) {
            Some(words) => Some(Special::Complaint(words)),
            None => self.special.line(line),
        }
    }

    fn begin(&mut self, section: &Section, case: &Case) {
        let target = case.target;
        if self.target != target {
            self.target = target;
            self.names = RegisterNames::new(target.machine);
        }
        self.open = false;
        self.most = section.data.len();
        self.records = 0;
        self.return_addresses.clear();
        self.held.clear();
        self.broken = None;
    }

    fn end(&mut self, complete: bool, deliver: &mut dyn FnMut(&Entry)) -> Outcome {
        if complete {
            self.flush(deliver);
        }
        self.open = false;
        // What it said of a record that never came is why it went no further.
        let last_words = self.held.iter().find(|words| !is_about_no_record(words));
        let stopped = last_words.map(|words| format!("stopped: {}", String::from_utf8_lossy(words)));
        self.broken.take().or(stopped).map_or(Outcome::Answered, Outcome::Failed)
    }

    #[inline]
    fn line(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Taken {
        if line.is_empty() || self.broken.is_some() {
            return Taken::Whole;
        }
        match self.form {
            Form::Raw => match line.strip_prefix(instruction::PREFIX) {
                Some(text) if self.open => self.instruction(text, line),
                _ => self.other(line, deliver),
            },
            Form::Interpreted => {
                if self.open && line[0] != b' ' && self.row(line) {
                    return Taken::Whole;
                }
                self.other(line, deliver)
            }
        }
    }

    fn complain(&mut self, words: &[u8]) {
        match unknown_opcode(words).filter(|_| self.open && self.form == Form::Raw) {
            // Said in place of a line for the instruction.
            Some(opcode) => {
                self.entry.instructions.push(Instruction::Unknown { opcode });
                self.check_amount();
            }
            None if self.held.len() < FAULTS => self.held.push(words.to_vec()),
            None => {}
        }
    }

    fn odd(&mut self, line: &[u8]) -> Taken {
        if let Some(at) = self.complaints.find(line).filter(|&at| at > 0) {
            self.complain(self.complaints.words(&line[at..]).unwrap_or_default());
            return Taken::Unfinished { kept: at, broken: false };
        }
        if self.open && !line[0].is_ascii_hexdigit() {
            self.own_complaints();
            self.fault(line);
        } else {
            self.fail("cannot parse line", line);
        }
        Taken::Whole
    }

    fn give_up(&mut self, line: &[u8]) {
        self.fail("cannot parse line", line);
    }
}

impl Records<'_> {
    #[inline]
    fn instruction(&mut self, text: &[u8], line: &[u8]) -> Taken {
        match parse_instruction(text, self.target, &mut self.entry.instructions) {
            Some(false) => {}
            Some(true) => self.fault(line),
            None => return Taken::Not,
        }
        self.own_complaints();
        self.check_amount();
        Taken::Whole
    }

    #[inline]
    fn check_amount(&mut self) {
        // One row is printed even of a section that is empty for all we know.
        if self.entry.instructions.len().max(self.entry.rows.len()) > self.most.max(1) {
            self.fail("more instructions or rows than the section has bytes", b"");
        }
    }

    /// Takes a row. False for any other line.
    #[inline]
    fn row(&mut self, line: &[u8]) -> bool {
        let end = match &self.entry.kind {
            EntryKind::Fde(fde) => {
                let end = fde.initial_location.0.wrapping_add(fde.address_range);
                // Addresses wrap at their own width.
                Some(Address(end & (u64::MAX >> (64 - 8 * self.target.class.address_size()))))
            }
            _ => None,
        };
        let parsed = parse_row(line, &mut self.columns, &mut self.names, end, &mut self.entry.rows);
        match parsed {
            Line::Other => return false,
            Line::Row => {}
            Line::OddRow => self.fault(line),
        }
        self.own_complaints();
        self.check_amount();
        true
    }

    /// Every line that is not of the two frequent kinds.
    #[cold]
    #[inline(never)]
    fn other(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Taken {
        if let Some(head) = parse_head(line) {
            self.flush(deliver);
            self.head(&head);
            return Taken::Whole;
        }
        if head::is_open(line) {
            return Taken::Unfinished { kept: line.len(), broken: true };
        }
        if self.open && line.starts_with(row::COLUMNS) {
            self.columns(line);
            return Taken::Whole;
        }
        if self.form == Form::Raw && self.open && self.more_augmentation_data(line) {
            return Taken::Whole;
        }
        if self.form == Form::Raw && self.open && line.starts_with(b"  ") {
            match self.field(&line[2..]) {
                Some(true) => return Taken::Whole,
                Some(false) => return Taken::Unfinished { kept: line.len(), broken: true },
                None => {}
            }
        }
        Taken::Not
    }

    fn fail(&mut self, why: &str, line: &[u8]) {
        let line = String::from_utf8_lossy(&line[..line.len().min(WORDS)]).into_owned();
        self.broken = Some(if line.is_empty() { why.to_owned() } else { format!("{why} {line:?}") });
    }

    fn flush(&mut self, deliver: &mut dyn FnMut(&Entry)) {
        if self.open {
            deliver(&self.entry);
        }
        self.open = false;
    }

    fn head(&mut self, head: &Head<'_>) {
        self.records += 1;
        if self.records > self.most {
            self.fail("more records than the section has bytes", b"");
            return;
        }
        self.open = true;
        match head {
            Head::Terminator { offset } => self.entry.reset(*offset),
            Head::Cie { record, factors } => {
                let mut cie = Box::new(Cie { address_size: record.address_size, ..Cie::default() });
                if let Some(factors) = factors {
                    cie.augmentation = Bytes::from_slice(factors.augmentation);
                    cie.code_alignment_factor = factors.code;
                    cie.data_alignment_factor = factors.data;
                    cie.return_address_register = factors.return_address_register;
                    self.return_addresses.insert(record.offset, factors.return_address_register);
                }
                self.start(record, EntryKind::Cie(cie));
            }
            Head::Fde { record, fde } => {
                let fde = Fde {
                    cie: fde.cie,
                    cie_pointer: record.id,
                    segment: fde.segment,
                    initial_location: fde.start,
                    address_range: fde.range,
                    ..Fde::default()
                };
                self.start(record, EntryKind::Fde(fde));
            }
        }
        self.own_complaints();
    }

    fn start(&mut self, record: &Record, kind: EntryKind) {
        self.entry.reset(record.offset);
        self.entry.length = record.length;
        self.entry.format = record.format;
        self.entry.kind = kind;
    }

    fn columns(&mut self, line: &[u8]) {
        let return_address = match &self.entry.kind {
            EntryKind::Cie(cie) => Some(cie.return_address_register),
            // Without a CIE the tool works on an empty one.
            EntryKind::Fde(Fde { cie: None, .. }) => Some(0),
            EntryKind::Fde(Fde { cie: Some(offset), .. }) => self.return_addresses.get(offset).copied(),
            _ => None,
        };
        if !self.columns.set(line, &mut self.names, return_address) {
            self.fault(line);
        }
        self.own_complaints();
    }

    /// A line that goes on with augmentation data: the tool breaks the line before bytes that do not fit it, and
    /// starts the next with the space that stands before each byte. Tells whether the line was one.
    fn more_augmentation_data(&mut self, line: &[u8]) -> bool {
        let data = match &mut self.entry.kind {
            EntryKind::Cie(cie) => &mut cie.augmentation_data,
            EntryKind::Fde(fde) => &mut fde.augmentation_data,
            _ => return false,
        };
        let is_bytes = |pair: &[u8]| matches!(pair, [b' ', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit());
        if line.is_empty() || !self.entry.instructions.is_empty() || !line.chunks(3).all(is_bytes) {
            return false;
        }
        let Some(more) = hex_bytes(Cursor::new(&line[1..])) else { return false };
        data.extend_from_slice(&more);
        true
    }

    /// A line of a CIE's fields. `Some(false)` when it is not whole, `None` when it is something else.
    fn field(&mut self, text: &[u8]) -> Option<bool> {
        let mut cursor = Cursor::new(text);
        let name = cursor.until(|byte| byte == b':');
        cursor.expect(b":")?;
        cursor.spaces();
        if name == b"Augmentation data" {
            let bytes = hex_bytes(cursor)?;
            match &mut self.entry.kind {
                EntryKind::Cie(cie) => cie.augmentation_data = bytes,
                EntryKind::Fde(fde) => fde.augmentation_data = bytes,
                _ => return None,
            }
            return Some(true);
        }
        let EntryKind::Cie(cie) = &mut self.entry.kind else { return None };
        if name == b"Augmentation" {
            let string = cursor.rest().strip_prefix(b"\"")?;
            let Some(string) = string.strip_suffix(b"\"") else { return Some(false) };
            cie.augmentation = Bytes::from_slice(string);
            return Some(true);
        }
        let number = cursor.number()?;
        cursor.end()?;
        match name {
            b"Version" => cie.version = u8::try_from(number).ok()?,
            b"Pointer Size" => cie.address_size = u8::try_from(number).ok()?,
            b"Segment Size" => cie.segment_selector_size = u8::try_from(number).ok()?,
            b"Code alignment factor" => cie.code_alignment_factor = number,
            b"Data alignment factor" => cie.data_alignment_factor = number.cast_signed(),
            b"Return address column" => cie.return_address_register = number,
            _ => return None,
        }
        self.own_complaints();
        Some(true)
    }

    /// Complaints that came before a line of this record concern it: the tool reads before it prints.
    #[inline]
    fn own_complaints(&mut self) {
        if !self.held.is_empty() {
            for words in std::mem::take(&mut self.held) {
                self.fault(&words);
            }
        }
    }

    #[cold]
    fn fault(&mut self, words: &[u8]) {
        if self.entry.faults.len() < FAULTS {
            let words = words[..words.len().min(WORDS)].trim_ascii();
            let expected = String::from_utf8_lossy(words).into_owned().into();
            let (offset, bytes) = (self.entry.offset, Bytes::new());
            self.entry.faults.push(Fault { offset, bytes, kind: FaultKind::Reported, expected });
        }
    }
}

/// Whether the words are about no record that should have come: bytes too few for one are the end as well, and
/// relocations are applied before the next section is begun.
fn is_about_no_record(words: &[u8]) -> bool {
    let says = |part: &[u8]| memchr::memmem::find(words, part).is_some();
    says(b"Invalid length") || says(b"unable to apply unsupported reloc type")
}

/// `1b 00 ff`.
fn hex_bytes(mut cursor: Cursor<'_>) -> Option<Bytes> {
    let mut bytes = Bytes::new();
    while !cursor.is_empty() {
        bytes.push(u8::try_from(cursor.hex()?.0).ok()?);
        cursor.spaces();
    }
    Some(bytes)
}
