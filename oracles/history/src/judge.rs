//! What a pair's or a control's two versions have to show, held against what they answered.

use serde::Serialize;

use crate::pairs::{Control, Pair, globs};
use crate::replay::{Answers, CaseAnswer, Flag};

/// What a pair or a control came to.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Outcome {
    /// How many findings of the expected keys the bad version has on the pair's cases.
    pub findings: u64,
    /// On how many cases; of a control, how many answers were compared.
    pub on_cases: usize,
    /// The first of those, `topic/name section+offset key`.
    pub first: Option<String>,
    /// How many such findings the good version has; of a control, how many either has that nothing explains.
    pub of_good: u64,
    /// On how many cases the bad version answers and is not flagged.
    pub missed: usize,
    /// How often there was no case or no answer to hold anything against.
    pub uncompared: usize,
    /// What is not as it has to be, in words; empty when all is.
    pub wrong: Vec<String>,
}

impl Outcome {
    /// Whether the bad version was flagged on each case, and the good one on none.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }

    /// The verdict in a word or two. What was not compared is neither found nor missed.
    pub fn verdict(&self) -> &'static str {
        if self.is_right() {
            "ok"
        } else if self.of_good > 0 {
            "FLAGGED"
        } else if self.missed > 0 {
            "NOT FOUND"
        } else {
            "NOT COMPARED"
        }
    }

    fn uncompared(&mut self, words: String) {
        self.uncompared += 1;
        self.wrong.push(words);
    }
}

/// Holds a pair's expectation against what its two versions answered.
///
/// # Errors
/// When a glob of the pair is none.
pub fn judge(pair: &Pair, bad: &Answers, good: &Answers) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    for (glob, pattern) in globs(&pair.cases)?.iter().zip(&pair.cases) {
        let mut answers = bad.iter().filter(|(name, _)| glob.is_match(name)).peekable();
        if answers.peek().is_none() {
            outcome.uncompared(format!("the suite has no case {pattern}"));
        }
        for (name, answer) in answers {
            of_bad(&mut outcome, pair, name, answer);
            of_good(&mut outcome, pair, name, good.get(name));
        }
    }
    Ok(outcome)
}

/// The flags of an answer that a pair is about.
fn expected<'a>(pair: &Pair, answer: &'a CaseAnswer) -> Vec<&'a Flag> {
    answer.flags.iter().filter(|flag| pair.keys.iter().any(|key| key == flag.key)).collect()
}

fn of_bad(outcome: &mut Outcome, pair: &Pair, name: &str, answer: &CaseAnswer) {
    let found = expected(pair, answer);
    if let Some(flag) = found.first() {
        outcome.on_cases += 1;
        outcome.first.get_or_insert_with(|| place(name, flag));
    } else if answer.is_heard() {
        outcome.missed += 1;
        outcome.wrong.push(format!("{} is not flagged on {name}", pair.bad));
    } else {
        outcome.uncompared(format!("nothing of {} was compared on {name}", pair.bad));
    }
    outcome.findings += found.len() as u64;
}

fn of_good(outcome: &mut Outcome, pair: &Pair, name: &str, answer: Option<&CaseAnswer>) {
    let found = answer.map(|answer| expected(pair, answer)).unwrap_or_default();
    if let Some(flag) = found.first() {
        outcome.wrong.push(format!("{} is flagged as well: {}", pair.good, place(name, flag)));
    }
    outcome.of_good += found.len() as u64;
    if answer.is_none_or(|answer| !answer.compared) {
        outcome.uncompared(format!("nothing of {} was compared on {name}", pair.good));
    }
}

/// Holds a control against what its two versions answered: no finding on its cases may be unexplained.
///
/// # Errors
/// When a glob of the control is none.
pub fn judge_control(control: &Control, old: &Answers, new: &Answers) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    for (glob, pattern) in globs(&control.cases)?.iter().zip(&control.cases) {
        for (version, answers) in [(&control.old, old), (&control.new, new)] {
            let mut compared = 0;
            for (name, answer) in answers.iter().filter(|(name, _)| glob.is_match(name)) {
                compared += usize::from(answer.is_heard());
                for flag in answer.flags.iter().filter(|flag| flag.is_unexplained) {
                    outcome.of_good += 1;
                    outcome.wrong.push(format!("{version} is flagged: {}", place(name, flag)));
                }
            }
            if compared == 0 {
                outcome.uncompared(format!("nothing of {version} was compared on {pattern}"));
            }
            outcome.on_cases += compared;
        }
    }
    Ok(outcome)
}

/// Where a flag is, in short.
fn place(case: &str, flag: &Flag) -> String {
    format!("{case} {} {}", flag.place, flag.key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::Table;

    const CFA: &str = "row.cfa";

    fn answers(flags: &[(&str, &'static str, bool)]) -> Answers {
        let mut answers = Answers::new();
        for name in ["state/one", "state/two", "row/other"] {
            answers.insert(name.to_owned(), CaseAnswer { compared: true, ..CaseAnswer::default() });
        }
        for (name, key, is_unexplained) in flags {
            let place = ".eh_frame+0x18".to_owned();
            let flag = Flag { key, is_unexplained: *is_unexplained, place, ..Flag::default() };
            answers.entry((*name).to_owned()).or_default().flags.push(flag);
        }
        answers
    }

    fn pair() -> Pair {
        let mut pair = Table::load().unwrap().pair.remove(0);
        pair.cases = vec!["state/*".to_owned()];
        pair.keys = vec![CFA.to_owned()];
        pair
    }

    #[test]
    fn a_pair_is_right_when_each_case_flags_the_bad_version_alone() {
        let bad = answers(&[("state/one", CFA, false), ("state/two", CFA, false)]);
        // Another key, and another case, are not what the pair is about.
        let good = answers(&[("state/one", "entry.missing", false), ("row/other", CFA, false)]);
        let outcome = judge(&pair(), &bad, &good).unwrap();
        assert!(outcome.is_right() && outcome.verdict() == "ok", "{outcome:?}");
        assert_eq!((outcome.findings, outcome.on_cases, outcome.of_good), (2, 2, 0));
        assert_eq!(outcome.first.as_deref(), Some("state/one .eh_frame+0x18 row.cfa"));
    }

    #[test]
    fn a_case_without_a_finding_a_flagged_good_version_and_a_silent_one_are_told_apart() {
        let one = [("state/one", CFA, true)];
        let both = [one[0], ("state/two", CFA, true)];
        let judged = |bad: &Answers, good: &Answers| judge(&pair(), bad, good).unwrap();
        let told = |outcome: Outcome, verdict: &str, words: &str| {
            assert_eq!((outcome.verdict(), outcome.wrong.len()), (verdict, 1), "{outcome:?}");
            assert!(outcome.wrong[0].contains(words), "{outcome:?}");
        };
        told(judged(&answers(&one), &answers(&[])), "NOT FOUND", "not flagged on state/two");
        told(judged(&answers(&both), &answers(&one)), "FLAGGED", "flagged as well: state/one");
        let mut silent = answers(&[]);
        silent.get_mut("state/two").unwrap().compared = false;
        told(judged(&answers(&both), &silent), "NOT COMPARED", "was compared on state/two");
        let mut unheard = answers(&one);
        unheard.get_mut("state/two").unwrap().compared = false;
        told(judged(&unheard, &answers(&[])), "NOT COMPARED", "was compared on state/two");
        let mut nowhere = pair();
        nowhere.cases = vec!["state/three".to_owned()];
        told(judge(&nowhere, &answers(&both), &answers(&[])).unwrap(), "NOT COMPARED", "no case state/three");
    }

    #[test]
    fn a_control_may_be_explained_and_not_unexplained_or_unheard() {
        let mut control = Table::load().unwrap().control.remove(0);
        control.cases = vec!["state/*".to_owned()];
        let open = answers(&[("state/one", CFA, false)]);
        assert!(judge_control(&control, &open, &answers(&[])).unwrap().is_right());
        let outcome = judge_control(&control, &open, &answers(&[("state/one", CFA, true)])).unwrap();
        assert_eq!((outcome.of_good, outcome.verdict()), (1, "FLAGGED"));
        let unheard = judge_control(&control, &open, &Answers::new()).unwrap();
        assert_eq!(unheard.verdict(), "NOT COMPARED");
    }
}
