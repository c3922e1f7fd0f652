//! Register numbers: of the return address, large ones, and those whose meaning the machine's ABI gives.

use cfidiff_model::RegisterRule::{self, SameValue, Undefined, ValOffset};

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::functions::{Functions, Line};
use crate::suite::rows::{at, cfa};
use crate::{CieSpec, Program};

const X86_64: Convention = Convention::X86_64;
const RETURN: &str =
    "DWARF 2 section 6.4.1: the return address register is one byte in version 1; DWARF 3: ULEB128";
const NUMBERS: &str = "DWARF 5 section 6.4.2: register operands are unsigned LEB128 numbers, without a bound";
const RULES: &str =
    "DWARF 5 section 6.4.1: a register has the rule that an instruction gave it, the stack pointer too";

pub(super) fn add(suite: &mut Suite) {
    return_address_registers(suite);
    large_numbers(suite);
    abi_numbers(suite);
    many(suite);
    stack_pointers(suite);
    riscv(suite);
}

fn return_address_registers(suite: &mut Suite) {
    let cases = [
        ("ra-ubyte-63", 1, 63),
        ("ra-ubyte-100", 1, 100),
        ("ra-ubyte-127", 1, 127),
        ("ra-ubyte-128", 1, 128),
        ("ra-ubyte-129", 1, 129),
        ("ra-ubyte-136", 1, 136),
        ("ra-ubyte-150", 1, 150),
        ("ra-ubyte-v1", 1, 200),
        ("ra-ubyte-255", 1, 255),
        ("ra-uleb-v3", 3, 200),
        ("ra-uleb-v3-63", 3, 63),
        ("ra-uleb-v3-300", 3, 300),
    ];
    for (name, version, register) in cases {
        let form = if version == 1 { "one byte" } else { "LEB128" };
        let about = format!("Version {version}: the return address register {register} in {form}.");
        let functions = Functions::eh_frame(&X86_64).cie(|cie| CieSpec {
            version,
            return_address_register: register,
            ..cie
        });
        let draft = Draft::new(&format!("register/{name}"), &X86_64, &about).clause(RETURN);
        suite.add(functions.usual().add_to(draft.catches(&["gimli PR 493"])));
    }
}

fn large_numbers(suite: &mut Suite) {
    let numbers = [63, 64, 128, 1000, 65535, 65536];
    let program = numbers.iter().fold(Program::new(), |program, &register| match u8::try_from(register) {
        Ok(low @ 0..64) => program.offset(low, 1),
        _ => program.offset_extended(register, 1),
    });
    let mut rules: Vec<_> = numbers.iter().map(|&register| (register, at(-8))).collect();
    rules.push((1 << 32, Undefined));
    let functions = Functions::eh_frame(&X86_64)
        .function(0x40, program.undefined(1 << 32), &[(0, cfa(7, 8), &rules)])
        .usual();
    let about = "The registers 63, 64, 128, 1000, 65535, 65536 and 2^32.";
    let draft = Draft::new("register/op-bigreg", &X86_64, about).clause(NUMBERS);
    suite.add(functions.add_to(draft.catches(&["libdwarf DW202306-001"])));

    // Each in an FDE of its own, so that a reader that refuses one is still compared on the others.
    let functions = [127, 128, 255, 256, 1000, 65535].into_iter().fold(
        Functions::eh_frame(&X86_64),
        |functions, register| {
            let program = Program::new().same_value(register).advance_loc(1).def_cfa_register(register);
            let lines: &[Line] =
                &[(0, cfa(7, 8), &[(register, SameValue)]), (1, cfa(register, 8), &[(register, SameValue)])];
            functions.function(0x10, program, lines)
        },
    );
    let about = "The registers 127, 128, 255, 256, 1000 and 65535, each with a rule and as the CFA's.";
    suite.add(functions.usual().add_to(Draft::new("register/large", &X86_64, about).clause(NUMBERS)));
}

/// A register far up in each machine's numbering, which only a map of the ABI leads to, saved beside register 0.
fn abi_numbers(suite: &mut Suite) {
    let machines = [
        ("x86-64", Convention::X86_64, 32, "xmm15"),
        ("i386", Convention::I386, 28, "xmm7"),
        ("aarch64", Convention::AARCH64, 95, "v31"),
        ("arm", Convention::ARM, 287, "d31"),
        ("riscv64", Convention::RISCV64, 63, "f31"),
        ("ppc", Convention::PPC, 63, "f31"),
        ("ppc64le", Convention::PPC64LE, 63, "f31"),
        ("s390x", Convention::S390X, 31, "f15"),
        ("mips", Convention::MIPS, 63, "f31"),
        ("loongarch64", Convention::LOONGARCH64, 63, "f31"),
        ("sparc64", Convention::SPARC64, 63, "f31"),
    ];
    for (name, machine, number, register) in machines {
        let slot = machine.data_alignment_factor;
        let program = Program::new().offset_extended(number, 3).offset_extended(0, 2);
        let rules = [(0, at(2 * slot)), (number, at(3 * slot))];
        let lines: &[Line] = &[(0, cfa(machine.stack_pointer, machine.entry_offset), &rules)];
        let about = format!("Rules for register 0 and for {number}, which is {register}.");
        let functions = Functions::eh_frame(&machine).function(0x40, program, lines).usual();
        let draft = Draft::new(&format!("register/abi-{name}"), &machine, &about);
        let clause = "The machine's ELF ABI supplement: the mapping of DWARF register numbers";
        suite.add(functions.add_to(draft.clause(clause).catches(&["libunwind commit 396b6c7a"])));
    }
}

/// A rule for every register of x86-64, and changes of them in a later row.
fn many(suite: &mut Suite) {
    let program = (0..64).fold(Program::new(), |program, register| program.offset(register, register.into()));
    let program = program.advance_loc(1).undefined(0).restore(16).restore(63);
    let saved = |register: u64| (register, at(-8 * register.cast_signed()));
    let before: Vec<(u64, RegisterRule)> = (0..64).map(saved).collect();
    let after: Vec<_> =
        [(0, Undefined)].into_iter().chain((1..63).filter(|register| *register != 16).map(saved)).collect();
    let functions = Functions::eh_frame(&X86_64)
        .function(0x40, program, &[(0, cfa(7, 8), &before), (1, cfa(7, 8), &after)])
        .usual();
    let about = "Rules for 64 registers in one row.";
    suite.add(functions.add_to(Draft::new("register/sixty-four-rules", &X86_64, about).clause(RULES)));
}

fn stack_pointers(suite: &mut Suite) {
    let program = Program::new().advance_loc(1).def_cfa(6, 16).val_offset(7, 1).advance_loc(4).offset(7, 3);
    let lines: &[Line] =
        &[(0, cfa(7, 8), &[]), (1, cfa(6, 16), &[(7, ValOffset(-8))]), (5, cfa(6, 16), &[(7, at(-24))])];
    let about = "Rules for the stack pointer, which then is not the CFA.";
    let functions = Functions::eh_frame(&X86_64).function(0x40, program, lines).usual();
    let draft = Draft::new("register/rule-for-stack-pointer", &X86_64, about).clause(RULES);
    suite.add(functions.add_to(draft.catches(&["llvm D106626"])));

    let s390x = Convention::S390X;
    let program =
        Program::new().advance_loc(6).offset(14, 6).offset(15, 5).advance_loc(4).def_cfa_offset(320);
    let saved: &[(u64, RegisterRule)] = &[(14, at(-48)), (15, at(-40))];
    let lines: &[Line] = &[(0, cfa(15, 160), &[]), (6, cfa(15, 160), saved), (10, cfa(15, 320), saved)];
    let about =
        "s390x, where the CFA is the caller's stack pointer plus 160, and the stack pointer is saved.";
    let functions = Functions::eh_frame(&s390x).function(0x40, program, lines);
    // What glibc's clone and setjmp write: the caller's stack pointer is the CFA less 160.
    let program = Program::new().val_offset(15, 20);
    let functions = functions.function(0x20, program, &[(0, cfa(15, 160), &[(15, ValOffset(-160))])]).usual();
    let clause = "s390x ELF ABI supplement: the CFA is the stack pointer before the call plus 160";
    let draft = Draft::new("register/s390x-stack-pointer", &s390x, about).clause(clause);
    suite.add(functions.add_to(draft.catches(&["libunwind commit eb396ff2", "libunwind commit 621ddb31"])));
}

/// RISC-V functions that return through t0, as the helpers of `gcc -msave-restore` do.
fn riscv(suite: &mut Suite) {
    let clause =
        "DWARF 5 section 6.4.1: the CIE tells the register of the return address; RISC-V ABI: t0 is x5";
    let machine = Convention { return_address_register: 5, ..Convention::RISCV64 };
    for (name, saved, about) in [
        ("riscv-return-through-t0", 1, "RISC-V with the return address in t0, in a function that saves ra."),
        ("riscv-saves-t0", 5, "RISC-V with the return address in t0, in a function that saves t0."),
    ] {
        let program = Program::new().advance_loc(8).offset(saved, 2);
        let lines: &[Line] = &[(0, cfa(2, 0), &[]), (8, cfa(2, 0), &[(saved.into(), at(-8))])];
        let functions = Functions::eh_frame(&machine)
            .initial(Program::new().def_cfa_register(2), cfa(2, 0), &[])
            .function(0x10, program, lines);
        suite.add(functions.add_to(Draft::new(&format!("register/{name}"), &machine, about).clause(clause)));
    }
}
