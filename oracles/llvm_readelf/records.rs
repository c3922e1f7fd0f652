//! The lines under one section's heading, to entries; and the lines between sections.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use cfidiff_model::{
    Address, Bytes, Case, Cie, Entry, EntryKind, Fde, Outcome, Section, SectionKind, SectionOffset,
};

use crate::llvm::instruction::parse_instruction;
use crate::llvm::registers::Names;
use crate::printed::cursor::Cursor;
use crate::printed::draft::{Draft, shortened};
use crate::printed::{Dialect, Special, Taken};

/// The state between two lines of one section.
pub(crate) struct Records {
    /// What its complaints about a file start with.
    error: Vec<u8>,
    warning: Vec<u8>,
    /// Registers have numbers here, and no names.
    names: Names,
    /// The address that the tool gives the section: what it prints of a record counts from there.
    address: u64,
    draft: Draft,
}

impl Records {
    pub(super) fn new(program: &OsStr) -> Records {
        let prefix = |kind: &[u8]| [program.as_bytes(), kind].concat();
        let (error, warning) = (prefix(b": error: "), prefix(b": warning: "));
        Records { error, warning, names: Names::new(), address: 0, draft: Draft::default() }
    }
}

impl Dialect for Records {
    fn special<'l>(&mut self, line: &'l [u8]) -> Option<Special<'l>> {
        // They are of any file of the same process, and of what else it has.
        if line.starts_with(b"warning: ") || line.starts_with(&self.warning) {
            return Some(Special::Idle);
        }
        if let Some(words) = line.strip_prefix(self.error.as_slice()) {
            return Some(Special::Complaint(words));
        }
        if let Some(name) = line.strip_prefix(b"File: ") {
            let name = Cow::Borrowed(name);
            return Some(Special::File { names: [name.clone(), name], unsupported: None });
        }
        if line == b"EHFrameHeader {" || line == b"}" {
            return Some(Special::Idle);
        }
        let (name, address) = heading(line)?;
        self.address = address;
        Some(Special::Section(name))
    }

    fn passes_over(&self, section: &Section, _case: &Case) -> Option<&'static str> {
        (section.kind == SectionKind::DebugFrame).then_some("it prints .eh_frame alone")
    }

    fn begin(&mut self, section: &Section, _case: &Case) {
        self.draft.begin(section);
    }

    fn line(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Taken {
        let text = line.trim_ascii_start();
        if text.is_empty() || self.draft.is_broken() {
            return Taken::Whole;
        }
        let taken = if text.starts_with(b"[0x") {
            self.head(text, deliver)
        } else if !self.draft.is_open() {
            None
        } else if text.starts_with(b"DW_CFA_") || text.starts_with(b":") {
            self.instruction(text)
        } else {
            self.field(text)
        };
        if taken.is_some() { Taken::Whole } else { Taken::Not }
    }

    fn odd(&mut self, line: &[u8]) -> Taken {
        if self.draft.is_open() {
            self.draft.fault(line);
        } else {
            self.draft.give_up(line);
        }
        Taken::Whole
    }

    fn complain(&mut self, words: &[u8]) {
        // It ends with the first complaint, about the section as a whole, and names the file before it.
        let begin = memchr::memmem::find(words, b"': ").map_or(0, |at| at + 3);
        self.draft.fail(&shortened(&words[begin..]));
    }

    fn give_up(&mut self, line: &[u8]) {
        self.draft.give_up(line);
    }

    fn end(&mut self, complete: bool, deliver: &mut dyn FnMut(&Entry)) -> Outcome {
        self.draft.end(complete, deliver)
    }
}

impl Records {
    /// `[0x2000] CIE length=20`, or `[0x2018] FDE length=20 cie=[0x2000]`.
    fn head(&mut self, text: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Option<()> {
        let mut cursor = Cursor::new(text);
        let offset = self.offset(&mut cursor)?;
        let (length, kind) = if cursor.eat(b" CIE length=") {
            match cursor.number()? {
                // It has no other words for a terminator.
                0 => (0, EntryKind::Terminator),
                length => (length, EntryKind::Cie(Box::default())),
            }
        } else {
            cursor.expect(b" FDE length=")?;
            let length = cursor.number()?;
            cursor.expect(b" cie=")?;
            let cie = Some(self.offset(&mut cursor)?);
            (length, EntryKind::Fde(Fde { cie, ..Fde::default() }))
        };
        cursor.end()?;
        self.draft.start(offset, length, kind, deliver);
        Some(())
    }

    /// `[0x2018]`, an address, as an offset.
    fn offset(&self, cursor: &mut Cursor<'_>) -> Option<SectionOffset> {
        cursor.expect(b"[")?;
        let address = cursor.prefixed_hex()?;
        cursor.expect(b"]")?;
        Some(SectionOffset(address.wrapping_sub(self.address)))
    }

    fn instruction(&mut self, text: &[u8]) -> Option<()> {
        let (instruction, complete) = parse_instruction(text, &self.names)?;
        self.draft.entry.instructions.push(instruction);
        if !complete {
            self.draft.fault(text);
        }
        self.draft.check_amount();
        Some(())
    }

    /// A line such as `code_alignment_factor: 1`.
    fn field(&mut self, text: &[u8]) -> Option<()> {
        if text == b"Program:" {
            return Some(());
        }
        let at = memchr::memchr(b':', text)?;
        let (name, value) = (&text[..at], text[at + 1..].strip_prefix(b" ").unwrap_or_default());
        match &mut self.draft.entry.kind {
            EntryKind::Cie(cie) => cie_field(name, value, cie),
            EntryKind::Fde(fde) => fde_field(name, value, fde),
            // The fields that it prints of a terminator are none.
            _ => Some(()),
        }
    }
}

/// `.eh_frame section at offset 0x2000 address 0x2000:`, the name and the address.
fn heading(line: &[u8]) -> Option<(&[u8], u64)> {
    const BEHIND_NAME: &[u8] = b" section at offset 0x";
    let end = memchr::memmem::find(line, BEHIND_NAME)?;
    let mut cursor = Cursor::new(&line[end + BEHIND_NAME.len()..]);
    cursor.hex()?;
    cursor.expect(b" address ")?;
    let address = cursor.prefixed_hex()?;
    (cursor.rest() == b":").then_some((&line[..end], address))
}

fn cie_field(name: &[u8], value: &[u8], cie: &mut Cie) -> Option<()> {
    if name == b"augmentation" {
        cie.augmentation = Bytes::from_slice(value);
        return Some(());
    }
    let mut cursor = Cursor::new(value);
    let number = cursor.number()?;
    cursor.end()?;
    match name {
        b"version" => cie.version = u8::try_from(number).ok()?,
        b"code_alignment_factor" => cie.code_alignment_factor = number,
        b"data_alignment_factor" => cie.data_alignment_factor = number.cast_signed(),
        b"return_address_register" => cie.return_address_register = number,
        _ => return None,
    }
    Some(())
}

fn fde_field(name: &[u8], value: &[u8], fde: &mut Fde) -> Option<()> {
    let mut cursor = Cursor::new(value);
    let number = cursor.prefixed_hex()?;
    match name {
        b"initial_location" => {
            cursor.end()?;
            fde.initial_location = Address(number);
        }
        // The end follows in parentheses.
        b"address_range" => fde.address_range = number,
        _ => return None,
    }
    Some(())
}
