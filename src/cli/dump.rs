//! `cfidiff dump`: our own reading of a file.

use std::path::PathBuf;

use cfidiff::campaign::Exit;

use crate::cli::Common;

/// Show our own reading of a file: one record or all.
#[derive(clap::Args)]
pub struct Dump {
    /// The file.
    file: PathBuf,
}

impl Dump {
    /// Prints.
    pub fn run(self, _common: &Common) -> anyhow::Result<Exit> {
        anyhow::bail!("not yet: {}", self.file.display())
    }
}
