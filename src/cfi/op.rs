//! The opcodes of call frame instructions (DWARF 5 section 7.24, and the vendors' extensions).

#![expect(missing_docs, reason = "the names are the standard's")]

pub const NOP: u8 = 0x00;
pub const SET_LOC: u8 = 0x01;
pub const ADVANCE_LOC1: u8 = 0x02;
pub const ADVANCE_LOC2: u8 = 0x03;
pub const ADVANCE_LOC4: u8 = 0x04;
pub const OFFSET_EXTENDED: u8 = 0x05;
pub const RESTORE_EXTENDED: u8 = 0x06;
pub const UNDEFINED: u8 = 0x07;
pub const SAME_VALUE: u8 = 0x08;
pub const REGISTER: u8 = 0x09;
pub const REMEMBER_STATE: u8 = 0x0a;
pub const RESTORE_STATE: u8 = 0x0b;
pub const DEF_CFA: u8 = 0x0c;
pub const DEF_CFA_REGISTER: u8 = 0x0d;
pub const DEF_CFA_OFFSET: u8 = 0x0e;
pub const DEF_CFA_EXPRESSION: u8 = 0x0f;
pub const EXPRESSION: u8 = 0x10;
pub const OFFSET_EXTENDED_SF: u8 = 0x11;
pub const DEF_CFA_SF: u8 = 0x12;
pub const DEF_CFA_OFFSET_SF: u8 = 0x13;
pub const VAL_OFFSET: u8 = 0x14;
pub const VAL_OFFSET_SF: u8 = 0x15;
pub const VAL_EXPRESSION: u8 = 0x16;
pub const MIPS_ADVANCE_LOC8: u8 = 0x1d;
pub const AARCH64_NEGATE_RA_STATE_WITH_PC: u8 = 0x2c;
pub const GNU_WINDOW_SAVE: u8 = 0x2d;
pub const GNU_ARGS_SIZE: u8 = 0x2e;
pub const GNU_NEGATIVE_OFFSET_EXTENDED: u8 = 0x2f;
pub const LLVM_DEF_ASPACE_CFA: u8 = 0x30;
pub const LLVM_DEF_ASPACE_CFA_SF: u8 = 0x31;
pub const ADVANCE_LOC: u8 = 0x40;
pub const OFFSET: u8 = 0x80;
pub const RESTORE: u8 = 0xc0;

/// Whether an instruction is one of those whose names end in `_sf`: its offset is a signed LEB128 number.
#[inline(always)]
pub(crate) fn is_sf(opcode: u8) -> bool {
    matches!(
        opcode,
        OFFSET_EXTENDED_SF | DEF_CFA_SF | DEF_CFA_OFFSET_SF | VAL_OFFSET_SF | LLVM_DEF_ASPACE_CFA_SF
    )
}
