//! `.eh_frame_hdr` and the search in its table.

use cfidiff_cfi::{PointerField, PointerFormat};

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "table-from-zero",
        does: "takes the table's entries for addresses",
        should: "add the header's own address to them",
        clause: "LSB, exception frame header: the table is relative to the header",
        models: &["libunwind issue 492"],
        plant: |faulty| faulty.header_base = Some(|_, _| 0),
    },
    PlantedFault {
        name: "table-from-table",
        does: "counts the table's entries from the table's own start",
        should: "count from the header's",
        clause: "LSB, exception frame header: the table is relative to the header",
        models: &["misreading: relative to the header itself"],
        plant: |faulty| faulty.header_base = Some(|inner, header| inner.header_base(header) + 12),
    },
    PlantedFault {
        name: "table-from-entry",
        does: "counts the table's entries from their own place",
        should: "count from the header's start",
        clause: "LSB, exception frame header: the table is relative to the header",
        models: &["misreading: relative to the header itself"],
        plant: |faulty| {
            faulty.pointer_base = Some(|inner, field, encoding, pcrel, bases, function| match field {
                PointerField::HeaderTable => Ok(Some(pcrel)),
                _ => inner.pointer_base(field, encoding, pcrel, bases, function),
            })
        },
    },
    PlantedFault {
        name: "frame-pointer-from-header",
        does: "counts the header's pointer to .eh_frame from the header's start",
        should: "count from the pointer's own field, as pcrel says",
        clause: "LSB, exception frame header: eh_frame_ptr has its own encoding",
        models: &["misreading: every field relative to the header"],
        plant: |faulty| {
            faulty.pointer_base = Some(|inner, field, encoding, pcrel, bases, function| match field {
                PointerField::Header if encoding & 0x70 == 0x10 => Ok(bases.data.map(|base| base.0)),
                _ => inner.pointer_base(field, encoding, pcrel, bases, function),
            })
        },
    },
    PlantedFault {
        name: "table-of-eight-bytes",
        does: "reads eight bytes for each value of the table",
        should: "read as many as the table's encoding says",
        clause: "LSB, exception frame header: table_enc",
        models: &["libunwind commit f020b240"],
        plant: |faulty| {
            faulty.pointer_format = Some(|inner, field, encoding, size| match field {
                PointerField::HeaderTable => Some(PointerFormat::Signed(8)),
                _ => inner.pointer_format(field, encoding, size),
            })
        },
    },
    PlantedFault {
        name: "table-of-four-bytes",
        does: "reads four bytes for each value of the table",
        should: "read as many as the table's encoding says",
        clause: "LSB, exception frame header: table_enc",
        models: &["libunwind commit f020b240"],
        plant: |faulty| {
            faulty.pointer_format = Some(|inner, field, encoding, size| match field {
                PointerField::HeaderTable => Some(PointerFormat::Signed(4)),
                _ => inner.pointer_format(field, encoding, size),
            })
        },
    },
    PlantedFault {
        name: "table-unsigned",
        does: "does not sign-extend the values of the table",
        should: "sign-extend them in a signed format",
        clause: "LSB, exception frame header: table_enc",
        models: &["libunwind commit e3274c6c"],
        plant: |faulty| {
            faulty.pointer_format = Some(|inner, field, encoding, size| {
                match (field, inner.pointer_format(field, encoding, size)) {
                    (PointerField::HeaderTable, Some(PointerFormat::Signed(width))) => {
                        Some(PointerFormat::Unsigned(width))
                    }
                    (_, other) => other,
                }
            })
        },
    },
    PlantedFault {
        name: "count-in-words",
        does: "takes the count of the header for a number of words: two for each entry",
        should: "take it for the number of entries",
        clause: "LSB, exception frame header: fde_count",
        models: &["libunwind commit 8b3832fe", "libunwind commit 8cd667c6"],
        plant: |faulty| faulty.header_entry_count = Some(|_, count| count / 2),
    },
    PlantedFault {
        name: "count-one-short",
        does: "leaves the table's last entry out",
        should: "read as many entries as the header counts",
        clause: "LSB, exception frame header: fde_count",
        models: &["riscv-binutils-gdb issue 76"],
        plant: |faulty| faulty.header_entry_count = Some(|_, count| count.saturating_sub(1)),
    },
    PlantedFault {
        name: "search-strictly-before",
        does: "looks for an entry that starts before an address, not at it",
        should: "take an entry from its initial location on",
        clause: "LSB, exception frame header: binary search table",
        models: &["libunwind commit 3d9a694d"],
        plant: |faulty| faulty.header_entry_is_candidate = Some(|_, start, address| start < address),
    },
    PlantedFault {
        name: "search-one-too-far",
        does: "takes the entry behind the one that the search found",
        should: "take the last one that starts at or before the address",
        clause: "LSB, exception frame header: binary search table",
        models: &["libunwind issue 94"],
        plant: |faulty| faulty.header_entry_found = Some(|_, candidates| Some(candidates)),
    },
    PlantedFault {
        name: "search-one-too-early",
        does: "takes the entry before the one that the search found",
        should: "take the last one that starts at or before the address",
        clause: "LSB, exception frame header: binary search table",
        models: &["libunwind issue 94"],
        plant: |faulty| faulty.header_entry_found = Some(|_, candidates| candidates.checked_sub(2)),
    },
    PlantedFault {
        name: "search-first-entry-never",
        does: "does not find the first entry of the table",
        should: "take the last one that starts at or before the address, be it the first",
        clause: "LSB, exception frame header: binary search table",
        models: &["libunwind issue 443"],
        plant: |faulty| {
            faulty.header_entry_found =
                Some(|inner, candidates| inner.header_entry_found(candidates).filter(|&entry| entry > 0))
        },
    },
];
