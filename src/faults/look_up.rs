//! Look-up: from an address to an FDE and a row.

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "return-address-not-reduced",
        does: "looks a return address up as it is",
        should: "look up the byte before it, where the call is",
        clause: "DWARF 5 section 6.4.4 and the C++ ABI's unwinders",
        models: &["opentelemetry-ebpf-profiler PR 1382", "libunwind PR 54"],
        plant: |faulty| faulty.address_to_look_up = Some(|_, address, _| address),
    },
    PlantedFault {
        name: "every-address-reduced",
        does: "looks up the byte before every address, also that of the innermost frame",
        should: "do so for return addresses alone",
        clause: "DWARF 5 section 6.4.4 and the C++ ABI's unwinders",
        models: &["libunwind PR 1059", "libunwind issue 94"],
        plant: |faulty| faulty.address_to_look_up = Some(|_, address, _| address.wrapping_sub(1)),
    },
    PlantedFault {
        name: "end-inclusive",
        does: "takes the first address behind an FDE for one of its own",
        should: "end the FDE before it",
        clause: "DWARF 5 section 6.4.1: address_range",
        models: &["delve commit 464a6b96"],
        plant: |faulty| {
            faulty.range_contains = Some(|_, start, length, address| address.wrapping_sub(start) <= length)
        },
    },
    PlantedFault {
        name: "start-exclusive",
        does: "does not find an FDE for its first address",
        should: "let the FDE start there",
        clause: "DWARF 5 section 6.4.1: initial_location",
        models: &["libunwind issue 443"],
        plant: |faulty| {
            faulty.range_contains = Some(|inner, start, length, address| {
                address != start && inner.range_contains(start, length, address)
            })
        },
    },
    PlantedFault {
        name: "range-not-checked",
        does: "takes the last FDE that starts before an address, wherever it ends",
        should: "ask whether its range holds the address",
        clause: "DWARF 5 section 6.4.1: address_range",
        models: &["parca-agent commit 9ae23236"],
        plant: |faulty| faulty.range_contains = Some(|_, _, _, _| true),
    },
    PlantedFault {
        name: "empty-fde-found",
        does: "finds an FDE of no bytes in the place of the function that starts there",
        should: "leave it out",
        clause: "DWARF 5 section 6.4.1: it describes no address",
        models: &["mold issue 1648"],
        plant: |faulty| faulty.empty_fde_is_kept = Some(|_| true),
    },
    PlantedFault {
        name: "adjacent-fdes-one-function",
        does: "takes FDEs that follow each other without a gap for one function, which the first describes",
        should: "take each for its own range",
        clause: "DWARF 5 section 6.4.1: an FDE describes its range",
        models: &["misreading: one function split across three adjacent FDEs"],
        plant: |faulty| faulty.adjacent_fdes_are_one = Some(|_| true),
    },
    PlantedFault {
        name: "row-one-late",
        does: "looks for the row that starts before an address, not at it",
        should: "take a row from its first location on",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["libunwind commit 3d9a694d"],
        plant: |faulty| faulty.row_is_candidate = Some(|_, start, address| start < address),
    },
    PlantedFault {
        name: "row-one-early",
        does: "takes a row from the byte before its first location on",
        should: "take it from its first location on",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["misreading: at the entry the CFA is what a push has made it"],
        plant: |faulty| {
            faulty.row_is_candidate =
                Some(|inner, start, address| inner.row_is_candidate(start, address.wrapping_add(1)))
        },
    },
    PlantedFault {
        name: "last-row-always",
        does: "takes an FDE's last row for every address",
        should: "take the last one that starts at or before the address",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["misreading: a table read at a program counter"],
        plant: |faulty| faulty.row_is_candidate = Some(|_, _, _| true),
    },
];
