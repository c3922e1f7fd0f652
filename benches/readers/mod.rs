//! What the benchmarks read, what they count, and the two readers that do it.

pub mod gimli;
pub mod in_house;

use std::path::{Path, PathBuf};
use std::process::Command;

use cfidiff::image;
use cfidiff_model::{Case, Class, Endianness, Section, SectionKind, Target};

/// How much is read of each record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Every record, the fields of every FDE.
    Walk,
    /// That, and every row with its CFA rule and all its register rules.
    Rows,
    /// The walk, and every instruction with its operands. The in-house reader lists them in the model's form.
    Instructions,
    /// Everything: fields, instructions, rows. The in-house reader gives them in the model's form, as a comparison
    /// takes them; gimli's are only looked at.
    Answer,
}

impl Group {
    pub const ALL: [Group; 4] = [Group::Walk, Group::Rows, Group::Instructions, Group::Answer];

    /// The groups whose results must be the same for both readers.
    pub const COMPARED: [Group; 2] = [Group::Walk, Group::Rows];

    pub fn name(self) -> &'static str {
        match self {
            Group::Walk => "walk",
            Group::Rows => "rows",
            Group::Instructions => "instructions",
            Group::Answer => "answer",
        }
    }
}

/// A reader under test.
pub trait Reader {
    /// Reads the whole section and returns a checksum of what it said, to which each part adds alike in any order.
    fn read(&mut self, group: Group) -> u64;
}

/// The file that is read.
pub struct Input {
    case: Case,
    section: usize,
}

impl Input {
    /// The file of the caller's choice, or the first big one of a list that this machine has.
    pub fn find() -> Option<Input> {
        if let Some(path) = std::env::var_os("CFIDIFF_BENCH_FILE") {
            return Input::open(Path::new(&path));
        }
        let libraries = Path::new("/usr/lib/x86_64-linux-gnu");
        let names =
            ["libLLVM-14.so.1", "libLLVM-15.so.1", "libLLVM.so.19.1"].map(|name| libraries.join(name));
        let candidates = names.into_iter().chain(rustc_driver()).chain([libraries.join("libc.so.6")]);
        candidates.into_iter().find_map(|path| Input::open(&path))
    }

    fn open(path: &Path) -> Option<Input> {
        let options = image::Options { debug_files: false, ..image::Options::default() };
        let case = image::open(path, &options).ok()?.cases.into_iter().next()?;
        let is_wanted = |section: &Section| section.kind == SectionKind::EhFrame && !section.data.is_empty();
        let section = case.sections.iter().position(is_wanted)?;
        // The other reader is compiled for this target alone.
        let wanted = case.target.class == Class::Elf64 && case.target.endianness == Endianness::Little;
        wanted.then_some(Input { case, section })
    }

    pub fn name(&self) -> &str {
        &self.case.name
    }

    pub fn target(&self) -> Target {
        self.case.target
    }

    pub fn section(&self) -> &Section {
        &self.case.sections[self.section]
    }
}

/// The compiler's own library, which every machine that builds this has.
fn rustc_driver() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let libraries = Path::new(String::from_utf8(output.stdout).ok()?.trim()).join("lib");
    let is_driver = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("librustc_driver"))
    };
    std::fs::read_dir(libraries).ok()?.filter_map(|entry| Some(entry.ok()?.path())).find(is_driver)
}

/// Adds a word to the checksum of one part, where the order counts.
#[inline(always)]
pub fn mix(checksum: u64, word: u64) -> u64 {
    (checksum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// The checksum of a register rule or a CFA rule: what it is about, its kind, its value.
#[inline(always)]
pub fn mix_rule(register: u64, kind: u64, value: u64) -> u64 {
    mix(register << 8 | kind, value)
}
