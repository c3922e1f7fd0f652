//! What decision points choose between, and the right choices where they are tables.

use std::hint::cold_path;

/// What the first four bytes of a record say of its length (DWARF 5 section 7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialLength {
    /// The length itself, in the 32-bit format.
    Dwarf32(u32),
    /// The escape: the length is in the next eight bytes, in the 64-bit format.
    Dwarf64,
    /// A value that the standard reserves: the record's length is not known.
    Reserved,
}

impl InitialLength {
    /// What the standard makes of a first word.
    #[inline(always)]
    pub(crate) fn of(first_word: u32) -> InitialLength {
        match first_word {
            ..0xffff_fff0 => InitialLength::Dwarf32(first_word),
            0xffff_ffff => {
                cold_path();
                InitialLength::Dwarf64
            }
            _ => {
                cold_path();
                InitialLength::Reserved
            }
        }
    }
}

/// The formats of an encoded pointer: the low four bits of a DW_EH_PE value (LSB, DWARF exception header
/// encoding).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointerFormat {
    /// A number of this many bytes, zero-extended.
    Unsigned(u8),
    /// A number of this many bytes, sign-extended.
    Signed(u8),
    /// An unsigned LEB128 number.
    Uleb128,
    /// A signed LEB128 number.
    Sleb128,
}

impl PointerFormat {
    /// The format that the low four bits of an encoding mean; `None` for undefined ones.
    #[inline(always)]
    pub(crate) fn of(low_bits: u8, address_size: u8) -> Option<PointerFormat> {
        Some(match low_bits {
            0x00 => PointerFormat::Unsigned(address_size),
            0x01 => PointerFormat::Uleb128,
            0x02 => PointerFormat::Unsigned(2),
            0x03 => PointerFormat::Unsigned(4),
            0x04 => PointerFormat::Unsigned(8),
            0x08 => PointerFormat::Signed(address_size),
            0x09 => PointerFormat::Sleb128,
            0x0a => PointerFormat::Signed(2),
            0x0b => PointerFormat::Signed(4),
            0x0c => PointerFormat::Signed(8),
            _ => return None,
        })
    }
}

/// The fields that hold an encoded pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointerField {
    /// The initial location of an FDE.
    InitialLocation,
    /// The address range of an FDE.
    AddressRange,
    /// The personality routine of a CIE.
    Personality,
    /// The language-specific data area of an FDE.
    Lsda,
    /// The operand of DW_CFA_set_loc.
    SetLoc,
    /// The pointer to `.eh_frame` and the count of `.eh_frame_hdr`.
    Header,
    /// The entries of the table of `.eh_frame_hdr`.
    HeaderTable,
}

/// What a letter of an augmentation string announces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AugmentationLetter {
    /// `R`: one byte, the encoding of initial locations.
    FdeEncoding,
    /// `P`: one byte of encoding and the personality routine in it.
    Personality,
    /// `L`: one byte, the encoding of LSDA pointers.
    LsdaEncoding,
    /// `S`: no data, the frames are signal frames.
    SignalFrame,
    /// `B`: no data, return addresses are signed with the B key.
    BKey,
    /// `G`: no data, the stack is tagged.
    MteTagged,
    /// A letter that means nothing and has no data.
    WithoutMeaning,
    /// Any other letter: its data, if it has any, can only be skipped.
    Unknown,
}

impl AugmentationLetter {
    /// What a letter announces in fact.
    #[inline(always)]
    pub(crate) fn of(letter: u8) -> AugmentationLetter {
        match letter {
            b'R' => AugmentationLetter::FdeEncoding,
            b'P' => AugmentationLetter::Personality,
            b'L' => AugmentationLetter::LsdaEncoding,
            b'S' => AugmentationLetter::SignalFrame,
            b'B' => AugmentationLetter::BKey,
            b'G' => AugmentationLetter::MteTagged,
            _ => AugmentationLetter::Unknown,
        }
    }
}

/// What the opcode 0x2d means, which two vendors took for different things.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opcode2d {
    /// DW_CFA_GNU_window_save.
    WindowSave,
    /// DW_CFA_AARCH64_negate_ra_state.
    NegateRaState,
}

/// An encoding's application bits have no defined meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UndefinedApplication;

/// What becomes of an opcode when instructions are decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpcodeUse {
    /// It is an instruction, if it has a definition.
    Instruction,
    /// It is passed over, and what would be its operands are the next opcodes.
    WithoutOperands,
    /// It is no instruction: the program cannot be read any further.
    Undefined,
    /// It ends the program, without a fault.
    End,
}
