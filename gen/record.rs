//! Records as they are to be written: CIEs, FDEs, terminators, and bytes that are neither.

use cfidiff_model::{Address, Format, Rows};

use crate::Program;
use crate::pointer::{OMIT, PCREL_SDATA4};

/// One record of a section.
#[derive(Clone, Debug)]
pub enum Record {
    /// A common information entry.
    Cie(CieSpec),
    /// A frame description entry.
    Fde(FdeSpec),
    /// A zero length.
    Terminator,
    /// Bytes as they are. Nothing is expected of them, and the section counts as ill-formed.
    Bytes(Vec<u8>),
}

/// How a record is filled up behind its instructions, with DW_CFA_nop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Padding {
    /// Until the record's size, its length field included, is a multiple of this many bytes.
    Align(u8),
    /// This many nops.
    Nops(u8),
}

/// A change to the bytes of a record behind its id or CIE pointer, for records that are broken on purpose. The
/// record's length is that of the changed bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Splice {
    /// How many bytes behind the id or CIE pointer it starts.
    pub at: usize,
    /// How many bytes are taken out there, at most those up to the record's end.
    pub remove: usize,
    /// The bytes that are put in their place.
    pub insert: Vec<u8>,
}

impl Splice {
    /// Ends the record `at` bytes behind its id or CIE pointer.
    pub fn cut(at: usize) -> Splice {
        Splice { at, remove: usize::MAX, insert: Vec::new() }
    }
}

/// A common information entry (DWARF 5 section 6.4.1, LSB Core for the augmentation).
#[derive(Clone, Debug)]
pub struct CieSpec {
    /// The width of the length field.
    pub format: Format,
    /// The version: 1, 3 or 4 are defined.
    pub version: u8,
    /// The augmentation string without its NUL. Its letters decide which of the fields below are written: `R`,
    /// `P` and `L` in the order of the string. `eh` alone is the old GCC's.
    pub augmentation: Vec<u8>,
    /// The pointer that stands behind the augmentation string `eh`.
    pub eh_data: u64,
    /// The address size, written from version 4 on and binding for the CIE's FDEs; `None` for the target's.
    pub address_size: Option<u8>,
    /// The segment selector size, written from version 4 on.
    pub segment_selector_size: u8,
    /// The code alignment factor.
    pub code_alignment_factor: u64,
    /// The data alignment factor.
    pub data_alignment_factor: i64,
    /// The return address register: at most 255 in version 1.
    pub return_address_register: u64,
    /// For `R`.
    pub fde_encoding: u8,
    /// For `L`.
    pub lsda_encoding: u8,
    /// For `P`: the encoding and the routine, `None` for a null pointer.
    pub personality: (u8, Option<Address>),
    /// Bytes at the end of the augmentation data that no letter announces.
    pub extra_augmentation_data: Vec<u8>,
    /// The initial instructions.
    pub program: Program,
    /// The initial row that the instructions were written for, with start and end zero; none when the caller does
    /// not tell.
    pub rows: Rows,
    /// How the record is filled up.
    pub padding: Padding,
    /// A length to write in place of the right one.
    pub false_length: Option<u64>,
    /// An id to write in place of the right one.
    pub false_id: Option<u64>,
    /// What is changed of the bytes.
    pub splice: Option<Splice>,
}

impl CieSpec {
    /// What compilers write into `.eh_frame` on a machine with this data alignment factor and return address
    /// register: version 1, `zR` with pcrel sdata4.
    pub fn eh_frame(data_alignment_factor: i64, return_address_register: u64) -> CieSpec {
        CieSpec {
            augmentation: b"zR".to_vec(),
            fde_encoding: PCREL_SDATA4,
            padding: Padding::Align(4),
            ..CieSpec::debug_frame(data_alignment_factor, return_address_register)
        }
    }

    /// The same for `.debug_frame`: version 1 without augmentation.
    pub fn debug_frame(data_alignment_factor: i64, return_address_register: u64) -> CieSpec {
        CieSpec {
            format: Format::Dwarf32,
            version: 1,
            augmentation: Vec::new(),
            eh_data: 0,
            address_size: None,
            segment_selector_size: 0,
            code_alignment_factor: 1,
            data_alignment_factor,
            return_address_register,
            fde_encoding: 0,
            lsda_encoding: OMIT,
            personality: (OMIT, None),
            extra_augmentation_data: Vec::new(),
            program: Program::new(),
            rows: Rows::default(),
            padding: Padding::Align(8),
            false_length: None,
            false_id: None,
            splice: None,
        }
    }

    /// Whether the record has augmentation data.
    pub(crate) fn has_augmentation_data(&self) -> bool {
        self.augmentation.first() == Some(&b'z')
    }

    /// The encoding of initial locations: that of `R`, a plain address without it.
    pub(crate) fn location_encoding(&self) -> u8 {
        if self.has_augmentation_data() && self.augmentation.contains(&b'R') { self.fde_encoding } else { 0 }
    }

    /// Whether FDEs have an LSDA pointer.
    pub(crate) fn has_lsda(&self) -> bool {
        self.has_augmentation_data() && self.augmentation.contains(&b'L') && self.lsda_encoding != OMIT
    }
}

/// A frame description entry.
#[derive(Clone, Debug)]
pub struct FdeSpec {
    /// The width of the length field.
    pub format: Format,
    /// Which record of the section is its CIE. It may come later.
    pub cie: usize,
    /// The segment selector, written with the CIE's segment selector size.
    pub segment: u64,
    /// The initial location; with DW_EH_PE_indirect the address of the slot that holds it.
    pub initial_location: Address,
    /// The number of bytes covered.
    pub address_range: u64,
    /// The language-specific data area, written when the CIE has `L`; `None` for a null pointer.
    pub lsda: Option<Address>,
    /// Bytes at the end of the augmentation data that no letter announces.
    pub extra_augmentation_data: Vec<u8>,
    /// The instructions.
    pub program: Program,
    /// The rows that the instructions were written for; none when the caller does not tell.
    pub rows: Rows,
    /// How the record is filled up.
    pub padding: Padding,
    /// A length to write in place of the right one.
    pub false_length: Option<u64>,
    /// A CIE pointer to write in place of the right one.
    pub false_cie_pointer: Option<u64>,
    /// What is changed of the bytes.
    pub splice: Option<Splice>,
}

impl FdeSpec {
    /// An FDE of the CIE at index `cie` of the section's records, without LSDA, in the 32-bit format.
    pub fn new(cie: usize, initial_location: Address, address_range: u64, program: Program) -> FdeSpec {
        FdeSpec {
            format: Format::Dwarf32,
            cie,
            segment: 0,
            initial_location,
            address_range,
            lsda: None,
            extra_augmentation_data: Vec::new(),
            program,
            rows: Rows::default(),
            padding: Padding::Align(4),
            false_length: None,
            false_cie_pointer: None,
            splice: None,
        }
    }
}
