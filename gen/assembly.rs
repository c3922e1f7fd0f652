//! Assembler cases: programs of `.cfi_` directives, and frame sections written by hand.
//!
//! Each source states beside its directives the rows that they are meant to give, see [`intended`]. They follow
//! from the meaning of the directives and from the ABI alone, whichever instructions an assembler writes for them.

mod expected;
mod intended;

pub use expected::expected;
pub use intended::{IntendedFde, IntendedRow, IntendedSection, intended};

/// A machine to assemble for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AssemblyMachine {
    /// Its name, which is also its folder's.
    pub name: &'static str,
    /// The prefixes of GNU assemblers for it, as in `aarch64-linux-gnu-as`, the usual one first.
    pub gas: &'static [&'static str],
    /// What such an assembler has to be told.
    pub gas_options: &'static [&'static str],
    /// What clang's `--target=` is.
    pub clang: &'static str,
}

/// A version of an assembler: major and minor number.
pub type Version = (u32, u32);

/// One source.
#[derive(Clone, Copy, Debug)]
pub struct AssemblyCase {
    /// The machine that it is for.
    pub machine: &'static AssemblyMachine,
    /// Its name, which is also the name of its file.
    pub name: &'static str,
    /// Its whole text.
    pub source: &'static str,
    /// The first GNU assembler that takes it; `None` when none does.
    pub gas: Option<Version>,
    /// The first clang that takes it; `None` when none does.
    pub clang: Option<Version>,
}

impl AssemblyCase {
    /// What it exercises: the comment that the source starts with, as one line.
    pub fn about(&self) -> String {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("# "));
        lines.collect::<Vec<_>>().join(" ")
    }
}

const X86_64: AssemblyMachine = AssemblyMachine {
    name: "x86_64",
    gas: &["x86_64-linux-gnu"],
    gas_options: &["--64"],
    clang: "x86_64-linux-gnu",
};
const I386: AssemblyMachine = AssemblyMachine {
    name: "i386",
    gas: &["i686-linux-gnu", "x86_64-linux-gnu"],
    gas_options: &["--32"],
    clang: "i386-linux-gnu",
};
const AARCH64: AssemblyMachine = plain("aarch64", &["aarch64-linux-gnu"], "aarch64-linux-gnu");
const ARM: AssemblyMachine =
    plain("arm", &["arm-linux-gnueabihf", "arm-linux-gnueabi"], "armv7-linux-gnueabihf");
const RISCV64: AssemblyMachine = plain("riscv64", &["riscv64-linux-gnu"], "riscv64-linux-gnu");
const POWERPC64LE: AssemblyMachine =
    plain("powerpc64le", &["powerpc64le-linux-gnu"], "powerpc64le-linux-gnu");
const POWERPC: AssemblyMachine = plain("powerpc", &["powerpc-linux-gnu"], "powerpc-linux-gnu");
const S390X: AssemblyMachine = plain("s390x", &["s390x-linux-gnu"], "s390x-linux-gnu");
const MIPS: AssemblyMachine = plain("mips", &["mips-linux-gnu"], "mips-linux-gnu");
const SPARC64: AssemblyMachine = plain("sparc64", &["sparc64-linux-gnu"], "sparc64-linux-gnu");
const LOONGARCH64: AssemblyMachine =
    plain("loongarch64", &["loongarch64-linux-gnu"], "loongarch64-linux-gnu");

/// A machine whose assemblers need no options.
const fn plain(name: &'static str, gas: &'static [&'static str], clang: &'static str) -> AssemblyMachine {
    AssemblyMachine { name, gas, gas_options: &[], clang }
}

/// The oldest version that anybody may have here.
const ANY: Option<Version> = Some((0, 0));

macro_rules! case {
    ($machine:ident, $folder:literal, $name:literal, $gas:expr, $clang:expr) => {
        AssemblyCase {
            machine: &$machine,
            name: $name,
            source: include_str!(concat!("assembly/", $folder, "/", $name, ".s")),
            gas: $gas,
            clang: $clang,
        }
    };
    ($machine:ident, $folder:literal, $name:literal) => {
        case!($machine, $folder, $name, ANY, ANY)
    };
}

/// All cases, by machine and name.
pub const CASES: &[AssemblyCase] = &[
    case!(AARCH64, "aarch64", "b_key"),
    case!(AARCH64, "aarch64", "distances"),
    case!(AARCH64, "aarch64", "escapes"),
    case!(AARCH64, "aarch64", "frames"),
    case!(AARCH64, "aarch64", "rows"),
    case!(AARCH64, "aarch64", "signing"),
    case!(AARCH64, "aarch64", "tagged_stack", None, Some((15, 0))),
    case!(AARCH64, "aarch64", "vectors"),
    case!(ARM, "arm", "distances"),
    case!(ARM, "arm", "escapes"),
    case!(ARM, "arm", "frames"),
    case!(ARM, "arm", "rows"),
    case!(ARM, "arm", "vectors"),
    case!(I386, "i386", "distances"),
    case!(I386, "i386", "escapes"),
    case!(I386, "i386", "frames"),
    case!(I386, "i386", "popped_arguments"),
    case!(I386, "i386", "rows"),
    case!(LOONGARCH64, "loongarch64", "distances", ANY, Some((16, 0))),
    case!(LOONGARCH64, "loongarch64", "escapes", ANY, Some((16, 0))),
    case!(LOONGARCH64, "loongarch64", "floating_point", ANY, Some((16, 0))),
    case!(LOONGARCH64, "loongarch64", "frames", ANY, Some((16, 0))),
    case!(LOONGARCH64, "loongarch64", "rows", ANY, Some((16, 0))),
    case!(MIPS, "mips", "coprocessors"),
    case!(MIPS, "mips", "distances"),
    case!(MIPS, "mips", "escapes"),
    case!(MIPS, "mips", "frames"),
    case!(MIPS, "mips", "rows"),
    case!(POWERPC, "powerpc", "distances"),
    case!(POWERPC, "powerpc", "escapes"),
    case!(POWERPC, "powerpc", "frames"),
    case!(POWERPC, "powerpc", "link_register"),
    case!(POWERPC, "powerpc", "rows"),
    case!(POWERPC64LE, "powerpc64le", "distances"),
    case!(POWERPC64LE, "powerpc64le", "escapes"),
    case!(POWERPC64LE, "powerpc64le", "frames"),
    case!(POWERPC64LE, "powerpc64le", "link_register"),
    case!(POWERPC64LE, "powerpc64le", "rows"),
    case!(RISCV64, "riscv64", "distances"),
    case!(RISCV64, "riscv64", "escapes"),
    case!(RISCV64, "riscv64", "frames"),
    case!(RISCV64, "riscv64", "relaxation"),
    case!(RISCV64, "riscv64", "return_through_t0"),
    case!(RISCV64, "riscv64", "rows"),
    case!(S390X, "s390x", "distances"),
    case!(S390X, "s390x", "escapes"),
    case!(S390X, "s390x", "floating_point"),
    case!(S390X, "s390x", "frames"),
    case!(S390X, "s390x", "rows"),
    case!(S390X, "s390x", "val_offset", ANY, None),
    case!(S390X, "s390x", "zero_word"),
    case!(SPARC64, "sparc64", "distances"),
    case!(SPARC64, "sparc64", "escapes"),
    case!(SPARC64, "sparc64", "frames"),
    case!(SPARC64, "sparc64", "rows"),
    case!(SPARC64, "sparc64", "window_save"),
    // LLVM's assembler gives both functions one CIE with L, and the second one no LSDA.
    case!(X86_64, "x86_64", "absolute_lsda", ANY, None),
    case!(X86_64, "x86_64", "address_space", None, Some((14, 0))),
    // LLVM's assembler goes on from the offset before the state was restored.
    // LLVM's assembler counts from the offset that held before the state was taken back.
    case!(X86_64, "x86_64", "adjust_after_restore", ANY, None),
    case!(X86_64, "x86_64", "aligned_location"),
    case!(X86_64, "x86_64", "aligned_personality"),
    case!(X86_64, "x86_64", "directives"),
    case!(X86_64, "x86_64", "distances"),
    case!(X86_64, "x86_64", "dwarf64_debug_frame"),
    case!(X86_64, "x86_64", "dwarf64_eh_frame"),
    case!(X86_64, "x86_64", "escapes"),
    case!(X86_64, "x86_64", "factored"),
    case!(X86_64, "x86_64", "fde_before_cie"),
    case!(X86_64, "x86_64", "frames"),
    case!(X86_64, "x86_64", "long_augmentation_data"),
    case!(X86_64, "x86_64", "no_cfa"),
    case!(X86_64, "x86_64", "one_nop"),
    case!(X86_64, "x86_64", "overlap"),
    case!(X86_64, "x86_64", "rows"),
    case!(X86_64, "x86_64", "text_sections"),
    case!(X86_64, "x86_64", "val_offset", ANY, None),
    case!(X86_64, "x86_64", "window_save"),
    case!(X86_64, "x86_64", "zero_word"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn the_list_is_the_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assembly");
        let folders = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path());
        let there: BTreeSet<PathBuf> = folders
            .filter(|folder| folder.is_dir())
            .flat_map(|folder| fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()))
            .collect();
        let listed: Vec<PathBuf> = CASES
            .iter()
            .map(|case| root.join(case.machine.name).join(case.name).with_extension("s"))
            .collect();
        assert!(listed.is_sorted_by(|a, b| a < b), "sorted, each once");
        assert_eq!(there, listed.into_iter().collect());
    }

    #[test]
    fn every_case_says_what_it_is_about_and_what_it_means() {
        for case in CASES {
            assert!(case.about().ends_with('.'), "{}: {:?}", case.name, case.about());
            let sections = intended(case.source).unwrap_or_else(|error| panic!("{}: {error}", case.name));
            assert!(sections.iter().any(|section| !section.fdes.is_empty()), "{}", case.name);
        }
    }
}
