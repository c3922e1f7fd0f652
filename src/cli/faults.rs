//! `cfidiff faults`: the mistakes that are planted into our reader, and whether the suite catches them.

use std::io::Write;

use cfidiff::campaign::Exit;
use cfidiff::faults::{self, PlantedFault};
use cfidiff::triage::{self, Score, Tally};
use cfidiff_gen::suite::Suite;
use cfidiff_model::Case;
use clap::ValueEnum;
use comfy_table::{Table, presets};
use serde_json::{Value, json};

use crate::cli::log::Log;
use crate::cli::triage::open;
use crate::cli::variants::{Generated, HowMany, Options};
use crate::cli::{Common, plain_lines};

/// List the mistakes that can be planted into our reader, or score how many of them the suite catches.
///
/// Each is one decision of the format taken wrongly, as some reader took it. The triage compares a reader with ours
/// under each of them.
#[derive(clap::Args)]
pub struct Faults {
    /// Run a reader with each fault on the conformance suite and on the small set of variants: is it caught, where
    /// first, and does the triage name it? Exit code 1 if the suite does not catch one.
    ///
    /// The variants are made with the compilers that are here, in a temporary folder, as `check --generate small` makes
    /// them. Without a compiler the suite is scored alone, which the report tells.
    #[arg(long)]
    score: bool,
    /// With --score: leave the variants out.
    #[arg(long, requires = "score")]
    no_variants: bool,
    /// With --score: try so many pairs of faults as well, on the suite.
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
        let variants = if self.no_variants { Vec::new() } else { variants(common) };
        let score = triage::score(&Suite::build()?, variants, self.pairs, self.seed);
        match self.format {
            Form::Text => print(&mut out, &score, common)?,
            Form::Json => writeln!(out, "{}", serde_json::to_string(&score)?)?,
        }
        out.flush()?;
        Ok(if score.suite.missed.is_empty() { Exit::Agree } else { Exit::Findings })
    }
}

/// The small set of variants; none, with a word why, when they cannot be made.
fn variants(common: &Common) -> Vec<Case> {
    let options = Options { seed: None, drivers: Vec::new() };
    let generated = match Generated::new(HowMany::Small, &options, common) {
        Ok(generated) => generated,
        Err(error) => {
            Log::plain().line(&format!("the suite is scored alone: {error:#}"));
            return Vec::new();
        }
    };
    let (mut variants, _) = open(&[generated.folder()]);
    // Their folder is gone when the score is read.
    let folder = format!("{}/", generated.folder().display());
    for variant in &mut variants {
        variant.name = variant.name.replacen(&folder, "", 1);
    }
    variants
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
    table.set_header(["fault", "caught by", "key", "cases", "variants", "named"]);
    for caught in &score.each {
        let named = match () {
            () if caught.is_named_first() => "first",
            () if caught.is_named() => "in three",
            () => "no",
        };
        if common.quiet && caught.suite.is_caught() && caught.is_named_first() {
            continue;
        }
        let (suite, variants) = (&caught.suite, caught.variants.as_ref());
        let first = variants.filter(|_| !suite.is_caught()).unwrap_or(suite);
        let (case, key) = (first.case.as_deref().unwrap_or("nothing"), first.key.as_deref().unwrap_or(""));
        let count = variants.map_or_else(|| "-".to_owned(), |variants| variants.cases.to_string());
        table.add_row([caught.name, case, key, &suite.cases.to_string(), &count, named]);
    }
    if !table.is_empty() {
        write!(out, "{}", plain_lines(&table))?;
    }
    for pair in score.pairs.iter().filter(|pair| common.verbose > 0 || !pair.is_named) {
        let found = if pair.diagnosis.is_empty() { "nothing".to_owned() } else { pair.diagnosis.join(" + ") };
        let verdict = if pair.is_named { "named" } else { "not named" };
        writeln!(out, "pair {} + {}: {verdict}, {found}", pair.faults[0], pair.faults[1])?;
    }
    if let Some(seed) = score.seed {
        writeln!(out, "{} of {} pairs named (seed {seed})", score.pairs_named, score.pairs.len())?;
    }
    let by = |tally: &Tally, of: &str| format!("{} by {} {of}", tally.caught, tally.cases);
    let suite = by(&score.suite, "cases of the suite");
    match &score.variants {
        Some(variants) => writeln!(out, "caught: {suite}, {}", by(variants, "variants"))?,
        None => writeln!(out, "caught: {suite}, no variants")?,
    }
    writeln!(
        out,
        "{} of {} faults caught, {} named first, {} among the first three",
        score.caught, score.faults, score.named_first, score.named_in_three
    )
}
