//! What is known of other readers: faults of a tool and version, and questions that the specifications leave
//! open, each with the evidence.
//!
//! The lists are data, in `known/*.toml`. An entry names the finding keys that it explains and the features
//! that the record (or its section) must have, so that it excuses nothing else. Features are facts of the
//! input, told by whoever compares; this module only matches them.

use cfidiff_model::{Key, Verdict};
use serde::Deserialize;

use crate::versions::Versions;

const LISTS: &[(&str, &str)] = &[
    ("known/every-reading.toml", include_str!("known/every-reading.toml")),
    ("known/open.toml", include_str!("known/open.toml")),
    ("known/binutils.toml", include_str!("known/binutils.toml")),
    ("known/llvm-dwarfdump.toml", include_str!("known/llvm-dwarfdump.toml")),
    ("known/llvm-readelf.toml", include_str!("known/llvm-readelf.toml")),
    ("known/eu-readelf.toml", include_str!("known/eu-readelf.toml")),
    ("known/libdw.toml", include_str!("known/libdw.toml")),
    ("known/dwarfdump.toml", include_str!("known/dwarfdump.toml")),
    ("known/gimli.toml", include_str!("known/gimli.toml")),
    ("known/pyelftools.toml", include_str!("known/pyelftools.toml")),
];

/// A fact about a record or a section, such as `letter=B` or `return-address-register=127`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feature {
    /// What the fact is about.
    pub name: &'static str,
    /// Its value; numbers in decimal.
    pub value: String,
}

/// One known fault or open question.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Known {
    /// A stable kebab-case name.
    pub id: String,
    /// The tool, whatever its version; several with commas between when they share the code; `*` for a question that
    /// every reader answers in its own way.
    pub reader: String,
    /// The versions that have it; `*` for all that were looked at.
    pub versions: Versions,
    /// `known-fault` or `open`.
    pub verdict: KnownVerdict,
    /// The finding keys that it explains.
    pub keys: Vec<String>,
    /// What the record must have: conditions `name`, `name=value`, `name>=number`, each also with `!` before it.
    #[serde(default)]
    pub record: Vec<String>,
    /// What some record of the section must have, or the section itself.
    #[serde(default)]
    pub section: Vec<String>,
    /// One sentence: what the reader does, and why that is wrong or open.
    pub reason: String,
    /// What shows it: the input in short, what each prints.
    pub evidence: String,
    /// The clause that decides, or that does not.
    pub clause: String,
    /// A public report, when there is one.
    #[serde(default)]
    pub link: Option<String>,
    /// The case of the corpus that shows it, `topic/name`.
    pub case: String,
}

/// What a list may conclude.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownVerdict {
    /// The reader is wrong, and it is listed.
    KnownFault,
    /// The specifications leave the reading open.
    Open,
}

impl From<KnownVerdict> for Verdict {
    fn from(verdict: KnownVerdict) -> Verdict {
        match verdict {
            KnownVerdict::KnownFault => Verdict::KnownFault,
            KnownVerdict::Open => Verdict::Open,
        }
    }
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    known: Vec<Known>,
}

/// Reads the lists that come with this crate. The error names the list and the line; a test sees to it that
/// there is none.
pub fn load() -> Result<Vec<Known>, String> {
    let mut all = Vec::new();
    for (name, text) in LISTS {
        let list: List = toml::from_str(text).map_err(|error| format!("{name}: {error}"))?;
        all.extend(list.known);
    }
    Ok(all)
}

impl Known {
    /// Whether it explains a finding of this tool and version under this key, for a record and a section with
    /// these features.
    pub fn explains(
        &self,
        tool: &str,
        version: &str,
        key: Key,
        record: &[Feature],
        section: &[Feature],
    ) -> bool {
        self.is_of(tool)
            && self.keys.iter().any(|known| known == key.name())
            && self.versions.cover(version)
            && self.record.iter().all(|condition| holds(condition, record))
            && self.section.iter().all(|condition| holds(condition, section))
    }

    /// Whether it is about this tool.
    pub fn is_of(&self, tool: &str) -> bool {
        self.reader == "*" || self.reader.split(',').any(|listed| listed.trim() == tool)
    }
}

fn holds(condition: &str, features: &[Feature]) -> bool {
    let (negated, condition) = match condition.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, condition),
    };
    let found = if let Some((name, bound)) = condition.split_once(">=") {
        let bound: Option<u128> = bound.parse().ok();
        features
            .iter()
            .any(|feature| feature.name == name && bound.is_some() && feature.value.parse().ok() >= bound)
    } else if let Some((name, value)) = condition.split_once('=') {
        features.iter().any(|feature| feature.name == name && feature.value == value)
    } else {
        features.iter().any(|feature| feature.name == condition)
    };
    found != negated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_well_formed() {
        let all = load().expect("the lists parse");
        for known in &all {
            assert!(
                all.iter().filter(|other| other.id == known.id).count() == 1,
                "{} is listed twice",
                known.id
            );
            for key in &known.keys {
                assert!(
                    Key::ALL.iter().any(|known| known.name() == key),
                    "{}: no finding has the key {key}",
                    known.id
                );
            }
            assert!(
                !known.record.is_empty() || !known.section.is_empty(),
                "{} would excuse everything",
                known.id
            );
        }
    }

    #[test]
    fn each_names_tools_that_there_are() {
        for known in load().expect("the lists parse") {
            let is_tool = |name: &str| name == "*" || crate::registry::tool(name.trim()).is_some();
            assert!(known.reader.split(',').all(is_tool), "{}: {}", known.id, known.reader);
        }
    }

    #[test]
    fn conditions_read_features() {
        let features = [
            Feature { name: "letter", value: "B".into() },
            Feature { name: "return-address-register", value: "200".into() },
        ];
        for (condition, expected) in [
            ("letter=B", true),
            ("letter=G", false),
            ("!letter=G", true),
            ("letter", true),
            ("return-address-register>=127", true),
            ("return-address-register>=201", false),
            ("opcode", false),
        ] {
            assert_eq!(holds(condition, &features), expected, "{condition}");
        }
    }
}
