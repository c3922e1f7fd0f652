//! What a maintainer is told when a case fails.

use std::fmt::Write as _;

use cfidiff_gen::suite::{Answer, Case};
use cfidiff_model::{Case as Input, Format};

use crate::harness::Section;
use crate::harness::hold::Found;
use crate::report::{counted, describe};

/// How many differences of a case are told in words.
const MAX_TOLD: usize = 10;
/// How many bytes of a record are shown.
const MAX_BYTES: usize = 96;

/// The whole text for a case with these differences, each with the section that it is in.
pub(super) fn text(case: &Case, input: &Input, found: &[(&Answer, &Found)]) -> String {
    let mut text = format!("{}\n", case.about);
    for (answer, found) in found.iter().take(MAX_TOLD) {
        let _ = write!(
            text,
            "\n{} at {}+{}\n    expected  {}\n    found     {}\n    clause    {}\n    record    {}\n",
            found.key.name(),
            answer.name,
            found.offset,
            found.expected,
            found.found,
            found.key.clause(),
            record(input, answer, found),
        );
    }
    if found.len() > MAX_TOLD {
        let _ = writeln!(text, "\n... and {}", counted((found.len() - MAX_TOLD) as u64, "more difference"));
    }
    let _ = write!(text, "\nthe case is decided by: {}\n", case.clause);
    for reading in &case.readings {
        let _ = writeln!(text, "accepted reading \"{}\": {}", reading.name, reading.why);
    }
    let offset = found.first().map(|(_, found)| format!("--offset {} ", found.offset)).unwrap_or_default();
    let _ = write!(
        text,
        "to see more: cfidiff corpus --copy suite && cfidiff dump {offset}suite/cases/{}",
        case.name
    );
    text
}

/// The bytes of the record that a difference is in.
fn record(input: &Input, answer: &Answer, found: &Found) -> String {
    let Some(section) = Section::of(input, answer) else { return String::new() };
    let start = usize::try_from(found.offset.0).unwrap_or(usize::MAX).min(section.data.len());
    let bytes = &section.data[start..];
    let entry = answer.entries.iter().map(|each| &each.entry).find(|entry| entry.offset == found.offset);
    // Of bytes that are no record, the length is not known.
    let length = entry.map_or(Format::Dwarf32.length_size(), |entry| {
        entry.format.length_size().saturating_add(entry.length)
    });
    let bytes = &bytes[..bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
    let shown = describe::bytes(&bytes[..bytes.len().min(MAX_BYTES)]);
    if bytes.len() > MAX_BYTES { format!("{shown} ... ({} bytes)", bytes.len()) } else { shown }
}
