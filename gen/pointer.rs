//! Pointers in the DW_EH_PE encodings (LSB Core, DWARF exception header encoding).

use std::fmt;

use cfidiff_model::{Address, Bases};

use crate::{Referent, Writer};

/// DW_EH_PE_omit: no pointer is there.
pub const OMIT: u8 = 0xff;
/// DW_EH_PE_pcrel with DW_EH_PE_sdata4: what compilers use for nearly everything.
pub const PCREL_SDATA4: u8 = 0x1b;
/// DW_EH_PE_datarel with DW_EH_PE_sdata4: what linkers use for the table of `.eh_frame_hdr`.
pub const DATAREL_SDATA4: u8 = 0x3b;
/// DW_EH_PE_udata4.
pub const UDATA4: u8 = 0x03;
/// DW_EH_PE_aligned: a plain address at the next aligned place.
pub const ALIGNED: u8 = 0x50;
/// DW_EH_PE_indirect, a flag.
pub const INDIRECT: u8 = 0x80;

const APPLICATION: u8 = 0x70;

/// What encoded pointers of one section count from.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The section's address, for DW_EH_PE_pcrel.
    pub section: Address,
    /// The bases of DW_EH_PE_textrel and DW_EH_PE_datarel.
    pub bases: Bases,
    /// The function's first address, for DW_EH_PE_funcrel.
    pub function: Option<Address>,
    /// The size of an address in bytes.
    pub address_size: u8,
}

/// Why something cannot be written as described.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unwritable {
    /// The encoding has a format or an application without a definition.
    Encoding(u8),
    /// The base that the encoding counts from was not given.
    Base(u8),
    /// The number does not fit its field or the encoding.
    Fit(u64),
    /// The pointer is not null and would be written as if it were, since it leads to its own base.
    Null,
    /// The record that an FDE names is no CIE.
    NoCie(usize),
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritable::Encoding(encoding) => write!(f, "pointer encoding {encoding:#04x} is not defined"),
            Unwritable::Base(encoding) => {
                write!(f, "the base of pointer encoding {encoding:#04x} is not given")
            }
            Unwritable::Fit(value) => write!(f, "{value:#x} does not fit its field"),
            Unwritable::Null => f.write_str("a pointer to its own base would be null"),
            Unwritable::NoCie(index) => write!(f, "record {index} is no CIE"),
        }
    }
}

impl std::error::Error for Unwritable {}

impl Places {
    /// Cuts a number to the address size.
    pub fn wrap(&self, value: u64) -> u64 {
        match self.address_size {
            size @ 0..8 => value & ((1 << (8 * size)) - 1),
            _ => value,
        }
    }

    /// Writes the pointer to `target` in `encoding` at the writer's end, whose offset is that in the section.
    /// Nothing is written for DW_EH_PE_omit.
    pub fn write_pointer(&self, to: &mut Writer, encoding: u8, target: Address) -> Result<(), Unwritable> {
        if encoding == OMIT {
            return Ok(());
        }
        if encoding & APPLICATION == ALIGNED {
            return self.write_aligned(to, encoding, target);
        }
        let base = match encoding & APPLICATION {
            0x00 => Some(0),
            0x10 => Some(self.section.0.wrapping_add(to.len() as u64)),
            0x20 => self.bases.text.map(|base| base.0),
            0x30 => self.bases.data.map(|base| base.0),
            0x40 => self.function.map(|base| base.0),
            _ => return Err(Unwritable::Encoding(encoding)),
        };
        let base = base.ok_or(Unwritable::Base(encoding))?;
        self.write_number(to, encoding, target.0.wrapping_sub(base))
    }

    /// Writes a pointer as [`Places::write_pointer`] does, and notes what it leads to. Only plain addresses and
    /// DW_EH_PE_pcrel in fields of fixed width can be left to a relocation.
    pub(crate) fn write_reference(
        &self,
        to: &mut Writer,
        encoding: u8,
        target: Address,
        referent: Referent,
    ) -> Result<(), Unwritable> {
        let start = to.len();
        self.write_pointer(to, encoding, target)?;
        let relative = encoding & APPLICATION == 0x10;
        let leb128 = encoding & 0x07 == 1;
        if encoding != OMIT && !leb128 && (relative || encoding & APPLICATION == 0) {
            to.refer(start, 8 * (to.len() - start) as u8, relative, referent);
        }
        Ok(())
    }

    /// DW_EH_PE_aligned: zero bytes up to the next multiple of the address size, then a plain address.
    fn write_aligned(&self, to: &mut Writer, encoding: u8, target: Address) -> Result<(), Unwritable> {
        if encoding & 0x0f != 0 {
            return Err(Unwritable::Encoding(encoding));
        }
        while !(self.section.0 + to.len() as u64).is_multiple_of(self.address_size.into()) {
            to.u8(0);
        }
        self.write_number(to, encoding, target.0)
    }

    /// Writes a difference of addresses in the format of `encoding`.
    fn write_number(&self, to: &mut Writer, encoding: u8, value: u64) -> Result<(), Unwritable> {
        let value = self.wrap(value);
        let unused = 64 - 8 * u32::from(self.address_size.clamp(1, 8));
        let signed = (value << unused).cast_signed() >> unused;
        match format(encoding, self.address_size)? {
            Format::Uleb => to.uleb(value),
            Format::Sleb => to.sleb(signed),
            Format::Unsigned(width) if fits(value, width) => to.unsigned(value, width.into()),
            Format::Signed(width) if fits_signed(signed, width) => {
                to.unsigned(signed.cast_unsigned(), width.into())
            }
            Format::Unsigned(_) | Format::Signed(_) => return Err(Unwritable::Fit(value)),
        }
        Ok(())
    }

    /// Writes a size in the format of `encoding`, without its application. A size has no sign, so in a signed
    /// format it may use all bits.
    pub fn write_size(&self, to: &mut Writer, encoding: u8, size: u64) -> Result<(), Unwritable> {
        if encoding == OMIT {
            return Ok(());
        }
        match format(encoding, self.address_size)? {
            Format::Uleb => to.uleb(size),
            Format::Sleb => to.sleb(size.cast_signed()),
            Format::Unsigned(width) | Format::Signed(width) if fits(size, width) => {
                to.unsigned(size, width.into())
            }
            Format::Unsigned(_) | Format::Signed(_) => return Err(Unwritable::Fit(size)),
        }
        Ok(())
    }
}

/// The low four bits of an encoding.
#[derive(Clone, Copy)]
enum Format {
    Uleb,
    Sleb,
    Unsigned(u8),
    Signed(u8),
}

fn format(encoding: u8, address_size: u8) -> Result<Format, Unwritable> {
    Ok(match encoding & 0x0f {
        0x00 => Format::Unsigned(address_size),
        0x01 => Format::Uleb,
        0x02 => Format::Unsigned(2),
        0x03 => Format::Unsigned(4),
        0x04 => Format::Unsigned(8),
        0x08 => Format::Signed(address_size),
        0x09 => Format::Sleb,
        0x0a => Format::Signed(2),
        0x0b => Format::Signed(4),
        0x0c => Format::Signed(8),
        _ => return Err(Unwritable::Encoding(encoding)),
    })
}

/// Whether the low `width` bytes hold the number.
pub(crate) fn fits(value: u64, width: u8) -> bool {
    width >= 8 || value >> (8 * width) == 0
}

fn fits_signed(value: i64, width: u8) -> bool {
    width >= 8 || {
        let unused = 64 - 8 * u32::from(width);
        value << unused >> unused == value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfidiff_model::Endianness;

    fn written(encoding: u8, target: u64, address_size: u8) -> Result<Vec<u8>, Unwritable> {
        let bases = Bases { text: Some(Address(0x1000)), data: None };
        let places = Places { section: Address(0x2000), bases, function: None, address_size };
        let mut to = Writer::new(Endianness::Little);
        to.u8(0xee);
        places.write_pointer(&mut to, encoding, Address(target))?;
        Ok(to.since(1).to_vec())
    }

    #[test]
    fn a_pointer_counts_from_its_base() {
        assert_eq!(written(0x1b, 0x1001, 8), Ok(vec![0x00, 0xf0, 0xff, 0xff]));
        assert_eq!(written(0x22, 0x1234, 8), Ok(vec![0x34, 0x02]));
        assert_eq!(written(0x00, 0x1234, 4), Ok(vec![0x34, 0x12, 0, 0]));
        assert_eq!(written(0x50, 0x12, 4), Ok(vec![0, 0, 0, 0x12, 0, 0, 0]));
        assert_eq!(written(OMIT, 0x12, 8), Ok(vec![]));
        // 32-bit differences wrap around.
        assert_eq!(written(0x1b, 0xffff_f001, 4), Ok(vec![0x00, 0xd0, 0xff, 0xff]));
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        assert_eq!(written(0x3b, 0, 8), Err(Unwritable::Base(0x3b)));
        assert_eq!(written(0x6b, 0, 8), Err(Unwritable::Encoding(0x6b)));
        assert_eq!(written(0x0d, 0, 8), Err(Unwritable::Encoding(0x0d)));
        assert_eq!(written(0x02, 0x1_0000, 8), Err(Unwritable::Fit(0x1_0000)));
        assert!(matches!(written(0x13, 0x1000, 8), Err(Unwritable::Fit(_))));
    }
}
