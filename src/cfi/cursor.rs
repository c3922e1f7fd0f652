//! Numbers out of bytes: a position, a limit, a byte order. Nothing here knows call frame information.

use cfidiff_model::Endianness;

/// Why a number could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReadError {
    /// The limit came first.
    Truncated,
    /// A LEB128 number with significant bits beyond 64.
    LebOverflow,
}

/// A place in a section's bytes with a limit that reads never cross.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    /// The bytes from the section's start up to the limit.
    pub data: &'a [u8],
    /// The offset of the next byte to read, from the section's start.
    pub position: usize,
    endianness: Endianness,
}

impl<'a> Cursor<'a> {
    /// A cursor at `position` that reads up to `limit`, which is cut to the section's end and to 4 GiB.
    #[inline(always)]
    pub fn new(data: &'a [u8], position: usize, limit: usize, endianness: Endianness) -> Cursor<'a> {
        let limit = limit.min(data.len()).min(u32::MAX as usize);
        Cursor { data: &data[..limit], position: position.min(limit), endianness }
    }

    /// A cursor at `position` over all of `data`, which is not longer than 4 GiB.
    #[inline(always)]
    pub fn over(data: &'a [u8], position: usize, endianness: Endianness) -> Cursor<'a> {
        debug_assert!(data.len() <= u32::MAX as usize);
        Cursor { data, position: position.min(data.len()), endianness }
    }

    /// How many bytes are left.
    #[inline(always)]
    pub fn remaining(&self) -> usize {
        self.data.len() - self.position
    }

    /// Limits the cursor to the next `count` bytes at most.
    #[inline(always)]
    pub fn limit(&mut self, count: usize) {
        if let Some(data) = self.data.get(..self.position.wrapping_add(count)) {
            self.data = data;
        }
    }

    /// The next `count` bytes.
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        let end = self.position.checked_add(count).ok_or(ReadError::Truncated)?;
        let bytes = self.data.get(self.position..end).ok_or(ReadError::Truncated)?;
        self.position = end;
        Ok(bytes)
    }

    /// The next `N` bytes, by reference: an array by value is taken apart byte by byte.
    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], ReadError> {
        // The cast loses nothing, see `new`. It tells the compiler that the sum cannot overflow, which spares a
        // check for each number.
        let start = self.position as u32 as usize;
        let bytes = self.data.get(start..start + N).and_then(|bytes| bytes.first_chunk());
        let bytes = bytes.ok_or(ReadError::Truncated)?;
        self.position = start + N;
        Ok(bytes)
    }

    #[inline(always)]
    fn is_big(&self) -> bool {
        matches!(self.endianness, Endianness::Big)
    }

    /// One byte.
    #[inline(always)]
    pub fn u8(&mut self) -> Result<u8, ReadError> {
        let byte = *self.data.get(self.position).ok_or(ReadError::Truncated)?;
        self.position += 1;
        Ok(byte)
    }

    /// Two bytes.
    #[inline(always)]
    pub fn u16(&mut self) -> Result<u16, ReadError> {
        let value = u16::from_le_bytes(*self.array()?);
        Ok(if self.is_big() { value.swap_bytes() } else { value })
    }

    /// Four bytes.
    #[inline(always)]
    pub fn u32(&mut self) -> Result<u32, ReadError> {
        let value = u32::from_le_bytes(*self.array()?);
        Ok(if self.is_big() { value.swap_bytes() } else { value })
    }

    /// Eight bytes.
    #[inline(always)]
    pub fn u64(&mut self) -> Result<u64, ReadError> {
        let value = u64::from_le_bytes(*self.array()?);
        Ok(if self.is_big() { value.swap_bytes() } else { value })
    }

    /// An unsigned number of `width` bytes, zero-extended; widths other than 0, 1, 2, 4 and 8 count as 8.
    #[inline(always)]
    pub fn unsigned(&mut self, width: u8) -> Result<u64, ReadError> {
        match width {
            0 => Ok(0),
            1 => self.u8().map(u64::from),
            2 => self.u16().map(u64::from),
            4 => self.u32().map(u64::from),
            _ => self.u64(),
        }
    }

    /// An unsigned LEB128 number. Padding with zero bits is read at any length.
    #[inline(always)]
    pub fn uleb(&mut self) -> Result<u64, ReadError> {
        let byte = self.u8()?;
        if byte < 0x80 {
            return Ok(u64::from(byte));
        }
        let (value, position) = uleb_rest(self.data, self.position, byte)?;
        self.position = position;
        Ok(value)
    }

    /// A signed LEB128 number. Padding with copies of the sign bit is read at any length.
    #[inline(always)]
    pub fn sleb(&mut self) -> Result<i64, ReadError> {
        let byte = self.u8()?;
        if byte < 0x80 {
            return Ok(i64::from(((byte << 1) as i8) >> 1));
        }
        let (value, position) = sleb_rest(self.data, self.position, byte)?;
        self.position = position;
        Ok(value)
    }
}

/// The value of a LEB128 number whose first byte was read, and the position behind it.
///
/// Out of line, since nearly all numbers have one byte. Not a method, so that a cursor can live in registers.
#[inline(never)]
fn uleb_rest(data: &[u8], mut position: usize, first: u8) -> Result<(u64, usize), ReadError> {
    let mut value = u64::from(first & 0x7f);
    let mut shift = 7u32;
    loop {
        let byte = *data.get(position).ok_or(ReadError::Truncated)?;
        position += 1;
        let low = u64::from(byte & 0x7f);
        if shift < 64 {
            if (low << shift) >> shift != low {
                return Err(ReadError::LebOverflow);
            }
            value |= low << shift;
        } else if low != 0 {
            return Err(ReadError::LebOverflow);
        }
        if byte < 0x80 {
            return Ok((value, position));
        }
        shift = shift.saturating_add(7);
    }
}

/// The same for a signed number.
#[inline(never)]
fn sleb_rest(data: &[u8], mut position: usize, first: u8) -> Result<(i64, usize), ReadError> {
    let mut value = i128::from(first & 0x7f);
    let mut shift = 7u32;
    loop {
        let byte = *data.get(position).ok_or(ReadError::Truncated)?;
        position += 1;
        let low = i128::from(byte & 0x7f);
        if shift < 70 {
            value |= low << shift;
        } else if low != if value >> 69 & 1 == 1 { 0x7f } else { 0 } {
            return Err(ReadError::LebOverflow);
        }
        shift = shift.saturating_add(7);
        if byte < 0x80 {
            // Sign-extend from the last bit read; bits beyond the 70th only repeat it.
            let width = shift.min(70);
            let extended = (value << (128 - width)) >> (128 - width);
            let value = i64::try_from(extended).map_err(|_| ReadError::LebOverflow)?;
            return Ok((value, position));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(bytes: &[u8]) -> Cursor<'_> {
        Cursor::new(bytes, 0, bytes.len(), Endianness::Little)
    }

    /// Values from DWARF 5 tables 7.7 and 7.8.
    #[test]
    fn leb128_reads_the_examples_of_the_standard() {
        for (value, bytes) in [(2, &[2][..]), (127, &[127]), (128, &[0x80, 1]), (12857, &[0xb9, 0x64])] {
            assert_eq!(cursor(bytes).uleb(), Ok(value));
        }
        let signed: [(i64, &[u8]); 8] = [
            (2, &[2]),
            (-2, &[0x7e]),
            (127, &[0xff, 0]),
            (-127, &[0x81, 0x7f]),
            (128, &[0x80, 1]),
            (-128, &[0x80, 0x7f]),
            (129, &[0x81, 1]),
            (-129, &[0xff, 0x7e]),
        ];
        for (value, bytes) in signed {
            assert_eq!(cursor(bytes).sleb(), Ok(value));
        }
    }

    #[test]
    fn leb128_takes_padding_and_refuses_lost_bits() {
        assert_eq!(
            cursor(&[0x90, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]).uleb(),
            Ok(16)
        );
        assert_eq!(cursor(&[0xff; 9]).uleb(), Err(ReadError::Truncated));
        let mut largest = [0xff; 10];
        largest[9] = 1;
        assert_eq!(cursor(&largest).uleb(), Ok(u64::MAX));
        largest[9] = 2;
        assert_eq!(cursor(&largest).uleb(), Err(ReadError::LebOverflow));
        let lowest = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f];
        assert_eq!(cursor(&lowest).sleb(), Ok(i64::MIN));
        let padded = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(cursor(&padded).sleb(), Ok(-2));
        let too_low = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7e];
        assert_eq!(cursor(&too_low).sleb(), Err(ReadError::LebOverflow));
    }

    #[test]
    fn nothing_is_read_past_the_limit() {
        let mut cursor = Cursor::new(&[1, 2, 3, 4], 1, 3, Endianness::Big);
        assert_eq!(cursor.u32(), Err(ReadError::Truncated));
        assert_eq!(cursor.u16(), Ok(0x0203));
        assert_eq!(cursor.u8(), Err(ReadError::Truncated));
    }
}
