//! What a toolchain is able to do: found out by asking it, once, since a name and a version do not tell.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::programs::Language;
use crate::variants::cache::{Cache, Key};
use crate::variants::factors::{Choice, FLAGS, Link, Linker};
use crate::variants::process::{Failure, Workshop};
use crate::variants::toolchain::Toolchain;

/// A program that needs nothing.
const BARE: &str = "int main(void) { return 0; }\n";
/// A program with what linkers stumble over: call sites in an LSDA and, with debugging information, lists of locations.
/// Both have relocations that a linker may be too old for. In C++ it needs the run-time library as well.
const LINKED: &str = "\
static volatile int one = 1;
static void none(void) {}
static void (*volatile call)(void) = none;
static void end(int *value) { one = *value; }
static __attribute__((noinline)) int grow(int count)
{
    int total __attribute__((cleanup(end))) = count;
    for (int i = 0; i < count; i++) {
        int next = total * one + i;
        call();
        total += next;
    }
    return total;
}
int main(void)
{
#ifdef __cplusplus
    try { throw 1; } catch (int) {}
#endif
    return grow(one) == 2;
}
";
/// How that program is compiled, so that it has all of it.
const LINKED_ARGUMENTS: [&str; 3] = ["-O1", "-g", "-fexceptions"];
/// A program that needs the headers of the C library. Those of another machine, which a compiler finds where it has
/// none for its own, end with the one for threads.
const HOSTED: &str = "#include <pthread.h>\n#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
                      #include <string.h>\nint main(void) { return 0; }\n";

/// A toolchain and what it is able to do.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The toolchain.
    pub toolchain: Toolchain,
    /// What it is able to do.
    pub ability: Ability,
}

/// What a toolchain is able to do beyond making an object file.
#[derive(Clone, Default, Debug)]
pub struct Ability {
    /// Whether the headers of the C library are there.
    pub has_headers: bool,
    /// How it links, each with what the linker calls its version.
    pub links: BTreeMap<Link, String>,
    /// The names of the choices that it takes.
    pub choices: BTreeSet<&'static str>,
}

impl Compiler {
    /// Asks the toolchain for everything that [`Ability`] tells. What worked before is taken from the cache; what
    /// did not is tried again, since it may have been installed.
    ///
    /// # Errors
    /// When it does not compile the smallest program.
    pub fn probe(
        toolchain: Toolchain,
        workshop: &Workshop,
        cache: Option<&Cache>,
    ) -> Result<Compiler, Failure> {
        let unknown = Compiler { toolchain, ability: Ability::default() };
        let ask = |arguments: &[&str], source| unknown.ask(arguments, source, workshop, cache);
        ask(&["-c"], BARE)?;
        let works = |arguments: &[&str], source| ask(arguments, source).is_ok();
        let has_headers = works(&["-c"], HOSTED);
        let mut links = BTreeMap::new();
        // Without the C library there is nothing to link with.
        for linker in Linker::ALL.into_iter().filter(|_| has_headers) {
            let Ok(version) = ask(&[linker.argument(), "-Wl,--version"], BARE) else { continue };
            let version = version.lines().next().unwrap_or_default().to_owned();
            for link in Link::all().filter(|link| link.linker == linker) {
                let form = [link.form.compile_arguments(), link.form.link_arguments(), &[linker.argument()]];
                if works(&[&LINKED_ARGUMENTS, &form.concat()[..]].concat(), LINKED) {
                    links.insert(link, version.clone());
                }
            }
        }
        let choices = choices(&unknown.toolchain.machine, works);
        Ok(Compiler { ability: Ability { has_headers, links, choices }, ..unknown })
    }

    /// Its name in lists and file names.
    pub fn name(&self) -> &str {
        &self.toolchain.name
    }

    /// The language that it compiles.
    pub fn language(&self) -> Language {
        self.toolchain.driver.language
    }

    /// Whether it links like that.
    pub fn links(&self, link: Link) -> bool {
        self.ability.links.contains_key(&link)
    }

    /// Whether it takes the arguments of a choice.
    pub fn takes(&self, choice: &Choice) -> bool {
        choice.compile.is_empty() || self.ability.choices.contains(choice.name)
    }

    /// The command up to the arguments of a variant.
    pub fn command(&self) -> impl Iterator<Item = &str> {
        self.toolchain.driver.command.iter().chain(&self.toolchain.arguments).map(String::as_str)
    }

    /// What tells this compiler from every other one, for the keys of the cache.
    pub fn identity(&self) -> [&str; 3] {
        let driver = &self.toolchain.driver;
        [&driver.identity, &driver.version, &driver.target]
    }

    /// Compiles a source with these arguments and gives what was printed.
    fn ask(
        &self,
        arguments: &[&str],
        source: &str,
        workshop: &Workshop,
        cache: Option<&Cache>,
    ) -> Result<String, Failure> {
        let words: Vec<&str> = self.command().chain(["-Werror"]).chain(arguments.iter().copied()).collect();
        let key = Key::new(self.identity().into_iter().chain(words.iter().copied()).chain([source]));
        if let Some(said) = cache.and_then(|cache| cache.text(&key)) {
            return Ok(said);
        }
        let extension = self.language().extension();
        let (file, output) = (format!("{}.{extension}", key.hex()), format!("{}.out", key.hex()));
        let place = workshop.directory.join(&file);
        fs::write(&place, source).map_err(|error| Failure {
            command: self.name().to_owned(),
            why: format!("cannot be asked: {}: {error}", place.display()),
            said: Vec::new(),
        })?;
        let said = workshop.run(&[&words[..], &[&file, "-o", &output]].concat());
        for name in [&file, &output] {
            // It may not have been made.
            let _ = fs::remove_file(workshop.directory.join(name));
        }
        let said = said?;
        if let Some(cache) = cache {
            // What cannot be kept is asked again.
            let _ = cache.keep_text(&key, &said);
        }
        Ok(said)
    }
}

/// The choices that a compiler for this machine takes. Most take all, which one question tells.
fn choices(machine: &str, works: impl Fn(&[&str], &'static str) -> bool) -> BTreeSet<&'static str> {
    let of_machine = |choice: &&Choice| choice.machines.is_empty() || choice.machines.contains(&machine);
    let all = FLAGS.iter().flat_map(|flags| flags.choices).filter(of_machine);
    let all: Vec<&Choice> = all.filter(|choice| !choice.compile.is_empty()).collect();
    let together: Vec<&str> = all.iter().flat_map(|choice| choice.compile).copied().collect();
    let takes_all = works(&[&together[..], &["-c"]].concat(), BARE);
    let taken =
        all.into_iter().filter(|choice| takes_all || works(&[choice.compile, &["-c"]].concat(), BARE));
    taken.map(|choice| choice.name).collect()
}
