//! The last word on unexplained differences: what the other readers say of the same place.

use std::collections::HashMap;

use cfidiff_model::{Case, Finding, Key, Says, Verdict};

use crate::compare::{CaseAnswer, SectionAnswer};

/// A reader as a witness.
#[derive(Clone, Copy, Debug)]
pub struct Witness<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it reads the file itself. One that is given our sections has our relocations as well.
    pub reads_files: bool,
}

/// Where a difference is and what it is about: section, record, key.
type Place = (usize, usize, Key);

/// Gives every unexplained difference of one case its reason: whether the other readers side with ours, with the
/// one that differs, or with nobody. `answers` are the passes of each witness, in the witnesses' order.
///
/// The rung is agreement of independent readers, the lowest of the ladder, beside the clause that the finding's
/// key names.
pub fn arbitrate(case: &Case, witnesses: &[Witness<'_>], answers: &mut [Vec<CaseAnswer>]) {
    let said = differences(answers);
    if said.is_empty() {
        return;
    }
    let mut reasons = Vec::new();
    for (reader, section, record, finding) in unexplained(answers) {
        let with_theirs: Vec<&str> = said
            .get(&(section, record, finding.key))
            .into_iter()
            .flatten()
            .filter(|(other, theirs)| *other != reader && *theirs == finding.theirs)
            .map(|(other, _)| witnesses[*other].name)
            .collect();
        let with_ours: Vec<&str> = (0..witnesses.len())
            .filter(|&other| other != reader && is_independent(case, &witnesses[other], finding.key))
            .filter(|&other| agrees(&answers[other], section, record, finding.key))
            .map(|other| witnesses[other].name)
            .collect();
        reasons.push(reason(finding, &with_ours, &with_theirs));
    }
    let mut reasons = reasons.into_iter();
    let sections = answers.iter_mut().flatten().flat_map(|pass| &mut pass.sections);
    for (_, finding) in sections.flat_map(|section| &mut section.findings).filter(is_unexplained_mut) {
        if let Some(reason) = reasons.next() {
            finding.reason = reason;
        }
    }
}

fn is_unexplained_mut(located: &&mut (Option<usize>, Finding)) -> bool {
    is_unexplained(located)
}

/// Whether nothing explains the finding, and it is about a record of ours.
fn is_unexplained(located: &(Option<usize>, Finding)) -> bool {
    located.0.is_some() && located.1.verdict == Verdict::Differ
}

/// The unexplained findings, each with its reader, section and record, in the order of the answers.
fn unexplained(answers: &[Vec<CaseAnswer>]) -> impl Iterator<Item = (usize, usize, usize, &Finding)> {
    answers.iter().enumerate().flat_map(|(reader, passes)| {
        passes.iter().flat_map(|pass| &pass.sections).flat_map(move |section| {
            let findings = section.findings.iter().filter(|located| is_unexplained(located));
            findings.filter_map(move |(record, finding)| Some((reader, section.section, (*record)?, finding)))
        })
    })
}

/// What readers say where they differ.
fn differences(answers: &[Vec<CaseAnswer>]) -> HashMap<Place, Vec<(usize, String)>> {
    let mut said: HashMap<Place, Vec<(usize, String)>> = HashMap::new();
    for (reader, section, record, finding) in unexplained(answers) {
        said.entry((section, record, finding.key)).or_default().push((reader, finding.theirs.clone()));
    }
    said
}

/// Whether the reader's word on this key does not rest on what our own file reader did.
fn is_independent(case: &Case, witness: &Witness<'_>, key: Key) -> bool {
    let relocated =
        matches!(key, Key::FdeInitialLocation | Key::FdeAddressRange | Key::FdeLsda | Key::CiePersonality);
    witness.reads_files || !(case.target.relocatable && relocated)
}

/// Whether some pass of a reader speaks of this key and agrees on the record.
fn agrees(passes: &[CaseAnswer], section: usize, record: usize, key: Key) -> bool {
    let speaks = |answer: &&SectionAnswer| answer.section == section && answer.says.contains(said_of(key));
    passes
        .iter()
        .flat_map(|pass| &pass.sections)
        .filter(speaks)
        .any(|answer| answer.verdicts.get(record).copied().flatten() == Some(Verdict::Agree))
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
        Key::AugmentationData => Says::AUGMENTATION_BYTES,
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

fn reason(finding: &Finding, with_ours: &[&str], with_theirs: &[&str]) -> String {
    let (reader, clause) = (&finding.reader, finding.key.clause());
    if !with_theirs.is_empty() {
        let others = with_theirs.join(", ");
        format!(
            "{others} says the same as {reader}: ours stands alone and is suspect; the clause is {clause}"
        )
    } else if !with_ours.is_empty() {
        let others = with_ours.join(", ");
        format!("{others} sides with ours, so {reader} is suspect; the clause is {clause}")
    } else {
        format!("no other reader decides it; by the clause, ours is right: {clause}")
    }
}
