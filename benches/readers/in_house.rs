//! The in-house reader.

use std::ops::ControlFlow;

use cfidiff_cfi::{Cfa, Fde, RecordKind, Row, RowContext, Rule, Table};
use cfidiff_model::{Entry, Says};

use super::{Group, Input, Reader, mix, mix_rule};

pub struct InHouse<'a> {
    reader: cfidiff_cfi::Reader<'a>,
    context: RowContext,
    table: Table<'a>,
    entry: Entry,
}

impl<'a> InHouse<'a> {
    pub fn new(input: &'a Input) -> InHouse<'a> {
        let reader = cfidiff_cfi::Reader::new(input.section(), input.target());
        let (context, table) = (RowContext::default(), Table::new(reader));
        InHouse { reader, context, table, entry: Entry::default() }
    }

    /// How many FDEs the section has.
    pub fn fdes(&self) -> u64 {
        self.reader.walk().filter(|record| matches!(record.kind, RecordKind::Fde(_))).count() as u64
    }

    #[inline(never)]
    pub fn walk(&self) -> u64 {
        let mut sum = 0u64;
        for record in self.reader.walk() {
            if let RecordKind::Fde(fde) = &record.kind {
                sum = sum.wrapping_add(fields(fde));
            }
        }
        sum
    }

    #[inline(never)]
    pub fn rows(&mut self) -> u64 {
        let mut sum = 0u64;
        let mut walk = self.reader.walk();
        while let Some(record) = walk.next() {
            let RecordKind::Fde(fde) = &record.kind else { continue };
            sum = sum.wrapping_add(fields(fde));
            let Some(cie) = fde.cie.and_then(|place| walk.cie(place)) else { continue };
            self.context.rows(&self.reader, cie, fde, record.end, |row| {
                sum = sum.wrapping_add(row_checksum(row));
                ControlFlow::Continue(())
            });
        }
        sum
    }

    #[inline(never)]
    pub fn fill(&mut self, says: Says) -> u64 {
        let mut sum = 0u64;
        for index in 0..self.table.len() {
            self.table.fill(index, says, &mut self.entry);
            sum += self.entry.instructions.len() as u64 + self.entry.rows.len() as u64;
        }
        sum
    }
}

impl Reader for InHouse<'_> {
    fn read(&mut self, group: Group) -> u64 {
        match group {
            Group::Walk => self.walk(),
            Group::Rows => self.rows(),
            Group::Instructions => self.fill(Says::INSTRUCTIONS),
            Group::Answer => self.fill(Says::all()),
        }
    }
}

#[inline(always)]
fn fields(fde: &Fde<'_>) -> u64 {
    mix(fde.initial_location, fde.address_range)
}

#[inline(always)]
fn row_checksum(row: &Row<'_>) -> u64 {
    let cfa = match row.cfa {
        Cfa::RegisterOffset { register, offset } => mix_rule(*register, 0, *offset as u64),
        other => other_cfa(other),
    };
    let mut rules = 0u64;
    for (register, rule) in row.rules() {
        rules = rules.wrapping_add(match rule {
            Rule::Offset(offset) => mix_rule(register, 2, *offset as u64),
            other => other_rule(register, other),
        });
    }
    mix(mix(row.start, row.end), mix(cfa, rules))
}

#[cold]
fn other_cfa(cfa: &Cfa) -> u64 {
    match *cfa {
        // gimli says so of a CFA that is not defined.
        Cfa::Undefined => mix_rule(0, 0, 0),
        Cfa::RegisterOffset { register, offset } => mix_rule(register, 0, offset as u64),
        Cfa::RegisterOffsetInSpace { register, offset, .. } => mix_rule(register, 1, offset as u64),
        Cfa::Expression(block) => mix_rule(0, 2, u64::from(block.offset)),
    }
}

#[cold]
fn other_rule(register: u64, rule: &Rule) -> u64 {
    let (kind, value) = match *rule {
        Rule::Undefined => (0, 0),
        Rule::SameValue => (1, 0),
        Rule::Offset(offset) => (2, offset as u64),
        Rule::ValOffset(offset) => (3, offset as u64),
        Rule::Register(source) => (4, source),
        Rule::Expression(block) => (5, u64::from(block.offset)),
        Rule::ValExpression(block) => (6, u64::from(block.offset)),
        Rule::Architectural(_) => (7, 0),
    };
    mix_rule(register, kind, value)
}
