//! The in-house reader of call frame information: bytes to records, to instructions, to rows.
//!
//! It is total: any bytes give records that tile the section, with faults where they are ill-formed. It
//! never panics, its work is linear in the input, its memory bounded. It is zero-copy: a walk allocates for
//! CIEs only.
//!
//! Everything that a reader can get wrong is a method of [`Semantics`], whose defaults are the right answers.
//!
//! ```
//! use cfidiff_cfi::{Reader, RecordKind};
//! use cfidiff_model::{Address, Bases, Class, Endianness, Machine, Section, SectionKind, Target};
//!
//! let target = Target {
//!     machine: Machine::X86_64,
//!     class: Class::Elf64,
//!     endianness: Endianness::Little,
//!     relocatable: false,
//! };
//! let section = Section {
//!     kind: SectionKind::EhFrame,
//!     name: ".eh_frame".into(),
//!     index: None,
//!     section_type: 0,
//!     address: Address(0x2000),
//!     file_offset: None,
//!     data: vec![0, 0, 0, 0],
//!     bases: Bases::default(),
//!     faults: Vec::new(),
//! };
//! let record = Reader::new(&section, target).walk().next().unwrap();
//! assert!(matches!(record.kind, RecordKind::Terminator));
//! ```

#![forbid(unsafe_code)]

mod choices;
mod cie;
mod cies;
mod cursor;
mod evaluate;
mod expression;
mod fault;
mod fde;
mod header;
mod lister;
mod look_up;
pub mod op;
mod pointer;
mod program;
mod reader;
mod register_file;
mod row_machine;
mod semantics;
mod table;

pub use choices::{
    AugmentationLetter, InitialLength, Opcode2d, OpcodeUse, PointerField, PointerFormat, UndefinedApplication,
};
pub use cie::Cie;
pub use evaluate::{Frame, Value};
pub use expression::decode as decode_expression;
pub use fault::Faults;
pub use fde::Fde;
pub use header::{Header, HeaderEntry};
pub use program::Block;
pub use reader::{Reader, Record, RecordKind, Standard, Walk};
pub use register_file::MAX_EXTRA_RULES;
pub use row_machine::{Cfa, MAX_REMEMBERED, Row, RowContext, Rule};
pub use semantics::Semantics;
pub use table::{MAX_KEPT_RULES, Table};
