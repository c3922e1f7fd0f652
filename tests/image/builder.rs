//! Small 64-bit little-endian ELF images whose section headers say whatever a test wants.

/// SHT_PROGBITS.
pub const PROGBITS: u32 = 1;
/// SHT_NOBITS.
pub const NOBITS: u32 = 8;
/// SHF_COMPRESSED.
pub const COMPRESSED: u64 = 1 << 11;

/// A section header to be, and the contents that go into the file for it.
#[derive(Clone, Default)]
pub struct Section {
    pub name: &'static str,
    pub kind: u32,
    pub flags: u64,
    pub link: u32,
    pub info: u32,
    pub contents: Vec<u8>,
    /// Replaces the true file offset and size.
    pub claimed: Option<(u64, u64)>,
}

impl Section {
    /// SHT_PROGBITS with these contents.
    pub fn progbits(name: &'static str, contents: &[u8]) -> Section {
        Section { name, kind: PROGBITS, contents: contents.to_vec(), ..Section::default() }
    }
}

/// An image of x86-64 with e_type `file_type`, a null section, these sections, and the section name table.
pub fn elf64(file_type: u16, sections: &[Section]) -> Vec<u8> {
    let mut file = vec![0; 64];
    let mut names = vec![0];
    let mut headers = vec![0; 64];
    for section in sections {
        let (offset, size) = section.claimed.unwrap_or((file.len() as u64, section.contents.len() as u64));
        headers.extend(header(names.len() as u32, section, offset, size));
        file.extend(&section.contents);
        names.extend(section.name.bytes().chain([0]));
    }
    let name = names.len() as u32;
    names.extend(b".shstrtab\0");
    let table = Section { name: ".shstrtab", kind: 3, ..Section::default() };
    headers.extend(header(name, &table, file.len() as u64, names.len() as u64));
    file.extend(&names);
    let table_offset = file.len() as u64;
    let count = (headers.len() / 64) as u16;
    file.extend(headers);
    file[..20].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\0\0\x3e\0");
    file[16..18].copy_from_slice(&file_type.to_le_bytes());
    file[40..48].copy_from_slice(&table_offset.to_le_bytes());
    file[52..54].copy_from_slice(&64u16.to_le_bytes());
    file[58..60].copy_from_slice(&64u16.to_le_bytes());
    file[60..62].copy_from_slice(&count.to_le_bytes());
    file[62..64].copy_from_slice(&(count - 1).to_le_bytes());
    file
}

fn header(name: u32, section: &Section, offset: u64, size: u64) -> Vec<u8> {
    let mut header = Vec::with_capacity(64);
    header.extend(name.to_le_bytes());
    header.extend(section.kind.to_le_bytes());
    for word in [section.flags, 0, offset, size] {
        header.extend(word.to_le_bytes());
    }
    header.extend(section.link.to_le_bytes());
    header.extend(section.info.to_le_bytes());
    header.extend([0; 16]);
    header
}
