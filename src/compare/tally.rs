//! Counts: what was compared, and how it ended.

use cfidiff_model::Verdict;
use serde::Serialize;

/// How much there was to compare, or was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// Cases: files and archive members.
    pub cases: u64,
    /// CIEs.
    pub cies: u64,
    /// FDEs.
    pub fdes: u64,
    /// Instructions of CIEs and FDEs, padding included.
    pub instructions: u64,
    /// Rows of FDEs.
    pub rows: u64,
}

impl Counts {
    /// Adds another count.
    pub fn add(&mut self, other: &Counts) {
        self.cases += other.cases;
        self.cies += other.cies;
        self.fdes += other.fdes;
        self.instructions += other.instructions;
        self.rows += other.rows;
    }
}

/// How records ended: every record of every section that a reader was asked about is in one of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Records {
    /// Nothing differs.
    pub agree: u64,
    /// Something differs, and nothing explains it.
    pub differ: u64,
    /// Something differs that the specifications leave open.
    pub open: u64,
    /// Something differs for a listed fault of the reader.
    pub known_fault: u64,
    /// The reader broke before or at it.
    pub failed: u64,
}

impl Records {
    /// Counts `count` records with this verdict.
    pub fn count(&mut self, verdict: Verdict, count: u64) {
        *match verdict {
            Verdict::Agree => &mut self.agree,
            Verdict::Differ => &mut self.differ,
            Verdict::Open => &mut self.open,
            Verdict::KnownFault => &mut self.known_fault,
            Verdict::OracleFailed => &mut self.failed,
        } += count;
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Records) {
        self.agree += other.agree;
        self.differ += other.differ;
        self.open += other.open;
        self.known_fault += other.known_fault;
        self.failed += other.failed;
    }

    /// How many records ended in any way.
    pub fn total(&self) -> u64 {
        self.agree + self.differ + self.open + self.known_fault + self.failed
    }
}

/// What became of one reader over all cases.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReaderTally {
    /// What was compared with it.
    pub compared: Counts,
    /// How the records ended.
    pub records: Records,
    /// Cases that it cannot be asked about, such as bytes without a file for a tool that reads files.
    pub unsupported: u64,
}
