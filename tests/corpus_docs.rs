//! The lists of the suite's README against the suite. Lists of names alone and examples are made here, and
//! `BLESS=1 cargo test --test corpus_docs` rewrites them; a table with meanings has to name what the answers have.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::sync::LazyLock;

use cfidiff_gen::suite::{Case, Suite};
use cfidiff_model::FaultKind;
use serde_json::Value;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/README.md");

/// What the topics are about.
const TOPICS: [(&str, &str); 23] = [
    ("augmentation", "augmentation strings and their data"),
    ("cie-pointer", "from FDE to CIE: forwards, backwards, into nothing"),
    ("damage", "named corruptions, one each, between sound records"),
    (
        "encoding",
        "encoded pointers (DW_EH_PE) of initial locations and set_loc: formats, applications, the range",
    ),
    ("expression", "DWARF expressions in instructions"),
    ("factor", "code and data alignment factors: 0, 4, positive, larger than 32 bits"),
    ("format", "32-bit and 64-bit format, byte orders, address sizes, CIE versions"),
    ("header", "`.eh_frame_hdr`: encodings, right and wrong tables"),
    ("instruction", "one opcode or operand each, defined and undefined ones"),
    ("linked", "linked files as linkers write them"),
    ("lsda", "encoded pointers to language-specific data, null ones included"),
    ("machine", "machines and what is special about them"),
    ("number", "LEB128: longer than needed, longer than 64 bits; offsets of more than 32 bits"),
    ("personality", "encoded pointers to personality routines, null ones included"),
    ("record", "lengths, padding, overlap"),
    ("reference", "bytes that documents print, with the reading that they give"),
    ("register", "return address registers and register operands with large numbers"),
    ("relocatable", "relocatable files: relocations, compression"),
    ("row", "where rows start and end, and what they start from"),
    ("section", "two sections, section types, no section headers"),
    ("state", "what remember, restore and a missing CFA rule do to the rows"),
    ("terminator", "zero words at the end, in the middle, nowhere; bytes behind the last record"),
    ("version", "CIE versions in both sections, address and segment selector sizes"),
];

static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::build().unwrap_or_else(|error| panic!("{error}")));

/// The lines of all answers.
static LINES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let texts = SUITE.cases().iter().map(Case::json_lines);
    let parse = |text: String| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
    };
    texts.flat_map(parse).collect()
});

fn topics() -> String {
    let names: BTreeSet<&str> =
        SUITE.cases().iter().map(|case| case.name.split('/').next().unwrap_or_default()).collect();
    let mut text = "| topic | what is there |\n|---|---|\n".to_owned();
    for name in names {
        let about = TOPICS.iter().find(|(topic, _)| *topic == name);
        let (_, about) = about.unwrap_or_else(|| panic!("topic {name} needs words here"));
        let _ = writeln!(text, "| `{name}` | {about} |");
    }
    text
}

/// The instructions by their operands, as the answers have them.
fn instructions() -> String {
    let mut operands: BTreeMap<&str, String> = BTreeMap::new();
    for entry in LINES.iter().filter(|line| line["type"] == "entry") {
        for instruction in entry["instructions"].as_array().into_iter().flatten() {
            let fields = instruction.as_object().expect("an instruction is an object");
            let names: Vec<String> =
                fields.keys().filter(|name| *name != "op").map(|name| format!("`{name}`")).collect();
            operands.insert(instruction["op"].as_str().expect("it has a name"), names.join(", "));
        }
    }
    let mut by_operands: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (op, operands) in &operands {
        by_operands.entry(operands).or_default().push(format!("`{op}`"));
    }
    let mut text = "| operands | `op` |\n|---|---|\n".to_owned();
    for (operands, ops) in by_operands {
        let operands = if operands.is_empty() { "none" } else { operands };
        let _ = writeln!(text, "| {operands} | {} |", ops.join(", "));
    }
    text
}

fn faults() -> String {
    let used: BTreeSet<&str> = LINES
        .iter()
        .flat_map(|line| line["faults"].as_array().into_iter().flatten())
        .map(|fault| fault["key"].as_str().expect("a fault has a key"))
        .collect();
    let keys = FaultKind::ALL.iter().map(|kind| kind.name()).filter(|key| used.contains(key));
    let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
    format!("{}\n", keys.join(", "))
}

/// The text between two markers of the README, and what stands in the first of them behind the name.
fn between<'t>(text: &'t str, name: &str) -> (&'t str, &'t str) {
    let start = format!("<!-- {name}");
    let rest = text.split(&start).nth(1).unwrap_or_else(|| panic!("the README has no {name}"));
    let (rest, _) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("{name} has no end"));
    rest.split_once("-->\n").unwrap_or_else(|| panic!("the marker of {name} has no end"))
}

#[test]
fn lists_and_examples_are_those_of_the_suite() {
    let old = fs::read_to_string(README).expect("the README is there");
    let mut new = old.clone();
    let example = |arguments: &str| {
        let (name, count) = arguments.trim().split_once(' ').expect("a case and a number of lines");
        let case = SUITE.cases().iter().find(|case| case.name == name);
        let text = case.unwrap_or_else(|| panic!("no case {name}")).json_lines();
        let lines: Vec<&str> = text.lines().take(count.parse().expect("a number")).collect();
        format!("```json\n{}\n```\n", lines.join("\n"))
    };
    let lists = [("topics", topics()), ("instructions", instructions()), ("faults", faults())];
    let examples = [("example", example(between(&old, "example").0))];
    for (name, wanted) in lists.into_iter().chain(examples) {
        let (arguments, there) = between(&old, name);
        let marker = format!("<!-- {name}{arguments}-->\n");
        new = new.replace(&format!("{marker}{there}<!-- end -->"), &format!("{marker}{wanted}<!-- end -->"));
    }
    if env::var_os("BLESS").is_some() {
        fs::write(README, new).expect("the README can be written");
    } else {
        assert_eq!(old, new, "BLESS=1 rewrites the lists");
    }
}

/// The names that the first column of a table has, several in one cell included.
fn named(readme: &str, table: &str) -> BTreeSet<String> {
    let (_, rows) = between(readme, table);
    let first = rows.lines().skip(2).filter_map(|row| row.split('|').nth(1));
    first.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn tables_name_every_field_of_the_answers() {
    let of_type = |wanted: &'static str| LINES.iter().filter(move |line| line["type"] == wanted);
    let fields = |objects: &mut dyn Iterator<Item = &Value>| {
        let names = objects.flat_map(|object| object.as_object().expect("an object").keys().cloned());
        names.filter(|name| name != "type").collect::<BTreeSet<String>>()
    };
    let list = |value: &'_ Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    let rows: Vec<Value> = of_type("entry").flat_map(|entry| list(entry, "rows")).collect();
    let rules = |rules: &mut dyn Iterator<Item = Value>| {
        rules.map(|rule| rule["rule"].as_str().expect("a name").to_owned()).collect::<BTreeSet<String>>()
    };
    let readme = fs::read_to_string(README).expect("the README is there");
    let expected = [
        ("case fields", fields(&mut of_type("case"))),
        ("section fields", fields(&mut of_type("section"))),
        ("entry fields", fields(&mut of_type("entry"))),
        ("frame fields", fields(&mut of_type("frame"))),
        ("header fields", fields(&mut of_type("header"))),
        ("CFA rules", rules(&mut rows.iter().map(|row| row["cfa"].clone()))),
        ("register rules", rules(&mut rows.iter().flat_map(|row| list(row, "rules")))),
    ];
    for (table, names) in expected {
        assert_eq!(named(&readme, table), names, "{table}");
    }
}
