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

    /// Reaches to the end of one behind, which is as far behind in the file as in memory.
    fn extend(&mut self, behind: &Segment) {
        self.file_size = behind.offset + behind.file_size - self.offset;
        self.size = behind.address + behind.size - self.address;
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

impl ElfSpec {
    /// Whether a loaded section shares the segment of the one before it. With less than a page between them, the
    /// file has the same gap as the memory.
    fn is_shared(&self, before: &Entry<'_>, entry: &Entry<'_>) -> bool {
        let (one, other) = (&before.section, &entry.section);
        let is_whole = before.size() == before.contents.len() as u64;
        let is_near = other.address.0 - one.end() < self.page_size;
        self.shared_segments && one.flags == other.flags && is_whole && is_near
    }
}

impl Layout {
    pub(super) fn of(spec: &ElfSpec, entries: &[Entry<'_>]) -> Layout {
        let linked = !spec.target.relocatable;
        let sizes = Sizes::of(spec.target.class);
        let is_loaded = |entry: &Entry<'_>| linked && entry.section.flags & ALLOC != 0;
        let mut file_order: Vec<usize> = (0..entries.len()).collect();
        file_order.sort_by_key(|&index| (!is_loaded(&entries[index]), entries[index].section.address));
        let loaded: Vec<&Entry<'_>> =
            file_order.iter().map(|&index| &entries[index]).filter(|entry| is_loaded(entry)).collect();
        let shared = loaded.windows(2).filter(|pair| spec.is_shared(pair[0], pair[1])).count();
        let headers = entries.iter().filter(|entry| entry.section.is_header()).count();
        // One segment more is for the headers.
        let segments = if linked { loaded.len() - shared + headers + 1 } else { 0 };
        let headers_size = (sizes.file_header + sizes.program_header * segments) as u64;

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
            let lowest = loaded.first().map(|entry| entry.section.address.0);
            layout.segments.push(headers_segment(headers_size, lowest));
            layout.push_segments(entries, LOAD, &is_loaded, &|before, entry| spec.is_shared(before, entry));
            layout.push_segments(entries, GNU_EH_FRAME, &|entry| entry.section.is_header(), &|_, _| false);
        }
        layout
    }

    fn push_segments(
        &mut self,
        entries: &[Entry<'_>],
        segment_type: u32,
        wanted: &dyn Fn(&Entry<'_>) -> bool,
        is_shared: &dyn Fn(&Entry<'_>, &Entry<'_>) -> bool,
    ) {
        let mut before = None;
        for &index in self.file_order.iter().filter(|&&index| wanted(&entries[index])) {
            let entry = &entries[index];
            let segment = Segment::of(entry, segment_type, self.offsets[index]);
            match self.segments.last_mut() {
                Some(last) if before.is_some_and(|before| is_shared(before, entry)) => last.extend(&segment),
                _ => self.segments.push(segment),
            }
            before = Some(entry);
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
