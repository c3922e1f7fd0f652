//! The last word on unexplained differences: what the other readers say of the same place.

use std::collections::{BTreeMap, BTreeSet};

use cfidiff_model::{Finding, Key, SectionOffset, Verdict};

/// Where a difference is and what it is about.
type Place = (String, String, SectionOffset, Key);

/// Gives every unexplained difference of one file its reason: whether the other readers side with ours, with
/// the one that differs, or with nobody.
///
/// `readers` are the readers that were compared on the file. The rung is agreement of independent readers, the
/// lowest of the ladder, beside the clause that the finding's key names.
pub fn arbitrate(findings: &mut [Finding], readers: &BTreeSet<String>) {
    let mut said: BTreeMap<Place, Vec<(String, String)>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.verdict == Verdict::Differ) {
        said.entry(place(finding)).or_default().push((finding.reader.clone(), finding.theirs.clone()));
    }
    for finding in findings.iter_mut().filter(|finding| finding.verdict == Verdict::Differ) {
        let Some(others) = said.get(&place(finding)) else { continue };
        finding.reason = reason(finding, others, readers);
    }
}

fn place(finding: &Finding) -> Place {
    (finding.file.clone(), finding.section.clone(), finding.offset, finding.key)
}

fn reason(finding: &Finding, differing: &[(String, String)], readers: &BTreeSet<String>) -> String {
    let clause = finding.key.clause();
    let with_ours: Vec<&str> = readers
        .iter()
        .map(String::as_str)
        .filter(|name| !differing.iter().any(|(other, _)| other == name))
        .collect();
    let with_theirs: Vec<&str> = differing
        .iter()
        .filter(|(name, theirs)| *name != finding.reader && *theirs == finding.theirs)
        .map(|(name, _)| name.as_str())
        .collect();
    if !with_theirs.is_empty() {
        format!(
            "{} says the same as {}: ours stands alone and is suspect; the clause is {clause}",
            with_theirs.join(", "),
            finding.reader
        )
    } else if !with_ours.is_empty() {
        format!(
            "{} sides with ours, so {} is suspect; the clause is {clause}",
            with_ours.join(", "),
            finding.reader
        )
    } else {
        format!("no other reader decides it; by the clause, ours is right: {clause}")
    }
}
