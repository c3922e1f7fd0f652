//! From two lists to what explains their differences: the shape that explains most first, then one for what is left.

use super::compared::Comparison;
use super::constants::relations;
use super::program::Program;
use super::replay;
use super::shape::{Found, Shape};
use super::walks::walked_rightly;
use crate::faults::PlantedFault;

/// How many shapes are named at most.
const MAX_SHAPES: usize = 5;

/// A shape with what it comes from.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The shape, and where it was seen.
    pub found: Found,
    /// What the errors of all its functions are, in words.
    pub relations: Vec<&'static str>,
    /// Who may have made it.
    pub suspects: Suspects,
}

/// What to look at in a reader.
#[derive(Clone, Debug, Default)]
pub struct Suspects {
    /// Planted faults that make this shape on this file.
    pub faults: Vec<&'static PlantedFault>,
    /// Methods of `Semantics`: those that the faults answer wrongly, or, where no fault fits, those of the shape.
    pub decision_points: Vec<&'static str>,
}

/// What explains the differences of two lists.
#[derive(Clone, Debug)]
pub struct Report {
    /// How many pairs differ.
    pub different: usize,
    /// Shapes, the one that explains most first; what an earlier one explains is none of a later one's.
    pub explanations: Vec<Explanation>,
    /// The numbers of the pairs that nothing explains.
    pub left: Vec<usize>,
}

/// Names what explains the differences.
pub fn triage(program: &Program, lists: &Comparison) -> Report {
    let mut left = lists.different();
    let different = left.len();
    let mut explanations = Vec::new();
    while explanations.len() < MAX_SHAPES && !left.is_empty() {
        let found = Shape::ALL.iter().filter_map(|shape| shape.find(program, lists, &left));
        // Of shapes that explain as much the first is kept.
        let best =
            found.reduce(|best, other| if other.pairs.len() > best.pairs.len() { other } else { best });
        let Some(found) = best else { break };
        left.retain(|index| found.pairs.binary_search(index).is_err());
        explanations.push(explain(program, lists, found));
    }
    Report { different, explanations, left }
}

fn explain(program: &Program, lists: &Comparison, found: Found) -> Explanation {
    let faults = match found.shape {
        Shape::ConstantEverywhere | Shape::ConstantPerFunction => {
            replay::of_locations(program, &found.functions)
        }
        Shape::CallSites => Vec::new(),
        shape => replay::of_rows(program, &found.blamed, walked_rightly(lists), shape == Shape::EndsEarly),
    };
    let mut decision_points: Vec<&str> = Vec::new();
    for name in faults.iter().flat_map(|fault| fault.decision_points()) {
        if !decision_points.contains(&name) {
            decision_points.push(name);
        }
    }
    if decision_points.is_empty() {
        decision_points = found.shape.decision_points().to_vec();
    }
    let relations = relations(program, &found.functions);
    Explanation { found, relations, suspects: Suspects { faults, decision_points } }
}
