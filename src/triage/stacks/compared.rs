//! Two lists side by side: which stacks differ, from which frame on, and in which function that is.

use std::ops::Range;

use super::input::{Form, Frame, Stacks};
use super::program::Program;

/// How far from an expected address of another file an address is taken for one of the same file's code.
const NEAR: u64 = 2 << 20;

/// Where a frame stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The link-time address.
    pub address: u64,
    /// Whether it is a return address, as far as the list and the file's signal frames tell.
    pub is_return: bool,
    /// The function whose signal frame interrupted this one.
    pub interrupted_by: Option<usize>,
    /// The function that it is in; `None` outside the file and in code without an FDE.
    pub function: Option<usize>,
}

impl Place {
    /// The address to look up: of a return address that of the call before it.
    pub fn looked_up(&self) -> u64 {
        self.address.wrapping_sub(u64::from(self.is_return))
    }
}

/// Two stacks of which one should be the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Their number in the lists, from 1.
    pub number: usize,
    /// The lines of the observed and of the expected list.
    pub lines: [u64; 2],
    /// The observed addresses.
    pub observed: Vec<Option<u64>>,
    /// The expected addresses.
    pub expected: Vec<Option<u64>>,
    /// Where each expected frame stands; `None` where the list does not tell.
    pub places: Vec<Option<Place>>,
    /// The first frame that differs.
    pub first_wrong: Option<usize>,
}

impl Pair {
    /// Whether the frames with these numbers are the same. A frame without an address is the same as any.
    pub fn is_same(&self, observed: usize, expected: usize) -> bool {
        match (self.observed.get(observed), self.expected.get(expected)) {
            (Some(Some(one)), Some(Some(other))) => one == other,
            (Some(_), Some(_)) => true,
            _ => false,
        }
    }

    /// Whether stretches of equal length are the same.
    pub fn are_same(&self, observed: Range<usize>, expected: Range<usize>) -> bool {
        observed.len() == expected.len()
            && observed.zip(expected).all(|(one, other)| self.is_same(one, other))
    }

    /// Where the frame stands from which the walk to the first wrong frame went; `None` when that is the innermost.
    pub fn before_wrong(&self) -> Option<Place> {
        self.places.get(self.first_wrong?.checked_sub(1)?).copied().flatten()
    }

    /// The frames from which the walk went on rightly: those before the last right one, and those of the end that both
    /// stacks share, where the walk had found back.
    pub fn walked_rightly(&self) -> impl Iterator<Item = Place> {
        let all = self.places.len();
        let (before, shared) = match self.first_wrong {
            Some(first) => (first.saturating_sub(1), self.shared_end(first)),
            None => (all.saturating_sub(1), 0),
        };
        let end = all - shared..all.saturating_sub(1).max(all - shared);
        self.places[..before.min(all)].iter().chain(&self.places[end]).copied().flatten()
    }

    /// How many frames of the end both stacks share, the first `first` ones not counted.
    fn shared_end(&self, first: usize) -> usize {
        let (observed, expected) = (self.observed.len(), self.expected.len());
        let most = observed.min(expected).saturating_sub(first);
        (0..most).take_while(|back| self.is_same(observed - 1 - back, expected - 1 - back)).count()
    }
}

/// All pairs of two lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The pairs in order.
    pub pairs: Vec<Pair>,
    /// How many stacks the observed and the expected list have.
    pub stacks: [usize; 2],
    /// Whether gdb made the expected list.
    pub(super) is_of_gdb: bool,
    /// All expected run-time addresses, ascending, each once.
    pub(super) known: Vec<u64>,
}

impl Comparison {
    /// Lays the stacks of two lists side by side, by their number.
    pub fn new(program: &Program, observed: &Stacks, expected: &Stacks) -> Comparison {
        let both = observed.list.iter().zip(&expected.list);
        let pairs = both.enumerate().map(|(index, (ours, theirs))| {
            let (mut one, mut other) = (ours.frames.clone(), theirs.frames.clone());
            end_at_main(program, observed.form, &one, &mut other);
            end_at_main(program, expected.form, &other, &mut one);
            let places = places(program, &other);
            let addresses = |frames: &[Frame]| frames.iter().map(|frame| frame.address).collect();
            let mut pair = Pair {
                number: index + 1,
                lines: [ours.line, theirs.line],
                observed: addresses(&one),
                expected: addresses(&other),
                places,
                first_wrong: None,
            };
            let frames = pair.observed.len().max(pair.expected.len());
            pair.first_wrong = (0..frames).find(|&frame| !pair.is_same(frame, frame));
            pair
        });
        let pairs: Vec<Pair> = pairs.collect();
        let mut known: Vec<u64> =
            pairs.iter().flat_map(|pair| pair.expected.iter().copied().flatten()).collect();
        known.sort_unstable();
        known.dedup();
        Comparison {
            pairs,
            stacks: [observed.list.len(), expected.list.len()],
            is_of_gdb: expected.form == Some(Form::Gdb),
            known,
        }
    }

    /// The numbers of the pairs that differ.
    pub fn different(&self) -> Vec<usize> {
        (0..self.pairs.len()).filter(|&index| self.pairs[index].first_wrong.is_some()).collect()
    }

    /// Whether a run-time address is one of code: in the file's own, or, outside the file, near an expected one.
    pub fn is_code(&self, program: &Program, address: u64) -> bool {
        if program.holds(address) {
            return program.is_code(program.link_time(address));
        }
        let after = self.known.partition_point(|&known| known < address);
        let around = &self.known[after.saturating_sub(1)..self.known.len().min(after + 1)];
        around.iter().any(|known| !program.holds(*known) && known.abs_diff(address) <= NEAR)
    }

    /// Whether both lists are the same.
    pub fn agrees(&self) -> bool {
        self.stacks[0] == self.stacks[1] && self.different().is_empty()
    }
}

/// gdb shows no frame behind `main` unless it is told to: a list of its is not held against what the other has there.
fn end_at_main(program: &Program, form: Option<Form>, shown: &[Frame], other: &mut Vec<Frame>) {
    if form != Some(Form::Gdb) {
        return;
    }
    let last = shown.last().and_then(|frame| frame.address).map(|address| program.link_time(address));
    let function =
        last.and_then(|address| program.function_at(address.wrapping_sub(u64::from(shown.len() > 1))));
    if function.is_some_and(|index| program.functions()[index].name.as_deref() == Some("main")) {
        // Where the other has the same frame of `main`, that is its end, however many frames are before it.
        let main =
            other.iter().rposition(|frame| frame.address == shown.last().and_then(|last| last.address));
        other.truncate(main.map_or(shown.len(), |main| main + 1));
    }
}

fn places(program: &Program, frames: &[Frame]) -> Vec<Option<Place>> {
    let mut places: Vec<Option<Place>> = Vec::with_capacity(frames.len());
    for (index, frame) in frames.iter().enumerate() {
        let before = places.last().copied().flatten();
        let interrupted_by = before.and_then(|place| place.function);
        let interrupted_by = interrupted_by.filter(|&index| program.functions()[index].is_signal_frame);
        let is_return = index > 0 && !frame.interrupted && interrupted_by.is_none();
        places.push(frame.address.map(|address| {
            let address = program.link_time(address);
            let function = program.function_at(address.wrapping_sub(u64::from(is_return)));
            Place { address, is_return, interrupted_by, function }
        }));
    }
    places
}
