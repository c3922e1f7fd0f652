//! Relocation tables: SHT_REL, SHT_RELA and SHT_CREL, entry by entry (ELF gABI, "Relocation").

use cfidiff_model::{Class, Endianness, Machine, Target};
use object::elf as abi;
use object::read::elf::CrelIterator;
use smallvec::SmallVec;

use crate::image::integer;

/// One relocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::image) struct Entry {
    /// The field's section offset.
    pub(in crate::image) offset: u64,
    /// The symbol's index.
    pub(in crate::image) symbol: u32,
    /// The types, to be applied in sequence: one, or on 64-bit MIPS up to three.
    pub(in crate::image) kinds: SmallVec<[u32; 3]>,
    /// The addend; zero when it stands in the field.
    pub(in crate::image) addend: i64,
}

/// How a table's entries are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::image) enum Form {
    Rel,
    Rela,
    Crel,
}

impl Form {
    /// The form of the tables in sections of this type; `None` for a type that holds none.
    pub(in crate::image) fn of_section(section_type: u32) -> Option<Form> {
        match abi::SectionType(section_type) {
            abi::SHT_REL => Some(Form::Rel),
            abi::SHT_RELA => Some(Form::Rela),
            abi::SHT_CREL => Some(Form::Crel),
            _ => None,
        }
    }
}

/// A table, which gives its entries in order. One that cannot be read is the last.
pub(in crate::image) enum Table<'c> {
    Fixed { entries: std::slice::ChunksExact<'c, u8>, has_addends: bool, target: Target },
    Compact { entries: CrelIterator<'c>, target: Target },
}

impl<'c> Table<'c> {
    /// The table that these contents hold.
    pub(in crate::image) fn parse(
        form: Form,
        contents: &'c [u8],
        target: &Target,
    ) -> Result<Table<'c>, String> {
        if form == Form::Crel {
            let entries = CrelIterator::new(contents).map_err(|error| error.to_string())?;
            return Ok(Table::Compact { entries, target: *target });
        }
        let has_addends = form == Form::Rela;
        let words = if has_addends { 3 } else { 2 };
        let size = words * usize::from(target.class.address_size());
        if !contents.len().is_multiple_of(size) {
            return Err(format!("their size of {:#x} bytes is no multiple of {size}", contents.len()));
        }
        Ok(Table::Fixed { entries: contents.chunks_exact(size), has_addends, target: *target })
    }

    /// Whether addends stand in the table and not in the fields.
    pub(in crate::image) fn has_addends(&self) -> bool {
        match self {
            Table::Fixed { has_addends, .. } => *has_addends,
            Table::Compact { entries, .. } => entries.is_rela(),
        }
    }
}

impl Iterator for Table<'_> {
    type Item = Result<Entry, String>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Table::Fixed { entries, target, .. } => entries.next().map(|entry| Ok(fixed(entry, target))),
            Table::Compact { entries, target } => Some(match entries.next()? {
                Ok(entry) => Ok(Entry {
                    offset: entry.r_offset,
                    symbol: entry.r_sym,
                    kinds: SmallVec::from_slice(&[type_of_machine(entry.r_type.0, target)]),
                    addend: entry.r_addend,
                }),
                Err(error) => Err(error.to_string()),
            }),
        }
    }
}

/// An Elf32_Rel, Elf32_Rela, Elf64_Rel or Elf64_Rela.
fn fixed(entry: &[u8], target: &Target) -> Entry {
    let word = usize::from(target.class.address_size());
    let read = |bytes: &[u8]| integer::read(bytes, target.endianness);
    let (offset, info) = (read(&entry[..word]), &entry[word..2 * word]);
    let addend = entry.get(2 * word..).filter(|addend| !addend.is_empty());
    let addend = addend.map_or(0, |addend| integer::sign_extend(read(addend), word) as i64);
    if target.machine == Machine::MIPS && target.class == Class::Elf64 {
        let (symbol, kinds) = mips64_info(info, target.endianness);
        return Entry { offset, symbol, kinds, addend };
    }
    let (symbol, kind) = match target.class {
        Class::Elf32 => ((read(info) >> 8) as u32, (read(info) & 0xff) as u32),
        Class::Elf64 => ((read(info) >> 32) as u32, read(info) as u32),
    };
    Entry { offset, symbol, kinds: SmallVec::from_slice(&[type_of_machine(kind, target)]), addend }
}

/// The symbol and the types of an entry of 64-bit MIPS (64-bit ELF Object File Specification, "Relocation"):
/// instead of one number r_info is a four-byte symbol in the file's byte order, a byte for a special symbol, and
/// then three types in bytes of their own, the last of them to be applied first.
fn mips64_info(info: &[u8], endianness: Endianness) -> (u32, SmallVec<[u32; 3]>) {
    let symbol = integer::read(&info[..4], endianness) as u32;
    let mut kinds: SmallVec<[u32; 3]> = info[5..8].iter().rev().map(|&kind| u32::from(kind)).collect();
    while kinds.len() > 1 && kinds.last() == Some(&0) {
        kinds.pop();
    }
    (symbol, kinds)
}

/// The type without what some machines keep beside it: 64-bit SPARC has 24 bits of data above the type
/// (SPARC Compliance Definition, ELF64_R_TYPE_DATA).
fn type_of_machine(kind: u32, target: &Target) -> u32 {
    if target.machine.is_sparc() { kind & 0xff } else { kind }
}
