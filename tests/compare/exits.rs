//! How a run ends: an unexplained difference weighs most, then a broken reader, then an unreadable input, and a run
//! that compared nothing is no success.

use cfidiff::campaign::{Exit, Plan};
use cfidiff::report::{ReaderSummary, Summary};
use cfidiff_model::{Outcome, Says, Verdict};
use cfidiff_oracles::{Missing, Oracle};

use crate::support::{Fake, PLAIN, path, run};

fn missing() -> Missing {
    Missing { name: "lost".into(), why: "not found".into(), install: "none".into() }
}

/// The sum of a run over one file with one reader.
fn sum(fake: fn() -> Fake) -> Summary {
    let paths = [path(PLAIN)];
    let readers: Vec<Box<dyn Oracle>> = vec![Box::new(fake())];
    let mut summary = Summary::new(&Plan::new(&paths), &readers, Vec::new());
    run(&paths, vec![fake()], 1, 1).iter().for_each(|report| summary.add(report));
    summary
}

fn agreeing() -> Summary {
    sum(|| Fake::with(|_| {}))
}

fn differing() -> Summary {
    sum(|| Fake::with(|entries| entries[1].length += 4))
}

#[test]
fn agreement_is_success() {
    let summary = agreeing();
    assert_eq!((summary.exit(), summary.exit().code()), (Exit::Agree, 0));
    assert!(summary.conclusion().starts_with("0 unexplained differences: everything"));
    assert!(summary.conclusion().ends_with("(exit 0)"));
}

#[test]
fn a_difference_is_a_finding_before_all_else() {
    let mut summary = differing();
    summary.broken = 1;
    summary.missing = vec![(missing(), true)];
    summary.unreadable = 1;
    assert_eq!((summary.exit(), summary.exit().code()), (Exit::Findings, 1));
    let words =
        "1 unexplained difference; lost was asked for and is missing; 1 input cannot be read (exit 1)";
    assert_eq!(summary.conclusion(), words);
}

#[test]
fn differences_behind_the_limit_are_findings() {
    let summary = sum(|| Fake::with(|entries| entries.iter_mut().for_each(|entry| entry.length += 4)));
    // The terminator's length is no field of a record.
    assert_eq!((summary.unexplained, summary.exit()), (3, Exit::Findings));
}

#[test]
fn a_broken_reader_comes_before_an_unreadable_input() {
    let mut summary = sum(|| Fake::with(|entries| entries.truncate(1)));
    summary.unreadable = 1;
    assert_eq!((summary.exit(), summary.exit().code()), (Exit::ReaderBroke, 3));
    let words = "0 unexplained differences; fake broke on 2 records; 1 input cannot be read (exit 3)";
    assert_eq!(summary.conclusion(), words);
}

#[test]
fn a_reader_that_was_asked_for_and_is_missing_is_broken() {
    let mut summary = agreeing();
    summary.missing = vec![(missing(), false)];
    assert_eq!(summary.exit(), Exit::Agree);
    summary.missing = vec![(missing(), true)];
    assert_eq!(summary.exit(), Exit::ReaderBroke);
}

#[test]
fn an_input_that_cannot_be_read_comes_before_nothing_compared() {
    let mut nothing = Summary::default();
    assert_eq!((nothing.exit(), nothing.exit().code()), (Exit::NothingCompared, 4));
    assert_eq!(nothing.conclusion(), "nothing was compared (exit 4)");
    nothing.readers = vec![ReaderSummary::default()];
    nothing.readers[0].tally.records.failed = 1;
    assert_eq!(nothing.exit(), Exit::NothingCompared, "what failed was not compared");
    nothing.unreadable = 1;
    assert_eq!((nothing.exit(), nothing.exit().code()), (Exit::Usage, 2));
    let mut damaged = agreeing();
    damaged.damaged = 1;
    assert_eq!(damaged.exit(), Exit::Usage);
}

#[test]
fn failures_alone_are_nothing_compared_at_best() {
    let unsupported = sum(|| {
        let why = Some(Outcome::Unsupported("no".into()));
        Fake { section: None, case: why, ..Fake::saying(Says::all()) }
    });
    assert_eq!(unsupported.exit(), Exit::NothingCompared);
    assert_eq!(unsupported.readers[0].tally.unsupported, 1);
    let broken = sum(|| {
        let why = Some(Outcome::Failed("no".into()));
        Fake { section: None, case: why, ..Fake::saying(Says::all()) }
    });
    assert_eq!(broken.exit(), Exit::ReaderBroke);
}

#[test]
fn what_is_explained_is_summed_up_by_cause_and_is_success() {
    let accepting =
        |name| Fake::with(|entries| entries.iter_mut().for_each(|entry| entry.faults.clear())).named(name);
    let paths = [path("instruction/op-unk-17"), path("instruction/op-unk-1c")];
    for limit in [0, 1] {
        let fakes = || vec![accepting("one"), accepting("two")];
        let readers: Vec<Box<dyn Oracle>> =
            fakes().into_iter().map(|fake| Box::new(fake) as Box<dyn Oracle>).collect();
        let mut summary = Summary::new(&Plan::new(&paths), &readers, Vec::new());
        run(&paths, fakes(), limit, 1).iter().for_each(|report| summary.add(report));
        assert_eq!((summary.exit(), summary.unexplained), (Exit::Agree, 0));
        let [explained] = summary.clusters.by_weight()[..] else { panic!("one cluster") };
        assert_eq!(
            (explained.verdict, explained.cause.as_str()),
            (Verdict::Open, "ill-formed: fault.unknown-opcode")
        );
        assert_eq!((explained.count, explained.files), (4, 2));
        assert_eq!(explained.readers, [("one".to_owned(), 2), ("two".to_owned(), 2)]);
        assert!(explained.first().is_some_and(|first| first.case.contains("op-unk-17")), "{explained:?}");
        assert_eq!(explained.example.is_none(), limit == 0);
    }
}

#[test]
fn sums_add_up_over_files_and_readers() {
    let summary = agreeing();
    assert_eq!((summary.files, summary.ours.cies, summary.ours.fdes), (1, 1, 2));
    let reader = &summary.readers[0];
    assert_eq!((reader.name.as_str(), reader.version.as_str()), ("fake", "1.0"));
    assert_eq!((reader.tally.records.agree, reader.tally.compared), (4, summary.ours));
}

#[test]
fn the_place_of_a_finding_of_a_whole_case_names_no_section() {
    let paths = [path("terminator/empty")];
    let broken =
        || Fake { section: None, case: Some(Outcome::Failed("crashed".into())), ..Fake::saying(Says::all()) };
    let readers: Vec<Box<dyn Oracle>> = vec![Box::new(broken())];
    let mut summary = Summary::new(&Plan::new(&paths), &readers, Vec::new());
    run(&paths, vec![broken()], 1, 1).iter().for_each(|report| summary.add(report));
    let [cluster] = summary.clusters.by_weight()[..] else { panic!("one cluster") };
    assert!(cluster.first().is_some_and(|place| place.record.is_none()), "{cluster:?}");
}
