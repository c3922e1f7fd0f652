//! Cases from any bytes.

use cfidiff_model::{Address, Bases, Case, Class, Endianness, Machine, Section, SectionKind, Target};

/// Machines by number: those with opcodes or registers of their own, and an ordinary one.
const MACHINES: [Machine; 8] = [
    Machine::X86_64,
    Machine::AARCH64,
    Machine::SPARCV9,
    Machine::MIPS,
    Machine::I386,
    Machine::RISCV,
    Machine::S390,
    Machine(0xffff),
];

/// The first byte tells the kind of section, the class, the byte order and the machine; the others are the
/// section's contents. `None` without a first byte.
pub(crate) fn frame_case(bytes: &[u8]) -> Option<Case> {
    let (&choices, data) = bytes.split_first()?;
    let kind = if choices & 1 == 0 { SectionKind::EhFrame } else { SectionKind::DebugFrame };
    Some(case(kind, choices, data))
}

/// The same for `.eh_frame_hdr`.
pub(crate) fn header_case(bytes: &[u8]) -> Option<Case> {
    let (&choices, data) = bytes.split_first()?;
    Some(case(SectionKind::EhFrameHdr, choices, data))
}

fn case(kind: SectionKind, choices: u8, data: &[u8]) -> Case {
    let target = Target {
        machine: MACHINES[usize::from(choices >> 3) % MACHINES.len()],
        class: if choices & 2 == 0 { Class::Elf64 } else { Class::Elf32 },
        endianness: if choices & 4 == 0 { Endianness::Little } else { Endianness::Big },
        relocatable: false,
    };
    // The places that the generator uses, so that what it makes can serve as seeds.
    let section = Section {
        kind,
        name: kind.name().to_owned(),
        index: None,
        section_type: 0,
        address: Address(if kind == SectionKind::DebugFrame { 0 } else { 0x1_0000 }),
        file_offset: None,
        data: data.to_vec(),
        bases: Bases { text: Some(Address(0x1000)), data: Some(Address(0x8000)) },
        faults: Vec::new(),
    };
    let name = "fuzz".to_owned();
    Case { name, path: None, member: None, target, sections: vec![section], notes: Vec::new() }
}
