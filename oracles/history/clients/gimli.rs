//! Old gimlis as readers for cfidiff: CIEs, FDEs and their rows. `../../PROTOCOL.md` tells what is printed.
//!
//! One source for all versions from 0.15 on. The interface changed between them, and a feature stands for each change;
//! whoever builds this sets those that the version needs. `../../clients/gimli.rs` is the same for the newest version
//! alone, and easier to read.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, Write};

#[cfg(feature = "uninitialized-context")]
use gimli::UninitializedUnwindContext as UnwindContext;
#[cfg(not(any(feature = "initialized-context", feature = "uninitialized-context")))]
use gimli::UnwindContext;
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, Reader, RegisterRule, RunTimeEndian, UnwindOffset,
    UnwindSection,
};
#[cfg(feature = "initialized-context")]
use gimli::{UninitializedUnwindContext, UnwindTable};
use object::{Object, ObjectSection};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut says = vec!["cie-factors", "cie-version", "cie-of-fde", "range", "rows", "rows-of-nops"];
    if cfg!(feature = "undefined-rules") {
        says.push("undefined-rules");
    }
    if cfg!(not(feature = "host-addresses")) {
        says.push("address-size");
    }
    // The package that is made of this has the version of its gimli.
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "{}", json!({ "type": "reader", "protocol": 1, "version": version, "says": says }))?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        if let Err(error) = answer(request["file"].as_str().unwrap_or_default(), &mut out) {
            writeln!(out, "{}", json!({ "type": "failed", "why": error.to_string() }))?;
        }
        writeln!(out, "{}", json!({ "type": "end" }))?;
        out.flush()?;
    }
    Ok(())
}

/// Answers for a file. An error is about what has no line so far.
fn answer(path: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let data = fs::read(path)?;
    let file = object::File::parse(&*data)?;
    if file.kind() == object::ObjectKind::Relocatable {
        writeln!(out, "{}", json!({ "type": "unsupported", "why": "relocations are not applied" }))?;
        return Ok(());
    }
    if file.sections().next().is_none() {
        writeln!(out, "{}", json!({ "type": "unsupported", "why": "there are no section headers" }))?;
        return Ok(());
    }
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let address_of = |name| file.section_by_name(name).map_or(0, |section| section.address());
    for section in file.sections() {
        let name = section.name()?;
        if name != ".eh_frame" && name != ".debug_frame" {
            continue;
        }
        let contents = section.uncompressed_data()?;
        let bases = bases(section.address(), address_of(".text"), address_of(".got"));
        writeln!(out, "{}", json!({ "type": "section", "name": name, "index": section.index().0 }))?;
        let starts = starts(&contents, file.is_little_endian());
        // What the newer interfaces want to be told; a macro since the two kinds of section share no trait with it.
        macro_rules! told {
            ($frame:expr) => {{
                #[allow(unused_mut)]
                let mut frame = $frame;
                #[cfg(not(feature = "host-addresses"))]
                frame.set_address_size(if file.is_64() { 8 } else { 4 });
                #[cfg(feature = "vendor")]
                frame.set_vendor(match file.architecture() {
                    object::Architecture::Aarch64 => gimli::Vendor::AArch64,
                    _ => gimli::Vendor::Default,
                });
                frame
            }};
        }
        let walked = if name == ".eh_frame" {
            walk(&told!(EhFrame::new(&contents, endian)), &bases, &starts, out)
        } else {
            walk(&told!(DebugFrame::new(&contents, endian)), &bases, &starts, out)
        };
        if let Err(error) = walked {
            writeln!(out, "{}", json!({ "type": "failed", "why": error.to_string() }))?;
        }
    }
    Ok(())
}

/// Where the CIEs and FDEs of a section start.
fn starts(contents: &[u8], is_little_endian: bool) -> Vec<usize> {
    let number = |bytes: &[u8]| {
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        if is_little_endian { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) }
    };
    let (mut starts, mut at) = (Vec::new(), 0_usize);
    while let Some(word) = contents.get(at..at.saturating_add(4)) {
        let (length, size) = match number(word) {
            0xffff_ffff => (contents.get(at + 4..at + 12).map_or(u64::MAX, number), 12),
            length => (length, 4),
        };
        if length > 0 {
            starts.push(at);
        }
        at = at.saturating_add(size).saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
    }
    starts
}

fn bases(section: u64, text: u64, got: u64) -> BaseAddresses {
    let bases = BaseAddresses::default().set_text(text);
    #[cfg(feature = "host-addresses")]
    return bases.set_cfi(section).set_data(got);
    #[cfg(not(feature = "host-addresses"))]
    bases.set_eh_frame(section).set_got(got)
}

/// The rows of a table, whose type has other parameters in each version.
macro_rules! rows {
    ($table:expr) => {{
        let mut table = $table;
        let mut rows = Vec::new();
        loop {
            match table.next_row() {
                Err(error) => break Err(error),
                Ok(None) => break Ok(Value::from(rows)),
                Ok(Some(row)) => {
                    let cfa = match row.cfa() {
                        CfaRule::RegisterAndOffset { register, offset } => json!({
                            "rule": "register_offset", "register": hex(number(*register)), "offset": signed(*offset)
                        }),
                        CfaRule::Expression(_) => json!({ "rule": "expression" }),
                    };
                    let rules: Vec<Value> = row.registers().filter_map(|(register, rule)| rule!(register, rule)).collect();
                    let (start, end) = (hex(row.start_address()), hex(row.end_address()));
                    rows.push(json!({ "start": start, "end": end, "cfa": cfa, "rules": rules }));
                }
            }
        }
    }};
}

/// A register's rule, unless it is one that is not said.
macro_rules! rule {
    ($register:expr, $rule:expr) => {{
        let line = match $rule {
            RegisterRule::Undefined => Some(json!({ "rule": "undefined" })),
            RegisterRule::SameValue => Some(json!({ "rule": "same_value" })),
            RegisterRule::Offset(offset) => Some(json!({ "rule": "offset", "offset": signed(*offset) })),
            RegisterRule::ValOffset(offset) => Some(json!({ "rule": "val_offset", "offset": signed(*offset) })),
            RegisterRule::Register(source) => Some(json!({ "rule": "register", "source": hex(number(*source)) })),
            RegisterRule::Expression(_) => Some(json!({ "rule": "expression" })),
            RegisterRule::ValExpression(_) => Some(json!({ "rule": "val_expression" })),
            _ => None,
        };
        line.map(|mut line| {
            line["register"] = hex(number(*$register));
            line
        })
    }};
}
fn walk<R: Reader<Offset = usize>, S: UnwindSection<R>>(
    frame: &S,
    bases: &BaseAddresses,
    starts: &[usize],
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>>
where
    S::Offset: UnwindOffset<usize>,
{
    // One context for all, as an unwinder has it, so that what one FDE leaves behind is seen in the next.
    #[cfg(not(feature = "initialized-context"))]
    let mut context = UnwindContext::new();
    let mut entries = frame.entries(bases);
    let mut seen = 0;
    while let Some(entry) = entries.next()? {
        seen += 1;
        let line = match entry {
            CieOrFde::Cie(cie) => {
                #[allow(unused_mut)]
                let mut line = json!({
                    "type": "entry", "kind": "CIE", "offset": hex(cie.offset()), "length": hex(cie.entry_len()),
                    "version": cie.version(), "code_alignment_factor": hex(cie.code_alignment_factor()),
                    "data_alignment_factor": signed(cie.data_alignment_factor()),
                    "return_address_register": hex(number(cie.return_address_register())),
                });
                #[cfg(not(feature = "host-addresses"))]
                (line["address_size"] = cie.address_size().into());
                line
            }
            CieOrFde::Fde(partial) => {
                #[cfg(feature = "initialized-context")]
                let parsed = partial.parse(|offset| frame.cie_from_offset(bases, offset));
                #[cfg(not(feature = "initialized-context"))]
                let parsed = partial.parse(S::cie_from_offset);
                let fde = match parsed {
                    Ok(fde) => fde,
                    Err(error) => {
                        // Old ones do not tell where the record starts that they cannot parse.
                        let offset = starts.get(seen - 1).copied().unwrap_or_default();
                        let fault = json!({ "key": "fault.reported", "expected": error.to_string() });
                        let line = json!({ "type": "entry", "kind": "FDE", "offset": hex(offset), "faults": [fault] });
                        writeln!(out, "{line}")?;
                        continue;
                    }
                };
                let mut line = json!({
                    "type": "entry", "kind": "FDE", "offset": hex(fde.offset()), "length": hex(fde.entry_len()),
                    "cie": hex(fde.cie().offset()), "initial_location": hex(fde.initial_address()),
                    "address_range": hex(fde.len()),
                });
                #[cfg(feature = "initialized-context")]
                let rows = match UninitializedUnwindContext::new().initialize(fde.cie()) {
                    Ok(mut context) => rows!(UnwindTable::new(&mut context, &fde)),
                    Err((error, _)) => Err(error),
                };
                #[cfg(not(feature = "initialized-context"))]
                let rows = match fde.rows(frame, bases, &mut context) {
                    Ok(table) => rows!(table),
                    Err(error) => Err(error),
                };
                match rows {
                    Ok(rows) => line["rows"] = rows,
                    Err(error) => {
                        line["faults"] = json!([{ "key": "fault.reported", "expected": error.to_string() }]);
                    }
                }
                line
            }
        };
        writeln!(out, "{line}")?;
    }
    Ok(())
}

#[cfg(feature = "plain-registers")]
fn number(register: impl Into<u64>) -> u64 {
    register.into()
}

#[cfg(not(feature = "plain-registers"))]
fn number(register: gimli::Register) -> u64 {
    register.0.into()
}

fn hex(number: impl TryInto<u64>) -> Value {
    format!("{:#x}", number.try_into().unwrap_or_default()).into()
}

fn signed(number: i64) -> Value {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{:#x}", number.unsigned_abs()).into()
}
