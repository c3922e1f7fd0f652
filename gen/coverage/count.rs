//! Which cells a case exercises.

use std::collections::BTreeSet;

use cfidiff_model::{Cie, Entry, EntryKind, FaultKind, Fde, Instruction};

use super::names::{self, Field};
use super::rules;
use crate::pointer::OMIT;
use crate::suite::{Answer, Case, Expected, HeaderAnswer};

/// The names of the cells, those of tables that do not have them included.
pub(super) fn cells_of(case: &Case) -> BTreeSet<String> {
    let mut cells = BTreeSet::new();
    for section in &case.sections {
        for expected in section.entries.iter().filter(|expected| expected.faults.is_empty()) {
            let counted = Counted { case, section, expected };
            match &expected.entry.kind {
                EntryKind::Cie(cie) => counted.cie(cie, &mut cells),
                EntryKind::Fde(fde) => counted.fde(fde, &mut cells),
                EntryKind::Terminator | EntryKind::Unreadable => {}
            }
        }
    }
    if let Some(header) = &case.header {
        header_cells(header, &mut cells);
    }
    damage_cells(case, &mut cells);
    cells
}

/// A record that has to be read without a fault. What it leaves to the reader is not exercised.
struct Counted<'c> {
    case: &'c Case,
    section: &'c Answer,
    expected: &'c Expected,
}

impl Counted<'_> {
    fn cie(&self, cie: &Cie, cells: &mut BTreeSet<String>) {
        if self.expected.demands("augmentation")
            && let Ok(string) = str::from_utf8(&cie.augmentation)
        {
            cells.insert(names::augmentation(string));
        }
        if let Some((encoding, Some(_))) = cie.personality
            && self.expected.demands("personality")
        {
            cells.extend(names::pointer(Field::Personality, encoding));
        }
        self.opcodes(cells);
    }

    fn fde(&self, fde: &Fde, cells: &mut BTreeSet<String>) {
        self.opcodes(cells);
        let Some((cie_entry, cie)) = self.cie_of(fde) else { return };
        let entry = &self.expected.entry;
        if entry.format == cie_entry.format {
            let (kind, endianness) = (self.section.kind, self.case.target.endianness);
            cells.insert(names::format(entry.format, kind, endianness, cie.address_size, cie.version));
        }
        let location = cie.fde_encoding.unwrap_or(0);
        if self.expected.demands("initial_location") {
            cells.extend(names::pointer(Field::InitialLocation, location));
        }
        if fde.lsda.is_some() && self.expected.demands("lsda") {
            cells.extend(cie.lsda_encoding.and_then(|encoding| names::pointer(Field::Lsda, encoding)));
        }
        if !self.expected.demands("instructions") {
            return;
        }
        if entry.instructions.iter().any(|instruction| matches!(instruction, Instruction::SetLoc { .. })) {
            cells.extend(names::pointer(Field::SetLoc, location));
        }
        if self.expected.demands("rows") {
            cells.extend(rules::cells_of(&cie_entry.instructions, &entry.instructions));
        }
    }

    fn opcodes(&self, cells: &mut BTreeSet<String>) {
        if !self.expected.demands("instructions") {
            return;
        }
        for instruction in &self.expected.entry.instructions {
            cells.insert(names::opcode(self.section.kind, instruction.name()));
            cells.insert(names::machine_opcode(instruction.name(), self.case.target.machine));
        }
    }

    /// The FDE's CIE, where it has to be read without a fault in the same reading.
    fn cie_of(&self, fde: &Fde) -> Option<(&Entry, &Cie)> {
        let here = |other: &&Expected| {
            let same_reading = other.reading.is_none()
                || self.expected.reading.is_none()
                || other.reading == self.expected.reading;
            Some(other.entry.offset) == fde.cie && other.faults.is_empty() && same_reading
        };
        let entry = &self.section.entries.iter().find(here)?.entry;
        match &entry.kind {
            EntryKind::Cie(cie) => Some((entry, cie)),
            _ => None,
        }
    }
}

fn header_cells(header: &HeaderAnswer, cells: &mut BTreeSet<String>) {
    let demands = |field| header.faults.is_empty() && !header.free.contains(&field);
    let spec = &header.spec;
    if demands("eh_frame") {
        cells.extend(names::pointer(Field::HeaderEhFrame, spec.eh_frame_encoding));
    }
    if demands("count") {
        cells.extend(names::pointer(Field::HeaderCount, spec.count_encoding));
    }
    if demands("table") && spec.count_encoding != OMIT && !spec.entries.is_empty() {
        cells.extend(names::pointer(Field::HeaderTable, spec.table_encoding));
    }
}

/// What a case with a named corruption demands to be reported.
fn damage_cells(case: &Case, cells: &mut BTreeSet<String>) {
    let Some(damage) = case.damage else { return };
    let records = case.sections.iter().flat_map(|section| &section.entries);
    let mut faults: BTreeSet<FaultKind> = records.flat_map(|expected| expected.faults.clone()).collect();
    faults.extend(case.header.iter().flat_map(|header| header.faults.clone()));
    if faults.contains(&damage.fault()) {
        cells.insert(names::damage(damage));
    }
    cells.extend(faults.into_iter().map(names::fault));
}

impl Expected {
    /// Whether the entry's field is not left to the reader.
    fn demands(&self, field: &str) -> bool {
        !self.free.contains(&field)
    }
}
