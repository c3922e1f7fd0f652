//! Integers of the file's byte order.

use cfidiff_model::Endianness;

/// The unsigned number that `bytes` hold. Of more than eight bytes the eight least significant count.
pub(super) fn read(bytes: &[u8], endianness: Endianness) -> u64 {
    let shift_in = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
    match endianness {
        Endianness::Little => bytes.iter().rev().fold(0, shift_in),
        Endianness::Big => bytes.iter().fold(0, shift_in),
    }
}

/// Fills `bytes`, at most eight of them, with the least significant bytes of `value`.
pub(super) fn write(bytes: &mut [u8], endianness: Endianness, value: u64) {
    let size = bytes.len().min(8);
    match endianness {
        Endianness::Little => bytes[..size].copy_from_slice(&value.to_le_bytes()[..size]),
        Endianness::Big => bytes[..size].copy_from_slice(&value.to_be_bytes()[8 - size..]),
    }
}

/// Extends the sign of a number that is `size` bytes wide.
pub(super) fn sign_extend(value: u64, size: usize) -> u64 {
    let unused = 64 - 8 * size.clamp(1, 8) as u32;
    ((value << unused) as i64 >> unused) as u64
}
