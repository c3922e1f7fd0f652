//! Every operation that DWARF 5 section 6.4.2 allows in call frame information. It excludes those that need another
//! section (addrx, call2, call4, call_ref, constx, and all with a type), the object's address and the CFA itself;
//! those of section 2.6 (reg, piece, implicit_value, stack_value and their like) make locations, not values.

use cfidiff_model::{Address, SectionKind};

use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::functions::{Functions, Line};
use crate::suite::rows::{cfa, val_expression};
use crate::suite::{FrameAnswer, Suite};
use crate::{Code, Operand, Program};

const CLAUSE: &str = "DWARF 5 sections 2.5.1 and 7.7.1, and 6.4.2 for which operations may be used";
const X86_64: Convention = Convention::X86_64;

pub(super) fn add(suite: &mut Suite) {
    let machines = [
        ("eh-operands-x86-64", X86_64, SectionKind::EhFrame),
        ("debug-operands-i386", Convention::I386, SectionKind::DebugFrame),
        ("debug-operands-s390x", Convention::S390X, SectionKind::DebugFrame),
        ("eh-operands-ppc", Convention::PPC, SectionKind::EhFrame),
    ];
    for (name, machine, kind) in machines {
        let about = "Operations with operands of each width, of both signs.";
        suite.add(group(name, &machine, kind, about, &operands()));
    }
    let mut one = |name: &str, about: &str, codes: &[Code], frames: Vec<FrameAnswer>| {
        let draft = group(name, &X86_64, SectionKind::EhFrame, about, codes);
        suite.add(draft.frames(frames));
    };
    // The CFA at the start of each is 0x7008. The literals add up to 0x1f0.
    one("literals", "DW_OP_lit0 to DW_OP_lit31.", &[literals()], vec![frame(0, &[], 0x71f8)]);
    let numbered = frame(1, &[(0, 0x100), (64, 0x2000), (128, 0x3_0000)], 0x7008 + 0x3_20c0);
    let about = "DW_OP_breg0 to DW_OP_breg31, and DW_OP_bregx.";
    one("base-registers", about, &base_registers(), vec![numbered]);
    one("stack", "Operations on the stack and on memory.", &stack(), Vec::new());
    // abs 0x7008, neg -0x7008, not 0x7007; with three: and 3, div 1, minus -2, mod 2 (unsigned), mul 6, or 7, plus 10,
    // shl 80, shr 10, shra 1, xor 2; plus_uconst 10.
    let about = "Arithmetic and logical operations.";
    one("arithmetic", about, &[arithmetic()], vec![frame(0, &[], 10)]);
    // With one: eq 0, ge 0, gt 0, le 1, lt 0, ne 1.
    let about = "Comparisons, branches and the entry value.";
    one("control-flow", about, &control_flow(), vec![frame(0, &[], 1)]);
}

/// What the function of this number gives for the saved register, with the stack pointer at 0x7000.
fn frame(number: u64, others: &[(u64, u64)], value: u64) -> FrameAnswer {
    FrameAnswer {
        address: Address(TEXT + 0x10 * (1 + number)),
        registers: [&[(7, 0x7000)], others].concat(),
        memory: Vec::new(),
        cfa: 0x7008,
        saved: vec![(16, 0x7000)],
        values: vec![(X86_64.saved, value)],
    }
}

/// A function for each expression, as a register's value. Each starts with the CFA on its stack.
fn group(name: &str, machine: &Convention, kind: SectionKind, about: &str, codes: &[Code]) -> Draft {
    let size = machine.target().class.address_size();
    let entry = || cfa(machine.stack_pointer, machine.entry_offset);
    let functions = codes.iter().fold(Functions::new(machine, kind), |functions, code| {
        let program = Program::new().val_expression(machine.saved, code.clone());
        let lines: &[Line] = &[(0, entry(), &[(machine.saved, val_expression(code, size))])];
        functions.function(0x10, program, lines)
    });
    let draft = Draft::new(&format!("expression/{name}"), machine, about).clause(CLAUSE);
    functions.usual().add_to(draft.catches(&["libunwind commit 22aff2cc"]))
}

fn operands() -> Vec<Code> {
    vec![
        Code::new().addr(Address(0x0123_4567)).plus(),
        Code::new().const1u(0xfe).plus().const1s(-2).plus(),
        Code::new().const2u(0xfedc).plus().const2s(-0x1234).plus(),
        Code::new().const4u(0xfedc_ba98).plus().const4s(-0x1234_5678).plus(),
        Code::new().const8u(0xfedc_ba98_7654_3210).plus().const8s(-0x1234_5678_9abc_def0).plus(),
        Code::new().constu(0).plus().constu(127).plus().constu(128).plus().constu(u64::MAX).plus(),
        Code::new()
            .consts(63)
            .plus()
            .consts(64)
            .plus()
            .consts(-64)
            .plus()
            .consts(-65)
            .plus()
            .consts(i64::MIN)
            .plus(),
        Code::new().plus_uconst(127).plus_uconst(128).bregx(64, -129).plus(),
        Code::new().lit(0).bra(3).skip(0x102).skip(-6),
    ]
}

fn literals() -> Code {
    (0..32).fold(Code::new(), |code, value| code.lit(value).plus())
}

fn base_registers() -> Vec<Code> {
    let all =
        (0..32).fold(Code::new(), |code, register| code.breg(register, i64::from(register) - 16).plus());
    let numbered = Code::new().bregx(0, 0).plus().bregx(64, 64).plus().bregx(128, -128).plus();
    vec![all, numbered]
}

fn stack() -> Vec<Code> {
    vec![
        Code::new()
            .plain(0x12) // dup
            .plain(0x14) // over
            .operation(0x15, &[Operand::Fixed(2, 1)]) // pick
            .plain(0x16) // swap
            .plain(0x17) // rot
            .plain(0x13) // drop
            .plus()
            .plus(),
        Code::new().deref().deref_size(4).lit(0).plain(0x18), // xderef
        Code::new().lit(0).operation(0x95, &[Operand::Fixed(2, 1)]), // xderef_size
        Code::new().plain(0x96).plain(0x9b),                  // nop, form_tls_address
    ]
}

fn arithmetic() -> Code {
    /// abs, neg and not take one value.
    const UNARY: [u8; 3] = [0x19, 0x1f, 0x20];
    /// and, div, minus, mod, mul, or, plus, shl, shr, shra and xor take two.
    const BINARY: [u8; 11] = [0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x21, 0x22, 0x24, 0x25, 0x26, 0x27];
    let code = UNARY.iter().fold(Code::new(), |code, &opcode| code.plain(opcode));
    BINARY.iter().fold(code, |code, &opcode| code.lit(3).plain(opcode)).plus_uconst(8)
}

fn control_flow() -> Vec<Code> {
    /// eq, ge, gt, le, lt and ne.
    const COMPARISONS: [u8; 6] = [0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e];
    let comparisons = COMPARISONS.iter().fold(Code::new(), |code, &opcode| code.lit(1).plain(opcode));
    // The CFA, or with a zero in the register eight more.
    let branch = Code::new().breg(0, 0).bra(2).lit(8).plus().plain(0x96);
    let skip = Code::new().skip(1).lit(1).plain(0x96);
    // The value that register 5 had when the function was entered, as DW_OP_reg5 names it.
    let entry = Code::new().entry_value(&[0x55]).plus();
    vec![comparisons, branch, skip, entry]
}
