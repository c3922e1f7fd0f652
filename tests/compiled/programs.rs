//! Seed programs: every compiler makes the same of them, and what they are about is really there.

use std::collections::BTreeMap;

use cfidiff_gen::programs::{Language, SEEDS, Seed};
use cfidiff_gen::variants::toolchain::{Family, Toolchain};
use cfidiff_model::{CfaRule, Instruction, RegisterRule, SectionKind};
use rayon::prelude::*;

use crate::support::{Folder, ReadFde, compilers, fdes, open, takes};

/// Every seed with every compiler, linked, and what the program printed.
#[test]
fn programs_print_the_same_whoever_compiled_them() {
    let folder = Folder::new();
    let runs: Vec<(&Seed, &Toolchain, &str)> = compilers()
        .iter()
        .flat_map(|compiler| {
            SEEDS.iter().filter(|seed| takes(compiler, seed)).map(move |seed| (seed, compiler))
        })
        .flat_map(|(seed, compiler)| ["-O0", "-O2"].map(|level| (seed, compiler, level)))
        .collect();
    let printed: Vec<Result<String, String>> = runs
        .par_iter()
        .map(|(seed, compiler, level)| {
            let program = folder.compile(seed, compiler, &[level])?;
            folder.run(&[program.to_str().expect("a name in UTF-8")])
        })
        .collect();
    let mut by_seed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((seed, _, _), printed) in runs.iter().zip(printed) {
        by_seed.entry(seed.name).or_default().push(printed.unwrap_or_else(|error| panic!("{error}")));
    }
    for (name, mut printed) in by_seed {
        printed.dedup();
        assert_eq!(printed.len(), 1, "{name}: {printed:?}");
        let words: Vec<&str> = printed[0].split_whitespace().collect();
        assert_eq!(words[0], name);
        assert!(words[1].parse::<u32>().is_ok_and(|sum| sum != 0), "{name}: a checksum in {words:?}");
    }
}

/// A seed with options, and what its `.eh_frame` must show then.
type Feature = (&'static str, &'static [&'static str], fn(&[ReadFde]) -> bool);

/// What gcc makes on x86-64. Registers: rbx 3, rbp 6, rsp 7, r12 to r15, xmm0 17.
const FEATURES: &[Feature] = &[
    ("alloca", &["-c", "-O2"], |fdes| has_cfa_register(fdes, 6)),
    ("vla", &["-c", "-O2"], |fdes| has_cfa_register(fdes, 6)),
    ("leaf", &["-c", "-O2"], |fdes| {
        fdes.iter().any(|read| read.instructions.iter().all(|instruction| *instruction == Instruction::Nop))
    }),
    ("big_frame", &["-c", "-O2"], |fdes| {
        // One LEB128 byte more each time.
        [1 << 7, 1 << 14, 1 << 21].iter().all(|&size| {
            let sizes = size..size << 7;
            any_row(
                fdes,
                |cfa, _| matches!(cfa, CfaRule::RegisterOffset { offset, .. } if sizes.contains(offset)),
            )
        })
    }),
    ("over_aligned", &["-c", "-O2"], |fdes| {
        any_row(fdes, |cfa, rules| {
            matches!(cfa, CfaRule::Expression(_))
                && rules.iter().any(|(_, rule)| matches!(rule, RegisterRule::Expression(_)))
        })
    }),
    ("over_aligned", &["-c", "-O2", "-m32"], |fdes| {
        any_row(fdes, |cfa, _| matches!(cfa, CfaRule::Expression(_)))
    }),
    ("callee_saved", &["-c", "-O2"], |fdes| {
        any_row(fdes, |_, rules| [3, 6, 12, 13, 14, 15].iter().all(|register| is_saved(rules, *register)))
    }),
    ("floating_point", &["-c", "-O2"], |fdes| {
        any_row(fdes, |_, rules| (23..33).all(|xmm| is_saved(rules, xmm)))
    }),
    ("cold_split", &["-c", "-O2"], |fdes| {
        fdes.iter().any(|read| {
            let first = &read.rows[0];
            matches!(first.cfa, CfaRule::RegisterOffset { offset, .. } if offset > 8)
                && is_saved(&first.rules, 3)
        })
    }),
    ("shrink_wrap", &["-c", "-O2"], |fdes| {
        // The first row lasts past a test and a jump, and it comes back at the end.
        fdes.iter().any(|read| {
            let [first, second, .., last] = &read.rows[..] else { return false };
            second.offset > 4 && last.cfa == first.cfa && last.rules == first.rules
        })
    }),
    ("stack_arguments", &["-c", "-O2"], |fdes| fdes.iter().any(|read| read.rows.len() > 12)),
    ("asm_with_cfi", &["-c", "-O2"], |fdes| {
        has_cfa_register(fdes, 3) && any_row(fdes, |_, rules| rules.contains(&(1, RegisterRule::Undefined)))
    }),
    ("cleanup", &["-c", "-O2"], has_lsda),
    ("destructors", &["-c", "-O2"], has_lsda),
    ("rethrow", &["-c", "-O2"], has_lsda),
    ("pushed_arguments", &["-c", "-O2"], has_args_size),
    ("pushed_arguments", &["-c", "-O2", "-m32"], has_args_size),
    // The PLT's own FDE, which the linker adds.
    ("plt_calls", &["-O2", "-Wl,-z,lazy"], |fdes| {
        any_row(fdes, |cfa, _| matches!(cfa, CfaRule::Expression(_)))
    }),
];

fn any_row(fdes: &[ReadFde], wanted: impl Fn(&CfaRule, &[(u64, RegisterRule)]) -> bool) -> bool {
    fdes.iter().flat_map(|read| &read.rows).any(|row| wanted(&row.cfa, &row.rules))
}

fn has_cfa_register(fdes: &[ReadFde], wanted: u64) -> bool {
    any_row(fdes, |cfa, _| matches!(cfa, CfaRule::RegisterOffset { register, .. } if *register == wanted))
}

fn is_saved(rules: &[(u64, RegisterRule)], register: u64) -> bool {
    rules.iter().any(|(number, rule)| *number == register && matches!(rule, RegisterRule::Offset(_)))
}

fn has_lsda(fdes: &[ReadFde]) -> bool {
    fdes.iter().any(|read| read.fde.lsda.is_some() && read.cie.personality.is_some())
}

fn has_args_size(fdes: &[ReadFde]) -> bool {
    let mut instructions = fdes.iter().flat_map(|read| &read.instructions);
    instructions.any(|instruction| matches!(instruction, Instruction::GnuArgsSize { size } if *size > 0))
}

#[test]
fn what_a_program_is_about_survives_optimization() {
    if cfg!(not(target_arch = "x86_64")) {
        return println!("skipped: what gcc makes is known for x86-64 alone");
    }
    let gcc = |language: Language| {
        compilers().iter().find(|it| (it.driver.family, it.driver.language) == (Family::Gnu, language))
    };
    let folder = Folder::new();
    let missing: Vec<String> = FEATURES
        .par_iter()
        .filter_map(|(name, options, is_there)| {
            let seed = SEEDS.iter().find(|seed| seed.name == *name).expect("a seed of this name");
            let file = folder.compile(seed, gcc(seed.language)?, options);
            let case = file.and_then(|file| open(&file));
            match case.and_then(|case| fdes(&case, SectionKind::EhFrame)) {
                Ok(fdes) if is_there(&fdes) => None,
                Ok(_) => Some(format!("{name} {options:?}: {}", seed.about)),
                Err(why) => Some(format!("{name} {options:?}: {why}")),
            }
        })
        .collect();
    assert!(missing.is_empty(), "not there:\n{missing:#?}");
}
