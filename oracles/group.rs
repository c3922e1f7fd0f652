//! A child with all that it starts, ended as one.
//!
//! A tool may be a script that starts the real one, and a reader may leave processes behind that hold its output open.
//! Each child is therefore the first of a process group of its own. A terminal's interrupt does not reach such a group, so
//! that the program that is interrupted has to call [`end_all`].

use std::collections::BTreeSet;
use std::io;
use std::num::NonZero;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
use wait4::Wait4 as _;

use crate::usage::Usage;

/// The groups whose first process has not been waited for.
static LIVING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Kills every process that was started here, with all that they started. For a program that is about to be ended by a
/// signal.
pub fn end_all() {
    for &group in LIVING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // It fails for a group that has ended meanwhile.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

/// A child and its group, which do not outlive their owner, not even in a panic.
pub(crate) struct Group {
    /// The first process. Its streams can be taken.
    pub first: Child,
    started: Instant,
    status: Option<ExitStatus>,
    usage: Usage,
}

impl Group {
    pub fn start(command: &mut Command) -> io::Result<Group> {
        let started = Instant::now();
        // Held over the start, so that no group is living and unknown.
        let mut living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
        let first = command.process_group(0).spawn()?;
        living.insert(first.id().cast_signed());
        Ok(Group { first, started, status: None, usage: Usage::default() })
    }

    fn id(&self) -> Pid {
        Pid::from_raw(self.first.id().cast_signed())
    }

    /// Lets the system end the first process, and each that it starts from now on, when it takes more than so much time on
    /// each processor, even if nobody here lives any more to do it. What they start inherits the limit and cannot be
    /// granted more later, so that this is not for a process that is asked again and again; its input ends with us.
    pub fn limit_cpu(&self, time: Duration) {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get) as u64;
        let seconds = time.as_secs().saturating_add(1).saturating_mul(processors);
        let limit = Rlimit { current: Some(seconds), maximum: getrlimit(Resource::Cpu).maximum };
        // It fails when the process has ended, or may take less than that anyway.
        let _ = prlimit(Some(rustix::process::Pid::from_child(&self.first)), Resource::Cpu, limit);
    }

    /// Whether the first process has ended. It is not waited for yet: that keeps its number taken, so that the number
    /// still names the group.
    pub fn has_ended(&self) -> bool {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        self.status.is_some() || !matches!(waitid(Id::Pid(self.id()), flags), Ok(WaitStatus::StillAlive))
    }

    /// Kills all of the group. How the first process ended stays as it was if it had ended by itself.
    pub fn kill(&self) {
        if self.status.is_none() {
            // It fails only when all are gone.
            let _ = killpg(self.id(), Signal::SIGKILL);
        }
    }

    /// Kills what is left of the group and gives how the first process ended.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        self.kill();
        let mut living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
        // The call that tells what a process took and takes the process back does not wait.
        while waitid(Id::Pid(self.id()), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) == Err(Errno::EINTR) {}
        let used = self.first.try_wait4()?.ok_or_else(|| io::Error::other("it does not end"))?;
        living.remove(&self.id().as_raw());
        let cpu = used.rusage.utime + used.rusage.stime;
        self.usage = Usage { processes: 1, cpu, wall: self.started.elapsed() };
        self.status = Some(used.status);
        Ok(used.status)
    }

    /// What the first process took, and its children that it waited for; nothing until it has been ended.
    pub fn usage(&self) -> Usage {
        self.usage
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // There is nobody to tell that it cannot be waited for.
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn an_endless_process_that_nobody_watches_is_ended_by_the_system() {
        let mut shell = Command::new("sh");
        let mut group = Group::start(shell.args(["-c", "while :; do :; done"])).expect("a shell");
        group.limit_cpu(Duration::ZERO);
        let started = Instant::now();
        while !group.has_ended() && started.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(group.has_ended(), "it runs on");
        let status = group.end().expect("it has ended");
        assert_eq!(status.signal(), Some(Signal::SIGXCPU as i32));
    }
}
