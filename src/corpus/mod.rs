//! The conformance suite as files: where they are, how they are written, how an answer is held against
//! them, and what readers make of them.

mod folder;
mod free;
mod matrix;
mod pattern;
mod questions;
mod verdicts;

pub use folder::{CASES, Listed, MANIFEST, NotWritten, files, write};
pub(crate) use free::take as take_free;
pub use matrix::{Cause, Cell, Class, Matrix, Topic};
pub use pattern::{Mismatch, compare, compare_with, header_fields, section_of};
pub use questions::{Question, answers, questions};
pub use verdicts::{AGREE, NOTHING, REJECTED, Verdicts, verdict};
