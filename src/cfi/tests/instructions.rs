//! Call frame instructions: each opcode's operands and factors (DWARF 5 sections 6.4.2 and 7.24), the vendors'
//! opcodes by machine, and what happens at an instruction that cannot be read.

mod common;

use cfidiff_model::{
    Address, Class, Endianness, Entry, Expression, FaultKind, Instruction, Machine, Operation, SectionKind,
};
use common::{Layout, X86_64, bytes, faults, rows, target};

/// An FDE at 0x1000 of 0x10000 bytes in `.debug_frame`, of a CIE with these factors.
fn program(machine: Machine, factors: &str, program: &str) -> Entry {
    let mut layout = Layout::new(SectionKind::DebugFrame, target(machine, Class::Elf64, Endianness::Little));
    let cie = layout.cie(&format!("01 00 {factors} 10 0c0708"));
    layout.plain_fde(cie, 0x1000, 0x1_0000, program);
    layout.read_fde()
}

fn plus_uconst(operand: u64) -> Box<Expression> {
    Box::new(Expression { operations: vec![Operation::new(0x23, &[operand])], size: Some(2) })
}

/// Each opcode with operands, and what it says under the factors `code` and `data`.
fn every_opcode(code: u64, data: i64) -> Vec<(&'static str, Instruction)> {
    use Instruction as I;
    vec![
        ("00", I::Nop),
        ("01 8877665544332211", I::SetLoc { location: Address(0x1122_3344_5566_7788) }),
        ("41", I::AdvanceLoc { delta: code }),
        ("7f", I::AdvanceLoc { delta: 63 * code }),
        ("40", I::AdvanceLoc { delta: 0 }),
        ("02 ff", I::AdvanceLoc1 { delta: 255 * code }),
        ("03 00ff", I::AdvanceLoc2 { delta: 0xff00 * code }),
        ("04 000000ff", I::AdvanceLoc4 { delta: 0xff00_0000 * code }),
        ("1d 0000000001000000", I::MipsAdvanceLoc8 { delta: 0x1_0000_0000 * code }),
        ("80 02", I::Offset { register: 0, offset: 2 * data }),
        ("bf 8001", I::Offset { register: 63, offset: 128 * data }),
        ("05 c001 8001", I::OffsetExtended { register: 192, offset: 128 * data }),
        ("11 06 7e", I::OffsetExtendedSf { register: 6, offset: -2 * data }),
        ("2f 06 02", I::GnuNegativeOffsetExtended { register: 6, offset: -2 * data }),
        ("c0", I::Restore { register: 0 }),
        ("ff", I::Restore { register: 63 }),
        ("06 c001", I::RestoreExtended { register: 192 }),
        ("07 c001", I::Undefined { register: 192 }),
        ("08 c001", I::SameValue { register: 192 }),
        ("09 c001 03", I::Register { register: 192, source: 3 }),
        ("0a", I::RememberState),
        ("0b", I::RestoreState),
        // The offsets of def_cfa and def_cfa_offset are not factored, those of the _sf forms are.
        ("0c 07 10", I::DefCfa { register: 7, offset: 16 }),
        ("0c 07 ffffffffffffffffff01", I::DefCfa { register: 7, offset: u64::MAX }),
        ("12 07 7e", I::DefCfaSf { register: 7, offset: -2 * data }),
        ("0d 06", I::DefCfaRegister { register: 6 }),
        ("0e 9001", I::DefCfaOffset { offset: 144 }),
        ("13 7e", I::DefCfaOffsetSf { offset: -2 * data }),
        ("13 ff00", I::DefCfaOffsetSf { offset: 127 * data }),
        ("0f 02 2308", I::DefCfaExpression { expression: plus_uconst(8) }),
        ("10 06 02 2308", I::Expression { register: 6, expression: plus_uconst(8) }),
        ("16 06 02 2308", I::ValExpression { register: 6, expression: plus_uconst(8) }),
        (
            "0f 00",
            I::DefCfaExpression { expression: Box::new(Expression { operations: vec![], size: Some(0) }) },
        ),
        ("14 06 02", I::ValOffset { register: 6, offset: 2 * data }),
        ("15 06 7e", I::ValOffsetSf { register: 6, offset: -2 * data }),
        ("2d", I::GnuWindowSave),
        ("2e 10", I::GnuArgsSize { size: 16 }),
        ("30 07 10 03", I::LlvmDefAspaceCfa { register: 7, offset: 16, address_space: 3 }),
        ("31 07 7e 03", I::LlvmDefAspaceCfaSf { register: 7, offset: -2 * data, address_space: 3 }),
    ]
}

/// DWARF 5 sections 6.4.2.1 to 6.4.2.4; GNU and LLVM extensions as readelf 2.40 and LLVM's sources have them.
#[test]
fn every_opcode_with_every_sign_of_factor() {
    for (factors, code, data) in
        [("01 78", 1, -8), ("04 7c", 4, -4), ("04 08", 4, 8), ("02 01", 2, 1), ("00 00", 0, 0)]
    {
        for (text, expected) in every_opcode(code, data) {
            // A nop behind it shows that exactly its bytes were taken.
            let entry = program(Machine::X86_64, factors, &format!("{text} 00"));
            assert_eq!(entry.instructions, [expected, Instruction::Nop], "{text} with {factors}");
        }
    }
}

#[test]
fn operands_wider_than_a_byte_are_in_the_file_s_byte_order() {
    let mut layout = Layout::new(SectionKind::DebugFrame, common::PPC);
    let cie = layout.cie("01 00 04 7c 41 0c0100");
    layout.plain_fde(cie, 0x1000, 0x1_0000, "03 0102 04 00000102 01 00002000 1d 0000000000000001");
    let deltas = [
        Instruction::AdvanceLoc2 { delta: 4 * 0x102 },
        Instruction::AdvanceLoc4 { delta: 4 * 0x102 },
        Instruction::SetLoc { location: Address(0x2000) },
        Instruction::MipsAdvanceLoc8 { delta: 4 },
    ];
    assert_eq!(layout.read_fde().instructions, deltas);
}

/// Factored offsets and deltas wrap in 64 bits instead of failing (a data factor of 2^62 and an operand of 2^40).
#[test]
fn products_wrap() {
    let entry = program(Machine::X86_64, "01 8080808080808080c000", "12 06 808080808020 86 03");
    let lowest = 1i64 << 62;
    let expected = [
        Instruction::DefCfaSf { register: 6, offset: 0 },
        Instruction::Offset { register: 6, offset: lowest.wrapping_mul(3) },
    ];
    assert_eq!(entry.instructions, expected);
    assert_eq!(faults(&entry), []);
    let entry = program(Machine::X86_64, "ffffffffffffffffff01 78", "42 0e10");
    assert_eq!(entry.instructions[0], Instruction::AdvanceLoc { delta: 2u64.wrapping_neg() });
}

/// One opcode, two vendors: the AArch64 DWARF supplement took GNU's, which readelf 2.40 prints for any other
/// machine.
#[test]
fn opcodes_without_operands_mean_what_the_machine_says() {
    use Instruction::{AArch64NegateRaState, AArch64NegateRaStateWithPc, GnuWindowSave, Unknown};
    for (machine, opcode_2d, opcode_2c) in [
        (Machine::AARCH64, AArch64NegateRaState, Some(AArch64NegateRaStateWithPc)),
        (Machine::SPARC, GnuWindowSave, None),
        (Machine::SPARCV9, GnuWindowSave, None),
        (Machine::X86_64, GnuWindowSave, None),
        (Machine::ARM, GnuWindowSave, None),
    ] {
        let entry = program(machine, "01 78", "2d 00");
        assert_eq!(entry.instructions, [opcode_2d, Instruction::Nop], "{machine}");
        assert_eq!(faults(&entry), []);
        let entry = program(machine, "01 78", "2c 00");
        if let Some(meaning) = opcode_2c {
            assert_eq!(entry.instructions, [meaning, Instruction::Nop], "{machine}");
            assert_eq!(faults(&entry), []);
        } else {
            assert_eq!(entry.instructions, [Unknown { opcode: 0x2c }], "{machine}");
            assert_eq!(entry.faults[0].kind, FaultKind::UnknownOpcode);
        }
    }
}

/// Nothing tells how many operands an unknown opcode has: the record ends there, the walk goes on, and the row
/// in the making is not known.
#[test]
fn an_unknown_opcode_ends_its_record_alone() {
    let known: Vec<u8> = every_opcode(1, 1).iter().map(|(text, _)| bytes(text)[0]).collect();
    let unknown: Vec<u8> = (0..0x40).filter(|opcode| !known.contains(opcode)).collect();
    assert_eq!(unknown.len(), 0x40 - 29, "the 23 of DWARF 5 table 7.29 and six of vendors are known");
    for opcode in unknown {
        let mut layout = Layout::debug_frame();
        let cie = layout.cie("01 00 01 78 10 0c0708");
        let fde = layout.plain_fde(cie, 0x1000, 0x40, &format!("41 0e10 41 0e18 {opcode:02x} 0e20 41"));
        layout.plain_fde(cie, 0x2000, 0x40, "41 0e10");
        let entries = layout.read();
        let instructions = &entries[1].instructions;
        assert_eq!(instructions.last(), Some(&Instruction::Unknown { opcode }));
        assert_eq!(instructions.len(), 5);
        // Length, CIE pointer, location, range and six bytes stand before the opcode.
        assert_eq!(faults(&entries[1]), [(FaultKind::UnknownOpcode, fde + 30)]);
        assert_eq!(entries[1].faults[0].bytes[..], [opcode, 0x0e, 0x20, 0x41], "up to the record's end");
        assert_eq!(rows(&entries[1]), ["1000-1001 r7+8", "1001-1002 r7+16"]);
        assert_eq!(rows(&entries[2]), ["2000-2001 r7+8", "2001-2040 r7+16"]);
    }
}

/// Every cut of every instruction is a fault of the instruction, not of what stands behind the record.
#[test]
fn operands_end_inside_the_record() {
    for (text, _) in every_opcode(1, -8) {
        let whole = bytes(text);
        for cut in 1..whole.len() {
            let mut layout = Layout::debug_frame();
            let cie = layout.cie("01 00 01 78 10 0c0708");
            let fde = layout.fde(cie, |fde| {
                fde.absptr(0x1000).absptr(0x40).hex("41 0e10").data.extend(&whole[..cut]);
            });
            layout.plain_fde(cie, 0x2000, 0x40, "");
            let entries = layout.read();
            assert_eq!(faults(&entries[1]), [(FaultKind::TruncatedInstruction, fde + 27)], "{text} at {cut}");
            assert_eq!(entries[1].instructions.len(), 2, "{text} at {cut}");
            assert_eq!(rows(&entries[1]), ["1000-1001 r7+8"]);
            assert_eq!(rows(&entries[2]), ["2000-2040 r7+8"]);
        }
    }
}

/// readelf 2.40 decodes the bytes of a block that is too long as opcodes (op-expr-long): a block ends inside its
/// record.
#[test]
fn expression_blocks_end_inside_the_record() {
    for text in
        ["0f 03 2308", "10 06 7f 2308", "16 06 ffffffffffffffffff01 2308", "0f 80808080808080808001 23"]
    {
        let entry = program(Machine::X86_64, "01 78", text);
        assert_eq!(entry.faults.len(), 1, "{text}");
        assert_eq!(entry.faults[0].kind, FaultKind::TruncatedInstruction, "{text}");
        assert_eq!(entry.instructions, [], "{text}");
    }
}

#[test]
fn operands_beyond_64_bits_are_faults_of_the_instruction() {
    const HUGE: &str = "80808080808080808002";
    for text in ["0e", "07", "86", "0c 07", "09 03", "05 03", "2e", "13", "12 07", "15 03", "0f", "30 07 08"]
    {
        let mut layout = Layout::debug_frame();
        let cie = layout.cie("01 00 01 78 10 0c0708");
        let fde = layout.plain_fde(cie, 0x1000, 0x40, &format!("41 {text} {HUGE} 41 00"));
        let entry = layout.read_fde();
        assert_eq!(faults(&entry), [(FaultKind::LebOverflow, fde + 25)], "{text}");
        assert_eq!(entry.instructions.len(), 1, "{text}");
        assert_eq!(rows(&entry), ["1000-1001 r7+8"]);
    }
    // Padding is no overflow.
    let entry = program(Machine::X86_64, "01 78", "0e 908080808080808080808000 13 feffffffffffffffffffff7f");
    let expected = [Instruction::DefCfaOffset { offset: 16 }, Instruction::DefCfaOffsetSf { offset: 16 }];
    assert_eq!(entry.instructions, expected);
}

/// A CIE's instructions are read by the same rules, and its initial row is what they leave.
#[test]
fn a_cie_has_instructions_too() {
    let mut layout = Layout::debug_frame();
    layout.cie("01 00 01 78 10 0c0708 9001 0703 00");
    let entries = layout.read();
    let expected = [
        Instruction::DefCfa { register: 7, offset: 8 },
        Instruction::Offset { register: 16, offset: -8 },
        Instruction::Undefined { register: 3 },
        Instruction::Nop,
    ];
    assert_eq!(entries[0].instructions, expected);
    assert_eq!(rows(&entries[0]), ["0-0 r7+8 r3:u r16:c-8"]);
    assert_eq!(layout.target, X86_64);
}

/// What an FDE's instructions mean, a CIE's cannot: there is no location to move and no rule to go back to.
#[test]
fn locations_and_restores_in_a_cie_are_faults_without_effect() {
    let mut layout = Layout::debug_frame();
    layout.cie("01 00 01 78 10 0c0708 9001 41 d0 0b 0e10");
    layout.plain_fde(0, 0x1000, 0x10, "");
    let entries = layout.read();
    assert_eq!(
        faults(&entries[0]),
        [
            (FaultKind::LocationPastEnd, 18),
            (FaultKind::RestoreInCie, 19),
            (FaultKind::RestoreWithoutRemember, 20),
        ]
    );
    assert_eq!(entries[0].instructions.len(), 6);
    assert_eq!(rows(&entries[1]), ["1000-1010 r7+16 r16:c-8"]);
}
