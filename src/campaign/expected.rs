//! The expected answer that a case of a conformance suite has beside it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cfidiff_oracles::expected::ExpectedAnswer;

/// The most bytes that such a file may have.
const MAX_BYTES: u64 = 64 << 20;

/// The answer in `PATH.jsonl`; `None` when there is no such file, or when it holds lines of another kind.
///
/// # Errors
/// In words that name the file, when it holds an expected answer that cannot be used.
pub(super) fn beside(path: &Path) -> Result<Option<ExpectedAnswer>, String> {
    let mut name = OsString::from(path);
    name.push(".jsonl");
    let name = PathBuf::from(name);
    let told = |why: &dyn std::fmt::Display| format!("{}: {why}", name.display());
    let file = match File::open(&name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(told(&error)),
    };
    // A pipe of that name would never end.
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| told(&error))?;
    // Any file may have lines of another kind beside it, of any size.
    let is_other = bytes.len() as u64 > MAX_BYTES;
    let Some(text) = std::str::from_utf8(&bytes).ok().filter(|_| !is_other) else { return Ok(None) };
    ExpectedAnswer::parse(text).map_err(|why| told(&why))
}
