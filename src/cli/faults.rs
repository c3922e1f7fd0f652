//! `cfidiff faults`: the mistakes that are planted into our reader, and whether the suite catches them.

use std::io::Write;

use cfidiff::campaign::Exit;
use cfidiff::faults::{self, PlantedFault};
use cfidiff::triage::{self, Score};
use cfidiff_gen::suite::Suite;
use clap::ValueEnum;
use comfy_table::{Table, presets};
use serde_json::{Value, json};

use crate::cli::{Common, plain_lines};

/// List the mistakes that can be planted into our reader, or score how many of them the suite catches.
///
/// Each is one decision of the format taken wrongly, as some reader took it. The triage compares a reader with ours
/// under each of them.
#[derive(clap::Args)]
pub struct Faults {
    /// Run a reader with each fault on the conformance suite: is it caught, where first, and does the triage name it?
    /// Exit code 1 if one is not caught.
    #[arg(long)]
    score: bool,
    /// With --score: try so many pairs of faults as well.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "score")]
    pairs: usize,
    /// What chooses the pairs.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The form of the list and of the score.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

/// The forms of the list.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people.
    Text,
    /// One JSON object, for programs.
    Json,
}

impl Faults {
    /// Does what was asked for.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let mut out = common.output(None)?;
        if !self.score {
            match self.format {
                Form::Text => list(&mut out, common.verbose > 0)?,
                Form::Json => {
                    let all: Vec<Value> = faults::all().map(as_json).collect();
                    writeln!(out, "{}", json!({ "faults": all }))?;
                }
            }
            out.flush()?;
            return Ok(Exit::Agree);
        }
        let score = triage::score(&Suite::build()?, self.pairs, self.seed);
        match self.format {
            Form::Text => print(&mut out, &score, common)?,
            Form::Json => writeln!(out, "{}", serde_json::to_string(&score)?)?,
        }
        out.flush()?;
        Ok(if score.missed.is_empty() { Exit::Agree } else { Exit::Findings })
    }
}

fn as_json(fault: &PlantedFault) -> Value {
    json!({
        "name": fault.name,
        "does": fault.does,
        "should": fault.should,
        "clause": fault.clause,
        "models": fault.models,
        "decision_points": fault.decision_points(),
    })
}

/// A table for each part of the format; with more asked for, also what should be done, by which clause, and the models.
fn list(out: &mut dyn Write, verbose: bool) -> std::io::Result<()> {
    for (group, faults) in faults::GROUPS {
        writeln!(out, "{group}")?;
        for fault in *faults {
            writeln!(out, "  {:<34} {}", fault.name, fault.does)?;
            if verbose {
                writeln!(out, "      should  {}", fault.should)?;
                writeln!(out, "      clause  {}", fault.clause)?;
                writeln!(out, "      models  {}", fault.models.join(", "))?;
            }
        }
    }
    writeln!(out, "{} faults", faults::all().count())
}

fn print(out: &mut dyn Write, score: &Score, common: &Common) -> std::io::Result<()> {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["fault", "caught by", "key", "cases", "named"]);
    for caught in &score.each {
        let named = match () {
            () if caught.is_named_first() => "first",
            () if caught.is_named() => "in three",
            () => "no",
        };
        if common.quiet && caught.case.is_some() && caught.is_named_first() {
            continue;
        }
        let (case, key) = (caught.case.as_deref().unwrap_or("nothing"), caught.key.as_deref().unwrap_or(""));
        table.add_row([caught.name, case, key, &caught.cases.to_string(), named]);
    }
    write!(out, "{}", plain_lines(&table))?;
    for pair in score.pairs.iter().filter(|pair| common.verbose > 0 || !pair.is_named) {
        let found = if pair.diagnosis.is_empty() { "nothing".to_owned() } else { pair.diagnosis.join(" + ") };
        let verdict = if pair.is_named { "named" } else { "not named" };
        writeln!(out, "pair {} + {}: {verdict}, {found}", pair.faults[0], pair.faults[1])?;
    }
    if let Some(seed) = score.seed {
        writeln!(out, "{} of {} pairs named (seed {seed})", score.pairs_named, score.pairs.len())?;
    }
    writeln!(
        out,
        "{} of {} faults caught, {} named first, {} among the first three",
        score.caught, score.faults, score.named_first, score.named_in_three
    )
}
