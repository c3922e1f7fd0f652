//! Compressed sections, and contents that cannot be had.

use cfidiff::image::{self, Options};
use cfidiff_model::{Case, SectionKind};

use super::builder::{self, NOBITS, Section};
use super::{alone, case, fixture_bytes, locations};

/// The one case of an image in memory.
fn case_of(bytes: &[u8], options: &Options) -> Case {
    read(bytes, options).0
}

/// The one case of an image, and what of it is broken.
fn read(bytes: &[u8], options: &Options) -> (Case, Vec<String>) {
    let mut image = image::from_bytes("memory", bytes, options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(image.cases.len(), 1);
    (image.cases.remove(0), image.damage)
}

#[test]
fn every_compression_gives_the_same_contents() {
    // many.s: 64 functions of 32 bytes. `readelf -wNf` of binutils 2.40 prints the same of each object.
    let expected: Vec<(u64, u64)> = (0..64).map(|at| (32 * at, 32 * at + 32)).collect();
    let named = [("zlib-gnu.o", ".zdebug_frame")];
    let others =
        ["zlib-gabi.o", "zlib-gabi-32.o", "zlib-gabi-be.o", "zstd.o"].map(|name| (name, ".debug_frame"));
    for (name, section_name) in named.into_iter().chain(others) {
        let case = case(name);
        let [section] = case.sections.as_slice() else { panic!("{name}: one section is expected") };
        assert_eq!((section.name.as_str(), section.kind), (section_name, SectionKind::DebugFrame));
        assert_eq!(locations::of(section, &case.target), expected, "{name}");
        assert_eq!(section.faults, [], "{name}");
    }
}

#[test]
fn a_section_without_contents_is_a_note() {
    let sections = [
        Section { name: ".eh_frame", kind: NOBITS, claimed: Some((64, 4096)), ..Section::default() },
        Section::progbits(".debug_frame", &[]),
    ];
    let case = case_of(&builder::elf64(3, &sections), &alone());
    assert_eq!(case.notes, [".eh_frame has type NOBITS: its contents are in the stripped file"]);
    let sections = case.sections.iter().map(|section| (section.name.as_str(), section.data.len()));
    assert_eq!(sections.collect::<Vec<_>>(), [(".eh_frame", 0), (".debug_frame", 0)]);
}

#[test]
fn a_section_past_the_end_costs_only_itself() {
    let sections = [
        Section { claimed: Some((64, 1 << 40)), ..Section::progbits(".eh_frame", &[]) },
        Section { claimed: Some((64, 1 << 20)), ..Section::progbits(".eh_frame", &[]) },
        Section { claimed: Some((u64::MAX, 2)), ..Section::progbits(".eh_frame", &[]) },
        Section::progbits(".debug_frame", &[1, 2, 3]),
    ];
    let (case, damage) = read(&builder::elf64(3, &sections), &alone());
    assert_eq!(damage.len(), 3, "{:?}", damage);
    assert!(damage[1].contains("reach past the end of the file"), "{:?}", damage);
    assert_eq!(case.sections.len(), 1);
    assert_eq!(case.sections[0].data, [1, 2, 3]);
}

#[test]
fn overlapping_sections_do_not_multiply_the_file() {
    let contents = Section::progbits(".text", &[0; 4096]);
    let again = Section { claimed: Some((64, 4096)), ..Section::progbits(".eh_frame", &[]) };
    let sections: Vec<Section> = std::iter::once(contents).chain(std::iter::repeat_n(again, 1000)).collect();
    let bytes = builder::elf64(3, &sections);
    let (case, damage) = read(&bytes, &alone());
    let kept: usize = case.sections.iter().map(|section| section.data.len()).sum();
    assert!(kept <= 2 * bytes.len());
    assert_eq!(case.sections.len() + damage.len(), 1000);
}

#[test]
fn claimed_sizes_are_bounded_by_what_compression_can_do() {
    for (name, at) in [("zlib-gabi.o", 8), ("zstd.o", 8), ("zlib-gnu.o", 4)] {
        let mut bytes = fixture_bytes(name);
        // The compression header starts where the section does, as `readelf -SW` prints.
        let size_at = 0x840 + at;
        bytes[size_at..size_at + 8].copy_from_slice(&[0; 8]);
        // 0x3fffff bytes, within the limit of a section and far from what 0x40 bytes can hold.
        let low = if name == "zlib-gnu.o" { 5..8 } else { 0..3 };
        bytes[size_at + low.start..size_at + low.end].fill(0x3f);
        let (case, damage) = read(&bytes, &alone());
        assert!(case.sections.is_empty());
        assert!(damage[0].contains("compressed bytes cannot hold"), "{name}: {:?}", damage);
        bytes[size_at..size_at + 8].fill(0xff);
        let (_, damage) = read(&bytes, &alone());
        assert!(damage[0].contains("is past the limit"), "{name}: {:?}", damage);
    }
}

#[test]
fn broken_compressed_data_is_damage() {
    let mut bytes = fixture_bytes("zlib-gabi.o");
    bytes[0x840 + 24..0x840 + 40].fill(0xff);
    let (case, damage) = read(&bytes, &alone());
    assert!(case.sections.is_empty());
    assert!(
        damage[0].starts_with("memory: .debug_frame cannot be read: it does not decompress"),
        "{:?}",
        damage
    );
    let compressed = Section { flags: builder::COMPRESSED, ..Section::progbits(".debug_frame", &[1, 0, 0]) };
    let (_, damage) = read(&builder::elf64(3, &[compressed]), &alone());
    assert_eq!(damage, ["memory: .debug_frame cannot be read: it is too short for a compression header"]);
}

#[test]
fn limits_are_kept() {
    let sections = [Section::progbits(".eh_frame", &[0; 100]), Section::progbits(".debug_frame", &[0; 100])];
    let bytes = builder::elf64(3, &sections);
    let (case, damage) = read(&bytes, &Options { max_section: 99, ..alone() });
    assert!(case.sections.is_empty());
    assert_eq!(damage.len(), 2);
    let (case, damage) = read(&bytes, &Options { max_total: 150, ..alone() });
    assert_eq!(case.sections.len(), 1);
    assert!(damage[0].contains("sections together are past the limit"), "{:?}", damage);
}

#[test]
fn a_stream_that_holds_more_than_is_claimed_is_damage() {
    let mut bytes = fixture_bytes("zlib-gabi.o");
    // ch_size of the Elf64_Chdr at the section's start.
    bytes[0x840 + 8..0x840 + 16].copy_from_slice(&10u64.to_le_bytes());
    let (case, damage) = read(&bytes, &alone());
    assert!(case.sections.is_empty());
    assert_eq!(
        damage,
        ["memory: .debug_frame cannot be read: it decompresses to more than the claimed 0xa bytes"]
    );
}
