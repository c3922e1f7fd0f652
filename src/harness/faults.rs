//! Which faults of a record a reader can be asked to tell: those in what it says.

use cfidiff_model::{EntryKind, FaultKind, Says};

/// What of a CIE is read for what is said of it, beside the record itself.
const CIE_FIELDS: Says = Says::CIE_FACTORS
    .union(Says::CIE_VERSION)
    .union(Says::ADDRESS_SIZE)
    .union(Says::SEGMENT_SIZE)
    .union(Says::CIE_AUGMENTATION_BYTES)
    .union(Says::AUGMENTATION)
    .union(Says::AUGMENTATION_STRING)
    .union(Says::CIE_ROWS);

/// The same of an FDE. All of it needs the CIE.
const FDE_FIELDS: Says = Says::CIE_OF_FDE
    .union(Says::RANGE)
    .union(Says::LSDA)
    .union(Says::SEGMENT)
    .union(Says::FDE_AUGMENTATION_BYTES)
    .union(Says::ROWS);

/// Whether a reader that says so much reads what the fault is in. One that lists records alone does not look into them,
/// and one that has no rows of CIEs may never look at their instructions.
pub(super) fn is_read(fault: FaultKind, record: &EntryKind, says: Says) -> bool {
    let is_cie = matches!(record, EntryKind::Cie(_));
    let rows = if is_cie { Says::CIE_ROWS } else { Says::ROWS };
    let fields = if is_cie { CIE_FIELDS } else { FDE_FIELDS } | Says::INSTRUCTIONS;
    let any_of = match fault {
        FaultKind::TruncatedLength
        | FaultKind::ReservedLength
        | FaultKind::LengthPastSection
        | FaultKind::Relocation
        | FaultKind::Reported => return true,
        FaultKind::TruncatedRecord if matches!(record, EntryKind::Unreadable) => return true,
        FaultKind::TruncatedRecord
        | FaultKind::CieVersion
        | FaultKind::Augmentation
        | FaultKind::AugmentationString
        | FaultKind::AugmentationLength
        | FaultKind::AddressSize
        | FaultKind::SegmentSelectorSize
        | FaultKind::CiePointerOutside
        | FaultKind::CiePointerInside
        | FaultKind::CiePointerNotCie
        | FaultKind::CieUnreadable
        | FaultKind::PointerEncoding
        | FaultKind::PointerBase
        | FaultKind::LebOverflow => fields,
        FaultKind::UnknownOpcode | FaultKind::TruncatedInstruction => Says::INSTRUCTIONS | rows,
        FaultKind::Expression => Says::INSTRUCTIONS | Says::ROW_EXPRESSIONS,
        FaultKind::LocationBackwards
        | FaultKind::LocationPastEnd
        | FaultKind::RestoreWithoutRemember
        | FaultKind::RememberDepth
        | FaultKind::RuleCount
        | FaultKind::CfaNotRegister
        | FaultKind::RestoreInCie => rows,
        FaultKind::RangeOverflow => Says::RANGE,
    };
    says.intersects(any_of)
}
