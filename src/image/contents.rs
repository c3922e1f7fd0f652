//! The contents of one section: as they stand, or decompressed.

use cfidiff_model::{Class, Target};
use object::elf as abi;
use object::{CompressedData, CompressionFormat};

use super::headers::SectionHeader;
use super::integer;
use super::source::Source;

/// The most times that compressed data may grow. Deflate cannot do better than 1032 times.
const GROWTH_LIMIT: u64 = 1100;

/// The first bytes of GNU's own compressed debug sections, before the uncompressed size.
const GNU_MAGIC: &[u8] = b"ZLIB";

/// How much may be kept.
pub(super) struct Limits<'l> {
    /// Of one section.
    pub(super) section: u64,
    /// Of all sections still to come.
    pub(super) left: &'l mut u64,
}

/// The contents of a section that is in the file, with their file offset unless they were compressed; or in words why
/// they cannot be had.
///
/// Compressed are sections with SHF_COMPRESSED (ELF gABI, "Section Compression") and those of a name in
/// `.zdebug_` whose contents start with `ZLIB` and a big-endian eight-byte size (GNU).
pub(super) fn read(
    header: &SectionHeader,
    name: &str,
    target: &Target,
    source: &mut Source<'_>,
    limits: &mut Limits<'_>,
) -> Result<(Vec<u8>, Option<u64>), String> {
    if header.size > limits.section {
        return Err(format!(
            "its size of {:#x} bytes is past the limit of {:#x}",
            header.size, limits.section
        ));
    }
    let raw = source.bytes(header.offset, header.size).map_err(|unread| unread.to_string())?;
    let compressed = if header.flags & abi::SHF_COMPRESSED.0 != 0 {
        gabi_compressed(raw, target)?
    } else if name.starts_with(".zdebug_") && raw.starts_with(GNU_MAGIC) {
        gnu_compressed(raw)?
    } else {
        CompressedData::none(raw)
    };
    check_size(&compressed, limits)?;
    let contents = compressed.decompress().map_err(|error| format!("it does not decompress: {error}"))?;
    let claimed = compressed.uncompressed_size;
    // What the stream holds beyond the claimed size is left out without a word, unless there is room for it.
    let roomy = CompressedData { uncompressed_size: claimed.saturating_add(1), ..compressed };
    let is_raw = compressed.format == CompressionFormat::None;
    if !is_raw && roomy.decompress().is_ok() {
        return Err(format!("it decompresses to more than the claimed {claimed:#x} bytes"));
    }
    Ok((contents.into_owned(), is_raw.then_some(header.offset)))
}

fn check_size(compressed: &CompressedData<'_>, limits: &mut Limits<'_>) -> Result<(), String> {
    let (size, from) = (compressed.uncompressed_size, compressed.data.len() as u64);
    if size > limits.section {
        return Err(format!(
            "its claimed size of {size:#x} bytes is past the limit of {:#x}",
            limits.section
        ));
    }
    if size > from.saturating_mul(GROWTH_LIMIT) {
        return Err(format!("{from:#x} compressed bytes cannot hold the claimed {size:#x}"));
    }
    *limits.left = limits
        .left
        .checked_sub(size)
        .ok_or_else(|| format!("with its {size:#x} bytes the sections together are past the limit"))?;
    Ok(())
}

/// An Elf32_Chdr or Elf64_Chdr and the compressed data behind it.
fn gabi_compressed<'c>(raw: &'c [u8], target: &Target) -> Result<CompressedData<'c>, String> {
    let (size_at, header_size) = match target.class {
        Class::Elf32 => (4..8, 12),
        Class::Elf64 => (8..16, 24),
    };
    let (header, data) =
        raw.split_at_checked(header_size).ok_or("it is too short for a compression header")?;
    let format = match abi::CompressionType(integer::read(&header[..4], target.endianness) as u32) {
        abi::ELFCOMPRESS_ZLIB => CompressionFormat::Zlib,
        abi::ELFCOMPRESS_ZSTD => CompressionFormat::Zstandard,
        other => return Err(format!("its compression type {} is not known", other.0)),
    };
    Ok(CompressedData { format, data, uncompressed_size: integer::read(&header[size_at], target.endianness) })
}

fn gnu_compressed(raw: &[u8]) -> Result<CompressedData<'_>, String> {
    let (header, data) = raw.split_at_checked(12).ok_or("it is too short for a compression header")?;
    let uncompressed_size = integer::read(&header[4..], cfidiff_model::Endianness::Big);
    Ok(CompressedData { format: CompressionFormat::Zlib, data, uncompressed_size })
}
