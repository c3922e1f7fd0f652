//! Records: their lengths, their ids, and the way from an FDE to its CIE.

use cfidiff_cfi::InitialLength;
use cfidiff_model::{Format, SectionKind};

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "escape-as-length",
        does: "takes the escape 0xffffffff for a length",
        should: "read the length from the eight bytes that follow",
        clause: "DWARF 5 section 7.4: 32-bit and 64-bit formats",
        models: &["misreading: the 64-bit format needs 4 GiB"],
        plant: |faulty| {
            faulty.initial_length = Some(|inner, word| match word {
                0xffff_ffff => InitialLength::Dwarf32(word),
                _ => inner.initial_length(word),
            })
        },
    },
    PlantedFault {
        name: "reserved-length-accepted",
        does: "takes a reserved length such as 0xfffffff0 for a length",
        should: "report that the length is not known",
        clause: "DWARF 5 section 7.4: values from 0xfffffff0 on are reserved",
        models: &["DW201605-015"],
        plant: |faulty| {
            faulty.initial_length = Some(|inner, word| match word {
                0xffff_fff0..=0xffff_fffe => InitialLength::Dwarf32(word),
                _ => inner.initial_length(word),
            })
        },
    },
    PlantedFault {
        name: "reserved-length-as-escape",
        does: "takes every value from 0xfffffff0 on for the escape to the 64-bit format",
        should: "take 0xffffffff alone for it",
        clause: "DWARF 5 section 7.4: values from 0xfffffff0 on are reserved",
        models: &["llvm PR 158350"],
        plant: |faulty| {
            faulty.initial_length = Some(|inner, word| match word {
                0xffff_fff0.. => InitialLength::Dwarf64,
                _ => inner.initial_length(word),
            })
        },
    },
    PlantedFault {
        name: "length-counts-itself",
        does: "counts the four bytes of the length field into the record",
        should: "count the bytes behind the field",
        clause: "DWARF 5 section 6.4.1: length",
        models: &["misreading: a CIE of twenty bytes"],
        plant: |faulty| faulty.record_size = Some(|_, length| length.saturating_sub(4)),
    },
    PlantedFault {
        name: "length-rounded-up",
        does: "takes a record to end at a multiple of four bytes, whatever its length says",
        should: "take as many bytes as the length says",
        clause: "DWARF 5 section 6.4.1: length",
        models: &["misreading: nops pad every record"],
        plant: |faulty| faulty.record_size = Some(|_, length| length.saturating_add(3) & !3),
    },
    PlantedFault {
        name: "length-not-checked",
        does: "reads a record whose length reaches past the section, up to the section's end",
        should: "refuse the record",
        clause: "DWARF 5 section 6.4.1: length",
        models: &["binutils ChangeLog 2006-06-30"],
        plant: |faulty| faulty.length_past_section_is_refused = Some(|_| false),
    },
    PlantedFault {
        name: "terminator-in-the-middle-ends",
        does: "stops at a zero length in .eh_frame, as a run-time unwinder does, and lists no record behind it",
        should: "go on, since linkers leave terminators in the middle",
        clause: "LSB exception frames: a zero length; a lister shows the whole section",
        models: &["binutils ChangeLog 2006-05-15"],
        plant: |faulty| {
            faulty.walk_ends_at_terminator =
                Some(|inner, kind| kind == SectionKind::EhFrame || inner.walk_ends_at_terminator(kind))
        },
    },
    PlantedFault {
        name: "padding-ends-debug-frame",
        does: "stops at zero words between the records of .debug_frame",
        should: "pass over them as padding",
        clause: "DWARF 5 section 6.4.1: records follow each other; NASM pads with zero words",
        models: &["gimli issue 485", "gimli PR 486"],
        plant: |faulty| {
            faulty.walk_ends_at_terminator =
                Some(|inner, kind| kind == SectionKind::DebugFrame || inner.walk_ends_at_terminator(kind))
        },
    },
    PlantedFault {
        name: "terminator-not-known",
        does: "takes a zero length for a record that is too short",
        should: "take it for a terminator in .eh_frame, and for padding in .debug_frame",
        clause: "LSB exception frames: a zero length ends the section",
        models: &["elfutils commit 6dd08dc7", "delve commit a5b230b8"],
        plant: |faulty| faulty.is_terminator = Some(|_, _, _| false),
    },
    PlantedFault {
        name: "short-record-as-terminator",
        does: "takes a length below four for a terminator",
        should: "take a length of zero alone for it",
        clause: "LSB exception frames: a zero length ends the section",
        models: &["opentelemetry-ebpf-profiler PR 112"],
        plant: |faulty| faulty.is_terminator = Some(|_, _, length| length < 4),
    },
    PlantedFault {
        name: "wide-id-in-eh-frame",
        does: "takes an id of eight bytes in the 64-bit format of .eh_frame",
        should: "take four bytes there",
        clause: "LSB exception frames: CIE ID and CIE pointer have four bytes",
        models: &["binutils, 64-bit records of .eh_frame"],
        plant: |faulty| {
            faulty.id_width = Some(|inner, kind, format| match format {
                Format::Dwarf64 => 8,
                Format::Dwarf32 => inner.id_width(kind, format),
            })
        },
    },
    PlantedFault {
        name: "narrow-id-in-debug-frame",
        does: "takes an id of four bytes in the 64-bit format of .debug_frame",
        should: "take eight bytes there",
        clause: "DWARF 5 section 7.4: offsets have eight bytes in the 64-bit format",
        models: &["elfutils commit 2fb9051e"],
        plant: |faulty| faulty.id_width = Some(|_, _, _| 4),
    },
    PlantedFault {
        name: "zero-id-in-debug-frame",
        does: "takes an id of zero for a CIE in .debug_frame",
        should: "take the id with all bits set for one there",
        clause: "DWARF 5 section 6.4.1: CIE_id",
        models: &["misreading: one reader for both sections"],
        plant: |faulty| {
            faulty.is_cie = Some(|inner, kind, format, id| match kind {
                SectionKind::DebugFrame => id == 0,
                _ => inner.is_cie(kind, format, id),
            })
        },
    },
    PlantedFault {
        name: "ones-id-in-eh-frame",
        does: "takes the id with all bits set for a CIE in .eh_frame",
        should: "take zero for one there",
        clause: "LSB exception frames: CIE ID",
        models: &["misreading: one reader for both sections"],
        plant: |faulty| {
            faulty.is_cie = Some(|inner, kind, format, id| match kind {
                SectionKind::EhFrame => id == 0xffff_ffff,
                _ => inner.is_cie(kind, format, id),
            })
        },
    },
    PlantedFault {
        name: "narrow-marker-of-wide-id",
        does: "looks for the 32-bit marker of a CIE in ids of 64 bits",
        should: "look for 64 bits that are set",
        clause: "DWARF 5 section 7.4 and 6.4.1: CIE_id",
        models: &["binutils ChangeLog 2013-09-10", "llvm PR 158350"],
        plant: |faulty| {
            faulty.is_cie = Some(|inner, kind, format, id| match format {
                Format::Dwarf64 if kind == SectionKind::DebugFrame => id == 0xffff_ffff,
                _ => inner.is_cie(kind, format, id),
            })
        },
    },
    PlantedFault {
        name: "either-marker",
        does: "takes both zero and all bits set for the marker of a CIE, in either section",
        should: "take that of the section alone",
        clause: "DWARF 5 section 6.4.1 and LSB: CIE ID",
        models: &["misreading: a check that ratifies"],
        plant: |faulty| {
            faulty.is_cie = Some(|_, _, format, id| {
                id == 0 || id == 0xffff_ffff || format == Format::Dwarf64 && id == u64::MAX
            })
        },
    },
    PlantedFault {
        name: "cie-pointer-absolute",
        does: "takes the CIE pointer of .eh_frame for an offset into the section",
        should: "subtract it from the offset of its own field",
        clause: "LSB exception frames: CIE pointer",
        models: &["misreading: a reader of .debug_frame on .eh_frame"],
        plant: |faulty| faulty.cie_offset = Some(|_, _, _, _, pointer| pointer),
    },
    PlantedFault {
        name: "cie-pointer-relative-in-debug-frame",
        does: "subtracts the CIE pointer of .debug_frame from the offset of its own field",
        should: "take it for an offset into the section",
        clause: "DWARF 5 section 6.4.1: CIE_pointer",
        models: &["misreading: a reader of .eh_frame on .debug_frame"],
        plant: |faulty| {
            faulty.cie_offset = Some(|inner, _, field, record, pointer| {
                inner.cie_offset(SectionKind::EhFrame, field, record, pointer)
            })
        },
    },
    PlantedFault {
        name: "cie-pointer-added",
        does: "adds the CIE pointer of .eh_frame to the offset of its own field",
        should: "subtract it",
        clause: "LSB exception frames: CIE pointer counts back",
        models: &["misreading: add the field's address"],
        plant: |faulty| {
            faulty.cie_offset = Some(|inner, kind, field, record, pointer| match kind {
                SectionKind::EhFrame => field.wrapping_add(pointer),
                _ => inner.cie_offset(kind, field, record, pointer),
            })
        },
    },
    PlantedFault {
        name: "cie-pointer-from-record",
        does: "counts the CIE pointer of .eh_frame back from the record's start",
        should: "count from the pointer's own field",
        clause: "LSB exception frames: CIE pointer",
        models: &["misreading: the field, not the record"],
        plant: |faulty| {
            faulty.cie_offset =
                Some(|inner, kind, _, record, pointer| inner.cie_offset(kind, record, record, pointer))
        },
    },
    PlantedFault {
        name: "cie-pointer-from-field-end",
        does: "counts the CIE pointer of .eh_frame back from the byte behind its field",
        should: "count from the field's first byte",
        clause: "LSB exception frames: CIE pointer",
        models: &["misreading: from which place a pointer counts"],
        plant: |faulty| {
            faulty.cie_offset =
                Some(|inner, kind, field, record, pointer| inner.cie_offset(kind, field + 4, record, pointer))
        },
    },
    PlantedFault {
        name: "cie-pointer-unsigned",
        does: "takes the difference of .eh_frame's CIE pointer for unsigned, so that a CIE behind its FDE is not found",
        should: "let it wrap around at 32 bits",
        clause: "LSB exception frames: CIE pointer",
        models: &["binutils PR 16563"],
        plant: |faulty| {
            faulty.cie_offset = Some(|inner, kind, field, record, pointer| match kind {
                SectionKind::EhFrame => field.wrapping_sub(pointer),
                _ => inner.cie_offset(kind, field, record, pointer),
            })
        },
    },
    PlantedFault {
        name: "first-cie-always",
        does: "takes the CIE at the start of the section for every FDE",
        should: "take the one that the CIE pointer leads to",
        clause: "DWARF 5 section 6.4.1: CIE_pointer",
        models: &["java-profiler PR 786", "misreading: the value equals the field's own offset"],
        plant: |faulty| faulty.cie_offset = Some(|_, _, _, _, _| 0),
    },
    PlantedFault {
        name: "cie-must-come-first",
        does: "looks for an FDE's CIE among those before it only",
        should: "look in the whole section",
        clause: "DWARF 5 section 6.4.1: CIE_pointer is an offset into the section",
        models: &["binutils PR 16563"],
        plant: |faulty| faulty.cie_may_follow = Some(|_| false),
    },
    PlantedFault {
        name: "cie-inside-a-record",
        does: "reads a CIE wherever a CIE pointer leads, also in the middle of another record",
        should: "ask whether a record starts there",
        clause: "DWARF 5 section 6.4.1: CIE_pointer leads to a CIE",
        models: &["gimli PR 741", "misreading: a wrong pointer almost never lands on a record that passes"],
        plant: |faulty| faulty.cie_may_stand_inside = Some(|_| true),
    },
];
