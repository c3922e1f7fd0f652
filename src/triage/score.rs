//! The score of the suite: which planted faults it catches, and whether the triage names them.

use cfidiff_cfi::{Semantics, Standard};
use cfidiff_gen::suite::Suite;
use cfidiff_model::Says;
use rayon::prelude::*;
use serde::Serialize;

use crate::corpus;
use crate::faults::{self, PlantedFault};
use crate::triage::answers::Cases;
use crate::triage::diagnose::{Diagnosis, Replays};
use crate::triage::observed::Observed;

/// What came of one planted fault.
#[derive(Clone, Debug, Serialize)]
pub struct Caught {
    /// The fault.
    pub name: &'static str,
    /// The smallest case whose expected answer a reader with the fault does not give; `None` when it gives all.
    pub case: Option<String>,
    /// The key of the first difference there.
    pub key: Option<String>,
    /// In how many cases it differs.
    pub cases: usize,
    /// The triage's diagnoses for a reader with the fault, the first three.
    pub diagnoses: Vec<&'static str>,
}

impl Caught {
    /// Whether the first diagnosis is the fault.
    pub fn is_named_first(&self) -> bool {
        self.diagnoses.first() == Some(&self.name)
    }

    /// Whether one of the diagnoses is the fault.
    pub fn is_named(&self) -> bool {
        self.diagnoses.contains(&self.name)
    }
}

/// What came of two faults at once.
#[derive(Clone, Debug, Serialize)]
pub struct CaughtPair {
    /// The faults.
    pub faults: [&'static str; 2],
    /// The first diagnosis.
    pub diagnosis: Vec<&'static str>,
    /// Whether the diagnosis is exact and names both faults, or the one that hides the other.
    pub is_named: bool,
}

/// The score over all faults.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// How many faults there are.
    pub faults: usize,
    /// How many of them the suite catches.
    pub caught: usize,
    /// How many are the triage's first diagnosis.
    pub named_first: usize,
    /// How many are among its first three.
    pub named_in_three: usize,
    /// The faults that are not caught.
    pub missed: Vec<&'static str>,
    /// What came of each.
    pub each: Vec<Caught>,
    /// The seed that chose the pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What came of the pairs that were tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<CaughtPair>,
    /// How many of the pairs are named.
    pub pairs_named: usize,
}

/// Runs every planted fault against the suite, and so many pairs that the seed chooses.
pub fn score(suite: &Suite, pairs: usize, seed: u64) -> Score {
    let cases = Cases::of_suite(suite);
    let replays = Replays::new(&cases, faults::all().collect());
    let all: Vec<&PlantedFault> = faults::all().collect();
    let each: Vec<Caught> = all.par_iter().map(|fault| caught(suite, &replays, fault)).collect();
    let count = |is: fn(&Caught) -> bool| each.iter().filter(|caught| is(caught)).count();
    let chosen = choose(&all, pairs, seed);
    let pairs: Vec<CaughtPair> =
        chosen.par_iter().map(|&(one, other)| caught_pair(&replays, one, other)).collect();
    Score {
        faults: each.len(),
        caught: count(|caught| caught.case.is_some()),
        named_first: count(Caught::is_named_first),
        named_in_three: count(Caught::is_named),
        missed: each.iter().filter(|caught| caught.case.is_none()).map(|caught| caught.name).collect(),
        each,
        seed: (!pairs.is_empty()).then_some(seed),
        pairs_named: pairs.iter().filter(|pair| pair.is_named).count(),
        pairs,
    }
}

fn caught(suite: &Suite, replays: &Replays<'_>, fault: &'static PlantedFault) -> Caught {
    let cases = replays.cases;
    let faulty = fault.planted_in(&Standard);
    let semantics: &dyn Semantics = &faulty;
    let wrong = replays.of_fault(fault);
    // Only where its answers differ from ours, which are the expected ones, can they fail to be expected.
    let mut differing = cases.cases_of(wrong.iter());
    let count = differing.len();
    differing.sort_by_key(|&case| (cases.sizes[case], case));
    let first = differing.into_iter().find_map(|number| {
        let input = &cases.inputs[number];
        let case = suite.cases().iter().find(|case| case.name == input.name)?;
        let mismatch = corpus::compare_with(case, input, semantics).into_iter().next()?;
        let here = wrong.iter().filter(|(place, _)| place.case as usize == number);
        let key = here.into_iter().find_map(|(place, said)| {
            said.difference(cases.right(*place), Says::all(), cases.target(*place))
        });
        // What no key of a finding is about is told by its place.
        let key = key.map(|difference| difference.key).filter(|key| *key != "answer");
        Some((case.name.clone(), key.map_or(mismatch.place, ToOwned::to_owned)))
    });
    let diagnoses = replays.diagnose(&Observed::whole(wrong.clone()));
    let names = diagnoses.iter().filter(|found| found.faults.len() == 1).map(|found| found.faults[0].name);
    let diagnoses = names.take(3).collect();
    let (case, key) = first.unzip();
    Caught { name: fault.name, case, key, cases: count, diagnoses }
}

fn caught_pair(
    replays: &Replays<'_>,
    one: &'static PlantedFault,
    other: &'static PlantedFault,
) -> CaughtPair {
    let cases = replays.cases;
    let faulty = one.planted_in(&Standard);
    let wrong = cases.wrong(0..cases.inputs.len(), &other.planted_in(&faulty));
    let hides = |fault: &PlantedFault| *replays.of_fault(fault) == wrong;
    let hidden = hides(one) || hides(other);
    let first = replays.diagnose(&Observed::whole(wrong)).into_iter().next();
    let exact = first.as_ref().is_some_and(Diagnosis::is_exact);
    let diagnosis: Vec<&str> =
        first.map(|found| found.faults.iter().map(|fault| fault.name).collect()).unwrap_or_default();
    let names = |fault: &PlantedFault| diagnosis.contains(&fault.name);
    let is_named = exact && (names(one) && names(other) || hidden && (names(one) || names(other)));
    CaughtPair { faults: [one.name, other.name], diagnosis, is_named }
}

/// Pairs of different faults, each pair once.
fn choose<'f>(
    all: &[&'f PlantedFault],
    count: usize,
    seed: u64,
) -> Vec<(&'f PlantedFault, &'f PlantedFault)> {
    let mut random = oorandom::Rand64::new(seed.into());
    let mut chosen = Vec::new();
    let most = all.len() * all.len().saturating_sub(1) / 2;
    while chosen.len() < count.min(most) {
        let (one, other) = (random.rand_range(0..all.len() as u64), random.rand_range(0..all.len() as u64));
        let pair = (one.min(other) as usize, one.max(other) as usize);
        if one != other && !chosen.contains(&pair) {
            chosen.push(pair);
        }
    }
    chosen.into_iter().map(|(one, other)| (all[one], all[other])).collect()
}
