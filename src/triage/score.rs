//! The score: which planted faults the suite and the variants catch, and whether the triage names them.

use cfidiff_cfi::Standard;
use cfidiff_gen::suite::Suite;
use cfidiff_model::Case;
use rayon::prelude::*;
use serde::Serialize;

use crate::faults::{self, PlantedFault};
use crate::triage::answers::Cases;
use crate::triage::diagnose::{Diagnosis, Replays};
use crate::triage::observed::Observed;
use crate::triage::seen::Seen;

/// What came of one planted fault.
#[derive(Clone, Debug, Serialize)]
pub struct Caught {
    /// The fault.
    pub name: &'static str,
    /// Where a reader with it does not give the suite's expected answer.
    pub suite: Seen,
    /// Where it says something else of a variant than ours; `None` without variants.
    pub variants: Option<Seen>,
    /// The triage's diagnoses for a reader with the fault on the suite, the first three.
    pub diagnoses: Vec<&'static str>,
}

impl Caught {
    /// Whether it shows anywhere.
    pub fn is_caught(&self) -> bool {
        self.suite.is_caught() || self.variants.as_ref().is_some_and(Seen::is_caught)
    }

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
    /// The one that hides the other: a reader with it alone says the same as one with both.
    pub hiding: Option<&'static str>,
    /// The first diagnosis.
    pub diagnosis: Vec<&'static str>,
    /// Whether it explains everything.
    pub is_exact: bool,
    /// Whether it is exact and names both faults, or one of them when one hides the other.
    pub is_named: bool,
}

impl CaughtPair {
    /// Judges a diagnosis.
    pub fn new(
        faults: [&'static str; 2],
        hiding: Option<&'static str>,
        diagnosis: Vec<&'static str>,
        is_exact: bool,
    ) -> CaughtPair {
        let named = faults.iter().filter(|fault| diagnosis.contains(fault)).count();
        let is_named = is_exact && named >= if hiding.is_some() { 1 } else { 2 };
        CaughtPair { faults, hiding, diagnosis, is_exact, is_named }
    }
}

/// What some cases catch by themselves.
#[derive(Clone, Debug, Serialize)]
pub struct Tally {
    /// How many cases there are.
    pub cases: usize,
    /// How many faults show in them.
    pub caught: usize,
    /// The faults that do not.
    pub missed: Vec<&'static str>,
}

impl Tally {
    fn of(cases: usize, each: &[Caught], seen: impl Fn(&Caught) -> bool) -> Tally {
        let missed: Vec<_> = each.iter().filter(|caught| !seen(caught)).map(|caught| caught.name).collect();
        Tally { cases, caught: each.len() - missed.len(), missed }
    }
}

/// The score over all faults.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// How many faults there are.
    pub faults: usize,
    /// How many of them are caught, by the suite or by the variants.
    pub caught: usize,
    /// How many are the triage's first diagnosis.
    pub named_first: usize,
    /// How many are among its first three.
    pub named_in_three: usize,
    /// The faults that are caught by neither.
    pub missed: Vec<&'static str>,
    /// What the suite catches by itself.
    pub suite: Tally,
    /// What the variants catch by themselves; `None` without variants.
    pub variants: Option<Tally>,
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

/// Runs every planted fault against the suite and against variants, if there are any, and against the suite so many
/// pairs that the seed chooses.
pub fn score(suite: &Suite, variants: Vec<Case>, pairs: usize, seed: u64) -> Score {
    let cases = Cases::of_suite(suite);
    let replays = Replays::new(&cases, faults::all().collect());
    let variants = (!variants.is_empty()).then(|| Cases::of_inputs(variants, None));
    let all: Vec<&PlantedFault> = faults::all().collect();
    let each: Vec<Caught> =
        all.par_iter().map(|fault| caught(suite, &replays, variants.as_ref(), fault)).collect();
    let count = |is: fn(&Caught) -> bool| each.iter().filter(|caught| is(caught)).count();
    let chosen = choose(&all, pairs, seed);
    let pairs: Vec<CaughtPair> =
        chosen.par_iter().map(|&(one, other)| caught_pair(&replays, one, other)).collect();
    Score {
        faults: each.len(),
        caught: count(Caught::is_caught),
        named_first: count(Caught::is_named_first),
        named_in_three: count(Caught::is_named),
        missed: each.iter().filter(|caught| !caught.is_caught()).map(|caught| caught.name).collect(),
        suite: Tally::of(cases.inputs.len(), &each, |caught| caught.suite.is_caught()),
        variants: variants.map(|files| {
            let seen = |caught: &Caught| caught.variants.as_ref().is_some_and(Seen::is_caught);
            Tally::of(files.inputs.len(), &each, seen)
        }),
        each,
        seed: (!pairs.is_empty()).then_some(seed),
        pairs_named: pairs.iter().filter(|pair| pair.is_named).count(),
        pairs,
    }
}

fn caught(
    suite: &Suite,
    replays: &Replays<'_>,
    variants: Option<&Cases>,
    fault: &'static PlantedFault,
) -> Caught {
    let diagnoses = replays.diagnose(&Observed::whole(replays.of_fault(fault).clone()));
    let names = diagnoses.iter().filter(|found| found.faults.len() == 1).map(|found| found.faults[0].name);
    Caught {
        name: fault.name,
        suite: Seen::in_suite(suite, replays, fault),
        variants: variants.map(|files| Seen::in_files(files, fault)),
        diagnoses: names.take(3).collect(),
    }
}

fn caught_pair(
    replays: &Replays<'_>,
    one: &'static PlantedFault,
    other: &'static PlantedFault,
) -> CaughtPair {
    let cases = replays.cases;
    let faulty = one.planted_in(&Standard);
    let wrong = cases.wrong(0..cases.inputs.len(), &other.planted_in(&faulty));
    let hiding = [one, other].into_iter().find(|fault| *replays.of_fault(fault) == wrong);
    let first = replays.diagnose(&Observed::whole(wrong)).into_iter().next();
    let is_exact = first.as_ref().is_some_and(Diagnosis::is_exact);
    let diagnosis =
        first.map(|found| found.faults.iter().map(|fault| fault.name).collect()).unwrap_or_default();
    CaughtPair::new([one.name, other.name], hiding.map(|fault| fault.name), diagnosis, is_exact)
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
