//! The smallest case of the suite that shows a reader's mistake, for a report to its authors.

use std::fs;
use std::io;

use cfidiff_gen::suite::Suite;
use cfidiff_model::Case;
use cfidiff_oracles::Oracle;

use crate::compare::Judge;
use crate::faults::PlantedFault;
use crate::image;
use crate::triage::account::{Account, Effort, Shown};
use crate::triage::answers::Cases;
use crate::triage::deadline::Deadline;
use crate::triage::diagnose::Replays;
use crate::triage::observe::Differing;

/// About how many cases the reader is asked at most.
const TRIES: usize = 8;

/// A small case that shows a mistake.
pub struct SmallCase {
    /// Its name in the suite.
    pub name: String,
    /// What it exercises, in one sentence.
    pub about: String,
    /// The file.
    pub file: Vec<u8>,
    /// The same, opened.
    pub inputs: Vec<Case>,
    /// Where it shows the mistake.
    pub shown: Shown,
}

/// The smallest case of the suite, of less than so many bytes, at which the reader says what one with the fault does.
pub fn smallest_case(
    reader: &dyn Oracle,
    judge: &Judge,
    suite: &Suite,
    fault: &'static PlantedFault,
    below: usize,
) -> io::Result<Option<SmallCase>> {
    let cases = Cases::of_suite(suite);
    let replays = Replays::new(&cases, vec![fault]);
    let mut order = cases.cases_of(replays.of_fault(fault).iter());
    order.retain(|&case| cases.sizes[case] < below);
    order.sort_by_key(|&case| (cases.sizes[case], case));
    let folder = tempfile::tempdir()?;
    let effort = Effort { differing: Differing::All, asks_suite: false, ..Effort::FULL };
    for case in order.into_iter().take(TRIES) {
        let name = &cases.inputs[case].name;
        let Some(case) = suite.cases().iter().find(|case| case.name == *name) else { continue };
        let path = folder.path().join("case");
        fs::write(&path, &case.file)?;
        let Ok(image) = image::open(&path, &image::Options::default()) else { continue };
        let account = Account::of(reader, &image.cases, judge, effort, &Deadline::never())?;
        let is_it = |names: &[&PlantedFault]| names.iter().any(|other| other.name == fault.name);
        let found = account.diagnoses.into_iter().find(|found| found.exact && is_it(&found.faults));
        if let Some(shown) = found.and_then(|found| found.evidence.into_iter().next()) {
            let mut inputs = image.cases;
            // The temporary file's name tells nobody anything.
            inputs.iter_mut().for_each(|input| input.name.clone_from(&case.name));
            let (name, about, file) = (case.name.clone(), case.about.clone(), case.file.clone());
            return Ok(Some(SmallCase { name, about, file, inputs, shown }));
        }
    }
    Ok(None)
}
