//! The answer that a case was made for, as it stands beside the file in `NAME.jsonl`: the lines that the conformance
//! suite describes. Where a source states no more than the rows that it means, a line of type `function` has those of the
//! FDE with this `initial_location` and `address_range`, wherever that is.

use cfidiff_model::{Entry, Says};
use serde::Deserialize;
use serde_json::Value;

use crate::external::{self, EntryLine};

/// The expected answer on one file.
#[derive(Clone, Debug, Default)]
pub struct ExpectedAnswer {
    /// Its sections, in the order of the lines.
    pub sections: Vec<ExpectedSection>,
}

/// The expected answer on one section.
#[derive(Clone, Debug, Default)]
pub struct ExpectedSection {
    /// Its name.
    pub name: String,
    /// Its index in the section header table; zero when there is no such table, `None` for any.
    pub index: Option<u32>,
    /// The entries that a program which lists the section gives, by the first of the readings that are accepted.
    pub entries: Vec<ExpectedEntry>,
    /// The entries of the other readings.
    pub other_readings: Vec<ExpectedEntry>,
    /// FDEs of which the rows are expected and nothing else, known by their range.
    pub functions: Vec<Entry>,
}

/// One entry with what of it is expected.
#[derive(Clone, Debug)]
pub struct ExpectedEntry {
    /// The entry. Fields that are left to the reader have no meaning.
    pub entry: Entry,
    /// The names of the fields that are left to the reader, as in the wire format.
    pub free: Vec<String>,
    /// Whether it belongs to one of several readings.
    pub is_of_a_reading: bool,
}

#[derive(Deserialize)]
struct CaseLine {
    #[serde(default)]
    readings: Vec<ReadingLine>,
}

#[derive(Deserialize)]
struct ReadingLine {
    name: String,
}

#[derive(Deserialize)]
struct SectionLine {
    name: String,
    index: Option<u32>,
}

/// What an entry's line says beside the entry.
#[derive(Deserialize)]
struct ForWhom {
    #[serde(default)]
    free: Vec<String>,
    reading: Option<String>,
    role: Option<String>,
}

impl ExpectedAnswer {
    /// Reads the lines. `None` when the text is another kind of JSON Lines, which any file may have beside it.
    ///
    /// # Errors
    /// In words that name the line and the field, when a line of an expected answer has no meaning.
    pub fn parse(text: &str) -> Result<Option<ExpectedAnswer>, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let head = lines.next().and_then(|(_, line)| serde_json::from_str::<Value>(line).ok());
        let Some(head) = head.filter(|head| head["type"] == "case") else { return Ok(None) };
        let head: CaseLine = external::line(head, 1)?;
        let first_reading = head.readings.first().map(|reading| reading.name.as_str());
        let mut answer = ExpectedAnswer::default();
        for (index, line) in lines {
            let number = index + 1;
            let value: Value =
                serde_json::from_str(line).map_err(|error| format!("line {number} is not JSON: {error}"))?;
            match value["type"].as_str().unwrap_or_default() {
                "section" => {
                    let SectionLine { name, index } = external::line(value, number)?;
                    answer.sections.push(ExpectedSection { name, index, ..ExpectedSection::default() });
                }
                kind @ ("entry" | "function") => {
                    let is_entry = kind == "entry";
                    let section = answer.sections.last_mut();
                    let section =
                        section.ok_or_else(|| format!("line {number}: an entry needs a section"))?;
                    if is_entry {
                        section.take(value, number, first_reading)?;
                    } else {
                        section.take_function(value, number)?;
                    }
                }
                // Readers are not asked for the table for binary search, and not for values.
                "header" | "frame" => {}
                other => return Err(format!("line {number}, field type: {other:?} has no meaning")),
            }
        }
        Ok(Some(answer))
    }
}

impl ExpectedSection {
    fn take_function(&mut self, mut value: Value, number: usize) -> Result<(), String> {
        // It is an FDE of which nobody knows where it is.
        value["kind"] = "FDE".into();
        value["offset"] = "0x0".into();
        value["length"] = "0x0".into();
        let line: EntryLine = external::line(value, number)?;
        let mut entry = Entry::default();
        let needed = Says::RANGE | Says::ROWS | Says::ROW_EXPRESSIONS;
        external::entry(line, needed, number, &mut entry)?;
        self.functions.push(entry);
        Ok(())
    }

    fn take(&mut self, value: Value, number: usize, first_reading: Option<&str>) -> Result<(), String> {
        let ForWhom { free, reading, role } = external::line(value.clone(), number)?;
        // What ends a run-time reader's answer is not compared with those of programs that list sections.
        if role.as_deref() == Some("unwinder") {
            return Ok(());
        }
        let line: EntryLine = external::line(value, number)?;
        let mut entry = Entry::default();
        // Values that say nothing are left out of a line, so no field is required but the format.
        external::entry(line, Says::FORMAT, number, &mut entry)?;
        let is_of_a_reading = reading.is_some();
        let expected = ExpectedEntry { entry, free, is_of_a_reading };
        if reading.is_none() || reading.as_deref() == first_reading {
            self.entries.push(expected);
        } else {
            self.other_readings.push(expected);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use cfidiff_model::EntryKind;

    use super::*;

    const HEAD: &str =
        r#"{"type":"case","about":"","readings":[{"name":"a","why":""},{"name":"b","why":""}]}"#;
    const SECTION: &str = r#"{"type":"section","name":".eh_frame","index":2}"#;

    fn parse(lines: &[&str]) -> Result<Option<ExpectedAnswer>, String> {
        ExpectedAnswer::parse(&lines.join("\n"))
    }

    #[test]
    fn another_kind_of_lines_is_no_expected_answer() {
        for text in ["", "no JSON", "{}", r#"{"type":"finding"}"#, "[1]"] {
            assert!(ExpectedAnswer::parse(text).expect("it is none").is_none(), "{text}");
        }
    }

    #[test]
    fn entries_are_kept_by_role_and_reading() {
        let entry = |rest: &str| {
            format!(
                r#"{{"type":"entry","kind":"terminator","offset":"0x8","length":"0x0","format":"32"{rest}}}"#
            )
        };
        let lines = [
            entry(""),
            entry(r#","role":"unwinder""#),
            entry(r#","role":"dumper","free":["length"]"#),
            entry(r#","reading":"a""#),
            entry(r#","reading":"b""#),
        ];
        let mut all = vec![HEAD, SECTION];
        all.extend(lines.iter().map(String::as_str));
        let answer = parse(&all).expect("it parses").expect("it is one");
        let section = &answer.sections[0];
        assert_eq!((section.name.as_str(), section.index), (".eh_frame", Some(2)));
        let told = |entries: &[ExpectedEntry]| {
            entries.iter().map(|entry| (entry.free.len(), entry.is_of_a_reading)).collect::<Vec<_>>()
        };
        assert_eq!(told(&section.entries), [(0, false), (1, false), (0, true)]);
        assert_eq!(told(&section.other_readings), [(0, true)]);
        assert!(matches!(section.entries[0].entry.kind, EntryKind::Terminator));
    }

    #[test]
    fn a_function_is_an_fde_by_its_range() {
        let rows = r#"[{"start":"0x10","end":"0x18","cfa":{"rule":"register_offset","register":"0x7","offset":"0x8"},"rules":[]}]"#;
        let line =
            format!(r#"{{"type":"function","initial_location":"0x10","address_range":"0x8","rows":{rows}}}"#);
        let answer = parse(&[HEAD, r#"{"type":"section","name":".eh_frame"}"#, &line]);
        let answer = answer.expect("it parses").expect("it is one");
        let [ExpectedSection { index: None, functions, .. }] = &answer.sections[..] else {
            panic!("{answer:?}")
        };
        let EntryKind::Fde(fde) = &functions[0].kind else { panic!("{answer:?}") };
        assert_eq!((fde.initial_location.0, fde.address_range, functions[0].rows.len()), (0x10, 8, 1));
        let error = parse(&[HEAD, SECTION, r#"{"type":"function"}"#]).expect_err("it has no range");
        assert_eq!(error, "line 3, field initial_location: is missing");
    }

    #[test]
    fn what_has_no_meaning_is_told_with_its_line() {
        let bad = [
            (vec![HEAD, "{"], "line 2 is not JSON"),
            (vec![HEAD, r#"{"type":"other"}"#], "line 2, field type: \"other\" has no meaning"),
            (vec![HEAD, r#"{"type":"entry"}"#], "line 2: an entry needs a section"),
            (vec![HEAD, SECTION, r#"{"type":"entry","kind":"CIE","offset":7}"#], "line 3, field offset: "),
            (
                vec![HEAD, SECTION, r#"{"type":"entry","kind":"X","offset":"0x0","format":"32"}"#],
                "line 3, field kind: ",
            ),
        ];
        for (lines, words) in bad {
            let error = parse(&lines).expect_err("it has no meaning");
            assert!(error.starts_with(words), "{error}");
        }
    }
}
