//! gimli.
