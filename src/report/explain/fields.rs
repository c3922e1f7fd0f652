//! The fields of a record: length, id, and what a CIE or an FDE has behind it up to the instructions.

use std::io;

use cfidiff_cfi::{Cie, Fde, PointerField, PointerFormat, Record, RecordKind, Semantics, Standard};
use cfidiff_model::{
    Case, Endianness, Format, Section, SectionKind, pointer_application_name, pointer_format_name,
};

use super::{Lines, added, leb128_size};
use crate::report::describe;

/// DW_EH_PE_omit.
const OMIT: u8 = 0xff;

/// A record with what its fields depend on.
pub(super) struct Described<'d, 'a> {
    pub(super) case: &'a Case,
    pub(super) section: &'a Section,
    pub(super) record: &'d Record<'a>,
    /// The CIE itself, or that of the FDE.
    pub(super) cie: Option<&'d Cie<'a>>,
}

impl Described<'_, '_> {
    /// Writes all fields up to the instructions, or what the record has of bytes when it cannot be read.
    pub(super) fn write(&self, lines: &mut Lines<'_>) -> io::Result<()> {
        let Record { offset, end, .. } = *self.record;
        match &self.record.kind {
            RecordKind::Terminator => {
                lines.line(offset, end, "length", "0", "a terminator: a run-time unwinder stops here")
            }
            RecordKind::Unreadable(_) => lines.line(offset, end, "cannot be read", "", ""),
            RecordKind::Cie(_) => {
                let id = self.length(lines)?;
                let width = usize::from(Standard.id_width(self.section.kind, self.record.format));
                let how = match self.section.kind {
                    SectionKind::EhFrame => "in .eh_frame 0 marks a CIE",
                    _ => "in .debug_frame all bits set mark a CIE",
                };
                lines.line(id, id + width, "CIE id", &format!("{:#x}", self.number(id, width)), how)?;
                self.cie.map_or(Ok(()), |cie| self.cie_fields(lines, cie, id + width))
            }
            RecordKind::Fde(fde) => self.fde_fields(lines, fde),
        }
    }

    /// The length field. Returns where the id is.
    fn length(&self, lines: &mut Lines<'_>) -> io::Result<usize> {
        let Record { offset, end, length, format, .. } = *self.record;
        let id = offset + format.length_size() as usize;
        let how = format!("{id:#x} + {length:#x} = {end:#x}, where the next record starts");
        match format {
            Format::Dwarf32 => lines.line(offset, id, "length", &format!("{length:#x}"), &how)?,
            Format::Dwarf64 => {
                lines.line(offset, offset + 4, "escape", "0xffffffff", "the length has eight bytes")?;
                lines.line(offset + 4, id, "length", &format!("{length:#x}"), &how)?;
            }
        }
        Ok(id)
    }

    fn cie_fields(&self, lines: &mut Lines<'_>, cie: &Cie<'_>, mut at: usize) -> io::Result<()> {
        lines.line(at, at + 1, "version", &cie.version.to_string(), "")?;
        at += 1;
        let string = cie.augmentation.len() + 1;
        let letters = String::from_utf8_lossy(cie.augmentation);
        lines.line(at, at + string, "augmentation", &format!("{letters:?}"), "ends with a zero byte")?;
        at += string;
        if Standard.cie_has_address_size(self.section.kind, cie.version) {
            lines.line(at, at + 1, "address size", &cie.address_size.to_string(), "since version 4")?;
            let selector = cie.segment_selector_size.to_string();
            lines.line(at + 1, at + 2, "segment selector size", &selector, "since version 4")?;
            at += 2;
        }
        if !cie.usable {
            return Ok(());
        }
        if Standard.has_eh_data(cie.augmentation) {
            let width = usize::from(cie.address_size);
            lines.line(
                at,
                at + width,
                "exception data",
                &format!("{:#x}", self.number(at, width)),
                "of GCC 2",
            )?;
            at += width;
        }
        at = self.leb128(
            lines,
            at,
            "code alignment factor",
            &cie.code_alignment_factor.to_string(),
            "ULEB128",
        )?;
        let factor = cie.data_alignment_factor;
        let how = if factor < 0 { "SLEB128: its sign counts" } else { "SLEB128" };
        at = self.leb128(lines, at, "data alignment factor", &factor.to_string(), how)?;
        let register = describe::register(self.case.target.machine, cie.return_address_register);
        if Standard.return_address_register_is_byte(self.section.kind, cie.version) {
            lines.line(at, at + 1, "return address register", &register, "one byte in version 1")?;
            at += 1;
        } else {
            at = self.leb128(lines, at, "return address register", &register, "ULEB128 since version 3")?;
        }
        if Standard.has_augmentation_data(self.section.kind, cie.augmentation) {
            let length = cie.augmentation_data.len();
            at = self.leb128(lines, at, "augmentation length", &length.to_string(), "for the letter z")?;
            self.letters(lines, cie, at, at + length)?;
        }
        Ok(())
    }

    /// What the letters behind z announce.
    fn letters(&self, lines: &mut Lines<'_>, cie: &Cie<'_>, mut at: usize, end: usize) -> io::Result<()> {
        for letter in cie.augmentation.iter().skip(1).map(|&letter| char::from(letter)) {
            match letter {
                'R' | 'L' | 'P' if at < end => {
                    let encoding = self.section.data.get(at).copied().unwrap_or(OMIT);
                    let what = match letter {
                        'R' => "R: location encoding",
                        'L' => "L: LSDA encoding",
                        _ => "P: personality encoding",
                    };
                    lines.line(at, at + 1, what, &format!("{encoding:#04x}"), &encoding_words(encoding))?;
                    at += 1;
                    if letter == 'P' {
                        let value = describe::pointer(cie.personality.and_then(|(_, pointer)| pointer));
                        at = self.pointer(
                            lines,
                            at,
                            encoding,
                            "personality routine",
                            &value,
                            cie.address_size,
                        )?;
                    }
                }
                'S' => lines.line(at, at, "S", "signal frame", "no data: look up pc, not pc - 1")?,
                'B' => lines.line(at, at, "B", "return addresses are signed with the B key", "no data")?,
                'G' => lines.line(at, at, "G", "the stack is tagged", "no data")?,
                _ => {}
            }
        }
        if at < end {
            lines.line(at, end, "more augmentation data", "", "passed over by the augmentation length")?;
        }
        Ok(())
    }

    fn fde_fields(&self, lines: &mut Lines<'_>, fde: &Fde<'_>) -> io::Result<()> {
        let field = self.length(lines)?;
        let width = usize::from(Standard.id_width(self.section.kind, self.record.format));
        let pointer = fde.cie_pointer;
        let target = Standard.cie_offset(self.section.kind, field as u64, self.record.offset as u64, pointer);
        let computed = match self.section.kind {
            SectionKind::EhFrame => format!("this field {field:#x} - {pointer:#x} = {target:#x}"),
            _ => format!("an offset from the section's start: {target:#x}"),
        };
        let leads = if fde.cie.is_some() { "the CIE" } else { "no CIE" };
        lines.line(
            field,
            field + width,
            "CIE pointer",
            &format!("{pointer:#x}"),
            &format!("{computed}, {leads}"),
        )?;
        let Some(cie) = self.cie.filter(|cie| cie.usable) else {
            return lines.line(field + width, self.record.end, "cannot be read", "", "without its CIE");
        };
        let mut at = field + width;
        let selector = usize::from(cie.segment_selector_size);
        if selector > 0 {
            let words = format!("{:#x}", fde.segment.unwrap_or(0));
            lines.line(at, at + selector, "segment selector", &words, "")?;
            at += selector;
        }
        let encoding = Standard.initial_location_encoding(self.section.kind, cie.fde_encoding);
        let location = format!("{:#x}", fde.initial_location);
        at = self.pointer(lines, at, encoding, "initial location", &location, cie.address_size)?;
        let format = Standard.address_range_encoding(encoding);
        let size = self.pointer_size(at, format, cie.address_size);
        let end = Standard.last_row_end(fde.initial_location, fde.address_range);
        let end = Standard.wrap(end, cie.address_size);
        let how = format!("a plain length: {location}..{end:#x}");
        lines.line(at, at + size, "address range", &format!("{:#x}", fde.address_range), &how)?;
        at += size;
        if Standard.fde_has_augmentation_data(self.section.kind, cie.augmentation) {
            let length = fde.augmentation_data.len();
            at = self.leb128(lines, at, "augmentation length", &length.to_string(), "the CIE's z")?;
            let end = at + length;
            if let Some(encoding) = cie.lsda_encoding.filter(|encoding| *encoding != OMIT && length > 0) {
                let value = describe::pointer(fde.lsda);
                at = self.pointer(lines, at, encoding, "LSDA", &value, cie.address_size)?;
            }
            if at < end {
                lines.line(
                    at,
                    end,
                    "more augmentation data",
                    "",
                    "passed over by the augmentation length",
                )?;
            }
        }
        Ok(())
    }

    /// An encoded pointer. Returns where it ends.
    fn pointer(
        &self,
        lines: &mut Lines<'_>,
        at: usize,
        encoding: u8,
        what: &str,
        value: &str,
        address_size: u8,
    ) -> io::Result<usize> {
        if encoding == OMIT {
            return Ok(at);
        }
        let mut start = at;
        if encoding & 0x70 == 0x50 {
            let place = self.section.address.0.wrapping_add(at as u64);
            start += (place.wrapping_neg() % u64::from(address_size.max(1))) as usize;
            lines.line(at, start, "padding", "", "up to an aligned place")?;
        }
        let size = self.pointer_size(start, encoding, address_size);
        let raw = self.raw(start, size, encoding);
        let (section, bases) = (self.section.address, self.section.bases);
        let based = |name: &str, base: Option<u64>| match base {
            Some(base) => format!("{name} {base:#x} {}", added(raw)),
            None => format!("{name}, which the file does not tell, {}", added(raw)),
        };
        let how = match encoding & 0x70 {
            0x10 => {
                let field = section.0.wrapping_add(start as u64);
                format!("this field's address {section} + {start:#x} = {field:#x}, {}", added(raw))
            }
            0x20 => based("start of .text", bases.text.map(|base| base.0)),
            0x30 => based("start of .got", bases.data.map(|base| base.0)),
            0x40 => based("start of the function", None),
            _ => String::new(),
        };
        let indirect = if encoding & 0x80 != 0 { ", where the address itself is (indirect)" } else { "" };
        let words = format!("{}: {how}{indirect}", encoding_words(encoding));
        lines.line(start, start + size, what, value, words.trim_end_matches(": "))?;
        Ok(start + size)
    }

    fn pointer_size(&self, at: usize, encoding: u8, address_size: u8) -> usize {
        // By the standard a format is the same in every field.
        match Standard.pointer_format(PointerField::InitialLocation, encoding, address_size) {
            Some(PointerFormat::Unsigned(width) | PointerFormat::Signed(width)) => usize::from(width),
            Some(PointerFormat::Uleb128 | PointerFormat::Sleb128) => leb128_size(self.bytes_from(at)),
            None => 0,
        }
    }

    /// A pointer's value before its base is added.
    fn raw(&self, at: usize, size: usize, encoding: u8) -> i64 {
        match encoding & 0x0f {
            0x01 | 0x09 => {
                let bytes = &self.bytes_from(at)[..size];
                let bits = bytes.iter().rev().fold(0, |value: u64, byte| value << 7 | u64::from(byte & 0x7f));
                let is_negative = encoding & 0x08 != 0 && bytes.last().is_some_and(|last| last & 0x40 != 0);
                let bits = if is_negative && size < 10 { bits | u64::MAX << (7 * size) } else { bits };
                bits.cast_signed()
            }
            format => {
                let value = self.number(at, size);
                let unused = 64 - 8 * size.clamp(1, 8) as u32;
                let is_signed = format & 0x08 != 0;
                if is_signed { (value << unused).cast_signed() >> unused } else { value.cast_signed() }
            }
        }
    }

    /// A LEB128 number. Returns where it ends.
    fn leb128(
        &self,
        lines: &mut Lines<'_>,
        at: usize,
        what: &str,
        value: &str,
        how: &str,
    ) -> io::Result<usize> {
        let end = at + leb128_size(self.bytes_from(at));
        lines.line(at, end, what, value, how)?;
        Ok(end)
    }

    fn number(&self, at: usize, width: usize) -> u64 {
        let bytes = self.bytes_from(at);
        let bytes = &bytes[..width.min(bytes.len()).min(8)];
        let shift_in = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
        match self.case.target.endianness {
            Endianness::Little => bytes.iter().rev().fold(0, shift_in),
            Endianness::Big => bytes.iter().fold(0, shift_in),
        }
    }

    fn bytes_from(&self, at: usize) -> &[u8] {
        let end = self.record.end.min(self.section.data.len());
        self.section.data.get(at.min(end)..end).unwrap_or_default()
    }
}

/// A DW_EH_PE encoding in words: `pcrel sdata4`.
fn encoding_words(encoding: u8) -> String {
    if encoding == OMIT {
        return "omitted".to_owned();
    }
    let format = pointer_format_name(encoding).unwrap_or("undefined");
    let indirect = if encoding & 0x80 != 0 { "indirect " } else { "" };
    match pointer_application_name(encoding) {
        Some("absolute") => format!("{indirect}{format}"),
        application => format!("{indirect}{} {format}", application.unwrap_or("undefined")),
    }
}
