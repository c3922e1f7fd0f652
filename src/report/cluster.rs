//! Clusters: findings that one cause explains or that look alike, with how many they are and where the first ones are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use cfidiff_model::{Finding, Key, SectionOffset, Verdict};

use crate::campaign::FileReport;
use crate::compare::Likeness;
use crate::report::{counted, printable};

/// How many places of a cluster are kept: the first ones, each in a file of its own.
pub const MAX_PLACES: usize = 5;
/// How many clusters of one reader and key there are at most before the rest goes into one.
const MAX_PATTERNS: usize = 16;
/// How many letters of an answer are kept.
const MAX_WORDS: usize = 1000;

/// The clusters of a run. What is kept does not grow with the number of files and findings.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// The tool of each reader that is one of several versions.
    tools: BTreeMap<String, String>,
    by_id: BTreeMap<Id, Cluster>,
    /// How many files were added.
    files: u64,
}

/// What tells clusters apart. Findings that a cause explains are one cluster, whoever has them; others are told apart
/// by the tool, the key and how the answers differ.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Id {
    verdict: Verdict,
    cause: String,
    tool: String,
    key: Option<Key>,
    pattern: String,
}

/// Findings that are one to whoever has to do something about them.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The verdict of all of them.
    pub verdict: Verdict,
    /// The cause as in the findings; empty for unexplained differences.
    pub cause: String,
    /// The tool that unexplained differences and failures are those of, in any version; else empty.
    pub tool: String,
    /// How the answers differ, for what no cause explains.
    pub pattern: String,
    /// The keys of the findings.
    pub keys: BTreeSet<Key>,
    /// The readers with how many of the findings are theirs, in the order in which they were met.
    pub readers: Vec<(String, u64)>,
    /// How many findings.
    pub count: u64,
    /// In how many files.
    pub files: u64,
    /// The first places, of which there is at least one.
    pub places: Vec<Place>,
    /// The first finding that is listed in words, if any is.
    pub example: Option<Example>,
    /// The number of the last file that was counted.
    last_file: u64,
}

/// Where a finding is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file's path.
    pub path: PathBuf,
    /// The case's name: the path, with the member in parentheses for one of an archive.
    pub case: String,
    /// The section and the record's offset in it, where the finding is about one.
    pub record: Option<(String, SectionOffset)>,
}

/// The words of one finding, cut where they are long.
#[derive(Clone, Debug)]
pub struct Example {
    /// Where it is.
    pub place: Place,
    /// What our reader says.
    pub ours: String,
    /// What the other reader says.
    pub theirs: String,
    /// Why the verdict is what it is.
    pub reason: String,
    /// A command that shows it.
    pub repro: String,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.record {
            Some((section, offset)) => write!(formatter, "{} {section}+{offset}", self.case),
            None => formatter.write_str(&self.case),
        }
    }
}

/// Whether findings with this verdict have a cause that excuses them.
pub fn is_explained(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Open | Verdict::KnownFault)
}

impl Clusters {
    /// No clusters yet. Findings of the versions of one tool go together: `tools` names the tool of each reader, and
    /// one that is not in it is a tool by itself.
    pub fn new(tools: BTreeMap<String, String>) -> Clusters {
        Clusters { tools, ..Clusters::default() }
    }

    /// Adds the findings of a file.
    pub fn add(&mut self, report: &FileReport) {
        self.files += 1;
        for finding in &report.findings {
            let Finding { file, section, offset, reader, .. } = finding;
            let record = (!section.is_empty()).then(|| (section.clone(), *offset));
            let place = Place { path: report.path.clone(), case: file.clone(), record };
            let cluster = self.count(reader, Likeness::of(finding), 1, place.clone());
            cluster.example.get_or_insert_with(|| Example {
                place,
                ours: cut(&finding.ours),
                theirs: cut(&finding.theirs),
                reason: cut(&finding.reason),
                repro: finding.repro.clone(),
            });
        }
        for ((reader, likeness), count) in &report.unlisted {
            let case = report.path.display().to_string();
            let place = Place { path: report.path.clone(), case, record: None };
            self.count(reader, likeness.clone(), *count, place);
        }
    }

    /// Counts findings of a reader in the file that was added last.
    fn count(&mut self, reader: &str, likeness: Likeness, count: u64, place: Place) -> &mut Cluster {
        let (file, key) = (self.files, likeness.key);
        let id = self.id(reader, likeness);
        let cluster = self.by_id.entry(id).or_insert_with_key(Cluster::new);
        cluster.count += count;
        cluster.keys.insert(key);
        match cluster.readers.iter_mut().find(|(name, _)| name == reader) {
            Some((_, number)) => *number += count,
            None => cluster.readers.push((reader.to_owned(), count)),
        }
        if cluster.last_file != file {
            (cluster.last_file, cluster.files) = (file, cluster.files + 1);
            if cluster.places.len() < MAX_PLACES {
                cluster.places.push(place);
            }
        }
        cluster
    }

    fn id(&self, reader: &str, likeness: Likeness) -> Id {
        let Likeness { verdict, cause, key, pattern } = likeness;
        if is_explained(verdict) {
            return Id { verdict, cause, tool: String::new(), key: None, pattern: String::new() };
        }
        let tool = self.tools.get(reader).map_or(reader, String::as_str).to_owned();
        let mut id = Id { verdict, cause, tool, key: Some(key), pattern };
        if !self.by_id.contains_key(&id) {
            let all = Id { pattern: String::new(), ..id.clone() };
            let is_other = |other: &Id| Id { pattern: String::new(), ..other.clone() } != all;
            if self.by_id.range(all.clone()..).take_while(|(id, _)| !is_other(id)).count() >= MAX_PATTERNS {
                id = all;
            }
        }
        id
    }

    /// All clusters, by verdict, cause, tool, key and pattern.
    pub fn iter(&self) -> impl Iterator<Item = &Cluster> {
        self.by_id.values()
    }

    /// All clusters: what nothing explains before what broke before what is explained, and within each the largest first.
    pub fn by_weight(&self) -> Vec<&Cluster> {
        let mut clusters: Vec<&Cluster> = self.iter().collect();
        clusters.sort_by_key(|cluster| {
            let rank = match cluster.verdict {
                Verdict::Differ => 0,
                Verdict::OracleFailed => 1,
                Verdict::Agree | Verdict::Open | Verdict::KnownFault => 2,
            };
            (rank, std::cmp::Reverse(cluster.count))
        });
        clusters
    }
}

impl Cluster {
    fn new(id: &Id) -> Cluster {
        let Id { verdict, cause, tool, pattern, .. } = id.clone();
        Cluster {
            verdict,
            cause,
            tool,
            pattern,
            keys: BTreeSet::new(),
            readers: Vec::new(),
            count: 0,
            files: 0,
            places: Vec::new(),
            example: None,
            last_file: 0,
        }
    }

    /// The first key.
    pub fn key(&self) -> Option<Key> {
        self.keys.first().copied()
    }

    /// The first place: that of the example if there is one.
    pub fn first(&self) -> Option<&Place> {
        self.example.as_ref().map(|example| &example.place).or(self.places.first())
    }

    /// The names of the readers.
    pub fn reader_names(&self) -> String {
        let names: Vec<&str> = self.readers.iter().map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    }

    /// What it is, in a few words that do not depend on how many findings there are.
    pub fn title(&self) -> String {
        let verdict = self.verdict.name();
        if is_explained(self.verdict) {
            return format!("{verdict}: {}", self.cause);
        }
        let key = self.key().map_or("", Key::name);
        match self.pattern.as_str() {
            "" => format!("{verdict} {key} ({})", self.tool),
            pattern => format!("{verdict} {key} ({}): {pattern}", self.tool),
        }
    }

    /// How many findings, of whom, in how many files.
    pub fn size(&self) -> String {
        let (findings, files) = (counted(self.count, "finding"), counted(self.files, "file"));
        format!("{findings} of {} in {files}", self.reader_names())
    }

    /// The example line by line, each with its label.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(first) = self.first() {
            lines.push(format!("first   {}", printable(&first.to_string())));
        }
        if let Some(Example { ours, theirs, reason, repro, .. }) = &self.example {
            for (label, words) in [("ours", ours), ("theirs", theirs), ("reason", reason), ("repro", repro)] {
                if !words.is_empty() {
                    lines.push(format!("{label:<7} {}", printable(words)));
                }
            }
        }
        lines
    }
}

fn cut(words: &str) -> String {
    match words.char_indices().nth(MAX_WORDS) {
        Some((end, _)) => format!("{}... ({} bytes)", &words[..end], words.len()),
        None => words.to_owned(),
    }
}
