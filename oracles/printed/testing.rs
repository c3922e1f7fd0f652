//! What the tests of dialects share: a case without a file, and a sink that keeps everything.

use std::collections::{HashMap, VecDeque};

use cfidiff_model::{
    Address, Bases, Case, Class, Endianness, Entry, Machine, Outcome, Says, Section, SectionKind, Sink,
    Target,
};
use proptest::prelude::*;

use super::Dialect;
use super::stream::Stream;

/// Keeps everything and checks that each call comes when it may.
#[derive(Default)]
pub(crate) struct Kept {
    open: Option<(usize, usize)>,
    /// By case and section.
    pub(crate) entries: HashMap<(usize, usize), Vec<Entry>>,
    pub(crate) sections: HashMap<(usize, usize), Outcome>,
    pub(crate) cases: HashMap<usize, Outcome>,
}

impl Kept {
    /// The offsets of a section's entries, in the order in which they came.
    pub(crate) fn offsets(&self, case: usize, section: usize) -> Vec<u64> {
        self.entries[&(case, section)].iter().map(|entry| entry.offset.0).collect()
    }

    /// Whether everything that was begun was ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.open.is_none()
    }
}

impl Sink for Kept {
    fn section(&mut self, case: usize, section: usize, _says: Says) {
        assert_eq!(self.open, None);
        assert!(!self.cases.contains_key(&case) && !self.sections.contains_key(&(case, section)));
        self.open = Some((case, section));
        self.entries.insert((case, section), Vec::new());
    }
    fn entry(&mut self, entry: &Entry) {
        let open = self.open.expect("an open section");
        self.entries.entry(open).or_default().push(entry.clone());
    }
    fn end_section(&mut self, outcome: Outcome) {
        let open = self.open.take().expect("an open section");
        self.sections.insert(open, outcome);
    }
    fn end_case(&mut self, case: usize, outcome: Outcome) {
        assert_eq!(self.open, None);
        assert_eq!(self.cases.insert(case, outcome), None, "case {case} ends twice");
    }
}

/// A case of x86-64 with `.eh_frame` at 0x2000 and `.debug_frame`.
pub(crate) fn case() -> Case {
    let section = |kind: SectionKind| Section {
        kind,
        name: kind.name().to_owned(),
        index: None,
        section_type: 0,
        address: Address(0x2000),
        file_offset: None,
        data: vec![0; 0x80],
        bases: Bases::default(),
        faults: Vec::new(),
    };
    Case {
        name: "a case".to_owned(),
        path: None,
        member: None,
        target: Target {
            machine: Machine::X86_64,
            class: Class::Elf64,
            endianness: Endianness::Little,
            relocatable: false,
        },
        sections: vec![section(SectionKind::EhFrame), section(SectionKind::DebugFrame)],
        notes: Vec::new(),
    }
}

/// Parses text as the output on one file, in chunks of a size.
pub(crate) fn parse<D: Dialect>(dialect: D, text: &[u8], size: usize) -> Kept {
    let cases = [case()];
    let mut kept = Kept::default();
    let mut stream = Stream::new(&cases, &mut kept, Says::all(), dialect, HashMap::new());
    stream.start_in(0, None);
    for chunk in text.chunks(size) {
        if stream.feed(chunk).is_break() {
            break;
        }
    }
    stream.finish();
    kept
}

/// Parses text as the output on several files of these names, one case each.
pub(crate) fn parse_files<D: Dialect>(dialect: D, text: &str, names: &[&str]) -> Kept {
    let cases: Vec<Case> = names.iter().map(|_| case()).collect();
    let mut expected: HashMap<Vec<u8>, VecDeque<usize>> = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        expected.entry(name.as_bytes().to_vec()).or_default().push_back(index);
    }
    let mut kept = Kept::default();
    let mut stream = Stream::new(&cases, &mut kept, Says::all(), dialect, expected);
    assert!(stream.feed(text.as_bytes()).is_continue());
    stream.finish();
    kept
}

/// Lines that pass for the output that `real` is, to get deeper than random bytes do.
pub(crate) fn lines_like(real: &'static str) -> impl Strategy<Value = Vec<Vec<u8>>> {
    let known = proptest::sample::select(real.lines().collect::<Vec<_>>());
    let line = prop_oneof![
        4 => known.clone().prop_map(|line| line.as_bytes().to_vec()),
        2 => (known, any::<proptest::sample::Index>(), any::<u8>()).prop_map(|(line, at, byte)| {
            let mut line = line.as_bytes().to_vec();
            if !line.is_empty() {
                let at = at.index(line.len());
                line[at] = byte;
            }
            line
        }),
        1 => proptest::collection::vec(any::<u8>(), 0..80),
    ];
    proptest::collection::vec(line, 0..60)
}
