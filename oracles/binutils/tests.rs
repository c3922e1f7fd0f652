//! What becomes of output that is cut, broken, hostile, or never comes. The tool is a script here, whose files are
//! scripts that print; what the installed readelf says of real sections is tested elsewhere.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use cfidiff_model::{
    Address, Bases, Case, Class, Endianness, Entry, EntryKind, FaultKind, Instruction, Machine, Outcome,
    Says, Section, SectionKind, Sink, Target,
};
use proptest::prelude::*;

use super::complaint::Complaints;
use super::records::Form;
use super::*;
use crate::printed::Stream;

/// Two records of `.eh_frame` as 2.40 prints them.
const TWO_RECORDS: &str = "\
Contents of the .eh_frame section:


00000000 0000000000000014 00000000 CIE
  Version:               1
  Augmentation:          \"zR\"
  Code alignment factor: 1
  Data alignment factor: -8
  Return address column: 16
  Augmentation data:     1b
  DW_CFA_def_cfa: r7 (rsp) ofs 8
  DW_CFA_offset: r16 (rip) at cfa-8

00000018 000000000000001c 0000001c FDE cie=00000000 pc=0000000000001010..0000000000001030
  DW_CFA_advance_loc: 1 to 0000000000001011
  DW_CFA_def_cfa_offset: 16
";

/// Another one and the end of the section.
const REST: &str = "
00000038 000000000000001c 0000003c FDE cie=00000000 pc=0000000000001040..0000000000001060
  DW_CFA_nop

00000058 ZERO terminator


";

/// Keeps everything and checks that each call comes when it may.
#[derive(Default)]
struct Kept {
    open: Option<(usize, usize)>,
    /// By case and section.
    entries: HashMap<(usize, usize), Vec<Entry>>,
    sections: HashMap<(usize, usize), Outcome>,
    cases: HashMap<usize, Outcome>,
    cancelled: bool,
}

impl Kept {
    fn offsets(&self, case: usize, section: usize) -> Vec<u64> {
        self.entries[&(case, section)].iter().map(|entry| entry.offset.0).collect()
    }
}

impl Sink for Kept {
    fn section(&mut self, case: usize, section: usize, _says: Says) {
        assert_eq!(self.open, None);
        assert!(!self.cases.contains_key(&case) && !self.sections.contains_key(&(case, section)));
        self.open = Some((case, section));
        self.entries.insert((case, section), Vec::new());
    }
    fn entry(&mut self, entry: &Entry) {
        let open = self.open.expect("an open section");
        self.entries.entry(open).or_default().push(entry.clone());
    }
    fn end_section(&mut self, outcome: Outcome) {
        let open = self.open.take().expect("an open section");
        self.sections.insert(open, outcome);
    }
    fn end_case(&mut self, case: usize, outcome: Outcome) {
        assert_eq!(self.open, None);
        assert_eq!(self.cases.insert(case, outcome), None, "case {case} ends twice");
    }
    fn cancelled(&self) -> bool {
        self.cancelled
    }
}

fn case_of(path: Option<&Path>, member: Option<&str>) -> Case {
    let target = Target {
        machine: Machine::X86_64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        relocatable: false,
    };
    let section = |kind: SectionKind| Section {
        kind,
        name: kind.name().to_owned(),
        index: None,
        section_type: 0,
        address: Address(0x2000),
        file_offset: None,
        data: vec![0; 0x5c],
        bases: Bases::default(),
        faults: Vec::new(),
    };
    Case {
        name: "a case".to_owned(),
        path: path.map(Path::to_owned),
        member: member.map(Into::into),
        target,
        sections: vec![section(SectionKind::EhFrame), section(SectionKind::DebugFrame)],
        notes: Vec::new(),
    }
}

/// Parses text as the output on one file, in chunks of a size.
fn parse(form: Form, text: &[u8], size: usize) -> Kept {
    let cases = [case_of(None, None)];
    let complaints = Complaints::of_program(b"readelf");
    let mut kept = Kept::default();
    let dialect = Records::new(Program::Readelf, form, &complaints, cases[0].target);
    let mut stream = Stream::new(&cases, &mut kept, Says::all(), dialect, HashMap::new());
    stream.start_in(0, None);
    for chunk in text.chunks(size) {
        if stream.feed(chunk).is_break() {
            break;
        }
    }
    stream.finish();
    kept
}

#[test]
fn sections_are_told_apart_wherever_the_chunks_are_cut() {
    let second = TWO_RECORDS.replace(".eh_frame", ".debug_frame");
    let text = format!("{TWO_RECORDS}{REST}{second}");
    for size in [1, 2, 7, 100, text.len()] {
        let kept = parse(Form::Raw, text.as_bytes(), size);
        assert_eq!(kept.offsets(0, 0), [0, 0x18, 0x38, 0x58]);
        assert_eq!(kept.offsets(0, 1), [0, 0x18]);
        assert_eq!(kept.sections.values().collect::<Vec<_>>(), [&Outcome::Answered, &Outcome::Answered]);
        let EntryKind::Cie(cie) = &kept.entries[&(0, 0)][0].kind else { panic!("a CIE") };
        assert_eq!(
            (cie.augmentation.as_slice(), cie.augmentation_data.as_slice()),
            (&b"zR"[..], &[0x1b][..])
        );
        assert_eq!((cie.version, cie.return_address_register, cie.data_alignment_factor), (1, 16, -8));
        let expected = [Instruction::AdvanceLoc { delta: 1 }, Instruction::DefCfaOffset { offset: 16 }];
        assert_eq!(kept.entries[&(0, 0)][1].instructions, expected);
    }
}

#[test]
fn complaints_go_to_the_record_that_they_are_about() {
    let text = format!(
        "{TWO_RECORDS}readelf: Error: end of data encountered whilst reading LEB\n  DW_CFA_nop\n\
         readelf: Warning: Unsupported or unknown Dwarf Call Frame Instruction number: 0x17\n\
         readelf: Warning: Invalid length 0x100 in FDE at 0x38\n{REST}\
         readelf: Warning: Invalid length 0x10 in FDE at 0x5c\n"
    );
    let kept = parse(Form::Raw, text.as_bytes(), 64);
    let entries = &kept.entries[&(0, 0)];
    let words =
        |entry: &Entry| entry.faults.iter().map(|fault| fault.expected.to_string()).collect::<Vec<_>>();
    assert_eq!(words(&entries[1]), ["Error: end of data encountered whilst reading LEB"]);
    assert_eq!(words(&entries[2]), ["Warning: Invalid length 0x100 in FDE at 0x38"]);
    assert_eq!(entries[1].instructions[2..], [Instruction::Nop, Instruction::Unknown { opcode: 0x17 }]);
    assert_eq!(kept.sections[&(0, 0)], Outcome::Answered);
}

#[test]
fn relocations_of_the_next_section_do_not_end_this_one() {
    let warning = "readelf: Warning: unable to apply unsupported reloc type 6 to section .debug_frame\n";
    let kept = parse(Form::Raw, format!("{TWO_RECORDS}{REST}{warning}").as_bytes(), 50);
    assert_eq!(kept.sections[&(0, 0)], Outcome::Answered);
}

#[test]
fn augmentation_data_may_go_on_in_the_next_line() {
    let text = TWO_RECORDS.replace("Augmentation data:     1b\n", "Augmentation data:    \n 1b 55 00\n");
    assert_ne!(text, TWO_RECORDS);
    let kept = parse(Form::Raw, format!("{text}{REST}").as_bytes(), 50);
    let EntryKind::Cie(cie) = &kept.entries[&(0, 0)][0].kind else { panic!("a CIE is expected") };
    assert_eq!(cie.augmentation_data.as_slice(), [0x1b, 0x55, 0]);
    assert!(kept.entries[&(0, 0)].iter().all(|entry| entry.faults.is_empty()));
}

#[test]
fn a_complaint_in_the_middle_of_a_line_leaves_the_line_whole() {
    let complaint = "readelf: Error: end of data encountered whilst reading LEB\n";
    let broken =
        format!("  DW_CFA_def_cfa_expression (DW_OP_nop; {complaint}{complaint}DW_OP_bregx: 5 (rdi) 0)\n");
    let kept = parse(Form::Raw, format!("{TWO_RECORDS}{broken}{REST}").as_bytes(), 50);
    let entry = &kept.entries[&(0, 0)][1];
    let [_, _, Instruction::DefCfaExpression { expression }] = &entry.instructions[..] else {
        panic!("{entry:?}")
    };
    assert_eq!((expression.operations.len(), entry.faults.len()), (2, 2));
}

#[test]
fn a_complaint_with_no_record_behind_it_is_why_the_section_ended() {
    let text = format!("{TWO_RECORDS}readelf: Warning: Invalid pointer size (0) in CIE data\n");
    let kept = parse(Form::Raw, text.as_bytes(), 64);
    assert!(matches!(&kept.sections[&(0, 0)], Outcome::Failed(why) if why.contains("pointer size (0)")));
    assert_eq!(kept.offsets(0, 0), [0, 0x18]);
}

#[test]
fn lines_that_are_not_known_are_faults_or_the_end() {
    let text = format!("{TWO_RECORDS}  DW_CFA_expression: <corrupt len 64>\n{REST}");
    let kept = parse(Form::Raw, text.as_bytes(), 64);
    let fault = &kept.entries[&(0, 0)][1].faults[0];
    assert_eq!((fault.kind, &*fault.expected), (FaultKind::Reported, "DW_CFA_expression: <corrupt len 64>"));
    let kept = parse(Form::Raw, format!("{TWO_RECORDS}00000038 what is this\n{REST}").as_bytes(), 64);
    assert!(matches!(&kept.sections[&(0, 0)], Outcome::Failed(why) if why.contains("what is this")));
    assert_eq!(kept.offsets(0, 0), [0, 0x18], "nothing behind a line that is not understood");
}

#[test]
fn an_augmentation_string_may_hold_a_line_break() {
    let text = TWO_RECORDS.replace("\"zR\"", "\"z\nFile: R\"");
    let kept = parse(Form::Raw, text.as_bytes(), 64);
    let EntryKind::Cie(cie) = &kept.entries[&(0, 0)][0].kind else { panic!("a CIE") };
    assert_eq!(cie.augmentation.as_slice(), b"z\nFile: R");
    let text = "Contents of the .eh_frame section:\n\n\n\
        00000000 0000000000000014 00000000 CIE \"z\n\" cf=1 df=-8 ra=16\n   LOC           CFA      ra    \n\
        0000000000000000 rsp+8    c-8   \n";
    let kept = parse(Form::Interpreted, text.as_bytes(), 64);
    assert_eq!((kept.entries[&(0, 0)][0].rows.len(), kept.entries[&(0, 0)].len()), (1, 1));
}

#[test]
fn no_more_is_kept_than_the_section_can_hold() {
    let text = format!("{TWO_RECORDS}{}", "  DW_CFA_nop\n".repeat(1000));
    let kept = parse(Form::Raw, text.as_bytes(), 64);
    assert!(matches!(&kept.sections[&(0, 0)], Outcome::Failed(why) if why.contains("more instructions")));
}

#[test]
fn a_section_is_reported_empty_or_unreliable() {
    let text = "Section '.eh_frame' has no debugging data.\n";
    let kept = parse(Form::Raw, text.as_bytes(), 64);
    assert!(matches!(&kept.sections[&(0, 0)], Outcome::Failed(why) if why.contains("no debugging data")));
    let text =
        "Contents of the .eh_frame section (loaded from /usr/lib/debug/x):\n\n00000000 ZERO terminator\n";
    assert_eq!(parse(Form::Raw, text.as_bytes(), 64).offsets(0, 0), [0]);
}

/// Lines that pass for output, to get deeper than random bytes do.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let real: Vec<&str> = TWO_RECORDS.lines().chain(REST.lines()).collect();
    let other = [
        "   LOC           CFA      rbx   ra    ",
        "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16",
        "0000000000001011 rsp+16   c-16  r15 (r15) ",
        "0000000000001011 exp      vexp  v-8 ",
        "  DW_CFA_def_cfa_expression (DW_OP_breg7 (rsp): 8; DW_OP_entry_value: (DW_OP_reg5 (rdi)))",
        "readelf: Warning: Unsupported or unknown Dwarf Call Frame Instruction number: 0x17",
        "File: a",
    ];
    let known = proptest::sample::select([real, other.to_vec()].concat());
    prop_oneof![
        4 => known.clone().prop_map(|line| line.as_bytes().to_vec()),
        2 => (known, any::<proptest::sample::Index>(), any::<u8>()).prop_map(|(line, at, byte)| {
            let mut line = line.as_bytes().to_vec();
            if !line.is_empty() {
                let at = at.index(line.len());
                line[at] = byte;
            }
            line
        }),
        1 => proptest::collection::vec(any::<u8>(), 0..80),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_output_ends_in_an_outcome(
        lines in proptest::collection::vec(line(), 0..60),
        raw in any::<bool>(),
        size in 1_usize..200,
    ) {
        let text = lines.join(&b'\n');
        let kept = parse(if raw { Form::Raw } else { Form::Interpreted }, &text, size);
        prop_assert!(kept.open.is_none() && kept.cases.len() == 1);
    }
}

/// A folder with a tool in it that runs its files as scripts, and heads each with its name when there are several.
fn tool() -> (tempfile::TempDir, Binutils) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("readelf");
    let script = "#!/bin/sh\n\
        case $1 in\n\
        --version) echo 'GNU readelf (GNU Binutils) 2.40'; exit;;\n\
        --help) echo 'Usage: readelf <option(s)> elf-file(s) -wN --debug-dump=no-follow-links'; exit;;\n\
        esac\n\
        shift; count=$#\n\
        for file; do\n\
        if [ $count -gt 1 ]; then printf '\\nFile: %s\\n' \"$file\"; fi\n\
        . \"$file\"\n\
        done\n";
    fs::write(&program, script).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a script that can be run");
    // A child that another test starts may have the file open for writing until it has become its program.
    let found = (0..100).find_map(|_| {
        thread::sleep(Duration::from_millis(5));
        Binutils::probe_program(Program::Readelf, &program).ok()
    });
    (folder, found.expect("the script"))
}

/// Writes the files, runs the tool on them, and returns what came of it.
fn run(readelf: &Binutils, folder: &Path, files: &[(&str, &str)]) -> Kept {
    let cases: Vec<Case> = files
        .iter()
        .map(|(name, script)| {
            let path = folder.join(name);
            fs::write(&path, script).expect("a file");
            case_of(Some(&path), None)
        })
        .collect();
    let mut kept = Kept::default();
    readelf.read(0, &cases, &mut kept);
    assert_eq!(kept.cases.len(), files.len(), "each case ends");
    kept
}

fn print(text: &str) -> String {
    format!("cat <<'END'\n{text}END\n")
}

#[test]
fn a_crash_costs_only_the_file_that_it_is_of() {
    let (folder, readelf) = tool();
    let good = print(&format!("{TWO_RECORDS}{REST}"));
    // What a file printed last is lost when a later one crashes, since the tool's output is buffered.
    let victim =
        format!("{}case \"$*\" in *crash*) kill -SEGV $$;; esac\n{}", print(TWO_RECORDS), print(REST));
    let crash = format!("{}kill -SEGV $$\n", print(TWO_RECORDS));
    let files =
        [("first", &*good), ("victim", &*victim), ("crash", &*crash), ("last", &*good), ("a b", &*good)];
    let kept = run(&readelf, folder.path(), &files);
    for case in [0, 1, 3, 4] {
        assert_eq!(kept.cases[&case], Outcome::Answered, "{case}");
        assert_eq!(kept.offsets(case, 0), [0, 0x18, 0x38, 0x58], "{case}");
    }
    assert!(
        matches!(&kept.cases[&2], Outcome::Failed(why) if why.contains("signal 11")),
        "{:?}",
        kept.cases[&2]
    );
    assert!(matches!(&kept.sections[&(2, 0)], Outcome::Failed(_)));
    assert_eq!(kept.offsets(2, 0), [0], "the last record is not whole");
}

#[test]
fn files_that_hang_print_too_much_or_nothing_fail_alone() {
    let (folder, mut readelf) = tool();
    readelf.time_limit = Duration::from_millis(1500);
    readelf.output_limit = 100_000;
    let good = print(TWO_RECORDS);
    let files = [
        ("silent", "echo 'readelf: Error: no reason'\n"),
        ("good", &*good),
        ("hangs", "exec sleep 600\n"),
        ("endless", "exec yes\n"),
        ("gone", "exit 1\n"),
        ("better", &*good),
    ];
    let kept = run(&readelf, folder.path(), &files);
    let failed = |case: usize, words: &str| {
        assert!(
            matches!(&kept.cases[&case], Outcome::Failed(why) if why.contains(words)),
            "{:?}",
            kept.cases[&case]
        );
    };
    failed(0, "no reason");
    failed(2, "out of time");
    failed(3, "more than 100000 bytes");
    assert_eq!(kept.cases[&1], Outcome::Answered);
    assert_eq!(kept.cases[&4], Outcome::Answered, "silence is for the comparison to judge");
    assert_eq!(kept.offsets(5, 0), [0, 0x18]);
}

#[test]
fn names_of_any_kind_lead_back_to_their_cases() {
    let (folder, readelf) = tool();
    let good = print(TWO_RECORDS);
    let mut files: Vec<_> =
        ["b c", "new\nFile: x", "File: y", "'q'", "ü", "z"].map(|name| (name, &*good)).into();
    files.push(files[0]);
    let kept = run(&readelf, folder.path(), &files);
    for case in 0..files.len() {
        assert_eq!((&kept.cases[&case], kept.offsets(case, 0).len()), (&Outcome::Answered, 2), "{case}");
    }
}

#[test]
fn members_of_an_archive_come_from_one_run() {
    let (folder, readelf) = tool();
    let archive = folder.path().join("lib.a");
    let heads =
        ["a.o", "b.o", "a.o"].map(|member| format!("\nFile: {}({member})\n{TWO_RECORDS}", archive.display()));
    let once = format!("[ ! -e \"$file.ran\" ] || exit 1\ntouch \"$file.ran\"\n{}", print(&heads.concat()));
    fs::write(&archive, once).expect("a file");
    let members = ["a.o", "a.o", "b.o", "c.o", "d\n.o"];
    let mut cases: Vec<Case> = members.iter().map(|member| case_of(Some(&archive), Some(member))).collect();
    cases.push(case_of(None, None));
    let mut kept = Kept::default();
    readelf.read(1, &cases, &mut kept);
    for case in 0..3 {
        assert_eq!(kept.cases[&case], Outcome::Answered);
        assert!(kept.sections.contains_key(&(case, 0)));
    }
    assert!(matches!(&kept.cases[&3], Outcome::Failed(why) if why.contains("nothing of this file")));
    assert!(matches!(&kept.cases[&4], Outcome::Unsupported(_)));
    assert!(matches!(&kept.cases[&5], Outcome::Unsupported(_)));
}

#[test]
fn a_name_cut_by_the_tool_leads_to_its_member_once() {
    let (folder, readelf) = tool();
    let archive = folder.path().join("lib.a");
    let heads = |members: &[&str]| -> String {
        let head = |member: &&str| format!("\nFile: {}({member})\n{TWO_RECORDS}", archive.display());
        members.iter().map(head).collect()
    };
    // The second is a member of which nothing was asked.
    for printed in [&["sixteen_letters_"][..], &["sixteen_letters"], &["sixteen_letters_", "sixteen_letters"]]
    {
        fs::write(&archive, print(&heads(printed))).expect("a file");
        let mut kept = Kept::default();
        readelf.read(1, &[case_of(Some(&archive), Some("sixteen_letters_"))], &mut kept);
        assert_eq!((&kept.cases[&0], kept.offsets(0, 0)), (&Outcome::Answered, vec![0, 0x18]), "{printed:?}");
    }
}

#[test]
fn a_file_without_sections_needs_no_word() {
    let (folder, readelf) = tool();
    let archive = folder.path().join("lib.a");
    fs::write(&archive, "").expect("a file");
    let mut cases = ["a.o", "b.o"].map(|member| case_of(Some(&archive), Some(member)));
    cases[0].sections.clear();
    let mut kept = Kept::default();
    readelf.read(1, &cases, &mut kept);
    assert_eq!(kept.cases[&0], Outcome::Answered);
    assert!(matches!(&kept.cases[&1], Outcome::Failed(why) if why.contains("nothing of this file")));
}

#[test]
fn a_sink_that_has_heard_enough_stops_the_tool() {
    let (folder, readelf) = tool();
    let paths = ["a", "b"].map(|name| folder.path().join(name));
    let cases = paths.map(|path| {
        fs::write(&path, "exec sleep 600\n").expect("a file");
        case_of(Some(&path), None)
    });
    let mut kept = Kept { cancelled: true, ..Kept::default() };
    readelf.read(0, &cases, &mut kept);
    assert_eq!(kept.cases.len(), 2);
}

#[test]
fn what_is_missing_or_something_else_is_told() {
    let missing =
        Binutils::probe_program(Program::Readelf, "no-such-program-of-that-name").expect_err("it is missing");
    assert!(missing.why.contains("no-such-program") && missing.install.contains("binutils"));
    assert!(
        Binutils::probe_program(Program::Readelf, "true")
            .expect_err("it is another")
            .why
            .contains("not GNU readelf")
    );
}

#[test]
fn the_version_is_found_in_what_distributions_make_of_the_banner() {
    for (banner, version, files) in [
        ("GNU readelf 2.16.1 Debian GNU/Linux", Some("2.16.1"), 1),
        ("GNU readelf version 2.17", Some("2.17"), 1),
        ("GNU readelf (GNU Binutils for Debian) 2.26", Some("2.26"), 200),
        ("GNU readelf version 2.30-119.el8", Some("2.30-119.el8"), 200),
        ("GNU readelf (GNU Binutils; SUSE Linux Enterprise 15) 2.41.0", Some("2.41.0"), 200),
        ("GNU readelf", None, 0),
    ] {
        assert_eq!(version_in(banner), version, "{banner}");
        if let Some(version) = version {
            assert_eq!(if keeps_in_step(version) { 200 } else { 1 }, files, "{banner}");
        }
    }
}

#[test]
fn names_that_look_like_options_get_a_folder() {
    let cases = [case_of(Some(Path::new("-x")), None), case_of(Some(Path::new("@x")), None)];
    let (_folder, readelf) = tool();
    let mut kept = Kept::default();
    readelf.read(0, &cases, &mut kept);
    assert_eq!(kept.cases.len(), 2, "neither is there, and neither is taken for options");
}
