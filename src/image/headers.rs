//! An ELF image's headers (ELF gABI, chapters on the object file and on program loading), free of class and byte
//! order.

use cfidiff_model::{Class, Endianness, Machine, Target};
use object::elf::{self as abi, FileHeader32, FileHeader64};
use object::read::elf::FileHeader;

use super::OpenError;
use super::source::{ELF_MAGIC, Source};

/// The longest section name that is told from others. Names are cut there.
const NAME_LIMIT: usize = 64;

/// The headers of one image.
pub(super) struct Headers<'c> {
    pub(super) target: Target,
    /// The section header table. Empty when there is none or it cannot be read.
    pub(super) sections: Vec<SectionHeader>,
    /// The program header table. Empty when there is none or it cannot be read.
    pub(super) segments: Vec<Segment>,
    /// The contents of the section name table.
    names: &'c [u8],
    /// The tables that could not be read.
    broken: Vec<Broken>,
}

/// A table that cannot be read.
struct Broken {
    what: &'static str,
    offset: u64,
    why: String,
}

/// One entry of the section header table.
#[derive(Clone, Copy, Debug)]
pub(super) struct SectionHeader {
    name: u32,
    /// SHT_ value.
    pub(super) kind: u32,
    /// SHF_ bits.
    pub(super) flags: u64,
    pub(super) address: u64,
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) link: u32,
    pub(super) info: u32,
}

/// One entry of the program header table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// PT_ value.
    pub(super) kind: u32,
    /// PF_ bits.
    pub(super) flags: u32,
    pub(super) address: u64,
    pub(super) offset: u64,
    /// The size of the part that the file holds.
    pub(super) file_size: u64,
    /// The size in memory.
    pub(super) size: u64,
}

impl Headers<'_> {
    /// A section's name, cut to [`NAME_LIMIT`] bytes. Empty when the name table does not hold it.
    pub(super) fn name(&self, section: &SectionHeader) -> &[u8] {
        let tail = self.names.get(section.name as usize..).unwrap_or_default();
        let tail = &tail[..tail.len().min(NAME_LIMIT)];
        tail.split(|&byte| byte == 0).next().unwrap_or_default()
    }

    /// The tables that could not be read, in words.
    pub(super) fn damage(&self) -> Vec<String> {
        let words = |broken: &Broken| {
            format!("{} at offset {:#x} cannot be read: {}", broken.what, broken.offset, broken.why)
        };
        self.broken.iter().map(words).collect()
    }

    /// The first section of this name.
    pub(super) fn section(&self, name: &[u8]) -> Option<&SectionHeader> {
        self.sections.iter().find(|section| self.name(section) == name)
    }
}

/// Reads the headers of an image that errors call `file`.
///
/// It is an error when the file header cannot be read, or when a table cannot be read and nothing else leads to
/// any section.
pub(super) fn read<'c>(source: &mut Source<'c>, file: &str) -> Result<Headers<'c>, OpenError> {
    let malformed = |offset, why: String| OpenError::Malformed {
        file: file.to_owned(),
        what: "the ELF header",
        offset,
        why,
    };
    let ident = source.bytes(0, 16).map_err(|unread| malformed(0, unread.to_string()))?;
    if !ident.starts_with(ELF_MAGIC) {
        return Err(OpenError::NotElf { file: file.to_owned() });
    }
    let (class, byte_order, version) = (abi::FileClass(ident[4]), abi::DataEncoding(ident[5]), ident[6]);
    let endianness = match byte_order {
        abi::ELFDATA2LSB => Endianness::Little,
        abi::ELFDATA2MSB => Endianness::Big,
        other => return Err(malformed(5, format!("byte order {} is not defined", other.0))),
    };
    if version != abi::EV_CURRENT.0 {
        return Err(malformed(6, format!("version {version} is not defined")));
    }
    let read = match class {
        abi::ELFCLASS32 => read_class::<FileHeader32<object::Endianness>>(source, Class::Elf32, endianness),
        abi::ELFCLASS64 => read_class::<FileHeader64<object::Endianness>>(source, Class::Elf64, endianness),
        other => return Err(malformed(4, format!("class {} is not defined", other.0))),
    };
    let mut headers = read.map_err(|error| malformed(0, error.to_string()))?;
    let has_frame_segment = || headers.segments.iter().any(|segment| segment.kind == abi::PT_GNU_EH_FRAME.0);
    if !headers.broken.is_empty() && headers.sections.is_empty() && !has_frame_segment() {
        let Broken { what, offset, why } = headers.broken.swap_remove(0);
        return Err(OpenError::Malformed { file: file.to_owned(), what, offset, why });
    }
    Ok(headers)
}

fn read_class<'c, H>(
    source: &mut Source<'c>,
    class: Class,
    endianness: Endianness,
) -> object::Result<Headers<'c>>
where
    H: FileHeader<Endian = object::Endianness>,
{
    let endian = match endianness {
        Endianness::Little => object::Endianness::Little,
        Endianness::Big => object::Endianness::Big,
    };
    let header = H::parse(source.data())?;
    let target = Target {
        machine: Machine(header.e_machine(endian).0),
        class,
        endianness,
        relocatable: header.e_type(endian) == abi::ET_REL,
    };
    let mut headers =
        Headers { target, sections: Vec::new(), segments: Vec::new(), names: &[], broken: Vec::new() };
    let broken = |what, offset, error: object::Error| Broken { what, offset, why: error.to_string() };
    match header.section_headers(endian, source.data()) {
        Ok(table) => headers.sections = table.iter().map(|entry| section_header(entry, endian)).collect(),
        Err(error) => {
            let offset = header.e_shoff(endian).into();
            headers.broken.push(broken("the section header table", offset, error));
        }
    }
    match header.program_headers(endian, source.data()) {
        Ok(table) => headers.segments = table.iter().map(|entry| segment(entry, endian)).collect(),
        Err(error) => {
            let offset = header.e_phoff(endian).into();
            headers.broken.push(broken("the program header table", offset, error));
        }
    }
    if !headers.sections.is_empty() {
        match section_names(header, endian, source, &headers.sections) {
            Ok(names) => headers.names = names,
            Err(broken) => {
                headers.broken.push(broken);
                headers.sections.clear();
            }
        }
    }
    Ok(headers)
}

fn section_header<S>(entry: &S, endian: object::Endianness) -> SectionHeader
where
    S: object::read::elf::SectionHeader<Endian = object::Endianness>,
{
    SectionHeader {
        name: entry.sh_name(endian),
        kind: entry.sh_type(endian).0,
        flags: entry.sh_flags(endian).0,
        address: entry.sh_addr(endian).into(),
        offset: entry.sh_offset(endian).into(),
        size: entry.sh_size(endian).into(),
        link: entry.sh_link(endian),
        info: entry.sh_info(endian),
    }
}

fn segment<P>(entry: &P, endian: object::Endianness) -> Segment
where
    P: object::read::elf::ProgramHeader<Endian = object::Endianness>,
{
    Segment {
        kind: entry.p_type(endian).0,
        flags: entry.p_flags(endian).0,
        address: entry.p_vaddr(endian).into(),
        offset: entry.p_offset(endian).into(),
        file_size: entry.p_filesz(endian).into(),
        size: entry.p_memsz(endian).into(),
    }
}

fn section_names<'c, H>(
    header: &H,
    endian: object::Endianness,
    source: &mut Source<'c>,
    sections: &[SectionHeader],
) -> Result<&'c [u8], Broken>
where
    H: FileHeader<Endian = object::Endianness>,
{
    let broken = |offset, why| Broken { what: "the section name table", offset, why };
    let in_header = |why| broken(header.e_shoff(endian).into(), why);
    let index = header.shstrndx(endian, source.data()).map_err(|error| in_header(error.to_string()))?;
    let table =
        sections.get(index as usize).ok_or_else(|| in_header(format!("there is no section {index}")))?;
    if table.kind == abi::SHT_NOBITS.0 {
        return Err(in_header(format!("section {index} has type NOBITS")));
    }
    source.bytes(table.offset, table.size).map_err(|unread| broken(table.offset, unread.to_string()))
}
