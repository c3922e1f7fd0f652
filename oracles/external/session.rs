//! A process that lives on and is asked for file after file.

use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use cfidiff_model::Address;
use serde_json::json;

use super::said;
use crate::lines::{LONGEST, Lines};
use crate::process::{Limits, drain};

/// The size of the buffers that output travels in.
const CHUNK: usize = 64 * 1024;
/// How many of them wait to be read.
const WAITING: usize = 4;
/// How long a process that closed its output is given to tell how it ended.
const GRACE: Duration = Duration::from_millis(200);

/// A process, its input, and what it prints.
pub(super) struct Session {
    child: Child,
    /// Requests on their way. A thread writes them, since a process that reads none would block the writer.
    requests: Option<Sender<String>>,
    chunks: Receiver<Vec<u8>>,
    lines: Lines,
    /// The start of its error stream, as soon as that ends.
    errors: Option<Receiver<Vec<u8>>>,
}

impl Session {
    /// Starts the process.
    pub fn start(mut command: Command) -> io::Result<Session> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.env("LC_ALL", "C").env_remove("LANGUAGE").spawn()?;
        let (requests, waiting) = channel();
        if let Some(input) = child.stdin.take() {
            std::thread::spawn(move || pass_on(&waiting, input));
        }
        let (sender, chunks) = sync_channel(WAITING);
        if let Some(output) = child.stdout.take() {
            // In a thread of its own, since a read cannot be timed out.
            std::thread::spawn(move || pump(output, &sender));
        }
        let errors = child.stderr.take().map(drain);
        Ok(Session { child, requests: Some(requests), chunks, lines: Lines::default(), errors })
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
        let Some(path) = std::str::from_utf8(file.as_os_str().as_bytes()).ok() else {
            return Err("cannot be asked: the path is not UTF-8".to_owned());
        };
        let mut request = json!({ "type": "read", "file": path });
        if !addresses.is_empty() {
            request["addresses"] = addresses.iter().map(|address| format!("{:#x}", address.0)).collect();
        }
        let request = format!("{request}\n");
        // A process that does not take the request has ended or will run out of time, which is told below.
        let _ = self.requests.as_ref().map(|requests| requests.send(request));
        let deadline = Instant::now() + limits.time;
        let mut printed = 0;
        loop {
            // One that prints without end always has a chunk ready, so the time is looked at first.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("ran out of time after {:?}", limits.time));
            }
            let chunk = match self.chunks.recv_timeout(left) {
                Ok(chunk) => chunk,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => {
                    let (ending, said) = (self.ending(), self.said());
                    return Err(format!("ended without a line of type \"end\"{ending}{said}"));
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
                Ok(true) => return Ok(()),
                Ok(false) if fed.is_break() => {
                    return Err(format!("printed a line of more than {LONGEST} bytes"));
                }
                Ok(false) => {}
                Err(why) => return Err(why),
            }
        }
    }

    /// The start of what an ended process said on its error stream.
    fn said(&mut self) -> String {
        let errors = self.errors.take().and_then(|errors| errors.recv_timeout(GRACE).ok());
        said(&errors.unwrap_or_default())
    }

    /// In words how the process ended, if it has.
    fn ending(&mut self) -> String {
        let deadline = Instant::now() + GRACE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    return match (status.signal(), status.code()) {
                        (Some(signal), _) => format!(": it died of signal {signal}"),
                        (None, Some(code)) => format!(": it exited with {code}"),
                        (None, None) => String::new(),
                    };
                }
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
                _ => return String::new(),
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A reader ends by itself when its input does. One that does not is killed.
        drop(self.requests.take());
        if self.ending().is_empty() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Writes requests until there are no more or nobody takes them.
fn pass_on(requests: &Receiver<String>, mut input: ChildStdin) {
    while let Ok(request) = requests.recv() {
        if input.write_all(request.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
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
