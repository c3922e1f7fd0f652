//! Making faults: the place, the bytes that stand there, what was expected.

use std::borrow::Cow;

use cfidiff_model::{Bytes, Fault, FaultKind, SectionOffset};

use crate::cursor::ReadError;

/// How many bytes a fault shows.
const SHOWN: usize = 8;

/// A fault at `at` in `data`, which starts at the section's start.
#[cold]
pub(crate) fn fault(data: &[u8], at: usize, kind: FaultKind, expected: Cow<'static, str>) -> Fault {
    let end = at.saturating_add(SHOWN).min(data.len());
    let bytes = Bytes::from_slice(data.get(at..end).unwrap_or_default());
    Fault { offset: SectionOffset(at as u64), bytes, kind, expected }
}

/// A fault for a number that could not be read where `what` was expected.
#[cold]
pub(crate) fn unreadable(data: &[u8], at: usize, error: ReadError, what: &'static str) -> Fault {
    let kind = match error {
        ReadError::Truncated => FaultKind::TruncatedRecord,
        ReadError::LebOverflow => FaultKind::LebOverflow,
    };
    fault(data, at, kind, Cow::Borrowed(what))
}
