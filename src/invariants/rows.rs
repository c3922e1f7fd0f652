//! What must hold of an FDE's rows: what the reader complains about while it evaluates them, and what it lets pass.

use std::ops::ControlFlow;

use cfidiff_cfi::{Block, Cfa, Cie, Fde, Record, Row, Rule, decode_expression};
use cfidiff_model::{Address, Fault, Invariant, Machine};

use super::table::Walk;

/// What is found while the rows pass by.
#[derive(Default)]
struct Passing {
    /// The first row without a CFA.
    no_cfa: Option<u64>,
    /// The first row without a rule for the return address.
    no_return_address: Option<u64>,
    /// Expressions that start before this offset have been decoded.
    decoded: u32,
    faults: Vec<Fault>,
}

/// Evaluates an FDE and asks for what must hold of its rows.
pub(super) fn check<'a>(walk: &mut Walk<'_, 'a>, record: &Record<'a>, fde: &Fde<'a>, cie: &Cie<'a>) {
    let offset = record.offset as u64;
    let mut passing = Passing { decoded: record.offset as u32, ..Passing::default() };
    let return_address = returns_through_stack(walk.target.machine).then_some(cie.return_address_register);
    let (data, endianness) = (&walk.section.data[..], walk.target.endianness);
    let faults = walk.context.rows(&walk.reader, cie, fde, record.end, |row| {
        passing.rules(row, return_address);
        passing.expressions(row, |block| decode_expression(data, block, cie.address_size, endianness).1);
        ControlFlow::Continue(())
    });
    let start = Address(fde.initial_location);
    for fault in faults.iter().chain(&passing.faults) {
        walk.program_fault(offset, start, fault);
    }
    has_cfa(walk, offset, &passing);
    has_return_address(walk, offset, &passing);
    if faults.is_empty() {
        is_balanced(walk, offset, start);
    }
}

impl Passing {
    #[inline]
    fn rules(&mut self, row: &Row<'_>, return_address: Option<u64>) {
        // A row of no locations is no answer to anybody.
        if row.start == row.end {
            return;
        }
        if *row.cfa == Cfa::Undefined {
            self.no_cfa.get_or_insert(row.start);
        } else if let Some(register) = return_address
            && !row.rules().any(|(number, _)| number == register)
        {
            self.no_return_address.get_or_insert(row.start);
        }
    }

    /// Decodes each expression of the FDE once: a row repeats those in force.
    fn expressions(&mut self, row: &Row<'_>, decode: impl Fn(Block) -> Option<Fault>) {
        let of_cfa = match *row.cfa {
            Cfa::Expression(block) => Some(block),
            _ => None,
        };
        let of_rules = row.rules().filter_map(|(_, rule)| match *rule {
            Rule::Expression(block) | Rule::ValExpression(block) => Some(block),
            _ => None,
        });
        let start = self.decoded;
        for block in of_cfa.into_iter().chain(of_rules).filter(|block| block.offset >= start) {
            self.faults.extend(decode(block));
            self.decoded = self.decoded.max(block.offset.saturating_add(block.size.max(1)));
        }
    }
}

/// Whether a call leaves the return address on the stack, so that its register in call frame information is no
/// register of the machine and has no value where no rule gives it one.
fn returns_through_stack(machine: Machine) -> bool {
    matches!(machine, Machine::X86_64 | Machine::I386 | Machine::M68K)
}

/// `row.cfa-undefined`.
fn has_cfa(walk: &mut Walk<'_, '_>, offset: u64, passing: &Passing) {
    if let Some(location) = passing.no_cfa {
        walk.add_at(Invariant::RowCfa, offset, location, || format!("the row at {location:#x} has no CFA"));
    }
}

/// `row.no-return-address`.
fn has_return_address(walk: &mut Walk<'_, '_>, offset: u64, passing: &Passing) {
    if let Some(location) = passing.no_return_address {
        walk.add_at(Invariant::RowReturnAddress, offset, location, || {
            format!("the row at {location:#x} has no rule for the return address")
        });
    }
}

/// `state.remembered-without-restore`.
fn is_balanced(walk: &mut Walk<'_, '_>, offset: u64, start: Address) {
    let left = walk.context.remembered();
    if left > 0 {
        walk.add_at(Invariant::StateBalanced, offset, start.0, || {
            format!("at the end of the FDE at {start}, {left} remembered states are left")
        });
    }
}
