//! Common information entries: their fields, and the rules that their instructions set before any FDE's.

use std::borrow::Cow;

use cfidiff_model::{Bytes, Fault, FaultKind, Format, Pointer, SectionOffset};

use crate::choices::{AugmentationLetter, PointerField};
use crate::cursor::{Cursor, ReadError};
use crate::fault::{fault, unreadable};
use crate::fde::FdeLayout;
use crate::pointer::{Encoding, PointerContext, read_pointer};
use crate::reader::{Frame, Reader};
use crate::row_machine::InitialRules;
use crate::semantics::Semantics;

/// A parsed CIE. Borrows the section.
#[derive(Clone, Debug)]
pub struct Cie<'a> {
    /// Where its length field starts.
    pub offset: usize,
    /// The first byte after the record.
    pub end: usize,
    /// The width of its length field.
    pub format: Format,
    /// The version.
    pub version: u8,
    /// The augmentation string without its NUL.
    pub augmentation: &'a [u8],
    /// The size of an address in bytes, for this CIE's FDEs.
    pub address_size: u8,
    /// The size of a segment selector in bytes.
    pub segment_selector_size: u8,
    /// The code alignment factor.
    pub code_alignment_factor: u64,
    /// The data alignment factor.
    pub data_alignment_factor: i64,
    /// The return address register.
    pub return_address_register: u64,
    /// The augmentation data behind their length.
    pub augmentation_data: &'a [u8],
    /// The encoding of initial locations.
    pub fde_encoding: Option<u8>,
    /// The encoding of LSDA pointers.
    pub lsda_encoding: Option<u8>,
    /// The personality routine: its encoding and the pointer.
    pub personality: Option<(u8, Option<Pointer>)>,
    /// Whether its frames are signal frames.
    pub signal_frame: bool,
    /// Whether return addresses are signed with the B key.
    pub b_key: bool,
    /// Whether the stack is tagged.
    pub mte_tagged: bool,
    /// Where the instructions start; they fill the record to its end.
    pub instructions: usize,
    /// Whether FDEs can be read by this CIE: its header was readable up to the instructions.
    pub usable: bool,
    /// Whether its instructions could be evaluated to their end, so that its FDEs have rows.
    pub complete: bool,
    /// What was wrong with it.
    pub faults: Vec<Fault>,
    /// How its FDEs are written.
    pub(crate) layout: FdeLayout,
    /// The rules after its instructions, from which each of its FDEs starts.
    pub(crate) initial: InitialRules,
}

/// Parses the CIE in a frame.
pub(crate) fn parse<'a, S: Semantics + ?Sized>(reader: &Reader<'a, S>, frame: Frame<'a>) -> Cie<'a> {
    let mut cursor = frame.cursor;
    let mut cie = Cie {
        offset: frame.offset,
        end: frame.end(),
        format: frame.format,
        version: 0,
        augmentation: &[],
        address_size: reader.semantics.address_size(reader.target.class),
        segment_selector_size: 0,
        code_alignment_factor: 0,
        data_alignment_factor: 0,
        return_address_register: 0,
        augmentation_data: &[],
        fde_encoding: None,
        lsda_encoding: None,
        personality: None,
        signal_frame: false,
        b_key: false,
        mte_tagged: false,
        instructions: frame.end(),
        usable: false,
        complete: false,
        faults: Vec::new(),
        layout: FdeLayout::default(),
        initial: InitialRules::default(),
    };
    match parse_header(reader, &mut cie, &mut cursor) {
        Ok(()) => cie.usable = true,
        Err(fault) => cie.faults.push(fault),
    }
    if cie.usable {
        cie.layout = FdeLayout::of_cie(reader, &cie);
        InitialRules::of_cie(reader, &mut cie);
    }
    cie
}

fn parse_header<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    cie: &mut Cie<'a>,
    cursor: &mut Cursor<'a>,
) -> Result<(), Fault> {
    let semantics = reader.semantics;
    let kind = reader.section.kind;
    let at = cursor.position;
    cie.version = cursor.u8().map_err(|error| unreadable(cursor.data, at, error, "a CIE version"))?;
    if !semantics.cie_version_is_known(kind, cie.version) {
        return Err(fault(cursor.data, at, FaultKind::CieVersion, Cow::Borrowed("CIE version 1, 3 or 4")));
    }
    cursor.position = semantics.augmentation_start(at);
    if semantics.cie_has_augmentation(kind) {
        cie.augmentation = parse_augmentation_string(cursor)?;
    }
    let announced = semantics.has_augmentation_data(kind, cie.augmentation);
    if !announced && !semantics.plain_augmentation_is_known(cie.augmentation) {
        // Nothing behind an unexpected string can be read (DWARF 5 section 6.4.1).
        let words = "a known augmentation, or one that starts with z";
        return Err(fault(cursor.data, at + 1, FaultKind::Augmentation, Cow::Borrowed(words)));
    }
    if semantics.cie_has_address_size(kind, cie.version) {
        let file = cie.address_size;
        parse_sizes(cie, cursor)?;
        cie.address_size = semantics.cie_address_size(cie.address_size, file);
    }
    if semantics.has_eh_data(cie.augmentation) {
        field(cursor, "the exception data pointer of augmentation \"eh\"", |cursor| {
            cursor.unsigned(cie.address_size)
        })?;
    }
    cie.code_alignment_factor = field(cursor, "a code alignment factor", Cursor::uleb)?;
    cie.data_alignment_factor = if semantics.data_alignment_factor_is_signed() {
        field(cursor, "a data alignment factor", Cursor::sleb)?
    } else {
        field(cursor, "a data alignment factor", Cursor::uleb)? as i64
    };
    cie.return_address_register = if semantics.return_address_register_is_byte(kind, cie.version) {
        field(cursor, "a return address register", |cursor| cursor.u8().map(u64::from))?
    } else {
        field(cursor, "a return address register", Cursor::uleb)?
    };
    cie.return_address_register = semantics.register(cie.return_address_register);
    if announced {
        parse_augmentation_data(reader, cie, cursor)?;
    } else {
        cie.signal_frame = cie.augmentation == b"S";
    }
    cie.instructions = semantics.cie_instructions_start(kind, cursor.position);
    Ok(())
}

/// Reads one field and names it in the fault if that fails.
fn field<'a, T>(
    cursor: &mut Cursor<'a>,
    what: &'static str,
    read: impl FnOnce(&mut Cursor<'a>) -> Result<T, ReadError>,
) -> Result<T, Fault> {
    let at = cursor.position;
    read(cursor).map_err(|error| unreadable(cursor.data, at, error, what))
}

fn parse_augmentation_string<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8], Fault> {
    let at = cursor.position;
    let rest = &cursor.data[at..];
    let Some(length) = rest.iter().position(|&byte| byte == 0) else {
        let words = "a NUL that ends the augmentation string inside the record";
        return Err(fault(cursor.data, at, FaultKind::AugmentationString, Cow::Borrowed(words)));
    };
    cursor.position += length + 1;
    Ok(&rest[..length])
}

/// The two sizes of a version 4 CIE (DWARF 5 section 6.4.1).
fn parse_sizes<'a>(cie: &mut Cie<'a>, cursor: &mut Cursor<'a>) -> Result<(), Fault> {
    let at = cursor.position;
    cie.address_size = field(cursor, "an address size", Cursor::u8)?;
    cie.segment_selector_size = field(cursor, "a segment selector size", Cursor::u8)?;
    if !matches!(cie.address_size, 1 | 2 | 4 | 8) {
        return Err(fault(
            cursor.data,
            at,
            FaultKind::AddressSize,
            Cow::Borrowed("an address size of 1, 2, 4 or 8"),
        ));
    }
    if !matches!(cie.segment_selector_size, 0 | 1 | 2 | 4 | 8) {
        let words = "a segment selector size of 0, 1, 2, 4 or 8";
        return Err(fault(cursor.data, at + 1, FaultKind::SegmentSelectorSize, Cow::Borrowed(words)));
    }
    Ok(())
}

fn parse_augmentation_data<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    cie: &mut Cie<'a>,
    cursor: &mut Cursor<'a>,
) -> Result<(), Fault> {
    let at = cursor.position;
    let length = field(cursor, "an augmentation length", Cursor::uleb)?;
    let start = cursor.position;
    if length > cursor.remaining() as u64 {
        let words = "an augmentation length that ends inside the record";
        return Err(fault(cursor.data, at, FaultKind::AugmentationLength, Cow::Borrowed(words)));
    }
    let declared_end = start + length as usize;
    cie.augmentation_data = &cursor.data[start..declared_end];
    let mut data = Cursor::new(cursor.data, start, declared_end, reader.target.endianness);
    parse_letters(reader, cie, &mut data).map_err(|fault| *of_length(Box::new(fault)))?;
    cursor.position = reader.semantics.cie_augmentation_end(start, data.position, declared_end);
    Ok(())
}

fn parse_letters<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    cie: &mut Cie<'a>,
    data: &mut Cursor<'a>,
) -> Result<(), Fault> {
    let mut unknown = false;
    for &letter in cie.augmentation.iter().skip(1) {
        match reader.semantics.augmentation_letter(letter) {
            // An unknown letter's data may be of any size, so what later letters announce cannot be found.
            AugmentationLetter::FdeEncoding
            | AugmentationLetter::LsdaEncoding
            | AugmentationLetter::Personality
                if unknown =>
            {
                let words =
                    "a known letter before R, P and L, whose data cannot be found behind an unknown one";
                return Err(fault(data.data, data.position, FaultKind::Augmentation, Cow::Borrowed(words)));
            }
            AugmentationLetter::FdeEncoding => {
                let field = PointerField::InitialLocation;
                let encoding = encoding_byte(reader, cie, data, field, "the encoding byte of R")?;
                cie.fde_encoding = Some(encoding);
                if reader.semantics.is_omitted(encoding) {
                    let words = Cow::Borrowed("an encoding of the initial location, which no FDE can omit");
                    cie.faults.push(fault(data.data, data.position - 1, FaultKind::PointerEncoding, words));
                }
            }
            AugmentationLetter::LsdaEncoding => {
                let field = PointerField::Lsda;
                let encoding = encoding_byte(reader, cie, data, field, "the encoding byte of L")?;
                cie.lsda_encoding = Some(encoding);
            }
            AugmentationLetter::Personality => {
                let encoding = field(data, "the encoding byte of P", Cursor::u8)?;
                let context = PointerContext {
                    section: reader.section,
                    bases: &reader.section.bases,
                    function: None,
                    address_size: cie.address_size,
                };
                let pointer = read_pointer(
                    reader.semantics,
                    data,
                    &Encoding::new(reader.semantics, PointerField::Personality, encoding, cie.address_size),
                    PointerField::Personality,
                    &context,
                );
                cie.personality = Some((encoding, without_base_is_none(pointer, &mut cie.faults)?));
            }
            AugmentationLetter::SignalFrame => cie.signal_frame = true,
            AugmentationLetter::BKey => cie.b_key = true,
            AugmentationLetter::MteTagged => cie.mte_tagged = true,
            // Letters without data are known all the same.
            AugmentationLetter::Unknown => unknown = true,
            AugmentationLetter::WithoutMeaning => {}
        }
    }
    Ok(())
}

/// Letters that want more than the augmentation length grants are a fault of the length.
#[cold]
pub(crate) fn of_length(mut fault: Box<Fault>) -> Box<Fault> {
    if fault.kind == FaultKind::TruncatedRecord {
        fault.kind = FaultKind::AugmentationLength;
    }
    fault
}

/// An encoding byte. An undefined one is a fault of the CIE, which can be read all the same; the pointers in
/// that encoding cannot.
fn encoding_byte<'a, S: Semantics + ?Sized>(
    reader: &Reader<'a, S>,
    cie: &mut Cie<'a>,
    data: &mut Cursor<'a>,
    pointer: PointerField,
    what: &'static str,
) -> Result<u8, Fault> {
    let at = data.position;
    let encoding = field(data, what, Cursor::u8)?;
    let bases = &reader.section.bases;
    let is_defined = reader.semantics.is_omitted(encoding)
        || (reader.semantics.pointer_format(pointer, encoding, cie.address_size).is_some()
            && reader.semantics.pointer_base(pointer, encoding, 0, bases, Some(0)).is_ok());
    if !is_defined {
        let words = Cow::Borrowed("a defined DW_EH_PE encoding");
        cie.faults.push(fault(data.data, at, FaultKind::PointerEncoding, words));
    }
    Ok(encoding)
}

/// A pointer whose base the file does not tell has been read all the same: what follows it is in its place.
fn without_base_is_none(
    pointer: Result<Option<Pointer>, Box<Fault>>,
    faults: &mut Vec<Fault>,
) -> Result<Option<Pointer>, Fault> {
    match pointer {
        Err(fault) if fault.kind == FaultKind::PointerBase => {
            faults.push(*fault);
            Ok(None)
        }
        other => other.map_err(|fault| *fault),
    }
}

impl Cie<'_> {
    /// Fills the model's CIE fields.
    pub(crate) fn to_model(&self) -> cfidiff_model::Cie {
        cfidiff_model::Cie {
            version: self.version,
            augmentation: Bytes::from_slice(self.augmentation),
            address_size: self.address_size,
            segment_selector_size: self.segment_selector_size,
            code_alignment_factor: self.code_alignment_factor,
            data_alignment_factor: self.data_alignment_factor,
            return_address_register: self.return_address_register,
            augmentation_data: Bytes::from_slice(self.augmentation_data),
            fde_encoding: self.fde_encoding,
            lsda_encoding: self.lsda_encoding,
            personality: self.personality,
            signal_frame: self.signal_frame,
            b_key: self.b_key,
            mte_tagged: self.mte_tagged,
        }
    }

    /// Its place as the model tells it.
    pub fn section_offset(&self) -> SectionOffset {
        SectionOffset(self.offset as u64)
    }
}
