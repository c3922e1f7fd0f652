//! The same object for each machine: what its assembler leaves to relocations in either section.

use cfidiff_model::{Address, Class, Endianness, Machine, SectionKind};

use super::CLAUSE;
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::rows::{Listing, cfa, initial_row};
use crate::{CieSpec, ElfSection, FdeSpec, Padding, Program, Record, RelocationTypes};

/// SHT_MIPS_DWARF.
const MIPS_DWARF: u32 = 0x7000_001e;

/// The machines by their names in file names, and the encoding of locations that their assemblers write.
const MACHINES: [(&str, Convention, u8); 12] = [
    ("x86_64", Convention::X86_64, 0x1b),
    ("i386", Convention::I386, 0x1b),
    ("aarch64", Convention::AARCH64, 0x1b),
    ("arm", Convention::ARM, 0x1b),
    ("riscv64", Convention::RISCV64, 0x1b),
    ("ppc", Convention::PPC, 0x1b),
    ("ppc64le", Convention::PPC64LE, 0x1b),
    ("s390x", Convention::S390X, 0x1b),
    ("mips", Convention::MIPS, 0x00),
    ("mips64el", MIPS64EL, 0x00),
    ("sparc64", Convention::SPARC64, 0x1b),
    ("loongarch64", LOONGARCH64, 0x1b),
];

/// The 64-bit ABI of MIPS, with the flags of mips64r2.
pub(super) const MIPS64EL: Convention = Convention {
    class: Class::Elf64,
    endianness: Endianness::Little,
    flags: 0x8000_0007,
    data_alignment_factor: -8,
    ..Convention::MIPS
};

/// Linkers shorten code, so that advances have to be single bytes for a relocation to fill them in.
const LOONGARCH64: Convention = Convention { code_alignment_factor: 1, ..Convention::LOONGARCH64 };

pub(super) fn add(suite: &mut Suite) {
    for (name, machine, encoding) in MACHINES {
        suite.add(eh_frame(&format!("{name}-eh-frame.o"), &machine, encoding));
        suite.add(debug_frame(&format!("{name}-debug-frame.o"), &machine));
        // Where code may be far from data, compilers write eight bytes.
        let wide = RelocationTypes::of(machine.target()).is_some_and(|types| types.relative[1] != 0);
        if wide {
            suite.add(eh_frame(&format!("{name}-eh-frame-sdata8.o"), &machine, 0x1c));
        }
    }
    // What people write by hand is often no difference but the address.
    suite.add(eh_frame("x86_64-eh-frame-udata4.o", &Convention::X86_64, 0x03));
    suite.add(plain_pointers());
}

/// Locations and a pointer to an LSDA that are no differences.
fn plain_pointers() -> Draft {
    let machine = Convention::X86_64;
    let about =
        "Two functions in .eh_frame, the second with an LSDA: plain addresses, and each a relocation.";
    let plain = CieSpec {
        augmentation: b"zLR".to_vec(),
        lsda_encoding: 0x00,
        fde_encoding: 0x00,
        ..machine.eh_frame_cie()
    };
    let records = vec![
        Record::Cie(plain),
        Record::Fde(machine.function(0, 0, 0x20)),
        Record::Fde(FdeSpec { lsda: Some(Address(0x27)), ..machine.function(0, 0x40, 0x30) }),
    ];
    Draft::new("relocatable/x86_64-eh-frame-absptr.o", &machine, about)
        .object()
        .clause(CLAUSE)
        .extra(ElfSection::constants(".gcc_except_table", Address(0), vec![0; 0x28]))
        .eh_frame(records)
}

fn eh_frame(file: &str, machine: &Convention, encoding: u8) -> Draft {
    let about = format!(
        "Two functions of {} in .eh_frame, whose locations in encoding {encoding:#04x} are relocations.",
        machine.machine
    );
    let cie = CieSpec { fde_encoding: encoding, ..machine.eh_frame_cie() };
    let records = vec![
        Record::Cie(cie),
        Record::Fde(machine.function(0, 0, 0x20)),
        Record::Fde(machine.function(0, 0x40, 0x30)),
    ];
    Draft::new(&format!("relocatable/{file}"), machine, &about)
        .object()
        .clause(CLAUSE)
        .catches(&["elfutils commit 00f758c2"])
        .eh_frame(records)
}

/// The second function has a CIE of its own, so that its CIE pointer is a relocation with something to add.
fn debug_frame(file: &str, machine: &Convention) -> Draft {
    let about = format!(
        "Two functions of {} in .debug_frame, a CIE each: locations and CIE pointers are relocations.",
        machine.machine
    );
    let padding = Padding::Align(machine.class.address_size());
    let entry = cfa(machine.stack_pointer, 64);
    let usual = CieSpec { padding, ..machine.debug_frame_cie() };
    let other = CieSpec {
        program: Program::new().def_cfa(machine.stack_pointer, 64),
        rows: initial_row(entry.clone(), &[]),
        ..usual.clone()
    };
    let second = FdeSpec {
        rows: Listing::new(0x40, 0x70).row(0, entry, &[]).done(),
        ..FdeSpec::new(2, Address(0x40), 0x30, Program::new())
    };
    let records = vec![
        Record::Cie(usual),
        Record::Fde(FdeSpec { padding, ..machine.function(0, 0, 0x20) }),
        Record::Cie(other),
        Record::Fde(FdeSpec { padding, ..second }),
    ];
    let draft = Draft::new(&format!("relocatable/{file}"), machine, &about).object().clause(CLAUSE);
    let spec = draft.spec(SectionKind::DebugFrame, records);
    draft.frame_as(spec, |section| {
        if machine.machine == Machine::MIPS {
            section.section_type = MIPS_DWARF;
        }
    })
}
