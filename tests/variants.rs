//! Programs compiled in many ways by the compiler that is here: made once, kept, and read alike by all readers.

use std::env;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use cfidiff::campaign::{self, Plan, Settings};
use cfidiff::compare::Judge;
use cfidiff::image;
use cfidiff_gen::random;
use cfidiff_gen::variants::{Cache, Folder, Order, Outcome, Request, Size, VARIANTS, Workshop, make};
use cfidiff_model::SectionKind;
use cfidiff_oracles::registry;

/// Whether gcc is here, which every machine that builds this project may have or not.
fn has_gcc() -> bool {
    let found = Command::new("gcc").arg("--version").output().is_ok();
    if !found {
        println!("skipped: gcc not found");
        let required = env::var_os("CFIDIFF_REQUIRE_ORACLES").is_some_and(|value| value == "all");
        assert!(!required, "gcc not found");
    }
    found
}

/// How many of the outcomes were compiled, taken from the cache, and failed.
fn counts(outcomes: &[Outcome]) -> [usize; 3] {
    let mut counts = [0; 3];
    for outcome in outcomes {
        match outcome {
            Outcome::Made { cached: false, .. } => counts[0] += 1,
            Outcome::Made { cached: true, .. } => counts[1] += 1,
            Outcome::Failed(failure) => {
                println!("{failure}");
                counts[2] += 1;
            }
        }
    }
    counts
}

/// The files of a folder that gimli and ours disagree on, and how many FDEs there are in all.
fn disagreements(folder: &Path) -> (Vec<String>, u64) {
    let gimli = registry::probe(&["gimli".to_owned()], Duration::from_secs(60)).pop();
    let settings = Settings {
        readers: &[gimli.expect("it has an adapter").expect("it is built in")],
        judge: &Judge::new(cfidiff_oracles::known::load().expect("the lists can be read")),
        image: image::Options::default(),
        invariants: false,
        sections: vec![SectionKind::EhFrame, SectionKind::DebugFrame],
        max_findings: 10,
        jobs: 0,
    };
    let (mut found, mut fdes) = (Vec::new(), 0);
    campaign::run(&Plan::new(&[folder.to_owned()]), &settings, |file| {
        fdes += file.cases.iter().map(|case| case.ours.fdes).sum::<u64>();
        if file.has_trouble() {
            found.push(format!("{file:?}"));
        }
        ControlFlow::Continue(())
    })
    .expect("threads start");
    (found, fdes)
}

#[test]
fn a_small_set_is_compiled_once_and_read_alike() {
    if !has_gcc() {
        return;
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    let cache = Cache::open(&place.path().join("cache")).expect("a cache");
    let request = Request { size: Size::Small, seed: 1, drivers: vec!["gcc".to_owned()] };
    let make_in = |name: &str| {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let workshop = Workshop::new(temporary.path());
        let order = Order::new(&request, &workshop, Some(&cache)).expect("gcc works");
        let folder = Folder::prepare(&place.path().join(name)).expect("a folder");
        let outcomes =
            make(&order.recipes, &folder, &workshop, Some(&cache), &|_, _| {}).expect("it can be written");
        (order, outcomes, folder)
    };
    let (order, first, folder) = make_in("first");
    assert_eq!(order.troubles, []);
    assert_eq!(order.levels.covered, order.levels.legal);
    assert_eq!(counts(&first), [80, 0, 0]);
    let (again, second, _) = make_in("second");
    assert_eq!(again.recipes, order.recipes);
    assert_eq!(counts(&second), [0, 80, 0], "a second run compiles nothing");
    for recipe in &order.recipes {
        let read = |name: &str| fs::read(place.path().join(name).join(&recipe.file)).expect("it was made");
        assert!(read("first") == read("second"), "{}", recipe.file);
    }
    let (found, fdes) = disagreements(&folder.path.join(VARIANTS));
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(fdes > 1000, "{fdes}");
}

#[test]
fn random_programs_print_the_same_at_every_level() {
    if !has_gcc() {
        return;
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    for seed in 0..6 {
        let source = place.path().join("random.c");
        fs::write(&source, random::program(seed, "main")).expect("it can be written");
        let printed = ["-O0", "-O2", "-Os"].map(|level| {
            let program = place.path().join("random");
            let flags = [level, "-Wall", "-Wextra", "-Werror", "-o"];
            let compiled =
                Command::new("gcc").args(flags).args([&program, &source]).output().expect("gcc starts");
            let errors = String::from_utf8_lossy(&compiled.stderr);
            assert!(compiled.status.success(), "seed {seed} {level}: {errors}");
            let ran = Command::new(&program).output().expect("it starts");
            assert!(ran.status.success(), "seed {seed} {level}: {:?}", ran.status);
            String::from_utf8(ran.stdout).expect("digits are text")
        });
        assert!(printed[0].len() == 9 && printed.iter().all(|text| *text == printed[0]), "{printed:?}");
    }
}
