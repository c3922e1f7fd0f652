//! The reader of one section, and the walk over its records.

use std::borrow::Cow;

use cfidiff_model::{Fault, FaultKind, Format, Section, Target};

use crate::choices::InitialLength;
use crate::cie::Cie;
use crate::cies::Cies;
use crate::cursor::Cursor;
use crate::fault::fault;
use crate::fde::{self, Fde};
use crate::semantics::Semantics;

/// The standard's own answers: every default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standard;

impl Semantics for Standard {}

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

/// The frame of a record, before its contents are looked at.
///
/// All its fields are plain numbers, and what can go wrong is a kind of fault and no more, so that a walk keeps
/// frames in registers. [`Reader::frame_fault`] tells the fault.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub offset: usize,
    pub length: u64,
    pub format: Format,
    /// Where the id field is; its end for a terminator.
    pub id_field: usize,
    pub id: u64,
    /// Stands behind the id field, limited to the record.
    pub cursor: Cursor<'a>,
    pub state: FrameState,
}

impl Frame<'_> {
    /// The first byte after the record.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.cursor.data.len()
    }
}

/// Whether a frame holds a record that can be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameState {
    /// A CIE or an FDE.
    Framed,
    Terminator,
    Broken(FaultKind),
}

impl<'a, S: Semantics + ?Sized> Reader<'a, S> {
    /// A reader with semantics of the caller's choice. Reads at most the first 4 GiB less one byte of a section.
    pub fn with_semantics(section: &'a Section, target: Target, semantics: &'a S) -> Reader<'a, S> {
        let limit = section.data.len().min(u32::MAX as usize);
        let target = Target { endianness: semantics.endianness(section.kind, target.endianness), ..target };
        Reader { section, target, semantics, data: &section.data[..limit] }
    }

    /// Walks the section from its start.
    pub fn walk(&self) -> Walk<'a, S> {
        Walk { reader: *self, position: 0, cies: Cies::default(), finished: false }
    }

    /// Reads length and id of the record at `offset`, which must be less than the section's size.
    #[inline(always)]
    pub(crate) fn frame(&self, offset: usize) -> Frame<'a> {
        let semantics = self.semantics;
        let kind = self.section.kind;
        // A record whose length is not known takes the rest of the section.
        let mut frame = Frame {
            offset,
            length: 0,
            format: Format::Dwarf32,
            id_field: offset,
            id: 0,
            cursor: Cursor::over(self.data, offset, self.target.endianness),
            state: FrameState::Broken(FaultKind::TruncatedLength),
        };
        let Ok(word) = frame.cursor.u32() else { return frame };
        match semantics.initial_length(word) {
            InitialLength::Dwarf32(length) => frame.length = u64::from(length),
            InitialLength::Dwarf64 => {
                frame.format = Format::Dwarf64;
                let Ok(length) = frame.cursor.u64() else { return frame };
                frame.length = length;
            }
            InitialLength::Reserved => {
                frame.state = FrameState::Broken(FaultKind::ReservedLength);
                return frame;
            }
        }
        frame.id_field = frame.cursor.position;
        if semantics.is_terminator(kind, frame.length) {
            frame.cursor.limit(0);
            frame.state = FrameState::Terminator;
            return frame;
        }
        let mut size = semantics.record_size(frame.length);
        if size > frame.cursor.remaining() as u64 && !semantics.length_past_section_is_refused() {
            size = frame.cursor.remaining() as u64;
        }
        if size > frame.cursor.remaining() as u64 {
            frame.state = FrameState::Broken(FaultKind::LengthPastSection);
            return frame;
        }
        frame.cursor.limit(size as usize);
        match frame.cursor.unsigned(semantics.id_width(kind, frame.format)) {
            Ok(id) => {
                frame.id = id;
                frame.state = FrameState::Framed;
            }
            Err(_) => frame.state = FrameState::Broken(FaultKind::TruncatedRecord),
        }
        frame
    }

    /// Tells what is wrong with a broken frame.
    #[cold]
    #[inline(never)]
    fn frame_fault(&self, frame: Frame<'_>, kind: FaultKind) -> Box<Fault> {
        let (at, words) = match (kind, frame.format) {
            (FaultKind::TruncatedLength, Format::Dwarf32) => {
                (frame.offset, Cow::Borrowed("a four-byte length"))
            }
            (FaultKind::TruncatedLength, Format::Dwarf64) => {
                (frame.offset, Cow::Borrowed("an eight-byte length"))
            }
            (FaultKind::ReservedLength, _) => {
                (frame.offset, Cow::Borrowed("a length below 0xfffffff0, or the escape 0xffffffff"))
            }
            (FaultKind::LengthPastSection, _) => {
                let left = self.data.len() - frame.id_field;
                let words = format!("a length of at most {left:#x}, the bytes left in the section");
                (frame.offset, Cow::Owned(words))
            }
            _ => (frame.id_field, Cow::Borrowed("a CIE id or CIE pointer")),
        };
        Box::new(fault(self.data, at, kind, words))
    }

    /// Whether the framed record is a CIE.
    #[inline(always)]
    pub(crate) fn is_cie(&self, frame: Frame<'_>) -> bool {
        self.semantics.is_cie(self.section.kind, frame.format, frame.id)
    }

    /// The record at `offset`, with its CIE looked up in `cies`.
    #[inline(always)]
    pub(crate) fn record(&self, offset: usize, cies: &mut Cies<'a>) -> Record<'a> {
        let frame = self.frame(offset);
        let kind = match frame.state {
            FrameState::Framed if self.is_cie(frame) => RecordKind::Cie(cies.insert(self, frame)),
            FrameState::Framed => RecordKind::Fde(fde::parse(self, frame, cies)),
            FrameState::Terminator => RecordKind::Terminator,
            FrameState::Broken(kind) => RecordKind::Unreadable(self.frame_fault(frame, kind)),
        };
        Record { offset, end: frame.end(), length: frame.length, format: frame.format, kind }
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

    // A copy in each loop: a loop seldom looks at all of a record, and what it does not look at is never stored.
    #[inline(always)]
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
