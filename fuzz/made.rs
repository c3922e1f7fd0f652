//! Sections made to order: what was meant is what is read.

use arbitrary::{Arbitrary, Unstructured};
use cfidiff_cfi::{Reader, Table};
use cfidiff_gen::SectionSpec;
use cfidiff_model::{Entry, Says};

/// Makes a section from any bytes and reads it.
///
/// # Panics
///
/// When the section cannot be built, or when an entry of the in-house reader differs in anything from the one that
/// was meant.
pub fn made(bytes: &[u8]) {
    let Ok(spec) = SectionSpec::arbitrary(&mut Unstructured::new(bytes)) else { return };
    let built = spec.build().unwrap_or_else(|error| panic!("{error}"));
    let case = spec.case("made", &built);
    let mut table = Table::new(Reader::new(&case.sections[0], case.target));
    assert_eq!(table.len(), built.entries.len(), "the number of records");
    let mut entry = Entry::default();
    for (index, meant) in built.entries.iter().enumerate() {
        table.fill(index, Says::all(), &mut entry);
        assert_eq!(&entry, meant, "record {index}");
    }
}
