//! `cfidiff doctor`: which readers are there, and what each can say.

use std::io::Write;
use std::time::Duration;

use cfidiff::campaign::Exit;
use cfidiff_model::Says;
use cfidiff_oracles::registry::{self, Found};
use cfidiff_oracles::{Missing, Pass, external};
use comfy_table::{Table, presets};
use serde::Serialize;

use crate::cli::{Common, Format, TIME_OUTS, plain_lines};

/// Tell which readers are there, what each can say, and how to install the others.
///
/// A missing reader is no failure, since `check` compares with those that are there: the exit code is 0 either way,
/// and the last line says how many are missing. In JSON Lines each reader has `installed`.
#[derive(clap::Args)]
pub struct Doctor {
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// How long a tool may take to tell its version, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(TIME_OUTS))]
    timeout: u64,
}

/// What each flag means, for the rows of the table.
const WORDS: [(Says, &str); 26] = [
    (Says::RECORDS, "offset, length and kind of records"),
    (Says::FORMAT, "32-bit or 64-bit format of records"),
    (Says::TERMINATORS, "zero terminators"),
    (Says::PAST_TERMINATOR, "records after a terminator"),
    (Says::AUGMENTATION_STRING, "CIE: augmentation string"),
    (Says::CIE_FACTORS, "CIE: factors, return address register"),
    (Says::CIE_VERSION, "CIE: version"),
    (Says::ADDRESS_SIZE, "CIE: address size"),
    (Says::SEGMENT_SIZE, "CIE: segment selector size"),
    (Says::CIE_AUGMENTATION_BYTES, "CIE: augmentation data as bytes"),
    (Says::AUGMENTATION, "augmentation data by its meaning"),
    (Says::FDE_AUGMENTATION_BYTES, "FDE: augmentation data as bytes"),
    (Says::CIE_OF_FDE, "FDE: its CIE"),
    (Says::CIE_POINTER, "FDE: CIE pointer as written"),
    (Says::SEGMENT, "FDE: segment selector"),
    (Says::RANGE, "FDE: initial location and address range"),
    (Says::LSDA, "FDE: LSDA"),
    (Says::INDIRECT, "FDE: whether its pointers are indirect"),
    (Says::INSTRUCTIONS, "instructions with operands"),
    (Says::INSTRUCTION_FORMS, "which encoding of an instruction was used"),
    (Says::ROWS, "rows of FDEs"),
    (Says::CIE_ROWS, "initial rows of CIEs"),
    (Says::ROWS_OF_NOPS, "rows of FDEs that hold only nops"),
    (Says::UNDEFINED_RULES, "rows: undefined apart from no rule"),
    (Says::ROW_EXPRESSIONS, "rows: contents of expressions"),
    (Says::ARCHITECTURAL_RULES, "rows: rules that the machine's ABI gives"),
];

/// The last row of the table, of readers that say nothing else.
const LOOK_UPS: &str = "CFA and return address at an address";

impl Doctor {
    /// Prints.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let time_out = Duration::from_secs(self.timeout);
        let readers = registry::probe_all(time_out);
        let mut out = common.output(None)?;
        match self.format {
            Format::Text => text(&readers, &mut out)?,
            Format::Jsonl => jsonl(&readers, &mut out)?,
        }
        out.flush()?;
        Ok(Exit::Agree)
    }
}

fn text(readers: &[Found], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["reader", "version", "family", "state"]);
    for reader in readers {
        match reader {
            Ok(oracle) => {
                let state = if oracle.reads_files() { "installed" } else { "built in" };
                table.add_row([oracle.name(), oracle.version(), oracle.family(), state]);
            }
            Err(missing) => {
                let state = format!("missing: {}", missing.why);
                table.add_row([&missing.name, "-", family(missing), &state]);
            }
        }
    }
    let there = readers.iter().flatten();
    let groups = groups(there.map(|oracle| (oracle.name(), oracle.passes(), oracle.looks_up())));
    writeln!(out, "{}", plain_lines(&table))?;
    write!(out, "{}\n{}", plain_lines(&numbers(&groups)), plain_lines(&what_they_say(&groups)))?;
    let missing: Vec<&Missing> = readers.iter().filter_map(|reader| reader.as_ref().err()).collect();
    writeln!(out)?;
    for missing in &missing {
        writeln!(out, "to install {}: {}", missing.name, missing.install)?;
    }
    if missing.is_empty() {
        writeln!(out, "all readers are there")?;
    } else {
        let there = readers.len() - missing.len();
        writeln!(out, "{there} of {} readers are there; check compares with these", readers.len())?;
    }
    Ok(())
}

/// Readers that say the same, with what that is. A reader with several passes is there once for each.
struct Group {
    names: Vec<String>,
    says: Says,
    looks_up: bool,
}

/// Puts the passes together that say the same, since versions of one tool do, and a column for each would not fit a
/// terminal.
fn groups<'a>(readers: impl Iterator<Item = (&'a str, &'a [Pass], bool)>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (reader, passes, looks_up) in readers {
        for pass in passes {
            let name = if passes.len() == 1 { reader.to_owned() } else { format!("{reader} {}", pass.name) };
            let is_same = |group: &&mut Group| group.says == pass.says && group.looks_up == looks_up;
            match groups.iter_mut().find(is_same) {
                Some(group) => group.names.push(name),
                None => groups.push(Group { names: vec![name], says: pass.says, looks_up }),
            }
        }
    }
    groups
}

/// Which readers the columns of the table are about, by their numbers.
fn numbers(groups: &[Group]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["column", "readers"]);
    for (index, group) in groups.iter().enumerate() {
        table.add_row([(index + 1).to_string(), folded(&group.names)]);
    }
    table
}

/// `llvm-dwarfdump-14, -19`: the versions of one tool without its name before each.
fn folded(names: &[String]) -> String {
    let mut text = String::new();
    let mut last = None;
    for name in names {
        let tool = registry::tool_of(name).map(|tool| tool.name);
        let version = tool.filter(|_| tool == last).and_then(|tool| name.strip_prefix(tool));
        if !text.is_empty() {
            text += ", ";
        }
        text += version.unwrap_or(name);
        last = tool;
    }
    text
}

/// What is said, by row; by which readers, by column.
fn what_they_say(groups: &[Group]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let heads = (1..=groups.len()).map(|number| number.to_string());
    table.set_header(std::iter::once("says".to_owned()).chain(heads));
    let mut row = |words, is_said: &dyn Fn(&Group) -> bool| {
        let cells = groups.iter().map(|group| if is_said(group) { "yes" } else { "-" });
        table.add_row(std::iter::once(words).chain(cells));
    };
    for (says, words) in WORDS {
        row(words, &|group| !group.looks_up && group.says.contains(says));
    }
    row(LOOK_UPS, &|group| group.looks_up);
    table
}

/// One line of JSON Lines.
#[derive(Serialize)]
#[serde(tag = "type", rename = "reader")]
struct ReaderLine<'a> {
    name: &'a str,
    family: &'a str,
    installed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    passes: Vec<PassLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    install: Option<&'a str>,
}

#[derive(Serialize)]
struct PassLine<'a> {
    name: &'a str,
    says: Vec<String>,
}

fn jsonl(readers: &[Found], out: &mut dyn Write) -> anyhow::Result<()> {
    for reader in readers {
        let (oracle, missing) = (reader.as_ref().ok(), reader.as_ref().err());
        let passes = oracle.map_or(&[][..], |oracle| oracle.passes());
        let looks_up = oracle.is_some_and(|oracle| oracle.looks_up());
        let said = |pass: &Pass| if looks_up { vec![external::LOOK_UPS.to_owned()] } else { keys(pass.says) };
        let line = ReaderLine {
            name: reader.as_ref().map_or_else(|missing| &*missing.name, |oracle| oracle.name()),
            family: reader.as_ref().map_or_else(family, |oracle| oracle.family()),
            installed: oracle.is_some(),
            version: oracle.map(|oracle| oracle.version()),
            passes: passes.iter().map(|pass| PassLine { name: pass.name, says: said(pass) }).collect(),
            why: missing.map(|missing| missing.why.as_str()),
            install: missing.map(|missing| missing.install.as_str()),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The names of the flags in kebab case.
fn keys(says: Says) -> Vec<String> {
    says.iter_names().map(|(name, _)| name.to_lowercase().replace('_', "-")).collect()
}

/// The family of a reader that is not there.
fn family(missing: &Missing) -> &str {
    registry::tool_of(&missing.name).map_or("-", |tool| tool.family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_has_words_once() {
        let mut seen = Says::empty();
        for (says, words) in WORDS {
            assert!(!seen.intersects(says), "{words} is there twice");
            seen |= says;
        }
        assert_eq!(seen, Says::all());
    }

    #[test]
    fn versions_that_say_the_same_share_a_column() {
        let pass = |name, says| Pass { name, says };
        let (rows, records) = (Says::ROWS.union(Says::RECORDS), Says::RECORDS);
        let readers: [(&str, &[Pass], bool); 6] = [
            ("gimli", &[pass("all", rows)], false),
            ("readelf", &[pass("raw", records), pass("interpreted", Says::ROWS)], false),
            ("llvm-dwarfdump-14", &[pass("all", rows)], false),
            ("llvm-dwarfdump-16", &[pass("all", Says::ROWS)], false),
            ("libdw", &[pass("answer", records)], true),
            ("llvm-dwarfdump-19", &[pass("all", rows)], false),
        ];
        let groups = groups(readers.into_iter());
        let told = groups.iter().map(|group| (folded(&group.names), group.says)).collect::<Vec<_>>();
        let expected = [
            ("gimli, llvm-dwarfdump-14, -19", rows),
            ("readelf raw", records),
            ("readelf interpreted, llvm-dwarfdump-16", Says::ROWS),
            ("libdw", records),
        ];
        assert_eq!(told, expected.map(|(names, says)| (names.to_owned(), says)));
        let table = plain_lines(&what_they_say(&groups));
        let cells = |words: &str| {
            let line = table.lines().find(|line| line.starts_with(words)).expect("a row");
            line[words.len()..].split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(cells("offset, length and kind of records"), ["yes", "yes", "-", "-"]);
        assert_eq!(cells("rows of FDEs "), ["yes", "-", "yes", "-"]);
        assert_eq!(cells(LOOK_UPS), ["-", "-", "-", "yes"]);
    }
}
