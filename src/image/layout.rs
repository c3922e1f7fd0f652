//! What stands around the call frame information of an image: its sections, segments, symbols of functions, and the
//! fields that a relocatable object's relocations fill.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cfidiff_model::{Endianness, Machine, Section, Target};
use object::elf as abi;

use super::headers::{Headers, SectionHeader};
use super::integer;
use super::relocate::{Form, Table};
use super::source::Source;

/// How much of an image's layout to read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Surroundings {
    /// Nothing.
    #[default]
    None,
    /// Headers, relocated fields: little beside the sections of call frame information.
    Headers,
    /// Symbols and the contents of executable sections as well.
    Code,
}

/// What stands around the call frame information of one image. Empty unless it was asked for.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// How much of it was read.
    pub surroundings: Surroundings,
    /// The section header table, entry by entry.
    pub sections: Vec<SectionPlace>,
    /// The program header table's PT_LOAD and PT_GNU_EH_FRAME entries.
    pub segments: Vec<SegmentPlace>,
    /// The symbols of functions and data.
    pub symbols: Symbols,
    /// For a relocatable object, by the index of a section of call frame information: its relocated fields by
    /// offset.
    pub relocated: BTreeMap<u32, Vec<RelocatedField>>,
}

/// One entry of the section header table.
#[derive(Clone, Debug, Default)]
pub struct SectionPlace {
    /// The name, cut to 64 bytes.
    pub name: String,
    /// The link-time address of its first byte.
    pub address: u64,
    /// The size in bytes.
    pub size: u64,
    /// Whether it is loaded to be executed (SHF_ALLOC and SHF_EXECINSTR).
    pub is_code: bool,
    /// The contents of an executable section that the file holds, when they were asked for and could be read.
    pub contents: Option<Vec<u8>>,
}

/// One entry of the program header table.
#[derive(Clone, Copy, Debug)]
pub struct SegmentPlace {
    /// What it is for.
    pub kind: SegmentKind,
    /// The link-time address of its first byte.
    pub address: u64,
    /// The size in memory, in bytes.
    pub size: u64,
    /// The size in the file, in bytes.
    pub file_size: u64,
    /// Whether it may be executed.
    pub is_executable: bool,
}

/// The kinds of program header that are of interest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentKind {
    /// PT_LOAD.
    Load,
    /// PT_GNU_EH_FRAME.
    EhFrameHdr,
}

/// The symbols of an image that are about places in its sections, by section and address.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// Functions and data.
    pub list: Vec<Symbol>,
    /// Whether they come from `.symtab`, which has all functions, and not from `.dynsym`.
    pub are_complete: bool,
    names: Vec<u8>,
}

/// One symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Symbol {
    /// The index of its section.
    pub section: u32,
    /// Its value: an address, or in a relocatable object an offset in its section. Without the bit that marks
    /// Thumb code.
    pub address: u64,
    /// Its size in bytes; zero when it is not told.
    pub size: u64,
    /// Whether it names a function, and not data.
    pub is_function: bool,
    name: u32,
}

/// A field that a relocation fills.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RelocatedField {
    /// The field's offset in its section.
    pub offset: u64,
    /// The index of the section that the relocation's symbol is in; `None` for an undefined or absolute one.
    pub section: Option<u32>,
}

impl Symbols {
    /// A symbol's name, as far as it is text.
    pub fn name(&self, symbol: &Symbol) -> Cow<'_, str> {
        let tail = self.names.get(symbol.name as usize..).unwrap_or_default();
        String::from_utf8_lossy(tail.split(|&byte| byte == 0).next().unwrap_or_default())
    }
}

impl Layout {
    /// The index of the executable section that holds `address` of a linked file.
    pub fn code_section(&self, address: u64) -> Option<u32> {
        let holds = |section: &SectionPlace| {
            section.is_code
                && address.checked_sub(section.address).is_some_and(|inside| inside < section.size)
        };
        self.sections.iter().position(holds).and_then(|index| u32::try_from(index).ok())
    }
}

/// Reads the layout of an image whose call frame information is in `sections`.
///
/// A table that cannot be read leaves its part empty: who wants to know of damage has it from the cases.
pub(super) fn read<'c>(
    headers: &Headers<'c>,
    source: &mut Source<'c>,
    sections: &[Section],
    wanted: Surroundings,
    left: &mut u64,
) -> Layout {
    let mut layout = Layout { surroundings: wanted, ..Layout::default() };
    if wanted == Surroundings::None {
        return layout;
    }
    layout.sections = headers.sections.iter().map(|header| place(headers, header)).collect();
    layout.segments = headers.segments.iter().filter_map(segment).collect();
    let mut tables = Tables { headers, source: &mut *source, left: &mut *left, read: BTreeMap::new() };
    if headers.target.relocatable {
        layout.relocated = relocated(&mut tables, sections);
    }
    if wanted >= Surroundings::Code {
        layout.symbols = symbols(&mut tables);
        for (header, place) in headers.sections.iter().zip(&mut layout.sections) {
            let is_there = place.is_code && header.kind != abi::SHT_NOBITS.0;
            if is_there && let Some(rest) = left.checked_sub(header.size) {
                *left = rest;
                place.contents = source.bytes(header.offset, header.size).ok().map(<[u8]>::to_vec);
            }
        }
    }
    layout
}

fn place(headers: &Headers<'_>, header: &SectionHeader) -> SectionPlace {
    let code = abi::SHF_ALLOC.0 | abi::SHF_EXECINSTR.0;
    SectionPlace {
        name: String::from_utf8_lossy(headers.name(header)).into_owned(),
        address: header.address,
        size: header.size,
        is_code: header.flags & code == code,
        contents: None,
    }
}

fn segment(segment: &super::headers::Segment) -> Option<SegmentPlace> {
    let kind = match abi::ProgramType(segment.kind) {
        abi::PT_LOAD => SegmentKind::Load,
        abi::PT_GNU_EH_FRAME => SegmentKind::EhFrameHdr,
        _ => return None,
    };
    Some(SegmentPlace {
        kind,
        address: segment.address,
        size: segment.size,
        file_size: segment.file_size,
        is_executable: segment.flags & abi::PF_X.0 != 0,
    })
}

/// The contents of tables, each read once.
struct Tables<'t, 'c> {
    headers: &'t Headers<'c>,
    source: &'t mut Source<'c>,
    left: &'t mut u64,
    read: BTreeMap<u32, &'c [u8]>,
}

impl<'c> Tables<'_, 'c> {
    /// The contents of the section with this index, or nothing.
    fn contents(&mut self, index: u32) -> &'c [u8] {
        if let Some(contents) = self.read.get(&index) {
            return contents;
        }
        let contents = self.read_section(index).unwrap_or_default();
        self.read.insert(index, contents);
        contents
    }

    fn read_section(&mut self, index: u32) -> Option<&'c [u8]> {
        let header = self.headers.sections.get(index as usize)?;
        *self.left = self.left.checked_sub(header.size)?;
        self.source.bytes(header.offset, header.size).ok()
    }
}

/// The relocated fields of each section of call frame information.
fn relocated(tables: &mut Tables<'_, '_>, sections: &[Section]) -> BTreeMap<u32, Vec<RelocatedField>> {
    let headers = tables.headers;
    let mut all: BTreeMap<u32, Vec<RelocatedField>> =
        sections.iter().filter_map(|section| Some((section.index?, Vec::new()))).collect();
    let mut of_tables: BTreeMap<u32, Vec<Option<u32>>> = BTreeMap::new();
    for (index, header) in (0..).zip(&headers.sections) {
        let Some(form) = Form::of_section(header.kind) else { continue };
        let Some(fields) = all.get_mut(&header.info) else { continue };
        let Ok(table) = Table::parse(form, tables.contents(index), &headers.target) else { continue };
        let of_symbol = of_tables.entry(header.link).or_insert_with(|| {
            let symbols = raw_symbols(tables.contents(header.link), &headers.target);
            symbols.map(|symbol| symbol.section).collect()
        });
        fields.extend(table.map_while(Result::ok).map(|entry| RelocatedField {
            offset: entry.offset,
            section: of_symbol.get(entry.symbol as usize).copied().flatten(),
        }));
    }
    all.values_mut().for_each(|fields| fields.sort_unstable());
    all
}

/// The symbols of functions and data, of the fullest table that is there.
fn symbols(tables: &mut Tables<'_, '_>) -> Symbols {
    let headers = tables.headers;
    let of_kind =
        |kind: abi::SectionType| (0..).zip(&headers.sections).find(|(_, header)| header.kind == kind.0);
    let full = of_kind(abi::SHT_SYMTAB);
    let Some((index, header)) = full.or_else(|| of_kind(abi::SHT_DYNSYM)) else { return Symbols::default() };
    let (entries, names) = (tables.contents(index), tables.contents(header.link));
    let mut list: Vec<Symbol> = raw_symbols(entries, &headers.target)
        .filter_map(|raw| {
            let is_function = matches!(abi::SymbolType(raw.info & 0xf), abi::STT_FUNC | abi::STT_GNU_IFUNC);
            let is_data = abi::SymbolType(raw.info & 0xf) == abi::STT_OBJECT;
            let is_thumb = is_function && headers.target.machine == Machine::ARM;
            let address = if is_thumb { raw.value & !1 } else { raw.value };
            let (section, size, name) = (raw.section?, raw.size, raw.name);
            (is_function || is_data).then_some(Symbol { section, address, size, is_function, name })
        })
        .collect();
    list.sort_unstable();
    Symbols { list, are_complete: full.is_some(), names: names.to_vec() }
}

/// An Elf32_Sym or Elf64_Sym (ELF gABI, "Symbol Table").
struct RawSymbol {
    name: u32,
    info: u8,
    /// `None` for the reserved indices: undefined, absolute, common, and those of very many sections.
    section: Option<u32>,
    value: u64,
    size: u64,
}

fn raw_symbols<'e>(entries: &'e [u8], target: &Target) -> impl Iterator<Item = RawSymbol> + use<'e> {
    let (endianness, is_wide) = (target.endianness, target.class == cfidiff_model::Class::Elf64);
    entries
        .chunks_exact(if is_wide { 24 } else { 16 })
        .map(move |entry| raw_symbol(entry, endianness, is_wide))
}

fn raw_symbol(entry: &[u8], endianness: Endianness, is_wide: bool) -> RawSymbol {
    let number = |range: std::ops::Range<usize>| integer::read(&entry[range], endianness);
    let (info, section, value, size) =
        if is_wide { (4, 6..8, 8..16, 16..24) } else { (12, 14..16, 4..8, 8..12) };
    let section = number(section) as u32;
    let is_reserved = section == 0 || section >= u32::from(abi::SHN_LORESERVE);
    RawSymbol {
        name: number(0..4) as u32,
        info: entry[info],
        section: (!is_reserved).then_some(section),
        value: number(value),
        size: number(size),
    }
}
