//! The folder that variants are made in: sources, variants, and the manifest that lists them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::variants::cache;
use crate::variants::make::Outcome;
use crate::variants::manifest::manifest;
use crate::variants::order::Order;
use crate::variants::recipe::Recipe;

/// The folder of sources, relative to where commands run.
pub const SOURCES: &str = "sources";
/// The folder of variants.
pub const VARIANTS: &str = "variants";
/// The name of the manifest's file.
pub const MANIFEST: &str = "manifest.jsonl";

/// A folder that variants are made in.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There are files in it that nobody knows.
    #[error("{}: is not empty and has no {MANIFEST} of an earlier run", .0.display())]
    NotOurs(PathBuf),
    /// It, or a file in it, cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl FolderError {
    /// What the system said of this path.
    pub fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
        |error| FolderError::Unwritable { path: path.to_owned(), error }
    }
}

impl Folder {
    /// Makes the folder. What an earlier run left there goes away, so that all that is there is of this run.
    ///
    /// # Errors
    /// When it holds what no run made, or cannot be written.
    pub fn prepare(path: &Path) -> Result<Folder, FolderError> {
        fs::create_dir_all(path).map_err(FolderError::at(path))?;
        let is_empty = fs::read_dir(path).map_err(FolderError::at(path))?.next().is_none();
        let manifest = path.join(MANIFEST);
        if !is_empty && !manifest.is_file() {
            return Err(FolderError::NotOurs(path.to_owned()));
        }
        for folder in [SOURCES, VARIANTS].map(|name| path.join(name)) {
            match fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(FolderError::Unwritable { path: folder, error });
                }
                _ => {}
            }
        }
        // There is a manifest from the start, so that a run that was stopped can be begun again.
        let folder = Folder { path: path.to_owned() };
        folder.write(MANIFEST, "")?;
        Ok(folder)
    }

    /// Writes the sources of an order.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn write_sources(&self, order: &Order) -> Result<(), FolderError> {
        order.sources.iter().try_for_each(|(name, text)| self.write(&format!("{SOURCES}/{name}"), text))
    }

    /// Writes the manifest of an order whose recipes were made here.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_manifest(&self, order: &Order, outcomes: &[Outcome]) -> Result<(), FolderError> {
        self.write(MANIFEST, &manifest(order, outcomes))
    }

    /// Writes the expected answers beside the files of recipes that have one and were made: `FILE.jsonl`.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn write_expected(&self, recipes: &[Recipe], outcomes: &[Outcome]) -> Result<(), FolderError> {
        let made =
            recipes.iter().zip(outcomes).filter(|(_, outcome)| matches!(outcome, Outcome::Made { .. }));
        let expected = made.filter_map(|(recipe, _)| Some((&recipe.file, recipe.expected.as_ref()?)));
        expected.into_iter().try_for_each(|(file, text)| self.write(&format!("{file}.jsonl"), text))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let path = self.path.join(name);
        cache::write(&path, text.as_bytes()).map_err(FolderError::at(&path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_somebody_else_is_left_alone_and_one_of_ours_is_emptied() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("inner/variants");
        let folder = Folder::prepare(&path).unwrap();
        folder.write("variants/old.o", "old").unwrap();
        folder.write("notes.txt", "of a person").unwrap();
        Folder::prepare(&path).unwrap();
        assert!(!path.join("variants/old.o").exists() && path.join("notes.txt").exists());
        fs::remove_file(path.join(MANIFEST)).unwrap();
        let error = Folder::prepare(&path).unwrap_err().to_string();
        assert!(error.ends_with("is not empty and has no manifest.jsonl of an earlier run"), "{error}");
        assert!(path.join("notes.txt").exists());
        let error = Folder::prepare(&path.join("notes.txt/below")).unwrap_err().to_string();
        assert!(error.starts_with("cannot write "), "{error}");
    }
}
