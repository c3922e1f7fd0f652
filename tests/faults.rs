//! The planted faults: the suite catches each of them, the triage names them, each overrides one decision point, and
//! each point has one.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use cfidiff::faults;
use cfidiff::triage::{self, Cases, Observed, Replays, Score};
use cfidiff_cfi::Standard;
use cfidiff_gen::suite::Suite;

/// What came of all faults, and of some pairs.
static SCORE: LazyLock<Score> =
    LazyLock::new(|| triage::score(&Suite::build().expect("the suite is there"), 20, 1));

#[test]
fn the_suite_catches_every_fault() {
    assert!(SCORE.missed.is_empty(), "not caught: {:#?}", SCORE.missed);
    assert!(SCORE.faults >= 80 && SCORE.caught == SCORE.faults);
}

#[test]
fn the_triage_names_the_fault() {
    let not_first: Vec<_> = SCORE.each.iter().filter(|caught| !caught.is_named_first()).collect();
    let not_named: Vec<_> = SCORE.each.iter().filter(|caught| !caught.is_named()).collect();
    assert!(20 * not_first.len() <= SCORE.faults, "not the first diagnosis: {not_first:#?}");
    assert!(not_named.is_empty(), "no diagnosis: {not_named:#?}");
    let others: Vec<_> = SCORE.pairs.iter().filter(|pair| !pair.is_named).collect();
    assert!(10 * others.len() <= 3 * SCORE.pairs.len(), "pairs that are not named: {others:#?}");
}

#[test]
fn our_reader_has_no_diagnosis() {
    let cases = Cases::of_suite(&Suite::build().expect("the suite is there"));
    let wrong = cases.wrong(0..cases.inputs.len(), &Standard);
    assert!(wrong.is_empty());
    assert!(Replays::new(&cases, Vec::new()).diagnose(&Observed::whole(wrong)).is_empty());
}

#[test]
fn each_fault_overrides_one_decision_point_and_each_point_has_a_fault() {
    let mut points = BTreeSet::new();
    let mut names = BTreeSet::new();
    for fault in faults::all() {
        assert!(names.insert(fault.name), "{} is there twice", fault.name);
        let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(fault.name.chars().all(is_kebab), "{}", fault.name);
        assert!(!fault.models.is_empty() && !fault.clause.is_empty(), "{}", fault.name);
        assert_eq!(fault.decision_points().len(), 1, "{}", fault.name);
        points.extend(fault.decision_points());
    }
    let source = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/cfi/semantics.rs"));
    let source = source.expect("the trait is there");
    let methods: BTreeSet<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("    fn "))
        .filter_map(|line| line.split('(').next())
        .collect();
    assert_eq!(points, methods);
}
