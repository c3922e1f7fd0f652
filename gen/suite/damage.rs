//! Deliberate damage: corruptions by name, each with the fault that a reader has to report.

use cfidiff_model::FaultKind;

/// Lists the corruptions: the name in JSON, the fault, and what is done to a well-formed section.
macro_rules! damages {
    ($($variant:ident = $name:literal, $fault:ident, $about:literal;)+) => {
        /// A way to corrupt a well-formed section.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        pub enum Damage {
            $(#[doc = $about] $variant,)+
        }

        impl Damage {
            /// All of them, in the order of the declaration.
            pub const ALL: &[Damage] = &[$(Damage::$variant),+];

            /// The stable name.
            pub fn name(self) -> &'static str {
                match self { $(Damage::$variant => $name,)+ }
            }

            /// The fault that has to be reported.
            pub fn fault(self) -> FaultKind {
                match self { $(Damage::$variant => FaultKind::$fault,)+ }
            }

            /// What is done to the section.
            pub fn about(self) -> &'static str {
                match self { $(Damage::$variant => $about,)+ }
            }
        }
    };
}

damages! {
    // Lengths and ids.
    LengthPastSection = "length-past-section", LengthPastSection,
        "The last record's length reaches past the end of the section.";
    LengthHighBit = "length-high-bit", LengthPastSection,
        "A length has its highest bit set, 0x80000000, which is negative to signed numbers.";
    LengthLargest = "length-largest", LengthPastSection,
        "A length is 0xffffffef, the largest that is no escape and not reserved.";
    LengthWide = "length-wide", LengthPastSection,
        "An extended length is right in its low 32 bits and 2^32 too large.";
    LengthWideLargest = "length-wide-largest", LengthPastSection,
        "An extended length is 2^64-1, to which no offset can be added.";
    LengthOneTooLong = "length-one-too-long", TruncatedLength,
        "The last record's length takes a byte of the terminator, of which three are left.";
    LengthOneTooShort = "length-one-too-short", LengthPastSection,
        "A record's length leaves its last byte to the next length, which is wild then.";
    LengthZero = "length-zero", LengthPastSection,
        "A record's length is zero, so that its CIE pointer is the next length.";
    LengthReservedLowest = "length-reserved-lowest", ReservedLength,
        "A length is 0xfffffff0, the first of the reserved ones.";
    LengthReservedHighest = "length-reserved-highest", ReservedLength,
        "A length is 0xfffffffe, the last of the reserved ones.";
    LengthTruncated = "length-truncated", TruncatedLength, "The section ends inside a length.";
    LengthWideTruncated = "length-wide-truncated", TruncatedLength,
        "The section ends inside an extended length.";
    IdTruncated = "id-truncated", TruncatedRecord, "A record of two bytes has no room for its CIE pointer.";
    IdWideTruncated = "id-wide-truncated", TruncatedRecord,
        "A record of the 64-bit format has four bytes, half of its CIE pointer.";
    IdOne = "id-one", CiePointerInside,
        "A CIE's id is one, so that it is an FDE whose CIE pointer leads into its own length.";
    IdAlmost = "id-almost", CiePointerOutside,
        "A CIE's id in .debug_frame is 0xfffffffe, so that it is an FDE with a wild CIE pointer.";

    // CIE pointers.
    CiePointerPastSection = "cie-pointer-past-section", CiePointerOutside,
        "A CIE pointer leads far behind the section.";
    CiePointerBeforeSection = "cie-pointer-before-section", CiePointerOutside,
        "A CIE pointer leads to before the section's start.";
    CiePointerToEnd = "cie-pointer-to-end", CiePointerOutside,
        "A CIE pointer leads to the first byte behind the section.";
    CiePointerWide = "cie-pointer-wide", CiePointerOutside,
        "A CIE pointer of eight bytes leads to the CIE in its low 32 bits and is 2^32 too large.";
    CiePointerIntoCie = "cie-pointer-into-cie", CiePointerInside,
        "A CIE pointer leads one byte into its CIE.";
    CiePointerIntoFde = "cie-pointer-into-fde", CiePointerInside,
        "A CIE pointer leads into the instructions of an FDE.";
    CiePointerToFde = "cie-pointer-to-fde", CiePointerNotCie, "A CIE pointer leads to another FDE.";
    CiePointerToItself = "cie-pointer-to-itself", CiePointerNotCie, "A CIE pointer leads to its own FDE.";
    CiePointerToTerminator = "cie-pointer-to-terminator", CiePointerNotCie,
        "A CIE pointer leads to a zero word.";

    // CIEs.
    CieEmpty = "cie-empty", TruncatedRecord, "A CIE ends behind its id.";
    CieUnreadable = "cie-unreadable", CieUnreadable, "An FDE names a CIE behind it that ends inside its own fields.";
    CieVersion0 = "cie-version-0", CieVersion, "A CIE has the version 0.";
    CieVersion2 = "cie-version-2", CieVersion, "A CIE has the version 2.";
    CieVersion5 = "cie-version-5", CieVersion, "A CIE has the version 5.";
    CieVersion255 = "cie-version-255", CieVersion, "A CIE has the version 255.";
    AugmentationUnterminated = "augmentation-unterminated", AugmentationString,
        "A CIE ends inside its augmentation string.";
    AugmentationMissing = "augmentation-missing", AugmentationString, "A CIE ends behind its version.";
    AugmentationUnknown = "augmentation-unknown", Augmentation,
        "A CIE has the augmentation foo, behind which nothing can be read.";
    AugmentationWithoutZ = "augmentation-without-z", Augmentation,
        "A CIE has the augmentation R without the z that gives its data's length.";
    AugmentationLetterFirst = "augmentation-letter-first", Augmentation,
        "An unknown letter stands before R, so that the data of R cannot be found.";
    AddressSizeTruncated = "address-size-truncated", TruncatedRecord,
        "A version 4 CIE ends before its address size.";
    AddressSize0 = "address-size-0", AddressSize, "A version 4 CIE has an address size of 0.";
    AddressSize3 = "address-size-3", AddressSize, "A version 4 CIE has an address size of 3.";
    AddressSize16 = "address-size-16", AddressSize, "A version 4 CIE has an address size of 16.";
    AddressSize255 = "address-size-255", AddressSize, "A version 4 CIE has an address size of 255.";
    SegmentSizeTruncated = "segment-size-truncated", TruncatedRecord,
        "A version 4 CIE ends before its segment selector size.";
    SegmentSize3 = "segment-size-3", SegmentSelectorSize, "A version 4 CIE has a segment selector size of 3.";
    EhDataTruncated = "eh-data-truncated", TruncatedRecord,
        "A CIE with the augmentation eh ends inside its exception data pointer.";
    CodeFactorMissing = "code-factor-missing", TruncatedRecord,
        "A CIE ends before its code alignment factor.";
    CodeFactorTruncated = "code-factor-truncated", TruncatedRecord,
        "A CIE ends inside its code alignment factor.";
    CodeFactorOverflow = "code-factor-overflow", LebOverflow,
        "A code alignment factor has more than 64 bits.";
    DataFactorTruncated = "data-factor-truncated", TruncatedRecord,
        "A CIE ends inside its data alignment factor.";
    DataFactorOverflow = "data-factor-overflow", LebOverflow,
        "A data alignment factor has more than 64 bits.";
    ReturnRegisterMissing = "return-register-missing", TruncatedRecord,
        "A version 1 CIE ends before its return address register.";
    ReturnRegisterTruncated = "return-register-truncated", TruncatedRecord,
        "A version 3 CIE ends inside its return address register.";
    ReturnRegisterOverflow = "return-register-overflow", LebOverflow,
        "The return address register of a version 3 CIE has more than 64 bits.";
    CieDataLengthTruncated = "cie-data-length-truncated", TruncatedRecord,
        "A CIE ends inside its augmentation length.";
    CieDataLengthOverflow = "cie-data-length-overflow", LebOverflow,
        "A CIE's augmentation length has more than 64 bits.";
    CieDataLengthPastRecord = "cie-data-length-past-record", AugmentationLength,
        "A CIE's augmentation length reaches past its record.";
    CieDataLengthWide = "cie-data-length-wide", AugmentationLength,
        "A CIE's augmentation length is right in its low 32 bits and 2^32 too large.";
    CieDataLengthLargest = "cie-data-length-largest", AugmentationLength,
        "A CIE's augmentation length is 2^64-1, to which no offset can be added.";
    FdeEncodingMissing = "fde-encoding-missing", AugmentationLength,
        "A CIE's augmentation length is zero though R announces a byte.";
    LsdaEncodingMissing = "lsda-encoding-missing", AugmentationLength,
        "A CIE's augmentation length has room for one of the bytes that R and L announce.";
    PersonalityTruncated = "personality-truncated", AugmentationLength,
        "A CIE's augmentation data ends inside the personality routine.";
    PersonalityOverflow = "personality-overflow", LebOverflow,
        "A personality routine in uleb128 has more than 64 bits.";
    PersonalityEncoding = "personality-encoding", PointerEncoding,
        "The personality routine's encoding is 0x0d, which has no format.";
    PersonalityBase = "personality-base", PointerBase,
        "The personality routine is datarel in a file without .got.";
    PersonalityFuncrel = "personality-funcrel", PointerBase,
        "The personality routine is funcrel, though a CIE has no function.";
    LsdaEncoding = "lsda-encoding", PointerEncoding, "The encoding of L is 0x6b, which has no application.";
    FdeEncodingFormat = "fde-encoding-format", PointerEncoding,
        "The encoding of R is 0x0d, which has no format.";
    FdeEncodingApplication = "fde-encoding-application", PointerEncoding,
        "The encoding of R is 0x6b, which has no application.";
    FdeEncodingOmit = "fde-encoding-omit", PointerEncoding,
        "The encoding of R omits the initial location, which no FDE can do without.";
    CieOpcode = "cie-opcode", UnknownOpcode, "A CIE's instructions have an opcode that is not defined.";
    CieOperandTruncated = "cie-operand-truncated", TruncatedInstruction,
        "A CIE ends inside an operand of its instructions.";
    CieRestore = "cie-restore", RestoreInCie,
        "A CIE's instructions restore a register, for which there is no initial rule yet.";
    CieAdvance = "cie-advance", LocationPastEnd,
        "A CIE's instructions advance a location that they do not have.";
    CieOperation = "cie-operation", Expression,
        "A CIE's CFA expression has an operation that is not defined.";

    // FDEs.
    FdeEmpty = "fde-empty", TruncatedRecord, "An FDE ends behind its CIE pointer.";
    SegmentTruncated = "segment-truncated", TruncatedRecord, "An FDE ends inside its segment selector.";
    LocationTruncated = "location-truncated", TruncatedRecord, "An FDE ends inside its initial location.";
    LocationLebTruncated = "location-leb-truncated", TruncatedRecord,
        "An FDE ends inside an initial location in uleb128.";
    LocationOverflow = "location-overflow", LebOverflow,
        "An initial location in uleb128 has more than 64 bits.";
    LocationBase = "location-base", PointerBase, "Initial locations are datarel in a file without .got.";
    LocationFuncrel = "location-funcrel", PointerBase,
        "Initial locations are funcrel, relative to themselves.";
    RangeMissing = "range-missing", TruncatedRecord, "An FDE ends before its address range.";
    RangeTruncated = "range-truncated", TruncatedRecord, "An FDE ends inside its address range.";
    RangeLebOverflow = "range-leb-overflow", LebOverflow,
        "An address range in uleb128 has more than 64 bits.";
    RangeWraps = "range-wraps", RangeOverflow,
        "An initial location plus its range goes past the end of the address space.";
    RangeWraps32 = "range-wraps-32", RangeOverflow, "The same in a 32-bit address space.";
    FdeDataLengthMissing = "fde-data-length-missing", TruncatedRecord,
        "An FDE ends before its augmentation length.";
    FdeDataLengthTruncated = "fde-data-length-truncated", TruncatedRecord,
        "An FDE ends inside its augmentation length.";
    FdeDataLengthOverflow = "fde-data-length-overflow", LebOverflow,
        "An FDE's augmentation length has more than 64 bits.";
    FdeDataLengthPastRecord = "fde-data-length-past-record", AugmentationLength,
        "An FDE's augmentation length reaches past its record.";
    FdeDataLengthWide = "fde-data-length-wide", AugmentationLength,
        "An FDE's augmentation length is right in its low 32 bits and 2^32 too large.";
    FdeDataLengthLargest = "fde-data-length-largest", AugmentationLength,
        "An FDE's augmentation length is 2^64-1, to which no offset can be added.";
    LsdaMissing = "lsda-missing", AugmentationLength,
        "An FDE's augmentation length is zero though its CIE has L.";
    LsdaTruncated = "lsda-truncated", AugmentationLength,
        "An FDE's augmentation data ends inside the LSDA pointer.";
    LsdaOverflow = "lsda-overflow", LebOverflow, "An LSDA pointer in uleb128 has more than 64 bits.";
    LsdaBase = "lsda-base", PointerBase, "LSDA pointers are datarel in a file without .got.";

    // Instructions.
    Advance1Truncated = "advance1-truncated", TruncatedInstruction,
        "An FDE ends before the operand of advance_loc1.";
    Advance2Truncated = "advance2-truncated", TruncatedInstruction,
        "An FDE ends inside the operand of advance_loc2.";
    Advance4Truncated = "advance4-truncated", TruncatedInstruction,
        "An FDE ends inside the operand of advance_loc4.";
    Advance8Truncated = "advance8-truncated", TruncatedInstruction,
        "An FDE ends inside the operand of MIPS_advance_loc8.";
    SetLocTruncated = "set-loc-truncated", TruncatedInstruction,
        "An FDE ends inside the encoded operand of set_loc.";
    SetLocAddressTruncated = "set-loc-address-truncated", TruncatedInstruction,
        "An FDE ends inside the address that set_loc has in .debug_frame.";
    SetLocOverflow = "set-loc-overflow", LebOverflow, "The operand of set_loc in uleb128 has more than 64 bits.";
    UnsignedMissing = "unsigned-missing", TruncatedInstruction,
        "An FDE ends before the operand of def_cfa_offset.";
    UnsignedTruncated = "unsigned-truncated", TruncatedInstruction,
        "An FDE ends inside the operand of def_cfa_offset.";
    UnsignedOverflow = "unsigned-overflow", LebOverflow,
        "The operand of def_cfa_offset has more than 64 bits.";
    SignedMissing = "signed-missing", TruncatedInstruction,
        "An FDE ends before the operand of def_cfa_offset_sf.";
    SignedTruncated = "signed-truncated", TruncatedInstruction,
        "An FDE ends inside the operand of def_cfa_offset_sf.";
    SignedOverflow = "signed-overflow", LebOverflow,
        "The operand of def_cfa_offset_sf has more than 64 bits.";
    RegisterTruncated = "register-truncated", TruncatedInstruction,
        "An FDE ends inside the register of same_value.";
    RegisterOverflow = "register-overflow", LebOverflow, "The register of undefined has more than 64 bits.";
    SecondOperandMissing = "second-operand-missing", TruncatedInstruction,
        "An FDE ends between the operands of offset_extended.";
    LowRegisterTruncated = "low-register-truncated", TruncatedInstruction,
        "An FDE ends before the offset of DW_CFA_offset.";
    ArgsSizeMissing = "args-size-missing", TruncatedInstruction,
        "An FDE ends before the operand of GNU_args_size.";
    BlockLengthMissing = "block-length-missing", TruncatedInstruction,
        "An FDE ends before the length of a CFA expression.";
    BlockLengthOverflow = "block-length-overflow", LebOverflow,
        "The length of a CFA expression has more than 64 bits.";
    BlockPastRecord = "block-past-record", TruncatedInstruction,
        "A CFA expression is longer than the rest of its record.";
    BlockWide = "block-wide", TruncatedInstruction,
        "The length of a CFA expression is right in its low 32 bits and 2^32 too large.";
    BlockLargest = "block-largest", TruncatedInstruction,
        "The length of a register's expression is 2^64-1, to which no offset can be added.";
    ValBlockPastRecord = "val-block-past-record", TruncatedInstruction,
        "A val_expression is longer than the rest of its record.";
    OpcodeLow = "opcode-low", UnknownOpcode, "An opcode is 0x17, which is not defined.";
    OpcodeUser = "opcode-user", UnknownOpcode, "An opcode is 0x1c, the first of the vendors'.";
    OpcodeLast = "opcode-last", UnknownOpcode, "An opcode is 0x3f, the last of the vendors'.";
    OpcodeOfOthers = "opcode-of-others", UnknownOpcode,
        "An opcode is 0x2c, which AArch64 defines, on x86-64.";
    Operation = "operation", Expression, "A CFA expression has an operation that is not defined.";
    OperationTruncated = "operation-truncated", Expression,
        "A CFA expression ends inside an operand, while its record goes on.";
    OperationOverflow = "operation-overflow", Expression,
        "An operand in a register's expression has more than 64 bits.";
    OperationBlock = "operation-block", Expression,
        "An implicit value in an expression is longer than the rest of the expression.";

    // Rows.
    SetLocBackwards = "set-loc-backwards", LocationBackwards,
        "set_loc goes back to an address before the current one.";
    AdvanceWraps = "advance-wraps", LocationBackwards,
        "An advance goes past the end of a 32-bit address space, back to its start.";
    AdvancePastEnd = "advance-past-end", LocationPastEnd, "An advance goes past the end of the FDE.";
    SetLocPastEnd = "set-loc-past-end", LocationPastEnd, "set_loc goes past the end of the FDE.";
    RestoreAlone = "restore-alone", RestoreWithoutRemember, "restore_state without a remembered state.";
    RestoreTwice = "restore-twice", RestoreWithoutRemember, "One remember_state and two restore_state.";
    RememberDepth = "remember-depth", RememberDepth, "257 remembered states, more than a reader has to keep.";
    RuleCount = "rule-count", RuleCount, "Rules for 520 registers above 127, more than a reader has to keep.";
    OffsetWithoutCfa = "offset-without-cfa", CfaNotRegister, "def_cfa_offset before any CFA rule is defined.";
    OffsetAfterExpression = "offset-after-expression", CfaNotRegister,
        "def_cfa_offset while the CFA is an expression.";
    RegisterAfterExpression = "register-after-expression", CfaNotRegister,
        "def_cfa_register while the CFA is an expression.";
}
