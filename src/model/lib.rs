//! The vocabulary of cfidiff.
//!
//! A [`Case`] is an input, a *reader* is anything that reads call frame information, and a [`Finding`] is one
//! difference between readers. What a reader says of a case travels as a stream of [`Entry`] values into a
//! [`Sink`], so that no answer has to be held in memory whole.
//!
//! This crate knows the nouns of the format and nothing of how to read it: every reader, the in-house one
//! included, depends on it, and it depends on none of them.

#![forbid(unsafe_code)]

#[macro_use]
mod keyed;

mod address;
mod answer;
mod case;
mod encoding;
mod entry;
mod expression;
mod fault;
mod finding;
mod instruction;
mod invariant;
mod machine;
mod registers;
mod row;
mod wire;

pub use address::{Address, SectionOffset};
pub use answer::{LookUp, Outcome, Says, Sink};
pub use case::{Bases, Case, Class, Endianness, Section, SectionKind, Target};
pub use encoding::{POINTER_APPLICATIONS, POINTER_FORMATS, pointer_application_name, pointer_format_name};
pub use entry::{Bytes, Cie, Entry, EntryKind, Fde, Format, Pointer};
pub use expression::{Expression, Operation, operation_by_name, operation_name};
pub use fault::{Fault, FaultKind};
pub use finding::{Finding, Key, Rung, Statement, Verdict, Worth, Wrong};
pub use instruction::{Instruction, Operand};
pub use invariant::{BrokenInvariant, Invariant, Place, Severity};
pub use machine::Machine;
pub use registers::{register_by_name, register_name};
pub use row::{CfaRule, RegisterRule, RowRef, Rows};
