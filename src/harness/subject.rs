//! The reader under test, asked about one case.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cfidiff_gen::suite::{Answer, Case, Expected, Role};
use cfidiff_model::{Address, Case as Input, Entry, Says, SectionKind};

use crate::harness::hold::{self, Found};
use crate::harness::{Entries, Reader, Section, Unwinder, unwinder};
use crate::image;

/// What is tested.
pub(super) enum Subject {
    Reader(Box<dyn Reader>),
    Unwinder(Box<dyn Unwinder>),
}

/// What came of one section.
pub(super) struct Compared {
    /// Its place among the sections of the case.
    pub section: usize,
    pub found: Vec<Found>,
}

impl Subject {
    pub fn name(&self) -> &str {
        match self {
            Subject::Reader(reader) => reader.name(),
            Subject::Unwinder(unwinder) => unwinder.name(),
        }
    }

    pub fn version(&self) -> &str {
        match self {
            Subject::Reader(reader) => reader.version(),
            Subject::Unwinder(unwinder) => unwinder.version(),
        }
    }

    /// Asks about each section that the reader reads. The list is empty when it reads none of them.
    pub fn compare(&self, case: &Case, input: &Input) -> Vec<Compared> {
        let sections = case.sections.iter().enumerate();
        let compared = sections.filter_map(|(index, answer)| {
            let section = Section::of(input, answer)?;
            let found = self.section(case, answer, &section)?;
            Some(Compared { section: index, found })
        });
        compared.collect()
    }

    fn section(&self, case: &Case, answer: &Answer, section: &Section<'_>) -> Option<Vec<Found>> {
        match self {
            Subject::Reader(reader) => {
                let says = reader.says(section);
                if says.is_empty() {
                    return None;
                }
                let says = says | Says::RECORDS;
                let (entries, end) = read(&**reader, section);
                let stops = section.kind == SectionKind::EhFrame && !says.contains(Says::PAST_TERMINATOR);
                let role = if stops { Role::Unwinder } else { Role::Dumper };
                let readings = readings(case, answer, role).into_iter();
                // The first one of those that are equally near.
                readings
                    .map(|expected| hold::compare(&section.target(), &expected, &entries, &end, says))
                    .min_by_key(Vec::len)
            }
            Subject::Unwinder(unwinder) if unwinder.reads(section) => {
                let readings = readings(case, answer, Role::Unwinder);
                let points: BTreeSet<Address> =
                    readings.iter().flat_map(|each| unwinder::points(each)).collect();
                let ask = |address| {
                    guarded(|| unwinder.look_up(section, address).map_err(|error| error.to_string()))
                };
                let answers: unwinder::Answers =
                    points.into_iter().map(|address| (address, ask(address))).collect();
                if answers.is_empty() {
                    return None;
                }
                let readings = readings.iter();
                readings.map(|expected| unwinder::compare(section, expected, &answers)).min_by_key(Vec::len)
            }
            Subject::Unwinder(_) => None,
        }
    }
}

/// The case as an ELF file that was read.
pub(super) fn input(case: &Case) -> Result<Input, String> {
    let image = image::from_bytes(&case.name, &case.file, &image::Options::default());
    let image = image.map_err(|error| error.to_string())?;
    image.cases.into_iter().next().ok_or_else(|| format!("{} has no case in it", case.name))
}

fn read(reader: &dyn Reader, section: &Section<'_>) -> (Vec<Entry>, Result<(), String>) {
    let mut entries = Entries::new(section.data.len());
    let end = guarded(|| reader.read(section, &mut entries).map_err(|error| error.to_string()));
    (entries.into_list(), end)
}

/// What the reader says, or that it panicked.
fn guarded<T>(ask: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    // What a reader left half done is not looked at again, but for the records that it gave before.
    catch_unwind(AssertUnwindSafe(ask))
        .unwrap_or_else(|payload| Err(format!("panicked: {}", words(&*payload))))
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without words")
}

/// The records that this role has to give, for each accepted reading.
fn readings<'a>(case: &Case, answer: &'a Answer, role: Role) -> Vec<Vec<&'a Expected>> {
    let names: Vec<Option<&str>> = match &case.readings[..] {
        [] => vec![None],
        readings => readings.iter().map(|reading| Some(reading.name)).collect(),
    };
    let of_reading = |name: Option<&str>| {
        let wanted = |expected: &&Expected| {
            expected.role.is_none_or(|only| only == role)
                && (expected.reading.is_none() || expected.reading == name)
        };
        answer.entries.iter().filter(wanted).collect()
    };
    names.into_iter().map(of_reading).collect()
}
