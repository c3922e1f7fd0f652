//! The conformance suite: files in which each part of the format is used as it may be used, or broken in one place,
//! with the answers that they were made for.
//!
//! The answers come from the description alone. Rows are written down beside the instructions that make them.

mod answer;
mod compiled;
mod convention;
mod damage;
mod draft;
mod encodings;
mod functions;
mod rows;
mod topics;
mod wire;

use std::collections::BTreeSet;
use std::fmt;

pub use crate::suite::answer::{Answer, Case, Expected, FrameAnswer, HeaderAnswer, Reading, Role};
pub use crate::suite::damage::Damage;
use crate::suite::draft::Draft;

/// The cases in the order of their names.
#[derive(Clone, Debug)]
pub struct Suite {
    cases: Vec<Case>,
    error: Option<SuiteError>,
}

/// Why the suite cannot be built: a case that contradicts itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuiteError {
    /// The case.
    pub case: String,
    /// What is wrong with it.
    pub cause: String,
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "case {}: {}", self.case, self.cause)
    }
}

impl std::error::Error for SuiteError {}

impl Suite {
    /// Builds all cases.
    pub fn build() -> Result<Suite, SuiteError> {
        let mut suite = Suite { cases: Vec::new(), error: None };
        topics::add_all(&mut suite);
        if let Some(error) = suite.error {
            return Err(error);
        }
        suite.cases.sort_by(|a, b| a.name.cmp(&b.name));
        let mut names = BTreeSet::new();
        for case in &suite.cases {
            if !names.insert(&case.name) {
                return Err(SuiteError { case: case.name.clone(), cause: "two have this name".to_owned() });
            }
        }
        Ok(suite)
    }

    /// The cases, by name.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Adds a case. The first one that cannot be built is told by [`Suite::build`].
    pub(crate) fn add(&mut self, draft: Draft) {
        match draft.finish() {
            Ok(case) => self.cases.push(case),
            Err(error) => _ = self.error.get_or_insert(error),
        }
    }
}
