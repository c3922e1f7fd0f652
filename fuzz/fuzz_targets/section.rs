//! Any bytes as a section: the in-house reader is total.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cfidiff_fuzz::section(bytes));

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    cfidiff_fuzz::replay(cfidiff_fuzz::section)
}
