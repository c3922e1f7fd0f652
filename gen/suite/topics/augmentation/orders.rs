//! The letters behind `z`: P, L, R and S in every order, and those of AArch64.

use cfidiff_model::Address;

use super::CLAUSE;
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::encodings::SMALL_TEXT;
use crate::{CieSpec, FdeSpec, PCREL_SDATA4, Record};

const CLAUSE_AARCH64: &str =
    "DWARF for the Arm 64-bit Architecture, CIE augmentations: B and G, without data";

/// Strings with the letters of AArch64: B for the key that signs return addresses, G for tagged stacks.
const AARCH64: [&str; 12] =
    ["zB", "zG", "zBG", "zRB", "zBR", "zRG", "zGR", "zRBG", "zRGB", "zRSB", "zPLRB", "zPLRG"];

/// What compilers write for functions with an LSDA. It has cases of its own.
const OF_COMPILERS: &str = "zPLR";

pub(super) fn add(suite: &mut Suite) {
    let strings = orders().into_iter().map(|letters| format!("z{letters}"));
    for augmentation in strings.filter(|string| string != OF_COMPILERS) {
        let name = format!("augmentation/aug-{augmentation}");
        let records = lettered(&Convention::X86_64, &augmentation, 0);
        suite.add(draft(&name, &Convention::X86_64, &augmentation).clause(CLAUSE).eh_frame(records));
    }
    for augmentation in AARCH64 {
        let bugs: &[&str] = match augmentation {
            "zRG" => &["llvm-dwarfdump 13 (fixed by 15)"],
            "zRB" => &["bloaty issue 450"],
            _ => &[],
        };
        let machine = Convention::AARCH64;
        let draft = draft(&format!("augmentation/aug-{augmentation}"), &machine, augmentation);
        let records = lettered(&machine, augmentation, 0);
        suite.add(draft.clause(CLAUSE_AARCH64).catches(bugs).eh_frame(records));
    }
    of_compilers(suite);
}

/// A plain and an indirect personality routine, and a function whose data area is null.
fn of_compilers(suite: &mut Suite) {
    let machine = Convention::X86_64;
    for (name, personality, bugs) in
        [("aug-zPLR", 0x00, "BOLT PR 145"), ("aug-zPLR-ind", 0x9b, "delve PR 3032")]
    {
        let mut records = lettered(&machine, OF_COMPILERS, personality);
        records.push(Record::Fde(machine.function(0, TEXT + 0x40, 0x30)));
        records.push(Record::Terminator);
        let draft = draft(&format!("augmentation/{name}"), &machine, OF_COMPILERS);
        suite.add(draft.clause(CLAUSE).catches(&[bugs]).eh_frame(records));
    }
}

/// The orders of all subsets of the letters with data and of `S`, the shorter ones first.
fn orders() -> Vec<String> {
    let mut all = vec![String::new()];
    let mut next = 0;
    while let Some(shorter) = all.get(next).cloned() {
        let unused = ["P", "L", "R", "S"].into_iter().filter(|letter| !shorter.contains(letter));
        all.extend(unused.map(|letter| format!("{shorter}{letter}")));
        next += 1;
    }
    all
}

fn draft(name: &str, machine: &Convention, augmentation: &str) -> Draft {
    let about = format!("The augmentation {augmentation}: its letters decide what stands in CIE and FDE.");
    Draft::new(name, machine, &about).text(TEXT, SMALL_TEXT)
}

/// A CIE with this string, and a function.
fn lettered(machine: &Convention, augmentation: &str, personality: u8) -> Vec<Record> {
    let cie = CieSpec {
        augmentation: augmentation.into(),
        personality: (personality, Some(Address(TEXT + 0x50))),
        lsda_encoding: PCREL_SDATA4,
        ..machine.eh_frame_cie()
    };
    let fde = FdeSpec { lsda: Some(Address(TEXT + 0x60)), ..machine.function(0, TEXT + 0x10, 0x20) };
    vec![Record::Cie(cie), Record::Fde(fde)]
}
