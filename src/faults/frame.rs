//! The caller's frame: the values of expressions.

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "expression-without-cfa",
        does: "starts the expression of a register rule with an empty stack",
        should: "start with the CFA on it",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["elfutils commit 0ab97839"],
        plant: |faulty| faulty.expression_starts_with_cfa = Some(|_| false),
    },
    PlantedFault {
        name: "comparison-operands-swapped",
        does: "compares the top of the stack with the entry below it",
        should: "compare the second entry with the top",
        clause: "DWARF 5 section 2.5.1.5: control flow operations",
        models: &["libunwind commit 679b65cd"],
        plant: |faulty| {
            faulty.operation_operands = Some(|inner, operation, second, top| match operation {
                0x29..=0x2e => (top, second),
                _ => inner.operation_operands(operation, second, top),
            })
        },
    },
    PlantedFault {
        name: "shift-operands-swapped",
        does: "shifts the top of the stack by the entry below it",
        should: "shift the second entry by the top",
        clause: "DWARF 5 section 2.5.1.4: arithmetic and logical operations",
        models: &["misreading: the expression of the procedure linkage table"],
        plant: |faulty| {
            faulty.operation_operands = Some(|inner, operation, second, top| match operation {
                0x24..=0x26 => (top, second),
                _ => inner.operation_operands(operation, second, top),
            })
        },
    },
    PlantedFault {
        name: "linkage-table-by-heart",
        does: "compares with 11 in every expression of a procedure linkage table, where the push of most of them ends",
        should: "compare with what the expression says: entries that start with endbr64 have another place",
        clause: "DWARF 5 section 2.5.1.5: control flow operations",
        models: &[
            "opentelemetry-ebpf-profiler PR 1253",
            "misreading: the expression of the procedure linkage table",
        ],
        plant: |faulty| {
            faulty.operation_operands = Some(|inner, operation, first, second| match (operation, second) {
                (0x2a, 9) => (first, 11),
                _ => inner.operation_operands(operation, first, second),
            })
        },
    },
    PlantedFault {
        name: "second-operand-not-read",
        does: "does not read the offset of DW_OP_bregx",
        should: "add it to the register's value",
        clause: "DWARF 5 section 2.5.1.2: register values",
        models: &["libunwind commit 22aff2cc"],
        plant: |faulty| {
            faulty.operation_operands = Some(|inner, operation, first, second| match operation {
                0x92 => (first, 0),
                _ => inner.operation_operands(operation, first, second),
            })
        },
    },
    PlantedFault {
        name: "true-is-minus-one",
        does: "gives a comparison that holds the value -1",
        should: "give it the value 1",
        clause: "DWARF 5 section 2.5.1.5: control flow operations",
        models: &["misreading: the expression of the procedure linkage table"],
        plant: |faulty| faulty.value_of_true = Some(|_| u64::MAX),
    },
];
