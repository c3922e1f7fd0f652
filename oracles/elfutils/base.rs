//! The address from which a file's other addresses are counted by eu-readelf.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use cfidiff_model::{Class, Endianness, Target};

/// The most program headers that are looked at. The linkers write about a dozen.
const HEADERS: u64 = 1024;

/// Where the first loaded segment of a shared object starts, rounded down to its alignment (gABI, program header).
/// Zero for other files, and for what cannot be read: eu-readelf has nothing to count from then either.
pub(super) fn base(path: &Path, target: Target) -> u64 {
    File::open(path).ok().and_then(|mut file| first_segment(&mut file, target)).unwrap_or(0)
}

fn first_segment(file: &mut (impl Read + Seek), target: Target) -> Option<u64> {
    const ET_DYN: u64 = 3;
    const PT_LOAD: u64 = 1;
    let wide = target.class == Class::Elf64;
    let mut header = [0; 64];
    file.read_exact(&mut header[..if wide { 64 } else { 52 }]).ok()?;
    let number = |bytes: &[u8], at: usize, size: usize| number(bytes, at, size, target.endianness);
    if number(&header, 16, 2)? != ET_DYN {
        return None;
    }
    let (table, entry_size, count) = match wide {
        true => (number(&header, 32, 8)?, number(&header, 54, 2)?, number(&header, 56, 2)?),
        false => (number(&header, 28, 4)?, number(&header, 42, 2)?, number(&header, 44, 2)?),
    };
    file.seek(SeekFrom::Start(table)).ok()?;
    let mut entry = vec![0; usize::try_from(entry_size).ok()?];
    for _ in 0..count.min(HEADERS) {
        file.read_exact(&mut entry).ok()?;
        if number(&entry, 0, 4)? == PT_LOAD {
            let (address, align) = match wide {
                true => (number(&entry, 16, 8)?, number(&entry, 48, 8)?),
                false => (number(&entry, 8, 4)?, number(&entry, 28, 4)?),
            };
            return Some(address & align.max(1).wrapping_neg());
        }
    }
    None
}

fn number(bytes: &[u8], at: usize, size: usize, endianness: Endianness) -> Option<u64> {
    let bytes = bytes.get(at..at + size)?;
    let value = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
    Some(match endianness {
        Endianness::Little => bytes.iter().rev().fold(0, value),
        Endianness::Big => bytes.iter().fold(0, value),
    })
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

    #[test]
    fn shared_objects_start_with_their_first_segment() {
        for class in [Class::Elf32, Class::Elf64] {
            for endianness in [Endianness::Little, Endianness::Big] {
                let (bytes, target) = file(class, endianness, 3);
                assert_eq!(first_segment(&mut Cursor::new(&bytes), target), Some(0x40_1000), "{target:?}");
                let (bytes, target) = file(class, endianness, 2);
                assert_eq!(first_segment(&mut Cursor::new(&bytes), target), None, "an executable");
            }
        }
    }

    #[test]
    fn what_is_cut_has_no_base() {
        let (bytes, target) = file(Class::Elf64, Endianness::Little, 3);
        for size in 0..bytes.len() {
            assert_eq!(first_segment(&mut Cursor::new(&bytes[..size]), target), None, "{size}");
        }
        assert_eq!(base(Path::new("no-such-file"), target), 0);
    }
}
