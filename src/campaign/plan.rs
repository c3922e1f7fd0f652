//! The plan: which files a run looks at, in which order.

use std::collections::HashSet;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::image;

/// The files of a run, each once, in the order of the arguments and by name within a directory.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The files to read, with their sizes in bytes.
    pub files: Vec<(PathBuf, u64)>,
    /// How many files of directories are no ELF files or archives, or were met before under another name.
    pub skipped: u64,
    /// What could not be looked at.
    pub unreadable: Vec<Unreadable>,
}

/// A path that could not be read, and why.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// The path.
    pub path: PathBuf,
    /// Why, in words.
    pub why: String,
}

impl Plan {
    /// Looks at the paths: files are taken as they are, directories are walked. Symbolic links are followed for
    /// files, and one file under several names is taken once. Directories are not followed through links, so
    /// that a walk ends.
    pub fn new(paths: &[PathBuf]) -> Plan {
        let mut plan = Plan::default();
        let mut seen = HashSet::new();
        for path in paths {
            match std::fs::metadata(path) {
                Err(error) => plan.unreadable(path, words(&error)),
                Ok(meta) if meta.is_dir() => plan.walk(path, &mut seen),
                Ok(meta) if seen.insert((meta.dev(), meta.ino())) => {
                    plan.files.push((path.clone(), meta.len()))
                }
                Ok(_) => plan.skipped += 1,
            }
        }
        plan
    }

    fn walk(&mut self, directory: &Path, seen: &mut HashSet<(u64, u64)>) {
        for entry in WalkDir::new(directory).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(directory).to_owned();
                    let why = error.io_error().map_or_else(|| error.to_string(), words);
                    self.unreadable(&path, why);
                    continue;
                }
            };
            if !entry.file_type().is_dir() {
                self.consider(entry.path(), seen);
            }
        }
    }

    /// Takes a file that a walk met, if it is one to read.
    fn consider(&mut self, path: &Path, seen: &mut HashSet<(u64, u64)>) {
        // A dangling link, a link to a directory, a device or a socket is nothing to read.
        let Ok(meta) = std::fs::metadata(path) else {
            self.skipped += 1;
            return;
        };
        if !meta.is_file() || !seen.insert((meta.dev(), meta.ino())) {
            self.skipped += 1;
            return;
        }
        match image::is_elf_or_archive(path) {
            Ok(true) => self.files.push((path.to_owned(), meta.len())),
            Ok(false) => self.skipped += 1,
            Err(error) => self.unreadable(path, words(&error)),
        }
    }

    fn unreadable(&mut self, path: &Path, why: String) {
        self.unreadable.push(Unreadable { path: path.to_owned(), why });
    }

    /// Cuts the files into batches: neighbours that are small go together, since a tool reads many files in one
    /// process at a fraction of the cost.
    pub fn batches(&self, max_files: usize, max_bytes: u64) -> Vec<Vec<PathBuf>> {
        let mut batches: Vec<Vec<PathBuf>> = Vec::new();
        let mut bytes = 0;
        for (path, size) in &self.files {
            let fits =
                bytes + size <= max_bytes && batches.last().is_some_and(|batch| batch.len() < max_files);
            match batches.last_mut().filter(|_| fits) {
                Some(batch) => {
                    batch.push(path.clone());
                    bytes += size;
                }
                None => {
                    batches.push(vec![path.clone()]);
                    bytes = *size;
                }
            }
        }
        batches
    }
}

/// What the operating system said, without its number where the words say it all.
fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
