//! A reader that lists the records of a section.

use std::error::Error;

use cfidiff_model::{Bytes, Entry, EntryKind, Fault, FaultKind, Says, SectionOffset};

use crate::harness::Section;

/// A reader under test that lists the records of a section, with as much of each as it can say.
pub trait Reader: Send + Sync + 'static {
    /// The name, for the list of expected findings.
    fn name(&self) -> &str;

    /// The version, for the ranges in the list of expected findings. To be given when the reader is another crate; one's
    /// own has the version that it has.
    fn version(&self) -> &str {
        ""
    }

    /// What it says of this section. Only that is compared; [`Says::RECORDS`] always is. A section of which it says
    /// nothing ([`Says::empty`]) is passed over. Without [`Says::PAST_TERMINATOR`] it has to stop at a zero terminator in
    /// `.eh_frame`, as a run-time unwinder does.
    fn says(&self, section: &Section<'_>) -> Says;

    /// Reads the section, and hands over its records in their order. Offsets and lengths are in bytes, and so are the
    /// operands of instructions and rules: multiplied by their factors.
    ///
    /// An error ends the section: it is right for a reader that stops at a broken record, and tells of all others that
    /// they were not read. A panic counts as an error.
    fn read(&self, section: &Section<'_>, entries: &mut Entries) -> Result<(), Box<dyn Error>>;
}

/// Where a reader's answer on a section goes.
#[derive(Debug)]
pub struct Entries {
    list: Vec<Entry>,
    /// How many there may be: a record has at least one byte.
    limit: usize,
}

impl Entries {
    pub(super) fn new(limit: usize) -> Entries {
        Entries { list: Vec::new(), limit }
    }

    pub(super) fn into_list(self) -> Vec<Entry> {
        self.list
    }

    /// Adds a record. Only what the reader says it says has to be filled in, beside offset, length and kind.
    ///
    /// # Panics
    ///
    /// When there are more records than bytes, so that a reader that goes in circles comes to an end.
    pub fn push(&mut self, entry: Entry) {
        assert!(self.list.len() < self.limit, "gave more records than the section has bytes");
        self.list.push(entry);
    }

    /// Adds a record that the reader refuses: nothing else of it is compared.
    ///
    /// # Panics
    ///
    /// As [`Entries::push`].
    pub fn refuse(&mut self, offset: u64, why: impl ToString) {
        let offset = SectionOffset(offset);
        let expected = why.to_string().into();
        let fault = Fault { offset, bytes: Bytes::new(), kind: FaultKind::Reported, expected };
        self.push(Entry { offset, kind: EntryKind::Unreadable, faults: vec![fault], ..Entry::default() });
    }
}
