//! What compilers and assemblers make of our programs, read by the in-house reader: the rows that were meant, and the
//! same rows whichever way they are written.
//!
//! gcc and GNU as are expected to be there, clang and cross assemblers are welcome.

mod assembly;
mod both_ways;
mod programs;
mod support;
