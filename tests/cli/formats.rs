//! The reports for other programs: SARIF, JUnit, annotations, one JSON document. All say what the text says, whatever
//! the names of files hold.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

use quick_junit::{NonSuccessKind, TestCaseStatus};
use serde_json::Value;

use crate::support::{Folder, Run, cfidiff, forget_times, linked, without_cfi};

const CFIDIFF: &str = env!("CARGO_BIN_EXE_cfidiff");

/// A folder of equal files with names that no form of report can write as they are, and readers of the user's.
struct Inputs {
    folder: Folder,
    names: Vec<OsString>,
}

impl Inputs {
    fn new() -> Inputs {
        let folder = Folder::new();
        let names = [
            &b"100%,a:b.so"[..],
            b"<&\"quotes\"'>[x](1){0}.so",
            b"line\nbreak\r::error::no.so",
            b"not-utf-8-\xff\xfe.so",
            b"plain.so",
        ];
        let names: Vec<OsString> = names.map(|name| OsString::from_vec(name.to_vec())).into();
        for name in &names {
            std::fs::write(folder.path().join(name), linked()).expect("a file is written");
        }
        folder.script("wrong", &format!("{CFIDIFF} reader \"$1\" | sed 's/\"-0x8\"/\"-0x18\"/g'"));
        // It tells who it is, and breaks on the files.
        let broken = format!(
            "case \"$1\" in *.so) echo 'no: protocol, 100%';; *) exec {CFIDIFF} reader \"$1\";; esac"
        );
        folder.script("broken", &broken);
        folder.file("bare", &without_cfi());
        Inputs { folder, names }
    }

    /// Checks files with the reader that is wrong, the one that breaks, gimli, and one that is not there.
    fn check(&self, options: &[&str]) -> Run {
        self.run(&["wrong", "broken", "missing"], options)
    }

    fn run(&self, readers: &[&str], options: &[&str]) -> Run {
        let mut command = cfidiff();
        // How far a triage gets depends on its time.
        command.current_dir(self.folder.path()).args(["check", "--no-triage", "--reader", "gimli"]);
        for reader in readers {
            command.arg("--reader-cmd").arg(format!("{reader}=./{reader} {{file}}"));
        }
        command.args(options).args(&self.names).args(["bare", "no-such"]);
        command.output().expect("the program starts").into()
    }
}

/// How many findings of each verdict and key a run has, by its JSON Lines.
fn by_key(lines: &[Value]) -> BTreeMap<(String, String), u64> {
    let mut counts = BTreeMap::new();
    for line in lines {
        let count = match line["type"].as_str() {
            Some("finding") => 1,
            Some("unlisted") => line["count"].as_u64().expect("a number"),
            _ => continue,
        };
        let text = |field: &str| line[field].as_str().expect("a text").to_owned();
        *counts.entry((text("verdict"), text("key"))).or_default() += count;
    }
    counts
}

fn sarif(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect("SARIF is JSON")
}

/// The same counts as [`by_key`], by the results of SARIF.
fn by_rule(document: &Value) -> BTreeMap<(String, String), u64> {
    let mut counts = BTreeMap::new();
    for result in document["runs"][0]["results"].as_array().expect("results") {
        let verdict = result["properties"]["verdict"].as_str().expect("a verdict");
        let key = result["ruleId"].as_str().expect("a rule");
        let count = result["occurrenceCount"].as_u64().expect("a number");
        *counts.entry((verdict.to_owned(), key.to_owned())).or_default() += count;
    }
    counts
}

/// An annotation as GitHub reads it: its level, its properties, its message.
struct Annotation {
    level: String,
    properties: BTreeMap<String, String>,
    message: String,
}

fn unescape(words: &str) -> String {
    let words = words.replace("%0A", "\n").replace("%0D", "\r").replace("%3A", ":").replace("%2C", ",");
    words.replace("%25", "%")
}

fn annotations(run: &Run) -> Vec<Annotation> {
    let commands = run.stdout.lines().filter_map(|line| line.strip_prefix("::"));
    commands
        .map(|command| {
            let (head, message) = command.split_once("::").expect("a message");
            let (level, properties) = head.split_once(' ').expect("properties");
            let properties = properties.split(',').map(|property| {
                let (name, value) = property.split_once('=').expect("a value");
                (name.to_owned(), unescape(value))
            });
            Annotation {
                level: level.to_owned(),
                properties: properties.collect(),
                message: unescape(message),
            }
        })
        .collect()
}

fn first_number(words: &str) -> u64 {
    words.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{words}"))
}

fn junit(run: &Run) -> quick_junit::Report {
    quick_junit::Report::deserialize_from_str(&run.stdout).expect("JUnit")
}

#[test]
fn all_forms_have_the_numbers_of_the_text() {
    let inputs = Inputs::new();
    for options in [&[][..], &["--max-findings", "1"], &["--max-findings", "0"]] {
        let form = |name| inputs.check(&[&["--format", name], options].concat());
        let lines = form("jsonl");
        let without_times = |mut value: Value| {
            forget_times(&mut value);
            value
        };
        let summary = without_times(lines.exits(1).summary());
        let unexplained = summary["unexplained"].as_u64().expect("a number");
        assert!(unexplained >= 10, "{summary}");
        form("text").exits(1).says(&format!("\n{unexplained} unexplained differences; "));

        let document: Value = serde_json::from_str(&form("json").exits(1).stdout).expect("one document");
        assert_eq!(without_times(document), without_times(Value::from(lines.json())));

        let sarif = without_times(sarif(form("sarif").exits(1)));
        assert_eq!(by_rule(&sarif), by_key(&lines.json()), "{options:?}");
        assert_eq!(sarif["runs"][0]["properties"]["summary"]["unexplained"], unexplained);
        assert_eq!(sarif["runs"][0]["properties"]["summary"]["readers"], summary["readers"]);

        let github = annotations(form("github").exits(1));
        let differ = github.iter().filter(|annotation| annotation.properties["title"].starts_with("differ "));
        assert_eq!(differ.map(|annotation| first_number(&annotation.message)).sum::<u64>(), unexplained);

        let junit = junit(form("junit").exits(1));
        let told: u64 = junit
            .test_suites
            .iter()
            .flat_map(|suite| &suite.test_cases)
            .filter_map(|case| match &case.status {
                TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, message, .. } => message.as_ref(),
                _ => None,
            })
            .map(|message| first_number(message.as_str()))
            .sum();
        assert_eq!(told, unexplained);
    }
}

#[test]
fn findings_that_look_alike_are_one_result_with_a_count() {
    let inputs = Inputs::new();
    let document = sarif(&inputs.check(&["--format", "sarif"]));
    let results = document["runs"][0]["results"].as_array().expect("results");
    let rows: Vec<&Value> = results.iter().filter(|result| result["ruleId"] == "row.register-rule").collect();
    let [rows] = rows[..] else { panic!("{rows:?}") };
    // The reader says -24 where -8 is written, in every row of all six FDEs of all five files.
    assert_eq!(rows["properties"]["pattern"], "theirs = ours - 16");
    assert_eq!((&rows["properties"]["files"], &rows["level"]), (&5.into(), &"error".into()));
    assert!(rows["occurrenceCount"].as_u64() >= Some(30), "{rows}");
    assert_eq!(rows["locations"].as_array().map(Vec::len), Some(5));
    // A limit on what is listed moves no finding to another result.
    let cut = sarif(&inputs.check(&["--format", "sarif", "--max-findings", "1"]));
    let same = |results: &Value| -> BTreeMap<String, u64> {
        let all = results["runs"][0]["results"].as_array().expect("results");
        let print =
            |result: &Value| result["partialFingerprints"]["cfidiffCluster/v1"].as_str().map(str::to_owned);
        all.iter()
            .map(|result| (print(result).expect("a print"), result["occurrenceCount"].as_u64().unwrap()))
            .collect()
    };
    assert_eq!(same(&document), same(&cut));
    // What nothing explains comes first.
    let levels: Vec<&str> =
        results.iter().filter_map(|result| result["properties"]["verdict"].as_str()).collect();
    let first_failure = levels.iter().position(|verdict| *verdict == "oracle-failed").expect("a failure");
    assert!(levels[..first_failure].iter().all(|verdict| *verdict == "differ"), "{levels:?}");
}

#[test]
fn versions_of_one_tool_are_one_result() {
    let folder = Folder::new();
    for version in [9, 14] {
        let script = format!("echo '  LLVM version {version}.0.1'");
        folder.script(&format!("llvm-dwarfdump-{version}"), &script);
    }
    let file = folder.file("a.so", &linked());
    let run = |format: &str| -> Run {
        let mut command = cfidiff();
        command.env("PATH", folder.path()).args(["check", "--reader", "llvm-dwarfdump", "--format", format]);
        command.arg(&file).output().expect("the program starts").into()
    };
    let document = sarif(run("sarif").exits(3));
    let results = document["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1, "{results:?}");
    let readers = results[0]["properties"]["readers"].as_object().expect("readers");
    assert_eq!(readers.keys().collect::<Vec<_>>(), ["llvm-dwarfdump-14", "llvm-dwarfdump-9"]);
    assert_eq!(
        annotations(&run("github")).iter().filter(|annotation| annotation.level == "error").count(),
        1
    );
    // In JUnit each is a suite.
    let junit = junit(&run("junit"));
    assert_eq!((junit.test_suites.len(), junit.errors, junit.failures), (2, 2, 0));
}

#[test]
fn sarif_fits_its_schema() {
    let inputs = Inputs::new();
    let schema = sarif_schema();
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for readers in [&["wrong", "broken", "missing"][..], &[]] {
        let document = sarif(&inputs.run(readers, &["--format", "sarif"]));
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
    }
    let mut wrong = sarif(&inputs.check(&["--format", "sarif"]));
    wrong["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&wrong));
}

/// The schema of SARIF 2.1.0 that the library was made from, which comes with its source.
fn sarif_schema() -> Value {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("it is UTF-8")
    };
    let variable = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let about = run(&variable("RUSTC", "rustc"), &["-vV"]);
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let options = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host];
    let metadata: Value = serde_json::from_str(&run(&variable("CARGO", "cargo"), &options)).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").expect("it is used");
    let manifest = std::path::Path::new(package["manifest_path"].as_str().expect("a path"));
    let schema =
        std::fs::read_to_string(manifest.with_file_name("src/schema.json")).expect("the schema is there");
    // A bracket that closes none stands for itself in some regular expressions, and is an error in others.
    let schema = schema.replace("[a-zA-Z]{2}]?$", r"[a-zA-Z]{2}\\]?$");
    serde_json::from_str(&schema).expect("the schema is JSON")
}

#[test]
fn sarif_has_rules_and_the_run() {
    let inputs = Inputs::new();
    let document = sarif(&inputs.check(&["--format", "sarif"]));
    let run = &document["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), cfidiff_model::Key::ALL.len());
    for rule in rules {
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[text]["text"].as_str().is_some_and(|text| text.len() > 10), "{rule}");
        }
    }
    for result in run["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    assert_eq!(run["tool"]["driver"]["version"], env!("CARGO_PKG_VERSION"));
    let invocation = &run["invocations"][0];
    assert_eq!((&invocation["exitCode"], &invocation["executionSuccessful"]), (&1.into(), &true.into()));
    let texts = |list: &str| -> Vec<String> {
        let notifications = invocation[list].as_array().expect("a list");
        notifications.iter().map(|note| note["message"]["text"].as_str().expect("words").to_owned()).collect()
    };
    assert_eq!(texts("toolExecutionNotifications"), ["unreadable: no such file or directory"]);
    let missing = texts("toolConfigurationNotifications");
    assert!(missing.iter().any(|words| words.starts_with("missing was not compared: ")), "{missing:?}");
    // Alone, an input that cannot be read is no success.
    let broken = sarif(inputs.run(&[], &["--format", "sarif"]).exits(2));
    assert_eq!(broken["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn sarif_names_files_byte_for_byte() {
    let document = sarif(&Inputs::new().check(&["--format", "sarif"]));
    let results = document["runs"][0]["results"].as_array().expect("results");
    let rows = results.iter().find(|result| result["ruleId"] == "row.register-rule").expect("a result");
    let locations = rows["locations"].as_array().expect("places");
    let uris: Vec<&str> = locations
        .iter()
        .filter_map(|location| location["physicalLocation"]["artifactLocation"]["uri"].as_str())
        .collect();
    assert_eq!(
        uris,
        [
            "100%25%2Ca%3Ab.so",
            "%3C%26%22quotes%22%27%3E%5Bx%5D%281%29%7B0%7D.so",
            "line%0Abreak%0D%3A%3Aerror%3A%3Ano.so",
            "not-utf-8-%FF%FE.so",
            "plain.so",
        ]
    );
    assert!(
        locations[0]["logicalLocations"][0]["name"].as_str().is_some_and(|name| name.contains("_frame+0x"))
    );
}

#[test]
fn annotations_are_one_line_each_and_end_with_the_sum() {
    let inputs = Inputs::new();
    let run = inputs.check(&["--format", "github"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let (last, commands) = lines.split_last().expect("lines");
    assert!(last.contains(" unexplained differences; ") && last.ends_with("(exit 1)"), "{last}");
    for line in commands {
        assert!(
            ["::error ", "::warning ", "::notice "].iter().any(|level| line.starts_with(level)),
            "a name or an answer broke out of its command: {line}"
        );
    }
    let annotations = annotations(&run);
    let first = &annotations[0];
    assert_eq!((first.level.as_str(), first.properties["file"].as_str()), ("error", "100%,a:b.so"));
    assert!(first.properties["title"].starts_with("differ "), "{}", first.properties["title"]);
    assert!(
        first.message.contains("\nours    ") && first.message.contains("\nrepro   "),
        "{}",
        first.message
    );
    // The commands themselves, as GitHub's own library escapes them.
    assert!(lines[0].starts_with("::error file=100%25%2Ca%3Ab.so,title="), "{}", lines[0]);
    let warnings = annotations.iter().filter(|annotation| annotation.level == "warning");
    let told: Vec<String> =
        warnings.map(|warning| format!("{}: {}", warning.properties["title"], warning.message)).collect();
    assert!(told.iter().any(|words| words == "unreadable input: no such file or directory"), "{told:?}");
    assert!(told.iter().any(|words| words.starts_with("a reader is missing: missing: ")), "{told:?}");
}

#[test]
fn junit_has_a_suite_for_each_reader_and_a_case_for_each_file() {
    let inputs = Inputs::new();
    let run = inputs.check(&["--format", "junit"]);
    let report = junit(&run);
    let suites: BTreeMap<&str, &quick_junit::TestSuite> =
        report.test_suites.iter().map(|suite| (suite.name.as_str(), suite)).collect();
    assert_eq!(suites.keys().copied().collect::<Vec<_>>(), ["broken", "gimli", "inputs", "missing", "wrong"]);
    let sizes = |name: &str| {
        let suite = suites[name];
        (suite.tests, suite.failures, suite.errors, suite.skipped)
    };
    // Five files, and one without call frame information.
    assert_eq!(sizes("gimli"), (6, 0, 0, 1));
    assert_eq!(sizes("wrong"), (6, 5, 0, 1));
    assert_eq!((sizes("inputs"), sizes("missing")), ((1, 0, 1, 0), (1, 0, 1, 0)));
    assert_eq!(sizes("broken").1, 0);
    assert!(sizes("broken").2 >= 5, "{:?}", sizes("broken"));
    let names: Vec<&str> = suites["wrong"].test_cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "100%,a:b.so",
            "<&\"quotes\"'>[x](1){0}.so",
            "line\\nbreak\\r::error::no.so",
            "not-utf-8-\u{fffd}\u{fffd}.so",
            "plain.so",
            "bare"
        ]
    );
    let TestCaseStatus::NonSuccess { ty, description, .. } = &suites["wrong"].test_cases[0].status else {
        panic!("it fails");
    };
    assert!(ty.is_some());
    let words = description.as_ref().expect("clusters").as_str();
    assert!(words.contains("theirs = ours - 16") && words.contains("    repro   cfidiff check "), "{words}");
}

/// What a program that shows JUnit reports has to load is bounded.
#[test]
fn junit_names_so_many_files_and_counts_the_others() {
    let folder = Folder::new();
    let file = folder.file("a.so", &linked());
    for index in 0..1100 {
        std::fs::copy(&file, folder.path().join(format!("b{index:04}.so"))).expect("a copy");
    }
    let mut command = cfidiff();
    command.args(["check", "--reader", "gimli", "--format", "junit"]).arg(folder.path());
    let run: Run = command.output().expect("the program starts").into();
    let report = junit(run.exits(0));
    let suite = &report.test_suites[0];
    assert_eq!((suite.tests, suite.failures), (1001, 0));
    assert_eq!(suite.test_cases[1000].name.as_str(), "and 101 files more without unexplained differences");
}

#[test]
fn nothing_wrong_is_said_in_every_form() {
    let folder = Folder::new();
    let file = folder.file("a.so", &linked());
    let run = |format: &str| -> Run {
        let mut command = cfidiff();
        command.args(["check", "--reader", "gimli", "--format", format]).arg(&file);
        command.output().expect("the program starts").into()
    };
    let document = sarif(run("sarif").exits(0));
    assert_eq!(document["runs"][0]["results"], Value::Array(Vec::new()));
    assert_eq!(document["runs"][0]["invocations"][0]["executionSuccessful"], true);
    let sum = "0 unexplained differences: everything that was compared agrees or is explained (exit 0)\n";
    assert_eq!(run("github").exits(0).stdout, sum);
    let junit = junit(run("junit").exits(0));
    assert_eq!((junit.tests, junit.failures, junit.errors, junit.skipped), (1, 0, 0, 0));
}
