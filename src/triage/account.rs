//! What the triage found for one reader, ready to be reported.

use std::io;

use cfidiff_gen::suite::Suite;
use cfidiff_model::{Case, Entry, Says, SectionOffset};
use cfidiff_oracles::Oracle;
use serde::Serialize;

use crate::compare::{Judge, asked, repro};
use crate::faults::{self, PlantedFault};
use crate::triage::answers::{Cases, Part, Place, Said};
use crate::triage::diagnose::{Diagnosis, Evidence, Replays};
use crate::triage::observe::{Differing, observe};
use crate::triage::observed::Observed;
use crate::triage::separate::separate;
use crate::triage::shapes::{Shape, shapes};

/// How much is done to name a mistake.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Which differences are to be explained.
    pub differing: Differing,
    /// Of how many places each, those where the reader differs and those where it agrees, the faults are tried.
    pub places: usize,
    /// How many bytes may be read to try pairs of faults.
    pub pair_bytes: usize,
    /// Whether the reader may be asked about cases of the suite, to tell faults apart.
    pub asks_suite: bool,
}

impl Effort {
    /// All that helps, for one reader that is asked for.
    pub const FULL: Effort =
        Effort { differing: Differing::All, places: 4096, pair_bytes: 1 << 30, asks_suite: true };
    /// What can be done behind another task, for what that left unexplained.
    pub const QUICK: Effort =
        Effort { differing: Differing::Unexplained, places: 512, pair_bytes: 1 << 24, asks_suite: false };
}

/// What the triage found for one reader.
#[derive(Clone, Debug, Serialize)]
pub struct Account {
    /// The reader's name.
    pub reader: String,
    /// Its version.
    pub version: String,
    /// The option that has it asked.
    #[serde(skip)]
    pub asked: String,
    /// At how many records it differs.
    pub differences: usize,
    /// In how many cases.
    pub cases: usize,
    /// How many of the differences were looked at: no more than the effort allows.
    pub looked_at: usize,
    /// How many of these the diagnoses explain.
    pub explained: usize,
    /// What explains all of them, each by itself; else what explains a part each.
    pub diagnoses: Vec<Named>,
    /// The shape of what no diagnosis explains.
    pub shapes: Vec<Shape>,
    /// The smallest place that no diagnosis explains; none when they explain all.
    pub unexplained: Vec<Shown>,
}

/// One mistake, or two at once, with how well it explains the differences.
#[derive(Clone, Debug, Serialize)]
pub struct Named {
    /// Whether a reader with it says the same everywhere.
    pub exact: bool,
    /// The faults.
    #[serde(serialize_with = "in_words")]
    pub faults: Vec<&'static PlantedFault>,
    /// Whether the reader errs in the rows alone, and shows the instructions rightly.
    pub rows_alone: bool,
    /// How many differences it explains.
    pub explained: usize,
    /// At how many places the reader is right and would not be with it.
    pub contradicted: usize,
    /// The smallest place that shows it; none when the reader was silent at all of them and would be.
    pub evidence: Vec<Shown>,
}

/// A place that shows a mistake.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// The case.
    pub file: String,
    /// The section.
    pub section: String,
    /// The record.
    pub offset: SectionOffset,
    /// The key of the difference.
    pub key: &'static str,
    /// What ours says.
    pub ours: String,
    /// What the reader says.
    pub theirs: String,
    /// A command that shows it.
    pub repro: String,
    /// The place's case and section, by number.
    #[serde(skip)]
    pub at: (usize, usize),
    /// The record as the reader has it, with what it can say; empty when it said nothing of it.
    #[serde(skip)]
    pub entries: Vec<(Says, Entry)>,
}

/// A fault without what plants it.
#[derive(Serialize)]
struct Words<'f> {
    name: &'f str,
    does: &'f str,
    should: &'f str,
    clause: &'f str,
    models: &'f [&'f str],
}

fn in_words<S: serde::Serializer>(
    faults: &[&'static PlantedFault],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(faults.iter().map(|fault| Words {
        name: fault.name,
        does: fault.does,
        should: fault.should,
        clause: fault.clause,
        models: fault.models,
    }))
}

impl Account {
    /// Asks a reader about the cases and names what explains where it differs. Fails when the suite cannot be written
    /// to a temporary folder.
    pub fn of(reader: &dyn Oracle, inputs: &[Case], judge: &Judge, effort: Effort) -> io::Result<Account> {
        let mut observed = observe(reader, inputs, judge, effort.differing);
        let mut account = Account {
            reader: reader.name().to_owned(),
            version: reader.version().to_owned(),
            asked: asked(reader.name(), reader.command()),
            differences: observed.len(),
            cases: observed.cases(),
            looked_at: 0,
            explained: 0,
            diagnoses: Vec::new(),
            shapes: Vec::new(),
            unexplained: Vec::new(),
        };
        if observed.is_empty() {
            return Ok(account);
        }
        let focus = observed.focus(inputs, effort.places);
        let cases = Cases::of_inputs(inputs.to_vec(), Some(focus));
        let replays = Replays::new(&cases, faults::all().collect()).with_pair_bytes(effort.pair_bytes);
        let mut found = replays.diagnose(&observed);
        if effort.asks_suite {
            found = told_apart(reader, judge, found)?;
        }
        let open = replays.unexplained(&observed, &found);
        account.looked_at = observed.len();
        account.explained = observed.len() - open.len();
        account.shapes = shapes(&cases, &observed, &open);
        let shown = |evidence| shown(reader, &cases, &observed, evidence);
        account.unexplained = replays.smallest(&observed, &open).and_then(shown).into_iter().collect();
        account.diagnoses = found.iter().map(|found| named(reader, &replays, &observed, found)).collect();
        Ok(account)
    }

    /// How many of the differences that were looked at nothing explains.
    pub fn remain(&self) -> usize {
        self.looked_at - self.explained
    }

    /// Whether something explains all differences.
    pub fn is_exact(&self) -> bool {
        self.diagnoses.iter().any(|found| found.exact)
    }
}

impl Named {
    /// The names of the faults.
    pub fn names(&self) -> Vec<&'static str> {
        self.faults.iter().map(|fault| fault.name).collect()
    }
}

/// Of single faults that explain a reader equally well, those that also explain what it says of the suite.
fn told_apart(reader: &dyn Oracle, judge: &Judge, found: Vec<Diagnosis>) -> io::Result<Vec<Diagnosis>> {
    let is_single = |found: &Diagnosis| found.is_exact() && found.faults.len() == 1;
    let single: Vec<_> = found.iter().filter(|found| is_single(found)).map(|found| found.faults[0]).collect();
    if single.len() < 2 {
        return Ok(found);
    }
    let suite = Suite::build().map_err(io::Error::other)?;
    let left = separate(reader, judge, &suite, single)?;
    let is_left =
        |found: &Diagnosis| !is_single(found) || left.iter().any(|fault| fault.name == found.faults[0].name);
    Ok(found.into_iter().filter(is_left).collect())
}

fn named(reader: &dyn Oracle, replays: &Replays<'_>, observed: &Observed, found: &Diagnosis) -> Named {
    let evidence = replays.evidence(observed, found);
    let evidence = evidence.and_then(|evidence| shown(reader, replays.cases, observed, evidence));
    Named {
        exact: found.is_exact(),
        faults: found.faults.clone(),
        rows_alone: found.rows_alone,
        explained: found.explained,
        contradicted: found.contradicted,
        evidence: evidence.into_iter().collect(),
    }
}

/// A place with what stands there. Only records are shown.
fn shown(reader: &dyn Oracle, cases: &Cases, observed: &Observed, evidence: Evidence) -> Option<Shown> {
    let Place { case, part: Part::Section(section), at } = evidence.place else { return None };
    let input = &cases.inputs[case as usize];
    Some(Shown {
        file: input.name.clone(),
        section: input.sections[section as usize].name.clone(),
        offset: SectionOffset(at),
        key: evidence.difference.key,
        ours: evidence.difference.ours,
        theirs: evidence.difference.theirs,
        repro: repro(input, reader.name(), reader.command()),
        at: (case as usize, section as usize),
        entries: said_of(observed, evidence.place),
    })
}

/// What the passes of a reader that are wrong at a place say of its record.
fn said_of(observed: &Observed, place: Place) -> Vec<(Says, Entry)> {
    let passes = observed.passes.iter().filter_map(|pass| {
        let at = pass.wrong.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        match &pass.wrong[at].1 {
            Said::Entry(entry) => Some((pass.says(place)?, (**entry).clone())),
            Said::Words(_) | Said::Nothing => None,
        }
    });
    passes.collect()
}
