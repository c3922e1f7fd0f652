//! What a reader has to answer on a case of the suite.

use cfidiff_model::{Address, Bases, Entry, EntryKind, FaultKind, Format, SectionKind, SectionOffset};

use crate::suite::Damage;
use crate::{Compression, HeaderSpec};

/// The names in JSON of a CIE's fields, in the order in which they stand in the record.
const CIE_FIELDS: &[&str] = &[
    "version",
    "augmentation",
    "address_size",
    "segment_selector_size",
    "code_alignment_factor",
    "data_alignment_factor",
    "return_address_register",
    "augmentation_data",
    "fde_encoding",
    "lsda_encoding",
    "personality_encoding",
    "personality",
    "signal_frame",
    "b_key",
    "mte_tagged",
    "instructions",
    "rows",
];

/// The same of an FDE.
const FDE_FIELDS: &[&str] = &[
    "cie_pointer",
    "cie",
    "segment",
    "initial_location",
    "indirect",
    "address_range",
    "augmentation_data",
    "lsda",
    "instructions",
    "rows",
];

/// A case of the suite: a file, and what a reader has to make of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// `topic/name`.
    pub name: String,
    /// What it exercises, in one sentence.
    pub about: String,
    /// The clauses of the specifications that decide it.
    pub clause: String,
    /// Public bugs that it would have caught, for instance `gimli PR 401`.
    pub catches: Vec<&'static str>,
    /// The corruption that the file has, when it has one of those with a name.
    pub damage: Option<Damage>,
    /// How the file's numbers are written.
    pub target: cfidiff_model::Target,
    /// The file: ELF.
    pub file: Vec<u8>,
    /// The readings that are accepted, with reasons, where the specifications leave it open; else empty.
    pub readings: Vec<Reading>,
    /// The sections with entries, in the order of the section header table.
    pub sections: Vec<Answer>,
    /// The `.eh_frame_hdr`, when there is one that a reader has to read.
    pub header: Option<HeaderAnswer>,
    /// Frames whose registers are known, with what their rows give for them.
    pub frames: Vec<FrameAnswer>,
}

/// What the row at an address of the last frame section gives for known registers.
#[derive(Clone, Debug)]
pub struct FrameAnswer {
    /// The address.
    pub address: Address,
    /// The values of registers by number.
    pub registers: Vec<(u64, u64)>,
    /// The words in memory by address.
    pub memory: Vec<(u64, u64)>,
    /// The CFA.
    pub cfa: u64,
    /// The addresses at which registers of the caller are saved, by register.
    pub saved: Vec<(u64, u64)>,
    /// The values of registers of the caller that follow from this frame alone, by register.
    pub values: Vec<(u64, u64)>,
}

/// One way to read a case, of several that the specifications allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// What the expected entries of this reading refer to.
    pub name: &'static str,
    /// Who reads it so, and by which words.
    pub why: &'static str,
}

/// Who has to give an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A program that lists a section: it goes on behind a zero terminator.
    Dumper,
    /// A run-time unwinder: for it a zero terminator is the end.
    Unwinder,
}

impl Role {
    /// The role's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Role::Dumper => "dumper",
            Role::Unwinder => "unwinder",
        }
    }
}

/// The entries of one section.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Which rules apply.
    pub kind: SectionKind,
    /// The section's name.
    pub name: String,
    /// The index in the section header table; zero when there is no such table.
    pub index: u32,
    /// The address of the first byte.
    pub address: Address,
    /// Where in the file the contents start.
    pub file_offset: u64,
    /// The size of the contents in bytes, as the file holds them.
    pub size: u64,
    /// What encoded pointers count from.
    pub bases: Bases,
    /// How the file holds the contents, when they are compressed.
    pub compression: Option<Compression>,
    /// Whether relocations have to be applied to the contents first.
    pub relocated: bool,
    /// What is expected, in the order of the records.
    pub entries: Vec<Expected>,
}

/// An entry as a reader has to give it.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The entry. Its faults are told by `faults`.
    pub entry: Entry,
    /// The kinds of fault that the record has, in any order.
    pub faults: Vec<FaultKind>,
    /// The fields that are left to the reader, by their names in JSON.
    pub free: Vec<&'static str>,
    /// Who has to give it; `None` for everybody.
    pub role: Option<Role>,
    /// The reading that it belongs to; `None` for all.
    pub reading: Option<&'static str>,
}

impl Expected {
    /// An entry that everybody has to give in full.
    pub fn whole(entry: Entry) -> Expected {
        Expected { entry, faults: Vec::new(), free: Vec::new(), role: None, reading: None }
    }

    /// A record that cannot be told to be a CIE or an FDE, for this fault. `length` is the value of its length
    /// field, or zero when that is not known.
    pub(crate) fn unreadable(offset: u64, format: Format, length: u64, fault: FaultKind) -> Expected {
        let offset = SectionOffset(offset);
        let entry = Entry { offset, length, format, kind: EntryKind::Unreadable, ..Entry::default() };
        Expected::whole(entry).faults(&[fault])
    }

    /// An FDE whose CIE pointer has this value, which for this fault leads to no CIE: nothing behind the pointer
    /// can be read.
    pub(crate) fn without_cie(mut self, pointer: u64, fault: FaultKind) -> Expected {
        if let EntryKind::Fde(fde) = &mut self.entry.kind {
            (fde.cie, fde.cie_pointer) = (None, pointer);
        }
        self.faults(&[fault]).free_from("segment")
    }

    /// An FDE whose CIE could not be read itself: nothing behind the CIE pointer can be.
    pub(crate) fn of_unreadable_cie(self) -> Expected {
        self.faults(&[FaultKind::CieUnreadable]).free_from("segment")
    }

    /// The first byte behind the record.
    pub(crate) fn end(&self) -> u64 {
        self.entry.offset.0 + self.entry.format.length_size() + self.entry.length
    }

    /// Leaves a field to the reader and all that stand behind it in the record, instructions and rows included.
    pub(crate) fn free_from(mut self, field: &str) -> Expected {
        let fields = if matches!(self.entry.kind, EntryKind::Cie(_)) { CIE_FIELDS } else { FDE_FIELDS };
        self.free.extend(fields.iter().skip_while(|name| **name != field));
        self
    }

    /// Leaves fields to the reader.
    pub(crate) fn free(mut self, fields: &[&'static str]) -> Expected {
        self.free.extend_from_slice(fields);
        self
    }

    /// Names the faults that have to be reported.
    pub(crate) fn faults(mut self, faults: &[FaultKind]) -> Expected {
        self.faults.extend_from_slice(faults);
        self
    }

    /// Makes the entry one of a reading.
    pub(crate) fn reading(mut self, name: &'static str) -> Expected {
        self.reading = Some(name);
        self
    }

    /// Makes the entry one for a role.
    pub(crate) fn only(mut self, role: Role) -> Expected {
        self.role = Some(role);
        self
    }
}

/// A `.eh_frame_hdr` as a reader has to read it.
#[derive(Clone, Debug)]
pub struct HeaderAnswer {
    /// The header, from which its fields follow.
    pub spec: HeaderSpec,
    /// The index in the section header table.
    pub index: u32,
    /// Where in the file the contents start.
    pub file_offset: u64,
    /// The size of the contents in bytes.
    pub size: u64,
    /// The kinds of fault that the header or its table has.
    pub faults: Vec<FaultKind>,
    /// The fields that are left to the reader, by their names in JSON.
    pub free: Vec<&'static str>,
}

impl HeaderAnswer {
    /// A header that everybody has to give in full.
    pub(crate) fn whole(spec: HeaderSpec, index: u32) -> HeaderAnswer {
        HeaderAnswer { spec, index, file_offset: 0, size: 0, faults: Vec::new(), free: Vec::new() }
    }

    /// Leaves fields to the reader.
    pub(crate) fn free(mut self, fields: &[&'static str]) -> HeaderAnswer {
        self.free.extend_from_slice(fields);
        self
    }

    /// Names the faults that have to be reported.
    pub(crate) fn faults(mut self, faults: &[FaultKind]) -> HeaderAnswer {
        self.faults.extend_from_slice(faults);
        self
    }
}
