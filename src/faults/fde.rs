//! FDEs: what stands in front of their instructions.

use cfidiff_cfi::PointerField;
use cfidiff_model::SectionKind;

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "version-in-fde",
        does: "reads a version byte in an FDE",
        should: "read the initial location behind the CIE pointer",
        clause: "DWARF 5 section 6.4.1: an FDE has no version",
        models: &["misreading: a version byte eats the first byte of the address"],
        plant: |faulty| faulty.fde_header_padding = Some(|_, _| 1),
    },
    PlantedFault {
        name: "augmentation-string-in-fde",
        does: "reads a version and an augmentation string in an FDE",
        should: "read the initial location behind the CIE pointer",
        clause: "DWARF 5 section 6.4.1: an FDE has neither",
        models: &["misreading: records of two shapes"],
        plant: |faulty| faulty.fde_header_padding = Some(|_, _| 2),
    },
    PlantedFault {
        name: "segment-selector-not-read",
        does: "reads the initial location in the place of the segment selector",
        should: "read the selector first",
        clause: "DWARF 5 section 6.4.1: segment_selector",
        models: &["gimli PR 720"],
        plant: |faulty| faulty.segment_selector_size = Some(|_, _| 0),
    },
    PlantedFault {
        name: "fde-encoding-assumed",
        does: "takes pcrel sdata4 for the encoding of every FDE in .eh_frame",
        should: "take the CIE's R",
        clause: "LSB exception frames: augmentation R",
        models: &["julia PR 15010"],
        plant: |faulty| {
            faulty.initial_location_encoding = Some(|inner, kind, from_cie| match kind {
                SectionKind::EhFrame => 0x1b,
                _ => inner.initial_location_encoding(kind, from_cie),
            })
        },
    },
    PlantedFault {
        name: "fde-encoding-ignored",
        does: "reads initial locations as plain addresses, whatever the CIE's R says",
        should: "take the CIE's R",
        clause: "LSB exception frames: augmentation R",
        models: &["misreading: two encoded values"],
        plant: |faulty| faulty.initial_location_encoding = Some(|_, _, _| 0),
    },
    PlantedFault {
        name: "range-with-base",
        does: "adds the base of the initial location to the address range as well",
        should: "take the range for a plain length",
        clause: "LSB exception frames: the range has the format alone",
        models: &["misreading: pcrel applied to the range"],
        plant: |faulty| faulty.address_range_encoding = Some(|_, encoding| encoding),
    },
    PlantedFault {
        name: "range-as-address",
        does: "reads the address range as a plain address-sized number",
        should: "read it in the format of the CIE's R",
        clause: "LSB exception frames: the range has the format of the location",
        models: &["misreading: a length"],
        plant: |faulty| faulty.address_range_encoding = Some(|_, _| 0),
    },
    PlantedFault {
        name: "range-signed",
        does: "sign-extends the address range",
        should: "take it for a size, which has no sign",
        clause: "DWARF 5 section 6.4.1: address_range is a number of bytes",
        models: &["gimli, LLVM and libdwarf, which sign-extend"],
        plant: |faulty| faulty.address_range_is_signed = Some(|_| true),
    },
    PlantedFault {
        name: "range-as-end",
        does: "takes the address range for the address of the FDE's end",
        should: "take it for a number of bytes",
        clause: "DWARF 5 section 6.4.1: address_range",
        models: &["llvm PR 68813"],
        plant: |faulty| faulty.address_range = Some(|_, start, value| value.wrapping_sub(start)),
    },
    PlantedFault {
        name: "range-in-code-units",
        does: "multiplies the address range by four",
        should: "take it in bytes",
        clause: "DWARF 5 section 6.4.1: address_range is a number of bytes",
        models: &["misreading: a code alignment factor"],
        plant: |faulty| faulty.address_range = Some(|_, _, value| value.wrapping_mul(4)),
    },
    PlantedFault {
        name: "overflowing-range-accepted",
        does: "takes an FDE whose range ends behind the address space for a good one",
        should: "report the range: its end has wrapped around",
        clause: "DWARF 5 section 6.4.1: address_range",
        models: &["gimli PR 730"],
        plant: |faulty| faulty.overflowing_range_is_refused = Some(|_| false),
    },
    PlantedFault {
        name: "fde-augmentation-length-not-read",
        does: "starts an FDE's instructions behind its address range",
        should: "read the augmentation length and its data first",
        clause: "LSB exception frames: augmentation length of an FDE",
        models: &["misreading: two encoded values and then the instructions"],
        plant: |faulty| faulty.fde_has_augmentation_data = Some(|_, _, _| false),
    },
    PlantedFault {
        name: "fde-augmentation-length-without-z",
        does: "reads an augmentation length in every FDE",
        should: "read one where the CIE's augmentation starts with z",
        clause: "LSB exception frames: augmentation length of an FDE",
        models: &["gimli PR 887", "java-profiler PR 430"],
        plant: |faulty| faulty.fde_has_augmentation_data = Some(|_, _, _| true),
    },
    PlantedFault {
        name: "lsda-not-skipped",
        does: "takes the LSDA pointer for an FDE's first instructions",
        should: "start the instructions behind the augmentation data",
        clause: "LSB exception frames: augmentation data of an FDE",
        models: &["java-profiler PR 571"],
        plant: |faulty| faulty.fde_augmentation_end = Some(|_, start, _, _| start),
    },
    PlantedFault {
        name: "fde-augmentation-length-ignored",
        does: "starts an FDE's instructions behind the data that it knows of",
        should: "start them where the augmentation length says",
        clause: "LSB exception frames: augmentation length of an FDE",
        models: &["binutils PR 24898"],
        plant: |faulty| faulty.fde_augmentation_end = Some(|_, _, used_end, _| used_end),
    },
    PlantedFault {
        name: "null-lsda-with-base",
        does: "adds the base to an LSDA pointer of zero",
        should: "take zero for no LSDA",
        clause: "C++ ABI unwinders: a null LSDA is none, whatever its encoding",
        models: &["BOLT PR 145"],
        plant: |faulty| {
            faulty.zero_is_null =
                Some(|inner, field| field != PointerField::Lsda && inner.zero_is_null(field))
        },
    },
    PlantedFault {
        name: "null-personality-with-base",
        does: "adds the base to a personality pointer of zero",
        should: "take zero for no personality routine",
        clause: "C++ ABI unwinders: a null personality is none, whatever its encoding",
        models: &["BOLT PR 145"],
        plant: |faulty| {
            faulty.zero_is_null =
                Some(|inner, field| field != PointerField::Personality && inner.zero_is_null(field))
        },
    },
    PlantedFault {
        name: "null-location-is-none",
        does: "takes a written initial location of zero for none",
        should: "add the base to it",
        clause: "LSB exception frames: the encoding of the CIE's R",
        models: &["BOLT PR 145"],
        plant: |faulty| {
            faulty.zero_is_null =
                Some(|inner, field| field == PointerField::InitialLocation || inner.zero_is_null(field))
        },
    },
];
