//! `cfidiff reader`: our own reader, speaking the protocol that other readers speak to us.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cfidiff::campaign::Exit;
use cfidiff::image;
use cfidiff_cfi::{Reader as Cfi, Table};
use cfidiff_model::{Address, Case, Entry, EntryKind, LookUp, Says, Section};
use cfidiff_oracles::external::{LOOK_UPS, PROTOCOL, capability_name};
use serde::{Deserialize, Serialize};

use crate::cli::dump::{parse_number, return_address};

/// Answer as a reader in the protocol of oracles/PROTOCOL.md: on one file, or on those named on standard input.
#[derive(clap::Args)]
pub struct Reader {
    /// The file. Without it, requests are read from standard input, a line each.
    file: Option<PathBuf>,
    /// Answer for the addresses in this file only, one on each line: the CFA and the return address there.
    #[arg(long, value_name = "LIST", requires = "file")]
    addresses: Option<PathBuf>,
}

/// A line of an answer.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Reader {
        protocol: u64,
        version: &'a str,
        says: Vec<String>,
    },
    Section {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u32>,
    },
    Entry(&'a Entry),
    At(&'a LookUp),
    Unsupported {
        why: &'a str,
    },
    Failed {
        why: &'a str,
    },
    End,
}

/// A line of standard input.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Request {
    Read { file: PathBuf },
}

impl Reader {
    /// Answers until there is nothing more to answer.
    pub fn run(self) -> anyhow::Result<Exit> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let says = match self.addresses {
            Some(_) => vec![LOOK_UPS.to_owned()],
            None => Says::all().iter_names().map(|(flag, _)| capability_name(flag)).collect(),
        };
        line(&mut out, &Line::Reader { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION"), says })?;
        out.flush()?;
        match (self.file, self.addresses) {
            (Some(file), None) => answer(&file, &mut out, section)?,
            (Some(file), Some(list)) => {
                let addresses = read_addresses(&list)?;
                answer(&file, &mut out, |case, section, out| look_ups(case, section, &addresses, out))?;
            }
            (None, _) => {
                for (number, request) in io::stdin().lock().lines().enumerate() {
                    let Request::Read { file } = serde_json::from_str(&request?)
                        .with_context(|| format!("line {} is no request", number + 1))?;
                    answer(&file, &mut out, section)?;
                }
            }
        }
        Ok(Exit::Agree)
    }
}

/// The addresses of a list, ascending.
fn read_addresses(list: &Path) -> anyhow::Result<Vec<Address>> {
    let text = fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    let address = |line: &str| parse_number(line.trim()).map(Address).map_err(anyhow::Error::msg);
    let mut addresses = text.lines().map(address).collect::<anyhow::Result<Vec<Address>>>()?;
    addresses.sort_unstable();
    Ok(addresses)
}

fn line(out: &mut dyn Write, line: &Line<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// Answers for one file, section by section.
fn answer<W: Write>(
    file: &Path,
    out: &mut W,
    mut section: impl FnMut(&Case, &Section, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    match image::open(file, &image::Options { debug_files: false, ..image::Options::default() }) {
        Err(error) => line(out, &Line::Failed { why: &error.to_string() })?,
        Ok(image) => match &image.cases[..] {
            [case] => {
                for (_, frames) in case.frame_sections() {
                    section(case, frames, out)?;
                }
            }
            _ => line(out, &Line::Unsupported { why: "an archive has many files" })?,
        },
    }
    line(out, &Line::End)?;
    out.flush()
}

fn section(case: &Case, section: &Section, out: &mut impl Write) -> io::Result<()> {
    line(out, &Line::Section { name: &section.name, index: section.index })?;
    let mut table = Table::new(Cfi::new(section, case.target));
    let mut entry = Entry::default();
    for index in 0..table.len() {
        table.fill(index, Says::all(), &mut entry);
        line(out, &Line::Entry(&entry))?;
    }
    Ok(())
}

/// What the FDEs of a section say of those addresses that they cover.
fn look_ups(case: &Case, section: &Section, addresses: &[Address], out: &mut impl Write) -> io::Result<()> {
    let mut table = Table::new(Cfi::new(section, case.target));
    let mut entry = Entry::default();
    for index in 0..table.len() {
        table.fill(index, Says::ROWS, &mut entry);
        let return_address = return_address(&mut table, &entry);
        for row in entry.rows.iter().filter(|_| matches!(entry.kind, EntryKind::Fde(_))) {
            let first = addresses.partition_point(|address| *address < row.start);
            for address in addresses[first..].iter().take_while(|address| **address < row.end) {
                let rule = row.rules.iter().find(|(register, _)| Some(*register) == return_address);
                let return_address = rule.map(|(_, rule)| rule.clone());
                line(out, &Line::At(&LookUp { address: *address, cfa: row.cfa.clone(), return_address }))?;
            }
        }
    }
    Ok(())
}
