//! `check --expect`: the user's list of expected findings.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cfidiff::campaign::FileReport;
use cfidiff::expectations::{Expectations, Place};
use cfidiff::report::{Summary, counted};
use cfidiff_oracles::Oracle;

/// The options about expected findings.
#[derive(clap::Args)]
pub struct Expected {
    /// Excuse the findings that this file lists: TOML with an [[expect]] for each, which has key, reader, versions, case
    /// and reason; see README.md. They count as explained. Entries that are stale, without need or without a reason are
    /// told at the end.
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Exit with 1 also if a file is wrong by itself (an error of `invariants`), and if an entry of the list is stale
    /// (its reader was asked about a file that it names, and no finding matches), without need (all that it matches is
    /// explained by cfidiff's own lists or by an entry before it), or has a placeholder for a reason. An entry whose
    /// reader, version or file is not part of the run is none of these; with --sections nothing is called stale.
    #[arg(long)]
    pub strict: bool,
    /// Rewrite the list after the run: stale entries go, unexplained findings get an entry, with a placeholder for the
    /// reason that a person has to write. All else in the file stays. The exit code is that of what the run found: 1
    /// means that there was something to add, and the next run tells what is left.
    #[arg(long, requires = "expect", conflicts_with_all = ["generate", "strict"])]
    update_expectations: bool,
}

impl Expected {
    /// The list, if there is to be one. One that is to be written need not be there.
    pub fn read(&self) -> anyhow::Result<Option<Expectations>> {
        let Some(path) = &self.expect else { return Ok(None) };
        if self.update_expectations && !path.exists() {
            return Ok(Some(Expectations::parse(path, String::new())?));
        }
        Ok(Some(Expectations::read(path)?))
    }

    /// Puts what became of the list into the summary, and rewrites it if that is asked for. Gives words for the log.
    pub fn conclude(&self, list: &Expectations, summary: &mut Summary) -> anyhow::Result<Option<String>> {
        summary.expectations = list.problems();
        if !self.update_expectations {
            return Ok(None);
        }
        let path: &Path = list.path();
        let update = list.updated().with_context(|| format!("cannot rewrite {}", path.display()))?;
        if update.added + update.removed > 0 {
            fs::write(path, &update.text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let added =
            if update.added == 1 { "1 entry".to_owned() } else { format!("{} entries", update.added) };
        let words = format!("{}: {added} added, {} removed", path.display(), update.removed);
        let placeholders = counted(update.added as u64, "placeholder");
        let reasons =
            if update.added > 0 { format!("; replace {placeholders} by reasons") } else { String::new() };
        Ok(Some(words + &reasons))
    }
}

/// Tells the list which readers answered on a file in full.
pub fn saw(list: &Expectations, file: &FileReport, readers: &[Box<dyn Oracle>]) {
    // What is broken in places was read in part only.
    if !file.damage.is_empty() {
        return;
    }
    for case in &file.cases {
        for (oracle, tally) in readers.iter().zip(&case.readers) {
            let broke = case.failures.iter().any(|failure| failure.reader == oracle.name());
            if tally.compared.cases > 0 && tally.records.failed == 0 && !broke {
                list.saw(Place {
                    reader: oracle.name(),
                    tool: oracle.tool(),
                    version: oracle.version(),
                    case: &case.name,
                    path: Some(&file.path),
                });
            }
        }
    }
}
