//! Numbers: LEB128 at its limits and longer than needed, and offsets that need many bits.

use cfidiff_model::{Address, FaultKind, Instruction, RegisterRule, Rows};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::rows::{Listing, at, cfa};
use crate::{CieSpec, FdeSpec, Program, Record, Splice};

const LEB: &str = "DWARF 5 section 7.6: LEB128";
const PADDED: &str = "DWARF 5 section 7.6: LEB128 numbers may have more bytes than they need";
const OFFSETS: &str = "DWARF 5 section 6.4.2.2: the offset of a CFA rule; 6.4.2.3: factored offsets";

const MACHINE: Convention = Convention::X86_64;
/// The return address's rule in all rows.
const RETURN: (u64, RegisterRule) = (16, RegisterRule::Offset(-8));

pub(super) fn add(suite: &mut Suite) {
    add_offsets(suite);
    add_overlong_operands(suite);
    add_overlong_fields(suite);
    add_advances(suite);
}

/// One FDE from `TEXT` on, behind the usual CIE.
fn one(name: &str, about: &str, clause: &str, program: Program, rows: Rows) -> Draft {
    let fde = FdeSpec { rows, ..FdeSpec::new(0, Address(TEXT), 0x100, program) };
    let records = vec![Record::Cie(MACHINE.eh_frame_cie()), Record::Fde(fde), Record::Terminator];
    Draft::new(&format!("number/{name}"), &MACHINE, about).clause(clause).eh_frame(records)
}

/// A program that sets each of these CFA offsets at an address of its own, and the rows.
fn offsets(offsets: &[u64]) -> (Program, Rows) {
    let mut program = Program::new();
    let mut rows = Listing::new(TEXT, TEXT + 0x100).row(0, cfa(7, 8), &[RETURN]);
    for (index, &offset) in offsets.iter().enumerate() {
        program = program.advance_loc(1).def_cfa_offset(offset);
        rows = rows.row(index as u64 + 1, cfa(7, offset.cast_signed()), &[RETURN]);
    }
    (program, rows.done())
}

fn add_offsets(suite: &mut Suite) {
    let (program, rows) = offsets(&[0, 63, 64, 127, 128, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000, 0x7fff_ffff]);
    let about = "CFA offsets on both sides of where an unsigned LEB128 number takes one byte more.";
    suite.add(one("uleb-limits", about, LEB, program, rows));

    let mut program = Program::new().advance_loc(1);
    let mut rules = vec![RETURN];
    let factored = [-1, 63, 64, -64, -65, 0x1fff, 0x2000, -0x2000, -0x2001];
    // Registers 17 to 25 of x86-64 are vector registers, which no other rule here is about.
    for (register, factored) in (17..).zip(factored) {
        program = program.offset_extended_sf(register, factored);
        rules.push((register, at(factored * MACHINE.data_alignment_factor)));
    }
    let rows = Listing::new(TEXT, TEXT + 0x100).row(0, cfa(7, 8), &[RETURN]).row(1, cfa(7, 8), &rules).done();
    let about = "Offsets on both sides of where a signed LEB128 number takes one byte more.";
    suite.add(one("sleb-limits", about, LEB, program, rows));

    let (program, rows) = offsets(&[1 << 31, (1 << 32) + 16, 1 << 63]);
    let program = program.advance_loc(1).offset(3, 1 << 40);
    let rows = {
        let mut with_rule = Listing::new(TEXT, TEXT + 0x100);
        for (index, row) in rows.iter().enumerate() {
            with_rule = with_rule.row(index as u64, row.cfa.clone(), row.rules);
        }
        with_rule.row(4, cfa(7, i64::MIN), &[(3, at(-8 << 40)), RETURN]).done()
    };
    let about = "CFA offsets of 2^31, 2^32+16 and 2^63, and register 3 saved 2^43 bytes below the CFA.";
    suite.add(one("op-bigoff", about, OFFSETS, program, rows));

    let (program, rows) = offsets(&[u64::MAX, i64::MAX.cast_unsigned()]);
    let about = "CFA offsets of 2^64-1, the largest LEB128 number that fits 64 bits, and of 2^63-1.";
    suite.add(one("uleb-largest", about, LEB, program, rows));

    let program = Program::new().advance_loc(1).val_offset_sf(17, i64::MAX).offset_extended_sf(18, i64::MIN);
    let product = |factored: i64| factored.wrapping_mul(-8);
    let rules = [RETURN, (17, RegisterRule::ValOffset(product(i64::MAX))), (18, at(product(i64::MIN)))];
    let rows = Listing::new(TEXT, TEXT + 0x100).row(0, cfa(7, 8), &[RETURN]).row(1, cfa(7, 8), &rules).done();
    let about = "Signed factored offsets of 2^63-1 and -2^63, whose products wrap around at 64 bits.";
    suite.add(one("sleb-largest", about, LEB, program, rows).catches(&["gimli PR 509"]));
}

fn add_overlong_operands(suite: &mut Suite) {
    let five = [0x0e, 0x90, 0x80, 0x80, 0x80, 0];
    let mut twelve = vec![0x0e, 0x98];
    twelve.extend_from_slice(&[0x80; 10]);
    twelve.push(0);
    let program = Program::new()
        .advance_loc(1)
        .raw(&five, &[Instruction::DefCfaOffset { offset: 16 }])
        .advance_loc(1)
        .raw(&twelve, &[Instruction::DefCfaOffset { offset: 24 }]);
    let (_, rows) = offsets(&[16, 24]);
    let about = "def_cfa_offset 16 in five bytes and 24 in twelve: longer than needed.";
    suite.add(one("op-overlong", about, PADDED, program, rows));

    // The same for a signed number: -2 in ten bytes, then 3 in four.
    let ten = [0x13, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    let program = Program::new()
        .advance_loc(1)
        .raw(&ten, &[Instruction::DefCfaOffsetSf { offset: 16 }])
        .advance_loc(1)
        .raw(&[0x13, 0xfd, 0xff, 0xff, 0x7f], &[Instruction::DefCfaOffsetSf { offset: 24 }]);
    let (_, rows) = offsets(&[16, 24]);
    let about = "def_cfa_offset_sf -2 in ten bytes and -3 in four: longer than needed.";
    suite.add(one("overlong-sleb", about, PADDED, program, rows));

    let mut lost = vec![0x0e];
    lost.extend_from_slice(&[0x80; 9]);
    lost.push(2);
    let program = Program::new().advance_loc(1).raw(&lost, &[]);
    let about = "An unsigned LEB128 operand of more than 64 bits.";
    let clause = "DWARF 5 section 6.4.2.2; a number that does not fit must not be cut";
    let draft = one("op-leb-65", about, clause, program, Rows::default());
    suite.add(draft.entry(1, |fde| {
        let mut fde = fde.faults(&[FaultKind::LebOverflow]).free(&["rows"]);
        fde.entry.instructions.truncate(1);
        fde
    }));
}

/// Each LEB128 field of a record in three bytes.
fn add_overlong_fields(suite: &mut Suite) {
    // The CIE's are behind version, "zR" and its NUL.
    let fields: [(&str, &str, u8, Splice); 4] = [
        ("code-factor", "The code alignment factor 1", 1, splice(4, &[0x81, 0x80, 0])),
        ("data-factor", "The data alignment factor -8", 1, splice(5, &[0xf8, 0xff, 0x7f])),
        (
            "return-register",
            "The return address register 16 of a version 3 CIE",
            3,
            splice(6, &[0x90, 0x80, 0]),
        ),
        ("augmentation-length", "The augmentation length 1 of a CIE", 1, splice(7, &[0x81, 0x80, 0])),
    ];
    for (name, field, version, splice) in fields {
        let cie = CieSpec { version, splice: Some(splice), ..MACHINE.eh_frame_cie() };
        let records = vec![Record::Cie(cie), Record::Fde(MACHINE.function(0, TEXT + 0x10, 0x20))];
        let draft = Draft::new(
            &format!("number/overlong-{name}"),
            &MACHINE,
            &format!("{field} in three bytes: longer than needed."),
        );
        suite.add(draft.clause(PADDED).eh_frame(records));
    }
    let fde = FdeSpec { splice: Some(splice(8, &[0x80, 0x80, 0])), ..MACHINE.function(0, TEXT + 0x10, 0x20) };
    let records = vec![Record::Cie(MACHINE.eh_frame_cie()), Record::Fde(fde)];
    let about = "The augmentation length 0 of an FDE in three bytes: longer than needed.";
    let draft = Draft::new("number/overlong-fde-augmentation-length", &MACHINE, about);
    suite.add(draft.clause(PADDED).eh_frame(records));
}

/// One byte at this place replaced.
fn splice(at: usize, insert: &[u8]) -> Splice {
    Splice { at, remove: 1, insert: insert.to_vec() }
}

fn add_advances(suite: &mut Suite) {
    const RANGE: u64 = 0x1_0000_0000;
    let program = Program::new()
        .advance_loc(63)
        .def_cfa_offset(16)
        .advance_loc1(255)
        .def_cfa_offset(24)
        .advance_loc2(0xffff)
        .def_cfa_offset(32)
        .advance_loc4(0x8000_0000)
        .def_cfa_offset(40);
    let mut rows = Listing::new(TEXT, TEXT + RANGE).row(0, cfa(7, 8), &[RETURN]);
    let mut from = 0;
    for (delta, offset) in [(63, 16), (255, 24), (0xffff, 32), (0x8000_0000, 40)] {
        from += delta;
        rows = rows.row(from, cfa(7, offset), &[RETURN]);
    }
    let fde = FdeSpec { rows: rows.done(), ..FdeSpec::new(0, Address(TEXT), RANGE, program) };
    let records = vec![Record::Cie(MACHINE.debug_frame_cie()), Record::Fde(fde)];
    let about = "Advances by the largest delta of each size; the one of four bytes has its highest bit set.";
    suite.add(
        Draft::new("number/largest-advances-df", &MACHINE, about)
            .clause("DWARF 5 section 6.4.2.1: deltas are unsigned")
            .debug_frame(records),
    );
}
