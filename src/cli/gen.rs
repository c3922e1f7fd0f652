//! `cfidiff gen`: cases made to order.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use cfidiff::campaign::Exit;
use cfidiff::corpus;
use cfidiff_gen::random;
use cfidiff_gen::suite::Suite;
use clap::Subcommand;

use crate::cli::Common;
use crate::cli::variants::Variants;

/// The most random programs that can be asked for at once.
const MAX_PROGRAMS: i64 = 1_000_000;

/// Make cases: programs compiled in many ways, random programs, the conformance suite.
#[derive(clap::Args)]
pub struct Gen {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Variants(Variants),
    Random(Random),
    Corpus(Corpus),
}

/// Write the conformance suite anew, as `corpus/` has it. Files that are right already are not touched.
#[derive(clap::Args)]
struct Corpus {
    /// The folder to write it into.
    #[arg(value_name = "DIR", default_value = "corpus")]
    folder: PathBuf,
}

/// Write random C programs, which end by themselves and print a checksum.
#[derive(clap::Args)]
struct Random {
    /// The folder to write them into.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How many programs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_PROGRAMS as u64))]
    count: u64,
    /// The seed of the first one; the others have the seeds that follow. The same seed gives the same bytes.
    #[arg(long, value_name = "N")]
    seed: u64,
}

impl Gen {
    /// Makes what was asked for.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        match self.what {
            What::Variants(variants) => variants.run(common),
            What::Random(random) => random.run(common),
            What::Corpus(corpus) => corpus.run(common),
        }
    }
}

impl Corpus {
    fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let suite = Suite::build()?;
        let changed = corpus::write(&suite, &self.folder)?;
        let mut out = common.output(None)?;
        let cases = suite.cases().len();
        writeln!(out, "{cases} cases in {}, {changed} files changed", self.folder.display())?;
        out.flush()?;
        Ok(Exit::Agree)
    }
}

impl Random {
    fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let last = self.seed.checked_add(self.count - 1).context("there are no seeds as large as that")?;
        let unwritable = |path: &PathBuf| format!("cannot write {}", path.display());
        fs::create_dir_all(&self.folder).with_context(|| unwritable(&self.folder))?;
        for seed in self.seed..=last {
            let file = self.folder.join(format!("random-{seed}.c"));
            fs::write(&file, random::program(seed, "main")).with_context(|| unwritable(&file))?;
        }
        let mut out = common.output(None)?;
        writeln!(out, "{} programs in {}: seeds {} to {last}", self.count, self.folder.display(), self.seed)?;
        out.flush()?;
        Ok(Exit::Agree)
    }
}
