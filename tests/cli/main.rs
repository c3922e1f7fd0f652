//! The command from outside: what a person or a program gets for good input, bad input and broken tools.

mod clients;
mod explain;
mod external;
mod generate;
mod inputs;
mod output;
mod readers;
mod support;
