//! A made-up reader, and what comes of comparing it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cfidiff::campaign::{self, FileReport, Plan, Settings};
use cfidiff::compare::{CaseAnswer, Comparator, Judge, ReaderTally, Records, tally};
use cfidiff::image;
use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{
    Address, Case, CfaRule, Entry, Finding, Key, Outcome, RegisterRule, Rows, Says, SectionKind,
    SectionOffset, Sink, Verdict,
};
use cfidiff_oracles::{Oracle, Pass};

/// One `.eh_frame`: a CIE at 0 with the augmentation zPLR, FDEs at 0x28 (with an LSDA) and 0x48, a terminator at 0x68.
pub const PLAIN: &str = "plain";
/// A CIE, an FDE, and three bytes that are no record.
pub const TRAILING: &str = "trailing";
/// A CIE, an FDE, a terminator at 0x38, an FDE, a CIE, an FDE, a terminator.
pub const ZERO_INSIDE: &str = "zero-inside";

/// Where a file of these tests is, or with its topic a case of the corpus.
pub fn path(name: &str) -> PathBuf {
    let folder = if name.contains('/') { "corpus/cases" } else { "tests/data/compare" };
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name)
}

/// The case of such a file.
pub fn case(name: &str) -> Case {
    let options = image::Options { debug_files: false, ..image::Options::default() };
    let image = image::open(&path(name), &options).expect("the case opens");
    image.cases.into_iter().next().expect("a file has a case")
}

/// Our own answer on a section.
pub fn ours(case: &Case, section: usize) -> Vec<Entry> {
    let mut table = Table::new(Reader::new(&case.sections[section], case.target));
    let mut entry = Entry::default();
    (0..table.len()).map(|index| (table.fill(index, Says::all(), &mut entry), entry.clone()).1).collect()
}

/// What a pass changes in our answer on a section.
pub type Change = Box<dyn Fn(&mut Vec<Entry>) + Send + Sync>;

/// A reader that repeats our own answer but for its changes.
pub struct Fake {
    pub name: &'static str,
    /// The family; that of a reader by itself unless set.
    pub family: Option<&'static str>,
    pub version: &'static str,
    pub reads_files: bool,
    pub passes: Vec<Pass>,
    pub changes: Vec<Change>,
    /// How the answer on each section ends; `None` for a reader that says nothing of any.
    pub section: Option<Outcome>,
    /// How the answer on each case ends; `None` for a reader that does not end it.
    pub case: Option<Outcome>,
}

impl Fake {
    /// A reader that says everything and is always right.
    pub fn right() -> Fake {
        Fake {
            name: "fake",
            family: None,
            version: "1.0",
            reads_files: true,
            passes: Vec::new(),
            changes: Vec::new(),
            section: Some(Outcome::Answered),
            case: Some(Outcome::Answered),
        }
    }

    /// A reader that says everything, with one mistake.
    pub fn with(change: impl Fn(&mut Vec<Entry>) + Send + Sync + 'static) -> Fake {
        Fake::right().pass(Says::all(), change)
    }

    /// A reader that says this and is right.
    pub fn saying(says: Says) -> Fake {
        Fake::right().pass(says, |_| {})
    }

    /// The same with another pass.
    pub fn pass(mut self, says: Says, change: impl Fn(&mut Vec<Entry>) + Send + Sync + 'static) -> Fake {
        self.passes.push(Pass { name: "pass", says });
        self.changes.push(Box::new(change));
        self
    }

    /// The same under another name.
    pub fn named(self, name: &'static str) -> Fake {
        Fake { name, ..self }
    }

    /// The same as a member of a family.
    pub fn of(self, family: &'static str) -> Fake {
        Fake { family: Some(family), ..self }
    }
}

impl Oracle for Fake {
    fn name(&self) -> &str {
        self.name
    }

    fn version(&self) -> &str {
        self.version
    }

    fn family(&self) -> &str {
        self.family.unwrap_or(self.name)
    }

    fn passes(&self) -> &[Pass] {
        &self.passes
    }

    fn reads_files(&self) -> bool {
        self.reads_files
    }

    fn read(&self, pass: usize, cases: &[Case], sink: &mut dyn Sink) {
        let says = self.passes[pass].says;
        for (index, case) in cases.iter().enumerate() {
            for (section, _) in case.frame_sections().filter(|_| self.section.is_some()) {
                // More than it says, so that a comparison which looks at the rest is found out.
                let mut entries = ours(case, section);
                self.changes[pass](&mut entries);
                sink.section(index, section, says);
                entries.iter().for_each(|entry| sink.entry(entry));
                self.section.clone().into_iter().for_each(|outcome| sink.end_section(outcome));
            }
            self.case.clone().into_iter().for_each(|outcome| sink.end_case(index, outcome));
        }
    }
}

/// What came of one reader and one case.
pub struct Found {
    pub answers: Vec<CaseAnswer>,
    pub findings: Vec<Finding>,
    pub tally: ReaderTally,
}

/// Compares a case with a reader, with nothing known of any.
pub fn compare(case: &Case, fake: &Fake) -> Found {
    compare_knowing(case, fake, &Judge::new(Vec::new()))
}

/// Compares a case with a reader.
pub fn compare_knowing(case: &Case, fake: &Fake, judge: &Judge) -> Found {
    let cases = std::slice::from_ref(case);
    let read = |pass| {
        let mut comparator = Comparator::new(cases, judge, fake, usize::MAX);
        fake.read(pass, cases, &mut comparator);
        comparator.finish().remove(0)
    };
    let answers: Vec<CaseAnswer> = (0..fake.passes.len()).map(read).collect();
    let sections = answers.iter().flat_map(|answer| &answer.sections);
    let findings =
        sections.flat_map(|section| &section.findings).map(|(_, finding)| finding.clone()).collect();
    let tally = tally(case, &answers);
    Found { answers, findings, tally }
}

/// The key, the offset, ours and theirs of a finding.
pub type Told<'a> = (Key, u64, &'a str, &'a str);

impl Found {
    /// The findings in short.
    pub fn told(&self) -> Vec<Told<'_>> {
        fn told(finding: &Finding) -> Told<'_> {
            (finding.key, finding.offset.0, &finding.ours, &finding.theirs)
        }
        self.findings.iter().map(told).collect()
    }

    /// The keys of the findings with their offsets.
    pub fn keys(&self) -> Vec<(Key, u64)> {
        self.findings.iter().map(|finding| (finding.key, finding.offset.0)).collect()
    }

    /// The only finding.
    #[track_caller]
    pub fn only(&self) -> &Finding {
        assert_eq!(self.findings.len(), 1, "{:#?}", self.findings);
        &self.findings[0]
    }

    /// Asserts that there is no finding and that so many records agree.
    #[track_caller]
    pub fn agrees(&self, records: u64) {
        assert_eq!(self.told(), []);
        assert_eq!(self.tally.records, Records { agree: records, ..Records::default() });
    }
}

/// How records ended: `agree` as given, and `count` with the verdict.
pub fn records(agree: u64, verdict: Verdict, count: u64) -> Records {
    let mut records = Records { agree, ..Records::default() };
    records.count(verdict, count);
    records
}

/// The number of the record at an offset.
pub fn at(entries: &[Entry], offset: u64) -> usize {
    let found = entries.iter().position(|entry| entry.offset == SectionOffset(offset));
    found.unwrap_or_else(|| panic!("no record at {offset:#x}"))
}

/// A row that can be changed.
#[derive(Clone)]
pub struct OwnRow {
    pub start: u64,
    pub end: u64,
    pub cfa: CfaRule,
    pub rules: Vec<(u64, RegisterRule)>,
}

/// Changes an entry's rows.
pub fn change_rows(entry: &mut Entry, change: impl FnOnce(&mut Vec<OwnRow>)) {
    let own = entry.rows.iter().map(|row| OwnRow {
        start: row.start.0,
        end: row.end.0,
        cfa: row.cfa.clone(),
        rules: row.rules.to_vec(),
    });
    let mut list = own.collect();
    change(&mut list);
    entry.rows = Rows::default();
    for row in list {
        row.rules.into_iter().for_each(|(register, rule)| entry.rows.push_rule(register, rule));
        entry.rows.finish_row(Address(row.start), Address(row.end), row.cfa);
    }
}

/// Runs a plan with readers of which nothing is known.
pub fn run(paths: &[PathBuf], fakes: Vec<Fake>, max_findings: usize, jobs: usize) -> Vec<FileReport> {
    let mut reports = Vec::new();
    run_until(paths, fakes, max_findings, jobs, |report| {
        reports.push(report);
        ControlFlow::Continue(())
    });
    reports
}

/// The same, with a consumer that may break.
pub fn run_until(
    paths: &[PathBuf],
    fakes: Vec<Fake>,
    max_findings: usize,
    jobs: usize,
    each: impl FnMut(FileReport) -> ControlFlow<()>,
) {
    let readers: Vec<Box<dyn Oracle>> =
        fakes.into_iter().map(|fake| Box::new(fake) as Box<dyn Oracle>).collect();
    let settings = Settings {
        readers: &readers,
        judge: &Judge::new(Vec::new()),
        image: image::Options { debug_files: false, ..image::Options::default() },
        invariants: false,
        sections: vec![SectionKind::EhFrame, SectionKind::DebugFrame],
        max_findings,
        jobs,
    };
    campaign::run(&Plan::new(paths), &settings, each).expect("threads start");
}
