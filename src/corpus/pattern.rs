//! An answer held against the expected one. Each expected entry is a pattern: the fields that it has must be there
//! with equal values.

use cfidiff_cfi::{Header, Reader, Semantics, Standard, Table};
use cfidiff_gen::suite::{Answer, Case, Expected, Role};
use cfidiff_model::{Case as Input, Entry, Says, Section, SectionKind};
use serde_json::{Map, Value, json};

use crate::corpus::questions::{answers, questions};

/// A place where an answer is not the expected one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: expected {expected}, found {found}")]
pub struct Mismatch {
    /// The section, the record and the field.
    pub place: String,
    /// What the case was made for.
    pub expected: String,
    /// What the reader says.
    pub found: String,
}

/// Our reader's answer on a case, as a program that lists sections.
pub fn compare(case: &Case, input: &Input) -> Vec<Mismatch> {
    compare_with(case, input, &Standard)
}

/// The answer that our reader gives under other semantics.
pub fn compare_with<S: Semantics + ?Sized>(case: &Case, input: &Input, semantics: &S) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    for answer in &case.sections {
        let section = section_of(answer, input);
        let mut entries = Vec::new();
        if let Some(section) = section {
            let mut table = Table::new(Reader::with_semantics(section, input.target, semantics));
            let mut entry = Entry::default();
            for index in 0..table.len() {
                table.fill(index, Says::all(), &mut entry);
                entries.push(serde_json::to_value(&entry).unwrap_or_default());
            }
        }
        compare_entries(case, answer, &entries, &mut mismatches);
    }
    if let Some(expected) = &case.header {
        let section = input.sections.iter().find(|section| section.kind == SectionKind::EhFrameHdr);
        let header = section.map(|section| Header::with_semantics(section, input.target, semantics));
        let found = header.map_or(Value::Null, |header| header_fields(&header));
        compare_fields(".eh_frame_hdr", &expected.pattern(case), &found, &mut mismatches);
    }
    let questions = questions(case);
    for (question, found) in questions.iter().zip(answers(input, &questions, semantics)) {
        if question.expected != found {
            let (place, expected) = (question.place.clone(), question.expected.clone());
            mismatches.push(Mismatch { place, expected, found });
        }
    }
    mismatches
}

/// The section that an expected answer is about.
pub fn section_of<'i>(answer: &Answer, input: &'i Input) -> Option<&'i Section> {
    let same =
        |section: &&Section| section.kind == answer.kind && section.index.unwrap_or_default() == answer.index;
    input.sections.iter().find(same)
}

/// A header in the form of the suite.
pub fn header_fields<S: Semantics + ?Sized>(header: &Header<'_, S>) -> Value {
    let hex = |value: u64| format!("{value:#x}");
    let mut faults = header.faults.clone();
    let mut table = Vec::new();
    for entry in header.entries() {
        match entry {
            Ok(entry) => table.push(json!({
                "initial_location": hex(entry.initial_location.0),
                "fde": hex(entry.fde.0),
            })),
            Err(fault) => faults.push(fault),
        }
    }
    json!({
        "version": header.version,
        "eh_frame_encoding": hex(header.eh_frame_encoding.into()),
        "count_encoding": hex(header.count_encoding.into()),
        "table_encoding": hex(header.table_encoding.into()),
        "eh_frame": header.eh_frame.map(|address| hex(address.0)),
        "count": header.count.map(hex),
        "table": table,
        "faults": faults,
    })
}

fn compare_entries(case: &Case, answer: &Answer, found: &[Value], mismatches: &mut Vec<Mismatch>) {
    let reading = case.readings.first().map(|reading| reading.name);
    let wanted = |expected: &&Expected| {
        expected.role != Some(Role::Unwinder) && (expected.reading.is_none() || expected.reading == reading)
    };
    let expected: Vec<&Expected> = answer.entries.iter().filter(wanted).collect();
    if expected.len() != found.len() {
        mismatches.push(Mismatch {
            place: answer.name.clone(),
            expected: format!("{} entries", expected.len()),
            found: found.len().to_string(),
        });
    }
    for (expected, found) in expected.iter().zip(found) {
        let place = format!("{}+{:#x}", answer.name, expected.entry.offset.0);
        compare_fields(&place, &expected.pattern(), found, mismatches);
    }
}

fn compare_fields(place: &str, pattern: &Map<String, Value>, found: &Value, mismatches: &mut Vec<Mismatch>) {
    for (name, expected) in pattern {
        let value = found.get(name).unwrap_or(&Value::Null);
        // Faults come in any order, and one record can have several of a kind.
        let same = if name == "faults" { same_faults(expected, value) } else { matches(expected, value) };
        if !same {
            mismatches.push(Mismatch {
                place: format!("{place} {name}"),
                expected: expected.to_string(),
                found: value.to_string(),
            });
        }
    }
}

/// Whether a value has everything that the pattern has.
fn matches(pattern: &Value, value: &Value) -> bool {
    match (pattern, value) {
        (Value::Object(pattern), Value::Object(value)) => {
            pattern.iter().all(|(name, pattern)| value.get(name).is_some_and(|value| matches(pattern, value)))
        }
        (Value::Array(pattern), Value::Array(value)) => {
            pattern.len() == value.len()
                && pattern.iter().zip(value).all(|(pattern, value)| matches(pattern, value))
        }
        _ => pattern == value,
    }
}

fn same_faults(expected: &Value, found: &Value) -> bool {
    let keys = |faults: &Value| {
        let faults = faults.as_array().map_or(&[][..], Vec::as_slice);
        let mut keys: Vec<String> = faults.iter().map(|fault| fault["key"].to_string()).collect();
        keys.sort();
        keys.dedup();
        keys
    };
    keys(expected) == keys(found)
}
