//! A walk over records that reads nothing but where each FDE's code starts and ends: enough to see whether its
//! relocations were applied.

use cfidiff_model::{Endianness, Section, SectionKind, Target};

/// The first location and the location after the last one, per FDE in order.
///
/// Knows what the fixtures and real files have: 32-bit lengths, and the encodings absptr, udata4, sdata4, udata8
/// and sdata8, alone or pcrel. Panics on anything else.
pub fn of(section: &Section, target: &Target) -> Vec<(u64, u64)> {
    let mut walk = Walk { data: &section.data, at: 0, target };
    let mut encodings = Vec::new();
    let mut locations = Vec::new();
    while walk.at + 4 <= section.data.len() {
        let start = walk.at;
        let length = walk.number(4);
        let id_at = walk.at;
        let next = id_at + usize::try_from(length).expect("a length that fits");
        if length != 0 {
            let id = walk.number(4);
            let (is_cie, cie) = match section.kind {
                SectionKind::EhFrame => (id == 0, id_at.wrapping_sub(id as usize)),
                _ => (id == 0xffff_ffff, id as usize),
            };
            if is_cie {
                encodings.push((start, walk.encoding()));
            } else {
                let &(_, encoding) =
                    encodings.iter().find(|&&(start, _)| start == cie).expect("the CIE comes first");
                locations.push(walk.range(encoding, section.address.0));
            }
        }
        walk.at = next;
    }
    locations
}

struct Walk<'a> {
    data: &'a [u8],
    at: usize,
    target: &'a Target,
}

impl Walk<'_> {
    fn number(&mut self, size: usize) -> u64 {
        let bytes = &self.data[self.at..self.at + size];
        self.at += size;
        let shift_in = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
        match self.target.endianness {
            Endianness::Little => bytes.iter().rev().fold(0, shift_in),
            Endianness::Big => bytes.iter().fold(0, shift_in),
        }
    }

    fn skip_leb(&mut self) {
        while self.number(1) & 0x80 != 0 {}
    }

    /// The encoding of initial locations of the CIE whose version comes next; zero, absptr, when it has none.
    fn encoding(&mut self) -> u8 {
        let version = self.number(1);
        let augmentation: Vec<u8> =
            std::iter::from_fn(|| Some(self.number(1) as u8)).take_while(|&byte| byte != 0).collect();
        if version >= 4 {
            self.at += 2;
        }
        self.skip_leb();
        self.skip_leb();
        if version == 1 {
            self.at += 1
        } else {
            self.skip_leb()
        }
        let Some((b'z', letters)) = augmentation.split_first() else { return 0 };
        self.skip_leb();
        for letter in letters {
            match letter {
                b'R' => return self.number(1) as u8,
                b'L' => self.at += 1,
                b'P' => {
                    let encoding = self.number(1) as u8;
                    self.at += self.size(encoding);
                }
                _ => {}
            }
        }
        0
    }

    fn size(&self, encoding: u8) -> usize {
        match encoding & 0x07 {
            0x00 => usize::from(self.target.class.address_size()),
            0x03 => 4,
            0x04 => 8,
            _ => panic!("encoding {encoding:#x} is not known here"),
        }
    }

    fn range(&mut self, encoding: u8, section_address: u64) -> (u64, u64) {
        let address_size = u32::from(self.target.class.address_size());
        let place = section_address.wrapping_add(self.at as u64);
        let size = self.size(encoding);
        let unused = 64 - 8 * size as u32;
        let mut start = self.number(size);
        if encoding & 0x08 != 0 {
            start = ((start << unused) as i64 >> unused) as u64;
        }
        if encoding & 0x70 == 0x10 {
            start = start.wrapping_add(place);
        }
        let end = start.wrapping_add(self.number(size));
        let mask = u64::MAX >> (64 - 8 * address_size);
        (start & mask, end & mask)
    }
}
