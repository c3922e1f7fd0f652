//! The comparison and the run: a made-up reader repeats our own answer with one mistake, and exactly that is found.

mod arbitration;
mod campaign;
mod complaints;
mod construction;
mod exits;
mod instructions;
mod keys;
mod known;
mod limits;
mod plan;
mod records;
mod rows;
mod says;
mod support;
mod terminators;
