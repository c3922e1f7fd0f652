//! A section made to order: its bytes, and the entries that they were written to be.
//!
//! The entries come from the description, never from reading the bytes, so that a mistake of a reader cannot
//! hide in them.

use std::fmt;

use cfidiff_model::{
    Address, Bases, Case, Entry, EntryKind, Fde, Format, Instruction, Rows, Section, SectionKind,
    SectionOffset, Target,
};

use crate::augmentation::{cie_data, cie_meaning, fde_data, pointer};
use crate::pointer::{INDIRECT, OMIT, fits};
use crate::program::Factors;
use crate::{
    CieSpec, FdeSpec, Padding, Places, Program, Record, Reference, Referent, Splice, Unwritable, Writer,
};

/// A `.eh_frame` or `.debug_frame` section as it is to be written.
#[derive(Clone, Debug)]
pub struct SectionSpec {
    /// Which rules apply.
    pub kind: SectionKind,
    /// How numbers are written.
    pub target: Target,
    /// The address of the first byte.
    pub address: Address,
    /// What encoded pointers count from.
    pub bases: Bases,
    /// Whether ids and CIE pointers of the 64-bit format take eight bytes in `.eh_frame` as well. LSB gives them
    /// four, some tools read eight.
    pub wide_ids: bool,
    /// The records in order.
    pub records: Vec<Record>,
}

/// A section that was written.
#[derive(Clone, Debug)]
pub struct Built {
    /// The section's contents.
    pub data: Vec<u8>,
    /// The CIEs, FDEs and terminators in order. Rows are those that the description gives.
    pub entries: Vec<Entry>,
    /// The fields that depend on addresses, by place. In a relocatable object they are left to relocations.
    pub references: Vec<Reference>,
    /// Whether every byte follows from the entries: false once the description holds a false length, id or CIE
    /// pointer, a splice, or bytes as they are. A reader need not give the entries of an ill-formed section.
    pub well_formed: bool,
}

/// Why a section cannot be written as described.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildError {
    /// The index of the record concerned.
    pub record: usize,
    /// What is wrong with it.
    pub cause: Unwritable,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}: {}", self.record, self.cause)
    }
}

impl std::error::Error for BuildError {}

impl SectionSpec {
    /// Writes the section.
    pub fn build(&self) -> Result<Built, BuildError> {
        let mut builder = Builder {
            spec: self,
            to: Writer::new(self.target.endianness),
            built: Built { data: Vec::new(), entries: Vec::new(), references: Vec::new(), well_formed: true },
            offsets: Vec::with_capacity(self.records.len()),
            cie_pointers: Vec::new(),
        };
        for (record, spec) in self.records.iter().enumerate() {
            builder.record(spec).map_err(|cause| BuildError { record, cause })?;
        }
        builder.settle_cie_pointers()?;
        builder.built.references = builder.to.take_references();
        builder.built.data = builder.to.into_bytes();
        Ok(builder.built)
    }

    /// The written section as a case of its own, in memory, under the name given.
    pub fn case(&self, name: &str, built: &Built) -> Case {
        let section = Section {
            kind: self.kind,
            name: self.kind.name().to_owned(),
            index: None,
            section_type: 0,
            address: self.address,
            file_offset: None,
            data: built.data.clone(),
            bases: self.bases,
            faults: Vec::new(),
        };
        let (name, target) = (name.to_owned(), self.target);
        Case { name, path: None, member: None, target, sections: vec![section], notes: Vec::new() }
    }

    fn cie(&self, index: usize) -> Result<&CieSpec, Unwritable> {
        match self.records.get(index) {
            Some(Record::Cie(cie)) => Ok(cie),
            _ => Err(Unwritable::NoCie(index)),
        }
    }

    fn id_width(&self, format: Format) -> u8 {
        let wide = self.kind == SectionKind::DebugFrame || self.wide_ids;
        if format == Format::Dwarf64 && wide { 8 } else { 4 }
    }

    fn places(&self, cie: &CieSpec) -> Places {
        let address_size = self.address_size(cie);
        Places { section: self.address, bases: self.bases, function: None, address_size }
    }

    fn address_size(&self, cie: &CieSpec) -> u8 {
        let own = if cie.version >= 4 { cie.address_size } else { None };
        own.unwrap_or(self.target.class.address_size())
    }
}

/// A CIE pointer whose value waits for the place of its CIE.
struct CiePointer {
    record: usize,
    entry: usize,
    field: usize,
    width: u8,
    cie: usize,
    false_value: Option<u64>,
}

struct Builder<'s> {
    spec: &'s SectionSpec,
    to: Writer,
    built: Built,
    /// Where each record starts.
    offsets: Vec<usize>,
    cie_pointers: Vec<CiePointer>,
}

/// The length field of a record under construction.
struct Open {
    field: usize,
    /// The first byte that the length counts.
    start: usize,
    format: Format,
}

impl Builder<'_> {
    fn record(&mut self, record: &Record) -> Result<(), Unwritable> {
        self.offsets.push(self.to.len());
        match record {
            Record::Cie(cie) => self.cie(cie),
            Record::Fde(fde) => self.fde(fde),
            Record::Terminator => {
                let mut entry = Entry::default();
                entry.reset(SectionOffset(self.to.len() as u64));
                self.built.entries.push(entry);
                self.to.u32(0);
                Ok(())
            }
            Record::Bytes(bytes) => {
                self.to.bytes(bytes);
                self.built.well_formed = false;
                Ok(())
            }
        }
    }

    fn cie(&mut self, spec: &CieSpec) -> Result<(), Unwritable> {
        let open = self.open(spec.format);
        let width = self.spec.id_width(spec.format);
        let right_id = if self.spec.kind == SectionKind::DebugFrame { u64::MAX } else { 0 };
        self.to.unsigned(spec.false_id.unwrap_or(right_id), width.into());
        self.to.u8(spec.version);
        self.to.bytes(&spec.augmentation);
        self.to.u8(0);
        let places = self.spec.places(spec);
        if spec.version >= 4 {
            self.to.u8(places.address_size);
            self.to.u8(spec.segment_selector_size);
        }
        if spec.augmentation.starts_with(b"eh") {
            self.to.unsigned(spec.eh_data, places.address_size.into());
        }
        self.to.uleb(spec.code_alignment_factor);
        self.to.sleb(spec.data_alignment_factor);
        match (spec.version, u8::try_from(spec.return_address_register)) {
            (1, Ok(register)) => self.to.u8(register),
            (1, Err(_)) => return Err(Unwritable::Fit(spec.return_address_register)),
            _ => self.to.uleb(spec.return_address_register),
        }
        let data = self.augmentation_data(spec.has_augmentation_data(), |to| cie_data(spec, &places, to))?;
        let mut instructions = self.program(&spec.program, spec, &places)?;
        let kind = EntryKind::Cie(Box::new(cie_meaning(spec, &places, data)));
        self.built.well_formed &= spec.false_id.is_none();
        self.pad(&open, spec.padding, &mut instructions);
        self.splice(open.start + usize::from(width), spec.splice.as_ref());
        self.close(open, spec.false_length, kind, instructions, &spec.rows);
        Ok(())
    }

    fn fde(&mut self, spec: &FdeSpec) -> Result<(), Unwritable> {
        let cie = self.spec.cie(spec.cie)?;
        let mut places = self.spec.places(cie);
        let open = self.open(spec.format);
        let width = self.spec.id_width(spec.format);
        self.cie_pointers.push(CiePointer {
            record: self.offsets.len() - 1,
            entry: self.built.entries.len(),
            field: self.to.len(),
            width,
            cie: spec.cie,
            false_value: spec.false_cie_pointer,
        });
        self.to.unsigned(0, width.into());
        let has_segment = cie.version >= 4 && cie.segment_selector_size > 0;
        if has_segment {
            if !fits(spec.segment, cie.segment_selector_size) {
                return Err(Unwritable::Fit(spec.segment));
            }
            self.to.unsigned(spec.segment, cie.segment_selector_size.into());
        }
        let encoding = cie.location_encoding();
        let start = spec.initial_location;
        places.write_reference(&mut self.to, encoding, start, Referent::Code(start))?;
        let range_at = self.to.len();
        places.write_size(&mut self.to, encoding, spec.address_range)?;
        let end = Address(start.0.wrapping_add(spec.address_range));
        let bits = 8 * (self.to.len() - range_at) as u8;
        self.to.refer(range_at, bits, false, Referent::Distance { from: start, to: end, is_range: true });
        places.function = Some(Address(places.wrap(start.0)));
        let data =
            self.augmentation_data(cie.has_augmentation_data(), |to| fde_data(spec, cie, &places, to))?;
        let mut instructions = self.program(&spec.program, cie, &places)?;
        let kind = EntryKind::Fde(Fde {
            cie: None,
            cie_pointer: 0,
            segment: has_segment.then_some(spec.segment),
            initial_location: Address(places.wrap(spec.initial_location.0)),
            indirect: encoding != OMIT && encoding & INDIRECT != 0,
            address_range: spec.address_range,
            augmentation_data: data.into(),
            lsda: if cie.has_lsda() { pointer(spec.lsda, cie.lsda_encoding, &places) } else { None },
        });
        self.built.well_formed &= encoding != OMIT;
        self.pad(&open, spec.padding, &mut instructions);
        self.splice(open.start + usize::from(width), spec.splice.as_ref());
        self.close(open, spec.false_length, kind, instructions, &spec.rows);
        Ok(())
    }

    fn program(
        &mut self,
        program: &Program,
        cie: &CieSpec,
        places: &Places,
    ) -> Result<Vec<Instruction>, Unwritable> {
        let factors = Factors {
            code: cie.code_alignment_factor,
            data: cie.data_alignment_factor,
            set_loc: cie.location_encoding(),
        };
        program.write(&mut self.to, factors, places)
    }

    /// Writes augmentation data behind its length, when the augmentation calls for it, and gives the data. Its
    /// place, from which pcrel pointers count, depends on the size of the length, so that is tried in turn.
    fn augmentation_data(
        &mut self,
        wanted: bool,
        write: impl Fn(&mut Writer) -> Result<(), Unwritable>,
    ) -> Result<Vec<u8>, Unwritable> {
        if !wanted {
            return Ok(Vec::new());
        }
        let start = self.to.len();
        let mut length_size = 1;
        loop {
            self.to.unsigned(0, length_size);
            write(&mut self.to)?;
            let data = self.to.since(start + length_size).to_vec();
            let mut length = self.to.fresh();
            length.uleb_padded(data.len() as u64, length_size);
            if length.len() == length_size {
                self.to.overwrite(start, &length.into_bytes());
                return Ok(data);
            }
            length_size = length.len();
            self.to.truncate(start);
        }
    }

    fn open(&mut self, format: Format) -> Open {
        let field = self.to.len();
        match format {
            Format::Dwarf32 => self.to.u32(0),
            Format::Dwarf64 => {
                self.to.u32(0xffff_ffff);
                self.to.u64(0);
            }
        }
        Open { field, start: self.to.len(), format }
    }

    fn pad(&mut self, open: &Open, padding: Padding, instructions: &mut Vec<Instruction>) {
        let readable = !matches!(instructions.last(), Some(Instruction::Unknown { .. }));
        let mut nops = 0;
        while match padding {
            Padding::Align(align) => !(self.to.len() - open.field).is_multiple_of(align.max(1).into()),
            Padding::Nops(wanted) => nops < wanted,
        } {
            self.to.u8(0);
            nops += 1;
            if readable {
                instructions.push(Instruction::Nop);
            }
        }
    }

    /// Changes bytes of the record, whose bytes behind the id or CIE pointer start at `start`.
    fn splice(&mut self, start: usize, splice: Option<&Splice>) {
        let Some(splice) = splice else { return };
        let mut bytes = self.to.since(start).to_vec();
        let at = splice.at.min(bytes.len());
        let end = at.saturating_add(splice.remove).min(bytes.len());
        bytes.splice(at..end, splice.insert.iter().copied());
        self.to.truncate(start);
        self.to.bytes(&bytes);
        self.built.well_formed = false;
    }

    /// Fills the record's length in and adds its entry.
    fn close(
        &mut self,
        open: Open,
        false_length: Option<u64>,
        kind: EntryKind,
        instructions: Vec<Instruction>,
        rows: &Rows,
    ) {
        let length = (self.to.len() - open.start) as u64;
        let (at, width) = match open.format {
            Format::Dwarf32 => (open.field, 4),
            Format::Dwarf64 => (open.field + 4, 8),
        };
        self.to.patch(at, false_length.unwrap_or(length), width);
        self.built.well_formed &= false_length.is_none();
        self.built.entries.push(Entry {
            offset: SectionOffset(open.field as u64),
            length,
            format: open.format,
            kind,
            instructions,
            rows: rows.clone(),
            faults: Vec::new(),
        });
    }

    /// Fills in the CIE pointers. LSB: in `.eh_frame` they count back from their own field. DWARF 5 section
    /// 6.4.1: in `.debug_frame` they are offsets into the section.
    fn settle_cie_pointers(&mut self) -> Result<(), BuildError> {
        for pointer in &self.cie_pointers {
            let cie = self.offsets[pointer.cie];
            let right = match self.spec.kind {
                SectionKind::DebugFrame => cie as u64,
                _ if pointer.width == 4 => u64::from((pointer.field as u32).wrapping_sub(cie as u32)),
                _ => (pointer.field as u64).wrapping_sub(cie as u64),
            };
            if !fits(right, pointer.width) {
                return Err(BuildError { record: pointer.record, cause: Unwritable::Fit(right) });
            }
            let value = pointer.false_value.unwrap_or(right);
            self.to.patch(pointer.field, value, pointer.width.into());
            self.built.well_formed &= pointer.false_value.is_none();
            if self.spec.kind == SectionKind::DebugFrame && pointer.false_value.is_none() {
                let to = Referent::Record(SectionOffset(cie as u64));
                self.to.refer(pointer.field, 8 * pointer.width, false, to);
            }
            if let EntryKind::Fde(fde) = &mut self.built.entries[pointer.entry].kind {
                fde.cie = Some(SectionOffset(cie as u64));
                fde.cie_pointer = right;
            }
        }
        Ok(())
    }
}
