//! DWARF expressions as lists of operations, so that readers that show bytes and readers that print text can
//! be compared.

/// One operation of a DWARF expression (DWARF 5 section 2.5).
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Operation {
    /// The opcode byte, with register numbers of `DW_OP_reg0` and its like included.
    pub opcode: u8,
    /// The operands in order, signed ones as two's complement of 64 bits. Empty for a truncated operation.
    pub operands: smallvec::SmallVec<[u64; 2]>,
    /// The bytes of a block operand (DW_OP_implicit_value and its like); empty otherwise.
    pub block: Vec<u8>,
}

impl Operation {
    /// An operation with the given operands and no block.
    pub fn new(opcode: u8, operands: &[u64]) -> Operation {
        Operation { opcode, operands: operands.into(), block: Vec::new() }
    }
}

/// A DWARF expression, operation by operation.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Default)]
pub struct Expression {
    /// The operations in order, up to the first that could not be read.
    pub operations: Vec<Operation>,
    /// The size of the expression in bytes, where the reader tells it.
    pub size: Option<u64>,
}

impl Expression {
    /// Whether two readers say the same of an expression: its operations, and its size where both tell it.
    pub fn same_as(&self, other: &Expression) -> bool {
        let sizes_differ = self.size.zip(other.size).is_some_and(|(one, other)| one != other);
        self.operations == other.operations && !sizes_differ
    }
}

/// Plain names by opcode, without those that carry a number (`lit`, `reg`, `breg`): DWARF 5 section 7.7.1 and
/// the GNU extensions that compilers emit.
const NAMES: &[(u8, &str)] = &[
    (0x03, "DW_OP_addr"),
    (0x06, "DW_OP_deref"),
    (0x08, "DW_OP_const1u"),
    (0x09, "DW_OP_const1s"),
    (0x0a, "DW_OP_const2u"),
    (0x0b, "DW_OP_const2s"),
    (0x0c, "DW_OP_const4u"),
    (0x0d, "DW_OP_const4s"),
    (0x0e, "DW_OP_const8u"),
    (0x0f, "DW_OP_const8s"),
    (0x10, "DW_OP_constu"),
    (0x11, "DW_OP_consts"),
    (0x12, "DW_OP_dup"),
    (0x13, "DW_OP_drop"),
    (0x14, "DW_OP_over"),
    (0x15, "DW_OP_pick"),
    (0x16, "DW_OP_swap"),
    (0x17, "DW_OP_rot"),
    (0x18, "DW_OP_xderef"),
    (0x19, "DW_OP_abs"),
    (0x1a, "DW_OP_and"),
    (0x1b, "DW_OP_div"),
    (0x1c, "DW_OP_minus"),
    (0x1d, "DW_OP_mod"),
    (0x1e, "DW_OP_mul"),
    (0x1f, "DW_OP_neg"),
    (0x20, "DW_OP_not"),
    (0x21, "DW_OP_or"),
    (0x22, "DW_OP_plus"),
    (0x23, "DW_OP_plus_uconst"),
    (0x24, "DW_OP_shl"),
    (0x25, "DW_OP_shr"),
    (0x26, "DW_OP_shra"),
    (0x27, "DW_OP_xor"),
    (0x28, "DW_OP_bra"),
    (0x29, "DW_OP_eq"),
    (0x2a, "DW_OP_ge"),
    (0x2b, "DW_OP_gt"),
    (0x2c, "DW_OP_le"),
    (0x2d, "DW_OP_lt"),
    (0x2e, "DW_OP_ne"),
    (0x2f, "DW_OP_skip"),
    (0x90, "DW_OP_regx"),
    (0x91, "DW_OP_fbreg"),
    (0x92, "DW_OP_bregx"),
    (0x93, "DW_OP_piece"),
    (0x94, "DW_OP_deref_size"),
    (0x95, "DW_OP_xderef_size"),
    (0x96, "DW_OP_nop"),
    (0x97, "DW_OP_push_object_address"),
    (0x98, "DW_OP_call2"),
    (0x99, "DW_OP_call4"),
    (0x9a, "DW_OP_call_ref"),
    (0x9b, "DW_OP_form_tls_address"),
    (0x9c, "DW_OP_call_frame_cfa"),
    (0x9d, "DW_OP_bit_piece"),
    (0x9e, "DW_OP_implicit_value"),
    (0x9f, "DW_OP_stack_value"),
    (0xa0, "DW_OP_implicit_pointer"),
    (0xa1, "DW_OP_addrx"),
    (0xa2, "DW_OP_constx"),
    (0xa3, "DW_OP_entry_value"),
    (0xa4, "DW_OP_const_type"),
    (0xa5, "DW_OP_regval_type"),
    (0xa6, "DW_OP_deref_type"),
    (0xa7, "DW_OP_xderef_type"),
    (0xa8, "DW_OP_convert"),
    (0xa9, "DW_OP_reinterpret"),
    (0xe0, "DW_OP_GNU_push_tls_address"),
    (0xf0, "DW_OP_GNU_uninit"),
    (0xf1, "DW_OP_GNU_encoded_addr"),
    (0xf2, "DW_OP_GNU_implicit_pointer"),
    (0xf3, "DW_OP_GNU_entry_value"),
    (0xf4, "DW_OP_GNU_const_type"),
    (0xf5, "DW_OP_GNU_regval_type"),
    (0xf6, "DW_OP_GNU_deref_type"),
    (0xf7, "DW_OP_GNU_convert"),
    (0xf9, "DW_OP_GNU_reinterpret"),
    (0xfa, "DW_OP_GNU_parameter_ref"),
    (0xfb, "DW_OP_GNU_addr_index"),
    (0xfc, "DW_OP_GNU_const_index"),
    (0xfd, "DW_OP_GNU_variable_value"),
];

/// The runs of 32 operations whose name ends in a number.
const NUMBERED: [(u8, &str); 3] = [(0x30, "DW_OP_lit"), (0x50, "DW_OP_reg"), (0x70, "DW_OP_breg")];

/// The standard name of an operation (DWARF 5 table 7.9), or `None` for an unassigned opcode.
pub fn operation_name(opcode: u8) -> Option<String> {
    for (first, stem) in NUMBERED {
        if (first..first + 32).contains(&opcode) {
            return Some(format!("{stem}{}", opcode - first));
        }
    }
    let at = NAMES.binary_search_by_key(&opcode, |&(code, _)| code).ok()?;
    Some(NAMES[at].1.to_owned())
}

/// The opcode of a standard operation name: the inverse of [`operation_name`].
pub fn operation_by_name(name: &str) -> Option<u8> {
    for (first, stem) in NUMBERED {
        if let Some(number) = name.strip_prefix(stem).and_then(|digits| digits.parse::<u8>().ok()) {
            return (number < 32).then(|| first + number);
        }
    }
    NAMES.iter().find(|(_, known)| *known == name).map(|&(code, _)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_name_leads_back_to_its_opcode() {
        assert!(NAMES.is_sorted_by_key(|&(code, _)| code));
        for opcode in 0..=u8::MAX {
            if let Some(name) = operation_name(opcode) {
                assert_eq!(operation_by_name(&name), Some(opcode), "{name}");
            }
        }
        assert_eq!(operation_by_name("DW_OP_lit32"), None);
        assert_eq!(operation_by_name("DW_OP_breg7"), Some(0x77));
    }
}
