//! The names by which one version of the tool prints registers, learned from itself.
//!
//! LLVM prints the names of its back ends, which follow no supplement (W29 for x29, R15D for r15) and change from
//! version to version. So a file is made whose FDEs say `DW_CFA_undefined` of one number after the other, and
//! the tool prints the name of each. A register without a name is printed as `reg56`.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cfidiff_model::{Class, Endianness, SectionKind, Target};

use crate::lines::Lines;
use crate::process::{self, Errors, Limits};

/// The numbers that are asked for: RISC-V's control registers are the highest with names.
const NUMBERS: u64 = 0x2100;

/// The numbers of one machine's registers by their names.
pub(crate) type Names = HashMap<Vec<u8>, u64>;

/// What the tool calls registers, by machine; each machine is asked for once.
#[derive(Debug)]
pub(super) struct Registers {
    program: OsString,
    known: Mutex<HashMap<(Target, SectionKind), Arc<Names>>>,
}

impl Registers {
    pub(super) fn of_program(program: OsString) -> Registers {
        Registers { program, known: Mutex::default() }
    }

    /// Names that need not be asked for.
    #[cfg(test)]
    pub(super) fn given(target: Target, kind: SectionKind, names: Names) -> Registers {
        let registers = Registers::of_program("no-such-program-of-that-name".into());
        registers.known.lock().expect("no test breaks it").insert((target, kind), Arc::new(names));
        registers
    }

    /// The names in a section of this kind: some machines number registers differently in the two. Empty when the
    /// tool does not answer, and then its lines cannot be parsed.
    pub(super) fn names(&self, target: Target, kind: SectionKind) -> Arc<Names> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Target { relocatable: false, ..target }, kind);
        known.entry(key).or_insert_with(|| Arc::new(self.ask(target, kind))).clone()
    }

    fn ask(&self, target: Target, kind: SectionKind) -> Names {
        let mut names = Names::new();
        let mut number = 0;
        let mut take = |line: &[u8]| {
            let Some(name) = line.strip_prefix(b"  DW_CFA_undefined: ") else { return };
            // The first of several that have one name: a name can stand for one number only.
            names.entry(name.to_vec()).or_insert(number);
            number += 1;
        };
        // Whatever fails here shows in lines that cannot be parsed.
        let Ok(mut file) = tempfile::NamedTempFile::new() else { return names };
        if file.write_all(&question(target, kind)).and_then(|()| file.flush()).is_err() {
            return names;
        }
        let mut command = Command::new(&self.program);
        command.arg("--eh-frame").arg(file.path());
        let limits = Limits { time: Duration::from_secs(60), output: 16 << 20 };
        let mut lines = Lines::default();
        let ended = process::run(command, Errors::Apart, limits, &mut |chunk| lines.split(chunk, &mut take));
        if ended.is_ok_and(|ended| ended.failure().is_none()) && number == NUMBERS {
            names
        } else {
            Names::new()
        }
    }
}

/// An ELF file (gABI) with one section: a CIE and an FDE that holds the question.
fn question(target: Target, kind: SectionKind) -> Vec<u8> {
    let put = |out: &mut Vec<u8>, value: u64, size: usize| match target.endianness {
        Endianness::Little => out.extend(&value.to_le_bytes()[..size]),
        Endianness::Big => out.extend(&value.to_be_bytes()[8 - size..]),
    };
    let (wide, word) = (target.class == Class::Elf64, usize::from(target.class.address_size()));
    let is_eh = kind == SectionKind::EhFrame;
    let mut section = Vec::new();
    put(&mut section, 12, 4);
    put(&mut section, if is_eh { 0 } else { 0xffff_ffff }, 4);
    // Version 1, no augmentation, factors 1 and -8, return address register 0, two nops.
    section.extend([1, 0, 1, 0x78, 0, 0, 0, 0]);
    let mut program = Vec::new();
    for register in 0..NUMBERS {
        program.extend([0x07, register.to_le_bytes()[0] & 0x7f | 0x80, (register >> 7).to_le_bytes()[0]]);
    }
    put(&mut section, (4 + 2 * word + program.len()) as u64, 4);
    // The CIE pointer: back from its own field, or from the start of the section.
    let back = section.len() as u64;
    put(&mut section, if is_eh { back } else { 0 }, 4);
    put(&mut section, 0x1000, word);
    put(&mut section, 0x10, word);
    section.extend(program);
    let names = b"\0.eh_frame\0.debug_frame\0.shstrtab\0";
    let (header_size, entry_size) = if wide { (64, 64) } else { (52, 40) };
    let mut table = vec![0; entry_size];
    let start = header_size + names.len();
    let size = section.len();
    let sections = [(if is_eh { 1 } else { 11 }, 1, start, size), (24, 3, header_size, names.len())];
    for (name, kind, offset, size) in sections {
        put(&mut table, name, 4);
        put(&mut table, kind, 4);
        for value in [0, 0, offset as u64, size as u64] {
            put(&mut table, value, word);
        }
        put(&mut table, 0, 8);
        put(&mut table, 1, word);
        put(&mut table, 0, word);
    }
    let class = if wide { 2 } else { 1 };
    let data = if target.endianness == Endianness::Little { 1 } else { 2 };
    let mut file = vec![0x7f, b'E', b'L', b'F', class, data, 1];
    file.resize(16, 0);
    // ET_DYN, the machine, EV_CURRENT; no entry, no program headers, where the section headers are, no flags.
    put(&mut file, 3, 2);
    put(&mut file, target.machine.0.into(), 2);
    put(&mut file, 1, 4);
    for value in [0, 0, (start + size) as u64] {
        put(&mut file, value, word);
    }
    put(&mut file, 0, 4);
    for value in [header_size as u64, 0, 0, entry_size as u64, 3, 2] {
        put(&mut file, value, 2);
    }
    [file, names.to_vec(), section, table].concat()
}
