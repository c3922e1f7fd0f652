//! Files made here are opened by readelf, which prints what was meant.

use std::fs;
use std::process::Command;

use cfidiff_gen::{
    CieSpec, Code, Compression, ElfSection, ElfSpec, FdeSpec, HeaderSpec, Padding, Program, Record,
    SectionSpec,
};
use cfidiff_model::{Address, Bases, Class, Endianness, Format, Machine, SectionKind, Target};

const HEADER: Address = Address(0x1f00);
const FRAME: Address = Address(0x2000);

/// What readelf prints for a file, or `None` when there is no readelf.
fn readelf(arguments: &[&str], file: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made");
    fs::write(&path, file).unwrap();
    match Command::new("readelf").args(arguments).arg(&path).env("LC_ALL", "C").output() {
        Ok(output) => {
            let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(complaints, "");
            assert!(output.status.success());
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Err(_) if std::env::var("CFIDIFF_REQUIRE_ORACLES").is_ok_and(|value| value == "all") => {
            panic!("readelf not found");
        }
        Err(_) => {
            println!("skipped: readelf not found");
            None
        }
    }
}

/// The lines that start a record or an instruction, without the blanks around them.
fn dumped(file: &[u8]) -> Option<Vec<String>> {
    let text = readelf(&["-wNf"], file)?;
    Some(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect())
}

fn target(machine: Machine, class: Class, endianness: Endianness) -> Target {
    Target { machine, class, endianness, relocatable: false }
}

fn section(kind: SectionKind, target: Target, records: Vec<Record>) -> SectionSpec {
    let bases = Bases { text: Some(Address(0x1000)), data: Some(Address(0x3000)) };
    let address = if kind == SectionKind::EhFrame { FRAME } else { Address(0) };
    SectionSpec { kind, target, address, bases, wide_ids: false, records }
}

/// The section in a file with code, and with a matching header for `.eh_frame`.
fn file(spec: &SectionSpec) -> Vec<u8> {
    let built = spec.build().unwrap();
    let mut sections = vec![ElfSection::text(Address(0x1000), 0x100)];
    if spec.kind == SectionKind::EhFrame {
        let header = HeaderSpec::matching(HEADER, spec.address, &built.entries);
        let data = header.build(spec.target).unwrap();
        sections.push(ElfSection::frame(SectionKind::EhFrameHdr, HEADER, data));
    }
    sections.push(ElfSection::frame(spec.kind, spec.address, built.data));
    ElfSpec::new(spec.target, sections).build().unwrap()
}

/// The expected lines are there in this order. Of a record's first line its end is enough.
fn assert_lines(lines: &[String], expected: &[&str]) {
    let mut rest = lines.iter();
    for wanted in expected {
        assert!(
            rest.any(|line| line.ends_with(wanted)),
            "no {wanted:?} in its place in:\n{}",
            lines.join("\n")
        );
    }
}

#[test]
fn a_file_with_header_has_well_formed_tables() {
    let mut cie = CieSpec::eh_frame(-8, 16);
    cie.program = Program::new().def_cfa(7, 8).offset(16, 1);
    let fde = FdeSpec::new(0, Address(0x1010), 0x20, Program::new().advance_loc(1).def_cfa_offset(16));
    let records = vec![Record::Cie(cie), Record::Fde(fde), Record::Terminator];
    let spec =
        section(SectionKind::EhFrame, target(Machine::X86_64, Class::Elf64, Endianness::Little), records);
    let file = file(&spec);
    let Some(tables) = readelf(&["-hSlW"], &file) else { return };
    for expected in [
        "Advanced Micro Devices X86-64",
        "DYN (Shared object file)",
        ".eh_frame_hdr     PROGBITS        0000000000001f00",
        ".eh_frame         PROGBITS        0000000000002000",
        "GNU_EH_FRAME",
    ] {
        assert!(tables.contains(expected), "no {expected:?} in:\n{tables}");
    }
}

#[test]
fn instructions_of_every_kind() {
    let mut cie = CieSpec::eh_frame(-8, 16);
    cie.program = Program::new().def_cfa(7, 8).offset(16, 1);
    cie.padding = Padding::Nops(2);
    let program = Program::new()
        .advance_loc(1)
        .def_cfa_offset(16)
        .offset(6, 2)
        .advance_loc1(3)
        .def_cfa_register(6)
        .offset_extended(3, 3)
        .offset_extended_sf(12, -1)
        .advance_loc2(0x10)
        .remember_state()
        .restore(6)
        .restore_extended(3)
        .undefined(13)
        .same_value(14)
        .register(15, 14)
        .advance_loc4(1)
        .restore_state()
        .def_cfa_sf(7, -2)
        .def_cfa_offset_sf(-3)
        .val_offset(3, 2)
        .val_offset_sf(12, -2)
        .set_loc(Address(0x1030))
        .def_cfa_expression(Code::new().breg(7, 8))
        .expression(3, Code::new().breg(7, -8))
        .val_expression(12, Code::new().breg(7, 16).lit(1).plus())
        .gnu_args_size(32)
        .gnu_negative_offset_extended(3, 2);
    let mut fde = FdeSpec::new(0, Address(0x1010), 0x40, program);
    fde.padding = Padding::Nops(0);
    let records = vec![Record::Cie(cie), Record::Fde(fde), Record::Terminator];
    let spec =
        section(SectionKind::EhFrame, target(Machine::X86_64, Class::Elf64, Endianness::Little), records);
    let Some(lines) = dumped(&file(&spec)) else { return };
    assert_lines(
        &lines,
        &[
            "Version:               1",
            "Augmentation:          \"zR\"",
            "Data alignment factor: -8",
            "Return address column: 16",
            "Augmentation data:     1b",
            "DW_CFA_def_cfa: r7 (rsp) ofs 8",
            "DW_CFA_offset: r16 (rip) at cfa-8",
            "DW_CFA_nop",
            "DW_CFA_nop",
            "DW_CFA_advance_loc: 1 to 0000000000001011",
            "DW_CFA_def_cfa_offset: 16",
            "DW_CFA_offset: r6 (rbp) at cfa-16",
            "DW_CFA_advance_loc1: 3 to 0000000000001014",
            "DW_CFA_def_cfa_register: r6 (rbp)",
            "DW_CFA_offset_extended: r3 (rbx) at cfa-24",
            "DW_CFA_offset_extended_sf: r12 (r12) at cfa+8",
            "DW_CFA_advance_loc2: 16 to 0000000000001024",
            "DW_CFA_remember_state",
            "DW_CFA_restore: r6 (rbp)",
            "DW_CFA_restore_extended: r3 (rbx)",
            "DW_CFA_undefined: r13 (r13)",
            "DW_CFA_same_value: r14 (r14)",
            "DW_CFA_register: r15 (r15) in r14 (r14)",
            "DW_CFA_advance_loc4: 1 to 0000000000001025",
            "DW_CFA_restore_state",
            "DW_CFA_def_cfa_sf: r7 (rsp) ofs 16",
            "DW_CFA_def_cfa_offset_sf: 24",
            "DW_CFA_val_offset: r3 (rbx) is cfa-16",
            "DW_CFA_val_offset_sf: r12 (r12) is cfa+16",
            "DW_CFA_set_loc: 0000000000001030",
            "DW_CFA_def_cfa_expression (DW_OP_breg7 (rsp): 8)",
            "DW_CFA_expression: r3 (rbx) (DW_OP_breg7 (rsp): -8)",
            "DW_CFA_val_expression: r12 (r12) (DW_OP_breg7 (rsp): 16; DW_OP_lit1; DW_OP_plus)",
            "DW_CFA_GNU_args_size: 32",
            "DW_CFA_GNU_negative_offset_extended: r3 (rbx) at cfa+16",
        ],
    );
}

#[test]
fn pointers_of_cies_and_fdes() {
    let mut cie = CieSpec::eh_frame(-4, 65);
    cie.augmentation = b"zPLR".to_vec();
    cie.personality = (0x00, Some(Address(0x1234)));
    cie.lsda_encoding = 0x1b;
    cie.code_alignment_factor = 4;
    cie.program = Program::new().def_cfa(1, 0);
    let mut with_lsda =
        FdeSpec::new(0, Address(0x1010), 0x20, Program::new().advance_loc(2).def_cfa_offset(32));
    with_lsda.lsda = Some(Address(0x1080));
    let without = FdeSpec::new(0, Address(0x1040), 0x20, Program::new());
    let records = vec![Record::Cie(cie), Record::Fde(with_lsda), Record::Fde(without), Record::Terminator];
    let spec = section(SectionKind::EhFrame, target(Machine::PPC, Class::Elf32, Endianness::Big), records);
    let Some(lines) = dumped(&file(&spec)) else { return };
    assert_lines(
        &lines,
        &[
            "00000000 00000018 00000000 CIE",
            "Augmentation:          \"zPLR\"",
            "Code alignment factor: 4",
            "Data alignment factor: -4",
            "Return address column: 65",
            "Augmentation data:     00 00 00 12 34 1b 1b",
            "DW_CFA_def_cfa: r1 ofs 0",
            "0000001c 00000014 00000020 FDE cie=00000000 pc=00001010..00001030",
            "Augmentation data:     ff ff f0 53",
            "DW_CFA_advance_loc: 8 to 00001018",
            "DW_CFA_def_cfa_offset: 32",
            "00000034 00000014 00000038 FDE cie=00000000 pc=00001040..00001060",
            "Augmentation data:     00 00 00 00",
            "0000004c ZERO terminator",
        ],
    );
}

#[test]
fn debug_frame_of_several_versions_and_formats() {
    let mut old = CieSpec::debug_frame(-8, 14);
    old.program = Program::new().def_cfa(15, 160);
    let mut new = CieSpec { version: 4, format: Format::Dwarf64, ..old.clone() };
    new.return_address_register = 33;
    let mut in_64_bit_format =
        FdeSpec::new(2, Address(0x1040), 0x30, Program::new().advance_loc(4).undefined(14));
    in_64_bit_format.format = Format::Dwarf64;
    let records = vec![
        Record::Cie(old),
        Record::Fde(FdeSpec::new(0, Address(0x1010), 0x20, Program::new().advance_loc(2).offset(14, 6))),
        Record::Cie(new),
        Record::Fde(in_64_bit_format),
    ];
    let spec =
        section(SectionKind::DebugFrame, target(Machine::S390, Class::Elf64, Endianness::Big), records);
    let Some(lines) = dumped(&file(&spec)) else { return };
    assert_lines(
        &lines,
        &[
            "00000000 0000000000000014 ffffffff CIE",
            "Version:               1",
            "DW_CFA_def_cfa: r15 ofs 160",
            "FDE cie=00000000 pc=0000000000001010..0000000000001030",
            "Version:               4",
            "Pointer Size:          8",
            "Segment Size:          0",
            "Return address column: 33",
            "FDE cie=00000034 pc=0000000000001040..0000000000001070",
            "DW_CFA_advance_loc: 4 to 0000000000001044",
            "DW_CFA_undefined: r14",
        ],
    );
}

/// An object with one function, whose references are left to relocations.
fn object(kind: SectionKind, target: Target, compression: Option<Compression>) -> Vec<u8> {
    let target = Target { relocatable: true, ..target };
    let cie =
        if kind == SectionKind::EhFrame { CieSpec::eh_frame(-4, 14) } else { CieSpec::debug_frame(-4, 14) };
    let program = Program::new().advance_loc(4).def_cfa_offset(32);
    let records = vec![
        Record::Cie(CieSpec { program: Program::new().def_cfa(13, 0), ..cie }),
        Record::Fde(FdeSpec::new(0, Address(0x10), 0x20, program)),
    ];
    let spec = SectionSpec { address: Address(0), ..section(kind, target, records) };
    let built = spec.build().unwrap();
    let frame = ElfSection { compression, ..ElfSection::frame(kind, Address(0), built.data) };
    let mut object = ElfSpec::new(target, vec![ElfSection::text(Address(0), 0x40)]);
    object.push_relocated(frame, &built.references).unwrap();
    object.build().unwrap()
}

/// The names of the relocation types are those of the processor supplements, and readelf applies them.
#[test]
fn objects_hold_relocations_that_readelf_knows() {
    use Class::{Elf32, Elf64};
    use Endianness::{Big, Little};
    let machines = [
        (Machine::X86_64, Elf64, Little, "PC32 64"),
        (Machine::I386, Elf32, Little, "PC32 32"),
        (Machine::AARCH64, Elf64, Little, "PREL32 ABS64"),
        (Machine::ARM, Elf32, Little, "REL32 ABS32"),
        (Machine::RISCV, Elf64, Little, "32_PCREL ADD32 SUB32 SET6 SUB6 64 ADD64 SUB64"),
        (Machine::PPC, Elf32, Big, "REL32 ADDR32"),
        (Machine::PPC64, Elf64, Little, "REL32 ADDR64"),
        (Machine::S390, Elf64, Big, "PC32 64"),
        (Machine::SPARCV9, Elf64, Big, "DISP32 UA64"),
    ];
    for (machine, class, endianness, names) in machines {
        let mut tables = String::new();
        for kind in [SectionKind::EhFrame, SectionKind::DebugFrame] {
            let file = object(kind, target(machine, class, endianness), None);
            let (Some(all), Some(lines)) = (readelf(&["-aW"], &file), dumped(&file)) else { return };
            tables += &all;
            let zeros = if class == Elf64 { "00000000" } else { "" };
            let line = format!("FDE cie=00000000 pc={zeros}00000010..{zeros}00000030");
            let advance = format!("DW_CFA_advance_loc: 4 to {zeros}00000014");
            assert_lines(&lines, &[&line, &advance, "DW_CFA_def_cfa_offset: 32"]);
        }
        for name in names.split(' ') {
            assert!(tables.contains(&format!("_{name} ")), "{machine}: no {name} in {tables}");
        }
    }
}

#[test]
fn readelf_reads_compressed_sections() {
    let x86_64 = target(Machine::X86_64, Class::Elf64, Endianness::Little);
    let file = object(SectionKind::DebugFrame, x86_64, Some(Compression::Zlib));
    let Some(lines) = dumped(&file) else { return };
    assert_lines(&lines, &["FDE cie=00000000 pc=0000000000000010..0000000000000030"]);
}
