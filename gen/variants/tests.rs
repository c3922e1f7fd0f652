//! The choice of variants, over compilers that need not be installed.

use std::collections::{BTreeSet, HashSet};

use crate::programs::{Language, Need};
use crate::variants::Size;
use crate::variants::covering::{Array, pairs};
use crate::variants::factors::{FLAGS, Factors, Flags, Form, Link, Linker, Selection};
use crate::variants::probe::{Ability, Compiler};
use crate::variants::recipe::Recipe;
use crate::variants::source::Source;
use crate::variants::toolchain::{Driver, Family, Toolchain};

fn compiler(name: &str, machine: &str, family: Family, links: &[Link], choices: &[&'static str]) -> Compiler {
    let driver = Driver {
        command: vec![name.to_owned()],
        language: if name.contains("++") { Language::Cxx } else { Language::C },
        family,
        version: "1.0".to_owned(),
        target: machine.to_owned(),
        identity: name.to_owned(),
    };
    let toolchain =
        Toolchain { name: name.to_owned(), driver, arguments: Vec::new(), machine: machine.to_owned() };
    let ability = Ability {
        has_headers: !links.is_empty(),
        links: links.iter().map(|link| (*link, "1.0".to_owned())).collect(),
        choices: choices.iter().copied().collect(),
    };
    Compiler { toolchain, ability }
}

/// A native gcc, g++ and clang that can do everything, a cross gcc with one linker, a clang for objects alone.
fn compilers() -> Vec<Compiler> {
    let common = FLAGS.iter().flat_map(|flags| flags.choices).filter(|choice| choice.machines.is_empty());
    let common: Vec<&'static str> = common.map(|choice| choice.name).collect();
    let with = |name| [&common[..], &[name]].concat();
    let all: Vec<Link> = Link::all().collect();
    let some = [Link { form: Form::Pie, linker: Linker::Bfd }];
    vec![
        compiler("aarch64-gcc", "aarch64", Family::Gnu, &some, &with("pac")),
        compiler("clang", "x86-64", Family::Clang, &all, &with("cet")),
        compiler("clang-riscv64", "riscv64", Family::Clang, &[], &common),
        compiler("g++", "x86-64", Family::Gnu, &all, &with("cet")),
        compiler("gcc", "x86-64", Family::Gnu, &all, &with("cet")),
    ]
}

/// What holds of every variant, told by its names alone.
fn assert_legal(selection: &Selection<'_>) {
    let names: BTreeSet<String> = selection.names().into_iter().map(|(_, level)| level).collect();
    let has = |name: &str| names.contains(name);
    let compiler = selection.compiler.name();
    let linked = !has("object");
    assert!(!has("pac") || compiler == "aarch64-gcc", "{names:?}");
    assert!(!has("cet") || ["clang", "gcc", "g++"].contains(&compiler), "{names:?}");
    assert!(linked || !(has("no-eh-frame-hdr") || has("several-objects")), "{names:?}");
    assert!(compiler != "aarch64-gcc" || !linked || has("pie-bfd"), "{names:?}");
    assert!(compiler != "clang-riscv64" || !linked, "{names:?}");
    let debug = ["g", "dwarf-4", "dwarf-5"].into_iter().any(has);
    assert!(debug || !(has("gz") || has("debug-frame")), "{names:?}");
    assert!(!selection.source.needs.contains(&Need::Gcc) || !compiler.contains("clang"), "{names:?}");
    assert!(!selection.source.needs.contains(&Need::Headers) || compiler != "clang-riscv64", "{names:?}");
    assert_eq!(selection.source.language == Language::Cxx, compiler == "g++", "{names:?}");
}

fn covered(array: &Array) -> HashSet<((usize, usize), (usize, usize))> {
    array.rows.iter().flat_map(|row| pairs(row)).collect()
}

#[test]
fn the_full_set_has_every_legal_pair_and_the_small_one_every_level() {
    let (sources, compilers) = (Source::seeds(), compilers());
    let factors = Factors::new(&sources, &compilers);
    let space = factors.space();
    let legal = space.legal_pairs();
    let full = space.cover(Size::Full.bounds(), 1);
    let full_pairs = covered(&full);
    let missing: Vec<_> = legal.iter().filter(|pair| !full_pairs.contains(pair)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!((full.pairs.covered, full.pairs.legal), (legal.len(), legal.len()));
    assert!((1500..1700).contains(&full.rows.len()), "{}", full.rows.len());
    let small = space.cover(Size::Small.bounds(), 1);
    assert_eq!(small.levels.covered, small.levels.legal);
    let levels: BTreeSet<_> = legal.iter().flat_map(|(one, other)| [*one, *other]).collect();
    let small_levels: BTreeSet<_> =
        covered(&small).into_iter().flat_map(|(one, other)| [one, other]).collect();
    assert_eq!(levels, small_levels);
    assert!(small.pairs.covered * 2 > small.pairs.legal, "{:?}", small.pairs);
    assert_eq!(small.rows.len(), 80);
    for row in full.rows.iter().chain(&small.rows) {
        assert_legal(&factors.selection(row));
    }
}

#[test]
fn recipes_have_names_of_their_own_and_follow_from_the_seed() {
    let (sources, compilers) = (Source::seeds(), compilers());
    let factors = Factors::new(&sources, &compilers);
    let companions = Source::companions(1);
    let recipes = |seed| -> Vec<Recipe> {
        let array = factors.space().cover(Size::Small.bounds(), seed);
        array.rows.iter().map(|row| Recipe::of(&factors.selection(row), &companions)).collect()
    };
    let first = recipes(1);
    assert_eq!(first, recipes(1));
    assert_ne!(first, recipes(2));
    assert_eq!(first.iter().map(|recipe| &recipe.file).collect::<HashSet<_>>().len(), first.len());
}

/// The recipe of a C++ program with levels by name.
fn recipe_of(levels: &[&str], link: Option<Link>) -> Recipe {
    let (sources, compilers) = (Source::seeds(), compilers());
    let level =
        |flags: &Flags| flags.choices.iter().position(|choice| levels.contains(&choice.name)).unwrap_or(0);
    let selection = Selection {
        source: sources.iter().find(|source| source.name == "thunks").unwrap(),
        compiler: &compilers[3],
        link,
        levels: FLAGS.each_ref().map(level),
    };
    Recipe::of(&selection, &Source::companions(1))
}

#[test]
fn commands_say_what_the_levels_mean() {
    let object = recipe_of(&["O2", "cet", "function-sections", "gz", "dwarf-5"], None);
    assert_eq!(object.file, "variants/thunks.g++.O2.cet.function-sections.dwarf-5.gz.o");
    assert_eq!(
        object.command(),
        "g++ -O2 -fcf-protection -ffunction-sections -gdwarf-5 -gz -c sources/thunks.cc \
         -o variants/thunks.g++.O2.cet.function-sections.dwarf-5.gz.o"
    );
    let thunks = Source::seeds().into_iter().find(|source| source.name == "thunks").unwrap();
    assert!(object.ingredients.contains(&thunks.text), "another text is another variant");
    let link = Link { form: Form::NoPie, linker: Linker::Gold };
    let linked = recipe_of(&["Os", "function-sections", "no-eh-frame-hdr", "several-objects"], Some(link));
    let file = "variants/thunks.g++.no-pie-gold.Os.function-sections.no-eh-frame-hdr.several-objects";
    assert_eq!(linked.file, file);
    let [first, _, third, last] = &linked.steps[..] else { panic!("{:?}", linked.steps) };
    assert_eq!(
        first.join(" "),
        format!(
            "g++ -O0 -g -fno-asynchronous-unwind-tables -fno-pie -c -x c sources/companion_1.c -o {file}.1.o"
        )
    );
    let companions = Source::companions(1).map(|companion| companion.text);
    assert!(companions.iter().all(|text| linked.ingredients.contains(text)));
    assert!(third.join(" ").ends_with(&format!("sources/companion_3.c -o {file}.3.o")));
    assert_eq!(
        last.join(" "),
        format!(
            "g++ -Os -ffunction-sections -fno-pie -no-pie -fuse-ld=gold -Wl,--gc-sections -Wl,--no-eh-frame-hdr \
             -Wl,-u,companion_1 -Wl,-u,companion_2 -Wl,-u,companion_3 sources/thunks.cc {file}.1.o {file}.2.o \
             {file}.3.o -o {file}"
        )
    );
}
