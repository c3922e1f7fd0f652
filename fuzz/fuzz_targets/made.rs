//! Well-formed sections made to order, which the in-house reader has to read as they were meant.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cfidiff_fuzz::made(bytes));

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    cfidiff_fuzz::replay(cfidiff_fuzz::made)
}
