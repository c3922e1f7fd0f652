//! The shape of differences that no planted fault explains: how the reader's numbers, rows and records differ from the
//! right ones, and what a reader that errs in this way tends to do wrong.
//!
//! A shape is a fact about the answers, and its cause a suspicion: it tells where to look.

mod bases;
mod numbers;
mod records;
mod rows;
mod samples;

use std::collections::BTreeMap;

use cfidiff_model::Says;
use serde::Serialize;

use crate::compare::pattern;
use crate::triage::answers::{Cases, Place, Said};
use crate::triage::observed::Observed;
use crate::triage::shapes::samples::Sample;

/// How many shapes are told of one field.
const PER_FIELD: usize = 3;
/// The most numbers that are looked at.
const SAMPLES: usize = 1 << 16;

/// What differences have in common.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Shape {
    /// Its stable name, for instance `minus-field-address`.
    pub shape: &'static str,
    /// The key of the findings that it is about.
    pub key: &'static str,
    /// How theirs differs from ours.
    pub words: String,
    /// What a reader that errs so tends to do; empty when the shape tells nothing.
    pub suspect: &'static str,
    /// How many values, rows or records have the shape.
    pub count: usize,
    /// Of how many that differ.
    pub of: usize,
}

/// A difference whose two sides are known.
#[derive(Clone, Copy)]
struct Open<'o> {
    pass: usize,
    place: Place,
    theirs: &'o Said,
    ours: &'o Said,
}

/// The shapes of these differences, given by the numbers of pass and difference: of the records as a whole first, then
/// of their rows, then of the numbers in them, field by field.
pub fn shapes(cases: &Cases, observed: &Observed, differences: &[(usize, usize)]) -> Vec<Shape> {
    let open: Vec<Open<'_>> = differences
        .iter()
        .map(|&(pass, at)| {
            let (place, theirs) = &observed.passes[pass].wrong[at];
            Open { pass, place: *place, theirs, ours: cases.right(*place) }
        })
        .collect();
    let mut found = records::missing(&open);
    found.extend(records::from_one_on(cases, observed, &open));
    let mut left = Vec::new();
    let mut of_rows = rows::Tally::default();
    for open in open.into_iter().filter(|open| *open.theirs != Said::Nothing) {
        if !of_rows.add(&open) {
            left.push(open);
        }
    }
    found.extend(of_rows.shapes());
    let mut by_field: BTreeMap<&'static str, Vec<Sample>> = BTreeMap::new();
    let mut others = Vec::new();
    let mut count = 0;
    for open in left {
        let says = observed.passes[open.pass].says(open.place).unwrap_or(Says::empty());
        let samples = samples::of(cases, &open, says);
        if samples.is_empty() {
            others.push((open, says));
        }
        count += samples.len();
        samples.into_iter().for_each(|sample| by_field.entry(sample.key).or_default().push(sample));
        if count > SAMPLES {
            break;
        }
    }
    for (key, samples) in by_field {
        found.extend(of_field(key, samples));
    }
    found.extend(in_words(cases, &others));
    found
}

/// The shapes of one field: the one that most of the values have, then the one that most of the others have.
fn of_field(key: &'static str, mut left: Vec<Sample>) -> Vec<Shape> {
    let of = left.len();
    let mut found = Vec::new();
    while !left.is_empty() && found.len() < PER_FIELD {
        let fits = numbers::ALL.iter().filter_map(|shape| shape(&left));
        // Of those that fit as many values the first is the most telling.
        let count = |fit: &numbers::Fit| fit.has.iter().filter(|has| **has).count();
        let Some(best) = fits.reduce(|best, next| if count(&next) > count(&best) { next } else { best })
        else {
            break;
        };
        let count = count(&best);
        // One number among several has any shape.
        if count < 2 && of > 1 {
            break;
        }
        let numbers::Fit { shape, words, suspect, has } = best;
        found.push(Shape { shape, key, words, suspect, count, of });
        let mut has = has.into_iter();
        left.retain(|_| !has.next().unwrap_or_default());
    }
    if !left.is_empty() {
        let words = "theirs is another number each time".to_owned();
        found.push(Shape { shape: "other-numbers", key, words, suspect: "", count: left.len(), of });
    }
    found
}

/// What differs in other ways than by its numbers, by how the words differ.
fn in_words(cases: &Cases, open: &[(Open<'_>, Says)]) -> Vec<Shape> {
    let mut counts: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    for (open, says) in open {
        if let Some(found) = open.theirs.difference(open.ours, *says, cases.target(open.place)) {
            *counts.entry((found.key, pattern(&found.ours, &found.theirs))).or_default() += 1;
        }
    }
    let of = open.len();
    let mut found: Vec<Shape> = counts
        .into_iter()
        .map(|((key, words), count)| Shape { shape: "other-words", key, words, suspect: "", count, of })
        .collect();
    found.sort_by_key(|shape| std::cmp::Reverse(shape.count));
    found.truncate(PER_FIELD);
    found
}
