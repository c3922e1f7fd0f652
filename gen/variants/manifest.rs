//! The manifest of a folder of variants, in JSON Lines: the run first, then each file or what failed.

use serde::{Serialize, Serializer};

use crate::variants::covering::Share;
use crate::variants::make::Outcome;
use crate::variants::order::{Order, Size};
use crate::variants::recipe::Recipe;

/// One line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Line<'m> {
    Run {
        size: Size,
        seed: u64,
        compilers: &'m [String],
        files: usize,
        failures: usize,
        levels: Share,
        pairs: Share,
    },
    File {
        #[serde(flatten)]
        recipe: RecipeLine<'m>,
        hash: &'m str,
    },
    Failure {
        #[serde(flatten)]
        recipe: RecipeLine<'m>,
        failed: &'m str,
        why: &'m str,
        said: &'m [String],
    },
}

#[derive(Serialize)]
struct RecipeLine<'m> {
    file: &'m str,
    seed: u64,
    #[serde(serialize_with = "as_map")]
    factors: &'m [(&'static str, String)],
    command: String,
}

/// Factors in their order.
fn as_map<S: Serializer>(factors: &&[(&'static str, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(factors.iter().map(|(factor, level)| (factor, level)))
}

impl<'m> Line<'m> {
    fn of(recipe: &'m Recipe, seed: u64, outcome: &'m Outcome) -> Line<'m> {
        let Recipe { file, factors, .. } = recipe;
        let recipe = RecipeLine { file, seed, factors, command: recipe.command() };
        match outcome {
            Outcome::Made { hash, .. } => Line::File { recipe, hash },
            Outcome::Failed(failure) => {
                Line::Failure { recipe, failed: &failure.command, why: &failure.why, said: &failure.said }
            }
        }
    }
}

/// The manifest of an order and what became of its recipes.
pub fn manifest(order: &Order, outcomes: &[Outcome]) -> String {
    let failures = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Failed(_))).count();
    let run = Line::Run {
        size: order.size,
        seed: order.seed,
        compilers: &order.compilers,
        files: outcomes.len() - failures,
        failures,
        levels: order.levels,
        pairs: order.pairs,
    };
    let lines =
        order.recipes.iter().zip(outcomes).map(|(recipe, outcome)| Line::of(recipe, order.seed, outcome));
    let text =
        |line| serde_json::to_string(&line).expect("a line has no map with keys that are no strings") + "\n";
    std::iter::once(run).chain(lines).map(text).collect()
}
