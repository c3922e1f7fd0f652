//! Images without section headers.

use cfidiff::image;
use cfidiff_model::{Class, Endianness};

use super::{alone, case, fixture_bytes, section_names};

/// Forgets the section header table: e_shoff, e_shnum and e_shstrndx.
fn without_sections(mut bytes: Vec<u8>, class: Class) -> Vec<u8> {
    match class {
        Class::Elf64 => {
            bytes[40..48].fill(0);
            bytes[60..64].fill(0);
        }
        Class::Elf32 => {
            bytes[32..36].fill(0);
            bytes[48..52].fill(0);
        }
    }
    bytes
}

#[test]
fn program_headers_give_the_same_sections() {
    for name in ["linked.so", "linked-32.so", "linked-be.so"] {
        let full = case(name);
        let bytes = without_sections(fixture_bytes(name), full.target.class);
        let image = image::from_bytes("memory", &bytes, &alone()).unwrap_or_else(|error| panic!("{error}"));
        let stripped = &image.cases[0];
        assert_eq!(stripped.target, full.target);
        assert_eq!(section_names(stripped), [".eh_frame_hdr", ".eh_frame"], "{name}: {:?}", stripped.notes);
        for (stripped, full) in stripped.sections.iter().zip(&full.sections) {
            assert_eq!((stripped.kind, stripped.index), (full.kind, None));
            assert_eq!(stripped.address, full.address);
            assert!(stripped.data.starts_with(&full.data), "{name} {}", full.name);
        }
        let note = "the file has no section headers: .eh_frame is taken up to the end of its segment";
        assert_eq!(stripped.notes, [note]);
    }
}

#[test]
fn the_global_offset_table_comes_from_the_dynamic_section() {
    let full = case("linked-be.so");
    assert_eq!(full.target.endianness, Endianness::Big);
    let mut bytes = without_sections(fixture_bytes("linked-be.so"), full.target.class);
    // The entry of DT_SYMENT, sixth of the dynamic section at offset 0xf28, becomes DT_PLTGOT 0x1234.
    let entry = &mut bytes[0xf28 + 5 * 16..][..16];
    assert_eq!(entry[7], 11);
    entry[7] = 3;
    entry[14..].copy_from_slice(&[0x12, 0x34]);
    let image = image::from_bytes("memory", &bytes, &alone()).unwrap_or_else(|error| panic!("{error}"));
    let [header, frame] = image.cases[0].sections.as_slice() else { panic!("two sections are expected") };
    assert_eq!((frame.bases.text, frame.bases.data.map(|address| address.0)), (None, Some(0x1234)));
    // In the header itself, datarel counts from the header.
    assert_eq!(header.bases.data, Some(header.address));
}

#[test]
fn a_pointer_that_leads_nowhere_is_a_note() {
    let full = case("linked.so");
    let mut bytes = without_sections(fixture_bytes("linked.so"), full.target.class);
    // .eh_frame_hdr is at offset 0x464 of the file; its eh_frame_ptr is pcrel sdata4.
    for (encoding, note) in [
        (0xff, "the file has no section headers, and the encoding 0xff of eh_frame_ptr cannot be followed"),
        (0x4b, "the file has no section headers, and the encoding 0x4b of eh_frame_ptr cannot be followed"),
        (
            0x0b,
            "the file has no section headers, and eh_frame_ptr leads to 0x7fffffff, which is in no segment",
        ),
    ] {
        bytes[0x465] = encoding;
        bytes[0x468..0x46c].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
        let image = image::from_bytes("memory", &bytes, &alone()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(section_names(&image.cases[0]), [".eh_frame_hdr"]);
        assert_eq!(image.cases[0].notes, [note]);
    }
}

#[test]
fn every_encoding_of_the_pointer_is_followed() {
    let full = case("linked.so");
    // .eh_frame is at 0x488, .eh_frame_hdr at 0x464, by `readelf -SW`.
    let cases: [(u8, &[u8]); 7] = [
        (0x1b, &[0x20, 0, 0, 0]),
        (0x3b, &[0x24, 0, 0, 0]),
        (0x03, &[0x88, 0x04, 0, 0]),
        (0x02, &[0x88, 0x04]),
        (0x01, &[0x88, 0x09]),
        (0x39, &[0x24]),
        (0x00, &[0x88, 0x04, 0, 0, 0, 0, 0, 0]),
    ];
    for (encoding, pointer) in cases {
        let mut bytes = without_sections(fixture_bytes("linked.so"), full.target.class);
        bytes[0x465] = encoding;
        bytes[0x468..0x468 + pointer.len()].copy_from_slice(pointer);
        let image = image::from_bytes("memory", &bytes, &alone()).unwrap_or_else(|error| panic!("{error}"));
        let case = &image.cases[0];
        assert_eq!(section_names(case), [".eh_frame_hdr", ".eh_frame"], "{encoding:#x}: {:?}", case.notes);
        assert_eq!(case.sections[1].address, full.sections[1].address, "{encoding:#x}");
    }
}

#[test]
fn a_broken_section_header_table_is_replaced_by_the_program_headers() {
    let mut bytes = fixture_bytes("linked.so");
    bytes[40..48].copy_from_slice(&0x10_0000u64.to_le_bytes());
    let image = image::from_bytes("memory", &bytes, &alone()).unwrap_or_else(|error| panic!("{error}"));
    let case = &image.cases[0];
    assert_eq!(section_names(case), [".eh_frame_hdr", ".eh_frame"]);
    assert!(
        image.damage[0].starts_with("memory: the section header table at offset 0x100000 cannot be read")
    );
}
