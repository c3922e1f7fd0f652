//! Shapes of walks that go wrong: a frame is missing or repeated, the walk ends too early or not at all, the first wrong
//! value is no code, one function or one CIE is behind all of it.

use std::collections::{BTreeMap, BTreeSet};

use super::base::is_behind_call;
use super::compared::{Comparison, Pair, Place};
use super::program::Program;
use super::shape::{Found, FunctionError, Shape};

/// How many places a fact lists.
const SHOWN: usize = 4;

/// The observed stack is the expected one without one frame inside.
pub(super) fn frame_missing(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let pairs = pairs_where(lists, left, |pair, first| {
        let (observed, expected) = (pair.observed.len(), pair.expected.len());
        first < observed && pair.are_same(first..observed, first + 1..expected)
    });
    let mut found = walk(Shape::FrameMissing, program, lists, pairs)?;
    let is_second = |&&index: &&usize| lists.pairs[index].first_wrong == Some(1);
    let second = found.pairs.iter().filter(is_second).count();
    if second > 0 {
        found
            .facts
            .push(format!("in {second} of {} it is the caller of the innermost frame", found.pairs.len()));
    }
    let is_call = |&&index: &&usize| {
        let pair = &lists.pairs[index];
        let place = pair.first_wrong.and_then(|first| pair.places.get(first).copied().flatten());
        place.is_none_or(|place| match place.function {
            Some(_) => !place.is_return || is_behind_call(program, place.address),
            None => !lists.is_of_gdb,
        })
    };
    let others = found.pairs.len() - found.pairs.iter().filter(is_call).count();
    if others > 0 {
        found.facts.push(format!(
            "{others} of {} missing frames are behind no call of the file: debuggers also show tail calls, which have no frame",
            found.pairs.len()
        ));
    }
    Some(found)
}

/// The observed stack is the expected one with one frame more inside.
pub(super) fn frame_added(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let pairs = pairs_where(lists, left, |pair, first| {
        let (observed, expected) = (pair.observed.len(), pair.expected.len());
        (1..expected).contains(&first) && pair.are_same(first + 1..observed, first..expected)
    });
    let mut found = walk(Shape::FrameAdded, program, lists, pairs)?;
    let is_again = |&&index: &&usize| {
        let pair = &lists.pairs[index];
        pair.first_wrong
            .is_some_and(|first| pair.observed.get(first) == pair.observed.get(first.wrapping_sub(1)))
    };
    let again = found.pairs.iter().filter(is_again).count();
    if again > 0 {
        found.facts.push(format!("in {again} of {} it is the frame before it once more", found.pairs.len()));
    }
    Some(found)
}

/// The observed stack is the start of the expected one.
pub(super) fn ends_early(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let pairs = pairs_where(lists, left, |pair, first| first == pair.observed.len());
    walk(Shape::EndsEarly, program, lists, pairs)
}

/// The expected stack is the start of the observed one.
pub(super) fn goes_on(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let pairs = pairs_where(lists, left, |pair, first| first == pair.expected.len());
    walk(Shape::GoesOn, program, lists, pairs)
}

/// The first wrong value is no address of code.
pub(super) fn no_code_address(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let value = |pair: &Pair, first: usize| pair.observed.get(first).copied().flatten();
    let pairs = pairs_where(lists, left, |pair, first| {
        // The innermost address is not read from the stack.
        let is_inside = (1..pair.expected.len()).contains(&first);
        is_inside && value(pair, first).is_some_and(|value| !lists.is_code(program, value))
    });
    let mut found = walk(Shape::NoCodeAddress, program, lists, pairs)?;
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for &index in &found.pairs {
        let pair = &lists.pairs[index];
        let kind = pair.first_wrong.and_then(|first| value(pair, first)).map(|value| kind(program, value));
        *kinds.entry(kind.unwrap_or_default()).or_default() += 1;
    }
    let words: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    found.facts.push(format!("the values: {}", words.join(", ")));
    Some(found)
}

/// Walks that go wrong behind the function behind which most do.
pub(super) fn from_one_function(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let mut by_function: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &index in left {
        if let Some(function) = lists.pairs[index].before_wrong().and_then(|place| place.function) {
            by_function.entry(function).or_default().push(index);
        }
    }
    let (function, pairs) = by_function.into_iter().rev().max_by_key(|(_, pairs)| pairs.len())?;
    let mut found = walk(Shape::FromOneFunction, program, lists, pairs)?;
    let cleared = walked_rightly(lists).filter(|place| place.function == Some(function)).count();
    found.facts.push(match cleared {
        0 => "no walk goes on rightly from it".to_owned(),
        _ => format!(
            "{cleared} walks go on rightly from other frames of it: only some of its rows are read wrongly"
        ),
    });
    let is_code = |&&index: &&usize| {
        let pair = &lists.pairs[index];
        let value = pair.first_wrong.and_then(|first| pair.observed.get(first).copied().flatten());
        value.is_some_and(|value| lists.is_code(program, value))
    };
    let code = found.pairs.iter().filter(is_code).count();
    found.facts.push(format!("{code} of {} first wrong values are addresses of code", found.pairs.len()));
    Some(found)
}

/// Walks that go wrong behind several functions of one CIE, from none of whose functions a walk goes on rightly.
pub(super) fn from_one_cie(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let cie_of = |place: Place| {
        let function = &program.functions()[place.function?];
        Some((function.section, function.cie?))
    };
    let right: BTreeSet<_> = walked_rightly(lists).filter_map(cie_of).collect();
    let mut by_cie: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for &index in left {
        let cie = lists.pairs[index].before_wrong().and_then(cie_of).filter(|cie| !right.contains(cie));
        if let Some(cie) = cie {
            by_cie.entry(cie).or_default().push(index);
        }
    }
    let (((case, section), cie), pairs) = by_cie.into_iter().rev().max_by_key(|(_, pairs)| pairs.len())?;
    let mut found = walk(Shape::FromOneCie, program, lists, pairs)?;
    (found.functions.len() > 1).then_some(())?;
    let section = &program.cases[case].sections[section];
    found.facts.push(format!(
        "their CIE is {}+{cie}, and from no function of it does a walk go on rightly",
        section.name
    ));
    Some(found)
}

/// All frames of all pairs from which a walk went on rightly.
pub(super) fn walked_rightly(lists: &Comparison) -> impl Iterator<Item = Place> {
    lists.pairs.iter().flat_map(Pair::walked_rightly)
}

/// The pairs that are left and have this shape, given the first frame that is wrong.
fn pairs_where(lists: &Comparison, left: &[usize], is_shape: impl Fn(&Pair, usize) -> bool) -> Vec<usize> {
    let has = |&&index: &&usize| {
        let pair = &lists.pairs[index];
        pair.first_wrong.is_some_and(|first| is_shape(pair, first))
    };
    left.iter().filter(has).copied().collect()
}

/// A shape of walks with what is told of every one: behind which functions, and what is special there.
fn walk(shape: Shape, program: &Program, lists: &Comparison, pairs: Vec<usize>) -> Option<Found> {
    let first = *pairs.first()?;
    let mut frames: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    let mut blamed = Vec::new();
    for &index in &pairs {
        let Some(place) = lists.pairs[index].before_wrong() else { continue };
        *frames.entry(place.function).or_default() += 1;
        blamed.push(place);
    }
    let functions = frames
        .into_iter()
        .map(|(function, frames)| FunctionError { function, error: None, frames })
        .collect();
    let facts = places_words(program, lists, &pairs, &blamed);
    let evidence = (first, lists.pairs[first].first_wrong?);
    Some(Found { shape, pairs, functions, facts, blamed, evidence })
}

/// What is special about the frames from which walks go wrong.
fn places_words(program: &Program, lists: &Comparison, pairs: &[usize], blamed: &[Place]) -> Vec<String> {
    let mut facts = Vec::new();
    let of = |count: usize| format!("{count} of {}", blamed.len());
    let behind_call = |place: &&Place| {
        place.is_return && program.function_at(place.address) != program.function_at(place.looked_up())
    };
    let ends = blamed.iter().filter(behind_call).count();
    if ends > 0 {
        facts.push(format!(
            "{} frames return behind the end of their function, whose last instruction is the call: pc is looked up, not pc - 1",
            of(ends)
        ));
    }
    let at_start = |place: &&Place| {
        !place.is_return
            && program
                .function_at(place.address)
                .is_some_and(|index| program.functions()[index].start == place.address)
    };
    let starts = blamed.iter().filter(at_start).count();
    if starts > 0 {
        facts.push(format!(
            "{} frames are at the first address of their function: pc - 1 is in another one",
            of(starts)
        ));
    }
    let signals = |&&index: &&usize| {
        let pair = &lists.pairs[index];
        let around = pair.first_wrong.map_or(0..0, |first| first.saturating_sub(1)..first + 1);
        let is_signal = |place: &Option<Place>| {
            let function = place.and_then(|place| place.function).map(|index| &program.functions()[index]);
            function.is_some_and(|function| function.is_signal_frame)
                || place.is_some_and(|place| place.interrupted_by.is_some())
        };
        pair.places.iter().take(around.end).skip(around.start).any(is_signal)
    };
    let signals = pairs.iter().filter(signals).count();
    if signals > 0 {
        facts.push(format!(
            "{signals} of {} are at a signal frame: its caller's address is no return address",
            pairs.len()
        ));
    }
    let inside = blamed.iter().filter(|place| program.is_code(place.looked_up()));
    let addresses: BTreeSet<u64> = inside.map(Place::looked_up).collect();
    if !addresses.is_empty() {
        let words: Vec<String> =
            addresses.iter().take(SHOWN).map(|address| format!("{address:#x}")).collect();
        let more = if addresses.len() > SHOWN {
            format!(" and {} more", addresses.len() - SHOWN)
        } else {
            String::new()
        };
        facts.push(format!("the rows that the walks needed are at {}{more}", words.join(", ")));
    }
    facts
}

/// What a value is that is no address of code, in words.
fn kind(program: &Program, value: u64) -> String {
    let link_time = program.link_time(value);
    let bits = 8 * u32::from(program.target().class.address_size());
    let high = value.cast_signed() >> 47;
    match program.section_at(link_time).filter(|_| program.holds(value)) {
        Some(section) => format!("in {section}"),
        None if value < 0x1000 => "too small for an address".to_owned(),
        None if bits == 64 && high != 0 && high != -1 => "no address that the machine can have".to_owned(),
        None => "outside all known code: of the stack, of the heap, or no address".to_owned(),
    }
}
