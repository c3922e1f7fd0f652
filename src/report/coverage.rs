//! The suite's coverage for people and for programs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::AnsiColor;
use cfidiff_gen::coverage::{Cell, Coverage, Table};
use comfy_table::{CellAlignment, presets};
use serde_json::{Value, json};

use crate::report::counted;

/// How many of a cell's cases are named.
const FIRST: usize = 3;
/// How wide a list of cells may be, in letters.
const WIDTH: usize = 100;

/// The coverage as one JSON object: `cases`, `cells` with `legal` and `covered`, `missing`, and `tables` with
/// every cell.
pub fn coverage_json(coverage: &Coverage) -> Value {
    let (legal, covered) = coverage.legal_and_covered();
    json!({
        "cases": coverage.cases,
        "cells": { "legal": legal, "covered": covered },
        "missing": coverage.missing(),
        "tables": coverage.tables.iter().map(table_json).collect::<Vec<_>>(),
    })
}

fn table_json(table: &Table) -> Value {
    let cells = table.cells.iter().map(|cell| {
        json!({
            "name": cell.name,
            "legal": cell.legal,
            "why": cell.why,
            "cases": cell.cases.len(),
            "first": cell.cases.iter().take(FIRST).collect::<Vec<_>>(),
        })
    });
    json!({ "name": table.name, "about": table.about, "cells": cells.collect::<Vec<_>>() })
}

/// Writes the coverage as tables that hold the number of cases of each cell, and `-` for an illegal one; then what
/// is missing. With `reasons`, what makes cells legal or illegal is told below each table.
pub fn coverage_text(out: &mut dyn Write, coverage: &Coverage, reasons: bool) -> io::Result<()> {
    for table in &coverage.tables {
        let (legal, covered) = table.legal_and_covered();
        writeln!(out, "{}: {}; {covered} of {legal} legal cells covered", table.name, table.about)?;
        write!(out, "{}", grid(table))?;
        if reasons {
            write_reasons(out, table)?;
        }
        writeln!(out)?;
    }
    let missing = coverage.missing();
    if !missing.is_empty() {
        let style = AnsiColor::Red.on_default().bold();
        writeln!(out, "{style}missing{style:#}")?;
        for name in &missing {
            writeln!(out, "    {name}")?;
        }
    }
    let (legal, covered) = coverage.legal_and_covered();
    writeln!(out, "{}, {covered} of {legal} legal cells covered", counted(coverage.cases as u64, "case"))
}

/// Each reason with one of its cells. Reasons come in the order of the cells.
fn write_reasons(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    let mut counts: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    for cell in &table.cells {
        *counts.entry((cell.legal, cell.why)).or_default() += 1;
    }
    for cell in &table.cells {
        if let Some(count) = counts.remove(&(cell.legal, cell.why)) {
            let legal = if cell.legal { "legal" } else { "illegal" };
            let others = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
            writeln!(out, "    {legal}: {}{others}: {}", cell.name, cell.why)?;
        }
    }
    Ok(())
}

fn number(cell: &Cell) -> String {
    if cell.legal { cell.cases.len().to_string() } else { "-".to_owned() }
}

/// A table's rows and columns. One with a single column is a list, several entries to a line.
fn grid(table: &Table) -> String {
    let columns = distinct(table, |cell| &cell.column);
    let rows = distinct(table, |cell| &cell.row);
    let mut grid = comfy_table::Table::new();
    grid.load_preset(presets::NOTHING);
    if let [_] = columns[..] {
        let widest = rows.iter().map(|row| row.len()).max().unwrap_or_default() + 8;
        let per_line = (WIDTH / widest).max(1);
        for cells in table.cells.chunks(per_line) {
            grid.add_row(cells.iter().flat_map(|cell| [cell.row.clone(), number(cell)]));
        }
        align(&mut grid, |column| column % 2 == 1);
    } else {
        grid.set_header([""].into_iter().chain(columns));
        for row in rows {
            let cells = table.cells.iter().filter(|cell| cell.row == row);
            grid.add_row([row.to_owned()].into_iter().chain(cells.map(number)));
        }
        align(&mut grid, |column| column > 0);
    }
    grid.lines().map(|line| format!("   {}\n", line.trim_end())).collect()
}

fn align(grid: &mut comfy_table::Table, is_number: impl Fn(usize) -> bool) {
    let columns = grid.column_iter_mut().enumerate();
    for (_, column) in columns.filter(|(index, _)| is_number(*index)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

/// The labels in the order in which they come first.
fn distinct<'t>(table: &'t Table, label: impl Fn(&'t Cell) -> &'t str) -> Vec<&'t str> {
    let mut labels: Vec<&'t str> = Vec::new();
    for cell in &table.cells {
        let label = label(cell);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}
