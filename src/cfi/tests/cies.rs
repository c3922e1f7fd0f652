//! CIEs: versions, augmentations, and the fields that they bring (DWARF 5 section 6.4.1, LSB).

mod common;

use cfidiff_model::{Address, Class, Endianness, EntryKind, FaultKind, Machine, Pointer, SectionKind};
use common::{Layout, PLAIN, X86_64, ZR, bytes, cie_of, faults, fde_of, kinds, rows, target};

const BOTH: [SectionKind; 2] = [SectionKind::EhFrame, SectionKind::DebugFrame];

/// The offset of the version byte in a 32-bit CIE at 0.
const VERSION: u64 = 8;

fn only_cie(kind: SectionKind, contents: &str) -> common::Layout {
    let mut layout = Layout::new(kind, X86_64);
    layout.cie(contents);
    layout
}

/// DWARF 2 section 6.4.1 has version 1 with a return address register of one byte, DWARF 3 version 3 with an
/// unsigned LEB128 number, DWARF 4 and 5 version 4 with the two sizes. 0x9c is 156 as a byte; 0x9c 0x01 is 156
/// as LEB128.
#[test]
fn versions_differ_in_the_return_address_register_and_in_the_sizes() {
    for kind in BOTH {
        for (contents, register) in [
            ("01 00 01 78 9c 0c0708", 156),
            ("01 00 01 78 90 0c0708", 144),
            ("01 00 01 78 7f 0c0708", 127),
            ("03 00 01 78 9c01 0c0708", 156),
            ("03 00 01 78 10 0c0708", 16),
            ("04 00 08 00 01 78 9c01 0c0708", 156),
            ("04 00 08 00 01 78 10 0c0708", 16),
        ] {
            let entries = only_cie(kind, contents).read();
            let cie = cie_of(&entries[0]);
            assert_eq!(faults(&entries[0]), [], "{contents}");
            assert_eq!(cie.return_address_register, register, "{contents}");
            assert_eq!((cie.code_alignment_factor, cie.data_alignment_factor), (1, -8), "{contents}");
            assert_eq!(cie.version, bytes(contents)[0]);
            assert_eq!((cie.address_size, cie.segment_selector_size), (8, 0), "{contents}");
            assert_eq!(rows(&entries[0]), ["0-0 r7+8"], "{contents}");
        }
    }
}

#[test]
fn other_versions_cannot_be_read() {
    for kind in BOTH {
        for version in (0..=255u8).filter(|version| ![1, 3, 4].contains(version)) {
            let mut layout = Layout::new(kind, X86_64);
            let cie = layout.cie(&format!("{version:02x} 00 01 78 10 0c0708"));
            let fde = layout.plain_fde(cie, 0x1000, 0x10, "0e10");
            let entries = layout.read();
            assert_eq!(faults(&entries[0]), [(FaultKind::CieVersion, VERSION)]);
            assert_eq!(cie_of(&entries[0]).version, version, "the version as written");
            assert_eq!(entries[0].instructions, []);
            assert_eq!(faults(&entries[1]), [(FaultKind::CieUnreadable, fde + 4)]);
            assert_eq!(fde_of(&entries[1]).cie.unwrap().0, cie, "what it points at is known");
            assert!(entries[1].rows.is_empty());
        }
    }
}

#[test]
fn factors_are_leb128_numbers() {
    let contents = "01 00 80 01 ff 7e 10 41 0a 0b";
    let entries = only_cie(SectionKind::DebugFrame, contents).read();
    let cie = cie_of(&entries[0]);
    // DWARF 5 tables 7.7 and 7.8: 0x80 0x01 is 128 unsigned, 0xff 0x7e is -129 signed.
    assert_eq!((cie.code_alignment_factor, cie.data_alignment_factor), (128, -129));
    assert_eq!(entries[0].instructions.len(), 3);
}

/// DWARF 5 section 6.4.1: addresses of the CIE's FDEs have the CIE's address size, and FDEs have a segment
/// selector of the CIE's size before the initial location.
#[test]
fn the_sizes_of_version_4_shape_its_fdes() {
    for kind in BOTH {
        for (address_size, selector_size) in [(8, 2), (4, 0), (4, 4), (2, 1), (1, 0), (8, 8)] {
            let mut layout = Layout::new(kind, X86_64);
            let cie = layout.cie(&format!("04 00 {address_size:02x} {selector_size:02x} 01 78 10 0c0708"));
            layout.fde(cie, |fde| {
                fde.number(selector_size, 7).number(address_size, 0x10).number(address_size, 0x40);
                fde.hex("44 0e10");
            });
            let entries = layout.read();
            let cie = cie_of(&entries[0]);
            assert_eq!((cie.address_size, cie.segment_selector_size), (address_size, selector_size));
            let fde = fde_of(&entries[1]);
            assert_eq!(fde.segment, (selector_size != 0).then_some(7));
            assert_eq!((fde.initial_location.0, fde.address_range), (0x10, 0x40));
            assert_eq!(rows(&entries[1]), ["10-14 r7+8", "14-50 r7+16"]);
            assert_eq!(faults(&entries[1]), []);
        }
    }
}

#[test]
fn sizes_that_no_field_can_have_are_faults() {
    for (sizes, fault) in [
        ("00 00", (FaultKind::AddressSize, VERSION + 2)),
        ("03 00", (FaultKind::AddressSize, VERSION + 2)),
        ("10 00", (FaultKind::AddressSize, VERSION + 2)),
        ("08 03", (FaultKind::SegmentSelectorSize, VERSION + 3)),
        ("08 10", (FaultKind::SegmentSelectorSize, VERSION + 3)),
    ] {
        let entries = only_cie(SectionKind::DebugFrame, &format!("04 00 {sizes} 01 78 10 0c0708")).read();
        assert_eq!(faults(&entries[0]), [fault], "{sizes}");
    }
}

/// The data of each letter, and whether the letter has any. `P` is 0x1b: pcrel sdata4 with the value 0x10.
const LETTERS: [(char, &str); 6] =
    [('R', "1b"), ('P', "1b 10000000"), ('L', "0b"), ('S', ""), ('B', ""), ('G', "")];

/// LSB: the data come in the order of the letters.
#[test]
fn letters_may_come_in_any_order() {
    let mut seen = 0;
    permute(&mut LETTERS.to_vec(), 0, &mut |letters| {
        let names: String = letters.iter().map(|(letter, _)| letter).collect();
        let data: String = letters.iter().map(|(_, data)| *data).collect();
        let before_pointer: String =
            letters.iter().take_while(|(letter, _)| *letter != 'P').map(|(_, data)| *data).collect();
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(&format!("01 'z{names}' 00 01 78 10 07 {data} 0c0708"));
        layout.fde(cie, |fde| {
            fde.pcrel(0x1000).u32(0x10).hex("04 44330000 0e10");
        });
        let entries = layout.read();
        let cie = cie_of(&entries[0]);
        assert_eq!(faults(&entries[0]), [], "{names}");
        assert_eq!(cie.fde_encoding, Some(0x1b), "{names}");
        assert_eq!(cie.lsda_encoding, Some(0x0b), "{names}");
        assert!(cie.signal_frame && cie.b_key && cie.mte_tagged, "{names}");
        // The length and the seven letters with their NUL stand before the data, and P's own encoding byte.
        let field = VERSION + 1 + 8 + 3 + 1 + bytes(&before_pointer).len() as u64 + 1;
        let routine = Pointer { address: Address(0x2000 + field + 0x10), indirect: false };
        assert_eq!(cie.personality, Some((0x1b, Some(routine))), "{names}");
        assert_eq!(rows(&entries[0]), ["0-0 r7+8"], "{names}");
        let lsda = Pointer { address: Address(0x3344), indirect: false };
        assert_eq!(fde_of(&entries[1]).lsda, Some(lsda), "{names}");
        assert_eq!(rows(&entries[1]), ["1000-1010 r7+16"], "{names}");
        seen += 1;
    });
    assert_eq!(seen, 720);
}

fn permute<T>(items: &mut Vec<T>, from: usize, each: &mut impl FnMut(&[T])) {
    if from == items.len() {
        return each(items);
    }
    for at in from..items.len() {
        items.swap(from, at);
        permute(items, from + 1, each);
        items.swap(from, at);
    }
}

/// The length says where the instructions start, so that an unknown letter without known data behind it does no
/// harm (LSB; readelf 2.40 reads on as well).
#[test]
fn an_unknown_letter_hides_only_the_data_behind_it() {
    for (text, signal) in
        [("01 'zRX' 00 01 78 10 03 1b aabb", false), ("01 'zRXS' 00 01 78 10 02 1b aa", true)]
    {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(&format!("{text} 0c0708"));
        layout.zr_fde(cie, 0x1000, 0x10, "0e10");
        let entries = layout.read();
        assert_eq!(faults(&entries[0]), []);
        assert_eq!(cie_of(&entries[0]).signal_frame, signal);
        assert_eq!(rows(&entries[1]), ["1000-1010 r7+16"]);
    }
    for letters in ["XR", "XP", "XL", "RXSL"] {
        let text = format!("01 'z{letters}' 00 01 78 10 08 1b1b1b1b1b1b1b1b 0c0708");
        let entries = only_cie(SectionKind::EhFrame, &text).read();
        assert_eq!(faults(&entries[0])[0].0, FaultKind::Augmentation, "{letters}");
        assert_eq!(cie_of(&entries[0]).augmentation_data.len(), 8, "{letters}");
    }
}

#[test]
fn the_augmentation_length_is_binding() {
    // More than the letters use: the rest is skipped, in the CIE and in the FDE (readelf 2.40 likewise).
    let mut layout = Layout::eh_frame();
    let cie = layout.cie("01 'zR' 00 01 78 10 04 1b 0a0a0a 0c0708");
    layout.fde(cie, |fde| {
        fde.pcrel(0x1000).u32(0x10).hex("03 0a0a0a 0e10");
    });
    let entries = layout.read();
    assert_eq!(cie_of(&entries[0]).augmentation_data[..], [0x1b, 10, 10, 10]);
    assert_eq!(fde_of(&entries[1]).augmentation_data[..], [10, 10, 10]);
    assert_eq!(rows(&entries[1]), ["1000-1010 r7+16"]);
    assert_eq!((faults(&entries[0]), faults(&entries[1])), (vec![], vec![]));

    // Less than the letters need, and more than the record has.
    for (text, at) in [
        ("01 'zR' 00 01 78 10 00 1b 0c0708", VERSION + 8),
        ("01 'zRP' 00 01 78 10 03 1b 1b00 0c0708", VERSION + 11),
        ("01 'zR' 00 01 78 10 05 1b 0c0708", VERSION + 7),
        ("01 'zR' 00 01 78 10 ffffffffffffffffff01 1b", VERSION + 7),
    ] {
        let entries = only_cie(SectionKind::EhFrame, text).read();
        assert_eq!(faults(&entries[0]), [(FaultKind::AugmentationLength, at)], "{text}");
        assert_eq!(entries[0].instructions, []);
    }
}

#[test]
fn the_augmentation_length_of_an_fde_is_binding() {
    let zpl = "01 'zRL' 00 01 78 10 02 1b 1b 0c0708";
    for (data, length_at_fault, lsda) in
        [("03 010000", false, None), ("00", false, None), ("7f 01000000", true, None)]
    {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(zpl);
        let fde = layout.fde(cie, |fde| {
            fde.pcrel(0x1000).u32(0x10).hex(data).hex("0e10");
        });
        let entry = layout.read_fde();
        // The length stands behind length, CIE pointer, location and range; the LSDA behind it.
        let at = fde + 16 + u64::from(!length_at_fault);
        assert_eq!(faults(&entry), [(FaultKind::AugmentationLength, at)], "{data}");
        assert_eq!(fde_of(&entry).lsda, lsda);
        assert_eq!((fde_of(&entry).initial_location.0, fde_of(&entry).address_range), (0x1000, 0x10));
        let expected = if length_at_fault { vec![] } else { vec!["1000-1010 r7+16"] };
        assert_eq!(rows(&entry), expected, "a length that fits still says where the instructions are");
    }
}

/// GCC 2 wrote `eh` and the address of exception data behind it. readelf 2.40 skips it.
#[test]
fn eh_brings_a_pointer_behind_the_string() {
    for (class, pointer) in [(Class::Elf64, "1122334455667788"), (Class::Elf32, "11223344")] {
        let mut layout =
            Layout::new(SectionKind::EhFrame, target(Machine::X86_64, class, Endianness::Little));
        let cie = layout.cie(&format!("01 'eh' 00 {pointer} 01 78 10 0c0708"));
        layout.plain_fde(cie, 0x1000, 0x10, "0e10");
        let entries = layout.read();
        assert_eq!(cie_of(&entries[0]).data_alignment_factor, -8);
        assert_eq!(rows(&entries[1]), ["1000-1010 r7+16"]);
    }
}

/// The GNU assembler writes a bare `S` for `.cfi_signal_frame` in `.debug_frame`: without `z` there is no length
/// in the FDE. ARM's compiler writes `armcc+`.
#[test]
fn known_augmentations_without_z_bring_no_fields() {
    for kind in BOTH {
        for (augmentation, signal) in [("", false), ("S", true), ("armcc+", false)] {
            let mut layout = Layout::new(kind, X86_64);
            let cie = layout.cie(&format!("01 '{augmentation}' 00 01 78 10 0c0708"));
            layout.plain_fde(cie, 0x1000, 0x10, "44 0e10");
            let entries = layout.read();
            assert_eq!(faults(&entries[0]), []);
            assert_eq!(cie_of(&entries[0]).signal_frame, signal);
            assert_eq!(&cie_of(&entries[0]).augmentation[..], augmentation.as_bytes());
            assert_eq!(cie_of(&entries[0]).fde_encoding, None);
            assert_eq!(rows(&entries[1]), ["1000-1004 r7+8", "1004-1010 r7+16"]);
        }
    }
}

/// `z` alone has a length, and addresses are plain. In `.debug_frame` it means the same.
#[test]
fn z_alone_has_plain_addresses() {
    for kind in BOTH {
        let mut layout = Layout::new(kind, X86_64);
        let cie = layout.cie("01 'z' 00 01 78 10 00 0c0708");
        layout.fde(cie, |fde| {
            fde.absptr(0x1000).absptr(0x10).hex("00 0e10");
        });
        assert_eq!(rows(&layout.read_fde()), ["1000-1010 r7+16"]);
    }
}

/// DWARF 5 section 6.4.1: behind an unexpected augmentation string no field of the CIE can be read.
#[test]
fn unknown_augmentations_without_z_hide_the_rest() {
    for augmentation in ["foo", "R", "Sz", "SR", "e", "ehz", "armcc", " "] {
        let mut layout = Layout::debug_frame();
        let cie = layout.cie(&format!("01 '{augmentation}' 00 05 74 11 0c0708"));
        layout.plain_fde(cie, 0x1000, 0x10, "0e10");
        let entries = layout.read();
        assert_eq!(faults(&entries[0]), [(FaultKind::Augmentation, VERSION + 1)], "{augmentation}");
        assert_eq!(&cie_of(&entries[0]).augmentation[..], augmentation.as_bytes());
        assert_eq!(cie_of(&entries[0]).code_alignment_factor, 0, "{augmentation}");
        assert_eq!(faults(&entries[1])[0].0, FaultKind::CieUnreadable);
    }
}

/// The version is no part of the string, and the string ends inside the record.
#[test]
fn a_string_without_its_nul_is_a_fault_of_the_string() {
    let mut layout = Layout::eh_frame();
    layout.cie("01 'zRRRRRRRRRRRR'");
    layout.u32(0);
    let entries = layout.read();
    assert_eq!(kinds(&entries), "C0");
    assert_eq!(faults(&entries[0]), [(FaultKind::AugmentationString, VERSION + 1)]);
}

/// Wherever a CIE is cut off, the fault names the field that is missing.
#[test]
fn a_cut_cie_is_a_fault_of_the_field_at_the_cut() {
    use FaultKind::{AugmentationLength, AugmentationString, TruncatedRecord};
    let whole = bytes("04 'zR' 00 08 00 80 01 f8 7f 90 00 01 1b");
    // The field that each cut falls in: its offset from the version, and the fault.
    let fields = [
        (0, TruncatedRecord),
        (1, AugmentationString),
        (1, AugmentationString),
        (1, AugmentationString),
        (4, TruncatedRecord),
        (5, TruncatedRecord),
        (6, TruncatedRecord),
        (6, TruncatedRecord),
        (8, TruncatedRecord),
        (8, TruncatedRecord),
        (10, TruncatedRecord),
        (10, TruncatedRecord),
        (12, TruncatedRecord),
        (12, AugmentationLength),
    ];
    assert_eq!(fields.len(), whole.len());
    for (cut, (field, kind)) in fields.into_iter().enumerate() {
        let mut layout = Layout::eh_frame();
        layout.record(|record| record.cie_id().data.extend(&whole[..cut]));
        layout.cie(ZR);
        let entries = layout.read();
        assert_eq!(kinds(&entries), "CC");
        assert_eq!(faults(&entries[0]), [(kind, VERSION + field)], "cut at {cut}");
        assert_eq!(faults(&entries[1]), []);
    }
}

#[test]
fn numbers_beyond_64_bits_are_faults_of_their_field() {
    let huge = "ff ff ff ff ff ff ff ff ff 02";
    for (text, at) in [(format!("03 00 {huge} 78 10"), 2), (format!("03 00 01 {huge} 10"), 3)] {
        let entries = only_cie(SectionKind::DebugFrame, &text).read();
        assert_eq!(faults(&entries[0]), [(FaultKind::LebOverflow, VERSION + at)]);
    }
    let text = format!("03 00 01 78 {huge}");
    assert_eq!(
        faults(&only_cie(SectionKind::DebugFrame, &text).read()[0]),
        [(FaultKind::LebOverflow, VERSION + 4)]
    );
    // Padded with zero bits a number stays what it is (op-overlong: readelf 2.40 and llvm-dwarfdump 14 agree).
    let padded = "03 00 81 80 80 80 80 80 80 80 80 80 80 00 78 10 0c0708";
    let entries = only_cie(SectionKind::DebugFrame, padded).read();
    assert_eq!(cie_of(&entries[0]).code_alignment_factor, 1);
}

/// The personality routine: indirect as position-independent code has it, omitted, null.
#[test]
fn personalities_are_read_in_their_encoding() {
    let address = |address, indirect| Some(Pointer { address: Address(address), indirect });
    let field = 0x2000 + VERSION + 9;
    for (data, length, encoding, expected) in [
        ("9b fcffffff", 5, 0x9b, address(field - 4, true)),
        ("00 0807060504030201", 9, 0x00, address(0x0102_0304_0506_0708, false)),
        ("03 f0debc9a", 5, 0x03, address(0x9abc_def0, false)),
        ("0b f0debc9a", 5, 0x0b, address(0xffff_ffff_9abc_def0, false)),
        ("1b 00000000", 5, 0x1b, None),
        ("ff", 1, 0xff, None),
    ] {
        let text = format!("01 'zP' 00 01 78 10 {length:02x} {data} 0c0708");
        let entries = only_cie(SectionKind::EhFrame, &text).read();
        assert_eq!(faults(&entries[0]), [], "{data}");
        assert_eq!(cie_of(&entries[0]).personality, Some((encoding, expected)), "{data}");
        assert_eq!(rows(&entries[0]), ["0-0 r7+8"], "{data}");
    }
    // The base of textrel is not known: the pointer is lost, what follows it is not.
    let mut layout = Layout::eh_frame();
    let cie = layout.cie("01 'zPR' 00 01 78 10 06 2b 01000000 1b 0c0708");
    layout.zr_fde(cie, 0x1000, 0x10, "0e10");
    let entries = layout.read();
    assert_eq!(faults(&entries[0]), [(FaultKind::PointerBase, VERSION + 10)]);
    assert_eq!(cie_of(&entries[0]).personality, Some((0x2b, None)));
    assert_eq!(rows(&entries[1]), ["1000-1010 r7+16"]);
}

/// A CIE whose instructions cannot be read to their end leaves a state that nobody knows: its FDEs have
/// instructions, but no rows, and say why.
#[test]
fn fdes_of_a_cie_with_a_broken_program_have_no_rows() {
    for program in ["0c0708 3f 9001", "0c0708 90", "0c0708 0f 05 77"] {
        let mut layout = Layout::eh_frame();
        let cie = layout.cie(&format!("01 'zR' 00 01 78 10 01 1b {program}"));
        let fde = layout.zr_fde(cie, 0x1000, 0x10, "44 0e10");
        let entries = layout.read();
        assert_eq!(entries[0].faults.len(), 1, "{program}");
        assert_eq!(faults(&entries[1]), [(FaultKind::CieUnreadable, fde + 4)], "{program}");
        assert_eq!(entries[1].instructions.len(), 2);
        assert!(entries[1].rows.is_empty());
        assert_eq!(fde_of(&entries[1]).initial_location.0, 0x1000);
    }
}

/// Each FDE is read by its own CIE's factors, encodings and rules.
#[test]
fn an_fde_takes_the_factors_of_its_own_cie() {
    let mut layout = Layout::debug_frame();
    let first = layout.cie(PLAIN);
    let second = layout.cie("01 00 04 7c 1e 0c1f00");
    layout.plain_fde(second, 0x1000, 0x40, "42 0e10 9d02");
    layout.plain_fde(first, 0x2000, 0x40, "42 0e10 8602");
    layout.plain_fde(second, 0x3000, 0x40, "");
    let entries = layout.read();
    assert_eq!(rows(&entries[2]), ["1000-1008 r31+0", "1008-1040 r31+16 r29:c-8"]);
    assert_eq!(rows(&entries[3]), ["2000-2002 r7+8 r16:c-8", "2002-2040 r7+16 r6:c-16 r16:c-8"]);
    assert_eq!(rows(&entries[4]), ["3000-3040 r31+0"]);
    assert!(matches!(entries[4].kind, EntryKind::Fde(_)));
}
