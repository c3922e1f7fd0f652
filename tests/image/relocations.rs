//! Relocated objects of every machine.

use cfidiff_model::{Machine, SectionKind};

use super::{case, locations, section_names};

/// The functions of `frames.s`: 32 bytes, 464 bytes, and 64 bytes at 8 of a second section. `readelf -wNf` of
/// binutils 2.40 prints the same for each of the objects, except where it cannot apply the type of relocation:
/// R_MIPS_PC32, R_AARCH64_P32_PREL32 and SHT_CREL. There the source alone tells.
const FRAMES: [(u64, u64); 3] = [(0, 0x20), (0x20, 0x1f0), (8, 0x48)];

/// The functions of `calls.s`, where each call takes 8 bytes and a nop 4. `readelf -wNf` of binutils 2.40 prints
/// the same for the RISC-V objects; it cannot apply LoongArch's additions and subtractions.
const CALLS: [(u64, u64); 3] = [(0, 0x18), (0x18, 0x1ac), (4, 0x10)];

fn check(names: &[&str], expected: &[(u64, u64)]) {
    for name in names {
        let case = case(name);
        assert!(case.target.relocatable, "{name}");
        assert_eq!(section_names(&case), [".eh_frame", ".debug_frame"], "{name}");
        for section in &case.sections {
            assert_eq!(section.faults, [], "{name} {}", section.name);
            assert_eq!(locations::of(section, &case.target), expected, "{name} {}", section.name);
        }
    }
}

#[test]
fn every_machine() {
    check(
        &[
            "aarch64-ilp32.o",
            "aarch64.o",
            "aarch64_be.o",
            "alpha.o",
            "arm.o",
            "armeb.o",
            "crel.o",
            "hppa.o",
            "i386.o",
            "m68k.o",
            "mips-pc32.o",
            "mips.o",
            "mips64.o",
            "mips64el-pc32.o",
            "mips64el.o",
            "mipsn32.o",
            "powerpc.o",
            "powerpc64.o",
            "powerpc64le.o",
            "s390.o",
            "s390x.o",
            "sh4.o",
            "sh4eb.o",
            "sparc.o",
            "sparc64.o",
            "x32.o",
            "x86_64.o",
        ],
        &FRAMES,
    );
}

#[test]
fn machines_whose_distances_stay_open() {
    let names = ["riscv64.o", "riscv32.o", "loongarch64.o", "loongarch32.o"];
    check(&names, &CALLS);
    // The second function: advance_loc 4, def_cfa_offset 64, advance_loc1 0x58, def_cfa_offset 16, advance_loc2
    // 0x134, def_cfa_offset 48. Each distance is a pair of relocations.
    let instructions = [0x44, 0x0e, 0x40, 0x02, 0x58, 0x0e, 0x10, 0x03, 0x34, 0x01, 0x0e, 0x30];
    for name in names {
        for section in case(name).sections {
            let found = section.data.windows(instructions.len()).any(|window| window == instructions);
            // On RISC-V gas counts the distance in steps of the code alignment factor, one byte.
            assert!(found, "{name} {}", section.name);
        }
    }
}

#[test]
fn sections_of_one_name_are_relocated_apart() {
    let case = case("groups.o");
    assert_eq!(section_names(&case), [".eh_frame", ".eh_frame"]);
    // Section header indices and locations as `readelf -SW` and `readelf -wNf` of binutils 2.40 print them.
    let indices: Vec<_> = case.sections.iter().map(|section| section.index).collect();
    assert_eq!(indices, [Some(7), Some(10)]);
    for section in &case.sections {
        assert_eq!(locations::of(section, &case.target), [(0x10, 0x20)]);
    }
}

#[test]
fn section_types_of_the_machine_are_read() {
    // .debug_frame of SHT_MIPS_DWARF and .eh_frame of SHT_X86_64_UNWIND.
    let mips = case("mips64el.o");
    assert_eq!(mips.target.machine, Machine::MIPS);
    assert_eq!(mips.sections[1].kind, SectionKind::DebugFrame);
    let x86_64 = case("crel.o");
    assert_eq!(x86_64.sections[0].kind, SectionKind::EhFrame);
    assert_eq!(x86_64.sections[0].data.len(), 0x60);
}

#[test]
fn only_the_bases_that_mean_something_are_given() {
    let case = case("x86_64.o");
    let bases = case.sections[0].bases;
    assert_eq!(bases.text.map(|address| address.0), Some(0));
    assert_eq!(bases.data, None);
}
