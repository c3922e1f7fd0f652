//! Headers in every encoding that their fields can have.

use super::{CLAUSE, functions, leaf};
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::encodings::{ABSOLUTE, DATAREL, PCREL, SMALL_TEXT, name, text_for, with_applications};
use crate::{ALIGNED, HeaderSpec, Record};

/// The low four bits of an encoding: all that a count has, which is no pointer.
const FORMAT: u8 = 0x0f;

pub(super) fn add(suite: &mut Suite) {
    for encoding in with_applications(&[ABSOLUTE, PCREL, DATAREL]).chain([ALIGNED]) {
        let bugs: &[&str] = match encoding {
            0x3c => &["libunwind commit f020b240"],
            _ => &[],
        };
        let name = format!("header/hdr-{}", name(encoding));
        suite.add(uniform(&name, &Convention::X86_64, encoding).catches(bugs));
    }
    let machines = [
        (Convention::I386, "i386"),
        (Convention::MIPS, "mips"),
        (Convention::PPC, "ppc"),
        (Convention::PPC64LE, "ppc64le"),
        (Convention::S390X, "s390x"),
        (Convention::SPARC64, "sparc64"),
    ];
    for (machine, prefix) in machines {
        suite.add(usual(&format!("header/hdr-{prefix}"), &machine));
    }
    for (machine, prefix) in &machines[..2] {
        for encoding in [0x00, 0x3c, ALIGNED] {
            suite.add(uniform(&format!("header/hdr-{prefix}-{}", name(encoding)), machine, encoding));
        }
    }
    suite.add(wrap());
}

/// A header whose pointers are all in this encoding, and the count in its format.
fn uniform(name: &str, machine: &Convention, encoding: u8) -> Draft {
    let text = text_for(encoding);
    let about = format!("The pointer to .eh_frame and the table in encoding {encoding:#04x}.");
    let draft = Draft::new(name, machine, &about)
        .clause(&format!("{CLAUSE}; DWARF exception header encoding"))
        .text(text, SMALL_TEXT)
        .eh_frame(vec![
            Record::Cie(machine.eh_frame_cie()),
            Record::Fde(leaf(machine, text + 0x10, 0x20)),
            Record::Fde(leaf(machine, text + 0x40, 0x30)),
        ]);
    let header = HeaderSpec {
        eh_frame_encoding: encoding,
        count_encoding: encoding & FORMAT,
        table_encoding: encoding,
        ..draft.matching_header()
    };
    draft.header(header)
}

/// What linkers write, for another class or byte order.
fn usual(name: &str, machine: &Convention) -> Draft {
    let about =
        format!("The usual encodings: {}, {} bit addresses.", machine.endianness.name(), bits(machine));
    let draft = Draft::new(name, machine, &about)
        .clause(CLAUSE)
        .catches(&["elfutils commit b4b2de9f"])
        .eh_frame(functions(machine, &[0x1010, 0x1040]));
    let header = draft.matching_header();
    draft.header(header)
}

fn bits(machine: &Convention) -> u8 {
    8 * machine.class.address_size()
}

/// A location so far up that the difference wraps around 32 bits.
fn wrap() -> Draft {
    let machine = Convention::I386;
    let records: Vec<Record> = functions(&machine, &[0x1010, 0xffff_f000]);
    let about = "32-bit addresses: a table entry for 0xfffff000, where the sum wraps around.";
    let draft = Draft::new("header/hdr-i386-wrap", &machine, about)
        .clause(&format!("{CLAUSE}; an address has the size of the file's class"))
        .catches(&["libunwind commit e3274c6c"])
        .eh_frame(records);
    let header = draft.matching_header();
    draft.header(header)
}
