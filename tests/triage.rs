//! The triage of readers that are asked like any other: what they do not say is not held against a diagnosis.

use std::path::Path;

use cfidiff::compare::Judge;
use cfidiff::triage::{Cases, Diagnosis, Replays, observe, separate};
use cfidiff::{faults, image};
use cfidiff_cfi::{Reader, Semantics, Standard, Table};
use cfidiff_gen::suite::Suite;
use cfidiff_model::{Case, Entry, Outcome, Says, Sink};
use cfidiff_oracles::{Oracle, Pass};

/// Our reader with other semantics, as a reader of somebody else's that says a part of it.
struct Faulty<'s> {
    semantics: &'s dyn Semantics,
    passes: Vec<Pass>,
}

impl<'s> Faulty<'s> {
    fn new(semantics: &'s dyn Semantics, says: &[Says]) -> Faulty<'s> {
        let passes = says.iter().map(|&says| Pass { name: "part", says }).collect();
        Faulty { semantics, passes }
    }
}

impl Oracle for Faulty<'_> {
    fn name(&self) -> &str {
        "faulty"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn passes(&self) -> &[Pass] {
        &self.passes
    }

    fn reads_files(&self) -> bool {
        false
    }

    fn read(&self, pass: usize, cases: &[Case], sink: &mut dyn Sink) {
        let says = self.passes[pass].says;
        let mut entry = Entry::default();
        for (number, case) in cases.iter().enumerate() {
            for (index, section) in case.frame_sections() {
                sink.section(number, index, says);
                let mut table = Table::new(Reader::with_semantics(section, case.target, self.semantics));
                for record in 0..table.len() {
                    table.fill(record, says, &mut entry);
                    sink.entry(&entry);
                }
                sink.end_section(Outcome::Answered);
            }
            sink.end_case(number, Outcome::Answered);
        }
    }
}

const RECORDS: Says = Says::RECORDS.union(Says::TERMINATORS).union(Says::PAST_TERMINATOR);
const ROWS: Says = RECORDS.union(Says::ROWS).union(Says::ROWS_OF_NOPS).union(Says::UNDEFINED_RULES);

fn open(names: &[&str]) -> Vec<Case> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/cases");
    let cases = names.iter().map(|name| {
        let image = image::open(&suite.join(name), &image::Options::default()).expect("the case opens");
        image.cases.into_iter().next().expect("it has a case")
    });
    cases.collect()
}

/// The names of the exact diagnoses.
fn diagnoses(oracle: &dyn Oracle, inputs: Vec<Case>) -> Vec<Vec<&'static str>> {
    let observed = observe(oracle, &inputs, &Judge::new(Vec::new()));
    let cases = Cases::of_inputs(inputs, None);
    let found = Replays::new(&cases, faults::all().collect()).diagnose(&observed);
    let names = |found: &Diagnosis| found.faults.iter().map(|fault| fault.name).collect();
    found.iter().filter(|found| found.is_exact()).map(names).collect()
}

#[test]
fn a_right_reader_has_nothing_to_explain() {
    let inputs = open(&["state/early-returns", "terminator/zero-middle", "damage/signed-truncated"]);
    let right = Faulty::new(&Standard, &[Says::all(), ROWS]);
    assert!(observe(&right, &inputs, &Judge::new(Vec::new())).is_empty());
    assert!(diagnoses(&right, inputs).is_empty());
}

#[test]
fn a_reader_of_rows_alone_is_diagnosed_by_its_rows() {
    for (name, case) in [
        ("remembered-without-cfa", "state/op-rs-cfa"),
        ("advance-unfactored", "factor/aarch64-caf4"),
        ("def-cfa-register-clears-offset", "state/early-returns"),
        ("cie-must-come-first", "cie-pointer/fde-before-cie-df"),
    ] {
        let fault = faults::by_name(name).expect("the fault is there");
        let faulty = fault.planted_in(&Standard);
        let found = diagnoses(&Faulty::new(&faulty, &[RECORDS, ROWS]), open(&[case]));
        assert!(found.contains(&vec![name]), "{name}: {found:?}");
    }
}

/// pyelftools: the instructions are shown rightly, the rows are made with the wrong factor.
#[test]
fn a_mistake_in_the_rows_alone_is_told_from_one_in_the_instructions() {
    struct RowsAlone<'s>(Faulty<'s>);
    impl Oracle for RowsAlone<'_> {
        fn name(&self) -> &str {
            "rows-alone"
        }
        fn version(&self) -> &str {
            "1"
        }
        fn passes(&self) -> &[Pass] {
            self.0.passes()
        }
        fn reads_files(&self) -> bool {
            false
        }
        fn read(&self, pass: usize, cases: &[Case], sink: &mut dyn Sink) {
            let right = Faulty::new(&Standard, &[self.0.passes[0].says, self.0.passes[1].says]);
            if pass == 0 { right.read(pass, cases, sink) } else { self.0.read(pass, cases, sink) }
        }
    }
    let fault = faults::by_name("def-cfa-sf-by-code-factor").expect("the fault is there");
    let faulty = fault.planted_in(&Standard);
    let reader = RowsAlone(Faulty::new(&faulty, &[RECORDS | Says::INSTRUCTIONS, ROWS]));
    let inputs = open(&["factor/sf-caf4"]);
    let observed = observe(&reader, &inputs, &Judge::new(Vec::new()));
    let cases = Cases::of_inputs(inputs, None);
    let found = Replays::new(&cases, faults::all().collect()).diagnose(&observed);
    let names: Vec<_> = found.iter().map(|found| (found.faults[0].name, found.rows_alone)).collect();
    assert_eq!(names, [("def-cfa-sf-by-code-factor", true)]);
    let evidence = Replays::new(&cases, faults::all().collect()).evidence(&observed, &found[0]);
    assert_eq!(evidence.expect("there is a place").difference.key, "row.cfa-offset");
}

/// Where the code alignment factor is 1, a factor that is left out and the wrong factor are the same.
#[test]
fn faults_that_explain_equally_well_are_told_apart_by_the_suite() {
    let fault = faults::by_name("def-cfa-sf-by-code-factor").expect("the fault is there");
    let faulty = fault.planted_in(&Standard);
    let reader = Faulty::new(&faulty, &[ROWS]);
    let found = diagnoses(&reader, open(&["instruction/op-cfasf"]));
    let names = [vec!["def-cfa-sf-by-code-factor"], vec!["def-cfa-sf-unfactored"]];
    assert!(names.iter().all(|name| found.contains(name)), "{found:?}");
    let faults = names.iter().filter_map(|name| faults::by_name(name[0])).collect();
    let suite = Suite::build().expect("the suite is there");
    let left = separate(&reader, &Judge::new(Vec::new()), &suite, faults).expect("a folder");
    assert_eq!(left.iter().map(|fault| fault.name).collect::<Vec<_>>(), ["def-cfa-sf-by-code-factor"]);
}

#[test]
fn two_mistakes_at_once_are_both_named() {
    let [one, other] = ["data-factor-absolute", "remembered-without-cfa"]
        .map(|name| faults::by_name(name).expect("the fault is there"));
    let inner = one.planted_in(&Standard);
    let faulty = other.planted_in(&inner);
    let found = diagnoses(&Faulty::new(&faulty, &[ROWS]), open(&["state/early-returns", "factor/two-cies"]));
    assert!(found.contains(&vec!["data-factor-absolute", "remembered-without-cfa"]), "{found:?}");
}
