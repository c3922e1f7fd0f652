//! `cfidiff::image`: from files to cases.

mod archives;
mod builder;
mod contents;
mod debug_files;
mod errors;
mod hostile;
mod locations;
mod relocations;
mod segments;
mod system;

use std::path::{Path, PathBuf};

use cfidiff::image::{self, Image, Options};
use cfidiff_model::Case;

/// A file of `tests/data/image`.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/image").join(name)
}

/// The bytes of a file of `tests/data/image`.
fn fixture_bytes(name: &str) -> Vec<u8> {
    let path = fixture(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Options without separate debug files, so that a test sees only what it names.
fn alone() -> Options {
    Options { debug_files: false, ..Options::default() }
}

fn open(path: &Path, options: &Options) -> Image {
    image::open(path, options).unwrap_or_else(|error| panic!("{error}"))
}

/// The one case of a file of `tests/data/image`.
fn case(name: &str) -> Case {
    let mut image = open(&fixture(name), &alone());
    assert_eq!((&image.notes[..], &image.damage[..]), (&[][..], &[][..]), "{name}");
    assert_eq!(image.cases.len(), 1, "{name}");
    image.cases.remove(0)
}

/// The names of a case's sections in order.
fn section_names(case: &Case) -> Vec<&str> {
    case.sections.iter().map(|section| section.name.as_str()).collect()
}
