//! Programs compiled in many ways: what compilers, assemblers and linkers write for the same frames.
//!
//! An [`Order`] finds the compilers and chooses, from all factors and their levels, variants that cover pairs of
//! levels; [`make`] makes their files in a [`Folder`], in parallel and from a [`Cache`].

pub mod assembler;
mod cache;
pub mod covering;
pub mod factors;
mod folder;
mod make;
mod manifest;
mod order;
pub mod probe;
mod process;
pub mod recipe;
pub mod source;
pub mod toolchain;

pub use cache::Cache;
pub use folder::{Folder, FolderError, MANIFEST, SOURCES, VARIANTS};
pub use make::{Outcome, make};
pub use order::{Order, OrderError, Request, Size};
pub use process::{Failure, Workshop, shell};
pub use recipe::Recipe;

#[cfg(test)]
mod tests;
