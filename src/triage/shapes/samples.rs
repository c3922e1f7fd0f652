//! The numbers of a record that a reader has otherwise, each with what it may have been computed from.

use cfidiff_cfi::{Semantics, Standard};
use cfidiff_model::{
    Address, CfaRule, Cie, Class, Entry, EntryKind, Fde, Instruction, Key, Pointer, RegisterRule, Says,
};

use crate::triage::answers::{Cases, Part, Place, Said};
use crate::triage::shapes::Open;

/// One number that differs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sample {
    /// The key of a finding on it.
    pub key: &'static str,
    /// The record, and the pass that tells of it.
    pub record: (usize, Place),
    /// The right number.
    pub ours: i128,
    /// The reader's.
    pub theirs: i128,
    /// The address of the section's first byte.
    pub section: i128,
    /// The section offset of the value in the record, for an initial location.
    pub field: Option<i128>,
    /// Whether the record covers as many bytes as it should: else it may be anything.
    pub whole: bool,
    /// The code and the data alignment factor of the record's CIE.
    pub factors: (i128, i128),
}

impl Sample {
    /// By how much theirs is more than ours.
    pub fn error(&self) -> i128 {
        self.theirs - self.ours
    }
}

/// The numbers that differ in a record that both have, as far as the reader says them.
pub(super) fn of(cases: &Cases, open: &Open<'_>, says: Says) -> Vec<Sample> {
    let (Said::Entry(theirs), Said::Entry(ours)) = (open.theirs, open.ours) else { return Vec::new() };
    let Part::Section(section) = open.place.part else { return Vec::new() };
    let section = &cases.inputs[open.place.case as usize].sections[section as usize];
    let cie_at = match &ours.kind {
        EntryKind::Fde(fde) => fde.cie.map(|cie| Place { at: cie.0, ..open.place }),
        _ => Some(open.place),
    };
    let factors = match cie_at.map(|at| cases.right(at)) {
        Some(Said::Entry(entry)) => match &entry.kind {
            EntryKind::Cie(cie) => (cie.code_alignment_factor.into(), cie.data_alignment_factor.into()),
            _ => (1, 1),
        },
        _ => (1, 1),
    };
    let blank = Sample {
        key: "",
        record: (open.pass, open.place),
        ours: 0,
        theirs: 0,
        section: section.address.0.into(),
        field: None,
        whole: is_whole(ours, theirs),
        factors,
    };
    let mut numbers = Numbers { list: Vec::new(), says, class: cases.target(open.place).class, blank };
    numbers.add(Says::RECORDS, Key::EntryLength, ours.length, theirs.length);
    match (&ours.kind, &theirs.kind) {
        (EntryKind::Cie(ours), EntryKind::Cie(theirs)) => numbers.cie(ours, theirs),
        (EntryKind::Fde(fde), EntryKind::Fde(theirs)) => {
            let id = Standard.id_width(section.kind, ours.format);
            let field = ours.offset.0 + ours.format.length_size() + u64::from(id);
            numbers.fde(fde, theirs, field);
        }
        _ => {}
    }
    if says.contains(Says::INSTRUCTIONS) {
        for (ours, theirs) in ours.instructions.iter().zip(&theirs.instructions) {
            if let (Some(ours), Some(theirs)) = (operand(ours), operand(theirs))
                && ours.0 == theirs.0
            {
                numbers.add(Says::INSTRUCTIONS, Key::InstructionOperands, ours.1, theirs.1);
            }
        }
    }
    let of_kind = if matches!(ours.kind, EntryKind::Cie(_)) { Says::CIE_ROWS } else { Says::ROWS };
    if says.contains(of_kind) {
        numbers.rows(ours, theirs);
    }
    numbers.list
}

/// Whether both are no FDEs, or FDEs that cover as many bytes.
fn is_whole(ours: &Entry, theirs: &Entry) -> bool {
    match (&ours.kind, &theirs.kind) {
        (EntryKind::Fde(ours), EntryKind::Fde(theirs)) => ours.address_range == theirs.address_range,
        _ => true,
    }
}

/// Collects numbers that differ.
struct Numbers {
    list: Vec<Sample>,
    says: Says,
    class: Class,
    blank: Sample,
}

impl Numbers {
    fn add(&mut self, needs: Says, key: Key, ours: impl Into<i128>, theirs: impl Into<i128>) -> bool {
        let (ours, mut theirs) = (ours.into(), theirs.into());
        if is_address(key) {
            theirs = ours + wrapped(ours, theirs, self.class);
        }
        let is_sample = self.says.contains(needs) && ours != theirs;
        if is_sample {
            self.list.push(Sample { key: key.name(), ours, theirs, ..self.blank });
        }
        is_sample
    }

    fn cie(&mut self, ours: &Cie, theirs: &Cie) {
        let (a, b) = (ours.code_alignment_factor, theirs.code_alignment_factor);
        self.add(Says::CIE_FACTORS, Key::CieCodeAlignmentFactor, a, b);
        let (a, b) = (ours.data_alignment_factor, theirs.data_alignment_factor);
        self.add(Says::CIE_FACTORS, Key::CieDataAlignmentFactor, a, b);
        let (a, b) = (ours.return_address_register, theirs.return_address_register);
        self.add(Says::CIE_FACTORS, Key::CieReturnAddressRegister, a, b);
        let pointer = |cie: &Cie| cie.personality.and_then(|(_, pointer)| pointer);
        self.pointers(Says::AUGMENTATION, Key::CiePersonality, pointer(ours), pointer(theirs));
    }

    fn fde(&mut self, ours: &Fde, theirs: &Fde, field: u64) {
        if let (Some(ours), Some(theirs)) = (ours.cie, theirs.cie) {
            self.add(Says::CIE_OF_FDE, Key::FdeCie, ours.0, theirs.0);
        }
        self.add(Says::CIE_POINTER, Key::FdeCiePointer, ours.cie_pointer, theirs.cie_pointer);
        let (a, b) = (ours.initial_location.0, theirs.initial_location.0);
        // With a segment selector in front the field is elsewhere.
        if self.add(Says::RANGE, Key::FdeInitialLocation, a, b) && ours.segment.is_none() {
            self.list.last_mut().into_iter().for_each(|sample| sample.field = Some(field.into()));
        }
        self.add(Says::RANGE, Key::FdeAddressRange, ours.address_range, theirs.address_range);
        self.pointers(Says::LSDA, Key::FdeLsda, ours.lsda, theirs.lsda);
    }

    fn pointers(&mut self, needs: Says, key: Key, ours: Option<Pointer>, theirs: Option<Pointer>) {
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            self.add(needs, key, ours.address.0, theirs.address.0);
        }
    }

    /// Rows are laid side by side by their number, when there are as many.
    fn rows(&mut self, ours: &Entry, theirs: &Entry) {
        if ours.rows.len() != theirs.rows.len() {
            return;
        }
        // Where the whole function is elsewhere, its first location tells.
        let start = |entry: &Entry| match &entry.kind {
            EntryKind::Fde(fde) => fde.initial_location.0,
            _ => 0,
        };
        let shift = if self.says.contains(Says::RANGE) {
            i128::from(start(theirs)) - i128::from(start(ours))
        } else {
            0
        };
        let last = ours.rows.len().saturating_sub(1);
        for (index, (ours, theirs)) in ours.rows.iter().zip(theirs.rows.iter()).enumerate() {
            let moved = |theirs: Address| i128::from(theirs.0) - shift;
            self.add(Says::empty(), Key::RowLocation, ours.start.0, moved(theirs.start));
            if index == last {
                // The other rows end where the next one starts.
                self.add(Says::empty(), Key::RowLocation, ours.end.0, moved(theirs.end));
            }
            if let (
                CfaRule::RegisterOffset { register: one, offset: ours },
                CfaRule::RegisterOffset { register: other, offset: theirs },
            ) = (ours.cfa, theirs.cfa)
                && one == other
            {
                self.add(Says::empty(), Key::RowCfaOffset, *ours, *theirs);
            }
            for (register, rule) in ours.rules {
                let theirs = theirs.rules.iter().find(|(other, _)| other == register);
                let Some((_, other)) = theirs else { continue };
                match (rule, other) {
                    (RegisterRule::Offset(ours), RegisterRule::Offset(theirs))
                    | (RegisterRule::ValOffset(ours), RegisterRule::ValOffset(theirs)) => {
                        self.add(Says::empty(), Key::RowRegisterRule, *ours, *theirs);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Whether the number is an address, of which there is none below zero.
fn is_address(key: Key) -> bool {
    matches!(key, Key::FdeInitialLocation | Key::FdeLsda | Key::CiePersonality | Key::RowLocation)
}

/// The difference of two addresses, which wrap around. One with more bits than the file's addresses have wraps where its
/// own bits end.
fn wrapped(ours: i128, theirs: i128, class: Class) -> i128 {
    let error = theirs - ours;
    match class {
        Class::Elf32 if theirs >> 32 == 0 => (error as i32).into(),
        Class::Elf32 | Class::Elf64 => (error as i64).into(),
    }
}

/// The number that an instruction has beside its register, with the instruction's name.
fn operand(instruction: &Instruction) -> Option<(&'static str, i128)> {
    let number = match instruction {
        Instruction::AdvanceLoc { delta }
        | Instruction::AdvanceLoc1 { delta }
        | Instruction::AdvanceLoc2 { delta }
        | Instruction::AdvanceLoc4 { delta }
        | Instruction::MipsAdvanceLoc8 { delta } => (*delta).into(),
        Instruction::Offset { offset, .. }
        | Instruction::OffsetExtended { offset, .. }
        | Instruction::OffsetExtendedSf { offset, .. }
        | Instruction::ValOffset { offset, .. }
        | Instruction::ValOffsetSf { offset, .. }
        | Instruction::DefCfaSf { offset, .. }
        | Instruction::DefCfaOffsetSf { offset }
        | Instruction::GnuNegativeOffsetExtended { offset, .. } => (*offset).into(),
        Instruction::DefCfa { offset, .. } | Instruction::DefCfaOffset { offset } => i128::from(*offset),
        Instruction::SetLoc { location } => location.0.into(),
        Instruction::GnuArgsSize { size } => (*size).into(),
        _ => return None,
    };
    Some((instruction.name(), number))
}
