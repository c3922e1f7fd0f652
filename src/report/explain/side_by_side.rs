//! Another reader's answer on a record beside ours.

use std::io::{self, Write};

use cfidiff_model::{
    CfaRule, Entry, EntryKind, Operand, Outcome, RegisterRule, RowRef, Rows, Says, SectionOffset, Sink,
    Target,
};

use crate::report::{describe, printable};

/// A sink that keeps what a reader says of one record.
pub struct Answer {
    wanted: (usize, usize, SectionOffset),
    /// What the current section's answer says, when it is the wanted one.
    current: Option<Says>,
    /// What was said of the record, once for each pass that said something.
    pub entries: Vec<(Says, Entry)>,
    /// How the reader failed or refused, in its words.
    pub troubles: Vec<String>,
}

impl Answer {
    /// Keeps the record at this offset of a section, by the numbers of case and section.
    pub fn new(case: usize, section: usize, offset: SectionOffset) -> Answer {
        Answer { wanted: (case, section, offset), current: None, entries: Vec::new(), troubles: Vec::new() }
    }

    fn trouble(&mut self, outcome: Outcome) {
        if let Outcome::Unsupported(why) | Outcome::Failed(why) = outcome {
            self.troubles.push(why);
        }
    }
}

impl Sink for Answer {
    fn section(&mut self, case: usize, section: usize, says: Says) {
        self.current = ((case, section) == (self.wanted.0, self.wanted.1)).then_some(says);
    }

    fn entry(&mut self, entry: &Entry) {
        if let Some(says) = self.current.filter(|_| entry.offset == self.wanted.2) {
            self.entries.push((says, entry.clone()));
        }
    }

    fn end_section(&mut self, outcome: Outcome) {
        self.trouble(outcome);
    }

    fn end_case(&mut self, _: usize, outcome: Outcome) {
        self.trouble(outcome);
    }
}

/// Which values stand side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// All that the reader says.
    All,
    /// Those that differ.
    Differing,
}

/// Writes what the reader says beside what we say, field by field as far as it says something, with a mark where they
/// differ.
pub fn side_by_side(
    target: &Target,
    ours: &Entry,
    reader: &str,
    answer: &Answer,
    shown: Beside,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Both are told from our initial location on: another one of theirs is a difference by itself.
    let start = match &ours.kind {
        EntryKind::Fde(fde) => fde.initial_location.0,
        _ => 0,
    };
    for (says, theirs) in &answer.entries {
        let (mine, others) = (words(target, ours, *says, start), words(target, theirs, *says, start));
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in mine.iter().chain(&others) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        // Field beside field, instruction beside instruction, row beside row.
        for name in names {
            let mut mine = mine.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
            let mut others =
                others.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
            loop {
                match (mine.next(), others.next()) {
                    (None, None) => break,
                    (ours, theirs) if ours == theirs && shown == Beside::Differing => {}
                    (ours, theirs) => pair(name, ours, theirs, reader, out)?,
                }
            }
        }
        for fault in &theirs.faults {
            writeln!(out, "{reader} complains: {}", printable(&fault.to_string()))?;
        }
        writeln!(out)?;
    }
    for why in &answer.troubles {
        writeln!(out, "{reader}: {}", printable(why))?;
    }
    if answer.entries.is_empty() {
        writeln!(out, "{reader} says nothing of this record")?;
    }
    Ok(())
}

/// One line where both say the same, else both.
fn pair(
    name: &str,
    ours: Option<&str>,
    theirs: Option<&str>,
    reader: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    if ours == theirs {
        return writeln!(out, "  same     {name:23} {}", ours.unwrap_or_default());
    }
    let words = |side: Option<&str>| side.unwrap_or("nothing").to_owned();
    let width = reader.chars().count().max("ours".len());
    writeln!(out, "  differs  {name:23} {:width$}    {}", "ours", words(ours))?;
    writeln!(out, "           {:23} {reader:width$}    {}", "", printable(&words(theirs)))
}

/// The fields of an entry that a reader says, by name, the instructions as from this location on. Instructions and rows are several of one name.
fn words(target: &Target, entry: &Entry, says: Says, start: u64) -> Vec<(String, String)> {
    let mut words = Vec::new();
    let mut add = |needs: Says, name: &str, value: String| {
        if says.contains(needs) {
            words.push((name.to_owned(), value));
        }
    };
    add(Says::RECORDS, "kind", entry.kind.name().to_owned());
    add(Says::RECORDS, "length", format!("{:#x}", entry.length));
    match &entry.kind {
        EntryKind::Cie(cie) => {
            add(Says::CIE_VERSION, "version", cie.version.to_string());
            let augmentation = String::from_utf8_lossy(&cie.augmentation).into_owned();
            add(Says::AUGMENTATION_STRING, "augmentation", format!("{augmentation:?}"));
            add(Says::CIE_FACTORS, "code alignment factor", cie.code_alignment_factor.to_string());
            add(Says::CIE_FACTORS, "data alignment factor", cie.data_alignment_factor.to_string());
            let register = describe::register(target.machine, cie.return_address_register);
            add(Says::CIE_FACTORS, "return address register", register);
            add(Says::CIE_AUGMENTATION_BYTES, "augmentation data", describe::bytes(&cie.augmentation_data));
        }
        EntryKind::Fde(fde) => {
            let cie = fde.cie.map_or("none".to_owned(), |offset| offset.to_string());
            add(Says::CIE_OF_FDE, "CIE", cie);
            add(Says::CIE_POINTER, "CIE pointer", format!("{:#x}", fde.cie_pointer));
            add(Says::RANGE, "initial location", fde.initial_location.to_string());
            add(Says::RANGE, "address range", format!("{:#x}", fde.address_range));
            add(Says::LSDA, "LSDA", describe::pointer(fde.lsda));
        }
        EntryKind::Terminator | EntryKind::Unreadable => {}
    }
    let mut location = start;
    for instruction in &entry.instructions {
        add(
            Says::INSTRUCTIONS,
            "instruction",
            describe::instruction(target, &instruction.canonical(), location),
        );
        match instruction.operands().first() {
            Some(Operand::Delta(delta)) => location = location.wrapping_add(*delta),
            Some(Operand::Location(new)) => location = new.0,
            _ => {}
        }
    }
    let of_kind = if matches!(entry.kind, EntryKind::Cie(_)) { Says::CIE_ROWS } else { Says::ROWS };
    for row in entry.rows.iter() {
        add(of_kind, "row", row_words(target, &row, says));
    }
    words
}

/// A row without what the reader cannot say: the operations of expressions, undefined rules, those of the ABI.
fn row_words(target: &Target, row: &RowRef<'_>, says: Says) -> String {
    let has_operations = says.contains(Says::ROW_EXPRESSIONS);
    let cfa = match row.cfa {
        CfaRule::Expression(_) if !has_operations => CfaRule::Expression(Box::default()),
        cfa => cfa.clone(),
    };
    let mut masked = Rows::default();
    for (register, rule) in row.rules {
        let rule = match rule {
            RegisterRule::Undefined if !says.contains(Says::UNDEFINED_RULES) => continue,
            RegisterRule::Architectural(_) if !says.contains(Says::ARCHITECTURAL_RULES) => continue,
            RegisterRule::Expression(_) if !has_operations => RegisterRule::Expression(Box::default()),
            RegisterRule::ValExpression(_) if !has_operations => RegisterRule::ValExpression(Box::default()),
            rule => rule.clone(),
        };
        masked.push_rule(*register, rule);
    }
    masked.finish_row(row.start, row.end, cfa);
    masked.get(0).map_or(String::new(), |row| describe::row(target, &row))
}
