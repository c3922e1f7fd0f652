//! The reason of an unexplained difference: who of the other readers sides with whom.

use cfidiff::campaign::FileReport;
use cfidiff_model::{
    CfaRule, Entry, EntryKind, Finding, Instruction, Key, Rung, Says, Statement, Worth, Wrong,
};

use crate::keys::{Mistake, mistake};
use crate::support::{Fake, PLAIN, change_rows, path, run};

/// The reason of the finding of the reader `wrong`, beside these others.
fn reason(name: &str, wrong: Fake, others: Vec<Fake>) -> String {
    finding(name, wrong, others).reason
}

/// The finding of the reader `wrong`, beside these others.
fn finding(name: &str, wrong: Fake, others: Vec<Fake>) -> Finding {
    let mut fakes = vec![wrong.named("wrong")];
    fakes.extend(others);
    let report: FileReport = run(&[path(name)], fakes, usize::MAX, 1).remove(0);
    let mut findings = report.findings.into_iter().filter(|finding| finding.reader == "wrong");
    findings.next().expect("a mistake is a finding")
}

fn wrong_segment(entries: &mut [Entry]) {
    segment(entries, 1);
}

fn segment(entries: &mut [Entry], value: u64) {
    if let EntryKind::Fde(fde) = &mut entries[1].kind {
        fde.segment = Some(value);
    }
}

#[test]
fn another_reader_that_agrees_sides_with_ours() {
    let reason =
        reason(PLAIN, Fake::with(|entries| wrong_segment(entries)), vec![Fake::with(|_| {}).named("right")]);
    let clause = Key::FdeSegment.clause();
    assert_eq!(reason, format!("right sides with ours, so wrong is suspect; the clause is {clause}"));
}

#[test]
fn another_reader_that_says_the_same_makes_ours_suspect() {
    let wrong = || Fake::with(|entries| wrong_segment(entries));
    let alone = finding(PLAIN, wrong(), vec![wrong().named("same")]);
    let clause = Key::FdeSegment.clause();
    let words = "same says the same as wrong: ours stands alone and is suspect; the clause is";
    assert_eq!(alone.reason, format!("{words} {clause}"));
    assert_eq!((alone.wrong, alone.rung), (Wrong::Ours, Rung::Agreement));
    let worth: Vec<Worth> = alone.statements.iter().map(|statement| statement.worth).collect();
    assert_eq!(worth, [Worth::Wrong, Worth::Right, Worth::Right]);
    // With one of another family on our side nobody knows.
    let divided = finding(PLAIN, wrong(), vec![wrong().named("same"), Fake::with(|_| {}).named("right")]);
    let words = "readers are divided: same says the same as wrong, right sides with ours; the clause is";
    assert_eq!(divided.reason, format!("{words} {clause}"));
    assert_eq!((divided.wrong, divided.rung), (Wrong::Unknown, Rung::None));
    assert!(divided.statements.iter().all(|statement| statement.worth == Worth::Unknown));
}

#[test]
fn the_clause_is_above_readers_that_do_not_contradict_it() {
    let wrong = || Fake::with(|entries| wrong_segment(entries));
    for others in [vec![], vec![Fake::with(|_| {}).named("right")]] {
        let finding = finding(PLAIN, wrong(), others);
        assert_eq!((finding.wrong, finding.rung), (Wrong::Reader, Rung::Clause));
    }
}

#[test]
fn every_reader_with_a_word_on_the_place_is_told_with_it() {
    let others = vec![
        Fake::with(|_| {}).named("right"),
        Fake::with(|entries| segment(entries, 2)).named("other"),
        Fake::saying(Says::all() - Says::SEGMENT).named("silent"),
        Fake::with(|entries| entries.truncate(1)).named("short"),
        // It differs on the record, and not in this.
        Fake::with(|entries: &mut Vec<Entry>| entries[1].length += 4).named("elsewhere"),
    ];
    let finding = finding(PLAIN, Fake::with(|entries| wrong_segment(entries)), others);
    let told = |Statement { reader, says, worth, why }: &Statement| {
        format!("{reader}: {says} {} {why}", worth.name())
    };
    let told: Vec<String> = finding.statements.iter().map(told).collect();
    let expected = [
        "ours: none right by the clause",
        "wrong: 0x1 wrong against the clause",
        "right: none right by the clause",
        "other: 0x2 wrong against the clause",
        "short: fewer",
        "elsewhere: none right by the clause",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected.trim_end_matches("fewer")), "{told}");
    }
}

#[test]
fn what_is_of_no_one_record_has_no_table() {
    let extra = mistake(Key::EntryExtra).expect("a mistake").change;
    let finding = finding(PLAIN, Fake::with(extra), vec![Fake::with(|_| {}).named("right")]);
    assert_eq!((finding.wrong, finding.rung, finding.statements.len()), (Wrong::Reader, Rung::Clause, 0));
}

#[test]
fn a_reader_is_one_witness_however_many_passes_it_has() {
    let same = || {
        Fake::with(|entries| wrong_segment(entries))
            .pass(Says::all(), |entries| wrong_segment(entries))
            .named("same")
    };
    assert!(
        reason(PLAIN, Fake::with(|entries| wrong_segment(entries)), vec![same()])
            .starts_with("same says the same as wrong:")
    );
    let twice =
        Fake::with(|entries| wrong_segment(entries)).pass(Says::all(), |entries| wrong_segment(entries));
    let right = Fake::with(|_| {}).pass(Says::all(), |_| {}).named("right");
    assert!(reason(PLAIN, twice, vec![right]).starts_with("right sides with ours"));
}

#[test]
fn readers_of_one_family_are_one_witness() {
    let wrong = || Fake::with(|entries| wrong_segment(entries));
    let right = || Fake::with(|_| {});
    // Of the family of the reader that differs: neither for it nor against it.
    let reason_of = |wrong: Fake, others| reason(PLAIN, wrong, others);
    for brother in [wrong(), right()] {
        let reason = reason_of(wrong().of("one"), vec![brother.named("brother").of("one")]);
        assert!(reason.starts_with("no other reader decides it"), "{reason}");
    }
    // Two of another family are told once, and a family that is divided has no word.
    let both = vec![right().named("a").of("two"), right().named("b").of("two")];
    assert!(reason_of(wrong(), both).starts_with("a sides with ours, so"));
    let divided = vec![right().named("a").of("two"), wrong().named("b").of("two")];
    assert!(reason_of(wrong(), divided).starts_with("no other reader decides it"));
}

#[test]
fn a_reader_with_another_answer_sides_with_nobody() {
    let other = Fake::with(|entries| segment(entries, 2)).named("other");
    let reason = reason(PLAIN, Fake::with(|entries| wrong_segment(entries)), vec![other]);
    let clause = Key::FdeSegment.clause();
    assert_eq!(reason, format!("no other reader decides it; by the clause, ours is right: {clause}"));
}

#[test]
fn a_reader_that_did_not_get_so_far_sides_with_nobody() {
    let short = Fake::with(|entries| entries.truncate(1)).named("short");
    assert!(
        reason(PLAIN, Fake::with(|entries| wrong_segment(entries)), vec![short])
            .starts_with("no other reader decides it")
    );
}

#[test]
fn a_reader_that_does_not_say_it_sides_with_nobody() {
    for &key in Key::ALL {
        let Some(Mistake { change, says, .. }) = mistake(key) else { continue };
        if says == Says::RECORDS {
            continue;
        }
        let reason_beside = |says| reason(PLAIN, Fake::with(change), vec![Fake::saying(says).named("other")]);
        assert!(reason_beside(Says::all() - says).starts_with("no other reader decides it"), "{key:?}");
        assert!(reason_beside(Says::all()).starts_with("other sides with ours"), "{key:?}");
    }
}

#[test]
fn readers_in_this_process_are_no_witness_for_what_was_relocated() {
    let wrong = |key| Fake::with(mistake(key).expect("a mistake").change);
    let other = |reads_files| Fake { reads_files, ..Fake::with(|_| {}).named("other") };
    let is_witness = |name: &str, wrong: Fake, reads_files| {
        reason(name, wrong, vec![other(reads_files)]).starts_with("other sides with ours")
    };
    assert!(is_witness(PLAIN, wrong(Key::FdeInitialLocation), false), "nothing was relocated");
    let object = "relocatable/asm-all-gas.o";
    let in_object = |change: fn(&mut cfidiff_model::Fde)| {
        Fake::with(move |entries| {
            let fdes = entries.iter_mut().filter_map(|entry| match &mut entry.kind {
                EntryKind::Fde(fde) => Some(fde),
                _ => None,
            });
            fdes.take(1).for_each(change);
        })
    };
    let range: fn(&mut cfidiff_model::Fde) = |fde| fde.address_range += 1;
    assert!(!is_witness(object, in_object(range), false));
    assert!(is_witness(object, in_object(range), true));
    let cie: fn(&mut cfidiff_model::Fde) = |fde| fde.cie = None;
    assert!(!is_witness(object, in_object(cie), false));
    let segment: fn(&mut cfidiff_model::Fde) = |fde| fde.segment = Some(1);
    assert!(is_witness(object, in_object(segment), false), "a segment is not relocated");
}

#[test]
fn explained_and_recordless_findings_keep_their_reasons() {
    let extra = mistake(Key::EntryExtra).expect("a mistake").change;
    let extra = reason(PLAIN, Fake::with(extra), vec![Fake::with(|_| {}).named("right")]);
    assert_eq!(extra, format!("by the clause, ours is right: {}", Key::EntryExtra.clause()));
    let short = Fake::with(|entries| entries.truncate(1));
    let short = reason(PLAIN, short, vec![Fake::with(|_| {}).named("right")]);
    assert_eq!(short, "fewer records than the section has, without a complaint");
}

/// The FDEs that hold only nops.
fn of_nops(entries: &mut [Entry]) -> impl Iterator<Item = &mut Entry> {
    entries.iter_mut().filter(|entry| {
        let is_fde = matches!(entry.kind, EntryKind::Fde(_));
        is_fde && entry.instructions.iter().all(|instruction| *instruction == Instruction::Nop)
    })
}

#[test]
fn a_reader_that_prints_no_rows_of_nops_sides_with_nobody_on_them() {
    let wrong = || {
        Fake::with(|entries| {
            of_nops(entries).for_each(|entry| change_rows(entry, |rows| rows[0].cfa = CfaRule::Undefined));
        })
    };
    let silent = Fake::right().pass(Says::all() - Says::ROWS_OF_NOPS, |entries| {
        of_nops(entries).for_each(|entry| entry.rows.clear())
    });
    let object = "relocatable/mips-pc32.o";
    assert!(
        reason(object, wrong(), vec![Fake::with(|_| {}).named("right")]).starts_with("right sides with ours")
    );
    assert!(reason(object, wrong(), vec![silent.named("silent")]).starts_with("no other reader decides it"));
}
