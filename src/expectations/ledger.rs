//! What a run makes of the list: which entries were of use, and which findings have none.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use cfidiff_model::Key;

use crate::expectations::entry::{Expectation, Place};
use crate::expectations::file::Expectations;

/// What is remembered of a run. Comparisons run at the same time, so what they note must not depend on their order.
#[derive(Debug)]
pub(super) struct Ledger {
    uses: Vec<Use>,
    unexpected: Mutex<BTreeSet<Unexpected>>,
}

#[derive(Debug, Default)]
struct Use {
    /// Whether it excused a finding.
    excused: AtomicBool,
    /// Whether it would have excused a finding that something else explains.
    spare: AtomicBool,
    /// Whether its reader was asked about one of its cases, and answered.
    reached: AtomicBool,
}

/// A finding that no entry excuses and nothing explains, as far as entries can tell findings apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Unexpected {
    pub reader: String,
    pub version: String,
    pub key: Key,
    pub case: String,
}

/// An entry that is not in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file of the list.
    pub file: String,
    /// The line of the entry, counted from 1.
    pub line: usize,
    /// The entry in its own words: key, reader and case.
    pub about: String,
    /// What is the matter with it.
    pub state: State,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { file, line, about, state } = self;
        write!(f, "{file}:{line} ({about}): {}", state.meaning())
    }
}

/// What can be the matter with an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It matches no finding, though its reader, in a version that it names, was asked about a case that it names, and
    /// did not break.
    Stale,
    /// All findings that it matches are explained without it: by cfidiff's own lists or by an entry before it.
    Needless,
    /// It has a placeholder for a reason.
    Unreasoned,
}

impl State {
    /// The stable name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            State::Stale => "stale",
            State::Needless => "needless",
            State::Unreasoned => "unreasoned",
        }
    }

    /// What it means, in words that follow the entry's own.
    pub fn meaning(self) -> &'static str {
        match self {
            State::Stale => "there is no such finding any more",
            State::Needless => "what it matches is explained without it",
            State::Unreasoned => "it has a placeholder for a reason, which is none",
        }
    }
}

impl Ledger {
    pub(super) fn new(entries: usize) -> Ledger {
        Ledger { uses: (0..entries).map(|_| Use::default()).collect(), unexpected: Mutex::default() }
    }
}

fn set(flag: &AtomicBool) {
    flag.store(true, Ordering::Relaxed);
}

fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}

impl Expectations {
    /// The first entry that expects a finding which nothing else explains.
    pub fn excuse(&self, place: Place<'_>, key: Key) -> Option<&Expectation> {
        let mut matching = self.matching(place, key);
        let Some((used, entry)) = matching.next() else {
            self.note(place, key);
            return None;
        };
        set(&used.excused);
        matching.for_each(|(used, _)| set(&used.spare));
        Some(entry)
    }

    /// A finding that is explained already. No entry is needed for it.
    pub fn is_explained(&self, place: Place<'_>, key: Key) {
        self.matching(place, key).for_each(|(used, _)| set(&used.spare));
    }

    /// Whether an entry is about this reader and case.
    pub fn is_about(&self, place: Place<'_>) -> bool {
        self.entries.iter().any(|entry| entry.is_about(place))
    }

    /// A reader answered on a case without breaking. An entry that is about both and matches nothing is stale.
    pub fn saw(&self, place: Place<'_>) {
        let both = self.ledger.uses.iter().zip(&self.entries);
        both.filter(|(used, entry)| !is_set(&used.reached) && entry.is_about(place))
            .for_each(|(used, _)| set(&used.reached));
    }

    /// The entries that are not in order, by line.
    pub fn problems(&self) -> Vec<Problem> {
        let numbered = self.entries.iter().enumerate();
        numbered
            .filter_map(|(index, entry)| {
                let state = self.state(index)?;
                let (file, line) = (self.path.display().to_string(), entry.line);
                Some(Problem { file, line, about: entry.about.clone(), state })
            })
            .collect()
    }

    /// What is the matter with an entry, if anything is.
    pub(super) fn state(&self, index: usize) -> Option<State> {
        let used = &self.ledger.uses[index];
        if is_set(&used.excused) {
            self.entries[index].is_unreasoned().then_some(State::Unreasoned)
        } else if is_set(&used.spare) {
            Some(State::Needless)
        } else {
            is_set(&used.reached).then_some(State::Stale)
        }
    }

    /// What nothing explains and no entry excuses.
    pub(super) fn unexpected(&self) -> BTreeSet<Unexpected> {
        // A panic while it was held has left it whole: it only grows.
        self.ledger.unexpected.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    fn matching(&self, place: Place<'_>, key: Key) -> impl Iterator<Item = (&Use, &Expectation)> {
        self.ledger.uses.iter().zip(&self.entries).filter(move |(_, entry)| entry.matches(place, key))
    }

    fn note(&self, place: Place<'_>, key: Key) {
        let case = place.path.and_then(Path::to_str).unwrap_or(place.case).to_owned();
        let (reader, version) = (place.reader.to_owned(), place.version.to_owned());
        let mut unexpected = self.ledger.unexpected.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        unexpected.insert(Unexpected { reader, version, key, case });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
[[expect]]
key = 'row.*'
reader = 'llvm-*'
versions = '<15'
reason = 'one'
[[expect]]
key = 'row.cfa'
reader = 'llvm-dwarfdump'
reason = 'Todo: say why'
";
    const PLACE: Place<'_> = Place {
        reader: "llvm-dwarfdump-14",
        tool: "llvm-dwarfdump",
        version: "14.0.6",
        case: "a",
        path: None,
    };

    fn list() -> Expectations {
        Expectations::parse(Path::new("list.toml"), LIST.to_owned()).expect("a list")
    }

    fn states(list: &Expectations) -> Vec<(usize, State)> {
        list.problems().into_iter().map(|problem| (problem.line, problem.state)).collect()
    }

    #[test]
    fn an_entry_that_was_not_reached_is_in_order() {
        let list = list();
        assert_eq!(states(&list), []);
        list.saw(Place { reader: "readelf", tool: "readelf", ..PLACE });
        assert_eq!(states(&list), []);
        list.saw(Place { reader: "llvm-dwarfdump-19", version: "19.1", ..PLACE });
        assert_eq!(states(&list), [(6, State::Stale)], "the version is in the range of the second alone");
    }

    #[test]
    fn the_first_entry_that_matches_is_the_one_that_is_needed() {
        let list = list();
        list.saw(PLACE);
        assert_eq!(states(&list), [(1, State::Stale), (6, State::Stale)]);
        let entry = list.excuse(PLACE, Key::RowCfa).expect("it is expected");
        assert_eq!((entry.reason.as_str(), list.cause(entry)), ("one", "list.toml:1".to_owned()));
        assert_eq!(states(&list), [(6, State::Needless)]);
        assert!(list.excuse(Place { version: "16", ..PLACE }, Key::RowCfa).is_some());
        assert_eq!(states(&list), [(6, State::Unreasoned)]);
    }

    #[test]
    fn an_entry_for_what_is_explained_is_needless() {
        let list = list();
        list.is_explained(PLACE, Key::RowCfaOffset);
        assert_eq!(states(&list), [(1, State::Needless)]);
        assert!(list.excuse(PLACE, Key::FdeCie).is_none());
    }
}
