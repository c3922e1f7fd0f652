//! What an image without section headers still tells through its program headers.

use cfidiff_model::{Address, Bases, Case, Class, Section, SectionKind, Target};
use object::elf as abi;

use super::contents::Limits;
use super::elf::bases_of_kind;
use super::headers::{Headers, Segment};
use super::integer;
use super::source::Source;

/// Adds `.eh_frame_hdr`, which PT_GNU_EH_FRAME gives, and `.eh_frame`, which the header points to.
///
/// Where `.eh_frame` ends is not recorded anywhere, so it is taken to the end of what the file holds of its
/// segment, or to the header where that comes first. The case's notes say so.
pub(super) fn read(
    headers: &Headers<'_>,
    source: &mut Source<'_>,
    limits: &mut Limits<'_>,
    case: &mut Case,
    damage: &mut Vec<String>,
) {
    let Some(segment) = headers.segments.iter().find(|segment| segment.kind == abi::PT_GNU_EH_FRAME.0) else {
        return;
    };
    let bases = Bases { text: None, data: global_offset_table(headers, source) };
    let header = Range { offset: segment.offset, size: segment.file_size };
    let Some(header) = take(SectionKind::EhFrameHdr, segment.address, header, bases, source, limits, damage)
    else {
        return;
    };
    let frame = frame_address(headers, source, &header)
        .and_then(|address| Ok((address, frame_range(headers, address, segment.address)?)));
    match frame {
        Ok((address, range)) => {
            let frame = take(SectionKind::EhFrame, address, range, bases, source, limits, damage);
            if let Some(frame) = frame {
                case.sections.push(frame);
                case.notes.push(
                    "the file has no section headers: .eh_frame is taken up to the end of its segment"
                        .to_owned(),
                );
            }
        }
        Err(why) => case.notes.push(format!("the file has no section headers, and {why}")),
    }
    case.sections.push(header);
    case.sections.sort_by_key(|section| section.address);
}

/// The value of DT_PLTGOT: where the global offset table is (ELF gABI, "Dynamic Section").
pub(super) fn global_offset_table(headers: &Headers<'_>, source: &mut Source<'_>) -> Option<Address> {
    let dynamic = headers.segments.iter().find(|segment| segment.kind == abi::PT_DYNAMIC.0)?;
    let word = usize::from(headers.target.class.address_size());
    let entries = source.bytes(dynamic.offset, dynamic.file_size).ok()?;
    let mut entries = entries.chunks_exact(2 * word).map(|entry| {
        let (tag, value) = entry.split_at(word);
        (integer::read(tag, headers.target.endianness), integer::read(value, headers.target.endianness))
    });
    let (_, value) =
        entries.find(|&(tag, _)| tag == 0 || tag == abi::DT_PLTGOT.0 as u64).filter(|&(tag, _)| tag != 0)?;
    Some(Address(value))
}

/// A part of the file.
#[derive(Clone, Copy)]
struct Range {
    offset: u64,
    size: u64,
}

/// The section that fills this part of the file; what prevents it is damage.
fn take(
    kind: SectionKind,
    address: u64,
    range: Range,
    bases: Bases,
    source: &mut Source<'_>,
    limits: &mut Limits<'_>,
    damage: &mut Vec<String>,
) -> Option<Section> {
    let left = limits.left.checked_sub(range.size).filter(|_| range.size <= limits.section);
    let read = match left {
        Some(_) => source.bytes(range.offset, range.size).map_err(|unread| unread.to_string()),
        None => Err(format!("its {:#x} bytes are past the limit", range.size)),
    };
    match read {
        Ok(data) => {
            *limits.left -= range.size;
            Some(Section {
                kind,
                name: kind.name().to_owned(),
                index: None,
                section_type: 0,
                address: Address(address),
                file_offset: Some(range.offset),
                data: data.to_vec(),
                bases: bases_of_kind(bases, kind, address),
                faults: Vec::new(),
            })
        }
        Err(why) => {
            damage.push(format!("{} cannot be read: {why}", kind.name()));
            None
        }
    }
}

/// What the file holds from `address` to the end of its PT_LOAD segment, cut at the header.
fn frame_range(headers: &Headers<'_>, address: u64, header_address: u64) -> Result<Range, String> {
    let (segment, inside) = load_segment(headers, address)
        .ok_or_else(|| format!("eh_frame_ptr leads to {address:#x}, which is in no segment"))?;
    let rest = segment.file_size - inside;
    let to_header = header_address.checked_sub(address).filter(|&distance| distance > 0).unwrap_or(rest);
    Ok(Range { offset: segment.offset.wrapping_add(inside), size: rest.min(to_header) })
}

/// The PT_LOAD segment whose file contents hold `address`, and how far into it that is.
fn load_segment<'h>(headers: &'h Headers<'_>, address: u64) -> Option<(&'h Segment, u64)> {
    headers.segments.iter().filter(|segment| segment.kind == abi::PT_LOAD.0).find_map(|segment| {
        let inside = address.checked_sub(segment.address)?;
        (inside < segment.file_size).then_some((segment, inside))
    })
}

/// The address that the header's eh_frame_ptr gives (LSB Core, "The .eh_frame_hdr section").
fn frame_address(headers: &Headers<'_>, source: &mut Source<'_>, header: &Section) -> Result<u64, String> {
    let &[_version, encoding, _count_encoding, _table_encoding, ref field @ ..] = header.data.as_slice()
    else {
        return Err(".eh_frame_hdr is too short for its fields".to_owned());
    };
    let undefined = || format!("the encoding {encoding:#04x} of eh_frame_ptr cannot be followed");
    let value = encoded_value(encoding, field, &headers.target).ok_or_else(undefined)?;
    let base = match encoding & 0x70 {
        0x00 => 0,
        0x10 => header.address.0.wrapping_add(4),
        0x30 => header.address.0,
        _ => return Err(undefined()),
    };
    let address = cut(base.wrapping_add(value), &headers.target);
    if encoding & 0x80 == 0 {
        return Ok(address);
    }
    let size = headers.target.class.address_size();
    let (segment, inside) = load_segment(headers, address)
        .ok_or_else(|| format!("eh_frame_ptr is in {address:#x}, which is in no segment"))?;
    let slot = source
        .bytes(segment.offset.wrapping_add(inside), u64::from(size))
        .map_err(|unread| unread.to_string())?;
    Ok(integer::read(slot, headers.target.endianness))
}

/// The value of an encoded pointer before its base is added. `None` for DW_EH_PE_omit, for undefined encodings
/// and where the bytes end.
fn encoded_value(encoding: u8, field: &[u8], target: &Target) -> Option<u64> {
    if encoding == 0xff {
        return None;
    }
    let size = match encoding & 0x07 {
        0x00 => usize::from(target.class.address_size()),
        0x01 => return leb128(field, encoding & 0x08 != 0),
        0x02 => 2,
        0x03 => 4,
        0x04 => 8,
        _ => return None,
    };
    let value = integer::read(field.get(..size)?, target.endianness);
    Some(if encoding & 0x08 == 0 { value } else { integer::sign_extend(value, size) })
}

fn leb128(field: &[u8], signed: bool) -> Option<u64> {
    let mut value = 0u64;
    for (&byte, shift) in field.iter().zip((0..64).step_by(7)) {
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let negative = signed && byte & 0x40 != 0 && shift + 7 < 64;
            return Some(if negative { value | u64::MAX << (shift + 7) } else { value });
        }
    }
    None
}

fn cut(address: u64, target: &Target) -> u64 {
    match target.class {
        Class::Elf32 => address & 0xffff_ffff,
        Class::Elf64 => address,
    }
}
