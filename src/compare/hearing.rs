//! What each reader says of the place of a difference.

use std::collections::HashMap;

use cfidiff_model::{Finding, Key, Rung, Says, Statement, Verdict, Worth};

use crate::compare::construction::hides;
use crate::compare::{CaseAnswer, SectionAnswer, Witness, by_section};

/// A finding with where it is.
#[derive(Clone, Copy)]
pub(crate) struct Place<'f> {
    /// The witness that differs.
    pub reader: usize,
    pub section: usize,
    pub record: Option<usize>,
    pub finding: &'f Finding,
}

impl<'f> Place<'f> {
    /// All listed findings in the order of the answers.
    pub fn all(answers: &'f [Vec<CaseAnswer>]) -> impl Iterator<Item = Place<'f>> {
        answers.iter().enumerate().flat_map(|(reader, passes)| {
            passes.iter().flat_map(|pass| &pass.sections).flat_map(move |answer| {
                answer.findings.iter().map(move |(record, finding)| Place {
                    reader,
                    section: answer.section,
                    record: *record,
                    finding,
                })
            })
        })
    }
}

/// What a reader says of a place, if it has a word on it.
pub(crate) enum Word<'f> {
    /// The same as ours.
    SameAsOurs,
    /// What this finding tells.
    Another(&'f Finding),
}

/// What the right answer is, as far as it is told.
#[derive(Clone, Copy)]
pub(crate) enum Truth<'t> {
    /// These words, by this rung.
    Is(&'t str, Rung),
    /// It is left to the reader, for this cause.
    Open(&'t str),
    /// Nobody knows.
    Unknown,
}

/// The readers' answers on one case.
pub(crate) struct Hearing<'a> {
    witnesses: &'a [Witness<'a>],
    /// What each witness said of each section.
    sections: Vec<HashMap<usize, Vec<&'a SectionAnswer>>>,
    /// The findings on each record of each section, with their witnesses.
    findings: HashMap<(usize, usize), Vec<(usize, &'a Finding)>>,
}

impl<'a> Hearing<'a> {
    /// Hears the passes of each witness.
    pub fn new(witnesses: &'a [Witness<'a>], answers: &'a [Vec<CaseAnswer>]) -> Hearing<'a> {
        let mut findings: HashMap<_, Vec<_>> = HashMap::new();
        for Place { reader, section, record, finding } in Place::all(answers) {
            if let Some(record) = record {
                findings.entry((section, record)).or_default().push((reader, finding));
            }
        }
        let sections = answers.iter().map(by_section).collect();
        Hearing { witnesses, sections, findings }
    }

    /// What a witness says of a place.
    pub fn word(&self, witness: usize, place: Place<'_>) -> Option<Word<'a>> {
        let (record, key) = (place.record?, place.finding.key);
        let of_record = self.findings.get(&(place.section, record)).map_or(&[][..], Vec::as_slice);
        let its = || of_record.iter().filter(|(reader, _)| *reader == witness).map(|(_, finding)| *finding);
        // Two passes can differ from ours in one thing, and an opcode stands in the way of all behind it.
        let same_place = its().find(|its| its.key == key && its.ours == place.finding.ours);
        if let Some(its) = same_place.or_else(|| its().find(|its| hides(its.key, key))) {
            return Some(Word::Another(its));
        }
        let passes = self.sections[witness].get(&place.section)?;
        let agrees = passes.iter().any(|pass| may_agree(pass, record, key));
        agrees.then_some(Word::SameAsOurs)
    }

    /// What every reader says that has a word on the place, ours first, with what it is worth.
    pub fn statements(&self, place: Place<'_>, truth: Truth<'_>) -> Vec<Statement> {
        if place.record.is_none() {
            return Vec::new();
        }
        let ours = place.finding.ours.as_str();
        let mut statements = vec![statement(Finding::OURS, ours, truth, None)];
        for (number, witness) in self.witnesses.iter().enumerate() {
            statements.extend(match self.word(number, place) {
                None => None,
                Some(Word::SameAsOurs) => Some(statement(witness.name, ours, truth, None)),
                Some(Word::Another(its)) => Some(statement(witness.name, &its.theirs, truth, Some(its))),
            });
        }
        if let Truth::Is(right, Rung::Construction) = truth
            && statements.iter().all(|statement| statement.worth != Worth::Right)
        {
            statements.push(statement(Finding::EXPECTED, right, truth, None));
        }
        statements
    }
}

fn statement(reader: &str, says: &str, truth: Truth<'_>, its: Option<&Finding>) -> Statement {
    // What is open for one reader need not be so for another, as a record that only one of them refuses.
    let is_open = its.is_some_and(|its| its.verdict == Verdict::Open);
    let (worth, why) = match truth {
        Truth::Open(cause) => (Worth::Open, cause.to_owned()),
        Truth::Unknown => (Worth::Unknown, "readers are divided".to_owned()),
        Truth::Is(right, rung) if says == right => (Worth::Right, supported(rung).to_owned()),
        Truth::Is(..) if is_open => (Worth::Open, its.map_or_else(String::new, |its| its.cause.clone())),
        Truth::Is(_, rung) => {
            let known = its.filter(|its| its.verdict == Verdict::KnownFault);
            let why = known
                .map_or_else(|| contradicted(rung).to_owned(), |its| format!("known fault {}", its.cause));
            (Worth::Wrong, why)
        }
    };
    Statement { reader: reader.to_owned(), says: says.to_owned(), worth, why }
}

fn supported(rung: Rung) -> &'static str {
    match rung {
        Rung::Construction => "as constructed",
        Rung::Clause => "by the clause",
        Rung::Agreement => "independent readers agree",
        Rung::None => "it did not break",
    }
}

fn contradicted(rung: Rung) -> &'static str {
    match rung {
        Rung::Construction => "not as constructed",
        Rung::Clause => "against the clause",
        Rung::Agreement => "stands alone",
        Rung::None => "it broke",
    }
}

/// Whether a pass speaks of this key on the record, which none of its findings stands in the way of.
fn may_agree(pass: &SectionAnswer, record: usize, key: Key) -> bool {
    let needed = said_of(key);
    let silent = needed == Says::ROWS && pass.without_rows.contains(&record);
    let agrees = match pass.verdicts.get(record).copied().flatten() {
        None | Some(Verdict::OracleFailed) => false,
        Some(Verdict::Agree) => true,
        // It differs in something else, when that is listed and not told of another record.
        Some(Verdict::Differ | Verdict::Open | Verdict::KnownFault) => {
            pass.unlisted.is_empty() && pass.findings.iter().any(|(number, _)| *number == Some(record))
        }
    };
    pass.says.contains(needed) && !silent && agrees
}

/// What a reader must be able to say to have a word on a key.
fn said_of(key: Key) -> Says {
    match key {
        Key::SectionUnread
        | Key::EntryMissing
        | Key::EntryExtra
        | Key::EntryRepeated
        | Key::EntryRejected
        | Key::EntryAccepted
        | Key::EntryKind
        | Key::EntryLength => Says::RECORDS,
        Key::EntryFormat => Says::FORMAT,
        Key::CieVersion => Says::CIE_VERSION,
        Key::CieAugmentation => Says::AUGMENTATION_STRING,
        Key::CieAddressSize => Says::ADDRESS_SIZE,
        Key::CieSegmentSelectorSize => Says::SEGMENT_SIZE,
        Key::CieCodeAlignmentFactor | Key::CieDataAlignmentFactor | Key::CieReturnAddressRegister => {
            Says::CIE_FACTORS
        }
        // Of a CIE or of an FDE: who says one of them alone is not asked.
        Key::AugmentationData => Says::CIE_AUGMENTATION_BYTES | Says::FDE_AUGMENTATION_BYTES,
        Key::CieFdeEncoding | Key::CieLsdaEncoding | Key::CiePersonality | Key::CieSignalFrame => {
            Says::AUGMENTATION
        }
        Key::FdeCie => Says::CIE_OF_FDE,
        Key::FdeCiePointer => Says::CIE_POINTER,
        Key::FdeSegment => Says::SEGMENT,
        Key::FdeInitialLocation | Key::FdeAddressRange => Says::RANGE,
        Key::FdeIndirect => Says::INDIRECT,
        Key::FdeLsda => Says::LSDA,
        Key::InstructionOpcode | Key::InstructionOperands | Key::InstructionCount => Says::INSTRUCTIONS,
        Key::RowLocation | Key::RowCfa | Key::RowCfaRegister | Key::RowCfaOffset | Key::RowRegisterRule => {
            Says::ROWS
        }
    }
}
