//! The matrix of readers and topics for people and for programs.

use std::fmt::Write as _;
use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};

use crate::corpus::{Cause, Cell, Matrix, Topic};

/// What the numbers of a cell are.
const LEGEND: &str = "pass/wrong/rejected/unsupported, zeros at the end left out";

/// The matrix as one JSON object: `readers`, `topics` and `all` with a cell for each reader, `causes`.
pub fn matrix_json(matrix: &Matrix) -> Value {
    let topic = |topic: &Topic| {
        let cells = matrix.readers.iter().zip(&topic.cells).map(|((reader, _), cell)| {
            let Cell { pass, wrong, rejected, unsupported } = cell;
            json!({ "reader": reader, "pass": pass, "wrong": wrong, "rejected": rejected, "unsupported": unsupported })
        });
        json!({ "topic": topic.name, "cases": topic.cases, "cells": cells.collect::<Vec<_>>() })
    };
    let readers = matrix.readers.iter().map(|(name, version)| json!({ "name": name, "version": version }));
    json!({
        "readers": readers.collect::<Vec<_>>(),
        "topics": matrix.topics.iter().map(topic).collect::<Vec<_>>(),
        "all": topic(&matrix.all),
        "causes": matrix.causes,
    })
}

/// Writes the matrix as text, and below it each cause in a line; with `reasons` also why.
pub fn matrix_text(out: &mut dyn Write, matrix: &Matrix, reasons: bool) -> io::Result<()> {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let names = matrix.readers.iter().map(|(name, version)| format!("{name}\n{version}"));
    table.set_header(["topic".to_owned(), "cases".to_owned()].into_iter().chain(names));
    for topic in matrix.topics.iter().chain([&matrix.all]) {
        let name = if topic.name.is_empty() { "all" } else { &topic.name };
        let cells = topic.cells.iter().map(cell);
        table.add_row([name.to_owned(), topic.cases.to_string()].into_iter().chain(cells));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for line in table.lines() {
        // The second line of the heads has nothing in its first column.
        writeln!(out, "{}", line.strip_prefix(' ').unwrap_or(&line).trim_end())?;
    }
    writeln!(out, "{LEGEND}")?;
    if !matrix.causes.is_empty() {
        writeln!(out, "\ncauses:")?;
    }
    for cause in &matrix.causes {
        let Cause { id, class, reason, example, .. } = cause;
        writeln!(out, "  {} {id}: {}, first {example}", class.name(), by_reader(cause))?;
        if reasons {
            writeln!(out, "      {reason}")?;
        }
    }
    Ok(())
}

/// The matrix as a table of Markdown.
pub fn matrix_markdown(matrix: &Matrix) -> String {
    let readers: Vec<String> =
        matrix.readers.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let mut text =
        format!("| topic | cases | {} |\n|---|--:|{}\n", readers.join(" | "), "--:|".repeat(readers.len()));
    for topic in matrix.topics.iter().chain([&matrix.all]) {
        let name = if topic.name.is_empty() { "all".to_owned() } else { format!("`{}`", topic.name) };
        let cells: Vec<String> = topic.cells.iter().map(cell).collect();
        let _ = writeln!(text, "| {name} | {} | {} |", topic.cases, cells.join(" | "));
    }
    text
}

/// The causes as a table of Markdown.
pub fn causes_markdown(matrix: &Matrix) -> String {
    let mut text = "| cause | makes it | why | cases | example |\n|---|---|---|---|---|\n".to_owned();
    for cause in &matrix.causes {
        let Cause { id, class, reason, example, .. } = cause;
        let reason = reason.replace('|', "\\|");
        let _ =
            writeln!(text, "| `{id}` | {} | {reason} | {} | `{example}` |", class.name(), by_reader(cause));
    }
    text
}

/// The numbers of a cell.
fn cell(cell: &Cell) -> String {
    let numbers = [cell.pass, cell.wrong, cell.rejected, cell.unsupported];
    let last = numbers.iter().rposition(|number| *number > 0).unwrap_or(0);
    numbers[..=last].iter().map(u64::to_string).collect::<Vec<_>>().join("/")
}

/// How many cases of each reader.
fn by_reader(cause: &Cause) -> String {
    let readers = cause.readers.iter().map(|(name, cases)| format!("{name} {cases}"));
    readers.collect::<Vec<_>>().join(", ")
}
