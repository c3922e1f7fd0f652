//! What the triage found, for people: the mistake in a sentence, where it shows byte by byte, and what it leaves open.

use std::io::{self, Write};

use cfidiff_model::Case;

use crate::report::{Answer, Beside, Explain, counted, printable, side_by_side};
use crate::triage::{Account, Broke, Named, Shape, Shown, Stopped};

/// How many diagnoses that are equally good are shown.
const MAX_EXACT: usize = 5;

/// How many ways to break are shown.
const MAX_BREAKS: usize = 8;

/// How many lines of a record are shown; `explain` shows all.
const MAX_LINES: usize = 80;

/// How much is shown of each place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// The two answers.
    Answers,
    /// Of the first place also the record byte by byte.
    FirstRecord,
    /// Of every place.
    EveryRecord,
}

/// Writes what was found for one reader of these cases.
pub fn triage_text(
    account: &Account,
    inputs: &[Case],
    mut detail: Detail,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = format!("{} {}", account.reader, account.version);
    let differences = match account.differences {
        0 if account.sections == 0 => "nothing to compare".to_owned(),
        0 => "no difference to explain".to_owned(),
        count => {
            let cases = counted(account.cases as u64, "case");
            format!("{} in {cases}", counted(count as u64, "difference"))
        }
    };
    writeln!(out, "{}: {differences}", printable(&name))?;
    breaks(account, out)?;
    if account.differences == 0 {
        return Ok(());
    }
    if account.looked_at < account.differences {
        writeln!(out, "  of which {} are looked at", account.looked_at)?;
    }
    let found = &account.diagnoses;
    match found.iter().filter(|found| found.exact).count() {
        0 if found.is_empty() => writeln!(out, "no planted fault explains any of them")?,
        0 => writeln!(out, "no fault or pair of faults explains all; these explain a part each:")?,
        1 => {}
        _ => writeln!(out, "these explain it equally well:")?,
    }
    let limit = if account.is_exact() { MAX_EXACT } else { found.len() };
    let mut shown_in = |shown: &[Shown], out: &mut dyn Write| {
        for shown in shown {
            evidence(account, inputs, shown, detail, out)?;
            if detail == Detail::FirstRecord {
                detail = Detail::Answers;
            }
        }
        Ok::<(), io::Error>(())
    };
    for found in found.iter().take(limit) {
        diagnosis(account, found, out)?;
        shown_in(&found.evidence, out)?;
    }
    if found.len() > limit {
        writeln!(out, "and {} more", found.len() - limit)?;
    }
    if account.remain() > 0 {
        writeln!(out, "unexplained {} of {}", account.remain(), counted_differences(account))?;
        shapes(&account.shapes, out)?;
        shown_in(&account.unexplained, out)?;
    }
    Ok(())
}

/// Where the reader broke, which no decision of a reader that goes on could explain.
fn breaks(account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let sections: usize = account.breaks.iter().map(|broke| broke.sections).sum();
    if sections > 0 {
        let words = "it did not read to the end, which is no wrong answer and has no diagnosis:";
        writeln!(out, "{} {words}", counted(sections as u64, "section"))?;
    }
    for broke in account.breaks.iter().take(MAX_BREAKS) {
        let Broke { words, sections, file, .. } = broke;
        writeln!(out, "    {sections:>7}  {}, for instance in {}", printable(words), printable(file))?;
    }
    if account.breaks.len() > MAX_BREAKS {
        writeln!(out, "    and {} other kinds of words", account.breaks.len() - MAX_BREAKS)?;
    }
    Ok(())
}

/// What was found for one reader in a few lines, for the end of a longer report.
pub fn triage_lines(account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let reader = printable(&account.reader);
    let limit = if account.is_exact() { 1 } else { account.diagnoses.len() };
    for found in account.diagnoses.iter().take(limit) {
        let explains = format!("explains {} of {}", found.explained, counted_differences(account));
        writeln!(out, "{} for {reader}: {} {explains}", kind(found), found.names().join(" + "))?;
        for fault in &found.faults {
            writeln!(out, "    The reader {}. It should {}.", fault.does, fault.should)?;
        }
    }
    let exact = account.diagnoses.iter().filter(|found| found.exact).count();
    if exact > 1 {
        writeln!(out, "    {} more would explain the same", exact - 1)?;
    }
    if account.remain() > 0 {
        let words = "no known mistake explains";
        writeln!(out, "{words} {} of {} of {reader}", account.remain(), counted_differences(account))?;
        shapes(&account.shapes, out)?;
    }
    for Stopped { files, of, command } in &account.stopped {
        let files = format!("after {files} of {}", counted(*of as u64, "file"));
        writeln!(out, "the triage of {reader} stopped early, {files}; to go on: {}", printable(command))?;
    }
    Ok(())
}

/// What a diagnosis is called by how good it is.
fn kind(found: &Named) -> String {
    match found.fits {
        _ if found.exact => "diagnosis".to_owned(),
        100 => "diagnosis of a part".to_owned(),
        percent => format!("hint ({percent} %)"),
    }
}

/// How many differences there are to explain, with their noun.
fn counted_differences(account: &Account) -> String {
    counted(account.looked_at as u64, "difference")
}

fn diagnosis(account: &Account, found: &Named, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {}", kind(found), found.names().join(" + "))?;
    for fault in &found.faults {
        writeln!(out, "    The reader {}. It should {}.", fault.does, fault.should)?;
        writeln!(out, "    clause    {}", fault.clause)?;
        writeln!(out, "    seen in   {}", fault.models.join(", "))?;
    }
    if found.rows_alone {
        writeln!(out, "    It shows the instructions rightly, and errs in the rows.")?;
    }
    let explains = format!("{} of {}", found.explained, counted_differences(account));
    writeln!(out, "    explains  {explains}, {} remain", account.looked_at - found.explained)?;
    if found.refuted > 0 {
        let places = counted(found.refuted as u64, "difference");
        writeln!(out, "    against   {places} where it says yet another thing than with this mistake")?;
    }
    if found.contradicted > 0 {
        let places = counted(found.contradicted as u64, "place");
        writeln!(out, "    against   {places} where the reader is right and would not be with this mistake")?;
    }
    Ok(())
}

fn evidence(
    account: &Account,
    inputs: &[Case],
    shown: &Shown,
    detail: Detail,
    out: &mut dyn Write,
) -> io::Result<()> {
    let place = format!("{} {}+{}", shown.file, shown.section, shown.offset);
    writeln!(out, "    evidence  {} {}", shown.key, printable(&place))?;
    writeln!(out, "        ours    {}", printable(&shown.ours))?;
    writeln!(out, "        theirs  {}", printable(&shown.theirs))?;
    if detail != Detail::Answers {
        for line in byte_by_byte(account, inputs, shown)?.lines().take(MAX_LINES) {
            writeln!(out, "{}", format!("        {line}").trim_end())?;
        }
    }
    writeln!(out, "    repro     {}", shown.repro)
}

/// The record byte by byte, with how each value is computed, and the reader's values beside ours.
pub(crate) fn byte_by_byte(account: &Account, inputs: &[Case], shown: &Shown) -> io::Result<String> {
    let mut words = Vec::new();
    let (case, section) = shown.at;
    if let Some(case) = inputs.get(case)
        && let Some(part) = case.sections.get(section)
    {
        let mut explain = Explain::new(case, part);
        explain.record(shown.offset, None, &mut words)?;
        if let Some(ours) = explain.entry(shown.offset) {
            let mut answer = Answer::new(0, section, shown.offset);
            answer.entries.clone_from(&shown.entries);
            side_by_side(&case.target, ours, &account.reader, &answer, Beside::Differing, &mut words)?;
        }
    }
    Ok(String::from_utf8_lossy(&words).into_owned())
}

/// What the rest has in common.
fn shapes(shapes: &[Shape], out: &mut dyn Write) -> io::Result<()> {
    for shape in shapes {
        writeln!(out, "    shape     {}", printable(&shape_words(shape)))?;
        if !shape.suspect.is_empty() {
            writeln!(out, "              maybe {}", shape.suspect)?;
        }
    }
    Ok(())
}

/// One shape on a line.
pub(crate) fn shape_words(shape: &Shape) -> String {
    let Shape { shape, key, words, count, of, .. } = shape;
    format!("{shape} in {key}: {words} ({count} of {of})")
}
