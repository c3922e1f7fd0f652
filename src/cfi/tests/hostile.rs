//! Hostile bytes cost bounded work and memory.
//!
//! The sections have about a mebibyte. Each would take minutes to hours, or more memory than there is, if its work grew
//! with the square of its size.

mod common;

use std::time::{Duration, Instant};

use cfidiff_cfi::{MAX_EXTRA_RULES, MAX_KEPT_RULES, MAX_REMEMBERED, Reader, Table};
use cfidiff_model::{CfaRule, Entry, Expression, RegisterRule, Says, SectionKind};
use common::{Layout, PLAIN, X86_64, cie_of, entries};

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
