//! DWARF register names by machine, as GNU binutils prints them.
//!
//! Facts of binutils 2.40, read off its output for every number. Machines that are not listed have no names
//! there, and a register without a name is printed by its number alone.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::Machine;

/// The names of one machine: runs of consecutive numbers that all have one.
struct Names {
    runs: &'static [(u16, &'static [&'static str])],
    by_name: OnceLock<HashMap<&'static str, u64>>,
}

impl Names {
    const fn new(runs: &'static [(u16, &'static [&'static str])]) -> Names {
        Names { runs, by_name: OnceLock::new() }
    }

    fn name(&self, register: u64) -> Option<&'static str> {
        self.runs.iter().find_map(|&(first, names)| {
            let index = register.checked_sub(u64::from(first))?;
            names.get(usize::try_from(index).ok()?).copied()
        })
    }

    fn number(&self, name: &str) -> Option<u64> {
        let by_name = self.by_name.get_or_init(|| {
            let numbered = |&(first, names): &(u16, &'static [&'static str])| {
                names.iter().zip(u64::from(first)..).map(|(&name, number)| (name, number))
            };
            self.runs.iter().flat_map(numbered).collect()
        });
        by_name.get(name).copied()
    }
}

/// The name of a DWARF register, for instance `rbp` for register 6 on x86-64.
pub fn register_name(machine: Machine, register: u64) -> Option<&'static str> {
    names(machine)?.name(register)
}

/// The number of a DWARF register by its name: the inverse of [`register_name`].
pub fn register_by_name(machine: Machine, name: &str) -> Option<u64> {
    names(machine)?.number(name)
}

fn names(machine: Machine) -> Option<&'static Names> {
    /// EM_IAMCU, EM_L1OM and EM_K1OM, which share their numbering with i386 and x86-64.
    const IAMCU: Machine = Machine(6);
    const L1OM: Machine = Machine(180);
    const K1OM: Machine = Machine(181);
    Some(match machine {
        Machine::I386 => &I386_NAMES,
        IAMCU => &IAMCU_NAMES,
        Machine::X86_64 | L1OM | K1OM => &X86_64_NAMES,
        Machine::AARCH64 => &AARCH64_NAMES,
        Machine::S390 => &S390_NAMES,
        Machine::RISCV => &RISCV_NAMES,
        _ => return None,
    })
}

static X86_64_NAMES: Names = Names::new(&[
    (
        0,
        &[
            "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
            "r14", "r15", "rip", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
            "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st0", "st1", "st2", "st3", "st4",
            "st5", "st6", "st7", "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7", "rflags", "es",
            "cs", "ss", "ds", "fs", "gs",
        ],
    ),
    (58, &["fs.base", "gs.base"]),
    (
        62,
        &[
            "tr", "ldtr", "mxcsr", "fcw", "fsw", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21",
            "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31",
        ],
    ),
    (118, &["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"]),
]);

static I386_NAMES: Names = Names::new(&[
    (0, &["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags"]),
    (11, &["st0", "st1", "st2", "st3", "st4", "st5", "st6", "st7"]),
    (
        21,
        &[
            "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "mm0", "mm1", "mm2", "mm3",
            "mm4", "mm5", "mm6", "mm7", "fcw", "fsw", "mxcsr", "es", "cs", "ss", "ds", "fs", "gs",
        ],
    ),
    (48, &["tr", "ldtr"]),
    (93, &["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"]),
]);

static IAMCU_NAMES: Names = Names::new(&[
    (0, &["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags"]),
    (40, &["es", "cs", "ss", "ds", "fs", "gs"]),
    (48, &["tr", "ldtr"]),
]);

static AARCH64_NAMES: Names = Names::new(&[
    (
        0,
        &[
            "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
            "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",
            "x29", "x30", "sp",
        ],
    ),
    (33, &["elr"]),
    (
        46,
        &[
            "vg", "ffr", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12",
            "p13", "p14", "p15", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
            "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
            "v26", "v27", "v28", "v29", "v30", "v31", "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8",
            "z9", "z10", "z11", "z12", "z13", "z14", "z15", "z16", "z17", "z18", "z19", "z20", "z21", "z22",
            "z23", "z24", "z25", "z26", "z27", "z28", "z29", "z30", "z31",
        ],
    ),
]);

static S390_NAMES: Names = Names::new(&[
    (
        16,
        &[
            "f0", "f2", "f4", "f6", "f1", "f3", "f5", "f7", "f8", "f10", "f12", "f14", "f9", "f11", "f13",
            "f15", "cr0", "cr1", "cr2", "cr3", "cr4", "cr5", "cr6", "cr7", "cr8", "cr9", "cr10", "cr11",
            "cr12", "cr13", "cr14", "cr15", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9",
            "a10", "a11", "a12", "a13", "a14", "a15", "pswm", "pswa",
        ],
    ),
    (
        68,
        &[
            "v16", "v18", "v20", "v22", "v17", "v19", "v21", "v23", "v24", "v26", "v28", "v30", "v25", "v27",
            "v29", "v31",
        ],
    ),
]);

static RISCV_NAMES: Names = Names::new(&[
    (
        0,
        &[
            "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
            "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
            "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3",
            "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10",
            "fs11", "ft8", "ft9", "ft10", "ft11",
        ],
    ),
    (
        96,
        &[
            "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
            "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
            "v29", "v30", "v31",
        ],
    ),
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_numbers() {
        let machines = [Machine::X86_64, Machine::I386, Machine::AARCH64, Machine::S390, Machine::RISCV];
        for machine in machines.into_iter().chain([Machine(6), Machine(180), Machine(181)]) {
            let named = (0..300).filter(|&number| register_name(machine, number).is_some()).count();
            assert!(named > 15, "{machine}");
            for number in 0..300 {
                if let Some(name) = register_name(machine, number) {
                    assert_eq!(register_by_name(machine, name), Some(number), "{machine} {name}");
                }
            }
        }
    }

    #[test]
    fn names_are_those_of_the_abi() {
        assert_eq!(register_name(Machine::X86_64, 6), Some("rbp"));
        assert_eq!(register_name(Machine::X86_64, 16), Some("rip"));
        assert_eq!(register_name(Machine::X86_64, 56), None);
        assert_eq!(register_name(Machine::I386, 4), Some("esp"));
        assert_eq!(register_name(Machine::AARCH64, 31), Some("sp"));
        assert_eq!(register_name(Machine::AARCH64, 34), None);
        assert_eq!(register_name(Machine::S390, 15), None, "general registers are r0 to r15");
        assert_eq!(register_name(Machine::S390, 17), Some("f2"));
        assert_eq!(register_name(Machine::RISCV, 1), Some("ra"));
        assert_eq!(register_name(Machine::X86_64, u64::MAX), None);
        assert_eq!(register_name(Machine::MIPS, 29), None);
        assert_eq!(register_by_name(Machine::X86_64, "r33"), None);
    }
}
