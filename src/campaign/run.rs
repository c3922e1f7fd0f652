//! The run: batches in parallel, and within a batch every pass of every reader.

use std::collections::{BTreeMap, HashSet};
use std::mem::take;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{
    BrokenInvariant, Case, Entry, EntryKind, Finding, Says, Section, SectionKind, Severity, Target, Verdict,
};
use cfidiff_oracles::Oracle;
use cfidiff_oracles::expected::ExpectedAnswer;
use cfidiff_oracles::usage::Usage;
use rayon::prelude::*;

use crate::campaign::costs::{Costs, Measured, Work};
use crate::campaign::ordered::ordered;
use crate::campaign::{Plan, expected};
use crate::compare::{
    CaseAnswer, Comparator, Construction, Counts, Judge, Likeness, ReaderTally, Witness, arbitrate,
    by_section, fingerprint, look_up, tally,
};
use crate::image::{self, Image, Layout, OpenError};
use crate::invariants;

/// The most files that go into one batch.
const BATCH_FILES: usize = 64;
/// The most bytes of files that go into one batch.
const BATCH_BYTES: u64 = 16 << 20;
/// How many places of one broken invariant are told.
const MAX_PLACES: usize = 3;

/// What a run is made with.
pub struct Settings<'s> {
    /// The readers to compare with.
    pub readers: &'s [Box<dyn Oracle>],
    /// What verdicts are made from.
    pub judge: &'s Judge,
    /// How files are opened.
    pub image: image::Options,
    /// Whether to ask as well for what must hold of each file by itself, as far as the image options tell what stands
    /// around its call frame information.
    pub invariants: bool,
    /// The kinds of section to look at.
    pub sections: Vec<SectionKind>,
    /// How many findings of one section and pass are kept in words.
    pub max_findings: usize,
    /// How many threads work; zero for one per core.
    pub jobs: usize,
}

/// What came of one file.
#[derive(Debug, Default)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Why it could not be read at all.
    pub error: Option<OpenError>,
    /// What of it is broken, in words; the rest was read.
    pub damage: Vec<String>,
    /// What of it was passed over, in words.
    pub notes: Vec<String>,
    /// Its cases.
    pub cases: Vec<CaseReport>,
    /// The findings of all its cases and readers, by case, section, offset, reader and key.
    pub findings: Vec<Finding>,
    /// What does not hold of its cases by themselves: errors and warnings, or all in a survey.
    pub invariants: Vec<BrokenInvariant>,
    /// How many findings are not listed, by reader and by what they share.
    pub unlisted: BTreeMap<(String, Likeness), u64>,
}

impl FileReport {
    /// Whether something of it is unexplained: it cannot be read, is damaged, a reader differs or broke.
    pub fn has_trouble(&self) -> bool {
        let is_trouble = |verdict: Verdict| matches!(verdict, Verdict::Differ | Verdict::OracleFailed);
        self.error.is_some()
            || !self.damage.is_empty()
            || self.findings.iter().any(|finding| is_trouble(finding.verdict))
            || self.unlisted.keys().any(|(_, likeness)| is_trouble(likeness.verdict))
            || self.invariants.iter().any(|broken| broken.severity == Severity::Error)
    }

    /// Why it could not be read at all, in words that leave its name out.
    pub fn why_unreadable(&self) -> Option<String> {
        let words = self.error.as_ref()?.to_string();
        let named = format!("{}: ", self.path.display());
        Some(words.strip_prefix(&named).unwrap_or(&words).to_owned())
    }

    /// Whether the file was read and no case of it has a CIE or an FDE.
    pub fn has_no_cfi(&self) -> bool {
        self.error.is_none() && self.cases.iter().all(|case| case.ours.cies + case.ours.fdes == 0)
    }
}

/// What came of one case.
#[derive(Clone, Debug)]
pub struct CaseReport {
    /// The case's name.
    pub name: String,
    /// What our reader found in it.
    pub ours: Counts,
    /// What came of each reader, in the order of the settings.
    pub readers: Vec<ReaderTally>,
    /// What broke.
    pub failures: Vec<Failure>,
}

/// The last word of a reader that broke on a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The reader.
    pub reader: String,
    /// What it was, in words.
    pub why: String,
}

/// Runs the plan and calls `each` with every file's report in the plan's order, from the calling thread, as soon
/// as it and all before it are done. When `each` breaks, no further batch is begun. Gives what the batches that were
/// reported cost.
pub fn run(
    plan: &Plan,
    settings: &Settings<'_>,
    mut each: impl FnMut(FileReport) -> ControlFlow<()>,
) -> Result<Costs, String> {
    let batches = plan.batches(BATCH_FILES, BATCH_BYTES);
    // More threads than there are passes to make would only cost.
    let passes: usize = settings.readers.iter().map(|oracle| oracle.passes().len()).sum();
    let threads = settings.jobs.min(batches.len().saturating_mul(passes).max(1));
    let mut work = Work::default();
    ordered(
        &batches,
        threads,
        |batch| run_batch(batch, settings),
        |(reports, of_batch)| {
            work.add(&of_batch);
            reports.into_iter().try_for_each(&mut each)
        },
    )?;
    Ok(work.costs(settings.readers))
}

fn run_batch(paths: &[PathBuf], settings: &Settings<'_>) -> (Vec<FileReport>, Work) {
    let opening = Measured::start();
    let mut reports = Vec::with_capacity(paths.len());
    let mut cases = Vec::new();
    let mut layouts = Vec::new();
    let mut owners = Vec::new();
    let mut answers_beside = Vec::with_capacity(paths.len());
    for path in paths {
        let (mut report, mut image) = open(path, settings);
        answers_beside.push(expected::beside(path).unwrap_or_else(|why| {
            report.damage.push(why);
            None
        }));
        owners.extend(std::iter::repeat_n(reports.len(), image.cases.len()));
        cases.append(&mut image.cases);
        layouts.append(&mut image.layouts);
        reports.push(report);
    }
    if settings.invariants {
        let broken: Vec<_> =
            cases.par_iter().zip(&layouts).map(|(case, layout)| check(case, layout, settings)).collect();
        // A case that was made for an answer may be broken on purpose, and the answer says where.
        let made = |owner: usize| answers_beside[owner].is_some();
        for (broken, &owner) in broken.into_iter().zip(&owners).filter(|(_, owner)| !made(**owner)) {
            reports[owner].invariants.extend(broken);
        }
    }
    let passes: Vec<(usize, usize)> = settings
        .readers
        .iter()
        .enumerate()
        .flat_map(|(reader, oracle)| (0..oracle.passes().len()).map(move |pass| (reader, pass)))
        .collect();
    let mut work = Work { beside: opening.end().cpu, ..Work::default() };
    let answers: Vec<(Vec<CaseAnswer>, Usage)> = passes
        .par_iter()
        .with_max_len(1)
        .map(|&(reader, pass)| compare(&cases, reader, pass, settings))
        .collect();
    let merging = Measured::start();
    work.readers.resize(settings.readers.len(), Usage::default());
    for (&(reader, _), (_, usage)) in passes.iter().zip(&answers) {
        work.readers[reader] += *usage;
    }
    let mut answers: Vec<_> = answers.into_iter().map(|(answers, _)| answers.into_iter()).collect();
    for (case, owner) in cases.iter().zip(owners) {
        let mut by_reader: Vec<Vec<CaseAnswer>> = settings.readers.iter().map(|_| Vec::new()).collect();
        for (&(reader, _), answers) in passes.iter().zip(&mut answers) {
            by_reader[reader].extend(answers.next());
        }
        let is_of_file = case.member.is_none() && case.path.as_deref() == Some(&*reports[owner].path);
        let expected = answers_beside[owner].as_ref().filter(|_| is_of_file);
        merge(case, by_reader, expected, settings, &mut reports[owner]);
    }
    reports.iter_mut().for_each(order);
    work.beside += merging.end().cpu;
    (reports, work)
}

/// Opens a file and keeps what the settings ask for.
fn open(path: &Path, settings: &Settings<'_>) -> (FileReport, Image) {
    let mut report = FileReport { path: path.to_owned(), ..FileReport::default() };
    match image::open(path, &settings.image) {
        Ok(mut image) => {
            report.notes = take(&mut image.notes);
            report.damage = take(&mut image.damage);
            (report, image)
        }
        Err(error) => {
            report.error = Some(error);
            (report, Image::default())
        }
    }
}

/// What does not hold of a case by itself. Of what is only worth to know, a comparison does not tell.
fn check(case: &Case, layout: &Layout, settings: &Settings<'_>) -> Vec<BrokenInvariant> {
    let mut broken = invariants::check(case, layout, &settings.sections, MAX_PLACES).findings;
    broken.retain(|broken| broken.severity != Severity::Info);
    broken
}

/// What our reader found in a case. What was compared is what ours had to say, so another evaluation is needed
/// only where no reader's pass went through a section.
fn count(case: &Case, kinds: &[SectionKind], passes: &[Vec<CaseAnswer>]) -> Counts {
    let mut counts = Counts { cases: 1, ..Counts::default() };
    let by_section = by_section(passes.iter().flatten());
    for (index, section) in case.frame_sections().filter(|(_, section)| kinds.contains(&section.kind)) {
        let answers = by_section.get(&index).into_iter().flatten();
        let whole = |says| answers.clone().find(|answer| answer.says.contains(says) && answer.whole);
        match (whole(Says::INSTRUCTIONS), whole(Says::ROWS)) {
            (Some(instructions), Some(rows)) => {
                counts.add(&Counts { rows: rows.compared.rows, ..instructions.compared });
            }
            _ => count_section(section, case.target, &mut counts),
        }
    }
    counts
}

fn count_section(section: &Section, target: Target, counts: &mut Counts) {
    let mut entry = Entry::default();
    let mut table = Table::new(Reader::new(section, target));
    for index in 0..table.len() {
        table.fill(index, Says::INSTRUCTIONS | Says::ROWS, &mut entry);
        match entry.kind {
            EntryKind::Cie(_) => counts.cies += 1,
            EntryKind::Fde(_) => counts.fdes += 1,
            EntryKind::Terminator | EntryKind::Unreadable => {}
        }
        counts.instructions += entry.instructions.len() as u64;
        counts.rows += entry.rows.len() as u64;
    }
}

/// One pass of a reader, with what it took in this thread.
fn compare(cases: &[Case], reader: usize, pass: usize, settings: &Settings<'_>) -> (Vec<CaseAnswer>, Usage) {
    let measured = Measured::start();
    let oracle = &settings.readers[reader];
    let mut comparator =
        Comparator::new(cases, settings.judge, &**oracle, settings.max_findings).only(&settings.sections);
    if oracle.looks_up() {
        look_up(&**oracle, cases, &mut comparator);
    } else {
        oracle.read(pass, cases, &mut comparator);
    }
    (comparator.finish(), measured.end())
}

fn merge(
    case: &Case,
    mut by_reader: Vec<Vec<CaseAnswer>>,
    expected: Option<&ExpectedAnswer>,
    settings: &Settings<'_>,
    report: &mut FileReport,
) {
    let witnesses: Vec<Witness<'_>> = settings
        .readers
        .iter()
        .map(|oracle| Witness {
            name: oracle.name(),
            family: oracle.family(),
            reads_files: oracle.reads_files(),
        })
        .collect();
    let construction = expected.map(|expected| Construction::new(case, expected, &settings.sections));
    let mut on_ours = arbitrate(case, &witnesses, &mut by_reader, construction.as_ref());
    for finding in on_ours.split_off(settings.max_findings.min(on_ours.len())) {
        *report.unlisted.entry((Finding::EXPECTED.to_owned(), Likeness::of(&finding))).or_default() += 1;
    }
    report.findings.extend(on_ours);
    let ours = count(case, &settings.sections, &by_reader);
    let readers = by_reader.iter().map(|passes| tally(case, passes)).collect();
    let mut failures = Vec::new();
    for (witness, passes) in witnesses.iter().zip(by_reader) {
        // Passes of one reader meet the same difference where they say the same thing.
        let mut seen = HashSet::new();
        if let Some(why) = passes.iter().find_map(|pass| pass.unsupported.as_ref()) {
            report.notes.push(format!("{}: {} was not asked: {why}", case.name, witness.name));
        }
        for pass in passes {
            failures.extend(pass.failure.map(|why| Failure { reader: witness.name.to_owned(), why }));
            report.findings.extend(pass.broke.filter(|finding| seen.insert((None, fingerprint(finding)))));
            for section in pass.sections {
                let place = Some(section.section);
                let findings = section.findings.into_iter().map(|(_, finding)| finding);
                report.findings.extend(findings.filter(|finding| seen.insert((place, fingerprint(finding)))));
                for (likeness, prints) in section.unlisted {
                    let new = prints.into_iter().filter(|&print| seen.insert((place, print))).count();
                    if new > 0 {
                        *report.unlisted.entry((witness.name.to_owned(), likeness)).or_default() +=
                            new as u64;
                    }
                }
            }
        }
    }
    report.notes.extend(case.notes.iter().map(|note| format!("{}: {note}", case.name)));
    report.cases.push(CaseReport { name: case.name.clone(), ours, readers, failures });
}

/// Puts the findings in the order of the report.
fn order(report: &mut FileReport) {
    report.findings.sort_by_cached_key(|finding| {
        let Finding { file, section, offset, reader, key, .. } = finding;
        (file.clone(), section.clone(), *offset, reader.clone(), *key)
    });
}
