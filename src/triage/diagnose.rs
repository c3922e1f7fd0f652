//! From differences to the mistake that explains them: every planted fault is tried, then pairs of them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use cfidiff_cfi::Standard;
use rayon::prelude::*;

use crate::faults::PlantedFault;
use crate::triage::answers::{Cases, Difference, Place, Said, Wrong};
use crate::triage::deadline::Deadline;
use crate::triage::fit::{Bits, Fit, cost, parts};
use crate::triage::observed::{Observed, Pass};

/// How many pairs of faults are replayed at least, the likeliest first.
const PAIRS: usize = 48;
/// How many cases may be read for all pairs: of few cases, more pairs are tried.
const REPLAYS: usize = 40_000;
/// How many bytes may be read for all pairs, unless less is asked for.
const PAIR_BYTES: usize = 1 << 30;
/// One fault, or two at once, and how well it explains what a reader says.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The faults.
    pub faults: Vec<&'static PlantedFault>,
    /// Whether the reader errs in the rows alone, and shows the instructions rightly.
    pub rows_alone: bool,
    /// How many of the reader's differences it explains: a reader with the fault says just that.
    pub explained: usize,
    /// How many places there are where a reader with the fault would differ, and this one does not.
    pub contradicted: usize,
    /// At how many differences the reader says yet another thing than one with the fault would.
    pub refuted: usize,
    /// How many differences there are.
    pub total: usize,
    /// The differences that it explains, by their number.
    pub(super) explains: Bits,
    /// Those that refute it.
    pub(super) refutes: Bits,
}

impl Diagnosis {
    /// Whether a reader with the fault says the same as this one everywhere.
    pub fn is_exact(&self) -> bool {
        self.explained == self.total && self.contradicted == 0
    }

    /// Of the places that the fault changes, and where this reader says anything, at how many percent it says what one
    /// with the fault does.
    pub fn fits(&self) -> usize {
        100 * self.explained / (self.explained + self.refuted + self.contradicted).max(1)
    }

    /// Of all places where one of the two differs from us, how many percent have the same answer.
    fn percent(&self) -> usize {
        100 * self.explained / (self.total + self.contradicted).max(1)
    }
}

/// What a reader with each planted fault says of some cases, computed once.
pub struct Replays<'c> {
    /// The cases.
    pub cases: &'c Cases,
    faults: Vec<&'static PlantedFault>,
    wrong: Vec<Wrong>,
    pair_bytes: usize,
    deadline: &'c Deadline,
}

/// A place that shows a fault.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Where.
    pub place: Place,
    /// What differs there.
    pub difference: Difference,
    /// Whether the reader says nothing of the place.
    pub is_silent: bool,
}

impl<'c> Replays<'c> {
    /// Reads the cases under each of the faults.
    pub fn new(cases: &'c Cases, faults: Vec<&'static PlantedFault>) -> Replays<'c> {
        static NEVER: Deadline = Deadline::never();
        Replays::until(&NEVER, cases, faults)
    }

    /// The same as far as the time allows: a fault under which not all cases could be read is as if it were not there.
    pub fn until(
        deadline: &'c Deadline,
        cases: &'c Cases,
        faults: Vec<&'static PlantedFault>,
    ) -> Replays<'c> {
        let replay = |fault: &'static PlantedFault| {
            let faulty = fault.planted_in(&Standard);
            let mut wrong = Vec::new();
            for case in 0..cases.inputs.len() {
                if deadline.is_over() {
                    return None;
                }
                wrong.extend(cases.wrong_in(case, &faulty));
            }
            Some((fault, wrong))
        };
        let (faults, wrong) = faults.into_par_iter().filter_map(replay).unzip();
        Replays { cases, faults, wrong, pair_bytes: PAIR_BYTES, deadline }
    }

    /// Reads no more than so many bytes for all pairs of faults.
    pub fn with_pair_bytes(self, pair_bytes: usize) -> Replays<'c> {
        Replays { pair_bytes, ..self }
    }

    /// What a reader with the fault says that differs from the standard's answers.
    pub fn of_fault(&self, fault: &PlantedFault) -> &Wrong {
        const NONE: &Wrong = &Vec::new();
        let at = self.faults.iter().position(|other| other.name == fault.name);
        at.map_or(NONE, |at| &self.wrong[at])
    }

    /// The same of one case.
    pub fn of_fault_in(&self, fault: &PlantedFault, case: usize) -> &[(Place, Said)] {
        of_case(self.of_fault(fault), case)
    }

    /// The faults and pairs of faults that explain all that a reader says, single ones first; when there are none, the
    /// best partial matches. Nothing for a reader without a difference.
    pub fn diagnose(&self, observed: &Observed) -> Vec<Diagnosis> {
        let total = observed.len();
        if total == 0 {
            return Vec::new();
        }
        let fits: Vec<Fit> = self.wrong.par_iter().map(|wrong| self.fit(observed, wrong, false)).collect();
        let in_rows: Vec<Fit> = match observed.tells_rows_apart() {
            true => self.wrong.par_iter().map(|wrong| self.fit(observed, wrong, true)).collect(),
            false => Vec::new(),
        };
        // The sort is stable: among equals the order of the list stays.
        let mut singles: Vec<(usize, &Fit)> =
            fits.iter().enumerate().chain(in_rows.iter().enumerate()).collect();
        singles.retain(|(_, fit)| fit.explained.len() > 0);
        let diagnosis = |&(at, fit): &(usize, &Fit)| fit.diagnosis(vec![self.faults[at]], total);
        let mut exact: Vec<Diagnosis> = singles.iter().map(diagnosis).filter(Diagnosis::is_exact).collect();
        // A mistake that does not show in the instructions of these cases is the same with them and without.
        let mut names = BTreeSet::new();
        exact.retain(|found| names.insert(found.faults[0].name));
        if exact.is_empty() {
            exact = self.pairs(observed, &fits, false);
        }
        if exact.is_empty() && !in_rows.is_empty() {
            exact = self.pairs(observed, &in_rows, true);
        }
        if !exact.is_empty() {
            return exact;
        }
        let mut explained = Bits::default();
        let parts = parts(&singles, &mut explained);
        let mut parts: Vec<Diagnosis> = parts.iter().map(diagnosis).collect();
        let fits = if in_rows.is_empty() { &fits } else { &in_rows };
        parts.extend(self.parts_of_two(observed, fits, &mut explained));
        // Where another of the mistakes tells what the reader says, nothing speaks against this one.
        parts.iter_mut().for_each(|part| part.refuted = part.refutes.len_without(&explained));
        if !parts.is_empty() {
            return parts;
        }
        singles.retain(|(_, fit)| fit.spoken.len() > 0);
        let mut hints: Vec<Diagnosis> = singles.iter().map(diagnosis).collect();
        hints.sort_by_key(|found| Reverse(found.percent()));
        hints.truncate(1);
        hints
    }

    /// The differences that none of the diagnoses explains, by the numbers of pass and difference. An exact one leaves
    /// none.
    pub fn unexplained(&self, observed: &Observed, found: &[Diagnosis]) -> Vec<(usize, usize)> {
        let is_open =
            |number: usize| !found.iter().any(|found| found.is_exact() || found.explains.has(number));
        observed.numbered().filter(|(number, _)| is_open(*number)).map(|(_, place)| place).collect()
    }

    /// The smallest place where the reader says what one with the fault does, and ours does not.
    pub fn evidence(&self, observed: &Observed, found: &Diagnosis) -> Option<Evidence> {
        let shown = observed.numbered().filter(|(number, _)| found.explains.has(*number));
        self.smallest(observed, &shown.map(|(_, place)| place).collect::<Vec<_>>())
    }

    /// The smallest of these differences, given by the numbers of pass and difference.
    pub fn smallest(&self, observed: &Observed, differences: &[(usize, usize)]) -> Option<Evidence> {
        let mut best = None;
        for &(pass, at) in differences {
            self.keep_smaller(&observed.passes[pass], at, &mut best);
        }
        best
    }

    /// Keeps this difference of a pass if it shows more, or the same in a smaller case.
    fn keep_smaller(&self, pass: &Pass, at: usize, best: &mut Option<Evidence>) {
        let (place, said) = &pass.wrong[at];
        // Silence shows less than words.
        let rank = |place: Place, is_silent| {
            let size = match self.cases.right(place) {
                Said::Entry(entry) => entry.length,
                Said::Words(_) | Said::Nothing => u64::MAX,
            };
            (is_silent, self.cases.sizes[place.case as usize], size)
        };
        let is_silent = *said == Said::Nothing;
        let is_better =
            best.as_ref().is_none_or(|best| rank(*place, is_silent) < rank(best.place, best.is_silent));
        let Some(says) = pass.says(*place).filter(|_| is_better) else { return };
        if let Some(difference) = said.difference(self.cases.right(*place), says, self.cases.target(*place)) {
            *best = Some(Evidence { place: *place, difference, is_silent });
        }
    }

    fn fit(&self, observed: &Observed, wrong: &Wrong, rows_alone: bool) -> Fit {
        let mut fit = Fit { rows_alone, ..Fit::default() };
        let mut first = 0;
        for pass in &observed.passes {
            self.compare(pass, &pass.wrong, wrong, rows_alone, &mut |of| match of {
                Compared::Same(at) => {
                    fit.explained.insert(first + at);
                    fit.touched.insert(first + at);
                    if pass.wrong[at].1 != Said::Nothing {
                        fit.spoken.insert(first + at);
                    }
                }
                Compared::Other(at) => {
                    fit.touched.insert(first + at);
                    if pass.wrong[at].1 != Said::Nothing {
                        fit.refuted.insert(first + at);
                    }
                }
                Compared::Untouched => {}
                Compared::Contradicted => fit.contradicted += 1,
            });
            first += pass.wrong.len();
        }
        fit
    }

    /// Holds a part of what a reader says against what one with a fault says of the same cases, place by place.
    fn compare(
        &self,
        pass: &Pass,
        said: &[(Place, Said)],
        wrong: &[(Place, Said)],
        rows_alone: bool,
        each: &mut dyn FnMut(Compared),
    ) {
        let agrees = |place: Place, theirs: &Said, ours: &Said| {
            let Some(says) = pass.says(place) else { return true };
            if pass.everywhere.is_some() {
                return theirs == ours;
            }
            let target = self.cases.target(place);
            if pass.looks_up {
                theirs.agrees(&self.cases.looked_up(place, ours), says, target)
            } else if rows_alone {
                theirs.agrees(&ours.with_instructions_of(self.cases.right(place)), says, target)
            } else {
                theirs.agrees(ours, says, target)
            }
        };
        let mut theirs = said.iter().enumerate().peekable();
        for (place, ours) in wrong {
            while theirs.next_if(|(_, (other, _))| other < place).is_some() {
                each(Compared::Untouched);
            }
            match theirs.next_if(|(_, (other, _))| other == place) {
                Some((at, (_, said))) if agrees(*place, said, ours) => each(Compared::Same(at)),
                Some((at, _)) => each(Compared::Other(at)),
                None if agrees(*place, self.cases.right(*place), ours) => {}
                None => each(Compared::Contradicted),
            }
        }
        theirs.for_each(|_| each(Compared::Untouched));
    }

    /// The pairs of faults that explain everything, of those that may.
    fn pairs(&self, observed: &Observed, fits: &[Fit], rows_alone: bool) -> Vec<Diagnosis> {
        let total = observed.len();
        let mut parts: Vec<usize> = (0..fits.len()).filter(|&at| fits[at].touched.len() > 0).collect();
        parts.sort_by_key(|&at| {
            let fit = &fits[at];
            let wrong = fit.touched.len() - fit.explained.len() + fit.contradicted;
            // A part explains something of its own, or is covered by the other and changes what that does.
            Reverse((1000 * fit.explained.len()).checked_div(fit.explained.len() + wrong).unwrap_or_default())
        });
        let mut pairs = Vec::new();
        for (index, &one) in parts.iter().enumerate() {
            for &other in &parts[index + 1..] {
                pairs.push((cost(&fits[one], &fits[other], total), one, other));
            }
        }
        // The sort is stable, so that of pairs with one cost those with likely parts come first.
        pairs.sort_by_key(|(cost, _, _)| *cost);
        let theirs = observed.passes.iter().flat_map(|pass| &pass.wrong);
        let cases = self.cases.cases_of(theirs);
        let bytes: usize = cases.iter().map(|&case| self.cases.sizes[case]).sum();
        pairs.truncate(self.affordable_pairs(cases.len(), bytes));
        let found: Vec<_> = pairs
            .par_iter()
            .flat_map_iter(|&(_, one, other)| [(one, other), (other, one)])
            .filter(|&(inner, outer)| self.is_exact(observed, inner, outer, rows_alone))
            .map(|(one, other)| (one.min(other), one.max(other)))
            .collect();
        let mut seen = Vec::new();
        for pair in found {
            if !seen.contains(&pair) {
                seen.push(pair);
            }
        }
        // The one whose parts claim least beside what they explain comes first.
        seen.sort_by_key(|&(one, other)| fits[one].against() + fits[other].against());
        let all = |pair: (usize, usize)| {
            // Evidence is where either of them changes something.
            let mut explained = fits[pair.0].touched.clone();
            explained.extend(&fits[pair.1].touched);
            let faults = vec![self.faults[pair.0], self.faults[pair.1]];
            let fit = Fit { rows_alone, explained, ..Fit::default() };
            Diagnosis { explained: total, ..fit.diagnosis(faults, total) }
        };
        seen.into_iter().map(all).collect()
    }

    /// How many pairs may be replayed on so many cases with so many bytes. Each pair is read in both orders.
    fn affordable_pairs(&self, cases: usize, bytes: usize) -> usize {
        (REPLAYS / cases.max(1)).max(PAIRS).min(self.pair_bytes / (2 * bytes).max(1))
    }

    /// Two faults at once that explain differences which no single one does, in a reader that has several.
    fn parts_of_two(&self, observed: &Observed, fits: &[Fit], explained: &mut Bits) -> Vec<Diagnosis> {
        let open = |fit: &Fit| fit.touched.len_without(explained);
        let likely: Vec<usize> = (0..fits.len()).filter(|&at| open(&fits[at]) > 0).collect();
        let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
        for (index, &one) in likely.iter().enumerate() {
            for &other in &likely[index + 1..] {
                // Where only one changes anything, the other is not needed.
                let both = fits[one].touched.common(&fits[other].touched).len_without(explained);
                if both > 0 {
                    pairs.push((both, one, other));
                }
            }
        }
        let against = |at: usize| fits[at].against();
        pairs.sort_by_key(|&(both, one, other)| (against(one) + against(other), Reverse(both)));
        let bytes: usize = self.cases.sizes.iter().sum();
        pairs.truncate(self.affordable_pairs(self.cases.inputs.len(), bytes));
        let both_orders = pairs.into_par_iter().flat_map_iter(|(_, one, other)| [(one, other), (other, one)]);
        let fitted = both_orders.filter_map(|(inner, outer)| {
            let faulty = self.faults[inner].planted_in(&Standard);
            let faulty = self.faults[outer].planted_in(&faulty);
            if self.deadline.is_over() {
                return None;
            }
            let cases = self.cases.cases_of(self.wrong[inner].iter().chain(&self.wrong[outer]));
            let wrong = self.cases.wrong(cases.into_iter(), &faulty);
            let rows_alone = fits[inner].rows_alone;
            Some(((inner.min(outer), inner.max(outer)), self.fit(observed, &wrong, rows_alone)))
        });
        let fitted: Vec<((usize, usize), Fit)> = fitted.collect();
        let all: Vec<_> = fitted.iter().map(|(pair, fit)| (*pair, fit)).collect();
        let found = parts(&all, explained);
        let diagnosis = |((one, other), fit): ((usize, usize), &Fit)| {
            fit.diagnosis(vec![self.faults[one], self.faults[other]], observed.len())
        };
        found.into_iter().map(diagnosis).collect()
    }

    /// Whether a reader with both faults says just what this one does. Ends at the first case where it does not, or when
    /// the time is over.
    fn is_exact(&self, observed: &Observed, inner: usize, outer: usize, rows_alone: bool) -> bool {
        let faulty = self.faults[inner].planted_in(&Standard);
        let faulty = self.faults[outer].planted_in(&faulty);
        let theirs = observed.passes.iter().flat_map(|pass| &pass.wrong);
        let mut cases = self.cases.cases_of(theirs.chain(&self.wrong[inner]).chain(&self.wrong[outer]));
        cases.sort_by_key(|&case| self.cases.sizes[case]);
        cases.into_iter().all(|case| {
            if self.deadline.is_over() {
                return false;
            }
            let wrong = self.cases.wrong_in(case, &faulty);
            observed.passes.iter().all(|pass| {
                let mut same = true;
                self.compare(pass, of_case(&pass.wrong, case), &wrong, rows_alone, &mut |of| {
                    same &= matches!(of, Compared::Same(_));
                });
                same
            })
        })
    }
}

/// How one place came out.
enum Compared {
    /// Both say the same; with the number of the reader's difference.
    Same(usize),
    /// Both differ from the standard, in other ways.
    Other(usize),
    /// The reader differs, the one with the fault does not.
    Untouched,
    /// The one with the fault differs, the reader does not.
    Contradicted,
}

/// The part of a list that is about one case.
fn of_case(wrong: &Wrong, case: usize) -> &[(Place, Said)] {
    let first = wrong.partition_point(|(place, _)| (place.case as usize) < case);
    let end = wrong.partition_point(|(place, _)| place.case as usize <= case);
    &wrong[first..end]
}
