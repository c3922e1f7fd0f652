//! Cases made to order for readers of call frame information.
//!
//! A [`SectionSpec`] describes a `.eh_frame` or `.debug_frame` section record by record, well-formed or not,
//! and [`SectionSpec::build`] gives its bytes together with the entries that they were written to be. A
//! [`Plan`] starts from the rows that are wanted and finds instructions for them. An [`ElfSpec`] puts
//! sections into a file that tools can open, linked or relocatable. With the `arbitrary` crate, whole
//! sections come from random bytes.
//!
//! The expected entries follow from the description alone. Nothing here reads call frame information, so a
//! mistake that a reader makes cannot be made here in the same way.
//!
//! ```
//! use cfidiff_gen::{CieSpec, FdeSpec, Program, Record, SectionSpec};
//! use cfidiff_model::{Address, Bases, Class, Endianness, Machine, SectionKind, Target};
//!
//! let mut cie = CieSpec::eh_frame(-8, 16);
//! cie.program = Program::new().def_cfa(7, 8).offset(16, 1);
//! let program = Program::new().advance_loc(1).def_cfa_offset(16).offset(6, 2);
//! let section = SectionSpec {
//!     kind: SectionKind::EhFrame,
//!     target: Target {
//!         machine: Machine::X86_64,
//!         class: Class::Elf64,
//!         endianness: Endianness::Little,
//!         relocatable: false,
//!     },
//!     address: Address(0x2000),
//!     bases: Bases::default(),
//!     wide_ids: false,
//!     records: vec![
//!         Record::Cie(cie),
//!         Record::Fde(FdeSpec::new(0, Address(0x1010), 0x20, program)),
//!         Record::Terminator,
//!     ],
//! };
//! let built = section.build()?;
//! assert_eq!(built.entries.len(), 3);
//! # Ok::<(), cfidiff_gen::BuildError>(())
//! ```

#![forbid(unsafe_code)]

mod arbitrary;
pub mod assembly;
mod augmentation;
pub mod coverage;
mod elf;
mod expression;
mod header;
mod plan;
mod pointer;
mod program;
pub mod programs;
pub mod random;
mod record;
mod reference;
mod section;
pub mod suite;
pub mod variants;
mod writer;

pub use crate::arbitrary::Scope;
pub use crate::elf::{
    Compression, ElfError, ElfSection, ElfSpec, Relocation, RelocationTypes, Symbol, SymbolKind,
};
pub use crate::expression::{Code, Operand};
pub use crate::header::{HeaderEntry, HeaderSpec};
pub use crate::plan::{Chooser, Plan, PlannedCfa, PlannedRow, PlannedRule, Shortest, State};
pub use crate::pointer::{ALIGNED, DATAREL_SDATA4, INDIRECT, OMIT, PCREL_SDATA4, Places, UDATA4, Unwritable};
pub use crate::program::Program;
pub use crate::record::{CieSpec, FdeSpec, Padding, Record, Splice};
pub use crate::reference::{Reference, Referent};
pub use crate::section::{BuildError, Built, SectionSpec};
pub use crate::writer::Writer;
