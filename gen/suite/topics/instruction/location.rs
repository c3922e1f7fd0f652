//! Instructions that move the location, and the one that does nothing.

use cfidiff_model::Address;

use super::Sheet;
use crate::Program;
use crate::suite::convention::Convention;
use crate::suite::rows::{at, cfa};

const CLAUSE: &str = "DWARF 5 section 6.4.2.1: the delta is unsigned, times the code alignment factor";

pub(super) const SHEETS: &[Sheet] = &[
    Sheet {
        name: "nop",
        machine: Convention::X86_64,
        about: "before, between and behind other instructions, and alone",
        clause: "DWARF 5 section 6.4.2.5: no operation, for padding; the record's length is what ends it",
        catches: &[],
        write: |functions| {
            functions
                .function(
                    0x20,
                    Program::new().nop().nop().advance_loc(1).nop().def_cfa_offset(16).nop().offset(6, 2),
                    &[(0, cfa(7, 8), &[]), (1, cfa(7, 16), &[(6, at(-16))])],
                )
                .function(0x10, Program::new().nop().nop().nop(), &[(0, cfa(7, 8), &[])])
        },
    },
    Sheet {
        name: "set_loc",
        machine: Convention::X86_64,
        about: "two, the second by more than a byte's worth",
        clause: "DWARF 5 section 6.4.2.1: a target address; in .eh_frame compilers write it in R's encoding",
        catches: &["gimli PR 355"],
        write: |functions| {
            functions.function(
                0x200,
                Program::new()
                    .offset(6, 2)
                    .set_loc(Address(0x1011))
                    .def_cfa_offset(16)
                    .set_loc(Address(0x1120))
                    .def_cfa_offset(24)
                    .advance_loc(1)
                    .def_cfa_offset(32),
                &[
                    (0, cfa(7, 8), &[(6, at(-16))]),
                    (0x001, cfa(7, 16), &[(6, at(-16))]),
                    (0x110, cfa(7, 24), &[(6, at(-16))]),
                    (0x111, cfa(7, 32), &[(6, at(-16))]),
                ],
            )
        },
    },
    Sheet {
        name: "advance_loc",
        machine: Convention::X86_64,
        about: "1, 32 and 63, in the opcode's low six bits",
        clause: CLAUSE,
        catches: &["parca-agent PR 790"],
        write: |functions| {
            functions.function(
                0x80,
                Program::new()
                    .offset(6, 2)
                    .advance_loc(1)
                    .def_cfa_offset(16)
                    .advance_loc(32)
                    .def_cfa_offset(24)
                    .advance_loc(63)
                    .def_cfa_offset(32),
                &[
                    (0, cfa(7, 8), &[(6, at(-16))]),
                    (1, cfa(7, 16), &[(6, at(-16))]),
                    (33, cfa(7, 24), &[(6, at(-16))]),
                    (96, cfa(7, 32), &[(6, at(-16))]),
                ],
            )
        },
    },
    Sheet {
        name: "advance_loc1",
        machine: Convention::X86_64,
        about: "1, 127, 128 and 255, of which no reader may make negative numbers",
        clause: CLAUSE,
        catches: &["parca-agent PR 790"],
        write: |functions| {
            functions.function(
                0x200,
                Program::new()
                    .offset(6, 2)
                    .advance_loc1(1)
                    .def_cfa_offset(16)
                    .advance_loc1(127)
                    .def_cfa_offset(24)
                    .advance_loc1(128)
                    .def_cfa_offset(32)
                    .advance_loc1(255)
                    .def_cfa_offset(40),
                &[
                    (0, cfa(7, 8), &[(6, at(-16))]),
                    (1, cfa(7, 16), &[(6, at(-16))]),
                    (128, cfa(7, 24), &[(6, at(-16))]),
                    (256, cfa(7, 32), &[(6, at(-16))]),
                    (511, cfa(7, 40), &[(6, at(-16))]),
                ],
            )
        },
    },
    Sheet {
        name: "advance_loc2",
        machine: Convention::X86_64,
        about: "0x102, and 0x8001, of which no reader may make a negative number",
        clause: CLAUSE,
        catches: &["parca-agent PR 790"],
        write: |functions| {
            functions.function(
                0x9000,
                Program::new()
                    .offset(6, 2)
                    .advance_loc2(0x102)
                    .def_cfa_offset(16)
                    .advance_loc2(0x8001)
                    .def_cfa_offset(24),
                &[
                    (0, cfa(7, 8), &[(6, at(-16))]),
                    (0x102, cfa(7, 16), &[(6, at(-16))]),
                    (0x8103, cfa(7, 24), &[(6, at(-16))]),
                ],
            )
        },
    },
    Sheet {
        name: "advance_loc4",
        machine: Convention::X86_64,
        about: "0x10203 and 0x70000001",
        clause: CLAUSE,
        catches: &["parca-agent PR 790"],
        write: |functions| {
            functions.function(
                0x7800_0000,
                Program::new()
                    .offset(6, 2)
                    .advance_loc4(0x1_0203)
                    .def_cfa_offset(16)
                    .advance_loc4(0x7000_0001)
                    .def_cfa_offset(24),
                &[
                    (0, cfa(7, 8), &[(6, at(-16))]),
                    (0x1_0203, cfa(7, 16), &[(6, at(-16))]),
                    (0x7001_0204, cfa(7, 24), &[(6, at(-16))]),
                ],
            )
        },
    },
    Sheet {
        name: "MIPS_advance_loc8",
        machine: Convention::MIPS,
        about: "8 and 0x10204, in eight bytes although addresses have four",
        clause: "MIPS extension to DWARF: DW_CFA_MIPS_advance_loc8, an advance of eight bytes",
        catches: &[],
        write: |functions| {
            functions.function(
                0x2_0000,
                Program::new()
                    .offset(30, 2)
                    .mips_advance_loc8(8)
                    .def_cfa_offset(16)
                    .mips_advance_loc8(0x1_0204)
                    .def_cfa_offset(24),
                &[
                    (0, cfa(29, 0), &[(30, at(-8))]),
                    (8, cfa(29, 16), &[(30, at(-8))]),
                    (0x1_020c, cfa(29, 24), &[(30, at(-8))]),
                ],
            )
        },
    },
];
