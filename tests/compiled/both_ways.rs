//! One program, two sections: `.eh_frame` and `.debug_frame` of it must give equal rows.
//!
//! A C program is compiled twice, once for each section, without linking. The code is the same, as debugging
//! information does not change it, and the compiler describes its functions in the same order, so the FDEs are paired
//! by their order. Addresses are no help in an object file, where each text section starts at zero, but those of a
//! pair must be equal, as must their ranges.
//!
//! C++ needs `.eh_frame` in any case, so it is compiled once into both: clang has an option for it, gcc writes both
//! when it writes the sections by itself rather than through directives.

use cfidiff_gen::programs::{Language, Need, SEEDS, Seed};
use cfidiff_gen::variants::toolchain::{Family, Toolchain};
use cfidiff_model::SectionKind;
use rayon::prelude::*;

use crate::support::{Folder, ReadFde, compilers, fdes, lines, open, takes};

const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// The FDEs of the seed in `.eh_frame` and in `.debug_frame`.
fn both(
    seed: &Seed,
    compiler: &Toolchain,
    level: &str,
    folder: &Folder,
) -> Result<[Vec<ReadFde>; 2], String> {
    let read = |options: &[&str], wanted: &[SectionKind]| -> Result<Vec<Vec<ReadFde>>, String> {
        let case = open(&folder.compile(seed, compiler, options)?)?;
        if case.frame_sections().any(|(_, section)| !wanted.contains(&section.kind)) {
            return Err(format!("{options:?} give a section that was not asked for"));
        }
        wanted.iter().map(|&kind| fdes(&case, kind)).collect()
    };
    let (eh, debug) = (SectionKind::EhFrame, SectionKind::DebugFrame);
    let needs_eh_frame = seed.language == Language::Cxx || seed.has_need(Need::Exceptions);
    let tables = match compiler.driver.family {
        Family::Gnu if needs_eh_frame => read(&["-c", level, "-g", "-fno-dwarf2-cfi-asm"], &[eh, debug])?,
        Family::Clang if needs_eh_frame => read(&["-c", level, "-g", "-fforce-dwarf-frame"], &[eh, debug])?,
        _ => {
            let mut tables = read(&["-c", level, "-fasynchronous-unwind-tables"], &[eh])?;
            tables.extend(read(&["-c", level, "-fno-asynchronous-unwind-tables", "-g"], &[debug])?);
            tables
        }
    };
    Ok(<[_; 2]>::try_from(tables).ok().expect("one table for each section"))
}

/// What differs, in words, and how many rows were compared.
fn compare([eh, debug]: &[Vec<ReadFde>; 2]) -> Result<usize, String> {
    if eh.is_empty() || eh.len() != debug.len() {
        return Err(format!("{} FDEs in .eh_frame, {} in .debug_frame", eh.len(), debug.len()));
    }
    let mut compared = 0;
    for (index, (a, b)) in eh.iter().zip(debug).enumerate() {
        let range = |read: &ReadFde| (read.fde.initial_location, read.fde.address_range);
        if range(a) != range(b) {
            return Err(format!("FDE {index}: {:?} and {:?}", range(a), range(b)));
        }
        let register = |read: &ReadFde| read.cie.return_address_register;
        if register(a) != register(b) {
            return Err(format!("FDE {index}: return address in {} and {}", register(a), register(b)));
        }
        if a.rows != b.rows {
            return Err(format!("FDE {index}:\n{}and\n{}", lines(&a.rows), lines(&b.rows)));
        }
        compared += a.rows.len();
    }
    Ok(compared)
}

#[test]
fn both_sections_of_a_program_give_equal_rows() {
    let folder = Folder::new();
    let runs: Vec<(&Seed, &Toolchain, &str)> = compilers()
        .iter()
        .flat_map(|compiler| {
            SEEDS.iter().filter(|seed| takes(compiler, seed)).map(move |seed| (seed, compiler))
        })
        .flat_map(|(seed, compiler)| LEVELS.map(|level| (seed, compiler, level)))
        .collect();
    let results: Vec<Result<usize, String>> = runs
        .par_iter()
        .map(|(seed, compiler, level)| {
            let compared = both(seed, compiler, level, &folder).and_then(|tables| compare(&tables));
            compared.map_err(|why| format!("{} by {} {level}: {why}", seed.name, compiler.name))
        })
        .collect();
    let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    wrong.iter().for_each(|why| println!("{why}"));
    assert!(wrong.is_empty(), "{} of {} differ", wrong.len(), runs.len());
    let rows: usize = results.iter().flatten().sum();
    println!("{} programs, {rows} rows compared", runs.len());
    assert!(rows >= 20 * runs.len(), "only {rows} rows");
}
