//! Assembler cases: each through every assembler that knows its machine, as an object file and linked.

use std::collections::BTreeSet;
use std::fs;

use crate::assembly::{AssemblyCase, AssemblyMachine, CASES, Version, expected};
use crate::programs::Language;
use crate::variants::folder::{SOURCES, VARIANTS};
use crate::variants::probe::Compiler;
use crate::variants::process::Workshop;
use crate::variants::recipe::Recipe;
use crate::variants::toolchain::{Family, identity};

/// An assembler for one machine.
struct Assembler {
    /// Its name in file names: `gas-2.40`, `clang-14`.
    name: String,
    family: Family,
    version: Version,
    /// The command up to the source's name.
    command: Vec<String>,
    identity: String,
}

/// A linker for one machine.
struct Linker {
    command: Vec<String>,
    identity: String,
}

/// The recipes of all cases.
pub fn recipes(workshop: &Workshop, compilers: &[Compiler]) -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for name in CASES.iter().map(|case| case.machine.name).collect::<BTreeSet<_>>() {
        let cases = || CASES.iter().filter(|case| case.machine.name == name);
        let Some(machine) = cases().map(|case| case.machine).next() else { continue };
        let assemblers = assemblers(machine, workshop, compilers);
        let linker = linker(machine, workshop);
        for case in cases() {
            for assembler in assemblers.iter().filter(|assembler| assembler.takes(case)) {
                recipes.push(recipe(case, assembler, None));
                recipes.extend(linker.as_ref().map(|linker| recipe(case, assembler, Some(linker))));
            }
        }
    }
    recipes
}

/// The sources of all cases, by file name.
pub fn sources() -> impl Iterator<Item = (String, String)> {
    CASES.iter().map(|case| (file_name(case), case.source.to_owned()))
}

fn file_name(case: &AssemblyCase) -> String {
    format!("{}.{}.s", case.machine.name, case.name)
}

impl Assembler {
    /// Whether it is one that takes the case's directives.
    fn takes(&self, case: &AssemblyCase) -> bool {
        let first = match self.family {
            Family::Gnu => case.gas,
            Family::Clang => case.clang,
        };
        first.is_some_and(|first| self.version >= first)
    }
}

fn recipe(case: &AssemblyCase, assembler: &Assembler, linker: Option<&Linker>) -> Recipe {
    let base = format!("{VARIANTS}/{}.{}.{}", case.machine.name, case.name, assembler.name);
    let object = format!("{base}.o");
    let words = |command: &[String], rest: &[&str]| -> Vec<String> {
        command.iter().cloned().chain(rest.iter().map(|word| (*word).to_owned())).collect()
    };
    let source = format!("{SOURCES}/{}", file_name(case));
    let mut steps = vec![words(&assembler.command, &[&source, "-o", &object])];
    let mut ingredients = vec![assembler.identity.clone(), case.source.to_owned()];
    if let Some(linker) = linker {
        steps.push(words(&linker.command, &[&object, "-o", &base]));
        ingredients.push(linker.identity.clone());
    }
    let link = if linker.is_some() { "linked" } else { "object" };
    let factors = vec![
        ("machine", case.machine.name.to_owned()),
        ("assembly", case.name.to_owned()),
        ("assembler", assembler.name.clone()),
        ("link", link.to_owned()),
    ];
    let file = if linker.is_some() { base } else { object };
    // Only in the object file are the functions where the source has them.
    let expected = if linker.is_some() { None } else { expected(case).ok() };
    Recipe { file, factors, steps, ingredients, expected }
}

/// GNU's assembler for the machine, and every clang that was built with it.
fn assemblers(machine: &AssemblyMachine, workshop: &Workshop, compilers: &[Compiler]) -> Vec<Assembler> {
    let gas = tool(machine, "as", workshop).map(|(program, version)| Assembler {
        name: format!("gas-{}.{}", version.0, version.1),
        family: Family::Gnu,
        version,
        identity: identity(&program),
        command: [&program]
            .into_iter()
            .map(String::as_str)
            .chain(machine.gas_options.iter().copied())
            .map(str::to_owned)
            .collect(),
    });
    let is_native_clang = |compiler: &&Compiler| {
        let toolchain = &compiler.toolchain;
        toolchain.driver.family == Family::Clang
            && toolchain.driver.language == Language::C
            && toolchain.arguments.is_empty()
    };
    let clang = compilers.iter().filter(is_native_clang).filter_map(|compiler| {
        let driver = &compiler.toolchain.driver;
        let target = format!("--target={}", machine.clang);
        let options = [target.as_str(), "-fintegrated-as", "-c"];
        let command: Vec<String> =
            driver.command.iter().map(String::as_str).chain(options).map(str::to_owned).collect();
        assembles(&command, workshop).then(|| Assembler {
            name: compiler.name().to_owned(),
            family: Family::Clang,
            version: version(&driver.version).unwrap_or_default(),
            identity: driver.identity.clone(),
            command,
        })
    });
    gas.into_iter().chain(clang).collect()
}

/// Whether an assembler takes an empty source.
fn assembles(command: &[String], workshop: &Workshop) -> bool {
    let names = ["empty.s", "empty.o"];
    let words: Vec<&str> = command.iter().map(String::as_str).chain([names[0], "-o", names[1]]).collect();
    fs::write(workshop.directory.join(names[0]), "").is_ok() && workshop.run(&words).is_ok()
}

/// GNU's linker for the machine. Cases refer to symbols that nobody defines, and it refuses to make a header for
/// FDEs that overlap, so that none is asked for.
fn linker(machine: &AssemblyMachine, workshop: &Workshop) -> Option<Linker> {
    let (program, _) = tool(machine, "ld", workshop)?;
    let identity = identity(&program);
    let options = ["--unresolved-symbols=ignore-all", "--entry=0"];
    let emulation: &[&str] = if machine.gas_options.contains(&"--32") { &["-m", "elf_i386"] } else { &[] };
    let words = [program.as_str()].into_iter().chain(emulation.iter().copied()).chain(options);
    Some(Linker { command: words.map(str::to_owned).collect(), identity })
}

/// A tool of GNU binutils for the machine, with its version.
pub fn tool(machine: &AssemblyMachine, name: &str, workshop: &Workshop) -> Option<(String, Version)> {
    machine.gas.iter().find_map(|prefix| {
        let program = format!("{prefix}-{name}");
        let said = workshop.run(&[program.as_str(), "--version"]).ok()?;
        Some((program, version(said.lines().next()?)?))
    })
}

/// The version in what a tool says of itself: the last word that begins with two numbers.
pub fn version(words: &str) -> Option<Version> {
    words.split_whitespace().rev().find_map(|word| {
        let mut numbers = word.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_say() {
        let cases = [
            ("GNU assembler (GNU Binutils for Debian) 2.40", Some((2, 40))),
            ("GNU assembler version 2.35.2-10.el9", Some((2, 35))),
            ("Debian clang version 19.1.7 (3~deb12u1)", Some((19, 1))),
            ("clang version 14.0.6", Some((14, 0))),
            ("no version at all", None),
        ];
        for (words, expected) in cases {
            assert_eq!(version(words), expected, "{words}");
        }
    }
}
