//! Damaged sections: whatever the bytes, our reader and gimli agree on a record or the difference is reported.

use cfidiff::compare::{Comparator, Judge, tally};
use cfidiff::image::{self, Layout};
use cfidiff::invariants;
use cfidiff_cfi::{Reader, RecordKind};
use cfidiff_model::{Case, Section, SectionKind, Verdict};
use cfidiff_oracles::gimli::Gimli;
use cfidiff_oracles::{Oracle, known};
use proptest::prelude::*;

/// Real sections with augmentations, expressions, remembered states and both kinds of section.
const FILES: [&str; 3] = [
    "corpus/cases/linked/asm-all-gas.so",
    "corpus/cases/linked/aarch64-pac-bkey.so",
    "corpus/cases/expression/op-expr",
];

fn cases() -> Vec<Case> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let options = image::Options { debug_files: false, ..image::Options::default() };
    let open = |file: &&str| image::open(&root.join(file), &options).expect("the case opens").cases;
    FILES.iter().flat_map(open).collect()
}

/// How many CIEs and FDEs the walk over a section gives. Asserts that its records tile the section.
fn records(section: &Section, case: &Case) -> u64 {
    let mut end = 0;
    let mut count = 0;
    for record in Reader::new(section, case.target).walk() {
        assert_eq!(record.offset, end, "records tile the section");
        assert!(record.end > record.offset, "the walk goes on");
        end = record.end;
        count += u64::from(matches!(record.kind, RecordKind::Cie(_) | RecordKind::Fde(_)));
    }
    assert_eq!(end, section.data.len(), "records tile the section");
    count
}

/// Compares a case with gimli, and asserts that every CIE and FDE came to a verdict and every verdict but
/// agreement to a finding.
fn check(case: Case) {
    let kinds = [SectionKind::EhFrame, SectionKind::DebugFrame];
    // Bounded and without a panic; what is found has a place.
    for broken in invariants::check(&case, &Layout::default(), &kinds, 3).findings {
        assert!(!broken.places.is_empty() && broken.count >= broken.places.len() as u64, "{broken:?}");
    }
    let gimli = Gimli;
    let judge = Judge::new(known::load().expect("the lists are well-formed"));
    let expected: u64 = case.frame_sections().map(|(_, section)| records(section, &case)).sum();
    let cases = [case];
    let mut comparator = Comparator::new(&cases, &judge, &gimli, usize::MAX);
    gimli.read(0, &cases, &mut comparator);
    let answers = comparator.finish();
    let records = tally(&cases[0], &answers).records;
    // A reader may also tell of records that are none: those are findings without a record of ours.
    assert!(records.total() >= expected, "{expected} records, of which {records:?}");
    let findings: Vec<_> = answers
        .iter()
        .flat_map(|case| &case.sections)
        .flat_map(|section| &section.findings)
        .map(|(_, finding)| finding)
        .collect();
    let reported = |verdict| findings.iter().any(|finding| finding.verdict == verdict);
    for (verdict, count) in [
        (Verdict::Differ, records.differ),
        (Verdict::Open, records.open),
        (Verdict::KnownFault, records.known_fault),
        (Verdict::OracleFailed, records.failed),
    ] {
        assert_eq!(
            count > 0,
            count > 0 && reported(verdict),
            "{count} records are {verdict:?} without a finding"
        );
    }
    for finding in findings {
        assert!(!finding.reason.is_empty() && !finding.repro.is_empty(), "{finding:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_end_in_a_verdict(
        which in 0..FILES.len(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut case = cases().swap_remove(which);
        for section in &mut case.sections {
            for (place, value) in &flips {
                if !section.data.is_empty() {
                    let at = place.index(section.data.len());
                    section.data[at] ^= value;
                }
            }
        }
        check(case);
    }

    #[test]
    fn any_bytes_end_in_a_verdict(
        which in 0..FILES.len(),
        bytes in prop::collection::vec(prop_oneof![Just(0u8), 0u8..0x20, any::<u8>()], 0..600),
    ) {
        let mut case = cases().swap_remove(which);
        for section in &mut case.sections {
            section.data.clone_from(&bytes);
        }
        check(case);
    }
}

#[test]
fn undamaged_sections_agree_or_are_explained() {
    cases().into_iter().for_each(check);
}
