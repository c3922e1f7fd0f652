//! Files made so that one invariant is broken, with the place where it is.

use cfidiff_gen::ElfSection;
use cfidiff_model::{Address, Invariant, SectionKind, Severity};

use crate::keys::STAND_IN;
use crate::support::{EhFrame, File, TEXT, addresses, broken, keys, only, project_file};

/// ret.
const RET: u8 = 0xc3;

/// 0x80 bytes of code: int3 between functions, ret elsewhere.
fn code() -> Vec<u8> {
    let mut code = vec![RET; 0x80];
    code[0x10..0x20].fill(0xcc);
    code
}

/// Functions that touch, are padded, are of the start-up files, are none, and one without an FDE.
pub fn with_gaps() -> File {
    let frames = EhFrame::new().fde(TEXT, 0x10).fde(TEXT + 0x20, 0x10).fde(TEXT + 0x70, 0x10);
    File::new(&code(), frames)
        .function("first", TEXT, 0x10)
        .function("second", TEXT + 0x20, 0x10)
        .function("lonely", TEXT + 0x30, 0x10)
        .function("frame_dummy", TEXT + 0x40, 4)
        .function("last", TEXT + 0x70, 0x10)
}

#[test]
fn a_gap_is_told_by_what_lies_there() {
    let found = with_gaps().broken();
    assert_eq!(keys(&found), [Invariant::FunctionCovered, Invariant::GapPadding, Invariant::HdrAbsent]);
    assert_eq!(addresses(&found[0]), [TEXT + 0x30], "frame_dummy is of the start-up files");
    assert_eq!((found[0].section.as_str(), found[0].places[0].offset.0), (".text", 0x30));
    assert_eq!(addresses(&found[1]), [TEXT + 0x10]);
}

/// The same gap without a symbol, with that of start-up code alone, and with data.
pub fn other_gaps() -> [File; 4] {
    let frames = || EhFrame::new().fde(TEXT, 0x10).fde(TEXT + 0x20, 0x60);
    let mut text = vec![RET; 0x80];
    text[0x20..].fill(0x90);
    let file =
        || File::new(&text, frames()).function("first", TEXT, 0x10).function("second", TEXT + 0x20, 0x60);
    let longer =
        File::new(&text, frames()).function("first", TEXT, 0x20).function("second", TEXT + 0x20, 0x60);
    [file(), file().function("_fini", TEXT + 0x10, 4), file().function("table", TEXT + 0x10, 0x10), longer]
}

/// The bytes of a file whose symbol `value` is of data (STT_OBJECT, 1) instead of a function (STT_FUNC, 2).
pub fn with_data_at(file: &File, value: u64) -> Vec<u8> {
    let mut bytes = file.bytes();
    let value = value.to_le_bytes();
    // Elf64_Sym: name, info, other, section, value, size.
    let places = (8..bytes.len() - 16).filter(|&at| bytes[at..at + 8] == value && bytes[at - 4] & 0xf == 2);
    let places: Vec<usize> = places.collect();
    assert_eq!(places.len(), 1, "one symbol has the value");
    bytes[places[0] - 4] -= 1;
    bytes
}

#[test]
fn code_that_no_function_owns_is_no_warning() {
    let [unnamed, startup, data, longer] = other_gaps();
    assert_eq!(keys(&unnamed.broken()), [Invariant::GapUnnamed, Invariant::HdrAbsent]);
    assert_eq!(keys(&startup.broken()), [Invariant::GapStartup, Invariant::HdrAbsent]);
    assert_eq!(keys(&data.broken()), [Invariant::FunctionCovered, Invariant::HdrAbsent]);
    let data = broken("data", &with_data_at(&data, TEXT + 0x10));
    assert_eq!(keys(&data), [Invariant::GapData, Invariant::HdrAbsent]);
    assert_eq!(keys(&longer.broken()), [Invariant::FunctionWhole, Invariant::HdrAbsent]);
}

/// A section of functions without any FDE, and a linkage table without one.
pub fn with_uncovered_sections() -> File {
    let frames = EhFrame::new().fde(TEXT, 0x10);
    let file = File::new(&[RET; 0x10], frames).function("first", TEXT, 0x10);
    let mut file = file.code(".text.plain", 0x2000, &[RET; 0x10]).code(".plt", 0x2100, &[RET; 0x10]);
    let second = cfidiff_gen::Symbol::function("second", 2, 0x2000, 0x10);
    file.symbols.push(second);
    file
}

#[test]
fn a_section_of_functions_without_any_fde_is_a_warning() {
    let found = with_uncovered_sections().broken();
    assert_eq!(keys(&found), [Invariant::SectionCovered, Invariant::GapPlt, Invariant::HdrAbsent]);
    assert_eq!((found[0].section.as_str(), addresses(&found[0])), (".text.plain", vec![0x2000]));
}

/// An FDE that starts inside a function, and one where none is.
pub fn with_other_fdes() -> File {
    let frames = EhFrame::new().fde(TEXT, 8).fde(TEXT + 8, 8).fde(TEXT + 0x10, 0x10);
    File::new(&[RET; 0x20], frames).function("first", TEXT, 0x10)
}

#[test]
fn fdes_and_functions_are_paired() {
    let found = with_other_fdes().broken();
    assert_eq!(keys(&found), [Invariant::FdeSymbol, Invariant::FunctionOneFde, Invariant::HdrAbsent]);
    assert_eq!(addresses(&found[0]), [TEXT + 0x10]);
    assert_eq!(addresses(&found[1]), [TEXT + 8]);
}

/// The second CIE has 20 bytes, so that its FDE's pointer field is at 0x30, and 0x30 - 0x18 is 0x18 itself.
pub fn with_ambiguous_pointer() -> File {
    let cie = [16, 0, 0, 0, 0, 0, 0, 0, 1, b'z', b'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8];
    let frames = EhFrame::new().record(&cie).fde_of(0x18, TEXT, 0x10, [0x90, 1, 0, 0, 0, 0, 0]);
    File::new(&[RET; 0x10], frames).function("first", TEXT, 0x10)
}

#[test]
fn a_cie_pointer_that_fits_both_rules_is_told() {
    let found = with_ambiguous_pointer().broken();
    assert_eq!(keys(&found), [Invariant::CieUsed, Invariant::FdeOtherRule, Invariant::HdrAbsent]);
    assert_eq!(only(&found, Invariant::FdeOtherRule).places[0].offset.0, 0x2c);
}

/// A `.debug_frame` beside `.eh_frame` for the same 16 bytes, whose CFA is rsp plus `offset` from the fifth byte on.
/// That of `.eh_frame` is rsp + 16 there.
pub fn with_both(offset: u8) -> File {
    // advance_loc 4, def_cfa_offset.
    let frames = EhFrame::new().fde_of(0, TEXT, 0x10, [0x44, 0x0e, 16, 0, 0, 0, 0]);
    let mut file = File::new(&[RET; 0x10], frames).function("first", TEXT, 0x10);
    // Version 1, no augmentation, factors 1 and -8, return address 16; an FDE of absolute addresses.
    let mut data =
        vec![20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0, 0, 0, 0, 0];
    data.extend([28, 0, 0, 0, 0, 0, 0, 0]);
    data.extend(TEXT.to_le_bytes());
    data.extend(0x10u64.to_le_bytes());
    data.extend([0x44, 0x0e, offset, 0, 0, 0, 0, 0]);
    file.sections.push(ElfSection::frame(SectionKind::DebugFrame, Address(0), data));
    file
}

#[test]
fn both_sections_say_the_same() {
    assert_eq!(keys(&with_both(16).broken()), [Invariant::HdrAbsent]);
    let found = with_both(24).broken();
    assert_eq!(keys(&found), [Invariant::DebugFrameAgrees, Invariant::HdrAbsent]);
    assert_eq!((addresses(&found[0]), found[0].places[0].offset.0), (vec![TEXT + 4], 0x18));
}

/// A good file of the suite with a header, with bytes of the header or of its program header changed.
pub fn with_header(change: impl Fn(&mut [u8], usize, usize)) -> Vec<u8> {
    let mut bytes = project_file("corpus/cases/header/hdr-good");
    // Elf64_Phdr: type PT_GNU_EH_FRAME, flags, file offset.
    let kind = 0x6474_e550u32.to_le_bytes();
    let segment = bytes.windows(4).position(|word| word == kind).expect("a program header");
    let word = bytes[segment + 8..segment + 16].try_into().expect("eight bytes");
    change(&mut bytes, segment, u64::from_le_bytes(word) as usize);
    bytes
}

/// The last entry points four bytes behind its FDE's start.
pub fn with_entry_beside() -> Vec<u8> {
    with_header(|bytes, segment, header| {
        let size = u64::from_le_bytes(bytes[segment + 32..segment + 40].try_into().expect("eight bytes"));
        bytes[header + size as usize - 4] += 4;
    })
}

/// PT_GNU_EH_FRAME is eight bytes shorter than the section, or is no such header at all.
pub fn with_segments() -> [Vec<u8>; 2] {
    [
        with_header(|bytes, segment, _| bytes[segment + 32] -= 8),
        with_header(|bytes, segment, _| bytes[segment..segment + 4].fill(0)),
    ]
}

#[test]
fn the_header_is_where_the_segment_says_and_its_entries_are_fdes() {
    let errors = |bytes: &[u8]| -> Vec<Invariant> {
        let keys = keys(&broken("header", bytes)).into_iter();
        keys.filter(|key| key.severity() != Severity::Info && *key != STAND_IN).collect()
    };
    assert_eq!(errors(&with_header(|_, _, _| ())), []);
    assert_eq!(errors(&with_entry_beside()), [Invariant::HdrEntryFde, Invariant::HdrListsAll]);
    let [shorter, none] = with_segments();
    assert_eq!(errors(&shorter), [Invariant::HdrSegment]);
    assert_eq!(errors(&none), [Invariant::HdrHasSegment]);
}

/// The object of the relocations' tests, whose `.eh_frame` has no relocations any more, or one of a type without a
/// meaning. Relocation tables are at fixed places of the file.
pub fn unrelocated() -> [Vec<u8>; 2] {
    let object = project_file("tests/data/image/x86_64.o");
    let (mut without, mut unknown) = (object.clone(), object);
    // e_shoff, and sh_type of section 6, .rela.eh_frame.
    let table = u64::from_le_bytes(without[40..48].try_into().expect("eight bytes")) as usize;
    let header = table + 6 * 64;
    assert_eq!(without[header + 4], 4, "SHT_RELA");
    without[header + 4] = 1;
    // r_info of the first entry: the type is its low half.
    let entries =
        u64::from_le_bytes(unknown[header + 24..header + 32].try_into().expect("eight bytes")) as usize;
    unknown[entries + 8] = 0xfe;
    [without, unknown]
}

#[test]
fn every_initial_location_of_an_object_has_a_relocation() {
    let sound = broken("x86_64.o", &project_file("tests/data/image/x86_64.o"));
    assert!(!keys(&sound).contains(&Invariant::FdeRelocated), "{sound:?}");
    let [without, unknown] = unrelocated();
    let found = broken("without", &without);
    let places = |key| only(&found, key).places.iter().map(|place| place.offset.0).collect::<Vec<_>>();
    assert_eq!(only(&found, Invariant::FdeRelocated).section, ".eh_frame");
    assert_eq!(places(Invariant::FdeRelocated).len(), 3);
    assert_eq!(only(&broken("unknown", &unknown), Invariant::RelocationApplied).count, 1);
}

/// A discarded copy of a function leaves an FDE that says the same; one that says something else is an error.
pub fn with_two_of_a_range(second: [u8; 7]) -> File {
    let frames = EhFrame::new().fde(TEXT, 0x10).fde_of(0, TEXT, 0x10, second);
    File::new(&[RET; 0x10], frames).function("first", TEXT, 0x10)
}

#[test]
fn two_fdes_of_a_range_may_say_the_same() {
    let same = with_two_of_a_range([0; 7]).broken();
    assert_eq!(keys(&same), [Invariant::FdeRepeated, Invariant::HdrAbsent]);
    assert_eq!(same[0].places[0].offset.0, 0x30);
    // advance_loc 4, def_cfa_offset 16.
    let other = with_two_of_a_range([0x44, 0x0e, 16, 0, 0, 0, 0]).broken();
    assert_eq!(keys(&other), [Invariant::FdeOverlap, Invariant::HdrAbsent]);
}
