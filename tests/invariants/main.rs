//! What must hold of call frame information by itself: each invariant on a file that breaks it, sound files that break
//! none, and the linkers' known faults.

mod command;
mod keys;
mod linkers;
mod made;
mod support;
