//! The command from outside: what a person or a program gets for good input, bad input and broken tools.

mod archives;
mod clients;
mod expectations;
mod explain;
mod external;
mod formats;
mod generate;
mod inputs;
mod matrix;
mod output;
mod readers;
mod support;
mod triage;
mod triage_stacks;
