//! A command as the user writes it.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

/// What stands for the file's path in a command.
const FILE: &str = "{file}";
/// What stands for the path of the list of addresses.
const ADDRESSES: &str = "{addresses}";

/// The words of a command, with a place for the file or without.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Template {
    words: Vec<String>,
}

impl Template {
    /// Splits a command as a shell splits it into words.
    pub fn parse(command: &str) -> Result<Template, String> {
        Template::new(shlex::split(command).ok_or_else(|| format!("the quotes of {command:?} do not match"))?)
    }

    /// A command that is words already.
    pub fn new(words: Vec<String>) -> Result<Template, String> {
        if words.is_empty() {
            return Err("the command is empty".to_owned());
        }
        Ok(Template { words })
    }

    /// Whether the command is asked for files on its standard input.
    pub fn lives_on(&self) -> bool {
        !self.words.iter().any(|word| word.contains(FILE))
    }

    /// Whether the command wants the addresses to look up in a file.
    pub fn takes_addresses(&self) -> bool {
        self.words.iter().any(|word| word.contains(ADDRESSES))
    }

    /// In words why the command could not be started.
    pub fn not_run(&self, error: &io::Error) -> String {
        let program = &self.words[0];
        match error.kind() {
            io::ErrorKind::NotFound if program.contains('/') => {
                format!("cannot be run: there is no {program}, or not what its first line asks for")
            }
            io::ErrorKind::NotFound => format!("cannot be run: there is no program {program} in PATH"),
            io::ErrorKind::PermissionDenied => format!("cannot be run: {program} is not executable"),
            _ => format!("cannot be run: {program}: {error}"),
        }
    }

    /// The command for a file and a list of addresses. The paths need not be UTF-8.
    pub fn command(&self, file: &Path, addresses: Option<&Path>) -> Command {
        let mut words = self.words.iter().map(|word| filled(word, file, addresses));
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command
    }
}

/// A word with the paths in place of what stands for them.
fn filled(word: &str, file: &Path, addresses: Option<&Path>) -> OsString {
    let mut filled = OsString::new();
    for (index, part) in word.split(FILE).enumerate() {
        if index > 0 {
            filled.push(file);
        }
        for (index, part) in part.split(ADDRESSES).enumerate() {
            if index > 0 {
                filled.push(addresses.unwrap_or(Path::new("/dev/null")));
            }
            filled.push(part);
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_splits_them() {
        let template = Template::parse("python3 'my reader.py' --in={file} -v").unwrap();
        assert!(!template.lives_on());
        let command = template.command(Path::new("a b"), None);
        assert_eq!(command.get_program(), "python3");
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["my reader.py", "--in=a b", "-v"]);
        assert!(Template::parse("reader").unwrap().lives_on());
        assert!(Template::parse("reader 'a").is_err());
        assert!(Template::parse(" ").is_err());
    }
}
