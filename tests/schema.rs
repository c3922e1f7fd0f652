//! The schema of the JSON Lines report against real reports: every line fits, no line has a field that the schema
//! does not know, and the schema knows no field that no line has.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use cfidiff::campaign::Exit;
use cfidiff::report::SCHEMA;
use cfidiff_model::{Invariant, Key, Rung, Severity, Verdict, Worth, Wrong};
use serde_json::Value;

/// A run over the corpus, with whatever else brings every kind of line about.
fn lines(arguments: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_cfidiff"))
        .args(arguments)
        .args(["--format", "jsonl"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", if arguments.contains(&"no-such-file") { "no-such-folder".into() } else { path() })
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("the report is UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Validates by the part of JSON Schema that the schema uses. Anything else in it is an error, so that no rule is
/// passed over.
struct Validator<'s> {
    root: &'s Value,
    /// The properties that some line had.
    seen: BTreeSet<String>,
}

impl<'s> Validator<'s> {
    fn check(&mut self, schema: &'s Value, value: &Value, at: &str) -> Result<(), String> {
        for (word, rule) in schema.as_object().ok_or("a schema is an object")? {
            let holds = match word.as_str() {
                "$schema" | "$defs" | "title" | "description" | "properties" => true,
                "$ref" => {
                    let target = rule.as_str().and_then(|name| self.root.pointer(name.strip_prefix('#')?));
                    return self.check(target.ok_or("a reference leads nowhere")?, value, at);
                }
                "oneOf" => return self.one_of(rule, value, at),
                "type" => match rule.as_str() {
                    Some("object") => value.is_object(),
                    Some("array") => value.is_array(),
                    Some("string") => value.is_string(),
                    Some("integer") => value.is_u64(),
                    Some("number") => value.is_number(),
                    _ => return Err(format!("the validator knows no type {rule}")),
                },
                "const" => value == rule,
                "enum" => rule.as_array().is_some_and(|values| values.contains(value)),
                "minimum" => value.as_f64() >= rule.as_f64(),
                "pattern" => {
                    assert_eq!(rule, "^0x[0-9a-f]+$", "the validator knows this pattern only");
                    let digits = value.as_str().and_then(|text| text.strip_prefix("0x")).unwrap_or_default();
                    !digits.is_empty() && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
                }
                "items" => {
                    for item in value.as_array().into_iter().flatten() {
                        self.check(rule, item, at)?;
                    }
                    true
                }
                "required" => rule
                    .as_array()
                    .into_iter()
                    .flatten()
                    .all(|name| !value[name.as_str().unwrap_or("")].is_null()),
                "additionalProperties" => {
                    assert_eq!(rule, false);
                    self.properties(&schema["properties"], value, at)?
                }
                _ => return Err(format!("the validator knows no {word}")),
            };
            if !holds {
                return Err(format!("{at}: {value} breaks {word}: {rule}"));
            }
        }
        Ok(())
    }

    fn properties(&mut self, properties: &'s Value, value: &Value, at: &str) -> Result<bool, String> {
        for (name, value) in value.as_object().into_iter().flatten() {
            let place = format!("{at}/{name}");
            let schema = properties.get(name).ok_or_else(|| format!("{place}: no such property"))?;
            self.check(schema, value, &place)?;
            self.seen.insert(place);
        }
        Ok(true)
    }

    fn one_of(&mut self, alternatives: &'s Value, value: &Value, at: &str) -> Result<(), String> {
        let name = value["type"].as_str().ok_or("a line has no type")?;
        let wanted = format!("#/$defs/{name}");
        let fits = alternatives.as_array().into_iter().flatten().find(|schema| schema["$ref"] == wanted);
        self.check(fits.ok_or_else(|| format!("no lines are of type {name}"))?, value, &format!("{at}{name}"))
    }
}

/// Every place that the schema has a property for.
fn places(root: &Value, schema: &Value, at: &str, all: &mut BTreeSet<String>) {
    if let Some(target) = schema["$ref"].as_str() {
        let name = target.trim_start_matches("#/$defs/");
        let at = if at.is_empty() { name } else { at };
        places(root, &root["$defs"][name], at, all);
    }
    for alternative in schema["oneOf"].as_array().into_iter().flatten() {
        places(root, alternative, at, all);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{at}/{name}");
        places(root, property, &place, all);
        all.insert(place);
    }
    if schema["items"].is_object() {
        places(root, &schema["items"], at, all);
    }
}

/// An ELF file whose header leads to no section header table.
fn without_section_headers() -> Vec<u8> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/cases/header/hdr-good");
    let mut bytes = std::fs::read(file).expect("the case");
    // e_shoff of the 64-bit ELF header (ELF gABI, ELF Header).
    bytes[40..48].copy_from_slice(&0x10_0000u64.to_le_bytes());
    bytes
}

/// A reader that is ours but for what the script of sed makes of its lines.
fn altered(script: &str) -> String {
    let words = format!("{} reader \"$1\" | sed '{script}'", env!("CARGO_BIN_EXE_cfidiff"));
    let words = shlex::try_quote(&words).expect("no zero byte").into_owned();
    format!("altered-{}=sh -c {words} sh {{file}}", script.len())
}

#[test]
fn reports_fit_the_schema_and_fill_it() {
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/cases").is_dir(), "the corpus is there");
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let mut validator = Validator { root: &schema, seen: BTreeSet::new() };
    let damaged = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(damaged.path(), without_section_headers()).expect("a file");
    let damaged = damaged.path().to_str().expect("a name");
    let list = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(
        list.path(),
        "[[expect]]\nkey = '*'\nreader = 'gimli'\ncase = 'header/hdr-good'\nreason = 'none'\n",
    )
    .expect("a file");
    let list = list.path().to_str().expect("a name");
    // Two readers suffice to fill a report.
    let check = ["check", "corpus/cases", "--reader", "gimli", "--reader", "readelf"];
    let expecting = [&check[..], &["--expect", list]].concat();
    let without_readers = ["check", "corpus/cases", "no-such-file", damaged, "--max-findings", "0"];
    // Two readers that are ours but for a number: one as a known mistake has it, one as none.
    let by_mistake = altered(r#"s/\("0x1013","end":"0x1050","cfa":{[^}]*"offset":\)"0x10"/\1"0x20"/"#);
    let by_none = altered(r#"s/"address_range":"0x20"/"address_range":"0x23"/"#);
    let triage = [
        "triage",
        "--reader",
        "gimli",
        "--reader-cmd",
        &by_mistake,
        "--reader-cmd",
        &by_none,
        "corpus/cases/state/op-rs-cfa",
        // gimli gives up here.
        "corpus/cases/augmentation/aug-L-noz",
    ];
    // More files with differences than the triage behind a check looks at.
    let many = ["check", "--reader", "gimli", "--reader-cmd", &by_none, "corpus/cases/encoding"];
    let invariants = ["invariants", "--severity", "info", "corpus/cases", damaged];
    for (arguments, last) in [
        (&expecting[..], "summary"),
        (&without_readers, "summary"),
        (&triage, "triage"),
        (&many, "summary"),
        (&invariants, "survey"),
    ] {
        let lines = lines(arguments);
        assert_eq!(lines.last().map(|line| &line["type"]), Some(&Value::from(last)));
        for line in &lines {
            if let Err(error) = validator.check(&schema, line, "") {
                panic!("{error}\nin {line}");
            }
        }
    }
    let mut known = BTreeSet::new();
    places(&schema, &schema, "", &mut known);
    assert_eq!(validator.seen, known, "the schema has what no report has");
}

#[test]
fn a_line_with_more_or_less_does_not_fit() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let line = serde_json::json!({"type": "unreadable", "file": "a", "why": "b"});
    let fits =
        |line: &Value| Validator { root: &schema, seen: BTreeSet::new() }.check(&schema, line, "").is_ok();
    assert!(fits(&line));
    let (mut more, mut less) = (line.clone(), line);
    more["extra"] = "c".into();
    less["why"].take();
    assert!(!fits(&more) && !fits(&less));
}

#[test]
fn every_object_is_closed_and_requires_all() {
    fn walk(value: &Value) {
        if let Some(properties) = value["properties"].as_object() {
            assert_eq!(value["additionalProperties"], false, "{value}");
            let required: BTreeSet<&str> =
                value["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            assert_eq!(required, properties.keys().map(String::as_str).collect(), "{value}");
        }
        match value {
            Value::Object(map) => map.values().for_each(walk),
            Value::Array(list) => list.iter().for_each(walk),
            _ => {}
        }
    }
    walk(&serde_json::from_str(SCHEMA).expect("the schema is JSON"));
}

#[test]
fn the_lists_of_the_schema_are_those_of_the_code() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let list = |name: &str| schema["$defs"][name]["enum"].as_array().cloned().unwrap_or_default();
    let keys: Vec<Value> = Key::ALL.iter().map(|key| key.name().into()).collect();
    assert_eq!(list("key"), keys);
    let invariants: Vec<Value> = Invariant::ALL.iter().map(|key| key.name().into()).collect();
    assert_eq!(list("invariant_key"), invariants);
    assert_eq!(list("severity"), Severity::ALL.map(|severity| Value::from(severity.name())));
    // Records that agree are counted and are no findings.
    let verdicts = [Verdict::Differ, Verdict::Open, Verdict::KnownFault, Verdict::OracleFailed];
    assert_eq!(list("verdict"), verdicts.map(|verdict| Value::from(verdict.name())));
    assert_eq!(list("wrong"), Wrong::ALL.map(|wrong| Value::from(wrong.name())));
    assert_eq!(list("rung"), Rung::ALL.map(|rung| Value::from(rung.name())));
    assert_eq!(list("worth"), Worth::ALL.map(|worth| Value::from(worth.name())));
    let exits: Vec<Value> = Exit::ALL.iter().map(|exit| exit.code().into()).collect();
    assert_eq!(schema["$defs"]["summary"]["properties"]["exit"]["enum"], Value::from(exits));
}
