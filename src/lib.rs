//! cfidiff finds out whether readers of DWARF call frame information are right.

#![forbid(unsafe_code)]

pub mod campaign;
mod command_line;
pub mod compare;
pub mod corpus;
pub mod expectations;
pub mod faults;
#[cfg(feature = "harness")]
pub mod harness;
pub mod image;
pub mod invariants;
pub mod report;
pub mod triage;

pub use cfidiff_model as model;
