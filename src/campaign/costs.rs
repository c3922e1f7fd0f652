//! What a run costs: time on the processor, by reader.

use std::time::{Duration, Instant};

use cfidiff_oracles::Oracle;
use cfidiff_oracles::usage::Usage;
use cpu_time::ThreadTime;

/// What a run cost.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// What each reader took, in the order of the settings. A reader in this process has no processes, and the time in
    /// which its answer is compared is in it: the two are one pass.
    pub readers: Vec<Usage>,
    /// The time on the processor of this process beside that: it opens files, parses what the other readers print, and
    /// compares.
    pub own: Duration,
}

/// What a thread does, measured.
pub(super) struct Measured {
    cpu: ThreadTime,
    wall: Instant,
}

impl Measured {
    pub fn start() -> Measured {
        Measured { cpu: ThreadTime::now(), wall: Instant::now() }
    }

    /// What was taken since the start, by the same thread.
    pub fn end(self) -> Usage {
        Usage { processes: 0, cpu: self.cpu.elapsed(), wall: self.wall.elapsed() }
    }
}

/// What the threads of one batch took.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// In the passes of each reader.
    pub readers: Vec<Usage>,
    /// Before and after them.
    pub beside: Duration,
}

impl Work {
    /// Adds another batch's.
    pub fn add(&mut self, other: &Work) {
        self.beside += other.beside;
        self.readers.resize(self.readers.len().max(other.readers.len()), Usage::default());
        for (sum, usage) in self.readers.iter_mut().zip(&other.readers) {
            *sum += *usage;
        }
    }

    /// The costs of the run, when its readers are done.
    pub fn costs(mut self, readers: &[Box<dyn Oracle>]) -> Costs {
        self.readers.resize(readers.len(), Usage::default());
        let mut own = self.beside;
        let pairs = readers.iter().zip(self.readers);
        let readers = pairs.map(|(oracle, in_threads)| match oracle.usage() {
            None => in_threads,
            Some(usage) => {
                own += in_threads.cpu;
                usage
            }
        });
        Costs { readers: readers.collect(), own }
    }
}
