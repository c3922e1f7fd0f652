//! Telling apart faults that explain a reader's differences equally well, by cases of the suite on which they differ.

use std::fs;
use std::io;

use cfidiff_gen::suite::Suite;
use cfidiff_oracles::Oracle;

use crate::compare::Judge;
use crate::faults::PlantedFault;
use crate::image;
use crate::triage::account::Effort;
use crate::triage::answers::Cases;
use crate::triage::deadline::Deadline;
use crate::triage::diagnose::{Diagnosis, Replays};
use crate::triage::observe::observe;

/// How many cases the reader is asked about at most.
const ROUNDS: usize = 8;

/// Of faults that all explain what a reader says, those that also explain what it says of the smallest cases of the
/// suite on which they differ. A round that none of them survives tells nothing, since the reader has another fault
/// there.
pub fn separate(
    oracle: &dyn Oracle,
    judge: &Judge,
    suite: &Suite,
    mut faults: Vec<&'static PlantedFault>,
) -> io::Result<Vec<&'static PlantedFault>> {
    let cases = Cases::of_suite(suite);
    let replays = Replays::new(&cases, faults.clone());
    let folder = tempfile::tempdir()?;
    let mut order: Vec<usize> = (0..cases.inputs.len()).collect();
    order.sort_by_key(|&case| cases.sizes[case]);
    let mut rounds = 0;
    for case in order {
        let of = |fault: &PlantedFault| replays.of_fault_in(fault, case);
        let differ = faults.windows(2).any(|pair| of(pair[0]) != of(pair[1]));
        if faults.len() < 2 || rounds == ROUNDS {
            break;
        }
        if !differ {
            continue;
        }
        rounds += 1;
        let name = &cases.inputs[case].name;
        let Some(file) = suite.cases().iter().find(|case| case.name == *name).map(|case| &case.file) else {
            continue;
        };
        let path = folder.path().join(rounds.to_string());
        fs::write(&path, file)?;
        let Ok(image) = image::open(&path, &image::Options::default()) else { continue };
        let observed = observe(oracle, &image.cases, judge, Effort::FULL, &Deadline::never());
        let here = Cases::of_inputs(image.cases, None);
        let left: Vec<&'static PlantedFault> = if observed.is_empty() {
            // The reader is right here: only faults that change nothing are left.
            faults.iter().copied().filter(|fault| of(fault).is_empty()).collect()
        } else {
            let found = Replays::new(&here, faults.clone()).diagnose(&observed);
            found.into_iter().filter(Diagnosis::is_exact).flat_map(|found| found.faults).collect()
        };
        if !left.is_empty() {
            faults.retain(|fault| left.iter().any(|other| other.name == fault.name));
        }
    }
    Ok(faults)
}
