//! Where a planted fault shows: on the cases of the suite, whose expected answers a reader with it does not give, and on
//! files, of which it does not say what ours says.

use cfidiff_cfi::{Semantics, Standard};
use cfidiff_gen::suite::Suite;
use cfidiff_model::Says;
use serde::Serialize;

use crate::corpus;
use crate::faults::PlantedFault;
use crate::triage::answers::{Cases, Part};
use crate::triage::diagnose::Replays;

/// Where a fault shows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Seen {
    /// In how many cases.
    pub cases: usize,
    /// The smallest of them; `None` when it shows nowhere.
    pub case: Option<String>,
    /// The key of the first difference there.
    pub key: Option<String>,
}

impl Seen {
    /// Whether it shows at all.
    pub fn is_caught(&self) -> bool {
        self.case.is_some()
    }

    /// Where a reader with the fault does not give the suite's expected answer.
    pub(super) fn in_suite(suite: &Suite, replays: &Replays<'_>, fault: &PlantedFault) -> Seen {
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
        let (case, key) = first.unzip();
        Seen { cases: count, case, key }
    }

    /// Where a reader with the fault says something else of a file than ours.
    pub(super) fn in_files(files: &Cases, fault: &PlantedFault) -> Seen {
        let faulty = fault.planted_in(&Standard);
        let mut order: Vec<usize> = (0..files.inputs.len()).collect();
        order.sort_by_key(|&case| (files.sizes[case], case));
        let mut seen = Seen::default();
        for case in order {
            let difference = files.wrong_in(case, &faulty).into_iter().find_map(|(place, said)| {
                let found = said.difference(files.right(place), Says::all(), files.target(place))?;
                Some(if place.part == Part::Header { ".eh_frame_hdr" } else { found.key })
            });
            if let Some(key) = difference {
                seen.cases += 1;
                seen.case.get_or_insert_with(|| files.inputs[case].name.clone());
                seen.key.get_or_insert_with(|| key.to_owned());
            }
        }
        seen
    }
}
