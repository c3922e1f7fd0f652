//! Expected findings: a user's list of what a reader is known to get wrong, each with a reason.
//!
//! The list is a file of TOML. An entry excuses findings by their key, reader, version and case; it is a known fault
//! that the user lists instead of cfidiff. So that a list does not outlive what it excuses, it also learns which of
//! its entries were of use: see [`Problem`].
//!
//! ```toml
//! [[expect]]
//! key = "row.*"                 # a finding key, or a glob over them
//! reader = "readelf"            # a reader's name, its tool's, or a glob over them
//! versions = "<=2.40"           # as in cfidiff's own lists; every version when left out
//! case = "encoding/*-df"        # a glob over the file's path; every file when left out
//! reason = "why it is so"       # required
//! link = "where to read more"   # optional
//! ```

mod entry;
mod file;
mod ledger;
mod update;

pub use entry::{Expectation, Place};
pub use file::{BadFile, Expectations};
pub use ledger::{Problem, State};
pub use update::Update;
