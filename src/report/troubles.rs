//! Inputs that could not be read whole, kept for forms of report that tell of them at the end.

use std::path::PathBuf;

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
    /// `unreadable`, or `damaged` where the rest of it was read.
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
