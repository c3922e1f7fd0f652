//! Making faults: the place, the bytes that stand there, what was expected.

use std::borrow::Cow;
use std::ops::Deref;

use cfidiff_model::{Bytes, Fault, FaultKind, SectionOffset};

use crate::cursor::ReadError;

/// The faults of one record, in the order met: a slice of [`Fault`].
///
/// Nearly all records have none, which costs a null pointer to move and to drop.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Faults(Option<Box<List>>);

#[derive(Clone, PartialEq, Debug, Default)]
struct List(Vec<Fault>);

impl Faults {
    /// These faults and one more. Takes and gives them by value, so that a record in the making stays in
    /// registers.
    #[cold]
    #[inline(never)]
    #[expect(clippy::boxed_local, reason = "the callers have it boxed, and a word is cheaper to pass")]
    pub(crate) fn and(mut self, fault: Box<Fault>) -> Faults {
        self.0.get_or_insert_default().0.push(*fault);
        self
    }
}

impl Drop for Faults {
    #[inline(always)]
    fn drop(&mut self) {
        /// Out of line, so that dropping a record costs a comparison.
        #[cold]
        #[inline(never)]
        fn free(list: Option<Box<List>>) {
            drop(list);
        }
        if self.0.is_some() {
            free(self.0.take());
        }
    }
}

impl Deref for Faults {
    type Target = [Fault];

    #[inline]
    fn deref(&self) -> &[Fault] {
        self.0.as_ref().map_or(&[], |list| &list.0)
    }
}

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
