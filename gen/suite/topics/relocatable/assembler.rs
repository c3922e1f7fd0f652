//! One source with all directives of the GNU assembler, as that and as LLVM's assembler write it. The first
//! function has a personality routine, an LSDA, a remembered state and one rule of each kind; the second is a
//! signal frame with long advances; then come a window save and a function without a byte.

use cfidiff_model::{Address, CfaRule, RegisterRule, SectionKind};

use super::CLAUSE;
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::rows::{Listing, at, cfa, cfa_expression, initial_row};
use crate::{CieSpec, Code, ElfSection, FdeSpec, Padding, Program, Record};

/// Where the functions start behind the text section's start, and its size.
const FIRST: u64 = 1;
const SIGNAL: u64 = 8;
const WINDOW: u64 = 0x112a6;
const EMPTY: u64 = 0x112a7;
pub(in crate::suite::topics) const CODE_SIZE: usize = 0x112a7;

/// Who writes the sections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::suite::topics) enum Assembler {
    Gnu,
    /// It knows no `.cfi_val_offset`, and orders the records by their CIEs.
    Llvm,
}

/// Where the parts of the program are: the code, the LSDA and the pointer to the personality routine.
#[derive(Clone, Copy)]
pub(in crate::suite::topics) struct Parts {
    pub text: u64,
    pub lsda: u64,
    pub personality: u64,
}

pub(super) fn add(suite: &mut Suite) {
    for (name, assembler) in [("gas", Assembler::Gnu), ("clang19", Assembler::Llvm)] {
        let about = format!(
            "All CFI directives in both sections, as {} writes them.",
            match assembler {
                Assembler::Gnu => "the GNU assembler",
                Assembler::Llvm => "LLVM's assembler",
            }
        );
        let text = ElfSection::code_elsewhere(".text", Address(0), CODE_SIZE);
        let lsda = ElfSection::constants(".gcc_except_table", Address(0), vec![0xff, 0xff, 1, 0]);
        let parts = Parts { text: 0, lsda: 0, personality: 0 };
        let draft = Draft::new(&format!("relocatable/asm-all-{name}.o"), &Convention::X86_64, &about)
            .object()
            .elf(|elf| elf.sections[0] = text)
            .extra(lsda)
            .clause(CLAUSE);
        let eh_frame = draft.spec(SectionKind::EhFrame, records(SectionKind::EhFrame, assembler, parts));
        let draft = draft.frame_as(eh_frame, |section| {
            if assembler == Assembler::Llvm {
                section.section_type = super::sections::X86_64_UNWIND;
            }
        });
        suite.add(draft.debug_frame(records(SectionKind::DebugFrame, assembler, parts)));
    }
}

/// The records of one section.
pub(in crate::suite::topics) fn records(
    kind: SectionKind,
    assembler: Assembler,
    parts: Parts,
) -> Vec<Record> {
    let eh_frame = kind == SectionKind::EhFrame;
    let text = parts.text;
    let usual = cie(kind, assembler);
    let signal =
        CieSpec { augmentation: if eh_frame { b"zRS".to_vec() } else { b"S".to_vec() }, ..usual.clone() };
    let with_lsda = CieSpec {
        augmentation: b"zPLR".to_vec(),
        personality: (0x9b, Some(Address(parts.personality))),
        lsda_encoding: 0x1b,
        ..usual.clone()
    };
    let lsda = eh_frame.then_some(Address(parts.lsda));
    let first = |cie| FdeSpec { lsda, ..first(cie, text + FIRST, assembler) };
    let window = |cie| usual_row(cie, text + WINDOW, 1, Program::new().gnu_window_save());
    let empty = |cie| usual_row(cie, text + EMPTY, 0, Program::new());
    let in_fde = assembler == Assembler::Llvm;
    let signal_fde = |cie| signal_handler(cie, text + SIGNAL, in_fde);
    let padding = Padding::Align(if eh_frame { 4 } else { 8 });
    let padded = |fde: FdeSpec| Record::Fde(FdeSpec { padding, ..fde });
    match (kind, assembler) {
        (SectionKind::EhFrame, Assembler::Gnu) => vec![
            Record::Cie(with_lsda),
            padded(first(0)),
            Record::Cie(signal),
            padded(signal_fde(2)),
            Record::Cie(usual),
            padded(window(4)),
            // The last record ends at a multiple of eight bytes.
            Record::Fde(FdeSpec { padding: Padding::Align(8), ..empty(4) }),
        ],
        (SectionKind::EhFrame, Assembler::Llvm) => vec![
            Record::Cie(usual),
            padded(window(0)),
            padded(empty(0)),
            Record::Cie(without_program(signal)),
            padded(signal_fde(3)),
            Record::Cie(with_lsda),
            padded(first(5)),
        ],
        (_, Assembler::Gnu) => vec![
            Record::Cie(usual),
            padded(first(0)),
            Record::Cie(signal),
            padded(signal_fde(2)),
            padded(window(0)),
            padded(empty(0)),
        ],
        // LLVM knows one CIE without augmentation, whose instructions the signal frame repeats.
        (_, Assembler::Llvm) => {
            vec![
                Record::Cie(usual),
                padded(window(0)),
                padded(empty(0)),
                padded(signal_fde(0)),
                padded(first(0)),
            ]
        }
    }
}

/// LLVM writes version 4 into `.debug_frame`.
fn cie(kind: SectionKind, assembler: Assembler) -> CieSpec {
    let machine = Convention::X86_64;
    match (kind, assembler) {
        (SectionKind::EhFrame, _) => machine.eh_frame_cie(),
        (_, Assembler::Gnu) => machine.debug_frame_cie(),
        (_, Assembler::Llvm) => CieSpec { version: 4, ..machine.debug_frame_cie() },
    }
}

fn without_program(cie: CieSpec) -> CieSpec {
    CieSpec { program: Program::new(), rows: initial_row(CfaRule::Undefined, &[]), ..cie }
}

fn first(cie: usize, start: u64, assembler: Assembler) -> FdeSpec {
    let saved_address = Code::new().breg(6, 16).deref();
    let known = assembler == Assembler::Gnu;
    let mut program = Program::new()
        .advance_loc(1)
        .def_cfa_offset(16)
        .offset(6, 2)
        .advance_loc(3)
        .def_cfa_register(6)
        .remember_state();
    if known {
        program = program.val_offset(3, 3);
    }
    program = program
        .undefined(12)
        .same_value(13)
        .register(14, 15)
        .gnu_args_size(16)
        .def_cfa_expression(saved_address.clone())
        .advance_loc(1)
        .restore_state()
        .def_cfa_offset(24)
        .offset(3, 3)
        .restore(3)
        .advance_loc(1)
        .def_cfa(7, 8);
    let saved = [(6, at(-16)), (16, at(-8))];
    let val_offset = known.then_some((3, RegisterRule::ValOffset(-24)));
    let all: Vec<_> = val_offset
        .into_iter()
        .chain([
            (6, at(-16)),
            (12, RegisterRule::Undefined),
            (13, RegisterRule::SameValue),
            (14, RegisterRule::Register(15)),
            (16, at(-8)),
        ])
        .collect();
    // The state that comes back has the frame register's CFA, with the offset that is set then.
    let rows = Listing::new(start, start + 7)
        .row(0, cfa(7, 8), &[(16, at(-8))])
        .row(1, cfa(7, 16), &saved)
        .row(4, cfa_expression(&saved_address, 8), &all)
        .row(5, cfa(6, 24), &saved)
        .row(6, cfa(7, 8), &saved)
        .done();
    FdeSpec { rows, ..FdeSpec::new(cie, Address(start), 7, program) }
}

/// The source defines the CFA itself. The GNU assembler makes CIE instructions of that.
fn signal_handler(cie: usize, start: u64, in_fde: bool) -> FdeSpec {
    let size = WINDOW - SIGNAL;
    let program = if in_fde { Program::new().def_cfa(7, 8).offset(16, 1) } else { Program::new() };
    let program = program.advance_loc2(301).def_cfa_offset(24).advance_loc4(70000).def_cfa_offset(32);
    let rules = [(16, at(-8))];
    let rows = Listing::new(start, start + size)
        .row(0, cfa(7, 8), &rules)
        .row(301, cfa(7, 24), &rules)
        .row(70301, cfa(7, 32), &rules)
        .done();
    FdeSpec { rows, ..FdeSpec::new(cie, Address(start), size, program) }
}

/// A function whose only row is the CIE's. DW_CFA_GNU_window_save changes rules on SPARC alone.
fn usual_row(cie: usize, start: u64, size: u64, program: Program) -> FdeSpec {
    let rows = Listing::new(start, start + size).row(0, cfa(7, 8), &[(16, at(-8))]).done();
    FdeSpec { rows, ..FdeSpec::new(cie, Address(start), size, program) }
}
