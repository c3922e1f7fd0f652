//! Fuzz targets for readers of call frame information, as ordinary functions.
//!
//! Each takes any bytes and panics when a promise is broken. The programs in `fuzz_targets` hand them what
//! libFuzzer finds (`cargo fuzz run TARGET`, on a stable toolchain `cargo fuzz run -s none TARGET`); built without
//! it, they read the files that are named on the command line, so that a finding can be looked at on any
//! toolchain. The tests run every target on fixed bytes.

#![forbid(unsafe_code)]

mod differ;
mod header;
mod input;
mod made;
mod section;
#[cfg(test)]
mod tests;

use std::{env, fs, io};

pub use differ::differ;
pub use header::header;
pub use made::made;
pub use section::section;

/// Runs a target on each file named on the command line.
pub fn replay(target: fn(&[u8])) -> io::Result<()> {
    for path in env::args_os().skip(1) {
        target(&fs::read(path)?);
    }
    Ok(())
}
