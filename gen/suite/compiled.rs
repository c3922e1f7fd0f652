//! What GCC and GNU ld write for a C program on x86-64: the entries whose shape everybody meets first.

use cfidiff_model::{Address, RegisterRule, Rows};

use crate::suite::convention::Convention;
use crate::suite::rows::{Listing, at, cfa, cfa_expression, initial_row};
use crate::{CieSpec, Code, FdeSpec, Padding, Program};

/// DW_OP_and, DW_OP_shl and DW_OP_ge.
const AND: u8 = 0x1a;
const SHL: u8 = 0x24;
const GE: u8 = 0x2a;

/// A function compiled without optimization: it pushes rbp behind `before` bytes, sets the frame register
/// three bytes later, and its last byte is the `ret` behind `leave`.
pub(crate) fn unoptimized(cie: usize, start: u64, size: u64, before: u8) -> FdeSpec {
    let ra = (16, at(-8));
    let saved = [(6, at(-16)), ra.clone()];
    let pushed = before + 1;
    let framed = u64::from(pushed) + 3;
    let program =
        Program::new().advance_loc(pushed).def_cfa_offset(16).offset(6, 2).advance_loc(3).def_cfa_register(6);
    let program = match size - 1 - framed {
        short @ ..0x40 => program.advance_loc(short as u8),
        long @ ..0x100 => program.advance_loc1(long as u8),
        longer => program.advance_loc2(longer as u16),
    };
    let rows = Listing::new(start, start + size)
        .row(0, cfa(7, 8), &[ra])
        .row(pushed.into(), cfa(7, 16), &saved)
        .row(framed, cfa(6, 16), &saved)
        .row(size - 1, cfa(7, 8), &saved)
        .done();
    fde(cie, start, size, program.def_cfa(7, 8), rows)
}

/// The lazy procedure linkage table of two entries. The first pushes once more than the others jump to it
/// with; each of the others has sixteen bytes and has pushed a number from byte `pushed` on: 11, or 9 with
/// indirect branch tracking.
pub(crate) fn procedure_linkage_table(cie: usize, start: u64, pushed: u8) -> FdeSpec {
    // rsp + 8 + ((rip & 15) >= pushed) << 3
    let code =
        Code::new().breg(7, 8).breg(16, 0).lit(15).plain(AND).lit(pushed).plain(GE).lit(3).plain(SHL).plus();
    let program = Program::new().def_cfa_offset(16).advance_loc(6).def_cfa_offset(24).advance_loc(10);
    let ra = [(16, at(-8))];
    let rows = Listing::new(start, start + 0x20)
        .row(0, cfa(7, 16), &ra)
        .row(6, cfa(7, 24), &ra)
        .row(16, cfa_expression(&code, 8), &ra)
        .done();
    fde(cie, start, 0x20, program.def_cfa_expression(code), rows)
}

/// Code that keeps the row at its entry.
pub(crate) fn leaf(cie: usize, start: u64, size: u64) -> FdeSpec {
    let rows = Listing::new(start, start + size).row(0, cfa(7, 8), &[(16, at(-8))]).done();
    fde(cie, start, size, Program::new(), rows)
}

/// The CIE of the startup code, which is the outermost frame: it has no return address.
pub(crate) fn startup_cie() -> CieSpec {
    let machine = Convention::X86_64;
    CieSpec {
        program: machine.entry_program().undefined(16),
        rows: initial_row(cfa(7, 8), &[(16, RegisterRule::Undefined)]),
        ..machine.eh_frame_cie()
    }
}

/// The startup code itself, under that CIE.
pub(crate) fn startup(cie: usize, start: u64) -> FdeSpec {
    let size = 0x22;
    let rows = Listing::new(start, start + size).row(0, cfa(7, 8), &[(16, RegisterRule::Undefined)]).done();
    fde(cie, start, size, Program::new(), rows)
}

fn fde(cie: usize, start: u64, size: u64, program: Program, rows: Rows) -> FdeSpec {
    FdeSpec { rows, padding: Padding::Align(8), ..FdeSpec::new(cie, Address(start), size, program) }
}
