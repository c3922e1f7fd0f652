//! The conformance suite: every case of `corpus/`, read by every reader that is there, against the manifest.
//!
//! `BLESS=1 cargo test --test corpus` rewrites the verdicts of the manifest from what the readers say; they are to
//! be read before they are committed. A reader that is missing, or that is not of the version that the verdicts
//! were taken from, is skipped; with `CFIDIFF_REQUIRE_ORACLES=all` a skip fails.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use cfidiff::campaign::{self, FileReport, Plan, Settings};
use cfidiff::compare::Judge;
use cfidiff::image;
use cfidiff::report::Summary;
use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{Finding, Says, SectionKind, Verdict};
use cfidiff_oracles::known::{self, Known};
use cfidiff_oracles::{NAMES, Oracle, probe};
use serde::Deserialize;
use walkdir::WalkDir;

/// The most that all cases may have together, so that a checkout stays small.
const MAX_CORPUS_BYTES: u64 = 4 << 20;

/// What the manifest starts with.
const HEAD: &str = "\
# The cases of this corpus. `name` is the file below `cases/`; `about` tells what it exercises; `faults` is where it
# breaks the format; then each reader's verdict on it, which is `agree` or the causes of all differences. See
# README.md. `BLESS=1 cargo test --test corpus` rewrites faults and verdicts.
";

/// The manifest, `corpus/manifest.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Manifest {
    /// The version of each reader that the verdicts were taken from.
    taken_from: BTreeMap<String, String>,
    #[serde(default)]
    case: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
struct Entry {
    /// Topic and name: the path of the file below `cases/`.
    name: String,
    /// What it exercises, in one line.
    about: String,
    /// Where it breaks the format: the keys of the faults that our reader finds.
    #[serde(default)]
    faults: Vec<String>,
    /// Each reader's verdict.
    #[serde(flatten)]
    verdicts: BTreeMap<String, String>,
}

impl Manifest {
    fn read() -> Manifest {
        let path = corpus().join("manifest.toml");
        let text = fs::read_to_string(&path).expect("the manifest is there");
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}\n[taken-from]\n");
        for (reader, version) in &self.taken_from {
            let _ = writeln!(text, "{reader} = {}", quoted(version));
        }
        for Entry { name, about, faults, verdicts } in &self.case {
            let _ = write!(text, "\n[[case]]\nname = {}\nabout = {}\n", quoted(name), quoted(about));
            if !faults.is_empty() {
                let _ = writeln!(text, "faults = {}", toml::Value::from(faults.clone()));
            }
            for (reader, verdict) in verdicts {
                let _ = writeln!(text, "{reader} = {}", quoted(verdict));
            }
        }
        text
    }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn corpus() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"))
}

fn is_blessing() -> bool {
    let blessing = env::var_os("BLESS").is_some_and(|value| value == "1");
    assert!(!(blessing && env::var_os("CI").is_some()), "verdicts are read by a person, not blessed in CI");
    blessing
}

/// What the readers that are there say of the whole corpus.
struct Run {
    readers: Vec<Box<dyn Oracle>>,
    /// Each case's report by its name.
    reports: BTreeMap<String, FileReport>,
    summary: Summary,
}

impl Run {
    /// The one run that all tests look at.
    fn get() -> &'static Run {
        static RUN: OnceLock<Run> = OnceLock::new();
        RUN.get_or_init(|| {
            let readers = readers(&Manifest::read().taken_from);
            let cases = corpus().join("cases");
            let plan = Plan::new(std::slice::from_ref(&cases));
            let settings = Settings {
                readers: &readers,
                judge: &Judge::new(known::load().expect("the lists parse")),
                image: image::Options { debug_files: false, ..image::Options::default() },
                sections: vec![SectionKind::EhFrame, SectionKind::DebugFrame],
                max_findings: usize::MAX,
                jobs: 0,
            };
            let mut summary = Summary::new(&plan, &readers, Vec::new());
            let mut reports = BTreeMap::new();
            campaign::run(&plan, &settings, |report| {
                summary.add(&report);
                reports.insert(name_of(&cases, &report.path), report);
                ControlFlow::Continue(())
            })
            .expect("the run starts");
            Run { readers, reports, summary }
        })
    }

    /// A reader's verdict on a case, as the manifest writes it.
    fn verdict(&self, reader: usize, report: &FileReport) -> String {
        if let Some(error) = &report.error {
            return format!("unreadable: {error}");
        }
        let name = self.readers[reader].name();
        let causes: BTreeSet<String> =
            report.findings.iter().filter(|finding| finding.reader == name).map(cause).collect();
        if !causes.is_empty() {
            return causes.into_iter().collect::<Vec<_>>().join("; ");
        }
        let compared: u64 = report.cases.iter().map(|case| case.readers[reader].records.total()).sum();
        if compared == 0 { "nothing to compare".to_owned() } else { "agree".to_owned() }
    }
}

/// Where a case breaks the format.
fn faults(path: &Path) -> Vec<String> {
    let image = image::open(path, &image::Options::default()).expect("the case can be opened");
    let mut keys = BTreeSet::new();
    let mut entry = cfidiff_model::Entry::default();
    for case in &image.cases {
        for (_, section) in case.frame_sections() {
            let mut table = Table::new(Reader::new(section, case.target));
            for index in 0..table.len() {
                table.fill(index, Says::INSTRUCTIONS | Says::ROWS, &mut entry);
                keys.extend(entry.faults.iter().map(|fault| fault.kind.name().to_owned()));
            }
        }
    }
    keys.into_iter().collect()
}

/// A finding's verdict with its cause; what nothing explains has its key for a cause.
fn cause(finding: &Finding) -> String {
    let cause = match finding.cause.as_str() {
        "" => finding.key.name().to_owned(),
        cause => cause.replace(": ", " "),
    };
    format!("{}: {cause}", finding.verdict.name())
}

/// The readers that are there in the versions that the manifest was taken from. While blessing, any version.
fn readers(taken_from: &BTreeMap<String, String>) -> Vec<Box<dyn Oracle>> {
    let mut there = Vec::new();
    for name in NAMES {
        let why = match probe(name, Duration::from_secs(600)).expect("a name of the list") {
            Err(missing) => format!("{} not found", missing.name),
            Ok(oracle) => match taken_from.get(name) {
                Some(version) if version != oracle.version() && !is_blessing() => {
                    format!("{name} is {}, the verdicts were taken from {version}", oracle.version())
                }
                _ => {
                    there.push(oracle);
                    continue;
                }
            },
        };
        println!("skipped: {why}");
        assert!(env::var_os("CFIDIFF_REQUIRE_ORACLES").is_none_or(|value| value != "all"), "skipped: {why}");
    }
    there
}

fn name_of(cases: &Path, path: &Path) -> String {
    let name = path.strip_prefix(cases).expect("a path below the cases");
    name.to_str().expect("a name in UTF-8").to_owned()
}

fn files() -> Vec<(String, PathBuf)> {
    let cases = corpus().join("cases");
    WalkDir::new(&cases)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("the cases can be listed"))
        .filter(|entry| !entry.file_type().is_dir())
        .map(|entry| (name_of(&cases, entry.path()), entry.into_path()))
        .collect()
}

#[test]
fn the_manifest_lists_the_files() {
    let names: BTreeSet<String> = files().into_iter().map(|(name, _)| name).collect();
    let manifest = Manifest::read();
    let listed: Vec<&String> = manifest.case.iter().map(|case| &case.name).collect();
    assert!(listed.is_sorted_by(|a, b| a < b), "the manifest is sorted by name, each once");
    let listed: BTreeSet<String> = listed.into_iter().cloned().collect();
    let not_listed: Vec<_> = names.difference(&listed).collect();
    let not_there: Vec<_> = listed.difference(&names).collect();
    assert!(not_listed.is_empty(), "not in the manifest: {not_listed:?}");
    assert!(not_there.is_empty(), "without a file: {not_there:?}");
    for case in &manifest.case {
        assert!(case.name.split('/').count() == 2, "{} is not `topic/name`", case.name);
        assert!(!case.about.trim().is_empty() && !case.about.contains('\n'), "{}: no about", case.name);
        let readers: Vec<&String> = case.verdicts.keys().collect();
        assert!(readers.iter().all(|name| NAMES.contains(&name.as_str())), "{}: {readers:?}", case.name);
    }
}

#[test]
fn the_files_are_data_and_few_bytes() {
    let mut bytes = 0;
    for (name, path) in files() {
        let meta = fs::symlink_metadata(path).expect("the file is there");
        assert!(meta.is_file(), "{name} is no plain file");
        assert_eq!(meta.permissions().mode() & 0o111, 0, "{name} is executable");
        bytes += meta.len();
    }
    assert!(bytes <= MAX_CORPUS_BYTES, "{bytes} bytes");
}

#[test]
fn the_verdicts_are_those_of_the_manifest() {
    let run = Run::get();
    let mut manifest = Manifest::read();
    let mut wrong = String::new();
    for case in &mut manifest.case {
        let Some(report) = run.reports.get(&case.name) else { continue };
        let faults = faults(&report.path);
        if case.faults != faults {
            let _ = writeln!(wrong, "{}: faults {:?}, now {faults:?}", case.name, case.faults);
            case.faults = faults;
        }
        for (index, reader) in run.readers.iter().enumerate() {
            let verdict = run.verdict(index, report);
            let listed = case.verdicts.get(reader.name()).map_or("nothing", String::as_str);
            if listed != verdict {
                let _ = writeln!(wrong, "{} ({})", case.name, reader.name());
                let _ = writeln!(wrong, "    manifest: {listed}\n    now:      {verdict}");
                case.verdicts.insert(reader.name().to_owned(), verdict);
            }
        }
    }
    if is_blessing() {
        for reader in &run.readers {
            manifest.taken_from.insert(reader.name().to_owned(), reader.version().to_owned());
        }
        // By a second name, so that the other tests never read half of it.
        let (new, path) = (corpus().join("manifest.toml.new"), corpus().join("manifest.toml"));
        fs::write(&new, manifest.text()).expect("the manifest can be written");
        return fs::rename(new, path).expect("the manifest can be replaced");
    }
    assert!(wrong.is_empty(), "verdicts that changed (read them, then BLESS=1):\n{wrong}");
    let text = fs::read_to_string(corpus().join("manifest.toml")).expect("the manifest is there");
    assert!(text == manifest.text(), "the manifest is not in the form that BLESS=1 writes");
}

#[test]
fn nothing_is_unexplained_and_no_reader_broke() {
    let Run { reports, summary, .. } = Run::get();
    let mut open = String::new();
    for finding in reports.values().flat_map(|report| &report.findings) {
        if matches!(finding.verdict, Verdict::Differ | Verdict::OracleFailed) {
            let Finding { file, key, ours, theirs, repro, .. } = finding;
            let _ = writeln!(open, "{file} {}: ours {ours}, theirs {theirs}\n    {repro}", key.name());
        }
    }
    assert!(open.is_empty(), "unexplained:\n{open}");
    assert_eq!((summary.unexplained, summary.broken, summary.unreadable), (0, 0, 0));
    assert_eq!(summary.exit(), campaign::Exit::Agree);
}

#[test]
fn known_entries_are_honest() {
    let run = Run::get();
    let manifest = Manifest::read();
    for known in known::load().expect("the lists parse") {
        let Known { id, case, reader, .. } = &known;
        let entry = manifest.case.iter().find(|entry| entry.name == *case);
        let entry = entry.unwrap_or_else(|| panic!("{id}: the corpus has no case {case}"));
        let shows = |verdict: &String| verdict.split("; ").any(|part| part.ends_with(&format!(": {id}")));
        let listed = entry.verdicts.iter().any(|(name, verdict)| is_of(&known, name) && shows(verdict));
        assert!(listed, "{id}: the manifest does not say that {case} shows it");
        let asked: Vec<&str> = run
            .readers
            .iter()
            .filter(|oracle| is_of(&known, oracle.name()) && known.covers_version(oracle.version()))
            .map(|oracle| oracle.name())
            .collect();
        // With a reader skipped, nobody can tell who of all readers would have shown an open question.
        if asked.is_empty() || (reader == "*" && run.readers.len() < NAMES.len()) {
            continue;
        }
        let mut findings = run.reports[case].findings.iter();
        let found = findings.any(|finding| finding.cause == *id && asked.contains(&finding.reader.as_str()));
        assert!(found, "{id}: {case} shows it with none of {asked:?}");
    }
}

fn is_of(known: &Known, reader: &str) -> bool {
    known.reader == "*" || known.reader == reader
}
