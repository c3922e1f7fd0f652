//! Decision points: one method overridden changes what it should and nothing else, in the reader that is compiled
//! for `dyn Semantics`; the standard's answers are the same in either.

mod common;

use cfidiff_cfi::{Reader, Semantics, Standard};
use cfidiff_model::{EntryKind, FaultKind, Format, Section, SectionKind};
use common::{Layout, X86_64, ZR, assert_tiled, entries, faults, fde_of, kinds, rows};

fn read(section: &Section, semantics: &dyn Semantics) -> Vec<cfidiff_model::Entry> {
    entries(Reader::with_semantics(section, X86_64, semantics))
}

/// `.eh_frame` of a C program, as gcc 12 -O2 and GNU ld wrote it, at 0x2068.
fn real() -> Section {
    let mut layout = Layout::eh_frame();
    layout.address = 0x2068;
    layout.hex(include_str!("shape.hex"));
    layout.section()
}

/// What readelf 2.40 -wNF prints for the file. It prints no row for an FDE of nops, which has its CIE's.
#[test]
fn a_real_section_reads_as_readelf_prints_it() {
    let section = real();
    let read = entries(Reader::new(&section, X86_64));
    let printed: Vec<&str> = include_str!("shape.rows").lines().collect();
    let ours: Vec<String> = read
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::Fde(_)))
        .flat_map(|entry| {
            let fde = fde_of(entry);
            let end = fde.initial_location.0 + fde.address_range;
            let head = format!(
                "FDE {:x} cie={:x} pc={:x}..{end:x}",
                entry.offset.0,
                fde.cie.unwrap().0,
                fde.initial_location.0
            );
            std::iter::once(head).chain(rows(entry))
        })
        .collect();
    assert_eq!(ours, printed);
    assert!(read.iter().all(|entry| entry.faults.is_empty()));
}

#[test]
fn standard_semantics_are_the_same_behind_a_pointer() {
    let section = real();
    assert_eq!(entries(Reader::new(&section, X86_64)), read(&section, &Standard));
    assert_eq!(
        assert_tiled(Reader::with_semantics(&section, X86_64, &Standard as &dyn Semantics)),
        section.data.len()
    );
}

/// A usual mistake: `.eh_frame`'s CIE pointer added instead of subtracted. Records and CIEs stay as
/// they are, FDEs lose their CIE or find another.
#[test]
fn a_cie_pointer_added_changes_fdes_alone() {
    struct Added;
    impl Semantics for Added {
        fn cie_offset(&self, _: SectionKind, field: u64, _: u64, pointer: u64) -> u64 {
            field.wrapping_add(pointer)
        }
    }
    let section = real();
    let right = entries(Reader::new(&section, X86_64));
    let wrong = read(&section, &Added);
    assert_eq!(kinds(&right), kinds(&wrong));
    for (right, wrong) in right.iter().zip(&wrong) {
        assert_eq!((right.offset, right.length), (wrong.offset, wrong.length));
        let EntryKind::Fde(fde) = &wrong.kind else {
            assert_eq!(right, wrong);
            continue;
        };
        assert_eq!(fde.cie_pointer, fde_of(right).cie_pointer, "the pointer as written");
        assert_eq!(fde.cie, None);
        assert!(matches!(
            wrong.faults[0].kind,
            FaultKind::CiePointerNotCie | FaultKind::CiePointerInside | FaultKind::CiePointerOutside
        ));
    }
}

/// A range taken for an address: pcrel adds the address of the range's own field.
#[test]
fn a_range_with_a_base_changes_ranges_alone() {
    struct RangeHasBase;
    impl Semantics for RangeHasBase {
        fn address_range_encoding(&self, initial_location_encoding: u8) -> u8 {
            initial_location_encoding
        }
    }
    let section = real();
    for (right, wrong) in entries(Reader::new(&section, X86_64)).iter().zip(read(&section, &RangeHasBase)) {
        assert_eq!(right.instructions, wrong.instructions);
        let EntryKind::Fde(fde) = &wrong.kind else { continue };
        // Length, CIE pointer and location stand before the field.
        let field = section.address.0 + wrong.offset.0 + 12;
        assert_eq!(fde.address_range, fde_of(right).address_range + field);
        assert_eq!(fde.initial_location, fde_of(right).initial_location);
    }
}

/// delve's mistake: the last byte of a range taken as outside changes the last row's end, and no other row.
#[test]
fn the_last_row_s_end_is_its_own_decision() {
    struct OneShort;
    impl Semantics for OneShort {
        fn last_row_end(&self, initial_location: u64, address_range: u64) -> u64 {
            initial_location + address_range - 1
        }
    }
    let section = real();
    for (right, wrong) in entries(Reader::new(&section, X86_64)).iter().zip(read(&section, &OneShort)) {
        assert_eq!(right.instructions, wrong.instructions);
        assert_eq!(right.rows.len(), wrong.rows.len());
        for (index, (right_row, wrong_row)) in right.rows.iter().zip(wrong.rows.iter()).enumerate() {
            let last = index + 1 == right.rows.len() && matches!(right.kind, EntryKind::Fde(_));
            assert_eq!(wrong_row.end.0 + u64::from(last), right_row.end.0);
            assert_eq!(
                (right_row.start, right_row.cfa, right_row.rules),
                (wrong_row.start, wrong_row.cfa, wrong_row.rules)
            );
        }
    }
}

/// llvm-dwarfdump before 16: states that keep the registers alone.
#[test]
fn a_state_without_its_cfa_changes_rows_behind_a_restore() {
    struct RegistersAlone;
    impl Semantics for RegistersAlone {
        fn remembered_state_has_cfa(&self) -> bool {
            false
        }
    }
    let layout = common::one_fde("41 0e10 8602 41 0a 0c0708 c6 41 0b 41");
    let wrong = read(&layout.section(), &RegistersAlone);
    assert_eq!(rows(&layout.read_fde())[3], "1003-1004 r7+16 r6:c-16 r16:c-8");
    assert_eq!(rows(&wrong[1])[3], "1003-1004 r7+8 r6:c-16 r16:c-8");
    assert_eq!(rows(&wrong[1])[..3], rows(&layout.read_fde())[..3]);
}

/// gimli 0.15: a state with its location makes rows that go back.
#[test]
fn a_state_with_its_location_makes_rows_that_go_back() {
    struct WithLocation;
    impl Semantics for WithLocation {
        fn remembered_state_has_location(&self) -> bool {
            true
        }
    }
    let layout = common::one_fde("0a 48 0e10 0b 44 0e18");
    assert_eq!(
        rows(&read(&layout.section(), &WithLocation)[1]),
        ["1000-1008 r7+8 r16:c-8", "1000-1004 r7+8 r16:c-8", "1004-1040 r7+24 r16:c-8"]
    );
}

/// The run-time unwinder stops at a terminator, the reader of files goes on.
#[test]
fn a_walk_may_end_at_a_terminator() {
    struct Unwinder;
    impl Semantics for Unwinder {
        fn walk_ends_at_terminator(&self, kind: SectionKind) -> bool {
            kind == SectionKind::EhFrame
        }
    }
    let mut layout = Layout::eh_frame();
    let cie = layout.cie(ZR);
    layout.u32(0);
    layout.zr_fde(cie, 0x1000, 0x10, "");
    assert_eq!(kinds(&layout.read()), "C0F");
    assert_eq!(kinds(&read(&layout.section(), &Unwinder)), "C0");
}

/// readelf 2.40 takes eight bytes of id in the 64-bit format of `.eh_frame`.
#[test]
fn the_width_of_ids_is_a_decision() {
    struct Wide;
    impl Semantics for Wide {
        fn id_width(&self, _: SectionKind, format: Format) -> u8 {
            if format == Format::Dwarf64 { 8 } else { 4 }
        }
    }
    let mut layout = Layout::eh_frame();
    layout.record64(|record| {
        record.number(8, 0).hex(ZR);
    });
    layout.cie(ZR);
    let wide = read(&layout.section(), &Wide);
    assert_eq!(rows(&wide[0]), ["0-0 r7+8 r16:c-8"]);
    assert_eq!(rows(&wide[1]), ["0-0 r7+8 r16:c-8"]);
    let narrow = layout.read();
    assert_eq!(faults(&narrow[0]), [(FaultKind::CieVersion, 16)], "the id's upper half is no version");
    assert_eq!(narrow[1], wide[1]);
}

/// Two mistakes at once: one semantics wraps another.
#[test]
fn mistakes_compose() {
    struct Unfactored<'a>(&'a dyn Semantics);
    impl Semantics for Unfactored<'_> {
        fn advance_delta(&self, delta: u64, _: u64) -> u64 {
            delta
        }
        fn factored_offset(&self, opcode: u8, operand: i64, code: u64, data: i64) -> i64 {
            self.0.factored_offset(opcode, operand, code, data)
        }
    }
    struct PositiveData;
    impl Semantics for PositiveData {
        fn factored_offset(&self, _: u8, operand: i64, _: u64, data: i64) -> i64 {
            operand * data.abs()
        }
    }
    let mut layout = Layout::debug_frame();
    let cie = layout.cie("01 00 04 78 10 0c0708 9001");
    layout.plain_fde(cie, 0x1000, 0x40, "42 8602");
    assert_eq!(rows(&layout.read_fde()), ["1000-1008 r7+8 r16:c-8", "1008-1040 r7+8 r6:c-16 r16:c-8"]);
    let wrong = read(&layout.section(), &Unfactored(&PositiveData));
    assert_eq!(rows(&wrong[1]), ["1000-1002 r7+8 r16:c+8", "1002-1040 r7+8 r6:c+16 r16:c+8"]);
}
