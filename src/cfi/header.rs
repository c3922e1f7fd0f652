//! `.eh_frame_hdr`: the header and its binary search table (LSB Core, exception frame header).

use std::borrow::Cow;

use cfidiff_model::{Address, Bases, Fault, FaultKind, Section, SectionOffset, Target};

use crate::choices::PointerField;
use crate::cursor::Cursor;
use crate::fault::{fault, unreadable};
use crate::pointer::{Encoding, OMIT, PointerContext, read_pointer};
use crate::reader::Standard;
use crate::semantics::Semantics;

/// A parsed `.eh_frame_hdr`. Borrows the section.
pub struct Header<'a, S: Semantics + ?Sized = Standard> {
    section: &'a Section,
    target: Target,
    semantics: &'a S,
    bases: Bases,
    /// The version; 1 is the only one defined.
    pub version: u8,
    /// The encoding of the pointer to `.eh_frame`.
    pub eh_frame_encoding: u8,
    /// The encoding of the number of table entries.
    pub count_encoding: u8,
    /// The encoding of the table's values.
    pub table_encoding: u8,
    /// The link-time address of `.eh_frame`; `None` when omitted.
    pub eh_frame: Option<Address>,
    /// The number of entries that the header tells; `None` when omitted.
    pub count: Option<u64>,
    /// Where the table starts, in bytes from the section's start.
    pub table: usize,
    /// What was wrong with the header. The table behind it is not read then.
    pub faults: Vec<Fault>,
}

/// One entry of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeaderEntry {
    /// The section offset of the entry.
    pub offset: SectionOffset,
    /// The initial location of the FDE, link-time.
    pub initial_location: Address,
    /// The link-time address of the FDE.
    pub fde: Address,
}

impl<'a> Header<'a, Standard> {
    /// Parses a header with the standard's own semantics.
    pub fn new(section: &'a Section, target: Target) -> Header<'a, Standard> {
        Header::with_semantics(section, target, &Standard)
    }
}

impl<'a, S: Semantics + ?Sized> Header<'a, S> {
    /// Parses a header. Any bytes give one, with faults where they are ill-formed.
    pub fn with_semantics(section: &'a Section, target: Target, semantics: &'a S) -> Header<'a, S> {
        let base = Address(semantics.header_base(section.address));
        let target = Target { endianness: semantics.endianness(section.kind, target.endianness), ..target };
        let mut header = Header {
            section,
            target,
            semantics,
            bases: Bases { text: section.bases.text, data: Some(base) },
            version: 0,
            eh_frame_encoding: OMIT,
            count_encoding: OMIT,
            table_encoding: OMIT,
            eh_frame: None,
            count: None,
            table: section.data.len(),
            faults: Vec::new(),
        };
        if let Err(fault) = header.parse() {
            header.faults.push(fault);
        }
        header
    }

    fn parse(&mut self) -> Result<(), Fault> {
        let data = &self.section.data[..];
        let mut cursor = Cursor::new(data, 0, data.len(), self.target.endianness);
        let mut byte = |what| cursor.u8().map_err(|error| unreadable(data, cursor.position, error, what));
        self.version = byte("a version")?;
        if self.version != 1 {
            return Err(fault(
                data,
                0,
                FaultKind::CieVersion,
                Cow::Borrowed("version 1 of the exception frame header"),
            ));
        }
        self.eh_frame_encoding = byte("the encoding of the .eh_frame pointer")?;
        self.count_encoding = byte("the encoding of the entry count")?;
        self.table_encoding = byte("the encoding of the table")?;
        let field = PointerField::Header;
        self.eh_frame = self.value(&mut cursor, field, self.eh_frame_encoding)?.map(Address);
        let count = self.value(&mut cursor, field, self.count_encoding)?;
        self.count = count.map(|count| self.semantics.header_entry_count(count));
        self.table = cursor.position;
        Ok(())
    }

    fn value(
        &self,
        cursor: &mut Cursor<'_>,
        field: PointerField,
        encoding: u8,
    ) -> Result<Option<u64>, Fault> {
        let context = PointerContext {
            section: self.section,
            bases: &self.bases,
            function: None,
            address_size: self.semantics.address_size(self.target.class),
        };
        let encoding = Encoding::new(self.semantics, field, encoding, context.address_size);
        match read_pointer(self.semantics, cursor, &encoding, field, &context) {
            Ok(pointer) => Ok(pointer.map(|pointer| pointer.address.0)),
            Err(fault) => Err(*fault),
        }
    }

    /// The table's entries in order: as many as the header tells and the section holds. Ends with a fault when the
    /// section holds fewer, or when an entry cannot be read.
    pub fn entries(&self) -> impl Iterator<Item = Result<HeaderEntry, Fault>> + '_ {
        let mut cursor =
            Cursor::new(&self.section.data, self.table, self.section.data.len(), self.target.endianness);
        let mut left = if self.has_table() { self.count.unwrap_or(0) } else { 0 };
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let entry = self.entry(&mut cursor);
            left = if entry.is_ok() { left - 1 } else { 0 };
            Some(entry)
        })
    }

    /// Whether there is a table that can be read.
    fn has_table(&self) -> bool {
        self.faults.is_empty() && !self.semantics.is_omitted(self.table_encoding)
    }

    fn entry(&self, cursor: &mut Cursor<'_>) -> Result<HeaderEntry, Fault> {
        let at = cursor.position;
        let missing =
            || fault(&self.section.data, at, FaultKind::TruncatedRecord, Cow::Borrowed("a table entry"));
        let field = PointerField::HeaderTable;
        let initial_location = self.value(cursor, field, self.table_encoding)?.ok_or_else(missing)?;
        let fde = self.value(cursor, field, self.table_encoding)?.ok_or_else(missing)?;
        Ok(HeaderEntry {
            offset: SectionOffset(at as u64),
            initial_location: Address(initial_location),
            fde: Address(fde),
        })
    }

    /// The size in bytes of a table entry, or `None` when entries are of no fixed size or have gaps between them, so
    /// that no binary search is possible.
    fn entry_size(&self) -> Option<usize> {
        use crate::choices::PointerFormat::{Signed, Unsigned};
        if self.semantics.is_aligned(self.table_encoding) {
            return None;
        }
        let address_size = self.semantics.address_size(self.target.class);
        let field = PointerField::HeaderTable;
        match self.semantics.pointer_format(field, self.table_encoding, address_size)? {
            Unsigned(width) | Signed(width) => Some(2 * usize::from(width)),
            _ => None,
        }
    }

    /// Whether the table can be searched: it was read, and its entries have a fixed size.
    pub fn is_searchable(&self) -> bool {
        self.faults.is_empty() && self.table_encoding != OMIT && self.entry_size().is_some()
    }

    /// The entry that covers `address` if any does: the last one that starts at or before it, found by binary
    /// search as the run-time unwinder does. The entry's FDE must still be asked whether its range holds the
    /// address. `None` as well when the table has no entries of a fixed size.
    pub fn lookup(&self, address: Address) -> Option<HeaderEntry> {
        let size = self.entry_size().filter(|_| self.has_table())?;
        let held = (self.section.data.len().saturating_sub(self.table) / size.max(1)) as u64;
        let (mut low, mut high) = (0, self.count.unwrap_or(0).min(held));
        while low < high {
            let middle = low + (high - low) / 2;
            if self
                .semantics
                .header_entry_is_candidate(self.entry_at(middle, size)?.initial_location.0, address.0)
            {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.entry_at(self.semantics.header_entry_found(low)?, size)
    }

    fn entry_at(&self, index: u64, size: usize) -> Option<HeaderEntry> {
        let at = self.table + usize::try_from(index).ok()? * size;
        let mut cursor = Cursor::new(&self.section.data, at, self.section.data.len(), self.target.endianness);
        self.entry(&mut cursor).ok()
    }
}
