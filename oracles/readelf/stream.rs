//! The tool's output as it comes in, to sections and entries of the cases it was run on.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use cfidiff_model::{Case, Entry, Outcome, Says, Section, SectionKind, Sink};

use super::complaint::Complaints;
use super::lines::Lines;
use super::records::{Form, Records, Unfinished};

/// How much of what the tool says besides its tables is kept for one file.
const REMARKS: usize = 1024;

/// How long a line may grow that is put together from several.
const UNFINISHED: usize = 64 * 1024;

/// How far the answer on a case got before the process broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) case: usize,
    /// The sections whose answer is over.
    closed: Vec<usize>,
    /// The section whose answer is not, and how many entries of it are delivered.
    open: Option<(usize, u64)>,
}

/// What one process came to.
pub(super) struct Heard {
    /// The cases whose answer is over.
    pub(super) finished: Vec<usize>,
    /// The case whose answer is not.
    pub(super) mark: Option<Mark>,
    /// What the tool said last, of no case.
    pub(super) stray: Option<String>,
}

/// What becomes of the open section's entries.
enum Delivery {
    /// They are of no section that was asked for, or of one whose answer is over.
    Nowhere,
    /// So many were delivered before, and the rest goes to the sink.
    Sink { section: usize, delivered: u64, skip: u64 },
}

impl Delivery {
    #[inline]
    fn push(&mut self, entry: &Entry, sink: &mut dyn Sink) {
        if let Delivery::Sink { delivered, skip, .. } = self {
            if *skip > 0 {
                *skip -= 1;
            } else {
                *delivered += 1;
                sink.entry(entry);
            }
        }
    }
}

/// The reader of one process's output.
pub(super) struct Stream<'a> {
    cases: &'a [Case],
    sink: &'a mut dyn Sink,
    says: Says,
    complaints: &'a Complaints,
    lines: Lines,
    reader: Reader<'a>,
    /// The cases by the line that heads them, those of one line in their order.
    expected: HashMap<Vec<u8>, VecDeque<usize>>,
    /// The cases whose answer is over.
    finished: Vec<usize>,
}

/// The part of the state that one line changes.
struct Reader<'a> {
    records: Records<'a>,
    /// The case that is being read.
    case: Option<usize>,
    /// Its sections that had a heading.
    seen: Vec<usize>,
    delivery: Delivery,
    /// Where the answer on a case was left by an earlier process.
    resume: Option<Mark>,
    /// The start of a line that is not whole yet.
    unfinished: Vec<u8>,
    /// What the tool said besides its tables, of this file.
    remarks: Vec<u8>,
}

impl<'a> Stream<'a> {
    /// A reader for the output on the cases that `expected` gives by the lines that head them.
    pub(super) fn new(
        cases: &'a [Case],
        sink: &'a mut dyn Sink,
        (form, says): (Form, Says),
        complaints: &'a Complaints,
        expected: HashMap<Vec<u8>, VecDeque<usize>>,
    ) -> Option<Stream<'a>> {
        let any = cases.first()?;
        let reader = Reader {
            records: Records::new(form, complaints, any.target),
            case: None,
            seen: Vec::new(),
            delivery: Delivery::Nowhere,
            resume: None,
            unfinished: Vec::new(),
            remarks: Vec::new(),
        };
        let lines = Lines::default();
        Some(Stream { cases, sink, says, complaints, lines, reader, expected, finished: Vec::new() })
    }

    /// The output starts within this case: the tool names a file only when it was given several.
    pub(super) fn start_in(&mut self, case: usize, resume: Option<Mark>) {
        self.expected.clear();
        self.reader.case = Some(case);
        self.reader.resume = resume;
    }

    /// Takes the next piece of output.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> ControlFlow<()> {
        if self.sink.cancelled() {
            return ControlFlow::Break(());
        }
        let mut lines = std::mem::take(&mut self.lines);
        let flow = lines.split(chunk, |line| self.line(line));
        self.lines = lines;
        flow
    }

    /// The case that is being read.
    pub(super) fn case(&self) -> Option<usize> {
        self.reader.case
    }

    /// Ends after the process ended by itself.
    pub(super) fn finish(mut self) -> Heard {
        let rest = std::mem::take(&mut self.lines).rest();
        self.line(&rest);
        let stray = self.stray();
        self.end_case(None);
        Heard { finished: self.finished, mark: None, stray }
    }

    /// Ends after the process broke, with the case in which it did so left open.
    pub(super) fn stop(self) -> Heard {
        let Stream { reader, finished, .. } = self;
        let mark = reader.case.map(|case| reader.mark(case));
        Heard { finished, mark, stray: None }
    }

    /// Ends after the process broke, and fails the case in which it did so.
    pub(super) fn fail(mut self, why: &str) -> Heard {
        let stray = self.stray();
        self.end_case(Some(why));
        Heard { finished: self.finished, mark: None, stray }
    }

    fn stray(&self) -> Option<String> {
        (self.reader.case.is_none() && !self.reader.remarks.is_empty())
            .then(|| String::from_utf8_lossy(&self.reader.remarks).into_owned())
    }

    #[inline]
    fn line(&mut self, line: &[u8]) {
        if !self.reader.unfinished.is_empty() {
            return self.joined(line);
        }
        // Lines within a section are blank, indented or start with a number. So does none of the others.
        let within = matches!(line, [] | [b' ' | b'0'..=b'9' | b'a'..=b'f', ..]);
        if within || !self.special(line) {
            self.within_section(line);
        }
    }

    #[inline]
    fn within_section(&mut self, line: &[u8]) {
        let Reader { records, delivery, unfinished, .. } = &mut self.reader;
        if let Delivery::Sink { .. } = delivery {
            let sink = &mut *self.sink;
            if let Some(Unfinished { kept, broken }) =
                records.line(line, &mut |entry| delivery.push(entry, sink))
            {
                unfinished.extend_from_slice(&line[..kept]);
                if broken {
                    unfinished.push(b'\n');
                }
            }
        }
    }

    #[cold]
    fn joined(&mut self, line: &[u8]) {
        let mut whole = std::mem::take(&mut self.reader.unfinished);
        if self.complaints.words(line).is_some() {
            // Two complaints within one line.
            self.special(line);
            self.reader.unfinished = whole;
            return;
        }
        whole.extend_from_slice(line);
        if whole.len() > UNFINISHED {
            self.reader.records.give_up(&whole);
        } else {
            self.line(&whole);
        }
    }

    /// A line that belongs to no record. False when it may still be the words of one.
    #[cold]
    fn special(&mut self, line: &[u8]) -> bool {
        if let Some(words) = self.complaints.words(line) {
            if file_of(words).is_some_and(|file| self.expected.contains_key(file)) {
                // It is of a file that has not begun, which gets a process of its own later.
                return true;
            }
            self.reader.remark(words);
            if let Delivery::Sink { .. } = self.reader.delivery {
                self.reader.records.complain(words);
            }
            return true;
        }
        if let Some(case) = line.strip_prefix(b"File: ").and_then(|name| self.take_expected(name)) {
            self.end_case(None);
            self.reader.case = case;
            return true;
        }
        if let Some(name) = heading(line) {
            self.end_section(true);
            self.begin_section(name);
            return true;
        }
        if let Some(name) = without_contents(line) {
            self.end_section(true);
            self.section_without_contents(name, line);
            return true;
        }
        if let Delivery::Nowhere = self.reader.delivery {
            self.reader.remark(line);
            return true;
        }
        false
    }

    /// The case that the line heads. The inner `None` for a file of which nothing was asked (a member of an
    /// archive, for instance), the outer for a line that heads nothing.
    fn take_expected(&mut self, name: &[u8]) -> Option<Option<usize>> {
        if self.expected.is_empty() {
            return None;
        }
        match self.expected.get_mut(name) {
            Some(cases) => Some(cases.pop_front()),
            None => Some(None),
        }
    }

    fn begin_section(&mut self, name: &[u8]) {
        let Some(case) = self.reader.case else { return };
        let Some(section) = find_section(&self.cases[case].sections, name, &self.reader.seen) else { return };
        self.reader.seen.push(section);
        let skip = match &self.reader.resume {
            Some(mark) if mark.closed.contains(&section) => return,
            Some(Mark { open: Some((open, delivered)), .. }) if *open == section => Some(*delivered),
            _ => None,
        };
        if skip.is_none() {
            self.sink.section(case, section, self.says);
        }
        let skip = skip.unwrap_or_default();
        self.reader.delivery = Delivery::Sink { section, delivered: skip, skip };
        let case = &self.cases[case];
        self.reader.records.begin(&case.sections[section], case.target);
    }

    /// The tool says that the section is there and that it has nothing to show of it.
    fn section_without_contents(&mut self, name: &[u8], line: &[u8]) {
        self.begin_section(name);
        let (Delivery::Sink { section, .. }, Some(case)) = (&self.reader.delivery, self.reader.case) else {
            return;
        };
        if self.cases[case].sections[*section].data.is_empty() {
            self.end_section(true);
        } else {
            self.close_section(Outcome::Failed(String::from_utf8_lossy(line).into_owned()));
        }
    }

    fn end_section(&mut self, complete: bool) {
        let Reader { records, delivery, .. } = &mut self.reader;
        if let Delivery::Sink { .. } = delivery {
            let sink = &mut *self.sink;
            let outcome = records.end(complete, &mut |entry| delivery.push(entry, sink));
            self.close_section(outcome);
        }
    }

    fn close_section(&mut self, outcome: Outcome) {
        self.reader.delivery = Delivery::Nowhere;
        self.sink.end_section(outcome);
    }

    /// Ends the case that is being read, as failed when it is told why.
    fn end_case(&mut self, failure: Option<&str>) {
        if let Some(case) = self.reader.case.take() {
            let outcome = match failure {
                Some(why) => Outcome::Failed(self.reader.with_remarks(why)),
                None => self.outcome(case),
            };
            match (failure, &self.reader.delivery) {
                (None, _) => self.end_section(true),
                (Some(_), Delivery::Sink { .. }) => self.close_section(outcome.clone()),
                (Some(_), Delivery::Nowhere) => {}
            }
            if let Some(Mark { open: Some((section, _)), .. }) = self.reader.resume
                && !self.reader.seen.contains(&section)
            {
                // It was left open, and this process did not get as far.
                self.sink.end_section(Outcome::Failed("printed less than before".to_owned()));
            }
            self.sink.end_case(case, outcome);
            self.finished.push(case);
        }
        self.reader.delivery = Delivery::Nowhere;
        self.reader.seen.clear();
        self.reader.remarks.clear();
        self.reader.resume = None;
    }

    /// A section that was passed over in silence is no failure of the case, unless the tool said why.
    fn outcome(&self, case: usize) -> Outcome {
        let silent = self.cases[case].frame_sections().find(|(index, _)| !self.reader.seen.contains(index));
        match silent {
            Some((_, section)) if !self.reader.remarks.is_empty() => {
                Outcome::Failed(self.reader.with_remarks(&format!("printed nothing of {}", section.name)))
            }
            _ => Outcome::Answered,
        }
    }
}

impl Reader<'_> {
    fn remark(&mut self, words: &[u8]) {
        let room = REMARKS.saturating_sub(self.remarks.len());
        if room > 0 && !words.is_empty() {
            if !self.remarks.is_empty() {
                self.remarks.extend_from_slice(b"; ");
            }
            self.remarks.extend_from_slice(&words[..words.len().min(room)]);
        }
    }

    fn with_remarks(&self, why: &str) -> String {
        if self.remarks.is_empty() {
            return why.to_owned();
        }
        format!("{why}; it said: {}", String::from_utf8_lossy(&self.remarks))
    }

    fn mark(&self, case: usize) -> Mark {
        let open = match self.delivery {
            Delivery::Sink { section, delivered, .. } => Some((section, delivered)),
            Delivery::Nowhere => None,
        };
        let still_open = |&section: &usize| open.is_none_or(|(open, _)| open != section);
        Mark { case, closed: self.seen.iter().copied().filter(still_open).collect(), open }
    }
}

/// The section's name in `Contents of the .eh_frame section:`, also with `(loaded from FILE)`.
fn heading(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"Contents of the ")?;
    let end = memchr::memmem::find(rest, b" section")?;
    rest.ends_with(b":").then_some(&rest[..end])
}

/// The section's name in `Section '.eh_frame' has no debugging data.` and
/// `section '.eh_frame' has the NOBITS type - its contents are unreliable.`
fn without_contents(line: &[u8]) -> Option<&[u8]> {
    let quoted = line.strip_prefix(b"Section '").or_else(|| line.strip_prefix(b"section '"))?;
    let end = memchr::memchr(b'\'', quoted)?;
    let rest = &quoted[end + 1..];
    (rest.starts_with(b" has no debugging data") || rest.starts_with(b" has the NOBITS type"))
        .then_some(&quoted[..end])
}

/// The file in `Error: 'FILE': No such file` and `Error: FILE: Failed to read file's magic number`.
fn file_of(words: &[u8]) -> Option<&[u8]> {
    let rest = words.strip_prefix(b"Error: ")?;
    let (rest, end) = match rest.strip_prefix(b"'") {
        Some(quoted) => (quoted, memchr::memchr(b'\'', quoted)?),
        None => (rest, memchr::memmem::find(rest, b": ")?),
    };
    Some(&rest[..end])
}

/// The first section of this name that had no heading yet: several of one name come in the order of the section
/// header table. Compressed sections go by either name.
fn find_section(sections: &[Section], name: &[u8], seen: &[usize]) -> Option<usize> {
    let find = |wanted: &dyn Fn(&Section) -> bool| {
        let mut candidates = sections.iter().enumerate().filter(|(_, section)| section.kind.has_entries());
        candidates.find(|(index, section)| wanted(section) && !seen.contains(index)).map(|(index, _)| index)
    };
    let debug = |name: &[u8]| name == b".debug_frame" || name == b".zdebug_frame";
    find(&|section| section.name.as_bytes() == name)
        .or_else(|| find(&|section| debug(name) && section.kind == SectionKind::DebugFrame))
}
