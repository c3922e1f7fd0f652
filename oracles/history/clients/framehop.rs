//! framehop as a reader for cfidiff: the CFA and the return address at single addresses, on x86-64.
//! `../../PROTOCOL.md` tells what is printed.
//!
//! framehop unwinds and tells no rules, so the rules are found out: it is given registers that are far apart, and a
//! stack each of whose words tells its own address.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, Write};

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, MayAllocateDuringUnwind, Module, Unwinder};
use object::{Architecture, Object, ObjectSection};
use serde_json::{Value, json};

const RSP: u64 = 0x10_0000_0000;
const RBP: u64 = 0x20_0000_0000;
/// How far from a register's value its multiples are looked for.
const NEAR: u64 = 1 << 32;
/// A word of the stack is its address with these bits changed.
const MARK: u64 = 0x0055_0000_0000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    // The package that is made of this has the version of its framehop.
    let version = env!("CARGO_PKG_VERSION");
    writeln!(
        out,
        "{}",
        json!({ "type": "reader", "protocol": 1, "version": version, "says": ["look-ups"] })
    )?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        if let Err(error) = answer(&request, &mut out) {
            writeln!(out, "{}", json!({ "type": "failed", "why": error.to_string() }))?;
        }
        writeln!(out, "{}", json!({ "type": "end" }))?;
        out.flush()?;
    }
    Ok(())
}

fn answer(request: &Value, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let data = fs::read(request["file"].as_str().unwrap_or_default())?;
    let file = object::File::parse(&*data)?;
    if file.architecture() != Architecture::X86_64
        || !file.is_64()
        || file.section_by_name(".eh_frame").is_none()
    {
        writeln!(out, "{}", json!({ "type": "unsupported", "why": "no .eh_frame for x86-64" }))?;
        return Ok(());
    }
    let range = |name: &str| {
        file.section_by_name(name).map(|section| section.address()..section.address() + section.size())
    };
    let contents = |name: &str| {
        file.section_by_name(name).and_then(|section| Some(section.uncompressed_data().ok()?.into_owned()))
    };
    let sections = ExplicitModuleSectionInfo {
        base_svma: 0,
        text_svma: range(".text"),
        text: contents(".text"),
        got_svma: range(".got"),
        eh_frame_svma: range(".eh_frame"),
        eh_frame: contents(".eh_frame"),
        eh_frame_hdr_svma: range(".eh_frame_hdr"),
        eh_frame_hdr: contents(".eh_frame_hdr"),
        ..Default::default()
    };
    let mut unwinder = UnwinderX86_64::<Vec<u8>, MayAllocateDuringUnwind>::new();
    unwinder.add_module(Module::new("case".to_owned(), 0..u64::from(u32::MAX), 0, sections));
    // Rules are kept by address and module, so each file has a cache of its own.
    let mut cache = CacheX86_64::default();
    for address in request["addresses"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let number = u64::from_str_radix(address.trim_start_matches("0x"), 16)?;
        let mut registers = UnwindRegsX86_64::new(number, RSP, RBP);
        let at = FrameAddress::from_instruction_pointer(number);
        let line = match unwinder.unwind_frame(at, &mut registers, &mut cache, &mut |word| Ok(word ^ MARK)) {
            // An error falls back to guesses, which are no answer.
            Err(_) => json!({ "type": "at", "address": address, "cfa": null, "return_address": null }),
            // It stops here, and tells no CFA.
            Ok(None) => {
                json!({ "type": "at", "address": address, "cfa": null, "return_address": { "rule": "undefined" } })
            }
            Ok(Some(caller)) => {
                let cfa = registers.sp();
                let near = |value: u64| cfa.wrapping_sub(value).wrapping_add(NEAR) < 2 * NEAR;
                let (register, base) = if near(RBP) { ("0x6", RBP) } else { ("0x7", RSP) };
                json!({
                    "type": "at", "address": address,
                    "cfa": { "rule": "register_offset", "register": register, "offset": signed(cfa.wrapping_sub(base)) },
                    "return_address": { "rule": "offset", "offset": signed((caller ^ MARK).wrapping_sub(cfa)) },
                })
            }
        };
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn signed(number: u64) -> Value {
    let number = number.cast_signed();
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{:#x}", number.unsigned_abs()).into()
}
