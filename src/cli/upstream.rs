//! Reports to a reader's authors, each in a folder of its own with the case that it is about.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cfidiff::compare::Judge;
use cfidiff::report::{Upstream, printable};
use cfidiff::triage::{Account, Named, Shown, smallest_case};
use cfidiff_gen::suite::Suite;
use cfidiff_model::Case;
use cfidiff_oracles::{Oracle, registry};

use crate::cli::log::Log;

/// The longest name of a folder.
const MAX_NAME: usize = 100;
/// The largest file that is copied.
const MAX_COPY: u64 = 16 << 20;
/// The copy of the case beside the report.
const CASE: &str = "case";

/// Where reports go.
pub struct Reports<'r> {
    below: &'r Path,
}

impl<'r> Reports<'r> {
    /// Folders below this one.
    pub fn below(below: &'r Path) -> Reports<'r> {
        Reports { below }
    }

    /// Writes a report on each mistake of a reader, of those that explain it equally well on the first; and one on what
    /// nothing explains.
    pub fn write(
        &self,
        reader: &dyn Oracle,
        account: &Account,
        inputs: &[Case],
        judge: &Judge,
    ) -> anyhow::Result<()> {
        let limit = if account.is_exact() { 1 } else { account.diagnoses.len() };
        for found in account.diagnoses.iter().take(limit) {
            for shown in &found.evidence {
                self.mistake(reader, account, found, shown, inputs, judge)?;
            }
        }
        for shown in &account.unexplained {
            let name = file_name(&format!("{}-unexplained", account.reader));
            self.report(reader, account, &name, None, shown, inputs, Source::Input)?;
        }
        Ok(())
    }

    /// The report on one mistake, on a case of the suite where that is smaller.
    fn mistake(
        &self,
        reader: &dyn Oracle,
        account: &Account,
        found: &Named,
        shown: &Shown,
        inputs: &[Case],
        judge: &Judge,
    ) -> anyhow::Result<()> {
        let name = file_name(&format!("{}-{}", account.reader, found.names().join("-and-")));
        if let [fault] = found.faults[..] {
            let path = inputs[shown.at.0].path.as_deref();
            let size = path.and_then(|path| fs::metadata(path).ok()).map_or(u64::MAX, |file| file.len());
            let below = usize::try_from(size).unwrap_or(usize::MAX);
            if let Some(small) = smallest_case(reader, judge, &Suite::build()?, fault, below)? {
                let origin = format!(
                    "`{}` of the conformance suite of cfidiff: {}.",
                    small.name,
                    small.about.trim_end_matches('.')
                );
                let source = Source::Suite { file: &small.file, origin: &origin };
                return self.report(reader, account, &name, Some(found), &small.shown, &small.inputs, source);
            }
        }
        self.report(reader, account, &name, Some(found), shown, inputs, Source::Input)
    }

    #[expect(clippy::too_many_arguments, reason = "all that a report is made of")]
    fn report(
        &self,
        reader: &dyn Oracle,
        account: &Account,
        name: &str,
        found: Option<&Named>,
        shown: &Shown,
        inputs: &[Case],
        source: Source<'_>,
    ) -> anyhow::Result<()> {
        let folder = self.below.join(name);
        fs::create_dir_all(self.below)
            .and_then(|()| fs::create_dir(&folder))
            .with_context(|| format!("cannot make {}: no report is overwritten", folder.display()))?;
        let (file, origin) = source
            .copy(&inputs[shown.at.0], &folder)
            .with_context(|| format!("cannot copy the case to {}", folder.display()))?;
        let upstream = Upstream {
            account,
            found,
            shown,
            inputs,
            file: &file,
            origin: &origin,
            how: registry::tool(reader.tool())
                .map_or("", |tool| tool.how.split("; ").next().unwrap_or_default()),
        };
        let path = folder.join("report.md");
        let mut out = create(&path)?;
        upstream.write(&mut out)?;
        out.flush().with_context(|| format!("cannot write {}", path.display()))?;
        Log::plain().line(&format!("wrote {}", path.display()));
        Ok(())
    }
}

/// Where the case of a report comes from.
enum Source<'s> {
    /// A file that was given.
    Input,
    /// A case of the suite, with what it is.
    Suite { file: &'s [u8], origin: &'s str },
}

impl Source<'_> {
    /// Puts the file beside the report, unless it is large. Gives its name for the commands, and where it comes from.
    fn copy(self, input: &Case, folder: &Path) -> io::Result<(String, String)> {
        let copy = folder.join(CASE);
        match self {
            Source::Suite { file, origin } => {
                create(&copy)?.write_all(file)?;
                Ok((CASE.to_owned(), origin.to_owned()))
            }
            Source::Input => {
                let Some(path) = &input.path else {
                    return Ok((CASE.to_owned(), "A case in memory.".to_owned()));
                };
                let named = printable(&input.name).into_owned();
                let size = fs::metadata(path)?.len();
                if size > MAX_COPY {
                    let words = format!("`{named}`, which has {size} bytes and is not copied.");
                    return Ok((
                        shlex::try_quote(&path.display().to_string()).unwrap_or_default().into(),
                        words,
                    ));
                }
                io::copy(&mut File::open(path)?, &mut create(&copy)?)?;
                Ok((CASE.to_owned(), format!("A copy of `{named}`, {size} bytes.")))
            }
        }
    }
}

/// A new file.
fn create(path: &PathBuf) -> io::Result<File> {
    File::create_new(path)
}

/// A name for a folder: letters, digits and marks that no file system or shell takes for something else.
fn file_name(words: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let name: String =
        words.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).take(MAX_NAME).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "reader".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAME, file_name};

    #[test]
    fn names_of_folders_lead_nowhere_else() {
        for (words, name) in [
            ("readelf-x", "readelf-x"),
            ("../../etc/passwd", "etc-passwd"),
            ("--rf *;x", "rf---x"),
            ("..", "reader"),
            ("Ä\n", "reader"),
        ] {
            assert_eq!(file_name(words), name, "{words:?}");
        }
        assert_eq!(file_name(&"x".repeat(1000)).len(), MAX_NAME);
    }
}
