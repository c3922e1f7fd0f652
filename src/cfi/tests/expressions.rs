//! DWARF expressions: every operation with its operands (DWARF 5 sections 2.5 and 7.7.1, and GNU's), cut ones,
//! unknown ones, and where an expression's faults are told.

mod common;

use cfidiff_cfi::{Block, decode_expression};
use cfidiff_model::{
    CfaRule, Class, Endianness, Expression, FaultKind, Instruction, Machine, Operation, RegisterRule,
    SectionKind,
};
use common::{Layout, bytes, faults, one_fde, operations, rows, target};

/// Decodes bytes that stand between others.
fn decode(text: &str, address_size: u8, endianness: Endianness) -> (Expression, Option<(FaultKind, u64)>) {
    let expression = bytes(text);
    let data = [&[0x96; 3][..], &expression, &[0x96; 3]].concat();
    let block = Block { offset: 3, size: expression.len() as u32 };
    let (expression, fault) = decode_expression(&data, block, address_size, endianness);
    (expression, fault.map(|fault| (fault.kind, fault.offset.0 - 3)))
}

/// One operation in bytes, the operands as numbers, the block.
type Sample = (&'static str, &'static [i64], &'static [u8]);

/// Operations with operands, by DWARF 5 table 7.9; from 0xe0 on the GNU extensions (binutils, dwarf2.def).
const WITH_OPERANDS: &[Sample] = &[
    ("03 8877665544332211", &[0x1122_3344_5566_7788], &[]), // addr
    ("08 ff", &[255], &[]),                                 // const1u
    ("09 ff", &[-1], &[]),                                  // const1s
    ("0a feff", &[0xfffe], &[]),                            // const2u
    ("0b feff", &[-2], &[]),                                // const2s
    ("0c fdffffff", &[0xffff_fffd], &[]),                   // const4u
    ("0d fdffffff", &[-3], &[]),                            // const4s
    ("0e fcffffffffffff7f", &[0x7fff_ffff_ffff_fffc], &[]), // const8u
    ("0f fcffffffffffffff", &[-4], &[]),                    // const8s
    ("10 ff7f", &[0x3fff], &[]),                            // constu
    ("11 ff7e", &[-129], &[]),                              // consts
    ("15 80", &[128], &[]),                                 // pick
    ("23 8001", &[128], &[]),                               // plus_uconst
    ("28 fdff", &[-3], &[]),                                // bra
    ("2f fdff", &[-3], &[]),                                // skip
    ("90 8001", &[128], &[]),                               // regx
    ("91 807f", &[-128], &[]),                              // fbreg
    ("92 8001 7e", &[128, -2], &[]),                        // bregx
    ("93 8001", &[128], &[]),                               // piece
    ("94 84", &[0x84], &[]),                                // deref_size
    ("95 84", &[0x84], &[]),                                // xderef_size
    ("98 ff80", &[0x80ff], &[]),                            // call2
    ("99 ffffff80", &[0x80ff_ffff], &[]),                   // call4
    ("9d 8001 8101", &[128, 129], &[]),                     // bit_piece
    ("9e 02 aabb", &[], &[0xaa, 0xbb]),                     // implicit_value
    ("a1 8001", &[128], &[]),                               // addrx
    ("a2 8001", &[128], &[]),                               // constx
    ("a3 01 50", &[], &[0x50]),                             // entry_value
    ("a4 8001 02 aabb", &[128], &[0xaa, 0xbb]),             // const_type
    ("a5 8001 8101", &[128, 129], &[]),                     // regval_type
    ("a6 84 8001", &[0x84, 128], &[]),                      // deref_type
    ("a7 84 8001", &[0x84, 128], &[]),                      // xderef_type
    ("a8 8001", &[128], &[]),                               // convert
    ("a9 8001", &[128], &[]),                               // reinterpret
    ("f3 01 50", &[], &[0x50]),                             // GNU_entry_value
    ("f4 8001 02 aabb", &[128], &[0xaa, 0xbb]),             // GNU_const_type
    ("f5 8001 8101", &[128, 129], &[]),                     // GNU_regval_type
    ("f6 84 8001", &[0x84, 128], &[]),                      // GNU_deref_type
    ("f7 8001", &[128], &[]),                               // GNU_convert
    ("f9 8001", &[128], &[]),                               // GNU_reinterpret
    ("fa ffffff80", &[0x80ff_ffff], &[]),                   // GNU_parameter_ref
    ("fb 8001", &[128], &[]),                               // GNU_addr_index
    ("fc 8001", &[128], &[]),                               // GNU_const_index
];

/// Operations without operands, by the same table: deref, dup to over, swap to plus but pick and plus_uconst, shl to
/// xor, eq to ne, lit0 to lit31, reg0 to reg31, nop, push_object_address, form_tls_address, call_frame_cfa,
/// stack_value, GNU_push_tls_address, GNU_uninit.
fn without_operands() -> impl Iterator<Item = u8> {
    [0x06]
        .into_iter()
        .chain(0x12..=0x14)
        .chain(0x16..=0x22)
        .chain(0x24..=0x27)
        .chain(0x29..=0x2e)
        .chain(0x30..=0x6f)
        .chain([0x96, 0x97, 0x9b, 0x9c, 0x9f, 0xe0, 0xf0])
}

fn expected((text, operands, block): &Sample) -> Operation {
    let operands: Vec<u64> = operands.iter().map(|&operand| operand as u64).collect();
    Operation { block: block.to_vec(), ..Operation::new(bytes(text)[0], &operands) }
}

#[test]
fn every_operation_with_its_operands() {
    for sample in WITH_OPERANDS {
        // A nop behind it shows that exactly its bytes were taken.
        let (expression, fault) = decode(&format!("{} 96", sample.0), 8, Endianness::Little);
        assert_eq!(fault, None, "{}", sample.0);
        assert_eq!(expression.operations, [expected(sample), Operation::new(0x96, &[])], "{}", sample.0);
        assert_eq!(expression.size, Some(bytes(sample.0).len() as u64 + 1));
    }
    for opcode in without_operands() {
        let (expression, fault) = decode(&format!("{opcode:02x} 96"), 8, Endianness::Little);
        assert_eq!(fault, None, "{opcode:#x}");
        assert_eq!(expression.operations, [Operation::new(opcode, &[]), Operation::new(0x96, &[])]);
    }
    for register in 0x70..=0x8f {
        let (expression, fault) = decode(&format!("{register:02x} 807f 96"), 8, Endianness::Little);
        assert_eq!(fault, None);
        assert_eq!(expression.operations[0], Operation::new(register, &[-128_i64 as u64]));
    }
}

/// No other opcode is defined for frames: call_ref and implicit_pointer refer to `.debug_info`, whose offset size
/// a frame does not tell.
#[test]
fn unknown_operations_end_the_expression_with_a_fault() {
    let known: Vec<u8> = WITH_OPERANDS
        .iter()
        .map(|(text, ..)| bytes(text)[0])
        .chain(without_operands())
        .chain(0x70..=0x8f)
        .collect();
    let unknown: Vec<u8> = (0..=255).filter(|opcode| !known.contains(opcode)).collect();
    assert!(unknown.contains(&0x9a) && unknown.contains(&0xa0) && unknown.contains(&0xff));
    for opcode in unknown {
        let (expression, fault) = decode(&format!("77 08 {opcode:02x} 06"), 8, Endianness::Little);
        assert_eq!(fault, Some((FaultKind::Expression, 2)), "{opcode:#x}");
        assert_eq!(expression.operations, [Operation::new(0x77, &[8])]);
        assert_eq!(expression.size, Some(4), "the size is known all the same");
    }
}

#[test]
fn operands_end_inside_the_expression() {
    for sample in WITH_OPERANDS {
        let whole = bytes(sample.0);
        for cut in 1..whole.len() {
            let data = [&whole[..cut], &whole[..]].concat();
            let block = Block { offset: 0, size: cut as u32 };
            let (expression, fault) = decode_expression(&data, block, 8, Endianness::Little);
            assert_eq!(expression.operations, [], "{} at {cut}", sample.0);
            let fault = fault.unwrap();
            assert_eq!((fault.kind, fault.offset.0), (FaultKind::Expression, 0), "{} at {cut}", sample.0);
            assert_eq!(fault.bytes.len(), cut.min(8), "the fault shows bytes of the expression alone");
        }
    }
    for huge in
        ["9e ffffffffffffffffff01", "a3 ffffffff0f", "10 ffffffffffffffffff02", "70 ffffffffffffffffff02"]
    {
        let (expression, fault) = decode(huge, 8, Endianness::Little);
        assert_eq!((expression.operations.len(), fault), (0, Some((FaultKind::Expression, 0))), "{huge}");
    }
}

#[test]
fn operands_have_the_file_s_byte_order_and_address_size() {
    let (expression, _) = decode("03 00001234 0b fffe 0c 00000001", 4, Endianness::Big);
    assert_eq!(operations(&expression), "(03 4660 0b -2 0c 1)");
    let (expression, _) = decode("03 3412 96", 2, Endianness::Little);
    assert_eq!(operations(&expression), "(03 4660 96)");
    let mut layout =
        Layout::new(SectionKind::DebugFrame, target(Machine::PPC, Class::Elf32, Endianness::Big));
    let cie = layout.cie("04 00 04 00 04 7c 41 0f 06 03 00001000 06");
    layout.plain_fde(cie, 0x1000, 0x10, "");
    assert_eq!(rows(&layout.read_fde()), ["1000-1010 exp(03 4096 06)"]);
}

/// The expression of x86-64's procedure linkage table, as GNU ld writes it; readelf 2.40: `breg7 (rsp): 8; breg16
/// (rip): 0; lit15; and; lit11; ge; lit3; shl; plus`.
#[test]
fn the_expression_of_the_procedure_linkage_table() {
    let layout = one_fde("0e10 46 0e18 4a 0f 0b 7708 8000 3f 1a 3b 2a 33 24 22 00000000");
    let expression = "exp(77 8 80 0 3f 1a 3b 2a 33 24 22)";
    assert_eq!(
        rows(&layout.read_fde()),
        [
            "1000-1006 r7+16 r16:c-8".into(),
            "1006-1010 r7+24 r16:c-8".into(),
            format!("1010-1040 {expression} r16:c-8"),
        ]
    );
}

/// The fault is told once, at the operation, however many rows the expression is in; the rows are kept with what
/// could be read.
#[test]
fn a_faulty_expression_is_one_fault_of_its_record() {
    let layout = one_fde("0f 03 7708 ff 41 41 1006 02 10 80 41");
    let entry = layout.read_fde();
    let program = entry.offset.0 + 17;
    let expected = [(FaultKind::Expression, program + 4), (FaultKind::Expression, program + 10)];
    assert_eq!(faults(&entry), expected);
    assert_eq!(entry.instructions.len(), 5);
    assert_eq!(entry.rows.len(), 4);
    let last = entry.rows.get(3).unwrap();
    let CfaRule::Expression(cfa) = last.cfa else { panic!("{:?}", last.cfa) };
    assert_eq!((operations(cfa), cfa.size), ("(77 8)".into(), Some(3)));
    let RegisterRule::Expression(rule) = &last.rules[0].1 else { panic!("{:?}", last.rules) };
    assert_eq!((operations(rule), rule.size), ("()".into(), Some(2)));
    assert!(
        matches!(&entry.instructions[0], Instruction::DefCfaExpression { expression } if expression == cfa)
    );
}

/// A CIE's expression is in every row of its FDEs, but its fault is the CIE's.
#[test]
fn a_faulty_expression_of_a_cie_is_a_fault_of_the_cie() {
    let mut layout = Layout::debug_frame();
    let cie = layout.cie("01 00 01 78 10 0f 03 7708 ff");
    let fde = layout.plain_fde(cie, 0x1000, 0x10, "41");
    let entries = layout.read();
    assert_eq!(faults(&entries[0]), [(FaultKind::Expression, 17)]);
    assert_eq!(faults(&entries[1]), [], "{fde:#x}");
    assert_eq!(rows(&entries[1]), ["1000-1001 exp(77 8)", "1001-1010 exp(77 8)"]);
}
