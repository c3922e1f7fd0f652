//! Clients in C of libraries that cannot be asked otherwise: compiled on the user's machine, where the library is, and
//! kept in the user's cache.
//!
//! The library is linked dynamically, so that a newer one of the same interface needs no new client. A client that does
//! not start any more is compiled again.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use etcetera::BaseStrategy as _;

use crate::external::External;
use crate::process::{self, Errors, Limits};

/// The compiler, by the name that POSIX systems have for it.
const COMPILER: &str = "cc";
/// How long it may take. It takes a second.
const LIMITS: Limits = Limits { time: Duration::from_secs(60), output: 1 << 20 };

/// A reader whose program is made when it is asked for first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    /// The reader's name, which is the program's.
    pub name: &'static str,
    /// The program in C.
    pub source: &'static str,
    /// What it is linked with.
    pub libraries: &'static [&'static str],
}

impl Client {
    /// The reader, which may take this much time for a file.
    ///
    /// # Errors
    /// In words what was tried and why it is not there.
    pub fn start(&self, time_out: Duration) -> Result<External, String> {
        let folder = user_folder().ok_or("tried to compile it: there is no home to keep it in")?;
        self.start_in(&folder, time_out)
    }

    fn start_in(&self, folder: &Path, time_out: Duration) -> Result<External, String> {
        let program = folder.join(format!("{}-{}", self.name, self.key()));
        let Some(word) = program.to_str() else {
            return Err(format!("tried to compile it: the path {} is not UTF-8", program.display()));
        };
        let start = || External::with_words(self.name, vec![word.to_owned()], time_out);
        if program.is_file()
            && let Ok(reader) = start()
        {
            return Ok(reader);
        }
        self.compile(folder, &program)?;
        start().map_err(|why| format!("tried {word}: {why}"))
    }

    /// A hash over what the program is made from and for.
    fn key(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [self.source, std::env::consts::ARCH].iter().chain(self.libraries) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// Compiles the program to this path, where it is either whole or not.
    fn compile(&self, folder: &Path, program: &Path) -> Result<(), String> {
        let not_kept = |error: io::Error| format!("cannot write {}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(not_kept)?;
        let workplace = tempfile::tempdir_in(folder).map_err(not_kept)?;
        let source = format!("{}.c", self.name);
        fs::write(workplace.path().join(&source), self.source).map_err(not_kept)?;
        let mut command = Command::new(COMPILER);
        command.current_dir(workplace.path()).args(["-O2", "-o", self.name, &source]).args(self.libraries);
        run(command)?;
        fs::rename(workplace.path().join(self.name), program).map_err(not_kept)
    }
}

/// Runs the compiler. An error tells what it complained of first.
fn run(command: Command) -> Result<(), String> {
    let ended = process::run(command, Errors::Apart, LIMITS, &mut |_| ControlFlow::Continue(()));
    let ended = ended.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!("tried {COMPILER}: there is no program {COMPILER} in PATH"),
        _ => format!("tried {COMPILER}: {error}"),
    })?;
    if let Some(failure) = ended.failure() {
        return Err(format!("tried {COMPILER}: {failure}"));
    }
    if ended.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&ended.errors);
    let line =
        words.lines().find(|line| line.contains("error") || line.contains("cannot")).unwrap_or("failed");
    Err(format!("tried {COMPILER}: {line}"))
}

/// The folder that users expect: `cfidiff/readers` in `$XDG_CACHE_HOME`, else in `~/.cache`.
fn user_folder() -> Option<PathBuf> {
    Some(etcetera::base_strategy::Xdg::new().ok()?.cache_dir().join("cfidiff").join("readers"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const TIME: Duration = Duration::from_secs(20);
    /// A reader that answers nothing on every file, and needs no library but C's.
    const NOTHING: Client = Client {
        name: "nothing",
        source: r#"#include <stdio.h>
            int main(void) {
                puts("{\"type\":\"reader\",\"protocol\":1,\"version\":\"7\",\"says\":[\"look-ups\"]}");
                for (int c; (c = getchar()) != EOF;)
                    if (c == '\n') { puts("{\"type\":\"end\"}"); fflush(stdout); }
                return 0;
            }"#,
        libraries: &[],
    };

    /// The programs in a folder.
    fn programs(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("the folder is there");
        entries.map(|entry| entry.expect("it can be read").path()).collect()
    }

    #[test]
    fn a_client_is_compiled_once_and_again_when_it_broke() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("inner");
        match NOTHING.start_in(&folder, TIME) {
            Ok(_) => {}
            Err(why) if why.contains("no program cc") => return println!("skipped: cc not found"),
            Err(why) => panic!("{why}"),
        }
        let [program] = &programs(&folder)[..] else { panic!("{:?}", programs(&folder)) };
        let made = fs::metadata(program).and_then(|data| data.modified()).expect("it is there");
        NOTHING.start_in(&folder, TIME).expect("it is kept");
        assert_eq!(fs::metadata(program).and_then(|data| data.modified()).expect("it is there"), made);
        fs::write(program, "no program").expect("it can be written");
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("it can be changed");
        NOTHING.start_in(&folder, TIME).expect("it is made again");
        assert_eq!(programs(&folder).len(), 1);
    }

    #[test]
    fn what_the_compiler_lacks_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let lacks = |source, libraries| {
            let client = Client { source, libraries, ..NOTHING };
            client.start_in(folder.path(), TIME).err().expect("it cannot be compiled")
        };
        let header = lacks("#include <no/such/header.h>\n", &[]);
        assert!(header.starts_with("tried cc: ") && !header.contains(".tmp"), "{header}");
        let library = lacks("int main(void) { return 0; }", &["-lno-such-library"]);
        assert!(library.starts_with("tried cc: "), "{library}");
        if !header.contains("no program cc") {
            assert!(
                header.contains("no/such/header.h") && library.contains("no-such-library"),
                "{header} {library}"
            );
        }
        assert_eq!(programs(folder.path()), Vec::<PathBuf>::new());
    }
}
