//! Numbers as bytes: fixed widths in a byte order, and LEB128.

use cfidiff_model::Endianness;

use crate::{Reference, Referent};

/// Bytes under construction in one byte order.
#[derive(Clone, Debug)]
pub struct Writer {
    bytes: Vec<u8>,
    endianness: Endianness,
    references: Vec<Reference>,
}

impl Writer {
    /// An empty writer.
    pub fn new(endianness: Endianness) -> Writer {
        Writer { bytes: Vec::new(), endianness, references: Vec::new() }
    }

    /// An empty writer in the same byte order.
    pub fn fresh(&self) -> Writer {
        Writer::new(self.endianness)
    }

    /// How many bytes were written.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes written from `start` on.
    pub fn since(&self, start: usize) -> &[u8] {
        &self.bytes[start..]
    }

    /// Takes back all bytes from `start` on.
    pub fn truncate(&mut self, start: usize) {
        self.bytes.truncate(start);
        self.references.retain(|reference| reference.offset < start as u64);
    }

    /// Notes that `bits` bits at `start`, which were written before, depend on an address.
    pub(crate) fn refer(&mut self, start: usize, bits: u8, relative: bool, to: Referent) {
        self.references.push(Reference { offset: start as u64, bits, relative, to });
    }

    /// What was noted of the bytes written, by place.
    pub(crate) fn take_references(&mut self) -> Vec<Reference> {
        let mut references = std::mem::take(&mut self.references);
        references.sort_by_key(|reference| reference.offset);
        references
    }

    /// Overwrites the bytes at `at`, which were written before.
    pub fn overwrite(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes one byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Writes two bytes.
    pub fn u16(&mut self, value: u16) {
        self.unsigned(value.into(), 2);
    }

    /// Writes four bytes.
    pub fn u32(&mut self, value: u32) {
        self.unsigned(value.into(), 4);
    }

    /// Writes eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.unsigned(value, 8);
    }

    /// Writes the low `width` bytes of `value`, at most eight.
    pub fn unsigned(&mut self, value: u64, width: usize) {
        let at = self.bytes.len();
        self.bytes.resize(at + width.min(8), 0);
        self.patch(at, value, width);
    }

    /// Overwrites the `width` bytes at `at`, which were written before.
    pub fn patch(&mut self, at: usize, value: u64, width: usize) {
        let width = width.min(8);
        let place = &mut self.bytes[at..at + width];
        match self.endianness {
            Endianness::Little => place.copy_from_slice(&value.to_le_bytes()[..width]),
            Endianness::Big => place.copy_from_slice(&value.to_be_bytes()[8 - width..]),
        }
    }

    /// Writes an unsigned LEB128 number in as few bytes as it takes (DWARF 5 section 7.6).
    pub fn uleb(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Writes an unsigned LEB128 number in at least `width` bytes: those that it does not need say nothing. The
    /// standard allows it, and assemblers write it where a number is patched later.
    pub fn uleb_padded(&mut self, value: u64, width: usize) {
        let start = self.bytes.len();
        self.uleb(value);
        while self.bytes.len() - start < width {
            let last = self.bytes.len() - 1;
            self.bytes[last] |= 0x80;
            self.bytes.push(0);
        }
    }

    /// Writes a signed LEB128 number in as few bytes as it takes (DWARF 5 section 7.6).
    pub fn sleb(&mut self, mut value: i64) {
        loop {
            let low = value as u8 & 0x7f;
            value >>= 7;
            let done = (value == 0 && low & 0x40 == 0) || (value == -1 && low & 0x40 != 0);
            self.bytes.push(if done { low } else { low | 0x80 });
            if done {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut writer = Writer::new(Endianness::Little);
        write(&mut writer);
        writer.into_bytes()
    }

    /// The examples of DWARF 5 tables 7.7 and 7.8.
    #[test]
    fn leb128_examples_of_the_standard() {
        assert_eq!(written(|to| to.uleb(2)), [2]);
        assert_eq!(written(|to| to.uleb(127)), [127]);
        assert_eq!(written(|to| to.uleb(128)), [0x80, 1]);
        assert_eq!(written(|to| to.uleb(12857)), [0xb9, 0x64]);
        assert_eq!(written(|to| to.sleb(-2)), [0x7e]);
        assert_eq!(written(|to| to.sleb(127)), [0xff, 0]);
        assert_eq!(written(|to| to.sleb(-127)), [0x81, 0x7f]);
        assert_eq!(written(|to| to.sleb(-129)), [0xff, 0x7e]);
        assert_eq!(written(|to| to.sleb(i64::MIN)).len(), 10);
        assert_eq!(written(|to| to.uleb_padded(16, 3)), [0x90, 0x80, 0]);
    }

    #[test]
    fn fixed_widths_follow_the_byte_order() {
        let mut big = Writer::new(Endianness::Big);
        big.u16(0x0102);
        big.unsigned(0x0304_0506, 4);
        big.patch(0, 0x0a0b, 2);
        assert_eq!(big.into_bytes(), [0x0a, 0x0b, 3, 4, 5, 6]);
        assert_eq!(written(|to| to.u32(0x0102_0304)), [4, 3, 2, 1]);
    }
}
