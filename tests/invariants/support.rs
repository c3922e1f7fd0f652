//! Files made byte by byte, by the layouts of LSB and DWARF and not by what the project writes elsewhere.

use std::path::Path;

use cfidiff::image::{self, Surroundings};
use cfidiff::invariants;
use cfidiff_gen::{ElfSection, ElfSpec, Symbol};
use cfidiff_model::{Address, BrokenInvariant, Class, Endianness, Invariant, Machine, SectionKind, Target};

/// Where `.text` of a made file starts.
pub const TEXT: u64 = 0x1000;
/// Where `.eh_frame` of a made file starts.
const EH_FRAME: u64 = 0x3000;

const TARGET: Target = Target {
    machine: Machine::X86_64,
    class: Class::Elf64,
    endianness: Endianness::Little,
    relocatable: false,
};

/// A CIE of 24 bytes: version 1, zR with pcrel sdata4, factors 1 and -8, return address 16, CFA rsp + 8, return address
/// at CFA - 8.
const CIE: [u8; 24] =
    [20, 0, 0, 0, 0, 0, 0, 0, 1, b'z', b'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0];

/// The contents of an `.eh_frame`.
#[derive(Default)]
pub struct EhFrame {
    data: Vec<u8>,
}

impl EhFrame {
    /// A section with [`CIE`].
    pub fn new() -> EhFrame {
        EhFrame { data: CIE.to_vec() }
    }

    /// Adds a record as it is.
    pub fn record(mut self, bytes: &[u8]) -> EhFrame {
        self.data.extend(bytes);
        self
    }

    /// Adds an FDE of the CIE at `cie`, with seven bytes of instructions.
    pub fn fde_of(mut self, cie: usize, start: u64, size: u32, instructions: [u8; 7]) -> EhFrame {
        let at = self.data.len();
        let location = start.wrapping_sub(EH_FRAME + at as u64 + 8) as u32;
        self.data.extend([20, 0, 0, 0]);
        self.data.extend(((at + 4 - cie) as u32).to_le_bytes());
        self.data.extend(location.to_le_bytes());
        self.data.extend(size.to_le_bytes());
        self.data.push(0);
        self.data.extend(instructions);
        self
    }

    /// Adds an FDE without instructions, of the first CIE.
    pub fn fde(self, start: u64, size: u32) -> EhFrame {
        self.fde_of(0, start, size, [0; 7])
    }
}

/// An x86-64 file around sections.
pub struct File {
    pub sections: Vec<ElfSection>,
    pub symbols: Vec<Symbol>,
}

impl File {
    /// A file with this code and this `.eh_frame`, which gets a terminator.
    pub fn new(text: &[u8], frames: EhFrame) -> File {
        let frames = frames.record(&[0; 4]).data;
        let code = ElfSection { data: text.to_vec(), ..ElfSection::text(Address(TEXT), 0) };
        let sections = vec![code, ElfSection::frame(SectionKind::EhFrame, Address(EH_FRAME), frames)];
        File { sections, symbols: Vec::new() }
    }

    /// Adds a function to `.text`.
    pub fn function(mut self, name: &str, address: u64, size: u64) -> File {
        self.symbols.push(Symbol::function(name, 0, address, size));
        self
    }

    /// Adds an executable section.
    pub fn code(mut self, name: &str, address: u64, data: &[u8]) -> File {
        let text = ElfSection::text(Address(address), 0);
        self.sections.push(ElfSection { name: name.to_owned(), data: data.to_vec(), ..text });
        self
    }

    /// The file's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut spec = ElfSpec::new(TARGET, self.sections.clone());
        spec.symbols = self.symbols.clone();
        spec.build().expect("the file can be built")
    }

    /// What does not hold of it.
    pub fn broken(&self) -> Vec<BrokenInvariant> {
        broken("made", &self.bytes())
    }
}

/// What does not hold of these bytes.
pub fn broken(name: &str, bytes: &[u8]) -> Vec<BrokenInvariant> {
    let options = image::Options { surroundings: Surroundings::Code, ..image::Options::default() };
    let image = image::from_bytes(name, bytes, &options).unwrap_or_else(|error| panic!("{error}"));
    let kinds = [SectionKind::EhFrame, SectionKind::DebugFrame];
    let cases = image.cases.iter().zip(&image.layouts);
    cases.flat_map(|(case, layout)| invariants::check(case, layout, &kinds, 10).findings).collect()
}

/// The keys of findings, in the order of the findings.
pub fn keys(broken: &[BrokenInvariant]) -> Vec<Invariant> {
    broken.iter().map(|broken| broken.key).collect()
}

/// The finding with this key.
#[track_caller]
pub fn only(broken: &[BrokenInvariant], key: Invariant) -> &BrokenInvariant {
    let found = broken.iter().find(|broken| broken.key == key);
    found.unwrap_or_else(|| panic!("no {} among {:?}", key.name(), keys(broken)))
}

/// The addresses that a finding tells of.
pub fn addresses(broken: &BrokenInvariant) -> Vec<u64> {
    broken.places.iter().map(|place| place.address.0).collect()
}

/// A file of the project.
pub fn project_file(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
