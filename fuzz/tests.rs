//! Every target on bytes that are the same in each run.

use arbitrary::{Arbitrary, Unstructured};
use cfidiff_gen::SectionSpec;
use cfidiff_model::{Class, Endianness, Machine, SectionKind};

/// Bytes without a pattern.
fn noise(seed: u64, size: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    })
    .take(size)
    .collect()
}

/// A generated section behind the byte that tells how to read it, with a few bytes changed when `damaged`.
fn seed_input(seed: u64, damaged: bool) -> Vec<u8> {
    let bytes = noise(seed, 1500);
    let spec = SectionSpec::arbitrary(&mut Unstructured::new(&bytes)).unwrap();
    let mut input = vec![
        u8::from(spec.kind == SectionKind::DebugFrame)
            | (u8::from(spec.target.class == Class::Elf32) << 1)
            | (u8::from(spec.target.endianness == Endianness::Big) << 2)
            | (u8::from(spec.target.machine == Machine::AARCH64) << 3),
    ];
    input.extend(spec.build().unwrap().data);
    if damaged {
        for change in noise(seed ^ 0x5555, 9).chunks_exact(3) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % input.len();
            input[at] = change[2];
        }
    }
    input
}

#[test]
fn sections() {
    for seed in 0..2000 {
        crate::section(&noise(seed, (seed % 300) as usize));
        crate::section(&seed_input(seed, false));
        crate::section(&seed_input(seed, true));
    }
}

#[test]
fn differences() {
    for seed in 0..2000 {
        crate::differ(&noise(seed, (seed % 300) as usize));
        crate::differ(&seed_input(seed, false));
        crate::differ(&seed_input(seed, true));
    }
}

#[test]
fn made_to_order() {
    for seed in 0..2000 {
        crate::made(&noise(seed, (seed % 1500) as usize));
    }
}

#[test]
fn headers() {
    for seed in 0..5000 {
        let mut input = noise(seed, (seed % 100) as usize);
        crate::header(&input);
        // A usual header with any contents.
        for (place, byte) in input.iter_mut().skip(1).zip([1, 0x1b, 0x03, 0x3b]) {
            *place = byte;
        }
        crate::header(&input);
    }
}
