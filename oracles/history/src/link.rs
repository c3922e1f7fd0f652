//! One version of a linker on the suite's objects: what of the linked files does not hold by itself.

use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use cfidiff::campaign::{self, Plan, SurveySettings};
use cfidiff::image::{self, Surroundings};
use cfidiff_model::{BrokenInvariant, Place, SectionKind, Severity};
use cfidiff_oracles::process::{self, Errors, Limits};

use crate::pairs::numbers;
use crate::replay::{Answers, CaseAnswer, Flag};

/// The topic of the suite whose cases are objects.
const OBJECTS: &str = "relocatable";
/// What one link may use. All objects are small.
const LIMITS: Limits = Limits { time: Duration::from_secs(10), output: 1 << 20 };
/// More places of one invariant than a file of the suite can have.
const PLACES: usize = 10_000;

/// Links each object of the suite with `--eh-frame-hdr` and holds the file against the invariants. What the linker
/// refuses, such as objects of other machines, is not compared.
///
/// # Errors
/// When there is no such linker, it is of another version, or a file cannot be written.
pub fn ask(linker: &OsStr, version: &str, cases: &Path) -> anyhow::Result<Answers> {
    check_version(linker, version)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let objects = cases.join(OBJECTS);
    let mut answers = Answers::new();
    for entry in fs::read_dir(&objects).with_context(|| objects.display().to_string())? {
        let object = entry?.path();
        let name = object.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".o") {
            let linked = folder.path().join(&name);
            let mut link = Command::new(linker);
            link.arg("--eh-frame-hdr").arg(&object).arg("-o").arg(&linked);
            if !run(link)?.1 && linked.exists() {
                fs::remove_file(&linked)?;
            }
            answers.insert(format!("{OBJECTS}/{name}"), CaseAnswer::default());
        }
    }
    let settings = SurveySettings {
        image: image::Options {
            debug_files: false,
            surroundings: Surroundings::Code,
            ..image::Options::default()
        },
        sections: vec![SectionKind::EhFrame],
        max_places: PLACES,
        jobs: 0,
    };
    campaign::survey(&Plan::new(&[folder.path().to_owned()]), &settings, |file| {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let compared = file.cases.iter().any(|case| case.ours.fdes > 0);
        let flags = file.invariants.iter().flat_map(flags).collect();
        answers.insert(format!("{OBJECTS}/{name}"), CaseAnswer { compared, flags, ..CaseAnswer::default() });
        ControlFlow::Continue(())
    })
    .map_err(anyhow::Error::msg)?;
    Ok(answers)
}

/// A flag for each place of a broken invariant.
fn flags(broken: &BrokenInvariant) -> Vec<Flag> {
    let flag = |place: &Place| Flag {
        key: broken.key.name(),
        verdict: broken.severity.name(),
        is_unexplained: broken.severity != Severity::Info,
        place: format!("{}+{}", broken.section, place.offset),
        words: place.found.clone(),
    };
    broken.places.iter().map(flag).collect()
}

/// The first line of what it says of itself has to have the version, behind its name.
fn check_version(linker: &OsStr, version: &str) -> anyhow::Result<()> {
    let mut ask = Command::new(linker);
    ask.arg("--version");
    let (said, _) = run(ask)?;
    let first = said.lines().next().unwrap_or_default().to_owned();
    let wanted = numbers(version.rsplit(' ').next().unwrap_or_default());
    let is_it = first.split_whitespace().any(|word| numbers(word).starts_with(&wanted));
    ensure!(is_it && !wanted.is_empty(), "{} is another version: {first:?}", linker.to_string_lossy());
    Ok(())
}

/// What a linker prints, and whether it succeeds.
///
/// # Errors
/// When it cannot be started.
fn run(command: Command) -> anyhow::Result<(String, bool)> {
    let words = format!("{command:?}");
    let mut said = Vec::new();
    let ended = process::run(command, Errors::Merged, LIMITS, &mut |chunk| {
        said.extend_from_slice(chunk);
        ControlFlow::Continue(())
    });
    let ended = ended.with_context(|| words)?;
    let succeeds = ended.failure().is_none() && ended.status.success();
    Ok((String::from_utf8_lossy(&said).into_owned(), succeeds))
}
