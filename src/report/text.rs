//! Text for a terminal: what nothing explains in full, what is explained in a list, and a table at the end.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use cfidiff_model::{Finding, Verdict};
use comfy_table::{CellAlignment, Table, presets};

use crate::campaign::FileReport;
use crate::report::{ReaderSummary, Report, Summary, place};

/// Writes text.
pub struct Text<W: Write> {
    out: W,
    verbose: bool,
    quiet: bool,
}

impl<W: Write> Text<W> {
    /// A report into `out`. `verbose` shows explained findings and notes in full as well; `quiet` leaves out all
    /// but unexplained findings.
    pub fn new(out: W, verbose: bool, quiet: bool) -> Text<W> {
        Text { out, verbose, quiet }
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let style = style(finding.verdict);
        write!(
            self.out,
            "{style}{}{style:#} {} {}",
            finding.verdict.name(),
            finding.key.name(),
            finding.file
        )?;
        write!(self.out, " {} ({})", place(finding), finding.reader)?;
        if finding.count > 1 {
            write!(self.out, ", {} records", finding.count)?;
        }
        writeln!(self.out)?;
        for (label, words) in [
            ("ours", &finding.ours),
            ("theirs", &finding.theirs),
            ("reason", &finding.reason),
            ("repro", &finding.repro),
        ] {
            writeln!(self.out, "    {label:<7} {words}")?;
        }
        Ok(())
    }

    fn explained(&mut self, summary: &Summary) -> io::Result<()> {
        if summary.explained.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "explained differences:")?;
        for ((verdict, cause), explained) in &summary.explained {
            let (style, readers) = (style(*verdict), explained.readers.join(", "));
            writeln!(
                self.out,
                "  {style}{}{style:#} {cause}: {} x {readers}",
                verdict.name(),
                explained.count
            )?;
            writeln!(self.out, "      {}", explained.reason)?;
            writeln!(self.out, "      first at {}", explained.first)?;
        }
        writeln!(self.out)
    }

    fn missing(&mut self, summary: &Summary) -> io::Result<()> {
        for (missing, _) in &summary.missing {
            writeln!(
                self.out,
                "{} was not compared: {} (install: {})",
                missing.name, missing.why, missing.install
            )?;
        }
        Ok(())
    }
}

fn style(verdict: Verdict) -> Style {
    let color = match verdict {
        Verdict::Agree => AnsiColor::Green,
        Verdict::Differ | Verdict::OracleFailed => AnsiColor::Red,
        Verdict::Open => AnsiColor::Cyan,
        Verdict::KnownFault => AnsiColor::Yellow,
    };
    color.on_default().bold()
}

impl<W: Write> Report for Text<W> {
    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        if let Some(error) = &report.error {
            let style = style(Verdict::Differ);
            writeln!(self.out, "{style}unreadable{style:#} {error}")?;
        }
        for finding in &report.findings {
            if self.verbose || !matches!(finding.verdict, Verdict::Open | Verdict::KnownFault) {
                self.finding(finding)?;
            }
        }
        for ((reader, verdict, cause), count) in &report.unlisted {
            if self.verbose || !matches!(verdict, Verdict::Open | Verdict::KnownFault) {
                let (name, path) = (verdict.name(), report.path.display());
                writeln!(self.out, "... and {count} more {name} {cause} ({reader}) in {path}")?;
            }
        }
        if self.verbose {
            for note in &report.notes {
                writeln!(self.out, "note: {note}")?;
            }
            for case in &report.cases {
                for (reader, why) in &case.failures {
                    writeln!(self.out, "note: {}: {reader}: {why}", case.name)?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        if !self.quiet {
            self.explained(summary)?;
            self.missing(summary)?;
            writeln!(self.out, "{}", table(&summary.readers))?;
            let ours = &summary.ours;
            writeln!(
                self.out,
                "{} files read, {} skipped, {} unreadable; {} CIEs, {} FDEs, {} instructions, {} rows",
                ours.files,
                summary.skipped,
                summary.unreadable,
                ours.cies,
                ours.fdes,
                ours.instructions,
                ours.rows
            )?;
        }
        let exit = summary.exit();
        let verdict = if exit.code() == 0 { Verdict::Agree } else { Verdict::Differ };
        let style = style(verdict);
        writeln!(self.out, "{style}{} unexplained{style:#}: {}", summary.unexplained, exit.meaning())?;
        self.out.flush()
    }
}

/// The table of readers: how much was compared, and how each record ended.
fn table(readers: &[ReaderSummary]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header([
        "reader",
        "version",
        "files",
        "CIEs",
        "FDEs",
        "instructions",
        "rows",
        "agree",
        "differ",
        "open",
        "known-fault",
        "failed",
    ]);
    for reader in readers {
        let (compared, records) = (&reader.tally.compared, &reader.tally.records);
        let numbers = [
            compared.files,
            compared.cies,
            compared.fdes,
            compared.instructions,
            compared.rows,
            records.agree,
            records.differ,
            records.open,
            records.known_fault,
            records.failed,
        ];
        let names = [reader.name.clone(), reader.version.clone()];
        table.add_row(names.into_iter().chain(numbers.iter().map(u64::to_string)));
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
