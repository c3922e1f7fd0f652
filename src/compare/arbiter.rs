//! The last word on unexplained differences: what the other readers say of the same place.

use std::collections::HashMap;

use cfidiff_model::{Case, Finding, Key, Says, Verdict};

use crate::compare::{CaseAnswer, SectionAnswer, by_section};

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

/// A difference as a reader tells it: section, record, key, words.
type Said = (usize, usize, Key, String);

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
    let by_section: Vec<_> = answers.iter().map(by_section).collect();
    let mut reasons = Vec::new();
    for (reader, section, record, finding) in unexplained(answers) {
        // Versions of one tool, or two tools with one printer, repeat each other's mistakes.
        let is_other_family = |&other: &usize| witnesses[other].family != witnesses[reader].family;
        let with_theirs: Vec<usize> = said
            .get(&(section, record, finding.key, finding.theirs.clone()))
            .into_iter()
            .flatten()
            .copied()
            .filter(is_other_family)
            .collect();
        let agrees = |other: usize| {
            let passes = by_section[other].get(&section);
            passes.is_some_and(|passes| passes.iter().any(|pass| agrees(pass, record, finding.key)))
        };
        let with_ours: Vec<usize> = (0..witnesses.len())
            .filter(is_other_family)
            .filter(|&other| is_independent(case, &witnesses[other], finding.key) && agrees(other))
            .collect();
        let (with_ours, with_theirs) = (
            one_of_each_family(witnesses, &with_ours, &with_theirs),
            one_of_each_family(witnesses, &with_theirs, &with_ours),
        );
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

/// Which readers say what where they differ, each once however many of its passes say it.
fn differences(answers: &[Vec<CaseAnswer>]) -> HashMap<Said, Vec<usize>> {
    let mut said: HashMap<Said, Vec<usize>> = HashMap::new();
    for (reader, section, record, finding) in unexplained(answers) {
        let readers = said.entry((section, record, finding.key, finding.theirs.clone())).or_default();
        if readers.last() != Some(&reader) {
            readers.push(reader);
        }
    }
    said
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

/// Whether a pass speaks of this key and agrees on the record.
fn agrees(pass: &SectionAnswer, record: usize, key: Key) -> bool {
    let needed = said_of(key);
    let silent = needed == Says::ROWS && pass.without_rows.contains(&record);
    let verdict = pass.verdicts.get(record).copied().flatten();
    pass.says.contains(needed) && !silent && verdict == Some(Verdict::Agree)
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
