//! Which readers a command asks, for all commands that ask readers.

use std::time::Duration;

use cfidiff_oracles::external::External;
use cfidiff_oracles::{Missing, Oracle, process, registry};

use crate::cli::TIME_OUTS;

/// The readers that are wanted.
#[derive(clap::Args)]
pub struct Wanted {
    /// Compare with this reader only, or with all versions of this tool; may be given again. Default: all that are
    /// there, see `doctor`.
    #[arg(long = "reader", value_name = "NAME", value_parser = reader_name)]
    readers: Vec<String>,
    /// Compare with a reader of yours as well: a command that speaks the protocol of oracles/PROTOCOL.md. With
    /// {file} in it the command is started for each file, without it is asked for file after file. May be given again.
    #[arg(long = "reader-cmd", value_name = "NAME=CMD", value_parser = reader_command)]
    commands: Vec<String>,
    /// How long a reader may take for one file, and a tool that gets many files at once for these, in seconds. For each
    /// MiB of call frame information there are 10 seconds more.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = process::TIME_OUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(TIME_OUTS)
    )]
    timeout: u64,
}

/// The readers that are there, and those that are not, each with whether it was asked for by name.
pub type Readers = (Vec<Box<dyn Oracle>>, Vec<(Missing, bool)>);

impl Wanted {
    /// Whether any of them is named.
    pub fn are_given(&self) -> bool {
        !self.readers.is_empty() || !self.commands.is_empty()
    }

    /// Looks for them: those that are named beside all others, unless only some are wanted.
    pub fn find(&self) -> Readers {
        self.find_among(self.readers.is_empty())
    }

    /// Looks for those that are named, and only where none is for all.
    pub fn find_named(&self) -> Readers {
        self.find_among(!self.are_given())
    }

    fn find_among(&self, all: bool) -> Readers {
        let asked_for = !all;
        let time_out = Duration::from_secs(self.timeout);
        let found =
            if all { registry::probe_all(time_out) } else { registry::probe(&self.readers, time_out) };
        let (mut there, mut missing) = (Vec::new(), Vec::new());
        for reader in found {
            match reader {
                Ok(oracle) => there.push(oracle),
                Err(why) => missing.push((why, asked_for)),
            }
        }
        for pair in &self.commands {
            match start(pair, &there, time_out) {
                Ok(external) => there.push(Box::new(external)),
                Err(why) => {
                    let name = pair.split('=').next().unwrap_or_default().to_owned();
                    missing.push((Missing { name, why, install: String::new() }, true));
                }
            }
        }
        (there, missing)
    }
}

/// Starts a reader of the user's, whose name none of the others has.
fn start(pair: &str, others: &[Box<dyn Oracle>], time_out: Duration) -> Result<External, String> {
    if others.iter().any(|other| pair.split('=').next() == Some(other.name())) {
        return Err("another reader of this run has the name".to_owned());
    }
    External::start(pair, time_out)
}

/// A name that some reader has or could have.
pub(crate) fn reader_name(name: &str) -> Result<String, String> {
    if registry::tool_of(name).is_some() {
        return Ok(name.to_owned());
    }
    let names: Vec<&str> = registry::TOOLS.iter().map(|tool| tool.name).collect();
    Err(format!("no reader has this name; there are {}", names.join(", ")))
}

/// A name and a command.
fn reader_command(pair: &str) -> Result<String, String> {
    match pair.split_once('=') {
        Some((name, command)) if !name.trim().is_empty() && !command.trim().is_empty() => Ok(pair.to_owned()),
        _ => Err("a name and a command are expected, as mine='./mine --cfi'".to_owned()),
    }
}
