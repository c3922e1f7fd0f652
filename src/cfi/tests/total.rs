//! The reader is total: any bytes give records that tile the section, with faults inside them.

mod common;

use cfidiff_cfi::{Header, Reader, RecordKind, Semantics, Table};
use cfidiff_model::{
    Address, Bases, Class, Endianness, Entry, EntryKind, FaultKind, Machine, Says, SectionKind,
};
use common::{Layout, X86_64, ZR, assert_tiled, target};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0xc0f1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn empty_layout() -> impl Strategy<Value = Layout> {
    let machines = [Machine::X86_64, Machine::AARCH64, Machine::SPARCV9, Machine::MIPS, Machine(0)];
    (
        select(&[SectionKind::EhFrame, SectionKind::DebugFrame][..]),
        select(machines.to_vec()),
        select(&[Class::Elf32, Class::Elf64][..]),
        select(&[Endianness::Little, Endianness::Big][..]),
        prop_oneof![Just(0), Just(0x2000), any::<u64>()],
        any::<bool>(),
    )
        .prop_map(|(kind, machine, class, endianness, address, bases)| Layout {
            address,
            bases: if bases {
                Bases { text: Some(Address(0x100)), data: Some(Address(!0)) }
            } else {
                Bases::default()
            },
            ..Layout::new(kind, target(machine, class, endianness))
        })
}

/// Programs in which all opcodes are likely, and operands of all sizes.
fn program() -> impl Strategy<Value = Vec<u8>> {
    let opcode = prop_oneof![0..0x32u8, 0x40..0x50u8, any::<u8>()];
    prop::collection::vec(prop_oneof![3 => opcode, 1 => Just(0x80u8), 1 => Just(0x7f)], 0..24)
}

#[derive(Clone, Debug)]
enum Piece {
    Raw(Vec<u8>),
    Zero,
    Reserved(u64),
    Cie { wide: bool, version: u8, augmentation: Vec<u8>, encodings: u8, factors: (u8, u8), program: Vec<u8> },
    Fde { wide: bool, back: u64, location: u64, range: u64, program: Vec<u8> },
}

fn piece() -> impl Strategy<Value = Piece> {
    let augmentation = prop::collection::vec(select(&b"zRPLSBGX"[..]), 0..4);
    let z = augmentation.prop_map(|letters| [b"z", &letters[..]].concat());
    let augmentation =
        prop_oneof![4 => z, 2 => Just(vec![]), 1 => Just(b"S".to_vec()), 1 => Just(b"eh".to_vec())];
    let version = prop_oneof![6 => Just(1u8), 3 => Just(3), 3 => Just(4), 1 => any::<u8>()];
    let encoding = prop_oneof![4 => Just(0x1b), 3 => Just(0), 1 => any::<u8>()];
    let cie = (any::<bool>(), version, augmentation, encoding, any::<(u8, u8)>(), program()).prop_map(
        |(wide, version, augmentation, encodings, factors, program)| Piece::Cie {
            wide,
            version,
            augmentation,
            encodings,
            factors,
            program,
        },
    );
    let fde =
        (any::<bool>(), 0..8u64, any::<u64>(), prop_oneof![0..64u64, any::<u64>()], program()).prop_map(
            |(wide, back, location, range, program)| Piece::Fde { wide, back, location, range, program },
        );
    prop_oneof![
        1 => prop::collection::vec(any::<u8>(), 0..24).prop_map(Piece::Raw),
        1 => Just(Piece::Zero),
        1 => (0xffff_ff00..=0xffff_ffffu64).prop_map(Piece::Reserved),
        8 => cie,
        12 => fde,
    ]
}

/// A section of records that mostly are well-formed.
fn structured() -> impl Strategy<Value = Layout> {
    (empty_layout(), prop::collection::vec(piece(), 0..12)).prop_map(|(mut layout, pieces)| {
        let mut cies = vec![0];
        for piece in pieces {
            match piece {
                Piece::Raw(bytes) => layout.data.extend(bytes),
                Piece::Zero => drop(layout.u32(0)),
                // A wrong length would hide all that follows, so it comes at the end alone.
                Piece::Reserved(word) => {
                    layout.u32(word);
                    break;
                }
                Piece::Cie { wide, version, augmentation, encodings, factors, program } => {
                    let fill = |record: &mut Layout| {
                        let wide = wide && record.kind == SectionKind::DebugFrame;
                        let id = if record.kind == SectionKind::EhFrame { 0 } else { u64::MAX };
                        record.number(if wide { 8 } else { 4 }, id).number(1, version.into());
                        record.data.extend(&augmentation);
                        record.hex("00");
                        if version == 4 {
                            record.hex("0800");
                        }
                        record.data.extend([factors.0 & 0x7f, factors.1 & 0x7f, 16]);
                        if augmentation.first() == Some(&b'z') {
                            record.hex("08").data.extend([encodings; 8]);
                        }
                        record.data.extend(program);
                    };
                    cies.push(if wide { layout.record64(fill) } else { layout.record(fill) });
                }
                Piece::Fde { wide, back, location, range, program } => {
                    let cie = cies[cies.len() - 1 - (back as usize).min(cies.len() - 1)];
                    let fill = |record: &mut Layout| {
                        if wide && record.kind == SectionKind::DebugFrame {
                            record.number(8, cie);
                        } else {
                            record.cie_pointer(cie);
                        }
                        record.absptr(location).absptr(range).data.extend(program);
                    };
                    if wide {
                        layout.record64(fill)
                    } else {
                        layout.record(fill)
                    };
                }
            }
        }
        layout
    })
}

/// What holds of any section.
fn check(layout: &Layout) {
    let entries = layout.read();
    let section = layout.section();
    assert_eq!(assert_tiled(Reader::new(&section, layout.target)), section.data.len());
    for (index, entry) in entries.iter().enumerate() {
        let end = entries.get(index + 1).map_or(section.data.len() as u64, |next| next.offset.0);
        for fault in &entry.faults {
            // A fault of something missing lies at the record's end.
            assert!(
                (entry.offset.0..=end).contains(&fault.offset.0),
                "{fault} in {:#x}..{end:#x}",
                entry.offset.0
            );
            let bytes = &section.data[fault.offset.0 as usize..];
            assert!(bytes.starts_with(&fault.bytes), "{fault}");
        }
        assert!(entry.instructions.len() as u64 <= end - entry.offset.0);
        assert_eq!(matches!(entry.kind, EntryKind::Unreadable), entry.faults.iter().any(unreadable));
        check_rows(entry);
    }
    // Nothing depends on what was read before.
    let mut table = Table::new(Reader::new(&section, layout.target));
    let mut entry = Entry::default();
    for (index, expected) in entries.iter().enumerate().rev() {
        assert!(table.fill(index, Says::all(), &mut entry));
        assert_eq!(&entry, expected);
        assert_eq!(table.index_of(entry.offset), Some(index));
        assert!(table.fill(index, Says::empty(), &mut entry));
        assert_eq!(entry.kind, expected.kind);
    }
}

fn unreadable(fault: &cfidiff_model::Fault) -> bool {
    use FaultKind::{LengthPastSection, ReservedLength, TruncatedLength, TruncatedRecord};
    matches!(fault.kind, LengthPastSection | ReservedLength | TruncatedLength)
        || fault.kind == TruncatedRecord && fault.expected == "a CIE id or CIE pointer"
}

/// Rows start at the initial location and follow each other upwards without gaps.
fn check_rows(entry: &Entry) {
    let EntryKind::Fde(fde) = &entry.kind else { return };
    let mut next = fde.initial_location;
    for row in entry.rows.iter() {
        assert_eq!(row.start, next);
        assert!(row.rules.is_sorted_by(|(a, _), (b, _)| a < b), "a register has one rule");
        next = row.end;
    }
    assert!(entry.rows.iter().is_sorted_by_key(|row| row.start));
    if entry.faults.is_empty() {
        assert!(!entry.rows.is_empty(), "an FDE without faults has rows");
        assert!(fde.cie.is_some());
        let end = fde.initial_location.0.wrapping_add(fde.address_range);
        assert_eq!(next.0 as u32, end as u32);
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn any_bytes_give_records(layout in empty_layout(), data in prop::collection::vec(any::<u8>(), 0..96)) {
        check(&Layout { data, ..layout });
    }

    #[test]
    fn nearly_well_formed_records_give_records(layout in structured()) {
        check(&layout);
    }

    #[test]
    fn cut_and_changed_records_give_records(
        layout in structured(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        keep in any::<prop::sample::Index>(),
    ) {
        let mut layout = layout;
        if !layout.data.is_empty() {
            for (at, byte) in changes {
                let at = at.index(layout.data.len());
                layout.data[at] = byte;
            }
            layout.data.truncate(keep.index(2 * layout.data.len()));
        }
        check(&layout);
    }

    #[test]
    fn any_bytes_give_a_header(
        layout in empty_layout(),
        data in prop::collection::vec(any::<u8>(), 0..64),
        start in prop_oneof![Just(vec![1, 0x1b, 3, 0x3b]), Just(vec![1, 0xff, 4, 0x0c]), Just(vec![])],
        addresses in any::<[u64; 4]>(),
    ) {
        let layout = Layout { data: [start, data].concat(), kind: SectionKind::EhFrameHdr, ..layout };
        let section = layout.section();
        let header = Header::new(&section, layout.target);
        let listed: Vec<_> = header.entries().collect();
        prop_assert!(listed.len() <= section.data.len() / 2 + 1);
        prop_assert!(listed.iter().rev().skip(1).all(Result::is_ok), "nothing comes behind a fault");
        for address in addresses {
            if let Some(found) = header.lookup(Address(address)) {
                prop_assert!(found.initial_location.0 <= address);
                prop_assert!(listed.contains(&Ok(found)), "what is found is in the list");
            }
        }
    }
}

/// A walk without rows says of each FDE what it says with them, and allocates for none of them.
#[test]
fn a_walk_alone_reads_no_programs() {
    let mut layout = Layout::eh_frame();
    let cie = layout.cie(ZR);
    for number in 0..1000 {
        layout.zr_fde(cie, 0x1000 + 16 * number, 16, "3f 3f 3f");
    }
    let section = layout.section();
    let semantics: &dyn Semantics = &cfidiff_cfi::Standard;
    for (number, record) in Reader::with_semantics(&section, X86_64, semantics).walk().skip(1).enumerate() {
        let RecordKind::Fde(fde) = record.kind else { panic!("{:?}", record.kind) };
        assert_eq!(fde.initial_location, 0x1000 + 16 * number as u64);
        assert!(fde.faults.is_empty());
    }
}
