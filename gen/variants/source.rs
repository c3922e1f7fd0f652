//! The programs that variants are made of: seeds, random programs, and programs of csmith where it is installed.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::programs::{Language, Need, SEEDS};
use crate::random;
use crate::variants::process::{Failure, Workshop};

/// How many companions are linked into a file of several objects.
pub const COMPANIONS: usize = 3;

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its name in lists and file names.
    pub name: String,
    /// What it is written in.
    pub language: Language,
    /// Its text.
    pub text: String,
    /// What it asks of a toolchain.
    pub needs: Vec<Need>,
    /// What the compiler has to get for it.
    pub arguments: Vec<String>,
}

impl Source {
    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.name, self.language.extension())
    }

    /// The seed programs.
    pub fn seeds() -> Vec<Source> {
        let seeds = SEEDS.iter().map(|seed| Source {
            name: seed.name.to_owned(),
            language: seed.language,
            text: seed.source.to_owned(),
            needs: seed.needs.to_vec(),
            arguments: seed.needs.iter().filter_map(|need| argument(*need)).map(str::to_owned).collect(),
        });
        seeds.collect()
    }

    /// The random program of this seed.
    pub fn random(seed: u64) -> Source {
        Source {
            name: format!("random-{seed}"),
            language: Language::C,
            text: random::program(seed, "main"),
            needs: Vec::new(),
            arguments: Vec::new(),
        }
    }

    /// The random programs that are linked beside another one: each has a function of its own name for `main`.
    pub fn companions(seed: u64) -> [Source; COMPANIONS] {
        std::array::from_fn(|index| {
            let name = format!("companion_{}", index + 1);
            let text = random::program(seed.wrapping_add(index as u64), &name);
            Source { name, text, ..Source::random(seed) }
        })
    }
}

/// What a compiler has to get for a need.
fn argument(need: Need) -> Option<&'static str> {
    match need {
        Need::Threads => Some("-pthread"),
        Need::Exceptions => Some("-fexceptions"),
        Need::Headers | Need::Gcc => None,
    }
}

/// An installed csmith.
#[derive(Clone, Debug)]
pub struct Csmith {
    headers: PathBuf,
}

impl Csmith {
    /// Looks for csmith on the search path, and for its headers beside it.
    pub fn find() -> Option<Csmith> {
        let path = env::var_os("PATH").unwrap_or_default();
        let program =
            env::split_paths(&path).map(|folder| folder.join("csmith")).find(|file| file.is_file())?;
        let prefix = program.parent()?.parent()?.to_owned();
        // Distributions name the folder with or without the version.
        let mut folders: Vec<PathBuf> = fs::read_dir(prefix.join("include"))
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("csmith.h").is_file())
            .collect();
        folders.sort();
        Some(Csmith { headers: folders.into_iter().next()? })
    }

    /// Has csmith write the program of this seed.
    ///
    /// # Errors
    /// When it fails, or takes longer than programs are worth.
    pub fn program(&self, seed: u64, workshop: &Workshop) -> Result<Source, Failure> {
        let name = format!("csmith-{seed}");
        let file = format!("{name}.c");
        let command = ["csmith", "--seed", &seed.to_string(), "--no-packed-struct", "--output", &file];
        workshop.run(&command)?;
        let text = fs::read_to_string(workshop.directory.join(&file)).map_err(|error| Failure {
            command: command.join(" "),
            why: format!("its output cannot be read: {error}"),
            said: Vec::new(),
        })?;
        Ok(Source {
            name,
            language: Language::C,
            text,
            needs: vec![Need::Headers],
            // Its programs are full of what compilers warn of.
            arguments: vec!["-w".to_owned(), "-isystem".to_owned(), display(&self.headers)],
        })
    }
}

fn display(path: &Path) -> String {
    path.display().to_string()
}
