//! The lines under one section's heading, to entries; and the lines between sections.

use std::borrow::Cow;
use std::sync::Arc;

use cfidiff_model::{
    Address, Bytes, Case, Cie, Entry, EntryKind, Fault, FaultKind, Fde, Format, Instruction, Outcome,
    Pointer, Section, SectionKind, SectionOffset, Target,
};

use super::instruction::parse_instruction;
use super::registers::{Names, Registers};
use super::row::parse_row;
use crate::printed::cursor::Cursor;
use crate::printed::{Dialect, Special, Taken};

/// How many faults are kept of one record.
const FAULTS: usize = 32;
/// How many bytes of a line are kept as words of a fault.
const WORDS: usize = 300;

/// The state between two lines of one section. It lives as long as the process does, so that its storage is
/// reused from section to section.
pub(crate) struct Records<'a> {
    registers: &'a Registers,
    target: Target,
    /// The names of registers in the section that is being read.
    names: Arc<Names>,
    named_for: Option<(Target, SectionKind)>,
    entry: Entry,
    /// Whether `entry` is of a record whose lines are still coming.
    open: bool,
    /// The size of the section. No record has more instructions or rows, no section more records, and a tool
    /// that prints more must not fill the memory.
    most: usize,
    records: usize,
    /// Why the rest of the section cannot be relied on.
    broken: Option<String>,
}

impl<'a> Records<'a> {
    pub(super) fn new(registers: &'a Registers, target: Target) -> Records<'a> {
        Records {
            registers,
            target,
            names: Arc::default(),
            named_for: None,
            entry: Entry::default(),
            open: false,
            most: 0,
            records: 0,
            broken: None,
        }
    }
}

impl Dialect for Records<'_> {
    fn special<'l>(&mut self, line: &'l [u8]) -> Option<Special<'l>> {
        if let Some(words) = line.strip_prefix(b"error: ").or_else(|| line.strip_prefix(b"warning: ")) {
            // It applies relocations before it heads the file, and goes on without those that it does not know.
            let is_relocation = words.starts_with(b"failed to compute relocation");
            return Some(if is_relocation { Special::Idle } else { Special::Complaint(words) });
        }
        if let Some(name) = line.strip_suffix(b" contents:").filter(|name| name.starts_with(b".")) {
            return Some(Special::LastSection(name));
        }
        if tells_of_no_machine(line) {
            return Some(Special::Idle);
        }
        let end = memchr::memmem::find(line, b":\tfile format ")?;
        let name = Cow::Borrowed(&line[..end]);
        Some(Special::File { names: [name.clone(), name], unsupported: None })
    }

    fn begin(&mut self, section: &Section, case: &Case) {
        let target = case.target;
        self.target = target;
        let wanted = Some((target, section.kind));
        if self.named_for != wanted {
            self.names = self.registers.names(target, section.kind);
            self.named_for = wanted;
        }
        self.open = false;
        self.most = section.data.len();
        self.records = 0;
        self.broken = None;
    }

    #[inline]
    fn line(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Taken {
        if line.is_empty() || self.broken.is_some() {
            return Taken::Whole;
        }
        let taken = match line.strip_prefix(b"  ") {
            Some(text) => self.open && self.within_record(text),
            None => self.head(line, deliver),
        };
        if taken { Taken::Whole } else { Taken::Not }
    }

    fn odd(&mut self, line: &[u8]) -> Taken {
        // Said of versions other than 1 in `.eh_frame`, which it reads all the same.
        if line == b"WARNING: unsupported CIE version" {
            return Taken::Whole;
        }
        if self.open && !line[0].is_ascii_hexdigit() {
            self.fault(line);
        } else {
            self.give_up(line);
        }
        Taken::Whole
    }

    fn complain(&mut self, words: &[u8]) {
        if self.open {
            self.fault(words);
        } else if self.broken.is_none() {
            // It reads the whole section before it prints the first record.
            self.broken = Some(String::from_utf8_lossy(&words[..words.len().min(WORDS)]).into_owned());
        }
    }

    fn give_up(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(&line[..line.len().min(WORDS)]);
        self.broken = Some(format!("cannot parse line {line:?}"));
    }

    fn end(&mut self, complete: bool, deliver: &mut dyn FnMut(&Entry)) -> Outcome {
        if complete {
            self.flush(deliver);
        }
        self.open = false;
        self.broken.take().map_or(Outcome::Answered, Outcome::Failed)
    }
}

impl Records<'_> {
    fn flush(&mut self, deliver: &mut dyn FnMut(&Entry)) {
        if self.open {
            deliver(&self.entry);
        }
        self.open = false;
    }

    /// A line of a record behind its first, without the two spaces. False when it is none.
    #[inline]
    fn within_record(&mut self, text: &[u8]) -> bool {
        let complete = if text.starts_with(b"DW_CFA_") || text.starts_with(b":") {
            parse_instruction(text, &self.names).map(|(instruction, complete)| {
                self.entry.instructions.push(instruction);
                complete
            })
        } else if text.starts_with(b"0x") || text.starts_with(b"CFA=") {
            let end = match &self.entry.kind {
                EntryKind::Fde(fde) => Address(fde.initial_location.0.wrapping_add(fde.address_range)),
                _ => Address(0),
            };
            let has_window = self.entry.instructions.contains(&Instruction::GnuWindowSave);
            parse_row(text, &self.names, end, has_window, &mut self.entry.rows)
        } else {
            self.field(text).map(|()| true)
        };
        if complete == Some(false) {
            self.fault(text);
        }
        if self.entry.instructions.len().max(self.entry.rows.len()) > self.most.max(1) {
            self.broken = Some("more instructions or rows than the section has bytes".to_owned());
        }
        complete.is_some()
    }

    /// The line that starts a record. False for any other.
    #[cold]
    fn head(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> bool {
        let Some((offset, length, kind)) = head(line, self.target) else { return false };
        self.flush(deliver);
        self.records += 1;
        if self.records > self.most {
            self.broken = Some("more records than the section has bytes".to_owned());
            return true;
        }
        self.open = true;
        self.entry.reset(offset);
        self.entry.length = length;
        self.entry.kind = kind;
        true
    }

    /// A line such as `Code alignment factor: 1`.
    fn field(&mut self, text: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(text);
        let name = cursor.until(|byte| byte == b':');
        cursor.expect(b":")?;
        cursor.spaces();
        match (name, &mut self.entry.kind) {
            (b"Format", _) => {
                self.entry.format = match cursor.rest() {
                    b"DWARF32" => Format::Dwarf32,
                    b"DWARF64" => Format::Dwarf64,
                    _ => return None,
                };
            }
            (b"LSDA Address", EntryKind::Fde(fde)) => {
                let address = Address(cursor.hex()?.0);
                cursor.end()?;
                fde.lsda = Some(Pointer { address, indirect: false });
            }
            (_, EntryKind::Cie(cie)) => cie_field(name, cursor, cie)?,
            _ => return None,
        }
        Some(())
    }

    #[cold]
    fn fault(&mut self, words: &[u8]) {
        if self.entry.faults.len() < FAULTS {
            let words = without_row_address(&words[..words.len().min(WORDS)]).trim_ascii();
            let expected = String::from_utf8_lossy(words).into_owned().into();
            let (offset, bytes) = (self.entry.offset, Bytes::new());
            self.entry.faults.push(Fault { offset, bytes, kind: FaultKind::Reported, expected });
        }
    }
}

/// The words without the address of the row that they came in: in a CIE it was never set, so that each run prints another.
fn without_row_address(words: &[u8]) -> &[u8] {
    const ROW: &[u8] = b" the current row address";
    memchr::memmem::find(words, ROW).map_or(words, |at| &words[..at + ROW.len()])
}

/// `FILE: Error in creating MCRegInfo`, or `FILE: No available targets are compatible with triple "..."`: a file
/// begins whose registers it has no names for. It is said before the heading, so still among the records of the file
/// before.
fn tells_of_no_machine(line: &[u8]) -> bool {
    line.ends_with(b": Error in creating MCRegInfo")
        || memchr::memmem::find(line, b": No available targets are compatible with triple ").is_some()
}

/// `00000050 ZERO terminator`, `00000000 00000014 00000000 CIE`, or
/// `00000018 00000024 0000001c FDE cie=00000000 pc=00001050...00001072`.
fn head(line: &[u8], target: Target) -> Option<(SectionOffset, u64, EntryKind)> {
    let mut cursor = Cursor::new(line);
    let offset = SectionOffset(cursor.hex()?.0);
    cursor.expect(b" ")?;
    if cursor.eat(b"ZERO terminator") {
        cursor.end()?;
        return Some((offset, 0, EntryKind::Terminator));
    }
    let (length, _) = cursor.hex()?;
    cursor.expect(b" ")?;
    let (id, _) = cursor.hex()?;
    if cursor.eat(b" CIE") {
        cursor.end()?;
        let cie = Cie { address_size: target.class.address_size(), ..Cie::default() };
        return Some((offset, length, EntryKind::Cie(Box::new(cie))));
    }
    cursor.expect(b" FDE cie=")?;
    let cie = if cursor.eat(b"<invalid offset>") { None } else { Some(SectionOffset(cursor.hex()?.0)) };
    cursor.expect(b" pc=")?;
    let (start, _) = cursor.hex()?;
    cursor.expect(b"...")?;
    let (end, _) = cursor.hex()?;
    cursor.end()?;
    let fde = Fde {
        cie,
        cie_pointer: id,
        initial_location: Address(start),
        address_range: end.wrapping_sub(start),
        ..Fde::default()
    };
    Some((offset, length, EntryKind::Fde(fde)))
}

fn cie_field(name: &[u8], mut cursor: Cursor<'_>, cie: &mut Cie) -> Option<()> {
    match name {
        b"Augmentation" => {
            let string = cursor.rest().strip_prefix(b"\"")?.strip_suffix(b"\"")?;
            cie.augmentation = unescaped(string)?;
            return Some(());
        }
        b"Augmentation data" => {
            cie.augmentation_data = hex_bytes(cursor.rest())?;
            return Some(());
        }
        // It is in the augmentation data as well, and only its address is told.
        b"Personality Address" => return cursor.hex().map(|_| ()),
        _ => {}
    }
    let number = cursor.number()?;
    cursor.end()?;
    match name {
        b"Version" => cie.version = u8::try_from(number).ok()?,
        b"Address size" => cie.address_size = u8::try_from(number).ok()?,
        b"Segment desc size" => cie.segment_selector_size = u8::try_from(number).ok()?,
        b"Code alignment factor" => cie.code_alignment_factor = number,
        b"Data alignment factor" => cie.data_alignment_factor = number.cast_signed(),
        b"Return address column" => cie.return_address_register = number,
        _ => return None,
    }
    Some(())
}

/// `1B 00 FF`.
fn hex_bytes(text: &[u8]) -> Option<Bytes> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    text.split(|&byte| byte == b' ').filter(|pair| !pair.is_empty()).map(byte).collect()
}

/// A string with `\t`, `\n`, `\"`, `\\` and three octal digits for what cannot be printed.
fn unescaped(text: &[u8]) -> Option<Bytes> {
    let mut bytes = Bytes::new();
    let mut rest = text;
    while let [first, more @ ..] = rest {
        rest = more;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (byte, length) = match rest {
            [b't', ..] => (b'\t', 1),
            [b'n', ..] => (b'\n', 1),
            [byte @ (b'"' | b'\\'), ..] => (*byte, 1),
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), 3)
            }
            _ => return None,
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    Some(bytes)
}
