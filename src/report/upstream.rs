//! A report for the authors of a reader: what they need to see the mistake, and nothing of ours that they would have to
//! believe.

use std::io::{self, Write};

use cfidiff_model::Case;

use crate::report::triage::{byte_by_byte, shape_words};
use crate::report::{counted, printable};
use crate::triage::{Account, Named, Shown};

/// What a report is about.
pub struct Upstream<'u> {
    /// What was found for the reader.
    pub account: &'u Account,
    /// The mistake; none for what nothing explains.
    pub found: Option<&'u Named>,
    /// Where it shows.
    pub shown: &'u Shown,
    /// The cases that the place is in.
    pub inputs: &'u [Case],
    /// The case's file as the commands name it.
    pub file: &'u str,
    /// Where the file came from, as whole sentences.
    pub origin: &'u str,
    /// How cfidiff asks the reader, in a few words of Markdown; empty when it is the user's own.
    pub how: &'u str,
}

impl Upstream<'_> {
    /// Writes the report as Markdown.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Upstream { account, shown, .. } = self;
        let reader = printable(&account.reader);
        let title = match self.found.and_then(|found| found.faults.first()) {
            Some(fault) => format!("the reader {}", fault.does),
            None => format!("a wrong answer ({})", shown.key),
        };
        writeln!(out, "# {reader} {}: {title}\n", printable(&account.version))?;
        self.summary(out)?;
        writeln!(out, "## Case\n\n{} {}\n", self.origin, self.place())?;
        let words = byte_by_byte(account, self.inputs, shown)?;
        fenced("text", &words, out)?;
        writeln!(
            out,
            "In the first list each field has its section offset, its bytes, its value and how that follows"
        )?;
        writeln!(out, "from the bytes. Below is what {reader} says otherwise.\n")?;
        writeln!(out, "## Commands\n\nIn the folder of this report:\n")?;
        let (file, offset) = (self.file, shown.offset);
        let mut commands =
            format!("cfidiff triage {} {file}\ncfidiff explain {file} --offset {offset}", account.asked);
        if account.asked == format!("--reader {}", account.reader) {
            commands += &format!(" --with {}", account.reader);
        }
        fenced("console", &commands, out)?;
        if !self.how.is_empty() {
            writeln!(out, "cfidiff asks the reader by {}.\n", self.how)?;
        }
        writeln!(out, "## Expected\n")?;
        fenced("text", &shown.ours, out)?;
        match self.found {
            Some(found) => {
                for fault in &found.faults {
                    writeln!(out, "A reader should {}: {}.\n", fault.should, fault.clause)?;
                }
            }
            None => writeln!(out, "By the fields as listed above.\n")?,
        }
        writeln!(out, "## Actual\n")?;
        let theirs = if shown.theirs.is_empty() { "nothing" } else { &shown.theirs };
        fenced("text", theirs, out)?;
        writeln!(out, "## Versions\n")?;
        writeln!(out, "- {reader} {}", printable(&account.version))?;
        let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        writeln!(out, "- {name} {version} on {} {}", std::env::consts::OS, std::env::consts::ARCH)
    }

    fn place(&self) -> String {
        let Shown { section, offset, key, .. } = self.shown;
        format!(
            "The record is at offset {offset} of `{}`, the difference is of kind `{key}`.",
            printable(section)
        )
    }

    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        let total = counted(self.account.looked_at as u64, "difference");
        let Some(found) = self.found else {
            writeln!(
                out,
                "No known mistake explains {} of {total}. What they have in common:\n",
                self.account.remain()
            )?;
            for shape in &self.account.shapes {
                writeln!(out, "- {}", printable(&shape_words(shape)))?;
                if !shape.suspect.is_empty() {
                    writeln!(out, "  Maybe {}.", shape.suspect)?;
                }
            }
            return writeln!(out);
        };
        for fault in &found.faults {
            writeln!(out, "The reader {}. It should {}: {}.", fault.does, fault.should, fault.clause)?;
            writeln!(out, "Other readers had the same: {}.", fault.models.join(", "))?;
        }
        if found.rows_alone {
            writeln!(out, "It shows the instructions rightly, and errs in the rows.")?;
        }
        let strength = match found.exact {
            true => "A reader with this mistake and no other says the same everywhere.".to_owned(),
            false => format!(
                "The reader has other mistakes as well, or this is not quite the mistake: it is right at {} where one with the mistake is not.",
                counted(found.contradicted as u64, "place")
            ),
        };
        writeln!(out, "It explains {} of {total}. {strength}\n", found.explained)
    }
}

/// A block of text, whatever it holds.
fn fenced(language: &str, words: &str, out: &mut dyn Write) -> io::Result<()> {
    let longest = words.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    writeln!(out, "{fence}{language}")?;
    for line in words.trim_end().lines() {
        writeln!(out, "{}", printable(line))?;
    }
    writeln!(out, "{fence}\n")
}
