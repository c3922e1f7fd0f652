//! JUnit XML: a test suite for each reader, a test case for each file, and in it what nothing explains, put together.
//!
//! Programs that show such reports load all of it, and thousands of files by ten readers would drown what failed. So a
//! suite has at most [`MAX_CASES`] files that pass and as many that do not; the others are summed up in one test case.

use std::io::{self, Write};
use std::time::Instant;

use cfidiff_model::Verdict;
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use crate::campaign::{FileReport, Unreadable};
use crate::compare::ReaderTally;
use crate::report::cluster::is_explained;
use crate::report::troubles::Troubles;
use crate::report::{Cluster, Clusters, ReaderSummary, Report, Summary, counted, printable};

/// How many files that pass, and how many that do not, a suite names.
pub const MAX_CASES: u64 = 1000;

/// Writes one JUnit document when all files are done.
pub struct Junit<W: Write> {
    out: W,
    started: Instant,
    suites: Vec<Suite>,
    troubles: Troubles,
}

/// What came of the files with one reader.
struct Suite {
    reader: String,
    cases: Vec<TestCase>,
    /// How many files passed or were not asked about.
    quiet: u64,
    /// How many files failed.
    loud: u64,
    /// How many unexplained differences there are in the files that are not named.
    unexplained: u64,
    /// How many times the reader broke in files that are not named.
    broken: u64,
}

impl<W: Write> Junit<W> {
    /// A report into `out`, on these readers.
    pub fn new(out: W, readers: &[ReaderSummary]) -> Junit<W> {
        let suite = |reader: &ReaderSummary| Suite {
            reader: reader.name.clone(),
            cases: Vec::new(),
            quiet: 0,
            loud: 0,
            unexplained: 0,
            broken: 0,
        };
        let suites = readers.iter().map(suite).collect();
        Junit { out, started: Instant::now(), suites, troubles: Troubles::default() }
    }
}

impl<W: Write> Report for Junit<W> {
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()> {
        self.troubles.unreadable(unreadable);
        Ok(())
    }

    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        self.troubles.file(report);
        if report.error.is_some() {
            return Ok(());
        }
        // Each reader is a tool by itself here, so that its clusters are its own.
        let mut clusters = Clusters::default();
        clusters.add(report);
        for (index, suite) in self.suites.iter_mut().enumerate() {
            let tallies = report.cases.iter().filter_map(|case| case.readers.get(index));
            suite.add(report, tallies, &clusters);
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let mut report = quick_junit::Report::new("cfidiff");
        report.set_time(self.started.elapsed());
        report.add_test_suites(inputs(&self.troubles));
        for (suite, reader) in self.suites.drain(..).zip(&summary.readers) {
            report.add_test_suite(suite.end(reader));
        }
        for (missing, asked_for) in &summary.missing {
            let mut status = match asked_for {
                true => TestCaseStatus::non_success(NonSuccessKind::Error),
                false => TestCaseStatus::skipped(),
            };
            status.set_message(xml(&missing.why)).set_description(xml(&missing.install));
            let mut suite = TestSuite::new(xml(&missing.name));
            suite.add_test_case(case(&missing.name, "the reader is there", status));
            report.add_test_suite(suite);
        }
        report.serialize(&mut self.out).map_err(io::Error::other)?;
        self.out.flush()
    }
}

impl Suite {
    fn add<'t>(
        &mut self,
        report: &FileReport,
        tallies: impl Iterator<Item = &'t ReaderTally>,
        clusters: &Clusters,
    ) {
        let mine: Vec<(&Cluster, u64)> = clusters
            .by_weight()
            .into_iter()
            .filter_map(|cluster| Some((cluster, count_of(cluster, &self.reader)?)))
            .collect();
        let sum = |verdict: Verdict| -> u64 {
            let these = mine.iter().filter(|(cluster, _)| cluster.verdict == verdict);
            these.map(|(_, count)| count).sum()
        };
        let (unexplained, broken) = (sum(Verdict::Differ), sum(Verdict::OracleFailed));
        let number = if unexplained + broken > 0 { &mut self.loud } else { &mut self.quiet };
        *number += 1;
        if *number > MAX_CASES {
            self.unexplained += unexplained;
            self.broken += broken;
            return;
        }
        let status = match (unexplained, broken) {
            (0, 0) => why_not_asked(report, tallies).map_or_else(TestCaseStatus::success, skipped),
            (0, _) => trouble(NonSuccessKind::Error, unexplained, broken, &mine),
            _ => trouble(NonSuccessKind::Failure, unexplained, broken, &mine),
        };
        let mut case = case(&self.reader, &report.path.display().to_string(), status);
        let explained = told(mine.iter().filter(|(cluster, _)| is_explained(cluster.verdict)));
        if !explained.is_empty() {
            case.set_system_out(explained);
        }
        self.cases.push(case);
    }

    fn end(mut self, reader: &ReaderSummary) -> TestSuite {
        if self.quiet > MAX_CASES {
            let name = format!("and {} more without unexplained differences", files(self.quiet));
            self.cases.push(case(&self.reader, &name, TestCaseStatus::success()));
        }
        if self.loud > MAX_CASES {
            let name = format!("and {} more with unexplained differences or failures", files(self.loud));
            let kind = if self.unexplained > 0 { NonSuccessKind::Failure } else { NonSuccessKind::Error };
            let status = trouble(kind, self.unexplained, self.broken, &[]);
            self.cases.push(case(&self.reader, &name, status));
        }
        let mut suite = TestSuite::new(xml(&self.reader));
        let (compared, records) = (&reader.tally.compared, &reader.tally.records);
        suite.add_property(Property::new("version", xml(&reader.version)));
        for (name, number) in [
            ("cases", compared.cases),
            ("cies", compared.cies),
            ("fdes", compared.fdes),
            ("instructions", compared.instructions),
            ("rows", compared.rows),
            ("agree", records.agree),
            ("differ", records.differ),
            ("open", records.open),
            ("known_fault", records.known_fault),
            ("failed", records.failed),
            ("unsupported", reader.tally.unsupported),
        ] {
            suite.add_property(Property::new(name, number.to_string()));
        }
        suite.add_test_cases(self.cases);
        suite
    }
}

/// How many files of so many are not named.
fn files(number: u64) -> String {
    counted(number - MAX_CASES, "file")
}

fn count_of(cluster: &Cluster, reader: &str) -> Option<u64> {
    cluster.readers.iter().find(|(name, _)| name == reader).map(|(_, count)| *count)
}

/// Why a reader has no word on a file, if it has none.
fn why_not_asked<'t>(
    report: &FileReport,
    mut tallies: impl Iterator<Item = &'t ReaderTally>,
) -> Option<&'static str> {
    if report.has_no_cfi() {
        return Some("no call frame information to compare");
    }
    tallies.all(|tally| tally.unsupported > 0).then_some("the reader cannot be asked about it")
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}

/// What a file fails with. JUnit has one failure for a test case, so all clusters are told in it.
fn trouble(
    kind: NonSuccessKind,
    unexplained: u64,
    broken: u64,
    clusters: &[(&Cluster, u64)],
) -> TestCaseStatus {
    let mut words = Vec::new();
    if unexplained > 0 {
        words.push(counted(unexplained, "unexplained difference"));
    }
    if broken > 0 {
        words.push(format!("broke {}", counted(broken, "time")));
    }
    let told_of: Vec<&(&Cluster, u64)> =
        clusters.iter().filter(|(cluster, _)| !is_explained(cluster.verdict)).collect();
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(words.join(", "));
    if let Some(key) = told_of.first().and_then(|(cluster, _)| cluster.key()) {
        status.set_type(key.name());
    }
    status.set_description(told(told_of));
    status
}

/// Clusters one below the other.
fn told<'c>(clusters: impl IntoIterator<Item = &'c (&'c Cluster, u64)>) -> String {
    let mut text = String::new();
    for (cluster, count) in clusters {
        text += &format!("{}: {}\n", xml(&cluster.title()), counted(*count, "finding"));
        for line in cluster.lines() {
            text += &format!("    {}\n", xml(&line));
        }
    }
    text
}

fn case(reader: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(xml(name), status);
    case.set_classname(xml(&format!("cfidiff.{reader}")));
    case
}

/// The inputs that could not be read whole, as a suite of errors.
fn inputs(troubles: &Troubles) -> Option<TestSuite> {
    if troubles.kept.is_empty() {
        return None;
    }
    let mut suite = TestSuite::new("inputs");
    for trouble in &troubles.kept {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(xml(&trouble.why)).set_type(trouble.what);
        suite.add_test_case(case("inputs", &trouble.path.display().to_string(), status));
    }
    if let Some(words) = troubles.rest() {
        suite.add_test_case(case("inputs", &words, TestCaseStatus::non_success(NonSuccessKind::Error)));
    }
    Some(suite)
}

/// Words without what no XML document may hold (XML 1.0 section 2.2).
fn xml(words: &str) -> String {
    printable(words).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
