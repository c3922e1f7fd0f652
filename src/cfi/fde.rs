//! Frame description entries: their fields.

use std::borrow::Cow;

use cfidiff_model::{Fault, FaultKind, Pointer};

use crate::cie::{of_length, without_base_is_none};
use crate::cies::Cies;
use crate::cursor::Cursor;
use crate::fault::{fault, unreadable};
use crate::pointer::{INDIRECT, OMIT, PointerContext, read_pointer, read_raw};
use crate::reader::{Frame, Reader};
use crate::semantics::{PointerField, Semantics};

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
    pub faults: Vec<Fault>,
}

/// Parses the FDE in a frame, looking its CIE up in `cies`.
#[inline(always)]
pub(crate) fn parse<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    frame: &Frame<'a>,
    cies: &mut Cies<'a>,
) -> Fde<'a> {
    let mut fde = Fde {
        cie: None,
        cie_pointer: frame.id,
        segment: None,
        initial_location: 0,
        indirect: false,
        address_range: 0,
        augmentation_data: &[],
        lsda: None,
        instructions: frame.cursor.data.len(),
        has_rows: false,
        faults: Vec::new(),
    };
    let target = reader.semantics.cie_offset(
        reader.section.kind,
        frame.id_field as u64,
        frame.offset as u64,
        frame.id,
    );
    let found = match cies.find(target as usize) {
        Some(place) => Ok(place),
        None => cies.search(reader, target),
    };
    match found {
        Ok(place) => {
            fde.cie = Some(place);
            if let Err(fault) = parse_fields(reader, frame, cies, place, &mut fde) {
                fde.faults.push(fault);
            }
        }
        Err(kind) => fde.faults.push(no_cie(frame, target, kind)),
    }
    fde
}

#[cold]
fn no_cie(frame: &Frame<'_>, target: u64, kind: FaultKind) -> Fault {
    let words = format!("a CIE at {target:#x}, where the CIE pointer leads");
    fault(frame.cursor.data, frame.id_field, kind, Cow::Owned(words))
}

#[inline(always)]
fn parse_fields<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    frame: &Frame<'a>,
    cies: &Cies<'a>,
    place: usize,
    fde: &mut Fde<'a>,
) -> Result<(), Fault> {
    let semantics = reader.semantics;
    let mut cursor = frame.cursor;
    let Some(cie) = cies.get(place).filter(|cie| cie.usable) else {
        return Err(unusable_cie(frame));
    };
    let padding = semantics.fde_header_padding(reader.section.kind, cie.segment_selector_size);
    if padding != 0 {
        fde.segment = Some(read_segment(&mut cursor, padding)?);
    }
    let mut context = PointerContext {
        section: reader.section.address,
        bases: &reader.section.bases,
        function: None,
        address_size: cie.address_size,
    };
    let encoding = semantics.initial_location_encoding(reader.section.kind, cie.fde_encoding);
    if encoding == OMIT {
        return Err(omitted_location(&cursor));
    }
    let start = read_pointer(semantics, &mut cursor, encoding, PointerField::InitialLocation, &context)?;
    if let Some(start) = start {
        fde.initial_location = start.address.0;
    }
    fde.indirect = encoding & INDIRECT != 0;
    let range_encoding = semantics.address_range_encoding(encoding);
    let raw = read_raw(semantics, &mut cursor, range_encoding, PointerField::AddressRange, cie.address_size)?;
    fde.address_range = semantics.wrap(raw, cie.address_size);
    if semantics.fde_has_augmentation_data(cie.augmentation) {
        context.function = Some(fde.initial_location);
        parse_augmentation(reader, &mut cursor, cie.lsda_encoding, &context, fde)?;
    }
    fde.instructions = cursor.position;
    fde.has_rows = cie.complete;
    if !cie.complete {
        fde.faults.push(incomplete_cie(frame));
    }
    // A range may end exactly at the end of the address space, where the end wraps to zero.
    let last = fde.initial_location.wrapping_add(fde.address_range).wrapping_sub(1);
    if fde.address_range != 0 && semantics.wrap(last, cie.address_size) < fde.initial_location {
        fde.faults.push(overflowing_range(&cursor, frame, fde));
    }
    Ok(())
}

#[inline(always)]
fn parse_augmentation<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    cursor: &mut Cursor<'a>,
    lsda_encoding: Option<u8>,
    context: &PointerContext<'_>,
    fde: &mut Fde<'a>,
) -> Result<(), Fault> {
    let at = cursor.position;
    let length =
        cursor.uleb().map_err(|error| unreadable(cursor.data, at, error, "an augmentation length"))?;
    if length > cursor.remaining() as u64 {
        let words = "an augmentation length that ends inside the record";
        return Err(fault(cursor.data, at, FaultKind::AugmentationLength, Cow::Borrowed(words)));
    }
    let start = cursor.position;
    let end = start + length as usize;
    fde.augmentation_data = &cursor.data[start..end];
    if let Some(encoding) = lsda_encoding {
        let mut data = Cursor::new(cursor.data, start, end, reader.target.endianness);
        let pointer = read_pointer(reader.semantics, &mut data, encoding, PointerField::Lsda, context);
        match without_base_is_none(pointer, &mut fde.faults) {
            Ok(pointer) => fde.lsda = pointer,
            // The length still says where the instructions start.
            Err(fault) => fde.faults.push(of_length(fault)),
        }
        cursor.position = reader.semantics.augmentation_end(end, data.position);
    } else {
        cursor.position = reader.semantics.augmentation_end(end, start);
    }
    Ok(())
}

/// The segment selector, in the record's byte order (DWARF 5 section 6.4.1).
#[cold]
fn read_segment(cursor: &mut Cursor<'_>, size: usize) -> Result<u64, Fault> {
    let at = cursor.position;
    cursor.unsigned(size as u8).map_err(|error| unreadable(cursor.data, at, error, "a segment selector"))
}

#[cold]
fn unusable_cie(frame: &Frame<'_>) -> Fault {
    fault(
        frame.cursor.data,
        frame.id_field,
        FaultKind::CieUnreadable,
        Cow::Borrowed("a CIE that can be read"),
    )
}

#[cold]
fn incomplete_cie(frame: &Frame<'_>) -> Fault {
    let words = Cow::Borrowed("a CIE whose instructions can be read to their end");
    fault(frame.cursor.data, frame.id_field, FaultKind::CieUnreadable, words)
}

#[cold]
fn omitted_location(cursor: &Cursor<'_>) -> Fault {
    let words = Cow::Borrowed("an initial location, which the encoding omits");
    fault(cursor.data, cursor.position, FaultKind::PointerEncoding, words)
}

#[cold]
fn overflowing_range(cursor: &Cursor<'_>, frame: &Frame<'_>, fde: &Fde<'_>) -> Fault {
    let words = format!(
        "a range from {:#x} of {:#x} bytes that ends inside the address space",
        fde.initial_location, fde.address_range
    );
    fault(cursor.data, frame.id_field, FaultKind::RangeOverflow, Cow::Owned(words))
}
