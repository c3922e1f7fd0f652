//! Annotations of GitHub Actions: one workflow command for each cluster, what nothing explains first.
//!
//! GitHub shows the first ten errors, warnings and notices of a step and has the others in its log only, so the order
//! is that of weight. The commands are those of the page "Workflow commands for GitHub Actions".

use std::io::{self, Write};
use std::path::Path;

use cfidiff_model::Verdict;

use crate::campaign::{FileReport, Unreadable};
use crate::report::cluster::is_explained;
use crate::report::troubles::Troubles;
use crate::report::{Report, Summary, printable};

/// Writes workflow commands.
pub struct GitHub<W: Write> {
    out: W,
    quiet: bool,
    troubles: Troubles,
}

impl<W: Write> GitHub<W> {
    /// A report into `out`. `quiet` leaves out what is explained and who was not there.
    pub fn new(out: W, quiet: bool) -> GitHub<W> {
        GitHub { out, quiet, troubles: Troubles::default() }
    }

    fn annotation(&mut self, level: &str, file: Option<&Path>, title: &str, message: &str) -> io::Result<()> {
        let file = file.map(|path| format!("file={},", property(&path.display().to_string())));
        let title = property(&printable(title));
        writeln!(self.out, "::{level} {}title={title}::{}", file.unwrap_or_default(), data(message))
    }

    fn clusters(&mut self, summary: &Summary) -> io::Result<()> {
        for cluster in summary.clusters.by_weight() {
            let level = match cluster.verdict {
                Verdict::Differ | Verdict::OracleFailed => "error",
                Verdict::Open | Verdict::KnownFault | Verdict::Agree => "notice",
            };
            if self.quiet && is_explained(cluster.verdict) {
                continue;
            }
            let mut lines = vec![printable(&cluster.size()).into_owned()];
            lines.extend(cluster.lines());
            let file = cluster.first().map(|place| place.path.as_path());
            self.annotation(level, file, &cluster.title(), &lines.join("\n"))?;
        }
        Ok(())
    }

    fn inputs(&mut self) -> io::Result<()> {
        let troubles = std::mem::take(&mut self.troubles);
        for trouble in &troubles.kept {
            let title = format!("{} input", trouble.what);
            self.annotation("warning", Some(&trouble.path), &title, &printable(&trouble.why))?;
        }
        troubles.rest().map_or(Ok(()), |words| self.annotation("warning", None, "unreadable inputs", &words))
    }

    /// Entries of the user's list that are not in order, each at its line.
    fn expectations(&mut self, summary: &Summary) -> io::Result<()> {
        let level = if summary.strict { "error" } else { "warning" };
        for problem in &summary.expectations {
            let (file, words) = (property(&problem.file), printable(&problem.to_string()).into_owned());
            let title = format!("{} expectation", problem.state.name());
            writeln!(
                self.out,
                "::{level} file={file},line={},title={title}::{}",
                problem.line,
                data(&words)
            )?;
        }
        Ok(())
    }

    /// Readers that were asked for are a warning each; those that could have been there are one notice.
    fn missing(&mut self, summary: &Summary) -> io::Result<()> {
        let mut others = Vec::new();
        for (missing, asked_for) in &summary.missing {
            let words = printable(&format!("{}: {}", missing.name, missing.why)).into_owned();
            if *asked_for {
                self.annotation("warning", None, "a reader is missing", &words)?;
            } else {
                others.push(words);
            }
        }
        if others.is_empty() || self.quiet {
            return Ok(());
        }
        self.annotation("notice", None, "readers that were not compared", &others.join("\n"))
    }
}

/// The words of a command, in which these letters mean themselves.
fn data(words: &str) -> String {
    words.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a command's property, which a colon or a comma would end.
fn property(words: &str) -> String {
    data(words).replace(':', "%3A").replace(',', "%2C")
}

impl<W: Write> Report for GitHub<W> {
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()> {
        self.troubles.unreadable(unreadable);
        Ok(())
    }

    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        self.troubles.file(report);
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.clusters(summary)?;
        self.expectations(summary)?;
        self.inputs()?;
        self.missing(summary)?;
        writeln!(self.out, "{}", printable(&summary.conclusion()))?;
        self.out.flush()
    }
}
