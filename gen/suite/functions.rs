//! Functions under one CIE, their rows written down beside the instructions that make them.

use cfidiff_model::{Address, CfaRule, FaultKind, RegisterRule, Rows, SectionKind};

use crate::suite::Reading;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, HEADER, TEXT, TEXT_SIZE};
use crate::suite::rows::{Listing, initial_row};
use crate::{CieSpec, FdeSpec, Padding, Program, Record};

/// A row: the bytes behind the function's start, the CFA, and the rules that the CIE does not give already.
pub(crate) type Line<'a> = (u64, CfaRule, &'a [(u64, RegisterRule)]);

/// What becomes of a row that covers no byte, since the next one starts at its own location. Our reader keeps it.
pub(crate) const EMPTY_ROWS: [Reading; 2] = [
    Reading {
        name: "empty-rows",
        why: "DWARF 5 section 6.4.3: each instruction that moves the location makes a row, also by nothing",
    },
    Reading {
        name: "no-empty-rows",
        why: "DWARF 5 section 6.4.1: a row holds for the addresses from its own up to the next one's: for none here",
    },
];

/// The records of a section under construction: a CIE, and functions one behind the other.
pub(crate) struct Functions {
    machine: Convention,
    kind: SectionKind,
    records: Vec<Record>,
    /// The rules that the CIE's instructions set.
    initial: Vec<(u64, RegisterRule)>,
    /// Where the next function starts.
    next: u64,
    faulty: Vec<Faulty>,
    others: Vec<Other>,
}

/// A record with faults.
struct Faulty {
    record: usize,
    faults: Vec<FaultKind>,
    free: &'static [&'static str],
}

/// Rows that are accepted as well.
struct Other {
    record: usize,
    readings: [Reading; 2],
    rows: Rows,
}

impl Functions {
    /// No function so far, and the machine's usual CIE for a section of this kind.
    pub fn new(machine: &Convention, kind: SectionKind) -> Functions {
        let cie = match kind {
            SectionKind::DebugFrame => machine.debug_frame_cie(),
            _ => machine.eh_frame_cie(),
        };
        let initial = machine.entry_rules();
        let (next, faulty, others) = (TEXT + 0x10, Vec::new(), Vec::new());
        Functions { machine: *machine, kind, records: vec![Record::Cie(cie)], initial, next, faulty, others }
    }

    /// The same for `.eh_frame`.
    pub fn eh_frame(machine: &Convention) -> Functions {
        Functions::new(machine, SectionKind::EhFrame)
    }

    /// Changes the CIE, which has to keep its rows.
    pub fn cie(mut self, change: impl FnOnce(CieSpec) -> CieSpec) -> Functions {
        if let Some(Record::Cie(cie)) = self.records.first_mut() {
            *cie = change(cie.clone());
        }
        self
    }

    /// Gives the CIE other instructions, and the row that they set.
    pub fn initial(mut self, program: Program, cfa: CfaRule, rules: &[(u64, RegisterRule)]) -> Functions {
        self.initial = rules.to_vec();
        self.cie(|cie| CieSpec { program, rows: initial_row(cfa, rules), ..cie })
    }

    /// Tells the faults of the CIE, and what of it is left to the reader.
    pub fn faulty_cie(mut self, faults: &[FaultKind], free: &'static [&'static str]) -> Functions {
        self.faulty.push(Faulty { record: 0, faults: faults.to_vec(), free });
        self
    }

    /// Lets the next function start at this address.
    pub fn at(mut self, start: u64) -> Functions {
        self.next = start;
        self
    }

    /// Adds a function of this many bytes behind the one before.
    pub fn function(mut self, size: u64, program: Program, lines: &[Line]) -> Functions {
        let rows = self.rows(self.next, size, lines);
        let fde = FdeSpec::new(0, Address(self.next), size, program);
        self.records.push(Record::Fde(FdeSpec { rows, ..fde }));
        self.next = self.next.wrapping_add(size + 15) & !15;
        self
    }

    fn rows(&self, start: u64, size: u64, lines: &[Line]) -> Rows {
        let mut rows = Listing::new(start, start.wrapping_add(size));
        for (from, cfa, own) in lines {
            let inherited = self.initial.iter().filter(|given| own.iter().all(|rule| rule.0 != given.0));
            let rules: Vec<_> = inherited.chain(*own).cloned().collect();
            rows = rows.row(*from, cfa.clone(), &rules);
        }
        rows.done()
    }

    /// Gives the last function the rows of a second reading. Its rows so far are those of the first one.
    pub fn or(mut self, readings: [Reading; 2], lines: &[Line]) -> Functions {
        if let Some(Record::Fde(fde)) = self.records.last() {
            let rows = self.rows(fde.initial_location.0, fde.address_range, lines);
            self.others.push(Other { record: self.records.len() - 1, readings, rows });
        }
        self
    }

    /// Adds a function with faults whose rows are left to the reader.
    pub fn broken(mut self, size: u64, program: Program, faults: &[FaultKind]) -> Functions {
        self = self.function(size, program, &[]);
        self.faulty.push(Faulty { record: self.records.len() - 1, faults: faults.to_vec(), free: &["rows"] });
        self
    }

    /// The same for a program that is cut off by the end of the record.
    pub fn cut_off(mut self, size: u64, program: Program, faults: &[FaultKind]) -> Functions {
        self = self.broken(size, program, faults);
        if let Some(Record::Fde(fde)) = self.records.last_mut() {
            fde.padding = Padding::Nops(0);
        }
        self
    }

    /// Adds an ordinary function of 32 bytes, which shows that the rest is read as if nothing had been. For a CIE
    /// with the machine's factors and usual instructions.
    pub fn usual(mut self) -> Functions {
        self.records.push(Record::Fde(self.machine.function(0, self.next, 0x20)));
        self.next += 0x20;
        self
    }

    /// Adds a record of another kind, or a function of another CIE.
    pub fn record(mut self, record: Record) -> Functions {
        self.records.push(record);
        self
    }

    /// Adds the section to a file, in `.eh_frame` with a terminator.
    pub fn add_to(mut self, mut draft: Draft) -> Draft {
        if (TEXT + TEXT_SIZE + 1..=HEADER).contains(&self.next) {
            draft = draft.text(TEXT, self.next - TEXT);
        }
        draft = match self.kind {
            SectionKind::DebugFrame => draft.debug_frame(self.records),
            _ => {
                self.records.push(Record::Terminator);
                draft.eh_frame(self.records)
            }
        };
        for Faulty { record, faults, free } in self.faulty {
            draft = draft.entry(record, |entry| entry.faults(&faults).free(free));
        }
        for reading in self.others.first().iter().flat_map(|other| other.readings) {
            draft = draft.reading(reading.name, reading.why);
        }
        // From the last one on, so that the indices of those before stay right.
        for Other { record, readings: [first, second], rows } in self.others.into_iter().rev() {
            draft = draft.answer(|entries| {
                let mut other = entries[record].clone().reading(second.name);
                other.entry.rows = rows;
                entries[record].reading = Some(first.name);
                entries.insert(record + 1, other);
            });
        }
        draft
    }
}
