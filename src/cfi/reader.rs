//! The reader of one section, and the walk over its records.

use std::borrow::Cow;

use cfidiff_model::{Fault, FaultKind, Format, Section, Target};

use crate::cie::{self, Cie};
use crate::cies::Cies;
use crate::cursor::Cursor;
use crate::fault::fault;
use crate::fde::{self, Fde};
use crate::semantics::{InitialLength, Semantics, Standard};

/// A reader of one `.eh_frame` or `.debug_frame` section under given semantics.
///
/// It is compiled for [`Standard`], where every decision point costs nothing, and for `dyn Semantics`, which
/// all planted faults share.
pub struct Reader<'a, S: Semantics + ?Sized = Standard> {
    pub(crate) section: &'a Section,
    pub(crate) target: Target,
    pub(crate) semantics: &'a S,
    /// The section's bytes, cut to what 32-bit places can name.
    pub(crate) data: &'a [u8],
}

impl<S: Semantics + ?Sized> Clone for Reader<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Semantics + ?Sized> Copy for Reader<'_, S> {}

impl<'a> Reader<'a, Standard> {
    /// A reader with the standard's own semantics.
    pub fn new(section: &'a Section, target: Target) -> Reader<'a, Standard> {
        Reader::with_semantics(section, target, &Standard)
    }
}

/// One record of a section: the bytes from `offset` up to `end`. The records of a walk tile the section.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// Where its length field starts, in bytes from the section's start.
    pub offset: usize,
    /// The first byte after it.
    pub end: usize,
    /// The value of its length field.
    pub length: u64,
    /// The width of its length field.
    pub format: Format,
    /// What it is.
    pub kind: RecordKind<'a>,
}

/// What a record is.
#[derive(Clone, Debug)]
pub enum RecordKind<'a> {
    /// A zero length.
    Terminator,
    /// A CIE, by its place in [`Walk::cies`].
    Cie(usize),
    /// An FDE.
    Fde(Fde<'a>),
    /// Neither can be told, for this fault. It reaches to the next record, or to the section's end when that
    /// cannot be told either.
    Unreadable(Box<Fault>),
}

/// The frame of a record before its contents are looked at.
pub(crate) struct Frame<'a> {
    pub offset: usize,
    pub length: u64,
    pub format: Format,
    /// Stands behind the id field, limited to the record.
    pub cursor: Cursor<'a>,
    pub id_field: usize,
    pub id: u64,
}

/// A frame, or why there is none.
pub(crate) enum Framed<'a> {
    Frame(Frame<'a>),
    Terminator { end: usize, format: Format },
    Unreadable { end: usize, length: u64, format: Format, fault: Box<Fault> },
}

impl<'a, S: Semantics + ?Sized> Reader<'a, S> {
    /// A reader with semantics of the caller's choice. Reads at most the first 4 GiB less one byte of a section.
    pub fn with_semantics(section: &'a Section, target: Target, semantics: &'a S) -> Reader<'a, S> {
        let limit = section.data.len().min(u32::MAX as usize);
        Reader { section, target, semantics, data: &section.data[..limit] }
    }

    /// Walks the section from its start.
    pub fn walk(&self) -> Walk<'a, S> {
        Walk { reader: *self, position: 0, cies: Cies::default(), finished: false }
    }

    /// Reads length and id of the record at `offset`, which must be less than the section's size.
    #[inline(always)]
    pub(crate) fn frame(&self, offset: usize) -> Framed<'a> {
        let semantics = self.semantics;
        let kind = self.section.kind;
        let mut cursor = Cursor::new(self.data, offset, self.data.len(), self.target.endianness);
        let Ok(word) = cursor.u32() else {
            return self.cut_short(offset, FaultKind::TruncatedLength, "a four-byte length");
        };
        let (length, format) = match semantics.initial_length(word) {
            InitialLength::Dwarf32(length) => (u64::from(length), Format::Dwarf32),
            InitialLength::Dwarf64 => match cursor.u64() {
                Ok(length) => (length, Format::Dwarf64),
                Err(_) => return self.cut_short(offset, FaultKind::TruncatedLength, "an eight-byte length"),
            },
            InitialLength::Reserved => {
                return self.cut_short(
                    offset,
                    FaultKind::ReservedLength,
                    "a length below 0xfffffff0, or the escape 0xffffffff",
                );
            }
        };
        let start = cursor.position;
        if semantics.is_terminator(kind, length) {
            return Framed::Terminator { end: start, format };
        }
        if length > (self.data.len() - start) as u64 {
            return self.past_section(offset, length, format, start);
        }
        let end = start + length as usize;
        let mut cursor = Cursor::new(self.data, start, end, self.target.endianness);
        match cursor.unsigned(semantics.id_width(kind, format)) {
            Ok(id) => Framed::Frame(Frame { offset, length, format, cursor, id_field: start, id }),
            Err(_) => {
                let fault = self.fault(start, FaultKind::TruncatedRecord, "a CIE id or CIE pointer");
                Framed::Unreadable { end, length, format, fault }
            }
        }
    }

    #[cold]
    fn fault(&self, at: usize, kind: FaultKind, expected: &'static str) -> Box<Fault> {
        Box::new(fault(self.data, at, kind, Cow::Borrowed(expected)))
    }

    /// A record whose length is not known takes the rest of the section.
    #[cold]
    fn cut_short(&self, offset: usize, kind: FaultKind, expected: &'static str) -> Framed<'a> {
        let fault = self.fault(offset, kind, expected);
        Framed::Unreadable { end: self.data.len(), length: 0, format: Format::Dwarf32, fault }
    }

    #[cold]
    fn past_section(&self, offset: usize, length: u64, format: Format, start: usize) -> Framed<'a> {
        let words =
            format!("a length of at most {:#x}, the bytes left in the section", self.data.len() - start);
        let fault = Box::new(fault(self.data, offset, FaultKind::LengthPastSection, Cow::Owned(words)));
        Framed::Unreadable { end: self.data.len(), length, format, fault }
    }

    /// Whether the framed record is a CIE.
    #[inline(always)]
    pub(crate) fn is_cie(&self, frame: &Frame<'_>) -> bool {
        self.semantics.is_cie(self.section.kind, frame.format, frame.id)
    }

    /// The record at `offset`, with its CIE looked up in `cies`.
    #[inline(always)]
    pub(crate) fn record(&self, offset: usize, cies: &mut Cies<'a>) -> Record<'a> {
        let frame = match self.frame(offset) {
            Framed::Frame(frame) => frame,
            Framed::Terminator { end, format } => {
                return Record { offset, end, length: 0, format, kind: RecordKind::Terminator };
            }
            Framed::Unreadable { end, length, format, fault } => {
                return Record { offset, end, length, format, kind: RecordKind::Unreadable(fault) };
            }
        };
        let (length, format, end) = (frame.length, frame.format, frame.cursor.data.len());
        let kind = if self.is_cie(&frame) {
            RecordKind::Cie(cies.insert(offset, || cie::parse(self, offset, frame.format, frame.cursor)))
        } else {
            RecordKind::Fde(fde::parse(self, &frame, cies))
        };
        Record { offset, end, length, format, kind }
    }
}

/// The walk over a section's records, in section order, without gaps. Allocates for CIEs only.
pub struct Walk<'a, S: Semantics + ?Sized = Standard> {
    reader: Reader<'a, S>,
    position: usize,
    cies: Cies<'a>,
    finished: bool,
}

impl<'a, S: Semantics + ?Sized> Walk<'a, S> {
    /// The CIE with this place, as [`RecordKind::Cie`] and [`Fde::cie`] give it.
    #[inline]
    pub fn cie(&self, index: usize) -> Option<&Cie<'a>> {
        self.cies.get(index)
    }

    /// Ends the walk and keeps the CIEs that it met.
    pub(crate) fn into_cies(self) -> Cies<'a> {
        self.cies
    }
}

impl<'a, S: Semantics + ?Sized> Iterator for Walk<'a, S> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        if self.finished || self.position >= self.reader.data.len() {
            return None;
        }
        let record = self.reader.record(self.position, &mut self.cies);
        self.position = record.end;
        if matches!(record.kind, RecordKind::Terminator) {
            self.finished = self.reader.semantics.walk_ends_at_terminator(self.reader.section.kind);
        }
        Some(record)
    }
}
