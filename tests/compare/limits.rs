//! The limit of findings: all are counted, whatever the limit and however many passes meet them.

use cfidiff::campaign::FileReport;
use cfidiff::compare::Likeness;
use cfidiff_model::{Entry, EntryKind, Key, Says, Verdict};

use crate::support::{Fake, PLAIN, path, run};

/// Both FDEs get three differences each.
fn six_mistakes(entries: &mut Vec<Entry>) {
    for entry in entries {
        if let EntryKind::Fde(fde) = &mut entry.kind {
            fde.cie_pointer += 1;
            fde.segment = Some(1);
            fde.indirect = true;
        }
    }
}

fn report(fake: Fake, max_findings: usize) -> FileReport {
    run(&[path(PLAIN)], vec![fake], max_findings, 1).remove(0)
}

fn unlisted(report: &FileReport) -> u64 {
    report.unlisted.values().sum()
}

#[test]
fn findings_are_listed_up_to_the_limit_and_counted_behind_it() {
    for (limit, listed) in [(0, 0), (1, 1), (5, 5), (6, 6), (usize::MAX, 6)] {
        let report = report(Fake::with(six_mistakes), limit);
        assert_eq!((report.findings.len(), unlisted(&report)), (listed, 6 - listed as u64), "{limit}");
    }
}

#[test]
fn what_is_not_listed_is_told_by_reader_verdict_cause_key_and_pattern() {
    let report = report(Fake::with(six_mistakes), 0);
    let told: Vec<_> = report
        .unlisted
        .iter()
        .map(|((reader, Likeness { verdict, cause, key, pattern }), count)| {
            assert_eq!((reader.as_str(), *verdict, cause.as_str()), ("fake", Verdict::Differ, ""));
            (*key, pattern.as_str(), *count)
        })
        .collect();
    let pattern = |key: Key| told.iter().filter(|(other, ..)| *other == key).copied().collect::<Vec<_>>();
    assert_eq!(pattern(Key::FdeCiePointer), [(Key::FdeCiePointer, "theirs = ours + 1", 2)]);
    assert_eq!(told.iter().map(|(.., count)| count).sum::<u64>(), 6, "{told:?}");
    assert_eq!(told.len(), 3, "{told:?}");
}

#[test]
fn a_difference_that_two_passes_meet_is_one_finding() {
    for limit in [0, 1, 2, 5, 6, usize::MAX] {
        let fake = Fake::with(six_mistakes).pass(Says::all(), six_mistakes);
        let report = report(fake, limit);
        assert_eq!(report.findings.len() as u64 + unlisted(&report), 6, "{limit}");
        assert_eq!(report.findings.len(), limit.min(6), "{limit}");
    }
}

#[test]
fn passes_that_meet_different_differences_add_up() {
    for limit in [0, 1, 2, 5, 6, usize::MAX] {
        let half = Says::all() - Says::SEGMENT - Says::INDIRECT;
        let fake = Fake::right().pass(half, six_mistakes).pass(Says::all() - Says::CIE_POINTER, six_mistakes);
        let report = report(fake, limit);
        assert_eq!(report.findings.len() as u64 + unlisted(&report), 6, "{limit}");
    }
}

#[test]
fn passes_that_disagree_with_each_other_both_count() {
    let other = |entries: &mut Vec<Entry>| {
        if let EntryKind::Fde(fde) = &mut entries[1].kind {
            fde.cie_pointer += 2;
        }
    };
    for limit in [0, 1, usize::MAX] {
        let report = report(Fake::with(six_mistakes).pass(Says::all(), other), limit);
        assert_eq!(report.findings.len() as u64 + unlisted(&report), 7, "{limit}");
    }
}

#[test]
fn the_limit_is_for_each_section() {
    let name = "section/two-eh-frame";
    let all = run(&[path(name)], vec![Fake::with(six_mistakes)], usize::MAX, 1).remove(0);
    let limited = run(&[path(name)], vec![Fake::with(six_mistakes)], 1, 1).remove(0);
    assert_eq!(limited.findings.len(), 2);
    assert_eq!(unlisted(&limited) as usize, all.findings.len() - 2);
}

#[test]
fn the_first_findings_are_those_that_are_listed() {
    let report = report(Fake::with(six_mistakes), 2);
    let listed: Vec<(Key, u64)> =
        report.findings.iter().map(|finding| (finding.key, finding.offset.0)).collect();
    assert_eq!(listed, [(Key::FdeCiePointer, 0x28), (Key::FdeSegment, 0x28)]);
}
