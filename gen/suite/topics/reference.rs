//! The records of two small C programs byte by byte, as the textbooks of the trade take them apart: a linked x86-64
//! program's `.eh_frame`, and an object's `.debug_frame`.

use cfidiff_model::{Address, SectionKind};

use crate::suite::Suite;
use crate::suite::compiled::{leaf, procedure_linkage_table, startup, startup_cie, unoptimized};
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::{Record, SectionSpec};

const X86_64: Convention = Convention::X86_64;

pub(super) fn add(suite: &mut Suite) {
    linked_program(suite);
    object(suite);
}

fn linked_program(suite: &mut Suite) {
    let mut records = vec![
        Record::Cie(startup_cie()),
        Record::Fde(startup(0, 0x1050)),
        Record::Cie(X86_64.eh_frame_cie()),
        Record::Fde(procedure_linkage_table(2, 0x1020, 11)),
        Record::Fde(leaf(2, 0x1040, 8)),
    ];
    let functions = [(0x1139, 0x35), (0x116e, 0x2b), (0x1199, 0x20), (0x11b9, 0x28), (0x11e1, 0x5f)];
    records.extend(functions.map(|(start, size)| Record::Fde(unoptimized(2, start, size, 0))));
    records.push(Record::Terminator);
    let about = "The .eh_frame of a small C program: the start code's CIE and the compiler's, the procedure linkage \
        table, five functions of one FDE each, and gaps between them.";
    let clause = "LSB Core, exception frames: a CIE pointer counts back from its own field, a pcrel location from its \
        field's address, and a range is a plain length";
    let draft = Draft::new("reference/shape", &X86_64, about).clause(clause).text(0x1000, 0x300);
    let spec = SectionSpec { address: Address(0x2058), ..draft.spec(SectionKind::EhFrame, records) };
    suite.add(draft.frame(spec));
}

fn object(suite: &mut Suite) {
    let records = vec![
        Record::Cie(X86_64.debug_frame_cie()),
        Record::Fde(unoptimized(0, 0x1000, 0x2a, 4)),
        Record::Fde(unoptimized(0, 0x102a, 0x50, 4)),
    ];
    let about =
        "The .debug_frame of a small C program: no augmentation, plain addresses, six nops in the CIE.";
    let clause =
        "DWARF 5 section 6.4.1: a CIE pointer is an offset into the section, a location is a target address";
    suite.add(Draft::new("reference/t", &X86_64, about).clause(clause).debug_frame(records));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Case;

    /// The contents of the case's only section.
    fn section(name: &str) -> Vec<u8> {
        let mut suite = Suite { cases: Vec::new(), error: None };
        add(&mut suite);
        let case: &Case = suite.cases.iter().find(|case| case.name == name).expect("the case is there");
        let start = case.sections[0].file_offset as usize;
        case.file[start..start + case.sections[0].size as usize].to_vec()
    }

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<_> = hex.split_whitespace().collect();
        digits.iter().map(|byte| u8::from_str_radix(byte, 16).expect("two digits")).collect()
    }

    /// As GCC 12 and GNU ld 2.40 wrote them.
    #[test]
    fn the_linked_program_has_the_reference_bytes() {
        let section = section("reference/shape");
        let cie = "14 00 00 00 00 00 00 00 01 7a 52 00 01 78 10 01 1b 0c 07 08 90 01";
        assert_eq!(section[..0x18], bytes(&format!("{cie} 07 10")));
        assert_eq!(section[0x30..0x48], bytes(&format!("{cie} 00 00")));
        let plt = "24 00 00 00 1c 00 00 00 78 ef ff ff 20 00 00 00 00 0e 10 46 0e 18 4a 0f 0b \
            77 08 80 00 3f 1a 3b 2a 33 24 22 00 00 00 00";
        assert_eq!(section[0x48..0x70], bytes(plt));
        assert_eq!(section.len(), 0x12c);
    }

    #[test]
    fn the_object_has_the_reference_bytes() {
        let section = section("reference/t");
        let cie = "14 00 00 00 ff ff ff ff 01 00 01 78 10 0c 07 08 90 01 00 00 00 00 00 00";
        assert_eq!(section[..0x18], bytes(cie));
        assert_eq!(section[0x18..0x20], bytes("24 00 00 00 00 00 00 00"));
        let rest = "2a 00 00 00 00 00 00 00 45 0e 10 86 02 43 0d 06 61 0c 07 08 00 00 00 00";
        assert_eq!(section[0x28..0x40], bytes(rest));
    }
}
