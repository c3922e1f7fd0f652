//! A semantics with one decision point changed, wrapped around another.

use cfidiff_cfi::{
    AugmentationLetter, InitialLength, Opcode2d, OpcodeUse, PointerField, PointerFormat, Rule, Semantics,
    UndefinedApplication,
};
use cfidiff_model::{Address, Bases, Class, Endianness, Format, Machine, Section, SectionKind};

/// Makes [`Overrides`], with a place for each decision point, and the semantics that asks it first.
macro_rules! decision_points {
    ($($method:ident($($argument:ident: $type:ty),* $(,)?) -> $answer:ty;)+) => {
        /// The decision points that a fault answers otherwise. Each is given the semantics that it is planted in,
        /// for the questions that it leaves alone.
        #[derive(Default)]
        pub struct Overrides {
            $(
                #[doc = concat!("In place of [`Semantics::", stringify!($method), "`].")]
                pub $method: Option<fn(&dyn Semantics, $($type),*) -> $answer>,
            )+
        }

        impl Overrides {
            /// The decision points that are answered otherwise.
            pub fn names(&self) -> Vec<&'static str> {
                let all = [$((stringify!($method), self.$method.is_some())),+];
                all.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
            }
        }

        impl Semantics for Planted<'_> {
            $(
                fn $method(&self, $($argument: $type),*) -> $answer {
                    match self.overrides.$method {
                        Some(answer) => answer(self.inner, $($argument),*),
                        None => self.inner.$method($($argument),*),
                    }
                }
            )+
        }
    };
}

/// A semantics with a fault planted in it.
pub struct Planted<'a> {
    pub(super) inner: &'a dyn Semantics,
    pub(super) overrides: Overrides,
}

decision_points! {
    endianness(kind: SectionKind, file: Endianness) -> Endianness;
    address_size(class: Class) -> u8;
    initial_length(first_word: u32) -> InitialLength;
    record_size(length: u64) -> u64;
    length_past_section_is_refused() -> bool;
    is_terminator(kind: SectionKind, length: u64) -> bool;
    walk_ends_at_terminator(kind: SectionKind) -> bool;
    id_width(kind: SectionKind, format: Format) -> u8;
    is_cie(kind: SectionKind, format: Format, id: u64) -> bool;
    cie_offset(kind: SectionKind, field: u64, record: u64, pointer: u64) -> u64;
    cie_may_follow() -> bool;
    cie_may_stand_inside() -> bool;
    cie_has_augmentation(kind: SectionKind) -> bool;
    augmentation_start(version_field: usize) -> usize;
    cie_version_is_known(kind: SectionKind, version: u8) -> bool;
    cie_has_address_size(kind: SectionKind, version: u8) -> bool;
    cie_address_size(told: u8, file: u8) -> u8;
    data_alignment_factor_is_signed() -> bool;
    return_address_register_is_byte(kind: SectionKind, version: u8) -> bool;
    has_augmentation_data(kind: SectionKind, augmentation: &[u8]) -> bool;
    has_eh_data(augmentation: &[u8]) -> bool;
    plain_augmentation_is_known(augmentation: &[u8]) -> bool;
    augmentation_letter(letter: u8) -> AugmentationLetter;
    cie_augmentation_end(start: usize, used_end: usize, declared_end: usize) -> usize;
    cie_instructions_start(kind: SectionKind, fields_end: usize) -> usize;
    fde_header_padding(kind: SectionKind) -> usize;
    segment_selector_size(told: u8) -> u8;
    initial_location_encoding(kind: SectionKind, from_cie: Option<u8>) -> u8;
    address_range_encoding(initial_location_encoding: u8) -> u8;
    address_range_is_signed() -> bool;
    address_range(initial_location: u64, value: u64) -> u64;
    overflowing_range_is_refused() -> bool;
    fde_has_augmentation_data(kind: SectionKind, augmentation: &[u8]) -> bool;
    fde_augmentation_end(start: usize, used_end: usize, declared_end: usize) -> usize;
    zero_is_null(field: PointerField) -> bool;
    is_omitted(encoding: u8) -> bool;
    is_aligned(encoding: u8) -> bool;
    is_indirect(encoding: u8) -> bool;
    pointer_format(field: PointerField, encoding: u8, address_size: u8) -> Option<PointerFormat>;
    pcrel_base(section: &Section, field: u64, field_end: u64) -> u64;
    pointer_base(
        field: PointerField,
        encoding: u8,
        pcrel: u64,
        bases: &Bases,
        function: Option<u64>,
    ) -> Result<Option<u64>, UndefinedApplication>;
    wrap(value: u64, address_size: u8) -> u64;
    instructions_end(record_end: usize) -> usize;
    opcode_use(opcode: u8) -> OpcodeUse;
    has_effect(opcode: u8) -> bool;
    register(number: u64) -> u64;
    expression_size(told: u64) -> u64;
    advance_width(opcode: u8) -> u8;
    advance_delta(delta: u64, code_alignment_factor: u64) -> u64;
    set_loc_encoding(kind: SectionKind, from_cie: Option<u8>) -> u8;
    offset_is_signed(opcode: u8) -> bool;
    factored_offset(opcode: u8, operand: i64, code_alignment_factor: u64, data_alignment_factor: i64) -> i64;
    cfa_offset(operand: u64) -> u64;
    cfa_offset_sf(opcode: u8, operand: i64, code_factor: u64, data_factor: i64) -> i64;
    opcode_2d(machine: Machine) -> Opcode2d;
    has_register_windows(machine: Machine) -> bool;
    has_negate_ra_state_with_pc(machine: Machine) -> bool;
    fde_starts_with_cie_rules() -> bool;
    cfa_before_definition() -> Option<(u64, i64)>;
    return_address_before_definition() -> Option<Rule>;
    advance_keeps_rules(opcode: u8) -> bool;
    register_rule(opcode: u8, defined: Rule) -> Rule;
    restored_rule(initial: Option<Rule>) -> Option<Rule>;
    remembered_state_is_copy() -> bool;
    remembered_state_has_cfa() -> bool;
    remembered_state_has_registers() -> bool;
    remembered_states_nest() -> bool;
    remembered_state_has_location() -> bool;
    offset_after_def_cfa_register(before: i64) -> i64;
    first_cfa_of_register(register: u64) -> Option<i64>;
    offset_after_args_size(before: i64, size: u64) -> i64;
    ra_state_after(before: u64, with_pc: bool) -> u64;
    last_row_end(initial_location: u64, address_range: u64) -> u64;
    address_to_look_up(address: u64, is_return_address: bool) -> u64;
    empty_fde_is_kept() -> bool;
    adjacent_fdes_are_one() -> bool;
    range_contains(start: u64, length: u64, address: u64) -> bool;
    row_is_candidate(start: u64, address: u64) -> bool;
    header_base(header: Address) -> u64;
    header_entry_count(count: u64) -> u64;
    header_entry_is_candidate(start: u64, address: u64) -> bool;
    header_entry_found(candidates: u64) -> Option<u64>;
    expression_starts_with_cfa() -> bool;
    operation_operands(operation: u8, first: u64, second: u64) -> (u64, u64);
    value_of_true() -> u64;
}
