//! Linked files: the records that linkers make and keep, beside a matching `.eh_frame_hdr`.

use cfidiff_model::{Address, RegisterRule, SectionKind};

use super::relocatable::{Assembler, CODE_SIZE, Parts, overlapping, records};
use crate::suite::Suite;
use crate::suite::compiled::{leaf, procedure_linkage_table, startup, startup_cie, unoptimized};
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::rows::{Listing, at, cfa};
use crate::{CieSpec, ElfSection, FdeSpec, HeaderSpec, Padding, Program, Record};

const X86_64: Convention = Convention::X86_64;
const CLAUSE: &str = "DWARF 5 section 6.4; LSB Core, exception frames and exception frame header";

pub(super) fn add(suite: &mut Suite) {
    suite.add(program(
        "shape-pie-debian",
        "A position-independent program: two CIEs, eight functions and their header.",
        0,
        false,
    ));
    suite.add(program(
        "shape-pie-ibtplt",
        "The same program with indirect branch tracking, whose PLT counts otherwise.",
        0,
        true,
    ));
    suite.add(program(
        "shape-nopie",
        "The same program at fixed addresses, which are no file offsets.",
        0x40_0000,
        false,
    ));
    suite.add(all_directives());
    suite.add(overlap());
    suite.add(pointer_authentication());
    suite.add(stripped(
        "linked/stripped",
        "A program without symbols, whose header and .eh_frame share a segment.",
        X86_64.eh_frame_cie(),
    ));
}

/// What `strip` leaves of a program. Header and `.eh_frame` are next to each other in one segment, as linkers place
/// them: a reader that starts at PT_GNU_EH_FRAME, without sections and symbols, gets to the records.
pub(super) fn stripped(name: &str, about: &str, cie: CieSpec) -> Draft {
    let functions = [(0x1010, 0x20), (0x1040, 0x30), (0x1070, 0x10)]
        .map(|(start, size)| Record::Fde(X86_64.function(0, start, size)));
    let records = [Record::Cie(cie)].into_iter().chain(functions).chain([Record::Terminator]).collect();
    let draft = Draft::new(name, &X86_64, about).clause(CLAUSE).elf(|elf| elf.shared_segments = true);
    let mut spec = draft.spec(SectionKind::EhFrame, records);
    spec.address = Address(0x1f28);
    let draft = draft.frame(spec);
    let header = draft.matching_header();
    draft.header(header)
}

/// A C program of five functions as GCC and GNU ld make it on x86-64, loaded at `base`.
fn program(name: &str, about: &str, base: u64, tracking: bool) -> Draft {
    let mut records = vec![
        Record::Cie(CieSpec { padding: Padding::Align(8), ..startup_cie() }),
        Record::Fde(startup(0, base + 0x1060)),
        Record::Cie(X86_64.eh_frame_cie()),
        Record::Fde(procedure_linkage_table(2, base + 0x1020, if tracking { 9 } else { 11 })),
        Record::Fde(leaf(2, base + 0x1040, 0x10)),
    ];
    if tracking {
        records.push(Record::Fde(leaf(2, base + 0x1050, 0x10)));
    }
    let before = if tracking { 4 } else { 0 };
    let functions = [(0x1149, 0x35), (0x117e, 0x2b), (0x11a9, 0x20), (0x11c9, 0x3a), (0x1203, 0x48)];
    records.extend(functions.map(|(start, size)| Record::Fde(unoptimized(2, base + start, size, before))));
    records.push(Record::Terminator);
    let draft = Draft::new(&format!("linked/{name}"), &X86_64, about)
        .clause(CLAUSE)
        .elf(|elf| elf.position_independent = base == 0)
        .text(base + 0x1060, 0x1f0)
        .extra(code(".plt", base + 0x1020, 0x20))
        .extra(code(".plt.got", base + 0x1040, 0x10));
    let draft = if tracking { draft.extra(code(".plt.sec", base + 0x1050, 0x10)) } else { draft };
    with_header(draft, base + 0x2010, base + 0x2070, records)
}

/// Adds `.eh_frame`, its header and symbols.
fn with_header(draft: Draft, header: u64, frame: u64, records: Vec<Record>) -> Draft {
    let mut spec = draft.spec(SectionKind::EhFrame, records);
    spec.address = Address(frame);
    let draft = draft.frame(spec).symbols();
    let spec = HeaderSpec { address: Address(header), ..draft.matching_header() };
    draft.header(spec)
}

fn code(name: &str, address: u64, size: usize) -> ElfSection {
    ElfSection { name: name.to_owned(), ..ElfSection::text(Address(address), size) }
}

/// GNU ld drops a function without a byte from `.eh_frame`, and keeps it in `.debug_frame`.
fn all_directives() -> Draft {
    let text = 0x1000;
    let parts = Parts { text, lsda: 0x13100, personality: 0x14000 };
    let lsda = ElfSection::constants(".gcc_except_table", Address(parts.lsda), vec![0xff, 0xff, 1, 0]);
    let slot =
        ElfSection { name: ".data.rel.local".to_owned(), ..ElfSection::got(Address(parts.personality), 8) };
    let mut eh_frame = records(SectionKind::EhFrame, Assembler::Gnu, parts);
    eh_frame.pop();
    let draft = Draft::new(
        "linked/asm-all-gas.so",
        &X86_64,
        "All CFI directives in both sections, linked: a function without a byte is in .debug_frame alone.",
    )
    .clause(CLAUSE)
    .elf(|elf| elf.sections[0] = ElfSection::code_elsewhere(".text", Address(text), CODE_SIZE))
    .extra(lsda)
    .extra(slot);
    let debug_frame = records(SectionKind::DebugFrame, Assembler::Gnu, parts);
    with_header(draft, 0x13000, 0x13028, eh_frame).debug_frame(debug_frame)
}

fn overlap() -> Draft {
    let start = 0x40_1000;
    let about = "Two FDEs start at one address, in a program at fixed addresses without a header.";
    let draft = Draft::new("linked/overlap_and_zero_length", &X86_64, about)
        .clause(CLAUSE)
        .elf(|elf| elf.position_independent = false)
        .text(start, 4);
    let mut spec = draft.spec(SectionKind::EhFrame, overlapping(start, false));
    spec.address = Address(0x40_2000);
    draft.frame(spec).symbols()
}

/// What GCC writes with `-mbranch-protection=pac-ret+b-key`: functions that sign their return address have a
/// CIE of their own. The state of the signature is pseudo-register 34.
fn pointer_authentication() -> Draft {
    let machine = Convention::AARCH64;
    let leaf_cie = machine.eh_frame_cie();
    let signing = CieSpec { augmentation: b"zRB".to_vec(), ..machine.eh_frame_cie() };
    let records = vec![
        Record::Cie(leaf_cie),
        Record::Fde(unsigned(0x1010)),
        Record::Cie(signing),
        Record::Fde(signs(0x1020)),
        Record::Fde(two_exits(0x1060)),
        Record::Terminator,
    ];
    let draft = Draft::new(
        "linked/aarch64-pac-bkey.so",
        &machine,
        "Functions that sign their return address with the B key, in a CIE of their own.",
    )
    .clause("AArch64 DWARF supplement: augmentation B, DW_CFA_AARCH64_negate_ra_state, RA_SIGN_STATE")
    .catches(&["gimli PR 401"]);
    with_header(draft, 0x1f00, 0x2000, records)
}

/// RA_SIGN_STATE.
const SIGN_STATE: u64 = 34;

fn signed() -> (u64, RegisterRule) {
    (SIGN_STATE, RegisterRule::Architectural(1))
}

/// A leaf function, which has no need to sign.
fn unsigned(start: u64) -> FdeSpec {
    let rows = Listing::new(start, start + 12).row(0, cfa(31, 0), &[]).done();
    FdeSpec { rows, ..FdeSpec::new(0, Address(start), 12, Program::new()) }
}

/// `paciasp` behind 8 bytes, a frame pair, and all undone in the end.
fn signs(start: u64) -> FdeSpec {
    let size = 0x38;
    let program = Program::new()
        .advance_loc(2)
        .aarch64_negate_ra_state()
        .advance_loc(1)
        .def_cfa_offset(48)
        .offset(29, 6)
        .offset(30, 5)
        .advance_loc(4)
        .offset_extended(72, 4)
        .advance_loc(5)
        .restore(30)
        .restore(29)
        .restore_extended(72)
        .def_cfa_offset(0)
        .advance_loc(1)
        .aarch64_negate_ra_state();
    let pair = [(29, at(-48)), (30, at(-40)), signed()];
    let all = [(29, at(-48)), (30, at(-40)), signed(), (72, at(-32))];
    let rows = Listing::new(start, start + size)
        .row(0, cfa(31, 0), &[])
        .row(8, cfa(31, 0), &[signed()])
        .row(12, cfa(31, 48), &pair)
        .row(28, cfa(31, 48), &all)
        .row(48, cfa(31, 0), &[signed()])
        .row(52, cfa(31, 0), &[(SIGN_STATE, RegisterRule::Architectural(0))])
        .done();
    FdeSpec { rows, ..FdeSpec::new(2, Address(start), size, program) }
}

/// An epilogue in the middle, behind which the state comes back, the signature's included.
fn two_exits(start: u64) -> FdeSpec {
    let size = 0x40;
    let program = Program::new()
        .advance_loc(1)
        .aarch64_negate_ra_state()
        .advance_loc(1)
        .def_cfa_offset(64)
        .offset(29, 8)
        .offset(30, 7)
        .advance_loc(6)
        .remember_state()
        .restore(30)
        .restore(29)
        .def_cfa_offset(0)
        .advance_loc(1)
        .aarch64_negate_ra_state()
        .advance_loc(1)
        .restore_state();
    let pair = [(29, at(-64)), (30, at(-56)), signed()];
    let rows = Listing::new(start, start + size)
        .row(0, cfa(31, 0), &[])
        .row(4, cfa(31, 0), &[signed()])
        .row(8, cfa(31, 64), &pair)
        .row(32, cfa(31, 0), &[signed()])
        .row(36, cfa(31, 0), &[(SIGN_STATE, RegisterRule::Architectural(0))])
        .row(40, cfa(31, 64), &pair)
        .done();
    FdeSpec { rows, ..FdeSpec::new(2, Address(start), size, program) }
}
