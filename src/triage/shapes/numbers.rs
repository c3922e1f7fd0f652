//! Shapes of numbers, one function each, the most telling first.

use std::collections::{BTreeMap, BTreeSet};

use cfidiff_model::Key;

use crate::triage::answers::Place;
use crate::triage::shapes::bases;
use crate::triage::shapes::samples::Sample;

/// A shape that some of the samples have.
pub(super) struct Fit {
    pub shape: &'static str,
    pub words: String,
    pub suspect: &'static str,
    /// Of each sample whether it has the shape.
    pub has: Vec<bool>,
}

/// A shape: whether any of the samples have it, and which.
pub(super) type Matcher = fn(&[Sample]) -> Option<Fit>;

/// All shapes. Of two that fit as many numbers the first counts.
pub(super) const ALL: &[Matcher] = &[
    bases::minus_field_address,
    bases::minus_field_offset,
    bases::minus_section_address,
    bases::from_record,
    negated,
    by_two_to_the_32,
    cut,
    by_data_factor,
    by_code_factor,
    by_one,
    by_small_factor,
    constant,
    linear,
    constant_within_function,
];

/// The fit of the samples for which something holds; none when it holds for none.
pub(super) fn fit(
    samples: &[Sample],
    shape: &'static str,
    words: impl Into<String>,
    suspect: &'static str,
    holds: impl Fn(&Sample) -> bool,
) -> Option<Fit> {
    let has: Vec<bool> = samples.iter().map(holds).collect();
    has.contains(&true).then(|| Fit { shape, words: words.into(), suspect, has })
}

/// The one of several values that most samples have; the smallest of those that are equally frequent.
fn commonest<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let most = counts.values().max().copied()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(value, _)| value)
}

fn negated(samples: &[Sample]) -> Option<Fit> {
    let suspect = "a sign is lost: that of a signed operand, or of the data alignment factor";
    fit(samples, "by-factor", "theirs = ours x -1", suspect, |sample| sample.theirs == -sample.ours)
}

fn by_two_to_the_32(samples: &[Sample]) -> Option<Fit> {
    let suspect =
        "a four-byte value is extended with the wrong sign, or a sum is not cut to the size of an address";
    let is_multiple = |sample: &Sample| sample.error() % (1 << 32) == 0 && sample.error().abs() <= 1 << 33;
    let most = commonest(samples.iter().filter(|sample| is_multiple(sample)).map(Sample::error))?;
    let words = format!("theirs = ours {} 2^32", signed_times(most >> 32));
    fit(samples, "by-two-to-the-32", words, suspect, |sample| sample.error() == most)
}

/// `+`, `-`, `+ 2 x`.
fn signed_times(number: i128) -> String {
    let sign = if number < 0 { '-' } else { '+' };
    match number.abs() {
        1 => sign.to_string(),
        times => format!("{sign} {times} x"),
    }
}

/// The same in the low bits, and zero or the sign above them.
fn cut(samples: &[Sample]) -> Option<Fit> {
    let fits = [8_u32, 16, 32].into_iter().filter_map(|bits| {
        let low = |number: i128| number & ((1 << bits) - 1);
        let is_cut = |sample: &Sample| {
            let sign = low(sample.ours) - ((low(sample.ours) >> (bits - 1)) << bits);
            sample.theirs == low(sample.ours) || sample.theirs == sign
        };
        let suspect = "the field is read with a smaller width than it has";
        fit(samples, "by-width", format!("theirs = the low {bits} bits of ours"), suspect, is_cut)
    });
    fits.max_by_key(|fit| fit.has.iter().filter(|has| **has).count())
}

/// Whether a factor of the CIE may have to do with the numbers.
fn are_scaled(samples: &[Sample]) -> bool {
    let scaled = [Key::InstructionOperands, Key::RowLocation, Key::RowCfaOffset, Key::RowRegisterRule];
    samples.first().is_some_and(|sample| scaled.iter().any(|key| key.name() == sample.key))
}

fn by_data_factor(samples: &[Sample]) -> Option<Fit> {
    if !are_scaled(samples) {
        return None;
    }
    let factor = |sample: &Sample| sample.factors.1;
    let divided = fit(
        samples,
        "by-data-factor",
        "theirs = ours / data alignment factor",
        "the operand is not multiplied by the data alignment factor",
        |sample| factor(sample) != 0 && sample.theirs * factor(sample) == sample.ours,
    );
    let multiplied = fit(
        samples,
        "by-data-factor",
        "theirs = ours x data alignment factor",
        "an operand that is in bytes is multiplied by the data alignment factor",
        |sample| sample.theirs == sample.ours * factor(sample),
    );
    let by_its_size = fit(
        samples,
        "by-data-factor",
        "theirs = ours x data alignment factor without its sign",
        "an operand that is in bytes is multiplied by the data alignment factor",
        |sample| sample.theirs == sample.ours * factor(sample).abs(),
    );
    better(better(divided, multiplied), by_its_size)
}

fn by_code_factor(samples: &[Sample]) -> Option<Fit> {
    if !are_scaled(samples) {
        return None;
    }
    let factor = |sample: &Sample| sample.factors.0;
    let divided = fit(
        samples,
        "by-code-factor",
        "theirs = ours / code alignment factor",
        "the operand is not multiplied by the code alignment factor",
        |sample| factor(sample) != 0 && sample.theirs * factor(sample) == sample.ours,
    );
    let multiplied = fit(
        samples,
        "by-code-factor",
        "theirs = ours x code alignment factor",
        "the code alignment factor is applied once too often",
        |sample| sample.theirs == sample.ours * factor(sample),
    );
    let swapped = fit(
        samples,
        "by-code-factor",
        "theirs = ours / data alignment factor x code alignment factor",
        "the operand is multiplied by the code alignment factor and not by the data alignment factor",
        |sample| sample.theirs * sample.factors.1 == sample.ours * factor(sample),
    );
    better(better(divided, multiplied), swapped)
}

/// The fit of more samples; the first of two that are equal.
fn better(one: Option<Fit>, other: Option<Fit>) -> Option<Fit> {
    let count = |fit: &Option<Fit>| fit.iter().flat_map(|fit| &fit.has).filter(|has| **has).count();
    if count(&other) > count(&one) { other } else { one }
}

fn by_one(samples: &[Sample]) -> Option<Fit> {
    let suspect =
        "a bound is inclusive that should not be, or the other way round; or pc - 1 is taken for pc";
    let signs = [(1, "theirs = ours + 1"), (-1, "theirs = ours - 1")];
    let fits = signs
        .into_iter()
        .map(|(one, words)| fit(samples, "by-one", words, suspect, |sample: &Sample| sample.error() == one));
    fits.reduce(better).flatten()
}

fn by_small_factor(samples: &[Sample]) -> Option<Fit> {
    let suspect = "a size is counted in other units than bytes, or in bytes where it should not be";
    let fits = [2, 4, 8].into_iter().flat_map(|factor| {
        let more = fit(
            samples,
            "by-factor",
            format!("theirs = ours x {factor}"),
            suspect,
            move |sample: &Sample| sample.theirs == sample.ours * factor,
        );
        let less = fit(
            samples,
            "by-factor",
            format!("theirs = ours / {factor}"),
            suspect,
            move |sample: &Sample| sample.theirs * factor == sample.ours,
        );
        [more, less]
    });
    fits.reduce(better).flatten()
}

/// One difference everywhere.
fn constant(samples: &[Sample]) -> Option<Fit> {
    let error = commonest(samples.iter().map(Sample::error))?;
    let suspect = match samples.iter().any(|sample| sample.field.is_some()) {
        true => "a base that all records share: the load base, the section's address, the size of a header",
        false => "",
    };
    let words = format!("theirs = ours {}", added(error));
    fit(samples, "constant", words, suspect, |sample| sample.error() == error)
}

/// `+ 0x8`, `- 0x8`.
pub(super) fn added(number: i128) -> String {
    format!("{} {:#x}", if number < 0 { '-' } else { '+' }, number.unsigned_abs())
}

/// The difference grows with the record's offset, by the same for each byte.
fn linear(samples: &[Sample]) -> Option<Fit> {
    let point = |sample: &Sample| (i128::from(sample.record.1.at), sample.error());
    let points: BTreeSet<(i128, i128)> = samples.iter().map(point).collect();
    let first = points.first()?;
    let second = points.iter().find(|(at, _)| at != &first.0)?;
    let (rise, run) = (second.1 - first.1, second.0 - first.0);
    if rise == 0 || rise % run != 0 {
        return None;
    }
    let slope = rise / run;
    let start = first.1 - slope * first.0;
    let holds = |sample: &Sample| point(sample).1 == slope * point(sample).0 + start;
    let offsets: BTreeSet<i128> = samples.iter().filter(|s| holds(s)).map(|s| point(s).0).collect();
    if offsets.len() < 3 {
        return None;
    }
    let suspect = "a place of the record is added where none is to be, or twice, or left out";
    let words = format!("theirs = ours {} the record's offset {}", signed_times(slope), added(start));
    fit(samples, "linear-in-offset", words, suspect, holds)
}

/// The same difference in all numbers of a record, and another one in the next.
fn constant_within_function(samples: &[Sample]) -> Option<Fit> {
    let mut errors: BTreeMap<(usize, Place), (i128, bool)> = BTreeMap::new();
    for sample in samples {
        let known = errors.entry(sample.record).or_insert((sample.error(), true));
        known.1 &= known.0 == sample.error();
    }
    let differ: BTreeSet<i128> = errors.values().filter(|known| known.1).map(|known| known.0).collect();
    // One number in each record shows nothing but that they differ, unless it is where the function starts.
    let is_telling = samples.len() > errors.len() || samples.iter().all(|sample| sample.field.is_some());
    if differ.len() < 2 || !is_telling {
        return None;
    }
    let are_places =
        [Key::FdeInitialLocation, Key::RowLocation].iter().any(|key| key.name() == samples[0].key);
    let suspect = match are_places {
        true => "the base from which the record's initial location is counted is taken wrongly",
        false => "the first of them is wrong, and the others of the record are computed from it",
    };
    let words = "theirs is off by the same within a function, and by another number in each function";
    fit(samples, "constant-within-function", words, suspect, |sample| {
        sample.whole && errors[&sample.record].1
    })
}
