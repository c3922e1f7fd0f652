//! Any bytes as a section, read by the in-house reader and by gimli.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cfidiff_fuzz::differ(bytes));

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    cfidiff_fuzz::replay(cfidiff_fuzz::differ)
}
