//! `cfidiff doctor`: which readers are there, and what each can say.

use std::io::Write;
use std::time::Duration;

use cfidiff::campaign::Exit;
use cfidiff_model::Says;
use cfidiff_oracles::registry::{self, Found};
use cfidiff_oracles::{Missing, Pass};
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
    write!(out, "{}\n{}", plain_lines(&table), plain_lines(&what_they_say(readers)))?;
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

/// What is said, by row; who says it in which pass, by column.
fn what_they_say(readers: &[Found]) -> Table {
    let passes: Vec<(String, &Pass)> = readers
        .iter()
        .flatten()
        .flat_map(|oracle| {
            let alone = oracle.passes().len() == 1;
            oracle.passes().iter().map(move |pass| {
                let name = oracle.name().to_owned();
                (if alone { name } else { format!("{name} {}", pass.name) }, pass)
            })
        })
        .collect();
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(std::iter::once("says").chain(passes.iter().map(|(name, _)| name.as_str())));
    for (says, words) in WORDS {
        let cells = passes.iter().map(|(_, pass)| if pass.says.contains(says) { "yes" } else { "-" });
        table.add_row(std::iter::once(words).chain(cells));
    }
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
        let line = ReaderLine {
            name: reader.as_ref().map_or_else(|missing| &*missing.name, |oracle| oracle.name()),
            family: reader.as_ref().map_or_else(family, |oracle| oracle.family()),
            installed: oracle.is_some(),
            version: oracle.map(|oracle| oracle.version()),
            passes: passes.iter().map(|pass| PassLine { name: pass.name, says: keys(pass.says) }).collect(),
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
}
