//! What gimli says of small sections, against answers beside them.
//!
//! `tests/data/gimli/NAME.case` holds a section in hexadecimal with what its numbers need to be read, and
//! `NAME.answer` what the adapter gives. `BLESS=1` writes the answers anew.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use cfidiff_model::{
    Address, Bases, Case, Class, Endianness, Entry, EntryKind, Instruction, Machine, Outcome, RegisterRule,
    Says, Section, SectionKind, Sink, Target,
};

use super::{Gimli, guarded};
use crate::Oracle;

fn data(name: &str) -> String {
    format!("{}/tests/data/gimli/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

fn load(path: &Path) -> Case {
    let mut target = Target {
        machine: Machine::X86_64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        relocatable: false,
    };
    let mut bases = Bases::default();
    let mut section = None;
    let mut bytes = Vec::new();
    for line in fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["machine", number] => target.machine = Machine(number.parse().unwrap()),
            ["class", "32"] => target.class = Class::Elf32,
            ["class", "64"] => target.class = Class::Elf64,
            ["endianness", "little"] => target.endianness = Endianness::Little,
            ["endianness", "big"] => target.endianness = Endianness::Big,
            ["text", address] => bases.text = Some(Address(number(address))),
            ["data", address] => bases.data = Some(Address(number(address))),
            ["section", ".eh_frame", address] => section = Some((SectionKind::EhFrame, number(address))),
            ["section", ".debug_frame", address] => {
                section = Some((SectionKind::DebugFrame, number(address)))
            }
            _ => bytes.extend(words.iter().map(|byte| u8::from_str_radix(byte, 16).unwrap())),
        }
    }
    let (kind, address) = section.unwrap();
    let name = kind.name().to_owned();
    let faults = Vec::new();
    let section = Section {
        kind,
        name,
        index: None,
        section_type: 0,
        address: Address(address),
        file_offset: None,
        data: bytes,
        bases,
        faults,
    };
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    Case { name, path: None, member: None, target, sections: vec![section], notes: Vec::new() }
}

/// Keeps what is said of one section.
#[derive(Default)]
struct Kept {
    says: Option<Says>,
    entries: Vec<Entry>,
    section: Option<Outcome>,
    cases: usize,
}

impl Sink for Kept {
    fn section(&mut self, _case: usize, _section: usize, says: Says) {
        self.says = Some(says);
    }
    fn entry(&mut self, entry: &Entry) {
        self.entries.push(entry.clone());
    }
    fn end_section(&mut self, outcome: Outcome) {
        self.section = Some(outcome);
    }
    fn end_case(&mut self, _case: usize, _outcome: Outcome) {
        self.cases += 1;
    }
}

fn read(name: &str) -> Kept {
    read_case(load(Path::new(&data(&format!("{name}.case")))))
}

fn read_case(case: Case) -> Kept {
    let mut kept = Kept::default();
    Gimli.read(0, &[case], &mut kept);
    kept
}

fn text(kept: &Kept) -> String {
    let mut text = String::new();
    for entry in &kept.entries {
        writeln!(text, "{} length {} {:?}", entry.offset, entry.length, entry.kind).unwrap();
        for instruction in &entry.instructions {
            writeln!(text, "  {instruction:?}").unwrap();
        }
        for row in entry.rows.iter() {
            writeln!(text, "  {}..{} {:?} {:?}", row.start, row.end, row.cfa, row.rules).unwrap();
        }
        for fault in &entry.faults {
            writeln!(text, "  {fault}").unwrap();
        }
    }
    writeln!(text, "{:?}", kept.section).unwrap();
    text
}

#[test]
fn answers_are_those_on_file() {
    let bless = env::var_os("BLESS").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    let mut compared = 0;
    for file in fs::read_dir(data("")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "case") {
            continue;
        }
        let answer = text(&read_case(load(&path)));
        let expected = path.with_extension("answer");
        if bless {
            fs::write(&expected, &answer).unwrap();
        }
        if fs::read_to_string(&expected).unwrap_or_default() != answer {
            wrong.push(format!("{}:\n{answer}", expected.display()));
        }
        compared += 1;
    }
    assert!(compared > 0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn rows(entry: &Entry) -> Vec<(u64, u64)> {
    entry.rows.iter().map(|row| (row.start.0, row.end.0)).collect()
}

fn instructions(kept: &Kept, index: usize) -> &[Instruction] {
    &kept.entries[index].instructions
}

#[test]
fn set_loc_has_the_encoding_of_the_cie() {
    let kept = read("op-set_loc-pcrel");
    assert!(instructions(&kept, 1).contains(&Instruction::SetLoc { location: Address(0x1020) }));
    assert_eq!(kept.section, Some(Outcome::Answered));
}

#[test]
fn operands_are_in_bytes() {
    let kept = read("op-cfasf");
    assert!(instructions(&kept, 1).contains(&Instruction::DefCfaSf { register: 7, offset: 16 }));
    let kept = read("op-caf4");
    assert_eq!(instructions(&kept, 1)[0], Instruction::AdvanceLoc { delta: 4 });
    let row = rows(&kept.entries[1]);
    assert_eq!(row[0].1 - row[0].0, 4);
}

#[test]
fn a_zero_word_ends_eh_frame_alone() {
    assert_eq!(read("zero-middle").entries.len(), 2);
    let kept = read("zero-middle-df");
    assert_eq!(kept.entries.len(), 3);
    assert!(kept.says.unwrap().contains(Says::PAST_TERMINATOR));
}

#[test]
fn an_error_in_a_cie_ends_the_section() {
    let kept = read("aug-zRB");
    assert!(kept.entries.is_empty());
    assert!(matches!(kept.section, Some(Outcome::Failed(_))));
}

#[test]
fn an_error_in_an_fde_costs_that_fde() {
    let kept = read("enc-ff-omit");
    assert_eq!(kept.section, Some(Outcome::Answered));
    let fde = &kept.entries[1];
    assert!(matches!(&fde.kind, EntryKind::Fde(fde) if fde.cie.is_some()));
    assert_eq!(fde.faults.len(), 1);
}

#[test]
fn the_signing_state_is_architectural() {
    let kept = read("op-neg-ra-state");
    let rules: Vec<_> = kept.entries[1].rows.iter().flat_map(|row| row.rules.iter().cloned()).collect();
    assert!(rules.contains(&(34, RegisterRule::Architectural(1))));
}

#[test]
fn the_version_is_the_one_locked() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock");
    // The packaged crate has no lock file of the workspace beside it.
    let Ok(lock) = fs::read_to_string(path) else { return };
    assert!(lock.contains(&format!("name = \"gimli\"\nversion = \"{}\"\n", Gimli.version())));
}

#[test]
fn a_panic_of_the_reader_is_an_outcome() {
    let outcome = guarded(&mut Kept::default(), |_| panic!("at {}", 7));
    assert_eq!(outcome, Outcome::Failed("panicked: at 7".to_owned()));
}

#[test]
#[should_panic(expected = "the sink's own")]
fn a_panic_of_the_sink_stays_a_panic() {
    struct Broken;
    impl Sink for Broken {
        fn section(&mut self, _case: usize, _section: usize, _says: Says) {}
        fn entry(&mut self, _entry: &Entry) {
            panic!("the sink's own");
        }
        fn end_section(&mut self, _outcome: Outcome) {}
        fn end_case(&mut self, _case: usize, _outcome: Outcome) {}
    }
    Gimli.read(0, &[load(Path::new(&data("pad-3.case")))], &mut Broken);
}

/// Every prefix and every one-byte change of the sections on file ends in an outcome.
#[test]
fn damaged_sections_end_in_an_outcome() {
    for file in fs::read_dir(data("")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "case") {
            continue;
        }
        let case = load(&path);
        for at in 0..case.sections[0].data.len() {
            let mut shorter = case.clone();
            shorter.sections[0].data.truncate(at);
            assert!(read_case(shorter).section.is_some());
            for value in [0x00, 0x7f, 0x80, 0xff] {
                let mut changed = case.clone();
                changed.sections[0].data[at] = value;
                let kept = read_case(changed);
                assert!(kept.section.is_some());
                assert_eq!(kept.cases, 1);
                if let Some(Outcome::Failed(why)) = &kept.section {
                    assert!(!why.starts_with("panicked"), "{}: {why} at {at} with {value}", path.display());
                }
            }
        }
    }
}
