//! Where the code of a file is.

use std::collections::HashMap;

use cfidiff_model::Target;

use crate::image::{Layout, SegmentKind};

/// The ranges of addresses that hold code, sorted.
pub(super) struct Code {
    ranges: Vec<CodeRange>,
    by_index: HashMap<u32, CodeRange>,
    relocatable: bool,
}

/// One executable section, or segment where there are no sections.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct CodeRange {
    pub(super) start: u64,
    pub(super) size: u64,
    /// The section's index; of a segment, its number.
    pub(super) index: u32,
}

impl CodeRange {
    /// Whether the bytes are all in the range.
    pub(super) fn holds(&self, start: u64, size: u64) -> bool {
        start
            .checked_sub(self.start)
            .and_then(|inside| inside.checked_add(size))
            .is_some_and(|end| end <= self.size)
    }
}

impl Code {
    pub(super) fn new(layout: &Layout, relocatable: bool) -> Code {
        let sections = (0..).zip(&layout.sections).filter(|(_, section)| section.is_code);
        let mut ranges: Vec<CodeRange> = sections
            .map(|(index, section)| CodeRange { start: section.address, size: section.size, index })
            .collect();
        if layout.sections.is_empty() {
            let segments = (0..).zip(&layout.segments);
            let code =
                segments.filter(|(_, segment)| segment.kind == SegmentKind::Load && segment.is_executable);
            ranges.extend(code.map(|(index, segment)| CodeRange {
                start: segment.address,
                size: segment.size,
                index,
            }));
        }
        ranges.retain(|range| range.size > 0);
        ranges.sort_unstable();
        let by_index = ranges.iter().map(|range| (range.index, *range)).collect();
        Code { ranges, by_index, relocatable }
    }

    /// Whether the file tells of any code at all.
    pub(super) fn is_known(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// The range of a linked file that holds an address.
    pub(super) fn at(&self, address: u64) -> Option<CodeRange> {
        let after = self.ranges.partition_point(|range| range.start <= address);
        let range = *self.ranges.get(after.checked_sub(1)?)?;
        (!self.relocatable && address - range.start < range.size).then_some(range)
    }

    /// The range of a section.
    pub(super) fn of_section(&self, index: u32) -> Option<CodeRange> {
        self.by_index.get(&index).copied()
    }

    /// All ranges by address.
    pub(super) fn ranges(&self) -> &[CodeRange] {
        &self.ranges
    }
}

/// Whether an address is one that linkers leave in the place of discarded code: zero, or the last few of the address
/// space, and one more than those (LLD and GNU ld, which say -1, -2, 0 or 1).
pub(super) fn is_tombstone(address: u64, target: &Target) -> bool {
    let last = u64::MAX >> (64 - 8 * u32::from(target.class.address_size()));
    address <= 1 || address >= last - 1
}
