//! What is told: text, JSON, and the table of the README.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use cfidiff::corpus::Verdicts;
use comfy_table::Table as TextTable;
use serde::Serialize;

use crate::AllAnswers;
use crate::install::Cache;
use crate::judge::Outcome;
use crate::pairs::{Column, Control, Pair, Table};
use crate::replay::Answers;

/// The name of the README's table in its marker.
const MARKER: &str = "history";

/// How one line of the table ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Both versions were asked.
    Replayed(Outcome),
    /// A version could not be had or asked.
    Broke(String),
}

impl State {
    /// The verdict in a word or two.
    fn verdict(&self) -> String {
        match self {
            State::Replayed(outcome) => outcome.verdict().to_owned(),
            State::Broke(_) => "BROKE".to_owned(),
        }
    }
}

/// A pair or a control with what it came to.
#[derive(Debug, Serialize)]
pub struct Entry<'t> {
    id: &'t str,
    /// Whether it must not be flagged.
    control: bool,
    reader: &'t str,
    /// The version that has to be flagged; of a control the older one.
    bad: &'t str,
    /// The version that must not be flagged; of a control the newer one.
    good: &'t str,
    what: &'t str,
    class: &'t str,
    link: &'t str,
    topic: &'t str,
    keys: &'t [String],
    /// How it ended.
    pub state: State,
}

impl<'t> Entry<'t> {
    /// The line of a pair.
    pub fn of_pair(pair: &'t Pair, state: State) -> Entry<'t> {
        Entry {
            id: &pair.id,
            control: false,
            reader: &pair.reader,
            bad: &pair.bad,
            good: &pair.good,
            what: &pair.what,
            class: &pair.class,
            link: &pair.link,
            topic: &pair.topic,
            keys: &pair.keys,
            state,
        }
    }

    /// The line of a control.
    pub fn of_control(control: &'t Control, state: State) -> Entry<'t> {
        Entry {
            id: &control.id,
            control: true,
            reader: &control.reader,
            bad: &control.old,
            good: &control.new,
            what: &control.what,
            class: "",
            link: "",
            topic: "",
            keys: &[],
            state,
        }
    }

    /// What the first of the two versions showed, in words.
    fn of_bad(&self) -> String {
        match &self.state {
            State::Replayed(outcome) if self.control => format!("{} answers compared", outcome.on_cases),
            State::Replayed(outcome) => {
                let first =
                    outcome.first.as_deref().map(|first| format!(", first {first}")).unwrap_or_default();
                format!(
                    "{} on {}{first}",
                    counted(outcome.findings, "finding"),
                    counted(outcome.on_cases as u64, "case")
                )
            }
            State::Broke(_) => String::new(),
        }
    }

    fn of_good(&self) -> String {
        match &self.state {
            State::Replayed(outcome) => outcome.of_good.to_string(),
            State::Broke(_) => String::new(),
        }
    }
}

/// A number with its noun.
fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The table for a terminal, below it what is wrong, and the sum last.
pub fn text(entries: &[Entry<'_>]) -> String {
    let mut table = TextTable::new();
    table.load_preset(comfy_table::presets::NOTHING);
    table.set_header(["id", "reader", "bad", "good", "bad is flagged", "good", "verdict"]);
    for entry in entries {
        let (bad, good) = (entry.of_bad(), entry.of_good());
        table.add_row([entry.id, entry.reader, entry.bad, entry.good, &bad, &good, &entry.state.verdict()]);
    }
    let mut text = format!("{}\n", table.trim_fmt());
    for entry in entries {
        match &entry.state {
            State::Replayed(outcome) => {
                for wrong in &outcome.wrong {
                    let _ = writeln!(text, "{}: {wrong}", entry.id);
                }
            }
            State::Broke(why) => _ = writeln!(text, "{}: {why}", entry.id),
        }
    }
    let (controls, pairs): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.control);
    let _ = writeln!(text, "{}; {}", sum(&pairs, "pair", "found again"), sum(&controls, "control", "silent"));
    text
}

fn sum(entries: &[&Entry<'_>], noun: &str, word: &str) -> String {
    let right =
        entries.iter().filter(|entry| matches!(&entry.state, State::Replayed(outcome) if outcome.is_right()));
    format!("{} of {} {word}", right.count(), counted(entries.len() as u64, noun))
}

/// The entries as one JSON array.
///
/// # Errors
/// None that a caller can meet; serializing says that it may fail.
pub fn json(entries: &[Entry<'_>]) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(entries)?)
}

/// The pairs and controls of the table, and what is installed of them.
pub fn list(table: &Table, cache: &Cache) -> String {
    let mut text = TextTable::new();
    text.load_preset(comfy_table::presets::NOTHING);
    text.set_header(["id", "reader", "bad", "good", "installed", "what"]);
    let installed = |reader: &str, versions: [&str; 2]| {
        let is_there = |version: &&str| cache.find(reader, version, &table.reader[reader]).is_some();
        match versions.iter().filter(|version| is_there(version)).count() {
            2 => "yes",
            _ => "no",
        }
    };
    for pair in &table.pair {
        let (reader, there) = (pair.reader.as_str(), installed(&pair.reader, [&pair.bad, &pair.good]));
        text.add_row([&pair.id, reader, &pair.bad, &pair.good, there, &pair.what]);
    }
    for control in &table.control {
        let (reader, there) =
            (control.reader.as_str(), installed(&control.reader, [&control.old, &control.new]));
        text.add_row([
            &control.id,
            reader,
            &control.old,
            &control.new,
            there,
            &format!("control: {}", control.what),
        ]);
    }
    format!("{}\n", text.trim_fmt())
}

/// What one version is flagged for and another is not, by case and key: how many findings each has.
pub fn comparison(bad: &Answers, good: &Answers) -> String {
    let count = |answers: &Answers| {
        let mut counts: BTreeMap<(String, &'static str), (u64, String)> = BTreeMap::new();
        for (name, answer) in answers {
            for flag in &answer.flags {
                let count = counts.entry((name.clone(), flag.key)).or_default();
                count.0 += 1;
                if count.0 == 1 {
                    count.1 = format!("{} at {}: {}", flag.verdict, flag.place, flag.words);
                }
            }
        }
        counts
    };
    let (bad, good) = (count(bad), count(good));
    let mut text = String::new();
    for ((case, key), (number, words)) in &bad {
        let others = good.get(&(case.clone(), *key)).map_or(0, |(number, _)| *number);
        if others < *number {
            let _ = writeln!(text, "{case} {key}: {number} against {others}; {words}");
        }
    }
    text
}

/// What the versions of the README's matrix make of each case.
///
/// # Errors
/// When one of them could not be asked.
pub fn verdicts(table: &Table, answers: &AllAnswers) -> anyhow::Result<Verdicts> {
    let mut list = Verdicts::default();
    for Column { name, reader, version } in &table.matrix {
        let answers = match answers.get(&(reader.clone(), version.clone())) {
            Some(Ok(answers)) => answers,
            Some(Err(why)) => bail!("{name}: {why}"),
            None => bail!("{name} was not asked"),
        };
        list.taken_from.insert(name.clone(), version.clone());
        for (case, answer) in answers {
            list.set(case, name, answer.verdict.clone());
        }
    }
    Ok(list)
}

/// The table for the README.
fn markdown(entries: &[Entry<'_>]) -> String {
    let mut text =
        "| id | reader | bad → good | what was wrong | topic | bad is flagged | good | |\n".to_owned();
    text += &format!("|{}\n", "---|".repeat(8));
    for entry in entries {
        let id = match entry.link {
            "" => entry.id.to_owned(),
            link => format!("[{}]({link})", entry.id),
        };
        let what = if entry.control { format!("no fault: {}", entry.what) } else { entry.what.to_owned() };
        let topic = if entry.topic.is_empty() { String::new() } else { format!("`{}`", entry.topic) };
        let bad = match &entry.state {
            State::Replayed(outcome) if !entry.control => {
                let keys = entry.keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                format!("{} × {keys} on {}", outcome.findings, counted(outcome.on_cases as u64, "case"))
            }
            _ => entry.of_bad(),
        };
        let versions = format!("{} → {}", entry.bad, entry.good);
        let cells =
            [&id, entry.reader, &versions, &what, &topic, &bad, &entry.of_good(), &entry.state.verdict()];
        let _ = writeln!(text, "| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    text
}

/// Puts the table between its markers.
///
/// # Errors
/// When the README cannot be read or written, or has no markers.
pub fn write_readme(readme: &Path, entries: &[Entry<'_>]) -> anyhow::Result<()> {
    let text = fs::read_to_string(readme).with_context(|| readme.display().to_string())?;
    let start = format!("<!-- {MARKER} -->\n");
    let (head, rest) = text.split_once(&start).context("the README has no place for the table")?;
    let (_, tail) = rest.split_once("<!-- end -->").context("the README's table has no end")?;
    let text = format!("{head}{start}{}<!-- end -->{tail}", markdown(entries));
    fs::write(readme, text).with_context(|| readme.display().to_string())
}
