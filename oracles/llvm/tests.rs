//! What becomes of the text of several versions, of complaints, and of output that is hostile; and which programs are
//! found. What the installed versions say of real sections is tested elsewhere.

use std::collections::{HashMap, VecDeque};
use std::os::unix::fs::symlink;

use cfidiff_model::{
    Address, Bases, CfaRule, Class, Endianness, Entry, EntryKind, Instruction, Machine, Outcome, Pointer,
    Section, SectionKind, SectionOffset, Target,
};
use proptest::prelude::*;

use super::*;
use crate::printed::Stream;

const TARGET: Target = Target {
    machine: Machine::X86_64,
    class: Class::Elf64,
    endianness: Endianness::Little,
    relocatable: false,
};

/// A file as 14.0 prints it.
const OLD: &str = "\
./a:\tfile format elf64-x86-64

.debug_frame contents:


.eh_frame contents:

00000000 00000024 00000000 CIE
  Format:                DWARF32
  Version:               1
  Augmentation:          \"zPLR\"
  Code alignment factor: 1
  Data alignment factor: -8
  Return address column: 16
  Personality Address: 0000000000001234
  Augmentation data:     00 34 12 00 00 00 00 00 00 1B 1B

  DW_CFA_def_cfa: RSP +8
  DW_CFA_offset: RIP -8
  DW_CFA_nop:

  CFA=RSP+8: RIP=[CFA-8]

00000028 0000001c 0000002c FDE cie=00000000 pc=00001010...00001030
  Format:       DWARF32
  LSDA Address: 0000000000002139
  DW_CFA_advance_loc: 1
  DW_CFA_def_cfa_offset: +16
  DW_CFA_nop:

  0x1010: CFA=RSP+8: RIP=[CFA-8]
  0x1011: CFA=RSP+16: RIP=[CFA-8]

00000048 ZERO terminator
";

/// Keeps all that is said.
#[derive(Default)]
struct Kept {
    open: Option<(usize, usize)>,
    entries: HashMap<(usize, usize), Vec<Entry>>,
    sections: HashMap<(usize, usize), Outcome>,
    cases: HashMap<usize, Outcome>,
}

impl Sink for Kept {
    fn section(&mut self, case: usize, section: usize, _says: Says) {
        assert_eq!(self.open.replace((case, section)), None);
        self.entries.insert((case, section), Vec::new());
    }
    fn entry(&mut self, entry: &Entry) {
        let open = self.open.expect("an open section");
        self.entries.entry(open).or_default().push(entry.clone());
    }
    fn end_section(&mut self, outcome: Outcome) {
        self.sections.insert(self.open.take().expect("an open section"), outcome);
    }
    fn end_case(&mut self, case: usize, outcome: Outcome) {
        assert_eq!(self.open, None);
        assert_eq!(self.cases.insert(case, outcome), None);
    }
}

fn section(kind: SectionKind) -> Section {
    Section {
        kind,
        name: kind.name().to_owned(),
        index: None,
        section_type: 0,
        address: Address(0),
        file_offset: None,
        data: vec![0; 400],
        bases: Bases::default(),
        faults: Vec::new(),
    }
}

/// What comes of this output of one process for files of these names.
fn parse(text: &[u8], files: &[&str], sections: &[SectionKind]) -> Kept {
    let case = |name: &&str| Case {
        name: (*name).to_owned(),
        path: Some((*name).into()),
        member: None,
        target: TARGET,
        sections: sections.iter().copied().map(section).collect(),
        notes: Vec::new(),
    };
    let cases: Vec<Case> = files.iter().map(case).collect();
    let names =
        [("RBX", 3), ("RSP", 7), ("RIP", 16)].map(|(name, number)| (name.as_bytes().to_vec(), number));
    let registers = Registers::given(TARGET, SectionKind::EhFrame, names.into());
    let expected =
        files.iter().enumerate().map(|(index, name)| (name.as_bytes().to_vec(), VecDeque::from([index])));
    let mut kept = Kept::default();
    let mut stream =
        Stream::new(&cases, &mut kept, SAYS, Records::new(&registers, TARGET), expected.collect());
    for chunk in text.chunks(61) {
        assert!(stream.feed(chunk).is_continue());
    }
    stream.finish();
    kept
}

#[test]
fn both_generations_of_the_text_say_the_same() {
    let new = OLD.replace("advance_loc: 1\n", "advance_loc: 1 to 0x1011\n");
    assert_ne!(OLD, new);
    for text in [OLD, &new] {
        let kept = parse(text.as_bytes(), &["./a"], &[SectionKind::EhFrame]);
        assert_eq!((&kept.cases[&0], &kept.sections[&(0, 0)]), (&Outcome::Answered, &Outcome::Answered));
        let [cie, fde, terminator] = &kept.entries[&(0, 0)][..] else { panic!("three entries") };
        assert_eq!((terminator.offset, &terminator.kind), (SectionOffset(0x48), &EntryKind::Terminator));
        let EntryKind::Cie(fields) = &cie.kind else { panic!("a CIE") };
        assert_eq!(fields.augmentation.as_slice(), b"zPLR");
        assert_eq!(fields.augmentation_data.as_slice(), [0, 0x34, 0x12, 0, 0, 0, 0, 0, 0, 0x1b, 0x1b]);
        let factors = (fields.code_alignment_factor, fields.data_alignment_factor);
        assert_eq!((factors, fields.return_address_register, fields.version), ((1, -8), 16, 1));
        let row = cie.rows.get(0).expect("an initial row");
        assert_eq!((row.start, row.end), (Address(0), Address(0)));
        let EntryKind::Fde(fields) = &fde.kind else { panic!("an FDE") };
        assert_eq!((fields.cie, fields.cie_pointer), (Some(SectionOffset(0)), 0x2c));
        assert_eq!((fields.initial_location, fields.address_range), (Address(0x1010), 0x20));
        assert_eq!(fields.lsda, Some(Pointer { address: Address(0x2139), indirect: false }));
        let expected = [
            Instruction::AdvanceLoc { delta: 1 },
            Instruction::DefCfaOffset { offset: 16 },
            Instruction::Nop,
        ];
        assert_eq!(fde.instructions, expected);
        let rows: Vec<_> = fde.rows.iter().map(|row| (row.start.0, row.end.0, row.cfa.clone())).collect();
        let cfa = |offset| CfaRule::RegisterOffset { register: 7, offset };
        assert_eq!(rows, [(0x1010, 0x1011, cfa(8)), (0x1011, 0x1030, cfa(16))]);
    }
}

#[test]
fn an_error_before_the_first_record_is_the_section_s_and_one_behind_it_the_record_s() {
    let lost = "./a:\tfile format elf64-x86-64\n\n.eh_frame contents:\nerror: parsing entry instructions at 0x0 failed\n";
    let kept = parse(lost.as_bytes(), &["./a"], &[SectionKind::EhFrame]);
    assert!(matches!(&kept.sections[&(0, 0)], Outcome::Failed(why) if why.contains("at 0x0 failed")));
    let start = OLD.find("  0x1010").expect("a row");
    let end = OLD.find("\n00000048").expect("a terminator");
    let errors = "error: decoding the FDE opcodes into rows failed\nerror: DW_CFA_set_loc with adrress 0x190 which must be \
                  greater than the current row address 0x7f3fe0be4000\n";
    let text = format!("{}{errors}{}", &OLD[..start], &OLD[end..]);
    let kept = parse(text.as_bytes(), &["./a"], &[SectionKind::EhFrame]);
    let [_, fde, _] = &kept.entries[&(0, 0)][..] else { panic!("three entries") };
    assert_eq!((fde.faults.len(), fde.rows.len()), (2, 0));
    assert!(fde.faults[1].expected.ends_with("than the current row address"), "{}", fde.faults[1].expected);
    assert_eq!(kept.sections[&(0, 0)], Outcome::Answered);
}

#[test]
fn that_a_relocation_was_not_applied_is_no_word_on_a_record() {
    let warning = "warning: failed to compute relocation: R_390_PC32, Invalid data was encountered\n";
    let [b, c] = ["./b", "./c"].map(|name| OLD.replace("./a", name));
    let text = format!("{OLD}{warning}{warning}{b}{c}");
    let kept = parse(text.as_bytes(), &["./a", "./b", "./c"], &[SectionKind::EhFrame]);
    for case in [0, 1, 2] {
        assert_eq!((&kept.cases[&case], kept.entries[&(case, 0)].len()), (&Outcome::Answered, 3));
    }
}

#[test]
fn the_next_file_s_unknown_machine_is_no_word_on_the_record_before() {
    let b = OLD.replace("./a", "./b");
    for words in ["Error in creating MCRegInfo", "No available targets are compatible with triple \"a-b-c\""]
    {
        let text = format!("./a: {words}\n{OLD}./b: {words}\n{b}");
        let kept = parse(text.as_bytes(), &["./a", "./b"], &[SectionKind::EhFrame]);
        for case in [0, 1] {
            assert_eq!(
                (&kept.cases[&case], &kept.sections[&(case, 0)]),
                (&Outcome::Answered, &Outcome::Answered)
            );
            assert!(kept.entries[&(case, 0)].iter().all(|entry| entry.faults.is_empty()), "{words}");
        }
    }
}

#[test]
fn of_two_sections_with_one_name_it_shows_the_last() {
    let kept = parse(OLD.as_bytes(), &["./a"], &[SectionKind::EhFrame, SectionKind::EhFrame]);
    assert!(!kept.sections.contains_key(&(0, 0)));
    assert_eq!(kept.entries[&(0, 1)].len(), 3);
}

#[test]
fn lines_that_are_not_known_are_faults_or_the_end() {
    let text = OLD.replace("DW_CFA_def_cfa_offset: +16", "DW_CFA_def_cfa_offset: sixteen");
    let kept = parse(text.as_bytes(), &["./a"], &[SectionKind::EhFrame]);
    assert_eq!(kept.entries[&(0, 0)][1].faults.len(), 1);
    let text = OLD.replace("00000048 ZERO terminator", "00000048 what is this");
    let kept = parse(text.as_bytes(), &["./a"], &[SectionKind::EhFrame]);
    assert!(matches!(&kept.sections[&(0, 0)], Outcome::Failed(why) if why.contains("what is this")));
    let text = OLD.replace("  DW_CFA_nop:\n", &"  DW_CFA_nop:\n".repeat(1000));
    let kept = parse(text.as_bytes(), &["./a"], &[SectionKind::EhFrame]);
    assert!(matches!(&kept.sections[&(0, 0)], Outcome::Failed(why) if why.contains("more instructions")));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_output_ends_in_an_outcome(
        lines in proptest::collection::vec(
            (proptest::sample::select(OLD.lines().collect::<Vec<_>>()), any::<proptest::sample::Index>(), any::<u8>()),
            0..60,
        ),
    ) {
        let broken = lines.iter().map(|(line, at, byte)| {
            let mut line = line.as_bytes().to_vec();
            if !line.is_empty() && byte % 3 == 0 {
                let at = at.index(line.len());
                line[at] = *byte;
            }
            line
        });
        let text = broken.collect::<Vec<_>>().join(&b'\n');
        let kept = parse(&text, &["./a"], &[SectionKind::EhFrame]);
        prop_assert!(kept.open.is_none() && kept.cases.len() <= 1);
    }
}

#[test]
fn programs_are_found_in_the_order_of_their_numbers() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let paths: Vec<PathBuf> = folders.iter().map(|folder| folder.path().to_owned()).collect();
    let names =
        |paths: &[PathBuf]| programs(TOOL, paths).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(&paths), Vec::<String>::new());
    for name in ["llvm-dwarfdump-9", "llvm-dwarfdump-14", "llvm-dwarfdump-x", "llvm-dwarfdump2", "llvm"] {
        fs::write(paths[0].join(name), "").expect("a file");
    }
    fs::write(paths[1].join("llvm-dwarfdump-14"), "").expect("a file");
    symlink(paths[0].join("llvm-dwarfdump-14"), paths[1].join("llvm-dwarfdump")).expect("a link");
    assert_eq!(names(&paths), ["llvm-dwarfdump-9", "llvm-dwarfdump-14"], "the plain one is 14");
    assert!(programs(TOOL, &paths)[1].1.starts_with(&paths[0]), "the first in PATH");
    assert_eq!(names(&paths[1..]), ["llvm-dwarfdump", "llvm-dwarfdump-14"], "the plain one is another");
}

#[test]
fn what_is_missing_or_something_else_is_told() {
    let missing =
        LlvmDwarfdump::probe_program("llvm-dwarfdump-1", "no-such-program").expect_err("it is missing");
    assert_eq!(missing.name, "llvm-dwarfdump-1");
    assert!(missing.why.contains("no-such-program") && missing.install.contains("llvm"));
    let other = LlvmDwarfdump::probe_program("llvm-dwarfdump", "true").expect_err("it is another");
    assert!(other.why.contains("no version of LLVM"));
}
