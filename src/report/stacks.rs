//! What a triage of stacks found: as text, and as one JSON object.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::command_line::quoted;
use crate::report::{counted, printable};
use crate::triage::stacks::{Comparison, Explanation, FunctionError, LoadBase, Program, Report, Stacks};

/// How many functions and faults a text lists of each shape.
const SHOWN: usize = 8;

/// One of the two lists.
pub struct StackList<'a> {
    /// Its path as given.
    pub path: &'a str,
    /// What it holds.
    pub stacks: &'a Stacks,
}

/// A triage of stacks with all that it is about.
pub struct StackTriage<'a> {
    /// The file that the stacks are of.
    pub program: &'a Program,
    /// Its path as given.
    pub path: &'a str,
    /// The stacks in question.
    pub observed: StackList<'a>,
    /// The stacks that are right.
    pub expected: StackList<'a>,
    /// Where the file was loaded; `None` when no address of it is in the lists, which then agree.
    pub base: Option<LoadBase>,
    /// Both lists side by side.
    pub lists: &'a Comparison,
    /// What was found.
    pub report: &'a Report,
}

impl StackTriage<'_> {
    /// Writes the text. `quiet` leaves out all but shapes and the last line.
    pub fn text(&self, out: &mut dyn Write, quiet: bool) -> io::Result<()> {
        let report = self.report;
        if !quiet {
            self.head(out)?;
        }
        for explanation in &report.explanations {
            self.explanation(out, explanation)?;
        }
        if let Some(&first) = report.left.first() {
            let left = counted(report.left.len() as u64, "stack");
            writeln!(out, "left: {left} that no shape explains, the first of them:")?;
            let frame = self.lists.pairs[first].first_wrong.unwrap_or(0);
            writeln!(out, "    {}", printable(&self.evidence(first, frame)))?;
        }
        let [observed, expected] = self.lists.stacks;
        if observed != expected {
            writeln!(
                out,
                "the lists have {observed} and {expected} stacks: those without a partner are not compared"
            )?;
        }
        let explained = report.different - report.left.len();
        let compared = counted(self.lists.pairs.len() as u64, "stack");
        match report.different {
            0 if self.lists.agrees() => writeln!(out, "{compared} compared, no difference to explain"),
            0 => writeln!(out, "{compared} compared, none differs, and others have no partner"),
            different => writeln!(out, "{compared} compared, {different} differ, {explained} explained"),
        }
    }

    fn head(&self, out: &mut dyn Write) -> io::Result<()> {
        for (word, list) in [("observed", &self.observed), ("expected", &self.expected)] {
            let stacks = counted(list.stacks.list.len() as u64, "stack");
            let frames = counted(list.stacks.frames() as u64, "frame");
            let form = list.stacks.form.map_or("empty", |form| form.name());
            writeln!(out, "{word} {}: {stacks}, {frames} ({form})", printable(list.path))?;
        }
        let Some(base) = self.base else { return Ok(()) };
        let how = match base.fits {
            Some(fits) => {
                let (inside, tried) = (fits.in_functions, fits.tried);
                let mut words = format!("worked out: {inside} of {tried} addresses are in functions of it");
                if fits.behind_calls < inside {
                    words += &format!(", {} of them behind no call", inside - fits.behind_calls);
                }
                words
            }
            None => "as told".to_owned(),
        };
        writeln!(out, "loaded at {:#x}, {how}", base.address)
    }

    fn explanation(&self, out: &mut dyn Write, explanation: &Explanation) -> io::Result<()> {
        let found = &explanation.found;
        writeln!(
            out,
            "shape {}: explains {} of {} stacks that differ",
            found.shape.name(),
            found.pairs.len(),
            self.report.different
        )?;
        writeln!(out, "    {}", found.shape.meaning())?;
        for function in found.functions.iter().take(SHOWN) {
            writeln!(out, "    function  {}", printable(&self.function(function)))?;
        }
        if found.functions.len() > SHOWN {
            writeln!(out, "              and {} more", found.functions.len() - SHOWN)?;
        }
        for words in &explanation.relations {
            writeln!(out, "    error     {words}")?;
        }
        for words in &found.facts {
            writeln!(out, "    seen      {}", printable(words))?;
        }
        writeln!(out, "    evidence  {}", printable(&self.evidence(found.evidence.0, found.evidence.1)))?;
        let suspects = &explanation.suspects;
        for fault in suspects.faults.iter().take(SHOWN) {
            writeln!(out, "    suspect   {}: it {}; it should {}", fault.name, fault.does, fault.should)?;
        }
        if suspects.faults.len() > SHOWN {
            let rest: Vec<&str> = suspects.faults[SHOWN..].iter().map(|fault| fault.name).collect();
            writeln!(out, "              or {}", rest.join(", "))?;
        }
        match suspects.decision_points[..] {
            [] => writeln!(out, "    decision  none of the format: look at how the load base is added")?,
            _ => writeln!(out, "    decision  {}", suspects.decision_points.join(", "))?,
        }
        if let Some(address) = self.address_to_explain(explanation) {
            writeln!(
                out,
                "    look at   cfidiff explain {} --pc {address:#x}",
                printable(&quoted(self.path))
            )?;
        }
        Ok(())
    }

    /// A function with what is wrong in it.
    fn function(&self, error: &FunctionError) -> String {
        let words = self.program.function_words(error.function);
        let record = error.function.map(|index| &self.program.functions()[index]);
        let record =
            record.map_or(String::new(), |function| format!(", FDE {}", self.program.record_words(function)));
        let frames = counted(error.frames as u64, "frame");
        match error.error {
            Some(error) => format!("{words}: off by {} in {frames}{record}", signed(error)),
            None => format!("{words}: {frames}{record}"),
        }
    }

    /// One frame in both lists.
    fn evidence(&self, pair: usize, frame: usize) -> String {
        let pair = &self.lists.pairs[pair];
        let shown = |list: &[Option<u64>]| match list.get(frame) {
            Some(Some(address)) => format!("{address:#x}"),
            Some(None) => "an unknown address".to_owned(),
            None => "the end".to_owned(),
        };
        let place = pair.places.get(frame).copied().flatten().and_then(|place| place.function);
        let place =
            place.map_or(String::new(), |index| format!(" in {}", self.program.function_words(Some(index))));
        format!(
            "stack {} (lines {} and {}), frame {frame}: observed {}, expected {}{place}",
            pair.number,
            pair.lines[0],
            pair.lines[1],
            shown(&pair.observed),
            shown(&pair.expected)
        )
    }

    /// The link-time address whose record is to be looked at.
    fn address_to_explain(&self, explanation: &Explanation) -> Option<u64> {
        let (pair, frame) = explanation.found.evidence;
        let pair = &self.lists.pairs[pair];
        let frame = if explanation.found.is_of_walks() { frame.checked_sub(1)? } else { frame };
        let place = pair.places.get(frame).copied().flatten()?;
        place.function.map(|_| place.looked_up())
    }

    /// The triage as a JSON object. Stacks are counted from 1, frames from 0.
    pub fn json(&self, exit: u8) -> Value {
        let list = |list: &StackList<'_>| {
            json!({
                "path": list.path,
                "form": list.stacks.form.map(|form| form.name()),
                "stacks": list.stacks.list.len(),
                "frames": list.stacks.frames(),
            })
        };
        let report = self.report;
        let numbers = |pairs: &[usize]| -> Vec<usize> {
            pairs.iter().map(|&pair| self.lists.pairs[pair].number).collect()
        };
        json!({
            "type": "stacks",
            "version": env!("CARGO_PKG_VERSION"),
            "file": self.path,
            "load_base": self.base.map(|base| hexadecimal(base.address)),
            "observed": list(&self.observed),
            "expected": list(&self.expected),
            "compared": self.lists.pairs.len(),
            "different": report.different,
            "explanations": report.explanations.iter().map(|each| self.explanation_json(each, &numbers)).collect::<Vec<Value>>(),
            "left": numbers(&report.left),
            "exit": exit,
        })
    }

    fn explanation_json(&self, explanation: &Explanation, numbers: &dyn Fn(&[usize]) -> Vec<usize>) -> Value {
        let found = &explanation.found;
        let (pair, frame) = found.evidence;
        let evidence = &self.lists.pairs[pair];
        let address = |list: &[Option<u64>]| list.get(frame).copied().flatten().map(hexadecimal);
        json!({
            "shape": found.shape.name(),
            "meaning": found.shape.meaning(),
            "explains": found.pairs.len(),
            "stacks": numbers(&found.pairs),
            "functions": found.functions.iter().map(|each| self.function_json(each)).collect::<Vec<Value>>(),
            "errors": explanation.relations,
            "seen": found.facts,
            "evidence": {
                "stack": evidence.number,
                "frame": frame,
                "observed": address(&evidence.observed),
                "expected": address(&evidence.expected),
            },
            "faults": explanation.suspects.faults.iter().map(|fault| fault.name).collect::<Vec<&str>>(),
            "decision_points": explanation.suspects.decision_points,
        })
    }

    fn function_json(&self, error: &FunctionError) -> Value {
        let function = error.function.map(|index| &self.program.functions()[index]);
        json!({
            "name": function.and_then(|function| function.name.as_deref()),
            "start": function.map(|function| hexadecimal(function.start)),
            "end": function.map(|function| hexadecimal(function.start.wrapping_add(function.size))),
            "fde": function.map(|function| self.program.record_words(function)),
            "error": error.error.map(signed),
            "frames": error.frames,
        })
    }
}

fn hexadecimal(address: u64) -> String {
    format!("{address:#x}")
}

/// A difference with its sign: `-0x20a8`.
fn signed(difference: i64) -> String {
    let sign = if difference < 0 { "-" } else { "+" };
    format!("{sign}{:#x}", difference.unsigned_abs())
}
