//! A time behind which nothing more is begun.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A time behind which nothing more is begun, and whether anything was left out for it.
#[derive(Debug, Default)]
pub struct Deadline {
    at: Option<Instant>,
    cut: AtomicBool,
}

impl Deadline {
    /// No limit.
    pub const fn never() -> Deadline {
        Deadline { at: None, cut: AtomicBool::new(false) }
    }

    /// So long from now.
    pub fn after(time: Duration) -> Deadline {
        Deadline { at: Instant::now().checked_add(time), cut: AtomicBool::new(false) }
    }

    /// Whether there is a limit.
    pub fn is_set(&self) -> bool {
        self.at.is_some()
    }

    /// Whether the time is over. To be asked before each piece of work, which is left out then.
    pub fn is_over(&self) -> bool {
        let is_over = self.at.is_some_and(|at| Instant::now() >= at);
        if is_over {
            self.cut.store(true, Ordering::Relaxed);
        }
        is_over
    }

    /// Whether anything was left out.
    pub fn cut_anything(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }
}
