//! A section made to order, put into a file, is read back as it was meant: model, bytes, file, our reader, model.

use arbitrary::{Arbitrary as _, Unstructured};
use cfidiff::image;
use cfidiff_cfi::{Reader, Table};
use cfidiff_gen::{ElfSection, ElfSpec, SectionSpec};
use cfidiff_model::{Address, Entry, Says};
use proptest::prelude::*;

/// The section in a file with the sections that its encoded pointers count from.
fn file(spec: &SectionSpec, data: Vec<u8>) -> Vec<u8> {
    let base = |base: Option<Address>| base.expect("generated sections have bases");
    let sections = vec![
        ElfSection::text(base(spec.bases.text), 16),
        ElfSection::got(base(spec.bases.data), 16),
        ElfSection::frame(spec.kind, spec.address, data),
    ];
    ElfSpec { page_size: 16, ..ElfSpec::new(spec.target, sections) }.build().expect("the file can be built")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn what_was_meant_is_read(bytes in prop::collection::vec(any::<u8>(), 0..1500)) {
        let spec = SectionSpec::arbitrary(&mut Unstructured::new(&bytes)).expect("any bytes make a section");
        let built = spec.build().expect("the section can be built");
        let file = file(&spec, built.data);
        let options = image::Options { debug_files: false, ..image::Options::default() };
        let image = image::from_bytes("made", &file, &options).expect("the file can be opened");
        let (_, section) = image.cases[0].frame_sections().next().expect("the section is found");
        prop_assert_eq!(section.bases, spec.bases);
        let mut table = Table::new(Reader::new(section, image.cases[0].target));
        prop_assert_eq!(table.len(), built.entries.len());
        let mut entry = Entry::default();
        for (index, meant) in built.entries.iter().enumerate() {
            table.fill(index, Says::all(), &mut entry);
            prop_assert_eq!(&entry, meant);
        }
    }
}
