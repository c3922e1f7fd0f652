//! Words for a command line that shows a finding again.

use cfidiff_model::Case;

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| format!("{word:?}"), |quoted| quoted.into_owned())
}

/// The case's file as an argument.
pub(crate) fn path_of(case: &Case) -> String {
    let mut path = case.path.as_ref().map_or_else(|| case.name.clone(), |path| path.display().to_string());
    if path.starts_with('-') {
        path.insert_str(0, "./");
    }
    quoted(&path)
}
