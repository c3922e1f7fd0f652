//! Work in parallel, results in order.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use rayon::prelude::*;

/// The most threads that work.
const MAX_THREADS: usize = 256;

/// Does each piece of work on one of `threads` threads, zero for one per core, and calls `each` with the results in
/// the order of the work, from the calling thread, as soon as one and all before it are done. When `each` breaks,
/// no further piece is begun.
pub(super) fn ordered<W: Sync, R: Send>(
    work: &[W],
    threads: usize,
    run: impl Fn(&W) -> R + Sync,
    mut each: impl FnMut(R) -> ControlFlow<()>,
) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.min(MAX_THREADS))
        .build()
        .map_err(|error| format!("cannot start {threads} threads: {error}"))?;
    let (sender, receiver) = mpsc::channel();
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pool.install(|| {
                // A bridge begins work in order, so that few results wait for one before them.
                work.iter().enumerate().par_bridge().for_each_with(sender, |sender, (index, piece)| {
                    if !stopped.load(Ordering::Relaxed) {
                        // Once stopped, nobody is there to receive it.
                        let _ = sender.send((index, run(piece)));
                    }
                });
            });
        });
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (index, result) in receiver {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&next) {
                if each(result).is_break() {
                    stopped.store(true, Ordering::Relaxed);
                    return;
                }
                next += 1;
            }
        }
    });
    Ok(())
}
