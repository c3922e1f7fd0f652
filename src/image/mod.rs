//! From a path, or bytes in memory, to cases.
//!
//! What goes in is an ELF file, an archive of them, or anything that claims to be one. What comes out is one
//! [`Case`] per ELF image, its sections with their contents ready to read: decompressed, and relocated when the
//! image is a relocatable object. What could not be had is said in words, per section where that is possible, so
//! that a broken section costs only itself. Nothing here knows what stands inside the sections.
//!
//! Files are read piece by piece: only headers, names and the wanted sections are copied, so that the size of a
//! program costs nothing. The input may be hostile: whatever its headers claim, no byte of it is read more than
//! about twice and no more is kept than [`Options`] allows.

mod archive;
mod contents;
mod debug_file;
mod elf;
mod error;
mod headers;
mod integer;
mod layout;
mod relocate;
mod segments;
mod source;

use std::path::{Path, PathBuf};

use cfidiff_model::Case;

pub use error::OpenError;
pub use layout::{
    Layout, RelocatedField, SectionPlace, SegmentKind, SegmentPlace, Surroundings, Symbol, Symbols,
};
pub use source::is_elf_or_archive;

use elf::{Elf, Origin};
use source::{Input, Kind, Source};

/// How much to look for, and how much to take at most.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether to follow a file's build id and debug link to its separate debug file. Default true.
    pub debug_files: bool,
    /// The root of the separate debug files. Default `/usr/lib/debug`.
    pub debug_root: PathBuf,
    /// What to read of what stands around call frame information. Default nothing.
    pub surroundings: Surroundings,
    /// The most bytes that one section may have once decompressed. Default 1 GiB.
    pub max_section: u64,
    /// The most bytes of section contents that one image may have in all its cases. Default 4 GiB.
    pub max_total: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            debug_files: true,
            debug_root: PathBuf::from("/usr/lib/debug"),
            surroundings: Surroundings::None,
            max_section: 1 << 30,
            max_total: 4 << 30,
        }
    }
}

/// What a file holds.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// One case per ELF image: of a plain file the file itself, then its separate debug file if one was found
    /// that has call frame information; of an archive its members in order.
    pub cases: Vec<Case>,
    /// What stands around the call frame information of each case, in the order of the cases.
    pub layouts: Vec<Layout>,
    /// What was passed over and belongs to no case, in words: members that are no ELF images, debug files that do
    /// not match.
    pub notes: Vec<String>,
    /// What of the input is broken, in words that name the image: tables of headers, contents that are not where the
    /// headers say, members that cannot be read. What is left is read all the same.
    pub damage: Vec<String>,
}

/// Reads the file at `path`.
///
/// An error means that there is no case at all. Everything smaller than that is a note of the image, a note of
/// its case, or a fault of its section.
pub fn open(path: &Path, options: &Options) -> Result<Image, OpenError> {
    let file = source::open_regular(path)?;
    let mut loader = Loader::new(options);
    let origin = Origin::of_file(path);
    match source::kind(Input::File(&file), &origin.name)? {
        Kind::Archive => archive::read(&mut loader, Input::File(&file), &origin)?,
        Kind::Elf => {
            let link = loader.elf(Input::File(&file), &origin)?;
            if options.debug_files {
                debug_file::follow(&mut loader, path, &link);
            }
        }
    }
    Ok(loader.image)
}

/// Reads bytes in memory, which reports call `name`.
///
/// As [`open`], but without separate debug files, and without the members of a thin archive, since there is no
/// directory to look for them.
pub fn from_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<Image, OpenError> {
    let mut loader = Loader::new(options);
    let origin = Origin { name: name.to_owned(), path: None, member: None };
    let input = Input::memory(bytes);
    match source::kind(input.clone(), name)? {
        Kind::Archive => archive::read(&mut loader, input, &origin)?,
        Kind::Elf => {
            loader.elf(input, &origin)?;
        }
    }
    Ok(loader.image)
}

/// An image in the making.
struct Loader<'o> {
    options: &'o Options,
    /// How many bytes of section contents may still be kept.
    left: u64,
    image: Image,
}

impl<'o> Loader<'o> {
    fn new(options: &'o Options) -> Loader<'o> {
        Loader { options, left: options.max_total, image: Image::default() }
    }

    /// Adds the case of an ELF image that fills the whole input, and returns what leads to its debug file.
    fn elf(&mut self, input: Input<'_>, origin: &Origin) -> Result<debug_file::Link, OpenError> {
        let cache = source::cache(input);
        let Elf { case, layout, link, .. } = self.read_elf(Source::whole(&cache), origin)?;
        self.push(case, layout);
        Ok(link)
    }

    fn push(&mut self, case: Case, layout: Layout) {
        self.image.cases.push(case);
        self.image.layouts.push(layout);
    }

    fn read_elf(&mut self, source: Source<'_>, origin: &Origin) -> Result<Elf, OpenError> {
        let mut elf = elf::read(source, origin, self.options, &mut self.left)?;
        self.image.damage.append(&mut elf.damage);
        Ok(elf)
    }
}
