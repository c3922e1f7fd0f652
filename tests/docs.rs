//! The lists and examples of the README against the code: what stands between `<!-- NAME -->` and `<!-- end -->` is
//! made here. `BLESS=1 cargo test --test docs` rewrites it.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::sync::LazyLock;

use cfidiff::campaign::Exit;
use cfidiff::corpus::{Cell, Matrix, Verdicts};
use cfidiff::faults;
use cfidiff::report::{SCHEMA, causes_markdown, matrix_markdown};
use cfidiff::triage::stacks::Shape;
use cfidiff_gen::suite::Suite;
use cfidiff_model::{FaultKind, Invariant, Key, Rung, Verdict, Wrong};
use cfidiff_oracles::{known, registry};
use serde_json::Value;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

const VERDICTS: [Verdict; 5] =
    [Verdict::Agree, Verdict::Differ, Verdict::Open, Verdict::KnownFault, Verdict::OracleFailed];

/// Every list by its name.
fn lists() -> Vec<(&'static str, String)> {
    vec![
        ("subcommands", subcommands()),
        ("verdicts", verdicts()),
        ("exit codes", exit_codes()),
        ("fields", fields()),
        ("readers", readers()),
        ("wrong", wrong()),
        ("rungs", rungs()),
        ("matrix", matrix_markdown(&MATRIX)),
        ("matrix causes", causes_markdown(&MATRIX)),
        ("finding keys", finding_keys()),
        ("invariants", invariants()),
        ("fault kinds", fault_kinds()),
        ("decision points", decision_points()),
        ("harness", harness()),
        ("planted faults", planted_faults()),
        ("shapes", shapes()),
    ]
}

fn table<const N: usize>(heads: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(N));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    text
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// What `cfidiff --help` lists.
fn subcommands() -> String {
    let help = run(&["--help"]);
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let mut rows: Vec<[String; 2]> = Vec::new();
    for line in lines {
        match line.trim().split_once("  ") {
            Some((name, about)) if line.starts_with("  ") && !line.starts_with("   ") => {
                rows.push([code(name), about.trim().to_owned()]);
            }
            _ => {
                let [_, about] = rows.last_mut().expect("a line that goes on follows another");
                let _ = write!(about, " {}", line.trim());
            }
        }
    }
    rows.retain(|[name, _]| name != "`help`");
    table(["subcommand", "what it does"], rows)
}

fn verdicts() -> String {
    let meaning = |verdict| match verdict {
        Verdict::Agree => "the reader says the same as ours",
        Verdict::Differ => {
            "it does not, and nothing explains it: somebody is wrong; the reason says who is suspect and by which clause"
        }
        Verdict::Open => {
            "it does not, and the specifications leave the reading open, or the record is ill-formed"
        }
        Verdict::KnownFault => "it does not, for a listed fault of that tool and version, with evidence",
        Verdict::OracleFailed => {
            "it crashed, ran out of time, printed nothing, or printed what cannot be parsed"
        }
    };
    table(["verdict", "meaning"], VERDICTS.map(|verdict| [code(verdict.name()), meaning(verdict).to_owned()]))
}

fn wrong() -> String {
    let meaning = |wrong| match wrong {
        Wrong::Reader => "the reader that the finding is of",
        Wrong::Ours => "cfidiff's own reader",
        Wrong::Both => "both, each in its own way",
        Wrong::Nobody => "nobody: the place is left to the reader",
        Wrong::Unknown => "one of them: independent readers are divided",
    };
    table(["`wrong`", "who it is"], Wrong::ALL.map(|wrong| [code(wrong.name()), meaning(wrong).to_owned()]))
}

fn rungs() -> String {
    let meaning = |rung| match rung {
        Rung::Construction => "the file was made, and its expected answer was written down with it",
        Rung::Clause => {
            "a clause of the specification, cited by our decision point or by a listed fault, and read otherwise by no independent reader"
        }
        Rung::Agreement => "independent readers that agree against ours; those that share code count as one",
        Rung::None => "none: the reader broke, or readers are divided",
    };
    table(
        ["`rung`", "by what it is told"],
        Rung::ALL.map(|rung| [code(rung.name()), meaning(rung).to_owned()]),
    )
}

fn shapes() -> String {
    table(["shape", "what it is"], Shape::ALL.map(|shape| [code(shape.name()), shape.meaning().to_owned()]))
}

#[test]
fn every_shape_suspects_decisions_that_exist() {
    let planted: Vec<&str> = faults::all().flat_map(|fault| fault.decision_points()).collect();
    for shape in Shape::ALL {
        for point in shape.decision_points() {
            assert!(planted.contains(point), "{}: {point}", shape.name());
        }
    }
}

/// What readers make of the suite, by the list that `tests/corpus.rs` holds against them, and that of old versions.
static MATRIX: LazyLock<Matrix> = LazyLock::new(|| {
    let list = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/oracles/readers.toml"));
    let mut verdicts = Verdicts::parse(&list.expect("the list is there")).expect("it parses");
    verdicts.join(Verdicts::parse(include_str!("../oracles/history/readers.toml")).expect("it parses"));
    // In the order of the reports, and the versions of a tool in theirs.
    let order = |name: &str| {
        let tool = registry::tool_of(name).or_else(|| registry::tool(name.rsplit_once('-')?.0));
        let tool = tool.map_or("", |tool| tool.name);
        let version = name.rsplit('-').next().and_then(|version| version.parse::<u32>().ok());
        (registry::TOOLS.iter().position(|each| each.name == tool), version)
    };
    let mut readers: Vec<String> = verdicts.taken_from.keys().cloned().collect();
    readers.sort_by_key(|name| order(name));
    let suite = Suite::build().expect("the suite can be built");
    let cases = suite.cases().iter().map(|case| case.name.as_str());
    Matrix::new(&verdicts, &readers, cases, &known::load().expect("the lists parse"))
});

#[test]
fn the_matrix_has_every_case_once_and_a_cause_for_each_that_is_not_passed() {
    let cases = Suite::build().expect("the suite can be built").cases().len() as u64;
    assert_eq!(MATRIX.all.cases, cases);
    for topic in MATRIX.topics.iter().chain([&MATRIX.all]) {
        for cell in &topic.cells {
            assert_eq!(
                cell.pass + cell.wrong + cell.rejected + cell.unsupported,
                topic.cases,
                "{}",
                topic.name
            );
        }
    }
    for (number, (reader, version)) in MATRIX.readers.iter().enumerate() {
        let caused: u64 = MATRIX.causes.iter().filter_map(|cause| cause.readers.get(reader)).sum();
        let Cell { pass, wrong, rejected, .. } = MATRIX.all.cells[number];
        assert!(pass > 0 && caused >= wrong + rejected, "{reader} {version}: {caused} causes");
    }
    for cause in &MATRIX.causes {
        assert!(!cause.reason.is_empty() && !cause.reason.contains('\n'), "{}: one line", cause.id);
    }
}

fn exit_codes() -> String {
    table(["code", "meaning"], Exit::ALL.map(|exit| [exit.code().to_string(), exit.meaning().to_owned()]))
}

/// The fields of each kind of line, from the schema that the reports are held against.
fn fields() -> String {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let mut rows = Vec::new();
    for alternative in schema["oneOf"].as_array().expect("a list") {
        let name = alternative["$ref"].as_str().expect("a reference").trim_start_matches("#/$defs/");
        let properties = schema["$defs"][name]["properties"].as_object().expect("an object");
        let fields: Vec<String> =
            properties.keys().filter(|field| *field != "type").map(|field| code(field)).collect();
        let about = schema["$defs"][name]["description"].as_str().expect("a description");
        rows.push([code(name), about.to_owned(), fields.join(", ")]);
    }
    table(["`type`", "what it is", "fields"], rows)
}

fn readers() -> String {
    let rows = registry::TOOLS.iter().map(|tool| {
        let name = code(&format!("{}{}", tool.name, if tool.versioned { "-VERSION" } else { "" }));
        let install = if tool.install.is_empty() { "built in".to_owned() } else { code(tool.install) };
        [name, tool.family.to_owned(), tool.how.to_owned(), install]
    });
    table(["reader", "family", "how it is asked", "how to get it"], rows)
}

fn finding_keys() -> String {
    table(["key", "decided by"], Key::ALL.iter().map(|key| [code(key.name()), key.clause().to_owned()]))
}

fn invariants() -> String {
    let rows = Invariant::ALL.iter().map(|key| {
        let severity = key.severity().name().to_owned();
        [severity, code(key.name()), key.must().to_owned(), key.clause().to_owned()]
    });
    table(["severity", "key", "what must hold", "clause"], rows)
}

fn fault_kinds() -> String {
    let names: Vec<String> = FaultKind::ALL.iter().map(|kind| code(kind.name())).collect();
    names.join(", ") + "\n"
}

/// The methods of the trait `Semantics`, each with the first sentence of its text.
fn decision_points() -> String {
    let source = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/cfi/semantics.rs"));
    let source = source.expect("the source is there");
    let body = source.lines().skip_while(|line| !line.starts_with("pub trait Semantics")).skip(1);
    let mut about = String::new();
    let mut rows = Vec::new();
    for line in body.take_while(|line| *line != "}") {
        if let Some(words) = line.trim().strip_prefix("/// ") {
            about += words;
            about.push(' ');
        } else if let Some(rest) = line.strip_prefix("    fn ") {
            let name = rest.split('(').next().unwrap_or_default();
            let sentence = about.split(". ").next().unwrap_or_default().trim().trim_end_matches('.');
            rows.push([code(name), sentence.to_owned()]);
            about.clear();
        }
    }
    assert!(rows.len() > 30, "the trait was found");
    table(["method", "question"], rows)
}

/// The example of a reader's tests, which runs as one of ours.
fn harness() -> String {
    let source = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/harness.rs"));
    format!("```rust\n{}```\n", source.expect("the source is there"))
}

/// The faults by the part of the format, with the decision point of each.
fn planted_faults() -> String {
    let rows = faults::all().map(|fault| {
        [code(fault.name), format!("it {}", fault.does), code(&fault.decision_points().join(", "))]
    });
    table(["fault", "what the reader does", "decision point"], rows)
}

fn run(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cfidiff"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts");
    String::from_utf8(output.stdout).expect("it is UTF-8")
}

#[test]
fn the_lists_are_those_of_the_code() {
    let old = fs::read_to_string(README).expect("the README is there");
    let mut new = old.clone();
    for (name, list) in lists() {
        let (begin, end) = (format!("<!-- {name} -->\n"), "<!-- end -->");
        let start =
            new.find(&begin).unwrap_or_else(|| panic!("the README has no list of {name}")) + begin.len();
        let length = new[start..].find(end).unwrap_or_else(|| panic!("the list of {name} has no end"));
        new.replace_range(start..start + length, &list);
    }
    if env::var_os("BLESS").is_some() {
        fs::write(README, new).expect("the README can be written");
    } else {
        assert_eq!(old, new, "BLESS=1 rewrites the lists");
    }
}

/// The replay writes its results itself, since it needs the old versions. What is known without them has to be that of
/// its table.
#[test]
fn the_history_is_that_of_its_table() {
    let source = include_str!("../oracles/history/pairs.toml");
    let source: toml::Table = source.parse().expect("it is TOML");
    let field = |entry: &toml::Value, name: &str| entry[name].as_str().expect("text").to_owned();
    let entries = |kind: &str| source[kind].as_array().expect("a list").clone();
    let pairs = entries("pair").into_iter().map(|pair| {
        let (bad, good) = (field(&pair, "bad"), field(&pair, "good"));
        (field(&pair, "id"), field(&pair, "reader"), format!("{bad} → {good}"), field(&pair, "what"))
    });
    let controls = entries("control").into_iter().map(|control| {
        let (old, new) = (field(&control, "old"), field(&control, "new"));
        let what = format!("no fault: {}", field(&control, "what"));
        (field(&control, "id"), field(&control, "reader"), format!("{old} → {new}"), what)
    });
    let readme = fs::read_to_string(README).expect("the README is there");
    let table = readme.split_once("<!-- history -->\n").expect("the README has the table").1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let verdict = cells[cells.len() - 1];
        assert_eq!(verdict, "ok", "{}", cells[0]);
        let id = cells[0].trim_start_matches('[').split(']').next().unwrap_or_default();
        (id.to_owned(), cells[1].to_owned(), cells[2].to_owned(), cells[3].to_owned())
    });
    assert_eq!(
        rows.collect::<Vec<_>>(),
        pairs.chain(controls).collect::<Vec<_>>(),
        "`run --readme` writes it"
    );
}

/// A console block `$ cfidiff ...` on the corpus holds lines of the real output in their order; `...` stands for
/// lines that are left out. An example with another version of a reader than the one that is here is skipped.
#[test]
fn the_examples_are_real() {
    let readme = fs::read_to_string(README).expect("the README is there");
    let blocks = readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut seen = 0;
    for block in blocks {
        let mut lines = block.lines();
        let Some(arguments) = lines.next().and_then(|line| line.strip_prefix("$ cfidiff ")) else { continue };
        if !arguments.contains("corpus/") {
            continue;
        }
        seen += 1;
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let real = run(&arguments);
        let tools: Vec<&str> = block.lines().filter(|line| line.starts_with("readelf ")).collect();
        let other = |line: &&str| {
            let start: Vec<&str> = line.split_whitespace().take(2).collect();
            !real.lines().any(|line| line.split_whitespace().take(2).collect::<Vec<_>>() == start)
        };
        if tools.iter().any(other) {
            println!("skipped: the example is of another version of readelf");
            continue;
        }
        let mut left = real.lines();
        for line in lines.filter(|line| *line != "...") {
            assert!(left.any(|real| real == line), "not in this order in the output: {line}\n{real}");
        }
    }
    assert!(seen > 0, "the README has examples");
}
