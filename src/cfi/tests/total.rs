//! The reader is total: any bytes give records that tile the section, with faults inside them, and hostile bytes
//! cost bounded work and memory.

mod common;

use std::time::{Duration, Instant};

use cfidiff_cfi::{
    Header, MAX_EXTRA_RULES, MAX_KEPT_RULES, MAX_REMEMBERED, Reader, RecordKind, Semantics, Table,
};
use cfidiff_model::{
    Address, Bases, CfaRule, Class, Endianness, Entry, EntryKind, Expression, FaultKind, Machine,
    RegisterRule, Says, SectionKind,
};
use common::{Layout, PLAIN, X86_64, ZR, assert_tiled, cie_of, entries, target};
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

// Hostile sections of about a mebibyte. Each would take minutes to hours, or more memory than there is, if its work
// grew with the square of its size.

const MIB: usize = 1 << 20;

/// What all entries of a section hold together, with the most that one holds.
#[derive(Default, Debug)]
struct Sum {
    records: usize,
    instructions: usize,
    rows: usize,
    /// Rules of rows, and operations of expressions in them.
    kept: usize,
    most_kept: usize,
    faults: usize,
}

/// Fills every record with all that can be said, and counts.
fn sum(layout: &Layout) -> Sum {
    let section = layout.section();
    let start = Instant::now();
    let mut table = Table::new(Reader::new(&section, layout.target));
    let mut entry = Entry::default();
    let mut sum = Sum::default();
    for index in 0..table.len() {
        assert!(table.fill(index, Says::all(), &mut entry));
        assert!(entry.faults.len() <= 16, "faults are bounded");
        let kept: usize = entry.rows.iter().map(|row| cost(row.cfa, row.rules)).sum();
        sum.records += 1;
        sum.instructions += entry.instructions.len();
        sum.rows += entry.rows.len();
        sum.kept += kept;
        sum.most_kept = sum.most_kept.max(kept);
        sum.faults += entry.faults.len();
        assert!(start.elapsed() < Duration::from_secs(60), "{sum:?} took {:?}", start.elapsed());
    }
    sum
}

fn cost(cfa: &CfaRule, rules: &[(u64, RegisterRule)]) -> usize {
    let operations = |expression: &Expression| expression.operations.len();
    let of_rule = |(_, rule): &(u64, RegisterRule)| match rule {
        RegisterRule::Expression(expression) | RegisterRule::ValExpression(expression) => {
            operations(expression)
        }
        _ => 0,
    };
    let of_cfa = if let CfaRule::Expression(expression) = cfa { operations(expression) } else { 0 };
    1 + rules.len() + of_cfa + rules.iter().map(of_rule).sum::<usize>()
}

/// A CIE with `cie_program` and one FDE that repeats `unit` up to a mebibyte.
fn repeated(cie_program: &[u8], first: &str, unit: &str) -> Layout {
    repeated_to(MIB, cie_program, first, unit)
}

fn repeated_to(size: usize, cie_program: &[u8], first: &str, unit: &str) -> Layout {
    let mut layout = Layout::debug_frame();
    let cie = layout.cie("01 00 01 78 10");
    layout.data.extend(cie_program);
    let length = (layout.data.len() - 4) as u32;
    layout.data[..4].copy_from_slice(&length.to_le_bytes());
    let unit = common::bytes(unit);
    layout.fde(cie, |fde| {
        fde.absptr(0x1000).absptr(1 << 40).hex(first);
        fde.data.extend(unit.iter().cycle().take(size / unit.len() * unit.len()));
    });
    layout
}

/// Undefined rules for every register that the reader keeps: 128 and those beyond.
fn all_rules() -> Vec<u8> {
    (0..128 + MAX_EXTRA_RULES)
        .flat_map(|register| [0x07, (register % 128) as u8 | 0x80, (register / 128) as u8])
        .collect()
}

#[test]
fn remembered_states_are_bounded() {
    let sum = sum(&repeated(&all_rules(), "", "0a"));
    assert_eq!((sum.records, sum.rows, sum.faults), (2, 1, 1));
    assert!(sum.instructions > MIB, "the list goes on");
    // Each pair copies all rules out and in.
    let pairs = self::sum(&repeated_to(MIB / 4, &all_rules(), "", "0a 0b"));
    assert_eq!((pairs.rows, pairs.faults), (2, 0), "states taken back leave room");
    let nested = format!("{}{}", "0a".repeat(MAX_REMEMBERED), "0b".repeat(MAX_REMEMBERED));
    assert_eq!(self::sum(&repeated_to(MIB / 32, &all_rules(), "", &nested)).faults, 0);
}

#[test]
fn huge_deltas_make_a_row_each() {
    let sum = sum(&repeated(&[], "", "04 ffffffff"));
    assert_eq!(sum.rows, MIB / 5 + 1 + 1, "one a delta, the last, and the CIE's");
    assert_eq!(sum.faults, 1, "past the end, told once");
}

#[test]
fn rows_of_many_rules_are_bounded() {
    for (cie, first) in [(all_rules(), String::new()), (vec![], common_text(&all_rules()))] {
        let sum = sum(&repeated(&cie, &first, "41"));
        assert!(sum.rows > 1000);
        assert!(sum.most_kept <= MAX_KEPT_RULES + 2 * 640, "{sum:?}");
        assert_eq!(sum.faults, 1, "RuleCount");
    }
}

fn common_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn restores_of_many_rules_are_linear() {
    for (size, unit) in
        [(MIB, "06 ff04"), (MIB / 8, "06 ff7f"), (MIB / 8, "ff"), (MIB / 8, "07 ff04 06 ff04")]
    {
        let sum = sum(&repeated_to(size, &all_rules(), "", unit));
        assert_eq!((sum.rows, sum.faults), (2, 0), "{unit}");
    }
}

#[test]
fn an_expression_in_many_rows_is_bounded() {
    let mut expression = vec![0x0f, 0x80, 0x80, 0x20];
    expression.extend(vec![0x96; MIB / 2]);
    let sum = sum(&repeated(&[], &common_text(&expression), "41"));
    assert!(sum.most_kept <= 2 * MAX_KEPT_RULES, "{sum:?}");
    assert_eq!(sum.faults, 1, "RuleCount");
}

#[test]
fn faults_of_expressions_are_bounded() {
    // A faulty expression a row, and one in each of many rules.
    let rows = sum(&repeated(&[], "", "0f 01 ff 41"));
    assert_eq!(rows.rows, MIB / 4 + 2);
    assert_eq!(rows.faults, 16);
    let rules = sum(&repeated(&[], "", "10 06 01 ff"));
    assert_eq!((rules.rows, rules.faults), (2, 16));
}

/// The FDEs are as many as fit, each with the expressions of a CIE that takes half of the section.
#[test]
fn many_fdes_of_a_large_cie_are_linear() {
    let mut expression = vec![0x0f, 0x80, 0x80, 0x10];
    expression.extend(vec![0x96; MIB / 4]);
    for program in [expression, all_rules()] {
        let mut layout = repeated(&program, "", "00");
        layout.data.truncate(program.len() + 13);
        while layout.data.len() < MIB / 2 {
            layout.plain_fde(0, 0x1000, 0x10, "41");
        }
        let sum = sum(&layout);
        assert!(sum.records > MIB / 4 / 32, "{sum:?}");
        assert!(sum.kept <= 1024 * MIB / 2, "{sum:?}");
    }
}

#[test]
fn tiny_records_are_linear() {
    for kind in [SectionKind::EhFrame, SectionKind::DebugFrame] {
        // CIEs of nothing but an id, and of one byte a field.
        for contents in ["", "01 00 01 78 10"] {
            let mut layout = Layout::new(kind, X86_64);
            let size = layout.cie(contents) as usize + layout.data.len();
            layout.data = layout.data.repeat(MIB / size);
            let sum = sum(&layout);
            assert_eq!(sum.records, MIB / size);
            assert_eq!(sum.faults, if contents.is_empty() { sum.records } else { 0 });
        }
        // FDEs whose pointers lead outside, into a record, to another FDE.
        for (size, pointer) in [(MIB, 0x7fff_ffff), (MIB / 8, 0x1_0001), (MIB / 8, 8)] {
            let mut layout = Layout::new(kind, X86_64);
            layout.u32(4).u32(pointer);
            layout.data = layout.data.repeat(size / 8);
            let sum = sum(&layout);
            assert_eq!((sum.records, sum.faults, sum.rows), (size / 8, size / 8, 0));
        }
        let mut layout = Layout::new(kind, X86_64);
        layout.data = vec![0; MIB];
        assert_eq!(sum(&layout).records, MIB / 4);
    }
}

/// FDEs in front of their CIEs, each of another one: the search for them reads the section once.
#[test]
fn cies_behind_their_fdes_are_found_in_linear_work() {
    let mut layout = Layout::debug_frame();
    let (fde_size, cie_size) = (24, 18);
    let count = (MIB / (fde_size + cie_size)) as u64;
    for number in 0..count {
        let cie = count * fde_size as u64 + (count - 1 - number) * cie_size as u64;
        layout.plain_fde(cie, 0x1000 + number, 1, "");
    }
    for _ in 0..count {
        layout.cie(PLAIN);
    }
    let sum = sum(&layout);
    assert_eq!((sum.records as u64, sum.faults), (2 * count, 0));
    assert_eq!(sum.rows as u64, 2 * count);
}

#[test]
fn long_augmentations_are_linear() {
    let long = |letter: u8| {
        let mut layout = Layout::eh_frame();
        layout.record(|record| {
            record.cie_id().hex("01 'z'").data.extend(vec![letter; MIB]);
            record.hex("00 01 78 10 00 0c0708");
        });
        layout
    };
    for letter in *b"XSBG" {
        let sum = sum(&long(letter));
        assert_eq!((sum.records, sum.faults, sum.rows), (1, 0, 1));
    }
    let layout = long(b'S');
    let section = layout.section();
    let entries = entries(Reader::new(&section, X86_64));
    assert!(cie_of(&entries[0]).signal_frame);
    // A number padded to a mebibyte.
    let mut layout = Layout::eh_frame();
    layout.record(|record| {
        record.cie_id().hex("01 00").data.extend(vec![0x80; MIB]);
        record.hex("00 78 10");
    });
    assert_eq!(sum(&layout).faults, 0);
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
