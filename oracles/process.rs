//! Child processes: their output as a stream, their time and volume bounded.
//!
//! Whatever a child does (print without end, print nothing, fill its error stream, leave a grandchild behind
//! that holds the pipe), [`run`] comes back and holds a bounded amount of it in memory.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use cfidiff_model::Case;
use nix::fcntl::{FcntlArg, fcntl};

use crate::group::Group;
pub use crate::group::end_all;
use crate::usage::Usage;

/// The size of the buffers that output travels in.
const CHUNK: usize = 256 * 1024;
/// How many buffers there are: one that the sink reads, one that is filled, one in between.
const CHUNKS: usize = 3;
/// How much of an error stream is kept.
const ERRORS_KEPT: usize = 64 * 1024;
/// How often a silent child's sink is asked whether to go on.
const TICK: Duration = Duration::from_millis(100);
/// How long output is waited for that comes from what a dead child left behind: in the pipe, or as processes.
const GRACE: Duration = Duration::from_secs(1);

/// How many bytes a pipe should hold.
const PIPE: i32 = 1 << 20;

/// How long a reader may take for small files unless the user says otherwise.
pub const TIME_OUT: Duration = Duration::from_secs(30);
/// The time that large files get on top of that, for each whole MiB of call frame information. The slowest reader takes
/// a tenth of it on an idle machine.
pub const TIME_PER_MIB: Duration = Duration::from_secs(10);

/// What a child may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time from start to exit.
    pub time: Duration,
    /// Bytes on standard output.
    pub output: u64,
}

impl Limits {
    /// The limits for reading these cases: more time for large ones.
    pub fn to_read<'c>(self, cases: impl IntoIterator<Item = &'c Case>) -> Limits {
        let sections = cases.into_iter().flat_map(Case::frame_sections);
        let bytes: usize = sections.map(|(_, section)| section.data.len()).sum();
        let more = TIME_PER_MIB.saturating_mul(u32::try_from(bytes >> 20).unwrap_or(u32::MAX));
        Limits { time: self.time.saturating_add(more), ..self }
    }
}

/// What becomes of a child's error stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Errors {
    /// Its first 64 KiB are kept in [`Ended::errors`], the rest is drained.
    Apart,
    /// It goes into the same pipe as the output, so that its place among the output is known.
    Merged,
}

/// Why a child was killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Killed {
    /// It ran longer than [`Limits::time`].
    TimeOut,
    /// It printed more than [`Limits::output`].
    OutputLimit,
    /// The sink said so.
    BySink,
}

/// How a child ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status, that of the killing included.
    pub status: ExitStatus,
    /// Whether and why it was killed by us.
    pub killed: Option<Killed>,
    /// The start of its error stream, empty when merged.
    pub errors: Vec<u8>,
    /// What it took.
    pub usage: Usage,
    /// The limits it ran under, for [`Ended::failure`].
    limits: Limits,
}

impl Ended {
    /// In words what went wrong: killed by us, died of a signal. `None` when it exited by itself, with
    /// whatever exit code.
    pub fn failure(&self) -> Option<String> {
        match self.killed {
            Some(Killed::TimeOut) => Some(format!("ran out of time after {:?}", self.limits.time)),
            Some(Killed::OutputLimit) => Some(format!("printed more than {} bytes", self.limits.output)),
            Some(Killed::BySink) => Some("was stopped".to_owned()),
            None => self.status.signal().map(|signal| format!("died of signal {signal}")),
        }
    }
}

/// Runs a child to its end and hands its output to `sink` in chunks.
///
/// Standard input is empty and the locale is `C`. While the child is silent the sink is called about ten times
/// a second with an empty chunk, so that it can stop the child; after it has, it is not called any more.
///
/// # Errors
/// When the child cannot be started or waited for.
pub fn run(
    mut command: Command,
    errors: Errors,
    limits: Limits,
    sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<Ended> {
    let deadline = Instant::now() + limits.time;
    let (output, writer) = io::pipe()?;
    // A larger pipe saves switches between the child and us. The system may grant less, which costs time only.
    let _ = fcntl(&output, FcntlArg::F_SETPIPE_SZ(PIPE));
    command.stdin(Stdio::null()).env("LC_ALL", "C").env_remove("LANGUAGE");
    match errors {
        Errors::Apart => command.stderr(Stdio::piped()),
        Errors::Merged => command.stderr(writer.try_clone()?),
    };
    let mut child = Group::start(command.stdout(writer))?;
    // Not less than the wall time, so that it is seen only where that is not watched.
    child.limit_cpu(limits.time.saturating_add(GRACE));
    // The command holds the pipe's writing end, which must close for the output to end.
    drop(command);
    let kept = child.first.stderr.take().map(drain);
    let killed = stream(output, &child, deadline, limits.output, sink);
    let killed = wait(&child, deadline, killed);
    let status = child.end()?;
    let errors = kept.and_then(|kept| kept.recv_timeout(GRACE).ok()).unwrap_or_default();
    Ok(Ended { status, killed, errors, usage: child.usage(), limits })
}

/// Waits until the deadline, then kills. Most children exit at once when their output has ended.
fn wait(child: &Group, deadline: Instant, killed: Option<Killed>) -> Option<Killed> {
    let mut pause = Duration::from_micros(50);
    while killed.is_none() && !child.has_ended() {
        if Instant::now() >= deadline {
            child.kill();
            return Some(Killed::TimeOut);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    killed
}

/// Hands the output to the sink until it ends or the child has to be killed, which it then does.
fn stream(
    output: impl Read + Send + 'static,
    child: &Group,
    mut deadline: Instant,
    limit: u64,
    sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Option<Killed> {
    let (full, chunks) = sync_channel(CHUNKS);
    let (spare, empty) = sync_channel(CHUNKS);
    for _ in 0..CHUNKS {
        // There is room for all of them.
        let _ = spare.send(Vec::with_capacity(CHUNK));
    }
    std::thread::spawn(move || pump(output, &full, &empty));
    let mut killed = None;
    let mut total = 0;
    let mut orphans = Orphans::default();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() && killed.is_some() || orphans.escaped() {
            return killed;
        }
        if left.is_zero() {
            // What it printed up to here still tells what it was doing.
            child.kill();
            killed = Some(Killed::TimeOut);
            deadline = Instant::now() + GRACE;
            continue;
        }
        let chunk: Vec<u8> = match chunks.recv_timeout(left.min(TICK)) {
            Ok(chunk) => chunk,
            Err(RecvTimeoutError::Disconnected) => return killed,
            Err(RecvTimeoutError::Timeout) => {
                orphans.watch(child);
                Vec::new()
            }
        };
        total += chunk.len() as u64;
        if total > limit {
            child.kill();
            return Some(Killed::OutputLimit);
        }
        if sink(&chunk).is_break() {
            child.kill();
            return killed.or(Some(Killed::BySink));
        }
        if chunk.capacity() != 0 {
            let _ = spare.send(chunk);
        }
    }
}

/// What a child leaves behind that holds its output open after it is gone.
#[derive(Default)]
pub(crate) struct Orphans {
    /// When the child was first seen to have ended.
    ended: Option<Instant>,
    /// When what was left of its group was killed.
    killed: Option<Instant>,
}

impl Orphans {
    /// To be called while the output is silent: kills what is left of the group some time after the child's own end.
    pub fn watch(&mut self, child: &Group) {
        match self.ended {
            None if child.has_ended() => self.ended = Some(Instant::now()),
            Some(ended) if self.killed.is_none() && ended.elapsed() >= GRACE => {
                child.kill();
                self.killed = Some(Instant::now());
            }
            _ => {}
        }
    }

    /// Whether some process left the group, so that it could not be killed, and still holds the output open.
    pub fn escaped(&self) -> bool {
        self.killed.is_some_and(|killed| killed.elapsed() >= GRACE)
    }
}

/// Reads until the pipe ends or nobody takes the chunks any more.
///
/// It runs in a thread of its own since a read cannot be timed out: a grandchild may hold the pipe open long
/// after the child is gone.
fn pump(mut output: impl Read, full: &SyncSender<Vec<u8>>, empty: &Receiver<Vec<u8>>) {
    while let Ok(mut chunk) = empty.recv() {
        chunk.clear();
        // Filling the chunk before handing it over saves a switch of threads for each write of the child.
        let read = output.by_ref().take(CHUNK as u64).read_to_end(&mut chunk);
        let ended = read.is_err() || chunk.len() < CHUNK;
        if full.send(chunk).is_err() || ended {
            return;
        }
    }
}

/// Reads an error stream to its end in a thread of its own, and keeps its start.
pub(crate) fn drain(mut errors: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (done, kept) = channel();
    std::thread::spawn(move || {
        let mut start = Vec::new();
        // An error ends the stream like its end does; what was read is still worth having.
        let _ = errors.by_ref().take(ERRORS_KEPT as u64).read_to_end(&mut start);
        let _ = io::copy(&mut errors, &mut io::sink());
        let _ = done.send(start);
    });
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { time: Duration::from_secs(60), output: 1 << 30 };

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        command
    }

    fn collect(command: Command, errors: Errors, limits: Limits) -> (Ended, Vec<u8>) {
        let mut output = Vec::new();
        let ended = run(command, errors, limits, &mut |chunk| {
            output.extend_from_slice(chunk);
            ControlFlow::Continue(())
        });
        (ended.expect("the child starts"), output)
    }

    #[test]
    fn output_and_errors_come_apart_or_merged_in_order() {
        let script = "echo one; echo two >&2; echo three; cat; exit 3";
        let (ended, output) = collect(shell(script), Errors::Apart, LIMITS);
        assert_eq!((output.as_slice(), ended.errors.as_slice()), (&b"one\nthree\n"[..], &b"two\n"[..]));
        assert_eq!((ended.status.code(), ended.failure()), (Some(3), None));
        let (ended, output) = collect(shell(script), Errors::Merged, LIMITS);
        assert_eq!((output.as_slice(), ended.errors.as_slice()), (&b"one\ntwo\nthree\n"[..], &b""[..]));
    }

    #[test]
    fn endless_output_meets_the_limit() {
        let limits = Limits { output: 3_000_000, ..LIMITS };
        let (ended, output) = collect(Command::new("yes"), Errors::Apart, limits);
        assert_eq!(ended.killed, Some(Killed::OutputLimit));
        assert!(output.len() <= 3_000_000);
    }

    #[test]
    fn endless_output_meets_the_time_out() {
        let limits = Limits { time: Duration::from_millis(300), output: u64::MAX };
        let ended = run(Command::new("yes"), Errors::Apart, limits, &mut |_| ControlFlow::Continue(()));
        assert_eq!(ended.expect("the child starts").killed, Some(Killed::TimeOut));
    }

    #[test]
    fn the_sink_can_stop_a_child_that_prints_and_one_that_is_silent() {
        for command in [Command::new("yes"), shell("exec sleep 600")] {
            let started = Instant::now();
            let ended = run(command, Errors::Merged, LIMITS, &mut |_| ControlFlow::Break(()));
            assert_eq!(ended.expect("the child starts").killed, Some(Killed::BySink));
            assert!(started.elapsed() < Duration::from_secs(20));
        }
    }

    #[test]
    fn a_child_that_sleeps_is_killed_and_what_it_printed_is_kept() {
        let limits = Limits { time: Duration::from_millis(400), ..LIMITS };
        // The second one leaves a grandchild that holds the pipe, the third one closes it and lives on.
        for script in ["echo hi; exec sleep 600", "echo hi; sleep 30; true", "echo hi; exec sleep 600 >&-"] {
            let started = Instant::now();
            let (ended, output) = collect(shell(script), Errors::Apart, limits);
            assert_eq!(ended.killed, Some(Killed::TimeOut), "{script}");
            assert!(ended.failure().is_some_and(|words| words.contains("out of time")));
            assert!(started.elapsed() < Duration::from_secs(20), "{script}");
            assert_eq!(output, b"hi\n", "{script}");
        }
    }

    /// The first is killed with the group, the second has left the group.
    #[test]
    fn who_holds_the_output_of_a_dead_child_open_is_not_waited_for() {
        for script in ["echo hi; sleep 611 & exit 7", "echo hi; setsid sleep 33 & sleep 0.5; exit 7"] {
            let started = Instant::now();
            let (ended, output) = collect(shell(script), Errors::Apart, LIMITS);
            assert_eq!((ended.status.code(), ended.failure()), (Some(7), None), "{script}");
            assert!(started.elapsed() < Duration::from_secs(20), "{script}");
            if !script.contains("setsid") {
                assert_eq!(output, b"hi\n", "{script}");
                assert!(!is_running("sleep\x0011\0"), "it was left behind");
            }
        }
    }

    fn is_running(command: &str) -> bool {
        let processes = std::fs::read_dir("/proc").expect("a list of processes");
        processes.flatten().any(|process| {
            std::fs::read(process.path().join("cmdline")).is_ok_and(|line| line == command.as_bytes())
        })
    }

    #[test]
    fn a_huge_error_stream_is_drained_and_cut() {
        let (ended, output) = collect(shell("yes | head -c 5000000 >&2; echo done"), Errors::Apart, LIMITS);
        assert_eq!((output.as_slice(), ended.errors.len()), (&b"done\n"[..], ERRORS_KEPT));
    }

    #[test]
    fn a_signal_is_told() {
        let (ended, output) = collect(shell("echo a; kill -SEGV $$"), Errors::Apart, LIMITS);
        assert_eq!((output.as_slice(), ended.killed), (&b"a\n"[..], None));
        assert_eq!(ended.failure().as_deref(), Some("died of signal 11"));
    }

    #[test]
    fn what_a_child_and_its_children_took_is_told() {
        let count = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done";
        for script in [count.to_owned(), format!("sh -c '{count}'; true"), format!("{count}; kill -SEGV $$")]
        {
            let (ended, _) = collect(shell(&script), Errors::Apart, LIMITS);
            let Usage { processes, cpu, wall } = ended.usage;
            assert_eq!(processes, 1, "{script}");
            assert!(cpu > Duration::from_millis(20) && wall > Duration::from_millis(20), "{script}: {cpu:?}");
        }
        let (ended, _) = collect(shell("exec sleep 0.3"), Errors::Apart, LIMITS);
        assert!(ended.usage.cpu < Duration::from_millis(200), "{:?}", ended.usage);
        assert!(ended.usage.wall >= Duration::from_millis(300), "{:?}", ended.usage);
        let limits = Limits { time: Duration::from_millis(300), ..LIMITS };
        let (ended, _) = collect(shell("while :; do :; done"), Errors::Apart, limits);
        assert_eq!(ended.killed, Some(Killed::TimeOut));
        assert!(ended.usage.cpu > Duration::from_millis(10), "{:?}", ended.usage);
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let missing = Command::new("no-such-program-of-that-name");
        let ended = run(missing, Errors::Apart, LIMITS, &mut |_| ControlFlow::Continue(()));
        assert_eq!(ended.expect_err("it is missing").kind(), io::ErrorKind::NotFound);
    }
}
