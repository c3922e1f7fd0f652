//! The table: readers with the recipes for their versions, pairs of versions, and controls. It is data, `pairs.toml`.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};
use cfidiff_model::{Invariant, Key};
use globset::{Glob, GlobMatcher};
use serde::Deserialize;

const TABLE: &str = include_str!("../pairs.toml");

/// The whole table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The readers by name.
    pub reader: BTreeMap<String, Recipe>,
    /// The versions whose verdicts on the suite are written down, for the README's matrix.
    pub matrix: Vec<Column>,
    /// The pairs, in the order of the reports.
    pub pair: Vec<Pair>,
    /// What must not be flagged.
    pub control: Vec<Control>,
}

/// A version in the README's matrix.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// What it is called there: the name of a tool and a version.
    pub name: String,
    /// The reader, one of the table.
    pub reader: String,
    /// The version.
    pub version: String,
}

/// How versions of a reader are had.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "from")]
pub enum Recipe {
    /// A crate, compiled with a client from `clients/` that speaks the protocol of external readers.
    Crate {
        /// The crate's name.
        name: String,
        /// The client's file name.
        client: String,
        /// What the client needs beside the crate: lines of a manifest.
        #[serde(default)]
        needs: Vec<String>,
        /// The crate's own features, for versions from the one that is named on.
        #[serde(default)]
        uses: BTreeMap<String, Vec<String>>,
        /// The client's features, each with the versions that it stands for.
        #[serde(default)]
        features: BTreeMap<String, Span>,
    },
    /// A package of the Python Package Index, with a client in Python.
    Pypi {
        /// The package's name.
        name: String,
        /// The client's file name in `clients/`.
        client: String,
    },
    /// GNU readelf out of packages of Debian.
    Readelf {
        /// The package and the program in it, by version.
        packages: BTreeMap<String, Package>,
    },
    /// `llvm-dwarfdump-VERSION` in `PATH`.
    LlvmDwarfdump,
    /// A linker, which is no reader: it links the suite's objects, and what it makes is asked for its invariants.
    Linker {
        /// The package and the program in it, by version. A version may have the name of another linker before it.
        packages: BTreeMap<String, Package>,
    },
}

impl Recipe {
    /// The names of the keys that findings can have here.
    fn keys(&self) -> Vec<&'static str> {
        match self {
            Recipe::Linker { .. } => Invariant::ALL.iter().map(|key| key.name()).collect(),
            _ => Key::ALL.iter().map(|key| key.name()).collect(),
        }
    }
}

/// A package of Debian.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The path of the program in it, from the root; a name without a folder is looked for in `PATH`, where the
    /// package has to be installed.
    pub program: String,
}

/// Versions from one on and below another; either may be open.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    below: Option<String>,
}

impl Span {
    /// Whether the version is among them.
    pub fn has(&self, version: &str) -> bool {
        let version = numbers(version);
        self.from.as_deref().is_none_or(|from| numbers(from) <= version)
            && self.below.as_deref().is_none_or(|below| version < numbers(below))
    }
}

/// A version's numbers.
pub fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// A fault that a reader had in one version and no more in another.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// A stable name.
    pub id: String,
    /// The reader, one of the table.
    pub reader: String,
    /// The last version that has the fault, or one that has it.
    pub bad: String,
    /// The first version without it, or one without.
    pub good: String,
    /// Where it was reported or mended; empty when that was not found.
    pub link: String,
    /// What is wrong, in a line.
    pub what: String,
    /// The class of the fault.
    pub class: String,
    /// The topic of the suite that finds it.
    pub topic: String,
    /// The cases that exercise it, as globs over `topic/name`. On each the bad version has to be flagged.
    pub cases: Vec<String>,
    /// The keys of the findings that are expected.
    pub keys: Vec<String>,
}

/// A change between two versions that is no fault: neither may be flagged for it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// A stable name.
    pub id: String,
    /// The reader, one of the table.
    pub reader: String,
    /// The version before the change.
    pub old: String,
    /// The version with it.
    pub new: String,
    /// What changed, in a line.
    pub what: String,
    /// The cases that show it, as globs.
    pub cases: Vec<String>,
}

impl Table {
    /// The table that comes with this program.
    ///
    /// # Errors
    /// When the table is not right, with the entry that is to blame.
    pub fn load() -> anyhow::Result<Table> {
        let table: Table = toml::from_str(TABLE).context("pairs.toml")?;
        table.check()?;
        Ok(table)
    }

    fn check(&self) -> anyhow::Result<()> {
        let ids = self.pair.iter().map(|pair| &pair.id).chain(self.control.iter().map(|control| &control.id));
        let mut seen = std::collections::BTreeSet::new();
        for id in ids {
            ensure!(seen.insert(id), "{id} is there twice");
        }
        for Column { name, reader, .. } in &self.matrix {
            ensure!(self.reader.contains_key(reader), "{name}: no reader {reader:?}");
        }
        for pair in &self.pair {
            let id = &pair.id;
            ensure!(self.reader.contains_key(&pair.reader), "{id}: no reader {:?}", pair.reader);
            ensure!(!pair.keys.is_empty() && !pair.cases.is_empty(), "{id}: expects nothing");
            let keys = self.reader[&pair.reader].keys();
            for key in &pair.keys {
                let is_key = keys.iter().any(|known| known == key);
                ensure!(is_key, "{id}: no finding has the key {key:?}");
            }
            for case in &pair.cases {
                ensure!(
                    case.starts_with(&format!("{}/", pair.topic)),
                    "{id}: {case} is no case of {}",
                    pair.topic
                );
            }
            globs(&pair.cases).with_context(|| id.clone())?;
        }
        for control in &self.control {
            let id = &control.id;
            ensure!(self.reader.contains_key(&control.reader), "{id}: no reader {:?}", control.reader);
            globs(&control.cases).with_context(|| id.clone())?;
        }
        Ok(())
    }
}

/// Matchers for these globs.
///
/// # Errors
/// When one of them is no glob.
pub fn globs(patterns: &[String]) -> anyhow::Result<Vec<GlobMatcher>> {
    patterns.iter().map(|pattern| Ok(Glob::new(pattern)?.compile_matcher())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_right() {
        let table = Table::load().unwrap();
        assert!(table.pair.len() > 30);
        assert!(table.control.len() > 2);
    }

    #[test]
    fn spans_compare_by_number() {
        let span = Span { from: Some("0.9".into()), below: Some("0.18".into()) };
        assert!(span.has("0.9.0") && span.has("0.17.3"));
        assert!(!span.has("0.18.0") && !span.has("0.8.7"));
    }
}
