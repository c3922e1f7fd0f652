//! Signals that end the program: the readers that it started end with it.

use std::fs;
use std::io;
use std::os::raw::c_int;
use std::thread;

use cfidiff_oracles::process::end_all;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Readers run in process groups of their own, which an interrupt at the terminal does not reach. So a thread waits for the
/// signals that end the program, kills the readers, and lets the signal end it.
pub fn end_readers_with_us() -> io::Result<()> {
    let ignored = ignored();
    let ours: Vec<c_int> = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
        .into_iter()
        .filter(|signal| ignored >> (signal - 1) & 1 == 0)
        .collect();
    let mut signals = Signals::new(ours)?;
    thread::spawn(move || {
        for signal in signals.forever() {
            end_all();
            // It fails for signals that do not end a program, which these do.
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// The signals that the one who started us wants ignored, as `nohup` does, as a mask.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
