//! Any bytes whatever: nothing panics, and what is kept stays within a multiple of the input.

use cfidiff::image::{self, Image};
use proptest::prelude::*;

use super::builder::{self, Section};
use super::{alone, fixture_bytes};

/// The images whose bytes are changed: a relocatable object of each layout of relocations, compressed sections,
/// and linked ones with and without sections.
const SEEDS: [&str; 8] =
    ["x86_64.o", "mips64.o", "crel.o", "riscv32.o", "zlib-gabi.o", "zstd.o", "linked.so", "linked-be.so"];

/// Reads the bytes, and checks what must hold of every answer.
fn survives(bytes: &[u8]) {
    let Ok(Image { cases, .. }) = image::from_bytes("memory", bytes, &alone()) else { return };
    for section in cases.iter().flat_map(|case| &case.sections) {
        assert!(section.data.len() <= 1100 * bytes.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..512), ident in 0..5usize) {
        // Behind the magic of each class and byte order, and of archives, so that more than the magic is read.
        let idents: [&[u8]; 5] =
            [b"\x7fELF\x02\x01\x01", b"\x7fELF\x01\x01\x01", b"\x7fELF\x02\x02\x01", b"!<arch>\n", b"!<thin>\n"];
        survives(&bytes);
        let ident = idents[ident];
        let size = ident.len().min(bytes.len());
        bytes[..size].copy_from_slice(&ident[..size]);
        survives(&bytes);
    }

    #[test]
    fn flipped_bytes(
        seed in 0..SEEDS.len(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = fixture_bytes(SEEDS[seed]);
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        survives(&bytes);
        if let Some(cut) = cut {
            let size = cut.index(bytes.len());
            survives(&bytes[..size]);
        }
    }

    #[test]
    fn flipped_headers(
        seed in 0..SEEDS.len(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        // The ELF header, and the tables that stand at the end of the file.
        let mut bytes = fixture_bytes(SEEDS[seed]);
        let tail = bytes.len() - bytes.len() / 3;
        let places: Vec<usize> = (0..64).chain(tail..bytes.len()).collect();
        for (at, value) in flips {
            bytes[places[at.index(places.len())]] = value;
        }
        survives(&bytes);
    }
}

#[test]
fn a_relocation_table_per_header_is_read_once_or_twice() {
    // A thousand tables over the same bytes, each with a symbol table of its own over the whole file.
    let mut sections =
        vec![Section::progbits(".eh_frame", &[0; 64]), Section::progbits(".text", &[1; 1 << 16])];
    for link in 0..1000 {
        sections.push(Section { name: ".s", kind: 2, claimed: Some((link, 1 << 16)), ..Section::default() });
        let table = Section { name: ".r", kind: 4, claimed: Some((128, 2730 * 24)), ..Section::default() };
        sections.push(Section { link: 3 + 2 * link as u32, info: 1, ..table });
    }
    let bytes = builder::elf64(1, &sections);
    let image = image::from_bytes("memory", &bytes, &alone()).unwrap_or_else(|error| panic!("{error}"));
    let case = &image.cases[0];
    assert!(case.sections[0].faults.len() < 10_000);
    assert!(image.damage.iter().any(|words| words.contains("overlap")), "{:?}", image.damage.first());
}
