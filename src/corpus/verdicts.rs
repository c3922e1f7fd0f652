//! What readers make of the suite: for each case and reader the causes of all differences, as `oracles/readers.toml`
//! lists them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use cfidiff_model::{Finding, Key};
use cfidiff_oracles::Oracle;
use serde::Deserialize;

use crate::campaign::FileReport;

/// What the list starts with.
const HEAD: &str = "\
# What known readers make of the cases of this suite: for each case on which a reader does not agree with the expected
# answer the causes of all its differences. Readers with the same causes share a line.
";

/// The verdict that is not listed.
pub const AGREE: &str = "agree";

/// The verdict on a case in which there is nothing that both say.
pub const NOTHING: &str = "nothing to compare";

/// Behind the verdict of differences in all of which the reader gives no answer.
pub const REJECTED: &str = ", rejected";

/// A list of verdicts. A verdict is [`AGREE`], [`NOTHING`], or for each cause `VERDICT: CAUSE`, with `; ` between.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Verdicts {
    /// The version of each reader that the verdicts were taken from.
    pub taken_from: BTreeMap<String, String>,
    /// Each case's verdicts by reader, but for [`AGREE`].
    #[serde(default)]
    pub case: BTreeMap<String, BTreeMap<String, String>>,
}

impl Verdicts {
    /// A list of no cases, for these readers.
    pub fn new(readers: &[Box<dyn Oracle>]) -> Verdicts {
        let versions = readers.iter().map(|oracle| (oracle.name().to_owned(), oracle.version().to_owned()));
        Verdicts { taken_from: versions.collect(), case: BTreeMap::new() }
    }

    /// Reads a list.
    ///
    /// # Errors
    /// When it is not TOML of this form.
    pub fn parse(text: &str) -> Result<Verdicts, toml::de::Error> {
        let mut list: Verdicts = toml::from_str(text)?;
        for verdicts in list.case.values_mut() {
            let lines = std::mem::take(verdicts);
            let of_each = |(readers, verdict): (&String, &String)| -> Vec<(String, String)> {
                readers.split(", ").map(|reader| (reader.to_owned(), verdict.clone())).collect()
            };
            *verdicts = lines.iter().flat_map(of_each).collect();
        }
        Ok(list)
    }

    /// Adds the readers of another list.
    pub fn join(&mut self, other: Verdicts) {
        self.taken_from.extend(other.taken_from);
        for (case, verdicts) in other.case {
            self.case.entry(case).or_default().extend(verdicts);
        }
    }

    /// The list as it is written down by this command.
    pub fn text(&self, command: &str) -> String {
        let mut text = format!("{HEAD}# `{command}` rewrites this file.\n\n[taken-from]\n");
        for (reader, version) in &self.taken_from {
            let _ = writeln!(text, "{} = {}", key(reader), quoted(version));
        }
        for (name, verdicts) in &self.case {
            let _ = write!(text, "\n[case.{}]\n", quoted(name));
            for (readers, verdict) in lines(verdicts) {
                let _ = writeln!(text, "{} = {}", key(&readers.join(", ")), quoted(verdict));
            }
        }
        text
    }

    /// What a reader makes of a case.
    pub fn get(&self, case: &str, reader: &str) -> &str {
        self.case.get(case).and_then(|verdicts| verdicts.get(reader)).map_or(AGREE, String::as_str)
    }

    /// Sets what a reader makes of a case.
    pub fn set(&mut self, case: &str, reader: &str, verdict: String) {
        let verdicts = self.case.entry(case.to_owned()).or_default();
        if verdict == AGREE {
            verdicts.remove(reader);
        } else {
            verdicts.insert(reader.to_owned(), verdict);
        }
        self.case.retain(|_, verdicts| !verdicts.is_empty());
    }
}

/// The verdicts of one case, each with all readers that have it.
fn lines(verdicts: &BTreeMap<String, String>) -> Vec<(Vec<&str>, &str)> {
    let mut lines: Vec<(Vec<&str>, &str)> = Vec::new();
    for (reader, verdict) in verdicts {
        match lines.iter_mut().find(|(_, other)| other == verdict) {
            Some((readers, _)) => readers.push(reader),
            None => lines.push((vec![reader], verdict)),
        }
    }
    lines
}

/// A key of TOML, quoted where it has to be.
fn key(text: &str) -> String {
    let is_bare = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if is_bare { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// The verdict on one file of the reader of this name, which has this place among those of the run.
pub fn verdict(report: &FileReport, number: usize, name: &str) -> String {
    if let Some(error) = &report.error {
        return format!("unreadable: {error}");
    }
    // By cause, whether all its findings are of no answer.
    let mut causes: BTreeMap<(&str, String), bool> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| finding.reader == name) {
        *causes.entry((finding.verdict.name(), cause(finding))).or_insert(true) &= is_rejection(finding.key);
    }
    if !causes.is_empty() {
        let told = causes.into_iter().map(|((verdict, cause), is_rejected)| {
            let rejected = if is_rejected && verdict != "open" { REJECTED } else { "" };
            format!("{verdict}{rejected}: {cause}")
        });
        return told.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("; ");
    }
    let compared: u64 = report.cases.iter().map(|case| case.readers[number].records.total()).sum();
    if compared == 0 { NOTHING.to_owned() } else { AGREE.to_owned() }
}

/// A finding's cause; what nothing explains has its key for a cause.
fn cause(finding: &Finding) -> String {
    match finding.cause.as_str() {
        "" => finding.key.name().to_owned(),
        cause => cause.replace(": ", " "),
    }
}

/// Whether a finding under this key is that a reader gives no answer: it refuses, breaks or is silent.
fn is_rejection(key: Key) -> bool {
    matches!(key, Key::EntryRejected | Key::SectionUnread)
}
