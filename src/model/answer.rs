//! How a reader answers: entries pushed one by one, with what the reader is able to say.

use bitflags::bitflags;

use crate::{Address, CfaRule, Entry, RegisterRule};

bitflags! {
    /// What a reader says of a section. Only what is said is compared.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
    pub struct Says: u32 {
        /// Offset, length and kind of CIEs and FDEs.
        const RECORDS = 1;
        /// 32-bit or 64-bit format of each record.
        const FORMAT = 1 << 1;
        /// Zero terminators.
        const TERMINATORS = 1 << 2;
        /// Records after a zero terminator. Without it the reader acts as a run-time unwinder, which stops there.
        const PAST_TERMINATOR = 1 << 3;
        /// A CIE's alignment factors and return address register.
        const CIE_FACTORS = 1 << 4;
        /// A CIE's version.
        const CIE_VERSION = 1 << 5;
        /// A CIE's address size.
        const ADDRESS_SIZE = 1 << 6;
        /// A CIE's segment selector size.
        const SEGMENT_SIZE = 1 << 7;
        /// The raw bytes of a CIE's augmentation data.
        const CIE_AUGMENTATION_BYTES = 1 << 8;
        /// The meaning of a CIE's augmentation data: encodings, personality, signal frame.
        const AUGMENTATION = 1 << 9;
        /// Which CIE an FDE belongs to.
        const CIE_OF_FDE = 1 << 10;
        /// The CIE pointer of an FDE as written.
        const CIE_POINTER = 1 << 11;
        /// Initial location and address range of an FDE.
        const RANGE = 1 << 12;
        /// The language-specific data area of an FDE.
        const LSDA = 1 << 13;
        /// Instructions with operands.
        const INSTRUCTIONS = 1 << 14;
        /// Rows of FDEs.
        const ROWS = 1 << 15;
        /// The initial row of CIEs.
        const CIE_ROWS = 1 << 16;
        /// In rows: "undefined" told apart from "no rule".
        const UNDEFINED_RULES = 1 << 17;
        /// In rows: the contents of expressions, not only that there is one.
        const ROW_EXPRESSIONS = 1 << 18;
        /// In rows: rules that the machine's ABI gives (RA_SIGN_STATE, register windows).
        const ARCHITECTURAL_RULES = 1 << 19;
        /// Rows of an FDE all of whose instructions are nops.
        const ROWS_OF_NOPS = 1 << 20;
        /// The segment selector of an FDE.
        const SEGMENT = 1 << 21;
        /// Whether an FDE's pointers are indirect (DW_EH_PE_indirect): its initial location and its LSDA.
        const INDIRECT = 1 << 22;
        /// Which of several encodings of one instruction was used: advance_loc1 against advance_loc4, offset
        /// against offset_extended, the `_sf` forms. A reader without it gives each group's canonical form, which
        /// [`Instruction::canonical`](crate::Instruction::canonical) lists, and its instructions are compared with
        /// [`Instruction::same_effect`](crate::Instruction::same_effect).
        const INSTRUCTION_FORMS = 1 << 23;
        /// A CIE's augmentation string.
        const AUGMENTATION_STRING = 1 << 24;
        /// The raw bytes of an FDE's augmentation data.
        const FDE_AUGMENTATION_BYTES = 1 << 25;
    }
}

/// How a reader's answer on one section, or on a whole case, ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It read to the end.
    Answered,
    /// It cannot say anything of this input, and says so.
    Unsupported(String),
    /// It broke: crashed, went silent, ran out of time, or printed what cannot be parsed. The words say which and
    /// where.
    Failed(String),
}

/// What a reader says of one address, as an unwinder needs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LookUp {
    /// The link-time address that was asked about.
    pub address: Address,
    /// The CFA there; undefined as well when the reader has no row for the address.
    pub cfa: CfaRule,
    /// How the return address is recovered; `None` for no rule.
    pub return_address: Option<RegisterRule>,
}

impl LookUp {
    /// The answer for an address that no row holds for.
    pub fn without_row(address: Address) -> LookUp {
        LookUp { address, cfa: CfaRule::Undefined, return_address: None }
    }

    /// Whether two addresses have the same answer.
    pub fn same_as(&self, other: &LookUp) -> bool {
        self.cfa == other.cfa && self.return_address == other.return_address
    }
}

/// Where a reader's answer goes, entry by entry.
///
/// A reader calls `section` for each section it speaks of, then `entry` for each of its records in the order
/// in which the reader gives them, then `end_section`. Whatever it cannot tie to a section it reports through
/// `end_case`, which it calls exactly once for each case.
pub trait Sink {
    /// The entries that follow belong to `cases[case].sections[section]`, and say what `says` tells.
    fn section(&mut self, case: usize, section: usize, says: Says);
    /// One entry of the current section. The reader reuses it afterwards.
    fn entry(&mut self, entry: &Entry);
    /// The current section's answer is over.
    fn end_section(&mut self, outcome: Outcome);
    /// The case's answer is over. Sections that it did not speak of were passed over in silence.
    fn end_case(&mut self, case: usize, outcome: Outcome);
    /// Whether the reader may stop early, since nobody listens any more.
    fn cancelled(&self) -> bool {
        false
    }
}
