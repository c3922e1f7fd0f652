//! Two readers on the same bytes: ours and gimli.

use std::collections::BTreeSet;

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{CfaRule, Entry, EntryKind, Outcome, Says, SectionKind, SectionOffset, Sink};
use cfidiff_oracles::Oracle;
use cfidiff_oracles::gimli::Gimli;

use crate::input::frame_case;

/// Reads any bytes as a section with both readers and compares the records that neither complains about.
///
/// # Panics
///
/// When either reader panics, or when they differ in a way that is not known of gimli.
pub fn differ(bytes: &[u8]) {
    let Some(case) = frame_case(bytes) else { return };
    let table = Table::new(Reader::new(&case.sections[0], case.target));
    let mut comparison =
        Comparison { table, ours: Entry::default(), kind: case.sections[0].kind, sound: BTreeSet::new() };
    Gimli.read(0, std::slice::from_ref(&case), &mut comparison);
}

/// Compares each entry of gimli with ours as it comes.
struct Comparison<'a> {
    table: Table<'a>,
    ours: Entry,
    kind: SectionKind,
    /// The records so far that were found equal.
    sound: BTreeSet<SectionOffset>,
}

impl Sink for Comparison<'_> {
    fn section(&mut self, _case: usize, _section: usize, _says: Says) {}

    fn entry(&mut self, theirs: &Entry) {
        let index = self.table.index_of(theirs.offset);
        let index = index.unwrap_or_else(|| panic!("gimli alone has a record at {}", theirs.offset));
        self.table.fill(index, Says::INSTRUCTIONS | Says::ROWS, &mut self.ours);
        let faultless = self.ours.faults.is_empty() && theirs.faults.is_empty();
        // What a CIE's instructions say is told again by the rows of its FDEs, its faults are not.
        let sound = match &theirs.kind {
            EntryKind::Fde(fde) => fde.cie.is_some_and(|cie| self.sound.contains(&cie)),
            _ => true,
        };
        if faultless && sound && !is_known(self.kind, &self.ours, theirs) {
            compare(&self.ours, theirs);
            self.sound.insert(theirs.offset);
        }
    }

    fn end_section(&mut self, outcome: Outcome) {
        if let Outcome::Failed(why) = outcome {
            assert!(!why.starts_with("panicked"), "gimli {why}");
        }
    }

    fn end_case(&mut self, _case: usize, _outcome: Outcome) {}
}

/// Whether gimli's answer shows one of its known habits, so that the rest of the record need not be equal.
fn is_known(kind: SectionKind, ours: &Entry, theirs: &Entry) -> bool {
    match (&ours.kind, &theirs.kind) {
        // In `.eh_frame` it looks for no address size and segment selector size.
        (EntryKind::Cie(a), EntryKind::Cie(_)) => kind == SectionKind::EhFrame && a.version == 4,
        (EntryKind::Fde(a), EntryKind::Fde(b)) => {
            // A range in a signed format is sign-extended, and one in a format wider than an address is not cut.
            // The specifications are silent on both.
            let extended = [a.address_range as i16 as u64, a.address_range as i32 as u64];
            let cut = b.address_range & u64::from(u32::MAX);
            let range = a.address_range != b.address_range
                && (extended.contains(&b.address_range) || a.address_range == cut);
            // A row without a CFA rule has register 0 plus 0.
            range || ours.rows.iter().any(|row| *row.cfa == CfaRule::Undefined)
        }
        _ => false,
    }
}

fn compare(ours: &Entry, theirs: &Entry) {
    assert_eq!(ours.length, theirs.length, "lengths at {}", ours.offset);
    match (&ours.kind, &theirs.kind) {
        (EntryKind::Cie(a), EntryKind::Cie(b)) => {
            let factors = |cie: &cfidiff_model::Cie| {
                (cie.version, cie.address_size, cie.code_alignment_factor, cie.data_alignment_factor)
            };
            assert_eq!(factors(a), factors(b), "factors at {}", ours.offset);
            assert_eq!(a.return_address_register, b.return_address_register, "at {}", ours.offset);
            assert_eq!(a.fde_encoding, b.fde_encoding, "at {}", ours.offset);
        }
        (EntryKind::Fde(a), EntryKind::Fde(b)) => {
            assert_eq!(a.cie, b.cie, "CIEs at {}", ours.offset);
            assert_eq!(a.initial_location, b.initial_location, "initial locations at {}", ours.offset);
            assert_eq!(a.address_range, b.address_range, "ranges at {}", ours.offset);
        }
        (a, b) => panic!("{} against {} at {}", a.name(), b.name(), ours.offset),
    }
    let same_program = ours.instructions.len() == theirs.instructions.len()
        && ours.instructions.iter().zip(&theirs.instructions).all(|(a, b)| a.same_effect(b));
    assert!(same_program, "at {}: {:?} against {:?}", ours.offset, ours.instructions, theirs.instructions);
    assert_eq!(ours.rows, theirs.rows, "rows at {}", ours.offset);
}
