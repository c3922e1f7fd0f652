//! What readers take: processes, time on the processor, time on the clock.

use std::ops::AddAssign;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What one or several processes took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// How many there were.
    pub processes: u64,
    /// Time on the processor, in user mode and in the system.
    pub cpu: Duration,
    /// Time on the clock that somebody waited for them, added up.
    pub wall: Duration,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.processes += other.processes;
        self.cpu += other.cpu;
        self.wall += other.wall;
    }
}

/// Adds up what the processes of a reader take, in whichever thread they end.
#[derive(Debug, Default)]
pub struct Meter(Mutex<Usage>);

impl Meter {
    /// Adds a process that has ended.
    pub fn add(&self, usage: Usage) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += usage;
    }

    /// The sum up to now.
    pub fn usage(&self) -> Usage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
