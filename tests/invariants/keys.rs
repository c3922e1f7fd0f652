//! Every invariant is broken by some case, and sound cases break none whose breaking is an error.

use std::collections::BTreeSet;

use cfidiff_gen::suite::{Case, Suite};
use cfidiff_model::{Invariant, Severity};

use crate::made;
use crate::support::{broken, keys};

/// Cases of the suite that every reader has to read, and whose information is wrong all the same: the start of the
/// name, and the errors.
const WRONG: [(&str, &[Invariant]); 13] = [
    ("header/hdr-count-small", &[Invariant::HdrListsAll]),
    ("header/hdr-missing", &[Invariant::HdrListsAll]),
    ("linked/overlap_and_zero_length", &[Invariant::FdeOverlap]),
    ("header/hdr-overlap", &[Invariant::FdeOverlap]),
    ("header/hdr-omit-eh-frame", &[Invariant::HdrFramePointer]),
    ("header/hdr-ptr", &[Invariant::HdrFramePointer]),
    ("header/hdr-unsorted", &[Invariant::HdrSorted, Invariant::HdrShadowed]),
    ("header/hdr-wrongfde", &[Invariant::HdrEntryLocation, Invariant::HdrShadowed]),
    ("header/hdr-zero-length", &[Invariant::HdrShadowedByEmpty]),
    ("relocatable/overlap_and_zero_length.o", &[Invariant::FdeOverlap]),
    // Without a rule for the column that the case is about, or made with .cfi_startproc simple.
    ("register/ra-", &[Invariant::RowReturnAddress]),
    ("relocatable/", &[Invariant::RowReturnAddress, Invariant::RowCfa]),
    ("state/cfi-simple", &[Invariant::RowReturnAddress, Invariant::RowCfa]),
];

/// The suite's code is a stand-in of a few hundred bytes; where an FDE leads out of it, nothing is to be learned.
pub const STAND_IN: Invariant = Invariant::FdeInCode;

fn is_sound(case: &Case) -> bool {
    let entries = case.sections.iter().flat_map(|section| &section.entries);
    entries.clone().all(|expected| expected.faults.is_empty())
        && case.header.as_ref().is_none_or(|header| header.faults.is_empty())
}

#[test]
fn sound_cases_break_no_invariant_whose_breaking_is_an_error() {
    let suite = Suite::build().expect("the suite can be built");
    let mut wrong = Vec::new();
    for case in suite.cases().iter().filter(|case| is_sound(case)) {
        let known = WRONG.iter().filter(|(name, _)| case.name.starts_with(name));
        let known: Vec<Invariant> = known.flat_map(|(_, keys)| keys.iter().copied()).collect();
        for broken in broken(&case.name, &case.file) {
            let is_error = broken.severity == Severity::Error && broken.key != STAND_IN;
            if is_error && !known.contains(&broken.key) {
                wrong.push(format!("{}: {} {}", case.name, broken.key.name(), broken.places[0].found));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cases_that_are_wrong_are_found_out() {
    let suite = Suite::build().expect("the suite can be built");
    for (name, wanted) in WRONG.iter().filter(|(name, _)| !name.ends_with(['/', '-'])) {
        let case = suite.cases().iter().find(|case| case.name == *name).expect("the case is there");
        let found = keys(&broken(name, &case.file));
        assert!(wanted.iter().all(|key| found.contains(key)), "{name}: {found:?}");
    }
}

#[test]
fn every_invariant_is_broken_by_a_case() {
    let suite = Suite::build().expect("the suite can be built");
    let mut raised: BTreeSet<Invariant> = BTreeSet::new();
    for case in suite.cases() {
        raised.extend(keys(&broken(&case.name, &case.file)));
    }
    let [unnamed, startup, data, longer] = made::other_gaps();
    let made = [
        made::with_gaps(),
        unnamed,
        startup,
        longer,
        made::with_uncovered_sections(),
        made::with_other_fdes(),
        made::with_ambiguous_pointer(),
        made::with_both(24),
    ];
    raised.extend(made.iter().flat_map(|file| keys(&file.broken())));
    let data = made::with_data_at(&data, crate::support::TEXT + 0x10);
    let bytes = [data, made::with_entry_beside()];
    for bytes in bytes.into_iter().chain(made::with_segments()).chain(made::unrelocated()) {
        raised.extend(keys(&broken("made", &bytes)));
    }
    let missing: Vec<&str> =
        Invariant::ALL.iter().filter(|key| !raised.contains(key)).map(|key| key.name()).collect();
    assert!(missing.is_empty(), "no case breaks {missing:?}");
}

#[test]
fn every_invariant_says_what_must_hold_and_by_which_clause() {
    let mut names = BTreeSet::new();
    for key in Invariant::ALL {
        let named =
            key.name().split_once('.').is_some_and(|(topic, rest)| !topic.is_empty() && !rest.is_empty());
        assert!(named && names.insert(key.name()), "{}", key.name());
        assert!(key.must().len() > 15 && key.clause().len() > 3, "{}", key.name());
    }
    assert!(Invariant::ALL.is_sorted_by_key(|key| key.severity()), "the gravest come first");
}
