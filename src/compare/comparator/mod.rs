//! The comparator: a sink that holds what a reader says against what ours says, as it comes.

mod missing;

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use cfidiff_cfi::{Reader, RecordKind, Standard, Table};
use cfidiff_model::{Case, Entry, EntryKind, Finding, Key, Outcome, Says, SectionKind, Sink, Verdict};
use cfidiff_oracles::Oracle;

use crate::compare::entries::{Difference, Differences};
use crate::compare::judge::{Identity, Judge, Judged, Ruling, SectionJudge};
use crate::compare::likeness::Likeness;
use crate::compare::tally::{Counts, worse};

/// How many kinds of difference behind the limit are told apart by their pattern, in one section.
const MAX_LIKENESSES: usize = 64;

/// What came of one section in one pass of a reader.
#[derive(Clone, Debug)]
pub struct SectionAnswer {
    /// The section's place in its case.
    pub section: usize,
    /// What the reader said of it.
    pub says: Says,
    /// The verdict of each record, by number; `None` where the pass does not speak of the record.
    pub verdicts: Vec<Option<Verdict>>,
    /// The records of whose rows the reader says nothing: those that hold only nops, for some readers.
    pub without_rows: HashSet<usize>,
    /// What was compared.
    pub compared: Counts,
    /// How the reader ended it; `None` while it is open.
    pub outcome: Option<Outcome>,
    /// Whether the reader gave every CIE and FDE.
    pub whole: bool,
    /// Whether there is a finding, listed or not, that says that the reader broke or fell silent.
    pub is_unread: bool,
    /// The differences with the numbers of their records, in the order in which they were met; cut at the limit.
    pub findings: Vec<(Option<usize>, Finding)>,
    /// The fingerprints of the findings behind the limit, by what they share.
    pub unlisted: BTreeMap<Likeness, Vec<u64>>,
    /// The reader's own records where it differs, when they are asked for.
    pub kept: Vec<Entry>,
    /// Whether there are more of them than were asked for.
    pub truncated: bool,
}

/// What came of one case in one pass of a reader.
#[derive(Clone, Debug, Default)]
pub struct CaseAnswer {
    /// Its sections, in the order in which the reader spoke of them.
    pub sections: Vec<SectionAnswer>,
    /// Why the reader cannot be asked about it.
    pub unsupported: Option<String>,
    /// The reader's last word, when it broke.
    pub failure: Option<String>,
    /// The finding that tells of it, when none of a section does: no record was left to be read.
    pub broke: Option<Finding>,
}

/// Compares one pass of one reader over some cases.
pub struct Comparator<'c> {
    cases: &'c [Case],
    judge: &'c Judge,
    reader: Identity<'c>,
    max_findings: usize,
    /// How many of the reader's records that differ are kept of each section.
    max_kept: usize,
    /// The kinds of section to look at.
    kinds: Vec<SectionKind>,
    answers: Vec<CaseAnswer>,
    /// Which cases the reader has ended.
    ended: Vec<bool>,
    current: Option<Current<'c>>,
    /// Our entry, filled anew for each of theirs.
    ours: Entry,
}

/// The section that the reader speaks of.
struct Current<'c> {
    case: usize,
    table: Table<'c, Standard>,
    judge: SectionJudge<'c>,
    /// The record expected next: readers mostly go in section order.
    next: usize,
    /// Whether the reader went back at some place: then no record that it left out has its place among the others.
    went_back: bool,
    /// The first record behind a terminator, when the reader stops at one.
    stop: usize,
    answer: SectionAnswer,
}

impl<'c> Comparator<'c> {
    /// A comparator for one pass of this oracle. At most `max_findings` findings of a section are kept in words.
    pub fn new(cases: &'c [Case], judge: &'c Judge, oracle: &'c dyn Oracle, max_findings: usize) -> Self {
        let reader = Identity {
            name: oracle.name(),
            tool: oracle.tool(),
            version: oracle.version(),
            command: oracle.command(),
        };
        Comparator {
            cases,
            judge,
            reader,
            max_findings,
            max_kept: 0,
            kinds: vec![SectionKind::EhFrame, SectionKind::DebugFrame],
            answers: vec![CaseAnswer::default(); cases.len()],
            ended: vec![false; cases.len()],
            current: None,
            ours: Entry::default(),
        }
    }

    /// Keeps the reader's records that differ, so many of each section.
    pub fn keeping(mut self, max_kept: usize) -> Self {
        self.max_kept = max_kept;
        self
    }

    /// Looks at sections of these kinds only.
    pub fn only(mut self, kinds: &[SectionKind]) -> Self {
        self.kinds = kinds.to_vec();
        self
    }

    /// The answers by case. To be called when the reader is done: what it did not end, it broke at.
    pub fn finish(mut self) -> Vec<CaseAnswer> {
        self.close(Outcome::Failed("stopped in the middle of a section".into()));
        for case in 0..self.cases.len() {
            if !self.ended[case] {
                self.end_case(case, Outcome::Failed("stopped before the end of the case".into()));
            }
        }
        self.answers
    }

    fn open(&self, case: usize, section: usize, says: Says) -> Option<Current<'c>> {
        let case_ref = self.cases.get(case)?;
        let section_ref =
            case_ref.sections.get(section).filter(|section| self.kinds.contains(&section.kind))?;
        let mut table = Table::new(Reader::new(section_ref, case_ref.target));
        let stops = section_ref.kind == SectionKind::EhFrame && !says.contains(Says::PAST_TERMINATOR);
        let stop = if stops { first_behind_terminator(&mut table) } else { table.len() };
        let answer = SectionAnswer {
            section,
            says,
            verdicts: vec![None; table.len()],
            without_rows: HashSet::new(),
            compared: Counts::default(),
            outcome: None,
            whole: true,
            is_unread: false,
            findings: Vec::new(),
            unlisted: BTreeMap::new(),
            kept: Vec::new(),
            truncated: false,
        };
        let judge = SectionJudge::new(self.judge, self.reader, case_ref, section);
        Some(Current { case, table, judge, next: 0, went_back: false, stop, answer })
    }

    /// Ends the current section: records that the reader did not give are missing.
    fn close(&mut self, outcome: Outcome) {
        let Some(mut current) = self.current.take() else { return };
        current.missing(&outcome, self.max_findings);
        current.answer.outcome = Some(outcome);
        self.answers[current.case].sections.push(current.answer);
    }

    /// Sections that the reader passed over without a word.
    fn silent_sections(&mut self, case: usize, outcome: &Outcome) {
        let Some(case_ref) = self.cases.get(case) else { return };
        let spoken: HashSet<usize> =
            self.answers[case].sections.iter().map(|answer| answer.section).collect();
        for (section, _) in case_ref.frame_sections().filter(|(index, _)| !spoken.contains(index)) {
            self.current = self.open(case, section, Says::empty());
            self.close(outcome.clone());
        }
    }
}

/// The number of the first record behind the first terminator.
fn first_behind_terminator(table: &mut Table<'_, Standard>) -> usize {
    for index in 0..table.len() {
        if table.record(index).is_some_and(|record| matches!(record.kind, RecordKind::Terminator)) {
            return index + 1;
        }
    }
    table.len()
}

impl Current<'_> {
    /// Compares one entry of theirs with the record of ours at its offset.
    fn entry(&mut self, theirs: &Entry, ours: &mut Entry, max_findings: usize) {
        let says = self.answer.says;
        let index = match self.table.offset(self.next) {
            Some(offset) if offset == theirs.offset => self.next,
            _ => match self.table.index_of(theirs.offset) {
                Some(index) => index,
                None => return self.extra(theirs, max_findings),
            },
        };
        let mut needed = says;
        let says_rows = says.intersects(Says::ROWS | Says::CIE_ROWS);
        if says_rows && theirs.rows.is_empty() && !says.contains(Says::ROWS_OF_NOPS) {
            // Whether rows may be left out is told by the instructions.
            needed |= Says::INSTRUCTIONS;
        }
        self.table.fill(index, needed, ours);
        self.went_back |= index < self.next;
        self.next = index + 1;
        if self.answer.verdicts[index].is_some() {
            let difference =
                Difference { key: Key::EntryRepeated, ours: "once".into(), theirs: "again".into() };
            return self.differ(difference, index, ours, max_findings);
        }
        self.answer.verdicts[index] = Some(Verdict::Agree);
        let mut differences = Differences::new(self.judge.target());
        differences.entries(ours, theirs, says);
        if differences.without_rows {
            self.answer.without_rows.insert(index);
        }
        for difference in differences.list {
            self.differ(difference, index, ours, max_findings);
        }
        self.count(ours, says);
    }

    fn count(&mut self, ours: &Entry, says: Says) {
        let compared = &mut self.answer.compared;
        match ours.kind {
            EntryKind::Cie(_) => compared.cies += 1,
            EntryKind::Fde(_) => compared.fdes += 1,
            EntryKind::Terminator | EntryKind::Unreadable => {}
        }
        if says.contains(Says::INSTRUCTIONS) {
            compared.instructions += ours.instructions.len() as u64;
        }
        if says.contains(Says::ROWS) && matches!(ours.kind, EntryKind::Fde(_)) {
            compared.rows += ours.rows.len() as u64;
        }
    }

    #[cold]
    fn differ(&mut self, difference: Difference, index: usize, ours: &Entry, max_findings: usize) {
        let otherwise = Ruling::by_clause(difference.key);
        let judged =
            Judged { difference, record: Some((index, ours)), count: 1, costs_others: false, otherwise };
        let finding = self.judge.finding(&mut self.table, judged);
        let verdict = &mut self.answer.verdicts[index];
        *verdict = Some(worse(*verdict, finding.verdict));
        self.keep(Some(index), finding, max_findings);
    }

    /// A record of theirs where ours has none.
    #[cold]
    fn extra(&mut self, theirs: &Entry, max_findings: usize) {
        let difference = Difference {
            key: Key::EntryExtra,
            ours: "no record starts here".into(),
            theirs: theirs.kind.name().into(),
        };
        let otherwise = Ruling::by_clause(Key::EntryExtra);
        let judged = Judged { difference, record: None, count: 1, costs_others: false, otherwise };
        let mut finding = self.judge.finding(&mut self.table, judged);
        finding.offset = theirs.offset;
        self.keep(None, finding, max_findings);
    }

    /// How many findings there are so far.
    fn found(&self) -> usize {
        self.answer.findings.len() + self.answer.unlisted.values().map(Vec::len).sum::<usize>()
    }

    fn keep_entry(&mut self, entry: &Entry, max_kept: usize) {
        self.answer.truncated |= self.answer.kept.len() >= max_kept;
        if !self.answer.truncated {
            self.answer.kept.push(entry.clone());
        }
    }

    fn keep(&mut self, record: Option<usize>, finding: Finding, max_findings: usize) {
        self.answer.is_unread |= finding.key == Key::SectionUnread;
        if self.answer.findings.len() < max_findings {
            self.answer.findings.push((record, finding));
            return;
        }
        let print = fingerprint(&finding);
        let mut likeness = Likeness::of(&finding);
        if self.answer.unlisted.len() >= MAX_LIKENESSES && !self.answer.unlisted.contains_key(&likeness) {
            likeness.pattern.clear();
        }
        self.answer.unlisted.entry(likeness).or_default().push(print);
    }
}

/// A number that tells findings of one section apart, so that those which are only counted are counted once though
/// two passes of a reader meet them.
pub fn fingerprint(finding: &Finding) -> u64 {
    let mut hasher = DefaultHasher::new();
    (finding.key, finding.offset, &finding.ours, &finding.theirs).hash(&mut hasher);
    hasher.finish()
}

impl Sink for Comparator<'_> {
    fn section(&mut self, case: usize, section: usize, says: Says) {
        self.close(Outcome::Answered);
        self.current = self.open(case, section, says);
    }

    fn entry(&mut self, entry: &Entry) {
        if let Some(current) = &mut self.current {
            let findings = current.found();
            current.entry(entry, &mut self.ours, self.max_findings);
            if self.max_kept > 0 && current.found() > findings {
                current.keep_entry(entry, self.max_kept);
            }
        }
    }

    fn end_section(&mut self, outcome: Outcome) {
        self.close(outcome);
    }

    fn end_case(&mut self, case: usize, outcome: Outcome) {
        self.close(outcome.clone());
        if let Some(ended) = self.ended.get_mut(case) {
            *ended = true;
        }
        let Some(case_ref) = self.cases.get(case) else { return };
        if let Outcome::Unsupported(why) = outcome {
            self.answers[case].unsupported = Some(why);
            return;
        }
        self.silent_sections(case, &outcome);
        if let Outcome::Failed(why) = outcome {
            let answer = &mut self.answers[case];
            let is_told = answer.sections.iter().any(|section| section.is_unread);
            answer.broke = (!is_told).then(|| self.judge.broke(self.reader, case_ref, &why));
            answer.failure = Some(why);
        }
    }
}
