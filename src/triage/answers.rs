//! What readers with given semantics say of cases, and where they differ from the standard's own answers.

use std::collections::BTreeSet;

use cfidiff_cfi::{Header, Reader, Semantics, Standard, Table};
use cfidiff_gen::suite::Suite;
use cfidiff_model::{Case, Entry, EntryKind, FaultKind, Fde, Key, Says, SectionKind, SectionOffset, Target};
use rayon::prelude::*;

use crate::compare::{Differences, look_up};
use crate::corpus::{self, Question};
use crate::image;

/// A place of which something is said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Place {
    /// The case's number.
    pub case: u32,
    /// The part of the case.
    pub part: Part,
    /// The record's offset, or the question's number.
    pub at: u64,
}

/// A part of a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Part {
    /// The section with this number in the case.
    Section(u32),
    /// `.eh_frame_hdr`.
    Header,
    /// The questions that a case of the suite answers beside its records.
    Questions,
}

/// What is said of a place.
#[derive(Clone, PartialEq, Debug)]
pub enum Said {
    /// A record.
    Entry(Box<Entry>),
    /// Words that are equal or not.
    Words(String),
    /// No record starts there.
    Nothing,
}

impl Said {
    /// Whether two readers say the same, as far as `says` tells that the first says anything.
    pub fn agrees(&self, other: &Said, says: Says, target: &Target) -> bool {
        self.difference(other, says, target).is_none()
    }

    /// The same with the instructions of another reading of the record.
    pub(super) fn with_instructions_of(&self, other: &Said) -> Said {
        match (self, other) {
            (Said::Entry(entry), Said::Entry(other)) => {
                let instructions = other.instructions.clone();
                Said::Entry(Box::new(Entry { instructions, ..(**entry).clone() }))
            }
            _ => self.clone(),
        }
    }

    /// The first difference between what a reader says and what another, which says all, does.
    pub fn difference(&self, other: &Said, says: Says, target: &Target) -> Option<Difference> {
        let untold = |entry: &Entry| match entry.kind {
            EntryKind::Terminator => !says.contains(Says::TERMINATORS),
            EntryKind::Unreadable => true,
            EntryKind::Cie(_) | EntryKind::Fde(_) => false,
        };
        let named = |key: Key, ours: &str, theirs: &str| Difference {
            key: key.name(),
            ours: ours.to_owned(),
            theirs: theirs.to_owned(),
        };
        match (self, other) {
            (Said::Entry(theirs), Said::Entry(ours)) => entry_difference(ours, theirs, says, target),
            (Said::Entry(theirs), Said::Nothing) => {
                Some(named(Key::EntryExtra, "no record starts here", theirs.kind.name()))
            }
            (Said::Nothing, Said::Entry(entry)) if !untold(entry) || says == Says::all() => {
                Some(named(Key::EntryMissing, entry.kind.name(), "nothing"))
            }
            (Said::Words(theirs), Said::Words(ours)) if theirs != ours => {
                Some(Difference { key: "answer", ours: ours.clone(), theirs: theirs.clone() })
            }
            _ => None,
        }
    }
}

/// One difference in words.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The key of the finding; `answer` for what no finding is about.
    pub key: &'static str,
    /// What ours says.
    pub ours: String,
    /// What the reader says.
    pub theirs: String,
}

/// The first difference of two records.
fn entry_difference(ours: &Entry, theirs: &Entry, says: Says, target: &Target) -> Option<Difference> {
    if ours == theirs {
        return None;
    }
    let in_own_words = theirs.faults.iter().any(|fault| fault.kind == FaultKind::Reported);
    if ours.faults.is_empty() || theirs.faults.is_empty() || in_own_words {
        let mut differences = Differences::new(target);
        differences.entries(ours, theirs, says);
        let first = differences.list.into_iter().next()?;
        return Some(Difference { key: first.key.name(), ours: first.ours, theirs: first.theirs });
    }
    let in_words = |entry: &Entry| {
        let names: Vec<&str> = kinds(entry).into_iter().map(FaultKind::name).collect();
        names.join(", ")
    };
    if kinds(ours) != kinds(theirs) {
        return Some(Difference { key: "faults", ours: in_words(ours), theirs: in_words(theirs) });
    }
    // Both complain of the same, and one can still be told from the other by what it could read.
    let without = |entry: &Entry| Entry { faults: Vec::new(), ..entry.clone() };
    entry_difference(&without(ours), &without(theirs), says, target)
}

fn kinds(entry: &Entry) -> Vec<FaultKind> {
    let mut kinds: Vec<FaultKind> = entry.faults.iter().map(|fault| fault.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// What a reader says that differs from the standard's answers, by place.
pub type Wrong = Vec<(Place, Said)>;

/// Cases with the standard's answers.
pub struct Cases {
    /// The inputs.
    pub inputs: Vec<Case>,
    /// Their sizes in bytes, by which the smallest evidence is chosen.
    pub sizes: Vec<usize>,
    questions: Vec<Vec<Question>>,
    /// Of each case, the answers in the order of their places.
    right: Vec<Vec<(Place, Said)>>,
    /// The places to look at; all of them when there is no list.
    focus: Option<Vec<Place>>,
}

impl Cases {
    /// The cases of the suite with all their questions. A case that cannot be opened is the suite's own mistake, which
    /// its tests tell, and is left out here.
    pub fn of_suite(suite: &Suite) -> Cases {
        let mut cases = Cases::empty();
        for case in suite.cases() {
            let image = image::from_bytes(&case.name, &case.file, &image::Options::default());
            if let Some(input) = image.ok().and_then(|image| image.cases.into_iter().next()) {
                cases.inputs.push(input);
                cases.sizes.push(case.file.len());
                cases.questions.push(corpus::questions(case));
            }
        }
        cases.answer_right();
        cases
    }

    /// Cases without questions of their own. With a list, only the places on it count.
    pub fn of_inputs(inputs: Vec<Case>, focus: Option<Vec<Place>>) -> Cases {
        let mut cases = Cases::empty();
        let size = |input: &Case| input.sections.iter().map(|section| section.data.len()).sum();
        cases.sizes = inputs.iter().map(size).collect();
        cases.questions = vec![Vec::new(); inputs.len()];
        cases.inputs = inputs;
        cases.focus = focus.map(|mut places| {
            places.sort_unstable();
            places.dedup();
            places
        });
        cases.answer_right();
        cases
    }

    fn empty() -> Cases {
        let (inputs, sizes, questions, right) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Cases { inputs, sizes, questions, right, focus: None }
    }

    fn answer_right(&mut self) {
        self.right =
            (0..self.inputs.len()).into_par_iter().map(|case| self.answer(case, &Standard)).collect();
    }

    /// The standard's answer at a place.
    pub fn right(&self, place: Place) -> &Said {
        let answers = self.right.get(place.case as usize).map_or(&[][..], Vec::as_slice);
        match answers.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => &answers[at].1,
            Err(_) => &Said::Nothing,
        }
    }

    /// What is put together at a place from the look-ups of a reader that says this of it.
    pub(super) fn looked_up(&self, place: Place, said: &Said) -> Said {
        let Said::Entry(right) = self.right(place) else { return said.clone() };
        let EntryKind::Fde(Fde { cie: Some(cie), .. }) = &right.kind else {
            return self.right(place).clone();
        };
        let cie = match self.right(Place { at: cie.0, ..place }) {
            Said::Entry(entry) => &entry.kind,
            _ => return said.clone(),
        };
        let EntryKind::Cie(cie) = cie else { return said.clone() };
        let theirs = match said {
            Said::Entry(entry) => Some(&**entry),
            _ => None,
        };
        Said::Entry(Box::new(look_up::seen(right, theirs, cie.return_address_register)))
    }

    /// The offsets of the FDEs in a part of a case, those to look at.
    pub(super) fn fdes(&self, case: u32, part: Part) -> impl Iterator<Item = u64> {
        let answers = self.right.get(case as usize).map_or(&[][..], Vec::as_slice);
        answers.iter().filter_map(move |(place, said)| match said {
            Said::Entry(entry) if place.part == part => {
                matches!(entry.kind, EntryKind::Fde(_)).then_some(place.at)
            }
            _ => None,
        })
    }

    /// The target of a place's case.
    pub fn target(&self, place: Place) -> &Target {
        &self.inputs[place.case as usize].target
    }

    /// A place in words.
    pub fn words(&self, place: Place) -> String {
        let input = &self.inputs[place.case as usize];
        match place.part {
            Part::Section(section) => {
                format!(
                    "{} {}+{}",
                    input.name,
                    input.sections[section as usize].name,
                    SectionOffset(place.at)
                )
            }
            Part::Header => format!("{} .eh_frame_hdr", input.name),
            Part::Questions => {
                let question = self.questions[place.case as usize].get(place.at as usize);
                format!("{} {}", input.name, question.map_or("", |question| &question.place))
            }
        }
    }

    /// What a reader with these semantics says of some cases that differs from the standard's answers.
    pub fn wrong(&self, cases: impl Iterator<Item = usize>, semantics: &dyn Semantics) -> Wrong {
        let mut wrong = Vec::new();
        for case in cases {
            wrong.extend(self.wrong_in(case, semantics));
        }
        wrong
    }

    /// The same of one case.
    pub fn wrong_in(&self, case: usize, semantics: &dyn Semantics) -> Wrong {
        let mut right = self.right[case].iter().peekable();
        let mut wrong = Vec::new();
        for (place, said) in self.answer(case, semantics) {
            while let Some((missing, _)) = right.next_if(|(other, _)| *other < place) {
                wrong.push((*missing, Said::Nothing));
            }
            match right.next_if(|(other, _)| *other == place) {
                Some((_, expected)) if *expected == said => {}
                _ => wrong.push((place, said)),
            }
        }
        wrong.extend(right.map(|(missing, _)| (*missing, Said::Nothing)));
        wrong
    }

    /// All that a reader with these semantics says of a case, by place.
    fn answer<S: Semantics + ?Sized>(&self, case: usize, semantics: &S) -> Vec<(Place, Said)> {
        let input = &self.inputs[case];
        let place = |part, at| Place { case: case as u32, part, at };
        let mut said = Vec::new();
        for (index, section) in input.frame_sections() {
            let part = Part::Section(index as u32);
            let mut table = Table::new(Reader::with_semantics(section, input.target, semantics));
            let numbers: Vec<usize> = match &self.focus {
                None => (0..table.len()).collect(),
                Some(_) => {
                    self.focused(place(part, 0)).filter_map(|at| table.index_of(SectionOffset(at))).collect()
                }
            };
            for number in numbers {
                let mut entry = Entry::default();
                table.fill(number, Says::all(), &mut entry);
                said.push((place(part, entry.offset.0), Said::Entry(Box::new(entry))));
            }
        }
        if self.focus.is_none() {
            let header = input.sections.iter().find(|section| section.kind == SectionKind::EhFrameHdr);
            if let Some(header) =
                header.map(|section| Header::with_semantics(section, input.target, semantics))
            {
                said.push((place(Part::Header, 0), Said::Words(corpus::header_fields(&header).to_string())));
            }
        }
        let answers = corpus::answers(input, &self.questions[case], semantics);
        said.extend((0..).zip(answers).map(|(at, words)| (place(Part::Questions, at), Said::Words(words))));
        said
    }

    /// The offsets to look at in a section.
    fn focused(&self, section: Place) -> impl Iterator<Item = u64> {
        let places = self.focus.as_deref().unwrap_or_default();
        let first = places.partition_point(|place| *place < section);
        let inside = move |place: &&Place| (place.case, place.part) == (section.case, section.part);
        places[first..].iter().take_while(inside).map(|place| place.at)
    }

    /// The numbers of the cases at which any of these places are.
    pub fn cases_of<'w>(&self, wrong: impl Iterator<Item = &'w (Place, Said)>) -> Vec<usize> {
        let cases: BTreeSet<u32> = wrong.map(|(place, _)| place.case).collect();
        cases.into_iter().map(|case| case as usize).collect()
    }
}
