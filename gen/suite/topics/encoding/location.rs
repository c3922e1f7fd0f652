//! Initial locations in every encoding, and DW_CFA_set_loc, whose operand has the same one.

use cfidiff_model::Address;

use super::CLAUSE;
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, GOT, TEXT};
use crate::suite::encodings::{
    ABSOLUTE, DATAREL, PCREL, SMALL_TEXT, TEXTREL, is_indirect, name, or_refused, text_for, with_applications,
};
use crate::suite::rows::{Listing, cfa};
use crate::{ALIGNED, CieSpec, FdeSpec, INDIRECT, Padding, Program, Record};

/// GCC's reader of encoded pointers, which is where DW_EH_PE_indirect is defined.
const CLAUSE_INDIRECT: &str = "LSB Core, DWARF exception header encoding; GCC's unwind-pe.h: \
    DW_EH_PE_indirect, the pointer leads to a slot, which a program that lists sections does not follow";

/// Where class and byte order matter: plain, wider and narrower than an address, pcrel, aligned.
const SAMPLE: [u8; 7] = [0x00, 0x04, 0x0a, 0x0c, 0x1b, 0x1c, ALIGNED];

pub(super) fn add(suite: &mut Suite) {
    for encoding in with_applications(&[ABSOLUTE, PCREL, TEXTREL, DATAREL]) {
        for encoding in [encoding, encoding | INDIRECT] {
            let draft = locations(&format!("encoding/enc-{}", name(encoding)), &Convention::X86_64, encoding);
            suite.add(or_refused(draft, encoding).catches(bugs(encoding)));
        }
    }
    suite.add(locations("encoding/enc-50-aligned", &Convention::X86_64, ALIGNED).catches(bugs(ALIGNED)));
    for (machine, prefix) in
        [(Convention::I386, "i386"), (Convention::MIPS, "mips"), (Convention::S390X, "s390x")]
    {
        for encoding in SAMPLE {
            suite.add(locations(&format!("encoding/{prefix}-{}", name(encoding)), &machine, encoding));
        }
    }
    aligned_location(suite);
    negative(suite);
    wrap(suite);
}

/// The public bugs that a case of this encoding would have caught.
fn bugs(encoding: u8) -> &'static [&'static str] {
    match encoding {
        0x00 => &["julia PR 15010"],
        0x03 => &["elfutils commit 7934ded4", "julia PR 15010"],
        0x1b => &["elfutils commit 00f758c2", "elfutils commit c1e4e29f"],
        ALIGNED => &["elfutils commit 7934ded4"],
        _ => &[],
    }
}

/// Functions in this encoding. Rows start at locations, so DW_CFA_set_loc leads to no slot.
fn locations(name: &str, machine: &Convention, encoding: u8) -> Draft {
    let text = text_for(encoding);
    let cie = Record::Cie(CieSpec { fde_encoding: encoding, ..machine.eh_frame_cie() });
    if is_indirect(encoding) {
        let about = format!("An initial location in encoding {encoding:#04x}: the address of a slot.");
        let records = vec![cie, Record::Fde(machine.function(0, GOT + 0x10, 0x20))];
        let draft = Draft::new(name, machine, &about).text(text, SMALL_TEXT);
        return draft.clause(CLAUSE_INDIRECT).slots(&[0x10]).eh_frame(records);
    }
    let about = format!("Two initial locations and a set_loc in encoding {encoding:#04x}.");
    let draft = Draft::new(name, machine, &about).clause(CLAUSE).text(text, SMALL_TEXT);
    let draft = if encoding & 0x70 == DATAREL { draft.got() } else { draft };
    draft.eh_frame(vec![
        cie,
        Record::Fde(machine.function(0, text + 0x10, 0x20)),
        Record::Fde(with_set_loc(machine, text + 0x40, 0x30)),
    ])
}

/// A function that opens its frame 16 bytes behind its start, where DW_CFA_set_loc leads.
fn with_set_loc(machine: &Convention, start: u64, size: u64) -> FdeSpec {
    let program = Program::new().set_loc(Address(start + 0x10)).def_cfa_offset(32);
    let rows = Listing::new(start, start + size)
        .row(0, cfa(machine.stack_pointer, machine.entry_offset), &machine.entry_rules())
        .row(0x10, cfa(machine.stack_pointer, 32), &machine.entry_rules())
        .done();
    FdeSpec { rows, ..FdeSpec::new(0, Address(start), size, program) }
}

/// Whether padding stands before an aligned pointer depends on where its field is.
fn aligned_location(suite: &mut Suite) {
    let machine = Convention::X86_64;
    let about = "Initial locations in DW_EH_PE_aligned, without and with padding before them.";
    let cie = CieSpec { fde_encoding: ALIGNED, ..machine.eh_frame_cie() };
    // The first FDE has 30 bytes, so that the second one's location would not be aligned.
    let records = vec![
        Record::Cie(cie),
        Record::Fde(FdeSpec { padding: Padding::Nops(0), ..machine.function(0, TEXT, 2) }),
        Record::Fde(machine.function(0, TEXT + 2, 2)),
    ];
    suite.add(Draft::new("encoding/aligned_location", &machine, about).clause(CLAUSE).eh_frame(records));
}

fn negative(suite: &mut Suite) {
    let machine = Convention::X86_64;
    let about = "A negative location in sdata4, which is sign-extended to 64 bits.";
    let cie = CieSpec { fde_encoding: 0x0b, ..machine.eh_frame_cie() };
    let records = vec![
        Record::Cie(cie),
        Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
        Record::Fde(machine.function(0, 0xffff_ffff_ffff_f000, 0x20)),
    ];
    suite.add(Draft::new("encoding/enc-0b-negative", &machine, about).clause(CLAUSE).eh_frame(records));
}

/// A difference that is as large as the address space of 32 bits allows. Only the sum's low 32 bits count.
fn wrap(suite: &mut Suite) {
    let clause =
        "LSB Core, DWARF exception header encoding: pcrel; an address has the size of the file's class";
    for (machine, name, encoding) in [
        (Convention::I386, "encoding/i386-pcrel-wrap", PCREL | 0x0b),
        (Convention::I386, "encoding/i386-pcrel-wrap-sdata8", PCREL | 0x0c),
        (Convention::MIPS, "encoding/mips-pcrel-wrap", PCREL | 0x0b),
    ] {
        let about = "32-bit addresses: a pcrel location at 0xfffff000, where the sum wraps around.";
        let cie = CieSpec { fde_encoding: encoding, ..machine.eh_frame_cie() };
        let records = vec![
            Record::Cie(cie),
            Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
            Record::Fde(machine.function(0, 0xffff_f000, 0x20)),
        ];
        let bugs = &["binutils readelf 2.16.1 (fixed by 2.26)"];
        suite.add(Draft::new(name, &machine, about).clause(clause).catches(bugs).eh_frame(records));
    }
}
