//! Instructions that set a register's rule or go back to an earlier one.

use cfidiff_model::RegisterRule::{Register, SameValue, Undefined, ValOffset};

use super::Sheet;
use crate::suite::convention::Convention;
use crate::suite::rows::{at, cfa, expression, val_expression};
use crate::{Code, Program};

const FACTORED: &str = "DWARF 5 section 6.4.2.3: the offset is times the data alignment factor";
const BLOCK: &str = "DWARF 5 section 6.4.2.3: an expression with its length in front (exprloc)";
const STATE: &str = "DWARF 5 section 6.4.2.4: the rules are pushed, and popped into the current row";

pub(super) const SHEETS: &[Sheet] = &[
    Sheet {
        name: "offset",
        machine: Convention::X86_64,
        about: "registers 0, 32 and 63 in the opcode's low six bits, offsets 0, 127, 128 and 0x4000",
        clause: FACTORED,
        catches: &[],
        write: |functions| {
            let first = [(0, at(-8)), (12, at(-1016)), (13, at(-1024)), (32, at(0)), (63, at(-0x2_0000))];
            let then = [(0, at(-16)), (12, at(-1016)), (13, at(-1024)), (32, at(0)), (63, at(-0x2_0000))];
            functions.function(
                0x20,
                Program::new()
                    .offset(0, 1)
                    .offset(12, 127)
                    .offset(13, 128)
                    .offset(32, 0)
                    .offset(63, 0x4000)
                    .advance_loc(1)
                    .offset(0, 2),
                &[(0, cfa(7, 8), &first), (1, cfa(7, 8), &then)],
            )
        },
    },
    Sheet {
        name: "offset_extended",
        machine: Convention::X86_64,
        about: "registers 3, 64 and 126, offsets 0, 127 and 128; then register 128 in two bytes of LEB128",
        clause: FACTORED,
        catches: &[],
        write: |functions| {
            functions
                .function(
                    0x20,
                    Program::new().offset_extended(3, 0).offset_extended(64, 127).offset_extended(126, 128),
                    &[(0, cfa(7, 8), &[(3, at(0)), (64, at(-1016)), (126, at(-1024))])],
                )
                .function(0x20, Program::new().offset_extended(128, 2), &[(0, cfa(7, 8), &[(128, at(-16))])])
        },
    },
    Sheet {
        name: "offset_extended_sf",
        machine: Convention::X86_64,
        about: "offsets of both signs, whose numbers take one and two bytes of LEB128",
        clause: FACTORED,
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .offset_extended_sf(3, 2)
                    .offset_extended_sf(6, -2)
                    .offset_extended_sf(12, 63)
                    .offset_extended_sf(13, 64)
                    .offset_extended_sf(64, -64)
                    .offset_extended_sf(100, -65)
                    .offset_extended_sf(0, 0),
                &[(
                    0,
                    cfa(7, 8),
                    &[
                        (0, at(0)),
                        (3, at(-16)),
                        (6, at(16)),
                        (12, at(-504)),
                        (13, at(-512)),
                        (64, at(512)),
                        (100, at(520)),
                    ],
                )],
            )
        },
    },
    Sheet {
        name: "val_offset",
        machine: Convention::X86_64,
        about: "registers 3 and 64, offsets 0, 127 and 128",
        clause: FACTORED,
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new().val_offset(3, 0).val_offset(12, 127).val_offset(64, 128),
                &[(0, cfa(7, 8), &[(3, ValOffset(0)), (12, ValOffset(-1016)), (64, ValOffset(-1024))])],
            )
        },
    },
    Sheet {
        name: "val_offset_sf",
        machine: Convention::X86_64,
        about: "offsets of both signs, whose numbers take one and two bytes of LEB128",
        clause: FACTORED,
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .val_offset_sf(3, 2)
                    .val_offset_sf(6, -2)
                    .val_offset_sf(13, 64)
                    .val_offset_sf(64, -65),
                &[(
                    0,
                    cfa(7, 8),
                    &[(3, ValOffset(-16)), (6, ValOffset(16)), (13, ValOffset(-512)), (64, ValOffset(520))],
                )],
            )
        },
    },
    Sheet {
        name: "undefined",
        machine: Convention::X86_64,
        about: "registers 3 and 64, and later the return address, which so ends the stack",
        clause: "DWARF 5 section 6.4.2.3; section 6.4.4: no caller when the return address is undefined",
        catches: &["framehop commit 07ce0f4"],
        write: |functions| {
            functions.function(
                0x20,
                Program::new().undefined(3).undefined(64).advance_loc(1).undefined(16),
                &[
                    (0, cfa(7, 8), &[(3, Undefined), (64, Undefined)]),
                    (1, cfa(7, 8), &[(3, Undefined), (16, Undefined), (64, Undefined)]),
                ],
            )
        },
    },
    Sheet {
        name: "same_value",
        machine: Convention::X86_64,
        about: "registers 3 and 64, and later the return address",
        clause: "DWARF 5 section 6.4.2.3",
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new().same_value(3).same_value(64).advance_loc(1).same_value(16),
                &[
                    (0, cfa(7, 8), &[(3, SameValue), (64, SameValue)]),
                    (1, cfa(7, 8), &[(3, SameValue), (16, SameValue), (64, SameValue)]),
                ],
            )
        },
    },
    Sheet {
        name: "register",
        machine: Convention::X86_64,
        about: "3 in 12, 64 in 0, 13 in itself, and the return address in 2",
        clause: "DWARF 5 section 6.4.2.3: the first register's value is in the second one",
        catches: &["libunwind commit 396b6c7a"],
        write: |functions| {
            let rules = [(3, Register(12)), (13, Register(13)), (16, Register(2)), (64, Register(0))];
            functions.function(
                0x20,
                Program::new().register(3, 12).register(64, 0).register(13, 13).register(16, 2),
                &[(0, cfa(7, 8), &rules)],
            )
        },
    },
    Sheet {
        name: "expression",
        machine: Convention::X86_64,
        about: "registers 3 and 64",
        clause: BLOCK,
        catches: &["KSCrash PR 871"],
        write: |functions| {
            let (low, high) = (Code::new().breg(7, -8), Code::new().breg(6, 128).deref().plus_uconst(16));
            functions.function(
                0x20,
                Program::new().expression(3, low.clone()).expression(64, high.clone()),
                &[(0, cfa(7, 8), &[(3, expression(&low, 8)), (64, expression(&high, 8))])],
            )
        },
    },
    Sheet {
        name: "val_expression",
        machine: Convention::X86_64,
        about: "registers 3 and 64",
        clause: BLOCK,
        catches: &["KSCrash PR 871"],
        write: |functions| {
            let (low, high) = (Code::new().breg(7, 16).lit(1).plus(), Code::new().breg(6, -129).deref());
            functions.function(
                0x20,
                Program::new().val_expression(3, low.clone()).val_expression(64, high.clone()),
                &[(0, cfa(7, 8), &[(3, val_expression(&low, 8)), (64, val_expression(&high, 8))])],
            )
        },
    },
    Sheet {
        name: "restore",
        machine: Convention::X86_64,
        about: "of the return address to the CIE's rule, and of registers 3 and 63 to no rule",
        clause: "DWARF 5 section 6.4.2.3: the rule that the CIE's initial instructions set",
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .offset(3, 2)
                    .offset(16, 3)
                    .offset(63, 4)
                    .advance_loc(1)
                    .restore(3)
                    .restore(63)
                    .advance_loc(1)
                    .restore(16),
                &[
                    (0, cfa(7, 8), &[(3, at(-16)), (16, at(-24)), (63, at(-32))]),
                    (1, cfa(7, 8), &[(16, at(-24))]),
                    (2, cfa(7, 8), &[]),
                ],
            )
        },
    },
    Sheet {
        name: "restore_extended",
        machine: Convention::X86_64,
        about: "of the return address to the CIE's rule, of registers 64 and 128 to no rule, and of 3 without need",
        clause: "DWARF 5 section 6.4.2.3: the rule that the CIE's initial instructions set",
        catches: &[],
        write: |functions| {
            functions
                .function(
                    0x20,
                    Program::new()
                        .offset_extended(16, 3)
                        .offset_extended(64, 4)
                        .advance_loc(1)
                        .restore_extended(64)
                        .restore_extended(3)
                        .advance_loc(1)
                        .restore_extended(16),
                    &[
                        (0, cfa(7, 8), &[(16, at(-24)), (64, at(-32))]),
                        (1, cfa(7, 8), &[(16, at(-24))]),
                        (2, cfa(7, 8), &[]),
                    ],
                )
                .function(
                    0x20,
                    Program::new().offset_extended(128, 2).advance_loc(1).restore_extended(128),
                    &[(0, cfa(7, 8), &[(128, at(-16))]), (1, cfa(7, 8), &[])],
                )
        },
    },
    Sheet {
        name: "remember_state",
        machine: Convention::X86_64,
        about: "one behind the other; the state stays the current one",
        clause: STATE,
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .def_cfa_offset(16)
                    .offset(6, 2)
                    .remember_state()
                    .remember_state()
                    .advance_loc(1)
                    .offset(3, 3)
                    .remember_state(),
                &[(0, cfa(7, 16), &[(6, at(-16))]), (1, cfa(7, 16), &[(3, at(-24)), (6, at(-16))])],
            )
        },
    },
    Sheet {
        name: "restore_state",
        machine: Convention::X86_64,
        about: "of the CFA's register and offset, of a changed rule, of a new one and of a lost one",
        clause: STATE,
        catches: &["parca-agent PR 841", "binutils PR 16252", "gimli PR 274", "pyelftools PR 184"],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .def_cfa_offset(16)
                    .offset(6, 2)
                    .offset(12, 3)
                    .advance_loc(1)
                    .remember_state()
                    .def_cfa(6, 32)
                    .undefined(16)
                    .offset(3, 4)
                    .restore(12)
                    .advance_loc(1)
                    .restore_state()
                    .advance_loc(1)
                    .def_cfa_offset(24),
                &[
                    (0, cfa(7, 16), &[(6, at(-16)), (12, at(-24))]),
                    (1, cfa(6, 32), &[(3, at(-32)), (6, at(-16)), (16, Undefined)]),
                    (2, cfa(7, 16), &[(6, at(-16)), (12, at(-24))]),
                    (3, cfa(7, 24), &[(6, at(-16)), (12, at(-24))]),
                ],
            )
        },
    },
];
