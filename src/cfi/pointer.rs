//! Encoded pointers: the DW_EH_PE encodings of `.eh_frame` and `.eh_frame_hdr` (LSB Core, DWARF exception
//! header encoding).

use std::borrow::Cow;

use cfidiff_model::{Address, Bases, Fault, FaultKind, Pointer, Section};

use crate::choices::{PointerField, PointerFormat};
use crate::cursor::{Cursor, ReadError};
use crate::fault::fault;
use crate::semantics::Semantics;

/// DW_EH_PE_omit: the field is not there.
pub(crate) const OMIT: u8 = 0xff;
/// The bits that say what is added to the value.
pub(crate) const APPLICATION: u8 = 0x70;

/// What an encoded pointer may count from, beside its own place.
#[derive(Clone, Copy)]
pub(crate) struct PointerContext<'a> {
    /// The section that the pointer stands in.
    pub section: &'a Section,
    /// The file's bases.
    pub bases: &'a Bases,
    /// The start of the function, for DW_EH_PE_funcrel.
    pub function: Option<u64>,
    /// The size of an address in bytes.
    pub address_size: u8,
}

/// A DW_EH_PE encoding, with the format that it means: looked up once where many pointers share it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Encoding {
    /// The encoding as written.
    pub byte: u8,
    /// Its format; `None` when that is not defined.
    pub format: Option<PointerFormat>,
}

impl Encoding {
    #[inline(always)]
    pub fn new<S: Semantics + ?Sized>(
        semantics: &S,
        field: PointerField,
        byte: u8,
        address_size: u8,
    ) -> Encoding {
        Encoding { byte, format: semantics.pointer_format(field, byte, address_size) }
    }

    /// The encoding of an address range, which is a size: a signed format may not be taken as such.
    pub fn of_range<S: Semantics + ?Sized>(semantics: &S, byte: u8, address_size: u8) -> Encoding {
        let encoding = Encoding::new(semantics, PointerField::AddressRange, byte, address_size);
        match encoding.format {
            Some(PointerFormat::Signed(width)) if !semantics.address_range_is_signed() => {
                Encoding { format: Some(PointerFormat::Unsigned(width)), ..encoding }
            }
            _ => encoding,
        }
    }
}

/// Reads one encoded pointer at the cursor; `None` for DW_EH_PE_omit and for a null that the field allows.
#[inline(always)]
pub(crate) fn read_pointer<S: Semantics + ?Sized>(
    semantics: &S,
    cursor: &mut Cursor<'_>,
    encoding: &Encoding,
    field: PointerField,
    context: &PointerContext<'_>,
) -> Result<Option<Pointer>, Box<Fault>> {
    let byte = encoding.byte;
    if semantics.is_omitted(byte) {
        return Ok(None);
    }
    if semantics.is_aligned(byte) {
        cursor.position = skip_to_alignment(*cursor, context.section.address, context.address_size)?;
    }
    let start = cursor.position;
    let raw = read_raw(cursor, encoding)?;
    if raw == 0 && semantics.zero_is_null(field) {
        return Ok(None);
    }
    let pcrel = semantics.pcrel_base(context.section, start as u64, cursor.position as u64);
    let base = match semantics.pointer_base(field, byte, pcrel, context.bases, context.function) {
        Ok(Some(base)) => base,
        Ok(None) => return Err(no_base(cursor.data, start, byte)),
        Err(_) => return Err(undefined_encoding(cursor.data, start, byte)),
    };
    let address = semantics.wrap(base.wrapping_add(raw), context.address_size);
    Ok(Some(Pointer { address: Address(address), indirect: semantics.is_indirect(byte) }))
}

/// Reads a value in an encoding's format alone, sign-extended where the format is signed.
#[inline(always)]
pub(crate) fn read_raw(cursor: &mut Cursor<'_>, encoding: &Encoding) -> Result<u64, Box<Fault>> {
    let start = cursor.position;
    let value = match encoding.format {
        // The formats that compilers write for 64-bit machines; the others are read out of line.
        Some(PointerFormat::Signed(4)) => cursor.u32().map(|value| i64::from(value as i32) as u64),
        Some(PointerFormat::Unsigned(4)) => cursor.u32().map(u64::from),
        Some(PointerFormat::Unsigned(8)) => cursor.u64(),
        Some(format) => match read_format(*cursor, format) {
            Ok((value, position)) => {
                cursor.position = position;
                Ok(value)
            }
            Err(error) => Err(error),
        },
        None => return Err(undefined_encoding(cursor.data, start, encoding.byte)),
    };
    match value {
        Ok(value) => Ok(value),
        Err(error) => Err(unreadable(cursor.data, start, error)),
    }
}

/// A value in any format, and the position behind it.
#[inline(never)]
fn read_format(mut cursor: Cursor<'_>, format: PointerFormat) -> Result<(u64, usize), ReadError> {
    let value = match format {
        PointerFormat::Unsigned(width) => cursor.unsigned(width)?,
        PointerFormat::Signed(width) => sign_extend(cursor.unsigned(width)?, width),
        PointerFormat::Uleb128 => cursor.uleb()?,
        PointerFormat::Sleb128 => cursor.sleb()? as u64,
    };
    Ok((value, cursor.position))
}

fn sign_extend(value: u64, width: u8) -> u64 {
    let unused = 64u32.saturating_sub(8 * u32::from(width.min(8)));
    if unused >= 64 { value } else { (((value << unused) as i64) >> unused) as u64 }
}

/// The next position that is aligned to the size of an address.
#[cold]
fn skip_to_alignment(mut cursor: Cursor<'_>, section: Address, size: u8) -> Result<usize, Box<Fault>> {
    let size = u64::from(size.max(1));
    let here = section.0.wrapping_add(cursor.position as u64);
    let skip = (size - here % size) % size;
    let start = cursor.position;
    match cursor.bytes(skip as usize) {
        Ok(_) => Ok(cursor.position),
        Err(error) => Err(unreadable(cursor.data, start, error)),
    }
}

#[cold]
fn undefined_encoding(data: &[u8], at: usize, encoding: u8) -> Box<Fault> {
    let words = format!("a defined DW_EH_PE encoding instead of {encoding:#04x}");
    Box::new(fault(data, at, FaultKind::PointerEncoding, Cow::Owned(words)))
}

#[cold]
fn no_base(data: &[u8], at: usize, encoding: u8) -> Box<Fault> {
    let name = match encoding & 0x70 {
        0x20 => "textrel: a .text section",
        0x30 => "datarel: a .got section or DT_PLTGOT",
        _ => "funcrel: a function start",
    };
    let words = format!("the base of DW_EH_PE_{name}, which this file does not tell");
    Box::new(fault(data, at, FaultKind::PointerBase, Cow::Owned(words)))
}

#[cold]
fn unreadable(data: &[u8], at: usize, error: ReadError) -> Box<Fault> {
    let (kind, words) = match error {
        ReadError::Truncated => (FaultKind::TruncatedRecord, "an encoded pointer inside the record"),
        ReadError::LebOverflow => (FaultKind::LebOverflow, "an encoded pointer of at most 64 bits"),
    };
    Box::new(fault(data, at, kind, Cow::Borrowed(words)))
}
