//! Questions that a case answers by its construction, beside its records: which row holds at an address, which entry
//! of the header's table a search finds, which values a frame's rules give.

use cfidiff_cfi::{Frame, Header, Reader, Semantics, Table, Value};
use cfidiff_gen::suite::{Answer, Case, Expected, FrameAnswer};
use cfidiff_gen::{HeaderSpec, OMIT};
use cfidiff_model::{Address, Case as Input, Entry, EntryKind, Fde, RowRef, SectionKind, Target};

use crate::report::describe;

/// How many rows of an FDE are asked about: the first ones.
const ROWS: usize = 16;

/// The answer to a question for which there is none.
const NOTHING: &str = "nothing";

/// A question and the answer that the case was made for.
#[derive(Clone, Debug)]
pub struct Question {
    /// The section and the address, in words.
    pub place: String,
    /// The right answer, in words.
    pub expected: String,
    ask: Ask,
}

#[derive(Clone, Debug)]
enum Ask {
    /// The row for a place in code, by the index of the section.
    Row { section: u32, address: u64, is_return_address: bool },
    /// The entry of the header's table for an address.
    Search { address: u64 },
    /// What the row gives for known registers.
    Values { section: u32, frame: FrameAnswer },
}

/// The questions that a case answers.
pub fn questions(case: &Case) -> Vec<Question> {
    let mut questions = Vec::new();
    if case.readings.is_empty() {
        for answer in case.sections.iter().filter(|answer| answer.entries.iter().all(is_whole)) {
            rows(case, answer, &mut questions);
        }
        searches(case, &mut questions);
    }
    if let Some(answer) = case.sections.last() {
        for frame in &case.frames {
            questions.push(Question {
                place: format!("{} frame at {}", answer.name, frame.address),
                expected: values(frame),
                ask: Ask::Values { section: answer.index, frame: frame.clone() },
            });
        }
    }
    questions
}

/// Whether everything about an entry is expected, from everybody.
fn is_whole(expected: &Expected) -> bool {
    expected.faults.is_empty() && expected.free.is_empty()
}

/// The FDEs of a section and what they cover.
fn fdes(answer: &Answer) -> impl Iterator<Item = (&Entry, &Fde)> {
    answer.entries.iter().filter_map(|expected| match &expected.entry.kind {
        EntryKind::Fde(fde) => Some((&expected.entry, fde)),
        _ => None,
    })
}

/// The start and the end of each row, as places of an instruction and of a return address; only where one FDE alone
/// covers them.
fn rows(case: &Case, answer: &Answer, questions: &mut Vec<Question>) {
    let covering = |address: u64| {
        fdes(answer)
            .filter(|(_, fde)| address.wrapping_sub(fde.initial_location.0) < fde.address_range)
            .count()
    };
    for (entry, fde) in fdes(answer).filter(|(_, fde)| !fde.indirect) {
        for row in entry.rows.iter().filter(|row| row.start < row.end).take(ROWS) {
            for (address, is_return_address) in
                [(row.start.0, false), (row.end.0 - 1, false), (row.end.0, true)]
            {
                if covering(address - u64::from(is_return_address)) == 1 {
                    let found = found(&case.target, entry, &row);
                    questions.push(row_question(answer, address, is_return_address, found));
                }
            }
        }
        let end = fde.initial_location.0.wrapping_add(fde.address_range);
        let behind = [end, end.wrapping_add(1)];
        let uncovered = |address: &u64| covering(*address) == 0 && *address > fde.initial_location.0;
        for address in behind.into_iter().filter(uncovered) {
            questions.push(row_question(answer, address, false, NOTHING.to_owned()));
        }
    }
}

fn row_question(answer: &Answer, address: u64, is_return_address: bool, expected: String) -> Question {
    let kind = if is_return_address { "return address" } else { "address" };
    Question {
        place: format!("{} row for {kind} {address:#x}", answer.name),
        expected,
        ask: Ask::Row { section: answer.index, address, is_return_address },
    }
}

fn found(target: &Target, entry: &Entry, row: &RowRef<'_>) -> String {
    format!("FDE at {}: {}", entry.offset, describe::row(target, row))
}

/// The start of each entry of a sorted table, and the addresses beside it.
fn searches(case: &Case, questions: &mut Vec<Question>) {
    let Some(header) = &case.header else { return };
    let spec = &header.spec;
    let is_ascending = spec.entries.is_sorted_by(|one, other| one.initial_location < other.initial_location);
    if !header.faults.is_empty() || header.free.contains(&"table") || !is_ascending || !is_searchable(spec) {
        return;
    }
    for (index, entry) in spec.entries.iter().enumerate() {
        let start = entry.initial_location.0;
        let before = index.checked_sub(1).and_then(|before| spec.entries.get(before));
        let mut ask = |address, expected: Option<&cfidiff_gen::HeaderEntry>| {
            questions.push(Question {
                place: format!(".eh_frame_hdr search for {address:#x}"),
                expected: entry_found(expected.map(|entry| (entry.initial_location, entry.fde))),
                ask: Ask::Search { address },
            });
        };
        ask(start, Some(entry));
        if start > 0 {
            ask(start - 1, before);
        }
    }
}

/// Whether a table has entries of a fixed size, as many as the header tells.
fn is_searchable(spec: &HeaderSpec) -> bool {
    let format = spec.table_encoding & 0x0f;
    let is_fixed = !matches!(format, 0x01 | 0x09) && spec.table_encoding & 0x70 != 0x50;
    is_fixed && spec.table_encoding != OMIT && spec.count_encoding != OMIT && spec.false_count.is_none()
}

fn entry_found(entry: Option<(Address, Address)>) -> String {
    entry.map_or_else(|| NOTHING.to_owned(), |(start, fde)| format!("{start}, FDE at {fde}"))
}

fn values(frame: &FrameAnswer) -> String {
    let saved = frame.saved.iter().map(|&(register, address)| (register, Value::At(address)));
    let known = frame.values.iter().map(|&(register, value)| (register, Value::Is(value)));
    values_found(frame.cfa, saved.chain(known).collect())
}

fn values_found(cfa: u64, mut registers: Vec<(u64, Value)>) -> String {
    registers.sort_by_key(|(register, _)| *register);
    let mut words = format!("CFA {cfa:#x}");
    for (register, value) in registers {
        words += &match value {
            Value::At(address) => format!(", r{register} at {address:#x}"),
            Value::Is(value) => format!(", r{register} is {value:#x}"),
            Value::In(source) => format!(", r{register} in r{source}"),
            Value::Lost => format!(", r{register} lost"),
        };
    }
    words
}

/// What a reader with these semantics answers to the questions, one after the other.
pub fn answers<S: Semantics + ?Sized>(input: &Input, questions: &[Question], semantics: &S) -> Vec<String> {
    let of_index = |index: u32| {
        input
            .frame_sections()
            .find(|(_, section)| section.index.unwrap_or_default() == index)
            .map(|(_, it)| it)
    };
    let mut table: Option<(u32, Table<'_, S>)> = None;
    let header = input.sections.iter().find(|section| section.kind == SectionKind::EhFrameHdr);
    let header = header.map(|section| Header::with_semantics(section, input.target, semantics));
    let mut entry = Entry::default();
    let mut said = Vec::with_capacity(questions.len());
    for question in questions {
        let answer = match &question.ask {
            Ask::Search { address } => {
                let entry = header.as_ref().and_then(|header| header.lookup(Address(*address)));
                Some(entry_found(entry.map(|entry| (entry.initial_location, entry.fde))))
            }
            Ask::Row { section, .. } | Ask::Values { section, .. } => {
                if table.as_ref().is_none_or(|(index, _)| index != section) {
                    table = of_index(*section).map(|place| {
                        (*section, Table::new(Reader::with_semantics(place, input.target, semantics)))
                    });
                }
                table
                    .as_mut()
                    .and_then(|(_, table)| of_row(&question.ask, table, &mut entry, input, semantics))
            }
        };
        said.push(answer.unwrap_or_else(|| NOTHING.to_owned()));
    }
    said
}

/// The answer to a question about a row.
fn of_row<S: Semantics + ?Sized>(
    ask: &Ask,
    table: &mut Table<'_, S>,
    entry: &mut Entry,
    input: &Input,
    semantics: &S,
) -> Option<String> {
    match ask {
        Ask::Row { address, is_return_address, .. } => {
            let row = table.look_up(*address, *is_return_address, entry)?;
            Some(found(&input.target, entry, &entry.rows.get(row)?))
        }
        Ask::Values { frame, .. } => {
            let row = table.look_up(frame.address.0, false, entry)?;
            let row = entry.rows.get(row)?;
            let of = |list: &[(u64, u64)], key: u64| {
                list.iter().find(|(it, _)| *it == key).map(|(_, value)| *value)
            };
            let known = Frame {
                semantics,
                register: &|register| of(&frame.registers, register),
                memory: &|address, _| of(&frame.memory, address),
                address_size: input.target.class.address_size(),
            };
            let cfa = known.cfa(row.cfa)?;
            let of_rule = |(register, rule)| Some((register, known.value(register, rule, cfa)?));
            let registers = row.rules.iter().map(|(register, rule)| of_rule((*register, rule)));
            Some(values_found(cfa, registers.collect::<Option<_>>()?))
        }
        Ask::Search { .. } => None,
    }
}
