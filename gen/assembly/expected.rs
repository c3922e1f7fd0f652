//! What a source is meant to say, as the expected answer on the object file that an assembler makes of it.

use cfidiff_model::{Address, Rows};
use serde_json::json;

use crate::assembly::{AssemblyCase, IntendedFde, IntendedSection, intended};

/// The expected answer in JSON Lines: for each function the rows of the FDE of its range, and nothing of anything else.
/// Which instructions make them is the assembler's choice, and where it puts which record.
///
/// # Errors
/// When the source does not say what it means.
pub fn expected(case: &AssemblyCase) -> Result<String, String> {
    let mut lines = vec![json!({ "type": "case", "about": case.about() })];
    for IntendedSection { kind, fdes } in intended(case.source)? {
        lines.push(json!({ "type": "section", "name": kind.name() }));
        lines.extend(fdes.iter().map(|fde| {
            json!({
                "type": "function",
                "initial_location": format!("{:#x}", fde.start),
                "address_range": format!("{:#x}", fde.end - fde.start),
                "rows": rows(fde),
            })
        }));
    }
    Ok(lines.iter().map(|line| format!("{line}\n")).collect())
}

fn rows(fde: &IntendedFde) -> Rows {
    let mut rows = Rows::default();
    let ends = fde.rows.iter().skip(1).map(|row| fde.start + row.offset).chain([fde.end]);
    for (row, end) in fde.rows.iter().zip(ends) {
        for (register, rule) in &row.rules {
            rows.push_rule(*register, rule.clone());
        }
        rows.finish_row(Address(fde.start + row.offset), Address(end), row.cfa.clone());
    }
    rows
}
