//! The triage behind a comparison: of what that left unexplained, as much as can be done in a short time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cfidiff_model::{Case, Verdict};
use cfidiff_oracles::Oracle;

use crate::campaign::FileReport;
use crate::compare::Judge;
use crate::image;
use crate::triage::account::{Account, Effort, Stopped};
use crate::triage::deadline::Deadline;

/// How many bytes of call frame information each reader is asked about again, the smallest files first.
const MAX_CFI: usize = 4 << 20;
/// How large a file is opened for that.
const MAX_FILE: u64 = 256 << 20;
/// How many files each reader is asked about again.
const MAX_FILES: usize = 64;
/// How long it all takes: no longer than what it is behind, within these bounds. A reader is not cut in the middle of
/// a case.
const TIME: RangeInclusive<Duration> = Duration::from_secs(2)..=Duration::from_secs(20);

/// Files with differences that nothing explains, by reader.
#[derive(Debug, Default)]
pub struct Unexplained {
    readers: BTreeMap<String, Files>,
}

/// The smallest files with a reader's differences.
#[derive(Debug, Default)]
struct Files {
    smallest: BTreeSet<(u64, PathBuf)>,
    /// How many there are in all.
    count: usize,
}

impl Unexplained {
    /// Adds a file.
    pub fn add(&mut self, report: &FileReport) {
        let listed = report.findings.iter().map(|finding| (&finding.reader, finding.verdict));
        let unlisted = report.unlisted.keys().map(|(reader, likeness)| (reader, likeness.verdict));
        let all: BTreeSet<(&String, Verdict)> = listed.chain(unlisted).collect();
        let differs = all.iter().filter(|(_, verdict)| *verdict == Verdict::Differ);
        // A reader that broke at a file would cost as much time there again.
        let differs = differs.filter(|(reader, _)| !all.contains(&(*reader, Verdict::OracleFailed)));
        for (reader, _) in differs {
            let size = fs::metadata(&report.path).map_or(u64::MAX, |file| file.len());
            self.readers.entry((*reader).clone()).or_default().add(size, &report.path);
        }
    }

    /// Names what explains the differences of each reader, in the order of the readers. `paths` are those that the user
    /// gave, for the command that goes on, and `took` is how long the work before this took.
    pub fn explain(
        mut self,
        readers: &[Box<dyn Oracle>],
        judge: &Judge,
        options: &image::Options,
        paths: &[PathBuf],
        took: Duration,
    ) -> io::Result<Vec<Account>> {
        let end = Instant::now() + took.clamp(*TIME.start(), *TIME.end());
        let mut accounts = Vec::new();
        for reader in readers {
            let left = u32::try_from(self.readers.len()).unwrap_or(u32::MAX).max(1);
            let Some(files) = self.readers.remove(reader.name()) else { continue };
            let deadline = Deadline::after(end.saturating_duration_since(Instant::now()) / left);
            let (inputs, opened) = files.open(options, &deadline);
            let mut account = match inputs.is_empty() {
                true => Account::unasked(&**reader),
                false => Account::of(&**reader, &inputs, judge, Effort::QUICK, &deadline)?,
            };
            if opened < files.count || deadline.cut_anything() {
                let command = command(&account.asked, paths);
                account.stopped.push(Stopped { files: opened, of: files.count, command });
            }
            accounts.push(account);
        }
        accounts.retain(|account| account.differences > 0 || !account.stopped.is_empty());
        Ok(accounts)
    }
}

impl Files {
    fn add(&mut self, size: u64, path: &Path) {
        self.count += 1;
        self.smallest.insert((size, path.to_owned()));
        if self.smallest.len() > MAX_FILES {
            self.smallest.pop_last();
        }
    }

    /// Opens as many as are looked at again, and tells how many these are.
    fn open(&self, options: &image::Options, deadline: &Deadline) -> (Vec<Case>, usize) {
        let (mut inputs, mut bytes, mut opened) = (Vec::new(), 0, 0);
        for (size, path) in &self.smallest {
            if *size > MAX_FILE || deadline.is_over() {
                break;
            }
            let Ok(image) = image::open(path, options) else { continue };
            let sections = image.cases.iter().flat_map(Case::frame_sections);
            bytes += sections.map(|(_, section)| section.data.len()).sum::<usize>();
            if bytes > MAX_CFI {
                break;
            }
            inputs.extend(image.cases);
            opened += 1;
        }
        (inputs, opened)
    }
}

/// The command that goes on where the triage stopped.
fn command(asked: &str, paths: &[PathBuf]) -> String {
    let words = paths.iter().map(|path| path.display().to_string());
    let quoted = words.map(|path| shlex::try_quote(&path).map_or_else(|_| path.clone(), Into::into));
    quoted.fold(format!("cfidiff triage {asked}"), |all, path: String| format!("{all} {path}"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Files, MAX_FILES};

    #[test]
    fn the_smallest_files_are_kept_and_all_are_counted() {
        let mut files = Files::default();
        let count = 10 * MAX_FILES;
        (0..count as u64).rev().for_each(|size| files.add(size, Path::new(&size.to_string())));
        let sizes: Vec<u64> = files.smallest.iter().map(|(size, _)| *size).collect();
        assert_eq!(sizes, (0..MAX_FILES as u64).collect::<Vec<_>>());
        assert_eq!(files.count, count);
    }
}
