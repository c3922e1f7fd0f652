//! Compilers, assemblers and generators as child processes: their time and what they print are bounded.

use std::fmt;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// How many lines of what a tool said go into a failure.
const LINES_KEPT: usize = 5;
/// How long such a line may be, in characters.
const LINE_LENGTH: usize = 300;

/// Where children run and what they may use.
#[derive(Clone, Debug)]
pub struct Workshop {
    /// The working directory, to which file names of commands are relative.
    pub directory: PathBuf,
    /// Wall time of one process.
    pub time: Duration,
    /// Bytes that one process may print.
    pub output: u64,
}

/// Why a command did not do its work.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Failure {
    /// The command as a shell takes it.
    pub command: String,
    /// How it ended: `exit code 1`, `ran out of time after 60s`.
    pub why: String,
    /// The first lines that it printed.
    pub said: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.command, self.why)?;
        self.said.first().map_or(Ok(()), |line| write!(f, ": {line}"))
    }
}

impl Workshop {
    /// A workshop with the limits that compilers of small programs stay far below.
    pub fn new(directory: &Path) -> Workshop {
        Workshop { directory: directory.to_owned(), time: Duration::from_secs(60), output: 4 << 20 }
    }

    /// Runs a command, its program first, without a shell, and gives what it printed on both streams. Its input
    /// is empty, its locale is `C`, its temporary files go into the workshop.
    ///
    /// # Errors
    /// When it cannot be started, exits with another code than 0, dies, or passes a limit, upon which it is killed
    /// with all the processes that it started.
    pub fn run<S: AsRef<str>>(&self, command: &[S]) -> Result<String, Failure> {
        let failure =
            |why: String, said: &[u8]| Failure { command: shell(command), why, said: first_lines(said) };
        let (program, arguments) = command.split_first().expect("a command has a program");
        let expression = duct::cmd(program.as_ref(), arguments.iter().map(AsRef::as_ref))
            .dir(&self.directory)
            .env("LC_ALL", "C")
            .env_remove("LANGUAGE")
            .env("TMPDIR", &self.directory)
            .stdin_null()
            .stderr_to_stdout()
            .unchecked()
            .before_spawn(|command| {
                // A driver's own children belong to its group, and die with it.
                command.process_group(0);
                Ok(())
            });
        let reader = expression.reader().map_err(|error| failure(start_error(&error), &[]))?;
        let (said, end) = self.watch(&reader).map_err(|error| failure(error.to_string(), &[]))?;
        match end {
            End::TimeOut => Err(failure(format!("ran out of time after {:?}", self.time), &said)),
            End::TooMuch => Err(failure(format!("printed more than {} bytes", self.output), &said)),
            End::Exited(status) if status.success() => Ok(String::from_utf8_lossy(&said).into_owned()),
            End::Exited(status) => Err(failure(ended(status), &said)),
        }
    }

    /// Reads to the end of the child, and kills its group when it passes a limit.
    fn watch(&self, mut reader: &duct::ReaderHandle) -> io::Result<(Vec<u8>, End)> {
        let kill = || {
            for pid in reader.pids() {
                // It fails when they are gone already.
                let _ = killpg(Pid::from_raw(pid.cast_signed()), Signal::SIGKILL);
            }
        };
        let timed_out = AtomicBool::new(false);
        let (done, ended) = channel::<()>();
        thread::scope(|scope| {
            let (kill, timed_out) = (&kill, &timed_out);
            scope.spawn(move || {
                if ended.recv_timeout(self.time) == Err(RecvTimeoutError::Timeout) {
                    timed_out.store(true, Ordering::Relaxed);
                    kill();
                }
            });
            let _watched = done;
            let mut said = Vec::new();
            reader.take(self.output).read_to_end(&mut said)?;
            let too_much = said.len() as u64 == self.output;
            if too_much {
                kill();
            }
            // The end of the output is also the end of the child: it is waited for there.
            io::copy(&mut reader, &mut io::sink())?;
            let status = reader.try_wait()?.map(|output| output.status).unwrap_or_default();
            let end = match () {
                () if timed_out.load(Ordering::Relaxed) => End::TimeOut,
                () if too_much => End::TooMuch,
                () => End::Exited(status),
            };
            Ok((said, end))
        })
    }
}

enum End {
    Exited(ExitStatus),
    TimeOut,
    TooMuch,
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("died of signal {signal}"),
        (None, None) => status.to_string(),
    }
}

fn start_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such program".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => format!("cannot be started: {error}"),
    }
}

fn first_lines(said: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(said);
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(LINES_KEPT);
    lines.map(|line| line.chars().take(LINE_LENGTH).collect()).collect()
}

/// A command as a line that a shell takes for the same words.
pub fn shell<S: AsRef<str>>(command: &[S]) -> String {
    // Only a zero byte has no quotation, and no argument of a process can hold one.
    shlex::try_join(command.iter().map(AsRef::as_ref)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn run(time: Duration, script: &str) -> Result<String, Failure> {
        let workshop = Workshop { time, output: 100_000, ..Workshop::new(&std::env::temp_dir()) };
        workshop.run(&["sh", "-c", script])
    }

    #[test]
    fn what_is_printed_comes_back_and_failures_say_how_it_ended() {
        let minute = Duration::from_secs(60);
        assert_eq!(run(minute, "echo one; echo two >&2"), Ok("one\ntwo\n".to_owned()));
        let failed = run(minute, "echo no such option; exit 3").unwrap_err();
        assert_eq!((failed.why.as_str(), failed.said), ("exit code 3", vec!["no such option".to_owned()]));
        assert_eq!(run(minute, "kill -SEGV $$").unwrap_err().why, "died of signal 11");
        let missing = Workshop::new(Path::new("/")).run(&["no-such-program-of-that-name"]).unwrap_err();
        assert_eq!(missing.to_string(), "no-such-program-of-that-name: no such program");
    }

    #[test]
    fn a_child_and_its_children_end_with_the_time() {
        let started = Instant::now();
        let failed = run(Duration::from_millis(300), "echo begun; sleep 50; true").unwrap_err();
        assert_eq!(
            (failed.why.as_str(), failed.said),
            ("ran out of time after 300ms", vec!["begun".to_owned()])
        );
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn endless_output_ends() {
        let failed = run(Duration::from_secs(60), "yes").unwrap_err();
        assert_eq!(failed.why, "printed more than 100000 bytes");
    }
}
