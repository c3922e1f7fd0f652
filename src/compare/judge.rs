//! From a difference to a finding: which verdict, and why.

use cfidiff_cfi::{Semantics, Table};
use cfidiff_model::{Case, Entry, Finding, Key, SectionOffset, Target, Verdict};
use cfidiff_oracles::known::{Feature, Known};

use crate::compare::entries::Difference;
use crate::compare::features;

/// What verdicts are made from, shared by all comparisons of a run.
#[derive(Debug)]
pub struct Judge {
    known: Vec<Known>,
}

impl Judge {
    /// A judge with these known faults and open questions.
    pub fn new(known: Vec<Known>) -> Judge {
        Judge { known }
    }

    /// The first entry that explains a finding of a reader.
    fn explanation(&self, reader: Identity<'_>, key: Key, record: &[Feature], section: &[Feature]) -> Option<&Known> {
        self.known.iter().find(|known| known.explains(reader.name, reader.version, key, record, section))
    }
}

/// Which reader a comparison is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity<'a> {
    pub name: &'a str,
    pub version: &'a str,
}

/// Judges the differences of one section.
pub(crate) struct SectionJudge<'a> {
    judge: &'a Judge,
    reader: Identity<'a>,
    case: &'a Case,
    section: usize,
    /// Made when the first difference needs them.
    section_features: Option<Vec<Feature>>,
    /// Features of the record judged last.
    record_features: Option<(usize, Vec<Feature>)>,
}

/// What is judged: a difference in one record or in the section as a whole.
pub(crate) struct Judged<'e> {
    pub difference: Difference,
    /// The record, or `None` for the whole section.
    pub record: Option<(usize, &'e Entry)>,
    /// How many records it stands for.
    pub count: u64,
    /// The verdict when nothing explains it, with its reason.
    pub otherwise: (Verdict, String),
}

impl<'a> SectionJudge<'a> {
    /// The target of the case.
    pub fn target(&self) -> &'a Target {
        &self.case.target
    }

    pub fn new(judge: &'a Judge, reader: Identity<'a>, case: &'a Case, section: usize) -> SectionJudge<'a> {
        SectionJudge { judge, reader, case, section, section_features: None, record_features: None }
    }

    /// The finding for a difference.
    #[cold]
    pub fn finding<S: Semantics + ?Sized>(&mut self, table: &mut Table<'_, S>, judged: Judged<'_>) -> Finding {
        let key = judged.difference.key;
        let (verdict, reason) = self.verdict(table, key, &judged);
        let offset = judged.record.map_or(SectionOffset(0), |(_, entry)| entry.offset);
        Finding {
            key,
            verdict,
            reader: self.reader.name.to_owned(),
            file: self.case.name.clone(),
            section: self.case.sections[self.section].name.clone(),
            offset,
            ours: judged.difference.ours,
            theirs: judged.difference.theirs,
            reason,
            repro: repro(self.case, self.reader.name),
            count: judged.count,
        }
    }

    fn verdict<S: Semantics + ?Sized>(
        &mut self,
        table: &mut Table<'_, S>,
        key: Key,
        judged: &Judged<'_>,
    ) -> (Verdict, String) {
        let (section, target) = (&self.case.sections[self.section], &self.case.target);
        let of_section = self.section_features.get_or_insert_with(|| features::of_section(section, target, table));
        let of_record: &[Feature] = match judged.record {
            None => of_section,
            Some((index, _)) => {
                if self.record_features.as_ref().is_none_or(|(last, _)| *last != index) {
                    self.record_features = Some((index, features::of_record(section, target, table, index)));
                }
                self.record_features.as_ref().map_or(&[][..], |(_, features)| features)
            }
        };
        if let Some(known) = self.judge.explanation(self.reader, key, of_record, of_section) {
            return (known.verdict.into(), format!("{}: {} ({})", known.id, known.reason, known.clause));
        }
        if let Some((_, entry)) = judged.record
            && let Some(fault) = entry.faults.first()
        {
            let reason = format!("the record is ill-formed, and no specification says what a reader makes of it: {fault}");
            return (Verdict::Open, reason);
        }
        judged.otherwise.clone()
    }
}

/// A command that shows the finding again.
fn repro(case: &Case, reader: &str) -> String {
    let path = case.path.as_ref().map_or_else(|| case.name.clone(), |path| path.display().to_string());
    let quoted = shlex::try_quote(&path).map_or_else(|_| format!("{path:?}"), |quoted| quoted.into_owned());
    format!("cfidiff check --reader {reader} {quoted}")
}
