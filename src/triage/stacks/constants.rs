//! Shapes of wrong addresses on right walks: errors that are constant everywhere, or within each function.

use std::collections::{BTreeMap, BTreeSet};

use super::compared::{Comparison, Pair};
use super::program::{Function, Program};
use super::shape::{Found, FunctionError, Shape};

/// Where a frame is, as far as a constant error can depend on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Area {
    /// In a function of the file.
    Function(usize),
    /// In code of the file without an FDE.
    Uncovered,
    /// Outside the file.
    Foreign,
}

/// A frame that both lists have.
struct Seen {
    area: Area,
    address: u64,
    error: i64,
}

/// One error for all addresses of the file.
pub(super) fn everywhere(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let frames = seen_by_pair(program, lists, left);
    let inside = frames.iter().flat_map(|(_, frames)| frames).filter(|seen| seen.area != Area::Foreign);
    let error = most_frequent(inside.map(|seen| seen.error).filter(|&error| error != 0))?;
    let foreign = frames.iter().flat_map(|(_, frames)| frames).filter(|seen| seen.area == Area::Foreign);
    let elsewhere = most_frequent(foreign.map(|seen| seen.error)).unwrap_or(0);
    let fits = |seen: &Seen| match seen.area {
        Area::Foreign => [0, error, elsewhere].contains(&seen.error),
        _ => seen.error == error,
    };
    let is_inside = |seen: &Seen| seen.area != Area::Foreign;
    let explained =
        frames.into_iter().filter(|(_, frames)| frames.iter().all(fits) && frames.iter().any(is_inside));
    let explained: Vec<(usize, Vec<Seen>)> = explained.collect();
    let found = found(Shape::ConstantEverywhere, lists, &explained)?;
    let addresses: BTreeSet<u64> =
        explained.iter().flat_map(|(_, frames)| frames).map(|seen| seen.address).collect();
    // One address is off by a constant whatever is wrong.
    (addresses.len() > 1).then_some(())?;
    let mut facts = Vec::new();
    match found.functions.len() {
        1 => facts.push(
            "only one function is seen: it cannot be told from an error that depends on the function"
                .to_owned(),
        ),
        count => facts.push(format!("it is the same in all {count} functions that are seen")),
    }
    if error % 0x1000 == 0 {
        facts.push("it is a whole number of pages, as the difference of two load bases is".to_owned());
    }
    Some(Found { facts, ..found })
}

/// One off at each return address, nothing at the innermost frame.
pub(super) fn call_sites(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let is_shape = |pair: &Pair, step: i64| {
        let both = pair.observed.iter().zip(&pair.expected).zip(&pair.places);
        pair.observed.len() == pair.expected.len()
            && both.enumerate().all(|(index, ((one, other), place))| {
                let (Some(one), Some(other)) = (one, other) else { return true };
                let error = program.difference(*one, *other);
                // Of a frame that a signal interrupted, either may be shown.
                let is_return = index > 0 && place.is_some_and(|place| place.is_return);
                error == if is_return { step } else { 0 } || (index > 0 && !is_return && error == step)
            })
    };
    let pairs_of =
        |step| left.iter().copied().filter(move |&index| is_shape(&lists.pairs[index], step)).collect();
    let (less, more): (Vec<usize>, Vec<usize>) = (pairs_of(-1), pairs_of(1));
    let (pairs, fact) = if less.len() >= more.len() {
        (less, "the observed list has the lower addresses: those before the return addresses")
    } else {
        (more, "the expected list has the lower addresses: those before the return addresses")
    };
    let first = *pairs.first()?;
    let addresses: usize = pairs.iter().map(|&index| lists.pairs[index].expected.len() - 1).sum();
    (addresses > 1).then(|| Found {
        shape: Shape::CallSites,
        evidence: (first, lists.pairs[first].first_wrong.unwrap_or(0)),
        pairs,
        functions: Vec::new(),
        facts: vec![fact.to_owned()],
        blamed: Vec::new(),
    })
}

/// One error for each function.
pub(super) fn per_function(program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
    let frames = seen_by_pair(program, lists, left);
    let mut by_area: BTreeMap<Area, Vec<i64>> = BTreeMap::new();
    for seen in frames.iter().flat_map(|(_, frames)| frames) {
        by_area.entry(seen.area).or_default().push(seen.error);
    }
    let usual: BTreeMap<Area, i64> = by_area
        .into_iter()
        .filter_map(|(area, errors)| Some((area, most_frequent(errors.into_iter())?)))
        .collect();
    let fits = |seen: &Seen| usual.get(&seen.area) == Some(&seen.error);
    let explained = frames.into_iter().filter(|(_, frames)| frames.iter().all(fits));
    let explained: Vec<(usize, Vec<Seen>)> = explained.collect();
    let found = found(Shape::ConstantPerFunction, lists, &explained)?;
    let errors: BTreeSet<i64> = found.functions.iter().filter_map(|function| function.error).collect();
    (errors.len() > 1).then_some(())?;
    // That an error is constant shows only where several addresses of a function are off.
    let mut addresses: BTreeMap<Area, BTreeSet<u64>> = BTreeMap::new();
    for seen in explained.iter().flat_map(|(_, frames)| frames).filter(|seen| seen.error != 0) {
        addresses.entry(seen.area).or_default().insert(seen.address);
    }
    let several = addresses.values().filter(|addresses| addresses.len() > 1).count();
    let wrong = found.functions.iter().filter(|function| function.error != Some(0)).count();
    let is_related = wrong > 1 && !relations(program, &found.functions).is_empty();
    (several > 1 || is_related).then_some(())?;
    let facts =
        vec![format!("{several} functions are seen at more than one address, and have one error each")];
    Some(Found { facts, ..found })
}

/// The frames of each pair whose stacks have the same length.
fn seen_by_pair(program: &Program, lists: &Comparison, left: &[usize]) -> Vec<(usize, Vec<Seen>)> {
    let same_length = left.iter().filter(|&&index| {
        let pair = &lists.pairs[index];
        pair.observed.len() == pair.expected.len()
    });
    same_length.map(|&index| (index, seen(program, &lists.pairs[index]))).collect()
}

fn seen(program: &Program, pair: &Pair) -> Vec<Seen> {
    let both = pair.observed.iter().zip(&pair.expected).zip(&pair.places);
    both.filter_map(|((observed, expected), place)| {
        let (observed, expected, place) = ((*observed)?, (*expected)?, (*place)?);
        let area = match place.function {
            Some(function) => Area::Function(function),
            None if program.holds(expected) => Area::Uncovered,
            None => Area::Foreign,
        };
        Some(Seen { area, address: expected, error: program.difference(observed, expected) })
    })
    .collect()
}

/// A shape with the functions of these frames, unless there is none.
fn found(shape: Shape, lists: &Comparison, explained: &[(usize, Vec<Seen>)]) -> Option<Found> {
    let &(first, _) = explained.first()?;
    let mut functions: BTreeMap<Area, FunctionError> = BTreeMap::new();
    for seen in explained.iter().flat_map(|(_, frames)| frames) {
        let function = match seen.area {
            Area::Function(index) => Some(index),
            Area::Uncovered => None,
            Area::Foreign => continue,
        };
        let new = FunctionError { function, error: Some(seen.error), frames: 0 };
        functions.entry(seen.area).or_insert(new).frames += 1;
    }
    Some(Found {
        shape,
        pairs: explained.iter().map(|(index, _)| *index).collect(),
        functions: functions.into_values().collect(),
        facts: Vec::new(),
        blamed: Vec::new(),
        evidence: (first, lists.pairs[first].first_wrong?),
    })
}

/// The value that comes most often; of several the least.
fn most_frequent(values: impl Iterator<Item = i64>) -> Option<i64> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts.into_iter().max_by_key(|&(value, count)| (count, std::cmp::Reverse(value))).map(|(value, _)| value)
}

/// A number that an error of a function may be, and how it comes about.
type Relation = (fn(&Program, &Function) -> u64, &'static str);

const RELATIONS: &[Relation] = &[
    (
        |program, function| program.section_address(function).0.wrapping_add(function.field).wrapping_neg(),
        "minus the address of the initial location's field: a pcrel base is not added",
    ),
    (
        |_, function| function.field.wrapping_neg(),
        "minus the offset of the initial location's field: counted from the section's start",
    ),
    (
        |_, function| function.offset.0.wrapping_neg(),
        "minus the offset of the FDE: counted from the section's start",
    ),
    (
        |program, function| program.section_address(function).0.wrapping_add(function.field),
        "plus the address of the initial location's field: a base is added that does not belong there",
    ),
    (
        |_, function| function.field,
        "plus the offset of the initial location's field: it is added once too often",
    ),
    (
        |program, function| program.section_address(function).0.wrapping_neg(),
        "minus the section's address: the field's offset is taken for its address",
    ),
    (
        |program, function| program.section_address(function).0,
        "plus the section's address: it is added once too often",
    ),
    (
        |_, _| 8u64.wrapping_neg(),
        "minus the size of a record's length and CIE pointer: counted from the FDE's start",
    ),
    (|_, _| 4u64.wrapping_neg(), "minus the size of a field of four bytes: counted from the field before"),
    (|_, _| 4, "plus the size of a field of four bytes: counted from the value's end"),
    (|_, _| 8, "plus the size of a field of eight bytes: counted from the value's end"),
    (
        |program, function| function.start.wrapping_add(program.bias).wrapping_neg(),
        "minus the function's own address: offsets in functions are shown as addresses",
    ),
    (|program, _| program.bias.wrapping_neg(), "minus the load base: link-time addresses are shown"),
    (|program, _| program.bias, "plus the load base: it is added twice"),
    (
        |program, _| {
            program
                .layout
                .sections
                .iter()
                .find(|section| section.name == ".text")
                .map_or(0, |text| text.address)
        },
        "plus the address of .text: it is added though it does not belong there",
    ),
];

/// What the errors of all functions are, in words.
pub(super) fn relations(program: &Program, functions: &[FunctionError]) -> Vec<&'static str> {
    let known = functions.iter().filter_map(|each| Some((&program.functions()[each.function?], each.error?)));
    // A function that is right, and whose neighbours are not, is of another encoding.
    let wrong: Vec<(&Function, i64)> = known.filter(|(_, error)| *error != 0).collect();
    let holds = |relation: &&Relation| {
        wrong.iter().all(|(function, error)| program.difference(relation.0(program, function), 0) == *error)
    };
    if wrong.is_empty() {
        return Vec::new();
    }
    let mut words: Vec<&str> = RELATIONS.iter().filter(holds).map(|(_, words)| *words).collect();
    if wrong.iter().all(|(_, error)| error & 0xffff_ffff == 0) {
        words.push("a multiple of 2^32: addresses are cut to 32 bits, or extended from them");
    }
    words
}
