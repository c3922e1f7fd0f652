//! What single relocations do, checked against the formulas of the processor supplements.

use cfidiff_model::{Address, Bases, Class, Endianness, Section, SectionKind};

use super::*;

fn target(machine: Machine, class: Class, endianness: Endianness) -> Target {
    Target { machine, class, endianness, relocatable: true }
}

/// A symbol table of 64-bit or 32-bit symbols with these values; symbol zero included.
fn symbol_table(values: &[u64], target: &Target) -> Vec<u8> {
    let (size, at) = match target.class {
        Class::Elf32 => (16, 4..8),
        Class::Elf64 => (24, 8..16),
    };
    let mut table = vec![0; size * values.len()];
    for (entry, &value) in table.chunks_exact_mut(size).zip(values) {
        integer::write(&mut entry[at.clone()], target.endianness, value);
    }
    table
}

/// A RELA entry with r_info as one number.
fn rela(offset: u64, info: u64, addend: i64, target: &Target) -> Vec<u8> {
    let word = usize::from(target.class.address_size());
    let mut entry = vec![0; 3 * word];
    for (field, value) in entry.chunks_exact_mut(word).zip([offset, info, addend as u64]) {
        integer::write(field, target.endianness, value);
    }
    entry
}

/// Applies a table to contents, with symbols of the values given.
fn relocate(data: &[u8], form: Form, table: &[u8], values: &[u64], target: &Target) -> Section {
    let mut section = Section {
        kind: SectionKind::EhFrame,
        name: ".eh_frame".to_owned(),
        index: Some(1),
        section_type: 1,
        address: Address(0),
        file_offset: None,
        data: data.to_vec(),
        bases: Bases::default(),
        faults: Vec::new(),
    };
    let entries = symbol_table(values, target);
    let symbols = Symbols { entries: &entries, target: *target };
    let table = Table::parse(form, table, target).expect("a table of whole entries");
    Relocator { target, symbols, section: &mut section, faults_left_out: 0 }.apply(table).expect("entries");
    section
}

const X86_64: Target = Target {
    machine: Machine::X86_64,
    class: Class::Elf64,
    endianness: Endianness::Little,
    relocatable: true,
};

#[test]
fn pc_relative_counts_from_the_field_and_may_be_unaligned() {
    // R_X86_64_PC32 at 3 against symbol 1: 0x1000 + 0x10 - 3.
    let table = rela(3, 1 << 32 | 2, 0x10, &X86_64);
    let section = relocate(&[0xff; 8], Form::Rela, &table, &[0, 0x1000], &X86_64);
    assert_eq!(section.data, [0xff, 0xff, 0xff, 0x0d, 0x10, 0, 0, 0xff]);
    assert!(section.faults.is_empty());
}

#[test]
fn what_cannot_be_applied_is_a_fault_and_the_rest_is_applied() {
    let mut table = rela(0, 9, 0, &X86_64); // R_X86_64_GOTPCREL
    table.extend(rela(4, 7 << 32 | 1, 0, &X86_64)); // no symbol 7
    table.extend(rela(u64::MAX, 1, 0, &X86_64)); // nowhere
    table.extend(rela(6, 1, 0, &X86_64)); // R_X86_64_64 reaches past the end
    table.extend(rela(2, 10, -2, &X86_64)); // R_X86_64_32
    let section = relocate(&[0x11; 8], Form::Rela, &table, &[0, 0x1000], &X86_64);
    assert_eq!(section.data, [0x11, 0x11, 0xfe, 0xff, 0xff, 0xff, 0x11, 0x11]);
    let faults: Vec<String> = section.faults.iter().map(|fault| fault.to_string()).collect();
    assert_eq!(
        faults,
        [
            "fault.relocation at 0x0: found 11 11 11 11 11 11 11 11, expected a relocation type that cfidiff \
             knows, not type 9 of x86_64",
            "fault.relocation at 0x4: found 11 11 11 11, expected a symbol in the table of 2, not symbol 7",
            "fault.relocation at 0xffffffffffffffff: an offset inside the section of 0x8 bytes",
            "fault.relocation at 0x6: found 11 11, expected a field of 8 bytes inside the section",
        ]
    );
}

#[test]
fn faults_are_counted_past_the_limit() {
    let table = rela(0, 9, 0, &X86_64).repeat(FAULT_LIMIT + 5);
    let section = relocate(&[0; 8], Form::Rela, &table, &[], &X86_64);
    assert_eq!(section.faults.len(), FAULT_LIMIT + 1);
    let last = section.faults.last().map(|fault| fault.expected.as_ref());
    assert_eq!(last, Some("relocations that can be applied: 5 more cannot"));
}

#[test]
fn prel31_keeps_the_top_bit_and_takes_its_addend_from_the_field() {
    let arm = target(Machine::ARM, Class::Elf32, Endianness::Big);
    // R_ARM_PREL31 at 4 against 0x100 with the addend -8: 0xf4.
    let table: Vec<u8> = [4u32, 1 << 8 | 42].iter().flat_map(|word| word.to_be_bytes()).collect();
    let data = [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xf8];
    let section = relocate(&data, Form::Rel, &table, &[0, 0x100], &arm);
    assert_eq!(section.data[4..], [0x80, 0, 0, 0xf4]);
    // The same with the top bit clear; the field's bit 30 is the addend's sign.
    let data = [0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xf8];
    let section = relocate(&data, Form::Rel, &table, &[0, 0x100], &arm);
    assert_eq!(section.data[4..], [0, 0, 0, 0xf4]);
}

#[test]
fn pairs_at_one_offset_make_a_distance() {
    let riscv = target(Machine::RISCV, Class::Elf64, Endianness::Little);
    let values = [0, 0x1234, 0x1000];
    let apply = |data: &[u8], set: u64, subtract: u64| {
        let mut table = rela(1, 1 << 32 | set, 0, &riscv);
        table.extend(rela(1, 2 << 32 | subtract, 0, &riscv));
        relocate(data, Form::Rela, &table, &values, &riscv).data
    };
    // SET6 and SUB6 leave the opcode above them: DW_CFA_advance_loc by 0x34.
    assert_eq!(apply(&[0, 0x40], 53, 52), [0, 0x74]);
    // SET16 and SUB16.
    assert_eq!(apply(&[0, 9, 9], 55, 38), [0, 0x34, 0x02]);
    // ADD32 and SUB32 start from what the field holds.
    assert_eq!(apply(&[0, 1, 0, 0, 0], 35, 39), [0, 0x35, 0x02, 0, 0]);
    // SET_ULEB128 and SUB_ULEB128 keep the padded length.
    assert_eq!(apply(&[0, 0x80, 0x80, 0x00, 7], 60, 61), [0, 0xb4, 0x84, 0x00, 7]);
}

#[test]
fn leb128_without_an_end_is_a_fault() {
    let riscv = target(Machine::RISCV, Class::Elf64, Endianness::Little);
    let table = rela(0, 60, 0, &riscv);
    for size in [3, 40] {
        let section = relocate(&vec![0x80; size], Form::Rela, &table, &[], &riscv);
        assert_eq!(section.faults.len(), 1);
        assert_eq!(section.data, vec![0x80; size]);
    }
}

#[test]
fn mips64_composes_the_types_of_an_entry() {
    for endianness in [Endianness::Little, Endianness::Big] {
        let mips = target(Machine::MIPS, Class::Elf64, endianness);
        // Symbol 1, then the types in the order they stand in the file: third, second, first. First R_MIPS_64
        // gives S + A = 0x1010; then R_MIPS_SUB, whose symbol is none, gives 0 - 0x1010.
        let mut entry = rela(0, 0, 0x10, &mips);
        integer::write(&mut entry[8..12], endianness, 1);
        entry[13..16].copy_from_slice(&[0, 24, 18]);
        let section = relocate(&[0; 8], Form::Rela, &entry, &[0, 0x1000], &mips);
        assert!(section.faults.is_empty());
        assert_eq!(integer::read(&section.data, endianness), 0x1010u64.wrapping_neg());
    }
}

#[test]
fn sparc_types_have_data_above_them() {
    let sparc = target(Machine::SPARCV9, Class::Elf64, Endianness::Big);
    // R_SPARC_UA64 with the type's data bits set.
    let table = rela(1, 1 << 32 | 0xabcdef << 8 | 54, 2, &sparc);
    let section = relocate(&[0; 9], Form::Rela, &table, &[0, 0x40], &sparc);
    assert_eq!(section.data, [0, 0, 0, 0, 0, 0, 0, 0, 0x42]);
}

#[test]
fn an_unlisted_machine_has_no_types() {
    let other = target(Machine(0xfff0), Class::Elf32, Endianness::Little);
    let section = relocate(&[0; 4], Form::Rela, &rela(0, 1, 0, &other), &[], &other);
    let expected = section.faults.first().map(|fault| fault.expected.as_ref());
    assert_eq!(expected, Some("a relocation type that cfidiff knows, not type 1 of machine-65520"));
}
