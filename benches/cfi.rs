//! The in-house reader beside gimli, over the `.eh_frame` of one big file, in one run.
//!
//! `cargo bench` times the groups one by one, then prints how many times as fast the in-house reader is: the
//! median of rounds in which both readers take turns, in CPU time of the thread, so that other work on the
//! machine hurts both alike. Before anything is timed, both must have said the same.
//!
//! `CFIDIFF_BENCH_FILE` names a file of the caller's choice. `cargo bench -- walk` times one group.

mod readers;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use cpu_time::ThreadTime;
use criterion::{Criterion, SamplingMode, Throughput};

use readers::{Group, Input, Reader, gimli::Gimli, in_house::InHouse};

/// How many rounds the printed ratios are the median of.
const ROUNDS: usize = 15;

/// How long one reader's turn lasts at least, so that small files are not timed by the clock's own noise.
const TURN: Duration = Duration::from_millis(20);

fn main() -> ExitCode {
    let Some(input) = Input::find() else {
        eprintln!(
            "no file to read: set CFIDIFF_BENCH_FILE to a little-endian 64-bit ELF file with .eh_frame"
        );
        return ExitCode::SUCCESS;
    };
    let (mut in_house, mut gimli) = (InHouse::new(&input), Gimli::new(&input));
    let fdes = in_house.fdes();
    println!("{}: {} bytes of .eh_frame, {fdes} FDEs", input.name(), input.section().data.len());
    for group in Group::COMPARED {
        let said = (in_house.read(group), gimli.read(group));
        assert_eq!(said.0, said.1, "the readers disagree about {}", group.name());
    }
    let mut criterion = Criterion::default().configure_from_args();
    for group in Group::ALL {
        let mut benches = criterion.benchmark_group(group.name());
        benches.sampling_mode(SamplingMode::Flat).sample_size(20).throughput(Throughput::Elements(fdes));
        benches.bench_function("in-house", |bencher| bencher.iter(|| in_house.read(group)));
        benches.bench_function("gimli", |bencher| bencher.iter(|| gimli.read(group)));
        benches.finish();
    }
    criterion.final_summary();
    // `cargo test` runs benches without this argument, to see whether they still work.
    if std::env::args().any(|argument| argument == "--bench") {
        print_ratios(&mut in_house, &mut gimli, fdes);
    }
    ExitCode::SUCCESS
}

fn print_ratios(in_house: &mut InHouse<'_>, gimli: &mut Gimli<'_>, fdes: u64) {
    println!("\n{:<14}{:>12}{:>12}   gimli / in-house", "", "in-house", "gimli");
    println!("{:<14}{:>12}{:>12}   median [lowest..highest] of {ROUNDS}", "", "ns per FDE", "ns per FDE");
    for group in Group::ALL {
        let repeats = repeats(in_house, group);
        let mut rounds = Vec::new();
        // The first round warms up.
        for round in 0..=ROUNDS {
            let ours = turn(in_house, group, repeats);
            let theirs = turn(gimli, group, repeats);
            if round > 0 {
                rounds.push((ours, theirs, theirs / ours));
            }
        }
        let per_fde = 1e9 / (f64::from(repeats) * fdes as f64);
        let ratios = sorted(rounds.iter().map(|round| round.2));
        println!(
            "{:<14}{:>12.1}{:>12.1}   {:.2} [{:.2}..{:.2}]",
            group.name(),
            median(&sorted(rounds.iter().map(|round| round.0))) * per_fde,
            median(&sorted(rounds.iter().map(|round| round.1))) * per_fde,
            median(&ratios),
            ratios[0],
            ratios[ratios.len() - 1],
        );
    }
}

/// How often a group is read in one turn.
fn repeats(reader: &mut impl Reader, group: Group) -> u32 {
    let once = turn(reader, group, 1);
    (TURN.as_secs_f64() / once.max(1e-9)).ceil().clamp(1.0, 1e6) as u32
}

/// The CPU seconds that a reader takes to read the section some times over.
fn turn(reader: &mut impl Reader, group: Group, repeats: u32) -> f64 {
    let start = ThreadTime::now();
    for _ in 0..repeats {
        black_box(reader.read(group));
    }
    start.elapsed().as_secs_f64()
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}
