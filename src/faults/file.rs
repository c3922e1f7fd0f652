//! What a reader takes from the file: byte order, the size of an address.

use cfidiff_model::{Endianness, SectionKind};

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "little-endian-always",
        does: "reads the numbers of a big-endian file least significant byte first",
        should: "take the file's byte order",
        clause: "gABI, ELF identification: EI_DATA",
        models: &["gimli PR 355"],
        plant: |faulty| faulty.endianness = Some(|_, _, _| Endianness::Little),
    },
    PlantedFault {
        name: "header-little-endian",
        does: "reads the numbers of .eh_frame_hdr least significant byte first, whatever the file's order is",
        should: "take the file's byte order there too",
        clause: "gABI, ELF identification: EI_DATA",
        models: &["elfutils commit b4b2de9f"],
        plant: |faulty| {
            faulty.endianness = Some(|inner, kind, file| match kind {
                SectionKind::EhFrameHdr => Endianness::Little,
                _ => inner.endianness(kind, file),
            })
        },
    },
    PlantedFault {
        name: "addresses-of-four-bytes",
        does: "takes addresses of four bytes in a 64-bit file",
        should: "take the size of an address from the file's class",
        clause: "gABI, ELF identification: EI_CLASS",
        models: &["gimli issue 354"],
        plant: |faulty| faulty.address_size = Some(|_, _| 4),
    },
    PlantedFault {
        name: "addresses-of-the-host",
        does: "takes addresses of eight bytes, those of the machine it runs on, in a 32-bit file",
        should: "take the size of an address from the file's class",
        clause: "gABI, ELF identification: EI_CLASS",
        models: &["gimli PR 355", "gimli issue 102"],
        plant: |faulty| faulty.address_size = Some(|_, _| 8),
    },
    PlantedFault {
        name: "sum-not-wrapped",
        does: "keeps the carry of a 32-bit sum of base and value",
        should: "cut the sum to the size of an address",
        clause: "LSB, DWARF exception header encoding: sums are addresses of the target",
        models: &["binutils before 2.26, pcrel sums of ELF32 files", "libunwind commit e3274c6c"],
        plant: |faulty| faulty.wrap = Some(|_, value, _| value),
    },
    PlantedFault {
        name: "sum-wrapped-at-32-bits",
        does: "cuts addresses to 32 bits in a 64-bit file",
        should: "cut them to the size of an address",
        clause: "LSB, DWARF exception header encoding: sums are addresses of the target",
        models: &["breakpad commit f32b83eb"],
        plant: |faulty| faulty.wrap = Some(|_, value, _| value & 0xffff_ffff),
    },
    PlantedFault {
        name: "cie-address-size-ignored",
        does: "takes the file's address size where a version 4 CIE tells another",
        should: "take what the CIE tells for its FDEs",
        clause: "DWARF 5 section 6.4.1: address_size",
        models: &["breakpad commit f32b83eb"],
        plant: |faulty| faulty.cie_address_size = Some(|_, _, file| file),
    },
];
