//! One section of call frame information, read once: what the invariants ask about later, and those of the single
//! records on the way.

use cfidiff_cfi::{Cie, Fde, Reader, Record, RecordKind, RowContext, Semantics, Standard, Table};
use cfidiff_model::{Address, Entry, Fault, FaultKind, Invariant, Says, Section, SectionKind, Target};

use super::code::is_tombstone;
use super::findings::Findings;
use super::{Subject, records, rows};
use crate::image::RelocatedField;

/// The records of one section, as far as they are asked about after the section was walked.
pub(super) struct FrameTable<'a> {
    pub(super) section: &'a Section,
    /// The FDEs whose fields could be read, in the order of the section.
    pub(super) fdes: Vec<FdePlace>,
    /// How many CIEs and FDEs there are, those that cannot be read included.
    pub(super) cie_count: u64,
    pub(super) fde_count: u64,
}

/// An FDE whose fields could be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct FdePlace {
    pub(super) offset: u32,
    pub(super) start: u64,
    pub(super) size: u64,
    /// The index of the section that its code is in: of a relocatable object by its relocation, of a linked file by
    /// its start.
    pub(super) code: Option<u32>,
    /// Whether its start is in another place that is filled at run time, or in a segment of its own, so that its
    /// addresses are not to be compared with others.
    pub(super) is_elsewhere: bool,
    /// Whether its code was discarded by the linker.
    pub(super) is_discarded: bool,
}

impl FdePlace {
    /// The first address after it.
    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(self.size)
    }

    /// Whether it covers addresses that can be compared with others.
    pub(super) fn is_live(&self) -> bool {
        self.size > 0 && !self.is_elsewhere && !self.is_discarded
    }
}

/// What the walk over a section keeps.
pub(super) struct Walk<'w, 'a> {
    pub(super) section: &'a Section,
    pub(super) target: Target,
    pub(super) reader: Reader<'a>,
    pub(super) findings: &'w mut Findings,
    /// Offsets of all CIEs, ascending.
    pub(super) cies: Vec<u64>,
    /// Whether each of them has an FDE.
    used: Vec<bool>,
    relocated: &'a [RelocatedField],
    pub(super) context: RowContext,
}

impl Walk<'_, '_> {
    /// Adds a place in this section that is about no code.
    pub(super) fn add(&mut self, key: Invariant, offset: u64, found: impl FnOnce() -> String) {
        self.findings.add(key, &self.section.name, offset, 0, found);
    }

    /// Adds a place that is about an FDE's code.
    pub(super) fn add_at(&mut self, key: Invariant, offset: u64, code: u64, found: impl FnOnce() -> String) {
        self.findings.add(key, &self.section.name, offset, code, found);
    }

    fn fault(&mut self, offset: u64, fault: &Fault, key: Option<Invariant>) {
        if let Some(key) = key {
            self.add(key, offset, || fault.to_string());
        }
    }
}

/// Reads a section and asks for what must hold of each of its records.
pub(super) fn read<'a>(
    subject: &Subject<'a>,
    section: &'a Section,
    findings: &mut Findings,
) -> FrameTable<'a> {
    let reader = Reader::new(section, subject.case.target);
    let mut table = Table::new(reader);
    let relocated = section.index.and_then(|index| subject.layout.relocated.get(&index));
    let mut walk = Walk {
        section,
        target: subject.case.target,
        reader,
        findings,
        cies: table.cie_offsets().map(|offset| offset.0).collect(),
        used: Vec::new(),
        relocated: relocated.map_or(&[], Vec::as_slice),
        context: RowContext::default(),
    };
    walk.used = vec![false; walk.cies.len()];
    let mut fdes = Vec::new();
    let mut entry = Entry::default();
    let mut terminator = None;
    let mut fde_count = 0;
    for index in 0..table.len() {
        let Some(record) = table.record(index) else { continue };
        let offset = record.offset as u64;
        match &record.kind {
            RecordKind::Terminator => terminator = terminator.or(Some(offset)),
            RecordKind::Unreadable(fault) => walk.fault(offset, fault, of_fault(fault.kind, false)),
            RecordKind::Cie(place) => {
                // Filled, since only there expressions are decoded.
                table.fill(index, Says::CIE_ROWS, &mut entry);
                for fault in entry.faults.iter().filter(|fault| fault.kind != FaultKind::Relocation) {
                    walk.fault(offset, fault, of_fault(fault.kind, true));
                }
                if let Some(cie) = table.cie(*place) {
                    records::cie(&mut walk, &record, cie);
                }
            }
            RecordKind::Fde(fde) => {
                fde_count += 1;
                records::nothing_before(&mut walk, offset, &mut terminator);
                fdes.extend(read_fde(subject, &mut walk, &table, &record, fde));
            }
        }
    }
    for fault in &section.faults {
        walk.fault(fault.offset.0, fault, of_fault(fault.kind, false));
    }
    records::ends_with_terminator(&mut walk, &mut table, !fdes.is_empty());
    let unused = walk.cies.iter().zip(&walk.used).filter(|(_, used)| !**used).map(|(offset, _)| *offset);
    let unused: Vec<u64> = unused.collect();
    for offset in unused {
        walk.add(Invariant::CieUsed, offset, || "no FDE's CIE pointer leads here".to_owned());
    }
    let cie_count = walk.cies.len() as u64;
    FrameTable { section, fdes, cie_count, fde_count }
}

/// Asks for what must hold of one FDE. Returns it when its range is known.
fn read_fde<'a>(
    subject: &Subject<'a>,
    walk: &mut Walk<'_, 'a>,
    table: &Table<'a>,
    record: &Record<'a>,
    fde: &Fde<'a>,
) -> Option<FdePlace> {
    let offset = record.offset as u64;
    for fault in fde.faults.iter() {
        let in_program = fault.offset.0 >= fde.instructions as u64;
        let key = match fault.kind {
            FaultKind::LebOverflow if !in_program => Some(Invariant::RecordFields),
            kind => of_fault(kind, false),
        };
        walk.fault(offset, fault, key);
    }
    let cie = table.cie(fde.cie?)?;
    if let Ok(place) = walk.cies.binary_search(&(cie.offset as u64)) {
        walk.used[place] = true;
    }
    records::fde(walk, record, fde, cie);
    if !has_range(fde, cie) {
        return None;
    }
    let field = initial_location_field(walk.section.kind, record, cie);
    let (is_relocated, code) = if walk.target.relocatable {
        relocation(walk, field)
    } else {
        (true, subject.code.at(fde.initial_location).map(|range| range.index))
    };
    if !is_relocated && walk.section.index.is_some() && subject.layout.surroundings != Default::default() {
        records::unrelocated(walk, offset, field);
    }
    let is_discarded =
        !walk.target.relocatable && code.is_none() && is_tombstone(fde.initial_location, &walk.target);
    let place = FdePlace {
        offset: record.offset as u32,
        start: fde.initial_location,
        size: fde.address_range,
        code,
        is_elsewhere: fde.indirect || fde.segment.is_some_and(|segment| segment != 0),
        is_discarded,
    };
    rows::check(walk, record, fde, cie);
    Some(place)
}

/// Whether an FDE's range could be read and can be: what may be wrong is its data behind the range, or its CIE's
/// instructions.
fn has_range(fde: &Fde<'_>, cie: &Cie<'_>) -> bool {
    let is_of_cie = |fault: &Fault| fault.kind == FaultKind::CieUnreadable;
    let is_of_range = |fault: &Fault| fault.kind == FaultKind::RangeOverflow;
    let was_read = fde.has_rows || cie.usable && fde.faults.iter().all(is_of_cie);
    was_read && !fde.faults.iter().any(is_of_range)
}

/// Where an FDE's initial location stands, by the fields before it (DWARF 5 section 6.4.1).
fn initial_location_field(kind: SectionKind, record: &Record<'_>, cie: &Cie<'_>) -> u64 {
    let id_width = u64::from(Standard.id_width(kind, record.format));
    let selector = u64::from(Standard.segment_selector_size(cie.segment_selector_size));
    record.offset as u64 + record.format.length_size() + id_width + selector
}

/// Whether a relocation fills the field, and the section that its symbol is in.
fn relocation(walk: &Walk<'_, '_>, field: u64) -> (bool, Option<u32>) {
    let first = walk.relocated.partition_point(|relocated| relocated.offset < field);
    // Machines that take sums apart have several for one field.
    let mut same =
        walk.relocated[first..].iter().take_while(|relocated| relocated.offset == field).peekable();
    let is_relocated = same.peek().is_some();
    (is_relocated, same.find_map(|relocated| relocated.section))
}

/// The invariant that a fault of our reader breaks. `None` for what follows from another record's fault, and for the
/// reader's own limits.
fn of_fault(kind: FaultKind, in_cie: bool) -> Option<Invariant> {
    Some(match kind {
        FaultKind::TruncatedLength | FaultKind::ReservedLength | FaultKind::LengthPastSection => {
            Invariant::SectionTiled
        }
        FaultKind::TruncatedRecord | FaultKind::AugmentationString | FaultKind::AugmentationLength => {
            Invariant::RecordFields
        }
        FaultKind::CieVersion => Invariant::CieVersion,
        FaultKind::Augmentation => Invariant::CieAugmentation,
        FaultKind::AddressSize | FaultKind::SegmentSelectorSize => Invariant::CieSizes,
        FaultKind::CiePointerOutside | FaultKind::CiePointerInside | FaultKind::CiePointerNotCie => {
            Invariant::FdeCie
        }
        FaultKind::PointerEncoding => Invariant::PointerEncoding,
        FaultKind::PointerBase => Invariant::PointerBase,
        FaultKind::LebOverflow
        | FaultKind::UnknownOpcode
        | FaultKind::TruncatedInstruction
        | FaultKind::Expression => Invariant::ProgramReadable,
        FaultKind::LocationBackwards | FaultKind::LocationPastEnd | FaultKind::RestoreInCie if in_cie => {
            Invariant::CieOwnInstructions
        }
        FaultKind::RestoreInCie => Invariant::CieOwnInstructions,
        FaultKind::LocationBackwards => Invariant::RowAscends,
        FaultKind::LocationPastEnd => Invariant::RowInside,
        FaultKind::RestoreWithoutRemember => Invariant::StateRestored,
        FaultKind::CfaNotRegister => Invariant::RowCfaRegister,
        FaultKind::RangeOverflow => Invariant::FdeRange,
        FaultKind::Relocation => Invariant::RelocationApplied,
        FaultKind::CieUnreadable | FaultKind::RememberDepth | FaultKind::RuleCount | FaultKind::Reported => {
            return None;
        }
    })
}

impl Walk<'_, '_> {
    /// Adds what our reader met in an FDE's instructions.
    pub(super) fn program_fault(&mut self, offset: u64, code: Address, fault: &Fault) {
        if let Some(key) = of_fault(fault.kind, false) {
            self.add_at(key, offset, code.0, || fault.to_string());
        }
    }
}
