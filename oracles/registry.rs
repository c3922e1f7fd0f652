//! The tools that cfidiff knows how to ask, and which of them are there.

use std::time::Duration;

use crate::binutils::{Binutils, Program};
use crate::elfutils::EuReadelf;
use crate::libdwarf::Dwarfdump;
use crate::llvm::LlvmDwarfdump;
use crate::llvm_readelf::LlvmReadelf;
use crate::{Missing, Oracle, elfutils, gimli, libdw, libdwarf, llvm_readelf, pyelftools};

/// A reader that is there, or why it is not.
pub type Found = Result<Box<dyn Oracle>, Missing>;

/// A program or library that can be asked, in one or several versions installed side by side.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Its name, which known faults list: that of its reader, or what the names of its readers start with.
    pub name: &'static str,
    /// The readers that share code with it and so are one witness.
    pub family: &'static str,
    /// How it is asked, in a few words of Markdown.
    pub how: &'static str,
    /// The exact command that installs it on Debian; empty when it is built in.
    pub install: &'static str,
    /// Whether several versions may be there, each a reader of its own that is named `NAME-VERSION`.
    pub versioned: bool,
    /// Looks for its readers, in the order of the reports. A process of the tool gets this much time.
    pub probe: fn(Duration) -> Vec<Found>,
}

/// All tools, in the order of the reports.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "gimli",
        family: "gimli",
        how: "in this process",
        install: "",
        versioned: false,
        probe: |_| vec![Ok(Box::new(gimli::Gimli))],
    },
    Tool {
        name: "readelf",
        family: "GNU binutils",
        how: "`readelf -wNf` and `-wNF`, both parsed",
        install: "apt-get install binutils",
        versioned: false,
        probe: |time_out| binutils(Program::Readelf, time_out),
    },
    Tool {
        name: "objdump",
        family: "GNU binutils",
        how: "`objdump --dwarf=frames` and `frames-interp`, both parsed",
        install: "apt-get install binutils-multiarch",
        versioned: false,
        probe: |time_out| binutils(Program::Objdump, time_out),
    },
    Tool {
        name: "llvm-dwarfdump",
        family: "LLVM",
        how: "`llvm-dwarfdump-VERSION --eh-frame`, parsed; every version in `PATH`",
        install: "apt-get install llvm",
        versioned: true,
        probe: llvm_dwarfdump,
    },
    Tool {
        name: llvm_readelf::TOOL,
        family: "LLVM",
        how: "`llvm-readelf-VERSION --unwind`, parsed; every version in `PATH`",
        install: "apt-get install llvm",
        versioned: true,
        probe: llvm_readelf,
    },
    Tool {
        name: elfutils::NAME,
        family: "elfutils printer",
        how: "`eu-readelf -N --debug-dump=frames`, parsed",
        install: "apt-get install elfutils",
        versioned: false,
        probe: eu_readelf,
    },
    Tool {
        name: libdw::NAME,
        family: "libdw",
        how: "`oracles/clients/libdw.c`, compiled at its first use, in one process that lives on",
        install: "apt-get install gcc libdw-dev",
        versioned: false,
        probe: |time_out| vec![libdw::probe(time_out).map(|found| -> Box<dyn Oracle> { Box::new(found) })],
    },
    Tool {
        name: libdwarf::NAME,
        family: "libdwarf",
        how: "`dwarfdump -f -F -vv`, parsed",
        install: "apt-get install dwarfdump",
        versioned: false,
        probe: dwarfdump,
    },
    Tool {
        name: pyelftools::NAME,
        family: "pyelftools",
        how: "`oracles/clients/pyelftools.py` in one process that lives on",
        install: "apt-get install python3-pyelftools",
        versioned: false,
        probe: |time_out| {
            vec![pyelftools::probe(time_out).map(|found| -> Box<dyn Oracle> { Box::new(found) })]
        },
    },
];

fn binutils(program: Program, time_out: Duration) -> Vec<Found> {
    vec![Binutils::probe(program).map(|mut found| -> Box<dyn Oracle> {
        found.time_limit = time_out;
        Box::new(found)
    })]
}

fn llvm_dwarfdump(time_out: Duration) -> Vec<Found> {
    let set_up = |mut found: LlvmDwarfdump| -> Box<dyn Oracle> {
        found.time_limit = time_out;
        Box::new(found)
    };
    LlvmDwarfdump::probe_all().into_iter().map(|found| found.map(set_up)).collect()
}

fn llvm_readelf(time_out: Duration) -> Vec<Found> {
    let set_up = |mut found: LlvmReadelf| -> Box<dyn Oracle> {
        found.time_limit = time_out;
        Box::new(found)
    };
    LlvmReadelf::probe_all().into_iter().map(|found| found.map(set_up)).collect()
}

fn eu_readelf(time_out: Duration) -> Vec<Found> {
    vec![EuReadelf::probe().map(|mut found| -> Box<dyn Oracle> {
        found.time_limit = time_out;
        Box::new(found)
    })]
}

fn dwarfdump(time_out: Duration) -> Vec<Found> {
    vec![Dwarfdump::probe().map(|mut found| -> Box<dyn Oracle> {
        found.time_limit = time_out;
        Box::new(found)
    })]
}

/// The tool of this name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The tool whose reader has, or could have, this name; a tool's own name stands for all its readers.
pub fn tool_of(reader: &str) -> Option<&'static Tool> {
    let has_version = |tool: &Tool| {
        let version = reader.strip_prefix(tool.name).and_then(|rest| rest.strip_prefix('-'));
        tool.versioned && version.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))
    };
    tool(reader).or_else(|| TOOLS.iter().find(|tool| has_version(tool)))
}

/// Looks for all readers, in the order of the reports.
pub fn probe_all(time_out: Duration) -> Vec<Found> {
    TOOLS.iter().flat_map(|tool| (tool.probe)(time_out)).collect()
}

/// Looks for the readers of these names, each once and in the order of the reports. A name that no tool could have
/// is passed over; see [`tool_of`].
pub fn probe(names: &[String], time_out: Duration) -> Vec<Found> {
    let mut all = Vec::new();
    for tool in TOOLS {
        let wanted: Vec<&String> =
            names.iter().filter(|name| tool_of(name).is_some_and(|of| of.name == tool.name)).collect();
        if wanted.is_empty() {
            continue;
        }
        let found = (tool.probe)(time_out);
        let is_there = |name: &str| found.iter().flatten().any(|oracle| oracle.name() == name);
        let mut lost: Vec<&String> =
            wanted.iter().copied().filter(|name| *name != tool.name && !is_there(name)).collect();
        lost.sort();
        lost.dedup();
        let lost: Vec<Found> = lost.into_iter().map(|name| Err(not_installed(tool, name))).collect();
        let is_wanted = |found: &Found| {
            let name = found.as_ref().map_or(tool.name, |oracle| oracle.name());
            wanted.iter().any(|wanted| *wanted == tool.name || *wanted == name)
        };
        all.extend(found.into_iter().filter(is_wanted));
        all.extend(lost);
    }
    all
}

/// A version of a tool that is there in other versions at best.
fn not_installed(tool: &Tool, name: &str) -> Missing {
    Missing {
        name: name.to_owned(),
        why: format!("tried {name}: not found"),
        install: tool.install.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_has_its_tool_s_family_and_a_name_that_leads_back() {
        for tool in TOOLS {
            for oracle in (tool.probe)(Duration::from_secs(60)).into_iter().flatten() {
                assert_eq!((oracle.tool(), oracle.family()), (tool.name, tool.family));
                assert_eq!(tool_of(oracle.name()).map(|tool| tool.name), Some(tool.name));
            }
        }
    }

    #[test]
    fn names_that_no_reader_could_have_are_told_apart() {
        for name in ["", "gimli-3", "readelf-", "nothing", "-14"] {
            assert!(tool_of(name).is_none(), "{name}");
        }
    }

    #[test]
    fn a_reader_that_is_asked_for_twice_comes_once_and_in_order() {
        let names = ["readelf", "gimli", "gimli"].map(str::to_owned);
        let found = probe(&names, Duration::from_secs(60));
        let name = |found: &Found| match found {
            Ok(oracle) => oracle.name().to_owned(),
            Err(missing) => missing.name.clone(),
        };
        assert_eq!(found.iter().map(name).collect::<Vec<_>>(), ["gimli", "readelf"]);
    }
}
