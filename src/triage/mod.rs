//! Triage: the one mistake that explains all differences of a reader.
//!
//! A reader's answers are held against those of our reader with each planted fault in it, then with two of them. Where
//! all are the same, the fault is the diagnosis; where most are, it is a hint. What nothing explains is told by its
//! shape.

mod account;
mod answers;
mod behind;
mod deadline;
mod diagnose;
mod fit;
mod observe;
mod observed;
mod score;
mod seen;
mod separate;
mod shapes;
mod smallest;
pub mod stacks;

pub use account::{Account, Broke, Effort, Named, Shown, Stopped};
pub use answers::{Cases, Difference, Part, Place, Said, Wrong};
pub use behind::Unexplained;
pub use deadline::Deadline;
pub use diagnose::{Diagnosis, Evidence, Replays};
pub use observe::{Differing, observe};
pub use observed::{Break, Observed, Pass};
pub use score::{Caught, CaughtPair, Score, Tally, score};
pub use seen::Seen;
pub use separate::separate;
pub use shapes::{Shape, shapes};
pub use smallest::{SmallCase, smallest_case};
