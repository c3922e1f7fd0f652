//! Call frame instructions: opcodes, operands and factors.

use cfidiff_cfi::{Opcode2d, OpcodeUse, op};

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "instructions-past-the-record",
        does: "goes on with instructions behind the end of the record",
        should: "stop where the record's length says",
        clause: "DWARF 5 section 6.4.1: length",
        models: &["misreading: exactly the declared number of bytes"],
        plant: |faulty| faulty.instructions_end = Some(|_, end| end + 4),
    },
    PlantedFault {
        name: "last-instruction-byte-lost",
        does: "stops one byte before the end of the record",
        should: "read the instructions up to the record's end",
        clause: "DWARF 5 section 6.4.1: length",
        models: &["elfutils commit ee29a31c"],
        plant: |faulty| faulty.instructions_end = Some(|_, end| end.saturating_sub(1)),
    },
    PlantedFault {
        name: "nop-ends",
        does: "takes the first zero byte among the instructions for their end",
        should: "pass over it: it is DW_CFA_nop",
        clause: "DWARF 5 section 7.24: call frame instruction encodings",
        models: &["misreading: a parser that stops at the first 0x00"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::NOP => OpcodeUse::End,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "def-cfa-operands-run",
        does: "takes the operands of def_cfa for opcodes",
        should: "read them as a register and an offset",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["misreading: 07 is undefined, 08 is same_value"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::DEF_CFA => OpcodeUse::WithoutOperands,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "args-size-operand-run",
        does: "takes the operand of GNU_args_size for an opcode",
        should: "read it as a size",
        clause: "LSB: DW_CFA_GNU_args_size has an unsigned LEB128 operand",
        models: &["misreading: an opcode of a vendor has no operand"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::GNU_ARGS_SIZE => OpcodeUse::WithoutOperands,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "args-size-unknown",
        does: "does not know GNU_args_size",
        should: "read it as the machine's vendor defines it",
        clause: "LSB: DW_CFA_GNU_args_size, 0x2e",
        models: &["gimli PR 319", "pyelftools issue 320", "pyelftools 0.33"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::GNU_ARGS_SIZE => OpcodeUse::Undefined,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "opcode-2d-unknown",
        does: "does not know opcode 0x2d",
        should: "read it as the machine's vendor defines it",
        clause: "AArch64 DWARF supplement and SPARC: opcode 0x2d",
        models: &["gimli issue 667", "pyelftools PR 527", "parca-agent issue 2181"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::GNU_WINDOW_SAVE => OpcodeUse::Undefined,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "opcode-2c-unknown",
        does: "does not know AARCH64_negate_ra_state_with_pc",
        should: "read it as the machine's vendor defines it",
        clause: "AArch64 DWARF supplement: opcode 0x2c",
        models: &["llvm PR 206814"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::AARCH64_NEGATE_RA_STATE_WITH_PC => OpcodeUse::Undefined,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "negative-offset-unknown",
        does: "does not know GNU_negative_offset_extended",
        should: "read it as the machine's vendor defines it",
        clause: "LSB: DW_CFA_GNU_negative_offset_extended, 0x2f",
        models: &["parca-agent issue 2459"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::GNU_NEGATIVE_OFFSET_EXTENDED => OpcodeUse::Undefined,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "val-expression-unknown",
        does: "does not know val_expression",
        should: "read a register and an expression",
        clause: "DWARF 5 section 7.24: call frame instruction encodings",
        models: &["parca-agent issue 2459"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::VAL_EXPRESSION => OpcodeUse::Undefined,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "advance-loc8-unknown",
        does: "does not know MIPS_advance_loc8",
        should: "read it as the machine's vendor defines it",
        clause: "MIPS: DW_CFA_MIPS_advance_loc8, 0x1d",
        models: &["parca-agent issue 2459"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::MIPS_ADVANCE_LOC8 => OpcodeUse::Undefined,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "aspace-unknown",
        does: "does not know LLVM_def_aspace_cfa",
        should: "read it as the machine's vendor defines it",
        clause: "LLVM: DW_CFA_LLVM_def_aspace_cfa, 0x30",
        models: &["parca-agent issue 2459"],
        plant: |faulty| {
            faulty.opcode_use = Some(|inner, opcode| match opcode {
                op::LLVM_DEF_ASPACE_CFA => OpcodeUse::Undefined,
                _ => inner.opcode_use(opcode),
            })
        },
    },
    PlantedFault {
        name: "cfa-offset-sf-ignored",
        does: "reads def_cfa_offset_sf and does nothing about it",
        should: "set the CFA's offset",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["pyelftools issue 554"],
        plant: |faulty| {
            faulty.has_effect =
                Some(|inner, opcode| opcode != op::DEF_CFA_OFFSET_SF && inner.has_effect(opcode))
        },
    },
    PlantedFault {
        name: "cfa-expression-ignored",
        does: "reads def_cfa_expression and keeps the CFA rule before it",
        should: "make the expression the CFA rule",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["opentelemetry-ebpf-profiler PR 1253"],
        plant: |faulty| {
            faulty.has_effect =
                Some(|inner, opcode| opcode != op::DEF_CFA_EXPRESSION && inner.has_effect(opcode))
        },
    },
    PlantedFault {
        name: "register-rules-ignored",
        does: "reads DW_CFA_register and does nothing about it",
        should: "note that the value is in the other register",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["parca-agent PR 841"],
        plant: |faulty| {
            faulty.has_effect = Some(|inner, opcode| opcode != op::REGISTER && inner.has_effect(opcode))
        },
    },
    PlantedFault {
        name: "register-one-too-high",
        does: "takes the register behind the one of this number",
        should: "count registers from zero",
        clause: "DWARF 5 section 2.6.1.1.3: register numbers are the ABI's",
        models: &["libunwind commit 396b6c7a"],
        plant: |faulty| faulty.register = Some(|_, number| number.wrapping_add(1)),
    },
    PlantedFault {
        name: "register-of-eight-bits",
        does: "keeps the low eight bits of a register's number",
        should: "keep the whole number",
        clause: "DWARF 5 section 7.24: call frame instruction encodings",
        models: &["misreading: a register's number is a byte"],
        plant: |faulty| faulty.register = Some(|_, number| number & 0xff),
    },
    PlantedFault {
        name: "expression-size-short",
        does: "counts the byte of its size into an expression",
        should: "count the bytes behind it",
        clause: "DWARF 5 section 7.5.5: class exprloc",
        models: &["misreading: 0c 07 08 in the place of 0b 77 08"],
        plant: |faulty| faulty.expression_size = Some(|_, told| told.saturating_sub(1)),
    },
    PlantedFault {
        name: "expression-size-long",
        does: "takes one byte more for an expression than its size says",
        should: "take as many as it says",
        clause: "DWARF 5 section 7.5.5: class exprloc",
        models: &["KSCrash PR 871", "misreading: twelve bytes"],
        plant: |faulty| faulty.expression_size = Some(|_, told| told.saturating_add(1)),
    },
    PlantedFault {
        name: "advance-loc2-of-one-byte",
        does: "reads one byte for the delta of advance_loc2",
        should: "read two",
        clause: "DWARF 5 section 6.4.2.1: row creation instructions",
        models: &["misreading: operand widths"],
        plant: |faulty| {
            faulty.advance_width = Some(|inner, opcode| match opcode {
                op::ADVANCE_LOC2 => 1,
                _ => inner.advance_width(opcode),
            })
        },
    },
    PlantedFault {
        name: "advance-loc4-of-two-bytes",
        does: "reads two bytes for the delta of advance_loc4",
        should: "read four",
        clause: "DWARF 5 section 6.4.2.1: row creation instructions",
        models: &["misreading: operand widths"],
        plant: |faulty| {
            faulty.advance_width = Some(|inner, opcode| match opcode {
                op::ADVANCE_LOC4 => 2,
                _ => inner.advance_width(opcode),
            })
        },
    },
    PlantedFault {
        name: "advance-loc1-of-two-bytes",
        does: "reads two bytes for the delta of advance_loc1",
        should: "read one",
        clause: "DWARF 5 section 6.4.2.1: row creation instructions",
        models: &["misreading: operand widths"],
        plant: |faulty| {
            faulty.advance_width = Some(|inner, opcode| match opcode {
                op::ADVANCE_LOC1 => 2,
                _ => inner.advance_width(opcode),
            })
        },
    },
    PlantedFault {
        name: "advance-loc8-of-four-bytes",
        does: "reads four bytes for the delta of MIPS_advance_loc8",
        should: "read eight",
        clause: "MIPS: DW_CFA_MIPS_advance_loc8",
        models: &["misreading: operand widths"],
        plant: |faulty| {
            faulty.advance_width = Some(|inner, opcode| match opcode {
                op::MIPS_ADVANCE_LOC8 => 4,
                _ => inner.advance_width(opcode),
            })
        },
    },
    PlantedFault {
        name: "advance-unfactored",
        does: "does not multiply advances by the code alignment factor",
        should: "multiply them",
        clause: "DWARF 5 section 6.4.2.1: row creation instructions",
        models: &["gimli PR 401"],
        plant: |faulty| faulty.advance_delta = Some(|_, delta, _| delta),
    },
    PlantedFault {
        name: "advance-ignored",
        does: "lets all rows start at the initial location",
        should: "advance the location by the delta times the code alignment factor",
        clause: "DWARF 5 section 6.4.2.1: row creation instructions",
        models: &["misreading: one rule for a whole function"],
        plant: |faulty| faulty.advance_delta = Some(|_, _, _| 0),
    },
    PlantedFault {
        name: "zero-code-factor-as-one",
        does: "takes a code alignment factor of zero for one",
        should: "multiply by zero: the location stays",
        clause: "DWARF 5 section 6.4.2.1: row creation instructions",
        models: &["java-profiler PR 786"],
        plant: |faulty| {
            faulty.advance_delta = Some(|inner, delta, factor| inner.advance_delta(delta, factor.max(1)))
        },
    },
    PlantedFault {
        name: "set-loc-as-address",
        does: "reads the operand of set_loc as a plain address",
        should: "read it in the encoding of the CIE's R",
        clause: "GCC and the run-time unwinder: set_loc has the encoding of initial locations in .eh_frame",
        models: &["elfutils commit c1e4e29f"],
        plant: |faulty| faulty.set_loc_encoding = Some(|_, _, _| 0),
    },
    PlantedFault {
        name: "signed-operands-unsigned",
        does: "reads the operands of the _sf instructions as unsigned numbers",
        should: "read them as signed LEB128 numbers",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions; 6.4.2.3",
        models: &["misreading: signedness"],
        plant: |faulty| faulty.offset_is_signed = Some(|_, _| false),
    },
    PlantedFault {
        name: "unsigned-operands-signed",
        does: "reads the operand of offset and offset_extended as a signed number",
        should: "read it as an unsigned LEB128 number",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: signedness"],
        plant: |faulty| faulty.offset_is_signed = Some(|_, _| true),
    },
    PlantedFault {
        name: "offset-unfactored",
        does: "does not multiply the offsets of register rules by the data alignment factor",
        should: "multiply them",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: factored=-8"],
        plant: |faulty| faulty.factored_offset = Some(|_, _, operand, _, _| operand),
    },
    PlantedFault {
        name: "offset-by-code-factor",
        does: "multiplies the offsets of register rules by the code alignment factor",
        should: "multiply them by the data alignment factor",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: two factors"],
        plant: |faulty| {
            faulty.factored_offset = Some(|_, _, operand, code, _| operand.wrapping_mul(code as i64))
        },
    },
    PlantedFault {
        name: "offset-saturates",
        does: "takes the largest number for a product of offset and data alignment factor that does not fit 64 bits",
        should: "let it wrap around, as sums of addresses do",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["gimli PR 509", "DW202306-001"],
        plant: |faulty| {
            faulty.factored_offset =
                Some(|inner, opcode, operand, code, data| match operand.checked_mul(data) {
                    Some(_) => inner.factored_offset(opcode, operand, code, data),
                    None => operand.saturating_mul(data),
                })
        },
    },
    PlantedFault {
        name: "data-factor-absolute",
        does: "takes the absolute value of the data alignment factor in register rules",
        should: "keep its sign",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: save locations in the caller's frame"],
        plant: |faulty| {
            faulty.factored_offset = Some(|inner, opcode, operand, code, data| {
                inner.factored_offset(opcode, operand, code, data.wrapping_abs())
            })
        },
    },
    PlantedFault {
        name: "negative-offset-positive",
        does: "does not negate the operand of GNU_negative_offset_extended",
        should: "subtract the factored operand",
        clause: "LSB: DW_CFA_GNU_negative_offset_extended",
        models: &["parca-agent issue 2459"],
        plant: |faulty| {
            faulty.factored_offset = Some(|inner, opcode, operand, code, data| match opcode {
                op::GNU_NEGATIVE_OFFSET_EXTENDED => {
                    inner.factored_offset(op::OFFSET_EXTENDED, operand, code, data)
                }
                _ => inner.factored_offset(opcode, operand, code, data),
            })
        },
    },
    PlantedFault {
        name: "val-offset-unfactored",
        does: "does not multiply the operands of val_offset and val_offset_sf by the data alignment factor",
        should: "multiply them",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["DW202306-001"],
        plant: |faulty| {
            faulty.factored_offset = Some(|inner, opcode, operand, code, data| match opcode {
                op::VAL_OFFSET | op::VAL_OFFSET_SF => operand,
                _ => inner.factored_offset(opcode, operand, code, data),
            })
        },
    },
    PlantedFault {
        name: "offset-sf-unfactored",
        does: "does not multiply the operand of offset_extended_sf by the data alignment factor",
        should: "multiply it",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["DW202306-001"],
        plant: |faulty| {
            faulty.factored_offset = Some(|inner, opcode, operand, code, data| match opcode {
                op::OFFSET_EXTENDED_SF => operand,
                _ => inner.factored_offset(opcode, operand, code, data),
            })
        },
    },
    PlantedFault {
        name: "cfa-offset-factored",
        does: "multiplies the operand of def_cfa and def_cfa_offset by eight",
        should: "take it in bytes",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["misreading: factored operands"],
        plant: |faulty| faulty.cfa_offset = Some(|_, operand| operand.wrapping_mul(8)),
    },
    PlantedFault {
        name: "cfa-offset-negated",
        does: "lets the CFA's offset go down when the stack grows",
        should: "take it as written",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["misreading: the distance shrinks"],
        plant: |faulty| faulty.cfa_offset = Some(|_, operand| operand.wrapping_neg()),
    },
    PlantedFault {
        name: "cfa-offset-sf-unfactored",
        does: "does not multiply the operand of def_cfa_sf and def_cfa_offset_sf by the data alignment factor",
        should: "multiply it",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["pyelftools issue 554"],
        plant: |faulty| faulty.cfa_offset_sf = Some(|_, _, operand, _, _| operand),
    },
    PlantedFault {
        name: "cfa-offset-sf-by-code-factor",
        does: "multiplies the operand of def_cfa_sf and def_cfa_offset_sf by the code alignment factor",
        should: "multiply it by the data alignment factor",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["misreading: two factors"],
        plant: |faulty| {
            faulty.cfa_offset_sf = Some(|_, _, operand, code, _| operand.wrapping_mul(code as i64))
        },
    },
    PlantedFault {
        name: "def-cfa-sf-by-code-factor",
        does: "multiplies the offset of def_cfa_sf by the code alignment factor",
        should: "multiply it by the data alignment factor, as that of def_cfa_offset_sf",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["pyelftools 0.32 and 0.33"],
        plant: |faulty| {
            faulty.cfa_offset_sf = Some(|inner, opcode, operand, code, data| match opcode {
                op::DEF_CFA_SF => operand.wrapping_mul(code as i64),
                _ => inner.cfa_offset_sf(opcode, operand, code, data),
            })
        },
    },
    PlantedFault {
        name: "def-cfa-sf-unfactored",
        does: "does not multiply the offset of def_cfa_sf by the data alignment factor",
        should: "multiply it, as that of def_cfa_offset_sf",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["DW202306-001"],
        plant: |faulty| {
            faulty.cfa_offset_sf = Some(|inner, opcode, operand, code, data| match opcode {
                op::DEF_CFA_SF => operand,
                _ => inner.cfa_offset_sf(opcode, operand, code, data),
            })
        },
    },
    PlantedFault {
        name: "cfa-offset-sf-absolute",
        does: "takes the absolute value of the data alignment factor in def_cfa_sf and def_cfa_offset_sf",
        should: "keep its sign",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["misreading: the factor's sign"],
        plant: |faulty| {
            faulty.cfa_offset_sf = Some(|inner, opcode, operand, code, data| {
                inner.cfa_offset_sf(opcode, operand, code, data.wrapping_abs())
            })
        },
    },
    PlantedFault {
        name: "negative-cfa-offset-lost",
        does: "takes a negative offset of def_cfa_sf and def_cfa_offset_sf for zero",
        should: "keep it",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["opentelemetry-ebpf-profiler issue 1825"],
        plant: |faulty| {
            faulty.cfa_offset_sf = Some(|inner, opcode, operand, code, data| {
                inner.cfa_offset_sf(opcode, operand, code, data).max(0)
            })
        },
    },
    PlantedFault {
        name: "negate-ra-state-as-window-save",
        does: "takes opcode 0x2d for GNU_window_save on AArch64",
        should: "take it for AARCH64_negate_ra_state there",
        clause: "AArch64 DWARF supplement: opcode 0x2d",
        models: &["binutils 2.35", "breakpad commit afc8daa2"],
        plant: |faulty| faulty.opcode_2d = Some(|_, _| Opcode2d::WindowSave),
    },
    PlantedFault {
        name: "window-save-as-negate-ra-state",
        does: "takes opcode 0x2d for AARCH64_negate_ra_state on every machine",
        should: "take it for GNU_window_save where the machine is not AArch64",
        clause: "AArch64 DWARF supplement and SPARC: opcode 0x2d",
        models: &["gimli PR 673"],
        plant: |faulty| faulty.opcode_2d = Some(|_, _| Opcode2d::NegateRaState),
    },
    PlantedFault {
        name: "register-windows-everywhere",
        does: "lets GNU_window_save save registers on machines without register windows",
        should: "save them on SPARC alone",
        clause: "SPARC: DW_CFA_GNU_window_save saves the register window",
        models: &["binutils 2.35"],
        plant: |faulty| faulty.has_register_windows = Some(|_, _| true),
    },
    PlantedFault {
        name: "register-windows-ignored",
        does: "lets GNU_window_save do nothing on SPARC",
        should: "save the local and the in registers at the CFA",
        clause: "SPARC: DW_CFA_GNU_window_save saves the register window",
        models: &["mold commit 46c38ca7"],
        plant: |faulty| faulty.has_register_windows = Some(|_, _| false),
    },
    PlantedFault {
        name: "opcode-2c-everywhere",
        does: "takes opcode 0x2c for AARCH64_negate_ra_state_with_pc on every machine",
        should: "know it on AArch64 alone",
        clause: "AArch64 DWARF supplement: opcode 0x2c",
        models: &["llvm PR 206814"],
        plant: |faulty| faulty.has_negate_ra_state_with_pc = Some(|_, _| true),
    },
];
