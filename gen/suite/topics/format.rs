//! 32-bit and 64-bit format, in both sections and byte orders, with every address size and CIE version.

use cfidiff_model::{Class, Endianness, EntryKind, FaultKind, Fde, Format, SectionKind};

use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::{Expected, Suite};
use crate::{CieSpec, FdeSpec, Record};

const CLAUSE: &str =
    "DWARF 5 section 7.4: 32-bit and 64-bit format; section 6.4.1: address_size from version 4 on";
const OPEN: &str = "LSB Core, exception frames: CIE id and CIE pointer have four bytes, behind an Extended Length as \
                    well; DWARF 5 section 7.4: eight bytes in the 64-bit format";

/// The readings of the 64-bit format in `.eh_frame`.
const FOUR: &str = "four-byte-ids";
const EIGHT: &str = "eight-byte-ids";

const MACHINE: Convention = Convention::X86_64;

pub(super) fn add(suite: &mut Suite) {
    add_named(suite);
    for format in [Format::Dwarf32, Format::Dwarf64] {
        for kind in [SectionKind::EhFrame, SectionKind::DebugFrame] {
            for machine in [Convention::I386, Convention::PPC, Convention::X86_64, Convention::S390X] {
                for version in [1, 3, 4] {
                    add_shape(suite, &Shape { format, kind, machine, version, address_size: None });
                }
            }
            for machine in [Convention::X86_64, Convention::S390X] {
                for address_size in [1, 2] {
                    let address_size = Some(address_size);
                    add_shape(suite, &Shape { format, kind, machine, version: 4, address_size });
                }
            }
        }
    }
}

/// A point of the family.
struct Shape {
    format: Format,
    kind: SectionKind,
    machine: Convention,
    version: u8,
    /// The CIE's own, when it is not the file's.
    address_size: Option<u8>,
}

impl Shape {
    fn name(&self) -> String {
        let format = if self.format == Format::Dwarf32 { 32 } else { 64 };
        let section = if self.kind == SectionKind::EhFrame { "eh" } else { "df" };
        let order = if self.machine.endianness == Endianness::Little { "le" } else { "be" };
        let size = self.address_size.unwrap_or(self.machine.class.address_size());
        format!("format/{format}-{section}-{order}-{size}-v{}", self.version)
    }

    /// A CIE and two functions of it.
    fn records(&self) -> Vec<Record> {
        let usual = match self.kind {
            SectionKind::EhFrame => self.machine.eh_frame_cie(),
            _ => self.machine.debug_frame_cie(),
        };
        // A pcrel location would not fit the small sizes.
        let fde_encoding = if self.address_size.is_some() { 0 } else { usual.fde_encoding };
        let cie = CieSpec {
            format: self.format,
            version: self.version,
            address_size: self.address_size,
            fde_encoding,
            ..usual
        };
        let start = if self.address_size == Some(1) { 0x10 } else { TEXT + 0x10 };
        let fde = |start| FdeSpec { format: self.format, ..self.machine.function(0, start, 0x20) };
        vec![Record::Cie(cie), Record::Fde(fde(start)), Record::Fde(fde(start + 0x20))]
    }
}

fn add_shape(suite: &mut Suite, shape: &Shape) {
    let Shape { kind, machine, version, .. } = shape;
    let size = shape.address_size.unwrap_or(machine.class.address_size());
    let about = format!(
        "Records of the {}-bit format in {}, {}-endian, addresses of {size} bytes, CIE version {version}.",
        if shape.format == Format::Dwarf32 { 32 } else { 64 },
        kind.name(),
        machine.endianness.name(),
    );
    let draft = Draft::new(&shape.name(), machine, &about).clause(CLAUSE).catches(catches(shape));
    let spec = draft.spec(*kind, shape.records());
    suite.add(match (shape.format, kind) {
        (Format::Dwarf64, SectionKind::EhFrame) => open(draft).frame(spec).answer(add_eight_byte_reading),
        _ => draft.frame(spec),
    });
}

/// The public bugs that a point of the family would have shown.
fn catches(shape: &Shape) -> &'static [&'static str] {
    let elf32 = shape.machine.class == Class::Elf32;
    match (shape.format, shape.kind, shape.version) {
        (Format::Dwarf64, SectionKind::DebugFrame, _) => &["binutils ChangeLog 2013-09-10", "llvm PR 158350"],
        (_, SectionKind::DebugFrame, 4) if elf32 => &["breakpad commit f32b83eb", "pyelftools PR 563"],
        (_, SectionKind::DebugFrame, 4) => &["pyelftools PR 563", "binutils ChangeLog 2010-04-05"],
        (Format::Dwarf32, SectionKind::EhFrame, 4) => &["LIEF issue 488"],
        _ => &[],
    }
}

/// Both readings of the 64-bit format in `.eh_frame`. Ours is the LSB's.
fn open(draft: Draft) -> Draft {
    draft
        .clause(OPEN)
        .reading(FOUR, "LSB: ids of four bytes behind an extended length; gimli and LLVM read so")
        .reading(EIGHT, "DWARF 5 section 7.4: ids of eight bytes; GNU readelf and elfutils read so")
}

/// Adds the reading of eight bytes to a section whose ids have four.
fn add_eight_byte_reading(entries: &mut Vec<Expected>) {
    let wide: Vec<Expected> = entries.iter().map(four_as_eight).collect();
    entries.iter_mut().for_each(|each| each.reading = Some(FOUR));
    entries.extend(wide);
}

/// A record with an id of four bytes to a reader that takes eight: what stands behind the id makes it an FDE
/// with a wild CIE pointer.
fn four_as_eight(expected: &Expected) -> Expected {
    let mut entry = expected.entry.clone();
    entry.kind = EntryKind::Fde(Fde::default());
    Expected::whole(entry).faults(&[FaultKind::CiePointerOutside]).free_from("cie_pointer").reading(EIGHT)
}

/// A record with an id of eight bytes to a reader that takes four.
fn eight_as_four(expected: &Expected, endianness: Endianness) -> Expected {
    let whole = Expected::whole(expected.entry.clone()).reading(FOUR);
    match &expected.entry.kind {
        // The little end of the pointer leads to the CIE all the same.
        EntryKind::Fde(_) if endianness == Endianness::Little => whole.of_unreadable_cie(),
        // The other half of the id is zero, and so is the version. The big end of the pointer makes the FDE a CIE.
        _ => {
            let mut cie = whole;
            cie.entry.kind = EntryKind::Cie(Box::default());
            cie.faults(&[FaultKind::CieVersion]).free_from("augmentation")
        }
    }
}

fn add_named(suite: &mut Suite) {
    let wide = |fde: FdeSpec| Record::Fde(FdeSpec { format: Format::Dwarf64, ..fde });
    let cie = |machine: &Convention| CieSpec { format: Format::Dwarf64, ..machine.debug_frame_cie() };
    let about =
        "Records of the 64-bit and of the 32-bit format in one .debug_frame, FDEs of both of either CIE.";
    let records = vec![
        Record::Cie(cie(&MACHINE)),
        wide(MACHINE.function(0, TEXT + 0x10, 0x10)),
        Record::Cie(MACHINE.debug_frame_cie()),
        Record::Fde(MACHINE.function(2, TEXT + 0x20, 0x10)),
        Record::Fde(MACHINE.function(0, TEXT + 0x30, 0x10)),
        wide(MACHINE.function(2, TEXT + 0x40, 0x10)),
    ];
    let draft = Draft::new("format/d64-df", &MACHINE, about).clause(CLAUSE);
    suite.add(draft.catches(&["binutils ChangeLog 2013-09-10", "llvm PR 158350"]).debug_frame(records));

    for machine in [Convention::X86_64, Convention::S390X] {
        let suffix = if machine.endianness == Endianness::Little { "" } else { "-be" };
        let cie = CieSpec { format: Format::Dwarf64, ..machine.eh_frame_cie() };
        let fde = |start| FdeSpec { format: Format::Dwarf64, ..machine.function(0, start, 0x20) };
        let records = vec![Record::Cie(cie), Record::Fde(fde(TEXT + 0x10)), Record::Fde(fde(TEXT + 0x40))];
        let about = "Extended lengths in .eh_frame and ids of four bytes.";
        let draft = open(Draft::new(&format!("format/d64-eh-id4{suffix}"), &machine, about));
        suite.add(draft.eh_frame(records.clone()).answer(add_eight_byte_reading));
        let about = "Extended lengths in .eh_frame and ids of eight bytes.";
        let draft = open(Draft::new(&format!("format/d64-eh-id8{suffix}"), &machine, about));
        let mut spec = draft.spec(SectionKind::EhFrame, records);
        spec.wide_ids = true;
        suite.add(draft.frame(spec).answer(|entries| {
            let four: Vec<Expected> =
                entries.iter().map(|each| eight_as_four(each, machine.endianness)).collect();
            entries.iter_mut().for_each(|each| each.reading = Some(EIGHT));
            entries.splice(0..0, four);
        }));
    }

    let about = "An address range and an address of more than 32 bits in .debug_frame.";
    let huge = MACHINE.function(0, TEXT, 0x1_0000_0020);
    let high = MACHINE.function(0, 0x1_2345_6789_0000, 0x20);
    let records = vec![Record::Cie(MACHINE.debug_frame_cie()), Record::Fde(huge), Record::Fde(high)];
    let draft = Draft::new("format/wide-addresses-df", &MACHINE, about).clause(CLAUSE);
    suite.add(draft.debug_frame(records));
}
