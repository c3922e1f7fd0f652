//! Instructions of vendors. One opcode has several meanings, by machine.

use cfidiff_model::RegisterRule::{Architectural, Register};
use cfidiff_model::{CfaRule, Class, Endianness, Machine, RegisterRule};

use super::Sheet;
use crate::Program;
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::functions::{Functions, Line};
use crate::suite::rows::{at, cfa};

const ARGS_SIZE: &str = "LSB Core, call frame instructions: DW_CFA_GNU_args_size changes no rule";
const WINDOW: &str = "GCC's SPARC back end: the caller's %l and %i registers are in the window at the CFA";
const PAC: &str = "AArch64 DWARF supplement: bit 0 of RA_SIGN_STATE is flipped";
const PAC_PC: &str = "AArch64 DWARF supplement: bits 0 and 1 of RA_SIGN_STATE are flipped";
const SPACE: &str = "LLVM's DWARF extensions for heterogeneous debugging: CFA rules with an address space";

/// RA_SIGN_STATE.
const SIGN: u64 = 34;

/// Registers as in LLVM's AMDGPU ABI: the program counter is 16, the stack pointer s32 is 64.
const AMDGPU: Convention = Convention {
    machine: Machine::AMDGPU,
    code_alignment_factor: 4,
    data_alignment_factor: 4,
    return_address_register: 16,
    stack_pointer: 64,
    saved: 33,
    ..Convention::AARCH64
};

const SPARC: Convention = Convention {
    machine: Machine::SPARC,
    class: Class::Elf32,
    entry_offset: 0,
    data_alignment_factor: -4,
    ..Convention::SPARC64
};

fn in_space(register: u64, offset: i64, address_space: u64) -> CfaRule {
    CfaRule::RegisterOffsetInSpace { register, offset, address_space }
}

pub(super) const SHEETS: &[Sheet] = &[
    Sheet {
        name: "GNU_args_size",
        machine: Convention::X86_64,
        about: "0, 16 and 0x80; the rows are those of the other instructions",
        clause: ARGS_SIZE,
        catches: &["gimli PR 319", "pyelftools PR 303", "libunwind commit 4b63a536"],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .advance_loc(1)
                    .def_cfa_offset(16)
                    .gnu_args_size(16)
                    .advance_loc(4)
                    .gnu_args_size(0x80)
                    .def_cfa_offset(8)
                    .gnu_args_size(0),
                &[(0, cfa(7, 8), &[]), (1, cfa(7, 16), &[]), (5, cfa(7, 8), &[])],
            )
        },
    },
    Sheet {
        name: "GNU_negative_offset_extended",
        machine: Convention::PPC64LE,
        about: "offsets 0, 2 and 128, which count the other way",
        clause: "LSB Core, call frame instructions: the operand is subtracted",
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .gnu_negative_offset_extended(31, 2)
                    .gnu_negative_offset_extended(30, 0)
                    .gnu_negative_offset_extended(64, 128),
                &[(0, cfa(1, 0), &[(30, at(0)), (31, at(16)), (64, at(1024))])],
            )
        },
    },
    Sheet {
        name: "GNU_window_save",
        machine: Convention::SPARC64,
        about: "behind save, as GCC writes it",
        clause: WINDOW,
        catches: &[],
        write: |functions| {
            let mut rules: Vec<_> = (0..16).map(|number| (16 + number, Architectural(8 * number))).collect();
            rules.push((15, Register(31)));
            let program =
                Program::new().advance_loc(1).def_cfa_register(30).gnu_window_save().register(15, 31);
            functions.function(0x20, program, &[(0, cfa(14, 2047), &[]), (4, cfa(30, 2047), &rules)])
        },
    },
    Sheet {
        name: "AARCH64_negate_ra_state",
        machine: Convention::AARCH64,
        about: "signed behind paciasp and not signed before autiasp, twice",
        clause: PAC,
        catches: &["gimli PR 673", "pyelftools PR 527", "parca-agent issue 2459", "breakpad commit afc8daa2"],
        write: |functions| {
            let signed: &[(u64, RegisterRule)] = &[(SIGN, Architectural(1))];
            let plain: &[(u64, RegisterRule)] = &[(SIGN, Architectural(0))];
            functions.function(
                0x20,
                Program::new()
                    .advance_loc(1)
                    .aarch64_negate_ra_state()
                    .advance_loc(1)
                    .def_cfa_offset(16)
                    .advance_loc(1)
                    .def_cfa_offset(0)
                    .advance_loc(1)
                    .aarch64_negate_ra_state()
                    .advance_loc(1)
                    .aarch64_negate_ra_state(),
                &[
                    (0, cfa(31, 0), &[]),
                    (4, cfa(31, 0), signed),
                    (8, cfa(31, 16), signed),
                    (12, cfa(31, 0), signed),
                    (16, cfa(31, 0), plain),
                    (20, cfa(31, 0), signed),
                ],
            )
        },
    },
    Sheet {
        name: "AARCH64_negate_ra_state_with_pc",
        machine: Convention::AARCH64,
        about: "signed together with the pc, then not",
        clause: PAC_PC,
        catches: &["llvm PR 206814"],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .aarch64_negate_ra_state_with_pc()
                    .advance_loc(1)
                    .def_cfa_offset(16)
                    .advance_loc(1)
                    .aarch64_negate_ra_state_with_pc(),
                &[
                    (0, cfa(31, 0), &[(SIGN, Architectural(3))]),
                    (4, cfa(31, 16), &[(SIGN, Architectural(3))]),
                    (8, cfa(31, 16), &[(SIGN, Architectural(0))]),
                ],
            )
        },
    },
    Sheet {
        name: "LLVM_def_aspace_cfa",
        machine: AMDGPU,
        about: "in the spaces 6 and 128; def_cfa_offset and def_cfa_register keep the space, def_cfa does not",
        clause: SPACE,
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .llvm_def_aspace_cfa(64, 0, 6)
                    .advance_loc(1)
                    .def_cfa_offset(128)
                    .advance_loc(1)
                    .def_cfa_register(65)
                    .advance_loc(1)
                    .llvm_def_aspace_cfa(64, 128, 128)
                    .advance_loc(1)
                    .def_cfa(64, 0),
                &[
                    (0, in_space(64, 0, 6), &[]),
                    (4, in_space(64, 128, 6), &[]),
                    (8, in_space(65, 128, 6), &[]),
                    (12, in_space(64, 128, 128), &[]),
                    (16, cfa(64, 0), &[]),
                ],
            )
        },
    },
    Sheet {
        name: "LLVM_def_aspace_cfa_sf",
        machine: AMDGPU,
        about: "offsets of both signs; def_cfa_offset_sf keeps the space",
        clause: SPACE,
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .llvm_def_aspace_cfa_sf(64, -2, 6)
                    .advance_loc(1)
                    .llvm_def_aspace_cfa_sf(64, 64, 5)
                    .advance_loc(1)
                    .def_cfa_offset_sf(-65),
                &[
                    (0, in_space(64, -8, 6), &[]),
                    (4, in_space(64, 256, 5), &[]),
                    (8, in_space(64, -260, 5), &[]),
                ],
            )
        },
    },
];

/// Vendors' instructions on other machines than the first in mind.
pub(super) fn add(suite: &mut Suite) {
    sparc32(suite);
    window_save_elsewhere(suite);
    pac(suite);
    args_size_i386(suite);
    llvm_on_x86(suite);
}

fn single(
    suite: &mut Suite,
    name: &str,
    machine: &Convention,
    about: &str,
    clause: &str,
    parts: (Program, &[Line]),
) {
    let draft = Draft::new(&format!("instruction/{name}"), machine, about).clause(clause);
    let (program, lines) = parts;
    suite.add(Functions::eh_frame(machine).function(0x40, program, lines).usual().add_to(draft));
}

fn sparc32(suite: &mut Suite) {
    let mut rules: Vec<_> = (0..16).map(|number| (16 + number, Architectural(4 * number))).collect();
    rules.push((15, Register(31)));
    let program = Program::new().advance_loc(1).def_cfa_register(30).gnu_window_save().register(15, 31);
    let about = "DW_CFA_GNU_window_save on 32-bit SPARC: the window's words have four bytes.";
    let lines: &[Line] = &[(0, cfa(14, 0), &[]), (4, cfa(30, 0), &rules)];
    single(suite, "window-save-sparc32", &SPARC, about, WINDOW, (program, lines));
    let mut rules: Vec<_> = (0..16).map(|number| (16 + number, Architectural(8 * number))).collect();
    rules.push((15, Register(31)));
    let program = Program::new().advance_loc(1).def_cfa_register(30).gnu_window_save().register(15, 31);
    let lines: &[Line] = &[(0, cfa(14, 2047), &[]), (4, cfa(30, 2047), &rules)];
    let about = "DW_CFA_GNU_window_save on SPARC.";
    single(suite, "op-window", &Convention::SPARC64, about, WINDOW, (program, lines));
}

fn window_save_elsewhere(suite: &mut Suite) {
    let about =
        "GNU_args_size, GNU_negative_offset_extended and GNU_window_save on a machine without windows.";
    let clause = "LSB Core, call frame instructions: args_size changes no rule, the negative offset is subtracted; \
        a window save has a meaning on SPARC alone";
    let program = Program::new().gnu_args_size(32).gnu_negative_offset_extended(3, 2).gnu_window_save();
    let lines: &[Line] = &[(0, cfa(7, 8), &[(3, at(16))])];
    single(suite, "op-args", &Convention::X86_64, about, clause, (program, lines));
}

fn pac(suite: &mut Suite) {
    let machine = Convention::AARCH64;
    let big = machine.as_target(Class::Elf64, Endianness::Big);
    let negate = || Program::new().advance_loc(1).aarch64_negate_ra_state();
    let signed: &[(u64, RegisterRule)] = &[(SIGN, Architectural(1))];

    let about =
        "DW_CFA_AARCH64_negate_ra_state on big-endian AArch64, in a frame with its return address saved.";
    let program = negate().advance_loc(1).def_cfa_offset(32).offset(29, 4).offset(30, 3);
    let lines: &[Line] = &[
        (0, cfa(31, 0), &[]),
        (4, cfa(31, 0), signed),
        (8, cfa(31, 32), &[(29, at(-32)), (30, at(-24)), (SIGN, Architectural(1))]),
    ];
    single(suite, "negate-ra-state-big-endian", &big, about, PAC, (program, lines));

    let about = "DW_CFA_AARCH64_negate_ra_state behind remember_state: restore_state undoes it.";
    let clause = "AArch64 DWARF supplement: RA_SIGN_STATE is a register with a rule; DWARF 5 section 6.4.2.4";
    let program =
        negate().advance_loc(1).remember_state().aarch64_negate_ra_state().advance_loc(1).restore_state();
    let lines: &[Line] = &[
        (0, cfa(31, 0), &[]),
        (4, cfa(31, 0), signed),
        (8, cfa(31, 0), &[(SIGN, Architectural(0))]),
        (12, cfa(31, 0), signed),
    ];
    single(suite, "negate-ra-state-remembered", &machine, about, clause, (program, lines));

    let about = "DW_CFA_AARCH64_negate_ra_state twice.";
    let program = negate().advance_loc(1).aarch64_negate_ra_state();
    let lines: &[Line] =
        &[(0, cfa(31, 0), &[]), (4, cfa(31, 0), signed), (8, cfa(31, 0), &[(SIGN, Architectural(0))])];
    single(suite, "op-neg-ra-state", &machine, about, PAC, (program, lines));

    let about = "DW_CFA_AARCH64_negate_ra_state_with_pc, and an advance behind it.";
    let program =
        Program::new().advance_loc(1).aarch64_negate_ra_state_with_pc().advance_loc(1).def_cfa_offset(32);
    let lines: &[Line] = &[
        (0, cfa(31, 0), &[]),
        (4, cfa(31, 0), &[(SIGN, Architectural(3))]),
        (8, cfa(31, 32), &[(SIGN, Architectural(3))]),
    ];
    single(suite, "op-neg-ra-pc", &machine, about, PAC_PC, (program, lines));
}

fn args_size_i386(suite: &mut Suite) {
    let about = "DW_CFA_GNU_args_size on i386, where arguments are pushed.";
    let program =
        Program::new().advance_loc(1).def_cfa_offset(8).gnu_args_size(4).advance_loc(4).def_cfa_offset(4);
    let lines: &[Line] = &[(0, cfa(4, 4), &[]), (1, cfa(4, 8), &[]), (5, cfa(4, 4), &[])];
    single(suite, "args-size-i386", &Convention::I386, about, ARGS_SIZE, (program, lines));
}

fn llvm_on_x86(suite: &mut Suite) {
    let about = "DW_CFA_LLVM_def_aspace_cfa on x86-64, and def_cfa_offset behind it, which keeps the space.";
    let program = Program::new().llvm_def_aspace_cfa(7, 8, 1).def_cfa_offset(24);
    let lines: &[Line] = &[(0, in_space(7, 24, 1), &[])];
    single(suite, "op-unk-30", &Convention::X86_64, about, SPACE, (program, lines));
}
