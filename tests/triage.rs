//! The triage of readers that are asked like any other: what they do not say is not held against a diagnosis.

use std::path::Path;
use std::time::Duration;

use cfidiff::compare::Judge;
use cfidiff::triage::{
    Cases, Deadline, Diagnosis, Effort, Observed, Replays, Said, Shape, Wrong, observe, separate, shapes,
};
use cfidiff::{faults, image};
use cfidiff_cfi::{Reader, Semantics, Standard, Table};
use cfidiff_gen::suite::Suite;
use cfidiff_model::{Address, Case, Entry, EntryKind, LookUp, Outcome, Rows, Says, Sink};
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

/// What there is to explain of a reader.
fn ask(oracle: &dyn Oracle, inputs: &[Case]) -> Observed {
    observe(oracle, inputs, &Judge::new(Vec::new()), Effort::FULL, &Deadline::never())
}

/// The names of the exact diagnoses.
fn diagnoses(oracle: &dyn Oracle, inputs: Vec<Case>) -> Vec<Vec<&'static str>> {
    let observed = ask(oracle, &inputs);
    let cases = Cases::of_inputs(inputs, None);
    let found = Replays::new(&cases, faults::all().collect()).diagnose(&observed);
    let names = |found: &Diagnosis| found.faults.iter().map(|fault| fault.name).collect();
    found.iter().filter(|found| found.is_exact()).map(names).collect()
}

#[test]
fn a_right_reader_has_nothing_to_explain() {
    let inputs = open(&["state/early-returns", "terminator/zero-middle", "damage/signed-truncated"]);
    let right = Faulty::new(&Standard, &[Says::all(), ROWS]);
    assert!(ask(&right, &inputs).is_empty());
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
    let observed = ask(&reader, &inputs);
    let cases = Cases::of_inputs(inputs, None);
    let found = Replays::new(&cases, faults::all().collect()).diagnose(&observed);
    let names: Vec<_> = found.iter().map(|found| (found.faults[0].name, found.rows_alone)).collect();
    assert_eq!(names, [("def-cfa-sf-by-code-factor", true)]);
    let evidence = Replays::new(&cases, faults::all().collect()).evidence(&observed, &found[0]);
    assert_eq!(evidence.expect("there is a place").difference.key, "row.cfa-offset");
}

/// A reader of look-ups says nothing of the other registers, which the mistake concerns as well.
#[test]
fn a_reader_of_look_ups_is_diagnosed_by_the_cfa_and_the_return_address() {
    struct LooksUp<'s>(Faulty<'s>);
    impl Oracle for LooksUp<'_> {
        fn name(&self) -> &str {
            "looks-up"
        }
        fn version(&self) -> &str {
            "1"
        }
        fn passes(&self) -> &[Pass] {
            &[]
        }
        fn reads_files(&self) -> bool {
            false
        }
        fn read(&self, _pass: usize, _cases: &[Case], _sink: &mut dyn Sink) {
            unreachable!("it looks up");
        }
        fn looks_up(&self) -> bool {
            true
        }
        /// x86-64: the return address is register 16.
        fn look_up(&self, case: &Case, addresses: &[Address], each: &mut dyn FnMut(LookUp)) -> Outcome {
            let mut entry = Entry::default();
            for (_, section) in case.frame_sections() {
                let mut table = Table::new(Reader::with_semantics(section, case.target, self.0.semantics));
                for record in 0..table.len() {
                    table.fill(record, Says::ROWS, &mut entry);
                    for row in entry.rows.iter() {
                        for &address in addresses.iter().filter(|at| (row.start..row.end).contains(at)) {
                            let rule = row.rules.iter().find(|(number, _)| *number == 16);
                            let return_address = rule.map(|(_, rule)| rule.clone());
                            each(LookUp { address, cfa: row.cfa.clone(), return_address });
                        }
                    }
                }
            }
            Outcome::Answered
        }
    }
    for (name, case) in
        [("restore-to-undefined", "instruction/eh-restore"), ("remembered-without-cfa", "state/op-rs-cfa")]
    {
        let fault = faults::by_name(name).expect("the fault is there");
        let faulty = fault.planted_in(&Standard);
        let found = diagnoses(&LooksUp(Faulty::new(&faulty, &[])), open(&[case]));
        assert!(found.contains(&vec![name]), "{name}: {found:?}");
    }
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

/// Four mistakes, of which two meet in one record: no two explain all, and each is named with where it shows.
#[test]
fn of_several_mistakes_each_is_a_part() {
    let [one, two, three, four] = [
        "remembered-without-cfa",
        "cfa-of-register-zero",
        "cfa-offset-sf-ignored",
        "def-cfa-sf-by-code-factor",
    ]
    .map(|name| faults::by_name(name).expect("the fault is there"));
    let one = one.planted_in(&Standard);
    let two = two.planted_in(&one);
    let three = three.planted_in(&two);
    let four = four.planted_in(&three);
    let inputs = open(&["state/op-rs-cfa", "state/cfi-simple", "factor/sf-caf4"]);
    let observed = ask(&Faulty::new(&four, &[ROWS]), &inputs);
    let cases = Cases::of_inputs(inputs, None);
    let found = Replays::new(&cases, faults::all().collect()).diagnose(&observed);
    let mut names: Vec<Vec<&str>> = Vec::new();
    for found in &found {
        assert_eq!((found.is_exact(), found.fits()), (false, 100), "{found:?}");
        let mut each: Vec<&str> = found.faults.iter().map(|fault| fault.name).collect();
        each.sort_unstable();
        names.push(each);
    }
    // Where def_cfa_offset_sf does nothing, it is all one by which factor it would be multiplied.
    let by_code_factor = ["cfa-offset-sf-by-code-factor", "def-cfa-sf-by-code-factor"];
    let is_pair = |each: &[&str]| {
        each.contains(&"cfa-offset-sf-ignored") && by_code_factor.iter().any(|name| each.contains(name))
    };
    assert!(names.iter().any(|each| is_pair(each)), "{names:?}");
    for part in ["remembered-without-cfa", "cfa-of-register-zero"] {
        assert!(names.contains(&vec![part]), "{part} in {names:?}");
    }
    assert!(Replays::new(&cases, faults::all().collect()).unexplained(&observed, &found).is_empty());
}

#[test]
fn behind_its_time_nothing_is_asked_and_nothing_claimed() {
    let fault = faults::by_name("remembered-without-cfa").expect("the fault is there");
    let faulty = fault.planted_in(&Standard);
    let (reader, inputs) = (Faulty::new(&faulty, &[ROWS]), open(&["state/op-rs-cfa"]));
    let over = Deadline::after(Duration::ZERO);
    let unasked = observe(&reader, &inputs, &Judge::new(Vec::new()), Effort::FULL, &over);
    assert_eq!((unasked.asked, unasked.len()), (0, 0));
    let observed = ask(&reader, &inputs);
    assert_eq!((observed.asked, observed.len()), (1, 1));
    let cases = Cases::of_inputs(inputs, None);
    assert!(Replays::until(&over, &cases, faults::all().collect()).diagnose(&observed).is_empty());
    assert!(over.cut_anything());
}

/// The shapes of what one case looks like to a reader that says all.
fn shapes_of(name: &str, wrong: impl Fn(&Cases) -> Wrong) -> Vec<Shape> {
    let cases = Cases::of_inputs(open(&[name]), None);
    let observed = Observed::whole(wrong(&cases));
    let all: Vec<(usize, usize)> = (0..observed.len()).map(|at| (0, at)).collect();
    shapes(&cases, &observed, &all)
}

/// Those of a reader that makes something else of each record of a case.
fn altered(name: &str, alter: impl Fn(&mut Entry) -> bool) -> Vec<Shape> {
    shapes_of(name, |cases| {
        // A reader that finds no record leaves all places to the right one.
        let everywhere = cases.wrong(0..1, &Nothing);
        let altered = everywhere.into_iter().filter_map(|(place, _)| {
            let Said::Entry(mut entry) = cases.right(place).clone() else { return None };
            let right = entry.clone();
            let is_there = alter(&mut entry);
            (entry != right || !is_there)
                .then(|| (place, if is_there { Said::Entry(entry) } else { Said::Nothing }))
        });
        altered.collect()
    })
}

/// Takes no record for anything.
struct Nothing;
impl Semantics for Nothing {
    fn record_size(&self, _: u64) -> u64 {
        u64::MAX
    }
}

#[track_caller]
fn has(shapes: &[Shape], shape: &str, key: &str, words: &str, counts: (usize, usize)) {
    let is_it = |found: &&Shape| (found.shape, found.key) == (shape, key);
    let found = shapes.iter().find(is_it).unwrap_or_else(|| panic!("no {shape} of {key}: {shapes:#?}"));
    assert_eq!((found.words.as_str(), (found.count, found.of)), (words, counts), "{shapes:#?}");
}

/// Which base mistake leaves which error: without pcrel minus the field's address, from the section minus the field's
/// offset, and so on, on the eight FDEs of one program, whose section is not at zero.
#[test]
fn each_wrong_base_leaves_an_error_that_tells_it() {
    for (fault, shape, words) in [
        ("pcrel-not-added", "minus-field-address", "theirs = ours - the field's address"),
        ("pcrel-from-zero", "minus-section-address", "theirs = ours - the section's address"),
        ("pcrel-from-section", "minus-field-offset", "theirs = ours - the field's section offset"),
        ("pcrel-from-record", "minus-header-size", "theirs = ours - the size of the fields before it"),
        ("pcrel-from-value-end", "constant", "theirs = ours + 0x4"),
        ("signed-pointers-unsigned", "by-two-to-the-32", "theirs = ours + 2^32"),
    ] {
        let fault = faults::by_name(fault).expect("the fault is there");
        let found = shapes_of("reference/shape", |cases| cases.wrong(0..1, &fault.planted_in(&Standard)));
        has(&found, shape, "fde.initial-location", words, (8, 8));
    }
}

#[test]
fn a_factor_that_is_left_out_or_wrong_is_told() {
    for (fault, case, shape, key, words, counts) in [
        (
            "data-factor-absolute",
            "state/op-rs-cfa",
            "by-factor",
            "row.register-rule",
            "theirs = ours x -1",
            (9, 9),
        ),
        (
            "offset-unfactored",
            "state/op-rs-cfa",
            "by-data-factor",
            "row.register-rule",
            "theirs = ours / data alignment factor",
            (9, 9),
        ),
        (
            "advance-unfactored",
            "factor/aarch64-caf4",
            "by-code-factor",
            "instruction.operands",
            "theirs = ours / code alignment factor",
            (5, 5),
        ),
        (
            "cfa-offset-factored",
            "state/op-rs-cfa",
            "by-data-factor",
            "row.cfa-offset",
            "theirs = ours x data alignment factor without its sign",
            (7, 7),
        ),
        ("last-row-one-short", "state/op-rs-cfa", "by-one", "row.location", "theirs = ours - 1", (2, 2)),
    ] {
        let fault = faults::by_name(fault).expect("the fault is there");
        let found = shapes_of(case, |cases| cases.wrong(0..1, &fault.planted_in(&Standard)));
        has(&found, shape, key, words, counts);
    }
}

fn with_location(entry: &mut Entry, location: impl Fn(u64) -> u64) -> bool {
    if let EntryKind::Fde(fde) = &mut entry.kind {
        fde.initial_location = Address(location(fde.initial_location.0));
    }
    true
}

#[test]
fn numbers_that_no_fault_gives_have_a_shape() {
    let key = "fde.initial-location";
    let linear = altered("reference/shape", |entry| {
        let at = entry.offset.0;
        with_location(entry, |location| location + 3 * at + 0x10)
    });
    has(&linear, "linear-in-offset", key, "theirs = ours + 3 x the record's offset + 0x10", (8, 8));
    let by_function = altered("reference/shape", |entry| {
        let length = entry.offset.0 * entry.offset.0;
        with_location(entry, |location| location + length)
    });
    let words = "theirs is off by the same within a function, and by another number in each function";
    has(&by_function, "constant-within-function", key, words, (8, 8));
    let cut = altered("reference/shape", |entry| with_location(entry, |location| location & 0xff));
    has(&cut, "by-width", key, "theirs = the low 8 bits of ours", (8, 8));
    let doubled = altered("reference/shape", |entry| {
        if let EntryKind::Fde(fde) = &mut entry.kind {
            fde.address_range *= 4;
        }
        true
    });
    has(&doubled, "by-factor", "fde.address-range", "theirs = ours x 4", (8, 8));
}

/// The rows with their rules moved: each row has those of the row that `from` gives for its number.
fn moved(rows: &Rows, from: impl Fn(usize) -> usize) -> Rows {
    let mut moved = Rows::default();
    for (index, row) in rows.iter().enumerate() {
        let source = rows.get(from(index).min(rows.len() - 1)).expect("it is one of them");
        source.rules.iter().for_each(|(register, rule)| moved.push_rule(*register, rule.clone()));
        moved.finish_row(row.start, row.end, source.cfa.clone());
    }
    moved
}

#[test]
fn rows_that_come_late_or_early_or_not_at_all_have_a_shape() {
    let case = "state/early-returns";
    let late = altered(case, |entry| {
        entry.rows = moved(&entry.rows, |index| index.saturating_sub(1));
        true
    });
    let key = "row.location";
    assert!(late.iter().any(|shape| shape.shape == "one-row-late" && shape.key == key), "{late:#?}");
    let early = altered(case, |entry| {
        entry.rows = moved(&entry.rows, |index| index + 1);
        true
    });
    assert!(early.iter().any(|shape| shape.shape == "one-row-early" && shape.key == key), "{early:#?}");
    let missing = altered(case, |entry| {
        let mut fewer = Rows::default();
        for row in entry.rows.iter().step_by(2) {
            row.rules.iter().for_each(|(register, rule)| fewer.push_rule(*register, rule.clone()));
            fewer.finish_row(row.start, row.end, row.cfa.clone());
        }
        entry.rows = fewer;
        true
    });
    assert!(missing.iter().any(|shape| shape.shape == "missing-rows" && shape.key == key), "{missing:#?}");
    // Rows that are right, only fewer, are not told as numbers.
    assert!(missing.iter().all(|shape| shape.key == key), "{missing:#?}");
}

#[test]
fn records_that_are_missing_or_wrong_from_one_on_have_a_shape() {
    let from = 0x88;
    let missing =
        altered("reference/shape", |entry| entry.offset.0 < from || !matches!(entry.kind, EntryKind::Fde(_)));
    has(&missing, "missing-fdes", "entry.missing", "FDEs are missing", (5, 5));
    let words = "all FDEs are wrong from 0x88 on, and none before";
    has(&missing, "from-one-record-on", "entry.kind", words, (5, 5));
    let all = altered("reference/shape", |entry| !matches!(entry.kind, EntryKind::Fde(_)));
    assert!(all.iter().all(|shape| shape.shape != "from-one-record-on"), "{all:#?}");
}
