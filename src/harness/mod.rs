//! The conformance suite as tests of your own reader: one small file under `tests/`, and each case of the suite is a
//! test with a name.
//!
//! ```toml
//! [dev-dependencies]
//! cfidiff = "0.1"
//!
//! [[test]]
//! name = "conformance"
//! harness = false
//! ```
//!
//! Write a [`Reader`], which lists the records of a section, or an [`Unwinder`], which answers for single addresses, and
//! hand it to a [`Harness`] in `main`:
//!
//! ```no_run
//! use std::error::Error;
//! use std::process::ExitCode;
//!
//! use cfidiff::harness::{Entries, Harness, Reader, Section};
//! use cfidiff::model::Says;
//!
//! struct Mine;
//!
//! impl Reader for Mine {
//!     fn name(&self) -> &str {
//!         "mine"
//!     }
//!
//!     fn says(&self, _: &Section<'_>) -> Says {
//!         Says::RECORDS | Says::RANGE | Says::ROWS
//!     }
//!
//!     fn read(&self, section: &Section<'_>, entries: &mut Entries) -> Result<(), Box<dyn Error>> {
//!         // For each record of `section.data`: `entries.push(..)`, or `entries.refuse(offset, why)`.
//!         Err("to be written".into())
//!     }
//! }
//!
//! fn main() -> ExitCode {
//!     Harness::new(Mine).expecting("tests/conformance.toml").run()
//! }
//! ```
//!
//! An answer is held against what the case was made for, never against another reader's. Only what the reader says of
//! itself to be able to say is compared, and what the suite leaves to the reader is left to it. A record that the suite
//! broke in a part that the reader reads has to be refused; what is said of it beside that is not compared. `.eh_frame_hdr` is not asked about.
//!
//! Filters, `--list`, `--exact` and the other arguments are those of `cargo test`, and cargo-nextest runs each case in a
//! process of its own.

mod failure;
mod faults;
mod hold;
mod reader;
mod section;
mod subject;
#[cfg(test)]
mod tests;
mod trials;
mod unwinder;

pub use reader::{Entries, Reader};
pub use section::Section;
pub use trials::Harness;
pub use unwinder::Unwinder;
