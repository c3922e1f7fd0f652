//! The file: from TOML to entries, with errors that name the line.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::expectations::entry::{Expectation, Written};
use crate::expectations::ledger::Ledger;

/// A list of expected findings, and what a run makes of it.
#[derive(Debug)]
pub struct Expectations {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) entries: Vec<Expectation>,
    pub(super) ledger: Ledger,
}

/// A file that is no list of expected findings.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {why}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct BadFile {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1, when it is known.
    pub line: Option<usize>,
    /// What is wrong there.
    pub why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    expect: Vec<Spanned<Written>>,
}

impl Expectations {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Expectations, BadFile> {
        let bad = |why: String| BadFile { path: path.to_owned(), line: None, why };
        let text = fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
        Expectations::parse(path, text)
    }

    /// The list in a text, which came from `path`.
    pub fn parse(path: &Path, text: String) -> Result<Expectations, BadFile> {
        let bad = |line, why| BadFile { path: path.to_owned(), line, why };
        let line_of =
            |span: Range<usize>| text.bytes().take(span.start).filter(|&byte| byte == b'\n').count() + 1;
        let document: Document = toml::from_str(&text).map_err(|error: toml::de::Error| {
            // The message can have several lines, of which reports want one.
            bad(error.span().map(line_of), error.message().replace('\n', " "))
        })?;
        let mut entries = Vec::new();
        for written in document.expect {
            let line = line_of(written.span());
            entries.push(Expectation::new(line, written.into_inner()).map_err(|why| bad(Some(line), why))?);
        }
        let ledger = Ledger::new(entries.len());
        Ok(Expectations { path: path.to_owned(), text, entries, ledger })
    }

    /// Where the list comes from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How findings that an entry excuses name their cause.
    pub fn cause(&self, entry: &Expectation) -> String {
        format!("{}:{}", self.path.display(), entry.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# a comment\n\n[[expect]]\nkey = \"row.*\"\nreader = \"a\"\nreason = \"b\"\n";

    fn parse(text: &str) -> Result<Expectations, BadFile> {
        Expectations::parse(Path::new("list.toml"), text.to_owned())
    }

    #[test]
    fn an_entry_knows_its_line() {
        let second = format!("{GOOD}\n# more\n{}", &GOOD[13..]);
        let lines: Vec<usize> =
            parse(&second).expect("it is well-formed").entries.iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [3, 9]);
        assert!(parse("").expect("an empty list is a list").entries.is_empty());
    }

    #[test]
    fn errors_name_file_and_line() {
        for (from, to, words) in [
            ("row.*", "rows.*", "list.toml:3: key \"rows.*\" matches no finding key"),
            ("row.*", "row.[", "list.toml:3: key: error parsing glob 'row.[': unclosed character class"),
            ("reason = \"b\"", "reason = \" \"", "list.toml:3: the reason is empty"),
            ("reason = \"b\"", "", "list.toml:3: missing field `reason`"),
            ("reason = \"b\"", "reason = \"b\"\nraeson = 1", "list.toml:7: unknown field `raeson`"),
            ("reason = \"b\"", "reason = \"b\"\nversions = \"~2\"", "list.toml:7: \"~2\" is no range"),
            ("[[expect]]", "[[expected]]", "list.toml:3: unknown field `expected`"),
            ("\"a\"", "7", "list.toml:5: invalid type: integer `7`"),
            ("\"a\"", "", "list.toml:5: "),
        ] {
            let error = parse(&GOOD.replace(from, to)).expect_err(to).to_string();
            assert!(error.starts_with(words) && !error.contains('\n'), "{error}");
        }
    }
}
