//! Faults: what a reader could not read, with the place and what stood there.

use crate::{Bytes, SectionOffset};

/// Something that a reader could not read, with the place and what stood there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The section offset of the first byte concerned.
    pub offset: SectionOffset,
    /// The bytes that stand there, up to 16.
    pub bytes: Bytes,
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// What was expected, or the words of the tool that complained.
    pub expected: std::borrow::Cow<'static, str>,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}: ", self.kind.name(), self.offset)?;
        for (index, byte) in self.bytes.iter().enumerate() {
            write!(f, "{}{byte:02x}", if index == 0 { "found " } else { " " })?;
        }
        write!(f, "{}{}", if self.bytes.is_empty() { "" } else { ", expected " }, self.expected)
    }
}

keyed_enum! {
    /// The kinds of fault. The keys are stable.
    FaultKind {
        /// The section ends inside a length field.
        TruncatedLength = "fault.truncated-length";
        /// A length in the reserved range 0xfffffff0 to 0xfffffffe.
        ReservedLength = "fault.reserved-length";
        /// A length that reaches past the section's end.
        LengthPastSection = "fault.length-past-section";
        /// A record that ends inside one of its fields.
        TruncatedRecord = "fault.truncated-record";
        /// A CIE version that no specification defines.
        CieVersion = "fault.cie-version";
        /// An augmentation letter that cannot be skipped.
        Augmentation = "fault.augmentation";
        /// An augmentation string without its NUL.
        AugmentationString = "fault.augmentation-string";
        /// An augmentation length that does not fit its record or its contents.
        AugmentationLength = "fault.augmentation-length";
        /// An address size other than 1, 2, 4 or 8 in a version 4 CIE.
        AddressSize = "fault.address-size";
        /// A segment selector size other than 0, 1, 2, 4 or 8.
        SegmentSelectorSize = "fault.segment-selector-size";
        /// A CIE pointer that leads outside the section.
        CiePointerOutside = "fault.cie-pointer-outside";
        /// A CIE pointer that leads into the middle of a record.
        CiePointerInside = "fault.cie-pointer-inside";
        /// A CIE pointer that leads to a record which is no CIE.
        CiePointerNotCie = "fault.cie-pointer-not-cie";
        /// A CIE that could not be read itself.
        CieUnreadable = "fault.cie-unreadable";
        /// A pointer encoding that is not defined.
        PointerEncoding = "fault.pointer-encoding";
        /// A pointer whose base the file does not tell.
        PointerBase = "fault.pointer-base";
        /// A LEB128 number that does not fit 64 bits.
        LebOverflow = "fault.leb-overflow";
        /// An opcode without a definition for the machine.
        UnknownOpcode = "fault.unknown-opcode";
        /// An instruction whose operands reach past the record's end.
        TruncatedInstruction = "fault.truncated-instruction";
        /// An expression that could not be decoded to its end.
        Expression = "fault.expression";
        /// A location that went down, or past the end of the address space.
        LocationBackwards = "fault.location-backwards";
        /// A location past the end of the FDE.
        LocationPastEnd = "fault.location-past-end";
        /// A restore_state without a state to restore.
        RestoreWithoutRemember = "fault.restore-without-remember";
        /// More remembered states than the reader keeps.
        RememberDepth = "fault.remember-depth";
        /// More register rules than the reader keeps.
        RuleCount = "fault.rule-count";
        /// A CFA offset or register change while no register CFA rule is in force.
        CfaNotRegister = "fault.cfa-not-register";
        /// A restore in a CIE, which has no initial rules to go back to.
        RestoreInCie = "fault.restore-in-cie";
        /// An initial location plus range that wraps around the address space.
        RangeOverflow = "fault.range-overflow";
        /// A relocation that could not be applied to this field.
        Relocation = "fault.relocation";
        /// Words of an oracle about a record, in its own terms.
        Reported = "fault.reported";
    }
}
