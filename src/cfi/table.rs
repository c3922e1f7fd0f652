//! A section's records by number and by offset, each given in the model's form on demand.

use std::borrow::Cow;
use std::ops::ControlFlow;

use cfidiff_model::{
    Address, Bytes, CfaRule, Entry, EntryKind, Expression, Fault, FaultKind, RegisterRule, Says,
    SectionOffset,
};

use crate::cie::Cie;
use crate::cies::Cies;
use crate::expression::decode;
use crate::fde::Fde;
use crate::lister::Lister;
use crate::look_up::Covered;
use crate::program::{Block, Program, Progress};
use crate::reader::Standard;
use crate::reader::{Reader, Record, RecordKind};
use crate::row_machine::{Cfa, RowContext, Rule};
use crate::semantics::Semantics;

/// How many rules, rows and bytes of expressions of one FDE are kept in an [`Entry`]; beyond it the rows end
/// with a fault. The largest FDEs of real files have some thousands. Short records keep less, see
/// [`KEPT_PER_BYTE`].
pub const MAX_KEPT_RULES: usize = 1 << 20;

/// How many of those a record of so many bytes keeps. A row costs the record a byte or more, but it repeats
/// all rules in force, those of the CIE included: without this bound, filling many small FDEs of one large CIE
/// would take time quadratic in the section's size. It lets each byte have a row of more rules than fit
/// ([`MAX_EXTRA_RULES`](crate::MAX_EXTRA_RULES) and those kept in an array).
const KEPT_PER_BYTE: usize = 1024;

/// How many faults of one record are kept.
pub(crate) const MAX_FAULTS: usize = 16;

/// All records of one section, found once, read again in the model's form as they are asked for.
pub struct Table<'a, S: Semantics + ?Sized = Standard> {
    pub(crate) reader: Reader<'a, S>,
    starts: Vec<u32>,
    cies: Cies<'a>,
    context: RowContext,
    /// The faults that came with the section, by offset.
    section_faults: Vec<Fault>,
    /// The FDEs by address, once an address was looked up.
    pub(crate) by_address: Option<Vec<Covered>>,
}

impl<'a, S: Semantics + ?Sized> Table<'a, S> {
    /// Walks the section and keeps where its records are.
    pub fn new(reader: Reader<'a, S>) -> Table<'a, S> {
        let mut walk = reader.walk();
        let starts = walk.by_ref().map(|record| record.offset as u32).collect();
        let mut section_faults = reader.section.faults.clone();
        section_faults.sort_by_key(|fault| fault.offset);
        Table {
            reader,
            starts,
            cies: walk.into_cies(),
            context: RowContext::default(),
            section_faults,
            by_address: None,
        }
    }

    /// How many records the section has, terminators and unreadable ones included.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether the section is empty.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The offset of a record.
    pub fn offset(&self, index: usize) -> Option<SectionOffset> {
        self.starts.get(index).map(|&start| SectionOffset(u64::from(start)))
    }

    /// The number of the record at exactly this offset.
    pub fn index_of(&self, offset: SectionOffset) -> Option<usize> {
        let offset = u32::try_from(offset.0).ok()?;
        self.starts.binary_search(&offset).ok()
    }

    /// The record with this number.
    pub fn record(&mut self, index: usize) -> Option<Record<'a>> {
        let start = *self.starts.get(index)?;
        Some(self.reader.record(start as usize, &mut self.cies))
    }

    /// The CIE at a place that a record gives.
    pub fn cie(&self, place: usize) -> Option<&Cie<'a>> {
        self.cies.get(place)
    }

    /// The offsets of all CIEs, ascending.
    pub fn cie_offsets(&self) -> impl Iterator<Item = SectionOffset> {
        self.cies.offsets().map(|offset| SectionOffset(offset as u64))
    }

    /// Fills `entry` with the record of this number: its fields always, its instructions and rows as `says`
    /// asks. Returns `false` when there is no such record.
    pub fn fill(&mut self, index: usize, says: Says, entry: &mut Entry) -> bool {
        let Some(record) = self.record(index) else { return false };
        entry.reset(SectionOffset(record.offset as u64));
        entry.length = record.length;
        entry.format = record.format;
        match record.kind {
            RecordKind::Terminator => entry.kind = EntryKind::Terminator,
            RecordKind::Unreadable(fault) => {
                entry.kind = EntryKind::Unreadable;
                entry.faults.push(*fault);
            }
            RecordKind::Cie(place) => self.fill_cie(place, says, entry),
            RecordKind::Fde(fde) => self.fill_fde(&fde, record.end, says, entry),
        }
        self.add_section_faults(record.offset, record.end, entry);
        entry.faults.truncate(MAX_FAULTS);
        true
    }

    /// Where the instructions of a record start, in bytes from the section's start: one place for each instruction
    /// that [`Table::fill`] lists, and one more when a last one cannot be decoded.
    pub fn instruction_places(&mut self, index: usize) -> Vec<usize> {
        let Some(record) = self.record(index) else { return Vec::new() };
        let (cie, function, start) = match &record.kind {
            RecordKind::Cie(place) => {
                let cie = self.cies.get(*place);
                (cie, None, cie.map_or(record.end, |cie| cie.instructions))
            }
            RecordKind::Fde(fde) => {
                let cie = fde.cie.and_then(|place| self.cies.get(place));
                (cie, Some(fde.initial_location), fde.instructions)
            }
            RecordKind::Terminator | RecordKind::Unreadable(_) => return Vec::new(),
        };
        let Some(cie) = cie.filter(|cie| cie.usable) else { return Vec::new() };
        let (mut list, mut faults) = (Vec::new(), Vec::new());
        let program = Program { reader: &self.reader, cie, function };
        let mut lister: Lister<'_, '_, S, true> = Lister {
            reader: program.reader,
            address_size: cie.address_size,
            list: &mut list,
            faults: &mut faults,
            places: Vec::new(),
        };
        // What cannot be decoded is told by the entry's faults.
        let _ = program.run(&mut program.cursor(start, record.end), &mut lister);
        lister.places
    }

    fn fill_cie(&mut self, place: usize, says: Says, entry: &mut Entry) {
        let Some(cie) = self.cies.get(place) else { return };
        entry.kind = EntryKind::Cie(Box::new(cie.to_model()));
        entry.faults.extend(cie.faults.iter().cloned());
        if !cie.usable {
            return;
        }
        if says.contains(Says::INSTRUCTIONS) {
            // What ends the program early is among the CIE's faults already.
            let program = Program { reader: &self.reader, cie, function: None };
            let _ = list(&program, cie.instructions, cie.end, entry);
        }
        if says.contains(Says::CIE_ROWS) {
            let mut keeper = RowKeeper::new(&self.reader, cie.address_size, cie.end, entry);
            let _ = keeper.keep(0, 0, &cie.initial.cfa, cie.initial.rules());
        }
    }

    fn fill_fde(&mut self, fde: &Fde<'a>, end: usize, says: Says, entry: &mut Entry) {
        let cie = fde.cie.and_then(|place| self.cies.get(place));
        entry.kind = EntryKind::Fde(cfidiff_model::Fde {
            cie: cie.map(Cie::section_offset),
            cie_pointer: fde.cie_pointer,
            segment: fde.segment,
            initial_location: Address(fde.initial_location),
            indirect: fde.indirect,
            address_range: fde.address_range,
            augmentation_data: Bytes::from_slice(fde.augmentation_data),
            lsda: fde.lsda,
        });
        entry.faults.extend(fde.faults.iter().cloned());
        let Some(cie) = cie.filter(|cie| cie.usable) else { return };
        if says.contains(Says::INSTRUCTIONS) {
            let program = Program { reader: &self.reader, cie, function: Some(fde.initial_location) };
            if let Err(fault) = list(&program, fde.instructions, end, entry) {
                add_fault(entry, *fault);
            }
        }
        if says.contains(Says::ROWS) {
            let mut keeper = RowKeeper::new(&self.reader, cie.address_size, end, entry);
            let faults = self.context.rows(&self.reader, cie, fde, end, |row| {
                keeper.keep(row.start, row.end, row.cfa, row.rules_by_number())
            });
            faults.into_iter().for_each(|fault| add_fault(entry, fault));
        }
    }

    /// Faults that came with the section's bytes, such as relocations that could not be applied.
    fn add_section_faults(&self, start: usize, end: usize, entry: &mut Entry) {
        let first = self.section_faults.partition_point(|fault| fault.offset.0 < start as u64);
        let inside = self.section_faults[first..].iter().take_while(|fault| fault.offset.0 < end as u64);
        entry.faults.extend(inside.take(MAX_FAULTS).cloned());
    }
}

/// Adds a fault unless the list and the rows both met it, or there are enough.
fn add_fault(entry: &mut Entry, fault: Fault) {
    if entry.faults.len() < MAX_FAULTS && !entry.faults.contains(&fault) {
        entry.faults.push(fault);
    }
}

#[inline(never)]
fn list<S: Semantics + ?Sized>(
    program: &Program<'_, '_, S>,
    start: usize,
    end: usize,
    entry: &mut Entry,
) -> Result<Progress, Box<Fault>> {
    let mut lister: Lister<'_, '_, S> = Lister {
        places: Vec::new(),
        reader: program.reader,
        address_size: program.cie.address_size,
        list: &mut entry.instructions,
        faults: &mut entry.faults,
    };
    program.run(&mut program.cursor(start, end), &mut lister)
}

/// Turns rows into the model's form and keeps them in an entry.
struct RowKeeper<'r, 'a, S: Semantics + ?Sized> {
    reader: &'r Reader<'a, S>,
    address_size: u8,
    /// The first byte after the record.
    end: usize,
    entry: &'r mut Entry,
    /// How many more rules, rows and bytes of expressions may be kept.
    left: usize,
}

impl<'r, 'a, S: Semantics + ?Sized> RowKeeper<'r, 'a, S> {
    fn new(reader: &'r Reader<'a, S>, address_size: u8, end: usize, entry: &'r mut Entry) -> Self {
        let size = end.saturating_sub(entry.offset.0 as usize);
        let left = size.saturating_mul(KEPT_PER_BYTE).min(MAX_KEPT_RULES);
        RowKeeper { reader, address_size, end, entry, left }
    }

    fn keep<'k>(
        &mut self,
        start: u64,
        end: u64,
        cfa: &Cfa,
        rules: impl Iterator<Item = (u64, &'k Rule)>,
    ) -> ControlFlow<()> {
        for (register, rule) in rules {
            let rule = self.register_rule(rule);
            self.entry.rows.push_rule(register, rule);
            self.left = self.left.saturating_sub(1);
        }
        let cfa = self.cfa_rule(cfa);
        self.entry.rows.finish_row(Address(start), Address(end), cfa);
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return ControlFlow::Continue(());
        }
        let expected = Cow::Borrowed("no more rows than this reader keeps");
        let offset = self.entry.offset;
        self.entry.faults.push(Fault { offset, bytes: Bytes::new(), kind: FaultKind::RuleCount, expected });
        ControlFlow::Break(())
    }

    #[inline(never)]
    fn expression(&mut self, block: Block) -> Box<Expression> {
        let size = block.size as usize;
        if size > self.left {
            // The row is the last one kept, with a fault, and does without this expression's operations.
            self.left = 0;
            return Box::new(Expression { operations: Vec::new(), size: Some(u64::from(block.size)) });
        }
        self.left -= size;
        let (expression, fault) =
            decode(self.reader.data, block, self.address_size, self.reader.target.endianness);
        // A CIE's expression that an FDE's rows take over is the CIE's fault, not the FDE's.
        let inside = self.entry.offset.0 as usize..self.end;
        if let Some(fault) = fault.filter(|_| inside.contains(&(block.offset as usize))) {
            add_fault(self.entry, fault);
        }
        Box::new(expression)
    }

    #[inline(always)]
    fn cfa_rule(&mut self, cfa: &Cfa) -> CfaRule {
        match *cfa {
            Cfa::Undefined => CfaRule::Undefined,
            Cfa::RegisterOffset { register, offset } => CfaRule::RegisterOffset { register, offset },
            Cfa::RegisterOffsetInSpace { register, offset, space } => {
                CfaRule::RegisterOffsetInSpace { register, offset, address_space: space }
            }
            Cfa::Expression(block) => CfaRule::Expression(self.expression(block)),
        }
    }

    #[inline(always)]
    fn register_rule(&mut self, rule: &Rule) -> RegisterRule {
        match *rule {
            Rule::Undefined => RegisterRule::Undefined,
            Rule::SameValue => RegisterRule::SameValue,
            Rule::Offset(offset) => RegisterRule::Offset(offset),
            Rule::ValOffset(offset) => RegisterRule::ValOffset(offset),
            Rule::Register(register) => RegisterRule::Register(register),
            Rule::Expression(block) => RegisterRule::Expression(self.expression(block)),
            Rule::ValExpression(block) => RegisterRule::ValExpression(self.expression(block)),
            Rule::Architectural(value) => RegisterRule::Architectural(value),
        }
    }
}
