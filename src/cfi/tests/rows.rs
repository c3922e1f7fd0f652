//! Rows: the state machine of call frame instructions (DWARF 5 section 6.4.3), with the programs on which public
//! readers went wrong.

mod common;

use std::ops::ControlFlow;

use cfidiff_cfi::{MAX_EXTRA_RULES, MAX_REMEMBERED, Reader, RecordKind, RowContext};
use cfidiff_model::{Address, Class, Endianness, FaultKind, Machine, RegisterRule, SectionKind};
use common::{Layout, PLAIN, PPC, X86_64, ZR, faults, one_fde, rows, target};

/// The rows of an FDE at 0x1000 of 0x40 bytes of a standard CIE. It has no faults.
fn rows_of(program: &str) -> Vec<String> {
    let entry = one_fde(program).read_fde();
    assert_eq!(faults(&entry), [], "{program}");
    rows(&entry)
}

/// The faults, by kind and by offset from the program's start, and the rows.
fn faulty(program: &str) -> (Vec<(FaultKind, u64)>, Vec<String>) {
    let entry = one_fde(program).read_fde();
    // Length, CIE pointer, location, range and augmentation length stand before the program.
    let start = entry.offset.0 + 17;
    (faults(&entry).into_iter().map(|(kind, offset)| (kind, offset - start)).collect(), rows(&entry))
}

#[test]
fn an_fde_without_instructions_has_one_row_of_its_cie() {
    for program in ["", "00", "00000000000000", "2e10"] {
        assert_eq!(rows_of(program), ["1000-1040 r7+8 r16:c-8"]);
    }
}

/// b01 (gimli before 0.18: deltas not factored).
#[test]
fn deltas_count_in_units_of_the_code_alignment_factor() {
    let mut layout = Layout::eh_frame();
    let cie = layout.cie("01 'zR' 00 04 78 10 01 1b 0c0708 9001");
    layout.zr_fde(cie, 0x1000, 0x40, "42 0e10 02 04 0e08");
    let expected = ["1000-1008 r7+8 r16:c-8", "1008-1018 r7+16 r16:c-8", "1018-1040 r7+8 r16:c-8"];
    assert_eq!(rows(&layout.read_fde()), expected);
}

/// b02: readelf 2.40 prints these rows (readelf 2.16, llvm-dwarfdump 13 to 15, pyelftools 0.24 and gimli 0.15 keep
/// the newer CFA or the older location).
#[test]
fn remember_and_restore_keep_the_cfa_and_nest() {
    assert_eq!(
        rows_of("41 0e10 86 02 43 0a 0d06 48 0a 0c0708 c6 41 0b 44 0b 41 0e08"),
        [
            "1000-1001 r7+8 r16:c-8",
            "1001-1004 r7+16 r6:c-16 r16:c-8",
            "1004-100c r6+16 r6:c-16 r16:c-8",
            "100c-100d r7+8 r16:c-8",
            "100d-1011 r6+16 r6:c-16 r16:c-8",
            "1011-1012 r7+16 r6:c-16 r16:c-8",
            "1012-1040 r7+8 r6:c-16 r16:c-8",
        ]
    );
}

/// b04d (gimli before 0.17: the host's address size).
#[test]
fn set_loc_takes_an_address_of_the_file_s_size() {
    let mut layout = Layout::new(SectionKind::DebugFrame, PPC);
    let cie = layout.cie("01 00 04 7c 41 0c0100");
    layout.plain_fde(cie, 0x1000, 0x40, "01 00001010 0e10");
    assert_eq!(rows(&layout.read_fde()), ["1000-1010 r1+0", "1010-1040 r1+16"]);
}

/// b17: the size of arguments changes no row (pyelftools 0.33 fails).
#[test]
fn args_size_changes_no_row() {
    let expected = ["1000-1001 r7+8 r16:c-8", "1001-1005 r7+16 r16:c-8", "1005-1040 r7+8 r16:c-8"];
    assert_eq!(rows_of("41 0e10 2e 10 44 0e08"), expected);
}

/// b03 (pyelftools before 0.32): the `_sf` forms count in units of the data alignment factor, here -8.
#[test]
fn cfa_offsets_are_factored_in_the_sf_forms_alone() {
    assert_eq!(
        rows_of("41 13 76 41 12 06 7c 41 0c 05 20 41 0e 18"),
        [
            "1000-1001 r7+8 r16:c-8",
            "1001-1002 r7+80 r16:c-8",
            "1002-1003 r6+32 r16:c-8",
            "1003-1004 r5+32 r16:c-8",
            "1004-1040 r5+24 r16:c-8",
        ]
    );
}

#[test]
fn each_rule_shows_in_its_register() {
    let program = "0700 0801 0902 03 8302 050402 11057e 1407 02 1508 7e 1009 02 7708 160a 02 7710 2f0b02";
    assert_eq!(
        rows_of(program),
        [
            "1000-1040 r7+8 r0:u r1:s r2:r3 r3:c-16 r4:c-16 r5:c+16 r7:v-16 r8:v+16 r9:exp(77 8) r10:vexp(77 16) r11:c+16 \
          r16:c-8"
        ]
    );
}

/// DWARF 5 section 6.4.2.1: each advance makes a row, one of no bytes when its delta is zero.
#[test]
fn every_advance_makes_a_row() {
    assert_eq!(
        rows_of("40 0e10 41 02 3f 00"),
        [
            "1000-1000 r7+8 r16:c-8",
            "1000-1001 r7+16 r16:c-8",
            "1001-1040 r7+16 r16:c-8",
            "1040-1040 r7+16 r16:c-8"
        ]
    );
}

/// A restored register has the rule of the CIE's instructions, or none (DWARF 5 section 6.4.2.3).
#[test]
fn restore_goes_back_to_the_rule_of_the_cie() {
    let mut layout = Layout::debug_frame();
    let cie = layout.cie("01 00 01 78 10 0c0708 9001 0703 05 c801 04");
    layout.plain_fde(
        cie,
        0x1000,
        0x10,
        "8602 9003 8304 05 c801 05 05 c901 06 41 c6 d0 c3 06c801 06c901 41 0603 060a",
    );
    assert_eq!(
        rows(&layout.read_fde()),
        [
            "1000-1001 r7+8 r3:c-32 r6:c-16 r16:c-24 r200:c-40 r201:c-48",
            "1001-1002 r7+8 r3:u r16:c-8 r200:c-32",
            "1002-1010 r7+8 r3:u r16:c-8 r200:c-32",
        ]
    );
}

#[test]
fn remembered_states_hold_registers_of_any_number() {
    let program = "05c80102 05c90103 0a 05c80104 06c901 05ca0105 0e20 41 0b 41";
    assert_eq!(
        rows_of(program),
        [
            "1000-1001 r7+32 r16:c-8 r200:c-32 r202:c-40",
            "1001-1002 r7+8 r16:c-8 r200:c-16 r201:c-24",
            "1002-1040 r7+8 r16:c-8 r200:c-16 r201:c-24",
        ]
    );
}

/// The inner state has a rule that the outer one lacks.
#[test]
fn each_remembered_state_has_its_own_rules() {
    let program = "8303 0a 8602 0905 01 0a c3 0b 41 0b 41 0a 8604 41 0b";
    assert_eq!(
        rows_of(program),
        [
            "1000-1001 r7+8 r3:c-24 r5:r1 r6:c-16 r16:c-8",
            "1001-1002 r7+8 r3:c-24 r16:c-8",
            "1002-1003 r7+8 r3:c-24 r6:c-32 r16:c-8",
            "1003-1040 r7+8 r3:c-24 r16:c-8",
        ]
    );
}

#[test]
fn a_restore_without_a_remembered_state_changes_nothing() {
    let (faults, rows) = faulty("41 0e10 0b 41 0b 0e18");
    assert_eq!(faults, [(FaultKind::RestoreWithoutRemember, 3)], "once, at the first");
    assert_eq!(rows, ["1000-1001 r7+8 r16:c-8", "1001-1002 r7+16 r16:c-8", "1002-1040 r7+24 r16:c-8"]);
}

#[test]
fn states_are_remembered_up_to_a_bound() {
    let program = |depth: usize| format!("41 0e10 {} 0e18 {} 41", "0a".repeat(depth), "0b".repeat(depth));
    assert_eq!(rows_of(&program(MAX_REMEMBERED)).len(), 3);
    let (faults, rows) = faulty(&program(MAX_REMEMBERED + 1));
    assert_eq!(faults, [(FaultKind::RememberDepth, 3 + MAX_REMEMBERED as u64)]);
    assert_eq!(rows, ["1000-1001 r7+8 r16:c-8"], "what comes behind is not known");
}

/// Nothing of one FDE shows in the next, whatever it left behind.
#[test]
fn every_fde_starts_from_its_cie() {
    let mut layout = Layout::eh_frame();
    let cie = layout.cie(ZR);
    layout.zr_fde(cie, 0x1000, 0x40, "41 0e10 8602 05c80101 d0 0a 0a 0f 01 96");
    let second = layout.zr_fde(cie, 0x2000, 0x40, "0b");
    layout.zr_fde(cie, 0x3000, 0x40, "3f");
    layout.zr_fde(cie, 0x4000, 0x40, "");
    let entries = layout.read();
    assert_eq!(rows(&entries[2]), ["2000-2040 r7+8 r16:c-8"]);
    assert_eq!(faults(&entries[2]), [(FaultKind::RestoreWithoutRemember, second + 17)]);
    assert!(entries[3].rows.is_empty());
    assert_eq!(rows(&entries[4]), ["4000-4040 r7+8 r16:c-8"]);
}

/// DWARF 5 section 6.4.2.2: both are valid only when the CFA rule is a register and an offset. b20: readelf before
/// 2.35 invents `rax+0`.
#[test]
fn a_cfa_that_is_no_register_cannot_be_changed() {
    let mut layout = Layout::debug_frame();
    let cie = layout.cie("01 00 01 78 10 9001");
    let first = layout.plain_fde(cie, 0x1000, 0x40, "41 0e10 41 0c0708");
    let entry = layout.read_fde();
    assert_eq!(faults(&entry), [(FaultKind::CfaNotRegister, first + 25)]);
    assert_eq!(rows(&entry), ["1000-1001 ? r16:c-8", "1001-1002 ? r16:c-8", "1002-1040 r7+8 r16:c-8"]);
    let (faults, rows) = faulty("0f 02 7710 41 0d06 41 0e10");
    assert_eq!(faults, [(FaultKind::CfaNotRegister, 5)]);
    let kept = "exp(77 16) r16:c-8";
    assert_eq!(rows, ["1000-1001 ", "1001-1002 ", "1002-1040 "].map(|range| format!("{range}{kept}")));
}

/// The GNU assembler's CIEs for MIPS hold def_cfa_register r29 alone, and readelf 2.40 shows `r29+0`.
#[test]
fn def_cfa_register_may_be_the_first_to_define_the_cfa() {
    let mut layout =
        Layout::new(SectionKind::DebugFrame, target(Machine::MIPS, Class::Elf32, Endianness::Big));
    let cie = layout.cie("01 00 01 7c 1f 0d1d");
    layout.plain_fde(cie, 0x1000, 0x40, "44 0e18");
    let entry = layout.read_fde();
    assert_eq!(faults(&entry), []);
    assert_eq!(rows(&entry), ["1000-1004 r29+0", "1004-1040 r29+24"]);
}

#[test]
fn def_cfa_register_keeps_the_offset_and_def_cfa_offset_the_register() {
    assert_eq!(
        rows_of("0e10 41 0d06 41 0e20 41 30 05 08 03 41 0d04 41 0e30 41 0c0708"),
        [
            "1000-1001 r7+16 r16:c-8",
            "1001-1002 r6+16 r16:c-8",
            "1002-1003 r6+32 r16:c-8",
            "1003-1004 r5+8@3 r16:c-8",
            "1004-1005 r4+8@3 r16:c-8",
            "1005-1006 r4+48@3 r16:c-8",
            "1006-1040 r7+8 r16:c-8",
        ]
    );
}

/// A location past the range is kept, since readers disagree about it, and the last row is of no bytes.
#[test]
fn a_location_past_the_end_is_a_fault_and_makes_rows() {
    let (faults, rows) = faulty("02 41 0e10 41 0e18");
    assert_eq!(faults, [(FaultKind::LocationPastEnd, 0)]);
    assert_eq!(rows, ["1000-1041 r7+8 r16:c-8", "1041-1042 r7+16 r16:c-8", "1042-1042 r7+24 r16:c-8"]);
    let (faults, rows) = faulty("02 40 0e10");
    assert_eq!(faults, [], "the end itself is not past it");
    assert_eq!(rows, ["1000-1040 r7+8 r16:c-8", "1040-1040 r7+16 r16:c-8"]);
    // An FDE of no bytes is at its end from the start.
    let mut layout = Layout::debug_frame();
    let cie = layout.cie(PLAIN);
    layout.plain_fde(cie, 0, 0, "41 0e10");
    assert_eq!(layout.read_fde().faults[0].kind, FaultKind::LocationPastEnd);
}

/// DWARF 5 section 6.4.2.1: a new location is greater than the current one. gimli before 0.31 has rows that run
/// backwards (b11b). What is known when a location goes down is the rows before it.
#[test]
fn a_location_that_goes_down_ends_the_rows() {
    let mut layout = Layout::debug_frame();
    let cie = layout.cie(PLAIN);
    let down = layout.plain_fde(cie, 0x1000, 0x40, "44 0e10 44 0e18 01 0410000000000000 0e20 41");
    let same = layout.plain_fde(cie, 0x1000, 0x40, "44 0e10 01 0410000000000000 0e18");
    let wraps = layout.plain_fde(cie, u64::MAX - 15, 16, "44 0e10 02 0c 0e18");
    let all = layout.plain_fde(cie, u64::MAX - 15, 0x40, "44 0e10 44 0e18");
    let entries = layout.read();
    assert_eq!(faults(&entries[1]), [(FaultKind::LocationBackwards, down + 30)]);
    assert_eq!(rows(&entries[1]), ["1000-1004 r7+8 r16:c-8", "1004-1008 r7+16 r16:c-8"]);
    assert_eq!(rows(&entries[2]).len(), 3, "the same location once more is no step down ({same:#x})");
    assert_eq!(faults(&entries[3]), [(FaultKind::LocationBackwards, wraps + 27)]);
    assert_eq!(rows(&entries[3]), ["fffffffffffffff0-fffffffffffffff4 r7+8 r16:c-8"]);
    assert_eq!(faults(&entries[4]), [(FaultKind::RangeOverflow, all + 4)], "no location is past its end");
    assert_eq!(rows(&entries[4]).len(), 3);
}

#[test]
fn locations_wrap_at_the_address_size() {
    let mut layout =
        Layout::new(SectionKind::DebugFrame, target(Machine::I386, Class::Elf32, Endianness::Little));
    let cie = layout.cie("01 00 01 7c 08 0c0404");
    let fde = layout.plain_fde(cie, 0xffff_fff0, 16, "48 0e08 48 0e0c");
    let entry = layout.read_fde();
    assert_eq!(faults(&entry), [(FaultKind::LocationBackwards, fde + 19)], "0x100000000 is 0");
    assert_eq!(rows(&entry), ["fffffff0-fffffff8 r4+4"]);
}

/// GNU: the callee's register window is saved at the CFA, a word for each of %l0 to %l7 and %i0 to %i7, which
/// are registers 16 to 31.
#[test]
fn a_window_save_gives_sixteen_rules() {
    for (machine, class, word) in [(Machine::SPARCV9, Class::Elf64, 8), (Machine::SPARC, Class::Elf32, 4)] {
        let mut layout = Layout::new(SectionKind::DebugFrame, target(machine, class, Endianness::Big));
        let cie = layout.cie("01 00 04 78 0f 0c0e00");
        layout.plain_fde(cie, 0x1000, 0x40, "41 0d1e 2d 090f1f 41 d0");
        let entry = layout.read_fde();
        assert_eq!(entry.rows.len(), 3);
        assert_eq!(entry.rows.get(0).unwrap().rules, []);
        let rules = entry.rows.get(1).unwrap().rules;
        assert_eq!(rules[0], (15, RegisterRule::Register(31)));
        let window = (0..16).map(|number| (16 + number, RegisterRule::Architectural(number * word)));
        assert_eq!(rules[1..], window.collect::<Vec<_>>());
        assert_eq!(entry.rows.get(2).unwrap().rules.len(), 16, "restore takes one back");
    }
    assert_eq!(rows_of("2d"), ["1000-1040 r7+8 r16:c-8"], "no other machine has register windows");
}

/// AArch64 DWARF supplement: the state is register 34 and starts as 0; negate_ra_state flips bit 0,
/// negate_ra_state_with_pc bits 0 and 1.
#[test]
fn the_signing_state_flips() {
    let mut layout =
        Layout::new(SectionKind::DebugFrame, target(Machine::AARCH64, Class::Elf64, Endianness::Little));
    let cie = layout.cie("01 00 04 78 1e 0c1f00");
    let fde = "41 2d 41 0a 2d 41 0b 41 2c 41 2d 41 2c 41 e2";
    layout.plain_fde(cie, 0x1000, 0x40, fde);
    let states: Vec<_> = layout.read_fde().rows.iter().map(|row| row.rules.to_vec()).collect();
    let state = |bits| vec![(34, RegisterRule::Architectural(bits))];
    // 1, 0, restored 1, 1^3, 2^1, 3^3, and no rule after restore.
    assert_eq!(states, [vec![], state(1), state(0), state(1), state(2), state(3), state(0), vec![]]);
}

/// A state that the CIE sets is what its FDEs start from.
#[test]
fn the_signing_state_of_a_cie_is_inherited() {
    let mut layout =
        Layout::new(SectionKind::DebugFrame, target(Machine::AARCH64, Class::Elf64, Endianness::Little));
    let cie = layout.cie("01 00 04 78 1e 0c1f00 2d");
    layout.plain_fde(cie, 0x1000, 0x40, "41 2d 41 e2");
    let expected = ["1000-1004 r31+0 r34:a1", "1004-1008 r31+0 r34:a0", "1008-1040 r31+0 r34:a1"];
    assert_eq!(rows(&layout.read_fde()), expected);
}

/// Registers beyond those of any machine are kept up to a bound.
#[test]
fn register_rules_are_kept_up_to_a_bound() {
    let rules = |count: usize| -> String {
        (0..count)
            .map(|number| format!("08 {:02x} {:02x} ", (number % 128) | 0x80, 8 + number / 128))
            .collect()
    };
    let layout = one_fde(&format!("41 0e10 {} 41", rules(MAX_EXTRA_RULES)));
    let entry = layout.read_fde();
    assert_eq!(faults(&entry), []);
    assert_eq!(entry.rows.get(1).unwrap().rules.len(), MAX_EXTRA_RULES + 1);
    assert!(entry.rows.get(1).unwrap().rules.is_sorted_by_key(|&(register, _)| register));
    // A rule that was taken back leaves room, one by one and all at once.
    let room = format!("0a {} 06 8008 08 ff7f 0b {}", rules(MAX_EXTRA_RULES), rules(MAX_EXTRA_RULES));
    assert_eq!(rows_of(&room).len(), 1);
    let (faults, rows) = faulty(&format!("41 0e10 {} 41", rules(MAX_EXTRA_RULES + 1)));
    assert_eq!(faults, [(FaultKind::RuleCount, 3 + 3 * MAX_EXTRA_RULES as u64)]);
    assert_eq!(rows, ["1000-1001 r7+8 r16:c-8"]);
}

/// f01: an undefined return address ends the stack, so the rule is told from having none.
#[test]
fn undefined_is_a_rule() {
    assert_eq!(rows_of("0710"), ["1000-1040 r7+8 r16:u"]);
    assert_eq!(rows_of("0706 41 c6"), ["1000-1001 r7+8 r6:u r16:c-8", "1001-1040 r7+8 r16:c-8"]);
}

/// Whoever has seen enough rows is shown no more.
#[test]
fn the_rows_end_when_the_caller_has_enough() {
    let layout = one_fde("41 0e10 41 0e18 41 0e20");
    let section = layout.section();
    let reader = Reader::new(&section, X86_64);
    let mut context = RowContext::default();
    let mut walk = reader.walk();
    while let Some(record) = walk.next() {
        let RecordKind::Fde(fde) = record.kind else { continue };
        let cie = walk.cie(fde.cie.unwrap()).unwrap();
        for enough in 1..=4 {
            let mut seen = Vec::new();
            let faults = context.rows(&reader, cie, &fde, record.end, |row| {
                seen.push((Address(row.start), Address(row.end)));
                if seen.len() == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let rows = [(0x1000, 0x1001), (0x1001, 0x1002), (0x1002, 0x1003), (0x1003, 0x1040)];
            assert_eq!(
                seen,
                rows[..enough].iter().map(|&(a, b)| (Address(a), Address(b))).collect::<Vec<_>>()
            );
            assert_eq!(faults, []);
        }
    }
}
