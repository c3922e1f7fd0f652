//! One record byte by byte: each field with its bytes, its value and how that is computed, each instruction the same,
//! and the rows. For people who look for the mistake in a reader of their own.

mod fields;
mod instructions;
mod side_by_side;

use std::io::{self, Write};

use cfidiff_cfi::{Reader, RecordKind, Table};
use cfidiff_model::{Address, Case, Entry, EntryKind, Says, Section, SectionOffset};

use crate::report::describe;
pub use side_by_side::{Answer, Beside, side_by_side};

/// How many bytes stand on one line.
const BYTES_PER_LINE: usize = 8;

/// Explains records of one section.
pub struct Explain<'a> {
    case: &'a Case,
    section: &'a Section,
    table: Table<'a>,
    entry: Entry,
}

impl<'a> Explain<'a> {
    /// Explains records of this section of the case.
    pub fn new(case: &'a Case, section: &'a Section) -> Explain<'a> {
        let table = Table::new(Reader::new(section, case.target));
        Explain { case, section, table, entry: Entry::default() }
    }

    /// The offsets of the FDEs that cover an address.
    pub fn covering(&mut self, address: Address) -> Vec<SectionOffset> {
        let mut found = Vec::new();
        for index in 0..self.table.len() {
            self.table.fill(index, Says::empty(), &mut self.entry);
            if let EntryKind::Fde(fde) = &self.entry.kind
                && address.0.wrapping_sub(fde.initial_location.0) < fde.address_range
            {
                found.push(self.entry.offset);
            }
        }
        found
    }

    /// Our reading of the record at exactly this offset.
    pub fn entry(&mut self, offset: SectionOffset) -> Option<&Entry> {
        let index = self.table.index_of(offset)?;
        self.table.fill(index, Says::all(), &mut self.entry).then_some(&self.entry)
    }

    /// Writes the record at exactly this offset, with the row for `mark` marked. Returns `false` when no record
    /// starts there.
    pub fn record(
        &mut self,
        offset: SectionOffset,
        mark: Option<Address>,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        let Some(index) = self.table.index_of(offset) else { return Ok(false) };
        let Some(record) = self.table.record(index) else { return Ok(false) };
        self.table.fill(index, Says::all(), &mut self.entry);
        let places = self.table.instruction_places(index);
        let entry = &self.entry;
        writeln!(
            out,
            "{}: {} at {offset} of {}, whose first byte is at address {}\n",
            self.case.name,
            entry.kind.name(),
            self.section.name,
            self.section.address
        )?;
        let mut lines = Lines { data: &self.section.data, out };
        let (cie, start) = match &record.kind {
            RecordKind::Cie(place) => (self.table.cie(*place), 0),
            RecordKind::Fde(fde) => (fde.cie.and_then(|place| self.table.cie(place)), fde.initial_location),
            RecordKind::Terminator | RecordKind::Unreadable(_) => (None, 0),
        };
        let described = fields::Described { case: self.case, section: self.section, record: &record, cie };
        described.write(&mut lines)?;
        if let Some(cie) = cie.filter(|_| !places.is_empty()) {
            writeln!(lines.out, "\ninstructions")?;
            let program = instructions::Program { target: &self.case.target, cie, entry, places: &places };
            program.write(&mut lines, start, record.end)?;
        }
        rows(self.case, entry, mark, lines.out)?;
        for fault in &entry.faults {
            writeln!(out, "\nfault: {fault}")?;
        }
        writeln!(out)?;
        Ok(true)
    }
}

/// The rows, each in words.
fn rows(case: &Case, entry: &Entry, mark: Option<Address>, out: &mut dyn Write) -> io::Result<()> {
    if entry.rows.is_empty() {
        return Ok(());
    }
    let is_cie = matches!(entry.kind, EntryKind::Cie(_));
    writeln!(out, "\n{}", if is_cie { "rules that its FDEs start from" } else { "rows" })?;
    for row in entry.rows.iter() {
        let words = describe::row(&case.target, &row);
        let words = if is_cie { words.split_once(' ').map_or("", |(_, rules)| rules) } else { &words };
        let is_marked = mark.is_some_and(|mark| row.start <= mark && mark < row.end);
        let mark = mark.filter(|_| is_marked).map_or(String::new(), |mark| format!("   <- {mark}"));
        writeln!(out, "  {words}{mark}")?;
    }
    Ok(())
}

/// Lines of bytes with what they mean.
struct Lines<'l> {
    data: &'l [u8],
    out: &'l mut dyn Write,
}

impl Lines<'_> {
    /// The bytes from `start` up to `end`, what they are, their value, how it is computed.
    fn line(&mut self, start: usize, end: usize, what: &str, value: &str, how: &str) -> io::Result<()> {
        let bytes = self.data.get(start..end.min(self.data.len())).unwrap_or_default();
        let mut chunks = bytes.chunks(BYTES_PER_LINE);
        let first = describe::bytes(chunks.next().unwrap_or_default());
        let value = if value.is_empty() { String::new() } else { format!(" {value:10}") };
        let words = format!("  {start:08x}  {first:23}  {what:23}{value}  {how}");
        writeln!(self.out, "{}", words.trim_end())?;
        for (index, chunk) in chunks.enumerate() {
            let at = start + (index + 1) * BYTES_PER_LINE;
            writeln!(self.out, "  {at:08x}  {}", describe::bytes(chunk))?;
        }
        Ok(())
    }
}

/// The size of the LEB128 number that starts the bytes.
fn leb128_size(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| byte & 0x80 == 0).map_or(bytes.len(), |last| last + 1)
}

/// A signed number as it is added: `+ 0x8`, `- 0x8`.
fn added(value: i64) -> String {
    format!("{} {:#x}", if value < 0 { '-' } else { '+' }, value.unsigned_abs())
}
