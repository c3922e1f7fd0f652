//! Compilers: found on the search path, never assumed, each taken once under whatever names it has.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use crate::programs::Language;
use crate::variants::process::{Failure, Workshop, shell};

/// The machines that every clang is asked for with `--target`.
const CLANG_TARGETS: [&str; 10] = [
    "aarch64-linux-gnu",
    "arm-linux-gnueabihf",
    "loongarch64-linux-gnu",
    "mips-linux-gnu",
    "mips64el-linux-gnuabi64",
    "powerpc64-linux-gnu",
    "powerpc64le-linux-gnu",
    "riscv64-linux-gnu",
    "s390x-linux-gnu",
    "sparc64-linux-gnu",
];

/// The names of drivers, but for triples and versions.
const DRIVERS: [&str; 4] = ["gcc", "g++", "clang", "clang++"];

/// Whose command line a driver takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// GCC.
    Gnu,
    /// LLVM.
    Clang,
}

/// A program that compiles one language and calls the linker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Driver {
    /// The program and the arguments that it always gets.
    pub command: Vec<String>,
    /// What it compiles, by its name.
    pub language: Language,
    /// Whose command line it takes.
    pub family: Family,
    /// What it calls its version, without the name that it was called by.
    pub version: String,
    /// The machine that it compiles for by default, as a triple.
    pub target: String,
    /// The file that runs, with its size and time: a compiler that was built again is another one.
    pub identity: String,
}

/// A driver and a machine that it compiles for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// Its name in lists and file names.
    pub name: String,
    /// The driver.
    pub driver: Driver,
    /// What makes it compile for the machine: nothing, `-m32`, `--target=`.
    pub arguments: Vec<String>,
    /// The machine, by the first part of its triple, but `x86-64` and `i386` whatever the triple says.
    pub machine: String,
}

/// The toolchains that a search found.
#[derive(Clone, Default, Debug)]
pub struct Found {
    /// What may compile, in the order of names.
    pub toolchains: Vec<Toolchain>,
    /// Drivers that were asked for by name and do not answer.
    pub broken: Vec<Failure>,
}

impl Driver {
    /// Asks a driver who it is.
    ///
    /// # Errors
    /// When it does not answer, or is neither like gcc nor like clang.
    pub fn meet(command: Vec<String>, workshop: &Workshop) -> Result<Driver, Failure> {
        let ask = |question: &str| {
            let words: Vec<&str> = command.iter().map(String::as_str).chain([question]).collect();
            let answer = workshop.run(&words)?;
            Ok::<String, Failure>(answer.lines().next().unwrap_or_default().trim().to_owned())
        };
        let (version, target) = (ask("--version")?, ask("-dumpmachine")?);
        let name = file_name(&command);
        // gcc begins with the name that it was called by.
        let version = version.strip_prefix(name).unwrap_or(&version).trim().to_owned();
        let family = family(&command, &target).ok_or_else(|| Failure {
            command: shell(&command),
            why: "is neither like gcc nor like clang".to_owned(),
            said: vec![version.clone()],
        })?;
        let language = if name.contains("++") { Language::Cxx } else { Language::C };
        let identity = identity(&command[0]);
        Ok(Driver { command, language, family, version, target, identity })
    }

    /// All machines that it compiles for, as far as its command line tells; whether it does is found out by asking.
    fn toolchains(&self) -> Vec<Toolchain> {
        let native = machine(&self.target);
        let toolchain = |machine: &str, argument: Option<String>, suffix: &str| Toolchain {
            name: format!("{}{suffix}", file_name(&self.command)),
            driver: self.clone(),
            arguments: argument.into_iter().collect(),
            machine: machine.to_owned(),
        };
        let mut all = vec![toolchain(native, None, "")];
        if native == "x86-64" {
            all.push(toolchain("i386", Some("-m32".to_owned()), "-m32"));
        }
        if self.family == Family::Clang {
            for target in CLANG_TARGETS.into_iter().filter(|target| machine(target) != native) {
                let suffix = format!("-{}", machine(target));
                all.push(toolchain(machine(target), Some(format!("--target={target}")), &suffix));
            }
        }
        all
    }

    /// Whether the other is the same program under another name.
    fn is(&self, other: &Driver) -> bool {
        let parts = |driver: &Driver| (driver.language, driver.family);
        let texts = |driver: &Driver| [&driver.version, &driver.target, &driver.identity].map(String::clone);
        parts(self) == parts(other) && texts(self) == texts(other)
    }
}

impl Found {
    /// Looks along the search path for gcc, clang and cross gcc of every version.
    pub fn on_path(workshop: &Workshop) -> Found {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut drivers: Vec<Driver> = Vec::new();
        for name in names(env::split_paths(&path)) {
            // A name on the path that does not answer, such as a dangling link, is no compiler.
            let met = Driver::meet(vec![name], workshop).ok();
            drivers.extend(met.filter(|driver| !drivers.iter().any(|known| known.is(driver))));
        }
        Found::new(&drivers, Vec::new())
    }

    /// Takes the drivers that these commands name.
    pub fn named(commands: &[String], workshop: &Workshop) -> Found {
        let (mut drivers, mut broken) = (Vec::new(), Vec::new());
        for command in commands {
            let Some(mut words) = shlex::split(command).filter(|words| !words.is_empty()) else {
                let why = "is no command line".to_owned();
                broken.push(Failure { command: command.clone(), why, said: Vec::new() });
                continue;
            };
            if words[0].contains('/')
                && let Ok(path) = std::path::absolute(&words[0])
            {
                // Commands run in another folder.
                words[0] = path.to_string_lossy().into_owned();
            }
            match Driver::meet(words, workshop) {
                Ok(driver) => drivers.push(driver),
                Err(failure) => broken.push(failure),
            }
        }
        Found::new(&drivers, broken)
    }

    /// In the order of names, which are made different.
    fn new(drivers: &[Driver], broken: Vec<Failure>) -> Found {
        let mut toolchains: Vec<Toolchain> = drivers.iter().flat_map(Driver::toolchains).collect();
        toolchains.sort_by(|one, other| one.name.cmp(&other.name));
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        for toolchain in &mut toolchains {
            let count = seen.entry(toolchain.name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                toolchain.name += &format!("_{count}");
            }
        }
        Found { toolchains, broken }
    }
}

/// The names of drivers on the path, the best name of a compiler first: one with a version goes on meaning the same
/// compiler, and a short one is easy to type.
fn names(folders: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let mut names: Vec<(bool, usize, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((!has_version(&name)?, name.len(), name))
        })
        .collect();
    names.sort();
    names.dedup();
    names.into_iter().map(|(.., name)| name).collect()
}

/// Whether a driver's name, such as `aarch64-linux-gnu-g++-12`, has a version; `None` when it is no driver's.
fn has_version(name: &str) -> Option<bool> {
    let is_version = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let (base, has_version) = match name.rsplit_once('-') {
        Some((base, version)) if is_version(version) => (base, true),
        _ => (name, false),
    };
    let (triple, driver) = base.rsplit_once('-').unwrap_or(("", base));
    // c89-gcc and c99-gcc are scripts around gcc.
    let is_triple = triple.is_empty() || triple.contains('-');
    (is_triple && DRIVERS.contains(&driver)).then_some(has_version)
}

fn file_name(command: &[String]) -> &str {
    command[0].rsplit('/').next().unwrap_or_default()
}

/// Learns what kind of driver it is, as build scripts do.
fn family(command: &[String], target: &str) -> Option<Family> {
    let tool = cc::Build::new()
        .cargo_metadata(false)
        .cargo_warnings(false)
        .cargo_debug(false)
        .no_default_flags(true)
        .target(target)
        .host(target)
        .opt_level(0)
        .compiler(&command[0])
        .try_get_compiler()
        .ok()?;
    match () {
        () if tool.is_like_clang() => Some(Family::Clang),
        () if tool.is_like_gnu() => Some(Family::Gnu),
        () => None,
    }
}

/// The file that a program's name means, with its size and time.
pub fn identity(program: &str) -> String {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).map(|folder| folder.join(program));
    let found = if program.contains('/') {
        Some(PathBuf::from(program))
    } else {
        places.into_iter().find(|place| place.is_file())
    };
    let file = found.unwrap_or_else(|| PathBuf::from(program));
    let file = fs::canonicalize(&file).unwrap_or(file);
    let meta = fs::metadata(&file).ok();
    let size = meta.as_ref().map_or(0, fs::Metadata::len);
    let time =
        meta.and_then(|meta| meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    format!("{} {size} {}", file.display(), time.as_nanos())
}

/// The machine of a triple.
fn machine(triple: &str) -> &str {
    let first = triple.split('-').next().unwrap_or_default();
    let is_i386 = first.len() == 4 && first.starts_with('i') && first.ends_with("86");
    match first {
        "x86_64" | "amd64" => "x86-64",
        _ if is_i386 => "i386",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_are_told_by_their_names() {
        let cases = [
            ("gcc", Some(false)),
            ("g++-12", Some(true)),
            ("clang++-19", Some(true)),
            ("aarch64-linux-gnu-gcc-12", Some(true)),
            ("x86_64-linux-gnu-g++", Some(false)),
            ("gcc-ar-12", None),
            ("c89-gcc", None),
            ("clang-cpp-14", None),
            ("clang-format", None),
        ];
        for (name, expected) in cases {
            assert_eq!(has_version(name), expected, "{name}");
        }
    }

    #[test]
    fn machines_are_named_by_their_triples() {
        let triples = ["x86_64-linux-gnu", "i686-pc-linux-gnu", "aarch64-linux-gnu", "ia64-linux-gnu"];
        assert_eq!(triples.map(machine), ["x86-64", "i386", "aarch64", "ia64"]);
    }

    #[test]
    fn names_on_the_path_are_taken_once_with_versions_first() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["gcc", "gcc-12", "x86_64-linux-gnu-gcc-12", "g++", "cpp"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let path = [folder.path().to_owned(), PathBuf::from("no-such-folder"), folder.path().to_owned()];
        assert_eq!(names(path.into_iter()), ["gcc-12", "x86_64-linux-gnu-gcc-12", "g++", "gcc"]);
    }
}
