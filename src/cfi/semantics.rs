//! The decision points: every question of the format that a reader can answer wrongly, one method each. The default
//! bodies are the right answers: the list of methods is the list of what can go wrong.

use std::hint::cold_path;

use cfidiff_model::{Address, Bases, Class, Endianness, Format, Machine, Section, SectionKind};

use crate::choices::{
    AugmentationLetter, InitialLength, Opcode2d, OpcodeUse, PointerField, PointerFormat, UndefinedApplication,
};
use crate::op;
use crate::row_machine::Rule;

/// The rules of the format. See the module's text.
///
/// `kind` tells the section, since `.eh_frame` and `.debug_frame` answer some questions differently. An answer
/// depends on the arguments alone: what is the same for all FDEs of a CIE is asked once for that CIE.
pub trait Semantics: Sync {
    // The file.

    /// The byte order of numbers: the file's (gABI, ELF identification: EI_DATA).
    fn endianness(&self, _kind: SectionKind, file: Endianness) -> Endianness {
        file
    }

    /// The size of an address in bytes, for CIEs that do not tell it: that of the file's class (gABI, ELF
    /// identification: EI_CLASS).
    fn address_size(&self, class: Class) -> u8 {
        class.address_size()
    }

    // Records.

    /// How the first word of a record tells its length. DWARF 5 section 7.4: 0xffffffff is the escape to the
    /// 64-bit format, 0xfffffff0 to 0xfffffffe are reserved.
    #[inline(always)]
    fn initial_length(&self, first_word: u32) -> InitialLength {
        InitialLength::of(first_word)
    }

    /// How many bytes follow the length field. DWARF 5 section 6.4.1: as many as it tells, itself not counted.
    fn record_size(&self, length: u64) -> u64 {
        length
    }

    /// Whether a length that reaches past the section is refused. DWARF 5 section 6.4.1: a record has as many bytes
    /// as its length tells.
    fn length_past_section_is_refused(&self) -> bool {
        true
    }

    /// Whether a record of this length is a terminator. LSB: a length of zero ends `.eh_frame`; in
    /// `.debug_frame` it is padding that assemblers leave between contributions.
    #[inline(always)]
    fn is_terminator(&self, _kind: SectionKind, length: u64) -> bool {
        length == 0
    }

    /// Whether the walk ends at a terminator. A reader of files goes on, since linkers can leave a terminator in
    /// the middle; the run-time unwinder stops there (LSB).
    #[inline(always)]
    fn walk_ends_at_terminator(&self, _kind: SectionKind) -> bool {
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
    fn cie_offset(&self, kind: SectionKind, field: u64, _record: u64, pointer: u64) -> u64 {
        match kind {
            // A CIE after its FDE makes the 32-bit difference negative.
            SectionKind::EhFrame => field.wrapping_sub(i64::from(pointer as i32) as u64),
            _ => pointer,
        }
    }

    /// Whether the CIE of an FDE may stand behind it. DWARF 5 section 6.4.1: a CIE pointer may lead anywhere in the
    /// section.
    fn cie_may_follow(&self) -> bool {
        true
    }

    /// Whether a CIE pointer may lead into a record, to bytes that could be read as a CIE. DWARF 5 section 6.4.1: it
    /// leads to a CIE, and what a record holds is none.
    fn cie_may_stand_inside(&self) -> bool {
        false
    }

    // CIEs.

    /// Whether a CIE has an augmentation string. DWARF 5 section 6.4.1 and LSB: in both sections, though it may be
    /// empty.
    fn cie_has_augmentation(&self, _kind: SectionKind) -> bool {
        true
    }

    /// Where the augmentation string starts: behind the version (DWARF 5 section 6.4.1).
    fn augmentation_start(&self, version_field: usize) -> usize {
        version_field + 1
    }

    /// Whether a CIE of this version can be read. DWARF 2 has 1, DWARF 3 has 3, DWARF 4 and 5 have 4; LSB has 1,
    /// and compilers write 3 into `.eh_frame` as well.
    #[inline(always)]
    fn cie_version_is_known(&self, _kind: SectionKind, version: u8) -> bool {
        matches!(version, 1 | 3 | 4)
    }

    /// Whether the CIE has an address size and a segment selector size behind its augmentation string. DWARF 5
    /// section 6.4.1: from version 4 on.
    #[inline(always)]
    fn cie_has_address_size(&self, _kind: SectionKind, version: u8) -> bool {
        version >= 4
    }

    /// The size of an address for a CIE that tells it: what it tells (DWARF 5 section 6.4.1).
    fn cie_address_size(&self, told: u8, _file: u8) -> u8 {
        told
    }

    /// Whether the data alignment factor is a signed LEB128 number. DWARF 5 section 6.4.1: it is.
    fn data_alignment_factor_is_signed(&self) -> bool {
        true
    }

    /// Whether the return address register is one byte. DWARF 2: yes, in version 1; an unsigned LEB128 number
    /// from DWARF 3 on.
    #[inline(always)]
    fn return_address_register_is_byte(&self, _kind: SectionKind, version: u8) -> bool {
        version == 1
    }

    /// Whether the augmentation announces a length and data. LSB: when its first letter is `z`.
    #[inline(always)]
    fn has_augmentation_data(&self, _kind: SectionKind, augmentation: &[u8]) -> bool {
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
        AugmentationLetter::of(letter)
    }

    /// Where a CIE's augmentation data end: their length is binding (LSB), whatever the letters used of them.
    fn cie_augmentation_end(&self, _start: usize, _used_end: usize, declared_end: usize) -> usize {
        declared_end
    }

    /// Where a CIE's instructions start: behind its last field, and they fill the record (DWARF 5 section 6.4.1).
    fn cie_instructions_start(&self, _kind: SectionKind, fields_end: usize) -> usize {
        fields_end
    }

    // FDEs.

    /// How many bytes of an FDE stand between its CIE pointer and the fields that follow: none. An FDE has no version
    /// and no augmentation string (DWARF 5 section 6.4.1).
    #[inline(always)]
    fn fde_header_padding(&self, _kind: SectionKind) -> usize {
        0
    }

    /// The size of the segment selector in front of an initial location: what the CIE tells (DWARF 5 section 6.4.1).
    fn segment_selector_size(&self, told: u8) -> u8 {
        told
    }

    /// The encoding of an FDE's initial location. LSB: the CIE's `R`, and a plain address without it.
    #[inline(always)]
    fn initial_location_encoding(&self, _kind: SectionKind, from_cie: Option<u8>) -> u8 {
        from_cie.unwrap_or(0)
    }

    /// The encoding of an FDE's address range. LSB: the format of the initial location's alone; a length has no base.
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

    /// The number of bytes that an FDE covers, of the value in its address range field: the value itself (DWARF 5
    /// section 6.4.1), which is no end address.
    fn address_range(&self, _initial_location: u64, value: u64) -> u64 {
        value
    }

    /// Whether a range that ends behind the address space is refused. No address is there that it could describe
    /// (DWARF 5 section 6.4.1).
    fn overflowing_range_is_refused(&self) -> bool {
        true
    }

    /// Whether an FDE of this CIE has an augmentation length and data. LSB: when the CIE's augmentation starts
    /// with `z`.
    #[inline(always)]
    fn fde_has_augmentation_data(&self, kind: SectionKind, augmentation: &[u8]) -> bool {
        self.has_augmentation_data(kind, augmentation)
    }

    /// Where an FDE's instructions start: behind the augmentation data, whose length is binding as in a CIE (LSB).
    fn fde_augmentation_end(&self, _start: usize, _used_end: usize, declared_end: usize) -> usize {
        declared_end
    }

    /// Whether the written value zero means "none" in this field, whatever base would be added. The C++ ABI's
    /// unwinders read LSDA and personality so.
    #[inline(always)]
    fn zero_is_null(&self, field: PointerField) -> bool {
        matches!(field, PointerField::Lsda | PointerField::Personality)
    }

    // Encoded pointers.

    /// Whether an encoding says that the field is not there. LSB: DW_EH_PE_omit, 0xff.
    fn is_omitted(&self, encoding: u8) -> bool {
        encoding == 0xff
    }

    /// Whether a pointer starts at the next place that is aligned to the size of an address. DW_EH_PE_aligned, 0x50
    /// among the applications.
    fn is_aligned(&self, encoding: u8) -> bool {
        encoding & 0x70 == 0x50
    }

    /// Whether a pointer leads to a slot that holds the address. LSB: DW_EH_PE_indirect, 0x80.
    fn is_indirect(&self, encoding: u8) -> bool {
        encoding & 0x80 != 0
    }

    /// The format in the low four bits of an encoding, or `None` for an undefined one. LSB: absptr has the size
    /// of an address, `signed` is its signed twin.
    #[inline(always)]
    fn pointer_format(&self, _field: PointerField, encoding: u8, address_size: u8) -> Option<PointerFormat> {
        PointerFormat::of(encoding & 0x0f, address_size)
    }

    /// The address that DW_EH_PE_pcrel counts from: that of the field's own first byte (LSB), so the section's
    /// address plus the field's offset in it.
    #[inline(always)]
    fn pcrel_base(&self, section: &Section, field: u64, _field_end: u64) -> u64 {
        section.address.0.wrapping_add(field)
    }

    /// The base that the application in bits 4 to 6 adds; `Err` for an undefined application, `Ok(None)` when
    /// the file does not tell the base. LSB: 0x00 none, 0x10 pcrel, 0x20 textrel, 0x30 datarel, 0x40 funcrel;
    /// 0x50 (aligned) is a plain address at an aligned place.
    #[inline(always)]
    fn pointer_base(
        &self,
        _field: PointerField,
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

    /// Where a record's instructions end: at the end of the record, as its length tells it (DWARF 5 section 6.4.1).
    fn instructions_end(&self, record_end: usize) -> usize {
        record_end
    }

    /// What becomes of an opcode, without the low six bits of those that hold an operand. DWARF 5 section 7.24: it is
    /// an instruction, DW_CFA_nop too, and has the operands of its definition.
    fn opcode_use(&self, _opcode: u8) -> OpcodeUse {
        OpcodeUse::Instruction
    }

    /// Whether an instruction changes the current row, when its definition says that it does. DWARF 5 section 6.4.3:
    /// each instruction is executed.
    fn has_effect(&self, _opcode: u8) -> bool {
        true
    }

    /// The register that an operand or a CIE's return address field names: the one of this number in the ABI
    /// supplement of the machine (DWARF 5 section 2.6.1.1.3).
    #[inline(always)]
    fn register(&self, number: u64) -> u64 {
        number
    }

    /// The size of an expression in bytes: what the number in front of it tells, itself not counted (DWARF 5 section
    /// 7.5.5, class exprloc).
    fn expression_size(&self, told: u64) -> u64 {
        told
    }

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
        op::is_sf(opcode)
    }

    /// The offset in bytes of a register rule. DWARF 5 section 6.4.2.3: the operand times the data alignment
    /// factor, whose sign counts.
    #[inline(always)]
    fn factored_offset(
        &self,
        opcode: u8,
        operand: i64,
        _code_alignment_factor: u64,
        data_alignment_factor: i64,
    ) -> i64 {
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
    fn cfa_offset_sf(&self, _opcode: u8, operand: i64, _code_factor: u64, data_factor: i64) -> i64 {
        operand.wrapping_mul(data_factor)
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

    /// Whether an FDE starts with the rules that its CIE's instructions set (DWARF 5 section 6.4.3).
    fn fde_starts_with_cie_rules(&self) -> bool {
        true
    }

    /// The register and offset of the CFA before an instruction has defined it: none (DWARF 5 section 6.4.3).
    fn cfa_before_definition(&self) -> Option<(u64, i64)> {
        None
    }

    /// The rule of the return address register before an instruction has defined it: none (DWARF 5 section 6.4.3).
    /// What no rule means is the ABI's to say.
    fn return_address_before_definition(&self) -> Option<Rule> {
        None
    }

    /// Whether a row starts with the rules of the row before, when this instruction advances the location (DWARF 5
    /// section 6.4.3).
    fn advance_keeps_rules(&self, _opcode: u8) -> bool {
        true
    }

    /// The rule that an instruction sets, given the one that its definition says (DWARF 5 section 6.4.2.3).
    fn register_rule(&self, _opcode: u8, defined: Rule) -> Rule {
        defined
    }

    /// The rule after restore: the one that the CIE's instructions set, or none when they set none (DWARF 5 section
    /// 6.4.2.3).
    fn restored_rule(&self, initial: Option<Rule>) -> Option<Rule> {
        initial
    }

    /// Whether remember_state keeps a copy, which the instructions behind it do not change (DWARF 5 section 6.4.2.4).
    fn remembered_state_is_copy(&self) -> bool {
        true
    }

    /// Whether remember_state and restore_state keep the CFA rule as well as the register rules. DWARF 5 section
    /// 6.4.2.4 speaks of "every register"; producers and all unwinders count the CFA among them.
    #[inline(always)]
    fn remembered_state_has_cfa(&self) -> bool {
        true
    }

    /// Whether remember_state and restore_state keep the register rules (DWARF 5 section 6.4.2.4).
    fn remembered_state_has_registers(&self) -> bool {
        true
    }

    /// Whether remembered states form a stack, and not one place for all (DWARF 5 section 6.4.2.4).
    fn remembered_states_nest(&self) -> bool {
        true
    }

    /// Whether restore_state also goes back to the location: no, locations never go down (DWARF 5 section 6.4.3).
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
    fn first_cfa_of_register(&self, _register: u64) -> Option<i64> {
        Some(0)
    }

    /// The offset of the CFA rule after DW_CFA_GNU_args_size: the one before it. LSB: the size is for the run-time
    /// unwinder's landing, no rule depends on it.
    fn offset_after_args_size(&self, before: i64, _size: u64) -> i64 {
        before
    }

    /// The value of RA_SIGN_STATE after DW_CFA_AARCH64_negate_ra_state, or its twin with the PC. AArch64 DWARF
    /// supplement: bit 0, that the return address is signed, is flipped, and with the PC bit 1 as well.
    fn ra_state_after(&self, before: u64, with_pc: bool) -> u64 {
        if with_pc { before ^ 3 } else { before ^ 1 }
    }

    /// Where the last row ends: at the end of the FDE's range (DWARF 5 section 6.4.3).
    #[inline(always)]
    fn last_row_end(&self, initial_location: u64, address_range: u64) -> u64 {
        initial_location.wrapping_add(address_range)
    }

    // Look-up.

    /// The address to look up for a place in code: of a return address the byte before it, since a call can be the
    /// last instruction of its function (DWARF 5 section 6.4.4 and the unwinders of the C++ ABI).
    fn address_to_look_up(&self, address: u64, is_return_address: bool) -> u64 {
        address.wrapping_sub(u64::from(is_return_address))
    }

    /// Whether FDEs that cover nothing can be found. They describe no address (DWARF 5 section 6.4.1).
    fn empty_fde_is_kept(&self) -> bool {
        false
    }

    /// Whether FDEs of which one ends where the next starts are one function's, which the first describes. Each
    /// describes its own range (DWARF 5 section 6.4.1).
    fn adjacent_fdes_are_one(&self) -> bool {
        false
    }

    /// Whether an address lies in a range: the end is the first address after it (DWARF 5 section 6.4.1).
    #[inline(always)]
    fn range_contains(&self, start: u64, length: u64, address: u64) -> bool {
        address.wrapping_sub(start) < length
    }

    /// Whether a row can be the one for an address: the last one that starts at or before it (DWARF 5 section 6.4.3).
    fn row_is_candidate(&self, start: u64, address: u64) -> bool {
        start <= address
    }

    // The header's table.

    /// The base of DW_EH_PE_datarel in `.eh_frame_hdr`: the header's own address (LSB).
    #[inline(always)]
    fn header_base(&self, header: Address) -> u64 {
        header.0
    }

    /// The number of entries of the table, given the header's count: the count itself (LSB).
    fn header_entry_count(&self, count: u64) -> u64 {
        count
    }

    /// Whether a table entry that starts at `start` can be the one for `address`: the last one that starts at or
    /// before it.
    #[inline(always)]
    fn header_entry_is_candidate(&self, start: u64, address: u64) -> bool {
        start <= address
    }

    /// The entry that a search finds, given the number of candidates: the last of them.
    fn header_entry_found(&self, candidates: u64) -> Option<u64> {
        candidates.checked_sub(1)
    }

    // Expressions.

    /// Whether a register rule's expression starts with the CFA on its stack. DWARF 5 section 6.4.2.3: it does, and
    /// section 6.4.2.2: the CFA's own does not.
    fn expression_starts_with_cfa(&self) -> bool {
        true
    }

    /// The operands of an operation that takes two, in their order: the second entry of the stack and its top, or for
    /// DW_OP_bregx the register and the offset as they are written (DWARF 5 sections 2.5.1.2 and 2.5.1.4).
    fn operation_operands(&self, _operation: u8, first: u64, second: u64) -> (u64, u64) {
        (first, second)
    }

    /// The value of a comparison that holds: one (DWARF 5 section 2.5.1.5).
    fn value_of_true(&self) -> u64 {
        1
    }
}
