//! The line that starts a record: `OFFSET LENGTH ID CIE`, `OFFSET LENGTH POINTER FDE …`, or a terminator.

use cfidiff_model::{Address, Format, SectionOffset};

use crate::printed::cursor::Cursor;

/// A record's first line.
#[derive(Debug, PartialEq)]
pub(super) enum Head<'a> {
    /// `00000060 ZERO terminator`.
    Terminator { offset: SectionOffset },
    /// `00000000 0000000000000014 00000000 CIE`, in the interpreted form with the factors behind it.
    Cie { record: Record, factors: Option<Factors<'a>> },
    /// `00000018 000000000000001c 0000001c FDE cie=00000000 pc=0000000000001010..0000000000001030`.
    Fde { record: Record, fde: FdeHead },
}

/// What CIEs and FDEs have in common.
#[derive(Debug, PartialEq, Clone, Copy)]
pub(super) struct Record {
    pub(super) offset: SectionOffset,
    pub(super) length: u64,
    pub(super) format: Format,
    /// The size of an address that the tool read the record with: it prints the length that wide.
    pub(super) address_size: u8,
    /// The CIE id or the CIE pointer, as written.
    pub(super) id: u64,
}

/// `"zR" cf=1 df=-8 ra=16`.
#[derive(Debug, PartialEq)]
pub(super) struct Factors<'a> {
    pub(super) augmentation: &'a [u8],
    pub(super) code: u64,
    pub(super) data: i64,
    pub(super) return_address_register: u64,
}

/// The fields of an FDE's first line.
#[derive(Debug, PartialEq)]
pub(super) struct FdeHead {
    /// `None` for `cie=invalid`.
    pub(super) cie: Option<SectionOffset>,
    pub(super) segment: Option<u64>,
    pub(super) start: Address,
    pub(super) end: Address,
    pub(super) range: u64,
}

/// Parses a record's first line. `None` for any other.
pub(super) fn parse_head(line: &[u8]) -> Option<Head<'_>> {
    let mut cursor = Cursor::new(line);
    let offset = SectionOffset(cursor.hex()?.0);
    cursor.expect(b" ")?;
    if cursor.eat(b"ZERO terminator") {
        cursor.end()?;
        return Some(Head::Terminator { offset });
    }
    let (length, length_digits) = cursor.hex()?;
    cursor.expect(b" ")?;
    let (id, id_digits) = cursor.hex()?;
    cursor.expect(b" ")?;
    let format = if id_digits > 8 { Format::Dwarf64 } else { Format::Dwarf32 };
    let address_size = u8::try_from(length_digits / 2).ok()?;
    let record = Record { offset, length, format, address_size, id };
    if cursor.eat(b"FDE ") {
        return Some(Head::Fde { record, fde: fde(&mut cursor)? });
    }
    cursor.expect(b"CIE")?;
    let factors = if cursor.is_empty() { None } else { Some(factors(cursor.rest())?) };
    Some(Head::Cie { record, factors })
}

/// Whether the line is the first of a CIE whose augmentation string holds a line break, so that more follows.
pub(super) fn is_open(line: &[u8]) -> bool {
    let mut cursor = Cursor::new(line);
    for _ in 0..3 {
        if cursor.hex().is_none() || !cursor.eat(b" ") {
            return false;
        }
    }
    cursor.eat(b"CIE \"")
}

fn factors(rest: &[u8]) -> Option<Factors<'_>> {
    // The string may hold anything, the same words included, so its end is looked for from behind.
    const AFTER: &[u8] = b"\" cf=";
    let string = rest.strip_prefix(b" \"")?;
    let end = memchr::memmem::rfind(string, AFTER)?;
    let mut cursor = Cursor::new(&string[end + AFTER.len()..]);
    let code = cursor.number()?;
    cursor.expect(b" df=")?;
    let data = cursor.signed()?;
    cursor.expect(b" ra=")?;
    let return_address_register = cursor.number()?;
    cursor.end()?;
    Some(Factors { augmentation: &string[..end], code, data, return_address_register })
}

fn fde(cursor: &mut Cursor<'_>) -> Option<FdeHead> {
    cursor.expect(b"cie=")?;
    let cie = match cursor.peek() {
        Some(b'0'..=b'9' | b'a'..=b'f') => Some(SectionOffset(cursor.hex()?.0)),
        _ => {
            cursor.until(|byte| byte == b' ');
            None
        }
    };
    cursor.spaces();
    cursor.expect(b"pc=")?;
    let mut segment = None;
    let (mut start, mut digits) = cursor.hex()?;
    if cursor.eat(b":") {
        segment = Some(start);
        (start, digits) = cursor.hex()?;
    }
    cursor.expect(b"..")?;
    let (end, _) = cursor.hex()?;
    cursor.end()?;
    // Addresses wrap at their own width.
    let mask = u64::MAX >> (64 - 4 * digits.clamp(1, 16));
    let range = end.wrapping_sub(start) & mask;
    Some(FdeHead { cie, segment, start: Address(start), end: Address(end), range })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fde_of(line: &str) -> FdeHead {
        match parse_head(line.as_bytes()) {
            Some(Head::Fde { fde, .. }) => fde,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn heads_as_2_40_prints_them() {
        let record = Record {
            offset: SectionOffset(0x18),
            length: 0x1c,
            format: Format::Dwarf32,
            address_size: 8,
            id: 0x1c,
        };
        let fde = FdeHead {
            cie: Some(SectionOffset(0)),
            segment: None,
            start: Address(0x1010),
            end: Address(0x1030),
            range: 0x20,
        };
        assert_eq!(
            parse_head(
                b"00000018 000000000000001c 0000001c FDE cie=00000000 pc=0000000000001010..0000000000001030"
            ),
            Some(Head::Fde { record, fde })
        );
        assert_eq!(
            parse_head(b"00000060 ZERO terminator"),
            Some(Head::Terminator { offset: SectionOffset(0x60) })
        );
        let record = Record { offset: SectionOffset(0), length: 0x14, id: 0, ..record };
        assert_eq!(
            parse_head(b"00000000 0000000000000014 00000000 CIE"),
            Some(Head::Cie { record, factors: None })
        );
        let factors = Factors { augmentation: b"zR", code: 1, data: -8, return_address_register: 16 };
        assert_eq!(
            parse_head(b"00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16"),
            Some(Head::Cie { record, factors: Some(factors) })
        );
    }

    #[test]
    fn fdes_without_a_cie_with_a_segment_and_at_the_end_of_the_address_space() {
        let line =
            "00000018 000000000000001c 00040000 FDE cie=invalid  pc=00000020ffffeff0..0d4302a7100e30f0";
        assert_eq!(fde_of(line).cie, None);
        let line = "00000018 00000014 00000000 FDE cie=00000000 pc=0012:fffff000..00000010";
        let fde = fde_of(line);
        assert_eq!((fde.segment, fde.start, fde.range), (Some(0x12), Address(0xffff_f000), 0x1010));
    }

    #[test]
    fn the_widths_tell_format_and_address_size() {
        let line = b"00000000 0014 ffffffff CIE";
        let Some(Head::Cie { record, .. }) = parse_head(line) else { panic!("a CIE") };
        assert_eq!((record.address_size, record.format), (2, Format::Dwarf32));
        let line = b"00000000 000000000000001c ffffffffffffffff CIE";
        let Some(Head::Cie { record, .. }) = parse_head(line) else { panic!("a CIE") };
        assert_eq!((record.address_size, record.format), (8, Format::Dwarf64));
    }

    #[test]
    fn a_string_with_a_line_break_is_open() {
        assert!(is_open(b"00000000 0000000000000014 00000000 CIE \"z"));
        assert!(!is_open(b"00000000 0000000000000014 00000000 CIE"));
        let joined = b"00000000 0000000000000014 00000000 CIE \"z\nR\" cf=1 df=-8 ra=16";
        let Some(Head::Cie { factors: Some(factors), .. }) = parse_head(joined) else { panic!("a CIE") };
        assert_eq!(factors.augmentation, b"z\nR");
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            "",
            "00000000",
            "0000000000001010 rsp+8    u     c-8   ",
            "00000018 000000000000001c 0000001c FDE cie=00000000 pc=00..",
            "00000018 000000000000001c 0000001c XXX",
            "00000000000000000 000000000000001c 0000001c CIE",
        ] {
            assert_eq!(parse_head(line.as_bytes()), None, "{line}");
        }
    }
}
