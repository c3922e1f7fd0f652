//! What a variant is chosen from: the factors, their levels, and which levels do not go together.
//!
//! A seed and a toolchain are factors too. All that is forbidden is forbidden between two levels, so that a set of
//! variants can cover every pair that is left.

use std::fmt;

use crate::programs::Need;
use crate::variants::covering::{Level, Space};
use crate::variants::probe::Compiler;
use crate::variants::source::Source;
use crate::variants::toolchain::Family;

/// What is made of the object files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// A position-independent executable.
    Pie,
    /// An executable at a fixed address.
    NoPie,
    /// A position-independent executable with its libraries in it.
    StaticPie,
}

/// A program that links.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Linker {
    /// GNU ld.
    Bfd,
    /// GNU gold.
    Gold,
    /// LLVM's lld.
    Lld,
    /// mold.
    Mold,
}

/// A form and who makes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Link {
    /// The form.
    pub form: Form,
    /// The linker.
    pub linker: Linker,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 3] = [Form::Pie, Form::NoPie, Form::StaticPie];

    fn name(self) -> &'static str {
        match self {
            Form::Pie => "pie",
            Form::NoPie => "no-pie",
            Form::StaticPie => "static-pie",
        }
    }

    /// What the compiler has to know.
    pub fn compile_arguments(self) -> &'static [&'static str] {
        match self {
            Form::Pie | Form::StaticPie => &["-fPIE"],
            Form::NoPie => &["-fno-pie"],
        }
    }

    /// What the linking driver has to know.
    pub fn link_arguments(self) -> &'static [&'static str] {
        match self {
            Form::Pie => &["-pie"],
            Form::NoPie => &["-no-pie"],
            Form::StaticPie => &["-static-pie"],
        }
    }
}

impl Linker {
    /// All linkers.
    pub const ALL: [Linker; 4] = [Linker::Bfd, Linker::Gold, Linker::Lld, Linker::Mold];

    /// The argument that chooses it.
    pub fn argument(self) -> &'static str {
        match self {
            Linker::Bfd => "-fuse-ld=bfd",
            Linker::Gold => "-fuse-ld=gold",
            Linker::Lld => "-fuse-ld=lld",
            Linker::Mold => "-fuse-ld=mold",
        }
    }
}

impl Link {
    /// All ways to link.
    pub fn all() -> impl Iterator<Item = Link> {
        Form::ALL
            .into_iter()
            .flat_map(|form| Linker::ALL.into_iter().map(move |linker| Link { form, linker }))
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let linker = self.linker.argument().trim_start_matches("-fuse-ld=");
        write!(f, "{}-{linker}", self.form.name())
    }
}

/// A level of a [`Flags`] factor.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Its name in file names and lists.
    pub name: &'static str,
    /// What the compiler gets.
    pub compile: &'static [&'static str],
    /// What the linking driver gets as well.
    pub link: &'static [&'static str],
    /// The machines that have it; none for all.
    pub machines: &'static [&'static str],
}

/// A factor whose levels are arguments. The first level is the compiler's default and goes with everything.
#[derive(Clone, Copy, Debug)]
pub struct Flags {
    /// Its name in lists.
    pub name: &'static str,
    /// Its levels.
    pub choices: &'static [Choice],
}

const fn choice(name: &'static str, compile: &'static [&'static str]) -> Choice {
    Choice { name, compile, link: &[], machines: &[] }
}

const DEFAULT: Choice = choice("default", &[]);

/// The name of the factor whose levels have debugging information or none.
const DEBUG: &str = "debug";
/// The name of the level that links several objects into one file.
pub const SEVERAL: &str = "several-objects";

/// The factors whose levels are arguments, in the order of command lines and file names.
pub const FLAGS: [Flags; 10] = [
    Flags {
        name: "optimization",
        choices: &[
            choice("O0", &["-O0"]),
            choice("O1", &["-O1"]),
            choice("O2", &["-O2"]),
            choice("O3", &["-O3"]),
            choice("Os", &["-Os"]),
        ],
    },
    Flags {
        name: "unwind-tables",
        choices: &[
            DEFAULT,
            choice("eh-frame", &["-fasynchronous-unwind-tables"]),
            // The second one is for AArch64, whose default has synchronous tables as well.
            choice("debug-frame", &["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]),
        ],
    },
    Flags {
        name: "frame-pointer",
        choices: &[DEFAULT, choice("frame-pointer", &["-fno-omit-frame-pointer"])],
    },
    Flags {
        name: "control-flow",
        choices: &[
            DEFAULT,
            Choice { machines: &["i386", "x86-64"], ..choice("cet", &["-fcf-protection"]) },
            Choice { machines: &["aarch64"], ..choice("pac", &["-mbranch-protection=standard"]) },
        ],
    },
    Flags {
        name: "sections",
        choices: &[
            DEFAULT,
            Choice { link: &["-Wl,--gc-sections"], ..choice("function-sections", &["-ffunction-sections"]) },
        ],
    },
    Flags {
        name: DEBUG,
        choices: &[
            DEFAULT,
            choice("g", &["-g"]),
            choice("dwarf-4", &["-gdwarf-4"]),
            choice("dwarf-5", &["-gdwarf-5"]),
        ],
    },
    Flags { name: "compression", choices: &[DEFAULT, Choice { link: &["-gz"], ..choice("gz", &["-gz"]) }] },
    Flags { name: "exceptions", choices: &[DEFAULT, choice("exceptions", &["-fexceptions"])] },
    Flags {
        name: "header",
        choices: &[DEFAULT, Choice { link: &["-Wl,--no-eh-frame-hdr"], ..choice("no-eh-frame-hdr", &[]) }],
    },
    Flags { name: "objects", choices: &[DEFAULT, choice(SEVERAL, &[])] },
];

impl Flags {
    /// Whether the level means something for such a file.
    fn goes_with(&self, level: usize, link: Option<Link>) -> bool {
        match (self.choices[level].name, link) {
            ("no-eh-frame-hdr" | SEVERAL, None) => false,
            // gold cannot read compressed sections of some machines: it dies of MIPS and gives up on SPARC.
            ("gz", Some(link)) => link.linker != Linker::Gold,
            _ => true,
        }
    }

    /// Whether two levels of two factors contradict each other.
    fn forbids(&self, level: usize, other: &Flags, other_level: usize) -> bool {
        // Without debugging information there is no .debug_frame, and nothing to compress.
        let needs_debug = matches!(self.choices[level].name, "debug-frame" | "gz");
        needs_debug && other.name == DEBUG && other_level == 0
    }
}

/// The factors over these sources and compilers.
pub struct Factors<'f> {
    /// The programs.
    pub sources: &'f [Source],
    /// The toolchains with what they are able to do.
    pub compilers: &'f [Compiler],
    /// The ways to link that any of them knows; not to link comes before these.
    pub links: Vec<Link>,
}

/// Which factor is which: programs, toolchains, links, then [`FLAGS`].
const SOURCE: usize = 0;
const COMPILER: usize = 1;
const LINK: usize = 2;
const FIRST_FLAGS: usize = 3;

/// One level of each factor.
#[derive(Clone, Debug)]
pub struct Selection<'f> {
    /// The program.
    pub source: &'f Source,
    /// The toolchain.
    pub compiler: &'f Compiler,
    /// How it is linked; `None` for an object file.
    pub link: Option<Link>,
    /// The level of each of [`FLAGS`].
    pub levels: [usize; FLAGS.len()],
}

impl Selection<'_> {
    /// The choices in the order of [`FLAGS`].
    pub fn choices(&self) -> impl Iterator<Item = &'static Choice> {
        FLAGS.iter().zip(self.levels).map(|(flags, level)| &flags.choices[level])
    }

    /// Factors and levels by name, in the order of the factors.
    pub fn names(&self) -> Vec<(&'static str, String)> {
        let link = self.link.map_or_else(|| "object".to_owned(), |link| link.to_string());
        let head = [
            ("seed", self.source.name.clone()),
            ("compiler", self.compiler.name().to_owned()),
            ("link", link),
        ];
        let flags =
            FLAGS.iter().zip(self.choices()).map(|(flags, choice)| (flags.name, choice.name.to_owned()));
        head.into_iter().chain(flags).collect()
    }
}

impl<'f> Factors<'f> {
    /// The factors over these sources and compilers, neither of which may be empty.
    pub fn new(sources: &'f [Source], compilers: &'f [Compiler]) -> Factors<'f> {
        let links =
            Link::all().filter(|link| compilers.iter().any(|compiler| compiler.links(*link))).collect();
        Factors { sources, compilers, links }
    }

    /// The factors as numbers.
    pub fn space(&self) -> Space {
        let flags = FLAGS.iter().map(|flags| flags.choices.len());
        let sizes = [self.sources.len(), self.compilers.len(), self.links.len() + 1].into_iter().chain(flags);
        Space::new(&sizes.collect::<Vec<_>>(), |one, other| {
            self.allows(one, other) && self.allows(other, one)
        })
    }

    /// The selection of a row of the space.
    pub fn selection(&self, row: &[usize]) -> Selection<'f> {
        Selection {
            source: &self.sources[row[SOURCE]],
            compiler: &self.compilers[row[COMPILER]],
            link: self.link(row[LINK]),
            levels: std::array::from_fn(|index| row[FIRST_FLAGS + index]),
        }
    }

    fn link(&self, level: usize) -> Option<Link> {
        level.checked_sub(1).map(|index| self.links[index])
    }

    /// Whether the first level has nothing against the second one.
    fn allows(&self, (factor, level): Level, (other, other_level): Level) -> bool {
        match (factor, other) {
            (SOURCE, COMPILER) => self.compiles(level, other_level),
            (COMPILER, LINK) => self.link(other_level).is_none_or(|link| self.compilers[level].links(link)),
            (COMPILER, FIRST_FLAGS..) => {
                self.compilers[level].takes(&FLAGS[other - FIRST_FLAGS].choices[other_level])
            }
            (LINK, FIRST_FLAGS..) => FLAGS[other - FIRST_FLAGS].goes_with(other_level, self.link(level)),
            (FIRST_FLAGS.., FIRST_FLAGS..) => {
                !FLAGS[factor - FIRST_FLAGS].forbids(level, &FLAGS[other - FIRST_FLAGS], other_level)
            }
            _ => true,
        }
    }

    /// Whether the compiler has what the program asks for.
    fn compiles(&self, source: usize, compiler: usize) -> bool {
        let (source, compiler) = (&self.sources[source], &self.compilers[compiler]);
        let driver = &compiler.toolchain.driver;
        let has_needs = source.needs.iter().all(|need| match need {
            Need::Headers => compiler.ability.has_headers,
            Need::Gcc => driver.family == Family::Gnu,
            Need::Threads | Need::Exceptions => true,
        });
        source.language == driver.language && has_needs
    }
}
