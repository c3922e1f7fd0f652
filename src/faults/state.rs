//! The state that instructions build up, row by row.

use cfidiff_cfi::{Rule, op};

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "cie-instructions-not-run",
        does: "starts an FDE's rows without the rules of its CIE",
        should: "start with them",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["binutils, an FDE before its CIE"],
        plant: |faulty| faulty.fde_starts_with_cie_rules = Some(|_| false),
    },
    PlantedFault {
        name: "cfa-of-register-zero",
        does: "gives a row without a CFA rule the CFA of register 0 and offset 0",
        should: "tell that the CFA is not defined",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["binutils ChangeLog 2016-06-02"],
        plant: |faulty| faulty.cfa_before_definition = Some(|_| Some((0, 0))),
    },
    PlantedFault {
        name: "return-address-lost-without-rule",
        does: "takes the return address for lost where no instruction gives it a rule",
        should: "show no rule: the machine's ABI says what that means",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["symbolic issue 948", "symbolic PR 612"],
        plant: |faulty| faulty.return_address_before_definition = Some(|_| Some(Rule::Undefined)),
    },
    PlantedFault {
        name: "return-address-unchanged-without-rule",
        does: "takes the return address to be in its register where no instruction gives it a rule",
        should: "show no rule: the machine's ABI says what that means",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["misreading: no rule is the rule same_value"],
        plant: |faulty| faulty.return_address_before_definition = Some(|_| Some(Rule::SameValue)),
    },
    PlantedFault {
        name: "long-advance-forgets",
        does: "starts a row from the CIE's rules behind advance_loc1, 2 and 4",
        should: "start it from the row before",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["parca-agent issue 772", "parca-agent PR 790"],
        plant: |faulty| {
            faulty.advance_keeps_rules =
                Some(|_, opcode| !matches!(opcode, op::ADVANCE_LOC1 | op::ADVANCE_LOC2 | op::ADVANCE_LOC4))
        },
    },
    PlantedFault {
        name: "val-offset-as-offset",
        does: "takes val_offset for offset: the value is read from memory at the CFA plus the offset",
        should: "take the sum itself for the value",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: one rule for another"],
        plant: |faulty| {
            faulty.register_rule = Some(|inner, opcode, rule| match inner.register_rule(opcode, rule) {
                Rule::ValOffset(offset) => Rule::Offset(offset),
                other => other,
            })
        },
    },
    PlantedFault {
        name: "same-value-as-undefined",
        does: "takes same_value for undefined",
        should: "keep the register's value",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: 08 is same_value"],
        plant: |faulty| {
            faulty.register_rule = Some(|inner, opcode, rule| match opcode {
                op::SAME_VALUE => Rule::Undefined,
                _ => inner.register_rule(opcode, rule),
            })
        },
    },
    PlantedFault {
        name: "undefined-as-same-value",
        does: "takes undefined for same_value, so that the outermost frame has a caller",
        should: "note that the value is lost",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["framehop commit 07ce0f4"],
        plant: |faulty| {
            faulty.register_rule = Some(|inner, opcode, rule| match opcode {
                op::UNDEFINED => Rule::SameValue,
                _ => inner.register_rule(opcode, rule),
            })
        },
    },
    PlantedFault {
        name: "expression-as-value",
        does: "takes the value of DW_CFA_expression for the register's value",
        should: "take it for the address where the value is saved",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["libunwind commit 679b65cd"],
        plant: |faulty| {
            faulty.register_rule = Some(|inner, opcode, rule| match opcode {
                op::EXPRESSION => match rule {
                    Rule::Expression(block) => Rule::ValExpression(block),
                    other => other,
                },
                _ => inner.register_rule(opcode, rule),
            })
        },
    },
    PlantedFault {
        name: "val-expression-as-address",
        does: "takes the value of DW_CFA_val_expression for an address where the register is saved",
        should: "take it for the register's value",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["libunwind commit 22aff2cc"],
        plant: |faulty| {
            faulty.register_rule = Some(|inner, opcode, rule| match opcode {
                op::VAL_EXPRESSION => match rule {
                    Rule::ValExpression(block) => Rule::Expression(block),
                    other => other,
                },
                _ => inner.register_rule(opcode, rule),
            })
        },
    },
    PlantedFault {
        name: "register-as-same-value",
        does: "takes DW_CFA_register for same_value",
        should: "note the register that has the value",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: one rule for another"],
        plant: |faulty| {
            faulty.register_rule = Some(|inner, opcode, rule| match opcode {
                op::REGISTER => Rule::SameValue,
                _ => inner.register_rule(opcode, rule),
            })
        },
    },
    PlantedFault {
        name: "restore-to-undefined",
        does: "lets restore make a register undefined",
        should: "go back to the rule of the CIE's instructions",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: restore goes to the CIE's rule"],
        plant: |faulty| faulty.restored_rule = Some(|_, _| Some(Rule::Undefined)),
    },
    PlantedFault {
        name: "restore-to-none",
        does: "lets restore take a register's rule away",
        should: "go back to the rule of the CIE's instructions",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: restore goes to the CIE's rule"],
        plant: |faulty| faulty.restored_rule = Some(|_, _| None),
    },
    PlantedFault {
        name: "restore-to-same-value",
        does: "lets restore give a register the rule same_value",
        should: "go back to the rule of the CIE's instructions, or to none",
        clause: "DWARF 5 section 6.4.2.3: register rule instructions",
        models: &["misreading: restore goes to the CIE's rule"],
        plant: |faulty| faulty.restored_rule = Some(|_, _| Some(Rule::SameValue)),
    },
    PlantedFault {
        name: "remembered-not-copied",
        does: "changes the remembered state with the current one, so that restore_state brings nothing back",
        should: "keep a copy at remember_state",
        clause: "DWARF 5 section 6.4.2.4: row state instructions",
        models: &["pyelftools issue 103", "pyelftools PR 184"],
        plant: |faulty| faulty.remembered_state_is_copy = Some(|_| false),
    },
    PlantedFault {
        name: "remembered-without-cfa",
        does: "restores the registers alone at restore_state",
        should: "restore the CFA rule as well",
        clause: "DWARF 5 section 6.4.2.4: row state instructions",
        models: &["binutils PR 16252", "llvm-dwarfdump before 16", "parca-agent PR 841"],
        plant: |faulty| faulty.remembered_state_has_cfa = Some(|_| false),
    },
    PlantedFault {
        name: "remembered-without-registers",
        does: "restores the CFA alone at restore_state",
        should: "restore the register rules as well",
        clause: "DWARF 5 section 6.4.2.4: row state instructions",
        models: &["misreading: a state is the CFA's"],
        plant: |faulty| faulty.remembered_state_has_registers = Some(|_| false),
    },
    PlantedFault {
        name: "remembered-once",
        does: "keeps one remembered state, which each remember_state writes anew",
        should: "keep a stack of them",
        clause: "DWARF 5 section 6.4.2.4: row state instructions",
        models: &["gimli issue 273"],
        plant: |faulty| faulty.remembered_states_nest = Some(|_| false),
    },
    PlantedFault {
        name: "remembered-location",
        does: "goes back to the location of remember_state at restore_state",
        should: "keep the location",
        clause: "DWARF 5 section 6.4.2.4: row state instructions; 6.4.3: locations ascend",
        models: &["gimli PR 274", "pyelftools PR 184"],
        plant: |faulty| faulty.remembered_state_has_location = Some(|_| true),
    },
    PlantedFault {
        name: "def-cfa-register-clears-offset",
        does: "sets the CFA's offset to zero at def_cfa_register",
        should: "keep the offset",
        clause: "DWARF 5 section 6.4.2.2: CFA definition instructions",
        models: &["misreading: changes the register only"],
        plant: |faulty| faulty.offset_after_def_cfa_register = Some(|_, _| 0),
    },
    PlantedFault {
        name: "first-def-cfa-register-refused",
        does: "refuses def_cfa_register before the CFA was defined",
        should: "take the offset for zero",
        clause: "GNU assembler, CIEs of MIPS: def_cfa_register comes first",
        models: &["misreading: changes the register of a rule that is there"],
        plant: |faulty| faulty.first_cfa_of_register = Some(|_, _| None),
    },
    PlantedFault {
        name: "args-size-added-to-cfa",
        does: "adds the size of GNU_args_size to the CFA's offset",
        should: "leave the CFA alone: the size is for the landing",
        clause: "LSB: DW_CFA_GNU_args_size",
        models: &["libunwind commit 4b63a536"],
        plant: |faulty| {
            faulty.offset_after_args_size = Some(|_, before, size| before.wrapping_add(size as i64))
        },
    },
    PlantedFault {
        name: "ra-state-set",
        does: "lets AARCH64_negate_ra_state set the state instead of flipping it",
        should: "flip it",
        clause: "AArch64 DWARF supplement: RA_SIGN_STATE is flipped",
        models: &["llvm PR 206814"],
        plant: |faulty| {
            faulty.ra_state_after = Some(|_, before, with_pc| before | if with_pc { 3 } else { 1 })
        },
    },
    PlantedFault {
        name: "ra-state-without-pc",
        does: "lets AARCH64_negate_ra_state_with_pc flip the state of the signature alone",
        should: "flip that of the PC as well",
        clause: "AArch64 DWARF supplement: RA_SIGN_STATE has two bits",
        models: &["llvm PR 206814"],
        plant: |faulty| faulty.ra_state_after = Some(|_, before, _| before ^ 1),
    },
    PlantedFault {
        name: "last-row-one-short",
        does: "ends the last row one byte before the FDE's end",
        should: "end it at the initial location plus the range",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["parca-agent commit 9ae23236"],
        plant: |faulty| {
            faulty.last_row_end = Some(|inner, start, range| inner.last_row_end(start, range).wrapping_sub(1))
        },
    },
    PlantedFault {
        name: "last-row-one-long",
        does: "ends the last row one byte behind the FDE's end",
        should: "end it at the initial location plus the range",
        clause: "DWARF 5 section 6.4.3: call frame instruction usage",
        models: &["delve commit 464a6b96"],
        plant: |faulty| {
            faulty.last_row_end = Some(|inner, start, range| inner.last_row_end(start, range).wrapping_add(1))
        },
    },
];
