//! Two entries of one offset: their fields, their instructions, their rows.

use cfidiff_model::{Cie, Entry, EntryKind, Fde, Instruction, Key, Pointer, Says, Target};

use crate::compare::rows::{Frame, compare_initial_row, compare_rows};
use crate::report::describe;

/// One difference: what is said of it, ours first.
pub(crate) struct Difference {
    pub key: Key,
    pub ours: String,
    pub theirs: String,
}

/// Collects the differences of two entries.
pub(crate) struct Differences<'t> {
    pub target: &'t Target,
    pub list: Vec<Difference>,
    /// Whether the other reader said nothing of the rows, as it says of itself.
    pub without_rows: bool,
}

impl<'t> Differences<'t> {
    /// No differences yet.
    pub fn new(target: &'t Target) -> Differences<'t> {
        Differences { target, list: Vec::new(), without_rows: false }
    }

    /// Records a difference if the two values are not equal.
    fn field<T: PartialEq>(&mut self, key: Key, ours: &T, theirs: &T, show: impl Fn(&T) -> String) {
        if ours != theirs {
            self.push(key, show(ours), show(theirs));
        }
    }

    /// Records a difference.
    #[cold]
    pub fn push(&mut self, key: Key, ours: String, theirs: String) {
        self.list.push(Difference { key, ours, theirs });
    }

    /// Compares two entries of one offset as far as the other reader says anything.
    pub fn entries(&mut self, ours: &Entry, theirs: &Entry, says: Says) {
        match (ours.faults.is_empty(), theirs.faults.is_empty()) {
            (true, true) => {}
            // A record that the other reader refuses is not read by it any further.
            (true, false) => return self.push(Key::EntryRejected, "well-formed".into(), faults(theirs)),
            (false, false) => return,
            (false, true) => {}
        }
        let unreadable = matches!(ours.kind, EntryKind::Unreadable);
        if !unreadable {
            self.well_formed(ours, theirs, says);
        }
        if !ours.faults.is_empty() && self.list.is_empty() {
            self.push(Key::EntryAccepted, faults(ours), "no complaint".into());
        }
    }

    fn well_formed(&mut self, ours: &Entry, theirs: &Entry, says: Says) {
        match (&ours.kind, &theirs.kind) {
            (EntryKind::Terminator, EntryKind::Terminator) => return,
            (EntryKind::Cie(ours), EntryKind::Cie(theirs)) => self.cies(ours, theirs, says),
            (EntryKind::Fde(ours), EntryKind::Fde(theirs)) => self.fdes(ours, theirs, says),
            (ours, theirs) => return self.push(Key::EntryKind, ours.name().into(), theirs.name().into()),
        }
        self.field(Key::EntryLength, &ours.length, &theirs.length, |length| format!("{length:#x}"));
        if says.contains(Says::FORMAT) {
            self.field(Key::EntryFormat, &ours.format, &theirs.format, |format| format!("{format:?}"));
        }
        if says.contains(Says::INSTRUCTIONS) {
            self.instructions(&ours.instructions, &theirs.instructions, says);
        }
        let is_cie = matches!(ours.kind, EntryKind::Cie(_));
        if !says.contains(if is_cie { Says::CIE_ROWS } else { Says::ROWS }) {
            return;
        }
        let no_row = theirs.rows.is_empty() && !says.contains(Says::ROWS_OF_NOPS);
        if no_row && is_without_effect(&ours.instructions) {
            self.without_rows = true;
            return;
        }
        if is_cie {
            compare_initial_row(self, &ours.rows, &theirs.rows, says);
        } else {
            compare_rows(self, &ours.rows, &theirs.rows, says, frame(ours, theirs, says));
        }
    }

    fn cies(&mut self, ours: &Cie, theirs: &Cie, says: Says) {
        if says.contains(Says::CIE_VERSION) {
            self.field(Key::CieVersion, &ours.version, &theirs.version, u8::to_string);
        }
        if says.contains(Says::AUGMENTATION_STRING) {
            // As text, since not every reader gives bytes.
            let (a, b) = (&ours.augmentation, &theirs.augmentation);
            let [a, b] = [a, b].map(|string| String::from_utf8_lossy(string));
            self.field(Key::CieAugmentation, &a, &b, |text| format!("{text:?}"));
        }
        if says.contains(Says::CIE_FACTORS) {
            let (a, b) = (&ours.code_alignment_factor, &theirs.code_alignment_factor);
            self.field(Key::CieCodeAlignmentFactor, a, b, u64::to_string);
            let (a, b) = (&ours.data_alignment_factor, &theirs.data_alignment_factor);
            self.field(Key::CieDataAlignmentFactor, a, b, i64::to_string);
            let (a, b) = (&ours.return_address_register, &theirs.return_address_register);
            self.field(Key::CieReturnAddressRegister, a, b, u64::to_string);
        }
        if says.contains(Says::ADDRESS_SIZE) {
            self.field(Key::CieAddressSize, &ours.address_size, &theirs.address_size, u8::to_string);
        }
        if says.contains(Says::SEGMENT_SIZE) {
            let (a, b) = (&ours.segment_selector_size, &theirs.segment_selector_size);
            self.field(Key::CieSegmentSelectorSize, a, b, u8::to_string);
        }
        if says.contains(Says::CIE_AUGMENTATION_BYTES) {
            let (a, b) = (&ours.augmentation_data, &theirs.augmentation_data);
            self.field(Key::AugmentationData, a, b, |bytes| describe::bytes(bytes));
        }
        if says.contains(Says::AUGMENTATION) {
            let encoding = |value: &Option<u8>| value.map_or("none".into(), |value| format!("{value:#04x}"));
            self.field(Key::CieFdeEncoding, &ours.fde_encoding, &theirs.fde_encoding, encoding);
            self.field(Key::CieLsdaEncoding, &ours.lsda_encoding, &theirs.lsda_encoding, encoding);
            self.field(Key::CiePersonality, &ours.personality, &theirs.personality, |value| match value {
                None => "none".into(),
                Some((encoding, pointer)) => format!("{encoding:#04x} {}", describe::pointer(*pointer)),
            });
            self.field(Key::CieSignalFrame, &ours.signal_frame, &theirs.signal_frame, bool::to_string);
        }
    }

    fn fdes(&mut self, ours: &Fde, theirs: &Fde, says: Says) {
        if says.contains(Says::CIE_OF_FDE) {
            let show =
                |cie: &Option<cfidiff_model::SectionOffset>| cie.map_or("none".into(), |cie| cie.to_string());
            self.field(Key::FdeCie, &ours.cie, &theirs.cie, show);
        }
        if says.contains(Says::CIE_POINTER) {
            self.field(Key::FdeCiePointer, &ours.cie_pointer, &theirs.cie_pointer, |value| {
                format!("{value:#x}")
            });
        }
        if says.contains(Says::SEGMENT) {
            let show =
                |segment: &Option<u64>| segment.map_or("none".into(), |segment| format!("{segment:#x}"));
            self.field(Key::FdeSegment, &ours.segment, &theirs.segment, show);
        }
        if says.contains(Says::RANGE) {
            let (a, b) = (&ours.initial_location, &theirs.initial_location);
            self.field(Key::FdeInitialLocation, a, b, ToString::to_string);
            let (a, b) = (&ours.address_range, &theirs.address_range);
            self.field(Key::FdeAddressRange, a, b, |range| format!("{range:#x}"));
        }
        if says.contains(Says::INDIRECT) {
            self.field(Key::FdeIndirect, &ours.indirect, &theirs.indirect, bool::to_string);
        }
        if says.contains(Says::FDE_AUGMENTATION_BYTES) {
            let (a, b) = (&ours.augmentation_data, &theirs.augmentation_data);
            self.field(Key::AugmentationData, a, b, |bytes| describe::bytes(bytes));
        }
        if says.contains(Says::LSDA) {
            let said = |lsda: Option<Pointer>| {
                lsda.map(|pointer| Pointer {
                    indirect: pointer.indirect && says.contains(Says::INDIRECT),
                    ..pointer
                })
            };
            let (a, b) = (said(ours.lsda), said(theirs.lsda));
            self.field(Key::FdeLsda, &a, &b, |lsda| describe::pointer(*lsda));
        }
    }

    fn instructions(&mut self, ours: &[Instruction], theirs: &[Instruction], says: Says) {
        let show = |instruction: &Instruction, target: &Target| describe::instruction(target, instruction, 0);
        for (index, (a, b)) in ours.iter().zip(theirs).enumerate() {
            if same_instruction(a, b, says) {
                continue;
            }
            let (ours, theirs) = (show(a, self.target), show(b, self.target));
            let same_opcode = a.name() == b.name()
                || (!says.contains(Says::INSTRUCTION_FORMS) && a.canonical().name() == b.canonical().name());
            if !same_opcode {
                // Behind a different opcode nothing is in its place any more.
                return self.push(
                    Key::InstructionOpcode,
                    format!("#{index} {ours}"),
                    format!("#{index} {theirs}"),
                );
            }
            self.push(Key::InstructionOperands, format!("#{index} {ours}"), format!("#{index} {theirs}"));
        }
        if ours.len() != theirs.len() {
            self.push(Key::InstructionCount, ours.len().to_string(), theirs.len().to_string());
        }
    }
}

/// How their locations relate to ours.
fn frame(ours: &Entry, theirs: &Entry, says: Says) -> Frame {
    match (&ours.kind, &theirs.kind) {
        (EntryKind::Fde(a), EntryKind::Fde(b)) if says.contains(Says::RANGE) => Frame {
            shift: a.initial_location.0.wrapping_sub(b.initial_location.0),
            same_range: a.address_range == b.address_range,
        },
        _ => Frame { shift: 0, same_range: true },
    }
}

fn same_instruction(ours: &Instruction, theirs: &Instruction, says: Says) -> bool {
    if ours == theirs || (!says.contains(Says::INSTRUCTION_FORMS) && ours.same_effect(theirs)) {
        return true;
    }
    // Not every reader tells an expression's size.
    match (ours, theirs) {
        (
            Instruction::DefCfaExpression { expression: a },
            Instruction::DefCfaExpression { expression: b },
        ) => a.same_as(b),
        (
            Instruction::Expression { register: r, expression: a },
            Instruction::Expression { register: s, expression: b },
        )
        | (
            Instruction::ValExpression { register: r, expression: a },
            Instruction::ValExpression { register: s, expression: b },
        ) => r == s && a.same_as(b),
        _ => false,
    }
}

/// Whether a program does nothing, so that a reader may leave out the row that equals the CIE's.
fn is_without_effect(instructions: &[Instruction]) -> bool {
    instructions.iter().all(|instruction| matches!(instruction, Instruction::Nop))
}

fn faults(entry: &Entry) -> String {
    let words: Vec<String> = entry.faults.iter().map(ToString::to_string).collect();
    words.join("; ")
}
