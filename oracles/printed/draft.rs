//! The record that a dialect is reading, and what goes wrong in its section.

use cfidiff_model::{Bytes, Entry, EntryKind, Fault, FaultKind, Outcome, Section, SectionOffset};

/// How many faults are kept of one record.
const FAULTS: usize = 32;
/// How many bytes of a line are kept as words of a fault.
const WORDS: usize = 300;

/// The record at hand. It lives as long as the process does, so that its storage is reused.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) entry: Entry,
    /// Whether `entry` is of a record whose lines are still coming.
    open: bool,
    /// The size of the section. No record has more instructions or rows, no section more records, and a tool
    /// that prints more must not fill the memory.
    most: usize,
    records: usize,
    /// Why the rest of the section cannot be relied on.
    broken: Option<String>,
}

impl Draft {
    /// Begins a section.
    pub(crate) fn begin(&mut self, section: &Section) {
        self.open = false;
        self.most = section.data.len();
        self.records = 0;
        self.broken = None;
    }

    /// Whether lines of a record are coming.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Whether the rest of the section cannot be relied on.
    #[inline]
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Begins a record, and hands over the one before.
    pub(crate) fn start(
        &mut self,
        offset: SectionOffset,
        length: u64,
        kind: EntryKind,
        deliver: &mut dyn FnMut(&Entry),
    ) {
        self.flush(deliver);
        self.records += 1;
        // One record may be read in a section that is empty for all we know.
        if self.records > self.most.max(1) {
            self.fail("more records than the section has bytes");
            return;
        }
        self.open = true;
        self.entry.reset(offset);
        self.entry.length = length;
        self.entry.kind = kind;
    }

    /// Hands over the record, which is whole.
    pub(crate) fn flush(&mut self, deliver: &mut dyn FnMut(&Entry)) {
        if self.open {
            deliver(&self.entry);
        }
        self.open = false;
    }

    /// Breaks off when the record has more than its section can hold.
    #[inline]
    pub(crate) fn check_amount(&mut self) {
        if self.entry.instructions.len().max(self.entry.rows.len()) > self.most.max(1) {
            self.fail("more instructions or rows than the section has bytes");
        }
    }

    /// Adds what the tool says against the record.
    #[cold]
    pub(crate) fn fault(&mut self, words: &[u8]) {
        if self.entry.faults.len() < FAULTS {
            let expected = shortened(words.trim_ascii()).into();
            let (offset, bytes) = (self.entry.offset, Bytes::new());
            self.entry.faults.push(Fault { offset, bytes, kind: FaultKind::Reported, expected });
        }
    }

    /// Gives up the rest of the section; the first reason counts.
    pub(crate) fn fail(&mut self, why: &str) {
        self.broken.get_or_insert_with(|| why.to_owned());
    }

    /// Gives up at a line that cannot be parsed.
    pub(crate) fn give_up(&mut self, line: &[u8]) {
        self.fail(&format!("cannot parse line {:?}", shortened(line)));
    }

    /// Ends the section, whose last record is whole or not.
    pub(crate) fn end(&mut self, complete: bool, deliver: &mut dyn FnMut(&Entry)) -> Outcome {
        if complete {
            self.flush(deliver);
        }
        self.open = false;
        self.broken.take().map_or(Outcome::Answered, Outcome::Failed)
    }
}

/// The start of what a tool says, as text.
pub(crate) fn shortened(words: &[u8]) -> String {
    String::from_utf8_lossy(&words[..words.len().min(WORDS)]).into_owned()
}
