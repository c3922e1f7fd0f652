//! Machines: each with its class, its byte order and the numbers that its compilers use.

use cfidiff_model::{Address, SectionKind};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::rows::{Listing, cfa};
use crate::{FdeSpec, Program, Record};

const CLAUSE: &str = "ELF gABI: EI_CLASS and EI_DATA give the width and the order of numbers; the machine's ABI \
                      numbers the registers";

/// The machines, and who would have read the case wrongly.
const MACHINES: [(&str, Convention); 12] = [
    ("x86-64", Convention::X86_64),
    ("x32", Convention::X32),
    ("i386", Convention::I386),
    ("aarch64", Convention::AARCH64),
    ("arm", Convention::ARM),
    ("riscv64", Convention::RISCV64),
    ("ppc32-be", Convention::PPC),
    ("ppc64le", Convention::PPC64LE),
    ("s390x-be", Convention::S390X),
    ("mips-be", Convention::MIPS),
    ("sparc64-be", Convention::SPARC64),
    ("loongarch64", Convention::LOONGARCH64),
];

pub(super) fn add(suite: &mut Suite) {
    for (name, machine) in MACHINES {
        for (kind, suffix) in [(SectionKind::EhFrame, ""), (SectionKind::DebugFrame, "-df")] {
            let cie = match kind {
                SectionKind::DebugFrame => machine.debug_frame_cie(),
                _ => machine.eh_frame_cie(),
            };
            let records = vec![
                Record::Cie(cie),
                Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
                Record::Fde(machine.function(0, TEXT + 0x40, 0x30)),
            ];
            let about = format!("What compilers write for {name} into {}.", kind.name());
            let draft = Draft::new(&format!("machine/{name}{suffix}"), &machine, &about).clause(CLAUSE);
            let draft =
                if machine.code_alignment_factor > 1 { draft.catches(&["gimli PR 401"]) } else { draft };
            let spec = draft.spec(kind, records);
            suite.add(draft.frame(spec));
        }
    }
    add_set_loc(suite);
    add_args_size(suite);
}

/// DW_CFA_set_loc has an operand as wide as the file's addresses, in the file's byte order.
fn add_set_loc(suite: &mut Suite) {
    for (name, machine) in
        [("i386", Convention::I386), ("ppc32-be", Convention::PPC), ("s390x-be", Convention::S390X)]
    {
        let entry = machine.entry_offset;
        let program = Program::new().set_loc(Address(TEXT + 0x10)).def_cfa_offset(16);
        let rows = Listing::new(TEXT, TEXT + 0x20)
            .row(0, cfa(machine.stack_pointer, entry), &machine.entry_rules())
            .row(0x10, cfa(machine.stack_pointer, 16), &machine.entry_rules())
            .done();
        let fde = FdeSpec { rows, ..FdeSpec::new(0, Address(TEXT), 0x20, program) };
        let records = vec![Record::Cie(machine.debug_frame_cie()), Record::Fde(fde)];
        let about = format!("DW_CFA_set_loc in .debug_frame of {name}: a plain address of the file's width.");
        suite.add(
            Draft::new(&format!("machine/{name}-set-loc-df"), &machine, &about)
                .clause("DWARF 5 section 6.4.2.1: DW_CFA_set_loc takes a target address")
                .catches(&["gimli PR 355", "gimli issue 102", "gimli issue 354"])
                .debug_frame(records),
        );
    }
}

/// DW_CFA_GNU_args_size, which GCC writes for every machine on which arguments are pushed.
fn add_args_size(suite: &mut Suite) {
    for (name, machine) in [("aarch64", Convention::AARCH64), ("arm", Convention::ARM)] {
        let program = Program::new().advance_loc(1).gnu_args_size(16).def_cfa_offset(32);
        let rows = Listing::new(TEXT, TEXT + 0x20)
            .row(0, cfa(machine.stack_pointer, machine.entry_offset), &machine.entry_rules())
            .row(machine.code_alignment_factor, cfa(machine.stack_pointer, 32), &machine.entry_rules())
            .done();
        let fde = FdeSpec { rows, ..FdeSpec::new(0, Address(TEXT), 0x20, program) };
        let about = format!("DW_CFA_GNU_args_size on {name}: it changes no rule.");
        suite.add(
            Draft::new(&format!("machine/{name}-args-size"), &machine, &about)
                .clause(
                    "LSB Core, DWARF Extensions: DW_CFA_GNU_args_size tells the size of the arguments pushed",
                )
                .eh_frame(vec![Record::Cie(machine.eh_frame_cie()), Record::Fde(fde), Record::Terminator]),
        );
    }
}
