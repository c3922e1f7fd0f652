//! Compressed sections (ELF gABI, "Section Compression"; GNU's older `.zdebug_` sections).

use cfidiff_model::{Class, Target};

use crate::Writer;

/// SHF_COMPRESSED and ELFCOMPRESS_ZLIB.
const COMPRESSED: u64 = 0x800;
const ZLIB: u32 = 1;
/// The most that one stored block of deflate holds.
const BLOCK: usize = 0xffff;

/// How a section is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// SHF_COMPRESSED with a header of the class.
    Zlib,
    /// As in `.zdebug_` sections: "ZLIB" and the size as eight big-endian bytes, without a flag.
    GnuZlib,
}

impl Compression {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Zlib => "zlib",
            Compression::GnuZlib => "zlib-gnu",
        }
    }

    /// The flag of the section header that tells it.
    pub(super) fn flag(self) -> u64 {
        if self == Compression::Zlib { COMPRESSED } else { 0 }
    }

    /// Contents as the file holds them.
    pub(super) fn compress(self, data: &[u8], align: u64, target: Target) -> Vec<u8> {
        let mut to = Writer::new(target.endianness);
        match self {
            Compression::Zlib => {
                let word = usize::from(target.class.address_size());
                to.u32(ZLIB);
                if target.class == Class::Elf64 {
                    to.u32(0);
                }
                to.unsigned(data.len() as u64, word);
                to.unsigned(align, word);
            }
            Compression::GnuZlib => {
                to.bytes(b"ZLIB");
                to.bytes(&(data.len() as u64).to_be_bytes());
            }
        }
        to.bytes(&stored(data));
        to.into_bytes()
    }
}

/// A zlib stream (RFC 1950) of stored blocks (RFC 1951 section 3.2.4). It saves nothing, and is the same
/// whatever compressor there is.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut rest = data;
    loop {
        let (block, behind) = rest.split_at(rest.len().min(BLOCK));
        let length = block.len() as u16;
        stream.push(u8::from(behind.is_empty()));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    stream.extend(adler32(data).to_be_bytes());
    stream
}

/// The checksum of RFC 1950 section 8.2.
fn adler32(data: &[u8]) -> u32 {
    let (mut low, mut high) = (1u32, 0u32);
    for &byte in data {
        low = (low + u32::from(byte)) % 65521;
        high = (high + low) % 65521;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Python 3: `zlib.compress(b"Wikipedia", 0)`.
    #[test]
    fn a_stored_stream() {
        let expected = b"\x78\x01\x01\x09\x00\xf6\xffWikipedia\x11\xe6\x03\x98";
        assert_eq!(stored(b"Wikipedia"), expected);
        // Two blocks: 0xffff bytes and one.
        assert_eq!(stored(&[0; 0x10000]).len(), 2 + 2 * 5 + 0x10000 + 4);
        // `zlib.adler32(b"\xff" * 1000)`: both sums are past the modulus.
        assert_eq!(adler32(&[0xff; 1000]), 0xe6e9_e446);
    }
}
