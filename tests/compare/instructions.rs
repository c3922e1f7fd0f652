//! Instructions: forms that mean the same, and what stands behind a wrong one.

use cfidiff_model::{Entry, Instruction, Key, Says};

use crate::support::{Fake, PLAIN, case, compare};

/// The FDE's program is advance_loc, def_cfa_offset, offset, advance_loc, def_cfa_register and nops.
fn change(entries: &mut [Entry], change: fn(&mut Vec<Instruction>)) {
    change(&mut entries[1].instructions);
}

#[test]
fn behind_a_wrong_opcode_nothing_is_compared() {
    let found = compare(
        &case(PLAIN),
        &Fake::with(|entries| {
            change(entries, |list| _ = list.remove(1));
        }),
    );
    let ours = "#1 DW_CFA_def_cfa_offset: 16";
    assert_eq!(found.told(), [(Key::InstructionOpcode, 0x28, ours, "#1 DW_CFA_offset: r6 (rbp) at cfa-16")]);
}

#[test]
fn behind_wrong_operands_the_rest_is_compared() {
    let found = compare(
        &case(PLAIN),
        &Fake::with(|entries| {
            change(entries, |list| {
                list[0] = Instruction::AdvanceLoc { delta: 2 };
                list[2] = Instruction::Offset { register: 6, offset: -24 };
                list.push(Instruction::Nop);
            });
        }),
    );
    let operands = (Key::InstructionOperands, 0x28);
    assert_eq!(found.keys(), [operands, operands, (Key::InstructionCount, 0x28)]);
}

#[test]
fn an_encoding_that_means_the_same_is_another_opcode_only_for_those_that_tell() {
    let longer = |entries: &mut Vec<Entry>| {
        change(entries, |list| list[0] = Instruction::AdvanceLoc2 { delta: 1 });
    };
    let found = compare(&case(PLAIN), &Fake::with(longer));
    assert_eq!(found.keys(), [(Key::InstructionOpcode, 0x28)]);
    compare(&case(PLAIN), &Fake::right().pass(Says::all() - Says::INSTRUCTION_FORMS, longer)).agrees(4);
}

#[test]
fn wrong_operands_of_another_encoding_are_wrong_operands() {
    let fake = Fake::right().pass(Says::all() - Says::INSTRUCTION_FORMS, |entries| {
        change(entries, |list| list[0] = Instruction::AdvanceLoc2 { delta: 2 });
    });
    assert_eq!(compare(&case(PLAIN), &fake).keys(), [(Key::InstructionOperands, 0x28)]);
}

#[test]
fn the_size_of_an_expression_is_compared_where_both_tell_it() {
    let sizes = |size: Option<u64>| {
        move |entries: &mut Vec<Entry>| {
            for instruction in entries.iter_mut().flat_map(|entry| &mut entry.instructions) {
                if let Instruction::DefCfaExpression { expression } = instruction {
                    expression.size = size;
                }
            }
        }
    };
    let case = case("linked/asm-all-gas.so");
    assert_eq!(compare(&case, &Fake::with(sizes(None))).told(), []);
    let found = compare(&case, &Fake::with(sizes(Some(99))));
    // One in each section.
    assert_eq!(found.keys(), [(Key::InstructionOperands, 0x20), (Key::InstructionOperands, 0x18)]);
}
