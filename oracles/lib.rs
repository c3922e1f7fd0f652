//! Other readers of call frame information, each answering in the model of `cfidiff-model`.
//!
//! An adapter depends on the model alone, never on the in-house reader, so that no oracle can lean on the
//! code it is compared with.

#![forbid(unsafe_code)]

use std::time::Duration;

use cfidiff_model::{Case, Says, Sink};

pub mod gimli;
pub mod known;
pub mod process;
pub mod readelf;

/// A reader that is not ours.
///
/// An oracle may need several passes over a case, for instance one run of a tool for the instructions and
/// one for the rows. Passes are independent of each other and may run at the same time.
pub trait Oracle: Send + Sync {
    /// The name under which reports list it, for instance `readelf`.
    fn name(&self) -> &str;
    /// The version that the tool tells, for instance `2.40`.
    fn version(&self) -> &str;
    /// The passes with what each says.
    fn passes(&self) -> &[Pass];
    /// Whether the tool reads a file by its path, so that many files go into one process with gain.
    fn reads_files(&self) -> bool;
    /// Reads the cases in one pass and pushes the answers into `sink`. Never panics, whatever the cases hold
    /// or the tool prints; every failure is an outcome.
    fn read(&self, pass: usize, cases: &[Case], sink: &mut dyn Sink);
}

/// One pass of an oracle.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// A short name, for instance `raw` or `interp`.
    pub name: &'static str,
    /// The most that the pass can say of a section.
    pub says: Says,
}

/// An oracle that could not be had.
#[derive(Clone, Debug)]
pub struct Missing {
    /// The oracle's name.
    pub name: &'static str,
    /// What was tried and what came of it.
    pub why: String,
    /// The exact command that installs it on Debian.
    pub install: &'static str,
}

/// The names of all oracles, in the order of the reports.
pub const NAMES: [&str; 2] = ["gimli", "readelf"];

/// Looks for the oracle of this name; `None` when no oracle has it. A tool gets `time_out` for each of its
/// processes.
pub fn probe(name: &str, time_out: Duration) -> Option<Result<Box<dyn Oracle>, Missing>> {
    match name {
        "gimli" => Some(Ok(Box::new(gimli::Gimli))),
        "readelf" => Some(readelf::Readelf::probe().map(|mut readelf| {
            readelf.time_limit = time_out;
            Box::new(readelf) as Box<dyn Oracle>
        })),
        _ => None,
    }
}
