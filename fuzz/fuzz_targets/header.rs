//! Any bytes as `.eh_frame_hdr`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cfidiff_fuzz::header(bytes));

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    cfidiff_fuzz::replay(cfidiff_fuzz::header)
}
