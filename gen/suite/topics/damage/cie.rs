//! CIEs that cannot be read from some field on, and CIEs whose encodings or instructions have no meaning.

use cfidiff_model::{Address, FaultKind, Instruction};

use super::{
    BROKEN, LARGEST, MACHINE, TOO_LARGE, TOO_LOW, WIDE_ONE, case, debug_frame, eh_frame, function, replace,
    with_cie,
};
use crate::suite::draft::{Draft, TEXT};
use crate::suite::rows::{cfa, initial_row};
use crate::suite::{Damage, Expected, Suite};
use crate::{CieSpec, FdeSpec, Padding, Program, Record, Splice};

const HEAD: &str =
    "DWARF 5 section 6.4.1: the fields of a CIE in order; LSB Core, exception frames: the same";
const NUMBER: &str = "DWARF 5 section 6.4.1: the fields of a CIE; a number that does not fit must not be cut";
const AUGMENTATION: &str = "DWARF 5 section 6.4.1: behind an unexpected augmentation only the fields before it can be \
                            read; LSB Core, augmentation string format";
const SIZES: &str = "DWARF 5 section 6.4.1: address_size and segment_selector_size";
const DATA: &str =
    "LSB Core, augmentation string format: z announces a length that the data of all letters fits";
const ENCODING: &str = "LSB Core, DWARF exception header encoding: tables of values and applications";
const PROGRAM: &str = "DWARF 5 section 6.4.1: initial_instructions; 6.4.2: call frame instructions";

// Where the fields of a version 1 CIE with `zR` are, behind its id; the version is at 0.
const STRING: usize = 1;
const CODE_FACTOR: usize = 4;
const DATA_FACTOR: usize = 5;
const RETURN_REGISTER: usize = 6;
const DATA_LENGTH: usize = 7;
const FDE_ENCODING: usize = 8;

pub(super) fn add(suite: &mut Suite) {
    add_heads(suite);
    add_sizes(suite);
    add_augmentation_data(suite);
    add_personalities(suite);
    add_encodings(suite);
    add_programs(suite);
}

/// A CIE that can be read up to a field, and an FDE of it.
fn add_unreadable(suite: &mut Suite, damage: Damage, clause: &str, cie: CieSpec, field: &str) {
    let between = vec![Record::Cie(cie), function(&MACHINE, BROKEN, 0x40)];
    let draft = eh_frame(case(damage, &MACHINE, clause), &MACHINE, between);
    suite.add(
        draft
            .entry(BROKEN, |cie| cie.faults(&[damage.fault()]).free_from(field))
            .entry(BROKEN + 1, Expected::of_unreadable_cie),
    );
}

fn usual(splice: Option<Splice>) -> CieSpec {
    CieSpec { splice, ..MACHINE.eh_frame_cie() }
}

/// The usual CIE in another version.
fn of_version(version: u8, splice: Option<Splice>) -> CieSpec {
    CieSpec { version, ..usual(splice) }
}

fn cut(at: usize) -> Option<Splice> {
    Some(Splice::cut(at))
}

/// The record ends behind a byte that says that more follow.
fn cut_inside_number(at: usize) -> Option<Splice> {
    Some(Splice { at, remove: usize::MAX, insert: vec![0x80] })
}

/// An augmentation string in place of `zR`.
fn string(augmentation: &[u8]) -> CieSpec {
    usual(Some(Splice { at: STRING, remove: 2, insert: augmentation.to_vec() }))
}

fn add_heads(suite: &mut Suite) {
    add_unreadable(suite, Damage::CieEmpty, HEAD, usual(cut(0)), "version");
    let damage = Damage::CieUnreadable;
    let short = CieSpec { splice: cut(1), ..MACHINE.debug_frame_cie() };
    let between = vec![function(&MACHINE, BROKEN + 1, 0x40), Record::Cie(short)];
    let draft = debug_frame(case(damage, &MACHINE, HEAD), &MACHINE, between);
    suite.add(
        draft
            .entry(BROKEN, Expected::of_unreadable_cie)
            .entry(BROKEN + 1, |cie| cie.faults(&[FaultKind::AugmentationString]).free_from("augmentation")),
    );
    for (damage, version) in [
        (Damage::CieVersion0, 0),
        (Damage::CieVersion2, 2),
        (Damage::CieVersion5, 5),
        (Damage::CieVersion255, 255),
    ] {
        add_unreadable(suite, damage, HEAD, of_version(version, None), "augmentation");
    }
    let unterminated = usual(cut(STRING + 2));
    add_unreadable(suite, Damage::AugmentationUnterminated, HEAD, unterminated, "augmentation");
    add_unreadable(suite, Damage::AugmentationMissing, HEAD, usual(cut(STRING)), "augmentation");
    let fields: [(Damage, &str, CieSpec, &str); 14] = [
        (Damage::AugmentationUnknown, AUGMENTATION, string(b"foo"), "augmentation"),
        (Damage::AugmentationWithoutZ, AUGMENTATION, string(b"R"), "augmentation"),
        (Damage::AugmentationLetterFirst, AUGMENTATION, string(b"zXR"), "augmentation"),
        (Damage::CodeFactorMissing, HEAD, usual(cut(CODE_FACTOR)), "code_alignment_factor"),
        (Damage::CodeFactorTruncated, HEAD, usual(cut_inside_number(CODE_FACTOR)), "code_alignment_factor"),
        (
            Damage::CodeFactorOverflow,
            NUMBER,
            usual(replace(CODE_FACTOR, &TOO_LARGE)),
            "code_alignment_factor",
        ),
        (Damage::DataFactorTruncated, HEAD, usual(cut_inside_number(DATA_FACTOR)), "data_alignment_factor"),
        (Damage::DataFactorOverflow, NUMBER, usual(replace(DATA_FACTOR, &TOO_LOW)), "data_alignment_factor"),
        (Damage::ReturnRegisterMissing, HEAD, usual(cut(RETURN_REGISTER)), "return_address_register"),
        (
            Damage::ReturnRegisterTruncated,
            HEAD,
            of_version(3, cut_inside_number(RETURN_REGISTER)),
            "return_address_register",
        ),
        (
            Damage::ReturnRegisterOverflow,
            NUMBER,
            of_version(3, replace(RETURN_REGISTER, &TOO_LARGE)),
            "return_address_register",
        ),
        (Damage::CieDataLengthTruncated, DATA, usual(cut_inside_number(DATA_LENGTH)), "augmentation_data"),
        (Damage::CieDataLengthOverflow, NUMBER, usual(replace(DATA_LENGTH, &TOO_LARGE)), "augmentation_data"),
        (
            Damage::EhDataTruncated,
            "libgcc's unwinder: behind the string \"eh\" stands a pointer",
            CieSpec { augmentation: b"eh".to_vec(), splice: cut(CODE_FACTOR + 4), ..MACHINE.eh_frame_cie() },
            "code_alignment_factor",
        ),
    ];
    for (damage, clause, cie, field) in fields {
        add_unreadable(suite, damage, clause, cie, field);
    }
}

/// Version 4: the address size is behind the string's NUL, the segment selector size behind that.
fn add_sizes(suite: &mut Suite) {
    const ADDRESS_SIZE: usize = CODE_FACTOR;
    const SELECTOR_SIZE: usize = CODE_FACTOR + 1;
    for (damage, splice) in [
        (Damage::AddressSizeTruncated, cut(ADDRESS_SIZE)),
        (Damage::AddressSize0, replace(ADDRESS_SIZE, &[0])),
        (Damage::AddressSize3, replace(ADDRESS_SIZE, &[3])),
        (Damage::AddressSize16, replace(ADDRESS_SIZE, &[16])),
        (Damage::AddressSize255, replace(ADDRESS_SIZE, &[255])),
        (Damage::SegmentSizeTruncated, cut(SELECTOR_SIZE)),
        (Damage::SegmentSize3, replace(SELECTOR_SIZE, &[3])),
    ] {
        add_unreadable(suite, damage, SIZES, of_version(4, splice), "address_size");
    }
}

fn add_augmentation_data(suite: &mut Suite) {
    let with_lsda = CieSpec { augmentation: b"zLR".to_vec(), lsda_encoding: 0x1b, ..MACHINE.eh_frame_cie() };
    for (damage, cie) in [
        (Damage::CieDataLengthPastRecord, usual(replace(DATA_LENGTH, &[0x7f]))),
        (Damage::CieDataLengthWide, usual(replace(DATA_LENGTH, &WIDE_ONE))),
        (Damage::CieDataLengthLargest, usual(replace(DATA_LENGTH, &LARGEST))),
        (Damage::FdeEncodingMissing, usual(replace(DATA_LENGTH, &[0]))),
        // The string has a letter more.
        (Damage::LsdaEncodingMissing, CieSpec { splice: replace(DATA_LENGTH + 1, &[1]), ..with_lsda }),
    ] {
        add_unreadable(suite, damage, DATA, cie, "augmentation_data");
    }
}

/// `zPR`: the encoding of P is the first byte of the augmentation data.
fn add_personalities(suite: &mut Suite) {
    const LENGTH: usize = DATA_LENGTH + 1;
    const ENCODING_BYTE: usize = LENGTH + 1;
    let cie = |encoding, splice| CieSpec {
        augmentation: b"zPR".to_vec(),
        personality: (encoding, Some(Address(0x5000))),
        splice,
        ..MACHINE.eh_frame_cie()
    };
    add_unreadable(
        suite,
        Damage::PersonalityTruncated,
        DATA,
        cie(0, replace(LENGTH, &[4])),
        "augmentation_data",
    );
    // The routine's three bytes become ten, which the length counts in.
    let overflow = [&[1 + 10 + 1, 0x01][..], &TOO_LARGE].concat();
    let overflow = Some(Splice { at: LENGTH, remove: 1 + 1 + 3, insert: overflow });
    add_unreadable(suite, Damage::PersonalityOverflow, NUMBER, cie(0x01, overflow), "augmentation_data");
    let undefined = cie(0x03, replace(ENCODING_BYTE, &[0x0d]));
    add_unreadable(suite, Damage::PersonalityEncoding, ENCODING, undefined, "augmentation_data");

    for (damage, encoding) in [(Damage::PersonalityBase, 0x33), (Damage::PersonalityFuncrel, 0x43)] {
        let cie = cie(0x03, replace(ENCODING_BYTE, &[encoding]));
        let between = vec![Record::Cie(cie), function(&MACHINE, BROKEN, 0x40)];
        let draft = eh_frame(case(damage, &MACHINE, ENCODING), &MACHINE, between);
        suite.add(draft.entry(BROKEN, |cie| {
            let cie = with_cie(cie, |cie| {
                cie.augmentation_data[0] = encoding;
                cie.personality = Some((encoding, None));
            });
            cie.faults(&[damage.fault()]).free(&["personality"])
        }));
    }
}

/// Encodings that no pointer can have. The CIE itself can be read all the same.
fn add_encodings(suite: &mut Suite) {
    for (damage, encoding) in [
        (Damage::FdeEncodingFormat, 0x0d),
        (Damage::FdeEncodingApplication, 0x6b),
        (Damage::FdeEncodingOmit, 0xff),
    ] {
        let between =
            vec![Record::Cie(usual(replace(FDE_ENCODING, &[encoding]))), function(&MACHINE, BROKEN, 0x40)];
        let draft = eh_frame(case(damage, &MACHINE, ENCODING), &MACHINE, between);
        let draft = draft.entry(BROKEN, |cie| {
            let cie = with_cie(cie, |cie| {
                cie.augmentation_data[0] = encoding;
                cie.fde_encoding = Some(encoding);
            });
            cie.faults(&[damage.fault()])
        });
        suite.add(draft.entry(BROKEN + 1, |fde| fde.faults(&[damage.fault()]).free_from("initial_location")));
    }
    let damage = Damage::LsdaEncoding;
    let cie = CieSpec {
        augmentation: b"zLR".to_vec(),
        lsda_encoding: 0x1b,
        splice: replace(FDE_ENCODING + 1, &[0x6b]),
        ..MACHINE.eh_frame_cie()
    };
    let fde = FdeSpec { lsda: Some(Address(0x5000)), ..MACHINE.function(BROKEN, TEXT + 0x40, 0x20) };
    let draft =
        eh_frame(case(damage, &MACHINE, ENCODING), &MACHINE, vec![Record::Cie(cie), Record::Fde(fde)]);
    let draft = draft.entry(BROKEN, |cie| {
        let cie = with_cie(cie, |cie| {
            cie.augmentation_data[0] = 0x6b;
            cie.lsda_encoding = Some(0x6b);
        });
        cie.faults(&[damage.fault()])
    });
    suite.add(draft.entry(BROKEN + 1, |fde| fde.faults(&[damage.fault()]).free(&["lsda"])));
}

fn add_programs(suite: &mut Suite) {
    let unknown = Program::new().def_cfa(7, 8).raw(&[0x17, 1], &[Instruction::Unknown { opcode: 0x17 }]);
    let truncated = Program::new().def_cfa(7, 8).raw(&[0x0c, 7], &[]);
    for (damage, program) in [(Damage::CieOpcode, unknown), (Damage::CieOperandTruncated, truncated)] {
        let cie = CieSpec { program, padding: Padding::Nops(0), ..MACHINE.debug_frame_cie() };
        let between = vec![Record::Cie(cie), function(&MACHINE, BROKEN, 0x40)];
        let draft = debug_frame(case(damage, &MACHINE, PROGRAM), &MACHINE, between);
        let draft = draft.entry(BROKEN, |cie| cie.faults(&[damage.fault()]).free(&["rows"]));
        // The FDE's own fields and instructions can be read, its rows cannot be told.
        suite.add(draft.entry(BROKEN + 1, |fde| fde.faults(&[FaultKind::CieUnreadable]).free(&["rows"])));
    }
    let restore = MACHINE.entry_program().restore(3);
    let advance = MACHINE.entry_program().advance_loc(1);
    for (damage, program) in [(Damage::CieRestore, restore), (Damage::CieAdvance, advance)] {
        let cie = CieSpec { program, ..MACHINE.debug_frame_cie() };
        let between = vec![Record::Cie(cie), function(&MACHINE, BROKEN, 0x40)];
        let draft = debug_frame(case(damage, &MACHINE, PROGRAM), &MACHINE, between);
        suite.add(or_fde_refused(draft.entry(BROKEN, |cie| cie.faults(&[damage.fault()]))));
    }
    let damage = Damage::CieOperation;
    // Behind the operation without a definition nothing of the expression can be read.
    let program = Program::new().raw(&[0x0f, 2, 0x04, 0x77], &[]).def_cfa(7, 8).offset(16, 1);
    let rows = initial_row(cfa(7, 8), &MACHINE.entry_rules());
    let cie = CieSpec { program, rows, ..MACHINE.debug_frame_cie() };
    let between = vec![Record::Cie(cie), function(&MACHINE, BROKEN, 0x40)];
    let draft = debug_frame(case(damage, &MACHINE, PROGRAM), &MACHINE, between);
    let draft = draft.entry(BROKEN, |cie| cie.faults(&[damage.fault()]).free(&["instructions"]));
    suite.add(or_fde_refused(draft));
}

/// An instruction of a CIE that says nothing of a row may cost its FDE, or not.
fn or_fde_refused(draft: Draft) -> Draft {
    let read = "the instructions that are sound give the FDE's first row";
    draft.or_refused_where(|index| index == BROKEN + 1, read, "the FDE starts from a CIE that is broken")
}
