//! Bytes that assemblers and linkers put between functions to align them.

use cfidiff_model::{Endianness, Machine, Target};

/// Whether the bytes are all padding: zeros, or instructions of the machine that do nothing or stop.
pub(super) fn is_padding(bytes: &[u8], target: &Target) -> bool {
    if matches!(target.machine, Machine::X86_64 | Machine::I386) {
        return is_x86_padding(bytes);
    }
    let units = units(target.machine);
    let mut rest = bytes;
    while let Some((first, tail)) = rest.split_first() {
        let unit = units.iter().find(|unit| {
            let there = rest.get(..unit.len()).unwrap_or_default();
            match target.endianness {
                Endianness::Big => there.iter().eq(unit.iter()),
                Endianness::Little => there.iter().rev().eq(unit.iter()),
            }
        });
        rest = match unit {
            Some(unit) => &rest[unit.len()..],
            None if *first == 0 => tail,
            None => return false,
        };
    }
    true
}

/// A machine's instructions that do nothing, most significant byte first, as GNU as and LLVM write them for
/// `.align`.
fn units(machine: Machine) -> &'static [&'static [u8]] {
    match machine {
        Machine::AARCH64 => &[&[0xd5, 0x03, 0x20, 0x1f]],
        // nop and mov r0, r0; in Thumb code nop and mov r8, r8.
        Machine::ARM => &[&[0xe3, 0x20, 0xf0, 0x00], &[0xe1, 0xa0, 0x00, 0x00], &[0xbf, 0x00], &[0x46, 0xc0]],
        // addi zero, zero, 0, and its compressed form.
        Machine::RISCV => &[&[0x00, 0x00, 0x00, 0x13], &[0x00, 0x01]],
        Machine::LOONGARCH => &[&[0x03, 0x40, 0x00, 0x00]],
        Machine::PPC | Machine::PPC64 => &[&[0x60, 0x00, 0x00, 0x00]],
        // brcl 0 and bcr 0.
        Machine::S390 => {
            &[&[0xc0, 0x04, 0x00, 0x00, 0x00, 0x00], &[0x47, 0x00, 0x00, 0x00], &[0x07, 0x07], &[0x07, 0x00]]
        }
        Machine::SPARC | Machine::SPARC32PLUS | Machine::SPARCV9 => &[&[0x01, 0x00, 0x00, 0x00]],
        Machine::M68K => &[&[0x4e, 0x71]],
        Machine::SH => &[&[0x00, 0x09]],
        Machine::ALPHA => &[&[0x2f, 0xfe, 0x00, 0x00], &[0x47, 0xff, 0x04, 0x1f]],
        Machine::PARISC => &[&[0x08, 0x00, 0x02, 0x40]],
        _ => &[],
    }
}

/// x86 has nops of many lengths (Intel SDM, NOP): one of 0x90, `0f 1f` with an operand, and in older code an lea of
/// esi or edi to itself, each behind any number of prefixes.
fn is_x86_padding(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some(size) = x86_nop(rest) else { return false };
        rest = rest.get(size..).unwrap_or_default();
    }
    true
}

/// The size of the padding instruction at the start.
fn x86_nop(bytes: &[u8]) -> Option<usize> {
    // int3, zero, and ud2, which stands behind calls that do not return.
    match bytes {
        [0x00 | 0xcc, ..] => return Some(1),
        [0x0f, 0x0b, ..] => return Some(2),
        _ => {}
    }
    let prefixes = bytes.iter().take_while(|&&byte| matches!(byte, 0x66 | 0x2e | 0x3e | 0x64 | 0x65)).count();
    let size = match bytes.get(prefixes..)? {
        [0x90, ..] => 1,
        [0x0f, 0x1f, operand @ ..] => 2 + modrm(operand)?,
        [0x48, 0x0f, 0x1f, operand @ ..] => 3 + modrm(operand)?,
        // lea of esi or edi with no displacement or one of zero; mov esi, esi and mov edi, edi.
        [0x8d, 0x36 | 0x3f, ..] | [0x89, 0xf6 | 0xff, ..] => 2,
        [0x8d, 0x76 | 0x7f, 0, ..] => 3,
        [0x8d, 0x74, 0x26, 0, ..] | [0x8d, 0x7c, 0x27, 0, ..] => 4,
        [0x8d, 0xb6 | 0xbf, 0, 0, 0, 0, ..] => 6,
        [0x8d, 0xb4, 0x26, 0, 0, 0, 0, ..] | [0x8d, 0xbc, 0x27, 0, 0, 0, 0, ..] => 7,
        _ => return None,
    };
    let size = prefixes + size;
    (size <= bytes.len()).then_some(size)
}

/// The size of a ModRM operand with what belongs to it.
fn modrm(operand: &[u8]) -> Option<usize> {
    let modrm = *operand.first()?;
    let (mode, has_sib) = (modrm >> 6, modrm & 7 == 4);
    let base_is_none = has_sib && operand.get(1)? & 7 == 5;
    let displacement = match mode {
        0 if modrm & 7 == 5 || base_is_none => 4,
        0 => 0,
        1 => 1,
        2 => 4,
        _ => return Some(1),
    };
    Some(1 + usize::from(has_sib) + displacement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfidiff_model::Class;

    fn target(machine: Machine, endianness: Endianness) -> Target {
        Target { machine, class: Class::Elf64, endianness, relocatable: false }
    }

    /// The nops of GNU as for `.p2align` on x86-64, of one to eleven bytes (Intel SDM, "Recommended Multi-Byte
    /// Sequence of NOP Instruction", and its 10 and 11 byte forms).
    #[test]
    fn x86_nops_of_every_size_are_padding_and_code_is_not() {
        let x86 = target(Machine::X86_64, Endianness::Little);
        let nops: [&[u8]; 11] = [
            &[0x90],
            &[0x66, 0x90],
            &[0x0f, 0x1f, 0x00],
            &[0x0f, 0x1f, 0x40, 0],
            &[0x0f, 0x1f, 0x44, 0, 0],
            &[0x66, 0x0f, 0x1f, 0x44, 0, 0],
            &[0x0f, 0x1f, 0x80, 0, 0, 0, 0],
            &[0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
            &[0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
            &[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
            &[0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
        ];
        for (index, nop) in nops.iter().enumerate() {
            assert_eq!(x86_nop(nop), Some(index + 1));
            assert!(is_padding(&nop.repeat(2), &x86));
        }
        // ret; xor eax, eax with ret; an lea that changes the register; half an instruction.
        for code in [&[0xc3][..], &[0x31, 0xc0, 0xc3], &[0x8d, 0x76, 1], &[0x0f, 0x1f]] {
            assert!(!is_padding(code, &x86), "{code:02x?}");
        }
    }

    #[test]
    fn other_machines_have_their_nops_in_their_byte_order() {
        let arm = target(Machine::AARCH64, Endianness::Little);
        assert!(is_padding(&[0x1f, 0x20, 0x03, 0xd5, 0, 0, 0, 0], &arm));
        assert!(!is_padding(&[0xd5, 0x03, 0x20, 0x1f], &arm));
        assert!(!is_padding(&[0xc0, 0x03, 0x5f, 0xd6], &arm));
        let power = target(Machine::PPC64, Endianness::Big);
        assert!(is_padding(&[0x60, 0, 0, 0, 0x60, 0, 0, 0], &power));
        assert!(!is_padding(&[0x4e, 0x80, 0x00, 0x20], &power));
    }
}
