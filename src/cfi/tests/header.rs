//! `.eh_frame_hdr`: its fields, its table, and the binary search (LSB Core, exception frame header).

mod common;

use cfidiff_cfi::{Header, HeaderEntry, Semantics, Standard};
use cfidiff_model::{Address, Class, Endianness, FaultKind, Machine, SectionKind, SectionOffset};
use common::{Layout, X86_64, target};

/// A header at 0x2000 with these encodings.
fn header(encodings: &str) -> Layout {
    let mut layout = Layout::new(SectionKind::EhFrameHdr, X86_64);
    layout.hex("01").hex(encodings);
    layout
}

/// What linkers write: `.eh_frame` pcrel sdata4, count udata4, table datarel sdata4; sorted entries of initial
/// location and FDE address, both counted from the header.
fn usual(count: u64, entries: &[(u64, u64)]) -> Layout {
    let mut layout = header("1b 03 3b");
    layout.pcrel(0x3000).u32(count);
    for &(location, fde) in entries {
        layout.u32(location.wrapping_sub(0x2000)).u32(fde.wrapping_sub(0x2000));
    }
    layout
}

fn with_header<T>(layout: &Layout, ask: impl FnOnce(&Header<'_>) -> T) -> T {
    ask(&Header::new(&layout.section(), layout.target))
}

/// Locations with addresses of FDEs, and the first fault with its offset.
type Entries = (Vec<(u64, u64)>, Option<(FaultKind, u64)>);

/// The entries up to the first fault, and the fault.
fn entries(layout: &Layout) -> Entries {
    with_header(layout, |header| {
        let mut found = Vec::new();
        for entry in header.entries() {
            match entry {
                Ok(entry) => found.push((entry.initial_location.0, entry.fde.0)),
                Err(fault) => return (found, Some((fault.kind, fault.offset.0))),
            }
        }
        (found, None)
    })
}

fn look_up(layout: &Layout, address: u64) -> Option<(u64, u64)> {
    with_header(layout, |header| {
        header.lookup(Address(address)).map(|entry| (entry.initial_location.0, entry.fde.0))
    })
}

fn header_faults(layout: &Layout) -> Vec<(FaultKind, u64)> {
    with_header(layout, |header| header.faults.iter().map(|fault| (fault.kind, fault.offset.0)).collect())
}

const THREE: [(u64, u64); 3] = [(0x1000, 0x3018), (0x1020, 0x3048), (0x1800, 0x3078)];

#[test]
fn the_fields_and_the_table_of_linkers() {
    let layout = usual(3, &THREE);
    with_header(&layout, |header| {
        assert_eq!(header.version, 1);
        assert_eq!((header.eh_frame_encoding, header.count_encoding, header.table_encoding), (0x1b, 3, 0x3b));
        assert_eq!(header.eh_frame, Some(Address(0x3000)), "pcrel: from the field at 4");
        assert_eq!(header.count, Some(3));
        assert_eq!(header.table, 12);
        let offsets: Vec<_> = header.entries().map(|entry| entry.unwrap().offset).collect();
        assert_eq!(offsets, [12, 20, 28].map(SectionOffset));
    });
    assert_eq!(entries(&layout), (THREE.to_vec(), None));
}

/// The entry is the last one that starts at or before the address: first and last byte of each, before the
/// first, behind the last.
#[test]
fn the_search_finds_the_last_entry_that_starts_at_or_before() {
    for size in 1..=THREE.len() {
        let layout = usual(size as u64, &THREE[..size]);
        for address in [0, 0xfff, 0x1000, 0x1001, 0x101f, 0x1020, 0x1021, 0x17ff, 0x1800, 0x1801, u64::MAX] {
            let expected = THREE[..size].iter().rev().find(|(start, _)| *start <= address).copied();
            assert_eq!(look_up(&layout, address), expected, "{address:#x} of {size}");
        }
    }
    assert_eq!(look_up(&usual(0, &[]), 0x1000), None);
}

/// A table of many sizes, so that every way through the search is gone.
#[test]
fn the_search_agrees_with_a_scan() {
    for size in 0..40u64 {
        let table: Vec<_> = (0..size).map(|number| (0x1000 + 3 * number, 0x3000 + 24 * number)).collect();
        let layout = usual(size, &table);
        for address in 0xffe..0x1000 + 3 * size + 2 {
            let expected = table.iter().rev().find(|(start, _)| *start <= address).copied();
            assert_eq!(look_up(&layout, address), expected, "{address:#x} of {size}");
        }
    }
}

/// mold 1.10 wrote such tables: an entry of no bytes in front of a function hides nothing if it comes first, since the
/// last of equals is found.
#[test]
fn of_entries_with_one_location_the_last_is_found() {
    let layout = usual(3, &[(0x1000, 0x3018), (0x1000, 0x3048), (0x1800, 0x3078)]);
    assert_eq!(look_up(&layout, 0x1000), Some((0x1000, 0x3048)));
}

/// Readers loop or read out of bounds when the count is not held against the section (bloaty, java-profiler).
#[test]
fn a_count_beyond_the_section_ends_with_a_fault() {
    for count in [4, 0xffff_ffff] {
        let layout = usual(count, &THREE);
        assert_eq!(entries(&layout), (THREE.to_vec(), Some((FaultKind::TruncatedRecord, 36))));
        assert_eq!(look_up(&layout, 0x1810), Some((0x1800, 0x3078)), "what is there is searched");
    }
    let mut layout = usual(4, &THREE);
    layout.hex("00f8ffff 0000");
    assert_eq!(entries(&layout), (THREE.to_vec(), Some((FaultKind::TruncatedRecord, 40))), "half an entry");
    assert_eq!(look_up(&layout, 0x1810), Some((0x1800, 0x3078)));
    let mut layout = header("1b 04 3b");
    layout.pcrel(0x3000).number(8, u64::MAX).u32(0).u32(0);
    assert_eq!(entries(&layout).0.len(), 1);
    assert_eq!(look_up(&layout, 0x2000), Some((0x2000, 0x2000)));
}

/// A count below what the section holds is binding, as for padding behind the table.
#[test]
fn a_count_below_the_section_is_binding() {
    let layout = usual(2, &THREE);
    assert_eq!(entries(&layout), (THREE[..2].to_vec(), None));
    assert_eq!(look_up(&layout, 0x1810), Some(THREE[1]));
}

/// DW_EH_PE_omit: no field, no table. libunwind aborted on such a table, bloaty looped.
#[test]
fn omitted_fields_have_no_bytes() {
    let mut no_table = header("1b 03 ff");
    no_table.pcrel(0x3000).u32(0xffff_ffff);
    assert_eq!(entries(&no_table), (vec![], None));
    assert_eq!(look_up(&no_table, 0x1000), None);
    assert_eq!(header_faults(&no_table), []);

    let mut no_count = header("1b ff 3b");
    no_count.pcrel(0x3000).u32(0).u32(0);
    assert_eq!(with_header(&no_count, |header| (header.count, header.table)), (None, 8));
    assert_eq!(entries(&no_count), (vec![], None));
    assert_eq!(look_up(&no_count, 0x2000), None);

    let mut no_pointer = header("ff 03 3b");
    no_pointer.u32(1).u32(0x10).u32(0x20);
    assert_eq!(with_header(&no_pointer, |header| (header.eh_frame, header.table)), (None, 8));
    assert_eq!(entries(&no_pointer), (vec![(0x2010, 0x2020)], None));
}

/// Other encodings of the table: datarel counts from the header, pcrel from each value's own place, whatever the
/// section's own bases are; sdata8 is what large images have (libunwind commit f020b240).
#[test]
fn tables_in_other_encodings() {
    for (encoding, width, base) in [
        ("3b", 4, Some(0x2000)),
        ("33", 4, Some(0x2000)),
        ("3c", 8, Some(0x2000)),
        ("34", 8, Some(0x2000)),
        ("30", 8, Some(0x2000)),
        ("38", 8, Some(0x2000)),
        ("3a", 2, Some(0x2000)),
        ("32", 2, Some(0x2000)),
        ("03", 4, Some(0)),
        ("0b", 4, Some(0)),
        ("00", 8, Some(0)),
        ("1b", 4, None),
        ("1c", 8, None),
    ] {
        let mut layout = header(&format!("1b 03 {encoding}"));
        layout.bases.data = Some(Address(0x9999));
        layout.pcrel(0x3000).u32(2);
        let table = [(0x2100u64, 0x3018u64), (0x2140, 0x3048)];
        for value in table.into_iter().flat_map(|(location, fde)| [location, fde]) {
            let base = base.unwrap_or(0x2000 + layout.at());
            layout.number(width, value.wrapping_sub(base));
        }
        assert_eq!(entries(&layout), (table.to_vec(), None), "{encoding}");
        for (address, expected) in [(0x20ff, None), (0x2100, Some(table[0])), (0x2140, Some(table[1]))] {
            assert_eq!(look_up(&layout, address), expected, "{encoding} {address:#x}");
        }
    }
}

/// LEB128 values can be listed, but not searched: they have no fixed size.
#[test]
fn a_table_without_a_fixed_size_is_not_searched() {
    let mut layout = header("1b 01 39");
    layout.pcrel(0x3000).hex("02 8002 9820 c002 c820");
    let table = vec![(0x2100, 0x3018), (0x2140, 0x3048)];
    assert_eq!(with_header(&layout, |header| header.count), Some(2));
    assert_eq!(entries(&layout), (table, None));
    assert_eq!(look_up(&layout, 0x2100), None);
}

/// Locations below the header, and 32-bit sums that wrap.
#[test]
fn table_values_wrap_at_the_address_size() {
    for (class, expected) in [(Class::Elf32, 0xffff_f000), (Class::Elf64, 0xffff_ffff_ffff_f000)] {
        let mut layout = usual(1, &[(0xffff_f000, 0x3018)]);
        layout.target = target(Machine::X86_64, class, Endianness::Little);
        assert_eq!(entries(&layout).0, [(expected, 0x3018)]);
        assert_eq!(look_up(&layout, expected - 1), None);
        assert_eq!(look_up(&layout, expected), Some((expected, 0x3018)));
    }
}

/// elfutils commit b4b2de9f.
#[test]
fn values_are_in_the_file_s_byte_order() {
    let mut layout =
        Layout::new(SectionKind::EhFrameHdr, target(Machine::PPC64, Class::Elf64, Endianness::Big));
    layout.hex("01 1b 03 3b").pcrel(0x3000).u32(1).u32(0x10).u32(0x1018);
    assert_eq!(layout.data[8..12], [0, 0, 0, 1]);
    assert_eq!(entries(&layout), (vec![(0x2010, 0x3018)], None));
}

#[test]
fn a_header_that_cannot_be_read_has_no_table() {
    let mut version = usual(1, &THREE);
    version.data[0] = 2;
    assert_eq!(header_faults(&version), [(FaultKind::CieVersion, 0)]);
    let mut encoding = usual(1, &THREE);
    encoding.data[1] = 0x0d;
    assert_eq!(header_faults(&encoding), [(FaultKind::PointerEncoding, 4)]);
    for layout in [&version, &encoding] {
        assert_eq!(entries(layout), (vec![], None));
        assert_eq!(look_up(layout, 0x1000), None);
    }
    // Cut in each field: the fault is of the field.
    let whole = usual(0, &[]);
    for (cut, field) in [0, 1, 2, 3, 4, 4, 4, 4, 8, 8, 8, 8].into_iter().enumerate() {
        let mut layout = whole.clone();
        layout.data.truncate(cut);
        assert_eq!(header_faults(&layout), [(FaultKind::TruncatedRecord, field)], "cut at {cut}");
    }
    // A table in an undefined encoding is a fault of its first entry.
    let mut table = usual(3, &THREE);
    table.data[3] = 0x3d;
    assert_eq!(entries(&table), (vec![], Some((FaultKind::PointerEncoding, 12))));
    assert_eq!(look_up(&table, 0x1000), None);
}

/// The table's base is one of the decision points: a header that counts from zero is off by its address.
#[test]
fn another_base_moves_every_entry() {
    struct FromZero;
    impl Semantics for FromZero {
        fn header_base(&self, _: Address) -> u64 {
            0
        }
    }
    let section = usual(3, &THREE).section();
    let read = |semantics: &dyn Semantics| -> Vec<HeaderEntry> {
        Header::with_semantics(&section, X86_64, semantics).entries().map(Result::unwrap).collect()
    };
    let right = read(&Standard);
    assert_eq!(right, Header::new(&section, X86_64).entries().map(Result::unwrap).collect::<Vec<_>>());
    for (entry, moved) in right.iter().zip(read(&FromZero)) {
        assert_eq!(moved.initial_location.0.wrapping_add(0x2000), entry.initial_location.0);
        assert_eq!(moved.fde.0.wrapping_add(0x2000), entry.fde.0);
        assert_eq!(moved.offset, entry.offset);
    }
}
