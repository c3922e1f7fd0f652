//! The last word on differences: what the construction and the other readers say of the same place.

use cfidiff_model::{Case, Finding, Key, Rung, Statement, Verdict, Worth, Wrong};

use crate::compare::construction::{Construction, Decision};
use crate::compare::hearing::{Hearing, Place, Truth, Word};
use crate::compare::judge::repro_of_all;
use crate::compare::tally::worse;
use crate::compare::{CaseAnswer, SectionAnswer};

/// The cause of a difference in what an expected answer leaves to the reader.
const LEFT_TO_READER: &str = "left-to-the-reader";

/// A reader as a witness.
#[derive(Clone, Copy, Debug)]
pub struct Witness<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its family: readers that share code are one witness.
    pub family: &'a str,
    /// Whether it reads the file itself. One that is given our sections has our relocations as well.
    pub reads_files: bool,
}

/// Rules on every listed difference of one case: who is wrong by the highest rung that there is, and what each reader
/// says of the place. `answers` are the passes of each witness, in the witnesses' order. Gives the findings on ours
/// that no reader's difference tells of: where ours is not as constructed.
///
/// The construction is above a clause, which our decision point or a listed fault cites, and a clause above the
/// agreement of independent readers. Agreement is heard where independent readers contradict our reading of a clause.
pub fn arbitrate(
    case: &Case,
    witnesses: &[Witness<'_>],
    answers: &mut [Vec<CaseAnswer>],
    construction: Option<&Construction>,
) -> Vec<Finding> {
    let has_findings = |pass: &CaseAnswer| pass.sections.iter().any(|section| !section.findings.is_empty());
    let rulings: Vec<Ruling> = match answers.iter().flatten().any(has_findings) {
        true => {
            let hearing = Hearing::new(witnesses, answers);
            let court = Court { case, witnesses, hearing, construction };
            Place::all(answers).map(|place| court.rule(place)).collect()
        }
        false => Vec::new(),
    };
    let mut rulings = rulings.into_iter();
    for section in answers.iter_mut().flatten().flat_map(|pass| &mut pass.sections) {
        let mut changed = Vec::new();
        for (record, finding) in &mut section.findings {
            let Some(ruling) = rulings.next() else { break };
            if ruling.verdict != finding.verdict {
                changed.extend(*record);
            }
            ruling.apply(finding);
        }
        changed.into_iter().for_each(|record| recount(section, record));
    }
    construction.map_or_else(Vec::new, |construction| untold(case, answers, construction))
}

/// What becomes of a finding.
struct Ruling {
    verdict: Verdict,
    /// The cause when the verdict is another than before.
    cause: Option<&'static str>,
    wrong: Wrong,
    rung: Rung,
    /// The reason when it is another than before.
    reason: Option<String>,
    statements: Vec<Statement>,
}

impl Ruling {
    fn apply(self, finding: &mut Finding) {
        finding.verdict = self.verdict;
        finding.wrong = self.wrong;
        finding.rung = self.rung;
        finding.statements = self.statements;
        if let Some(cause) = self.cause {
            cause.clone_into(&mut finding.cause);
        }
        if let Some(reason) = self.reason {
            finding.reason = reason;
        }
    }
}

/// Counts a record again after one of its findings got another verdict.
fn recount(section: &mut SectionAnswer, record: usize) {
    let of_record = section.findings.iter().filter(|(number, _)| *number == Some(record));
    let listed = of_record.fold(Verdict::Agree, |sum, (_, finding)| worse(Some(sum), finding.verdict));
    if let Some(verdict) = section.verdicts.get_mut(record) {
        // What is not listed may weigh more.
        let others = verdict.filter(|_| !section.unlisted.is_empty());
        *verdict = Some(worse(others, listed));
    }
}

/// Where ours is not as constructed and no reader's difference tells of it.
fn untold(case: &Case, answers: &[Vec<CaseAnswer>], construction: &Construction) -> Vec<Finding> {
    let is_told = |section: usize, offset, key| {
        let sections = answers.iter().flatten().flat_map(|pass| &pass.sections);
        let mut findings =
            sections.filter(|answer| answer.section == section).flat_map(|answer| &answer.findings);
        findings.any(|(_, finding)| {
            let blames_ours = matches!(finding.wrong, Wrong::Ours | Wrong::Both);
            blames_ours && finding.offset == offset && finding.key == key
        })
    };
    let found = construction
        .contradictions()
        .filter(|(section, offset, difference)| !is_told(*section, *offset, difference.key));
    found
        .map(|(section, offset, difference)| {
            let key = difference.key;
            let (ours, theirs) = (difference.ours.clone(), difference.theirs.clone());
            let statement = |reader: &str, says: &String, worth, why: &str| Statement {
                reader: reader.to_owned(),
                says: says.clone(),
                worth,
                why: why.to_owned(),
            };
            Finding {
                key,
                verdict: Verdict::Differ,
                reader: Finding::EXPECTED.to_owned(),
                file: case.name.clone(),
                section: case.sections[section].name.clone(),
                offset,
                cause: String::new(),
                wrong: Wrong::Ours,
                rung: Rung::Construction,
                reason: contradicted(key),
                statements: vec![
                    statement(Finding::OURS, &ours, Worth::Wrong, "not as constructed"),
                    statement(Finding::EXPECTED, &theirs, Worth::Right, "as constructed"),
                ],
                ours,
                theirs,
                repro: repro_of_all(case),
                count: 1,
            }
        })
        .collect()
}

/// The reason when ours is not as constructed.
fn contradicted(key: Key) -> String {
    format!("the file was made for another answer than ours; the clause is {}", key.clause())
}

/// What rulings on the differences of one case are made from.
struct Court<'a> {
    case: &'a Case,
    witnesses: &'a [Witness<'a>],
    hearing: Hearing<'a>,
    construction: Option<&'a Construction>,
}

impl Court<'_> {
    fn rule(&self, place: Place<'_>) -> Ruling {
        let finding = place.finding;
        let (key, verdict) = (finding.key, finding.verdict);
        let decision = self.construction.and_then(|construction| construction.decide(place.section, finding));
        let kept = |wrong, rung| (verdict, None, wrong, rung, None);
        let mut expected = None;
        let (verdict, cause, wrong, rung, reason) = match (decision, verdict) {
            (Some(Decision::OursWrong { expected: answer }), _) => {
                let wrong = if answer == finding.theirs { Wrong::Ours } else { Wrong::Both };
                expected = Some(answer);
                (Verdict::Differ, Some(""), wrong, Rung::Construction, Some(contradicted(key)))
            }
            (_, Verdict::Agree | Verdict::Open) => kept(Wrong::Nobody, Rung::Clause),
            (Some(Decision::Free), Verdict::Differ) => {
                let reason =
                    format!("the expected answer leaves it to the reader; the clause is {}", key.clause());
                (Verdict::Open, Some(LEFT_TO_READER), Wrong::Nobody, Rung::Construction, Some(reason))
            }
            (Some(Decision::OursRight), Verdict::Differ) => {
                let (.., reason) = self.by_readers(place);
                let reason = format!("{reason}; the file was made for our answer");
                (Verdict::Differ, None, Wrong::Reader, Rung::Construction, Some(reason))
            }
            (None, Verdict::Differ) => {
                let (wrong, rung, reason) = self.by_readers(place);
                (Verdict::Differ, None, wrong, rung, Some(reason))
            }
            (Some(Decision::OursRight), Verdict::KnownFault | Verdict::OracleFailed) => {
                kept(Wrong::Reader, Rung::Construction)
            }
            (_, Verdict::KnownFault) => kept(Wrong::Reader, Rung::Clause),
            (_, Verdict::OracleFailed) => kept(Wrong::Reader, Rung::None),
        };
        let truth = match (wrong, &expected) {
            (Wrong::Nobody, _) => Truth::Open(cause.unwrap_or(&finding.cause)),
            (Wrong::Unknown, _) => Truth::Unknown,
            (_, Some(answer)) => Truth::Is(answer, rung),
            (Wrong::Reader, None) => Truth::Is(&finding.ours, rung),
            (Wrong::Ours | Wrong::Both, None) => Truth::Is(&finding.theirs, rung),
        };
        Ruling { verdict, cause, wrong, rung, reason, statements: self.hearing.statements(place, truth) }
    }

    /// Who is wrong as far as a clause and the other readers tell, and why.
    fn by_readers(&self, place: Place<'_>) -> (Wrong, Rung, String) {
        let finding = place.finding;
        if place.record.is_none() {
            return (Wrong::Reader, Rung::Clause, finding.reason.clone());
        }
        // Versions of one tool, or two tools with one printer, repeat each other's mistakes.
        let family = self.witnesses[place.reader].family;
        let others = || (0..self.witnesses.len()).filter(|&other| self.witnesses[other].family != family);
        let with_theirs: Vec<usize> = others()
            .filter(|&other| match self.hearing.word(other, place) {
                Some(Word::Another(its)) => {
                    its.verdict == Verdict::Differ && its.key == finding.key && its.theirs == finding.theirs
                }
                _ => false,
            })
            .collect();
        let with_ours: Vec<usize> = others()
            .filter(|&other| is_independent(self.case, &self.witnesses[other], finding.key))
            .filter(|&other| matches!(self.hearing.word(other, place), Some(Word::SameAsOurs)))
            .collect();
        let (with_ours, with_theirs) = (
            one_of_each_family(self.witnesses, &with_ours, &with_theirs),
            one_of_each_family(self.witnesses, &with_theirs, &with_ours),
        );
        let (wrong, rung) = match (with_ours.is_empty(), with_theirs.is_empty()) {
            (_, true) => (Wrong::Reader, Rung::Clause),
            (true, false) => (Wrong::Ours, Rung::Agreement),
            (false, false) => (Wrong::Unknown, Rung::None),
        };
        (wrong, rung, reason(finding, &with_ours, &with_theirs))
    }
}

/// The names of these witnesses, the first of each family. A family that is divided, with some of its members among
/// `others`, has no word.
fn one_of_each_family<'w>(witnesses: &[Witness<'w>], these: &[usize], others: &[usize]) -> Vec<&'w str> {
    let has = |list: &[usize], family: &str| list.iter().any(|&index| witnesses[index].family == family);
    let is_first = |at: usize| !has(&these[..at], witnesses[these[at]].family);
    (0..these.len())
        .filter(|&at| is_first(at) && !has(others, witnesses[these[at]].family))
        .map(|at| witnesses[these[at]].name)
        .collect()
}

/// Whether the reader's word on this key does not rest on what our own file reader did.
fn is_independent(case: &Case, witness: &Witness<'_>, key: Key) -> bool {
    // Relocations settle pointers and the CIE pointers of `.debug_frame`; on RISC-V the advances as well.
    let relocated = matches!(
        key,
        Key::FdeInitialLocation
            | Key::FdeAddressRange
            | Key::FdeLsda
            | Key::FdeCie
            | Key::FdeCiePointer
            | Key::CiePersonality
            | Key::AugmentationData
            | Key::InstructionOperands
            | Key::RowLocation
    );
    witness.reads_files || !(case.target.relocatable && relocated)
}

fn reason(finding: &Finding, with_ours: &[&str], with_theirs: &[&str]) -> String {
    let (reader, clause) = (&finding.reader, finding.key.clause());
    let (others, ours) = (with_theirs.join(", "), with_ours.join(", "));
    let say = if with_theirs.len() == 1 { "says" } else { "say" };
    let side = if with_ours.len() == 1 { "sides" } else { "side" };
    match (with_ours.is_empty(), with_theirs.is_empty()) {
        (true, false) => format!(
            "{others} {say} the same as {reader}: ours stands alone and is suspect; the clause is {clause}"
        ),
        (false, false) => format!(
            "readers are divided: {others} {say} the same as {reader}, {ours} {side} with ours; the clause is {clause}"
        ),
        (false, true) => format!("{ours} {side} with ours, so {reader} is suspect; the clause is {clause}"),
        (true, true) => format!("no other reader decides it; by the clause, ours is right: {clause}"),
    }
}
