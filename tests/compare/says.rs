//! What a reader does not say is not compared.

use cfidiff_model::{EntryKind, Expression, Instruction, Key, RegisterRule, Says};

use crate::keys::{Mistake, mistake};
use crate::support::{Fake, Found, PLAIN, ZERO_INSIDE, at, case, change_rows, compare};

/// An object with an FDE at 0x20 whose rows have expressions and undefined registers, and one at 0x74 with long advances.
const RULES: &str = "linked/asm-all-gas.so";

#[test]
fn a_mistake_in_what_a_reader_does_not_say_is_no_finding() {
    for &key in Key::ALL {
        let Some(Mistake { change, says, .. }) = mistake(key) else { continue };
        if says != Says::RECORDS {
            // Rows stand where the range is, and are no other rows than ours without it.
            let rows = if says == Says::RANGE { Says::ROWS } else { Says::empty() };
            let fake = Fake::right().pass(Says::all() - says - rows, change);
            compare(&case(PLAIN), &fake).agrees(4);
        }
    }
}

#[test]
fn every_flag_takes_part() {
    let keys = Key::ALL.iter().filter_map(|&key| Some(mistake(key)?.says));
    let mut tested = keys.fold(Says::empty(), |sum, says| sum | says);
    // Each of these has a test of its own, here or beside.
    tested |= Says::TERMINATORS | Says::PAST_TERMINATOR | Says::INSTRUCTION_FORMS | Says::CIE_ROWS;
    tested |= Says::CIE_AUGMENTATION_BYTES;
    tested |= Says::UNDEFINED_RULES | Says::ROW_EXPRESSIONS | Says::ARCHITECTURAL_RULES | Says::ROWS_OF_NOPS;
    assert_eq!(tested, Says::all());
}

#[test]
fn a_reader_that_says_nothing_more_than_records_agrees_on_them() {
    compare(&case(PLAIN), &Fake::saying(Says::RECORDS | Says::PAST_TERMINATOR)).agrees(4);
}

/// Compares a change with a reader that has the flag and with one that has not; the latter finds nothing.
fn with_and_without(
    name: &str,
    flag: Says,
    change: impl Fn(&mut Vec<cfidiff_model::Entry>) + Clone + Send + Sync + 'static,
) -> Found {
    let case = case(name);
    let without = compare(&case, &Fake::right().pass(Says::all() - flag, change.clone()));
    assert_eq!(without.told(), [], "without {flag:?}");
    compare(&case, &Fake::with(change))
}

#[test]
fn the_encoding_of_an_instruction_is_compared_where_it_is_told() {
    let found = with_and_without(RULES, Says::INSTRUCTION_FORMS, |entries| {
        for instruction in entries.iter_mut().flat_map(|entry| &mut entry.instructions) {
            *instruction = instruction.canonical().into_owned();
        }
    });
    let opcode = |told: &(Key, u64, &str, &str)| told.0 == Key::InstructionOpcode;
    assert!(!found.told().is_empty() && found.told().iter().all(opcode), "{:?}", found.told());
}

#[test]
fn the_initial_row_of_a_cie_is_compared_where_it_is_told() {
    let found = with_and_without(PLAIN, Says::CIE_ROWS, |entries| {
        change_rows(&mut entries[0], |rows| rows.iter_mut().for_each(|row| row.rules.clear()));
    });
    // The row of a CIE has neither start nor end.
    assert_eq!(found.told(), [(Key::RowRegisterRule, 0, "at 0x0: rip=c-8", "at 0x0: rip=none")]);
    let found = with_and_without(PLAIN, Says::CIE_ROWS, |entries| entries[0].rows.clear());
    assert_eq!(found.told(), [(Key::RowLocation, 0, "0x0..0x0 cfa=rsp+8 rip=c-8", "no row")]);
}

#[test]
fn the_augmentation_data_of_a_cie_is_compared_where_it_is_told() {
    let found = with_and_without(PLAIN, Says::CIE_AUGMENTATION_BYTES, |entries| {
        let EntryKind::Cie(cie) = &mut entries[0].kind else { panic!("a CIE is first") };
        cie.augmentation_data.truncate(2);
    });
    assert_eq!(found.told(), [(Key::AugmentationData, 0, "00 34 12 00 00 00 00 00 00 1b 1b", "00 34")]);
}

#[test]
fn whether_an_lsda_is_indirect_is_compared_where_it_is_told() {
    let found = with_and_without(PLAIN, Says::INDIRECT, |entries| {
        let EntryKind::Fde(fde) = &mut entries[1].kind else { panic!("an FDE is second") };
        fde.lsda.iter_mut().for_each(|lsda| lsda.indirect = true);
    });
    assert_eq!(found.keys(), [(Key::FdeLsda, 0x28)]);
}

#[test]
fn an_undefined_register_is_compared_where_it_is_told_from_no_rule() {
    let found = with_and_without(RULES, Says::UNDEFINED_RULES, |entries| {
        for entry in entries {
            change_rows(entry, |rows| {
                rows.iter_mut()
                    .for_each(|row| row.rules.retain(|(_, rule)| *rule != RegisterRule::Undefined));
            });
        }
    });
    let rule = (Key::RowRegisterRule, 0x20, "at 0x1005: r12=u", "at 0x1005: r12=none");
    assert_eq!(found.told()[0], rule);
}

#[test]
fn expressions_in_rows_are_compared_where_they_are_told() {
    let found = with_and_without(RULES, Says::ROW_EXPRESSIONS, |entries| {
        for entry in entries {
            change_rows(entry, |rows| {
                for row in rows {
                    if let cfidiff_model::CfaRule::Expression(expression) = &mut row.cfa {
                        **expression = Expression::default();
                    }
                }
            });
        }
    });
    let ours = "at 0x1005: cfa=exp (DW_OP_breg6 (rbp): 16; DW_OP_deref)";
    assert_eq!(found.told()[0], (Key::RowCfa, 0x20, ours, "at 0x1005: cfa=exp"));
}

#[test]
fn rules_of_the_abi_are_compared_where_they_are_told() {
    let found = with_and_without("linked/aarch64-pac-bkey.so", Says::ARCHITECTURAL_RULES, |entries| {
        for entry in entries {
            change_rows(entry, |rows| {
                let is_abi = |rule: &RegisterRule| matches!(rule, RegisterRule::Architectural(_));
                rows.iter_mut().for_each(|row| row.rules.retain(|(_, rule)| !is_abi(rule)));
            });
        }
    });
    assert!(found.told()[0].2.ends_with("=arch:1") && found.told()[0].3.ends_with("=none"));
}

#[test]
fn rows_of_nops_are_compared_where_they_are_told() {
    let mut case = case(PLAIN);
    // The instructions of the FDE at 0x48 stand behind its augmentation data.
    case.sections[0].data[0x5d..0x68].fill(0);
    let no_row = |entries: &mut Vec<cfidiff_model::Entry>| {
        let index = at(entries, 0x48);
        assert!(entries[index].instructions.iter().all(|instruction| *instruction == Instruction::Nop));
        entries[index].rows.clear();
    };
    compare(&case, &Fake::right().pass(Says::all() - Says::ROWS_OF_NOPS, no_row)).agrees(4);
    let found = compare(&case, &Fake::with(no_row));
    let ours = "0x1040..0x1060 cfa=rsp+8 rip=c-8";
    assert_eq!(found.told(), [(Key::RowLocation, 0x48, ours, "no row")]);
}

#[test]
fn a_reader_without_rows_of_nops_owes_all_other_rows() {
    let no_row = |entries: &mut Vec<cfidiff_model::Entry>| entries[1].rows.clear();
    for says in [Says::all(), Says::all() - Says::INSTRUCTIONS] {
        let found = compare(&case(PLAIN), &Fake::right().pass(says - Says::ROWS_OF_NOPS, no_row));
        assert_eq!(found.keys(), [(Key::RowLocation, 0x28); 3]);
    }
}

#[test]
fn a_terminator_is_owed_by_those_that_tell_of_them() {
    let found = with_and_without(ZERO_INSIDE, Says::TERMINATORS, |entries| {
        entries.retain(|entry| entry.kind != EntryKind::Terminator);
    });
    assert_eq!(found.told(), [(Key::EntryMissing, 0x38, "terminator", "nothing")]);
}

#[test]
fn what_is_compared_is_counted_where_it_is_said() {
    let all = compare(&case(PLAIN), &Fake::with(|_| {})).tally.compared;
    assert_eq!((all.cases, all.cies, all.fdes, all.instructions, all.rows), (1, 1, 2, 24, 6));
    let few = compare(&case(PLAIN), &Fake::saying(Says::RECORDS | Says::PAST_TERMINATOR)).tally.compared;
    assert_eq!((few.cases, few.cies, few.fdes, few.instructions, few.rows), (1, 1, 2, 0, 0));
}

#[test]
fn what_two_passes_compare_is_counted_once() {
    let fake = Fake::saying(Says::all() - Says::ROWS).pass(Says::all() - Says::INSTRUCTIONS, |_| {});
    let found = compare(&case(PLAIN), &fake);
    found.agrees(4);
    let counts = found.tally.compared;
    assert_eq!((counts.cies, counts.fdes, counts.instructions, counts.rows), (1, 2, 24, 6));
}
