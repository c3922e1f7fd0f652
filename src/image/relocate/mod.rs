//! Relocations of relocatable objects, applied to the sections' contents.
//!
//! In an ET_REL every section starts at address zero, and a field that refers to another section holds nothing
//! useful until its relocation is applied. The numbers are GNU readelf's: S is the symbol's st_value, A the
//! addend, P the field's section offset, and arithmetic wraps. One file per family of machines says what a
//! relocation type does, by the names of its processor supplement; this file does it.

mod arm;
mod entries;
mod field;
mod loongarch;
mod mips;
mod others;
mod power;
mod riscv;
mod s390;
mod sparc;
mod x86;

use std::borrow::Cow;
use std::collections::HashMap;

use cfidiff_model::{Bytes, Case, Fault, FaultKind, Machine, Section, SectionOffset, Target};

use super::headers::Headers;
use super::integer;
use super::source::Source;
use entries::Entry;
pub(super) use entries::{Form, Table};
use field::Field;

/// The most faults that one section keeps. One more then tells how many there were.
const FAULT_LIMIT: usize = 1000;

/// What a relocation type does to its field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Howto {
    /// Nothing: a hint to the linker.
    Ignore,
    /// The field becomes S + A.
    Absolute(Field),
    /// The field becomes S + A - P.
    Relative(Field),
    /// The field becomes S + A - (P + 8): relative as a branch of the machine is.
    BranchRelative(Field),
    /// The field becomes S - A.
    Difference(Field),
    /// S + A is added to the field.
    Add(Field),
    /// S + A is subtracted from the field.
    Subtract(Field),
}

impl Howto {
    /// The field that changes.
    fn field(self) -> Option<Field> {
        match self {
            Howto::Ignore => None,
            Howto::Absolute(field)
            | Howto::Relative(field)
            | Howto::BranchRelative(field)
            | Howto::Difference(field)
            | Howto::Add(field)
            | Howto::Subtract(field) => Some(field),
        }
    }

    /// The field's new value, from S, A, P and the value `before`.
    fn value(self, symbol: u64, addend: u64, place: u64, before: u64) -> u64 {
        let sum = symbol.wrapping_add(addend);
        match self {
            Howto::Ignore => before,
            Howto::Absolute(_) => sum,
            Howto::Relative(_) => sum.wrapping_sub(place),
            Howto::BranchRelative(_) => sum.wrapping_sub(place).wrapping_sub(8),
            Howto::Difference(_) => symbol.wrapping_sub(addend),
            Howto::Add(_) => before.wrapping_add(sum),
            Howto::Subtract(_) => before.wrapping_sub(sum),
        }
    }
}

/// What type `kind` does on the target's machine; `None` for a type that cannot be applied here.
fn howto(target: &Target, kind: u32) -> Option<Howto> {
    match target.machine {
        Machine::X86_64 => x86::x86_64(kind),
        Machine::I386 => x86::i386(kind),
        Machine::AARCH64 => arm::aarch64(kind, target.class),
        Machine::ARM => arm::arm(kind),
        Machine::RISCV => riscv::riscv(kind),
        Machine::LOONGARCH => loongarch::loongarch(kind),
        Machine::PPC => power::ppc(kind),
        Machine::PPC64 => power::ppc64(kind),
        Machine::S390 => s390::s390(kind),
        Machine::MIPS => mips::mips(kind),
        Machine::SPARC | Machine::SPARC32PLUS | Machine::SPARCV9 => sparc::sparc(kind),
        Machine::M68K => others::m68k(kind),
        Machine::ALPHA => others::alpha(kind),
        Machine::SH => others::sh(kind),
        Machine::PARISC => others::parisc(kind),
        Machine::HEXAGON => others::hexagon(kind),
        Machine::MSP430 => others::msp430(kind),
        Machine::AVR => others::avr(kind),
        Machine::LANAI => others::lanai(kind),
        _ => None,
    }
}

/// Applies to the case's sections the relocations that the image has for them.
///
/// A relocation that cannot be applied is a fault of its section, and a table that cannot be read is damage;
/// everything else is applied all the same.
pub(super) fn apply(
    headers: &Headers<'_>,
    source: &mut Source<'_>,
    case: &mut Case,
    damage: &mut Vec<String>,
) {
    let by_index: HashMap<u32, usize> =
        case.sections.iter().enumerate().filter_map(|(at, section)| Some((section.index?, at))).collect();
    let mut symbols = SymbolTables::default();
    for header in &headers.sections {
        let Some(form) = Form::of_section(header.kind) else { continue };
        let Some(&at) = by_index.get(&header.info) else { continue };
        let section = &mut case.sections[at];
        let read = source.bytes(header.offset, header.size).map_err(|unread| unread.to_string());
        let read = read.and_then(|contents| Table::parse(form, contents, &headers.target));
        let applied = read.and_then(|table| {
            let symbols = symbols.get(header.link, headers, source)?;
            Relocator { target: &headers.target, symbols, section, faults_left_out: 0 }.apply(table)
        });
        if let Err(why) = applied {
            let index = header.info;
            damage.push(format!(
                "relocations of section {index}, {}, cannot be read: {why}",
                case.sections[at].name
            ));
        }
    }
}

/// The values of one symbol table.
#[derive(Clone, Copy)]
struct Symbols<'c> {
    entries: &'c [u8],
    target: Target,
}

impl Symbols<'_> {
    /// The size of an entry and where its st_value stands (ELF gABI, "Symbol Table").
    fn layout(&self) -> (usize, std::ops::Range<usize>) {
        match self.target.class {
            cfidiff_model::Class::Elf32 => (16, 4..8),
            cfidiff_model::Class::Elf64 => (24, 8..16),
        }
    }

    fn len(&self) -> usize {
        self.entries.len() / self.layout().0
    }

    /// The st_value of a symbol. Symbol zero stands for none, whose value is zero.
    fn value(&self, index: u32) -> Option<u64> {
        if index == 0 {
            return Some(0);
        }
        let (size, value) = self.layout();
        let start = usize::try_from(index).ok()?.checked_mul(size)?;
        let entry = self.entries.get(start..)?.get(..size)?;
        Some(integer::read(&entry[value], self.target.endianness))
    }
}

/// The symbol tables read so far, by section index.
#[derive(Default)]
struct SymbolTables<'c>(HashMap<u32, Symbols<'c>>);

impl<'c> SymbolTables<'c> {
    fn get(
        &mut self,
        index: u32,
        headers: &Headers<'_>,
        source: &mut Source<'c>,
    ) -> Result<Symbols<'c>, String> {
        if let Some(&symbols) = self.0.get(&index) {
            return Ok(symbols);
        }
        let header = headers
            .sections
            .get(index as usize)
            .ok_or_else(|| format!("their symbol table would be section {index}, which does not exist"))?;
        let entries = match object::elf::SectionType(header.kind) {
            object::elf::SHT_SYMTAB | object::elf::SHT_DYNSYM => {
                source.bytes(header.offset, header.size).map_err(|unread| unread.to_string())?
            }
            _ => &[],
        };
        let symbols = Symbols { entries, target: headers.target };
        self.0.insert(index, symbols);
        Ok(symbols)
    }
}

/// Applies one table to one section.
struct Relocator<'a> {
    target: &'a Target,
    symbols: Symbols<'a>,
    section: &'a mut Section,
    faults_left_out: usize,
}

/// Why one relocation was not applied: what was expected instead.
type Expected = Cow<'static, str>;

impl Relocator<'_> {
    fn apply(&mut self, table: Table<'_>) -> Result<(), String> {
        // SuperH's tables have a place for addends and leave it empty.
        let in_place = !table.has_addends() || self.target.machine == Machine::SH;
        let mut ended = Ok(());
        for entry in table {
            match entry {
                Ok(entry) => self.entry(&entry, in_place),
                Err(why) => ended = Err(why),
            }
        }
        if self.faults_left_out > 0 {
            let more = format!("relocations that can be applied: {} more cannot", self.faults_left_out);
            self.push_fault(SectionOffset(0), Bytes::new(), more.into());
        }
        ended
    }

    fn entry(&mut self, entry: &Entry, in_place: bool) {
        let Err(expected) = self.try_entry(entry, in_place) else { return };
        if self.section.faults.len() >= FAULT_LIMIT {
            self.faults_left_out += 1;
            return;
        }
        let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
        let found = self.section.data.get(start..).unwrap_or_default();
        let found = Bytes::from_slice(&found[..found.len().min(8)]);
        self.push_fault(SectionOffset(entry.offset), found, expected);
    }

    fn push_fault(&mut self, offset: SectionOffset, bytes: Bytes, expected: Expected) {
        self.section.faults.push(Fault { offset, bytes, kind: FaultKind::Relocation, expected });
    }

    /// Applies an entry's types in sequence, the result of each the addend of the next. Only 64-bit MIPS has more
    /// than one type in an entry, and of those only the first has the symbol.
    fn try_entry(&mut self, entry: &Entry, in_place: bool) -> Result<(), Expected> {
        let endianness = self.target.endianness;
        let mut symbol = self.symbols.value(entry.symbol).ok_or_else(|| self.no_such_symbol(entry.symbol))?;
        let mut value = entry.addend as u64;
        let mut changed = None;
        for (at, &kind) in entry.kinds.iter().enumerate() {
            let howto = howto(self.target, kind).ok_or_else(|| self.no_such_type(kind))?;
            let Some(field) = howto.field() else { continue };
            let before = field.load(self.bytes_from(entry.offset)?, endianness)?;
            let addend = if at == 0 && in_place { value.wrapping_add(before) } else { value };
            value = howto.value(symbol, addend, entry.offset, before);
            changed = Some(field);
            symbol = 0;
        }
        match changed {
            Some(field) => field.store(self.bytes_from(entry.offset)?, endianness, value),
            None => Ok(()),
        }
    }

    fn bytes_from(&mut self, offset: u64) -> Result<&mut [u8], Expected> {
        let size = self.section.data.len();
        let start = usize::try_from(offset).ok().filter(|&start| start < size);
        let start = start.ok_or_else(|| format!("an offset inside the section of {size:#x} bytes"))?;
        Ok(&mut self.section.data[start..])
    }

    fn no_such_type(&self, kind: u32) -> Expected {
        format!("a relocation type that cfidiff knows, not type {kind} of {}", self.target.machine).into()
    }

    fn no_such_symbol(&self, index: u32) -> Expected {
        format!("a symbol in the table of {}, not symbol {index}", self.symbols.len()).into()
    }
}

#[cfg(test)]
mod tests;
