//! How well faults fit what a reader says: which of its differences each explains, and what speaks against it.

use std::cmp::Reverse;

use crate::faults::PlantedFault;
use crate::triage::diagnose::Diagnosis;

/// How many partial matches are given.
const HINTS: usize = 8;
/// Of how many places that a fault explains one may speak against it, in a reader that may have other faults.
const DOUBT: usize = 3;

/// How what one fault makes of the cases fits what a reader says.
#[derive(Default)]
pub(super) struct Fit {
    /// Whether the instructions are taken from the right reader.
    pub rows_alone: bool,
    /// The differences that it explains, by their number.
    pub explained: Bits,
    /// Those of them at which the reader says anything: silence can have many reasons.
    pub spoken: Bits,
    /// The differences at whose place it makes one of its own.
    pub touched: Bits,
    /// At how many places the reader is right and one with the fault is not.
    pub contradicted: usize,
    /// Those of the differences at which the reader says yet another thing.
    pub refuted: Bits,
}

impl Fit {
    /// At how many places something speaks against it.
    pub fn against(&self) -> usize {
        self.contradicted + self.refuted.len()
    }

    /// What it says for these faults, of so many differences.
    pub fn diagnosis(&self, faults: Vec<&'static PlantedFault>, total: usize) -> Diagnosis {
        Diagnosis {
            faults,
            rows_alone: self.rows_alone,
            explained: self.explained.len(),
            contradicted: self.contradicted,
            refuted: self.refuted.len(),
            total,
            explains: self.explained.clone(),
            refutes: self.refuted.clone(),
        }
    }
}

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Adds a number.
    pub fn insert(&mut self, number: usize) {
        if self.0.len() <= number / 64 {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Whether a number is in it.
    pub fn has(&self, number: usize) -> bool {
        self.word(number / 64) & (1 << (number % 64)) != 0
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// How many there are beside those of another set.
    pub fn len_without(&self, others: &Bits) -> usize {
        let words = self.0.iter().enumerate();
        words.map(|(index, word)| (word & !others.word(index)).count_ones() as usize).sum()
    }

    /// Those that are in both.
    pub fn common(&self, others: &Bits) -> Bits {
        Bits(self.0.iter().enumerate().map(|(index, word)| word & others.word(index)).collect())
    }

    /// Adds all of another set.
    pub fn extend(&mut self, others: &Bits) {
        let missing = others.0.len().saturating_sub(self.0.len());
        self.0.extend(std::iter::repeat_n(0, missing));
        self.0.iter_mut().enumerate().for_each(|(index, word)| *word |= others.word(index));
    }

    fn word(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or_default()
    }
}

/// Faults of a reader that has several: each explains differences that those before it do not, and hardly anything
/// speaks against it. Adds what they explain.
pub(super) fn parts<'f, W: Copy>(all: &[(W, &'f Fit)], explained: &mut Bits) -> Vec<(W, &'f Fit)> {
    let is_likely = |fit: &Fit| fit.spoken.len() > 0 && DOUBT * fit.against() <= fit.spoken.len();
    let mut left: Vec<(W, &Fit)> = all.iter().copied().filter(|(_, fit)| is_likely(fit)).collect();
    let mut parts = Vec::new();
    while parts.len() < HINTS {
        let gain = |fit: &Fit| fit.spoken.len_without(explained);
        left.retain(|(_, fit)| gain(fit) > 0);
        let best = left.iter().copied().min_by_key(|(_, fit)| (Reverse(gain(fit)), fit.against()));
        let Some(best) = best else { break };
        explained.extend(&best.1.explained);
        parts.push(best);
    }
    parts
}

/// How many places two faults together leave unexplained, as far as their own answers tell. Where both change
/// something, the two at once may well say what the reader says.
pub(super) fn cost(one: &Fit, other: &Fit, total: usize) -> usize {
    let words = total.div_ceil(64);
    let explained = |word: usize| {
        let (a, b) = (one.explained.word(word), other.explained.word(word));
        (a | b | one.touched.word(word) & other.touched.word(word)).count_ones() as usize
    };
    total - (0..words).map(explained).sum::<usize>() + one.contradicted + other.contradicted
}
