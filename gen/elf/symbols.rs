//! The symbol table (ELF gABI, "Symbol Table").

use cfidiff_model::{Class, Target};

use super::{Entry, STRTAB};
use crate::Writer;

/// SHT_SYMTAB.
const SYMTAB: u32 = 2;
/// STB_GLOBAL, in the upper half of `st_info`.
const GLOBAL: u8 = 1 << 4;

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SymbolKind {
    /// STT_NOTYPE: a label.
    Label = 0,
    /// STT_FUNC.
    Function = 2,
    /// STT_SECTION.
    Section = 3,
}

/// A symbol of a file under construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name; empty for a section.
    pub name: String,
    /// What it stands for.
    pub kind: SymbolKind,
    /// Whether other files see it.
    pub global: bool,
    /// The index of its section among the file's; `None` when another file defines it.
    pub section: Option<usize>,
    /// The address, in a relocatable object the offset in the section.
    pub value: u64,
    /// The size in bytes.
    pub size: u64,
}

impl Symbol {
    /// The symbol of the section at `index`, in a relocatable object.
    pub fn section(index: usize) -> Symbol {
        let kind = SymbolKind::Section;
        Symbol { name: String::new(), kind, global: false, section: Some(index), value: 0, size: 0 }
    }

    /// A label of the assembler in the section at `index`.
    pub fn label(index: usize, value: u64) -> Symbol {
        Symbol { name: ".L0".to_owned(), kind: SymbolKind::Label, value, ..Symbol::section(index) }
    }

    /// A function in the section at `index` that other files see.
    pub fn function(name: &str, index: usize, value: u64, size: u64) -> Symbol {
        Symbol {
            name: name.to_owned(),
            kind: SymbolKind::Function,
            global: true,
            section: Some(index),
            value,
            size,
        }
    }

    /// What another file defines.
    pub fn undefined(name: &str) -> Symbol {
        Symbol {
            name: name.to_owned(),
            kind: SymbolKind::Label,
            global: true,
            section: None,
            value: 0,
            size: 0,
        }
    }
}

/// `.symtab` and `.strtab`, which is the section at header index `names`, and where in the table each symbol
/// got its place: local ones come first.
pub(super) fn tables(
    symbols: &[Symbol],
    target: Target,
    names: u32,
) -> (Entry<'static>, Entry<'static>, Vec<u32>) {
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|&index| symbols[index].global);
    let mut places = vec![0; symbols.len()];
    let mut strings = vec![0];
    let mut to = Writer::new(target.endianness);
    let entry_size = if target.class == Class::Elf64 { 24 } else { 16 };
    to.bytes(&vec![0; entry_size]);
    for (place, &index) in (1..).zip(&order) {
        places[index] = place;
        let name = if symbols[index].name.is_empty() { 0 } else { strings.len() as u32 };
        write(&mut to, &symbols[index], name, target.class);
        if name > 0 {
            strings.extend(symbols[index].name.bytes().chain([0]));
        }
    }
    let locals = symbols.iter().filter(|symbol| !symbol.global).count() as u32 + 1;
    let table = Entry {
        link: names,
        info: locals,
        entry_size: entry_size as u64,
        ..Entry::table(".symtab".to_owned(), SYMTAB, target.class.address_size().into(), to.into_bytes())
    };
    (table, Entry::table(".strtab".to_owned(), STRTAB, 1, strings), places)
}

fn write(to: &mut Writer, symbol: &Symbol, name: u32, class: Class) {
    let info = symbol.kind as u8 | if symbol.global { GLOBAL } else { 0 };
    // The null section comes first.
    let section = symbol.section.map_or(0, |index| index as u16 + 1);
    to.u32(name);
    match class {
        Class::Elf64 => {
            to.bytes(&[info, 0]);
            to.u16(section);
            to.u64(symbol.value);
            to.u64(symbol.size);
        }
        Class::Elf32 => {
            to.u32(symbol.value as u32);
            to.u32(symbol.size as u32);
            to.bytes(&[info, 0]);
            to.u16(section);
        }
    }
}
