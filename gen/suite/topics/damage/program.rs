//! Instructions that cannot be read: operands that the record cuts off or that do not fit, opcodes and operations
//! without a definition.

use cfidiff_model::{Address, Instruction, SectionKind};

use super::{BROKEN, LARGEST, MACHINE, TOO_LARGE, TOO_LOW, case, debug_frame, eh_frame};
use crate::suite::convention::Convention;
use crate::suite::draft::TEXT;
use crate::suite::{Damage, Draft, Expected, Suite};
use crate::{CieSpec, FdeSpec, Padding, Program, Record};

const OPERANDS: &str = "DWARF 5 section 6.4.2: the operands of call frame instructions; 6.4.1: instructions end with \
                        their record";
const NUMBER: &str = "DWARF 5 section 6.4.2: LEB128 operands; a number that does not fit must not be cut";
const BLOCKS: &str =
    "DWARF 5 section 6.4.2: expressions are of the form exprloc; 7.5.4: exprloc has its length first";
const OPCODES: &str = "DWARF 5 section 7.24: the opcodes of call frame instructions";
const OPERATIONS: &str = "DWARF 5 section 7.7.1: the operations of expressions and their operands";

pub(super) fn add(suite: &mut Suite) {
    add_truncated(suite);
    add_blocks(suite);
    add_overflows(suite);
    add_opcodes(suite);
    add_operations(suite);
}

/// A sound instruction or two, then the program.
fn start() -> Program {
    Program::new().advance_loc(1).def_cfa_offset(16)
}

/// A function with this program between sound ones.
fn draft(damage: Damage, clause: &str, kind: SectionKind, machine: &Convention, program: Program) -> Draft {
    let fde = FdeSpec::new(0, Address(TEXT + 0x40), 0x20, program);
    let between = vec![Record::Fde(FdeSpec { padding: Padding::Nops(0), ..fde })];
    match kind {
        SectionKind::DebugFrame => debug_frame(case(damage, machine, clause), machine, between),
        _ => eh_frame(case(damage, machine, clause), machine, between),
    }
}

/// The instructions before the broken one are expected. Whether the rows before it are told is the reader's choice.
fn without_rows(damage: Damage) -> impl Fn(Expected) -> Expected {
    move |fde| fde.faults(&[damage.fault()]).free(&["rows"])
}

/// A program that ends with bytes which are no whole instruction.
fn add_cut_off(suite: &mut Suite, damage: Damage, clause: &str, bytes: &[u8]) {
    let program = start().raw(bytes, &[]);
    let draft = draft(damage, clause, SectionKind::EhFrame, &MACHINE, program);
    suite.add(draft.entry(BROKEN, without_rows(damage)));
}

fn add_truncated(suite: &mut Suite) {
    for (damage, bytes) in [
        (Damage::Advance1Truncated, &[0x02][..]),
        (Damage::Advance2Truncated, &[0x03, 1]),
        (Damage::Advance4Truncated, &[0x04, 1, 0, 0]),
        // The CIE's encoding, sdata4.
        (Damage::SetLocTruncated, &[0x01, 0, 0, 0]),
        (Damage::UnsignedMissing, &[0x0e]),
        (Damage::UnsignedTruncated, &[0x0e, 0x80]),
        (Damage::SignedMissing, &[0x13]),
        (Damage::SignedTruncated, &[0x13, 0xff]),
        (Damage::RegisterTruncated, &[0x08, 0x80]),
        (Damage::SecondOperandMissing, &[0x05, 3]),
        (Damage::LowRegisterTruncated, &[0x83]),
        (Damage::ArgsSizeMissing, &[0x2e]),
    ] {
        add_cut_off(suite, damage, OPERANDS, bytes);
    }
    let eight = start().raw(&[0x1d, 0, 0, 0, 0, 0, 0, 4], &[]);
    let damage = Damage::Advance8Truncated;
    let mips = draft(damage, OPERANDS, SectionKind::EhFrame, &Convention::MIPS, eight);
    suite.add(mips.entry(BROKEN, without_rows(damage)));
    let address = start().raw(&[0x01, 0x50, 0x10, 0, 0], &[]);
    let damage = Damage::SetLocAddressTruncated;
    let plain = draft(damage, OPERANDS, SectionKind::DebugFrame, &MACHINE, address);
    suite.add(plain.entry(BROKEN, without_rows(damage)));
}

/// Lengths of expressions. The expression that they should give is breg7 +8.
fn add_blocks(suite: &mut Suite) {
    let with_length = |opcode: &[u8], length: &[u8]| [opcode, length, &[0x77, 8]].concat();
    let wide_two = [0x82, 0x80, 0x80, 0x80, 0x10];
    add_cut_off(suite, Damage::BlockLengthMissing, BLOCKS, &[0x0f]);
    for (damage, bytes) in [
        (Damage::BlockPastRecord, with_length(&[0x0f], &[3])),
        (Damage::BlockWide, with_length(&[0x0f], &wide_two)),
        (Damage::BlockLargest, with_length(&[0x10, 3], &LARGEST)),
        (Damage::ValBlockPastRecord, with_length(&[0x16, 3], &[0x7f])),
        (Damage::BlockLengthOverflow, with_length(&[0x0f], &TOO_LARGE)),
    ] {
        add_cut_off(suite, damage, BLOCKS, &bytes);
    }
}

fn add_overflows(suite: &mut Suite) {
    for (damage, opcode, operand) in [
        (Damage::UnsignedOverflow, 0x0e, TOO_LARGE),
        (Damage::SignedOverflow, 0x13, TOO_LOW),
        (Damage::RegisterOverflow, 0x07, TOO_LARGE),
    ] {
        // What stands behind the number cannot be trusted: a reader may have lost its place.
        let bytes = [&[opcode][..], &operand].concat();
        add_cut_off(suite, damage, NUMBER, &bytes);
    }
    // set_loc's operand has the encoding of the CIE's R.
    let damage = Damage::SetLocOverflow;
    let cie = CieSpec { fde_encoding: 0x01, ..MACHINE.eh_frame_cie() };
    let program = start().raw(&[&[0x01][..], &TOO_LARGE].concat(), &[]);
    let fde = FdeSpec::new(BROKEN, Address(TEXT + 0x40), 0x20, program);
    let between = vec![Record::Cie(cie), Record::Fde(FdeSpec { padding: Padding::Nops(0), ..fde })];
    let draft = eh_frame(case(damage, &MACHINE, NUMBER), &MACHINE, between);
    suite.add(draft.entry(BROKEN + 1, without_rows(damage)));
}

/// Opcodes without a definition. Whether they have operands is not known, so nothing behind them can be read.
fn add_opcodes(suite: &mut Suite) {
    for (damage, opcode) in [
        (Damage::OpcodeLow, 0x17),
        (Damage::OpcodeUser, 0x1c),
        (Damage::OpcodeLast, 0x3f),
        (Damage::OpcodeOfOthers, 0x2c),
    ] {
        let program = start().raw(&[opcode], &[Instruction::Unknown { opcode }]).def_cfa_offset(32);
        let draft = draft(damage, OPCODES, SectionKind::EhFrame, &MACHINE, program);
        suite.add(draft.entry(BROKEN, without_rows(damage)));
    }
}

/// Expressions that cannot be decoded to their end. Their length still says where the next instruction is.
fn add_operations(suite: &mut Suite) {
    let overflow = [&[0x10, 3, 11, 0x10][..], &TOO_LARGE].concat();
    for (damage, bytes) in [
        // No operation has the opcode 4.
        (Damage::Operation, &[0x0f, 3, 0x04, 0x77, 8][..]),
        (Damage::OperationTruncated, &[0x0f, 3, 0x0c, 1, 0]),
        (Damage::OperationOverflow, &overflow),
        (Damage::OperationBlock, &[0x16, 3, 3, 0x9e, 5, 1]),
    ] {
        let program = start().raw(bytes, &[]).offset(6, 2);
        let draft = draft(damage, OPERATIONS, SectionKind::EhFrame, &MACHINE, program);
        suite.add(draft.entry(BROKEN, |fde| fde.faults(&[damage.fault()]).free(&["instructions", "rows"])));
    }
}
