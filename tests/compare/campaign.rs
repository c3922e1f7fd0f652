//! A run over many files: order, threads, batches, consumers that have enough.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use cfidiff::campaign::{FileReport, Plan};
use cfidiff_model::{Entry, Key, Outcome, Says, Verdict};

use crate::support::{Fake, PLAIN, ZERO_INSIDE, path, run, run_until};

fn corpus() -> Vec<PathBuf> {
    vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/cases")]
}

fn longer(entries: &mut [Entry]) {
    entries.iter_mut().for_each(|entry| entry.length = entry.length.wrapping_add(4));
}

/// Everything that a report tells.
fn words(reports: &[FileReport]) -> Vec<String> {
    reports.iter().map(|report| format!("{report:?}")).collect()
}

#[test]
fn reports_come_in_the_order_of_the_plan() {
    let planned: Vec<PathBuf> = Plan::new(&corpus()).files.into_iter().map(|(path, _)| path).collect();
    // More than one batch has room for.
    assert!(planned.len() > 64);
    for jobs in [1, 8] {
        let reports = run(&corpus(), vec![Fake::with(|_| {})], 1, jobs);
        let order: Vec<PathBuf> = reports.into_iter().map(|report| report.path).collect();
        assert!(order == planned, "{jobs} jobs");
    }
}

#[test]
fn reports_do_not_depend_on_threads() {
    let fakes = || {
        vec![
            Fake::with(|entries| longer(entries)),
            Fake::with(|entries| longer(entries)).pass(Says::all(), |entries| longer(entries)).named("other"),
        ]
    };
    let once = words(&run(&corpus(), fakes(), 2, 1));
    for jobs in [2, 8] {
        assert!(words(&run(&corpus(), fakes(), 2, jobs)) == once, "{jobs} jobs");
    }
}

#[test]
fn reports_do_not_depend_on_who_shares_a_batch() {
    let together = words(&run(&corpus(), vec![Fake::with(|entries| longer(entries))], 2, 2));
    let files = Plan::new(&corpus()).files;
    let alone = files
        .into_iter()
        .flat_map(|(path, _)| run(&[path], vec![Fake::with(|entries| longer(entries))], 2, 1));
    assert!(words(&alone.collect::<Vec<_>>()) == together);
}

#[test]
fn a_consumer_that_has_enough_stops_the_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for number in 0..130 {
        std::fs::copy(path(PLAIN), folder.path().join(number.to_string())).expect("the file is copied");
    }
    let (enough, read) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let fake = Fake::with({
        let (enough, read) = (Arc::clone(&enough), Arc::clone(&read));
        move |_| {
            // The second batch of 64 files waits for the consumer of the first.
            while read.load(Ordering::SeqCst) == 64 && !enough.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            if read.fetch_add(1, Ordering::SeqCst) == 64 {
                std::thread::sleep(Duration::from_millis(200));
            }
        }
    });
    let mut told = 0;
    run_until(&[folder.path().to_owned()], vec![fake], 1, 1, |_| {
        told += 1;
        enough.store(true, Ordering::SeqCst);
        ControlFlow::Break(())
    });
    assert_eq!(told, 1, "nothing is told to a consumer that has enough");
    assert!(read.load(Ordering::SeqCst) <= 128, "the batch that was begun is read, and no other");
}

#[test]
fn findings_are_in_the_order_of_place_then_reader() {
    let fakes = vec![
        Fake::with(|entries| longer(entries)).named("b"),
        Fake::with(|entries| longer(entries)).named("a"),
    ];
    let report = run(&[path(PLAIN)], fakes, usize::MAX, 1).remove(0);
    let order: Vec<(u64, &str)> =
        report.findings.iter().map(|finding| (finding.offset.0, finding.reader.as_str())).collect();
    assert_eq!(order, [(0, "a"), (0, "b"), (0x28, "a"), (0x28, "b"), (0x48, "a"), (0x48, "b")]);
}

#[test]
fn ours_is_counted_whether_or_not_a_reader_was_whole() {
    let counts = |fakes| {
        let ours = run(&[path(ZERO_INSIDE)], fakes, 1, 1).remove(0).cases[0].ours;
        (ours.cases, ours.cies, ours.fdes, ours.instructions, ours.rows)
    };
    let alone = counts(vec![]);
    assert_eq!((alone.0, alone.1, alone.2), (1, 2, 3));
    assert_eq!(counts(vec![Fake::with(|_| {})]), alone);
    assert_eq!(counts(vec![Fake::with(|entries| entries.truncate(2))]), alone);
    assert_eq!(counts(vec![Fake::with(|entries| _ = entries.remove(1))]), alone);
    let halves = Fake::saying(Says::all() - Says::ROWS).pass(Says::all() - Says::INSTRUCTIONS, |_| {});
    assert_eq!(counts(vec![halves]), alone);
    assert_eq!(counts(vec![Fake::saying(Says::RECORDS | Says::PAST_TERMINATOR)]), alone);
}

#[test]
fn a_failure_without_a_record_to_tell_it_of_is_a_finding_of_the_whole_case() {
    let why = || Some(Outcome::Failed("crashed".into()));
    let sections = |name, fake: Fake| {
        // A second pass that breaks in the same way tells nothing new.
        let twice = fake.pass(Says::all(), |_| {});
        let report: FileReport = run(&[path(name)], vec![twice], 1, 1).remove(0);
        let findings = report.findings.into_iter().map(|finding| {
            assert_eq!(
                (finding.key, finding.verdict, finding.theirs.as_str()),
                (Key::SectionUnread, Verdict::OracleFailed, "crashed")
            );
            finding.section
        });
        findings.collect::<Vec<_>>()
    };
    let silent = || Fake { section: None, case: why(), ..Fake::with(|_| {}) };
    assert_eq!(sections(PLAIN, silent()), [".eh_frame"]);
    assert_eq!(sections("terminator/empty", silent()), [""]);
    let at_exit = Fake { case: why(), ..Fake::with(|_| {}) };
    assert_eq!(sections(PLAIN, at_exit), [""]);
}

#[test]
fn an_unreadable_file_is_a_report_with_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "no ELF file\n").expect("a file is written");
    let reports = run(&[text.clone(), path(PLAIN)], vec![Fake::with(|_| {})], 1, 1);
    assert!(reports[0].error.is_some() && reports[0].path == text && !reports[0].has_no_cfi());
    assert!(reports[1].error.is_none() && reports[1].cases.len() == 1);
}
