//! What a run makes: the compilers and programs that are there, and the variants that are chosen from them.

use rayon::prelude::*;
use serde::Serialize;

use crate::variants::assembler;
use crate::variants::cache::Cache;
use crate::variants::covering::{Array, Bounds, Share};
use crate::variants::factors::Factors;
use crate::variants::folder::{Folder, FolderError};
use crate::variants::probe::Compiler;
use crate::variants::process::{Failure, Workshop};
use crate::variants::recipe::Recipe;
use crate::variants::source::{COMPANIONS, Csmith, Source};
use crate::variants::toolchain::{Found, Toolchain};

/// How many variants are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// As many as a test can wait for: every level once, and as many pairs as fit.
    Small,
    /// Every legal pair of levels, and a sample of the triples; and the assembler cases.
    Full,
}

impl Size {
    /// How many variants of programs there are.
    pub fn bounds(self) -> Bounds {
        match self {
            Size::Small => Bounds { most: 80, least: 80 },
            Size::Full => Bounds { most: usize::MAX, least: 1500 },
        }
    }

    /// How many random programs there are beside the seeds.
    fn random_programs(self) -> u64 {
        match self {
            Size::Small => 6,
            Size::Full => 12,
        }
    }

    /// How many programs csmith writes where it is installed.
    fn csmith_programs(self) -> u64 {
        match self {
            Size::Small => 2,
            Size::Full => 6,
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// How many variants.
    pub size: Size,
    /// What chance follows from.
    pub seed: u64,
    /// The commands of the drivers to use; none for all that the search path has.
    pub drivers: Vec<String>,
}

/// What a run makes.
#[derive(Clone, Debug)]
pub struct Order {
    /// How many variants were asked for.
    pub size: Size,
    /// What chance followed from.
    pub seed: u64,
    /// The names of the compilers.
    pub compilers: Vec<String>,
    /// How to make each file.
    pub recipes: Vec<Recipe>,
    /// The levels of all factors, and how many of them the variants have.
    pub levels: Share,
    /// The legal pairs of levels, and how many of them the variants have.
    pub pairs: Share,
    /// The texts of the sources, by file name.
    pub sources: Vec<(String, String)>,
    /// What was asked for by name and does not work, and what else failed before anything was made.
    pub troubles: Vec<Failure>,
    /// What was found and does not compile, such as a machine that a compiler was built without.
    pub passed_over: Vec<Failure>,
}

/// Why there is nothing to make variants with.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// There is no driver that compiles.
    #[error("no C or C++ compiler works{}", troubles(.0))]
    NoCompiler(Vec<Failure>),
    /// The workshop cannot be written.
    #[error(transparent)]
    Workshop(#[from] FolderError),
}

/// What is wrong with each, or where to get one.
fn troubles(failures: &[Failure]) -> String {
    let all: Vec<String> = failures.iter().map(ToString::to_string).collect();
    if all.is_empty() {
        return ": install gcc or clang, or name one".to_owned();
    }
    format!(": {}", all.join("; "))
}

impl Order {
    /// Looks for compilers and programs and chooses the variants. The sources are in the workshop then, and recipes
    /// can be made there.
    ///
    /// # Errors
    /// When no compiler works, or the sources cannot be written.
    pub fn new(request: &Request, workshop: &Workshop, cache: Option<&Cache>) -> Result<Order, OrderError> {
        let found = match request.drivers.as_slice() {
            [] => Found::on_path(workshop),
            drivers => Found::named(drivers, workshop),
        };
        let mut troubles = found.broken;
        let (compilers, passed_over) = probe(found.toolchains, workshop, cache);
        let (named, passed_over): (Vec<_>, Vec<_>) = passed_over
            .into_iter()
            // A driver that was named has to compile for its own machine at least.
            .partition(|(toolchain, _)| !request.drivers.is_empty() && toolchain.arguments.is_empty());
        troubles.extend(named.into_iter().map(|(_, failure)| failure));
        if compilers.is_empty() {
            return Err(OrderError::NoCompiler(troubles));
        }
        let sources = sources(request, workshop, &mut troubles);
        let companions = Source::companions(request.seed);
        let (mut recipes, array) = choose(&sources, &compilers, &companions, request);
        let assembly = request.size == Size::Full;
        if assembly {
            recipes.extend(assembler::recipes(workshop, &compilers));
        }
        let texts = sources.iter().chain(&companions).map(|source| (source.file_name(), source.text.clone()));
        let order = Order {
            size: request.size,
            seed: request.seed,
            compilers: compilers.iter().map(|compiler| compiler.name().to_owned()).collect(),
            recipes,
            levels: array.levels,
            pairs: array.pairs,
            sources: texts.chain(assembler::sources().filter(|_| assembly)).collect(),
            troubles,
            passed_over: passed_over.into_iter().map(|(_, failure)| failure).collect(),
        };
        Folder { path: workshop.directory.clone() }.write_sources(&order)?;
        Ok(order)
    }
}

/// The toolchains that compile, and the others with what they said, both in their order.
fn probe(
    toolchains: Vec<Toolchain>,
    workshop: &Workshop,
    cache: Option<&Cache>,
) -> (Vec<Compiler>, Vec<(Toolchain, Failure)>) {
    let probed: Vec<(Toolchain, Result<Compiler, Failure>)> = toolchains
        .into_par_iter()
        .with_max_len(1)
        .map(|toolchain| (toolchain.clone(), Compiler::probe(toolchain, workshop, cache)))
        .collect();
    let (mut compilers, mut others) = (Vec::new(), Vec::new());
    for (toolchain, result) in probed {
        match result {
            Ok(compiler) => compilers.push(compiler),
            Err(failure) => others.push((toolchain, failure)),
        }
    }
    (compilers, others)
}

/// The programs, but for those whose language or needs no compiler has: they stand in no variant.
fn sources(request: &Request, workshop: &Workshop, troubles: &mut Vec<Failure>) -> Vec<Source> {
    let mut sources = Source::seeds();
    let Request { size, seed, .. } = request;
    sources.extend((0..size.random_programs()).map(|index| Source::random(seed.wrapping_add(index))));
    if let Some(csmith) = Csmith::find() {
        let programs =
            (0..size.csmith_programs()).map(|index| csmith.program(seed.wrapping_add(index), workshop));
        for program in programs {
            match program {
                Ok(source) => sources.push(source),
                Err(failure) => troubles.push(failure),
            }
        }
    }
    sources
}

/// The recipes of an array over all factors, and the array.
fn choose(
    sources: &[Source],
    compilers: &[Compiler],
    companions: &[Source; COMPANIONS],
    request: &Request,
) -> (Vec<Recipe>, Array) {
    let factors = Factors::new(sources, compilers);
    let array = factors.space().cover(request.size.bounds(), request.seed);
    let recipes = array.rows.iter().map(|row| Recipe::of(&factors.selection(row), companions)).collect();
    (recipes, array)
}
