//! Planted faults: the mistakes that readers make, each one decision point of the in-house reader answered wrongly.
//!
//! A fault wraps another semantics, so that two faults compose. They show what the comparison would notice, and the
//! triage blames a reader's differences on the one whose answers are the same.

mod cie;
mod fde;
mod file;
mod frame;
mod header;
mod instructions;
mod look_up;
mod planted;
mod pointers;
mod records;
mod state;

use cfidiff_cfi::Semantics;

pub use planted::{Overrides, Planted};

/// One mistake of a reader.
#[derive(Clone, Copy)]
pub struct PlantedFault {
    /// Its name in kebab-case.
    pub name: &'static str,
    /// What the reader does, as the end of a sentence that starts with "The reader".
    pub does: &'static str,
    /// What it should do, as the end of a sentence that starts with "It should".
    pub should: &'static str,
    /// The clause of a specification that decides.
    pub clause: &'static str,
    /// The public bugs that it models, or a mistake that is often made.
    pub models: &'static [&'static str],
    /// Overrides one decision point.
    plant: fn(&mut Overrides),
}

impl std::fmt::Debug for PlantedFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PlantedFault").field(&self.name).finish()
    }
}

impl PlantedFault {
    /// The semantics with this fault in it.
    pub fn planted_in<'a>(&self, inner: &'a dyn Semantics) -> Planted<'a> {
        Planted { inner, overrides: self.overrides() }
    }

    /// The decision points that it answers wrongly: one.
    pub fn decision_points(&self) -> Vec<&'static str> {
        self.overrides().names()
    }

    fn overrides(&self) -> Overrides {
        let mut overrides = Overrides::default();
        (self.plant)(&mut overrides);
        overrides
    }
}

/// The faults by the part of the format that they are about, in the order in which a reader meets it.
pub const GROUPS: &[(&str, &[PlantedFault])] = &[
    ("file", file::FAULTS),
    ("records", records::FAULTS),
    ("CIE", cie::FAULTS),
    ("FDE", fde::FAULTS),
    ("pointers", pointers::FAULTS),
    ("instructions", instructions::FAULTS),
    ("state", state::FAULTS),
    ("look-up", look_up::FAULTS),
    ("header", header::FAULTS),
    ("frame", frame::FAULTS),
];

/// All planted faults.
pub fn all() -> impl Iterator<Item = &'static PlantedFault> {
    GROUPS.iter().flat_map(|(_, faults)| faults.iter())
}

/// The fault with a name.
pub fn by_name(name: &str) -> Option<&'static PlantedFault> {
    all().find(|fault| fault.name == name)
}
