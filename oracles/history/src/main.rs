//! Replays the public history of readers of call frame information: for each fault that was found and mended, the
//! version that had it is flagged on the conformance suite, and the version without it is not.

mod install;
mod judge;
mod link;
mod pairs;
mod replay;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use cfidiff::campaign::Exit;
use cfidiff_gen::variants;
use clap::{Parser, Subcommand, ValueEnum};
use nix::sys::resource::{Resource, setrlimit};

use crate::install::Cache;
use crate::pairs::Table;
use crate::replay::Answers;
use crate::report::{Entry, State};

/// The conformance suite of this checkout.
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/cases");
/// Where the table of results is, between markers.
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
/// The address space that a reader may use, in bytes. Some old ones take what an input asks for.
const MEMORY: u64 = 4 << 30;
/// What old versions make of the suite, and what writes it.
const VERDICTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/readers.toml");
const COMMAND: &str = "cargo run --release --manifest-path oracles/history/Cargo.toml -- run --readme";

/// Replays old faults of other readers on the conformance suite.
#[derive(Parser)]
#[command(max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Sub,
    /// The folder with the installed versions. Default: history beside the caches of cfidiff, in the user's cache
    /// folder.
    #[arg(long, global = true, value_name = "DIR")]
    cache: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Sub {
    /// List the pairs and controls, and which versions are installed.
    List,
    /// Install the versions that the pairs need.
    Install {
        /// Pairs or controls. Default: all.
        ids: Vec<String>,
    },
    /// Install what is missing, ask each version about the whole suite, and tell whether each pair shows.
    Run {
        /// Pairs or controls. Default: all.
        ids: Vec<String>,
        /// The form of the report.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
        /// Write the table into the README as well, and into readers.toml the verdicts on the suite of the old versions
        /// that stand in the README's matrix.
        #[arg(long, conflicts_with = "ids")]
        readme: bool,
    },
    /// Tell what one version is flagged for on the suite and another is not: what a new pair is made from.
    Compare {
        /// A reader of the table.
        reader: String,
        /// The version with the findings.
        bad: String,
        /// The version without them.
        good: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(error) => {
            eprintln!("cfidiff-history: {error:#}");
            ExitCode::from(Exit::Usage.code())
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<Exit> {
    let table = Table::load()?;
    let folder = arguments.cache.or_else(|| Some(variants::Cache::user_folder()?.with_file_name("history")));
    let cache = Cache::new(std::path::absolute(
        folder.context("no home to install to, name a folder with --cache")?,
    )?);
    match arguments.command {
        Sub::List => {
            print!("{}", report::list(&table, &cache));
            Ok(Exit::Agree)
        }
        Sub::Install { ids } => {
            let failed =
                versions(&table, &ids)?.iter().filter(|version| !install(&table, &cache, version)).count();
            Ok(if failed == 0 { Exit::Agree } else { Exit::ReaderBroke })
        }
        Sub::Run { ids, format, readme } => {
            let answers = ask_all(&table, &cache, &versions(&table, &ids)?);
            let entries = judge_all(&table, &answers, &ids)?;
            match format {
                Format::Text => print!("{}", report::text(&entries)),
                Format::Json => println!("{}", report::json(&entries)?),
            }
            if readme {
                report::write_readme(Path::new(README), &entries)?;
                let list = report::verdicts(&table, &answers)?;
                fs::write(VERDICTS, list.text(COMMAND)).context(VERDICTS)?;
            }
            Ok(exit(&entries))
        }
        Sub::Compare { reader, bad, good } => {
            ensure!(table.reader.contains_key(&reader), "the table has no reader {reader:?}");
            let answers = ask_all(
                &table,
                &cache,
                &BTreeSet::from([(reader.clone(), bad.clone()), (reader.clone(), good.clone())]),
            );
            let of = |version: &String| match &answers[&(reader.clone(), version.clone())] {
                Ok(answers) => Ok(answers),
                Err(why) => Err(anyhow::anyhow!("{reader} {version}: {why}")),
            };
            print!("{}", report::comparison(of(&bad)?, of(&good)?));
            Ok(Exit::Agree)
        }
    }
}

/// A reader and a version of it.
type Version = (String, String);
/// What each version answers, or why it cannot be asked.
type AllAnswers = BTreeMap<Version, Result<Answers, String>>;

/// The versions that these pairs and controls need and that can be replayed.
fn versions(table: &Table, ids: &[String]) -> anyhow::Result<BTreeSet<Version>> {
    for id in ids {
        let is_there = table.pair.iter().any(|pair| pair.id == *id)
            || table.control.iter().any(|control| control.id == *id);
        ensure!(is_there, "the table has no {id}; list tells what it has");
    }
    let wanted = |id: &String| ids.is_empty() || ids.contains(id);
    let mut versions = BTreeSet::new();
    if ids.is_empty() {
        versions.extend(table.matrix.iter().map(|each| (each.reader.clone(), each.version.clone())));
    }
    for pair in table.pair.iter().filter(|pair| wanted(&pair.id)) {
        versions.extend([&pair.bad, &pair.good].map(|version| (pair.reader.clone(), version.clone())));
    }
    for control in table.control.iter().filter(|control| wanted(&control.id)) {
        versions
            .extend([&control.old, &control.new].map(|version| (control.reader.clone(), version.clone())));
    }
    Ok(versions)
}

/// Installs a version and tells what comes of it.
fn install(table: &Table, cache: &Cache, (reader, version): &Version) -> bool {
    let recipe = &table.reader[reader];
    if cache.find(reader, version, recipe).is_some() {
        return true;
    }
    eprintln!("cfidiff-history: installs {reader} {version}");
    let installed = cache.install(reader, version, recipe);
    if let Err(error) = &installed {
        eprintln!("cfidiff-history: {reader} {version} is not installed: {error:#}");
    }
    installed.is_ok()
}

/// What each version answers, or why it cannot be asked.
fn ask_all(table: &Table, cache: &Cache, versions: &BTreeSet<Version>) -> AllAnswers {
    for version in versions {
        install(table, cache, version);
    }
    // Readers inherit it. What is compiled needs no limit.
    if let Err(error) = setrlimit(Resource::RLIMIT_AS, MEMORY, MEMORY) {
        eprintln!("cfidiff-history: the memory of readers is not limited: {error}");
    }
    // Readers quote the path, so it is a short one.
    let cases = fs::canonicalize(CASES).unwrap_or_else(|_| CASES.into());
    let ask = |(reader, version): &Version| {
        eprintln!("cfidiff-history: asks {reader} {version}");
        let Some(installed) = cache.find(reader, version, &table.reader[reader]) else {
            return Err("it is not installed".to_owned());
        };
        replay::ask(reader, version, &installed, &cases).map_err(|error| format!("{error:#}"))
    };
    // The versions of one reader after each other, beside those of the others: who hangs keeps no one waiting.
    let mut by_reader: BTreeMap<&str, Vec<&Version>> = BTreeMap::new();
    for version in versions {
        by_reader.entry(&version.0).or_default().push(version);
    }
    let ask_each = |versions: Vec<&Version>| -> Vec<(Version, Result<Answers, String>)> {
        versions.into_iter().map(|version| (version.clone(), ask(version))).collect()
    };
    std::thread::scope(|scope| {
        let asking: Vec<_> =
            by_reader.into_values().map(|versions| scope.spawn(|| ask_each(versions))).collect();
        // A panic of a thread is one of ours and goes on its way.
        let answered =
            asking.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        answered.flatten().collect()
    })
}

/// Holds what each pair and control expects against the answers.
fn judge_all<'t>(table: &'t Table, answers: &AllAnswers, ids: &[String]) -> anyhow::Result<Vec<Entry<'t>>> {
    let of = |reader: &String, version: &String| match &answers[&(reader.clone(), version.clone())] {
        Ok(answers) => Ok(answers),
        Err(why) => Err(format!("{reader} {version}: {why}")),
    };
    let wanted = |id: &String| ids.is_empty() || ids.contains(id);
    let mut entries = Vec::new();
    for pair in table.pair.iter().filter(|pair| wanted(&pair.id)) {
        let answers = of(&pair.reader, &pair.bad).and_then(|bad| Ok((bad, of(&pair.reader, &pair.good)?)));
        let state = match answers {
            Ok((bad, good)) => State::Replayed(judge::judge(pair, bad, good)?),
            Err(why) => State::Broke(why),
        };
        entries.push(Entry::of_pair(pair, state));
    }
    for control in table.control.iter().filter(|control| wanted(&control.id)) {
        let answers =
            of(&control.reader, &control.old).and_then(|old| Ok((old, of(&control.reader, &control.new)?)));
        let state = match answers {
            Ok((old, new)) => State::Replayed(judge::judge_control(control, old, new)?),
            Err(why) => State::Broke(why),
        };
        entries.push(Entry::of_control(control, state));
    }
    Ok(entries)
}

/// How a run ended, by the codes of the main command.
fn exit(entries: &[Entry<'_>]) -> Exit {
    let any = |is_so: &dyn Fn(&State) -> bool| entries.iter().any(|entry| is_so(&entry.state));
    if any(&|state| matches!(state, State::Replayed(outcome) if outcome.missed > 0 || outcome.of_good > 0)) {
        Exit::Findings
    } else if any(&|state| matches!(state, State::Broke(_))) {
        Exit::ReaderBroke
    } else if any(&|state| matches!(state, State::Replayed(outcome) if outcome.uncompared > 0)) {
        Exit::NothingCompared
    } else {
        Exit::Agree
    }
}
