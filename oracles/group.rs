//! A child with all that it starts, ended as one.
//!
//! A tool may be a script that starts the real one, and a reader may leave processes behind that hold its output open.
//! Each child is therefore the first of a process group of its own. A terminal's interrupt does not reach such a group, so
//! that the program that is interrupted has to call [`end_all`].

use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
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
