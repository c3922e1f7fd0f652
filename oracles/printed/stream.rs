//! The tool's output as it comes in, to sections and entries of the cases it was run on.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use cfidiff_model::{Case, Entry, Outcome, Says, Section, SectionKind, Sink};

use super::{Dialect, Special, Taken};
use crate::lines::Lines;

/// How much of what the tool says besides its tables is kept for one file.
const REMARKS: usize = 1024;

/// How long a line may grow that is put together from several.
const UNFINISHED: usize = 64 * 1024;

/// How far the answer on a case got before the process broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) case: usize,
    /// The sections whose answer is over.
    closed: Vec<usize>,
    /// The section whose answer is not, and how many entries of it are delivered.
    open: Option<(usize, u64)>,
}

/// What one process came to.
pub(crate) struct Heard {
    /// The cases whose answer is over.
    pub(crate) finished: Vec<usize>,
    /// The case whose answer is not.
    pub(crate) mark: Option<Mark>,
    /// What the tool said last, of no case.
    pub(crate) stray: Option<String>,
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
pub(crate) struct Stream<'a, D> {
    cases: &'a [Case],
    sink: &'a mut dyn Sink,
    says: Says,
    lines: Lines,
    reader: Reader<D>,
    /// The cases by the line that heads them, those of one line in their order.
    expected: HashMap<Vec<u8>, VecDeque<usize>>,
    /// The cases whose answer is over.
    finished: Vec<usize>,
}

/// The part of the state that one line changes.
struct Reader<D> {
    records: D,
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
    /// Why the tool cannot read this case, as it says where the case begins.
    unsupported: Option<&'static str>,
}

impl<'a, D: Dialect> Stream<'a, D> {
    /// A reader for the output on the cases that `expected` gives by the lines that head them.
    pub(crate) fn new(
        cases: &'a [Case],
        sink: &'a mut dyn Sink,
        says: Says,
        dialect: D,
        expected: HashMap<Vec<u8>, VecDeque<usize>>,
    ) -> Stream<'a, D> {
        let reader = Reader {
            records: dialect,
            case: None,
            seen: Vec::new(),
            delivery: Delivery::Nowhere,
            resume: None,
            unfinished: Vec::new(),
            remarks: Vec::new(),
            unsupported: None,
        };
        Stream { cases, sink, says, lines: Lines::default(), reader, expected, finished: Vec::new() }
    }

    /// The output starts within this case: the tool names a file only when it was given several.
    pub(crate) fn start_in(&mut self, case: usize, resume: Option<Mark>) {
        self.expected.clear();
        self.reader.case = Some(case);
        self.reader.resume = resume;
    }

    /// Takes the next piece of output.
    pub(crate) fn feed(&mut self, chunk: &[u8]) -> ControlFlow<()> {
        if self.sink.cancelled() {
            return ControlFlow::Break(());
        }
        let mut lines = std::mem::take(&mut self.lines);
        let flow = lines.split(chunk, |line| self.line(line));
        self.lines = lines;
        flow
    }

    /// The case that is being read.
    pub(crate) fn case(&self) -> Option<usize> {
        self.reader.case
    }

    /// Ends after the process ended by itself.
    pub(crate) fn finish(mut self) -> Heard {
        let rest = std::mem::take(&mut self.lines).rest();
        self.line(&rest);
        let stray = self.stray();
        self.end_case(None);
        Heard { finished: self.finished, mark: None, stray }
    }

    /// Ends after the process broke, with the case in which it did so left open.
    pub(crate) fn stop(self) -> Heard {
        let Stream { reader, finished, .. } = self;
        let mark = reader.case.map(|case| reader.mark(case));
        Heard { finished, mark, stray: None }
    }

    /// Ends after the process broke, and fails the case in which it did so.
    pub(crate) fn fail(mut self, why: &str) -> Heard {
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
        // Lines within a section are blank, indented or start with a number. So do few of the others.
        let within = matches!(line, [] | [b' ' | b'0'..=b'9' | b'a'..=b'f', ..]);
        if within || !self.special(line) {
            self.within_section(line);
        }
    }

    #[inline]
    fn within_section(&mut self, line: &[u8]) {
        let Reader { records, delivery, .. } = &mut self.reader;
        let taken = match delivery {
            Delivery::Sink { .. } => {
                let sink = &mut *self.sink;
                records.line(line, &mut |entry| delivery.push(entry, sink))
            }
            Delivery::Nowhere => Taken::Not,
        };
        if taken != Taken::Whole {
            self.not_whole(line, taken);
        }
    }

    #[cold]
    fn not_whole(&mut self, line: &[u8], taken: Taken) {
        let is_known = taken != Taken::Not || self.special(line);
        let taken = match (taken, &self.reader.delivery) {
            (Taken::Not, Delivery::Sink { .. }) if !is_known => self.reader.records.odd(line),
            (taken, _) => taken,
        };
        if let Taken::Unfinished { kept, broken } = taken {
            self.reader.unfinished.extend_from_slice(&line[..kept]);
            if broken {
                self.reader.unfinished.push(b'\n');
            }
        }
    }

    #[cold]
    fn joined(&mut self, line: &[u8]) {
        let mut whole = std::mem::take(&mut self.reader.unfinished);
        if let Some(Special::Complaint(_)) = self.reader.records.special(line) {
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
        match self.reader.records.special(line) {
            Some(Special::Complaint(words)) => self.complaint(words),
            Some(Special::File { names, unsupported }) => {
                let case =
                    if self.expected.is_empty() { self.reader.case } else { self.take_expected(&names) };
                if !self.expected.is_empty() {
                    self.end_case(None);
                    self.reader.case = case;
                }
                self.reader.unsupported = unsupported;
            }
            Some(Special::Section(name)) => {
                self.end_section(true);
                self.begin_section(name, false);
            }
            Some(Special::LastSection(name)) => {
                self.end_section(true);
                self.begin_section(name, true);
            }
            Some(Special::Empty(name)) => {
                self.end_section(true);
                self.section_without_contents(name, line);
            }
            Some(Special::Interrupted { kept }) => self.reader.unfinished.extend_from_slice(&line[..kept]),
            Some(Special::Idle) => {}
            None if matches!(self.reader.delivery, Delivery::Nowhere) => {
                if !matches!(line, [b' ' | b'0'..=b'9' | b'a'..=b'f', ..]) {
                    self.reader.remark(line);
                }
            }
            None => return false,
        }
        true
    }

    fn complaint(&mut self, words: &[u8]) {
        let has_not_begun = |file: &[u8]| self.expected.get(file).is_some_and(|cases| !cases.is_empty());
        if file_of(words).is_some_and(has_not_begun) {
            // It is of a file that has not begun, which gets a process of its own later.
            return;
        }
        self.reader.remark(words);
        // It comes when it comes, and is of a file that has no sections.
        let is_of_another = words.ends_with(b": file format not recognized");
        if matches!(self.reader.delivery, Delivery::Sink { .. }) && !is_of_another {
            self.reader.records.complain(words);
        }
    }

    /// The case that one of these names heads; `None` for a file of which nothing was asked (a member of an archive,
    /// for instance).
    fn take_expected(&mut self, names: &[Cow<'_, [u8]>]) -> Option<usize> {
        let case = names.iter().find_map(|name| self.expected.get_mut(&**name)?.pop_front())?;
        // A member has a second name where its own is cut. One that came by the first is not meant by the second.
        let has_come = self.reader.case == Some(case) || self.finished.contains(&case);
        (!has_come).then_some(case)
    }

    fn begin_section(&mut self, name: &[u8], is_last: bool) {
        let Some(case) = self.reader.case.filter(|_| self.reader.unsupported.is_none()) else { return };
        let Some(section) = find_section(&self.cases[case].sections, name, &self.reader.seen, is_last) else {
            return;
        };
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
        self.reader.records.begin(&case.sections[section], case);
    }

    /// The tool says that the section is there and that it has nothing to show of it.
    fn section_without_contents(&mut self, name: &[u8], line: &[u8]) {
        self.begin_section(name, false);
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
            let outcome = match (failure, self.reader.unsupported.take()) {
                (Some(why), _) => Outcome::Failed(self.reader.with_remarks(why)),
                (None, Some(why)) => Outcome::Unsupported(why.to_owned()),
                (None, None) => self.outcome(case),
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
            let outcome = self.pass_over(case, outcome);
            self.sink.end_case(case, outcome);
            self.finished.push(case);
        }
        self.reader.delivery = Delivery::Nowhere;
        self.reader.seen.clear();
        self.reader.remarks.clear();
        self.reader.resume = None;
    }

    /// Tells of the sections that the tool does not print, and of the case itself when it has no others.
    fn pass_over(&mut self, case: usize, outcome: Outcome) -> Outcome {
        let mut others = 0;
        let mut reason = None;
        for (index, section) in self.cases[case].frame_sections() {
            match self.passed_over(case, index, section) {
                Some(why) => {
                    self.sink.section(case, index, Says::empty());
                    self.sink.end_section(Outcome::Unsupported(why.to_owned()));
                    reason = Some(why);
                }
                None => others += 1,
            }
        }
        match reason.filter(|_| others == 0) {
            Some(why) => Outcome::Unsupported(why.to_owned()),
            None => outcome,
        }
    }

    /// Why a section without a heading had none, when the tool does not print such.
    fn passed_over(&self, case: usize, index: usize, section: &Section) -> Option<&'static str> {
        let is_silent = !self.reader.seen.contains(&index);
        is_silent.then(|| self.reader.records.passes_over(section, &self.cases[case])).flatten()
    }

    /// A section that was passed over in silence is no failure of the case, unless the tool said why. Of an empty one there
    /// is nothing to say, though some tools complain that they find nothing in it.
    fn outcome(&self, case: usize) -> Outcome {
        let is_silent = |&(index, section): &(usize, &Section)| {
            !section.data.is_empty()
                && !self.reader.seen.contains(&index)
                && self.passed_over(case, index, section).is_none()
        };
        match self.cases[case].frame_sections().find(is_silent) {
            Some((_, section)) if !self.reader.remarks.is_empty() => {
                Outcome::Failed(self.reader.with_remarks(&format!("printed nothing of {}", section.name)))
            }
            _ => Outcome::Answered,
        }
    }
}

impl<D> Reader<D> {
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

/// The file in `Error: 'FILE': No such file`, `Error: FILE: Failed to read file's magic number`, and
/// `FILE: file format not recognized`.
fn file_of(words: &[u8]) -> Option<&[u8]> {
    let rest = words.strip_prefix(b"Error: ").unwrap_or(words);
    let (rest, end) = match rest.strip_prefix(b"'") {
        Some(quoted) => (quoted, memchr::memchr(b'\'', quoted)?),
        None => (rest, memchr::memmem::find(rest, b": ")?),
    };
    Some(&rest[..end])
}

/// The first section of this name that had no heading yet: several of one name come in the order of the section
/// header table. Or the last, for a tool that shows no other. Compressed sections go by either name.
fn find_section(sections: &[Section], name: &[u8], seen: &[usize], is_last: bool) -> Option<usize> {
    let find = |wanted: &dyn Fn(&Section) -> bool| {
        let is_it = |index: &usize| {
            let section = &sections[*index];
            section.kind.has_entries() && wanted(section) && !seen.contains(index)
        };
        let mut candidates = 0..sections.len();
        if is_last { candidates.rfind(is_it) } else { candidates.find(is_it) }
    };
    let debug = |name: &[u8]| name == b".debug_frame" || name == b".zdebug_frame";
    find(&|section| section.name.as_bytes() == name)
        .or_else(|| find(&|section| debug(name) && section.kind == SectionKind::DebugFrame))
}
