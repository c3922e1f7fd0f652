//! Where sections, symbols and relocations stand in the file.

use super::*;
use cfidiff_model::{Endianness, Machine};

use crate::{Reference, Referent};

const X86_64: Target = Target {
    machine: Machine::X86_64,
    class: Class::Elf64,
    endianness: Endianness::Little,
    relocatable: false,
};

fn spec(sections: Vec<ElfSection>) -> ElfSpec {
    ElfSpec::new(X86_64, sections)
}

fn object(target: Target) -> ElfSpec {
    ElfSpec::new(Target { relocatable: true, ..target }, vec![ElfSection::text(Address(0), 0x20)])
}

#[test]
fn offsets_and_addresses_agree_within_a_page() {
    let frame = ElfSection::frame(SectionKind::EhFrame, Address(0x2345), vec![1, 2, 3]);
    let file = spec(vec![ElfSection::text(Address(0x1010), 4), frame]).build().unwrap();
    assert_eq!(file[0x345..][..3], [0, 0, 0]);
    assert_eq!(file[0x1345..][..3], [1, 2, 3]);
}

#[test]
fn neighbours_with_the_same_flags_share_a_segment_when_they_may() {
    let constants = |address| ElfSection::constants(".rodata", Address(address), vec![5; 0x20]);
    let text = ElfSection::text(Address(0x1000), 4);
    let mut spec = spec(vec![text, constants(0x2000), constants(0x2028), constants(0x4000)]);
    // PT_LOAD of 56 bytes each behind the header: the address and the size in the file.
    let loads = |file: &[u8]| -> Vec<(u64, u64)> {
        let word = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
        (0..file[56].into())
            .map(|number| 64 + 56 * number)
            .map(|at: usize| (word(at + 16), word(at + 32)))
            .collect()
    };
    assert_eq!(
        loads(&spec.build().unwrap())[1..],
        [(0x1000, 4), (0x2000, 0x20), (0x2028, 0x20), (0x4000, 0x20)]
    );
    spec.shared_segments = true;
    let file = spec.build().unwrap();
    assert_eq!(loads(&file)[1..], [(0x1000, 4), (0x2000, 0x48), (0x4000, 0x20)]);
    let ranges = spec.file_ranges();
    assert_eq!(ranges[2].start - ranges[1].start, 0x28);
}

#[test]
fn overlapping_sections_are_an_error_once_they_are_placed() {
    let sections = vec![ElfSection::text(Address(0x1000), 16), ElfSection::text(Address(0x100f), 1)];
    assert!(matches!(spec(sections.clone()).build(), Err(ElfError::Overlap(..))));
    let relocatable = Target { relocatable: true, ..X86_64 };
    assert!(ElfSpec::new(relocatable, sections).build().is_ok());
    let past_the_end = vec![ElfSection::text(Address(u64::MAX), 2)];
    assert!(matches!(spec(past_the_end).build(), Err(ElfError::TooBig(_))));
}

/// A section of eight bytes with one reference, added to an object: its relocations and what is left of its
/// data.
fn relocated(target: Target, reference: Reference) -> (Vec<(u32, i64)>, Vec<u8>) {
    let mut object = object(target);
    let frame = ElfSection::frame(SectionKind::EhFrame, Address(0), vec![0x5f; 8]);
    object.push_relocated(frame, &[reference]).unwrap();
    let frame = object.sections.pop().unwrap();
    let relocations = frame.relocations.iter().map(|each| (each.relocation_type, each.addend)).collect();
    (relocations, frame.data)
}

#[test]
fn addends_are_in_the_table_or_in_the_field() {
    let location = Reference { offset: 2, bits: 32, relative: true, to: Referent::Code(Address(0x10)) };
    // R_X86_64_PC32 in a SHT_RELA, R_386_PC32 in a SHT_REL: both S + A - P.
    assert_eq!(relocated(X86_64, location), (vec![(2, 0x10)], vec![0x5f, 0x5f, 0, 0, 0, 0, 0x5f, 0x5f]));
    let i386 = Target { machine: Machine::I386, class: Class::Elf32, ..X86_64 };
    assert_eq!(relocated(i386, location), (vec![(2, 0x10)], vec![0x5f, 0x5f, 0x10, 0, 0, 0, 0x5f, 0x5f]));
}

#[test]
fn distances_are_pairs_where_linkers_shorten_code() {
    let to = Referent::Distance { from: Address(4), to: Address(8), is_range: false };
    let advance = Reference { offset: 1, bits: 6, relative: false, to };
    assert_eq!(relocated(X86_64, advance), (vec![], vec![0x5f; 8]));
    let riscv = Target { machine: Machine::RISCV, ..X86_64 };
    // R_RISCV_SET6 and SUB6 against labels. The opcode in the upper bits stays.
    let (relocations, data) = relocated(riscv, advance);
    assert_eq!(relocations, [(53, 0), (52, 0)]);
    assert_eq!(data[..3], [0x5f, 0x40, 0x5f]);
}

#[test]
fn a_reference_without_a_relocation_type_is_an_error() {
    let mut object = object(X86_64);
    let frame = ElfSection::frame(SectionKind::EhFrame, Address(0), vec![0; 8]);
    let narrow = Reference { offset: 0, bits: 16, relative: true, to: Referent::Code(Address(0)) };
    let error = object.push_relocated(frame.clone(), &[narrow]);
    assert_eq!(error, Err(ElfError::NoRelocation(".eh_frame".to_owned(), 16)));
    let lsda = Reference { offset: 0, bits: 32, relative: true, to: Referent::Lsda(Address(0)) };
    let error = object.push_relocated(frame, &[lsda]);
    assert_eq!(error, Err(ElfError::NoSection(".eh_frame".to_owned(), ".gcc_except_table")));
}

#[test]
fn local_symbols_come_first_and_relocations_follow_them() {
    let mut object = object(X86_64);
    object.symbol(Symbol::function("f", 0, 0, 0x20));
    let frame = ElfSection::frame(SectionKind::EhFrame, Address(0), vec![0; 8]);
    let location = Reference { offset: 0, bits: 32, relative: true, to: Referent::Code(Address(0)) };
    object.push_relocated(frame, &[location]).unwrap();
    let entries = object.entries();
    let names: Vec<&str> = entries.iter().map(|entry| entry.section.name.as_str()).collect();
    assert_eq!(names, [".text", ".eh_frame", ".symtab", ".strtab", ".rela.eh_frame", ".shstrtab"]);
    // The null symbol, then that of .text; the function is the first global one.
    assert_eq!((entries[2].link, entries[2].info), (4, 2));
    assert_eq!((entries[4].link, entries[4].info), (3, 2));
    // r_info: symbol 1, R_X86_64_PC32.
    assert_eq!(entries[4].contents[8..16], [2, 0, 0, 0, 1, 0, 0, 0]);
}
