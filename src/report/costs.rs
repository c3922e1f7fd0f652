//! What a run cost, for people: facts about the run and not about the files, so no part of the report.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};

use crate::report::Summary;

/// A table with a line for each reader, and one for cfidiff itself.
pub fn costs_text(summary: &Summary) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["reader", "processes", "cases", "CPU s", "wall s", "CPU ms per case"]);
    let seconds = |time: Duration| format!("{:.2}", time.as_secs_f64());
    let per_case = |time: Duration, cases: u64| match cases {
        0 => "-".to_owned(),
        cases => format!("{:.2}", time.as_secs_f64() * 1000.0 / cases as f64),
    };
    for (reader, usage) in summary.readers.iter().zip(&summary.costs.readers) {
        let cases = reader.tally.compared.cases;
        table.add_row([
            reader.name.clone(),
            usage.processes.to_string(),
            cases.to_string(),
            seconds(usage.cpu),
            seconds(usage.wall),
            per_case(usage.cpu, cases),
        ]);
    }
    let (own, cases) = (summary.costs.own, summary.ours.cases);
    let row = ["cfidiff", "-", &cases.to_string(), &seconds(own), "-", &per_case(own, cases)];
    table.add_row(row);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| format!("{}\n", line.trim())).collect()
}
