//! The planted faults: the suite catches each of them, the triage names them, each overrides one decision point, and
//! each point has one.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use cfidiff::faults;
use cfidiff::image;
use cfidiff::triage::{self, Cases, Caught, CaughtPair, Observed, Replays, Score, Seen};
use cfidiff_cfi::Standard;
use cfidiff_gen::suite::Suite;

/// What came of all faults, with one file of a compiler in the place of variants, and of some pairs.
static SCORE: LazyLock<Score> = LazyLock::new(|| {
    let suite = Suite::build().expect("the suite is there");
    let case = suite.cases().iter().find(|case| case.name == FILE).expect("it is there");
    let image = image::from_bytes(FILE, &case.file, &image::Options::default()).expect("it is ELF");
    triage::score(&suite, image.cases, 20, 1)
});

/// The sections of a C program as gcc and GNU ld make them.
const FILE: &str = "reference/shape";

#[test]
fn the_suite_catches_every_fault() {
    assert!(SCORE.suite.missed.is_empty(), "not caught: {:#?}", SCORE.suite.missed);
    assert!(SCORE.faults >= 80 && SCORE.suite.caught == SCORE.faults);
    assert!(SCORE.missed.is_empty() && SCORE.caught == SCORE.faults);
}

#[test]
fn a_file_catches_what_shows_in_its_records() {
    let variants = SCORE.variants.as_ref().expect("there is a file");
    assert_eq!((variants.cases, variants.caught + variants.missed.len()), (1, SCORE.faults));
    let key = |name: &str| {
        let caught = SCORE.each.iter().find(|caught| caught.name == name).expect("it is planted");
        caught.variants.as_ref().and_then(|seen| seen.key.as_deref())
    };
    for (name, expected) in [
        ("pcrel-not-added", Some("fde.initial-location")),
        ("first-cie-always", Some("fde.cie")),
        ("offset-unfactored", Some("instruction.operands")),
        // Compilers for this machine write none of what these are about, and nobody looks an address up.
        ("little-endian-always", None),
        ("end-inclusive", None),
    ] {
        assert_eq!(key(name), expected, "{name}");
        assert_eq!(variants.missed.contains(&name), expected.is_none(), "{name}");
    }
}

/// What triage looks at beside the records: the answers that a run-time reader gives are compared as well.
#[test]
fn what_shows_in_no_record_is_caught_by_questions() {
    for (name, place) in [
        ("return-address-not-reduced", "row for return address"),
        ("end-inclusive", "row for address"),
        ("empty-fde-found", "row for address"),
        ("search-strictly-before", "search for"),
        ("search-one-too-far", "search for"),
        ("expression-without-cfa", "frame at"),
        ("comparison-operands-swapped", "frame at"),
        ("linkage-table-by-heart", "frame at"),
        ("second-operand-not-read", "frame at"),
    ] {
        let caught = SCORE.each.iter().find(|caught| caught.name == name).expect("it is planted");
        let key = caught.suite.key.as_deref().unwrap_or_default();
        assert!(key.contains(place), "{name}: {key}");
    }
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
fn a_wrong_diagnosis_counts_for_nothing() {
    let of = |diagnoses: &[&'static str]| Caught {
        name: "a",
        suite: Seen::default(),
        variants: Some(Seen::default()),
        diagnoses: diagnoses.to_vec(),
    };
    assert!(of(&["a", "b"]).is_named_first() && of(&["b", "a"]).is_named() && !of(&["a"]).is_caught());
    assert!(!of(&["b", "a"]).is_named_first() && !of(&["b"]).is_named() && !of(&[]).is_named());
    let pair = |hiding, found: &[&'static str], exact| {
        CaughtPair::new(["a", "b"], hiding, found.to_vec(), exact).is_named
    };
    assert!(pair(None, &["b", "a"], true) && pair(Some("a"), &["a"], true));
    assert!(!pair(None, &["a", "b"], false) && !pair(Some("a"), &["a"], false), "a hint is no diagnosis");
    assert!(!pair(None, &["a"], true) && !pair(None, &["a", "c"], true), "half of it");
    assert!(!pair(Some("a"), &["c"], true) && !pair(None, &[], true), "another one");
}

#[test]
fn the_seed_chooses_different_pairs() {
    let mut pairs = BTreeSet::new();
    for pair in &SCORE.pairs {
        assert!(pair.faults[0] != pair.faults[1] && pairs.insert(pair.faults), "{:?}", pair.faults);
    }
    assert_eq!(pairs.len(), 20);
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
