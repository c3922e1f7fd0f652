//! Invariants: what must hold of call frame information by itself, whoever reads it.

use serde::Serialize;

use crate::{Address, SectionOffset};

/// How much a broken invariant weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The information is wrong: somebody who reads it rightly gets a wrong answer or none.
    Error,
    /// The information lacks something, or some readers cannot use it.
    Warning,
    /// Worth to know, and often as it should be.
    Info,
}

impl Severity {
    /// Every severity, the gravest first.
    pub const ALL: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Info];

    /// The stable name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// Declares the invariants by severity, each with its key, what must hold, and the clause that says so.
macro_rules! invariants {
    ($($severity:ident { $($variant:ident = $key:literal, $must:literal, $clause:literal;)+ })+) => {
        keyed_enum! {
            /// The stable key of an invariant, with the clause that it comes from.
            Invariant { $($(#[doc = $must] $variant = $key, $clause;)+)+ }
        }

        impl Invariant {
            /// What must hold, in words that follow on "is broken:".
            pub fn must(self) -> &'static str {
                match self { $($(Invariant::$variant => $must,)+)+ }
            }

            /// How much it weighs when it is broken.
            pub fn severity(self) -> Severity {
                match self { $($(Invariant::$variant => Severity::$severity,)+)+ }
            }
        }
    };
}

invariants! {
    Error {
        SectionTiled = "section.untiled",
            "the records tile the section: each starts where the one before it ends, and the last ends with the section",
            "DWARF 5 section 7.4: initial length";
        RecordFields = "record.truncated",
            "a record is long enough for its fields",
            "DWARF 5 section 6.4.1: fields of CIE and FDE";
        CieVersion = "cie.version-undefined",
            "a CIE's version is 1, 3 or 4",
            "DWARF 5 section 6.4.1 and 7.24: CIE version";
        CieAugmentation = "cie.augmentation-unknown",
            "an augmentation is one that readers know, or starts with z so that they can pass over its data",
            "LSB exception frames: augmentation string";
        CieSizes = "cie.sizes-undefined",
            "an address has 1, 2, 4 or 8 bytes, and a segment selector at most 8",
            "DWARF 5 section 6.4.1: address_size, segment_selector_size";
        CieOwnInstructions = "cie.instruction-of-fde",
            "a CIE's instructions set rules: they neither move the location nor restore",
            "DWARF 5 section 6.4.1: initial_instructions; 6.4.3: the rules before the first row";
        PointerEncoding = "pointer.encoding-undefined",
            "pointers are in a DW_EH_PE encoding that is defined, and locations are not omitted",
            "LSB exception frames: DWARF exception header encoding";
        FdeCie = "fde.no-cie",
            "an FDE's CIE pointer leads to a CIE of its section",
            "LSB: the CIE pointer counts back from its own field; DWARF 5 section 6.4.1: it is a section offset";
        FdeInCode = "fde.outside-code",
            "an FDE covers bytes of one executable section or segment",
            "DWARF 5 section 6.4.1: initial_location and address_range are the program locations described";
        FdeRange = "fde.range-overflow",
            "an FDE's range ends inside the address space",
            "DWARF 5 section 6.4.1: address_range";
        FdeOverlap = "fde.overlap",
            "no two FDEs of a section say different things of the same address",
            "DWARF 5 section 6.4.1: an FDE describes the rows of its own range";
        FdeRelocated = "fde.unrelocated",
            "in a relocatable object, every initial location has a relocation",
            "ELF gABI, Relocation: only then does a linker know which code is meant";
        ProgramReadable = "program.unreadable",
            "every instruction has a defined opcode and its operands, and every expression can be decoded",
            "DWARF 5 section 7.24: call frame instruction encodings; 7.7.1: operations";
        StateRestored = "state.restored-without-remember",
            "restore_state comes after a remember_state of the same FDE",
            "DWARF 5 section 6.4.2.4: row state instructions";
        RowAscends = "row.location-descends",
            "locations ascend",
            "DWARF 5 section 6.4.2.1: a row's location is greater than the current one";
        RowInside = "row.location-past-end",
            "locations stay inside the FDE's range",
            "DWARF 5 section 6.4.3: rows describe the FDE's range";
        RowCfa = "row.cfa-undefined",
            "every row has a CFA",
            "DWARF 5 section 6.4.1: the CFA column, on which all other rules count";
        RowReturnAddress = "row.no-return-address",
            "on a machine that returns through the stack, every row says where the return address is",
            "DWARF 5 section 6.4.4: the caller's location is the return address register's rule; psABI: it is no real register";
        DebugFrameAgrees = "debug-frame.differs",
            "where .eh_frame and .debug_frame cover the same address, they say the same of it",
            "DWARF 5 section 6.4 and LSB: both describe how the same code keeps its frame";
        HdrVersion = "hdr.version-undefined",
            "the header's version is 1",
            "LSB exception frame header: version";
        HdrReadable = "hdr.unreadable",
            "the header has all its fields, in encodings that are defined",
            "LSB exception frame header: its fields";
        HdrFramePointer = "hdr.eh-frame-pointer",
            "eh_frame_ptr is the address of .eh_frame",
            "LSB exception frame header: eh_frame_ptr";
        HdrCount = "hdr.count",
            "fde_count is the number of entries that the table holds",
            "LSB exception frame header: fde_count";
        HdrSorted = "hdr.unsorted",
            "the table is sorted by initial location",
            "LSB exception frame header: binary search table, sorted in increasing order";
        HdrEntryFde = "hdr.entry-without-fde",
            "every entry points at an FDE",
            "LSB exception frame header: address of an FDE";
        HdrEntryLocation = "hdr.entry-location",
            "the initial location of an entry is that of the FDE that it points at",
            "LSB exception frame header: initial location of an FDE";
        HdrListsAll = "hdr.fde-missing",
            "every FDE that covers something has an entry",
            "LSB exception frame header: fde_count entries, one for each FDE";
        HdrShadowedByEmpty = "hdr.shadowed-by-empty-fde",
            "no FDE that covers nothing hides another from the search: the last entry that starts at or before an address is taken",
            "LSB exception frame header: binary search table";
        HdrShadowed = "hdr.shadowed",
            "the search for an address ends at the FDE that covers it",
            "LSB exception frame header: binary search table";
        HdrSegment = "hdr.segment",
            "PT_GNU_EH_FRAME is where .eh_frame_hdr is",
            "LSB: PT_GNU_EH_FRAME gives the location and size of .eh_frame_hdr";
    }
    Warning {
        SectionTerminator = "section.terminator-inside",
            "a terminator is the last record: an unwinder that walks the section stops there",
            "LSB exception frames: zero terminator";
        SectionCovered = "section.without-cfi",
            "where some executable sections have call frame information, no other that holds functions has none",
            "DWARF 5 section 6.4: a stack is unwound through every function on it";
        RecordAligned = "record.unaligned",
            "a record's size is a multiple of the size of an address in .debug_frame, of four bytes in .eh_frame",
            "DWARF 5 section 6.4.1: length and padding; LSB: extended to a multiple of the addressing unit";
        RelocationApplied = "relocation.unknown",
            "relocations of call frame information are of types that are defined for it",
            "the processor's ABI supplement: relocation types";
        CieUsual = "cie.version-of-debug-frame",
            "CIEs of version 4 are in .debug_frame: many readers of .eh_frame do not know their two more fields",
            "LSB exception frames: version 1";
        CieFactors = "cie.factor-zero",
            "neither alignment factor is zero: every advance or offset would be",
            "DWARF 5 section 6.4.1: code_alignment_factor, data_alignment_factor";
        PointerBase = "pointer.base-unknown",
            "what a pointer counts from is in the file",
            "LSB exception frames: DW_EH_PE_textrel, datarel and funcrel";
        RowCfaRegister = "row.cfa-not-register",
            "the CFA's register or offset alone is changed only where its rule is a register and an offset: readers differ in what they make of it elsewhere",
            "DWARF 5 section 6.4.2.2: def_cfa_register and def_cfa_offset";
        StateBalanced = "state.remembered-without-restore",
            "every remember_state has its restore_state",
            "DWARF 5 section 6.4.2.4: row state instructions";
        FunctionCovered = "function.without-fde",
            "in a section with call frame information, the code of every function has some",
            "DWARF 5 section 6.4: a stack is unwound through every function on it";
        HdrSearchable = "hdr.unsearchable",
            "the table's entries are datarel sdata4, the one encoding that run-time unwinders search",
            "LSB exception frame header: table_enc; libgcc searches no other table";
        HdrHasSegment = "hdr.no-segment",
            "PT_GNU_EH_FRAME leads to .eh_frame_hdr: at run time nothing else does",
            "LSB: PT_GNU_EH_FRAME";
    }
    Info {
        SectionTerminated = "section.no-terminator",
            "the section of a linked file ends with a terminator",
            "LSB exception frames: zero terminator";
        RecordPadding = "record.padding",
            "a record has no more padding than its alignment takes",
            "DWARF 5 section 6.4.1: padding";
        CieUsed = "cie.unused",
            "every CIE has an FDE",
            "DWARF 5 section 6.4.1: what FDEs share is in a CIE";
        FdeOtherRule = "fde.cie-by-both-rules",
            "read by the rule of the other section, the CIE pointer leads to no CIE: a reader that mixes the two is found out",
            "LSB: the CIE pointer counts back from its own field; DWARF 5 section 6.4.1: it is a section offset";
        FdeEmpty = "fde.empty",
            "an FDE covers something",
            "DWARF 5 section 6.4.1: address_range";
        FdeDiscarded = "fde.discarded",
            "an FDE is about code that is there: linkers leave those of discarded code at address 0 or near the end of the address space",
            "DWARF 5 section 6.4.1: initial_location";
        FdeRepeated = "fde.repeated",
            "a range has one FDE: linkers leave those of discarded copies of a function in .debug_frame, about the copy that stays",
            "DWARF 5 section 6.4.1: an FDE describes the rows of its own range";
        FdeSymbol = "fde.without-symbol",
            "where an FDE starts, a function symbol does",
            "ELF gABI, Symbol Table: STT_FUNC";
        FunctionWhole = "function.in-part",
            "an FDE covers its function to the end",
            "DWARF 5 section 6.4: every address of a function";
        FunctionOneFde = "function.several-fdes",
            "a function has one FDE",
            "DWARF 5 section 6.4.1: a function has an FDE for each of its contiguous parts";
        GapPadding = "gap.padding",
            "neighbours touch: between these are bytes that align the next function",
            "DWARF 5 section 6.4: nothing runs there";
        GapPlt = "gap.plt",
            "neighbours touch: between these is a procedure linkage table",
            "the processor's ABI supplement: made by the linker";
        GapStartup = "gap.startup",
            "neighbours touch: between these is code of the start-up files, which is made without call frame information",
            "ELF gABI, Initialization and Termination Functions";
        GapData = "gap.data",
            "neighbours touch: between these are data by their symbols",
            "ELF gABI, Symbol Table: STT_OBJECT";
        GapUnnamed = "gap.unnamed",
            "neighbours touch: between these are bytes that are no padding and that no symbol tells of",
            "DWARF 5 section 6.4: it may be code or data";
        HdrAbsent = "hdr.absent",
            "a linked file with .eh_frame has .eh_frame_hdr, without which FDEs are searched one by one",
            "LSB: .eh_frame_hdr";
        HdrTable = "hdr.no-table",
            "the header has a table",
            "LSB exception frame header: table_enc";
        HdrEmptyFde = "hdr.empty-fde-listed",
            "an FDE that covers nothing has no entry",
            "LSB exception frame header: nothing is to be found there";
        HdrSize = "hdr.rest",
            "the section ends with the table",
            "LSB exception frame header: fde_count";
    }
}

impl Serialize for Invariant {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A finding about the file itself: an invariant that is broken in one section, at one place or many.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BrokenInvariant {
    /// Which invariant.
    pub key: Invariant,
    /// How much it weighs.
    pub severity: Severity,
    /// The case's name.
    pub file: String,
    /// The section that the places are in.
    pub section: String,
    /// The first places in the order in which they were met.
    pub places: Vec<Place>,
    /// How many places there are, those that are not listed included.
    pub count: u64,
    /// What must hold, and by which clause.
    pub reason: String,
    /// A command that shows it.
    pub repro: String,
}

/// A place where an invariant is broken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Place {
    /// The offset in the section of what is concerned: a record or a table entry. Of code, from the code section's
    /// start.
    pub offset: SectionOffset,
    /// The link-time address of the code that is concerned; zero where it is none.
    pub address: Address,
    /// What stands there.
    pub found: String,
}
