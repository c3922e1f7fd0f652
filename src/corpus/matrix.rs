//! Readers by topics of the suite: how many cases each has right, and the cause of each case that it has wrong.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cfidiff_model::Key;
use cfidiff_oracles::known::Known;
use serde::Serialize;

use crate::corpus::verdicts::{NOTHING, REJECTED, Verdicts};

/// What a reader makes of a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// All that it says is as constructed, or is left to the reader.
    Pass,
    /// There is nothing in the case that it says or can be asked about.
    Unsupported,
    /// It gives no answer on a record that is as it should be: it refuses, breaks or is silent.
    Rejected,
    /// It says something that is not as constructed.
    Wrong,
}

impl Class {
    /// The stable name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Class::Pass => "pass",
            Class::Unsupported => "unsupported",
            Class::Rejected => "rejected",
            Class::Wrong => "wrong",
        }
    }
}

/// How many cases a reader has in each class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Cell {
    /// Cases that it has right.
    pub pass: u64,
    /// Cases that it has wrong.
    pub wrong: u64,
    /// Cases without an answer.
    pub rejected: u64,
    /// Cases that it cannot be asked about.
    pub unsupported: u64,
}

impl Cell {
    fn count(&mut self, class: Class) {
        *match class {
            Class::Pass => &mut self.pass,
            Class::Wrong => &mut self.wrong,
            Class::Rejected => &mut self.rejected,
            Class::Unsupported => &mut self.unsupported,
        } += 1;
    }
}

/// The cells of one topic, in the order of the readers.
#[derive(Clone, Debug, Serialize)]
pub struct Topic {
    /// Its name; empty for the sum of all.
    pub name: String,
    /// How many cases it has.
    pub cases: u64,
    /// A cell for each reader.
    pub cells: Vec<Cell>,
}

/// Why cases are wrong or rejected.
#[derive(Clone, Debug, Serialize)]
pub struct Cause {
    /// The name of the known fault, or what differs and nothing explains.
    pub id: String,
    /// What it makes of a case.
    pub class: Class,
    /// The reason in a sentence.
    pub reason: String,
    /// How many cases of each reader it makes so.
    pub readers: BTreeMap<String, u64>,
    /// The first of the cases.
    pub example: String,
}

/// The whole table.
#[derive(Clone, Debug, Serialize)]
pub struct Matrix {
    /// The readers with their versions, in the order of the cells.
    pub readers: Vec<(String, String)>,
    /// The topics by name.
    pub topics: Vec<Topic>,
    /// The sum of all topics.
    pub all: Topic,
    /// The causes by name, those of wrong cases first.
    pub causes: Vec<Cause>,
}

impl Matrix {
    /// Counts what these readers make of these cases, which are named `topic/name`. `known` has the reasons.
    pub fn new<'n>(
        verdicts: &Verdicts,
        readers: &[String],
        cases: impl Iterator<Item = &'n str>,
        known: &[Known],
    ) -> Matrix {
        let version = |name: &String| verdicts.taken_from.get(name).cloned().unwrap_or_default();
        let topic = |name: &str| Topic {
            name: name.to_owned(),
            cases: 0,
            cells: vec![Cell::default(); readers.len()],
        };
        let mut topics: BTreeMap<&str, Topic> = BTreeMap::new();
        let mut all = topic("");
        let mut causes: BTreeMap<(Reverse<Class>, &str), Cause> = BTreeMap::new();
        for case in cases {
            let name = case.split('/').next().unwrap_or_default();
            let of_topic = topics.entry(name).or_insert_with(|| topic(name));
            of_topic.cases += 1;
            all.cases += 1;
            for (number, reader) in readers.iter().enumerate() {
                let parts = parts(verdicts.get(case, reader));
                let class = parts.iter().map(|(class, _)| *class).max().unwrap_or(Class::Pass);
                of_topic.cells[number].count(class);
                all.cells[number].count(class);
                for (class, id) in parts.into_iter().filter(|(class, _)| *class >= Class::Rejected) {
                    let cause = causes.entry((Reverse(class), id)).or_insert_with(|| Cause {
                        id: id.to_owned(),
                        class,
                        reason: reason(id, known),
                        readers: BTreeMap::new(),
                        example: case.to_owned(),
                    });
                    *cause.readers.entry(reader.clone()).or_default() += 1;
                }
            }
        }
        Matrix {
            readers: readers.iter().map(|name| (name.clone(), version(name))).collect(),
            topics: topics.into_values().collect(),
            all,
            causes: causes.into_values().collect(),
        }
    }
}

/// The classes and causes of a verdict.
fn parts(verdict: &str) -> Vec<(Class, &str)> {
    let part = |part| {
        let (verdict, cause): (&str, &str) = str::split_once(part, ": ").unwrap_or((part, ""));
        let class = match verdict {
            _ if verdict.ends_with(REJECTED) => Class::Rejected,
            "differ" | "known-fault" | "oracle-failed" => Class::Wrong,
            NOTHING | "unreadable" => Class::Unsupported,
            _ => Class::Pass,
        };
        (class, cause)
    };
    verdict.split("; ").map(part).collect()
}

/// Why a reader that is listed with this cause is wrong.
fn reason(id: &str, known: &[Known]) -> String {
    let listed = known.iter().find(|known| known.id == id).map(|known| known.reason.clone());
    let key = || Key::ALL.iter().find(|key| key.name() == id);
    listed
        .or_else(|| key().map(|key| format!("nothing explains it; the clause is {}", key.clause())))
        .unwrap_or_else(|| "the reader broke".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_of_the_worst_class_of_its_causes() {
        let mut verdicts = Verdicts::default();
        for (case, verdict) in [
            ("a/open", "open: some-question"),
            ("a/wrong", "known-fault, rejected: one; known-fault: two; open: some-question"),
            ("a/rejected", "known-fault, rejected: one; open: ill-formed fault.augmentation"),
            ("b/broke", "oracle-failed, rejected: reader-broke"),
            ("b/nothing", NOTHING),
            ("b/differs", "differ: row.cfa"),
        ] {
            verdicts.set(case, "reader", verdict.to_owned());
        }
        let cases = ["a/open", "a/pass", "a/rejected", "a/wrong", "b/broke", "b/differs", "b/nothing"];
        let matrix = Matrix::new(&verdicts, &["reader".to_owned()], cases.into_iter(), &[]);
        let cell = |pass, wrong, rejected, unsupported| vec![Cell { pass, wrong, rejected, unsupported }];
        let cells: Vec<_> = matrix.topics.iter().map(|topic| (topic.cases, topic.cells.clone())).collect();
        assert_eq!(cells, [(4, cell(2, 1, 1, 0)), (3, cell(0, 1, 1, 1))]);
        assert_eq!(matrix.all.cells, cell(2, 2, 2, 1));
        let causes: Vec<_> =
            matrix.causes.iter().map(|cause| (cause.class.name(), &*cause.id, &*cause.example)).collect();
        let expected = [
            ("wrong", "row.cfa", "b/differs"),
            ("wrong", "two", "a/wrong"),
            ("rejected", "one", "a/rejected"),
            ("rejected", "reader-broke", "b/broke"),
        ];
        assert_eq!(causes, expected);
        assert_eq!(matrix.causes[2].readers["reader"], 2);
    }
}
