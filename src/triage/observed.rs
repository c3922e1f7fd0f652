//! What a reader said that differs from ours: what a diagnosis has to explain.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{Case, Says};

use crate::triage::answers::{Part, Place, Wrong};

/// The passes of a reader over some cases.
#[derive(Default)]
pub struct Observed {
    /// One or several, each with its own part of the whole.
    pub passes: Vec<Pass>,
    /// Of how many of the cases, from the first on, the reader was asked.
    pub asked: usize,
    /// Where the reader broke, by its words without their numbers.
    pub breaks: BTreeMap<String, Break>,
}

/// What became of sections that a reader did not read to the end.
#[derive(Clone, Debug, Default)]
pub struct Break {
    /// The sections.
    pub sections: BTreeSet<(u32, Part)>,
    /// How many records it did not give for which no fault of the tool is listed.
    pub unexplained: usize,
}

/// One pass of a reader.
#[derive(Default)]
pub struct Pass {
    /// What the reader says of everything, for a planted fault; else what `of_section` tells.
    pub everywhere: Option<Says>,
    /// Whether it answers for addresses, and its records are put together from that.
    pub looks_up: bool,
    /// What it said of each section that it spoke of.
    pub of_section: HashMap<(u32, Part), Says>,
    /// Where it differs from the standard, and how, by place.
    pub wrong: Wrong,
    /// Where its difference has another explanation, or nobody can tell who is right: no diagnosis is asked to explain
    /// it, nor contradicted by it.
    pub open: BTreeSet<Place>,
    /// How many differences there are beside those that are kept.
    pub left_out: usize,
}

impl Pass {
    /// What the reader says of a place; `None` when it did not speak of the section, or nobody can tell who is right.
    pub fn says(&self, place: Place) -> Option<Says> {
        if self.open.contains(&place) {
            return None;
        }
        self.everywhere.or_else(|| self.of_section.get(&(place.case, place.part)).copied())
    }
}

impl Observed {
    /// A reader in this process, of which everything is known.
    pub fn whole(wrong: Wrong) -> Observed {
        let pass = Pass { everywhere: Some(Says::all()), wrong, ..Pass::default() };
        Observed { passes: vec![pass], ..Observed::default() }
    }

    /// Whether it says instructions as well as rows, so that a mistake in the one can be told from one in both.
    pub fn tells_rows_apart(&self) -> bool {
        let says = self.passes.iter().flat_map(|pass| pass.of_section.values());
        says.fold(Says::empty(), |sum, says| sum | *says).contains(Says::INSTRUCTIONS | Says::ROWS)
    }

    /// How many sections the reader spoke of.
    pub fn sections(&self) -> usize {
        let spoken_of = |pass: &Pass| pass.of_section.iter().filter(|(_, says)| !says.is_empty()).count();
        self.passes.iter().map(spoken_of).max().unwrap_or_default()
    }

    /// In how many cases there are differences.
    pub fn cases(&self) -> usize {
        let places = self.passes.iter().flat_map(|pass| &pass.wrong);
        places.map(|(place, _)| place.case).collect::<BTreeSet<_>>().len()
    }

    /// Cuts the differences to so many, at even distances, and gives the places of these and of so many records of the
    /// sections that the reader spoke of.
    pub fn focus(&mut self, inputs: &[Case], limit: usize, records: usize) -> Vec<Place> {
        let mut places = Vec::new();
        for pass in &mut self.passes {
            let left_out = thin(&mut pass.wrong, limit);
            pass.left_out += left_out.len();
            pass.open.extend(left_out.into_iter().map(|(place, _)| place));
            places.extend(pass.wrong.iter().map(|(place, _)| *place));
        }
        let mut spoken_of: Vec<(u32, Part)> =
            self.passes.iter().flat_map(|pass| pass.of_section.keys().copied()).collect();
        spoken_of.sort_unstable();
        spoken_of.dedup();
        let mut all = Vec::new();
        for (case, part) in spoken_of {
            let Part::Section(index) = part else { continue };
            let input = &inputs[case as usize];
            let table = Table::new(Reader::new(&input.sections[index as usize], input.target));
            all.extend(
                (0..table.len()).filter_map(|record| {
                    table.offset(record).map(|offset| Place { case, part, at: offset.0 })
                }),
            );
        }
        thin(&mut all, records);
        places.append(&mut all);
        places
    }

    /// All differences with their number among all passes, each as the numbers of its pass and in that.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, (usize, usize))> {
        let lengths = self.passes.iter().map(|pass| pass.wrong.len()).enumerate();
        lengths.flat_map(|(pass, length)| (0..length).map(move |at| (pass, at))).enumerate()
    }

    /// How many differences there are to explain.
    pub fn len(&self) -> usize {
        self.passes.iter().map(|pass| pass.wrong.len()).sum()
    }

    /// How many there are with those that are left out.
    pub fn differences(&self) -> usize {
        let of_pass = |pass: &Pass| pass.wrong.len() + pass.left_out;
        self.passes.iter().map(of_pass).sum()
    }

    /// Whether the reader is right everywhere.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Cuts a list to so many items at even distances, and gives the others.
fn thin<T>(list: &mut Vec<T>, limit: usize) -> Vec<T> {
    let step = list.len().div_ceil(limit.max(1)).max(1);
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for (index, item) in std::mem::take(list).into_iter().enumerate() {
        if index % step == 0 { kept.push(item) } else { left_out.push(item) }
    }
    *list = kept;
    left_out
}
