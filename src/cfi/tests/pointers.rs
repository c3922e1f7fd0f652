//! Encoded pointers: every format with every application, in both byte orders and address sizes (LSB Core,
//! DWARF exception header encoding).

mod common;

use cfidiff_model::{
    Address, Class, Endianness, Entry, FaultKind, Instruction, Machine, Pointer, SectionKind,
};
use common::{Layout, bytes, cie_of, faults, fde_of, rows, target};

/// A format's number in the low four bits, its size (0: of an address, `None`: LEB128) and whether it is signed.
const FORMATS: [(u8, Option<u8>, bool); 10] = [
    (0x00, Some(0), false),
    (0x01, None, false),
    (0x02, Some(2), false),
    (0x03, Some(4), false),
    (0x04, Some(8), false),
    (0x08, Some(0), true),
    (0x09, None, true),
    (0x0a, Some(2), true),
    (0x0b, Some(4), true),
    (0x0c, Some(8), true),
];

/// An LEB128 number: seven bits a byte from the low end, the top bit on all but the last (DWARF 5 section 7.6).
fn leb128(mut value: i64, signed: bool) -> Vec<u8> {
    let mut result = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value = if signed { value >> 7 } else { (value as u64 >> 7) as i64 };
        let last = if signed { value == if low & 0x40 != 0 { -1 } else { 0 } } else { value == 0 };
        result.push(if last { low } else { low | 0x80 });
        if last {
            return result;
        }
    }
}

/// Appends `value` in the encoding's format.
fn put(layout: &mut Layout, encoding: u8, value: i64) {
    let (_, size, signed) = *FORMATS.iter().find(|(format, ..)| *format == encoding & 0x0f).unwrap();
    match size {
        None => layout.data.extend(leb128(value, signed)),
        Some(0) => drop(layout.absptr(value as u64)),
        Some(size) => drop(layout.number(size, value as u64)),
    }
}

/// The four shapes of targets.
fn shapes() -> impl Iterator<Item = Layout> {
    [Class::Elf32, Class::Elf64].into_iter().flat_map(|class| {
        [Endianness::Little, Endianness::Big]
            .map(|endianness| Layout::new(SectionKind::EhFrame, target(Machine::PPC64, class, endianness)))
    })
}

/// A number cut to the target's address size.
fn cut(layout: &Layout, value: u64) -> u64 {
    if layout.target.class == Class::Elf32 { value & 0xffff_ffff } else { value }
}

/// A section with one CIE with this `R` and one FDE at `location` as written, of range 0x20.
fn with_location(mut layout: Layout, encoding: u8, location: i64) -> (Layout, u64) {
    let cie = layout.cie(&format!("01 'zR' 00 01 78 10 01 {encoding:02x} 0c0708"));
    let mut field = 0;
    layout.fde(cie, |fde| {
        field = fde.at();
        put(fde, encoding, location);
        put(fde, encoding, 0x20);
        fde.hex("00 0e10");
    });
    (layout, field)
}

#[test]
fn initial_locations_in_every_format_and_application() {
    let mut checked = 0;
    for layout in shapes() {
        for (format, size, signed) in FORMATS {
            for (application, base) in [(0x00, 0), (0x10, 0x2000), (0x20, 0x7000), (0x30, 0x9_0000)] {
                for value in [0x10, 0x1234, -0x10] {
                    let mut layout = layout.clone();
                    layout.bases.text = Some(Address(0x7000));
                    layout.bases.data = Some(Address(0x9_0000));
                    let encoding = application | format;
                    let width =
                        size.map(|size| if size == 0 { layout.target.class.address_size() } else { size });
                    let (layout, field) = with_location(layout, encoding, value);
                    let entry = layout.read_fde();
                    // What stands there, zero-extended unless the format is signed, plus the base.
                    let read = match width {
                        Some(width) if !signed && width < 8 => value as u64 & ((1 << (8 * width)) - 1),
                        _ => value as u64,
                    };
                    let base = base + if application == 0x10 { field } else { 0 };
                    let expected = cut(&layout, read.wrapping_add(base));
                    let name = format!("{encoding:#04x} {value:#x} {:?}", layout.target);
                    assert_eq!(fde_of(&entry).initial_location.0, expected, "{name}");
                    assert_eq!(fde_of(&entry).address_range, 0x20, "{name}");
                    assert!(!fde_of(&entry).indirect);
                    assert_eq!(entry.instructions, [Instruction::DefCfaOffset { offset: 16 }], "{name}");
                    checked += 1;
                }
            }
        }
    }
    assert_eq!(checked, 4 * 10 * 4 * 3);
}

/// The same for the LSDA, where DW_EH_PE_funcrel counts from the initial location and indirect is a flag.
#[test]
fn lsda_pointers_in_every_format_and_application() {
    for layout in shapes() {
        for (format, ..) in FORMATS {
            for (application, base) in
                [(0x00, 0), (0x10, 0x2000), (0x20, 0x7000), (0x30, 0x9_0000), (0x40, 0x1000)]
            {
                for indirect in [0, 0x80] {
                    let encoding = indirect | application | format;
                    let mut layout = layout.clone();
                    layout.bases.text = Some(Address(0x7000));
                    layout.bases.data = Some(Address(0x9_0000));
                    let cie = layout.cie(&format!("01 'zRL' 00 01 78 10 02 00 {encoding:02x} 0c0708"));
                    let mut field = 0;
                    layout.fde(cie, |fde| {
                        fde.absptr(0x1000).absptr(0x20);
                        let mut data = Layout { data: Vec::new(), ..fde.clone() };
                        put(&mut data, encoding, 0x321);
                        fde.number(1, data.at());
                        field = fde.at();
                        fde.data.extend(data.data);
                        fde.hex("0e10");
                    });
                    let entry = layout.read_fde();
                    let address = Address(base + 0x321 + if application == 0x10 { field } else { 0 });
                    let expected = Pointer { address, indirect: indirect != 0 };
                    assert_eq!(fde_of(&entry).lsda, Some(expected), "{encoding:#04x} {:?}", layout.target);
                    assert_eq!(rows(&entry), ["1000-1020 r7+16"]);
                }
            }
        }
    }
}

/// readelf 2.40 (`i386`, pcrel sdata4): the sum wraps at 32 bits, up and down.
#[test]
fn sums_wrap_around_at_the_address_size() {
    let i386 = target(Machine::I386, Class::Elf32, Endianness::Little);
    for (address, distance, expected) in [
        (0x0804_9000, 0x0f7f_7fff, 0x1784_0fff),
        (0xffff_f000, 0x2000, 0x1000),
        (0x1000, -0x3000_i32 as u32, 0xffff_e000),
    ] {
        let mut layout = Layout::new(SectionKind::EhFrame, i386);
        layout.address = address;
        let cie = layout.cie("01 'zR' 00 01 7c 08 01 1b 0c0404");
        layout.fde(cie, |fde| {
            // Counted from the section's start.
            let start = u64::from(distance).wrapping_sub(fde.at());
            fde.u32(start).u32(0x10).hex("00 41 0e08");
        });
        let entry = layout.read_fde();
        assert_eq!(fde_of(&entry).initial_location.0, expected);
        assert_eq!(rows(&entry).len(), 2);
        assert_eq!(entry.rows.get(1).unwrap().start.0, expected + 1);
        assert_eq!(faults(&entry), []);
    }
}

#[test]
fn undefined_formats_and_applications_are_faults_of_the_pointer() {
    let undefined = [0x05, 0x06, 0x07, 0x0d, 0x0e, 0x0f].into_iter();
    for encoding in undefined.chain([0x60, 0x6b, 0x70, 0x7b, 0xe3, 0x1d]) {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(&format!("01 'zR' 00 01 78 10 01 {encoding:02x} 0c0708"));
        let fde = layout.fde(cie, |fde| {
            fde.hex("1111111111111111 2222222222222222 00 0e10");
        });
        let entries = layout.read();
        assert_eq!(faults(&entries[0]), [(FaultKind::PointerEncoding, 16)], "where the encoding stands");
        assert_eq!(cie_of(&entries[0]).fde_encoding, Some(encoding));
        assert_eq!(faults(&entries[1]), [(FaultKind::PointerEncoding, fde + 8)], "{encoding:#04x}");
        assert!(entries[1].rows.is_empty(), "an FDE that starts nowhere has no rows");
    }
}

/// DW_EH_PE_omit, 0xff, is no encoding: there is no field.
#[test]
fn omitted_fields_have_no_bytes() {
    let mut layout = Layout::eh_frame();
    let cie = layout.cie("01 'zLR' 00 01 78 10 02 ff 1b 0c0708");
    layout.zr_fde(cie, 0x1000, 0x20, "0e10");
    let entries = layout.read();
    assert_eq!(cie_of(&entries[0]).lsda_encoding, Some(0xff));
    assert_eq!(fde_of(&entries[1]).lsda, None);
    assert_eq!((faults(&entries[1]), rows(&entries[1])), (vec![], vec!["1000-1020 r7+16".into()]));

    let mut layout = Layout::eh_frame();
    let cie = layout.cie("01 'zR' 00 01 78 10 01 ff 0c0708");
    let fde = layout.fde(cie, |fde| {
        fde.hex("00000000 00000000 00");
    });
    let entry = layout.read_fde();
    assert_eq!(faults(&entry), [(FaultKind::PointerEncoding, fde + 8)], "an FDE needs a location");
    assert!(entry.rows.is_empty());
}

/// DW_EH_PE_aligned, 0x50: a plain address at the next address that is a multiple of its size.
#[test]
fn aligned_pointers_skip_to_their_alignment() {
    for address in 0x2000..0x2008u64 {
        let mut layout = Layout::eh_frame();
        layout.address = address;
        let cie = layout.record(|record| {
            record.cie_id().hex("01 'zP' 00 01 78 10");
            // The length and the encoding byte stand before the padding.
            let here = address + record.at() + 2;
            let padding = (here.next_multiple_of(8) - here) as usize;
            record.number(1, (padding + 9) as u64).hex("50");
            record.data.extend(vec![0xaa; padding]);
            record.absptr(0x4567).hex("0c0708");
        });
        let entries = layout.read();
        let routine = Pointer { address: Address(0x4567), indirect: false };
        assert_eq!(cie_of(&entries[0]).personality, Some((0x50, Some(routine))), "{address:#x}");
        assert_eq!(rows(&entries[0]), ["0-0 r7+8"]);
        assert_eq!(cie, 0);
    }
}

/// A null LSDA is written as zero whatever base would be added (the C++ ABI's unwinders read it so; BOLT did not). A location of zero is a location.
#[test]
fn zero_is_null_for_the_lsda_alone() {
    for encoding in [0x1b, 0x9b, 0x3b, 0x4b, 0x00, 0x01] {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(&format!("01 'zRL' 00 01 78 10 02 1b {encoding:02x} 0c0708"));
        let mut field = 0;
        layout.fde(cie, |fde| {
            field = fde.address + fde.at();
            fde.u32(0).u32(0x20).hex("08 0000000000000000 0e10");
        });
        let entry = layout.read_fde();
        assert_eq!(fde_of(&entry).lsda, None, "{encoding:#04x}");
        assert_eq!(fde_of(&entry).initial_location.0, field, "pcrel zero is the field itself");
        assert_eq!(fde_of(&entry).augmentation_data.len(), 8);
        assert_eq!(rows(&entry).len(), 1);
    }
}

#[test]
fn a_base_that_the_file_does_not_tell_is_a_fault_of_the_pointer() {
    for encoding in [0x2b, 0x3b, 0x4b] {
        let (layout, field) = with_location(Layout::eh_frame(), encoding, 0x1000);
        let entry = layout.read_fde();
        assert_eq!(faults(&entry), [(FaultKind::PointerBase, field)], "{encoding:#04x}");
        assert!(entry.rows.is_empty());
    }
    for encoding in [0x2b, 0x3b] {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(&format!("01 'zRL' 00 01 78 10 02 1b {encoding:02x} 0c0708"));
        let fde = layout.fde(cie, |fde| {
            fde.pcrel(0x1000).u32(0x20).hex("04 01000000 0e10");
        });
        let entry = layout.read_fde();
        assert_eq!(faults(&entry), [(FaultKind::PointerBase, fde + 17)], "{encoding:#04x}");
        assert_eq!(fde_of(&entry).lsda, None);
        assert_eq!(rows(&entry), ["1000-1020 r7+16"], "the rest of the FDE is known");
    }
}

/// The range is a size in the location's format: it has no base, is not indirect, and has no sign (readelf 2.40
/// and eu-readelf 0.188 zero-extend it; the specifications are silent).
#[test]
fn the_range_is_a_plain_size() {
    for (encoding, location, range, expected) in [
        (0x0b, "00100000", "00000090", 0x9000_0000),
        (0x1b, "00100000", "ffffffff", 0xffff_ffff),
        (0x9b, "00100000", "20000000", 0x20),
        (0x0a, "0010", "f0ff", 0xfff0),
        (0x09, "8020", "f000", 0x70),
        (0x01, "8020", "70", 0x70),
        (0x08, "0010000000000000", "00000000000000f0", 0xf000_0000_0000_0000),
    ] {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(&format!("01 'zR' 00 01 78 10 01 {encoding:02x} 0c0708"));
        layout.fde(cie, |fde| {
            fde.hex(location).hex(range).hex("00 0e10");
        });
        let entry = layout.read_fde();
        assert_eq!(fde_of(&entry).address_range, expected, "{encoding:#04x}");
        assert_eq!(fde_of(&entry).indirect, encoding == 0x9b);
        assert_eq!(faults(&entry), [], "{encoding:#04x}");
    }
    // A range wider than the file's addresses is cut to them.
    let mut layout =
        Layout::new(SectionKind::EhFrame, target(Machine::I386, Class::Elf32, Endianness::Little));
    let cie = layout.cie("01 'zR' 00 01 78 10 01 04 0c0708");
    layout.fde(cie, |fde| {
        fde.number(8, 0xffff_ffff_0000_1000).number(8, 0xff_0000_0020).hex("00");
    });
    assert_eq!(rows(&layout.read_fde()), ["1000-1020 r7+8"]);
}

/// A range may end where the address space does, and no further.
#[test]
fn ranges_end_inside_the_address_space() {
    let mut layout = Layout::debug_frame();
    let cie = layout.cie("01 00 01 78 10 0c0708");
    let whole = layout.plain_fde(cie, u64::MAX - 15, 16, "");
    let over = layout.plain_fde(cie, u64::MAX - 15, 17, "");
    layout.plain_fde(cie, u64::MAX, 0, "");
    layout.plain_fde(cie, 0, u64::MAX, "");
    let entries = layout.read();
    assert_eq!(faults(&entries[1]), [], "{whole:#x}");
    assert_eq!(faults(&entries[2]), [(FaultKind::RangeOverflow, over + 4)]);
    assert_eq!(faults(&entries[3]), []);
    assert_eq!(faults(&entries[4]), []);
    assert_eq!(rows(&entries[1]), ["fffffffffffffff0-0 r7+8"], "the end wraps to zero");

    let mut layout =
        Layout::new(SectionKind::DebugFrame, target(Machine::I386, Class::Elf32, Endianness::Little));
    let cie = layout.cie("01 00 01 7c 08 0c0404");
    layout.plain_fde(cie, 0xffff_fff0, 16, "48 0e08");
    let over = layout.plain_fde(cie, 0xffff_fff0, 17, "");
    let entries = layout.read();
    assert_eq!(rows(&entries[1]), ["fffffff0-fffffff8 r4+4", "fffffff8-0 r4+8"]);
    assert_eq!(faults(&entries[1]), []);
    assert_eq!(faults(&entries[2]), [(FaultKind::RangeOverflow, over + 4)]);
}

/// An FDE that is cut inside a field has neither the fields behind it nor rows.
#[test]
fn a_cut_fde_has_no_rows() {
    let contents = bytes("00100000 20000000 04 78560000 0e10");
    for cut in 0..contents.len() {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie("01 'zRL' 00 01 78 10 02 03 03 0c0708");
        let fde = layout.fde(cie, |fde| fde.data.extend(&contents[..cut]));
        layout.u32(0);
        let entry: Entry = layout.read_fde();
        let (kind, field) = match cut {
            0..4 => (FaultKind::TruncatedRecord, 0),
            4..8 => (FaultKind::TruncatedRecord, 4),
            8 => (FaultKind::TruncatedRecord, 8),
            9..13 => (FaultKind::AugmentationLength, 8),
            13 => {
                assert_eq!(rows(&entry), ["1000-1020 r7+8"]);
                continue;
            }
            _ => (FaultKind::TruncatedInstruction, 13),
        };
        assert_eq!(faults(&entry), [(kind, fde + 8 + field)], "cut at {cut}");
        assert!(entry.rows.is_empty(), "cut at {cut}");
    }
}

/// The operand of DW_CFA_set_loc is encoded like initial locations, and pcrel counts from its own field
/// (op-set_loc-pcrel: readelf 2.40).
#[test]
fn set_loc_counts_from_its_own_field() {
    for (encoding, pcrel) in [(0x1b, true), (0x1c, true), (0x03, false), (0x0c, false)] {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(&format!("01 'zR' 00 01 78 10 01 {encoding:02x} 0c0708"));
        layout.fde(cie, |fde| {
            let base = if pcrel { fde.address + fde.at() } else { 0 };
            put(fde, encoding, 0x1000i64.wrapping_sub_unsigned(base));
            put(fde, encoding, 0x20);
            fde.hex("00 01");
            let base = if pcrel { fde.address + fde.at() } else { 0 };
            put(fde, encoding, 0x1008i64.wrapping_sub_unsigned(base));
            fde.hex("0e10");
        });
        let entry = layout.read_fde();
        assert_eq!(entry.instructions[0], Instruction::SetLoc { location: Address(0x1008) });
        assert_eq!(rows(&entry), ["1000-1008 r7+8", "1008-1020 r7+16"]);
    }
}
