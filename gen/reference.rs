//! References: the fields of a section that an assembler cannot fill in, since they depend on where things
//! are placed.

use cfidiff_model::{Address, SectionOffset};

/// A field of a section that depends on an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reference {
    /// Where in the section the field starts.
    pub offset: u64,
    /// The width in bits: 8, 16, 32 or 64, or 6 for the low bits of a byte.
    pub bits: u8,
    /// Whether it counts from its own address.
    pub relative: bool,
    /// What it leads to.
    pub to: Referent,
}

/// What a reference leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Referent {
    /// A place in code.
    Code(Address),
    /// A language-specific data area.
    Lsda(Address),
    /// A personality routine, or the slot that holds its address.
    Personality(Address),
    /// A record of the section itself.
    Record(SectionOffset),
    /// None: the field is the number of bytes between two places in code.
    Distance {
        /// The first.
        from: Address,
        /// The second.
        to: Address,
        /// Whether it is an address range, and not an advance: assemblers write those in another way.
        is_range: bool,
    },
}
