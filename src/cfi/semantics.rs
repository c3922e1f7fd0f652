//! The decision points: every question of the format that a reader can answer wrongly, one method each.
//!
//! The default bodies are the right answers. A reader that errs in one of them is this trait with one method
//! overridden; the list of methods is the list of what can go wrong.

use std::hint::cold_path;

use cfidiff_model::{Address, Bases, Format, Machine, SectionKind};

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
    /// The fields of `.eh_frame_hdr`.
    Header,
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
    /// Any other letter: its data, if it has any, can only be skipped.
    Unknown,
}

/// What the opcode 0x2d means, which two vendors took for different things.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opcode2d {
    /// DW_CFA_GNU_window_save.
    WindowSave,
    /// DW_CFA_AARCH64_negate_ra_state.
    NegateRaState,
}

/// The rules of the format. See the module's text.
///
/// `kind` tells the section, since `.eh_frame` and `.debug_frame` answer some questions differently. An answer
/// depends on the arguments alone: what is the same for all FDEs of a CIE is asked once for that CIE.
pub trait Semantics: Sync {
    // Records.

    /// How the first word of a record tells its length. DWARF 5 section 7.4: 0xffffffff is the escape to the
    /// 64-bit format, 0xfffffff0 to 0xfffffffe are reserved.
    #[inline(always)]
    fn initial_length(&self, first_word: u32) -> InitialLength {
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

    /// Whether a record of this length is a terminator. LSB: a length of zero ends `.eh_frame`; in
    /// `.debug_frame` it is padding that assemblers leave between contributions.
    #[inline(always)]
    fn is_terminator(&self, kind: SectionKind, length: u64) -> bool {
        let _ = kind;
        length == 0
    }

    /// Whether the walk ends at a terminator. A reader of files goes on, since linkers can leave a terminator in
    /// the middle; the run-time unwinder stops there (LSB).
    #[inline(always)]
    fn walk_ends_at_terminator(&self, kind: SectionKind) -> bool {
        let _ = kind;
        false
    }

    /// The width in bytes of the id or CIE pointer field. DWARF 5 section 7.4: 8 in the 64-bit format of
    /// `.debug_frame`. LSB gives 4 for `.eh_frame` in either format.
    #[inline(always)]
    fn id_width(&self, kind: SectionKind, format: Format) -> u8 {
        match (kind, format) {
            (SectionKind::DebugFrame, Format::Dwarf64) => 8,
            _ => 4,
        }
    }

    /// Whether an id field marks a CIE. LSB: 0 in `.eh_frame`. DWARF 5 section 6.4.1: all bits set in
    /// `.debug_frame`.
    #[inline(always)]
    fn is_cie(&self, kind: SectionKind, format: Format, id: u64) -> bool {
        match (kind, format) {
            (SectionKind::DebugFrame, Format::Dwarf32) => id == 0xffff_ffff,
            (SectionKind::DebugFrame, Format::Dwarf64) => id == u64::MAX,
            _ => id == 0,
        }
    }

    /// The section offset of the CIE that a CIE pointer names, given the offsets of the pointer's own field and
    /// of its record. LSB: in `.eh_frame` the pointer counts bytes back from its field. DWARF 5 section 6.4.1:
    /// in `.debug_frame` it is an offset into the section.
    #[inline(always)]
    fn cie_offset(&self, kind: SectionKind, field: u64, record: u64, pointer: u64) -> u64 {
        let _ = record;
        match kind {
            // A CIE after its FDE makes the 32-bit difference negative.
            SectionKind::EhFrame => field.wrapping_sub(i64::from(pointer as i32) as u64),
            _ => pointer,
        }
    }

    // CIEs.

    /// Whether a CIE of this version can be read. DWARF 2 has 1, DWARF 3 has 3, DWARF 4 and 5 have 4; LSB has 1,
    /// and compilers write 3 into `.eh_frame` as well.
    #[inline(always)]
    fn cie_version_is_known(&self, kind: SectionKind, version: u8) -> bool {
        let _ = kind;
        matches!(version, 1 | 3 | 4)
    }

    /// Whether the CIE has an address size and a segment selector size behind its augmentation string. DWARF 5
    /// section 6.4.1: from version 4 on.
    #[inline(always)]
    fn cie_has_address_size(&self, kind: SectionKind, version: u8) -> bool {
        let _ = kind;
        version >= 4
    }

    /// Whether the return address register is one byte. DWARF 2: yes, in version 1; an unsigned LEB128 number
    /// from DWARF 3 on.
    #[inline(always)]
    fn return_address_register_is_byte(&self, kind: SectionKind, version: u8) -> bool {
        let _ = kind;
        version == 1
    }

    /// Whether the augmentation announces a length and data. LSB: when its first letter is `z`.
    #[inline(always)]
    fn has_augmentation_data(&self, augmentation: &[u8]) -> bool {
        augmentation.first() == Some(&b'z')
    }

    /// Whether the augmentation announces a pointer to exception data right behind the string, as GCC 2 wrote
    /// it (`eh`).
    #[inline(always)]
    fn has_eh_data(&self, augmentation: &[u8]) -> bool {
        augmentation == b"eh"
    }

    /// Whether an augmentation without `z` adds no fields, so that the CIE can be read. The GNU assembler writes
    /// `S` into `.debug_frame`; ARM's compiler writes `armcc+`.
    #[inline(always)]
    fn plain_augmentation_is_known(&self, augmentation: &[u8]) -> bool {
        matches!(augmentation, b"" | b"eh" | b"S" | b"armcc+")
    }

    /// What a letter behind `z` announces. LSB: `L`, `P`, `R`; GCC: `S`; AArch64 ABI: `B`, `G`.
    #[inline(always)]
    fn augmentation_letter(&self, letter: u8) -> AugmentationLetter {
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

    /// Where a CIE's instructions start: behind the augmentation data, whose length is binding (LSB), whatever
    /// the letters used of it.
    #[inline(always)]
    fn augmentation_end(&self, declared_end: usize, used_end: usize) -> usize {
        let _ = used_end;
        declared_end
    }

    // FDEs.

    /// How many bytes stand between the CIE pointer and the initial location: none but the segment selector
    /// (DWARF 5 section 6.4.1). An FDE has no version byte.
    #[inline(always)]
    fn fde_header_padding(&self, kind: SectionKind, segment_selector_size: u8) -> usize {
        let _ = kind;
        usize::from(segment_selector_size)
    }

    /// The encoding of an FDE's initial location. LSB: the CIE's `R`, and a plain address without it.
    #[inline(always)]
    fn initial_location_encoding(&self, kind: SectionKind, from_cie: Option<u8>) -> u8 {
        let _ = kind;
        from_cie.unwrap_or(0)
    }

    /// The encoding of an FDE's address range. LSB: the format of the initial location's encoding alone; a
    /// length has no base, and nothing to be indirect about.
    #[inline(always)]
    fn address_range_encoding(&self, initial_location_encoding: u8) -> u8 {
        initial_location_encoding & 0x0f
    }

    /// Whether a signed format sign-extends the address range. It is a size, so no; readers are split, since
    /// the specifications are silent.
    #[inline(always)]
    fn address_range_is_signed(&self) -> bool {
        false
    }

    /// Whether an FDE of this CIE has an augmentation length and data. LSB: when the CIE's augmentation starts
    /// with `z`.
    #[inline(always)]
    fn fde_has_augmentation_data(&self, augmentation: &[u8]) -> bool {
        self.has_augmentation_data(augmentation)
    }

    /// Whether the written value zero means "none" in this field, whatever base would be added. The C++ ABI's
    /// unwinders read LSDA and personality so.
    #[inline(always)]
    fn zero_is_null(&self, field: PointerField) -> bool {
        matches!(field, PointerField::Lsda | PointerField::Personality)
    }

    // Encoded pointers.

    /// The format in the low four bits of an encoding, or `None` for an undefined one. LSB: absptr has the size
    /// of an address, `signed` is its signed twin.
    #[inline(always)]
    fn pointer_format(&self, encoding: u8, address_size: u8) -> Option<PointerFormat> {
        Some(match encoding & 0x0f {
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

    /// The address that DW_EH_PE_pcrel counts from: that of the field's own first byte (LSB), so the section's
    /// address plus the field's offset in it.
    #[inline(always)]
    fn pcrel_base(&self, section: Address, field: u64, field_end: u64) -> u64 {
        let _ = field_end;
        section.0.wrapping_add(field)
    }

    /// The base that the application in bits 4 to 6 adds; `Err` for an undefined application, `Ok(None)` when
    /// the file does not tell the base. LSB: 0x00 none, 0x10 pcrel, 0x20 textrel, 0x30 datarel, 0x40 funcrel;
    /// 0x50 (aligned) is a plain address at an aligned place.
    #[inline(always)]
    fn pointer_base(
        &self,
        encoding: u8,
        pcrel: u64,
        bases: &Bases,
        function: Option<u64>,
    ) -> Result<Option<u64>, UndefinedApplication> {
        // What compilers write is asked first: a table of jumps would cost each FDE a good part of its reading.
        if encoding & 0x70 == 0x10 {
            return Ok(Some(pcrel));
        }
        cold_path();
        match encoding & 0x70 {
            0x00 | 0x50 => Ok(Some(0)),
            0x20 => Ok(bases.text.map(|base| base.0)),
            0x30 => Ok(bases.data.map(|base| base.0)),
            0x40 => Ok(function),
            _ => Err(UndefinedApplication),
        }
    }

    /// An address cut to the target's width: sums wrap around at the address size.
    #[inline(always)]
    fn wrap(&self, value: u64, address_size: u8) -> u64 {
        match address_size {
            8.. => value,
            size => value & ((1u64 << (8 * u32::from(size))) - 1),
        }
    }

    // Instructions.

    /// The width in bytes of the delta of DW_CFA_advance_loc1, 2, 4 and MIPS_advance_loc8 (DWARF 5 section
    /// 6.4.2.1).
    #[inline(always)]
    fn advance_width(&self, opcode: u8) -> u8 {
        match opcode {
            0x02 => 1,
            0x03 => 2,
            0x04 => 4,
            _ => 8,
        }
    }

    /// The bytes that a location advances by. DWARF 5 section 6.4.2.1: the delta times the code alignment factor.
    #[inline(always)]
    fn advance_delta(&self, delta: u64, code_alignment_factor: u64) -> u64 {
        delta.wrapping_mul(code_alignment_factor)
    }

    /// The encoding of DW_CFA_set_loc's operand: that of initial locations in the same record (GCC writes it so
    /// in `.eh_frame`; in `.debug_frame` it is a target address, DWARF 5 section 6.4.2.1).
    #[inline(always)]
    fn set_loc_encoding(&self, kind: SectionKind, from_cie: Option<u8>) -> u8 {
        self.initial_location_encoding(kind, from_cie)
    }

    /// Whether an instruction's offset operand is a signed LEB128 number. DWARF 5 section 6.4.2: in the `_sf`
    /// forms.
    #[inline(always)]
    fn offset_is_signed(&self, opcode: u8) -> bool {
        matches!(
            opcode,
            op::OFFSET_EXTENDED_SF
                | op::DEF_CFA_SF
                | op::DEF_CFA_OFFSET_SF
                | op::VAL_OFFSET_SF
                | op::LLVM_DEF_ASPACE_CFA_SF
        )
    }

    /// The offset in bytes of a register rule. DWARF 5 section 6.4.2.3: the operand times the data alignment
    /// factor, whose sign counts.
    #[inline(always)]
    fn factored_offset(
        &self,
        opcode: u8,
        operand: i64,
        code_alignment_factor: u64,
        data_alignment_factor: i64,
    ) -> i64 {
        let _ = code_alignment_factor;
        let product = operand.wrapping_mul(data_alignment_factor);
        if opcode == op::GNU_NEGATIVE_OFFSET_EXTENDED { product.wrapping_neg() } else { product }
    }

    /// The offset in bytes of DW_CFA_def_cfa and def_cfa_offset: the operand itself (DWARF 5 section 6.4.2.2).
    #[inline(always)]
    fn cfa_offset(&self, operand: u64) -> u64 {
        operand
    }

    /// The offset in bytes of DW_CFA_def_cfa_sf and def_cfa_offset_sf. DWARF 5 section 6.4.2.2: the operand times
    /// the data alignment factor.
    #[inline(always)]
    fn cfa_offset_sf(&self, operand: i64, code_alignment_factor: u64, data_alignment_factor: i64) -> i64 {
        let _ = code_alignment_factor;
        operand.wrapping_mul(data_alignment_factor)
    }

    /// What opcode 0x2d means on a machine. The AArch64 DWARF supplement took GNU's opcode; everywhere else it is
    /// GNU's, which the GNU assembler writes for `.cfi_window_save` on any machine.
    #[inline(always)]
    fn opcode_2d(&self, machine: Machine) -> Opcode2d {
        if machine == Machine::AARCH64 { Opcode2d::NegateRaState } else { Opcode2d::WindowSave }
    }

    /// Whether DW_CFA_GNU_window_save changes rules: on SPARC, which alone has register windows.
    #[inline(always)]
    fn has_register_windows(&self, machine: Machine) -> bool {
        machine.is_sparc()
    }

    /// Whether opcode 0x2c is DW_CFA_AARCH64_negate_ra_state_with_pc on a machine.
    #[inline(always)]
    fn has_negate_ra_state_with_pc(&self, machine: Machine) -> bool {
        machine == Machine::AARCH64
    }

    // Rows.

    /// Whether restore goes back to the rule that the CIE's instructions set (DWARF 5 section 6.4.2.3).
    #[inline(always)]
    fn restore_takes_initial_rule(&self) -> bool {
        true
    }

    /// Whether remember_state and restore_state keep the CFA rule as well as the register rules. DWARF 5 section
    /// 6.4.2.4 speaks of "every register"; producers and all unwinders count the CFA among them.
    #[inline(always)]
    fn remembered_state_has_cfa(&self) -> bool {
        true
    }

    /// Whether restore_state also goes back to the location of its remember_state. It does not: a location never
    /// goes down (DWARF 5 section 6.4.3).
    #[inline(always)]
    fn remembered_state_has_location(&self) -> bool {
        false
    }

    /// The offset of the CFA rule after DW_CFA_def_cfa_register: the one before it (DWARF 5 section 6.4.2.2).
    #[inline(always)]
    fn offset_after_def_cfa_register(&self, before: i64) -> i64 {
        before
    }

    /// The offset when DW_CFA_def_cfa_register is the first instruction to define the CFA, or `None` if it may not
    /// be. The GNU assembler's CIEs for MIPS start so and mean offset zero.
    #[inline(always)]
    fn first_cfa_of_register(&self, register: u64) -> Option<i64> {
        let _ = register;
        Some(0)
    }

    /// Where the last row ends: at the end of the FDE's range (DWARF 5 section 6.4.3).
    #[inline(always)]
    fn last_row_end(&self, initial_location: u64, address_range: u64) -> u64 {
        initial_location.wrapping_add(address_range)
    }

    // The header's table.

    /// The base of DW_EH_PE_datarel in `.eh_frame_hdr`: the header's own address (LSB).
    #[inline(always)]
    fn header_base(&self, header: Address) -> u64 {
        header.0
    }

    /// Whether a table entry that starts at `start` can be the one for `address`: the last one that starts at or
    /// before it.
    #[inline(always)]
    fn header_entry_is_candidate(&self, start: u64, address: u64) -> bool {
        start <= address
    }

    /// Whether an address lies in a range: the end is the first address after it (DWARF 5 section 6.4.1).
    #[inline(always)]
    fn range_contains(&self, start: u64, length: u64, address: u64) -> bool {
        address.wrapping_sub(start) < length
    }
}

/// An encoding's application bits have no defined meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UndefinedApplication;

/// The standard's own answers: every default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standard;

impl Semantics for Standard {}

/// The opcodes of call frame instructions (DWARF 5 section 7.24, and the vendors' extensions).
#[expect(missing_docs, reason = "the names are the standard's")]
pub mod op {
    pub const NOP: u8 = 0x00;
    pub const SET_LOC: u8 = 0x01;
    pub const ADVANCE_LOC1: u8 = 0x02;
    pub const ADVANCE_LOC2: u8 = 0x03;
    pub const ADVANCE_LOC4: u8 = 0x04;
    pub const OFFSET_EXTENDED: u8 = 0x05;
    pub const RESTORE_EXTENDED: u8 = 0x06;
    pub const UNDEFINED: u8 = 0x07;
    pub const SAME_VALUE: u8 = 0x08;
    pub const REGISTER: u8 = 0x09;
    pub const REMEMBER_STATE: u8 = 0x0a;
    pub const RESTORE_STATE: u8 = 0x0b;
    pub const DEF_CFA: u8 = 0x0c;
    pub const DEF_CFA_REGISTER: u8 = 0x0d;
    pub const DEF_CFA_OFFSET: u8 = 0x0e;
    pub const DEF_CFA_EXPRESSION: u8 = 0x0f;
    pub const EXPRESSION: u8 = 0x10;
    pub const OFFSET_EXTENDED_SF: u8 = 0x11;
    pub const DEF_CFA_SF: u8 = 0x12;
    pub const DEF_CFA_OFFSET_SF: u8 = 0x13;
    pub const VAL_OFFSET: u8 = 0x14;
    pub const VAL_OFFSET_SF: u8 = 0x15;
    pub const VAL_EXPRESSION: u8 = 0x16;
    pub const MIPS_ADVANCE_LOC8: u8 = 0x1d;
    pub const AARCH64_NEGATE_RA_STATE_WITH_PC: u8 = 0x2c;
    pub const GNU_WINDOW_SAVE: u8 = 0x2d;
    pub const GNU_ARGS_SIZE: u8 = 0x2e;
    pub const GNU_NEGATIVE_OFFSET_EXTENDED: u8 = 0x2f;
    pub const LLVM_DEF_ASPACE_CFA: u8 = 0x30;
    pub const LLVM_DEF_ASPACE_CFA_SF: u8 = 0x31;
    pub const ADVANCE_LOC: u8 = 0x40;
    pub const OFFSET: u8 = 0x80;
    pub const RESTORE: u8 = 0xc0;
}
