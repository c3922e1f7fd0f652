//! Records: where each starts and ends, which kind it is, and which CIE an FDE belongs to.

mod common;

use cfidiff_cfi::{Reader, Table};
use cfidiff_model::{
    Bytes, Class, Endianness, Entry, EntryKind, Fault, FaultKind, Format, Machine, Says, SectionKind,
    SectionOffset,
};
use common::{Layout, PLAIN, PPC, X86_64, ZR, cie_of, faults, fde_of, kinds, target};

const BOTH: [SectionKind; 2] = [SectionKind::EhFrame, SectionKind::DebugFrame];

/// A layout of either kind with a CIE and an FDE that fits it.
fn pair(layout: &mut Layout, pc: u64) -> (u64, u64) {
    if layout.kind == SectionKind::EhFrame {
        let cie = layout.cie(ZR);
        (cie, layout.zr_fde(cie, pc, 0x10, "0e10"))
    } else {
        let cie = layout.cie(PLAIN);
        (cie, layout.plain_fde(cie, pc, 0x10, "0e10"))
    }
}

/// readelf 2.40 prints the records behind the zero words of either section.
#[test]
fn records_behind_a_zero_length_are_read() {
    for kind in BOTH {
        let mut layout = Layout::new(kind, X86_64);
        let first = pair(&mut layout, 0x1000);
        let middle = layout.at();
        layout.u32(0);
        let second = pair(&mut layout, 0x2000);
        layout.u32(0).u32(0);
        let entries = layout.read();
        assert_eq!(kinds(&entries), "CF0CF00");
        assert_eq!(entries[2].offset.0, middle);
        assert_eq!(entries[2].length, 0);
        assert_eq!(fde_of(&entries[1]).cie.unwrap().0, first.0);
        assert_eq!(fde_of(&entries[4]).cie.unwrap().0, second.0);
        assert_eq!(fde_of(&entries[4]).initial_location.0, 0x2000);
        assert!(entries.iter().all(|entry| entry.faults.is_empty()));
    }
}

#[test]
fn a_64_bit_length_of_zero_is_a_terminator_of_twelve_bytes() {
    for kind in BOTH {
        let mut layout = Layout::new(kind, X86_64);
        layout.record64(|_| {});
        pair(&mut layout, 0x1000);
        let entries = layout.read();
        assert_eq!(kinds(&entries), "0CF");
        assert_eq!(entries[0].format, Format::Dwarf64);
        assert_eq!(entries[1].offset.0, 12);
    }
}

#[test]
fn an_empty_section_has_no_records() {
    for kind in BOTH {
        let layout = Layout::new(kind, X86_64);
        assert_eq!(layout.read(), []);
        let section = layout.section();
        let mut table = Table::new(Reader::new(&section, X86_64));
        assert!(table.is_empty());
        assert!(!table.fill(0, Says::all(), &mut Entry::default()));
    }
}

#[test]
fn trailing_bytes_are_a_record_of_their_own() {
    for extra in 1..4 {
        let mut layout = Layout::eh_frame();
        pair(&mut layout, 0x1000);
        let at = layout.at();
        layout.data.resize(at as usize + extra, 0xee);
        let entries = layout.read();
        assert_eq!(kinds(&entries), "CF?");
        assert_eq!(faults(&entries[2]), [(FaultKind::TruncatedLength, at)]);
        assert_eq!(&entries[2].faults[0].bytes[..], vec![0xee; extra], "the bytes that stand there");
    }
}

#[test]
fn an_escape_without_its_eight_bytes_is_truncated() {
    for extra in 0..8 {
        let mut layout = Layout::debug_frame();
        layout.u32(0xffff_ffff);
        layout.data.resize(4 + extra, 0);
        let entries = layout.read();
        assert_eq!(kinds(&entries), "?");
        assert_eq!(faults(&entries[0]), [(FaultKind::TruncatedLength, 0)]);
    }
}

/// DWARF 5 section 7.4: 0xfffffff0 to 0xfffffffe are reserved, the values below are lengths.
#[test]
fn reserved_lengths_end_the_walk_with_a_fault() {
    for word in 0xffff_ffef..=0xffff_ffffu64 {
        let mut layout = Layout::eh_frame();
        layout.u32(word).hex("00 00 00 00 00 00 00 00");
        let entries = layout.read();
        if word == 0xffff_ffff {
            assert_eq!(kinds(&entries), "0");
            continue;
        }
        let reserved = word >= 0xffff_fff0;
        let kind = if reserved { FaultKind::ReservedLength } else { FaultKind::LengthPastSection };
        assert_eq!(kinds(&entries), "?", "{word:#x}");
        assert_eq!(faults(&entries[0]), [(kind, 0)], "{word:#x}");
    }
}

#[test]
fn a_length_may_reach_the_section_s_end_and_no_further() {
    for (cut, shape) in [(0, "CF"), (1, "C?")] {
        let mut layout = Layout::eh_frame();
        let (_, fde) = pair(&mut layout, 0x1000);
        layout.data.truncate(layout.data.len() - cut);
        let entries = layout.read();
        assert_eq!(kinds(&entries), shape);
        let expected = if cut == 0 { vec![] } else { vec![(FaultKind::LengthPastSection, fde)] };
        assert_eq!(faults(&entries[1]), expected);
        assert_eq!(entries[1].length, 15, "the length as written");
    }
    let mut huge = Layout::debug_frame();
    huge.u32(0xffff_ffff).number(8, u64::MAX).hex("00 00 00 00");
    assert_eq!(faults(&huge.read()[0]), [(FaultKind::LengthPastSection, 0)]);
    assert_eq!(huge.read()[0].length, u64::MAX);
    assert_eq!(huge.read()[0].format, Format::Dwarf64);
}

#[test]
fn a_record_too_short_for_its_id_is_a_fault_and_the_walk_goes_on() {
    for length in 1..4u64 {
        let mut layout = Layout::eh_frame();
        layout.u32(length);
        layout.data.resize(4 + length as usize, 0x55);
        pair(&mut layout, 0x1000);
        let entries = layout.read();
        assert_eq!(kinds(&entries), "?CF");
        assert_eq!(faults(&entries[0]), [(FaultKind::TruncatedRecord, 4)]);
        assert_eq!(entries[0].length, length);
    }
    // The id of the 64-bit format of .debug_frame has eight bytes (DWARF 5 section 7.4).
    let mut layout = Layout::debug_frame();
    layout.u32(0xffff_ffff).number(8, 7).hex("ff ff ff ff ff ff ff");
    pair(&mut layout, 0x1000);
    let entries = layout.read();
    assert_eq!(kinds(&entries), "?CF");
    assert_eq!(faults(&entries[0]), [(FaultKind::TruncatedRecord, 12)]);
}

/// LSB: 0 marks a CIE in `.eh_frame`. DWARF 5 section 6.4.1: all bits set do in `.debug_frame`.
#[test]
fn the_other_section_s_id_marks_no_cie() {
    let mut eh = Layout::eh_frame();
    eh.cie(ZR);
    let field = eh.at() + 4;
    eh.record(|record| {
        record.u32(0xffff_ffff).hex(PLAIN);
    });
    let entries = eh.read();
    assert_eq!(kinds(&entries), "CF");
    assert_eq!(fde_of(&entries[1]).cie_pointer, 0xffff_ffff);
    assert_eq!(faults(&entries[1]), [(FaultKind::CiePointerInside, field)], "one byte behind the field");

    let mut debug = Layout::debug_frame();
    let cie = debug.cie(PLAIN);
    debug.record(|record| {
        record.u32(0).absptr(0x1000).absptr(0x10).hex("0e10");
    });
    let entries = debug.read();
    assert_eq!(kinds(&entries), "CF");
    assert_eq!(fde_of(&entries[1]).cie.unwrap().0, cie);
}

/// In the 64-bit format of `.debug_frame` the id is 64 bits of ones, and 32 bits of ones are a CIE pointer.
#[test]
fn ids_of_the_64_bit_format_have_eight_bytes_in_debug_frame() {
    let mut layout = Layout::debug_frame();
    let cie = layout.record64(|record| {
        record.number(8, u64::MAX).hex(PLAIN);
    });
    layout.record64(|record| {
        record.number(8, cie).absptr(0x1000).absptr(0x10).hex("0e10");
    });
    layout.record64(|record| {
        record.number(8, 0xffff_ffff).absptr(0x1000).absptr(0x10);
    });
    // A 32-bit FDE of the 64-bit CIE: the formats of CIE and FDE need not agree.
    layout.plain_fde(cie, 0x1010, 0x10, "0e18");
    let entries = layout.read();
    assert_eq!(kinds(&entries), "CFFF");
    assert_eq!(entries[0].format, Format::Dwarf64);
    assert_eq!(entries[0].length, 18);
    assert_eq!(common::rows(&entries[1]), ["1000-1010 r7+16 r16:c-8"]);
    assert_eq!(faults(&entries[2])[0].0, FaultKind::CiePointerOutside);
    assert_eq!(fde_of(&entries[2]).cie_pointer, 0xffff_ffff);
    assert_eq!(common::rows(&entries[3]), ["1010-1020 r7+24 r16:c-8"]);
    assert_eq!(entries[3].format, Format::Dwarf32);
}

/// LSB gives the CIE id and the CIE pointer of `.eh_frame` four bytes in either format; the pointer counts back
/// from its own field, twelve bytes behind the record's start.
#[test]
fn ids_of_the_64_bit_format_have_four_bytes_in_eh_frame() {
    let mut layout = Layout::eh_frame();
    layout.u32(0);
    let cie = layout.record64(|record| {
        record.u32(0).hex(ZR);
    });
    let fde = layout.record64(|record| {
        record.cie_pointer(cie).pcrel(0x1000).u32(0x10).hex("00 0e10");
    });
    let entries = layout.read();
    assert_eq!(kinds(&entries), "0CF");
    assert_eq!(fde_of(&entries[2]).cie_pointer, fde + 12 - cie);
    assert_eq!(fde_of(&entries[2]).cie.unwrap().0, cie);
    assert_eq!(common::rows(&entries[2]), ["1000-1010 r7+16 r16:c-8"]);
}

/// The bytes of an FDE that gcc 12 and GNU ld wrote: at 0x48, with 0x1c in its CIE pointer, its CIE is at 0x30.
#[test]
fn the_cie_pointer_of_eh_frame_is_subtracted_from_its_field() {
    let mut layout = Layout::eh_frame();
    layout.cie("01 'zR' 00 01 78 10 01 1b 0c0708 9001 0710");
    layout.record(|record| record.data.resize(0x30, 0x41));
    assert_eq!(layout.cie("01 'zR' 00 01 78 10 01 1b 0c0708 9001 0000"), 0x30);
    layout.hex("24000000 1c000000 78efffff 20000000 00");
    layout.hex("0e10 46 0e18 4a 0f 0b 77 08 80 00 3f 1a 3b 2a 33 24 22 00 00 00 00");
    let entries = layout.read();
    assert_eq!(entries.last().unwrap().offset.0, 0x48);
    let fde = fde_of(entries.last().unwrap());
    assert_eq!(fde.cie_pointer, 0x1c);
    assert_eq!(fde.cie.unwrap().0, 0x30);
    // At 0x2000, pcrel: 0x2050 - 0x1088.
    assert_eq!((fde.initial_location.0, fde.address_range), (0xfc8, 0x20));
}

/// No specification wants CIEs first. The difference of a CIE behind its FDE is negative in `.eh_frame`.
#[test]
fn a_cie_may_stand_behind_its_fdes() {
    for kind in BOTH {
        let mut layout = Layout::new(kind, X86_64);
        let eh = kind == SectionKind::EhFrame;
        let length = if eh { 19 } else { 26 };
        let cie = 2 * length;
        for pc in [0x1000, 0x1010] {
            if eh {
                layout.zr_fde(cie, pc, 0x10, "0e10");
            } else {
                layout.plain_fde(cie, pc, 0x10, "0e10");
            }
        }
        assert_eq!(layout.cie(if eh { ZR } else { PLAIN }), cie);
        let entries = layout.read();
        assert_eq!(kinds(&entries), "FFC");
        for (entry, row) in entries.iter().zip(["1000-1010 r7+16 r16:c-8", "1010-1020 r7+16 r16:c-8"]) {
            assert_eq!(fde_of(entry).cie.unwrap().0, cie);
            assert_eq!(common::rows(entry), [row]);
            assert_eq!(faults(entry), []);
        }
        let pointer = if eh { (-34i32 as u32).into() } else { cie };
        assert_eq!(fde_of(&entries[0]).cie_pointer, pointer);
    }
}

#[test]
fn cie_pointers_that_lead_to_no_cie_say_where_they_lead() {
    use FaultKind::{CiePointerInside, CiePointerNotCie, CiePointerOutside, CieUnreadable};
    for kind in BOTH {
        let mut layout = Layout::new(kind, X86_64);
        let (cie, other) = pair(&mut layout, 0x1000);
        let zero = layout.at();
        layout.u32(0);
        let unreadable = layout.cie("09 00");
        let here = layout.at();
        let end = here + 27;
        let places = [
            (cie + 8, CiePointerInside),
            (other, CiePointerNotCie),
            (zero, CiePointerNotCie),
            (here, CiePointerNotCie),
            (here + 4, CiePointerInside),
            (unreadable, CieUnreadable),
            (end - 1, CiePointerInside),
            (end, CiePointerOutside),
            (0x4000, CiePointerOutside),
            (0u64.wrapping_sub(4), CiePointerOutside),
        ];
        for (place, fault) in places {
            // In .eh_frame the field's own place would be written as 0, the mark of a CIE.
            if kind == SectionKind::EhFrame && place == here + 4 {
                continue;
            }
            let mut layout = layout.clone();
            layout.plain_fde(place, 0x1000, 0x10, "0e10 00");
            assert_eq!(layout.at(), end);
            let entries = layout.read();
            let last = entries.last().unwrap();
            assert_eq!(faults(last), [(fault, here + 4)], "{kind:?} {place:#x}");
            assert_eq!(fde_of(last).cie.is_some(), fault == CieUnreadable);
            assert_eq!(common::rows(last), [""; 0], "no CIE, no rows");
            assert_eq!(last.instructions, []);
        }
    }
}

/// A record inside another is no record, though its bytes look like one: an offset must be where the walk finds
/// a record.
#[test]
fn a_cie_inside_another_record_is_no_cie() {
    let mut layout = Layout::debug_frame();
    layout.record(|outer| {
        outer.cie_id().hex("01 00 01 78 10");
        outer.cie(PLAIN);
    });
    layout.plain_fde(13, 0x1000, 0x10, "");
    let entries = layout.read();
    assert_eq!(kinds(&entries), "CF");
    assert_eq!(faults(&entries[1])[0].0, FaultKind::CiePointerInside);
}

#[test]
fn records_need_no_alignment() {
    for nops in ["", "00", "0000", "000000"] {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(&format!("{ZR}{nops}"));
        layout.zr_fde(cie, 0x1000, 0x10, &format!("0e10{nops}"));
        layout.zr_fde(cie, 0x1010, 0x10, "0e18");
        let entries = layout.read();
        assert_eq!(kinds(&entries), "CFF");
        assert_eq!(common::rows(&entries[2]), ["1010-1020 r7+24 r16:c-8"]);
    }
}

#[test]
fn lengths_and_pointers_are_in_the_file_s_byte_order() {
    let mut layout = Layout::new(SectionKind::DebugFrame, PPC);
    layout.u32(0);
    let cie = layout.cie("01 00 01 7c 41 0c 01 00");
    layout.plain_fde(cie, 0x1000, 0x20, "44 0e10");
    assert_eq!(layout.data[4..12], [0, 0, 0, 12, 0xff, 0xff, 0xff, 0xff]);
    let entries = layout.read();
    assert_eq!(cie_of(&entries[1]).return_address_register, 65);
    assert_eq!(common::rows(&entries[2]), ["1000-1004 r1+0", "1004-1020 r1+16"]);
    // The same bytes in the other order: the first length past the terminator is too large.
    layout.target = target(Machine::PPC, Class::Elf32, Endianness::Little);
    assert_eq!(kinds(&layout.read()), "0?");
}

#[test]
fn records_are_found_by_number_and_by_offset() {
    let mut layout = Layout::eh_frame();
    let (cie, fde) = pair(&mut layout, 0x1000);
    let mut section = layout.section();
    let relocation = |offset| Fault {
        offset: SectionOffset(offset),
        bytes: Bytes::new(),
        kind: FaultKind::Relocation,
        expected: "a relocation of a known type".into(),
    };
    section.faults = vec![relocation(fde + 8), relocation(cie + 3)];
    let mut table = Table::new(Reader::new(&section, X86_64));
    assert_eq!(table.len(), 2);
    for (number, offset) in [(0, cie), (1, fde)] {
        assert_eq!(table.index_of(SectionOffset(offset)), Some(number));
        assert_eq!(table.offset(number), Some(SectionOffset(offset)));
        assert_eq!(table.record(number).unwrap().offset as u64, offset);
    }
    assert_eq!(table.index_of(SectionOffset(4)), None);
    assert_eq!(table.offset(2), None);
    assert!(table.record(2).is_none());
    // Faults that came with the bytes belong to the record that they lie in.
    let mut entry = Entry::default();
    assert!(table.fill(0, Says::empty(), &mut entry));
    assert_eq!(faults(&entry), [(FaultKind::Relocation, cie + 3)]);
    assert!(entry.instructions.is_empty() && entry.rows.is_empty(), "nothing that was not asked for");
    assert!(table.fill(1, Says::empty(), &mut entry));
    assert_eq!(faults(&entry), [(FaultKind::Relocation, fde + 8)]);
    assert!(matches!(entry.kind, EntryKind::Fde(_)));
}
