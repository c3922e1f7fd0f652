//! Known faults and open questions: each excuses its reader, version, key and features, and nothing else.

use cfidiff::compare::Judge;
use cfidiff_model::{Entry, EntryKind, Key, Outcome, Verdict};
use cfidiff_oracles::known::{Known, KnownVerdict};

use crate::support::{Fake, PLAIN, case, compare_knowing, records};

fn listed() -> Known {
    Known {
        id: "fake-segment".into(),
        reader: "fake".into(),
        versions: "<=1.0".parse().expect("a range"),
        verdict: KnownVerdict::KnownFault,
        keys: vec!["fde.segment".into()],
        record: vec!["kind=FDE".into()],
        section: vec!["kind=CIE".into()],
        reason: "it invents a segment".into(),
        evidence: "none".into(),
        clause: "a clause".into(),
        link: None,
        case: PLAIN.into(),
    }
}

fn invent_segment(entries: &mut [Entry]) {
    if let EntryKind::Fde(fde) = &mut entries[1].kind {
        fde.segment = Some(1);
    }
}

#[track_caller]
fn verdict(known: Known, fake: Fake) -> Verdict {
    compare_knowing(&case(PLAIN), &fake, &Judge::new(vec![known])).only().verdict
}

#[test]
fn a_listed_fault_is_a_known_fault_with_its_reason() {
    let found = compare_knowing(
        &case(PLAIN),
        &Fake::with(|entries| invent_segment(entries)),
        &Judge::new(vec![listed()]),
    );
    let finding = found.only();
    assert_eq!((finding.key, finding.verdict), (Key::FdeSegment, Verdict::KnownFault));
    assert_eq!(finding.cause, "fake-segment");
    assert_eq!(finding.reason, "it invents a segment (a clause)");
    assert_eq!(found.tally.records, records(3, Verdict::KnownFault, 1));
}

#[test]
fn a_listed_question_is_open() {
    let question = Known { verdict: KnownVerdict::Open, reader: "*".into(), ..listed() };
    let found = compare_knowing(
        &case(PLAIN),
        &Fake::with(|entries| invent_segment(entries)),
        &Judge::new(vec![question]),
    );
    assert_eq!(found.only().verdict, Verdict::Open);
    assert_eq!(found.tally.records, records(3, Verdict::Open, 1));
}

#[test]
fn the_first_entry_that_explains_is_the_cause() {
    let later = Known { id: "later".into(), ..listed() };
    let other = Known { id: "other".into(), reader: "other".into(), ..listed() };
    let judge = Judge::new(vec![other, listed(), later]);
    assert_eq!(
        compare_knowing(&case(PLAIN), &Fake::with(|entries| invent_segment(entries)), &judge).only().cause,
        "fake-segment"
    );
}

#[test]
fn an_entry_excuses_nothing_else() {
    let differs = Verdict::Differ;
    assert_eq!(verdict(listed(), Fake::with(|entries| invent_segment(entries))), Verdict::KnownFault);
    assert_eq!(verdict(listed(), Fake::with(|entries| invent_segment(entries)).named("other")), differs);
    assert_eq!(
        verdict(listed(), Fake { version: "1.1", ..Fake::with(|entries| invent_segment(entries)) }),
        differs
    );
    let other_key = Fake::with(|entries| entries[1].length += 4);
    assert_eq!(verdict(listed(), other_key), differs);
    let other_record = Known { record: vec!["kind=CIE".into()], ..listed() };
    assert_eq!(verdict(other_record, Fake::with(|entries| invent_segment(entries))), differs);
    let other_section = Known { section: vec!["has-terminator-inside".into()], ..listed() };
    assert_eq!(verdict(other_section, Fake::with(|entries| invent_segment(entries))), differs);
}

#[test]
fn an_fde_has_the_features_of_its_cie() {
    for condition in ["letter=P", "augmentation=zPLR", "personality-encoding=0x00", "opcode=def_cfa"] {
        let known = Known { record: vec![condition.into()], section: vec![], ..listed() };
        assert_eq!(
            verdict(known, Fake::with(|entries| invent_segment(entries))),
            Verdict::KnownFault,
            "{condition}"
        );
    }
}

#[test]
fn features_are_those_of_the_record_judged() {
    // Only the FDE at 0x48 has a null LSDA.
    let known = Known { record: vec!["lsda=null".into()], ..listed() };
    let fake = Fake::with(|entries| {
        for entry in entries {
            if let EntryKind::Fde(fde) = &mut entry.kind {
                fde.segment = Some(1);
            }
        }
    });
    let found = compare_knowing(&case(PLAIN), &fake, &Judge::new(vec![known]));
    let verdicts: Vec<_> = found.findings.iter().map(|finding| (finding.offset.0, finding.verdict)).collect();
    assert_eq!(verdicts, [(0x28, Verdict::Differ), (0x48, Verdict::KnownFault)]);
}

#[test]
fn an_unexplained_difference_outweighs_an_explained_one() {
    for first in [true, false] {
        let fake = Fake::with(move |entries| {
            invent_segment(entries);
            if let EntryKind::Fde(fde) = &mut entries[1].kind {
                // One key stands before the segment, one behind.
                if first { fde.cie_pointer += 1 } else { fde.indirect = true }
            }
        });
        let found = compare_knowing(&case(PLAIN), &fake, &Judge::new(vec![listed()]));
        assert_eq!(found.findings.len(), 2);
        assert_eq!(found.tally.records, records(3, Verdict::Differ, 1));
    }
}

#[test]
fn a_failure_can_be_explained_by_the_record_that_it_happened_at() {
    let known = Known {
        keys: vec!["section.unread".into()],
        record: vec!["lsda=null".into()],
        section: vec![],
        ..listed()
    };
    let fake = Fake::with(|entries| entries.truncate(2));
    let found = compare_knowing(&case(PLAIN), &fake, &Judge::new(vec![known]));
    assert_eq!((found.only().verdict, found.only().cause.as_str()), (Verdict::KnownFault, "fake-segment"));
    assert_eq!(found.tally.records, records(2, Verdict::KnownFault, 1));
}

#[test]
fn a_failure_where_no_record_is_left_can_be_explained_by_the_file() {
    let verdict = |name: &str, section: &[&str]| {
        let known = Known {
            keys: vec!["section.unread".into()],
            record: vec![],
            section: section.iter().map(|&condition| condition.to_owned()).collect(),
            ..listed()
        };
        let failed = Some(Outcome::Failed("no such relocation".into()));
        let fake = Fake { section: None, case: failed, ..Fake::with(|_| {}) };
        let found = compare_knowing(&case(name), &fake, &Judge::new(vec![known]));
        found.answers[0].broke.as_ref().map(|finding| (finding.verdict, finding.cause.clone()))
    };
    let known = Some((Verdict::KnownFault, "fake-segment".to_owned()));
    let unknown = Some((Verdict::OracleFailed, "reader-broke".to_owned()));
    assert_eq!(verdict("terminator/empty", &["machine=x86_64", "!relocatable"]), known);
    assert_eq!(verdict("terminator/empty", &["machine=riscv"]), unknown);
    // What is in a section, and which one it is, explains nothing where it did not come to a record.
    assert_eq!(verdict("terminator/empty", &["machine=x86_64", "section=.eh_frame"]), unknown);
    // Here a finding of the section tells of it.
    assert_eq!(verdict(PLAIN, &["machine=x86_64"]), None);
}

#[test]
fn records_lost_with_another_that_they_have_nothing_to_do_with_are_told_apart() {
    const BAD_CIE_POINTER: &str = "cie-pointer/cieptr-oob";
    const BAD_CIE: &str = "state/op-restore-cie";
    const BAD_AT_END: &str = "terminator/trail-3nz";
    let costs_others = |name: &str, given: usize| {
        let known = Known {
            keys: vec!["section.unread".into()],
            record: vec![],
            section: vec!["costs-others".into()],
            ..listed()
        };
        let fake = Fake {
            section: Some(Outcome::Failed("lost".into())),
            ..Fake::with(move |entries| entries.truncate(given))
        };
        let found = compare_knowing(&case(name), &fake, &Judge::new(vec![known]));
        let unread = found.findings.iter().find(|finding| finding.key == Key::SectionUnread);
        unread.map(|finding| finding.verdict)
    };
    let (yes, broke, open) = (Some(Verdict::KnownFault), Some(Verdict::OracleFailed), Some(Verdict::Open));
    // Of CIE, FDE, ill-formed FDE, FDE: it stopped before the ill-formed one, behind it, or gave nothing for it.
    assert_eq!([2, 3, 0].map(|given| costs_others(BAD_CIE_POINTER, given)), [yes; 3]);
    // Of CIE, FDE, FDE: the last is lost alone, behind another, or with the CIE at which it stopped.
    assert_eq!([2, 1, 0].map(|given| costs_others(PLAIN, given)), [broke, yes, broke]);
    // Nothing but an ill-formed CIE and its FDEs.
    assert_eq!(costs_others(BAD_CIE, 0), open);
    // Bytes at the end that are no record, and all before them given or lost.
    assert_eq!([usize::MAX, 0].map(|given| costs_others(BAD_AT_END, given)), [None, yes]);
}
