//! Entries: the CIEs, FDEs and terminators of a section, as a reader reads them.

use smallvec::SmallVec;

use crate::{Address, Fault, Instruction, Rows, SectionOffset};

/// A short run of bytes, kept without allocation while it fits.
pub type Bytes = SmallVec<[u8; 16]>;

/// The width of lengths in a record (DWARF 5 section 7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Format {
    /// Four-byte length.
    #[default]
    Dwarf32,
    /// The escape `0xffffffff` and an eight-byte length.
    Dwarf64,
}

impl Format {
    /// The size in bytes of the length field, its escape included.
    pub fn length_size(self) -> u64 {
        match self {
            Format::Dwarf32 => 4,
            Format::Dwarf64 => 12,
        }
    }
}

/// One entry of `.eh_frame` or `.debug_frame` with all that a reader says of it.
///
/// Readers keep one `Entry` and fill it anew for each record, so that its storage is reused.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Entry {
    /// Where the record's length field starts.
    pub offset: SectionOffset,
    /// The value of the length field: the bytes of the record after it.
    pub length: u64,
    /// The width of the length field.
    pub format: Format,
    /// What kind of entry it is, with its fields.
    pub kind: EntryKind,
    /// Its instructions in order, padding included.
    pub instructions: Vec<Instruction>,
    /// Its rows: of an FDE all, of a CIE the one initial row with start and end zero.
    pub rows: Rows,
    /// What the reader complained about in this record.
    pub faults: Vec<Fault>,
}

impl Entry {
    /// Empties the entry for the record at `offset` and keeps the storage.
    #[inline]
    pub fn reset(&mut self, offset: SectionOffset) {
        self.offset = offset;
        self.length = 0;
        self.format = Format::Dwarf32;
        self.kind = EntryKind::Terminator;
        self.instructions.clear();
        self.rows.clear();
        self.faults.clear();
    }
}

/// The kind of an entry.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum EntryKind {
    /// A zero length: in `.eh_frame` the end for a run-time reader.
    #[default]
    Terminator,
    /// A common information entry.
    Cie(Box<Cie>),
    /// A frame description entry.
    Fde(Fde),
    /// A record that cannot be told to be a CIE or an FDE, since it is too short or its length is not valid.
    Unreadable,
}

impl EntryKind {
    /// The kind's usual name.
    pub fn name(&self) -> &'static str {
        match self {
            EntryKind::Terminator => "terminator",
            EntryKind::Cie(_) => "CIE",
            EntryKind::Fde(_) => "FDE",
            EntryKind::Unreadable => "unreadable record",
        }
    }
}

/// A pointer in one of the DW_EH_PE encodings, decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Pointer {
    /// The value after its base was added, cut to the address size.
    pub address: Address,
    /// Whether the address is that of a slot which holds the real value (DW_EH_PE_indirect).
    pub indirect: bool,
}

/// The fields of a common information entry (DWARF 5 section 6.4.1, LSB for the augmentation).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cie {
    /// The version.
    pub version: u8,
    /// The augmentation string without its NUL, as bytes.
    pub augmentation: Bytes,
    /// The size of a target address in bytes: from a version 4 CIE, else the file's.
    pub address_size: u8,
    /// The size of a segment selector in bytes; zero before version 4.
    pub segment_selector_size: u8,
    /// The code alignment factor.
    pub code_alignment_factor: u64,
    /// The data alignment factor.
    pub data_alignment_factor: i64,
    /// The return address register.
    pub return_address_register: u64,
    /// The augmentation data, when the augmentation starts with `z`.
    pub augmentation_data: Bytes,
    /// The encoding of initial locations, from `R`.
    pub fde_encoding: Option<u8>,
    /// The encoding of LSDA pointers, from `L`.
    pub lsda_encoding: Option<u8>,
    /// The personality routine, from `P`: its encoding and the pointer (`None` for DW_EH_PE_omit).
    pub personality: Option<(u8, Option<Pointer>)>,
    /// Whether frames of this CIE are signal frames (`S`).
    pub signal_frame: bool,
    /// Whether return addresses are signed with the B key (`B`, AArch64).
    pub b_key: bool,
    /// Whether the stack is tagged (`G`, AArch64 MTE).
    pub mte_tagged: bool,
}

/// The fields of a frame description entry.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Fde {
    /// Where the record's CIE starts; `None` when its CIE pointer leads to no CIE.
    pub cie: Option<SectionOffset>,
    /// The CIE pointer as written.
    pub cie_pointer: u64,
    /// The segment selector, in version 4 with a selector size.
    pub segment: Option<u64>,
    /// The initial location.
    pub initial_location: Address,
    /// Whether the initial location is the address of a slot that holds it (DW_EH_PE_indirect).
    pub indirect: bool,
    /// The number of bytes that the FDE covers.
    pub address_range: u64,
    /// The augmentation data, when the CIE's augmentation starts with `z`.
    pub augmentation_data: Bytes,
    /// The language-specific data area; `None` when there is none or it is null.
    pub lsda: Option<Pointer>,
}
