//! A process that lives on and is asked for file after file.

use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use cfidiff_model::Address;
use serde_json::json;

use super::said;
use crate::group::Group;
use crate::lines::{LONGEST, Lines};
use crate::process::{Limits, Orphans, drain};
use crate::usage::{Meter, Usage};

/// The size of the buffers that output travels in.
const CHUNK: usize = 64 * 1024;
/// How many of them wait to be read.
const WAITING: usize = 4;
/// How long a process that closed its output is given to tell how it ended.
const GRACE: Duration = Duration::from_millis(200);
/// How often a silent process is looked at.
const TICK: Duration = Duration::from_millis(100);

/// A process, its input, and what it prints.
pub(super) struct Session {
    child: Group,
    /// How long somebody waited for its answers.
    busy: Duration,
    /// What it takes is counted here when it ends.
    meter: Arc<Meter>,
    /// Requests on their way. A thread writes them, since a process that reads none would block the writer.
    requests: Option<Sender<String>>,
    /// Whether a request could not be written.
    is_deaf: Arc<AtomicBool>,
    chunks: Receiver<Vec<u8>>,
    lines: Lines,
    /// The start of its error stream, as soon as that ends.
    errors: Option<Receiver<Vec<u8>>>,
    /// The file that it answered on last.
    last: PathBuf,
}

impl Session {
    /// Starts the process.
    pub fn start(mut command: Command, meter: Arc<Meter>) -> io::Result<Session> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Group::start(command.env("LC_ALL", "C").env_remove("LANGUAGE"))?;
        let (requests, waiting) = channel();
        let is_deaf = Arc::new(AtomicBool::new(false));
        if let Some(input) = child.first.stdin.take() {
            let is_deaf = is_deaf.clone();
            std::thread::spawn(move || pass_on(&waiting, input, &is_deaf));
        }
        let (sender, chunks) = sync_channel(WAITING);
        if let Some(output) = child.first.stdout.take() {
            // In a thread of its own, since a read cannot be timed out.
            std::thread::spawn(move || pump(output, &sender));
        }
        let errors = child.first.stderr.take().map(drain);
        let (requests, lines) = (Some(requests), Lines::default());
        let (busy, last) = (Duration::ZERO, PathBuf::new());
        Ok(Session { child, busy, meter, requests, is_deaf, chunks, lines, errors, last })
    }

    /// Asks for a file, and for addresses in it if there are any, and hands each line of the answer to `each`, until
    /// that says that the answer is complete. An error ends the session; its words tell what went wrong.
    pub fn ask(
        &mut self,
        file: &Path,
        addresses: &[Address],
        limits: Limits,
        each: &mut dyn FnMut(&[u8]) -> Result<bool, String>,
    ) -> Result<(), String> {
        let started = Instant::now();
        let answered = self.answer(file, addresses, limits, each);
        self.busy += started.elapsed();
        answered
    }

    fn answer(
        &mut self,
        file: &Path,
        addresses: &[Address],
        limits: Limits,
        each: &mut dyn FnMut(&[u8]) -> Result<bool, String>,
    ) -> Result<(), String> {
        let Some(path) = std::str::from_utf8(file.as_os_str().as_bytes()).ok() else {
            return Err("cannot be asked: the path is not UTF-8".to_owned());
        };
        self.is_at_rest()?;
        let mut request = json!({ "type": "read", "file": path });
        if !addresses.is_empty() {
            request["addresses"] = addresses.iter().map(|address| format!("{:#x}", address.0)).collect();
        }
        let request = format!("{request}\n");
        // A process that does not take the request has ended or will run out of time, which is told below.
        let _ = self.requests.as_ref().map(|requests| requests.send(request));
        let deadline = Instant::now() + limits.time;
        let mut printed = 0;
        let mut orphans = Orphans::default();
        loop {
            // One that prints without end always has a chunk ready, so the time is looked at first.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.out_of_time(limits.time, printed));
            }
            let chunk = match self.chunks.recv_timeout(left.min(TICK)) {
                Ok(chunk) => chunk,
                Err(RecvTimeoutError::Timeout) if !orphans.escaped() => {
                    orphans.watch(&self.child);
                    continue;
                }
                Err(_) => {
                    let heard = if printed == 0 { "printed nothing and " } else { "" };
                    let (ending, said) = (self.ending(), self.said());
                    return Err(format!("{heard}ended without a line of type \"end\"{ending}{said}"));
                }
            };
            printed += chunk.len() as u64;
            if printed > limits.output {
                return Err(format!("printed more than {} bytes", limits.output));
            }
            let mut result = Ok(false);
            let fed = self.lines.split(&chunk, |line| {
                if result.is_ok() {
                    result = each(line);
                }
            });
            match result {
                Ok(true) => {
                    self.last = file.to_owned();
                    return Ok(());
                }
                Ok(false) if fed.is_break() => {
                    return Err(format!("printed a line of more than {LONGEST} bytes"));
                }
                Ok(false) => {}
                Err(why) => return Err(why),
            }
        }
    }

    /// Whether the process ended by itself and well while nobody asked.
    pub fn has_left(&mut self) -> bool {
        self.child.has_ended() && self.child.end().is_ok_and(|status| status.success())
    }

    /// That it said nothing and did not break since its last answer. What it did belongs to that, which is given already.
    fn is_at_rest(&mut self) -> Result<(), String> {
        if self.last.as_os_str().is_empty() {
            // It has not been asked yet, and what it printed is its first line.
            return Ok(());
        }
        let mut is_blank = self.lines.is_empty();
        while let Ok(chunk) = self.chunks.try_recv() {
            is_blank &= chunk.trim_ascii().is_empty();
        }
        let last = self.last.display().to_string();
        if !is_blank {
            return Err(format!("printed more behind the end of its answer on {last}"));
        }
        if self.child.has_ended() {
            let (ending, said) = (self.ending(), self.said());
            return Err(format!("ended behind its answer on {last}{ending}{said}"));
        }
        Ok(())
    }

    /// In words that the time is over, with what a user may have forgotten. Kills the process.
    fn out_of_time(&mut self, time: Duration, printed: u64) -> String {
        let hint = match printed {
            _ if self.is_deaf.load(Ordering::Relaxed) => ", its standard input closed",
            0 => " and printed nothing: a reader that lives on has to flush its output",
            _ => " without a line of type \"end\"",
        };
        // Its error stream ends when it does.
        self.child.kill();
        format!("ran out of time after {time:?}{hint}{}", self.said())
    }

    /// The start of what an ended process said on its error stream.
    fn said(&mut self) -> String {
        let errors = self.errors.take().and_then(|errors| errors.recv_timeout(GRACE).ok());
        said(&errors.unwrap_or_default())
    }

    /// Whether the process ends by itself in a short time.
    fn ends(&self) -> bool {
        let deadline = Instant::now() + GRACE;
        while !self.child.has_ended() {
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        true
    }

    /// In words how the process ended, if it has.
    fn ending(&mut self) -> String {
        let status = self.ends().then(|| self.child.end().ok()).flatten();
        match status.map(|status| (status.signal(), status.code())) {
            Some((Some(signal), _)) => format!(": it died of signal {signal}"),
            Some((None, Some(code))) => format!(": it exited with {code}"),
            _ => String::new(),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A reader ends by itself when its input does. One that does not is killed, with all that it started.
        drop(self.requests.take());
        self.ends();
        if self.child.end().is_ok() {
            self.meter.add(Usage { wall: self.busy, ..self.child.usage() });
        }
    }
}

/// Writes requests until there are no more or nobody takes them.
fn pass_on(requests: &Receiver<String>, mut input: ChildStdin, is_deaf: &AtomicBool) {
    while let Ok(request) = requests.recv() {
        if input.write_all(request.as_bytes()).and_then(|()| input.flush()).is_err() {
            return is_deaf.store(true, Ordering::Relaxed);
        }
    }
}

/// Hands over what is there as soon as it is there.
fn pump(mut output: impl Read, chunks: &SyncSender<Vec<u8>>) {
    let mut buffer = vec![0; CHUNK];
    while let Ok(size) = output.read(&mut buffer) {
        if size == 0 || chunks.send(buffer[..size].to_vec()).is_err() {
            return;
        }
    }
}
