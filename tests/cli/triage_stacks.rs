//! `cfidiff triage-stacks`: errors of each kind planted into right stacks, with numbers worked out by hand.

use std::fs;
use std::path::PathBuf;

use cfidiff_gen::{ElfSection, ElfSpec, Symbol};
use cfidiff_model::{Address, Class, Endianness, Machine, SectionKind, Target};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Run, run};

/// Where a loader without randomization puts a program.
const BASE: u64 = 0x5555_5555_4000;

/// Its functions are make_point at 0x1149, dist2 at 0x117e, scale at 0x11a9, area at 0x11c9, main at 0x1203 up to 0x124b.
const SHAPE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/cases/linked/shape-pie-debian");

type Stacks = Vec<Vec<u64>>;

/// Stacks of that program as a profiler would see them, by link-time address.
fn expected() -> Stacks {
    vec![
        vec![0x1155, 0x11b9, 0x1220, 0x1081],
        vec![0x1160, 0x11bf, 0x1230, 0x1081],
        vec![0x1190, 0x11d9, 0x1238, 0x1081],
        vec![0x1186, 0x11e2, 0x1240, 0x1081],
        vec![0x11b0, 0x1220, 0x1081],
        vec![0x11d0, 0x1240, 0x1081],
    ]
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path: PathBuf = self.0.path().join(name);
        fs::write(&path, contents).expect("it can be written");
        path.display().to_string()
    }

    fn list(&self, name: &str, stacks: &Stacks) -> String {
        let words =
            |stack: &Vec<u64>| stack.iter().map(|address| format!("{address:#x}\n")).collect::<String>();
        self.file(name, stacks.iter().map(words).collect::<Vec<_>>().join("\n"))
    }

    fn run(&self, binary: &str, observed: &Stacks, expected: &Stacks) -> Run {
        let (observed, expected) = (self.list("observed", observed), self.list("expected", expected));
        run(["triage-stacks", "--format", "json", "-b", binary, &observed, &expected])
    }
}

/// Stacks of run-time addresses, each frame's link-time address changed as `change` says.
fn moved(stacks: &Stacks, change: impl Fn(u64) -> u64) -> Stacks {
    let moved = |stack: &Vec<u64>| stack.iter().map(|&address| change(address).wrapping_add(BASE)).collect();
    stacks.iter().map(moved).collect()
}

/// What is found, of stacks of the corpus's program.
#[track_caller]
fn found(observed: &Stacks) -> Value {
    let run = Folder::new().run(SHAPE, observed, &moved(&expected(), |address| address));
    report(&run)
}

#[track_caller]
fn report(run: &Run) -> Value {
    serde_json::from_str(&run.exits(1).stdout).expect("an object of JSON")
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

/// The start and the error of each function of an explanation.
fn functions(explanation: &Value) -> Vec<(&str, Option<&str>)> {
    let list = explanation["functions"].as_array().expect("a list");
    list.iter().map(|each| (each["start"].as_str().unwrap_or("none"), each["error"].as_str())).collect()
}

/// The one explanation of a report, which explains all stacks that differ.
#[track_caller]
fn only<'r>(report: &'r Value, shape: &str) -> &'r Value {
    let first = &report["explanations"][0];
    assert_eq!(first["shape"], shape, "{report:#}");
    assert_eq!(first["explains"], report["different"], "{report:#}");
    assert_eq!(report["left"].as_array().map(Vec::len), Some(0), "{report:#}");
    first
}

/// The offset of the initial location's field of a function's FDE, as readelf shows the section: eight bytes behind the
/// FDE's start.
fn field(address: u64) -> u64 {
    let fde = match address {
        0x1060..0x1082 => 0x18,
        0x1149..0x117e => 0x88,
        0x117e..0x11a9 => 0xa8,
        0x11a9..0x11c9 => 0xc8,
        0x11c9..0x1203 => 0xe8,
        _ => 0x108,
    };
    fde + 8
}

/// The address of `.eh_frame`.
const EH_FRAME: u64 = 0x2070;

#[test]
fn lists_that_agree_have_no_diagnosis() {
    let stacks = moved(&expected(), |address| address);
    let run = Folder::new().run(SHAPE, &stacks, &stacks);
    let report: Value = serde_json::from_str(&run.exits(0).stdout).expect("JSON");
    assert_eq!(report["load_base"], format!("{BASE:#x}"));
    assert_eq!((&report["compared"], &report["different"]), (&Value::from(6), &Value::from(0)));
    assert_eq!(report["explanations"].as_array().map(Vec::len), Some(0));
}

#[test]
fn an_error_of_minus_the_field_s_address_is_a_pcrel_base_that_is_not_added() {
    let report = found(&moved(&expected(), |address| address.wrapping_sub(EH_FRAME + field(address))));
    let first = only(&report, "constant-per-function");
    assert_eq!(words(&first["faults"]), ["pcrel-not-added", "pcrel-not-added-to-location"]);
    assert_eq!(words(&first["decision_points"]), ["pointer_base"]);
    let wanted = [
        ("0x1060", Some("-0x2090")),
        ("0x1149", Some("-0x2100")),
        ("0x117e", Some("-0x2120")),
        ("0x11a9", Some("-0x2140")),
        ("0x11c9", Some("-0x2160")),
        ("0x1203", Some("-0x2180")),
    ];
    assert_eq!(functions(first), wanted);
    assert!(words(&first["errors"])[0].starts_with("minus the address of the initial location's field"));
}

#[test]
fn an_error_of_minus_the_field_s_offset_is_counted_from_the_section() {
    let report = found(&moved(&expected(), |address| address - field(address)));
    let first = only(&report, "constant-per-function");
    assert_eq!(words(&first["faults"]), ["pcrel-from-section"]);
    assert!(words(&first["errors"])[0].starts_with("minus the offset of the initial location's field"));
}

#[test]
fn an_error_that_is_one_everywhere_is_a_load_base_unless_a_base_of_the_format_makes_it() {
    let report = found(&moved(&expected(), |address| address + 0x3000));
    let load_base = only(&report, "constant-everywhere");
    assert_eq!(words(&load_base["faults"]), [""; 0]);
    assert_eq!(words(&load_base["decision_points"]), [""; 0]);
    let report = found(&moved(&expected(), |address| address.wrapping_sub(8)));
    assert_eq!(words(&only(&report, "constant-everywhere")["faults"]), ["pcrel-from-record"]);
    let report = found(&moved(&expected(), |address| address.wrapping_sub(EH_FRAME)));
    assert_eq!(words(&only(&report, "constant-everywhere")["faults"]), ["pcrel-from-zero"]);
    let report = found(&expected());
    assert_eq!(
        words(&only(&report, "constant-everywhere")["errors"]),
        ["minus the load base: link-time addresses are shown"]
    );
}

#[test]
fn call_sites_are_return_addresses_less_one() {
    let mut observed = moved(&expected(), |address| address);
    observed.iter_mut().flat_map(|stack| &mut stack[1..]).for_each(|address| *address -= 1);
    let report = found(&observed);
    assert_eq!(words(&only(&report, "call-sites")["decision_points"]), ["address_to_look_up"]);
}

#[test]
fn a_walk_that_goes_wrong_behind_one_function_is_that_function_s() {
    let mut observed = moved(&expected(), |address| address);
    // Behind area, where main should come, an address of other code comes.
    observed[2][2] = BASE + 0x1150;
    observed[3][2] = BASE + 0x1170;
    let report = found(&observed);
    let first = only(&report, "from-one-function");
    assert_eq!(functions(first), [("0x11c9", None)]);
    assert_eq!(
        words(&first["seen"]).iter().filter(|seen| seen.starts_with("1 walks go on rightly")).count(),
        1
    );
    assert_eq!(first["evidence"]["frame"], 2);
}

#[test]
fn values_that_are_no_code_come_from_register_rules() {
    let mut observed = moved(&expected(), |address| address);
    observed[0][2] = 0x7ffd_1234_5678;
    observed[2][2] = 0;
    observed[4][1] = BASE + EH_FRAME;
    let report = found(&observed);
    let first = only(&report, "no-code-address");
    assert_eq!(functions(first), [("0x11a9", None), ("0x11c9", None)]);
    let kinds = words(&first["seen"]).into_iter().find(|seen| seen.starts_with("the values"));
    let wanted = "the values: 1 in .eh_frame, 1 outside all known code: of the stack, of the heap, or no address, \
                  1 too small for an address";
    assert_eq!(kinds, Some(wanted));
}

#[test]
fn frames_that_are_missing_or_too_many_are_told_with_the_function_before_them() {
    let right = moved(&expected(), |address| address);
    let mut observed = right.clone();
    observed[0].remove(1);
    observed[1].remove(1);
    let report = found(&observed);
    assert_eq!(functions(only(&report, "frame-missing")), [("0x1149", None)]);
    let mut observed = right.clone();
    observed[2].insert(2, right[2][1]);
    assert_eq!(functions(only(&found(&observed), "frame-added")), [("0x11c9", None)]);
    let mut observed = right.clone();
    observed.iter_mut().for_each(|stack| stack.push(0x1234));
    assert_eq!(functions(only(&found(&observed), "goes-on")), [("0x1060", None)]);
    let mut observed = right;
    observed.iter_mut().for_each(|stack| stack.truncate(stack.len() - 1));
    assert_eq!(functions(only(&found(&observed), "ends-early")), [("0x1203", None)]);
}

#[test]
fn of_a_mixture_the_larger_part_comes_first_and_the_rest_is_told() {
    let mut observed = moved(&expected(), |address| address - field(address));
    let right = moved(&expected(), |address| address);
    observed[3] = right[3].clone();
    observed[3].remove(1);
    // Its innermost address alone is wrong, which no walk explains.
    observed[5] = right[5].clone();
    observed[5][0] += 0x11;
    let report = found(&observed);
    let shapes: Vec<&Value> = report["explanations"].as_array().expect("a list").iter().collect();
    let names: Vec<&str> = shapes.iter().filter_map(|each| each["shape"].as_str()).collect();
    assert_eq!(names, ["constant-per-function", "frame-missing"]);
    assert_eq!(shapes[0]["stacks"], serde_json::json!([1, 2, 3, 5]));
    assert_eq!(shapes[1]["stacks"], serde_json::json!([4]));
    assert_eq!(report["left"], serde_json::json!([6]));
}

/// A program of four functions: `first` at 0x1000 ends with a call, and the trampoline of signals follows at 0x1020;
/// `second` at 0x1030 can be interrupted at its first instruction; `third` at 0x1050.
fn made() -> Vec<u8> {
    let target = Target {
        machine: Machine::X86_64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        relocatable: false,
    };
    // Version 1, zR and zRS with pcrel sdata4, factors 1 and -8, return address 16, CFA rsp + 8, 16 at CFA - 8.
    let mut frames =
        vec![20, 0, 0, 0, 0, 0, 0, 0, 1, b'z', b'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0];
    frames.extend([
        20, 0, 0, 0, 0, 0, 0, 0, 1, b'z', b'R', b'S', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0,
    ]);
    for (cie, start, size, instructions) in [
        (0, 0x1000u64, 0x20u32, [0x44, 0x0e, 16, 0, 0, 0, 0]),
        (24, 0x1020, 0x10, [0x0e, 0xa0, 1, 0, 0, 0, 0]),
        (0, 0x1030, 0x20, [0x44, 0x0e, 32, 0, 0, 0, 0]),
        (0, 0x1050, 0x10, [0x44, 0x0e, 24, 0, 0, 0, 0]),
    ] {
        let at = frames.len() as u64;
        frames.extend([20, 0, 0, 0]);
        frames.extend((at as u32 + 4 - cie).to_le_bytes());
        frames.extend((start.wrapping_sub(0x3000 + at + 8) as u32).to_le_bytes());
        frames.extend(size.to_le_bytes());
        frames.push(0);
        frames.extend(instructions);
    }
    frames.extend([0; 4]);
    let sections = vec![
        ElfSection { data: vec![0x90; 0x60], ..ElfSection::text(Address(0x1000), 0) },
        ElfSection::frame(SectionKind::EhFrame, Address(0x3000), frames),
    ];
    let mut spec = ElfSpec::new(target, sections);
    let named = [("first", 0x1000, 0x20), ("second", 0x1030, 0x20), ("third", 0x1050, 0x10)];
    spec.symbols = named.map(|(name, start, size)| Symbol::function(name, 0, start, size)).to_vec();
    spec.build().expect("the file can be built")
}

#[test]
fn a_call_at_the_end_of_a_function_tells_pc_from_pc_less_one() {
    let folder = Folder::new();
    let binary = folder.file("made", made());
    let expected =
        moved(&vec![vec![0x1055, 0x1020, 0x1045, 0x105f], vec![0x1058, 0x1045, 0x1018, 0x105f]], |it| it);
    let mut observed = expected.clone();
    observed[0].remove(2);
    let report = report(&folder.run(&binary, &observed, &expected));
    let first = only(&report, "frame-missing");
    assert_eq!(first["functions"][0]["name"], "first");
    assert!(words(&first["faults"]).contains(&"return-address-not-reduced"), "{report:#}");
    assert!(words(&first["seen"]).iter().any(|seen| seen.contains("whose last instruction is the call")));
}

#[test]
fn a_frame_that_a_signal_interrupted_is_no_return_address() {
    let folder = Folder::new();
    let binary = folder.file("made", made());
    let expected =
        moved(&vec![vec![0x1008, 0x1021, 0x1030, 0x1058, 0x1045], vec![0x1035, 0x1058, 0x1045]], |it| it);
    let mut observed = expected.clone();
    observed[0].truncate(3);
    observed[0].extend([0x7fff_0000_1000, 0]);
    let report = report(&folder.run(&binary, &observed, &expected));
    let first = only(&report, "no-code-address");
    assert_eq!(first["functions"][0]["name"], "second");
    assert!(words(&first["faults"]).contains(&"s-ignored"), "{report:#}");
    assert!(words(&first["seen"]).iter().any(|seen| seen.contains("at a signal frame")));
}

#[test]
fn the_walk_behind_a_procedure_linkage_table_needs_an_expression() {
    let mut right = moved(&expected(), |address| address);
    right.push(vec![BASE + 0x103a, BASE + 0x1220, BASE + 0x1081]);
    let mut observed = right.clone();
    observed[6][1] = BASE + 0x11b9;
    let report = report(&Folder::new().run(SHAPE, &observed, &right));
    let first = only(&report, "from-one-function");
    assert_eq!(functions(first), [("0x1020", None)]);
    for fault in ["shift-operands-swapped", "true-is-minus-one", "cfa-expression-ignored"] {
        assert!(words(&first["faults"]).contains(&fault), "{report:#}");
    }
}

#[test]
fn the_text_says_what_the_json_does() {
    let folder = Folder::new();
    let right = moved(&expected(), |address| address);
    let observed = folder.list("observed", &moved(&expected(), |address| address - field(address)));
    let expected = folder.list("expected", &right);
    let run = run(["triage-stacks", "-b", SHAPE, &observed, &expected]);
    run.exits(1)
        .says("loaded at 0x555555554000, worked out: 15 of 15 addresses are in functions of it")
        .says("shape constant-per-function: explains 6 of 6 stacks that differ\n")
        .says("    suspect   pcrel-from-section: it counts pcrel pointers from the section's first byte;")
        .says("    decision  pcrel_base\n")
        .says(" --pc 0x1155\n")
        .says("6 stacks compared, 6 differ, 6 explained\n");
}

#[test]
fn what_cannot_be_used_is_an_error_and_nothing_is_told_apart() {
    let folder = Folder::new();
    let (list, empty) = (folder.list("list", &expected()), folder.file("empty", ""));
    let foreign = folder.list("foreign", &vec![vec![0x7fff_0000_0010], vec![0x6fff_0000_0999]]);
    let broken = folder.file("broken", "0x1155\nnonsense\n");
    let triage = |arguments: &[&str]| run([&["triage-stacks", "-b"], arguments].concat());
    triage(&[SHAPE, &list, &broken]).exits(2).logs("broken:2: \"nonsense\" is no address");
    triage(&[SHAPE, &list, "no-such-list"]).exits(2).logs("no-such-list: cannot be read");
    triage(&["no-such-file", &list, &list]).exits(2).logs("no-such-file");
    triage(&[SHAPE, &list, &foreign]).exits(2).logs("no expected address is in a function of it");
    triage(&[SHAPE, &foreign, &foreign]).exits(0).says("no difference to explain");
    triage(&[SHAPE, &empty, &empty]).exits(4);
    triage(&[SHAPE, &list, &empty]).exits(2).logs("no expected address");
    triage(&[SHAPE, "--load-base", "0", &list, &empty]).exits(1).says("the lists have 6 and 0 stacks");
    triage(&[SHAPE, "--load-base", "x", &list, &list]).exits(2);
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/image/x86_64.o");
    triage(&[object, &list, &list]).exits(2).logs("relocatable object");
}
