//! What eu-readelf's text does not tell and a file's own headers do (gABI): where a shared object starts.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use cfidiff_model::{Class, Endianness, Target};

/// The most program headers that are looked at. The linkers write about a dozen.
const HEADERS: u64 = 1024;

/// Where the first loaded segment of a shared object starts, rounded down to its alignment. Zero for other files, and
/// for what cannot be read: eu-readelf has nothing to count from then either.
pub(super) fn base(path: &Path, target: Target) -> u64 {
    Headers::open(path, target).and_then(|mut headers| headers.first_segment()).unwrap_or(0)
}

/// A file whose ELF header is read.
struct Headers<F> {
    file: F,
    target: Target,
    header: [u8; 64],
}

impl Headers<File> {
    fn open(path: &Path, target: Target) -> Option<Headers<File>> {
        Headers::of(File::open(path).ok()?, target)
    }
}

impl<F: Read + Seek> Headers<F> {
    fn of(mut file: F, target: Target) -> Option<Headers<F>> {
        let mut header = [0; 64];
        let size = if target.class == Class::Elf64 { 64 } else { 52 };
        file.read_exact(&mut header[..size]).ok()?;
        Some(Headers { file, target, header })
    }

    /// A field of the ELF header, whose place and size depend on the class.
    fn field(&self, wide: (usize, usize), narrow: (usize, usize)) -> Option<u64> {
        let (at, size) = if self.target.class == Class::Elf64 { wide } else { narrow };
        self.number(&self.header, at, size)
    }

    fn number(&self, bytes: &[u8], at: usize, size: usize) -> Option<u64> {
        let bytes = bytes.get(at..at + size)?;
        let value = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(match self.target.endianness {
            Endianness::Little => bytes.iter().rev().fold(0, value),
            Endianness::Big => bytes.iter().fold(0, value),
        })
    }

    /// Reads the entry of a table that starts at this offset in the file.
    fn entry(&mut self, at: u64, size: u64) -> Option<Vec<u8>> {
        self.file.seek(SeekFrom::Start(at)).ok()?;
        let mut entry = vec![0; usize::try_from(size).ok()?];
        self.file.read_exact(&mut entry).ok()?;
        Some(entry)
    }

    fn first_segment(&mut self) -> Option<u64> {
        const ET_DYN: u64 = 3;
        const PT_LOAD: u64 = 1;
        if self.field((16, 2), (16, 2))? != ET_DYN {
            return None;
        }
        let table = self.field((32, 8), (28, 4))?;
        let size = self.field((54, 2), (42, 2))?;
        for index in 0..self.field((56, 2), (44, 2))?.min(HEADERS) {
            let entry = self.entry(table.checked_add(index * size)?, size)?;
            if self.number(&entry, 0, 4)? == PT_LOAD {
                let wide = self.target.class == Class::Elf64;
                let (address, align) = if wide { ((16, 8), (48, 8)) } else { ((8, 4), (28, 4)) };
                let address = self.number(&entry, address.0, address.1)?;
                let align = self.number(&entry, align.0, align.1)?;
                return Some(address & align.max(1).wrapping_neg());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use cfidiff_model::Machine;

    use super::*;

    /// A file header and two program headers, the second of a segment at 0x401234 with pages of 4 KiB.
    fn file(class: Class, endianness: Endianness, kind: u64) -> (Vec<u8>, Target) {
        let target = Target { machine: Machine::X86_64, class, endianness, relocatable: false };
        let fields: &[(usize, usize, u64)] = match class {
            Class::Elf64 => &[
                (16, 2, kind),
                (32, 8, 64),
                (54, 2, 56),
                (56, 2, 2),
                (64, 4, 6),
                (120, 4, 1),
                (136, 8, 0x40_1234),
                (168, 8, 0x1000),
            ],
            Class::Elf32 => &[
                (16, 2, kind),
                (28, 4, 52),
                (42, 2, 32),
                (44, 2, 2),
                (52, 4, 6),
                (84, 4, 1),
                (92, 4, 0x40_1234),
                (112, 4, 0x1000),
            ],
        };
        let mut bytes = vec![0; 176];
        for &(at, size, value) in fields {
            match endianness {
                Endianness::Little => bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]),
                Endianness::Big => bytes[at..at + size].copy_from_slice(&value.to_be_bytes()[8 - size..]),
            }
        }
        (bytes, target)
    }

    fn start(bytes: &[u8], target: Target) -> Option<u64> {
        Headers::of(Cursor::new(bytes), target)?.first_segment()
    }

    #[test]
    fn shared_objects_start_with_their_first_segment() {
        for class in [Class::Elf32, Class::Elf64] {
            for endianness in [Endianness::Little, Endianness::Big] {
                let (bytes, target) = file(class, endianness, 3);
                assert_eq!(start(&bytes, target), Some(0x40_1000), "{target:?}");
                let (bytes, target) = file(class, endianness, 2);
                assert_eq!(start(&bytes, target), None, "an executable");
            }
        }
    }

    #[test]
    fn what_is_cut_has_no_base() {
        let (bytes, target) = file(Class::Elf64, Endianness::Little, 3);
        for size in 0..bytes.len() {
            assert_eq!(start(&bytes[..size], target), None, "{size}");
        }
        assert_eq!(base(Path::new("no-such-file"), target), 0);
    }
}
