//! `.eh_frame_hdr`: the header, its table, and whether a search in it finds the FDE that covers an address.

use cfidiff_cfi::{Header, HeaderEntry};
use cfidiff_model::{Address, FaultKind, Invariant, Section, SectionKind};

use super::Subject;
use super::findings::Findings;
use super::table::{FdePlace, FrameTable};
use crate::image::SegmentKind;

/// DW_EH_PE_datarel with sdata4.
const SEARCHED_ENCODING: u8 = 0x3b;
/// DW_EH_PE_omit.
const OMIT: u8 = 0xff;

/// A header with the `.eh_frame` that it is about.
struct Pair<'p, 'a> {
    section: &'a Section,
    header: Header<'a>,
    /// `None` when the file has no `.eh_frame`.
    table: Option<&'p FrameTable<'a>>,
}

/// Asks for what must hold of the case's header.
pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) {
    let Some(section) = subject.sections(SectionKind::EhFrameHdr).next() else {
        is_there(subject, findings);
        return;
    };
    let header = Header::new(section, subject.case.target);
    let is_named = |table: &&FrameTable<'_>| header.eh_frame == Some(table.section.address);
    let tables = || subject.tables(SectionKind::EhFrame);
    let table = tables().find(is_named).or_else(|| tables().next());
    let pair = Pair { section, header, table };
    is_readable(&pair, findings);
    is_in_segment(subject, section, findings);
    if pair.header.faults.is_empty() {
        points_at_eh_frame(&pair, findings);
        if has_table(&pair, findings) {
            is_searchable(&pair, findings);
            let listed = entries(&pair, findings);
            finds_every_fde(&pair, &listed, findings);
        }
    }
}

/// `hdr.absent`.
fn is_there(subject: &Subject<'_>, findings: &mut Findings) {
    let Some(table) = subject.tables(SectionKind::EhFrame).find(|table| !table.fdes.is_empty()) else {
        return;
    };
    if !subject.case.target.relocatable {
        findings.add(Invariant::HdrAbsent, &table.section.name, 0, 0, || {
            format!("{} FDEs and no .eh_frame_hdr", table.fdes.len())
        });
    }
}

/// `hdr.version-undefined` and `hdr.unreadable`.
fn is_readable(pair: &Pair<'_, '_>, findings: &mut Findings) {
    for fault in &pair.header.faults {
        let key = match fault.kind {
            FaultKind::CieVersion => Invariant::HdrVersion,
            _ => Invariant::HdrReadable,
        };
        findings.add(key, &pair.section.name, fault.offset.0, 0, || fault.to_string());
    }
}

/// `hdr.segment` and `hdr.no-segment`.
fn is_in_segment(subject: &Subject<'_>, section: &Section, findings: &mut Findings) {
    // Without section headers the section was found by the segment.
    if section.index.is_none() || subject.layout.segments.is_empty() {
        return;
    }
    let segments = &subject.layout.segments;
    let Some(segment) = segments.iter().find(|segment| segment.kind == SegmentKind::EhFrameHdr) else {
        findings.add(Invariant::HdrHasSegment, &section.name, 0, 0, || {
            format!("{} at {} has no PT_GNU_EH_FRAME", section.name, section.address)
        });
        return;
    };
    let size = section.data.len() as u64;
    if (segment.address, segment.file_size) != (section.address.0, size) {
        findings.add(Invariant::HdrSegment, &section.name, 0, 0, || {
            format!(
                "PT_GNU_EH_FRAME has {:#x} bytes at {:#x}, the section {size:#x} bytes at {}",
                segment.file_size, segment.address, section.address
            )
        });
    }
}

/// `hdr.eh-frame-pointer`.
fn points_at_eh_frame(pair: &Pair<'_, '_>, findings: &mut Findings) {
    let there = pair.table.map(|table| table.section.address);
    if pair.header.eh_frame != there {
        let words =
            |address: Option<Address>| address.map_or("nowhere".to_owned(), |address| address.to_string());
        findings.add(Invariant::HdrFramePointer, &pair.section.name, 4, 0, || {
            format!("eh_frame_ptr leads to {}, .eh_frame is at {}", words(pair.header.eh_frame), words(there))
        });
    }
}

/// `hdr.no-table`.
fn has_table(pair: &Pair<'_, '_>, findings: &mut Findings) -> bool {
    let is_there = pair.header.count.is_some() && pair.header.table_encoding != OMIT;
    if !is_there {
        findings.add(Invariant::HdrTable, &pair.section.name, 2, 0, || "the table is omitted".to_owned());
    }
    is_there
}

/// `hdr.unsearchable`.
fn is_searchable(pair: &Pair<'_, '_>, findings: &mut Findings) {
    let encoding = pair.header.table_encoding;
    if encoding != SEARCHED_ENCODING {
        findings.add(Invariant::HdrSearchable, &pair.section.name, 3, 0, || {
            format!("the table's encoding is {encoding:#04x}")
        });
    }
}

/// What must hold of each entry by itself. Returns which FDEs are listed.
fn entries(pair: &Pair<'_, '_>, findings: &mut Findings) -> Vec<bool> {
    let mut listed = vec![false; pair.table.map_or(0, |table| table.fdes.len())];
    let (mut read, mut last) = (0, None);
    let mut end = pair.header.table as u64;
    for entry in pair.header.entries() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(fault) => {
                let count = pair.header.count.unwrap_or(0);
                findings.add(Invariant::HdrCount, &pair.section.name, fault.offset.0, 0, || {
                    format!("fde_count is {count}, and the table has {read} entries that can be read")
                });
                return listed;
            }
        };
        read += 1;
        is_ascending(pair, &entry, last, findings);
        if let Some(index) = points_at_fde(pair, &entry, findings) {
            listed[index] = true;
        }
        last = Some(entry);
        end = entry.offset.0;
    }
    ends_with_section(pair, end, read, findings);
    listed
}

/// `hdr.unsorted`.
fn is_ascending(
    pair: &Pair<'_, '_>,
    entry: &HeaderEntry,
    last: Option<HeaderEntry>,
    findings: &mut Findings,
) {
    if let Some(last) = last.filter(|last| last.initial_location > entry.initial_location) {
        findings.add(
            Invariant::HdrSorted,
            &pair.section.name,
            entry.offset.0,
            entry.initial_location.0,
            || {
                format!(
                    "the entry for {} is behind the one for {}",
                    entry.initial_location, last.initial_location
                )
            },
        );
    }
}

/// `hdr.entry-without-fde`, `hdr.entry-location` and `hdr.empty-fde-listed`. Returns the FDE's number.
fn points_at_fde(pair: &Pair<'_, '_>, entry: &HeaderEntry, findings: &mut Findings) -> Option<usize> {
    let table = pair.table?;
    let (section, at, start) = (&pair.section.name, entry.offset.0, entry.initial_location);
    let Some(index) = fde_at(table, entry.fde) else {
        findings.add(Invariant::HdrEntryFde, section, at, start.0, || {
            format!("the entry for {start} points at {}, where no FDE starts that can be read", entry.fde)
        });
        return None;
    };
    let fde = &table.fdes[index];
    if fde.start != start.0 && !fde.is_elsewhere {
        findings.add(Invariant::HdrEntryLocation, section, at, start.0, || {
            format!("the entry for {start} points at the FDE of {:#x}..{:#x}", fde.start, fde.end())
        });
    }
    if fde.size == 0 {
        findings.add(Invariant::HdrEmptyFde, section, at, start.0, || {
            format!("the entry for {start} points at an FDE that covers nothing")
        });
    }
    Some(index)
}

/// `hdr.rest`.
fn ends_with_section(pair: &Pair<'_, '_>, last_entry: u64, entries: u64, findings: &mut Findings) {
    let size = pair.section.data.len() as u64;
    let start = pair.header.table as u64;
    // The last entry is as long as the one before it, since those of other encodings are told of above.
    let entry = if entries > 1 { (last_entry - start) / (entries - 1) } else { 8 };
    let end = if entries > 0 { last_entry + entry } else { start };
    if pair.header.is_searchable() && end < size {
        findings.add(Invariant::HdrSize, &pair.section.name, end, 0, || {
            format!("{:#x} bytes are behind the table's {entries} entries", size - end)
        });
    }
}

/// `hdr.fde-missing`, `hdr.shadowed-by-empty-fde` and `hdr.shadowed`: the search for the first and the last address of
/// each FDE ends at that FDE.
fn finds_every_fde(pair: &Pair<'_, '_>, listed: &[bool], findings: &mut Findings) {
    let Some(table) = pair.table else { return };
    for (fde, listed) in table.fdes.iter().zip(listed).filter(|(fde, _)| fde.is_live()) {
        let is_hidden = !listed && hiding_entry(pair, table, fde).is_some();
        if !listed && !is_hidden {
            findings.add(Invariant::HdrListsAll, &table.section.name, fde.offset.into(), fde.start, || {
                format!("no entry points at the FDE of {:#x}..{:#x}", fde.start, fde.end())
            });
        } else if pair.header.is_searchable() {
            is_found(pair, table, fde, findings);
        }
    }
}

/// The entry of an FDE that covers nothing and starts where this one does. Linkers that keep one entry for each
/// address may keep that one.
fn hiding_entry(pair: &Pair<'_, '_>, table: &FrameTable<'_>, fde: &FdePlace) -> Option<HeaderEntry> {
    let entry = pair.header.lookup(Address(fde.start))?;
    let found = &table.fdes[fde_at(table, entry.fde)?];
    (found.size == 0 && found.start == fde.start).then_some(entry)
}

fn is_found(pair: &Pair<'_, '_>, table: &FrameTable<'_>, fde: &FdePlace, findings: &mut Findings) {
    for address in [fde.start, fde.end() - 1] {
        let entry = pair.header.lookup(Address(address));
        let found = entry.and_then(|entry| fde_at(table, entry.fde)).map(|index| &table.fdes[index]);
        // Where two cover the address, that is told of by itself.
        if found.is_some_and(|found| found.offset == fde.offset || covers(found, address)) {
            continue;
        }
        let key = match found {
            Some(found) if found.size == 0 => Invariant::HdrShadowedByEmpty,
            _ => Invariant::HdrShadowed,
        };
        let at = entry.map_or(pair.header.table as u64, |entry| entry.offset.0);
        findings.add(key, &pair.section.name, at, address, || {
            let ends = match found {
                Some(found) => {
                    format!("at the FDE of {:#x}..{:#x} at {:#x}", found.start, found.end(), found.offset)
                }
                None => "at no FDE".to_owned(),
            };
            let (start, end) = (fde.start, fde.end());
            format!(
                "the search for {address:#x} ends {ends}; the FDE of {start:#x}..{end:#x} at {:#x} covers it",
                fde.offset
            )
        });
        return;
    }
}

fn covers(fde: &FdePlace, address: u64) -> bool {
    fde.start <= address && address < fde.end()
}

/// The number of the FDE at an address.
fn fde_at(table: &FrameTable<'_>, address: Address) -> Option<usize> {
    let offset = u32::try_from(address.0.checked_sub(table.section.address.0)?).ok()?;
    table.fdes.binary_search_by_key(&offset, |fde| fde.offset).ok()
}
