//! The suite has a case for every legal cell of the format.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::LazyLock;

use cfidiff_gen::coverage::Coverage;
use cfidiff_gen::suite::{Damage, Suite};
use cfidiff_model::{EntryKind, FaultKind, Instruction};
use serde_json::Value;

static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::build().unwrap_or_else(|error| panic!("{error}")));
static COVERAGE: LazyLock<Coverage> = LazyLock::new(|| Coverage::of(&SUITE));

#[test]
fn every_legal_cell_has_a_case() {
    let coverage = &*COVERAGE;
    let missing = coverage.missing();
    assert!(missing.is_empty(), "{} are missing:\n{}", missing.len(), missing.join("\n"));
    assert!(coverage.cases >= 400, "{} cases", coverage.cases);
}

#[test]
fn cells_have_names_of_their_own_and_reasons() {
    let coverage = &*COVERAGE;
    let mut names = BTreeSet::new();
    for table in &coverage.tables {
        let mut places = BTreeSet::new();
        for cell in &table.cells {
            assert!(names.insert(&cell.name), "{} is there twice", cell.name);
            assert!(places.insert((&cell.row, &cell.column)), "{}: two in one place", cell.name);
            assert!(cell.name.starts_with(&format!("{}/", table.name)), "{} in {}", cell.name, table.name);
            assert!(!cell.why.is_empty(), "{}: no reason", cell.name);
        }
    }
}

/// The numbers are those of the format: how many there are of each thing, and how they combine.
#[test]
fn tables_have_as_many_cells_as_the_format() {
    let coverage = &*COVERAGE;
    let counts =
        coverage.tables.iter().map(|table| (table.name, (table.cells.len(), table.legal_and_covered().0)));
    let counts: BTreeMap<&str, (usize, usize)> = counts.collect();
    // Formats, applications, and each with and without the indirect flag.
    let encodings = 10 * 6 * 2;
    // DW_EH_PE_aligned is one encoding alone. An LSDA can count from all five bases but that, with and without the
    // flag; others have no function to count from, the header no text, and neither it nor an instruction a slot.
    let expected = [
        // 26 of DWARF 5 table 7.29, 8 of vendors; .eh_frame and .debug_frame.
        ("opcode", (2 * (26 + 8), 2 * (26 + 8))),
        // Six opcodes of one machine each; window_save is of both SPARCs.
        ("machine-opcode", (13 * 6, 7)),
        // Formats, sections, byte orders; versions 1 and 3 with 4 and 8 bytes, version 4 with 1 and 2 as well.
        ("format", (2 * 2 * 2 * 4 * 3, 2 * 2 * 2 * (3 * 2 + 2))),
        ("pointer/initial-location", (encodings, 4 * 10 * 2 + 1)),
        ("pointer/set-loc", (encodings, 4 * 10 + 1)),
        ("pointer/lsda", (encodings, 5 * 10 * 2 + 1)),
        ("pointer/personality", (encodings, 4 * 10 * 2 + 1)),
        ("pointer/header-eh-frame", (encodings, 3 * 10 + 1)),
        ("pointer/header-count", (encodings, 10)),
        ("pointer/header-table", (encodings, 3 * 10 + 1)),
        // Orders of the subsets of four letters: 1 + 4 + 12 + 24 + 24. Ten others, and five letters without z.
        ("augmentation", (65 + 10 + 5, 65 + 10)),
        // Seven rules and none, on both sides.
        ("restore", (8 * 8 * 2, 8 * 8 * 2)),
        ("state", (2 * 2, 2 * 2)),
        ("damage", (Damage::ALL.len(), Damage::ALL.len())),
        // Two kinds do not come from a section's bytes.
        ("fault", (FaultKind::ALL.len(), FaultKind::ALL.len() - 2)),
    ];
    assert_eq!(counts, expected.into_iter().collect());
}

/// An opcode that the model learns gets cells, or this fails.
#[test]
fn every_instruction_of_the_suite_has_a_cell() {
    let (suite, coverage) = (&*SUITE, &*COVERAGE);
    let names: BTreeSet<&str> = coverage.cells().map(|cell| cell.row.as_str()).collect();
    let entries = suite.cases().iter().flat_map(|case| &case.sections).flat_map(|section| &section.entries);
    for instruction in entries.flat_map(|expected| &expected.entry.instructions) {
        let known = matches!(instruction, Instruction::Unknown { .. }) || names.contains(instruction.name());
        assert!(known, "{}", instruction.name());
    }
}

/// What a damaged case demands is the fault that the damage is named for, and its neighbours are read in full.
#[test]
fn damaged_cases_demand_their_fault_and_keep_sound_records() {
    for case in SUITE.cases() {
        let Some(damage) = case.damage else { continue };
        let entries: Vec<_> = case.sections.iter().flat_map(|section| &section.entries).collect();
        let in_header = case.header.iter().flat_map(|header| &header.faults);
        let faults: BTreeSet<FaultKind> =
            entries.iter().flat_map(|expected| &expected.faults).chain(in_header).copied().collect();
        assert!(faults.contains(&damage.fault()), "{}: {faults:?}", case.name);
        let sound = |kind: &EntryKind| matches!(kind, EntryKind::Cie(_) | EntryKind::Fde(_));
        let kept = entries.iter().any(|expected| expected.faults.is_empty() && sound(&expected.entry.kind));
        assert!(kept, "{}: no record is expected in full", case.name);
    }
}

#[test]
fn the_command_shows_the_same() {
    let coverage = &*COVERAGE;
    let (legal, covered) = coverage.legal_and_covered();
    let exit = if legal == covered { 0 } else { 1 };

    let (code, text) = run(&["--coverage", "--format", "json"]);
    assert_eq!(code, Some(exit));
    assert_eq!(text.lines().count(), 1, "one object");
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(json["cases"], coverage.cases);
    assert_eq!(json["cells"], serde_json::json!({ "legal": legal, "covered": covered }));
    assert_eq!(json["missing"].as_array().map(Vec::len), Some(coverage.missing().len()));
    let cells = json["tables"].as_array().expect("tables").iter().flat_map(|table| table["cells"].as_array());
    assert_eq!(cells.map(Vec::len).sum::<usize>(), coverage.cells().count());

    let (code, text) = run(&["--coverage"]);
    assert_eq!(code, Some(exit));
    let last = format!("{} cases, {covered} of {legal} legal cells covered", coverage.cases);
    assert_eq!(text.lines().last(), Some(last.as_str()));
    let why = "and a CIE has no function";
    assert!(!text.contains(why) && run(&["--coverage", "-v"]).1.contains(why));
}

#[test]
fn the_command_lists_every_case() {
    let suite = &*SUITE;
    let (code, text) = run(&["--list", "--format", "json"]);
    assert_eq!(code, Some(0));
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    let listed = json["cases"].as_array().expect("a list");
    assert_eq!(listed.len(), suite.cases().len());
    for (listed, case) in listed.iter().zip(suite.cases()) {
        assert_eq!(listed["name"], *case.name);
        assert_eq!(listed["size"], case.file.len());
        assert_eq!(listed["damage"].as_str(), case.damage.map(Damage::name), "{}", case.name);
    }
    let (_, text) = run(&[]);
    assert_eq!(text.lines().count(), suite.cases().len() + 1, "a line for each, and the sum");
}

#[test]
fn a_folder_that_cannot_be_written_is_a_clear_line() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let folder = file.path().join("suite");
    let output = Command::new(env!("CARGO_BIN_EXE_cfidiff"))
        .args(["corpus", "--copy"])
        .arg(&folder)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8(output.stderr).expect("it is UTF-8");
    let start = format!("cfidiff: cannot write the suite: {}", folder.display());
    assert!(words.starts_with(&start) && words.lines().count() == 1, "{words}");
}

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_cfidiff"))
        .arg("corpus")
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts");
    (output.status.code(), String::from_utf8(output.stdout).expect("it is UTF-8"))
}
