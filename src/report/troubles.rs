//! Inputs that could not be read whole or are wrong by themselves, kept for forms of report that tell of them at the end.

use std::path::PathBuf;

use cfidiff_model::Severity;

use crate::campaign::{FileReport, Unreadable};

/// How many troubles are kept.
const MAX_TROUBLES: usize = 100;

/// Inputs that could not be read, or in part only: the first ones, and how many more.
#[derive(Debug, Default)]
pub(crate) struct Troubles {
    /// The first ones.
    pub kept: Vec<Trouble>,
    /// How many more there are.
    pub more: u64,
}

/// One input.
#[derive(Debug)]
pub(crate) struct Trouble {
    /// The path.
    pub path: PathBuf,
    /// `unreadable`, `damaged` where the rest of it was read, or `wrong` where an invariant is broken.
    pub what: &'static str,
    /// Why, in words.
    pub why: String,
}

impl Troubles {
    /// Adds a path that could not be looked at.
    pub fn unreadable(&mut self, unreadable: &Unreadable) {
        let Unreadable { path, why } = unreadable.clone();
        self.add(Trouble { path, what: "unreadable", why });
    }

    /// Adds what is wrong with a file itself.
    pub fn file(&mut self, report: &FileReport) {
        if let Some(why) = report.why_unreadable() {
            self.add(Trouble { path: report.path.clone(), what: "unreadable", why });
        }
        for why in &report.damage {
            self.add(Trouble { path: report.path.clone(), what: "damaged", why: why.clone() });
        }
        for broken in report.invariants.iter().filter(|broken| broken.severity == Severity::Error) {
            let found = broken.places.first().map_or("", |place| &place.found);
            let why = format!("{}: {found}: {}", broken.key.name(), broken.reason);
            self.add(Trouble { path: report.path.clone(), what: "wrong", why });
        }
    }

    /// What to say of those that are not kept, if there are any.
    pub fn rest(&self) -> Option<String> {
        (self.more > 0).then(|| format!("and {} more inputs that could not be read whole", self.more))
    }

    fn add(&mut self, trouble: Trouble) {
        if self.kept.len() < MAX_TROUBLES {
            self.kept.push(trouble);
        } else {
            self.more += 1;
        }
    }
}
