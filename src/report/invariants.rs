//! What does not hold of files by themselves: as text, as JSON Lines, and counted by key.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use cfidiff_model::{BrokenInvariant, Invariant, Severity};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::campaign::{Exit, FileReport, Plan, Unreadable};
use crate::report::{counted, printable};

/// How often one invariant is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Broken {
    /// In how many cases and sections.
    pub findings: u64,
    /// At how many places.
    pub places: u64,
}

/// What a survey adds up to.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// How many files were read.
    pub files: u64,
    /// How many files were passed over.
    pub skipped: u64,
    /// How many inputs could not be read at all.
    pub unreadable: u64,
    /// How many of the files that were read are broken in places.
    pub damaged: u64,
    /// How many of the files that were read have no CIE and no FDE.
    pub without_cfi: u64,
    /// How many CIEs and FDEs they have.
    pub cies: u64,
    /// How many FDEs they have.
    pub fdes: u64,
    /// What is broken, by key.
    pub broken: BTreeMap<Invariant, Broken>,
    /// Whether warnings are findings as errors are.
    pub strict: bool,
}

impl Survey {
    /// An empty sum.
    pub fn new(plan: &Plan, strict: bool) -> Survey {
        let unreadable = plan.unreadable.len() as u64;
        Survey { skipped: plan.skipped, unreadable, strict, ..Survey::default() }
    }

    /// Adds a file.
    pub fn add(&mut self, report: &FileReport) {
        if report.error.is_some() {
            self.unreadable += 1;
            return;
        }
        self.files += 1;
        self.damaged += u64::from(!report.damage.is_empty());
        self.without_cfi += u64::from(report.has_no_cfi());
        for case in &report.cases {
            self.cies += case.ours.cies;
            self.fdes += case.ours.fdes;
        }
        for broken in &report.invariants {
            let sum = self.broken.entry(broken.key).or_default();
            sum.findings += 1;
            sum.places += broken.count;
        }
    }

    /// How many findings of a severity there are.
    pub fn count(&self, severity: Severity) -> u64 {
        let of_severity = self.broken.iter().filter(|(key, _)| key.severity() == severity);
        of_severity.map(|(_, broken)| broken.findings).sum()
    }

    /// How the run ended.
    pub fn exit(&self) -> Exit {
        let warnings = if self.strict { self.count(Severity::Warning) } else { 0 };
        if self.count(Severity::Error) + warnings > 0 {
            Exit::Findings
        } else if self.unreadable + self.damaged > 0 {
            Exit::Usage
        } else if self.cies + self.fdes == 0 {
            Exit::NothingCompared
        } else {
            Exit::Agree
        }
    }

    /// The last line.
    pub fn conclusion(&self) -> String {
        let exit = self.exit();
        let counts = Severity::ALL.map(|severity| counted(self.count(severity), severity.name()));
        let mut words = counts.join(", ");
        if self.unreadable > 0 {
            words += &format!("; {} cannot be read", counted(self.unreadable, "input"));
        }
        if self.damaged > 0 {
            words += &format!("; {} read in part only", counted(self.damaged, "damaged input"));
        }
        if exit == Exit::NothingCompared {
            words = format!("no call frame information in {}", counted(self.files, "file"));
        }
        format!("{words} (exit {})", exit.code())
    }

    /// The files and what they hold.
    fn totals(&self) -> String {
        let (cies, fdes) = (counted(self.cies, "CIE"), counted(self.fdes, "FDE"));
        let (files, none) = (counted(self.files, "file"), self.without_cfi);
        format!(
            "{files} read, {} skipped, {none} without call frame information; {cies}, {fdes}",
            self.skipped
        )
    }
}

/// Writes a survey as text.
pub struct SurveyText<W: Write> {
    out: W,
    least: Severity,
    quiet: bool,
}

impl<W: Write> SurveyText<W> {
    /// A report into `out` of what weighs at least so much; `quiet` leaves out the counts.
    pub fn new(out: W, least: Severity, quiet: bool) -> SurveyText<W> {
        SurveyText { out, least, quiet }
    }
}

/// A form of report of a survey.
pub trait SurveyReport {
    /// A path that could not be looked at.
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()>;
    /// One file is done.
    fn file(&mut self, report: &FileReport) -> io::Result<()>;
    /// All files are done.
    fn end(&mut self, survey: &Survey) -> io::Result<()>;
}

impl<W: Write> SurveyReport for SurveyText<W> {
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()> {
        let words = format!("{}: {}", unreadable.path.display(), unreadable.why);
        marked(&mut self.out, style(Severity::Error), "unreadable", &words)
    }

    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        if let Some(error) = &report.error {
            marked(&mut self.out, style(Severity::Error), "unreadable", &error.to_string())?;
        }
        for words in &report.damage {
            marked(&mut self.out, style(Severity::Error), "damaged", words)?;
        }
        for broken in report.invariants.iter().filter(|broken| broken.severity <= self.least) {
            write_broken(&mut self.out, broken)?;
        }
        Ok(())
    }

    fn end(&mut self, survey: &Survey) -> io::Result<()> {
        if !self.quiet {
            for line in by_key(survey).lines() {
                writeln!(self.out, "{}", line.trim())?;
            }
            writeln!(self.out, "{}", survey.totals())?;
        }
        let color = if survey.exit() == Exit::Agree { AnsiColor::Green } else { AnsiColor::Red };
        let style = color.on_default().bold();
        writeln!(self.out, "{style}{}{style:#}", survey.conclusion())?;
        self.out.flush()
    }
}

/// Writes one finding: the key with its first place, what was found at the places, what must hold.
pub(super) fn write_broken(out: &mut dyn Write, broken: &BrokenInvariant) -> io::Result<()> {
    let offset = broken.places.first().map(|place| place.offset).unwrap_or_default();
    let mut head = format!("{} {} {}+{offset}", broken.key.name(), broken.file, broken.section);
    if broken.count > 1 {
        head += &format!(", {} places", broken.count);
    }
    marked(out, style(broken.severity), broken.severity.name(), &head)?;
    for place in &broken.places {
        writeln!(out, "    found   {}", printable(&place.found))?;
    }
    writeln!(out, "    reason  {}", broken.reason)?;
    writeln!(out, "    repro   {}", printable(&broken.repro))
}

fn marked(out: &mut dyn Write, style: Style, mark: &str, words: &str) -> io::Result<()> {
    writeln!(out, "{style}{mark}{style:#} {}", printable(words))
}

fn style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Info => AnsiColor::Cyan,
    };
    color.on_default().bold()
}

fn by_key(survey: &Survey) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["severity", "key", "sections", "places"]);
    for (key, broken) in &survey.broken {
        let names = [key.severity().name().to_owned(), key.name().to_owned()];
        table.add_row(names.into_iter().chain([broken.findings.to_string(), broken.places.to_string()]));
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Writes a survey as JSON Lines.
pub struct SurveyJson<W: Write> {
    out: W,
    least: Severity,
}

impl<W: Write> SurveyJson<W> {
    /// A report into `out` of what weighs at least so much.
    pub fn new(out: W, least: Severity) -> SurveyJson<W> {
        SurveyJson { out, least }
    }

    fn line(&mut self, line: &SurveyLine<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.write_all(b"\n")
    }
}

/// One line. The names are a contract.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum SurveyLine<'a> {
    Invariant(&'a BrokenInvariant),
    Unreadable { file: String, why: &'a str },
    Damaged { file: String, why: &'a str },
    Survey(SumLine),
}

#[derive(Serialize)]
struct SumLine {
    version: &'static str,
    files: u64,
    skipped: u64,
    unreadable: u64,
    damaged: u64,
    without_cfi: u64,
    cies: u64,
    fdes: u64,
    broken: Vec<KeyLine>,
    exit: u8,
}

#[derive(Serialize)]
struct KeyLine {
    key: Invariant,
    severity: Severity,
    sections: u64,
    places: u64,
}

impl<W: Write> SurveyReport for SurveyJson<W> {
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()> {
        self.line(&SurveyLine::Unreadable {
            file: unreadable.path.display().to_string(),
            why: &unreadable.why,
        })
    }

    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        let file = || report.path.display().to_string();
        if let Some(error) = &report.error {
            self.line(&SurveyLine::Unreadable { file: file(), why: &error.to_string() })?;
        }
        for words in &report.damage {
            self.line(&SurveyLine::Damaged { file: file(), why: words })?;
        }
        let least = self.least;
        for broken in report.invariants.iter().filter(|broken| broken.severity <= least) {
            self.line(&SurveyLine::Invariant(broken))?;
        }
        Ok(())
    }

    fn end(&mut self, survey: &Survey) -> io::Result<()> {
        let broken = survey.broken.iter().map(|(key, broken)| KeyLine {
            key: *key,
            severity: key.severity(),
            sections: broken.findings,
            places: broken.places,
        });
        self.line(&SurveyLine::Survey(SumLine {
            version: env!("CARGO_PKG_VERSION"),
            files: survey.files,
            skipped: survey.skipped,
            unreadable: survey.unreadable,
            damaged: survey.damaged,
            without_cfi: survey.without_cfi,
            cies: survey.cies,
            fdes: survey.fdes,
            broken: broken.collect(),
            exit: survey.exit().code(),
        }))?;
        self.out.flush()
    }
}
