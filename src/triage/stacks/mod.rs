//! Triage of wrong backtraces: two lists of stacks, and which one mistake of an unwinder makes one from the other.
//!
//! Stacks are read from what tools print, laid side by side, and compared frame by frame. A wrong unwinder leaves a
//! shape: errors that are constant within a function, a frame that is missing behind each call of one kind, a walk that
//! goes wrong behind one function. Each shape is one function here; the one that explains most stacks is named first,
//! with the planted faults that make it on this file.

mod base;
mod compared;
mod constants;
mod diagnose;
mod input;
mod lines;
mod program;
mod replay;
mod shape;
mod walks;

pub use base::{BaseError, Fits, LoadBase, work_out};
pub use compared::{Comparison, Pair, Place};
pub use diagnose::{Explanation, Report, Suspects, triage};
pub use input::{Form, Frame, ReadError, Stack, Stacks, read};
pub use program::{Function, Program, ProgramError};
pub use shape::{Found, FunctionError, Shape};
