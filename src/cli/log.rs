//! What a person sees on standard error while a command works.

use std::io::{self, Write};

use cfidiff::report::printable;
use indicatif::{ProgressBar, ProgressStyle};

/// Lines beside a progress bar.
pub struct Log {
    /// The bar, which steps aside for lines.
    pub bar: ProgressBar,
    /// Whether there is no need for lines, since standard output says the same to the same person.
    pub silent: bool,
}

impl Log {
    /// Lines alone.
    pub fn plain() -> Log {
        Log { bar: ProgressBar::hidden(), silent: false }
    }

    /// Writes a line.
    pub fn line(&self, words: &str) {
        if !self.silent {
            // Nobody is there to be told that nobody listens.
            self.bar.suspend(|| _ = writeln!(io::stderr(), "cfidiff: {}", printable(words)));
        }
    }
}

/// A bar on standard error, when that is a terminal: files, what the command says of them, time left.
pub fn progress_bar(files: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files{msg}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(files).with_style(style)
}
