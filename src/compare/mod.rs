//! Comparing: what several readers say of a case, aligned record by record.
//!
//! Our reader is asked for each record that another reader gives, so that an answer of any size is compared
//! while it streams by. Only what a reader is able to say is compared. Every record ends in one of the five
//! verdicts, and every difference is a finding with its reason.

mod arbiter;
mod comparator;
mod construction;
mod entries;
mod features;
mod hearing;
mod judge;
mod likeness;
pub(crate) mod look_up;
mod rows;
mod tally;

pub use arbiter::{Witness, arbitrate};
pub(crate) use comparator::fingerprint;
pub use comparator::{CaseAnswer, Comparator, SectionAnswer};
pub use construction::Construction;
pub(crate) use entries::{Difference, Differences};
pub use judge::Judge;
pub(crate) use judge::{asked, repro};
pub(crate) use likeness::pattern;
pub use likeness::{Likeness, failure};
pub(crate) use look_up::read as look_up;
pub(crate) use tally::by_section;
pub use tally::{Counts, ReaderTally, Records, tally};
