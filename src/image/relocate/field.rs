//! The fields that relocations change: how wide they are and which of their bits count.

use std::borrow::Cow;

use cfidiff_model::Endianness;

use crate::image::integer;

/// A field's shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    /// A whole number of bytes: 1, 2, 3, 4 or 8.
    Bytes(u8),
    /// The low six bits of a byte: the delta of DW_CFA_advance_loc.
    LowSixBits,
    /// The low 31 bits of a four-byte word, as ARM's exception tables have them.
    Low31Bits,
    /// An unsigned LEB128 number, whose length in bytes stays as it is.
    Uleb128,
}

/// The longest LEB128 field that is changed: 64 bits need ten bytes, and assemblers pad a little.
const LEB_LIMIT: usize = 16;

impl Field {
    /// The value of the field that starts `bytes`. Signs are extended.
    pub(super) fn load(self, bytes: &[u8], endianness: Endianness) -> Result<u64, Cow<'static, str>> {
        let size = self.size(bytes)?;
        Ok(match self {
            Field::Bytes(_) => integer::sign_extend(integer::read(&bytes[..size], endianness), size),
            Field::LowSixBits => u64::from(bytes[0] & 0x3f),
            Field::Low31Bits => ((integer::read(&bytes[..size], endianness) << 33) as i64 >> 33) as u64,
            Field::Uleb128 => bytes[..size]
                .iter()
                .zip((0..64).step_by(7))
                .fold(0, |value, (&byte, shift)| value | u64::from(byte & 0x7f) << shift),
        })
    }

    /// Puts the least significant bits of `value` into the field that starts `bytes`.
    pub(super) fn store(
        self,
        bytes: &mut [u8],
        endianness: Endianness,
        value: u64,
    ) -> Result<(), Cow<'static, str>> {
        let size = self.size(bytes)?;
        match self {
            Field::Bytes(_) => integer::write(&mut bytes[..size], endianness, value),
            Field::LowSixBits => bytes[0] = bytes[0] & 0xc0 | value as u8 & 0x3f,
            Field::Low31Bits => {
                let kept = integer::read(&bytes[..size], endianness) & 0x8000_0000;
                integer::write(&mut bytes[..size], endianness, kept | value & 0x7fff_ffff);
            }
            Field::Uleb128 => {
                for (at, byte) in bytes[..size].iter_mut().enumerate() {
                    let bits = value.checked_shr(7 * at as u32).unwrap_or(0);
                    *byte = *byte & 0x80 | bits as u8 & 0x7f;
                }
            }
        }
        Ok(())
    }

    /// The field's size in bytes, which `bytes` are sure to have.
    fn size(self, bytes: &[u8]) -> Result<usize, Cow<'static, str>> {
        let size = match self {
            Field::Bytes(size) => usize::from(size),
            Field::LowSixBits => 1,
            Field::Low31Bits => 4,
            Field::Uleb128 => match bytes.iter().take(LEB_LIMIT).position(|byte| byte & 0x80 == 0) {
                Some(last) => last + 1,
                None => return Err("an unsigned LEB128 number of at most 16 bytes".into()),
            },
        };
        if size > bytes.len() {
            return Err(format!("a field of {size} bytes inside the section").into());
        }
        Ok(size)
    }
}
