//! Finding tools, running them, and reading what they made.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cfidiff::image;
use cfidiff_cfi::{Reader, Table};
use cfidiff_gen::assembly::IntendedRow;
use cfidiff_gen::programs::{Language, Need, Seed};
use cfidiff_gen::variants::Workshop;
use cfidiff_gen::variants::toolchain::{Family, Found, Toolchain};
use cfidiff_model::{Case, Cie, Entry, EntryKind, Fde, Instruction, Says, SectionKind};
use tempfile::TempDir;

/// A folder to compile in, which goes away with its owner.
pub struct Folder {
    pub workshop: Workshop,
    _folder: TempDir,
}

impl Folder {
    pub fn new() -> Folder {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Folder { workshop: Workshop::new(folder.path()), _folder: folder }
    }

    pub fn path(&self) -> &Path {
        &self.workshop.directory
    }

    /// Runs a tool here, and gives what it printed or in words why it failed.
    pub fn run(&self, command: &[&str]) -> Result<String, String> {
        self.workshop.run(command).map_err(|failure| format!("{failure}\n{}", failure.said.join("\n")))
    }

    /// Compiles a seed with these options. Warnings are errors.
    pub fn compile(&self, seed: &Seed, compiler: &Toolchain, options: &[&str]) -> Result<PathBuf, String> {
        let stem = [seed.name, compiler.name.as_str()].iter().chain(options).copied().collect::<String>();
        let (source, output) = (format!("{stem}.{}", seed.language.extension()), format!("{stem}.out"));
        std::fs::write(self.path().join(&source), seed.source).map_err(|error| error.to_string())?;
        let mut command: Vec<&str> = compiler.driver.command.iter().map(String::as_str).collect();
        command.extend(["-Wall", "-Wextra", "-Werror"].iter().chain(options));
        if seed.has_need(Need::Threads) {
            command.push("-pthread");
        }
        if seed.has_need(Need::Exceptions) {
            command.push("-fexceptions");
        }
        command.extend([source.as_str(), "-o", output.as_str()]);
        self.run(&command)?;
        Ok(self.path().join(output))
    }
}

/// Says that a tool is missing. Tools that the project installs for its tests may not be.
pub fn skipped(name: &str, is_installed_for_tests: bool) {
    println!("skipped: {name} not found");
    let required = env::var_os("CFIDIFF_REQUIRE_ORACLES").is_some_and(|value| value == "all");
    assert!(!(is_installed_for_tests && required), "{name} not found");
}

/// Every gcc and clang that is there and compiles for this machine.
pub fn compilers() -> &'static [Toolchain] {
    static COMPILERS: OnceLock<Vec<Toolchain>> = OnceLock::new();
    COMPILERS.get_or_init(|| {
        let mut compilers = Found::on_path(&Folder::new().workshop).toolchains;
        let native = env::consts::ARCH.replace('_', "-");
        compilers.retain(|compiler| compiler.machine == native && compiler.arguments.is_empty());
        for (name, family, language) in [
            ("gcc", Family::Gnu, Language::C),
            ("g++", Family::Gnu, Language::Cxx),
            ("clang", Family::Clang, Language::C),
            ("clang++", Family::Clang, Language::Cxx),
        ] {
            if !compilers.iter().any(|it| (it.driver.family, it.driver.language) == (family, language)) {
                skipped(name, family == Family::Gnu);
            }
        }
        compilers
    })
}

/// Whether a compiler is for the seed's language and extensions.
pub fn takes(compiler: &Toolchain, seed: &Seed) -> bool {
    let is_gcc = compiler.driver.family == Family::Gnu;
    compiler.driver.language == seed.language && (is_gcc || !seed.has_need(Need::Gcc))
}

/// An FDE as our reader reads it.
pub struct ReadFde {
    pub cie: Cie,
    pub fde: Fde,
    pub instructions: Vec<Instruction>,
    /// Without empty ones; neighbours that say the same are one.
    pub rows: Vec<IntendedRow>,
}

/// The one case of a file.
pub fn open(path: &Path) -> Result<Case, String> {
    let image = image::open(path, &image::Options::default()).map_err(|error| error.to_string())?;
    if !image.damage.is_empty() {
        return Err(format!("{:?}", image.damage));
    }
    let [case] = <[Case; 1]>::try_from(image.cases).map_err(|cases| format!("{} cases", cases.len()))?;
    Ok(case)
}

/// The FDEs of all sections of this kind, in order. A record with a fault is an error.
pub fn fdes(case: &Case, kind: SectionKind) -> Result<Vec<ReadFde>, String> {
    let mut fdes = Vec::new();
    for (_, section) in case.frame_sections().filter(|(_, section)| section.kind == kind) {
        let mut table = Table::new(Reader::new(section, case.target));
        let mut entry = Entry::default();
        for index in 0..table.len() {
            table.fill(index, Says::all(), &mut entry);
            if let Some(fault) = entry.faults.first() {
                return Err(format!("{} at {}: {fault:?}", kind.name(), entry.offset));
            }
            let EntryKind::Fde(fde) = entry.kind.clone() else { continue };
            let rows = rows(&entry, fde.initial_location.0);
            let instructions = std::mem::take(&mut entry.instructions);
            let cie = fde.cie.and_then(|offset| table.index_of(offset)).ok_or("an FDE without a CIE")?;
            table.fill(cie, Says::empty(), &mut entry);
            let EntryKind::Cie(cie) = entry.kind.clone() else { return Err("a CIE that is none".into()) };
            fdes.push(ReadFde { cie: *cie, fde, instructions, rows });
        }
    }
    Ok(fdes)
}

fn rows(entry: &Entry, start: u64) -> Vec<IntendedRow> {
    let mut rows: Vec<IntendedRow> = Vec::new();
    let mut next = start;
    for row in entry.rows.iter().filter(|row| row.start < row.end) {
        assert_eq!(row.start.0, next, "rows leave no gap");
        next = row.end.0;
        let read =
            IntendedRow { offset: row.start.0 - start, cfa: row.cfa.clone(), rules: row.rules.to_vec() };
        if rows.last().is_none_or(|last| last.cfa != read.cfa || last.rules != read.rules) {
            rows.push(read);
        }
    }
    rows
}

/// Rows in words, one a line.
pub fn lines(rows: &[IntendedRow]) -> String {
    let lines = rows.iter().map(|row| format!("    +{:#x} {:?} {:?}\n", row.offset, row.cfa, row.rules));
    lines.collect()
}
