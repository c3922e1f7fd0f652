//! The readers on the conformance suite: what each of those that are there makes of every case, against the verdicts
//! of `oracles/readers.toml`.
//!
//! `BLESS=1 cargo test --test corpus` rewrites the verdicts from what the readers say; they are to be read before
//! they are committed. A reader that is missing, or that is not of the version that the verdicts were taken from, is
//! skipped; with `CFIDIFF_REQUIRE_ORACLES=all` a skip fails.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use cfidiff::campaign::{self, FileReport, Plan, Settings};
use cfidiff::compare::Judge;
use cfidiff::corpus::{Verdicts, verdict};
use cfidiff::image;
use cfidiff::report::Summary;
use cfidiff_gen::suite::Suite;
use cfidiff_model::{Finding, SectionKind, Verdict};
use cfidiff_oracles::known::{self, Known};
use cfidiff_oracles::{Oracle, registry};

/// How long one process of a tool may run. Some versions loop for ever on some cases.
const TIME_OUT: Duration = Duration::from_secs(30);

/// What rewrites the list of verdicts.
const COMMAND: &str = "BLESS=1 cargo test --test corpus";

/// The list of verdicts.
const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/oracles/readers.toml");

fn list() -> Verdicts {
    let text = fs::read_to_string(LIST).expect("the list is there");
    Verdicts::parse(&text).unwrap_or_else(|error| panic!("{LIST}: {error}"))
}

fn corpus() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"))
}

fn is_blessing() -> bool {
    let blessing = env::var_os("BLESS").is_some_and(|value| value == "1");
    assert!(!(blessing && env::var_os("CI").is_some()), "verdicts are read by a person, not blessed in CI");
    blessing
}

/// What the readers that are there say of the whole corpus.
struct Run {
    readers: Vec<Box<dyn Oracle>>,
    /// Each case's report by its name.
    reports: BTreeMap<String, FileReport>,
    summary: Summary,
}

impl Run {
    /// The one run that all tests look at.
    fn get() -> &'static Run {
        static RUN: OnceLock<Run> = OnceLock::new();
        RUN.get_or_init(|| {
            let readers = readers(&list().taken_from);
            let cases = corpus().join("cases");
            let plan = Plan::new(std::slice::from_ref(&cases));
            let settings = Settings {
                readers: &readers,
                judge: &Judge::new(known::load().expect("the lists parse")),
                image: image::Options { debug_files: false, ..image::Options::default() },
                invariants: false,
                sections: vec![SectionKind::EhFrame, SectionKind::DebugFrame],
                max_findings: usize::MAX,
                jobs: 0,
            };
            let mut summary = Summary::new(&plan, &readers, Vec::new());
            let mut reports = BTreeMap::new();
            campaign::run(&plan, &settings, |report| {
                summary.add(&report);
                reports.insert(name_of(&cases, &report.path), report);
                ControlFlow::Continue(())
            })
            .expect("the run starts");
            Run { readers, reports, summary }
        })
    }
}

/// The readers of the list that are there in the versions that the verdicts were taken from. While blessing, all of
/// the list in any version, and no others: what else a machine has is not there elsewhere.
fn readers(taken_from: &BTreeMap<String, String>) -> Vec<Box<dyn Oracle>> {
    let names: Vec<String> = taken_from.keys().cloned().collect();
    let mut there = Vec::new();
    for found in registry::probe(&names, TIME_OUT) {
        let why = match found {
            Err(missing) => format!("{} not found", missing.name),
            Ok(oracle) => match taken_from.get(oracle.name()) {
                Some(version) if version == oracle.version() || is_blessing() => {
                    there.push(oracle);
                    continue;
                }
                Some(version) => {
                    format!(
                        "{} is {}, the verdicts were taken from {version}",
                        oracle.name(),
                        oracle.version()
                    )
                }
                None => continue,
            },
        };
        println!("skipped: {why}");
        assert!(!is_blessing(), "no verdict can be taken from what is not there: {why}");
        assert!(env::var_os("CFIDIFF_REQUIRE_ORACLES").is_none_or(|value| value != "all"), "skipped: {why}");
    }
    there
}

fn name_of(cases: &Path, path: &Path) -> String {
    let name = path.strip_prefix(cases).expect("a path below the cases");
    name.to_str().expect("a name in UTF-8").to_owned()
}

#[test]
fn the_list_has_cases_of_the_suite_and_known_readers() {
    let suite = Suite::build().expect("the suite can be built");
    let names: BTreeSet<&str> = suite.cases().iter().map(|case| case.name.as_str()).collect();
    let list = list();
    for (name, verdicts) in &list.case {
        assert!(names.contains(name.as_str()), "{name} is no case");
        let readers: Vec<&String> = verdicts.keys().collect();
        assert!(readers.iter().all(|name| list.taken_from.contains_key(*name)), "{name}: {readers:?}");
    }
}

/// The replay of history takes it, since it needs the old versions. Here it is held against the lists alone.
#[test]
fn the_list_of_old_versions_has_a_cause_for_each_difference() {
    let old = Verdicts::parse(include_str!("../oracles/history/readers.toml")).expect("it parses");
    let suite = Suite::build().expect("the suite can be built");
    let names: BTreeSet<&str> = suite.cases().iter().map(|case| case.name.as_str()).collect();
    let known = known::load().expect("the lists parse");
    for (case, verdicts) in &old.case {
        assert!(names.contains(case.as_str()), "{case} is no case");
        for verdict in verdicts.values().flat_map(|verdict| verdict.split("; ")) {
            let cause = verdict.strip_prefix("known-fault").and_then(|rest| rest.split(": ").nth(1));
            let is_listed = cause.is_some_and(|cause| known.iter().any(|known| known.id == cause));
            let is_no_difference = verdict.starts_with("open: ") || verdict == "nothing to compare";
            assert!(is_listed || is_no_difference, "{case}: {verdict}");
        }
    }
    for (name, version) in &old.taken_from {
        let tool = name.rsplit_once('-').map_or("", |(tool, _)| tool);
        assert!(registry::tool(tool).is_some(), "{name} is a tool and a version of it");
        // What the newest version has as well is shown by it, which says more.
        let newest = &list().taken_from[tool];
        let is_gone = |known: &&Known| known.versions.cover(version) && !known.versions.cover(newest);
        for known in known.iter().filter(|known| known.reader == tool).filter(is_gone) {
            let shows = old.get(&known.case, name).split("; ").any(|part| part.ends_with(&known.id));
            assert!(shows, "{}: the list does not say that {} shows it", known.id, known.case);
        }
    }
}

#[test]
fn the_verdicts_are_those_of_the_list() {
    let run = Run::get();
    let mut list = list();
    let mut wrong = String::new();
    for (case, report) in &run.reports {
        for (number, reader) in run.readers.iter().enumerate() {
            let now = verdict(report, number, reader.name());
            let listed = list.get(case, reader.name());
            if listed != now {
                let _ = writeln!(wrong, "{case} ({})", reader.name());
                let _ = writeln!(wrong, "    listed: {listed}\n    now:    {now}");
                list.set(case, reader.name(), now);
            }
        }
    }
    if is_blessing() {
        list.case.retain(|case, _| run.reports.contains_key(case));
        for reader in &run.readers {
            list.taken_from.insert(reader.name().to_owned(), reader.version().to_owned());
        }
        // By a second name, so that the other tests never read half of it.
        let new = format!("{LIST}.new");
        fs::write(&new, list.text(COMMAND)).expect("the list can be written");
        return fs::rename(new, LIST).expect("the list can be replaced");
    }
    assert!(wrong.is_empty(), "verdicts that changed (read them, then BLESS=1):\n{wrong}");
    let text = fs::read_to_string(LIST).expect("the list is there");
    assert!(text == list.text(COMMAND), "the list is not in the form that BLESS=1 writes");
}

#[test]
fn nothing_is_unexplained_and_no_reader_broke() {
    let Run { reports, summary, .. } = Run::get();
    let mut open = String::new();
    for finding in reports.values().flat_map(|report| &report.findings) {
        if matches!(finding.verdict, Verdict::Differ | Verdict::OracleFailed) {
            let Finding { file, key, ours, theirs, repro, .. } = finding;
            let _ = writeln!(open, "{file} {}: ours {ours}, theirs {theirs}\n    {repro}", key.name());
        }
    }
    assert!(open.is_empty(), "unexplained:\n{open}");
    assert_eq!((summary.unexplained, summary.broken, summary.unreadable), (0, 0, 0));
    assert_eq!(summary.exit(), campaign::Exit::Agree);
}

#[test]
fn known_entries_are_honest() {
    if is_blessing() {
        // The list that they are held against is being rewritten.
        return;
    }
    let run = Run::get();
    let list = list();
    for known in known::load().expect("the lists parse") {
        let Known { id, case, reader, .. } = &known;
        let verdicts = list.case.get(case).unwrap_or_else(|| panic!("{id}: the corpus has no case {case}"));
        let shows = |verdict: &String| verdict.split("; ").any(|part| part.ends_with(&format!(": {id}")));
        let is_its = |name: &str| registry::tool_of(name).is_some_and(|tool| known.is_of(tool.name));
        let could_show = |(name, version): (&String, &String)| is_its(name) && known.versions.cover(version);
        if !list.taken_from.iter().any(could_show) {
            // Of versions that the verdicts were not taken from.
            continue;
        }
        let listed = verdicts.iter().any(|(name, verdict)| is_its(name) && shows(verdict));
        assert!(listed, "{id}: the list does not say that {case} shows it");
        let asked: Vec<&str> = run
            .readers
            .iter()
            .filter(|oracle| known.is_of(oracle.tool()) && known.versions.cover(oracle.version()))
            .map(|oracle| oracle.name())
            .collect();
        // With a reader skipped, nobody can tell who of all readers would have shown an open question.
        if asked.is_empty() || (reader == "*" && run.readers.len() < list.taken_from.len()) {
            continue;
        }
        let mut findings = run.reports[case].findings.iter();
        let found = findings.any(|finding| finding.cause == *id && asked.contains(&finding.reader.as_str()));
        assert!(found, "{id}: {case} shows it with none of {asked:?}");
    }
}
