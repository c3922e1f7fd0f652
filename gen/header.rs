//! `.eh_frame_hdr` made to order (LSB Core, exception frame header).

use cfidiff_model::{Address, Bases, Entry, EntryKind, Target};

use crate::pointer::{DATAREL_SDATA4, OMIT, PCREL_SDATA4, UDATA4};
use crate::{Places, Unwritable, Writer};

/// One entry of the search table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeaderEntry {
    /// The initial location of an FDE.
    pub initial_location: Address,
    /// The address of that FDE's length field.
    pub fde: Address,
}

/// A header as it is to be written.
#[derive(Clone, Debug)]
pub struct HeaderSpec {
    /// The address of the header's first byte, from which datarel pointers count.
    pub address: Address,
    /// The version: 1 is defined.
    pub version: u8,
    /// The address of `.eh_frame`.
    pub eh_frame: Address,
    /// The encoding of the address of `.eh_frame`.
    pub eh_frame_encoding: u8,
    /// The encoding of the number of entries; DW_EH_PE_omit for none.
    pub count_encoding: u8,
    /// The encoding of the table; DW_EH_PE_omit for none.
    pub table_encoding: u8,
    /// A number of entries to write in place of the right one.
    pub false_count: Option<u64>,
    /// The table, in the order in which it is written. A search needs it sorted by location.
    pub entries: Vec<HeaderEntry>,
}

impl HeaderSpec {
    /// What linkers write: version 1, `.eh_frame` as pcrel sdata4, the count as udata4, the table as datarel
    /// sdata4, sorted.
    pub fn sorted(address: Address, eh_frame: Address, mut entries: Vec<HeaderEntry>) -> HeaderSpec {
        entries.sort_by_key(|entry| (entry.initial_location, entry.fde));
        HeaderSpec {
            address,
            version: 1,
            eh_frame,
            eh_frame_encoding: PCREL_SDATA4,
            count_encoding: UDATA4,
            table_encoding: DATAREL_SDATA4,
            false_count: None,
            entries,
        }
    }

    /// What linkers write for a section at `eh_frame` with these entries: the header with each FDE.
    pub fn matching<'e>(
        address: Address,
        eh_frame: Address,
        entries: impl IntoIterator<Item = &'e Entry>,
    ) -> HeaderSpec {
        let of_fde = |entry: &Entry| match &entry.kind {
            EntryKind::Fde(fde) => {
                let address = Address(eh_frame.0 + entry.offset.0);
                Some(HeaderEntry { initial_location: fde.initial_location, fde: address })
            }
            _ => None,
        };
        HeaderSpec::sorted(address, eh_frame, entries.into_iter().filter_map(of_fde).collect())
    }

    /// The size in bytes when every field has four bytes, as with the encodings of [`HeaderSpec::sorted`].
    pub fn usual_size(entry_count: usize) -> u64 {
        12 + 8 * entry_count as u64
    }

    /// Writes the header.
    pub fn build(&self, target: Target) -> Result<Vec<u8>, Unwritable> {
        let mut to = Writer::new(target.endianness);
        let places = Places {
            section: self.address,
            bases: Bases { text: None, data: Some(self.address) },
            function: None,
            address_size: target.class.address_size(),
        };
        to.u8(self.version);
        to.bytes(&[self.eh_frame_encoding, self.count_encoding, self.table_encoding]);
        places.write_pointer(&mut to, self.eh_frame_encoding, self.eh_frame)?;
        let count = self.false_count.unwrap_or(self.entries.len() as u64);
        places.write_size(&mut to, self.count_encoding, count)?;
        if self.table_encoding != OMIT {
            for entry in &self.entries {
                places.write_pointer(&mut to, self.table_encoding, entry.initial_location)?;
                places.write_pointer(&mut to, self.table_encoding, entry.fde)?;
            }
        }
        Ok(to.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfidiff_model::{Class, Endianness, Machine};

    #[test]
    fn the_usual_header() {
        let target = Target {
            machine: Machine::X86_64,
            class: Class::Elf64,
            endianness: Endianness::Little,
            relocatable: false,
        };
        let entries = vec![
            HeaderEntry { initial_location: Address(0x1040), fde: Address(0x2030) },
            HeaderEntry { initial_location: Address(0x1010), fde: Address(0x2018) },
        ];
        let header = HeaderSpec::sorted(Address(0x1f00), Address(0x2000), entries);
        let bytes = header.build(target).unwrap();
        let expected = [
            [1, 0x1b, 3, 0x3b], // Version and encodings.
            [0xfc, 0, 0, 0],    // .eh_frame, from this field at 0x1f04.
            [2, 0, 0, 0],
            [0x10, 0xf1, 0xff, 0xff], // 0x1010 from 0x1f00.
            [0x18, 1, 0, 0],
            [0x40, 0xf1, 0xff, 0xff],
            [0x30, 1, 0, 0],
        ];
        assert_eq!(bytes, expected.as_flattened());
        assert_eq!(bytes.len() as u64, HeaderSpec::usual_size(2));
    }
}
