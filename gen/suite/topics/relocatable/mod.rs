//! Relocatable objects: sections at address zero, with fields that hold nothing until relocations are
//! applied.

mod assembler;
mod machines;
mod sections;
mod single;

use crate::suite::Suite;

pub(super) use assembler::{Assembler, CODE_SIZE, Parts, records};
pub(super) use single::overlapping;

/// ELF gABI and the processor supplements.
const CLAUSE: &str = "ELF gABI, Relocation; the processor supplement has the formula of each type";

pub(super) fn add(suite: &mut Suite) {
    machines::add(suite);
    assembler::add(suite);
    sections::add(suite);
    single::add(suite);
}
