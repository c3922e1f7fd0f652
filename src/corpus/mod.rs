//! The conformance suite as files: where they are, how they are written, and how an answer is held against them.

mod folder;
mod pattern;

pub use folder::{CASES, Listed, MANIFEST, NotWritten, files, write};
pub use pattern::{Mismatch, compare, section_of};
