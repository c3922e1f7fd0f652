//! What the triage found for one reader, ready to be reported.

use std::io;

use cfidiff_gen::suite::Suite;
use cfidiff_model::{Case, Entry, Says, SectionOffset};
use cfidiff_oracles::Oracle;
use serde::Serialize;

use crate::compare::{Judge, asked, repro};
use crate::faults::{self, PlantedFault};
use crate::triage::answers::{Cases, Part, Place, Said};
use crate::triage::deadline::Deadline;
use crate::triage::diagnose::{Diagnosis, Evidence, Replays};
use crate::triage::observe::{Differing, observe};
use crate::triage::observed::{Break, Observed};
use crate::triage::separate::separate;
use crate::triage::shapes::{Shape, shapes};

/// How much is done to name a mistake.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Which differences are to be explained.
    pub differing: Differing,
    /// How many differences of a section, and how many in all, the faults are tried on.
    pub places: usize,
    /// On how many of all records they are tried beside, to see what speaks against them.
    pub records: usize,
    /// How many bytes may be read to try pairs of faults.
    pub pair_bytes: usize,
    /// Whether the reader may be asked about cases of the suite, to tell faults apart.
    pub asks_suite: bool,
}

impl Effort {
    /// All that helps, for one reader that is asked for.
    pub const FULL: Effort = Effort {
        differing: Differing::All,
        places: 1 << 12,
        records: 1 << 14,
        pair_bytes: 1 << 30,
        asks_suite: true,
    };
    /// What can be done behind another task, for what that left unexplained.
    pub const QUICK: Effort = Effort {
        differing: Differing::Unexplained,
        places: 1 << 9,
        records: 1 << 11,
        pair_bytes: 1 << 24,
        asks_suite: false,
    };
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
    /// How many sections the reader spoke of.
    pub sections: usize,
    /// Where it broke, the most frequent words first. No planted fault is asked to explain that.
    pub breaks: Vec<Broke>,
    /// How far the triage came when it stopped early; none when it did not.
    pub stopped: Vec<Stopped>,
}

/// How far a triage came that stopped early, for it has a short time only or few files.
#[derive(Clone, Debug, Serialize)]
pub struct Stopped {
    /// How many of the files with differences were looked at.
    pub files: usize,
    /// How many there are.
    pub of: usize,
    /// The command that looks at all of them.
    pub command: String,
}

/// Sections that a reader did not read to the end, for the same reason.
#[derive(Clone, Debug, Serialize)]
pub struct Broke {
    /// The reader's words without their numbers.
    pub words: String,
    /// How many sections.
    pub sections: usize,
    /// How many records it did not give in them for which no fault of the tool is listed.
    pub unexplained: usize,
    /// The first of the cases.
    pub file: String,
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
    /// At how many differences the reader says yet another thing than with it.
    pub refuted: usize,
    /// Of the places that the fault changes, and where the reader says anything, at how many percent it says what one
    /// with the fault does. At 100 it is the diagnosis of these.
    pub fits: usize,
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
    /// Asks a reader about the cases and names what explains where it differs, until the time is over. Fails when the
    /// suite cannot be written to a temporary folder.
    pub fn of(
        reader: &dyn Oracle,
        inputs: &[Case],
        judge: &Judge,
        effort: Effort,
        deadline: &Deadline,
    ) -> io::Result<Account> {
        let mut observed = observe(reader, inputs, judge, effort, deadline);
        let inputs = &inputs[..observed.asked];
        let mut account = Account {
            differences: observed.differences(),
            cases: observed.cases(),
            sections: observed.sections(),
            breaks: breaks(&observed, inputs),
            ..Account::unasked(reader)
        };
        if !observed.is_empty() {
            let focus = observed.focus(inputs, effort.places, effort.records);
            let cases = Cases::of_inputs(inputs.to_vec(), Some(focus));
            let replays = Replays::until(deadline, &cases, faults::all().collect());
            let replays = replays.with_pair_bytes(effort.pair_bytes);
            let mut found = replays.diagnose(&observed);
            if effort.asks_suite {
                found = told_apart(reader, judge, found)?;
            }
            account.conclude(reader, &replays, &observed, &found);
        }
        Ok(account)
    }

    /// What is known of a reader that was asked nothing.
    pub(super) fn unasked(reader: &dyn Oracle) -> Account {
        Account {
            reader: reader.name().to_owned(),
            version: reader.version().to_owned(),
            asked: asked(reader.name(), reader.command()),
            differences: 0,
            cases: 0,
            looked_at: 0,
            explained: 0,
            diagnoses: Vec::new(),
            shapes: Vec::new(),
            unexplained: Vec::new(),
            sections: 0,
            breaks: Vec::new(),
            stopped: Vec::new(),
        }
    }

    /// Puts what was found into words.
    fn conclude(
        &mut self,
        reader: &dyn Oracle,
        replays: &Replays<'_>,
        observed: &Observed,
        found: &[Diagnosis],
    ) {
        let open = replays.unexplained(observed, found);
        self.looked_at = observed.len();
        self.explained = observed.len() - open.len();
        self.shapes = shapes(replays.cases, observed, &open);
        let shown = |evidence| shown(reader, replays.cases, observed, evidence);
        self.unexplained = replays.smallest(observed, &open).and_then(shown).into_iter().collect();
        self.diagnoses = found.iter().map(|found| named(reader, replays, observed, found)).collect();
    }

    /// Whether the reader broke where no listed fault of it tells why.
    pub fn is_broken(&self) -> bool {
        self.breaks.iter().any(|broke| broke.unexplained > 0)
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

/// Where the reader broke, the most frequent words first.
fn breaks(observed: &Observed, inputs: &[Case]) -> Vec<Broke> {
    let broke = |(words, broke): (&String, &Break)| {
        let first = broke.sections.first().and_then(|(case, _)| inputs.get(*case as usize));
        Broke {
            words: words.clone(),
            sections: broke.sections.len(),
            unexplained: broke.unexplained,
            file: first.map(|case| case.name.clone()).unwrap_or_default(),
        }
    };
    let mut breaks: Vec<Broke> = observed.breaks.iter().map(broke).collect();
    breaks.sort_by_key(|broke| std::cmp::Reverse(broke.sections));
    breaks
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
        refuted: found.refuted,
        fits: found.fits(),
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
