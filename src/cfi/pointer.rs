//! Encoded pointers: the DW_EH_PE encodings of `.eh_frame` and `.eh_frame_hdr` (LSB Core, DWARF exception
//! header encoding).

use std::borrow::Cow;

use cfidiff_model::{Address, Bases, Fault, FaultKind, Pointer};

use crate::cursor::{Cursor, ReadError};
use crate::fault::fault;
use crate::semantics::{PointerField, PointerFormat, Semantics};

/// DW_EH_PE_omit: the field is not there.
pub(crate) const OMIT: u8 = 0xff;
/// DW_EH_PE_indirect: the address is that of a slot that holds the value.
pub(crate) const INDIRECT: u8 = 0x80;
/// DW_EH_PE_aligned: a plain address at the next aligned place.
const ALIGNED: u8 = 0x50;

/// What an encoded pointer may count from, beside its own place.
#[derive(Clone, Copy)]
pub(crate) struct PointerContext<'a> {
    /// The link-time address of the section's first byte.
    pub section: Address,
    /// The file's bases.
    pub bases: &'a Bases,
    /// The start of the function, for DW_EH_PE_funcrel.
    pub function: Option<u64>,
    /// The size of an address in bytes.
    pub address_size: u8,
}

/// Reads one encoded pointer at the cursor; `None` for DW_EH_PE_omit and for a null that the field allows.
#[inline(always)]
pub(crate) fn read_pointer<S: Semantics + ?Sized>(
    semantics: &S,
    cursor: &mut Cursor<'_>,
    encoding: u8,
    field: PointerField,
    context: &PointerContext<'_>,
) -> Result<Option<Pointer>, Fault> {
    if encoding == OMIT {
        return Ok(None);
    }
    if encoding & 0x70 == ALIGNED {
        skip_to_alignment(cursor, context)?;
    }
    let start = cursor.position;
    let raw = read_raw(semantics, cursor, encoding, field, context.address_size)?;
    if raw == 0 && semantics.zero_is_null(field) {
        return Ok(None);
    }
    let pcrel = semantics.pcrel_base(context.section, start as u64, cursor.position as u64);
    let base = match semantics.pointer_base(encoding, pcrel, context.bases, context.function) {
        Ok(Some(base)) => base,
        Ok(None) => return Err(no_base(cursor, start, encoding)),
        Err(_) => return Err(undefined_encoding(cursor, start, encoding)),
    };
    let address = semantics.wrap(base.wrapping_add(raw), context.address_size);
    Ok(Some(Pointer { address: Address(address), indirect: encoding & INDIRECT != 0 }))
}

/// Reads a value in an encoding's format alone, sign-extended where the format is signed.
#[inline(always)]
pub(crate) fn read_raw<S: Semantics + ?Sized>(
    semantics: &S,
    cursor: &mut Cursor<'_>,
    encoding: u8,
    field: PointerField,
    address_size: u8,
) -> Result<u64, Fault> {
    let start = cursor.position;
    let Some(format) = semantics.pointer_format(encoding, address_size) else {
        return Err(undefined_encoding(cursor, start, encoding));
    };
    let format = match format {
        PointerFormat::Signed(width)
            if field == PointerField::AddressRange && !semantics.address_range_is_signed() =>
        {
            PointerFormat::Unsigned(width)
        }
        other => other,
    };
    let value = match format {
        PointerFormat::Unsigned(width) => cursor.unsigned(width),
        PointerFormat::Signed(4) => cursor.u32().map(|value| i64::from(value as i32) as u64),
        PointerFormat::Signed(width) => cursor.unsigned(width).map(|value| sign_extend(value, width)),
        PointerFormat::Uleb128 => cursor.uleb(),
        PointerFormat::Sleb128 => cursor.sleb().map(|value| value as u64),
    };
    value.map_err(|error| unreadable(cursor, start, error))
}

fn sign_extend(value: u64, width: u8) -> u64 {
    let unused = 64u32.saturating_sub(8 * u32::from(width.min(8)));
    if unused >= 64 { value } else { (((value << unused) as i64) >> unused) as u64 }
}

fn skip_to_alignment(cursor: &mut Cursor<'_>, context: &PointerContext<'_>) -> Result<(), Fault> {
    let size = u64::from(context.address_size.max(1));
    let here = context.section.0.wrapping_add(cursor.position as u64);
    let skip = (size - here % size) % size;
    let start = cursor.position;
    match cursor.bytes(skip as usize) {
        Ok(_) => Ok(()),
        Err(error) => Err(unreadable(cursor, start, error)),
    }
}

#[cold]
fn undefined_encoding(cursor: &Cursor<'_>, at: usize, encoding: u8) -> Fault {
    let words = format!("a defined DW_EH_PE encoding instead of {encoding:#04x}");
    fault(cursor.data, at, FaultKind::PointerEncoding, Cow::Owned(words))
}

#[cold]
fn no_base(cursor: &Cursor<'_>, at: usize, encoding: u8) -> Fault {
    let name = match encoding & 0x70 {
        0x20 => "textrel: a .text section",
        0x30 => "datarel: a .got section or DT_PLTGOT",
        _ => "funcrel: a function start",
    };
    let words = format!("the base of DW_EH_PE_{name}, which this file does not tell");
    fault(cursor.data, at, FaultKind::PointerBase, Cow::Owned(words))
}

#[cold]
fn unreadable(cursor: &Cursor<'_>, at: usize, error: ReadError) -> Fault {
    let (kind, words) = match error {
        ReadError::Truncated => (FaultKind::TruncatedRecord, "an encoded pointer inside the record"),
        ReadError::LebOverflow => (FaultKind::LebOverflow, "an encoded pointer of at most 64 bits"),
    };
    fault(cursor.data, at, kind, Cow::Borrowed(words))
}
