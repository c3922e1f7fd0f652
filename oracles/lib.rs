//! Other readers of call frame information, each answering in the model of `cfidiff-model`.
//!
//! An adapter depends on the model alone, never on the in-house reader, so that no oracle can lean on the
//! code it is compared with.

#![forbid(unsafe_code)]

use cfidiff_model::{Address, Case, LookUp, Outcome, Says, Sink};

use crate::usage::Usage;

pub mod binutils;
mod compiled;
pub mod elfutils;
pub mod expected;
pub mod external;
pub mod gimli;
mod group;
pub mod known;
pub mod libdw;
pub mod libdwarf;
mod lines;
pub mod llvm;
pub mod llvm_readelf;
mod printed;
pub mod process;
pub mod pyelftools;
pub mod registry;
pub mod usage;
pub mod versions;

/// A reader that is not ours.
///
/// An oracle may need several passes over a case, for instance one run of a tool for the instructions and
/// one for the rows. Passes are independent of each other and may run at the same time.
pub trait Oracle: Send + Sync {
    /// The name under which reports list it, for instance `readelf`.
    fn name(&self) -> &str;
    /// The tool that it is a version of, under which known faults are listed.
    fn tool(&self) -> &str {
        self.name()
    }
    /// What the user gave to have it asked, `NAME=CMD`, unless it is a tool that its name is enough for.
    fn command(&self) -> Option<&str> {
        None
    }
    /// The version that the tool tells, for instance `2.40`.
    fn version(&self) -> &str;
    /// The readers that share code with it: together they are one witness. A reader that no family lists is one by
    /// itself.
    fn family(&self) -> &str {
        registry::tool(self.tool()).map_or(self.tool(), |tool| tool.family)
    }
    /// The passes with what each says.
    fn passes(&self) -> &[Pass];
    /// Whether the tool reads a file by its path, so that many files go into one process with gain.
    fn reads_files(&self) -> bool;
    /// Reads the cases in one pass and pushes the answers into `sink`. Never panics, whatever the cases hold
    /// or the tool prints; every failure is an outcome.
    fn read(&self, pass: usize, cases: &[Case], sink: &mut dyn Sink);
    /// What its processes took to read files up to now; `None` for a reader in this process. One that waits for more
    /// files is ended, since only then it is known.
    fn usage(&self) -> Option<Usage> {
        None
    }
    /// Whether the reader answers for single addresses only, so that `look_up` has to be used and not `read`.
    fn looks_up(&self) -> bool {
        false
    }
    /// Asks for the CFA and the return address at link-time addresses, and hands over the answers in any order.
    fn look_up(&self, _case: &Case, _addresses: &[Address], _each: &mut dyn FnMut(LookUp)) -> Outcome {
        Outcome::Unsupported("it reads whole sections".to_owned())
    }
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
    pub name: String,
    /// What was tried and what came of it.
    pub why: String,
    /// The exact command that installs it on Debian.
    pub install: String,
}
