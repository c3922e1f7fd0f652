//! gimli as a reader for cfidiff: CIEs, FDEs and their rows.
//!
//! ```console
//! $ cargo build --example gimli-reader
//! $ cfidiff check --reader-cmd 'mine=target/debug/examples/gimli-reader' FILE...
//! ```
//!
//! A start for readers in Rust, such as another version of gimli or one with changes. It lives on and answers for the
//! files that it is asked about on standard input. `PROTOCOL.md` tells what it prints.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, Write};

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, CommonInformationEntry, DebugFrame, EhFrame, EndianSlice, Reader,
    RegisterRule, RunTimeEndian, UnwindContext, UnwindOffset, UnwindSection, Vendor,
};
use object::{Architecture, Object, ObjectSection};
use serde_json::{Value, json};

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// What is said. gimli tells expressions as places in the section; their contents are left out here.
const SAYS: [&str; 8] = [
    "cie-factors",
    "cie-version",
    "address-size",
    "cie-of-fde",
    "range",
    "rows",
    "rows-of-nops",
    "undefined-rules",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    // gimli does not tell its version.
    writeln!(out, "{}", json!({ "type": "reader", "protocol": 1, "version": "0.34", "says": SAYS }))?;
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
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let address_size = if file.is_64() { 8 } else { 4 };
    let vendor = if file.architecture() == Architecture::Aarch64 { Vendor::AArch64 } else { Vendor::Default };
    let address_of = |name| file.section_by_name(name).map_or(0, |section| section.address());
    for section in file.sections() {
        let name = section.name()?;
        if name != ".eh_frame" && name != ".debug_frame" {
            continue;
        }
        let contents = section.uncompressed_data()?;
        writeln!(out, "{}", json!({ "type": "section", "name": name, "index": section.index().0 }))?;
        let bases = BaseAddresses::default()
            .set_eh_frame(section.address())
            .set_text(address_of(".text"))
            .set_got(address_of(".got"));
        let walked = if name == ".eh_frame" {
            let mut frame = EhFrame::new(&contents, endian);
            frame.set_address_size(address_size);
            frame.set_vendor(vendor);
            walk(&frame, &bases, out)
        } else {
            let mut frame = DebugFrame::new(&contents, endian);
            frame.set_address_size(address_size);
            frame.set_vendor(vendor);
            walk(&frame, &bases, out)
        };
        if let Err(error) = walked {
            writeln!(out, "{}", json!({ "type": "failed", "why": error.to_string() }))?;
        }
    }
    Ok(())
}

fn walk<'a, S: UnwindSection<Slice<'a>>>(
    frame: &S,
    bases: &BaseAddresses,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut context = UnwindContext::new();
    let mut entries = frame.entries(bases);
    while let Some(entry) = entries.next()? {
        let line = match entry {
            CieOrFde::Cie(cie) => cie_line(&cie),
            CieOrFde::Fde(partial) => {
                let cie: usize = UnwindOffset::into(partial.cie_offset());
                let mut line = json!({
                    "type": "entry", "kind": "FDE", "offset": hex(partial.offset()), "length": hex(partial.entry_len()),
                    "cie": hex(cie),
                });
                let fde = partial.parse(UnwindSection::cie_from_offset);
                let rows = fde.as_ref().map_err(|error| *error).and_then(|fde| {
                    line["initial_location"] = hex(fde.initial_address());
                    line["address_range"] = hex(fde.len());
                    rows(fde.rows(frame, bases, &mut context)?)
                });
                match rows {
                    Ok(rows) => line["rows"] = rows,
                    Err(error) => {
                        let fault = json!({ "key": "fault.reported", "expected": error.to_string() });
                        line["faults"] = json!([fault]);
                    }
                }
                line
            }
        };
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn cie_line<R: Reader<Offset = usize>>(cie: &CommonInformationEntry<R>) -> Value {
    json!({
        "type": "entry", "kind": "CIE", "offset": hex(cie.offset()), "length": hex(cie.entry_len()),
        "version": cie.version(), "address_size": cie.address_size(),
        "code_alignment_factor": hex(cie.code_alignment_factor()),
        "data_alignment_factor": signed(cie.data_alignment_factor()),
        "return_address_register": hex(cie.return_address_register().0),
    })
}

fn rows<R: Reader<Offset = usize>>(mut table: gimli::UnwindTable<'_, '_, R>) -> gimli::Result<Value> {
    let mut rows = Vec::new();
    while let Some(row) = table.next_row()? {
        let cfa = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                json!({ "rule": "register_offset", "register": hex(register.0), "offset": signed(*offset) })
            }
            CfaRule::Expression(_) => json!({ "rule": "expression" }),
        };
        let rules: Vec<Value> =
            row.registers().filter_map(|(register, rule)| register_rule(register.0, rule)).collect();
        let (start, end) = (hex(row.start_address()), hex(row.end_address()));
        rows.push(json!({ "start": start, "end": end, "cfa": cfa, "rules": rules }));
    }
    Ok(rows.into())
}

/// A register's rule, unless it is one that is not said.
fn register_rule(register: u16, rule: &RegisterRule<usize>) -> Option<Value> {
    let mut line = match rule {
        RegisterRule::Undefined => json!({ "rule": "undefined" }),
        RegisterRule::SameValue => json!({ "rule": "same_value" }),
        RegisterRule::Offset(offset) => json!({ "rule": "offset", "offset": signed(*offset) }),
        RegisterRule::ValOffset(offset) => json!({ "rule": "val_offset", "offset": signed(*offset) }),
        RegisterRule::Register(source) => json!({ "rule": "register", "source": hex(source.0) }),
        RegisterRule::Expression(_) => json!({ "rule": "expression" }),
        RegisterRule::ValExpression(_) => json!({ "rule": "val_expression" }),
        _ => return None,
    };
    line["register"] = hex(register);
    Some(line)
}

fn hex(number: impl TryInto<u64>) -> Value {
    format!("{:#x}", number.try_into().unwrap_or_default()).into()
}

fn signed(number: i64) -> Value {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{:#x}", number.unsigned_abs()).into()
}
