//! Assembler cases: whatever instructions an assembler writes, the rows are those that the source intends.

use std::env;
use std::fs;
use std::sync::Arc;

use cfidiff_gen::assembly::{AssemblyCase, AssemblyMachine, CASES, IntendedFde, Version, intended};
use cfidiff_gen::programs::Language;
use cfidiff_gen::variants::assembler::{tool, version};
use cfidiff_gen::variants::toolchain::Family;
use cfidiff_model::{CfaRule, Expression, RegisterRule, SectionKind};
use rayon::prelude::*;

use crate::support::{Folder, ReadFde, compilers, fdes, lines, open, skipped};

/// An assembler with the options that make it one for some machine.
struct Assembler {
    command: Vec<String>,
    version: Version,
    family: Family,
}

impl Assembler {
    fn takes(&self, case: &AssemblyCase) -> bool {
        let first = match self.family {
            Family::Gnu => case.gas,
            Family::Clang => case.clang,
        };
        first.is_some_and(|first| self.version >= first)
    }
}

/// The assemblers for a machine that are there.
fn assemblers(machine: &AssemblyMachine, folder: &Folder) -> Vec<Assembler> {
    let mut found = Vec::new();
    match tool(machine, "as", &folder.workshop) {
        Some((program, version)) => {
            let options = machine.gas_options.iter().map(|option| (*option).to_owned());
            let command = [program].into_iter().chain(options).collect();
            found.push(Assembler { command, version, family: Family::Gnu });
        }
        None => {
            let is_native = env::consts::ARCH == machine.name;
            skipped(&format!("GNU as for {}", machine.name), is_native && machine.name == "x86_64");
        }
    }
    for compiler in compilers() {
        let driver = &compiler.driver;
        if driver.family == Family::Clang && driver.language == Language::C {
            let options = [format!("--target={}", machine.clang), "-w".to_owned(), "-c".to_owned()];
            let command = driver.command.iter().cloned().chain(options).collect();
            let version = version(&driver.version).unwrap_or_default();
            found.push(Assembler { command, version, family: Family::Clang });
        }
    }
    found
}

/// Assembles the case and compares all it was meant to say. Gives the number of rows, or what differs.
fn check(case: &AssemblyCase, assembler: &Assembler, folder: &Folder) -> Result<usize, String> {
    let stem = format!("{} {} {}", case.machine.name, case.name, assembler.command[0]);
    let (source, object) = (format!("{stem}.s"), format!("{stem}.o"));
    fs::write(folder.path().join(&source), case.source).map_err(|error| error.to_string())?;
    let mut command: Vec<&str> = assembler.command.iter().map(String::as_str).collect();
    command.extend([source.as_str(), "-o", object.as_str()]);
    folder.run(&command)?;
    let image = open(&folder.path().join(object))?;
    let sections = intended(case.source)?;
    let mut rows = 0;
    for kind in [SectionKind::EhFrame, SectionKind::DebugFrame] {
        let of_kind = sections.iter().filter(|section| section.kind == kind);
        let intended: Vec<&IntendedFde> = of_kind.flat_map(|section| &section.fdes).collect();
        let read = fdes(&image, kind)?;
        if intended.len() != read.len() {
            return Err(format!("{}: {} FDEs, not {}", kind.name(), read.len(), intended.len()));
        }
        for intended in intended {
            let told = |what: &str| format!("{} {}: {what}", kind.name(), intended.name);
            let read = find(intended, &read).map_err(|what| told(&what))?;
            compare(intended, read, kind).map_err(|what| told(&what))?;
            rows += read.rows.len();
        }
    }
    Ok(rows)
}

/// The one FDE of the function's range. The order of FDEs is no help: LLVM groups those of one CIE.
fn find<'r>(intended: &IntendedFde, read: &'r [ReadFde]) -> Result<&'r ReadFde, String> {
    let is_of_range = |read: &&ReadFde| {
        let (start, size) = (read.fde.initial_location.0, read.fde.address_range);
        (start, size) == (intended.start, intended.end - intended.start)
    };
    let of_range: Vec<&ReadFde> = read.iter().filter(is_of_range).collect();
    match of_range[..] {
        [read] => Ok(read),
        _ => Err(format!("{} FDEs of its range", of_range.len())),
    }
}

fn compare(intended: &IntendedFde, read: &ReadFde, kind: SectionKind) -> Result<(), String> {
    let register = read.cie.return_address_register;
    if register != intended.return_address_register {
        return Err(format!("the return address is in {register}"));
    }
    // `.debug_frame` has no augmentation that all assemblers agree on.
    let said = [
        (read.cie.signal_frame, intended.signal_frame, "signal frame"),
        (read.cie.personality.is_some(), intended.personality, "personality"),
        (read.fde.lsda.is_some(), intended.lsda, "LSDA"),
        (read.cie.b_key, intended.b_key, "B key"),
        (read.cie.mte_tagged, intended.mte_tagged, "tagged stack"),
    ];
    for (read, intended, what) in said {
        if kind == SectionKind::EhFrame && read != intended {
            return Err(format!("{what}: {read}"));
        }
    }
    let mut rows = read.rows.clone();
    for row in &mut rows {
        without_size(&mut row.cfa);
        row.rules.iter_mut().for_each(|(_, rule)| rule_without_size(rule));
    }
    if rows != intended.rows {
        return Err(format!("the rows are\n{}not\n{}", lines(&rows), lines(&intended.rows)));
    }
    Ok(())
}

/// The intention does not say how many bytes an expression takes.
fn without_size(cfa: &mut CfaRule) {
    if let CfaRule::Expression(expression) = cfa {
        forget_size(expression);
    }
}

fn rule_without_size(rule: &mut RegisterRule) {
    if let RegisterRule::Expression(expression) | RegisterRule::ValExpression(expression) = rule {
        forget_size(expression);
    }
}

fn forget_size(expression: &mut Expression) {
    expression.size = None;
}

#[test]
fn every_assembler_gives_the_intended_rows() {
    let folder = Folder::new();
    let mut runs: Vec<(&AssemblyCase, Arc<Assembler>)> = Vec::new();
    for cases in CASES.chunk_by(|a, b| a.machine == b.machine) {
        for assembler in assemblers(cases[0].machine, &folder).into_iter().map(Arc::new) {
            let taken = cases.iter().filter(|case| assembler.takes(case));
            runs.extend(taken.map(|case| (case, Arc::clone(&assembler))));
        }
    }
    let results: Vec<Result<usize, String>> = runs
        .par_iter()
        .map(|(case, assembler)| {
            let told =
                |why| format!("{}/{} by {}: {why}", case.machine.name, case.name, assembler.command[0]);
            check(case, assembler, &folder).map_err(told)
        })
        .collect();
    let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    wrong.iter().for_each(|why| println!("{why}"));
    assert!(wrong.is_empty(), "{} of {} differ", wrong.len(), runs.len());
    let rows: usize = results.iter().flatten().sum();
    println!("{} objects, {rows} rows compared", runs.len());
}
