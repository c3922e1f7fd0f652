//! From a difference to a finding: which verdict, and why.

use std::borrow::Cow;

use cfidiff_cfi::{Semantics, Table};
use cfidiff_model::{Case, Entry, FaultKind, Finding, Key, Rung, SectionOffset, Target, Verdict, Wrong};
use cfidiff_oracles::known::{Feature, Known};

use crate::command_line::{path_of, quoted};
use crate::compare::entries::Difference;
use crate::compare::features::{self, SeenCies};
use crate::expectations::{Expectations, Place};

/// What verdicts are made from, shared by all comparisons of a run.
#[derive(Debug)]
pub struct Judge {
    known: Vec<Known>,
    /// What the user expects.
    expectations: Option<Expectations>,
}

impl Judge {
    /// A judge with these known faults and open questions.
    pub fn new(known: Vec<Known>) -> Judge {
        Judge { known, expectations: None }
    }

    /// The same with a list of expected findings.
    pub fn expecting(self, expectations: Expectations) -> Judge {
        Judge { expectations: Some(expectations), ..self }
    }

    /// The list of expected findings, which knows what became of its entries.
    pub fn expectations(&self) -> Option<&Expectations> {
        self.expectations.as_ref()
    }

    /// The first entry that explains a finding of a reader.
    fn explanation(
        &self,
        reader: Identity<'_>,
        key: Key,
        record: &[Feature],
        section: &[Feature],
    ) -> Option<&Known> {
        self.known.iter().find(|known| known.explains(reader.tool, reader.version, key, record, section))
    }

    /// The finding for a reader that broke on a case in which no record is left to tell it of.
    pub(crate) fn broke(&self, reader: Identity<'_>, case: &Case, words: &str) -> Finding {
        let difference = Difference {
            key: Key::SectionUnread,
            ours: "no record is left to read".into(),
            theirs: words.to_owned(),
        };
        let features = features::of_case(&case.target);
        let ruling = self.explanation(reader, difference.key, &features, &features).map_or_else(
            || Ruling {
                verdict: Verdict::OracleFailed,
                cause: "reader-broke".into(),
                reason: "the reader broke".into(),
            },
            Ruling::listed,
        );
        let ruling = self.expected(reader, case, difference.key, ruling);
        told(reader, case, difference, ruling)
    }

    /// The ruling, unless nothing explains the difference and the user's list expects it.
    fn expected(&self, reader: Identity<'_>, case: &Case, key: Key, ruling: Ruling) -> Ruling {
        let Some(expectations) = &self.expectations else { return ruling };
        let place = Place {
            reader: reader.name,
            tool: reader.tool,
            version: reader.version,
            case: &case.name,
            path: case.path.as_deref(),
        };
        if !matches!(ruling.verdict, Verdict::Differ | Verdict::OracleFailed) {
            expectations.is_explained(place, key);
            return ruling;
        }
        match expectations.excuse(place, key) {
            Some(entry) => Ruling {
                verdict: Verdict::KnownFault,
                cause: expectations.cause(entry),
                reason: entry.reason.clone(),
            },
            None => ruling,
        }
    }
}

/// A finding of the case as a whole, before its place and its count are told.
fn told(reader: Identity<'_>, case: &Case, difference: Difference, ruling: Ruling) -> Finding {
    let (wrong, rung) = by_itself(ruling.verdict);
    Finding {
        key: difference.key,
        verdict: ruling.verdict,
        reader: reader.name.to_owned(),
        file: case.name.clone(),
        section: String::new(),
        offset: SectionOffset(0),
        ours: difference.ours,
        theirs: difference.theirs,
        cause: ruling.cause,
        wrong,
        rung,
        reason: ruling.reason,
        statements: Vec::new(),
        repro: repro(case, reader.name, reader.command),
        count: 1,
    }
}

/// Which reader a comparison is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity<'a> {
    pub name: &'a str,
    /// The tool that it is a version of.
    pub tool: &'a str,
    pub version: &'a str,
    /// What `--reader-cmd` was given for it, if it was.
    pub command: Option<&'a str>,
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
    seen_cies: SeenCies,
}

/// What is judged: a difference in one record or in the section as a whole.
pub(crate) struct Judged<'e> {
    pub difference: Difference,
    /// The record, or `None` for the whole section.
    pub record: Option<(usize, &'e Entry)>,
    /// How many records it stands for.
    pub count: u64,
    /// Whether the reader broke at a record and others are lost with it that have nothing to do with that one.
    pub costs_others: bool,
    /// The ruling when nothing explains it.
    pub otherwise: Ruling,
}

/// A verdict, its cause in stable words, and the whole reason.
#[derive(Clone, Debug)]
pub(crate) struct Ruling {
    pub verdict: Verdict,
    pub cause: String,
    pub reason: String,
}

impl Ruling {
    /// An unexplained difference: by the key's clause, ours is right until another reader has spoken.
    pub fn by_clause(key: Key) -> Ruling {
        let reason = format!("by the clause, ours is right: {}", key.clause());
        Ruling { verdict: Verdict::Differ, cause: String::new(), reason }
    }

    /// What a listed fault or open question makes of it.
    fn listed(known: &Known) -> Ruling {
        Ruling {
            verdict: known.verdict.into(),
            cause: known.id.clone(),
            reason: format!("{} ({})", known.reason, known.clause),
        }
    }
}

impl<'a> SectionJudge<'a> {
    /// The target of the case.
    pub fn target(&self) -> &'a Target {
        &self.case.target
    }

    pub fn new(judge: &'a Judge, reader: Identity<'a>, case: &'a Case, section: usize) -> SectionJudge<'a> {
        SectionJudge {
            judge,
            reader,
            case,
            section,
            section_features: None,
            record_features: None,
            seen_cies: SeenCies::default(),
        }
    }

    /// The finding for a difference.
    #[cold]
    pub fn finding<S: Semantics + ?Sized>(
        &mut self,
        table: &mut Table<'_, S>,
        judged: Judged<'_>,
    ) -> Finding {
        let key = judged.difference.key;
        let ruling = self.rule(table, key, &judged);
        let ruling = self.judge.expected(self.reader, self.case, key, ruling);
        Finding {
            section: self.case.sections[self.section].name.clone(),
            offset: judged.record.map_or(SectionOffset(0), |(_, entry)| entry.offset),
            count: judged.count,
            ..told(self.reader, self.case, judged.difference, ruling)
        }
    }

    fn rule<S: Semantics + ?Sized>(
        &mut self,
        table: &mut Table<'_, S>,
        key: Key,
        judged: &Judged<'_>,
    ) -> Ruling {
        let (section, target) = (&self.case.sections[self.section], &self.case.target);
        let (case, index) = (self.case, self.section);
        let of_section =
            self.section_features.get_or_insert_with(|| features::of_section(case, index, table));
        let of_record: &[Feature] = match judged.record {
            None => of_section,
            Some((index, _)) => {
                if self.record_features.as_ref().is_none_or(|(last, _)| *last != index) {
                    self.record_features = Some((
                        index,
                        features::of_record(section, target, table, index, &mut self.seen_cies),
                    ));
                }
                self.record_features.as_ref().map_or(&[][..], |(_, features)| features)
            }
        };
        if let Some((_, entry)) = judged.record
            && let Some(ruling) = unrelocated(entry)
        {
            return ruling;
        }
        let mut of_section = Cow::Borrowed(of_section.as_slice());
        if judged.costs_others {
            of_section.to_mut().push(Feature { name: "costs-others", value: String::new() });
        }
        if let Some(known) = self.judge.explanation(self.reader, key, of_record, &of_section) {
            return Ruling::listed(known);
        }
        // What one makes of an ill-formed record is one's own; what one makes of those behind it is not.
        if let Some((_, entry)) = judged.record.filter(|_| !judged.costs_others)
            && let Some(ruling) = ill_formed(entry, of_record)
        {
            return ruling;
        }
        judged.otherwise.clone()
    }
}

/// Who is wrong with this verdict, and by which rung, as long as nobody else was heard.
fn by_itself(verdict: Verdict) -> (Wrong, Rung) {
    match verdict {
        Verdict::Agree | Verdict::Open => (Wrong::Nobody, Rung::Clause),
        Verdict::Differ | Verdict::KnownFault => (Wrong::Reader, Rung::Clause),
        Verdict::OracleFailed => (Wrong::Reader, Rung::None),
    }
}

/// What becomes of differences in a record with a field that could not be relocated: our own reading of it is not
/// to be trusted, and nobody is wrong by it.
fn unrelocated(entry: &Entry) -> Option<Ruling> {
    let fault = entry.faults.iter().find(|fault| fault.kind == FaultKind::Relocation)?;
    let reason = format!("cfidiff could not relocate a field of the record, so ours may be wrong: {fault}");
    Some(Ruling { verdict: Verdict::Open, cause: "not-relocated".to_owned(), reason })
}

/// What becomes of differences in a record that is ill-formed by itself or by its CIE: no specification says what
/// a reader makes of such a one.
fn ill_formed(entry: &Entry, features: &[Feature]) -> Option<Ruling> {
    let (fault, words) = match entry.faults.first() {
        Some(fault) => (fault.kind.name(), format!("the record is ill-formed: {fault}")),
        None => {
            let fault = features.iter().find(|feature| feature.name == "cie-fault")?;
            (fault.value.as_str(), format!("the record's CIE is ill-formed: {}", fault.value))
        }
    };
    let reason = format!("{words}; no specification says what a reader makes of it");
    Some(Ruling { verdict: Verdict::Open, cause: format!("ill-formed: {fault}"), reason })
}

/// A command that compares the case with a reader: its name, and the command that the user gave for it.
pub(crate) fn repro(case: &Case, name: &str, command: Option<&str>) -> String {
    format!("cfidiff check {} {}", asked(name, command), path_of(case))
}

/// The option that has a reader asked.
pub(crate) fn asked(name: &str, command: Option<&str>) -> String {
    match command {
        Some(pair) => format!("--reader-cmd {}", quoted(pair)),
        None => format!("--reader {name}"),
    }
}

/// A command that compares all readers on the case.
pub(crate) fn repro_of_all(case: &Case) -> String {
    format!("cfidiff check {}", path_of(case))
}
