//! Rows: tables that are cut otherwise and say the same agree; a boundary elsewhere is a difference.

use cfidiff_model::{Address, CfaRule, Entry, EntryKind, Key, RegisterRule};

use crate::support::{Fake, Found, OwnRow, PLAIN, case, change_rows, compare};

/// Changes the rows of the FDE at 0x28: 0x1010..0x1011 cfa=rsp+8, 0x1011..0x1014 cfa=rsp+16, 0x1014..0x1030 cfa=rbp+16.
fn with_rows(change: fn(&mut Vec<OwnRow>)) -> Found {
    compare(&case(PLAIN), &Fake::with(move |entries| change_rows(&mut entries[1], change)))
}

#[test]
fn a_row_split_in_two_says_the_same() {
    with_rows(|rows| {
        let mut half = rows[2].clone();
        rows[2].end = 0x1020;
        half.start = 0x1020;
        rows.push(half);
    })
    .agrees(4);
}

#[test]
fn an_empty_row_says_nothing() {
    with_rows(|rows| {
        let mut empty = rows[0].clone();
        (empty.start, empty.end) = (0x1011, 0x1011);
        rows.insert(1, empty);
    })
    .agrees(4);
}

#[test]
fn rows_that_say_the_same_may_be_merged() {
    let mut case = case(PLAIN);
    // A def_cfa_offset of 8 in place of 16 leaves the CFA as it was, and offset(r6) becomes nops.
    case.sections[0].data[0x3d..0x44].copy_from_slice(&[0x41, 0x0e, 0x08, 0x00, 0x00, 0x43, 0x00]);
    let found = compare(
        &case,
        &Fake::with(|entries| {
            change_rows(&mut entries[1], |rows| {
                assert_eq!(rows.len(), 3, "one row for each advance");
                let end = rows[2].end;
                rows.truncate(1);
                rows[0].end = end;
            });
        }),
    );
    found.agrees(4);
}

#[test]
fn the_last_row_counts_at_the_end_of_the_address_space() {
    let mut case = case(PLAIN);
    // Locations count from the section, so the FDE moves with it: its 32 bytes become the last ones there are.
    let delta = 0x20_u64.wrapping_neg() - 0x1010;
    case.sections[0].address = Address(case.sections[0].address.0.wrapping_add(delta));
    let found = compare(
        &case,
        &Fake::with(|entries| {
            change_rows(&mut entries[1], |rows| {
                assert_eq!(rows[2].end, 0, "the address behind the last one");
                rows[2].cfa = CfaRule::RegisterOffset { register: 6, offset: 24 };
            });
        }),
    );
    assert_eq!(found.keys(), [(Key::RowCfaOffset, 0x28)]);
}

#[test]
fn the_end_of_32_bit_addresses_is_zero_or_one_more_than_the_last() {
    let found = compare(
        &case("record/up-to-the-top-32"),
        &Fake::with(|entries| {
            change_rows(&mut entries[1], |rows| {
                assert_eq!(rows[1].end, 0, "the address behind the last one");
                rows[1].end = 1 << 32;
            });
        }),
    );
    found.agrees(2);
}

#[test]
fn a_row_from_zero_to_zero_is_empty() {
    let found = compare(
        &case("relocatable/overlap_and_zero_length.o"),
        &Fake::with(|entries| {
            change_rows(&mut entries[2], |rows| {
                assert_eq!((rows.len(), rows[0].start, rows[0].end), (1, 0, 0), "an FDE that covers nothing");
                rows.clear();
            });
        }),
    );
    found.agrees(5);
}

#[test]
fn a_boundary_moved_forward_is_told_between_the_two() {
    let found = with_rows(|rows| (rows[1].end, rows[2].start) = (0x1018, 0x1018));
    let told = (Key::RowCfaRegister, 0x28, "at 0x1014: cfa=rbp+16", "at 0x1014: cfa=rsp+16");
    assert_eq!(found.told(), [told]);
}

#[test]
fn a_boundary_moved_back_is_told_between_the_two() {
    let found = with_rows(|rows| (rows[0].end, rows[1].start) = (0x1010, 0x1010));
    let cfa = (Key::RowCfaOffset, 0x28, "at 0x1010: cfa=rsp+8", "at 0x1010: cfa=rsp+16");
    let rule = (Key::RowRegisterRule, 0x28, "at 0x1010: rbp=none", "at 0x1010: rbp=c-16");
    assert_eq!(found.told(), [cfa, rule]);
}

#[test]
fn a_gap_between_rows_is_told() {
    let found = with_rows(|rows| rows[2].start = 0x1018);
    let ours = "0x1014..0x1030 cfa=rbp+16 rbp=c-16 rip=c-8";
    let theirs = "0x1018..0x1030 cfa=rbp+16 rbp=c-16 rip=c-8";
    assert_eq!(found.told(), [(Key::RowLocation, 0x28, ours, theirs)]);
}

#[test]
fn a_row_before_the_first_is_told() {
    let found = with_rows(|rows| {
        let mut early = rows[0].clone();
        (early.start, early.end) = (0x1000, 0x1008);
        rows.insert(0, early);
    });
    let theirs = "0x1000..0x1008 cfa=rsp+8 rip=c-8";
    assert_eq!(found.told(), [(Key::RowLocation, 0x28, "no row", theirs)]);
}

#[test]
fn rows_past_the_end_are_told() {
    let found = with_rows(|rows| {
        let mut late = rows[2].clone();
        (late.start, late.end, late.cfa) = (0x1030, 0x1038, CfaRule::Undefined);
        rows.push(late);
    });
    let theirs = "0x1030..0x1038 cfa=undefined rbp=c-16 rip=c-8";
    assert_eq!(found.told(), [(Key::RowLocation, 0x28, "no row", theirs)]);
}

#[test]
fn no_rows_at_all_are_told_one_by_one() {
    let found = with_rows(Vec::clear);
    assert_eq!(found.keys(), [(Key::RowLocation, 0x28); 3]);
    assert!(found.told().iter().all(|told| told.3 == "no row"));
}

#[test]
fn rows_in_descending_order_end_in_findings() {
    let found = with_rows(|rows| rows.reverse());
    assert!(!found.told().is_empty());
    assert!(found.keys().iter().all(|(_, offset)| *offset == 0x28));
}

#[test]
fn rules_that_only_one_reader_has_are_told_by_register() {
    let found = with_rows(|rows| {
        rows[2].rules.retain(|(register, _)| *register != 6);
        rows[2].rules.push((3, RegisterRule::Register(12)));
    });
    let extra = (Key::RowRegisterRule, 0x28, "at 0x1014: rbx=none", "at 0x1014: rbx=r12");
    let lost = (Key::RowRegisterRule, 0x28, "at 0x1014: rbp=c-16", "at 0x1014: rbp=none");
    assert_eq!(found.told(), [extra, lost]);
}

#[test]
fn another_register_and_offset_are_another_cfa() {
    let rule = CfaRule::RegisterOffset { register: 7, offset: 8 };
    let found = compare(
        &case(PLAIN),
        &Fake::with(move |entries| {
            change_rows(&mut entries[1], |rows| rows[2].cfa = rule.clone());
        }),
    );
    assert_eq!(found.keys(), [(Key::RowCfa, 0x28)]);
}

/// Moves every FDE with its rows.
fn move_by(entries: &mut [Entry], distance: u64) {
    for entry in entries {
        if let EntryKind::Fde(fde) = &mut entry.kind {
            fde.initial_location = Address(fde.initial_location.0.wrapping_add(distance));
            change_rows(entry, |rows| {
                for row in rows {
                    (row.start, row.end) = (row.start.wrapping_add(distance), row.end.wrapping_add(distance));
                }
            });
        }
    }
}

#[test]
fn a_wrong_initial_location_is_told_once_and_not_with_every_row() {
    for distance in [4, 4_u64.wrapping_neg(), 0xffff_0000_0000_0000] {
        let found = compare(&case(PLAIN), &Fake::with(move |entries| move_by(entries, distance)));
        assert_eq!(found.keys(), [(Key::FdeInitialLocation, 0x28), (Key::FdeInitialLocation, 0x48)]);
    }
}

#[test]
fn a_wrong_rule_is_told_beside_a_wrong_initial_location() {
    let found = compare(
        &case(PLAIN),
        &Fake::with(|entries| {
            move_by(entries, 0x100);
            change_rows(&mut entries[1], |rows| rows[1].rules[0].1 = RegisterRule::SameValue);
        }),
    );
    let rule = (Key::RowRegisterRule, 0x28, "at 0x1011: rbp=c-16", "at 0x1011: rbp=s");
    assert_eq!(found.told()[1], rule);
    assert_eq!(found.told().len(), 3);
}

#[test]
fn a_wrong_range_is_told_once_and_not_with_the_last_row() {
    for range in [0x18, 0x1000] {
        let found = compare(
            &case(PLAIN),
            &Fake::with(move |entries| {
                if let EntryKind::Fde(fde) = &mut entries[1].kind {
                    fde.address_range = range;
                }
                change_rows(&mut entries[1], |rows| rows[2].end = 0x1010 + range);
            }),
        );
        assert_eq!(found.keys(), [(Key::FdeAddressRange, 0x28)], "{range:#x}");
    }
}
