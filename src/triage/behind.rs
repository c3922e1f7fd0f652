//! The triage behind a comparison: of what that left unexplained, as much as can be done in a short time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cfidiff_model::Verdict;
use cfidiff_oracles::Oracle;

use crate::campaign::FileReport;
use crate::compare::Judge;
use crate::image;
use crate::triage::account::{Account, Effort};

/// How many bytes of files each reader is asked about again, the smallest files first.
const MAX_BYTES: u64 = 4 << 20;
/// How many files.
const MAX_FILES: usize = 64;
/// Behind this time no further reader is begun.
const TIME: Duration = Duration::from_secs(20);

/// Files with differences that nothing explains, by reader.
#[derive(Debug, Default)]
pub struct Unexplained {
    files: BTreeMap<String, Vec<(u64, PathBuf)>>,
}

impl Unexplained {
    /// Adds a file.
    pub fn add(&mut self, report: &FileReport) {
        let listed = report.findings.iter().map(|finding| (&finding.reader, finding.verdict));
        let unlisted = report.unlisted.keys().map(|(reader, likeness)| (reader, likeness.verdict));
        let mut readers: Vec<&String> = listed
            .chain(unlisted)
            .filter(|(_, verdict)| *verdict == Verdict::Differ)
            .map(|(reader, _)| reader)
            .collect();
        readers.sort_unstable();
        readers.dedup();
        if readers.is_empty() {
            return;
        }
        let size = fs::metadata(&report.path).map_or(u64::MAX, |file| file.len());
        for reader in readers {
            self.files.entry(reader.clone()).or_default().push((size, report.path.clone()));
        }
    }

    /// Names what explains the differences of each reader, in the order of the readers.
    pub fn explain(
        mut self,
        readers: &[Box<dyn Oracle>],
        judge: &Judge,
        options: &image::Options,
    ) -> io::Result<Vec<Account>> {
        let started = Instant::now();
        let mut accounts = Vec::new();
        for reader in readers {
            let Some(files) = self.files.remove(reader.name()) else { continue };
            if started.elapsed() > TIME {
                break;
            }
            let images = few(files).into_iter().filter_map(|path| image::open(&path, options).ok());
            let inputs: Vec<_> = images.flat_map(|image| image.cases).collect();
            let account = Account::of(&**reader, &inputs, judge, Effort::QUICK)?;
            if account.differences > 0 {
                accounts.push(account);
            }
        }
        Ok(accounts)
    }
}

/// The smallest files, as many as are looked at again.
fn few(mut files: Vec<(u64, PathBuf)>) -> Vec<PathBuf> {
    files.sort();
    let mut bytes = 0u64;
    let fits = |(size, _): &(u64, PathBuf)| {
        bytes = bytes.saturating_add(*size);
        bytes <= MAX_BYTES
    };
    files.into_iter().take(MAX_FILES).take_while(fits).map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, MAX_FILES, few};

    #[test]
    fn few_files_and_small_ones_are_looked_at_again() {
        let files = |sizes: &[u64]| sizes.iter().map(|size| (*size, size.to_string().into())).collect();
        let names = |sizes: &[u64]| few(files(sizes)).iter().map(|path| path.display().to_string()).collect();
        let found: Vec<String> = names(&[MAX_BYTES, 7, u64::MAX, 5]);
        assert_eq!(found, ["5", "7"]);
        let many: Vec<u64> = (0..1000).collect();
        let found: Vec<String> = names(&many);
        assert_eq!(found.len(), MAX_FILES);
    }
}
