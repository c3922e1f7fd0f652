//! The highest rung: a file that was made has an expected answer beside it, which says who is wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{
    Case, Entry, EntryKind, Finding, Key, Says, Section, SectionKind, SectionOffset, Target,
};
use cfidiff_oracles::expected::{ExpectedAnswer, ExpectedEntry, ExpectedSection};

use crate::compare::entries::{Difference, Differences};
use crate::corpus::take_free;

/// The expected answer on a case, held against ours.
pub struct Construction {
    /// By the section's place in the case.
    sections: HashMap<usize, BTreeMap<SectionOffset, Place>>,
}

/// A record that is expected, or that ours has.
#[derive(Default)]
struct Place {
    /// Whether a record is expected here.
    is_expected: bool,
    /// Whether the record was broken on purpose: no specification says what a reader makes of it.
    is_ill_formed: bool,
    /// The names of the fields that are left to the reader.
    free: Vec<String>,
    /// What differs between the readings that are accepted; `None` when only some of them have the record.
    open: Option<BTreeSet<Key>>,
    /// Where ours differs from what is expected.
    contradictions: Vec<Difference>,
    /// Whether no more is expected than rows.
    is_of_rows: bool,
}

/// What the construction says of a difference between a reader and ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    /// Ours is as constructed.
    OursRight,
    /// Ours is not; this is what the file was made for.
    OursWrong { expected: String },
    /// It is left to the reader.
    Free,
}

impl Construction {
    /// Holds the expected answer against ours in sections of these kinds.
    pub fn new(case: &Case, expected: &ExpectedAnswer, kinds: &[SectionKind]) -> Construction {
        let mut sections = HashMap::new();
        for (number, section) in case.frame_sections().filter(|(_, section)| kinds.contains(&section.kind)) {
            let is_it = |answer: &&ExpectedSection| {
                let is_there = |index| index == section.index.unwrap_or_default();
                answer.name == section.name && answer.index.is_none_or(is_there)
            };
            if let Some(answer) = expected.sections.iter().find(is_it) {
                sections.insert(number, places(section, &case.target, answer));
            }
        }
        Construction { sections }
    }

    /// Who is right in a difference of a section, if the construction tells.
    pub(crate) fn decide(&self, section: usize, finding: &Finding) -> Option<Decision> {
        let places = self.sections.get(&section)?;
        let key = finding.key;
        let Some(place) = places.get(&finding.offset) else {
            // Nobody expects a record here, and ours has none.
            let is_whole = places.values().all(|place| !place.is_of_rows);
            return (key == Key::EntryExtra && is_whole).then_some(Decision::OursRight);
        };
        let same_place = |other: &&Difference| other.key == key && other.ours == finding.ours;
        if let Some(other) = place.contradictions.iter().find(same_place) {
            return Some(Decision::OursWrong { expected: other.theirs.clone() });
        }
        if key == Key::EntryExtra && place.is_expected {
            return Some(Decision::OursWrong { expected: finding.theirs.clone() });
        }
        if place.is_of_rows && fields(key) != ["rows"] {
            return None;
        }
        if place.is_open(key) {
            return Some(Decision::Free);
        }
        let is_hidden = place.contradictions.iter().any(|other| hides(other.key, key));
        (!is_hidden && place.is_expected).then_some(Decision::OursRight)
    }

    /// Where ours is not as constructed: section, record and what differs.
    pub(crate) fn contradictions(&self) -> impl Iterator<Item = (usize, SectionOffset, &Difference)> {
        let mut numbers: Vec<&usize> = self.sections.keys().collect();
        numbers.sort();
        numbers.into_iter().flat_map(|number| {
            self.sections[number].iter().flat_map(move |(offset, place)| {
                place.contradictions.iter().map(move |difference| (*number, *offset, difference))
            })
        })
    }
}

impl Place {
    fn is_open(&self, key: Key) -> bool {
        if self.is_ill_formed && matches!(key, Key::EntryAccepted | Key::EntryRejected) {
            return true;
        }
        let is_free = |field: &&str| self.free.iter().any(|free| free == field);
        self.open.as_ref().is_none_or(|open| open.contains(&key)) || fields(key).iter().any(is_free)
    }
}

/// Whether a difference under one key leaves what is under the other uncompared.
pub(crate) fn hides(one: Key, other: Key) -> bool {
    let is_instruction =
        |key| matches!(key, Key::InstructionOpcode | Key::InstructionOperands | Key::InstructionCount);
    match one {
        Key::EntryKind | Key::EntryRejected | Key::EntryMissing | Key::EntryExtra | Key::SectionUnread => {
            one != other
        }
        _ => is_instruction(one) && is_instruction(other),
    }
}

/// The names that the fields of a key have in the wire format.
fn fields(key: Key) -> &'static [&'static str] {
    match key {
        Key::SectionUnread | Key::EntryMissing | Key::EntryExtra | Key::EntryRepeated => &[],
        Key::EntryRejected | Key::EntryAccepted => &["faults"],
        Key::EntryKind => &["kind"],
        Key::EntryLength => &["length"],
        Key::EntryFormat => &["format"],
        Key::CieVersion => &["version"],
        Key::CieAugmentation => &["augmentation"],
        Key::CieAddressSize => &["address_size"],
        Key::CieSegmentSelectorSize => &["segment_selector_size"],
        Key::CieCodeAlignmentFactor => &["code_alignment_factor"],
        Key::CieDataAlignmentFactor => &["data_alignment_factor"],
        Key::CieReturnAddressRegister => &["return_address_register"],
        Key::AugmentationData => &["augmentation_data"],
        Key::CieFdeEncoding => &["fde_encoding"],
        Key::CieLsdaEncoding => &["lsda_encoding"],
        Key::CiePersonality => &["personality_encoding", "personality"],
        Key::CieSignalFrame => &["signal_frame"],
        Key::FdeCie => &["cie"],
        Key::FdeCiePointer => &["cie_pointer"],
        Key::FdeSegment => &["segment"],
        Key::FdeInitialLocation => &["initial_location"],
        Key::FdeIndirect => &["indirect"],
        Key::FdeAddressRange => &["address_range"],
        Key::FdeLsda => &["lsda"],
        Key::InstructionOpcode | Key::InstructionOperands | Key::InstructionCount => &["instructions"],
        Key::RowLocation | Key::RowCfa | Key::RowCfaRegister | Key::RowCfaOffset | Key::RowRegisterRule => {
            &["rows"]
        }
    }
}

fn places(section: &Section, target: &Target, answer: &ExpectedSection) -> BTreeMap<SectionOffset, Place> {
    let mut places: BTreeMap<SectionOffset, Place> = BTreeMap::new();
    let mut ours = BTreeMap::new();
    let mut table = Table::new(Reader::new(section, *target));
    for index in 0..table.len() {
        let mut entry = Entry::default();
        table.fill(index, Says::all(), &mut entry);
        ours.insert(entry.offset, entry);
    }
    for expected in &answer.entries {
        let offset = expected.entry.offset;
        let others = answer.other_readings.iter().filter(|other| other.entry.offset == offset);
        let mut open = (!expected.is_of_a_reading).then(BTreeSet::new);
        for other in others {
            let keys = open.get_or_insert_default();
            keys.extend(differ(target, &expected.entry, &other.entry, other).iter().map(|found| found.key));
        }
        let contradictions = match ours.remove(&offset) {
            Some(ours) => differ(target, &ours, &expected.entry, expected),
            None => vec![difference(Key::EntryExtra, "no record starts here", expected.entry.kind.name())],
        };
        let place = Place {
            is_expected: true,
            is_ill_formed: !expected.entry.faults.is_empty(),
            free: expected.free.clone(),
            open,
            contradictions,
            is_of_rows: false,
        };
        places.insert(offset, place);
    }
    if !answer.functions.is_empty() {
        functions(target, &answer.functions, &ours, &mut places);
        return places;
    }
    // What ours has and nobody expects.
    for (offset, ours) in ours {
        let contradictions = vec![difference(Key::EntryMissing, ours.kind.name(), "nothing")];
        let open = Some(BTreeSet::new());
        places.insert(offset, Place { open, contradictions, ..Place::default() });
    }
    places
}

/// The rows of FDEs that are known by their range, each of which one FDE has.
fn functions(
    target: &Target,
    functions: &[Entry],
    ours: &BTreeMap<SectionOffset, Entry>,
    places: &mut BTreeMap<SectionOffset, Place>,
) {
    let range = |entry: &Entry| match &entry.kind {
        EntryKind::Fde(fde) => Some((fde.initial_location, fde.address_range)),
        _ => None,
    };
    for expected in functions {
        let mut of_range = ours.iter().filter(|(_, ours)| range(ours) == range(expected));
        let (Some((offset, ours)), None) = (of_range.next(), of_range.next()) else { continue };
        let mut wanted = ours.clone();
        wanted.rows.clone_from(&expected.rows);
        let mut differences = Differences { target, list: Vec::new(), without_rows: false };
        differences.entries(ours, &wanted, Says::all());
        let (open, contradictions) = (Some(BTreeSet::new()), differences.list);
        let place = Place { is_expected: true, is_of_rows: true, open, contradictions, ..Place::default() };
        places.insert(*offset, place);
    }
}

fn difference(key: Key, ours: &str, theirs: &str) -> Difference {
    Difference { key, ours: ours.to_owned(), theirs: theirs.to_owned() }
}

/// What differs between an entry and the expected one, but for the fields that are left to the reader.
fn differ(target: &Target, ours: &Entry, theirs: &Entry, expected: &ExpectedEntry) -> Vec<Difference> {
    let mut theirs = theirs.clone();
    for field in &expected.free {
        take_free(field, ours, &mut theirs);
    }
    let mut differences = Differences { target, list: Vec::new(), without_rows: false };
    differences.entries(ours, &theirs, Says::all());
    differences.list
}
