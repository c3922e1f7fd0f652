//! `cfidiff doctor`: which oracles are there.

use std::time::Duration;

use cfidiff::campaign::Exit;

use crate::cli::Common;

/// Tell which oracles are installed, what each can say, and how to install the others.
#[derive(clap::Args)]
pub struct Doctor {}

impl Doctor {
    /// Prints.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let mut out = common.output(None)?;
        for name in cfidiff_oracles::NAMES {
            match cfidiff_oracles::probe(name, Duration::from_secs(60)) {
                Some(Ok(oracle)) => writeln!(out, "{name} {}", oracle.version())?,
                Some(Err(missing)) => writeln!(out, "{name} missing: {}; {}", missing.why, missing.install)?,
                None => {}
            }
        }
        out.flush()?;
        Ok(Exit::Agree)
    }
}
