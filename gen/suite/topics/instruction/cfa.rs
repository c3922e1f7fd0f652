//! Instructions that define the CFA.

use super::Sheet;
use crate::suite::convention::Convention;
use crate::suite::rows::{cfa, cfa_expression};
use crate::{Code, Program};

const UNFACTORED: &str = "DWARF 5 section 6.4.2.2: the offset is unsigned and has no factor";
const FACTORED: &str = "DWARF 5 section 6.4.2.2: the offset is signed, times the data alignment factor";

/// An expression of 132 bytes, whose length takes two bytes of LEB128.
fn long_expression() -> Code {
    (1..=13).fold(Code::new().breg(7, 0), |code, term| code.const8u(term << 56 | term).plus())
}

pub(super) const SHEETS: &[Sheet] = &[
    Sheet {
        name: "def_cfa",
        machine: Convention::X86_64,
        about: "registers 0, 64 and 100, offsets 0, 127, 128 and 0x4000",
        clause: UNFACTORED,
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .def_cfa(0, 0)
                    .advance_loc(1)
                    .def_cfa(6, 127)
                    .advance_loc(1)
                    .def_cfa(64, 128)
                    .advance_loc(1)
                    .def_cfa(100, 0x4000),
                &[
                    (0, cfa(0, 0), &[]),
                    (1, cfa(6, 127), &[]),
                    (2, cfa(64, 128), &[]),
                    (3, cfa(100, 0x4000), &[]),
                ],
            )
        },
    },
    Sheet {
        name: "def_cfa_register",
        machine: Convention::X86_64,
        about: "registers 6, 0 and 100; the offset stays what def_cfa, def_cfa_offset and def_cfa_sf made it",
        clause: "DWARF 5 section 6.4.2.2: the register changes, the offset stays",
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .def_cfa_register(6)
                    .advance_loc(1)
                    .def_cfa_offset(16)
                    .def_cfa_register(0)
                    .advance_loc(1)
                    .def_cfa_sf(7, 3)
                    .def_cfa_register(100),
                &[(0, cfa(6, 8), &[]), (1, cfa(0, 16), &[]), (2, cfa(100, -24), &[])],
            )
        },
    },
    Sheet {
        name: "def_cfa_offset",
        machine: Convention::X86_64,
        about: "0, 127, 128 and 0x7fffffff; the register stays",
        clause: UNFACTORED,
        catches: &[],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .def_cfa_register(6)
                    .def_cfa_offset(0)
                    .advance_loc(1)
                    .def_cfa_offset(127)
                    .advance_loc(1)
                    .def_cfa_offset(128)
                    .advance_loc(1)
                    .def_cfa_offset(0x7fff_ffff),
                &[
                    (0, cfa(6, 0), &[]),
                    (1, cfa(6, 127), &[]),
                    (2, cfa(6, 128), &[]),
                    (3, cfa(6, 0x7fff_ffff), &[]),
                ],
            )
        },
    },
    Sheet {
        name: "def_cfa_expression",
        machine: Convention::X86_64,
        about: "an expression of two bytes and one of 132, and a register again behind them",
        clause: "DWARF 5 section 6.4.2.2: an expression with its length in front (exprloc)",
        catches: &["KSCrash PR 871"],
        write: |functions| {
            let (short, long) = (Code::new().breg(7, 8), long_expression());
            functions.function(
                0x20,
                Program::new()
                    .def_cfa_expression(short.clone())
                    .advance_loc(1)
                    .def_cfa_expression(long.clone())
                    .advance_loc(1)
                    .def_cfa(6, 16),
                &[
                    (0, cfa_expression(&short, 8), &[]),
                    (1, cfa_expression(&long, 8), &[]),
                    (2, cfa(6, 16), &[]),
                ],
            )
        },
    },
    Sheet {
        name: "def_cfa_sf",
        machine: Convention::X86_64,
        about: "offsets of both signs, whose numbers take one and two bytes of LEB128",
        clause: FACTORED,
        catches: &["pyelftools PR 555"],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .def_cfa_sf(7, -2)
                    .advance_loc(1)
                    .def_cfa_sf(6, 1)
                    .advance_loc(1)
                    .def_cfa_sf(64, -64)
                    .advance_loc(1)
                    .def_cfa_sf(100, -65)
                    .advance_loc(1)
                    .def_cfa_sf(0, 64),
                &[
                    (0, cfa(7, 16), &[]),
                    (1, cfa(6, -8), &[]),
                    (2, cfa(64, 512), &[]),
                    (3, cfa(100, 520), &[]),
                    (4, cfa(0, -512), &[]),
                ],
            )
        },
    },
    Sheet {
        name: "def_cfa_offset_sf",
        machine: Convention::X86_64,
        about: "offsets of both signs, among them the -80 that the GNU assembler writes so; the register stays",
        clause: FACTORED,
        catches: &["pyelftools PR 555", "opentelemetry-ebpf-profiler PR 1881"],
        write: |functions| {
            functions.function(
                0x20,
                Program::new()
                    .def_cfa_offset_sf(10)
                    .advance_loc(1)
                    .def_cfa_offset_sf(-2)
                    .advance_loc(1)
                    .def_cfa_offset_sf(-64)
                    .advance_loc(1)
                    .def_cfa_register(6)
                    .def_cfa_offset_sf(-65)
                    .advance_loc(1)
                    .def_cfa_offset_sf(0),
                &[
                    (0, cfa(7, -80), &[]),
                    (1, cfa(7, 16), &[]),
                    (2, cfa(7, 512), &[]),
                    (3, cfa(6, 520), &[]),
                    (4, cfa(6, 0), &[]),
                ],
            )
        },
    },
];
