//! The harness on our own reader, right and with mistakes: what passes, what fails, and in which words.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use cfidiff_cfi::{Reader as Ours, Table};
use cfidiff_gen::suite::Suite;
use cfidiff_model::{
    Address, Case, CfaRule, Entry, EntryKind, LookUp, RegisterRule, Says, Section as ModelSection,
    SectionKind, SectionOffset,
};
use libtest_mimic::Completion;

use crate::expectations::Expectations;
use crate::harness::subject::Subject;
use crate::harness::trials::Tests;
use crate::harness::{Entries, Reader, Section, Unwinder};

/// Our reader's answer on a section.
fn ours(section: &Section<'_>) -> Vec<Entry> {
    let section_of_model = ModelSection {
        kind: section.kind,
        name: section.kind.name().to_owned(),
        index: None,
        section_type: 0,
        address: section.address,
        file_offset: None,
        data: section.data.to_vec(),
        bases: section.bases,
        faults: Vec::new(),
    };
    let mut table = Table::new(Ours::new(&section_of_model, section.target()));
    let mut entry = Entry::default();
    (0..table.len()).map(|index| (table.fill(index, Says::all(), &mut entry), entry.clone()).1).collect()
}

type Change = fn(&mut Vec<Entry>);

/// Our reader with a mistake.
struct Fake {
    says: Says,
    change: Change,
    end: Result<(), &'static str>,
}

impl Fake {
    const RIGHT: Fake = Fake { says: Says::all(), change: |_| {}, end: Ok(()) };
}

impl Reader for Fake {
    fn name(&self) -> &str {
        "fake"
    }

    fn says(&self, _: &Section<'_>) -> Says {
        self.says
    }

    fn read(&self, section: &Section<'_>, entries: &mut Entries) -> Result<(), Box<dyn Error>> {
        let mut list = ours(section);
        (self.change)(&mut list);
        let is_end = |entry: &Entry| matches!(entry.kind, EntryKind::Terminator);
        if section.kind == SectionKind::EhFrame
            && !self.says.contains(Says::PAST_TERMINATOR)
            && let Some(end) = list.iter().position(is_end)
        {
            list.truncate(end + 1);
        }
        list.into_iter().for_each(|entry| entries.push(entry));
        self.end.map_err(Into::into)
    }
}

fn tests(subject: Subject, list: &str) -> Tests {
    let list = Expectations::parse(Path::new("list.toml"), list.to_owned()).expect("a list");
    Tests { subject, suite: Suite::build().expect("the suite"), list: Some(list) }
}

fn of(reader: impl Reader) -> Tests {
    tests(Subject::Reader(Box::new(reader)), "")
}

/// How a case ends: `None` when it passes, `Some("")` when it is passed over, else what is told.
fn result(tests: &Tests, index: usize) -> Option<String> {
    match tests.case(index) {
        Ok(Completion::Completed) => None,
        Ok(Completion::Ignored { .. }) => Some(String::new()),
        Err(failed) => Some(failed.message().unwrap_or_default().to_owned()),
    }
}

/// How each case ends.
fn results(tests: &Tests) -> BTreeMap<String, Option<String>> {
    let cases = tests.suite.cases().iter().enumerate();
    cases.map(|(index, case)| (case.name.clone(), result(tests, index))).collect()
}

/// What is told of this case, which fails.
#[track_caller]
fn failure(tests: &Tests, name: &str) -> String {
    let index = tests.suite.cases().iter().position(|case| case.name == name);
    result(tests, index.expect("there is such a case")).expect("it fails")
}

#[track_caller]
fn all_pass(tests: &Tests) {
    let failed: Vec<String> = results(tests)
        .into_iter()
        .filter_map(|(name, result)| Some(format!("{name}: {}", result?)))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn a_right_reader_passes_in_each_role_however_little_it_says() {
    all_pass(&of(Fake::RIGHT));
    all_pass(&of(Fake { says: Says::all() - Says::PAST_TERMINATOR, ..Fake::RIGHT }));
    // A reader need not tell of terminators, nor of bytes that are no record.
    let bare: Change = |list| {
        list.retain(|entry| !matches!(entry.kind, EntryKind::Terminator));
        for entry in list {
            entry.instructions.clear();
            entry.rows.clear();
        }
    };
    all_pass(&of(Fake { says: Says::RECORDS | Says::PAST_TERMINATOR, change: bare, ..Fake::RIGHT }));
}

#[test]
fn a_reader_that_stops_at_a_broken_record_is_right_when_nothing_follows() {
    let stops: Change = |list| {
        let broken = list.iter().position(|entry| !entry.faults.is_empty());
        list.truncate(broken.unwrap_or(list.len()));
    };
    let results = results(&of(Fake { change: stops, end: Err("cannot go on"), ..Fake::RIGHT }));
    assert_eq!(results["terminator/trail-2"], None);
    let told = results["damage/cie-version-0"].as_deref().expect("sound records are behind it");
    assert!(told.contains("section.unread at ") && told.contains("found     cannot go on"), "{told}");
    // An error on a section without a broken record is about nothing that is there.
    let told = results["encoding/enc-1b-pcrel-sdata4"].as_deref().expect("it is sound");
    assert!(told.contains("expected  the section ends behind this record"), "{told}");
}

#[test]
fn a_failure_says_what_a_maintainer_needs() {
    let wrong: Change = |list| {
        for entry in list {
            if let EntryKind::Fde(fde) = &mut entry.kind {
                fde.address_range += 1;
            }
        }
    };
    let told = failure(
        &of(Fake { change: wrong, says: Says::RANGE, ..Fake::RIGHT }),
        "encoding/enc-1b-pcrel-sdata4",
    );
    // The bytes are those of the example in corpus/README.md: length 0x14, CIE pointer 0x1c, 0x1010 from 0x2020, 0x20.
    let wanted = "\
Two initial locations and a set_loc in encoding 0x1b.

fde.address-range at .eh_frame+0x18
    expected  0x20
    found     0x21
    clause    LSB: the format of the CIE's R without its application; DWARF 5 section 6.4.1: address_range
    record    14 00 00 00 1c 00 00 00 f0 ef ff ff 20 00 00 00 00 41 0e 20 86 02 00 00
";
    assert!(told.starts_with(wanted), "{told}");
    assert!(told.contains("\nthe case is decided by: LSB Core, DWARF exception header encoding"), "{told}");
    let more = "to see more: cfidiff corpus --copy suite && cfidiff dump --offset 0x18 suite/cases/encoding/enc-1b-pcrel-sdata4";
    assert!(told.ends_with(more), "{told}");
}

#[test]
fn mistakes_in_the_list_of_records_have_their_keys() {
    let changes: [(Change, &str); 5] = [
        (|list| _ = list.remove(1), "entry.missing at .eh_frame+0x18"),
        (
            |list| list.truncate(1),
            "section.unread at .eh_frame+0x18\n    expected  2 records from here on\n    found     no more records, no complaint",
        ),
        (|list| list.push(list[1].clone()), "entry.repeated at .eh_frame+0x18"),
        (|list| list[1].offset = SectionOffset(0x1c), "entry.extra at .eh_frame+0x1c"),
        (
            |list| list[1].faults.push(ours_fault()),
            "entry.rejected at .eh_frame+0x18\n    expected  well-formed\n    found     it is broken",
        ),
    ];
    for (change, wanted) in changes {
        let told = failure(&of(Fake { change, ..Fake::RIGHT }), "encoding/enc-1b-pcrel-sdata4");
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
}

fn ours_fault() -> cfidiff_model::Fault {
    let mut entries = Entries::new(1);
    entries.refuse(0x18, "it is broken");
    entries.into_list().remove(0).faults.remove(0)
}

#[test]
fn broken_records_have_to_be_refused() {
    let silent: Change = |list| list.iter_mut().for_each(|entry| entry.faults.clear());
    let results = results(&of(Fake { change: silent, ..Fake::RIGHT }));
    let told = results["damage/cie-version-0"].as_deref().expect("it fails");
    assert!(told.contains("entry.accepted at ") && told.contains("found     no complaint"), "{told}");
    let told = results["terminator/trail-2"].as_deref().expect("it fails");
    assert!(told.contains("expected  fault.truncated-length"), "{told}");
}

#[test]
fn what_a_reader_does_not_read_it_need_not_refuse() {
    let silent: Change = |list| list.iter_mut().for_each(|entry| entry.faults.clear());
    let fails = |says: Says, name: &str| {
        let tests = of(Fake { change: silent, says: says | Says::PAST_TERMINATOR, ..Fake::RIGHT });
        let index = tests.suite.cases().iter().position(|case| case.name == name);
        result(&tests, index.expect("there is such a case")).is_some()
    };
    for (name, silent, told) in [
        ("damage/cie-version-0", Says::RECORDS, Says::CIE_VERSION),
        ("damage/range-wraps", Says::CIE_FACTORS, Says::RANGE),
        ("damage/advance-past-end", Says::RANGE, Says::RANGE | Says::ROWS),
        ("damage/cie-opcode", Says::CIE_FACTORS, Says::CIE_ROWS),
        ("expression/op-expr-bad", Says::RANGE, Says::INSTRUCTIONS),
    ] {
        assert!(!fails(silent, name), "{name} was to be refused by one that does not read it");
        assert!(fails(told, name), "{name} was not to be refused");
    }
}

#[test]
fn a_panic_and_an_endless_answer_are_errors() {
    let told =
        failure(&of(Fake { change: |_| panic!("index out of bounds"), ..Fake::RIGHT }), "row/restore-none");
    assert!(told.contains("found     panicked: index out of bounds"), "{told}");
    let endless: Change = |list| *list = vec![list.first().cloned().unwrap_or_default(); 1 << 16];
    let told = failure(&of(Fake { change: endless, ..Fake::RIGHT }), "row/restore-none");
    assert!(told.contains("gave more records than the section has bytes"), "{told}");
}

#[test]
fn a_section_that_is_not_read_is_passed_over() {
    let all = results(&of(Fake { says: Says::empty(), ..Fake::RIGHT }));
    assert!(all.values().all(|result| result.as_deref() == Some("")));
}

#[test]
fn the_list_excuses_and_its_test_finds_what_is_stale() {
    let wrong: Change = |list| {
        for entry in list {
            if let EntryKind::Cie(cie) = &mut entry.kind {
                cie.code_alignment_factor += 1;
            }
        }
    };
    let subject = || {
        Subject::Reader(Box::new(Fake {
            change: wrong,
            says: Says::CIE_FACTORS | Says::PAST_TERMINATOR,
            ..Fake::RIGHT
        }))
    };
    let entry = |key: &str, case: &str, reason: &str| {
        format!("[[expect]]\nkey = '{key}'\nreader = 'fake'\ncase = '{case}'\nreason = '{reason}'\n")
    };
    let good = entry("cie.code-alignment-factor", "**", "it counts wrong");
    let right = tests(subject(), &good);
    all_pass(&right);
    assert!(right.list().is_ok());
    let stale = entry("row.cfa", "encoding/*", "it was so");
    let needless = entry("cie.*", "encoding/*", "again");
    let of_another = entry("row.cfa", "no-topic/*", "elsewhere").replace("fake", "other");
    let list = format!("{good}{stale}{needless}{of_another}");
    let failed = tests(subject(), &list).list().expect_err("two entries are not in order");
    let told: Vec<&str> = failed.message().unwrap_or_default().lines().collect();
    assert_eq!(
        told,
        [
            "list.toml:6 (row.cfa of fake in encoding/*): there is no such finding any more",
            "list.toml:11 (cie.* of fake in encoding/*): what it matches is explained without it",
        ]
    );
    let failed = tests(subject(), &good.replace("it counts wrong", "todo")).list().expect_err("no reason");
    assert!(failed.message().unwrap_or_default().contains("placeholder"));
}

/// Our reader as an unwinder, with offsets of the CFA and of the return address moved.
struct FakeUnwinder {
    cfa: i64,
    return_address: i64,
}

impl Unwinder for FakeUnwinder {
    fn name(&self) -> &str {
        "fake"
    }

    fn look_up(&self, section: &Section<'_>, address: Address) -> Result<Option<LookUp>, Box<dyn Error>> {
        let entries = ours(section);
        let covering = entries.iter().find_map(|entry| {
            let EntryKind::Fde(fde) = &entry.kind else { return None };
            // An advance past the end makes rows of which the range is not.
            let end = fde.initial_location.0.saturating_add(fde.address_range);
            if !(fde.initial_location.0..end).contains(&address.0) {
                return None;
            }
            let row = entry.rows.iter().find(|row| row.start <= address && address < row.end)?;
            Some((fde.cie, row))
        });
        let Some((cie, row)) = covering else { return Ok(None) };
        let cie = entries.iter().find(|entry| Some(entry.offset) == cie).ok_or("no CIE")?;
        let EntryKind::Cie(cie) = &cie.kind else { return Err("no CIE".into()) };
        let cfa = match row.cfa {
            CfaRule::RegisterOffset { register, offset } => {
                CfaRule::RegisterOffset { register: *register, offset: offset.wrapping_add(self.cfa) }
            }
            other => other.clone(),
        };
        let rule = row.rules.iter().find(|(register, _)| *register == cie.return_address_register);
        let return_address = rule.map(|(_, rule)| match rule {
            RegisterRule::Offset(offset) => RegisterRule::Offset(offset + self.return_address),
            other => other.clone(),
        });
        Ok(Some(LookUp { address, cfa, return_address }))
    }
}

#[test]
fn an_unwinder_is_asked_for_single_addresses() {
    let tests_of =
        |cfa, return_address| tests(Subject::Unwinder(Box::new(FakeUnwinder { cfa, return_address })), "");
    let right = results(&tests_of(0, 0));
    let failed: Vec<_> =
        right.iter().filter(|(_, result)| result.as_ref().is_some_and(|told| !told.is_empty())).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let asked = right.values().filter(|result| result.is_none()).count();
    assert!(asked > right.len() * 3 / 4, "{asked} of {} cases were asked about", right.len());
    let told = failure(&tests_of(8, 0), "encoding/enc-1b-pcrel-sdata4");
    assert!(told.contains("row.cfa-offset at .eh_frame+0x18\n    expected  at 0x1010: cfa=rsp+8\n    found     at 0x1010: cfa=rsp+16"), "{told}");
    let told = failure(&tests_of(0, 8), "encoding/enc-1b-pcrel-sdata4");
    assert!(told.contains("row.register-rule at .eh_frame+0x18"), "{told}");
}

#[test]
fn every_section_of_the_suite_is_given() {
    for case in Suite::build().expect("the suite").cases() {
        let input: Case = crate::harness::subject::input(case).expect("it opens");
        for answer in &case.sections {
            let section = Section::of(&input, answer).expect("the section is there");
            assert_eq!(
                (section.kind, section.address, section.bases),
                (answer.kind, answer.address, answer.bases),
                "{}",
                case.name
            );
        }
    }
}
