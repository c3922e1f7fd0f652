//! Small sections on file, as cases and as ELF files that a tool can be run on, and a sink that keeps everything.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use cfidiff_model::{
    Address, Bases, Case, Class, Endianness, Entry, Machine, Outcome, Says, Section, SectionKind, Sink,
    Target,
};
use cfidiff_oracles::Missing;

/// A case in memory from the text of a `.case` file: `machine`, `class` and `endianness` as in the ELF header,
/// `text` and `data` addresses, and for each section its name, its address, and its bytes in hexadecimal.
pub fn parse_case(name: &str, text: &str) -> Case {
    let mut target = Target {
        machine: Machine::X86_64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        relocatable: false,
    };
    let mut bases = Bases::default();
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["machine", number] => target.machine = Machine(number.parse().expect("a number")),
            ["class", "32"] => target.class = Class::Elf32,
            ["class", "64"] => target.class = Class::Elf64,
            ["endianness", "little"] => target.endianness = Endianness::Little,
            ["endianness", "big"] => target.endianness = Endianness::Big,
            ["text", address] => bases.text = Some(Address(hex(address))),
            ["data", address] => bases.data = Some(Address(hex(address))),
            ["section", name, address] => sections.push(section(name, hex(address), bases)),
            ref bytes => {
                let bytes = bytes.iter().map(|byte| u8::from_str_radix(byte, 16).expect("a byte"));
                sections.last_mut().into_iter().for_each(|section| section.data.extend(bytes.clone()));
            }
        }
    }
    Case { name: name.to_owned(), path: None, member: None, target, sections, notes: Vec::new() }
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("an address")
}

fn section(name: &str, address: u64, bases: Bases) -> Section {
    let kind = if name == ".eh_frame" { SectionKind::EhFrame } else { SectionKind::DebugFrame };
    let (index, data, faults) = (None, Vec::new(), Vec::new());
    Section {
        kind,
        name: name.to_owned(),
        index,
        section_type: 1,
        address: Address(address),
        file_offset: None,
        data,
        bases,
        faults,
    }
}

/// Writes the case's sections as an ELF file (ELF gABI) and makes it the case's path.
pub fn write_elf(case: &mut Case, path: &Path) {
    fs::write(path, elf(case)).expect("a file that can be written");
    case.path = Some(path.to_owned());
}

/// A shared object with nothing but these sections and the table of their names.
fn elf(case: &Case) -> Vec<u8> {
    let wide = case.target.class == Class::Elf64;
    let put = |out: &mut Vec<u8>, value: u64, size: usize| match case.target.endianness {
        Endianness::Little => out.extend(&value.to_le_bytes()[..size]),
        Endianness::Big => out.extend(&value.to_be_bytes()[8 - size..]),
    };
    let (word, header_size, entry_size) = if wide { (8, 64, 64) } else { (4, 52, 40) };
    let mut names = vec![0];
    let mut contents = Vec::new();
    let mut table = vec![0; entry_size];
    let mut add = |name: &str, kind: u64, address: u64, data: &[u8], names: &mut Vec<u8>| {
        let name_offset = names.len() as u64;
        names.extend(name.bytes().chain([0]));
        let data = if data.is_empty() && name == ".shstrtab" { names.clone() } else { data.to_vec() };
        let flags = if address == 0 { 0 } else { 2 };
        put(&mut table, name_offset, 4);
        put(&mut table, kind, 4);
        for value in [flags, address, (header_size + contents.len()) as u64, data.len() as u64] {
            put(&mut table, value, word);
        }
        put(&mut table, 0, 8);
        put(&mut table, 8, word);
        put(&mut table, 0, word);
        contents.extend(data);
        contents.resize(contents.len().next_multiple_of(8), 0);
    };
    for section in &case.sections {
        add(&section.name, 1, section.address.0, &section.data, &mut names);
    }
    add(".shstrtab", 3, 0, &[], &mut names);
    let count = case.sections.len() as u64 + 2;
    let mut out = vec![0x7f, b'E', b'L', b'F', if wide { 2 } else { 1 }];
    out.push(if case.target.endianness == Endianness::Big { 2 } else { 1 });
    out.resize(16, 0);
    out[6] = 1;
    put(&mut out, 3, 2);
    put(&mut out, case.target.machine.0.into(), 2);
    put(&mut out, 1, 4);
    for value in [0, 0, (header_size + contents.len()) as u64] {
        put(&mut out, value, word);
    }
    put(&mut out, 0, 4);
    for value in [header_size as u64, 0, 0, entry_size as u64, count, count - 1] {
        put(&mut out, value, 2);
    }
    [out, contents, table].concat()
}

/// Keeps all that is said.
#[derive(Default)]
pub struct Kept {
    open: Option<(usize, usize)>,
    /// By case and section.
    pub entries: BTreeMap<(usize, usize), Vec<Entry>>,
    pub sections: BTreeMap<(usize, usize), Outcome>,
    pub cases: BTreeMap<usize, Outcome>,
}

impl Sink for Kept {
    fn section(&mut self, case: usize, section: usize, _says: Says) {
        assert_eq!(self.open.replace((case, section)), None, "a section within a section");
        self.entries.insert((case, section), Vec::new());
    }
    fn entry(&mut self, entry: &Entry) {
        let open = self.open.expect("an entry within a section");
        self.entries.entry(open).or_default().push(entry.clone());
    }
    fn end_section(&mut self, outcome: Outcome) {
        let open = self.open.take().expect("an end within a section");
        self.sections.insert(open, outcome);
    }
    fn end_case(&mut self, case: usize, outcome: Outcome) {
        assert_eq!(self.open, None, "a case ends within a section");
        assert_eq!(self.cases.insert(case, outcome), None, "a case ends twice");
    }
}

/// An oracle, or a note that it is missing: a failure where every oracle is required.
pub fn found<T>(oracle: Result<T, Missing>) -> Option<T> {
    match oracle {
        Ok(oracle) => Some(oracle),
        Err(missing) if env::var_os("CFIDIFF_REQUIRE_ORACLES").is_some_and(|value| value == "all") => {
            panic!("{} is required: {}; install it with {}", missing.name, missing.why, missing.install)
        }
        Err(missing) => {
            println!("skipped: {} not found", missing.name);
            None
        }
    }
}
