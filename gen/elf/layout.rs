//! Where everything stands in a file.

use super::headers::Sizes;
use super::{ALLOC, EXECUTE, ElfSpec, Entry, WRITE};

/// PT_NULL, PT_LOAD and PT_GNU_EH_FRAME.
const NULL: u32 = 0;
pub(super) const LOAD: u32 = 1;
const GNU_EH_FRAME: u32 = 0x6474_e550;
/// PF_X, PF_W and PF_R.
const EXECUTABLE: u32 = 1;
const WRITABLE: u32 = 2;
const READABLE: u32 = 4;

/// A program header to be.
pub(super) struct Segment {
    pub(super) segment_type: u32,
    pub(super) flags: u32,
    pub(super) offset: u64,
    pub(super) address: u64,
    /// The size in the file, and in memory.
    pub(super) file_size: u64,
    pub(super) size: u64,
}

impl Segment {
    fn of(entry: &Entry<'_>, segment_type: u32, offset: u64) -> Segment {
        let section = &entry.section;
        let flags = READABLE
            | if section.flags & WRITE != 0 { WRITABLE } else { 0 }
            | if section.flags & EXECUTE != 0 { EXECUTABLE } else { 0 };
        let file_size = entry.contents.len() as u64;
        Segment { segment_type, flags, offset, address: section.address.0, file_size, size: entry.size() }
    }
}

/// Where everything stands in the file.
pub(super) struct Layout {
    pub(super) segments: Vec<Segment>,
    /// The file offset of each section, in the order of their headers.
    pub(super) offsets: Vec<u64>,
    /// The sections by ascending file offset.
    pub(super) file_order: Vec<usize>,
    /// Where the section header table starts; zero for none.
    pub(super) section_headers: u64,
}

impl Layout {
    pub(super) fn of(spec: &ElfSpec, entries: &[Entry<'_>]) -> Layout {
        let linked = !spec.target.relocatable;
        let sizes = Sizes::of(spec.target.class);
        let is_loaded = |entry: &Entry<'_>| linked && entry.section.flags & ALLOC != 0;
        let loaded = entries.iter().filter(|entry| is_loaded(entry));
        let headers = entries.iter().filter(|entry| entry.section.is_header()).count();
        // One segment more is for the headers.
        let segments = if linked { loaded.clone().count() + headers + 1 } else { 0 };
        let headers_size = (sizes.file_header + sizes.program_header * segments) as u64;

        let mut file_order: Vec<usize> = (0..entries.len()).collect();
        file_order.sort_by_key(|&index| (!is_loaded(&entries[index]), entries[index].section.address));
        let mut offsets = vec![0; entries.len()];
        let mut at = headers_size;
        for &index in &file_order {
            let section = &entries[index].section;
            at = match is_loaded(&entries[index]) {
                true => {
                    at + (section.address.0 % spec.page_size + spec.page_size - at % spec.page_size)
                        % spec.page_size
                }
                false => at.next_multiple_of(section.align.max(1)),
            };
            offsets[index] = at;
            at += entries[index].contents.len() as u64;
        }
        let section_headers = if spec.section_headers { at.next_multiple_of(8) } else { 0 };
        let mut layout = Layout { segments: Vec::new(), offsets, file_order, section_headers };
        if linked {
            let lowest = loaded.map(|entry| entry.section.address.0).min();
            layout.segments.push(headers_segment(headers_size, lowest));
            layout.push_segments(entries, LOAD, &is_loaded);
            layout.push_segments(entries, GNU_EH_FRAME, &|entry| entry.section.is_header());
        }
        layout
    }

    fn push_segments(
        &mut self,
        entries: &[Entry<'_>],
        segment_type: u32,
        wanted: &dyn Fn(&Entry<'_>) -> bool,
    ) {
        for &index in self.file_order.iter().filter(|&&index| wanted(&entries[index])) {
            self.segments.push(Segment::of(&entries[index], segment_type, self.offsets[index]));
        }
    }
}

/// The segment that loads the headers at address zero. Where sections leave no room for it there, an empty
/// segment keeps its place.
fn headers_segment(size: u64, lowest: Option<u64>) -> Segment {
    let size = if lowest.is_some_and(|lowest| lowest >= size) { size } else { 0 };
    let segment_type = if size > 0 { LOAD } else { NULL };
    Segment { segment_type, flags: READABLE, offset: 0, address: 0, file_size: size, size }
}
