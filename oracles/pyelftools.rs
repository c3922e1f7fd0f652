//! pyelftools, a library for Python: asked through the protocol of external readers, file after file in one process.

use std::time::Duration;

use crate::external::External;
use crate::{Missing, registry};

/// The name under which reports list it.
pub const NAME: &str = "pyelftools";

const CLIENT: &str = include_str!("clients/pyelftools.py");
/// Python looks for modules in the current directory first, and nobody knows what lies there.
const NOT_FROM_HERE: &str = "import sys\nsys.path[:] = filter(None, sys.path)\n";

/// The version that `python3` finds. It may take this much time for a file.
///
/// # Errors
/// When there is no `python3`, or it has no such module.
pub fn probe(time_out: Duration) -> Result<External, Missing> {
    let program = format!("{NOT_FROM_HERE}{CLIENT}");
    let words = ["python3", "-c", &program].map(str::to_owned);
    External::with_words(NAME, words.to_vec(), time_out).map_err(|why| Missing {
        name: NAME.to_owned(),
        why: format!("tried python3: {why}"),
        install: registry::tool(NAME).map_or_else(String::new, |tool| tool.install.to_owned()),
    })
}
