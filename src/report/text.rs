//! Text for a terminal: what nothing explains in full, what is explained in a list, and a table at the end.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use cfidiff_model::{Finding, Rung, Severity, Statement, Verdict, Wrong};
use comfy_table::{CellAlignment, Table, presets};

use crate::campaign::{Exit, Failure, FileReport, Unreadable};
use crate::compare::Likeness;
use crate::report::cluster::is_explained;
use crate::report::invariants::write_broken;
use crate::report::{Cluster, ReaderSummary, Report, Summary, counted, place, printable, triage_lines};

/// How many characters of a broken reader's words are shown.
const MAX_FAILURE: usize = 200;

/// How many characters of what each reader says are shown in a table.
const MAX_STATEMENT: usize = 60;

/// How many files without call frame information are told of by name; all are counted.
const MAX_WITHOUT_CFI: u64 = 10;

/// Writes text.
pub struct Text<W: Write> {
    out: W,
    verbose: bool,
    quiet: bool,
    /// How many files had nothing to compare.
    without_cfi: u64,
    /// The tables of readers that the current file's findings have shown.
    shown: HashSet<Vec<Statement>>,
}

impl<W: Write> Text<W> {
    /// A report into `out`. `verbose` shows explained findings and notes in full as well; `quiet` leaves out all
    /// but unexplained findings.
    pub fn new(out: W, verbose: bool, quiet: bool) -> Text<W> {
        Text { out, verbose, quiet, without_cfi: 0, shown: HashSet::new() }
    }

    fn line(&mut self, words: &str) -> io::Result<()> {
        writeln!(self.out, "{}", printable(words))
    }

    /// A line that starts with a word in the verdict's color.
    fn marked(&mut self, verdict: Verdict, mark: &str, words: &str) -> io::Result<()> {
        let style = style(verdict);
        writeln!(self.out, "{style}{mark}{style:#} {}", printable(words))
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let mut head = format!("{} {} ({})", finding.key.name(), place(finding), finding.reader);
        if finding.count > 1 {
            head += &format!(", {} records", finding.count);
        }
        self.marked(finding.verdict, finding.verdict.name(), &head)?;
        // What a broken tool said can be of any length; a difference is shown whole.
        let limit = if finding.verdict == Verdict::OracleFailed { MAX_FAILURE } else { usize::MAX };
        for (label, words) in [
            ("ours", finding.ours.as_str()),
            ("theirs", &finding.theirs),
            ("wrong", &who_is_wrong(finding)),
            ("reason", &finding.reason),
        ] {
            self.line(&format!("    {label:<7} {}", cut(words, limit)))?;
        }
        self.statements(finding)?;
        self.line(&format!("    {:<7} {}", "repro", finding.repro))
    }

    /// Who says what, once for all findings of a file that it is the same for. Two lines would repeat what is above.
    fn statements(&mut self, finding: &Finding) -> io::Result<()> {
        if finding.statements.len() <= 2 {
            return Ok(());
        }
        if !self.shown.insert(finding.statements.clone()) {
            return self.line("    readers as above");
        }
        let mut label = "readers";
        for line in statements(&finding.statements).lines() {
            self.line(format!("    {label:<7} {}", line.trim()).trim_end())?;
            label = "";
        }
        Ok(())
    }

    /// What nothing explains, put together, where that says more than the list above it.
    fn unexplained(&mut self, summary: &Summary) -> io::Result<()> {
        let clusters: Vec<&Cluster> = summary
            .clusters
            .by_weight()
            .into_iter()
            .filter(|cluster| !is_explained(cluster.verdict))
            .collect();
        if clusters.iter().all(|cluster| cluster.count == 1) {
            return Ok(());
        }
        writeln!(self.out, "unexplained, put together:")?;
        for cluster in clusters {
            let title = cluster.title();
            let words = title.strip_prefix(cluster.verdict.name()).unwrap_or(&title).trim_start();
            write!(self.out, "  ")?;
            self.marked(cluster.verdict, cluster.verdict.name(), &format!("{words}: {}", cluster.size()))?;
            if let Some(first) = cluster.first() {
                self.line(&format!("      first at {first}"))?;
            }
        }
        writeln!(self.out)
    }

    fn explained(&mut self, summary: &Summary) -> io::Result<()> {
        let mut clusters = summary.clusters.iter().filter(|cluster| is_explained(cluster.verdict)).peekable();
        if clusters.peek().is_none() {
            return Ok(());
        }
        writeln!(self.out, "explained differences:")?;
        for cluster in clusters {
            let Cluster { verdict, cause, count, .. } = cluster;
            let words = format!("{cause}: {} of {}", counted(*count, "finding"), cluster.reader_names());
            write!(self.out, "  ")?;
            self.marked(*verdict, verdict.name(), &words)?;
            if let Some(example) = &cluster.example {
                self.line(&format!("      {}", example.reason))?;
            }
            if let Some(first) = cluster.first() {
                self.line(&format!("      first at {first}"))?;
            }
        }
        writeln!(self.out)
    }

    /// Readers that were not there. A quiet report has those only that were asked for.
    fn missing(&mut self, summary: &Summary) -> io::Result<()> {
        for (missing, asked_for) in &summary.missing {
            if *asked_for || !self.quiet {
                self.line(&format!("{} was not compared: {}", missing.name, missing.why))?;
                if !missing.install.is_empty() {
                    self.line(&format!("    to install it: {}", missing.install))?;
                }
            }
        }
        Ok(())
    }

    /// Entries of the user's list that are not in order. A quiet report has those only that make the run fail.
    fn expectations(&mut self, summary: &Summary) -> io::Result<()> {
        let shown = summary.strict || !self.quiet;
        for problem in summary.expectations.iter().filter(|_| shown) {
            let verdict = if summary.strict { Verdict::Differ } else { Verdict::KnownFault };
            self.marked(verdict, problem.state.name(), &format!("expectation {problem}"))?;
        }
        Ok(())
    }

    fn totals(&mut self, summary: &Summary) -> io::Result<()> {
        let ours = &summary.ours;
        write!(self.out, "{} read, {} skipped", counted(summary.files, "file"), summary.skipped)?;
        if summary.unreadable > 0 {
            write!(self.out, ", {} unreadable", summary.unreadable)?;
        }
        if summary.without_cfi > 0 {
            write!(self.out, ", {} without call frame information", summary.without_cfi)?;
        }
        if summary.notes > 0 && !self.verbose {
            write!(self.out, ", {} (-v shows)", counted(summary.notes, "note"))?;
        }
        for reader in summary.readers.iter().filter(|reader| reader.tally.unsupported > 0) {
            let cases = counted(reader.tally.unsupported, "case");
            write!(self.out, ", {cases} that {} cannot be asked about", reader.name)?;
        }
        let (cies, fdes) = (counted(ours.cies, "CIE"), counted(ours.fdes, "FDE"));
        let (instructions, rows) = (counted(ours.instructions, "instruction"), counted(ours.rows, "row"));
        writeln!(self.out, "; {cies}, {fdes}, {instructions}, {rows}")
    }
}

/// Who is wrong and by what that is told.
fn who_is_wrong(finding: &Finding) -> String {
    let who = match finding.wrong {
        Wrong::Reader => &finding.reader,
        other => other.name(),
    };
    match finding.rung {
        Rung::None => who.to_owned(),
        rung => format!("{who}, by {}", rung.name()),
    }
}

/// What is said, what that is worth, why, and who says it.
fn statements(statements: &[Statement]) -> Table {
    let mut groups: Vec<(&Statement, Vec<&str>)> = Vec::new();
    for statement in statements {
        let is_same = |other: &Statement| {
            other.says == statement.says && other.worth == statement.worth && other.why == statement.why
        };
        match groups.iter_mut().find(|(first, _)| is_same(first)) {
            Some((_, readers)) => readers.push(&statement.reader),
            None => groups.push((statement, vec![&statement.reader])),
        }
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    for (Statement { says, worth, why, .. }, readers) in groups {
        table.add_row([&*printable(&cut(says, MAX_STATEMENT)), worth.name(), why, &readers.join(", ")]);
    }
    table
}

/// The words without what is behind the limit; the other forms of report have all of them.
fn cut(words: &str, limit: usize) -> Cow<'_, str> {
    match words.char_indices().nth(limit) {
        Some((end, _)) => Cow::Owned(format!("{}... ({} bytes)", &words[..end], words.len())),
        None => Cow::Borrowed(words),
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
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()> {
        let words = format!("{}: {}", unreadable.path.display(), unreadable.why);
        self.marked(Verdict::Differ, "unreadable", &words)
    }

    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        self.shown.clear();
        if let Some(error) = &report.error {
            self.marked(Verdict::Differ, "unreadable", &error.to_string())?;
        }
        for words in &report.damage {
            self.marked(Verdict::Differ, "damaged", words)?;
        }
        if report.has_no_cfi() && !self.quiet {
            self.without_cfi += 1;
            if self.verbose || self.without_cfi <= MAX_WITHOUT_CFI {
                self.line(&format!("no call frame information to compare in {}", report.path.display()))?;
            }
        }
        for finding in &report.findings {
            if self.verbose || !is_explained(finding.verdict) {
                self.finding(finding)?;
            }
        }
        for broken in &report.invariants {
            if self.verbose || broken.severity == Severity::Error {
                write_broken(&mut self.out, broken)?;
            }
        }
        let mut unlisted: BTreeMap<(&str, Verdict, &str), u64> = BTreeMap::new();
        for ((reader, Likeness { verdict, cause, .. }), count) in &report.unlisted {
            *unlisted.entry((reader, *verdict, cause)).or_default() += count;
        }
        for ((reader, verdict, cause), count) in unlisted {
            if self.verbose || !is_explained(verdict) {
                let (name, path) = (verdict.name(), report.path.display());
                let cause = if cause.is_empty() { String::new() } else { format!(" {cause}") };
                self.line(&format!("... and {count} more {name}{cause} ({reader}) in {path}"))?;
            }
        }
        if self.verbose {
            for note in &report.notes {
                self.line(&format!("note: {note}"))?;
            }
            for case in &report.cases {
                for Failure { reader, why } in &case.failures {
                    self.line(&format!("note: {}: {reader}: {why}", case.name))?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        if !self.quiet {
            self.unexplained(summary)?;
            self.explained(summary)?;
        }
        for account in summary.triages.iter().filter(|_| !self.quiet) {
            triage_lines(account, &mut self.out)?;
        }
        self.expectations(summary)?;
        self.missing(summary)?;
        if !self.quiet {
            for line in table(&summary.readers).lines() {
                self.line(line.trim())?;
            }
            self.totals(summary)?;
        }
        let verdict = if summary.exit() == Exit::Agree { Verdict::Agree } else { Verdict::Differ };
        let style = style(verdict);
        writeln!(self.out, "{style}{}{style:#}", summary.conclusion())?;
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
        "cases",
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
            compared.cases,
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
