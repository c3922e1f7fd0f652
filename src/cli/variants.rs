//! Programs compiled in many ways, for `cfidiff gen variants` and `cfidiff check --generate`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use cfidiff::campaign::Exit;
use cfidiff_gen::variants::{
    Cache, Failure, Folder, MANIFEST, Order, Outcome, Recipe, Request, Size, VARIANTS, Workshop, make,
};
use clap::ValueEnum;
use tempfile::TempDir;

use crate::cli::log::{Log, progress_bar};
use crate::cli::{Common, TIME_OUTS};

/// How long one run of a compiler may take when nothing else is said.
const TIME_OUT: Duration = Duration::from_secs(60);

/// What chance follows from when nothing else is said.
const SEED: u64 = 1;

/// Compile programs in many ways: seeds, random programs, and csmith's where it is installed.
///
/// The variants are chosen so that every pair of compiler, option, linker and program that may stand together does so
/// in one variant (full) or as many as fit (small). What was compiled before comes from the cache, which is in
/// $XDG_CACHE_HOME/cfidiff or ~/.cache/cfidiff. DIR gets a manifest.jsonl that lists each file with the command that
/// made it, or what failed. Exit code 3 if a compiler failed or one that was named does not work.
#[derive(clap::Args)]
pub struct Variants {
    /// The folder to make them in: an empty one, or one of an earlier run, whose files are replaced.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How many: about 80 or about 1500.
    #[arg(long, value_enum, default_value_t = HowMany::Small)]
    size: HowMany,
    #[command(flatten)]
    options: Options,
    /// How many compilers run at once. Default: one for each core.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// How long one run of a compiler may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(TIME_OUTS))]
    timeout: u64,
}

/// How many variants.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HowMany {
    /// About 80.
    Small,
    /// About 1500.
    Full,
}

/// What variants are chosen from.
#[derive(Clone, clap::Args)]
pub struct Options {
    /// What chance follows from: the choice of variants, and the random programs. Default: 1.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A compiler to use instead of all that are on the search path; may be given again. Words behind the first one
    /// are arguments that it always gets.
    #[arg(long = "cc", value_name = "CMD")]
    pub drivers: Vec<String>,
}

impl Options {
    /// Whether there is any.
    pub fn are_given(&self) -> bool {
        self.seed.is_some() || !self.drivers.is_empty()
    }
}

/// Variants that were made.
pub struct Made {
    /// What they were made from.
    pub order: Order,
    /// What became of each recipe.
    pub outcomes: Vec<Outcome>,
}

impl From<HowMany> for Size {
    fn from(how_many: HowMany) -> Size {
        match how_many {
            HowMany::Small => Size::Small,
            HowMany::Full => Size::Full,
        }
    }
}

impl Variants {
    /// Makes them and says how many.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let time = Duration::from_secs(self.timeout);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(self.jobs).build().context("cannot start threads")?;
        let made = pool.install(|| Made::make(&self.folder, self.size, &self.options, time, common))?;
        let mut out = common.output(None)?;
        writeln!(out, "{} in {}", made.words(), self.folder.display())?;
        out.flush()?;
        Ok(if made.troubles() == 0 { Exit::Agree } else { Exit::ReaderBroke })
    }
}

impl Made {
    /// Makes variants in a folder, and tells of what fails.
    pub fn make(
        folder: &Path,
        size: HowMany,
        options: &Options,
        time: Duration,
        common: &Common,
    ) -> anyhow::Result<Made> {
        let log = Log::plain();
        let folder = Folder::prepare(folder)?;
        let temporary = tempfile::tempdir().context("cannot make a temporary folder")?;
        let workshop = Workshop { time, ..Workshop::new(temporary.path()) };
        let cache = cache(&log);
        let seed = options.seed.unwrap_or(SEED);
        let request = Request { size: size.into(), seed, drivers: options.drivers.clone() };
        let order = Order::new(&request, &workshop, cache.as_ref())?;
        tell(&order, &log, common);
        let bar = progress_bar(order.recipes.len() as u64, common.quiet);
        let outcomes = make(&order.recipes, &folder, &workshop, cache.as_ref(), &|_, _| bar.inc(1))?;
        bar.finish_and_clear();
        failures(&outcomes).for_each(|failure| log.line(&failure.to_string()));
        folder.write_sources(&order)?;
        folder.write_manifest(&order, &outcomes)?;
        folder.write_expected(&order.recipes, &outcomes)?;
        Ok(Made { order, outcomes })
    }

    /// How many things did not work that should have.
    pub fn troubles(&self) -> usize {
        self.order.troubles.len() + failures(&self.outcomes).count()
    }

    /// What was made, in a line.
    pub fn words(&self) -> String {
        let count = |wanted: bool| {
            let made =
                |outcome: &&Outcome| matches!(outcome, Outcome::Made { cached, .. } if *cached == wanted);
            self.outcomes.iter().filter(made).count()
        };
        let (compiled, cached) = (count(false), count(true));
        let failed = self.outcomes.len() - compiled - cached;
        format!(
            "{} variants ({compiled} compiled, {cached} from the cache), {failed} failures",
            compiled + cached
        )
    }
}

/// Variants in a temporary folder, to be checked.
pub struct Generated {
    folder: TempDir,
    made: Made,
}

impl Generated {
    /// Makes them.
    pub fn new(size: HowMany, options: &Options, common: &Common) -> anyhow::Result<Generated> {
        let folder = tempfile::Builder::new().prefix("cfidiff-").tempdir();
        let folder = folder.context("cannot make a temporary folder")?;
        let made = Made::make(folder.path(), size, options, TIME_OUT, common)?;
        if !common.quiet {
            Log::plain().line(&made.words());
        }
        Ok(Generated { folder, made })
    }

    /// Where they are.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join(VARIANTS)
    }

    /// Keeps the variants of these files, their sources and a manifest of them, and tells how each was made. Gives the
    /// exit code of the whole run from that of the check.
    pub fn end(self, files: &[PathBuf], checked: Exit) -> anyhow::Result<Exit> {
        let Generated { folder, made: Made { mut order, outcomes } } = self;
        let failed = order.troubles.len() + failures(&outcomes).count();
        if !files.is_empty() {
            let folder = Folder { path: folder.keep() };
            let log = Log::plain();
            log.line(&format!("kept in {}: {} of the variants", folder.path.display(), files.len()));
            let pairs = order.recipes.into_iter().zip(outcomes);
            let (kept, others): (Vec<_>, Vec<_>) =
                pairs.partition(|(recipe, _)| files.contains(&folder.path.join(&recipe.file)));
            for (recipe, _) in &others {
                // One whose compiler failed is not there.
                let _ = std::fs::remove_file(folder.path.join(&recipe.file));
                let _ = std::fs::remove_file(folder.path.join(format!("{}.jsonl", recipe.file)));
            }
            let (recipes, outcomes): (Vec<Recipe>, Vec<Outcome>) = kept.into_iter().unzip();
            for recipe in &recipes {
                log.line(&format!("    {} was made by {}", recipe.file, recipe.command()));
            }
            order.recipes = recipes;
            folder.write_manifest(&order, &outcomes)?;
        }
        let broke = failed > 0 && checked != Exit::Findings;
        Ok(if broke { Exit::ReaderBroke } else { checked })
    }
}

fn failures(outcomes: &[Outcome]) -> impl Iterator<Item = &Failure> {
    outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Failed(failure) => Some(failure),
        Outcome::Made { .. } => None,
    })
}

/// The user's cache, if it can be had.
fn cache(log: &Log) -> Option<Cache> {
    let folder = Cache::user_folder()?;
    let opened = Cache::open(&folder);
    if let Err(error) = &opened {
        log.line(&format!("nothing is cached: {}: {error}", folder.display()));
    }
    opened.ok()
}

/// What is going to be made, and what of it cannot.
fn tell(order: &Order, log: &Log, common: &Common) {
    for trouble in &order.troubles {
        log.line(&trouble.to_string());
    }
    if common.verbose > 0 {
        for failure in &order.passed_over {
            log.line(&format!("passed over: {failure}"));
        }
        log.line(&format!("compilers: {}", order.compilers.join(" ")));
    }
    if !common.quiet {
        let (levels, pairs) = (order.levels, order.pairs);
        log.line(&format!(
            "seed {}: {} variants of {} compilers, with {} of {} levels and {} of {} pairs of levels; \
             {MANIFEST} lists them",
            order.seed,
            order.recipes.len(),
            order.compilers.len(),
            levels.covered,
            levels.legal,
            pairs.covered,
            pairs.legal,
        ));
    }
}
