//! Findings: differences between readers, each under a stable key, each with a verdict and its reason.

use serde::Serialize;

use crate::SectionOffset;

/// How a comparison ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The readers say the same.
    Agree,
    /// They do not, and nothing explains it: somebody is wrong.
    Differ,
    /// They do not, and the specification leaves the reading open.
    Open,
    /// They do not, for a fault of that tool and version that is listed with evidence.
    KnownFault,
    /// The oracle crashed, ran out of time, went silent, or printed what cannot be parsed.
    OracleFailed,
}

impl Verdict {
    /// The stable name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Agree => "agree",
            Verdict::Differ => "differ",
            Verdict::Open => "open",
            Verdict::KnownFault => "known-fault",
            Verdict::OracleFailed => "oracle-failed",
        }
    }
}

/// Who is wrong where two readers differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wrong {
    /// The reader that the finding is of.
    Reader,
    /// Our reader.
    Ours,
    /// Both, each in its own way.
    Both,
    /// Nobody: the place is left to the reader.
    Nobody,
    /// One of them, and nothing tells which.
    Unknown,
}

impl Wrong {
    /// All, in the order of the documentation.
    pub const ALL: [Wrong; 5] = [Wrong::Reader, Wrong::Ours, Wrong::Both, Wrong::Nobody, Wrong::Unknown];

    /// The stable name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Wrong::Reader => "reader",
            Wrong::Ours => "ours",
            Wrong::Both => "both",
            Wrong::Nobody => "nobody",
            Wrong::Unknown => "unknown",
        }
    }
}

/// By what it is told who is wrong: the highest rung of the ladder that the place has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rung {
    /// The file was made, and its expected answer was written down with it.
    Construction,
    /// A clause of the specification that our decision point or a listed fault cites.
    Clause,
    /// Independent readers, of which those that share code count as one.
    Agreement,
    /// Nothing but the failure itself: the reader broke, or readers are divided.
    None,
}

impl Rung {
    /// All, the highest first.
    pub const ALL: [Rung; 4] = [Rung::Construction, Rung::Clause, Rung::Agreement, Rung::None];

    /// The stable name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Rung::Construction => "construction",
            Rung::Clause => "clause",
            Rung::Agreement => "agreement",
            Rung::None => "none",
        }
    }
}

/// What an answer on the place of a finding is worth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Worth {
    /// It is the right one.
    Right,
    /// It is a wrong one.
    Wrong,
    /// It is left to the reader.
    Open,
    /// Nothing tells.
    Unknown,
}

impl Worth {
    /// All, in the order of the documentation.
    pub const ALL: [Worth; 4] = [Worth::Right, Worth::Wrong, Worth::Open, Worth::Unknown];

    /// The stable name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Worth::Right => "right",
            Worth::Wrong => "wrong",
            Worth::Open => "open",
            Worth::Unknown => "unknown",
        }
    }
}

/// What one reader says of the place of a finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Statement {
    /// The reader; [`Finding::OURS`] for ours.
    pub reader: String,
    /// What it says, in the words of the finding.
    pub says: String,
    /// What that is worth.
    pub worth: Worth,
    /// Why, in a few words.
    pub why: String,
}

keyed_enum! {
    /// The stable key of a finding, with the clause that decides who is right.
    Key {
        /// A section that the reader passed over or gave up on.
        SectionUnread = "section.unread", "every record of a section is part of the answer";
        /// A record that the reader does not list.
        EntryMissing = "entry.missing", "DWARF 5 section 6.4.1: a record is followed by the next, length bytes on";
        /// A record that the reader lists and that does not exist.
        EntryExtra = "entry.extra", "DWARF 5 section 6.4.1: a record is followed by the next, length bytes on";
        /// A record that the reader lists twice.
        EntryRepeated = "entry.repeated", "DWARF 5 section 6.4.1: a record is followed by the next, length bytes on";
        /// A record that the reader refuses.
        EntryRejected = "entry.rejected", "a well-formed record is read, an ill-formed one is reported";
        /// A record that the reader accepts in silence though it is ill-formed.
        EntryAccepted = "entry.accepted", "a well-formed record is read, an ill-formed one is reported";
        /// CIE against FDE against terminator.
        EntryKind = "entry.kind", "LSB exception frames and DWARF 5 section 6.4.1: the id field tells a CIE from an FDE";
        /// The length field.
        EntryLength = "entry.length", "DWARF 5 section 7.4: initial length";
        /// 32-bit or 64-bit format.
        EntryFormat = "entry.format", "DWARF 5 section 7.4: 32-bit and 64-bit formats";
        /// The CIE's version.
        CieVersion = "cie.version", "DWARF 5 section 6.4.1 and 7.24: CIE version";
        /// The augmentation string.
        CieAugmentation = "cie.augmentation", "LSB exception frames: augmentation string";
        /// The address size of a version 4 CIE.
        CieAddressSize = "cie.address-size", "DWARF 5 section 6.4.1: address_size";
        /// The segment selector size of a version 4 CIE.
        CieSegmentSelectorSize = "cie.segment-selector-size", "DWARF 5 section 6.4.1: segment_selector_size";
        /// The code alignment factor.
        CieCodeAlignmentFactor = "cie.code-alignment-factor", "DWARF 5 section 6.4.1: code_alignment_factor, unsigned LEB128";
        /// The data alignment factor.
        CieDataAlignmentFactor = "cie.data-alignment-factor", "DWARF 5 section 6.4.1: data_alignment_factor, signed LEB128";
        /// The return address register.
        CieReturnAddressRegister = "cie.return-address-register", "DWARF 5 section 6.4.1: unsigned LEB128; one byte in version 1 (DWARF 2)";
        /// The augmentation data bytes.
        AugmentationData = "augmentation.data", "LSB exception frames: augmentation length and data";
        /// The encoding of initial locations.
        CieFdeEncoding = "cie.fde-encoding", "LSB exception frames: augmentation R";
        /// The encoding of LSDA pointers.
        CieLsdaEncoding = "cie.lsda-encoding", "LSB exception frames: augmentation L";
        /// The personality routine.
        CiePersonality = "cie.personality", "LSB exception frames: augmentation P";
        /// The signal frame flag.
        CieSignalFrame = "cie.signal-frame", "augmentation S: the frame is a signal frame";
        /// The CIE that an FDE belongs to.
        FdeCie = "fde.cie", "LSB: the CIE pointer counts back from its own field; DWARF 5 section 6.4.1: it is a section offset";
        /// The CIE pointer as written.
        FdeCiePointer = "fde.cie-pointer", "DWARF 5 section 6.4.1: CIE_pointer";
        /// The segment selector.
        FdeSegment = "fde.segment", "DWARF 5 section 6.4.1: initial_location is preceded by a segment selector of the CIE's size";
        /// The initial location.
        FdeInitialLocation = "fde.initial-location", "LSB: the encoding of the CIE's R, pcrel from the field's address; DWARF 5 section 6.4.1: a target address";
        /// Whether the initial location is that of a slot which holds it.
        FdeIndirect = "fde.indirect", "LSB exception frames: DW_EH_PE_indirect in the CIE's R";
        /// The address range.
        FdeAddressRange = "fde.address-range", "LSB: the format of the CIE's R without its application; DWARF 5 section 6.4.1: address_range";
        /// The language-specific data area.
        FdeLsda = "fde.lsda", "LSB exception frames: augmentation L";
        /// Which instruction stands at a place.
        InstructionOpcode = "instruction.opcode", "DWARF 5 section 7.24: call frame instruction encodings";
        /// The operands of an instruction.
        InstructionOperands = "instruction.operands", "DWARF 5 section 6.4.2: operands and their factors";
        /// The number of instructions.
        InstructionCount = "instruction.count", "DWARF 5 section 6.4.1: the instructions fill the record";
        /// Locations for which one reader has a row and the other has none.
        RowLocation = "row.location", "DWARF 5 section 6.4.3: a location starts a new row";
        /// The CFA rule of a row.
        RowCfa = "row.cfa", "DWARF 5 section 6.4.2.2: CFA definition instructions";
        /// The register of a CFA rule.
        RowCfaRegister = "row.cfa-register", "DWARF 5 section 6.4.2.2: CFA definition instructions";
        /// The offset of a CFA rule.
        RowCfaOffset = "row.cfa-offset", "DWARF 5 section 6.4.2.2: CFA definition instructions";
        /// A register rule of a row.
        RowRegisterRule = "row.register-rule", "DWARF 5 section 6.4.2.3: register rule instructions";
    }
}

impl Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One difference between a reader and ours, or one failure of a reader.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// What differs.
    pub key: Key,
    /// What follows from it.
    pub verdict: Verdict,
    /// The reader that differs.
    pub reader: String,
    /// The case's name.
    pub file: String,
    /// The section's name. Empty when the case as a whole is concerned: the reader broke, and no record was left to read.
    pub section: String,
    /// The record's offset as the reader gives it, or that of the section's first byte when the whole section is
    /// concerned.
    pub offset: SectionOffset,
    /// What our reader says.
    pub ours: String,
    /// What the other reader says.
    pub theirs: String,
    /// The cause in a few stable words, the same for all findings that it explains: the name of a listed fault or
    /// open question, or the kind of ill-formedness. Empty for unexplained differences.
    pub cause: String,
    /// Who is wrong.
    pub wrong: Wrong,
    /// By what that is told.
    pub rung: Rung,
    /// Why the verdict is what it is: who is wrong and by which rung, or which listed fault explains it.
    pub reason: String,
    /// What all readers say that have a word on the place, ours first. Empty when the finding is of no one record.
    pub statements: Vec<Statement>,
    /// A command that shows it.
    pub repro: String,
    /// How many places the finding stands for, when one cause has many.
    pub count: u64,
}

impl Finding {
    /// The name under which our own reader is listed among others.
    pub const OURS: &str = "ours";
    /// The name under which an expected answer is listed that no reader but ours differs from.
    pub const EXPECTED: &str = "expected answer";
}
