//! Covering arrays: few rows in which every pair of levels that may stand together does so in one row at least.
//!
//! Nothing here knows what factors mean. The way is the greedy one of AETG (Cohen and others, 1997): of several rows
//! that each begin with a pair that is still missing, the one with the most missing pairs is taken.

use std::collections::HashSet;

use oorandom::Rand64;
use serde::Serialize;

/// A factor and one of its levels, both as numbers.
pub type Level = (usize, usize);
/// One level of each factor.
pub type Row = Vec<usize>;

/// How many rows compete to be the next one.
const CANDIDATES: usize = 8;
/// What a level that no row has yet counts for, in pairs.
const NEW_LEVEL: usize = 1000;
/// How many rows in a row may be there already before no further one is looked for.
const MAX_REPEATS: usize = 100;

/// Factors by the numbers of their levels, and which levels may stand together.
#[derive(Clone, Debug)]
pub struct Space {
    /// The first level of each factor among all levels.
    starts: Vec<usize>,
    sizes: Vec<usize>,
    /// For two levels among all levels, whether they may stand together.
    compatible: Vec<bool>,
}

/// How many rows an array gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// No more than these, even if pairs are missing.
    pub most: usize,
    /// As many as these even when no pair is missing: those that are left over sample triples of levels.
    pub least: usize,
}

/// Rows and what they cover.
#[derive(Clone, Debug)]
pub struct Array {
    /// The rows.
    pub rows: Vec<Row>,
    /// How many levels occur in some legal row, and how many of them in a row of the array.
    pub levels: Share,
    /// How many pairs occur in some legal row, and how many of them in a row of the array.
    pub pairs: Share,
}

/// A part of a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Share {
    /// The part.
    pub covered: usize,
    /// The whole.
    pub legal: usize,
}

impl Space {
    /// The space of factors with these numbers of levels. Two levels of different factors may stand together when
    /// `allows` says so for both orders.
    pub fn new(sizes: &[usize], allows: impl Fn(Level, Level) -> bool) -> Space {
        let starts: Vec<usize> =
            sizes.iter().scan(0, |start, size| Some(std::mem::replace(start, *start + size))).collect();
        let all: Vec<Level> = sizes
            .iter()
            .enumerate()
            .flat_map(|(factor, size)| (0..*size).map(move |level| (factor, level)))
            .collect();
        let both = |one: Level, other: Level| one.0 != other.0 && allows(one, other) && allows(other, one);
        let compatible = all.iter().flat_map(|one| all.iter().map(move |other| (*one, *other)));
        let compatible = compatible.map(|(one, other)| both(one, other)).collect();
        Space { starts, sizes: sizes.to_vec(), compatible }
    }

    /// How many levels all factors have together.
    fn levels(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// A level's number among all levels.
    fn number(&self, (factor, level): Level) -> usize {
        self.starts[factor] + level
    }

    /// A pair's number, whatever its order.
    fn pair(&self, one: Level, other: Level) -> usize {
        let (one, other) = (self.number(one), self.number(other));
        one.min(other) * self.levels() + one.max(other)
    }

    /// The numbers of a row's triples.
    fn triples(&self, row: &[usize]) -> impl Iterator<Item = usize> {
        let numbers: Vec<usize> = row.iter().zip(&self.starts).map(|(level, start)| start + level).collect();
        let count = self.levels();
        let third = move |one: usize, other: usize| {
            let pair = (numbers[one] * count + numbers[other]) * count;
            numbers[other + 1..].iter().map(|number| pair + number).collect::<Vec<_>>()
        };
        pairs(row).flat_map(move |(one, other)| third(one.0, other.0))
    }

    /// Whether the levels may stand together.
    pub fn allows(&self, one: Level, other: Level) -> bool {
        self.compatible[self.number(one) * self.levels() + self.number(other)]
    }

    /// The levels of a factor that go with all that are chosen.
    fn open(&self, factor: usize, chosen: &[Option<usize>]) -> Vec<usize> {
        let goes = |level: &usize| chosen_levels(chosen).all(|other| self.allows((factor, *level), other));
        (0..self.sizes[factor]).filter(goes).collect()
    }

    /// A row with these levels and others by chance, if there is any.
    fn complete(&self, chosen: &mut [Option<usize>], random: &mut Rand64) -> bool {
        let Some(factor) = chosen.iter().position(Option::is_none) else { return true };
        let mut levels = self.open(factor, chosen);
        while !levels.is_empty() {
            chosen[factor] = Some(levels.swap_remove(below(random, levels.len())));
            if self.complete(chosen, random) {
                return true;
            }
        }
        chosen[factor] = None;
        false
    }

    /// The row that holds these levels, if there is any.
    fn row(&self, levels: &[Level], random: &mut Rand64) -> Option<Row> {
        let mut chosen = vec![None; self.sizes.len()];
        for &(factor, level) in levels {
            chosen[factor] = Some(level);
        }
        self.complete(&mut chosen, random).then(|| chosen.into_iter().flatten().collect())
    }

    /// Every pair of levels that stands in some row.
    pub fn legal_pairs(&self) -> Vec<(Level, Level)> {
        let mut random = Rand64::new(0);
        let mut known = HashSet::new();
        let mut legal = Vec::new();
        for pair in self.compatible_pairs() {
            let number = self.pair(pair.0, pair.1);
            if !known.contains(&number)
                && let Some(row) = self.row(&[pair.0, pair.1], &mut random)
            {
                known.extend(pairs(&row).map(|(one, other)| self.pair(one, other)));
            }
            if known.contains(&number) {
                legal.push(pair);
            }
        }
        legal
    }

    fn compatible_pairs(&self) -> impl Iterator<Item = (Level, Level)> {
        let levels = |factor: usize| (0..self.sizes[factor]).map(move |level| (factor, level));
        let factors =
            (0..self.sizes.len()).flat_map(|one| (one + 1..self.sizes.len()).map(move |other| (one, other)));
        factors
            .flat_map(move |(one, other)| {
                levels(one).flat_map(move |one| levels(other).map(move |other| (one, other)))
            })
            .filter(|(one, other)| self.allows(*one, *other))
    }

    /// An array within the bounds, the same for the same seed.
    pub fn cover(&self, bounds: Bounds, seed: u64) -> Array {
        let mut search = Search::new(self, seed);
        let (levels, legal) = (search.levels.len(), search.missing_pairs);
        while search.rows.len() < bounds.most
            && let Some(row) = search.next_row()
        {
            search.take(row);
        }
        search.sample_triples(bounds.least);
        Array {
            levels: Share { covered: levels - search.levels.len(), legal: levels },
            pairs: Share { covered: legal - search.missing_pairs, legal },
            rows: search.rows,
        }
    }
}

/// An array in the making.
struct Search<'s> {
    space: &'s Space,
    random: Rand64,
    rows: Vec<Row>,
    /// For each pair by number, whether it is still missing, and how many are.
    pairs: Vec<bool>,
    missing_pairs: usize,
    /// Pairs to draw from, some of which are not missing any more.
    draw: Vec<(Level, Level)>,
    /// The levels that are still missing.
    levels: Vec<Level>,
}

impl<'s> Search<'s> {
    fn new(space: &'s Space, seed: u64) -> Search<'s> {
        let draw = space.legal_pairs();
        let mut levels: Vec<Level> = draw.iter().flat_map(|&(one, other)| [one, other]).collect();
        levels.sort();
        levels.dedup();
        let mut pairs = vec![false; space.levels() * space.levels()];
        draw.iter().for_each(|&(one, other)| pairs[space.pair(one, other)] = true);
        Search {
            space,
            random: Rand64::new(u128::from(seed)),
            rows: Vec::new(),
            pairs,
            missing_pairs: draw.len(),
            draw,
            levels,
        }
    }

    /// The best of some rows that each begin with something that is missing; `None` when nothing is.
    fn next_row(&mut self) -> Option<Row> {
        let mut best: Option<(usize, Row)> = None;
        for _ in 0..CANDIDATES {
            let start = self.missing()?;
            let row = self.grow(&start);
            let gain = pairs(&row).filter(|&(one, other)| self.is_missing(one, other)).count()
                + NEW_LEVEL * self.levels.iter().filter(|&&(factor, level)| row[factor] == level).count();
            if best.as_ref().is_none_or(|(most, _)| gain > *most) {
                best = Some((gain, row));
            }
        }
        best.map(|(_, row)| row)
    }

    /// A level that is missing, or else a pair that is.
    fn missing(&mut self) -> Option<Vec<Level>> {
        if !self.levels.is_empty() {
            let index = below(&mut self.random, self.levels.len());
            return Some(vec![self.levels[index]]);
        }
        while !self.draw.is_empty() {
            let index = below(&mut self.random, self.draw.len());
            let (one, other) = self.draw[index];
            if self.is_missing(one, other) {
                return Some(vec![one, other]);
            }
            self.draw.swap_remove(index);
        }
        None
    }

    fn is_missing(&self, one: Level, other: Level) -> bool {
        self.pairs[self.space.pair(one, other)]
    }

    /// Adds to the levels, factor by factor in an order by chance, the level that brings the most missing pairs.
    fn grow(&mut self, start: &[Level]) -> Row {
        let space = self.space;
        let mut chosen = vec![None; space.sizes.len()];
        for &(factor, level) in start {
            chosen[factor] = Some(level);
        }
        let mut rest: Vec<usize> = (0..chosen.len()).filter(|&factor| chosen[factor].is_none()).collect();
        while !rest.is_empty() {
            let factor = rest.swap_remove(below(&mut self.random, rest.len()));
            let mut best: Vec<usize> = Vec::new();
            let mut most = 0;
            for level in space.open(factor, &chosen) {
                let new = usize::from(self.levels.contains(&(factor, level))) * NEW_LEVEL;
                let gain = new
                    + chosen_levels(&chosen).filter(|&other| self.is_missing((factor, level), other)).count();
                if gain > most {
                    best.clear();
                    most = gain;
                }
                if gain == most {
                    best.push(level);
                }
            }
            if best.is_empty() {
                // What was chosen so far cannot stand together with any level of this factor.
                return space.row(start, &mut self.random).expect("what is missing stands in some row");
            }
            chosen[factor] = Some(best[below(&mut self.random, best.len())]);
        }
        chosen.into_iter().flatten().collect()
    }

    fn take(&mut self, row: Row) {
        for (one, other) in pairs(&row) {
            let was_missing = std::mem::take(&mut self.pairs[self.space.pair(one, other)]);
            self.missing_pairs -= usize::from(was_missing);
        }
        self.levels.retain(|&(factor, level)| row[factor] != level);
        self.rows.push(row);
    }

    /// Adds rows by chance until there are as many as asked for, of a few the one with the most new triples each time.
    fn sample_triples(&mut self, least: usize) {
        let space = self.space;
        let mut seen: HashSet<Row> = self.rows.iter().cloned().collect();
        let mut known = vec![false; space.levels().pow(3)];
        self.rows.iter().flat_map(|row| space.triples(row)).for_each(|triple| known[triple] = true);
        let mut repeats = 0;
        while self.rows.len() < least && repeats < MAX_REPEATS {
            let candidates: Vec<Row> =
                (0..CANDIDATES).filter_map(|_| space.row(&[], &mut self.random)).collect();
            let gain = |row: &Row| space.triples(row).filter(|triple| !known[*triple]).count();
            let best = candidates.into_iter().max_by_key(gain);
            match best.filter(|row| seen.insert(row.clone())) {
                Some(row) => {
                    space.triples(&row).for_each(|triple| known[triple] = true);
                    self.take(row);
                    repeats = 0;
                }
                None => repeats += 1,
            }
        }
    }
}

fn chosen_levels(chosen: &[Option<usize>]) -> impl Iterator<Item = Level> {
    chosen.iter().enumerate().filter_map(|(factor, level)| Some((factor, (*level)?)))
}

/// The pairs of a row's levels.
pub fn pairs(row: &[usize]) -> impl Iterator<Item = (Level, Level)> {
    let level = |factor: usize| (factor, row[factor]);
    (0..row.len()).flat_map(move |one| (one + 1..row.len()).map(move |other| (level(one), level(other))))
}

/// A number below `count`, which is at least 1.
fn below(random: &mut Rand64, count: usize) -> usize {
    random.rand_range(0..count as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three factors, of which the second level of the last one goes with the first levels of the others alone. The
    /// last level of the first factor goes with nothing.
    fn space() -> Space {
        let allows = |one: Level, other: Level| match (one, other) {
            ((0, 4), _) => false,
            ((2, 1), (_, level)) => level == 0,
            _ => true,
        };
        Space::new(&[5, 3, 2], allows)
    }

    fn legal_by_hand(space: &Space) -> HashSet<(Level, Level)> {
        let rows = (0..5).flat_map(|a| (0..3).flat_map(move |b| (0..2).map(move |c| vec![a, b, c])));
        let legal = rows.filter(|row| pairs(row).all(|(one, other)| space.allows(one, other)));
        legal.flat_map(|row| pairs(&row).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn legal_pairs_are_those_of_legal_rows() {
        let space = space();
        let legal: HashSet<(Level, Level)> = space.legal_pairs().into_iter().collect();
        assert_eq!(legal, legal_by_hand(&space));
        // 4 x 3 without the last factor, 4 + 1 and 3 + 1 with it.
        assert_eq!(legal.len(), 12 + 5 + 4);
    }

    #[test]
    fn an_array_covers_every_legal_pair_in_legal_rows() {
        let space = space();
        let array = space.cover(Bounds { most: usize::MAX, least: 0 }, 7);
        assert!(array.rows.iter().flat_map(|row| pairs(row)).all(|(one, other)| space.allows(one, other)));
        let covered: HashSet<(Level, Level)> = array.rows.iter().flat_map(|row| pairs(row)).collect();
        assert_eq!(covered, legal_by_hand(&space));
        assert_eq!(array.pairs, Share { covered: 21, legal: 21 });
        assert_eq!(array.levels, Share { covered: 4 + 3 + 2, legal: 9 });
        assert!(array.rows.len() <= 16, "{} rows", array.rows.len());
    }

    #[test]
    fn few_rows_have_each_level_before_pairs() {
        let space = Space::new(&[20, 20, 6], |_, _| true);
        let array = space.cover(Bounds { most: 20, least: 0 }, 1);
        assert_eq!(array.levels, Share { covered: 46, legal: 46 });
        assert_eq!(array.pairs, Share { covered: 60, legal: 400 + 240 });
        let fewer = Space::new(&[30, 2], |_, _| true).cover(Bounds { most: 10, least: 0 }, 1);
        assert_eq!(fewer.levels, Share { covered: 10 + 2, legal: 32 });
    }

    #[test]
    fn rows_follow_from_the_seed_and_are_as_many_as_asked_for() {
        let space = Space::new(&[4, 4, 3, 3], |_, _| true);
        let rows = |seed| space.cover(Bounds { most: 100, least: 60 }, seed).rows;
        assert_eq!(rows(1), rows(1));
        assert_ne!(rows(1), rows(2));
        assert_eq!((rows(1).len(), rows(1).into_iter().collect::<HashSet<_>>().len()), (60, 60));
        // There are no more than these.
        let all = Space::new(&[2, 2], |_, _| true).cover(Bounds { most: 100, least: 60 }, 1);
        assert_eq!(all.rows.len(), 4);
    }
}
