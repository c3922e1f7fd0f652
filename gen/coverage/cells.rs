//! The tables with all their cells.

use cfidiff_model::{
    Endianness, FaultKind, Format, Machine, POINTER_APPLICATIONS, POINTER_FORMATS, SectionKind,
};

use super::legal::{self, Verdict};
use super::names::{self, Field};
use super::{Cell, Table};
use crate::pointer::INDIRECT;
use crate::suite::Damage;

/// The standard opcodes of DWARF 5 table 7.29, and behind them those of vendors.
const OPCODES: [&str; 34] = [
    "advance_loc",
    "offset",
    "restore",
    "nop",
    "set_loc",
    "advance_loc1",
    "advance_loc2",
    "advance_loc4",
    "offset_extended",
    "restore_extended",
    "undefined",
    "same_value",
    "register",
    "remember_state",
    "restore_state",
    "def_cfa",
    "def_cfa_register",
    "def_cfa_offset",
    "def_cfa_expression",
    "expression",
    "offset_extended_sf",
    "def_cfa_sf",
    "def_cfa_offset_sf",
    "val_offset",
    "val_offset_sf",
    "val_expression",
    "GNU_args_size",
    "GNU_negative_offset_extended",
    "GNU_window_save",
    "MIPS_advance_loc8",
    "AARCH64_negate_ra_state",
    "AARCH64_negate_ra_state_with_pc",
    "LLVM_def_aspace_cfa",
    "LLVM_def_aspace_cfa_sf",
];

/// How many of the opcodes, at the end, are one machine's own.
const OF_ONE_MACHINE: usize = 6;

/// The machines whose compilers the suite imitates, and those that have opcodes of their own.
const MACHINES: [Machine; 13] = [
    Machine::X86_64,
    Machine::I386,
    Machine::AARCH64,
    Machine::ARM,
    Machine::RISCV,
    Machine::PPC,
    Machine::PPC64,
    Machine::S390,
    Machine::MIPS,
    Machine::SPARC,
    Machine::SPARCV9,
    Machine::LOONGARCH,
    Machine::AMDGPU,
];

const SECTIONS: [SectionKind; 2] = [SectionKind::EhFrame, SectionKind::DebugFrame];

/// The rules of DWARF 5 section 6.4.1 that a register can have, and none.
const RULES: [&str; 8] =
    ["none", "undefined", "same-value", "offset", "val-offset", "register", "expression", "val-expression"];

const CFA_RULES: [&str; 2] = ["register-offset", "expression"];

/// Letters that may stand behind `z` in any order.
const LETTERS: [&str; 4] = ["P", "L", "R", "S"];

/// Augmentation strings that are not letters of [`LETTERS`] behind `z`.
const OTHER_STRINGS: [&str; 15] =
    ["", "eh", "S", "armcc+", "zB", "zG", "zRB", "zRG", "zRBG", "zPLRB", "P", "L", "R", "B", "G"];

/// All tables, without cases so far.
pub(super) fn tables() -> Vec<Table> {
    let mut tables = vec![opcodes(), machine_opcodes(), formats()];
    tables.extend(Field::ALL.map(pointers));
    tables.extend([augmentations(), restores(), states(), damages(), faults()]);
    tables
}

fn cell(name: String, row: &str, column: &str, (legal, why): Verdict) -> Cell {
    Cell { name, row: row.to_owned(), column: column.to_owned(), legal, why, cases: Vec::new() }
}

fn opcodes() -> Table {
    let mut cells = Vec::new();
    for name in OPCODES {
        for kind in SECTIONS {
            cells.push(cell(names::opcode(kind, name), name, kind.name(), legal::opcode(name)));
        }
    }
    Table { name: "opcode", about: "opcodes by section", cells }
}

fn machine_opcodes() -> Table {
    let mut cells = Vec::new();
    for name in &OPCODES[OPCODES.len() - OF_ONE_MACHINE..] {
        for machine in MACHINES {
            let verdict = legal::machine_opcode(name, machine);
            let column = names::machine(machine);
            cells.push(cell(names::machine_opcode(name, machine), name, &column, verdict));
        }
    }
    Table { name: "machine-opcode", about: "opcodes that one machine defines by machine", cells }
}

fn formats() -> Table {
    let mut cells = Vec::new();
    for (format, bits) in [(Format::Dwarf32, 32), (Format::Dwarf64, 64)] {
        for kind in SECTIONS {
            for endianness in [Endianness::Little, Endianness::Big] {
                let row = format!("{bits}-bit {} {}", kind.name(), endianness.name());
                for address_size in [1, 2, 4, 8] {
                    for version in [1, 3, 4] {
                        let name = names::format(format, kind, endianness, address_size, version);
                        let verdict = legal::format(kind, bits, address_size, version);
                        cells.push(cell(name, &row, &format!("{address_size}/v{version}"), verdict));
                    }
                }
            }
        }
    }
    let about = "format, section and byte order by address size and CIE version";
    Table { name: "format", about, cells }
}

fn pointers(field: Field) -> Table {
    let (name, about) = match field {
        Field::InitialLocation => ("pointer/initial-location", "encodings of the initial location"),
        Field::SetLoc => ("pointer/set-loc", "encodings of set_loc's operand"),
        Field::Lsda => ("pointer/lsda", "encodings of the LSDA pointer"),
        Field::Personality => ("pointer/personality", "encodings of the personality routine"),
        Field::HeaderEhFrame => ("pointer/header-eh-frame", "encodings of .eh_frame_hdr's eh_frame_ptr"),
        Field::HeaderCount => ("pointer/header-count", "encodings of .eh_frame_hdr's fde_count"),
        Field::HeaderTable => ("pointer/header-table", "encodings of .eh_frame_hdr's table"),
    };
    let mut cells = Vec::new();
    for (flag, suffix) in [(0, ""), (INDIRECT, " indirect")] {
        for (format, format_name) in POINTER_FORMATS {
            for (application, application_name) in POINTER_APPLICATIONS {
                let encoding = flag | application | format;
                let row = format!("{format_name}{suffix}");
                let verdict = legal::pointer(field, encoding);
                let name = names::pointer(field, encoding);
                cells.extend(name.map(|name| cell(name, &row, application_name, verdict)));
            }
        }
    }
    Table { name, about, cells }
}

fn augmentations() -> Table {
    let orders = orders(&LETTERS).into_iter().map(|letters| format!("z{letters}"));
    let strings: Vec<String> = OTHER_STRINGS.map(str::to_owned).into_iter().chain(orders).collect();
    let cells = strings.iter().map(|string| {
        let row = if string.is_empty() { "\"\"" } else { string };
        cell(names::augmentation(string), row, "cases", legal::augmentation(string))
    });
    Table { name: "augmentation", about: "augmentation strings", cells: cells.collect() }
}

/// Every order of every subset of the letters, the shortest first.
fn orders(letters: &[&str]) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut shorter = 0;
    while shorter < all.len() {
        let unused: Vec<&str> =
            letters.iter().filter(|letter| !all[shorter].contains(**letter)).copied().collect();
        for letter in unused {
            all.push(format!("{}{letter}", all[shorter]));
        }
        shorter += 1;
    }
    all
}

fn restores() -> Table {
    let why =
        "DWARF 5 section 6.4.2.3: the rule that the CIE's instructions gave the register, none included";
    let mut cells = Vec::new();
    for opcode in ["restore", "restore_extended"] {
        for in_cie in RULES {
            for in_fde in RULES {
                let name = names::restore(in_cie, in_fde, opcode);
                cells.push(cell(name, &format!("{opcode} {in_cie}"), in_fde, (true, why)));
            }
        }
    }
    let about = "restores by the register's rule in the CIE and since then in the FDE";
    Table { name: "restore", about, cells }
}

fn states() -> Table {
    let why = "DWARF 5 section 6.4.2.4: every rule of the row, the CFA's among them";
    let mut cells = Vec::new();
    for remembered in CFA_RULES {
        for since in CFA_RULES {
            cells.push(cell(names::state(remembered, since), remembered, since, (true, why)));
        }
    }
    let about = "restore_state by the CFA's rule at its remember_state and since then";
    Table { name: "state", about, cells }
}

fn damages() -> Table {
    let cells = Damage::ALL.iter().map(|&damage| {
        let row = format!("{}: {}", names::fault_stem(damage.fault()), damage.name());
        cell(names::damage(damage), &row, "cases", (true, damage.about()))
    });
    Table {
        name: "damage",
        about: "named corruptions that show as the fault they are made for",
        cells: cells.collect(),
    }
}

fn faults() -> Table {
    let cells = FaultKind::ALL
        .iter()
        .map(|&kind| cell(names::fault(kind), names::fault_stem(kind), "cases", legal::fault(kind)));
    Table { name: "fault", about: "faults that named corruptions show as", cells: cells.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_subsets() {
        assert_eq!(orders(&["P", "L"]), ["", "P", "L", "PL", "LP"]);
        // 1 + 4 + 12 + 24 + 24.
        assert_eq!(orders(&LETTERS).len(), 65);
    }
}
