//! Making files from recipes: in parallel, from the cache where they were made before.

use std::fs;
use std::path::PathBuf;

use rayon::prelude::*;

use crate::variants::cache::{self, Cache, Key};
use crate::variants::folder::{Folder, FolderError};
use crate::variants::process::{Failure, Workshop};
use crate::variants::recipe::Recipe;

/// What became of a recipe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The file is there.
    Made {
        /// The hash of its bytes (BLAKE3), in hexadecimal.
        hash: String,
        /// Whether it came from the cache, so that nothing was compiled.
        cached: bool,
    },
    /// A command failed.
    Failed(Failure),
}

/// Makes every recipe's file in the folder, and gives what became of each, in their order. The workshop holds what
/// the commands read. `each` is told of every recipe when it is done, from any thread.
///
/// # Errors
/// When a file cannot be written.
pub fn make(
    recipes: &[Recipe],
    folder: &Folder,
    workshop: &Workshop,
    cache: Option<&Cache>,
    each: &(dyn Fn(&Recipe, &Outcome) + Sync),
) -> Result<Vec<Outcome>, FolderError> {
    let one = |recipe: &Recipe| {
        let outcome = make_one(recipe, folder, workshop, cache)?;
        each(recipe, &outcome);
        Ok(outcome)
    };
    recipes.par_iter().with_max_len(1).map(one).collect()
}

fn make_one(
    recipe: &Recipe,
    folder: &Folder,
    workshop: &Workshop,
    cache: Option<&Cache>,
) -> Result<Outcome, FolderError> {
    let to = folder.path.join(&recipe.file);
    let key = Key::new(recipe.ingredients.iter().chain(recipe.steps.iter().flatten()));
    let kept = cache.and_then(|cache| cache.file(&key));
    let cached = kept.is_some();
    let from = match kept {
        Some(file) => file,
        None => match run(recipe, workshop) {
            Ok(file) => file,
            Err(failure) => return Ok(Outcome::Failed(failure)),
        },
    };
    cache::copy(&from, &to).map_err(FolderError::at(&to))?;
    if !cached {
        if let Some(cache) = cache {
            // What cannot be kept is made again another time.
            let _ = cache.keep_file(&key, &from);
        }
        // The workshop goes away with the run; this only keeps it small.
        let _ = fs::remove_file(&from);
    }
    let bytes = fs::read(&to).map_err(FolderError::at(&to))?;
    Ok(Outcome::Made { hash: blake3::hash(&bytes).to_hex().to_string(), cached })
}

/// Runs the commands of a recipe and gives the file that they made.
fn run(recipe: &Recipe, workshop: &Workshop) -> Result<PathBuf, Failure> {
    let file = workshop.directory.join(&recipe.file);
    let failure = |why: String| Failure { command: recipe.command(), why, said: Vec::new() };
    let folder = file.parent().expect("a file is in a folder");
    fs::create_dir_all(folder)
        .map_err(|error| failure(format!("cannot write {}: {error}", folder.display())))?;
    for step in &recipe.steps {
        workshop.run(step)?;
    }
    if file.is_file() { Ok(file) } else { Err(failure("made no file".to_owned())) }
}
