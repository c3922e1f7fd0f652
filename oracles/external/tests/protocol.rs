//! The tables of PROTOCOL.md against the code. `BLESS=1` rewrites those that are made here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use cfidiff_model::{Entry, FaultKind, Says};
use serde_json::{Value, json};

use super::super::lines::EntryLine;
use super::super::{LOOK_UPS, answer, capability_name, convert, json as line_of_json};
use crate::process::{TIME_OUT, TIME_PER_MIB};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/PROTOCOL.md");
const INSTRUCTIONS: &str = include_str!("../../../src/model/instruction.rs");

/// The types whose fields are listed; those whose needs follow from something else are not marked as optional.
const LISTED: [(&str, bool); 11] = [
    ("Hello", true),
    ("SectionLine", true),
    ("EntryLine", false),
    ("PointerLine", true),
    ("FaultLine", true),
    ("InstructionLine", false),
    ("OperationLine", true),
    ("RowLine", true),
    ("RuleLine", false),
    ("AtLine", true),
    ("WhyLine", true),
];

/// An entry with all the fields that its kind can have.
fn full(kind: &str) -> Value {
    let mut entry = json!({
        "kind": kind, "offset": "0x0", "length": "0x10", "format": "32", "augmentation_data": "00",
        "instructions": [], "rows": [],
    });
    let fields = match kind {
        "CIE" => json!({
            "version": 1, "augmentation": "zPLR", "address_size": 8, "segment_selector_size": 0,
            "code_alignment_factor": "0x1", "data_alignment_factor": "-0x8", "return_address_register": "0x10",
            "fde_encoding": "0x0", "lsda_encoding": "0x0", "personality_encoding": "0x0",
            "personality": { "address": "0x1", "indirect": false },
            "signal_frame": false, "b_key": false, "mte_tagged": false,
        }),
        _ => json!({
            "cie": "0x0", "cie_pointer": "0x0", "segment": "0x0", "initial_location": "0x1000", "indirect": false,
            "address_range": "0x10", "lsda": { "address": "0x1", "indirect": false },
        }),
    };
    for (field, value) in fields.as_object().expect("an object") {
        entry[field] = value.clone();
    }
    entry
}

/// Whether an entry is taken from a reader that says this, and if not why.
fn taken(entry: Value, says: Says) -> Result<Entry, String> {
    let refusal = |bad: line_of_json::BadField| format!("{}: {}", bad.path, bad.why);
    let line: EntryLine = line_of_json::parse(&entry.to_string()).map_err(refusal)?;
    let mut taken = Entry::default();
    convert::entry(line, says, &mut taken).map_err(refusal)?;
    Ok(taken)
}

/// The fields without which an entry is refused when a reader says this.
fn needed(says: Says) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    for kind in ["CIE", "FDE"] {
        let full = full(kind);
        taken(full.clone(), says).expect("with all fields it is taken");
        for field in full.as_object().expect("an object").keys() {
            let mut less = full.clone();
            less.as_object_mut().expect("an object").remove(field);
            if let Err(why) = taken(less.clone(), says) {
                assert!(why.contains(field.as_str()), "{why:?} does not name {field}");
                needed.insert(field.clone());
                less[field] = Value::Null;
                assert!(taken(less, says).is_err(), "null does for {field}");
            }
        }
    }
    needed
}

fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn between<'t>(text: &'t str, name: &str) -> &'t str {
    let rest =
        text.split_once(&format!("<!-- {name} -->\n")).unwrap_or_else(|| panic!("no list of {name}")).1;
    rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("the list of {name} has no end")).0
}

#[test]
fn the_capabilities_are_those_of_the_code() {
    let text = fs::read_to_string(PATH).expect("PROTOCOL.md is there");
    let always = needed(Says::empty());
    let mut known: BTreeSet<String> = always.clone();
    let mut listed = Vec::new();
    for row in between(&text, "capabilities").lines().skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let [name, _, needs, optional] = cells[..] else { panic!("{row}") };
        let name = name.trim().trim_matches('`');
        listed.push(name.to_owned());
        known.extend(names(needs).into_iter().chain(names(optional)));
        if name != LOOK_UPS {
            let says = answer::capability(name).unwrap_or_else(|| panic!("{name} is no capability"));
            let needed: BTreeSet<String> = needed(says).difference(&always).cloned().collect();
            assert_eq!(needed, names(needs), "{name}");
        }
    }
    let flags = Says::all().iter_names().map(|(flag, _)| capability_name(flag));
    assert_eq!(listed, flags.chain([LOOK_UPS.to_owned()]).collect::<Vec<_>>());
    let all: BTreeSet<String> = ["CIE", "FDE"]
        .iter()
        .flat_map(|kind| full(kind).as_object().expect("an object").keys().cloned().collect::<Vec<_>>())
        .collect();
    assert_eq!(known, all, "each field belongs to some capability");
    let schema: Value = serde_json::from_str(&super::schema()).expect("JSON");
    let mut described = properties(&schema, "EntryLine");
    described.retain(|field| !["type", "faults"].contains(&field.as_str()));
    assert_eq!(described, all);
}

/// A type of the schema, be it a kind of line or a part of one.
fn described<'s>(schema: &'s Value, name: &str) -> &'s Value {
    let kind = match name {
        "Hello" => "reader",
        "SectionLine" => "section",
        "EntryLine" => "entry",
        "AtLine" => "at",
        "WhyLine" => "failed",
        part => return &schema["$defs"][part],
    };
    let lines = schema["oneOf"].as_array().expect("a list");
    lines.iter().find(|line| line["properties"]["type"]["const"] == kind).expect("a line of this kind")
}

fn properties(schema: &Value, name: &str) -> BTreeSet<String> {
    described(schema, name)["properties"].as_object().expect("an object").keys().cloned().collect()
}

/// What a field's value looks like, in words.
fn value_of(field: &Value) -> String {
    let text = field.to_string();
    let is = |kind: &str| field["type"] == kind || field["type"][0] == kind;
    match field["pattern"].as_str() {
        Some(pattern) if pattern.starts_with("^0x") => "number".to_owned(),
        Some(pattern) if pattern.starts_with("^-?0x") => "signed number".to_owned(),
        Some(_) => "bytes".to_owned(),
        None if is("array") && field["items"]["$ref"].is_string() => "list of objects".to_owned(),
        None if is("array") => format!("list: {}", value_of(&field["items"])),
        None if is("integer") => "JSON number".to_owned(),
        None if is("boolean") => "`true` or `false`".to_owned(),
        None if is("string") => "string".to_owned(),
        None if text.contains("$ref") => "object".to_owned(),
        None => panic!("no words for {text}"),
    }
}

fn fields(schema: &Value, name: &str, marks_optional: bool) -> String {
    let of = described(schema, name);
    let needed = of["required"].as_array().cloned().unwrap_or_default();
    let mut text = "| field | value | meaning |\n|---|---|---|\n".to_owned();
    for (field, about) in of["properties"].as_object().expect("an object") {
        if field == "type" {
            continue;
        }
        let optional = if marks_optional && !needed.contains(&json!(field)) { ", optional" } else { "" };
        let about_words =
            about["description"].as_str().expect("a description").replace('|', "\\|").replace('\n', " ");
        let _ = writeln!(text, "| `{field}` | {}{optional} | {about_words} |", value_of(about));
    }
    text
}

/// The names that the model has for instructions.
fn instruction_names() -> Vec<&'static str> {
    let body = INSTRUCTIONS.split_once("pub fn name").expect("it names instructions").1;
    let body = body.split_once("\n    }").expect("it ends").0;
    body.lines().filter_map(|line| line.split_once("=> \"")?.1.split('"').next()).collect()
}

/// The instructions by what they need.
fn instructions() -> String {
    let all = json!({
        "location": "0x1", "delta": "0x1", "register": "0x1", "source": "0x1", "offset": "0x1", "size": "0x1",
        "address_space": "0x1", "opcode": "0x1", "expression": [],
    });
    let taken = |instruction: &Value| {
        let mut entry = full("CIE");
        entry["instructions"] = json!([instruction]);
        taken(entry, Says::INSTRUCTIONS)
    };
    let order = [
        "register",
        "source",
        "offset",
        "address_space",
        "location",
        "delta",
        "size",
        "opcode",
        "expression",
    ];
    let mut by_operands: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for op in instruction_names() {
        let mut full = all.clone();
        full["op"] = json!(op);
        let read = taken(&full).unwrap_or_else(|why| panic!("{op}: {why}"));
        assert_eq!(read.instructions[0].name(), op);
        let is_needed = |field: &&&str| {
            let mut less = full.clone();
            less.as_object_mut().expect("an object").remove(**field);
            taken(&less).is_err()
        };
        let operands: Vec<String> =
            order.iter().filter(is_needed).map(|field| format!("`{field}`")).collect();
        by_operands.entry(operands.join(", ")).or_default().push(op);
    }
    assert!(by_operands.values().flatten().count() > 30, "the names were found");
    let mut text = "| needs | `op` |\n|---|---|\n".to_owned();
    for (operands, mut ops) in by_operands {
        ops.sort();
        let operands = if operands.is_empty() { "nothing" } else { &operands };
        let _ = writeln!(text, "| {operands} | `{}` |", ops.join("`, `"));
    }
    text
}

#[test]
fn the_lists_are_those_of_the_code() {
    let schema: Value = serde_json::from_str(&super::schema()).expect("JSON");
    let kinds: Vec<String> = FaultKind::ALL.iter().map(|kind| format!("`{}`", kind.name())).collect();
    let mut lists = vec![("fault kinds".to_owned(), kinds.join(", ") + "\n")];
    lists.push(("instructions".to_owned(), instructions()));
    lists.extend(LISTED.map(|(name, optional)| (format!("fields {name}"), fields(&schema, name, optional))));
    let old = fs::read_to_string(PATH).expect("PROTOCOL.md is there");
    let mut new = old.clone();
    for (name, list) in lists {
        let there = between(&old, &name);
        let (begin, end) = (format!("<!-- {name} -->\n"), "<!-- end -->");
        new = new.replacen(&format!("{begin}{there}{end}"), &format!("{begin}{list}{end}"), 1);
    }
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        fs::write(PATH, new).expect("PROTOCOL.md can be written");
    } else {
        assert!(old == new, "BLESS=1 rewrites the lists of {PATH}");
    }
}

/// The numbers and examples that PROTOCOL.md tells.
#[test]
fn the_limits_are_those_of_the_code() {
    let text = fs::read_to_string(PATH).expect("PROTOCOL.md is there");
    let (seconds, more) = (TIME_OUT.as_secs(), TIME_PER_MIB.as_secs());
    let (output, line) = (super::super::OUTPUT_LIMIT, crate::lines::LONGEST);
    for words in [
        format!("{seconds} seconds for a file"),
        format!("and {more} more for each MiB"),
        format!("print {} GiB", output >> 30),
        format!("lines of {} MiB", line >> 20),
        format!("printed more than {output} bytes"),
        format!("a line of more than {line} bytes"),
        format!("the last {}\ncharacters", super::super::WORDS),
        format!("This is protocol {}.", super::super::PROTOCOL),
    ] {
        assert!(text.contains(&words), "PROTOCOL.md does not say {words:?}");
    }
}
