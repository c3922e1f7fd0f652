//! CIEs: version, augmentation string and data, factors.

use cfidiff_cfi::AugmentationLetter;
use cfidiff_model::SectionKind;

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "version-in-augmentation",
        does: "counts the version byte into the augmentation string",
        should: "start the string behind it",
        clause: "DWARF 5 section 6.4.1: version, augmentation",
        models: &["delve PR 1679"],
        plant: |faulty| faulty.augmentation_start = Some(|_, version_field| version_field),
    },
    PlantedFault {
        name: "no-augmentation-in-debug-frame",
        does: "takes the factors of a CIE in .debug_frame to stand right behind its version",
        should: "read the augmentation string first, empty as it may be",
        clause: "DWARF 5 section 6.4.1: augmentation",
        models: &["misreading: .debug_frame has no room for an augmentation"],
        plant: |faulty| {
            faulty.cie_has_augmentation =
                Some(|inner, kind| kind != SectionKind::DebugFrame && inner.cie_has_augmentation(kind))
        },
    },
    PlantedFault {
        name: "version-3-refused",
        does: "refuses CIEs of version 3",
        should: "read them",
        clause: "DWARF 5 section 7.24 and LSB: CIE version",
        models: &["misreading: a version byte that is sane"],
        plant: |faulty| {
            faulty.cie_version_is_known =
                Some(|inner, kind, version| version != 3 && inner.cie_version_is_known(kind, version))
        },
    },
    PlantedFault {
        name: "version-4-refused",
        does: "refuses CIEs of version 4",
        should: "read them",
        clause: "DWARF 5 section 7.24: CIE version",
        models: &["breakpad commit 1f574b52"],
        plant: |faulty| {
            faulty.cie_version_is_known =
                Some(|inner, kind, version| version != 4 && inner.cie_version_is_known(kind, version))
        },
    },
    PlantedFault {
        name: "any-version-read",
        does: "reads a CIE of an unknown version as if it were known",
        should: "report the version",
        clause: "DWARF 5 section 7.24: CIE version",
        models: &["misreading: version 0 does not exist"],
        plant: |faulty| faulty.cie_version_is_known = Some(|_, _, _| true),
    },
    PlantedFault {
        name: "version-4-sizes-not-read",
        does: "takes the address size and the segment selector size of a version 4 CIE for its factors",
        should: "read the two bytes first",
        clause: "DWARF 5 section 6.4.1: address_size, segment_selector_size",
        models: &["pyelftools issue 562", "binutils ChangeLog 2010-04-05"],
        plant: |faulty| faulty.cie_has_address_size = Some(|_, _, _| false),
    },
    PlantedFault {
        name: "version-4-sizes-not-read-in-eh-frame",
        does: "does not read the two sizes of a version 4 CIE in .eh_frame",
        should: "read them there too",
        clause: "DWARF 5 section 6.4.1: address_size, segment_selector_size",
        models: &["LIEF issue 488"],
        plant: |faulty| {
            faulty.cie_has_address_size = Some(|inner, kind, version| {
                kind != SectionKind::EhFrame && inner.cie_has_address_size(kind, version)
            })
        },
    },
    PlantedFault {
        name: "sizes-in-version-3",
        does: "reads an address size and a segment selector size from version 3 on",
        should: "read them from version 4 on",
        clause: "DWARF 5 section 6.4.1: address_size",
        models: &["java-profiler PR 786"],
        plant: |faulty| faulty.cie_has_address_size = Some(|_, _, version| version >= 3),
    },
    PlantedFault {
        name: "data-factor-unsigned",
        does: "reads the data alignment factor as an unsigned number",
        should: "read it as a signed LEB128 number",
        clause: "DWARF 5 section 6.4.1: data_alignment_factor",
        models: &["misreading: the factor's sign"],
        plant: |faulty| faulty.data_alignment_factor_is_signed = Some(|_| false),
    },
    PlantedFault {
        name: "return-address-uleb-in-version-1",
        does: "reads the return address register of version 1 as a LEB128 number",
        should: "read one byte",
        clause: "DWARF 2 section 6.4.1: return_address_register is a ubyte",
        models: &["gimli PR 493"],
        plant: |faulty| faulty.return_address_register_is_byte = Some(|_, _, _| false),
    },
    PlantedFault {
        name: "return-address-byte-in-version-3",
        does: "reads the return address register as one byte in version 3 and 4",
        should: "read an unsigned LEB128 number",
        clause: "DWARF 5 section 6.4.1: return_address_register",
        models: &["elfutils commit 4a87dfa1"],
        plant: |faulty| faulty.return_address_register_is_byte = Some(|_, _, _| true),
    },
    PlantedFault {
        name: "return-address-byte-in-version-4",
        does: "reads the return address register of version 4 as one byte",
        should: "read an unsigned LEB128 number",
        clause: "DWARF 5 section 6.4.1: return_address_register",
        models: &["elfutils commit 4a87dfa1"],
        plant: |faulty| {
            faulty.return_address_register_is_byte = Some(|inner, kind, version| {
                version == 4 || inner.return_address_register_is_byte(kind, version)
            })
        },
    },
    PlantedFault {
        name: "instruction-length-in-debug-frame",
        does: "reads a byte of a CIE in .debug_frame as the length of its instructions",
        should: "take all bytes up to the record's end for instructions",
        clause: "DWARF 5 section 6.4.1: initial_instructions",
        models: &["misreading: an initial instruction length byte"],
        plant: |faulty| {
            faulty.cie_instructions_start = Some(|inner, kind, end| {
                inner.cie_instructions_start(kind, end) + usize::from(kind == SectionKind::DebugFrame)
            })
        },
    },
    PlantedFault {
        name: "cie-augmentation-data-not-skipped",
        does: "takes the augmentation data of a CIE for its first instructions",
        should: "start the instructions behind them",
        clause: "LSB exception frames: augmentation length",
        models: &["misreading: 1b 0c 07 08"],
        plant: |faulty| faulty.cie_augmentation_end = Some(|_, start, _, _| start),
    },
    PlantedFault {
        name: "cie-augmentation-length-ignored",
        does: "starts a CIE's instructions behind the data that it knows of",
        should: "start them where the augmentation length says",
        clause: "LSB exception frames: augmentation length",
        models: &["delve PR 3032"],
        plant: |faulty| faulty.cie_augmentation_end = Some(|_, _, used_end, _| used_end),
    },
    PlantedFault {
        name: "augmentation-ignored-in-debug-frame",
        does: "takes a CIE in .debug_frame to have no augmentation data",
        should: "read the data of z there too",
        clause: "LSB exception frames: augmentation string; the assembler writes it in both sections",
        models: &["misreading: augmentation data belong to .eh_frame"],
        plant: |faulty| {
            faulty.has_augmentation_data = Some(|inner, kind, augmentation| {
                kind != SectionKind::DebugFrame && inner.has_augmentation_data(kind, augmentation)
            })
        },
    },
    PlantedFault {
        name: "eh-pointer-not-read",
        does: "does not read the pointer that augmentation eh announces",
        should: "pass over it",
        clause: "GCC 2, augmentation eh: the address of exception data follows",
        models: &["java-profiler PR 786"],
        plant: |faulty| faulty.has_eh_data = Some(|_, _| false),
    },
    PlantedFault {
        name: "plain-s-refused",
        does: "refuses a CIE with the augmentation S and no z",
        should: "read it: S has no data",
        clause: "GNU assembler, .cfi_signal_frame in .debug_frame",
        models: &["gimli PR 438"],
        plant: |faulty| {
            faulty.plain_augmentation_is_known = Some(|inner, augmentation| {
                augmentation != b"S" && inner.plain_augmentation_is_known(augmentation)
            })
        },
    },
    PlantedFault {
        name: "armcc-refused",
        does: "refuses a CIE with ARM's augmentation armcc+",
        should: "read it: nothing follows from it",
        clause: "Arm Compiler: armcc+ adds no fields",
        models: &["pyelftools PR 602"],
        plant: |faulty| {
            faulty.plain_augmentation_is_known = Some(|inner, augmentation| {
                augmentation != b"armcc+" && inner.plain_augmentation_is_known(augmentation)
            })
        },
    },
    PlantedFault {
        name: "any-augmentation-read",
        does: "reads a CIE with an augmentation string that it does not know",
        should: "report the string: nothing behind it can be found",
        clause: "DWARF 5 section 6.4.1: augmentation",
        models: &["misreading: a version byte that is sane"],
        plant: |faulty| faulty.plain_augmentation_is_known = Some(|_, _| true),
    },
    PlantedFault {
        name: "s-ignored",
        does: "passes over the letter S",
        should: "mark the frames as signal frames",
        clause: "GCC and the run-time unwinder: augmentation S",
        models: &["misreading: who marks signal frames"],
        plant: |faulty| {
            faulty.augmentation_letter = Some(|inner, letter| match letter {
                b'S' => AugmentationLetter::WithoutMeaning,
                _ => inner.augmentation_letter(letter),
            })
        },
    },
    PlantedFault {
        name: "b-unknown",
        does: "does not know the letter B",
        should: "mark the return addresses as signed with the B key",
        clause: "AArch64 DWARF supplement: augmentation B",
        models: &["bloaty issue 450"],
        plant: |faulty| {
            faulty.augmentation_letter = Some(|inner, letter| match letter {
                b'B' => AugmentationLetter::Unknown,
                _ => inner.augmentation_letter(letter),
            })
        },
    },
    PlantedFault {
        name: "g-unknown",
        does: "does not know the letter G",
        should: "mark the stack as tagged",
        clause: "AArch64 memory tagging: augmentation G",
        models: &["llvm-dwarfdump before 15"],
        plant: |faulty| {
            faulty.augmentation_letter = Some(|inner, letter| match letter {
                b'G' => AugmentationLetter::Unknown,
                _ => inner.augmentation_letter(letter),
            })
        },
    },
    PlantedFault {
        name: "personality-not-read",
        does: "passes over the letter P without its encoding and pointer",
        should: "read both: what follows stands behind them",
        clause: "LSB exception frames: augmentation P",
        models: &["delve PR 3032"],
        plant: |faulty| {
            faulty.augmentation_letter = Some(|inner, letter| match letter {
                b'P' => AugmentationLetter::WithoutMeaning,
                _ => inner.augmentation_letter(letter),
            })
        },
    },
    PlantedFault {
        name: "lsda-encoding-not-read",
        does: "passes over the letter L without its encoding",
        should: "read it: FDEs have an LSDA pointer by it",
        clause: "LSB exception frames: augmentation L",
        models: &["misreading: two encoded values and then the instructions"],
        plant: |faulty| {
            faulty.augmentation_letter = Some(|inner, letter| match letter {
                b'L' => AugmentationLetter::WithoutMeaning,
                _ => inner.augmentation_letter(letter),
            })
        },
    },
    PlantedFault {
        name: "l-and-r-swapped",
        does: "takes the letter L for the encoding of locations and R for that of LSDA pointers",
        should: "take R for locations and L for LSDA pointers",
        clause: "LSB exception frames: augmentation string",
        models: &["misreading: the R byte"],
        plant: |faulty| {
            faulty.augmentation_letter = Some(|inner, letter| match letter {
                b'L' => AugmentationLetter::FdeEncoding,
                b'R' => AugmentationLetter::LsdaEncoding,
                _ => inner.augmentation_letter(letter),
            })
        },
    },
];
