//! From a recipe to a version that can be asked: compiled, fetched and unpacked below one folder, each once.

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, bail};
use cfidiff_oracles::process::{self, Errors, Limits};

use crate::pairs::{Package, Recipe, numbers};

/// What one step may use: a compilation on a slow machine takes minutes.
const LIMITS: Limits = Limits { time: Duration::from_secs(1800), output: 64 << 20 };
/// How much of the output of a step that went wrong is shown.
const WORDS: usize = 2000;

/// The clients for crates, by file name.
const CRATE_CLIENTS: &[(&str, &str)] = &[
    ("gimli.rs", include_str!("../clients/gimli.rs")),
    ("framehop.rs", include_str!("../clients/framehop.rs")),
];
/// The clients for packages of Python, by file name, each with the client of the newest version that it builds on.
const PYTHON_CLIENTS: &[(&str, &str, Option<&str>)] = &[
    (
        "pyelftools.py",
        include_str!("../clients/pyelftools.py"),
        Some(include_str!("../../clients/pyelftools.py")),
    ),
    ("symbolic.py", include_str!("../clients/symbolic.py"), None),
    ("lief.py", include_str!("../clients/lief.py"), None),
];

/// The folder with all installed versions.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// A version that is there, and how it is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Installed {
    /// A command that speaks the protocol of external readers.
    Speaker(Vec<String>),
    /// A GNU readelf, under this name or path.
    Readelf(OsString),
    /// An llvm-dwarfdump, under this name or path.
    LlvmDwarfdump(OsString),
    /// A linker, under this name or path.
    Linker(OsString),
}

impl Cache {
    /// A cache in this folder, which is made when something is installed.
    pub fn new(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// What is there of a version without installing anything; `None` when it has to be installed.
    pub fn find(&self, reader: &str, version: &str, recipe: &Recipe) -> Option<Installed> {
        let place = self.place(reader, version);
        let path = |path: PathBuf| path.is_file().then(|| path.to_string_lossy().into_owned());
        match recipe {
            Recipe::Crate { client, .. } => {
                let is_current = holds(&place.join("main.rs"), crate_client(client)?)
                    && holds(&place.join("Cargo.toml"), &manifest(version, recipe));
                Some(Installed::Speaker(vec![path(place.join("reader")).filter(|_| is_current)?]))
            }
            Recipe::Pypi { client, .. } => {
                let (source, newest) = python_client(client)?;
                let is_current = holds(&place.join("reader.py"), source)
                    && newest.is_none_or(|newest| holds(&place.join("client.py"), newest));
                let reader = path(place.join("reader.py")).filter(|_| is_current)?;
                Some(Installed::Speaker(vec!["python3".to_owned(), reader]))
            }
            Recipe::Readelf { packages } => program(&place, packages.get(version)?).map(Installed::Readelf),
            Recipe::Linker { packages } => program(&place, packages.get(version)?).map(Installed::Linker),
            Recipe::LlvmDwarfdump => {
                Some(Installed::LlvmDwarfdump(format!("llvm-dwarfdump-{version}").into()))
            }
        }
    }

    /// Installs a version unless it is there.
    ///
    /// # Errors
    /// When a step goes wrong, with the end of what it said.
    pub fn install(&self, reader: &str, version: &str, recipe: &Recipe) -> anyhow::Result<Installed> {
        if let Some(installed) = self.find(reader, version, recipe) {
            return Ok(installed);
        }
        // Made beside its place and put there when it is whole, so that what was interrupted is not taken for it.
        let place = self.place(reader, version);
        let draft = place.with_file_name(format!("{reader}-{version}.draft"));
        if draft.exists() {
            fs::remove_dir_all(&draft).with_context(|| draft.display().to_string())?;
        }
        fs::create_dir_all(&draft).with_context(|| draft.display().to_string())?;
        match recipe {
            Recipe::Crate { .. } => self.compile(version, recipe, &draft)?,
            Recipe::Pypi { name, client } => from_pypi(name, version, client, &draft)?,
            Recipe::Readelf { packages } | Recipe::Linker { packages } => {
                let package = packages
                    .get(version)
                    .with_context(|| format!("no package is known that has {version}"))?;
                from_debian(package, &draft)?;
            }
            Recipe::LlvmDwarfdump => {}
        }
        // One that a client has changed for since.
        if place.exists() {
            fs::remove_dir_all(&place).with_context(|| place.display().to_string())?;
        }
        fs::rename(&draft, &place).with_context(|| place.display().to_string())?;
        self.find(reader, version, recipe).context("what was installed does not hold the reader")
    }

    fn place(&self, reader: &str, version: &str) -> PathBuf {
        self.folder.join(format!("{reader}-{version}"))
    }

    /// Compiles a crate of this version with its client.
    fn compile(&self, version: &str, recipe: &Recipe, folder: &Path) -> anyhow::Result<()> {
        let Recipe::Crate { client, .. } = recipe else { bail!("no crate") };
        let source = crate_client(client).with_context(|| format!("there is no client {client}"))?;
        write(&folder.join("main.rs"), source)?;
        write(&folder.join("Cargo.toml"), &manifest(version, recipe))?;
        let target = self.folder.join("target");
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--release"]).current_dir(folder);
        // What all clients need is compiled once.
        cargo.env("CARGO_TARGET_DIR", &target);
        step(cargo)?;
        let built = target.join("release").join("reader");
        fs::copy(&built, folder.join("reader")).with_context(|| built.display().to_string())?;
        Ok(())
    }
}

/// The client of this file name, for a crate.
fn crate_client(name: &str) -> Option<&'static str> {
    CRATE_CLIENTS.iter().find(|(file, _)| *file == name).map(|(_, source)| *source)
}

/// The client of this file name, for a package of Python, with the one that it builds on.
fn python_client(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    PYTHON_CLIENTS.iter().find(|(file, ..)| *file == name).map(|(_, source, newest)| (*source, *newest))
}

/// Whether a file has just this text. What was installed with another client is installed again.
fn holds(path: &Path, text: &str) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
}

/// A program of a package that is unpacked at `place`, or its name where it is looked for in `PATH`: who asks it tells
/// when it is not there.
fn program(place: &Path, package: &Package) -> Option<OsString> {
    let program = Path::new(&package.program);
    let is_name = program.components().count() == 1;
    let path = if is_name { program.to_owned() } else { place.join(program) };
    (is_name || path.is_file()).then(|| path.into_os_string())
}

/// The manifest of the package that joins a crate and its client. Its version is that of the crate, and so what the
/// client says of itself.
fn manifest(version: &str, recipe: &Recipe) -> String {
    let Recipe::Crate { name, needs, uses, features, .. } = recipe else { return String::new() };
    let mut text = format!(
        "[workspace]\n\n[package]\nname = \"reader\"\nversion = \"{version}\"\nedition = \"2024\"\n\n\
         [[bin]]\nname = \"reader\"\npath = \"main.rs\"\n\n[dependencies]\n"
    );
    let newest = uses
        .iter()
        .filter(|(from, _)| numbers(from) <= numbers(version))
        .max_by_key(|(from, _)| numbers(from));
    let uses = newest
        .map_or_else(String::new, |(_, uses)| format!(", default-features = false, features = {uses:?}"));
    // Writing to a string does not fail.
    let _ = writeln!(text, "{name} = {{ version = \"={version}\"{uses} }}");
    for line in needs {
        let _ = writeln!(text, "{line}");
    }
    let on: Vec<&String> =
        features.iter().filter(|(_, span)| span.has(version)).map(|(name, _)| name).collect();
    let _ = writeln!(text, "\n[features]\ndefault = {on:?}");
    for feature in features.keys() {
        let _ = writeln!(text, "{feature} = []");
    }
    // Some faults are a panic with these checks, and a wrong number without.
    text + "\n[profile.release]\noverflow-checks = true\n"
}

fn from_pypi(name: &str, version: &str, client: &str, folder: &Path) -> anyhow::Result<()> {
    let (source, newest) = python_client(client).with_context(|| format!("there is no client {client}"))?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--target"]);
    pip.arg(folder).arg(format!("{name}=={version}")).current_dir(folder);
    step(pip)?;
    write(&folder.join("reader.py"), source)?;
    newest.map_or(Ok(()), |newest| write(&folder.join("client.py"), newest))
}

fn from_debian(package: &Package, folder: &Path) -> anyhow::Result<()> {
    let mut apt = Command::new("apt-get");
    apt.args(["download", &package.name]).current_dir(folder);
    step(apt)?;
    let packed = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let packed = packed.filter(|path| path.extension().is_some_and(|extension| extension == "deb"));
    for archive in packed.collect::<Vec<_>>() {
        let mut dpkg = Command::new("dpkg");
        dpkg.arg("-x").args([archive.as_path(), folder]);
        step(dpkg)?;
        fs::remove_file(&archive)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// Runs one step to its end.
fn step(command: Command) -> anyhow::Result<()> {
    let words = format!("{command:?}");
    let mut said = Vec::new();
    let ended = process::run(command, Errors::Merged, LIMITS, &mut |chunk| {
        said.extend_from_slice(chunk);
        ControlFlow::Continue(())
    });
    let ended = ended.with_context(|| words.clone())?;
    let failure = ended.failure().or_else(|| match ended.status.code() {
        Some(0) => None,
        code => Some(format!("exited with {}", code.unwrap_or_default())),
    });
    match failure {
        None => Ok(()),
        Some(failure) => {
            let said = String::from_utf8_lossy(&said[said.len().saturating_sub(WORDS)..]).into_owned();
            bail!("{words} {failure}; it said:\n{}", said.trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::Table;

    #[test]
    fn every_client_that_a_recipe_names_is_there() {
        for (name, recipe) in &Table::load().unwrap().reader {
            let is_there = match recipe {
                Recipe::Crate { client, .. } => crate_client(client).is_some(),
                Recipe::Pypi { client, .. } => python_client(client).is_some(),
                _ => continue,
            };
            assert!(is_there, "{name}");
        }
    }

    #[test]
    fn a_manifest_pins_the_version_and_sets_what_it_needs() {
        let table = Table::load().unwrap();
        let text = manifest("0.17.0", &table.reader["gimli"]);
        let manifest: toml::Table = text.parse().unwrap();
        assert_eq!(manifest["dependencies"]["gimli"]["version"].as_str(), Some("=0.17.0"));
        assert_eq!(manifest["package"]["version"].as_str(), Some("0.17.0"));
        // Of its spans, 0.17.0 is in this one alone.
        let on = ["initialized-context"].map(toml::Value::from);
        assert_eq!(manifest["features"]["default"].as_array().map(Vec::as_slice), Some(&on[..]));
        assert_eq!(manifest["profile"]["release"]["overflow-checks"].as_bool(), Some(true));
    }

    #[test]
    fn what_is_not_installed_is_not_found() {
        let cache = Cache::new(PathBuf::from("no-such-folder"));
        let table = Table::load().unwrap();
        assert_eq!(cache.find("gimli", "0.17.0", &table.reader["gimli"]), None);
        assert_eq!(cache.find("readelf", "2.16.1", &table.reader["readelf"]), None);
    }
}
