//! Entries: the CIEs, FDEs and terminators of a section, as a reader reads them.

use smallvec::SmallVec;

use crate::{Address, Instruction, Rows, SectionOffset};

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

/// Something that a reader could not read, with the place and what stood there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The section offset of the first byte concerned.
    pub offset: SectionOffset,
    /// The bytes that stand there, up to 16.
    pub bytes: Bytes,
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// What was expected, or the words of the tool that complained.
    pub expected: std::borrow::Cow<'static, str>,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}: ", self.kind.key(), self.offset)?;
        for (index, byte) in self.bytes.iter().enumerate() {
            write!(f, "{}{byte:02x}", if index == 0 { "found " } else { " " })?;
        }
        write!(f, "{}{}", if self.bytes.is_empty() { "" } else { ", expected " }, self.expected)
    }
}

/// The kinds of fault. The keys are stable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum FaultKind {
    /// The section ends inside a length field.
    TruncatedLength,
    /// A length in the reserved range 0xfffffff0 to 0xfffffffe.
    ReservedLength,
    /// A length that reaches past the section's end.
    LengthPastSection,
    /// A record that ends inside one of its fields.
    TruncatedRecord,
    /// A CIE version that no specification defines.
    CieVersion,
    /// An augmentation letter that cannot be skipped.
    Augmentation,
    /// An augmentation string without its NUL.
    AugmentationString,
    /// An augmentation length that does not fit its record or its contents.
    AugmentationLength,
    /// An address size other than 1, 2, 4 or 8 in a version 4 CIE.
    AddressSize,
    /// A segment selector size other than 0, 1, 2, 4 or 8.
    SegmentSelectorSize,
    /// A CIE pointer that leads outside the section.
    CiePointerOutside,
    /// A CIE pointer that leads into the middle of a record.
    CiePointerInside,
    /// A CIE pointer that leads to a record which is no CIE.
    CiePointerNotCie,
    /// A CIE that could not be read itself.
    CieUnreadable,
    /// A pointer encoding that is not defined.
    PointerEncoding,
    /// A pointer whose base the file does not tell.
    PointerBase,
    /// A LEB128 number that does not fit 64 bits.
    LebOverflow,
    /// An opcode without a definition for the machine.
    UnknownOpcode,
    /// An instruction whose operands reach past the record's end.
    TruncatedInstruction,
    /// An expression that could not be decoded to its end.
    Expression,
    /// A location that went down, or past the end of the address space.
    LocationBackwards,
    /// A location past the end of the FDE.
    LocationPastEnd,
    /// A restore_state without a state to restore.
    RestoreWithoutRemember,
    /// More remembered states than the reader keeps.
    RememberDepth,
    /// More register rules than the reader keeps.
    RuleCount,
    /// A CFA offset or register change while no register CFA rule is in force.
    CfaNotRegister,
    /// A restore in a CIE, which has no initial rules to go back to.
    RestoreInCie,
    /// An initial location plus range that wraps around the address space.
    RangeOverflow,
    /// A relocation that could not be applied to this field.
    Relocation,
    /// A section whose contents could not be had (compressed data that does not decompress).
    SectionContents,
    /// Words of an oracle about a record, in its own terms.
    Reported,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 31] = {
        use FaultKind::*;
        [
            TruncatedLength,
            ReservedLength,
            LengthPastSection,
            TruncatedRecord,
            CieVersion,
            Augmentation,
            AugmentationString,
            AugmentationLength,
            AddressSize,
            SegmentSelectorSize,
            CiePointerOutside,
            CiePointerInside,
            CiePointerNotCie,
            CieUnreadable,
            PointerEncoding,
            PointerBase,
            LebOverflow,
            UnknownOpcode,
            TruncatedInstruction,
            Expression,
            LocationBackwards,
            LocationPastEnd,
            RestoreWithoutRemember,
            RememberDepth,
            RuleCount,
            CfaNotRegister,
            RestoreInCie,
            RangeOverflow,
            Relocation,
            SectionContents,
            Reported,
        ]
    };

    /// The stable kebab-case key, with the prefix `fault.`.
    pub fn key(self) -> &'static str {
        match self {
            FaultKind::TruncatedLength => "fault.truncated-length",
            FaultKind::ReservedLength => "fault.reserved-length",
            FaultKind::LengthPastSection => "fault.length-past-section",
            FaultKind::TruncatedRecord => "fault.truncated-record",
            FaultKind::CieVersion => "fault.cie-version",
            FaultKind::Augmentation => "fault.augmentation",
            FaultKind::AugmentationString => "fault.augmentation-string",
            FaultKind::AugmentationLength => "fault.augmentation-length",
            FaultKind::AddressSize => "fault.address-size",
            FaultKind::SegmentSelectorSize => "fault.segment-selector-size",
            FaultKind::CiePointerOutside => "fault.cie-pointer-outside",
            FaultKind::CiePointerInside => "fault.cie-pointer-inside",
            FaultKind::CiePointerNotCie => "fault.cie-pointer-not-cie",
            FaultKind::CieUnreadable => "fault.cie-unreadable",
            FaultKind::PointerEncoding => "fault.pointer-encoding",
            FaultKind::PointerBase => "fault.pointer-base",
            FaultKind::LebOverflow => "fault.leb-overflow",
            FaultKind::UnknownOpcode => "fault.unknown-opcode",
            FaultKind::TruncatedInstruction => "fault.truncated-instruction",
            FaultKind::Expression => "fault.expression",
            FaultKind::LocationBackwards => "fault.location-backwards",
            FaultKind::LocationPastEnd => "fault.location-past-end",
            FaultKind::RestoreWithoutRemember => "fault.restore-without-remember",
            FaultKind::RememberDepth => "fault.remember-depth",
            FaultKind::RuleCount => "fault.rule-count",
            FaultKind::CfaNotRegister => "fault.cfa-not-register",
            FaultKind::RestoreInCie => "fault.restore-in-cie",
            FaultKind::RangeOverflow => "fault.range-overflow",
            FaultKind::Relocation => "fault.relocation",
            FaultKind::Reported => "fault.reported",
            FaultKind::SectionContents => "fault.section-contents",
        }
    }
}
