//! The lines under one section's heading, to entries; and the lines between sections.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, IntoInnerError, Seek, Write};
use std::os::unix::ffi::OsStrExt;

use cfidiff_model::{
    Address, Bytes, Case, Cie, Entry, EntryKind, Fde, Instruction, Outcome, Section, SectionOffset, Target,
};

use tempfile::SpooledTempFile;

use super::expression::parse_expression;
use super::instruction::parse_instruction;
use super::row::parse_row;
use crate::printed::cursor::Cursor;
use crate::printed::draft::{Draft, shortened};
use crate::printed::{Dialect, Special, Taken, argument};

/// What stands behind the name of a section that the file does not have.
const NOT_PRESENT: &[u8] = b" is not present";
/// What the lines of rows start with.
const ROW: &[u8] = b"        0x";
/// How much of the FDEs' lines is kept in memory; more goes to a file.
const IN_MEMORY: usize = 16 << 20;

/// Which of its two lists the lines are of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Fdes,
    Cies,
}

/// The state between two lines of one section.
pub(crate) struct Records {
    /// The archive, when the file is one: it is not named in the output.
    archive: Vec<u8>,
    target: Target,
    list: List,
    /// The lines of the FDEs, until the CIEs are known.
    fdes: BufWriter<SpooledTempFile>,
    /// What went wrong with keeping them.
    lost: Option<io::Error>,
    draft: Draft,
    /// Offset and code alignment factor of each CIE, by the tool's number.
    cies: Vec<(SectionOffset, u64)>,
    /// The code alignment factor of the record that is being read.
    factor: u64,
    /// Why the section's FDEs ended early.
    stopped: Option<String>,
}

impl Records {
    pub(super) fn new(first: &Case) -> Records {
        let archive = first.path.as_deref().filter(|_| first.member.is_some());
        Records {
            archive: archive.map(|path| argument(path).as_bytes().to_vec()).unwrap_or_default(),
            target: first.target,
            list: List::Fdes,
            fdes: kept_lines(),
            lost: None,
            draft: Draft::default(),
            cies: Vec::new(),
            factor: 0,
            stopped: None,
        }
    }
}

impl Dialect for Records {
    fn special<'l>(&mut self, line: &'l [u8]) -> Option<Special<'l>> {
        if let Some(member) = line.strip_prefix(b"archive member ") {
            let name: Cow<'l, [u8]> =
                Cow::Owned([&self.archive[..], &b"("[..], member.trim_ascii(), b")"].concat());
            return Some(Special::File { names: [name.clone(), name], unsupported: None });
        }
        if let Some(refused) = line.strip_prefix(b"ERROR: ").filter(|words| words.starts_with(b".")) {
            let (name, more) = refused.split_at(memchr::memchr(b' ', refused)?);
            if more.starts_with(b" not loadable") {
                return Some(Special::Empty(name));
            }
        }
        // Of a compressed section the heading tells more.
        let (name, more) = line.split_at(memchr::memchr(b' ', line).unwrap_or(line.len()));
        match name {
            b".eh_frame" | b".debug_frame" if more != NOT_PRESENT => Some(Special::Section(name)),
            _ if is_complaint(line) => Some(Special::Complaint(line)),
            _ => {
                let is_idle = more == NOT_PRESENT || is_remark(line);
                is_idle.then_some(Special::Idle)
            }
        }
    }

    fn begin(&mut self, section: &Section, case: &Case) {
        self.target = case.target;
        self.list = List::Fdes;
        self.fdes = kept_lines();
        self.lost = None;
        self.draft.begin(section);
        self.cies.clear();
        self.stopped = None;
    }

    fn line(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Taken {
        match line {
            b"fde:" => {}
            b"cie:" => self.list = List::Cies,
            _ if is_complaint(line) || is_remark(line) => return Taken::Not,
            _ if self.list == List::Fdes => self.keep(line),
            _ => return self.cie_line(line, deliver),
        }
        Taken::Whole
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
        if words.starts_with(b"ERROR: printing fdes fails") {
            self.stopped = Some(format!("stopped: {}", shortened(words.trim_ascii())));
        } else if self.list == List::Fdes {
            self.keep(words);
        } else if self.draft.is_open() {
            self.draft.fault(words);
        }
    }

    fn give_up(&mut self, line: &[u8]) {
        self.draft.give_up(line);
    }

    fn end(&mut self, complete: bool, deliver: &mut dyn FnMut(&Entry)) -> Outcome {
        if complete {
            self.draft.flush(deliver);
            if let Err(error) = self.replay(deliver) {
                self.draft.fail(&format!("cannot keep its output: {error}"));
            }
        }
        match (self.draft.end(complete, deliver), self.stopped.take()) {
            (Outcome::Answered, Some(words)) => Outcome::Failed(words),
            (outcome, _) => outcome,
        }
    }
}

impl Records {
    /// Keeps a line of the FDEs.
    fn keep(&mut self, line: &[u8]) {
        let kept = self.fdes.write_all(line).and_then(|()| self.fdes.write_all(b"\n"));
        if let Err(error) = kept {
            self.lost.get_or_insert(error);
        }
    }

    /// Reads the lines of the FDEs, now that the CIEs are known.
    fn replay(&mut self, deliver: &mut dyn FnMut(&Entry)) -> io::Result<()> {
        let fdes = std::mem::replace(&mut self.fdes, kept_lines());
        self.lost.take().map_or(Ok(()), Err)?;
        let mut fdes = fdes.into_inner().map_err(IntoInnerError::into_error)?;
        fdes.rewind()?;
        let mut fdes = BufReader::new(fdes);
        let mut line = Vec::new();
        while fdes.read_until(b'\n', &mut line)? > 0 {
            line.pop();
            if !self.draft.is_broken() && self.fde_line(&line, deliver).is_none() {
                self.odd(&line);
            }
            line.clear();
        }
        self.draft.flush(deliver);
        Ok(())
    }

    /// A line of an FDE. `None` when it cannot be parsed.
    fn fde_line(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Option<()> {
        if line.starts_with(b"<") && memchr::memmem::find(line, b"><fde offset ").is_some() {
            return self.fde_head(line, deliver);
        }
        if line.trim_ascii().is_empty() {
            return Some(());
        }
        if !self.draft.is_open() || is_complaint(line) {
            return None;
        }
        // Behind a complaint the rest of its line follows on another.
        if !self.draft.entry.faults.is_empty() && matches!(line, [b'<' | b'>', ..]) {
            return Some(());
        }
        let EntryKind::Fde(fde) = &self.draft.entry.kind else { return None };
        if line.starts_with(ROW) {
            let end = Address(fde.initial_location.0.wrapping_add(fde.address_range));
            parse_row(line.trim_ascii_start(), end, &mut self.draft.entry.rows)?;
            self.draft.check_amount();
            return Some(());
        }
        if line.trim_ascii_start().starts_with(b"<eh aug data len ") {
            return Some(());
        }
        if line.starts_with(b" fde section offset ") {
            return Some(());
        }
        self.program_line(line)
    }

    /// `<    0><0x00001010:0x00001050><><cie offset 0x0000001c::cie index     0><fde offset 0x00000018 length: 0x00000014>`.
    fn fde_head(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Option<()> {
        let mut cursor = Cursor::new(line.strip_prefix(b"<")?);
        cursor.spaces();
        cursor.number()?;
        cursor.expect(b"><")?;
        let start = cursor.prefixed_hex()?;
        cursor.expect(b":")?;
        let end = cursor.prefixed_hex()?;
        cursor.expect(b"><><cie offset ")?;
        let cie_pointer = cursor.prefixed_hex()?;
        cursor.expect(b"::cie index ")?;
        cursor.spaces();
        let cie = usize::try_from(cursor.number()?).ok().and_then(|number| self.cies.get(number).copied());
        cursor.expect(b"><fde offset ")?;
        let offset = SectionOffset(cursor.prefixed_hex()?);
        cursor.expect(b" length: ")?;
        let length = cursor.prefixed_hex()?;
        // Addresses wrap at their own width.
        let mask = u64::MAX >> (64 - 8 * u32::from(self.target.class.address_size()));
        let fde = Fde {
            cie: cie.map(|(offset, _)| offset),
            cie_pointer,
            initial_location: Address(start),
            address_range: end.wrapping_sub(start) & mask,
            ..Fde::default()
        };
        self.factor = cie.map_or(0, |(_, factor)| factor);
        self.draft.start(offset, length, EntryKind::Fde(fde), deliver);
        Some(())
    }

    fn cie_line(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Taken {
        let taken = if self.draft.is_broken() || line.trim_ascii().is_empty() {
            Some(())
        } else if line.starts_with(b"<") {
            self.cie_head(line, deliver)
        } else if !self.draft.is_open() {
            None
        } else if line.starts_with(b"  ") && line.get(2).is_some_and(u8::is_ascii_lowercase) {
            self.cie_field(&line[2..])
        } else {
            self.program_line(line)
        };
        if taken.is_some() { Taken::Whole } else { Taken::Not }
    }

    /// `<    0> version      1`.
    fn cie_head(&mut self, line: &[u8], deliver: &mut dyn FnMut(&Entry)) -> Option<()> {
        let end = memchr::memchr(b'>', line)?;
        let version = line[end + 1..].trim_ascii().strip_prefix(b"version")?.trim_ascii();
        let version = u8::try_from(Cursor::new(version).number()?).ok()?;
        let cie = Cie { version, ..Cie::default() };
        self.cies.push((SectionOffset(0), 0));
        self.draft.start(SectionOffset(0), 0, EntryKind::Cie(Box::new(cie)), deliver);
        Some(())
    }

    /// A line such as `code_alignment_factor         1`, without the two spaces.
    fn cie_field(&mut self, text: &[u8]) -> Option<()> {
        let entry = &mut self.draft.entry;
        let (EntryKind::Cie(cie), Some(known)) = (&mut entry.kind, self.cies.last_mut()) else { return None };
        if let Some(data) = text.strip_prefix(b"eh aug data len") {
            cie.augmentation_data = augmentation_data(data.trim_ascii())?;
            return Some(());
        }
        if let Some(string) = text.strip_prefix(b"augmentation                  ") {
            cie.augmentation = Bytes::from_slice(string);
            return Some(());
        }
        if text == b"initial instructions" {
            return Some(());
        }
        // The number is the word behind the name, which may hold spaces itself.
        let name_ends = text.iter().position(u8::is_ascii_digit)?;
        let name_ends = if name_ends > 0 && text[name_ends - 1] == b'-' { name_ends - 1 } else { name_ends };
        let number = Cursor::new(&text[name_ends..]).number()?;
        match text[..name_ends].trim_ascii() {
            b"cie section offset" => {
                entry.offset = SectionOffset(number);
                known.0 = entry.offset;
            }
            b"cie length" => entry.length = number,
            b"code_alignment_factor" => {
                cie.code_alignment_factor = number;
                known.1 = number;
                self.factor = number;
            }
            b"data_alignment_factor" => cie.data_alignment_factor = number.cast_signed(),
            b"return_address_register" => cie.return_address_register = number,
            b"bytes of initial instructions" => {}
            _ => return None,
        }
        Some(())
    }

    /// An instruction, or one of the lines behind an instruction with an expression: its bytes, then its
    /// operations, which are printed twice of some.
    fn program_line(&mut self, line: &[u8]) -> Option<()> {
        let text = line.trim_ascii_start();
        let last = self.draft.entry.instructions.last_mut();
        if let Some(
            Instruction::DefCfaExpression { expression }
            | Instruction::Expression { expression, .. }
            | Instruction::ValExpression { expression, .. },
        ) = last
            && line.starts_with(b"    ")
        {
            if text.starts_with(b"DW_OP_") || text.starts_with(b"<blkoff ") {
                expression.operations = parse_expression(text)?.operations;
                return Some(());
            }
            if text.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b' ') {
                return Some(());
            }
        }
        let instruction = parse_instruction(line, self.factor)?;
        self.draft.entry.instructions.push(instruction);
        self.draft.check_amount();
        Some(())
    }
}

/// Where lines are kept: in memory at first, then in a file that is gone when it is closed.
fn kept_lines() -> BufWriter<SpooledTempFile> {
    BufWriter::new(tempfile::spooled_tempfile(IN_MEMORY))
}

/// Whether the tool says what went wrong, and not what it read.
fn is_complaint(line: &[u8]) -> bool {
    [&b"ERROR: "[..], b"Error: ", b"dwarfdump ERROR"].iter().any(|start| line.starts_with(start))
}

/// Whether the tool speaks of the file as a whole.
fn is_remark(line: &[u8]) -> bool {
    [&b"There w"[..], b"No DWARF information present"].iter().any(|start| line.starts_with(start))
}

/// `0x4 bytes 0x8f 00 00 00 `, or `0x0`.
fn augmentation_data(text: &[u8]) -> Option<Bytes> {
    let mut cursor = Cursor::new(text);
    let length = cursor.prefixed_hex()?;
    let mut data = Bytes::new();
    if cursor.eat(b" bytes 0x") {
        while !cursor.is_empty() {
            data.push(u8::try_from(cursor.hex()?.0).ok()?);
            cursor.spaces();
        }
    }
    (cursor.is_empty() && data.len() as u64 == length).then_some(data)
}
