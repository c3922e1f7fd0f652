//! The planted faults on the stacks' own file: which of them give these wrong locations, and which change the rows where
//! walks went wrong and nowhere else.

use std::collections::BTreeSet;

use cfidiff_cfi::{Reader, Semantics, Standard, Table};
use cfidiff_model::{CfaRule, Entry, EntryKind, RegisterRule, Says};
use rayon::prelude::*;

use super::compared::Place;
use super::program::{Program, is_signal_frame};
use super::shape::FunctionError;
use crate::faults::{self, PlantedFault};

/// At how many places each, those where walks went wrong and those where they went on, the faults are tried.
const PLACES: usize = 256;

/// The faults under which the location of each function's record is off by just the error that was seen.
pub(super) fn of_locations(program: &Program, functions: &[FunctionError]) -> Vec<&'static PlantedFault> {
    let seen: Vec<(usize, i64)> =
        functions.iter().filter_map(|each| Some((each.function?, each.error?))).collect();
    if !seen.iter().any(|(_, error)| *error != 0) {
        return Vec::new();
    }
    let fits = |fault: &&PlantedFault| {
        let planted = fault.planted_in(&Standard);
        let mut tables = Tables::new(program, &planted);
        let mut entry = Entry::default();
        seen.iter().all(|&(index, error)| {
            let function = &program.functions()[index];
            let table = tables.of_section(function.section);
            let record = table.index_of(function.offset);
            let is_there = record.is_some_and(|record| table.fill(record, Says::empty(), &mut entry));
            match &entry.kind {
                EntryKind::Fde(fde) if is_there => {
                    program.difference(fde.initial_location.0, function.start) == error
                }
                _ => false,
            }
        })
    };
    every_fault().into_par_iter().filter(fits).collect()
}

/// The faults under which the row differs at each place where a walk went wrong, and CFA and return address are the same
/// at each from which one went on. With `ends`, those that leave no row there are meant, without it the others, unless
/// there are none such.
pub(super) fn of_rows(
    program: &Program,
    blamed: &[Place],
    cleared: impl Iterator<Item = Place>,
    ends: bool,
) -> Vec<&'static PlantedFault> {
    let covered = |place: &Place| place.function.is_some();
    let blamed: BTreeSet<Place> = blamed.iter().copied().filter(covered).collect();
    let cleared: BTreeSet<Place> = cleared.filter(covered).filter(|place| !blamed.contains(place)).collect();
    let (blamed, cleared): (Vec<Place>, Vec<Place>) =
        (blamed.into_iter().take(PLACES).collect(), cleared.into_iter().take(PLACES).collect());
    if blamed.is_empty() {
        return Vec::new();
    }
    let rows = |semantics: &dyn Semantics| {
        let mut tables = Tables::new(program, semantics);
        let of = |places: &[Place], tables: &mut Tables<'_>| -> Vec<Option<Found>> {
            places.iter().map(|place| tables.row(place)).collect()
        };
        (of(&blamed, &mut tables), of(&cleared, &mut tables))
    };
    let right = rows(&Standard);
    let fitting: Vec<(&PlantedFault, bool)> = every_fault()
        .into_par_iter()
        .filter_map(|fault| {
            let wrong = rows(&fault.planted_in(&Standard));
            // Rows hold expressions as they are: what such a fault changes is their values.
            let evaluates = fault.decision_points().iter().any(|point| OF_VALUES.contains(point));
            let is_evaluated =
                |row: &Option<Found>| evaluates && row.as_ref().is_some_and(Found::has_expression);
            let differs =
                right.0.iter().zip(&wrong.0).all(|(right, wrong)| right != wrong || is_evaluated(right));
            let mut others = right.1.iter().zip(&wrong.1);
            let same = others.all(|(right, wrong)| {
                let same = right.as_ref().map(Found::to_caller) == wrong.as_ref().map(Found::to_caller);
                same && !is_evaluated(right)
            });
            (differs && same).then_some((fault, wrong.0.iter().all(Option::is_none)))
        })
        .collect();
    let meant = fitting.iter().filter(|(_, has_none)| *has_none == ends).map(|(fault, _)| *fault);
    let meant: Vec<&PlantedFault> = meant.collect();
    if meant.is_empty() { fitting.into_iter().map(|(fault, _)| fault).collect() } else { meant }
}

/// The decision points that are about the values of expressions.
const OF_VALUES: [&str; 3] = ["expression_starts_with_cfa", "operation_operands", "value_of_true"];

fn every_fault() -> Vec<&'static PlantedFault> {
    faults::all().collect()
}

/// A row that was found, with all that is told by it.
#[derive(PartialEq)]
struct Found {
    cfa: CfaRule,
    rules: Vec<(u64, RegisterRule)>,
    return_address: Option<u64>,
}

impl Found {
    /// What leads to the caller: CFA and return address.
    fn to_caller(&self) -> (&CfaRule, Option<&RegisterRule>) {
        let rule = self.rules.iter().find(|(register, _)| Some(*register) == self.return_address);
        (&self.cfa, rule.map(|(_, rule)| rule))
    }

    fn has_expression(&self) -> bool {
        let is_one = |rule: &RegisterRule| {
            matches!(rule, RegisterRule::Expression(_) | RegisterRule::ValExpression(_))
        };
        matches!(self.cfa, CfaRule::Expression(_)) || self.rules.iter().any(|(_, rule)| is_one(rule))
    }
}

/// The tables of a file's sections, read with one semantics.
struct Tables<'p> {
    program: &'p Program,
    each: Vec<((usize, usize), Table<'p, dyn Semantics + 'p>)>,
    semantics: &'p dyn Semantics,
    entry: Entry,
}

impl<'p> Tables<'p> {
    fn new(program: &'p Program, semantics: &'p dyn Semantics) -> Tables<'p> {
        Tables { program, each: Vec::new(), semantics, entry: Entry::default() }
    }

    fn of_section(&mut self, place: (usize, usize)) -> &mut Table<'p, dyn Semantics + 'p> {
        let at = match self.each.iter().position(|(known, _)| *known == place) {
            Some(at) => at,
            None => {
                let case = &self.program.cases[place.0];
                let section = &case.sections[place.1];
                let table = Table::new(Reader::with_semantics(section, case.target, self.semantics));
                self.each.push((place, table));
                self.each.len() - 1
            }
        };
        &mut self.each[at].1
    }

    /// The row that is found for a place.
    fn row(&mut self, place: &Place) -> Option<Found> {
        let program = self.program;
        let function = &program.functions()[place.function?];
        let mut is_return = place.is_return;
        if let Some(signal) = place.interrupted_by {
            // Whether the frame below is a signal frame is for the reader to see.
            let signal = &program.functions()[signal];
            is_return = !is_signal_frame(self.of_section(signal.section), signal.cie);
        }
        let mut entry = std::mem::take(&mut self.entry);
        let table = self.of_section(function.section);
        let row = table.look_up(place.address, is_return, &mut entry);
        let return_address = match &entry.kind {
            EntryKind::Fde(fde) => fde.cie.and_then(|cie| return_address(table, cie)),
            _ => None,
        };
        let found = row.and_then(|row| entry.rows.get(row)).map(|row| Found {
            cfa: row.cfa.clone(),
            rules: row.rules.to_vec(),
            return_address,
        });
        self.entry = entry;
        found
    }
}

/// The return address register of the CIE at an offset.
fn return_address(
    table: &mut Table<'_, dyn Semantics + '_>,
    cie: cfidiff_model::SectionOffset,
) -> Option<u64> {
    let index = table.index_of(cie)?;
    match table.record(index)?.kind {
        cfidiff_cfi::RecordKind::Cie(place) => table.cie(place).map(|cie| cie.return_address_register),
        _ => None,
    }
}
