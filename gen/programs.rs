//! Seed programs: C and C++ sources, each of which brings about one shape of frame.
//!
//! A seed is one file that compiles without warnings under `-Wall -Wextra` at every optimization level, ends at
//! once, prints its name and a checksum, and exits with 0. What it is about survives optimization: functions that
//! matter are kept out of line, values that matter are volatile. Most seeds declare the few functions of the C
//! library that they call by themselves, so that an object file of them needs no headers and any machine will do.

/// The language that a seed is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// GNU C17, as gcc and clang take it by default.
    C,
    /// GNU C++17. Linking needs the C++ run-time library, its headers are not needed.
    Cxx,
}

impl Language {
    /// The extension of a source file, without its dot.
    pub fn extension(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cxx => "cc",
        }
    }
}

/// What a seed asks of a toolchain beyond a compiler of its language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// The headers of the C library, for an object file too: `<setjmp.h>` and `<signal.h>` tell what each system
    /// has in its own way.
    Headers,
    /// Extensions that gcc has and clang has not.
    Gcc,
    /// `-pthread`, compiling and linking.
    Threads,
    /// `-fexceptions`, where it is not the default.
    Exceptions,
}

/// One program.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    /// Its name, which is also the name of its file and the first word that it prints.
    pub name: &'static str,
    /// What it is written in.
    pub language: Language,
    /// Its whole source.
    pub source: &'static str,
    /// What of call frame information it brings about, in one line.
    pub about: &'static str,
    /// What it asks for.
    pub needs: &'static [Need],
}

impl Seed {
    /// The name of its source file.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.name, self.language.extension())
    }

    /// Whether it asks for this.
    pub fn has_need(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }
}

macro_rules! c {
    ($name:literal, $needs:expr, $about:literal) => {
        Seed {
            name: $name,
            language: Language::C,
            source: include_str!(concat!("programs/", $name, ".c")),
            about: $about,
            needs: $needs,
        }
    };
}

macro_rules! cxx {
    ($name:literal, $needs:expr, $about:literal) => {
        Seed {
            name: $name,
            language: Language::Cxx,
            source: include_str!(concat!("programs/", $name, ".cc")),
            about: $about,
            needs: $needs,
        }
    };
}

/// All seeds, by name within each language.
pub const SEEDS: &[Seed] = &[
    c!("alloca", &[], "a frame of a size that only the run knows: the CFA moves to the frame pointer"),
    c!("alternate_stack", &[Need::Headers], "a handler on a stack of its own: unwinding changes stacks"),
    c!(
        "asm_with_cfi",
        &[],
        "inline assembler with `.cfi_` directives of its own, and a whole function of it"
    ),
    c!(
        "asm_without_cfi",
        &[],
        "inline assembler that moves the stack pointer and tells nobody: a wrong table"
    ),
    c!(
        "big_frame",
        &[],
        "frames of 5 KiB, 70 KiB and 2.5 MiB: CFA offsets of two, three and four LEB128 bytes"
    ),
    c!("callee_saved", &[], "every callee-saved register in use: DW_CFA_offset for each"),
    c!("cleanup", &[Need::Exceptions], "cleanups in C: a personality routine and LSDAs without C++"),
    c!("cold_split", &[], "a cold part in a section of its own: a second FDE that starts inside the frame"),
    c!("computed_goto", &[], "an interpreter with labels as values: many jumps within one frame"),
    c!("constructors", &[], "constructors and destructors of the program: called from outside of main"),
    c!("floating_point", &[], "floating-point registers saved where the ABI has callee-saved ones"),
    c!("function_pointers", &[], "indirect calls and callbacks: equal frames on different paths"),
    c!("leaf", &[], "leaf functions: often no instruction but those of the CIE"),
    c!("longjmp", &[Need::Headers], "setjmp and longjmp: frames that are left without their epilogues"),
    c!(
        "nested_function",
        &[Need::Gcc],
        "nested functions: the static chain, and frames that keep a place for it"
    ),
    c!(
        "noreturn_end",
        &[],
        "a call that does not return as the last instruction: a return address past the FDE"
    ),
    c!("over_aligned", &[], "over-aligned frames: DW_CFA_def_cfa_expression and DW_CFA_expression with gcc"),
    c!(
        "plt_calls",
        &[Need::Headers],
        "calls through the PLT, and a callback with the library's frames in between"
    ),
    c!("recursion", &[], "deep recursion: the same row thousands of times on one stack"),
    c!(
        "shrink_wrap",
        &[],
        "early exits before the prologue: rows that begin late and end before the function"
    ),
    c!("signal", &[Need::Headers], "a handler on the normal stack: the frame above has augmentation S"),
    c!("stack_arguments", &[], "more arguments than registers: pushes that move the CFA offset around calls"),
    c!("struct_by_value", &[], "large structures as arguments and results: copies below the return address"),
    c!("tail_call", &[], "calls that became jumps: epilogues in the middle of a function"),
    c!("thread", &[Need::Headers, Need::Threads], "a second thread: a stack that ends elsewhere"),
    c!("varargs", &[], "variable arguments: registers spilled in the prologue that no rule mentions"),
    c!(
        "vla",
        &[],
        "variable-length arrays in loops and beside saved registers: the frame pointer keeps the CFA"
    ),
    cxx!("destructors", &[], "exceptions that run destructors on their way: landing pads, zPLR, LSDAs"),
    cxx!("pushed_arguments", &[], "arguments pushed around calls that can throw: DW_CFA_GNU_args_size"),
    cxx!("rethrow", &[], "exceptions caught, thrown again and changed through several frames"),
    cxx!(
        "static_objects",
        &[],
        "objects with static storage: initializers and destructors that nobody calls by name"
    ),
    cxx!("thunks", &[], "virtual calls through second bases: thunks with FDEs of their own"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_list_is_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
        let there: BTreeSet<String> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let listed: BTreeSet<String> = SEEDS.iter().map(Seed::file_name).collect();
        assert_eq!(there, listed);
        assert_eq!(listed.len(), SEEDS.len(), "each once");
    }

    #[test]
    fn only_seeds_that_say_so_include_headers() {
        for seed in SEEDS {
            let includes = seed.source.lines().any(|line| line.starts_with("#include"));
            assert_eq!(includes, seed.has_need(Need::Headers), "{}", seed.name);
        }
    }
}
