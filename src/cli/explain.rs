//! `cfidiff explain`: one record byte by byte.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context as _;
use cfidiff::campaign::Exit;
use cfidiff::image;
use cfidiff::report::{Answer, Beside, Explain, printable, side_by_side};
use cfidiff_model::{Address, Case, SectionOffset};
use cfidiff_oracles::{Oracle, process, registry};

use crate::cli::dump::parse_number;
use crate::cli::readers::reader_name;
use crate::cli::{Common, section_kinds};

/// Explain one record byte by byte: each field with how its value is computed, the instructions, the rows.
#[derive(clap::Args)]
pub struct ExplainRecord {
    /// The file: an ELF file or an archive.
    file: PathBuf,
    /// The record at this section offset.
    #[arg(long, value_name = "OFF", value_parser = parse_number, required_unless_present = "pc")]
    offset: Option<u64>,
    /// The FDEs that cover this link-time address; their row for it is marked.
    #[arg(long, value_name = "ADDR", value_parser = parse_number, conflicts_with = "offset")]
    pc: Option<u64>,
    /// Only in this section.
    #[arg(long, value_name = "NAME", value_parser = [".eh_frame", ".debug_frame"])]
    section: Option<String>,
    /// Put the answer of this reader beside ours; may be given again. See `doctor` for names.
    #[arg(long = "with", value_name = "READER", value_parser = reader_name)]
    readers: Vec<String>,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Do not look for separate debug files.
    #[arg(long)]
    no_debug_files: bool,
}

impl ExplainRecord {
    /// Explains the records. Ends as [`Exit::NothingCompared`] when there is none.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let options = image::Options { debug_files: !self.no_debug_files, ..image::Options::default() };
        let image = image::open(&self.file, &options)?;
        let (mut readers, mut exit) = (Vec::new(), Exit::Agree);
        if !self.readers.is_empty() {
            for reader in registry::probe(&self.readers, process::TIME_OUT) {
                match reader {
                    Ok(reader) => readers.push(reader),
                    Err(missing) => {
                        tell(&format!("{} cannot be asked: {}", missing.name, missing.why));
                        exit = Exit::ReaderBroke;
                    }
                }
            }
        }
        for words in &image.damage {
            tell(words);
        }
        let mut out = common.output(self.output.as_deref())?;
        let mut shown = 0;
        for number in 0..image.cases.len() {
            shown += self.case(&image.cases, number, &readers, &mut out).context("cannot write")?;
        }
        out.flush()?;
        if shown == 0 {
            tell(&format!("{} has no such record", self.file.display()));
            return Ok(Exit::NothingCompared);
        }
        Ok(exit)
    }

    /// Explains the records of one case, and counts them.
    fn case(
        &self,
        cases: &[Case],
        number: usize,
        readers: &[Box<dyn Oracle>],
        out: &mut dyn Write,
    ) -> io::Result<usize> {
        let case = &cases[number];
        let kinds = section_kinds(self.section.as_slice());
        let mut shown = 0;
        for (index, section) in case.frame_sections().filter(|(_, section)| kinds.contains(&section.kind)) {
            let mut explain = Explain::new(case, section);
            let mark = self.pc.map(Address);
            let offsets = match (self.offset, mark) {
                (Some(offset), _) => vec![SectionOffset(offset)],
                (None, Some(mark)) => explain.covering(mark),
                (None, None) => Vec::new(),
            };
            for offset in offsets {
                if !explain.record(offset, mark, out)? {
                    continue;
                }
                shown += 1;
                for reader in readers {
                    let mut answer = Answer::new(0, index, offset);
                    for pass in 0..reader.passes().len() {
                        reader.read(pass, &cases[number..=number], &mut answer);
                    }
                    if let Some(ours) = explain.entry(offset) {
                        side_by_side(&case.target, ours, reader.name(), &answer, Beside::All, out)?;
                    }
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
