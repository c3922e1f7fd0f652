//! One entry of the list, and what it matches.

use std::path::Path;

use cfidiff_model::Key;
use cfidiff_oracles::versions::Versions;
use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use serde::Deserialize;

/// What every placeholder for a reason starts with, in any case.
pub(super) const PLACEHOLDER: &str = "todo";

/// Where a finding is: of which reader, in which case.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The reader's name, for instance `llvm-dwarfdump-14`.
    pub reader: &'a str,
    /// The tool that it is a version of, for instance `llvm-dwarfdump`.
    pub tool: &'a str,
    /// Its version.
    pub version: &'a str,
    /// The case's name: the path as given, with `(member)` behind it for a member of an archive.
    pub case: &'a str,
    /// The path of its file, when there is one.
    pub path: Option<&'a Path>,
}

/// An entry of the list.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Where it stands, counted from 1.
    pub line: usize,
    /// What it is about, in its own words: key, reader and case.
    pub about: String,
    /// Why the finding is expected, and where to read more.
    pub reason: String,
    keys: Vec<Key>,
    reader: GlobMatcher,
    versions: Versions,
    case: GlobSet,
}

/// An entry as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    key: String,
    reader: String,
    #[serde(default = "Versions::all")]
    versions: Versions,
    #[serde(default = "every_case")]
    case: String,
    reason: String,
    link: Option<String>,
}

fn every_case() -> String {
    "**".to_owned()
}

impl Expectation {
    /// The entry that stands at a line. The error tells which field has no meaning.
    pub(super) fn new(line: usize, written: Written) -> Result<Expectation, String> {
        let Written { key, reader, versions, case, reason, link } = written;
        let of_keys = glob("key", &key, false)?;
        let keys: Vec<Key> =
            Key::ALL.iter().copied().filter(|known| of_keys.is_match(known.name())).collect();
        if keys.is_empty() {
            return Err(format!("key {key:?} matches no finding key"));
        }
        if reason.trim().is_empty() {
            return Err("the reason is empty".to_owned());
        }
        let reason = match link {
            Some(link) => format!("{} ({link})", reason.trim()),
            None => reason.trim().to_owned(),
        };
        Ok(Expectation {
            line,
            about: format!("{key} of {reader} in {case}"),
            reason,
            keys,
            reader: glob("reader", &reader, false)?,
            versions,
            case: case_glob(&case)?,
        })
    }

    /// Whether it expects findings under this key of this reader in this case.
    pub fn matches(&self, place: Place<'_>, key: Key) -> bool {
        self.keys.contains(&key) && self.is_about(place)
    }

    /// Whether it is about this reader, in its version, and this case.
    pub fn is_about(&self, place: Place<'_>) -> bool {
        let names_reader = self.reader.is_match(place.reader) || self.reader.is_match(place.tool);
        names_reader
            && self.versions.cover(place.version)
            && (self.case.is_match(place.case) || place.path.is_some_and(|path| self.case.is_match(path)))
    }

    /// Whether what stands for the reason only says that one is to be written.
    pub fn is_unreasoned(&self) -> bool {
        self.reason.get(..PLACEHOLDER.len()).is_some_and(|start| start.eq_ignore_ascii_case(PLACEHOLDER))
    }
}

fn glob(field: &str, text: &str, is_path: bool) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(text).literal_separator(is_path).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| format!("{field}: {error}"))
}

/// A glob over paths. One that does not start at the root matches the end of a path as well, so that it does not
/// matter from which folder the command was called.
pub(super) fn case_glob(text: &str) -> Result<GlobSet, String> {
    let anywhere = format!("**/{text}");
    let mut set = GlobSetBuilder::new();
    for text in [Some(text), Some(anywhere.as_str()).filter(|_| !text.starts_with('/'))].into_iter().flatten()
    {
        set.add(glob("case", text, true)?.glob().clone());
    }
    set.build().map_err(|error| format!("case: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn matches(case: &str, path: &str) -> bool {
        case_glob(case).expect("a glob").is_match(path)
    }

    #[test]
    fn a_glob_matches_whole_components_at_the_end_of_a_path() {
        for path in
            ["encoding/enc-1b", "./encoding/enc-1b", "corpus/cases/encoding/enc-1b", "/a/encoding/enc-1b"]
        {
            assert!(matches("encoding/enc-*", path), "{path}");
            assert!(matches("**", path) && matches("enc-1b", path), "{path}");
            assert!(!matches("coding/enc-*", path) && !matches("enc*", &format!("{path}/more")), "{path}");
            assert!(!matches("*/enc-*/x", path), "{path}");
        }
        assert!(!matches("enc*1b", "encoding/1b"), "a star stays within a component");
    }

    #[test]
    fn a_glob_from_the_root_is_whole() {
        assert!(matches("/usr/bin/*", "/usr/bin/true"));
        assert!(!matches("/usr/bin/*", "/sysroot/usr/bin/true"));
    }
}
