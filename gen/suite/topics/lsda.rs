//! LSDA and personality pointers in every encoding.

use cfidiff_model::{Address, EntryKind, FaultKind};

use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, GOT, TEXT};
use crate::suite::encodings::{
    ABSOLUTE, DATAREL, FUNCREL, PCREL, SMALL_TEXT, TEXTREL, is_indirect, name, or_refused, text_for,
    with_applications,
};
use crate::suite::{Expected, Suite};
use crate::{ALIGNED, CieSpec, FdeSpec, INDIRECT, OMIT, Record, Splice};

const CLAUSE: &str =
    "LSB Core, augmentation string format: L and P, with the DWARF exception header encoding";
const CLAUSE_NULL: &str =
    "C++ ABI level II and GCC's unwind-pe.h: a pointer that is written as zero is null, whatever its base";

/// What is tried on other machines: plain, pcrel and indirect as compilers write them, aligned.
const SAMPLE: [u8; 4] = [0x00, 0x1b, 0x9b, ALIGNED];

/// How far into `.text`, or as slots into `.got`, the routine and the data area are.
const PERSONALITY: u64 = 0x50;
const LSDA: u64 = 0x60;

pub(super) fn add(suite: &mut Suite) {
    for encoding in with_applications(&[ABSOLUTE, PCREL, TEXTREL, DATAREL, FUNCREL]) {
        for encoding in [encoding, encoding | INDIRECT] {
            let draft = pointers(&format!("lsda/{}", name(encoding)), &Convention::X86_64, encoding);
            suite.add(or_refused(draft, encoding).catches(bugs(encoding)));
        }
    }
    suite.add(pointers("lsda/50-aligned", &Convention::X86_64, ALIGNED));
    for (machine, prefix) in
        [(Convention::I386, "i386"), (Convention::MIPS, "mips"), (Convention::S390X, "s390x")]
    {
        for encoding in SAMPLE {
            suite.add(pointers(&format!("lsda/{prefix}-{}", name(encoding)), &machine, encoding));
        }
    }
    null(suite);
    signed_funcrel(suite);
    undefined(suite);
    omitted(suite);
}

/// The public bugs that a case of this encoding would have caught.
fn bugs(encoding: u8) -> &'static [&'static str] {
    match encoding {
        0x9b => &["delve PR 3032"],
        _ => &[],
    }
}

/// A function with a data area, whose CIE has a routine in the same encoding unless that counts from a function.
fn pointers(name: &str, machine: &Convention, encoding: u8) -> Draft {
    let text = text_for(encoding);
    let base = if is_indirect(encoding) { GOT } else { text };
    let is_of_function = encoding & 0x70 == FUNCREL;
    let (augmentation, about): (&[u8], _) = match is_of_function {
        true => (b"zLR", format!("An LSDA in encoding {encoding:#04x}.")),
        false => (b"zPLR", format!("A personality routine and an LSDA in encoding {encoding:#04x}.")),
    };
    let cie = CieSpec {
        augmentation: augmentation.to_vec(),
        personality: (encoding, Some(Address(base + PERSONALITY))),
        lsda_encoding: encoding,
        ..machine.eh_frame_cie()
    };
    let fde = FdeSpec { lsda: Some(Address(base + LSDA)), ..machine.function(0, text + 0x10, 0x20) };
    let draft = Draft::new(name, machine, &about).clause(CLAUSE).text(text, SMALL_TEXT);
    let draft = match encoding & 0x70 {
        _ if is_indirect(encoding) => draft.slots(&[PERSONALITY, LSDA]),
        DATAREL => draft.got(),
        _ => draft,
    };
    draft.eh_frame(vec![Record::Cie(cie), Record::Fde(fde)])
}

/// One null pointer for each application, beside one that is not, and for indirect ones, which lead to no slot.
fn null(suite: &mut Suite) {
    let machine = Convention::X86_64;
    for encoding in [0x00, 0x03, 0x1b, 0x2b, 0x3b, 0x4b, ALIGNED, 0x80, 0x9b, 0xbb] {
        let cie =
            CieSpec { augmentation: b"zLR".to_vec(), lsda_encoding: encoding, ..machine.eh_frame_cie() };
        let base = if is_indirect(encoding) { GOT } else { TEXT };
        let with = FdeSpec { lsda: Some(Address(base + LSDA)), ..machine.function(0, TEXT + 0x10, 0x20) };
        let without = machine.function(0, TEXT + 0x40, 0x30);
        let about = format!("An LSDA and a null LSDA in encoding {encoding:#04x}.");
        let draft = Draft::new(&format!("lsda/null-{}", name(encoding)), &machine, &about);
        let bugs: &[&str] = if encoding == 0x1b { &["BOLT PR 145"] } else { &[] };
        let records = vec![Record::Cie(cie), Record::Fde(with), Record::Fde(without), Record::Terminator];
        suite.add(draft.clause(CLAUSE_NULL).catches(bugs).slots(&[LSDA]).eh_frame(records));
    }
}

/// Data areas above and below their functions, the latter for a signed format alone.
fn signed_funcrel(suite: &mut Suite) {
    let machine = Convention::X86_64;
    let cie = CieSpec { augmentation: b"zLR".to_vec(), lsda_encoding: 0x4b, ..machine.eh_frame_cie() };
    let above = FdeSpec { lsda: Some(Address(TEXT + 0x18)), ..machine.function(0, TEXT + 0x10, 0x20) };
    let below = FdeSpec { lsda: Some(Address(TEXT + 0x08)), ..machine.function(0, TEXT + 0x40, 0x30) };
    let about = "LSDA pointers in funcrel sdata4, above and below the start of their functions.";
    let records = vec![Record::Cie(cie), Record::Fde(above), Record::Fde(below), Record::Terminator];
    suite.add(Draft::new("augmentation/aug-lsda-funcrel", &machine, about).clause(CLAUSE).eh_frame(records));
}

/// LSDA encodings without a definition, which cost the pointer and nothing else: the augmentation length tells where
/// the instructions start.
fn undefined(suite: &mut Suite) {
    /// The byte of `L` in a CIE of version 1 with `zLR`, behind the id.
    const L: usize = 9;
    let machine = Convention::X86_64;
    for (name, encoding) in [("lsda/0d-undefined", 0x0d), ("lsda/6b-undefined", 0x6b)] {
        let about = format!("The undefined LSDA encoding {encoding:#04x}: locations and rows can be read.");
        let splice = Splice { at: L, remove: 1, insert: vec![encoding] };
        let cie = CieSpec {
            augmentation: b"zLR".to_vec(),
            lsda_encoding: 0x0b,
            splice: Some(splice),
            ..machine.eh_frame_cie()
        };
        let fde = FdeSpec { lsda: Some(Address(TEXT + LSDA)), ..machine.function(0, TEXT + 0x10, 0x20) };
        let changed = |mut expected: Expected| {
            if let EntryKind::Cie(cie) = &mut expected.entry.kind {
                cie.lsda_encoding = Some(encoding);
                cie.augmentation_data[0] = encoding;
            }
            expected.faults(&[FaultKind::PointerEncoding])
        };
        let records = vec![Record::Cie(cie), Record::Fde(fde), Record::Terminator];
        suite.add(
            Draft::new(name, &machine, &about)
                .clause(CLAUSE)
                .eh_frame(records)
                .entry(0, changed)
                .entry(1, |fde| fde.faults(&[FaultKind::PointerEncoding]).free(&["lsda"])),
        );
    }
}

/// DW_EH_PE_omit for the data area and for the routine.
fn omitted(suite: &mut Suite) {
    let machine = Convention::X86_64;
    for (name, augmentation) in
        [("augmentation/aug-lsda-omit", "zLR"), ("augmentation/aug-zPLR-omit", "zPLR")]
    {
        let about = format!("{augmentation} whose pointers other than the location are all omitted.");
        let cie = CieSpec {
            augmentation: augmentation.into(),
            lsda_encoding: OMIT,
            personality: (OMIT, None),
            ..machine.eh_frame_cie()
        };
        let records =
            vec![Record::Cie(cie), Record::Fde(machine.function(0, TEXT + 0x10, 0x20)), Record::Terminator];
        let clause = "LSB Core, DWARF exception header encoding: DW_EH_PE_omit, no value is present";
        suite.add(Draft::new(name, &machine, &about).clause(clause).eh_frame(records));
    }
}
