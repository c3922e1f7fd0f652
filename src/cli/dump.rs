//! `cfidiff dump`: our own reading of a file.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context as _;
use cfidiff::campaign::Exit;
use cfidiff::image;
use cfidiff::report::{Dump as DumpText, printable};
use cfidiff_cfi::{Reader, RecordKind, Semantics, Standard, Table};
use cfidiff_model::{Address, Case, Entry, EntryKind, Says, Section, SectionOffset};
use serde::Serialize;

use crate::cli::{Common, Format};

/// Show our own reading of a file: all records, or those at an offset or for a program counter.
#[derive(clap::Args)]
pub struct Dump {
    /// The file: an ELF file or an archive.
    file: PathBuf,
    /// Only FDEs that cover this link-time address; their row for it is marked with "<".
    #[arg(long, value_name = "ADDR", value_parser = parse_number, conflicts_with = "offset")]
    pc: Option<u64>,
    /// Only the record at this section offset.
    #[arg(long, value_name = "OFF", value_parser = parse_number)]
    offset: Option<u64>,
    /// Only these sections.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = [".eh_frame", ".debug_frame"])]
    sections: Vec<String>,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Do not look for separate debug files.
    #[arg(long)]
    no_debug_files: bool,
}

/// A record as a line of JSON.
#[derive(Serialize)]
#[serde(tag = "type", rename = "entry")]
struct Line<'a> {
    file: &'a str,
    section: &'a str,
    #[serde(flatten)]
    entry: &'a Entry,
}

impl Dump {
    /// Prints the records. Ends as [`Exit::NothingCompared`] when there is none to show.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let options = image::Options { debug_files: !self.no_debug_files, ..image::Options::default() };
        let image = image::open(&self.file, &options)?;
        for words in image.damage.iter().chain(&image.notes) {
            tell(words);
        }
        let mut out = common.output(self.output.as_deref())?;
        let mut shown = 0;
        for case in &image.cases {
            for note in &case.notes {
                tell(&format!("{}: {note}", case.name));
            }
            for (_, section) in case.frame_sections() {
                if self.sections.is_empty() || self.sections.iter().any(|name| name == section.kind.name()) {
                    shown += self.section(case, section, &mut out).context("cannot write")?;
                }
            }
        }
        out.flush()?;
        if shown == 0 {
            tell(&format!("{} has no such record", self.file.display()));
            return Ok(Exit::NothingCompared);
        }
        Ok(Exit::Agree)
    }

    /// Prints one section's records as far as they are asked for, and counts them.
    fn section(&self, case: &Case, section: &Section, out: &mut dyn Write) -> io::Result<usize> {
        let mut table = Table::new(Reader::new(section, case.target));
        let mut entry = Entry::default();
        let mut shown = 0;
        for index in 0..table.len() {
            let wanted = match (self.offset, self.pc) {
                (Some(offset), _) => table.offset(index) == Some(SectionOffset(offset)),
                (_, Some(pc)) => table.fill(index, Says::empty(), &mut entry) && covers(&entry, pc),
                _ => true,
            };
            if !wanted || !table.fill(index, Says::all(), &mut entry) {
                continue;
            }
            if shown == 0 && self.format == Format::Text {
                writeln!(
                    out,
                    "{}: contents of the {} section at {}\n",
                    case.name, section.name, section.address
                )?;
            }
            shown += 1;
            match self.format {
                Format::Text => {
                    let return_address = return_address(&mut table, &entry);
                    let mark = self.pc.map(Address);
                    DumpText { out: &mut *out, target: &case.target, kind: section.kind, mark }
                        .entry(&entry, return_address)?;
                }
                Format::Jsonl => {
                    serde_json::to_writer(
                        &mut *out,
                        &Line { file: &case.name, section: &section.name, entry: &entry },
                    )?;
                    writeln!(out)?;
                }
            }
        }
        Ok(shown)
    }
}

/// A line on standard error. Nobody may be there to read it.
fn tell(words: &str) {
    let _ = writeln!(io::stderr(), "cfidiff: {}", printable(words));
}

fn covers(entry: &Entry, pc: u64) -> bool {
    match &entry.kind {
        EntryKind::Fde(fde) => Standard.range_contains(fde.initial_location.0, fde.address_range, pc),
        _ => false,
    }
}

/// The return address register of an entry's CIE.
pub(crate) fn return_address(table: &mut Table<'_>, entry: &Entry) -> Option<u64> {
    let offset = match &entry.kind {
        EntryKind::Cie(cie) => return Some(cie.return_address_register),
        EntryKind::Fde(fde) => fde.cie?,
        _ => return None,
    };
    let index = table.index_of(offset)?;
    match table.record(index)?.kind {
        RecordKind::Cie(place) => table.cie(place).map(|cie| cie.return_address_register),
        _ => None,
    }
}

/// A number in decimal, or in hexadecimal behind `0x`.
pub(crate) fn parse_number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|error| format!("{error}; expected a number such as 4096 or 0x1000"))
}
