//! Relocation tables (ELF gABI, "Relocation").

use cfidiff_model::{Class, Endianness, Machine, Target};

use super::{ElfSection, Entry, RelocationTypes};
use crate::Writer;

/// SHT_RELA and SHT_REL.
const RELA: u32 = 4;
const REL: u32 = 9;
/// SHF_INFO_LINK.
const INFO_LINK: u64 = 0x40;

/// One relocation of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// Where in the section the field starts.
    pub offset: u64,
    /// The machine's number for what is to be done.
    pub relocation_type: u32,
    /// The index of the symbol among the file's.
    pub symbol: usize,
    /// What is added to the symbol's value; told by the field itself on a machine with tables of type
    /// SHT_REL.
    pub addend: i64,
}

/// The tables of all sections that have relocations. `symbol_table` is the header index of `.symtab`, and
/// `places` tells where in it each symbol is.
pub(super) fn tables(
    sections: &[ElfSection],
    target: Target,
    symbol_table: u32,
    places: &[u32],
) -> Vec<Entry<'static>> {
    let in_place = RelocationTypes::of(target).is_some_and(|types| types.in_place);
    let (section_type, prefix) = if in_place { (REL, ".rel") } else { (RELA, ".rela") };
    let word = u64::from(target.class.address_size());
    let relocated = (1..).zip(sections).filter(|(_, section)| !section.relocations.is_empty());
    let table = |(index, section): (u32, &ElfSection)| {
        let mut to = Writer::new(target.endianness);
        for relocation in &section.relocations {
            write(&mut to, relocation, places[relocation.symbol], target, in_place);
        }
        let name = format!("{prefix}{}", section.name);
        let mut entry = Entry::table(name, section_type, word, to.into_bytes());
        entry.section.to_mut().flags = INFO_LINK;
        Entry {
            link: symbol_table,
            info: index,
            entry_size: if in_place { 2 * word } else { 3 * word },
            ..entry
        }
    };
    relocated.map(table).collect()
}

fn write(to: &mut Writer, relocation: &Relocation, symbol: u32, target: Target, in_place: bool) {
    let word = usize::from(target.class.address_size());
    let kind = relocation.relocation_type;
    to.unsigned(relocation.offset, word);
    match (target.class, target.machine, target.endianness) {
        (Class::Elf32, ..) => to.u32(symbol << 8 | kind & 0xff),
        // The 64-bit ABI of MIPS: the symbol, a special symbol and three types, each field by itself.
        (Class::Elf64, Machine::MIPS, Endianness::Little) => {
            to.u32(symbol);
            to.bytes(&[0, 0, 0, kind as u8]);
        }
        (Class::Elf64, ..) => to.u64(u64::from(symbol) << 32 | u64::from(kind)),
    }
    if !in_place {
        to.unsigned(relocation.addend.cast_unsigned(), word);
    }
}
