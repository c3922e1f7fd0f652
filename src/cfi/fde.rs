//! Frame description entries: their fields.

use std::borrow::Cow;
use std::mem::take;

use cfidiff_model::{Fault, FaultKind, Pointer};

use crate::choices::PointerField;
use crate::cie::{Cie, of_length};
use crate::cies::Cies;
use crate::cursor::{Cursor, ReadError};
use crate::fault::{Faults, fault};
use crate::pointer::{APPLICATION, Encoding, OMIT, PointerContext, read_pointer, read_raw};
use crate::reader::{Frame, Reader};
use crate::semantics::Semantics;

/// A parsed FDE. Borrows the section.
#[derive(Clone, Debug)]
pub struct Fde<'a> {
    /// Its CIE's place in the walk; `None` when the CIE pointer leads to no CIE.
    pub cie: Option<usize>,
    /// The CIE pointer as written.
    pub cie_pointer: u64,
    /// The segment selector.
    pub segment: Option<u64>,
    /// The first address that it covers, link-time.
    pub initial_location: u64,
    /// Whether the initial location is the address of a slot that holds it.
    pub indirect: bool,
    /// How many bytes it covers.
    pub address_range: u64,
    /// The augmentation data behind their length.
    pub augmentation_data: &'a [u8],
    /// The language-specific data area.
    pub lsda: Option<Pointer>,
    /// Where its instructions start; they fill the record to its end.
    pub instructions: usize,
    /// Whether it has rows: its fields could be read, and its CIE's instructions to their end.
    pub has_rows: bool,
    /// What was wrong with it. With a fault here the fields behind the faulty one are not known.
    pub faults: Faults,
}

/// How the FDEs of one CIE are written: what depends on the CIE alone, asked once and not for each FDE.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FdeLayout {
    /// How many bytes stand before the segment selector.
    padding: usize,
    segment_selector_size: u8,
    location: Encoding,
    range: Encoding,
    has_augmentation_data: bool,
    lsda: Option<Encoding>,
}

impl Default for FdeLayout {
    fn default() -> FdeLayout {
        let omitted = Encoding { byte: OMIT, format: None };
        FdeLayout {
            padding: 0,
            segment_selector_size: 0,
            location: omitted,
            range: omitted,
            has_augmentation_data: false,
            lsda: None,
        }
    }
}

impl FdeLayout {
    /// The layout of a CIE whose header was read.
    pub fn of_cie<S: Semantics + ?Sized>(reader: &Reader<'_, S>, cie: &Cie<'_>) -> FdeLayout {
        let (semantics, kind, size) = (reader.semantics, reader.section.kind, cie.address_size);
        let location = semantics.initial_location_encoding(kind, cie.fde_encoding);
        FdeLayout {
            padding: semantics.fde_header_padding(kind),
            segment_selector_size: semantics.segment_selector_size(cie.segment_selector_size),
            location: Encoding::new(semantics, PointerField::InitialLocation, location, size),
            range: Encoding::of_range(semantics, semantics.address_range_encoding(location), size),
            has_augmentation_data: semantics.fde_has_augmentation_data(kind, cie.augmentation),
            lsda: cie.lsda_encoding.map(|byte| Encoding::new(semantics, PointerField::Lsda, byte, size)),
        }
    }
}

/// The fields behind the CIE pointer: plain numbers, so that they stay in registers until the FDE is made.
struct Fields<'a> {
    segment: Option<u64>,
    initial_location: u64,
    indirect: bool,
    address_range: u64,
    augmentation_data: &'a [u8],
    lsda: Option<Pointer>,
    instructions: usize,
    has_rows: bool,
    faults: Faults,
}

/// Parses the FDE in a frame, looking its CIE up in `cies`.
#[inline(always)]
pub(crate) fn parse<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    frame: Frame<'a>,
    cies: &mut Cies<'a>,
) -> Fde<'a> {
    let mut fields = Fields {
        segment: None,
        initial_location: 0,
        indirect: false,
        address_range: 0,
        augmentation_data: &[],
        lsda: None,
        instructions: frame.end(),
        has_rows: false,
        faults: Faults::default(),
    };
    let cursor = frame.cursor;
    let (id_field, offset) = (frame.id_field as u64, frame.offset as u64);
    let target = reader.semantics.cie_offset(reader.section.kind, id_field, offset, frame.id);
    let mut place = None;
    let result = match cies.find(reader, target) {
        Ok((_, cie)) if cie.offset > frame.offset && !reader.semantics.cie_may_follow() => {
            Err(no_cie(cursor.data, frame.id_field, target, FaultKind::CiePointerNotCie))
        }
        Ok((at, cie)) => {
            place = Some(at);
            parse_fields(reader, frame.id_field, cursor, cie, &mut fields)
        }
        Err(kind) => Err(no_cie(cursor.data, frame.id_field, target, kind)),
    };
    if let Err(fault) = result {
        fields.faults = fields.faults.and(fault);
    }
    Fde {
        cie: place,
        cie_pointer: frame.id,
        segment: fields.segment,
        initial_location: fields.initial_location,
        indirect: fields.indirect,
        address_range: fields.address_range,
        augmentation_data: fields.augmentation_data,
        lsda: fields.lsda,
        instructions: fields.instructions,
        has_rows: fields.has_rows,
        faults: fields.faults,
    }
}

#[inline(always)]
fn parse_fields<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    id_field: usize,
    mut cursor: Cursor<'a>,
    cie: &Cie<'a>,
    fields: &mut Fields<'a>,
) -> Result<(), Box<Fault>> {
    let (semantics, layout) = (reader.semantics, &cie.layout);
    if !cie.usable {
        return Err(unusable_cie(cursor.data, id_field, "a CIE that can be read"));
    }
    if layout.padding != 0 {
        cursor.position = skip(cursor, layout.padding)?;
    }
    if layout.segment_selector_size != 0 {
        let (segment, position) = read_segment(cursor, layout.segment_selector_size)?;
        fields.segment = Some(segment);
        cursor.position = position;
    }
    let mut context = PointerContext {
        section: reader.section,
        bases: &reader.section.bases,
        function: None,
        address_size: cie.address_size,
    };
    if semantics.is_omitted(layout.location.byte) {
        return Err(omitted_location(cursor.data, cursor.position));
    }
    let field = PointerField::InitialLocation;
    if let Some(start) = read_pointer(semantics, &mut cursor, &layout.location, field, &context)? {
        fields.initial_location = start.address.0;
    }
    fields.indirect = semantics.is_indirect(layout.location.byte);
    // Under the standard's semantics a range has no base, so that this is no choice there.
    let range = if layout.range.byte & APPLICATION == 0 {
        read_raw(&mut cursor, &layout.range)?
    } else {
        let range =
            read_pointer(semantics, &mut cursor, &layout.range, PointerField::AddressRange, &context)?;
        range.map_or(0, |range| range.address.0)
    };
    let range = semantics.address_range(fields.initial_location, range);
    fields.address_range = semantics.wrap(range, cie.address_size);
    if layout.has_augmentation_data {
        context.function = Some(fields.initial_location);
        cursor.position = parse_augmentation(reader, cursor, layout.lsda.as_ref(), &context, fields)?;
    }
    fields.instructions = cursor.position;
    fields.has_rows = cie.complete;
    if !cie.complete {
        let words = "a CIE whose instructions can be read to their end";
        fields.faults = take(&mut fields.faults).and(unusable_cie(cursor.data, id_field, words));
    }
    // A range may end exactly at the end of the address space, where the end wraps to zero.
    let (first, range) = (fields.initial_location, fields.address_range);
    let overflows =
        range != 0 && semantics.wrap(first.wrapping_add(range).wrapping_sub(1), cie.address_size) < first;
    if overflows && semantics.overflowing_range_is_refused() {
        return Err(overflowing_range(cursor.data, id_field, first, range));
    }
    Ok(())
}

/// Reads the augmentation data at the cursor. Returns where the instructions start.
#[inline(always)]
fn parse_augmentation<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    mut cursor: Cursor<'a>,
    lsda: Option<&Encoding>,
    context: &PointerContext<'_>,
    fields: &mut Fields<'a>,
) -> Result<usize, Box<Fault>> {
    let at = cursor.position;
    let length = match cursor.uleb() {
        Ok(length) => length,
        Err(error) => return Err(unreadable(cursor.data, at, error, "an augmentation length")),
    };
    let start = cursor.position;
    match usize::try_from(length).ok().and_then(|length| cursor.bytes(length).ok()) {
        Some(data) => fields.augmentation_data = data,
        None => return Err(past_record(cursor.data, at)),
    }
    let end = cursor.position;
    let mut used_end = start;
    if let Some(encoding) = lsda {
        let mut data = Cursor::new(cursor.data, start, end, reader.target.endianness);
        match read_pointer(reader.semantics, &mut data, encoding, PointerField::Lsda, context) {
            Ok(pointer) => fields.lsda = pointer,
            // The length still says where the instructions start.
            Err(fault) => fields.faults = take(&mut fields.faults).and(of_length(fault)),
        }
        used_end = data.position;
    }
    Ok(reader.semantics.fde_augmentation_end(start, used_end, end))
}

/// The position behind bytes that are passed over.
#[cold]
fn skip(mut cursor: Cursor<'_>, count: usize) -> Result<usize, Box<Fault>> {
    let at = cursor.position;
    match cursor.bytes(count) {
        Ok(_) => Ok(cursor.position),
        Err(error) => Err(unreadable(cursor.data, at, error, "bytes to pass over")),
    }
}

/// The segment selector, in the record's byte order (DWARF 5 section 6.4.1), and the position behind it.
#[cold]
fn read_segment(mut cursor: Cursor<'_>, size: u8) -> Result<(u64, usize), Box<Fault>> {
    let at = cursor.position;
    match cursor.unsigned(size) {
        Ok(selector) => Ok((selector, cursor.position)),
        Err(error) => Err(unreadable(cursor.data, at, error, "a segment selector")),
    }
}

// What is wrong is told out of line, by functions that take copies and no reference to a cursor or to the fields,
// which would keep these out of registers.

#[cold]
fn unreadable(data: &[u8], at: usize, error: ReadError, what: &'static str) -> Box<Fault> {
    Box::new(crate::fault::unreadable(data, at, error, what))
}

#[cold]
fn no_cie(data: &[u8], at: usize, target: u64, kind: FaultKind) -> Box<Fault> {
    let words = format!("a CIE at {target:#x}, where the CIE pointer leads");
    Box::new(fault(data, at, kind, Cow::Owned(words)))
}

#[cold]
fn unusable_cie(data: &[u8], at: usize, words: &'static str) -> Box<Fault> {
    Box::new(fault(data, at, FaultKind::CieUnreadable, Cow::Borrowed(words)))
}

#[cold]
fn omitted_location(data: &[u8], at: usize) -> Box<Fault> {
    let words = Cow::Borrowed("an initial location, which the encoding omits");
    Box::new(fault(data, at, FaultKind::PointerEncoding, words))
}

#[cold]
fn past_record(data: &[u8], at: usize) -> Box<Fault> {
    let words = Cow::Borrowed("an augmentation length that ends inside the record");
    Box::new(fault(data, at, FaultKind::AugmentationLength, words))
}

#[cold]
fn overflowing_range(data: &[u8], at: usize, first: u64, range: u64) -> Box<Fault> {
    let words = format!("a range from {first:#x} of {range:#x} bytes that ends inside the address space");
    Box::new(fault(data, at, FaultKind::RangeOverflow, Cow::Owned(words)))
}
