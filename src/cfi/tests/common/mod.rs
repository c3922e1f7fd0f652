//! Sections written byte by byte, and what the reader says of them as short text.
//!
//! A test reads as an annotated layout: [`bytes`] turns hex digits and quoted ASCII into bytes, and a record's
//! length and CIE pointer are labels that [`Layout`] fills in.

#![allow(dead_code, reason = "each test file uses a part of it")]

use cfidiff_cfi::{Reader, RecordKind, Semantics, Standard, Table};
use cfidiff_model::{
    Address, Bases, CfaRule, Class, Endianness, Entry, EntryKind, Expression, FaultKind, Machine,
    RegisterRule, RowRef, Says, Section, SectionKind, Target,
};

/// The CIE contents behind the id that the notes on public bugs call standard: version 1, `zR` with pcrel
/// sdata4, factors 1 and -8, return address register 16; def_cfa r7 8, offset r16 at cfa-8.
pub const ZR: &str = "01 'zR' 00 01 78 10 01 1b 0c 07 08 90 01";

/// The same without augmentation, as assemblers write it into `.debug_frame`.
pub const PLAIN: &str = "01 00 01 78 10 0c 07 08 90 01";

/// 64-bit little-endian x86.
pub const X86_64: Target = target(Machine::X86_64, Class::Elf64, Endianness::Little);

/// 32-bit big-endian PowerPC.
pub const PPC: Target = target(Machine::PPC, Class::Elf32, Endianness::Big);

pub const fn target(machine: Machine, class: Class, endianness: Endianness) -> Target {
    Target { machine, class, endianness, relocatable: false }
}

/// The bytes of hex digits in pairs and of quoted ASCII; blanks are for the eye.
pub fn bytes(text: &str) -> Vec<u8> {
    let mut result = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('\'') {
            let end = quoted.find('\'').expect("a closing quote");
            result.extend_from_slice(&quoted.as_bytes()[..end]);
            rest = &quoted[end + 1..];
        } else {
            result.push(u8::from_str_radix(&rest[..2], 16).expect(rest));
            rest = &rest[2..];
        }
        rest = rest.trim_start();
    }
    result
}

/// A section in the making.
#[derive(Clone, Debug)]
pub struct Layout {
    pub kind: SectionKind,
    pub target: Target,
    pub address: u64,
    pub bases: Bases,
    pub data: Vec<u8>,
}

impl Layout {
    pub fn new(kind: SectionKind, target: Target) -> Layout {
        Layout { kind, target, address: 0x2000, bases: Bases::default(), data: Vec::new() }
    }

    /// `.eh_frame` for x86-64 at 0x2000.
    pub fn eh_frame() -> Layout {
        Layout::new(SectionKind::EhFrame, X86_64)
    }

    /// `.debug_frame` for x86-64.
    pub fn debug_frame() -> Layout {
        Layout { address: 0, ..Layout::new(SectionKind::DebugFrame, X86_64) }
    }

    /// Where the next byte goes.
    pub fn at(&self) -> u64 {
        self.data.len() as u64
    }

    pub fn hex(&mut self, text: &str) -> &mut Layout {
        self.data.extend(bytes(text));
        self
    }

    /// A number of `width` bytes in the target's byte order.
    pub fn number(&mut self, width: u8, value: u64) -> &mut Layout {
        let mut number = value.to_le_bytes()[..usize::from(width)].to_vec();
        if self.target.endianness == Endianness::Big {
            number.reverse();
        }
        self.data.extend(number);
        self
    }

    pub fn u32(&mut self, value: u64) -> &mut Layout {
        self.number(4, value)
    }

    /// An address of the target.
    pub fn absptr(&mut self, value: u64) -> &mut Layout {
        self.number(self.target.class.address_size(), value)
    }

    /// The distance from this field to an address, in four bytes.
    pub fn pcrel(&mut self, address: u64) -> &mut Layout {
        let here = self.address + self.at();
        self.u32(address.wrapping_sub(here))
    }

    fn set_number(&mut self, at: u64, width: u8, value: u64) {
        let mut number = Layout { data: Vec::new(), ..self.clone() };
        number.number(width, value);
        self.data[at as usize..][..usize::from(width)].copy_from_slice(&number.data);
    }

    /// A record in the 32-bit format around `body`: its length is filled in. Gives its offset.
    pub fn record(&mut self, body: impl FnOnce(&mut Layout)) -> u64 {
        let offset = self.at();
        self.u32(0);
        body(self);
        self.set_number(offset, 4, self.at() - offset - 4);
        offset
    }

    /// A record in the 64-bit format (DWARF 5 section 7.4).
    pub fn record64(&mut self, body: impl FnOnce(&mut Layout)) -> u64 {
        let offset = self.at();
        self.u32(0xffff_ffff).number(8, 0);
        body(self);
        self.set_number(offset + 4, 8, self.at() - offset - 12);
        offset
    }

    /// The id that marks a CIE in the 32-bit format.
    pub fn cie_id(&mut self) -> &mut Layout {
        self.u32(if self.kind == SectionKind::EhFrame { 0 } else { 0xffff_ffff })
    }

    /// A CIE with these contents behind its id.
    pub fn cie(&mut self, contents: &str) -> u64 {
        self.record(|record| {
            record.cie_id().hex(contents);
        })
    }

    /// The pointer to the CIE at `cie`, in the 32-bit format: `.eh_frame` counts back from this field,
    /// `.debug_frame` from the section's start.
    pub fn cie_pointer(&mut self, cie: u64) -> &mut Layout {
        let value = if self.kind == SectionKind::EhFrame { self.at().wrapping_sub(cie) } else { cie };
        self.u32(value)
    }

    /// An FDE with these contents behind its CIE pointer.
    pub fn fde(&mut self, cie: u64, body: impl FnOnce(&mut Layout)) -> u64 {
        self.record(|record| {
            record.cie_pointer(cie);
            body(record);
        })
    }

    /// An FDE of a [`ZR`] CIE.
    pub fn zr_fde(&mut self, cie: u64, pc: u64, range: u64, program: &str) -> u64 {
        self.fde(cie, |fde| {
            fde.pcrel(pc).u32(range).hex("00").hex(program);
        })
    }

    /// An FDE of a CIE without augmentation.
    pub fn plain_fde(&mut self, cie: u64, pc: u64, range: u64, program: &str) -> u64 {
        self.fde(cie, |fde| {
            fde.absptr(pc).absptr(range).hex(program);
        })
    }

    pub fn section(&self) -> Section {
        Section {
            kind: self.kind,
            name: self.kind.name().into(),
            index: None,
            section_type: 0,
            address: Address(self.address),
            file_offset: None,
            data: self.data.clone(),
            bases: self.bases,
            faults: Vec::new(),
        }
    }

    /// What the reader says of every record. Holds it to what must be true of any section: the records tile it,
    /// a walk finds the same CIEs as the table does, and the reader that is compiled for any semantics gives the
    /// same answers.
    pub fn read(&self) -> Vec<Entry> {
        let section = self.section();
        let entries = entries(Reader::new(&section, self.target));
        let semantics: &dyn Semantics = &Standard;
        assert_eq!(entries, self::entries(Reader::with_semantics(&section, self.target, semantics)));
        assert_tiled(Reader::new(&section, self.target));
        assert_same_walk(Reader::new(&section, self.target), &entries);
        entries
    }

    /// The only FDE.
    pub fn read_fde(&self) -> Entry {
        let mut fdes: Vec<_> =
            self.read().into_iter().filter(|entry| matches!(entry.kind, EntryKind::Fde(_))).collect();
        assert_eq!(fdes.len(), 1);
        fdes.remove(0)
    }
}

/// A standard CIE and one FDE of it at 0x1000 of 0x40 bytes, with this program.
pub fn one_fde(program: &str) -> Layout {
    let mut layout = Layout::eh_frame();
    let cie = layout.cie(ZR);
    layout.zr_fde(cie, 0x1000, 0x40, program);
    layout
}

/// Every record of a section with all that can be said.
pub fn entries<S: Semantics + ?Sized>(reader: Reader<'_, S>) -> Vec<Entry> {
    let mut table = Table::new(reader);
    let read = |index| {
        let mut entry = Entry::default();
        assert!(table.fill(index, Says::all(), &mut entry));
        entry
    };
    (0..Table::new(reader).len()).map(read).collect()
}

/// The walk's records follow each other from the section's start to its end.
pub fn assert_tiled<S: Semantics + ?Sized>(reader: Reader<'_, S>) -> usize {
    let mut end = 0;
    for record in reader.walk() {
        assert_eq!(record.offset, end, "a gap or an overlap");
        assert!(record.end > record.offset, "an empty record at {end:#x}");
        end = record.end;
    }
    end
}

/// A walk knows no more of the section than a table, and needs no more.
fn assert_same_walk(reader: Reader<'_>, entries: &[Entry]) {
    let mut walk = reader.walk();
    let mut entries = entries.iter();
    while let Some(record) = walk.next() {
        let entry = entries.next().expect("as many entries as records");
        if let RecordKind::Fde(fde) = record.kind {
            let cie = fde.cie.and_then(|place| walk.cie(place)).map(|cie| cie.section_offset());
            assert_eq!(cie, fde_of(entry).cie, "{}", entry.offset);
            assert!(fde.faults.iter().all(|fault| entry.faults.contains(fault)));
        }
    }
    assert_eq!(entries.next(), None);
}

/// The entries' kinds in one letter each: C, F, 0 for a terminator, ? for an unreadable record.
pub fn kinds(entries: &[Entry]) -> String {
    let letter = |entry: &Entry| match entry.kind {
        EntryKind::Terminator => '0',
        EntryKind::Cie(_) => 'C',
        EntryKind::Fde(_) => 'F',
        EntryKind::Unreadable => '?',
    };
    entries.iter().map(letter).collect()
}

pub fn cie_of(entry: &Entry) -> &cfidiff_model::Cie {
    match &entry.kind {
        EntryKind::Cie(cie) => cie,
        other => panic!("{} instead of a CIE", other.name()),
    }
}

pub fn fde_of(entry: &Entry) -> &cfidiff_model::Fde {
    match &entry.kind {
        EntryKind::Fde(fde) => fde,
        other => panic!("{} instead of an FDE", other.name()),
    }
}

/// The faults by kind and section offset.
pub fn faults(entry: &Entry) -> Vec<(FaultKind, u64)> {
    entry.faults.iter().map(|fault| (fault.kind, fault.offset.0)).collect()
}

/// The rows, each as `start-end cfa register:rule ...`, after readelf's interpreted dump: `c-16` is "at the CFA
/// minus 16", `v-16` the CFA minus 16 itself, `u` undefined, `s` same value, `a1` as the ABI says.
pub fn rows(entry: &Entry) -> Vec<String> {
    entry.rows.iter().map(row).collect()
}

fn row(row: RowRef<'_>) -> String {
    let mut text = format!("{:x}-{:x} {}", row.start.0, row.end.0, cfa(row.cfa));
    for (register, rule) in row.rules {
        let rule = match rule {
            RegisterRule::Undefined => "u".into(),
            RegisterRule::SameValue => "s".into(),
            RegisterRule::Offset(offset) => format!("c{offset:+}"),
            RegisterRule::ValOffset(offset) => format!("v{offset:+}"),
            RegisterRule::Register(source) => format!("r{source}"),
            RegisterRule::Expression(expression) => format!("exp{}", operations(expression)),
            RegisterRule::ValExpression(expression) => format!("vexp{}", operations(expression)),
            RegisterRule::Architectural(value) => format!("a{value}"),
        };
        text += &format!(" r{register}:{rule}");
    }
    text
}

fn cfa(cfa: &CfaRule) -> String {
    match cfa {
        CfaRule::Undefined => "?".into(),
        CfaRule::RegisterOffset { register, offset } => format!("r{register}{offset:+}"),
        CfaRule::RegisterOffsetInSpace { register, offset, address_space } => {
            format!("r{register}{offset:+}@{address_space}")
        }
        CfaRule::Expression(expression) => format!("exp{}", operations(expression)),
    }
}

/// An expression as `(opcode operand,operand opcode ...)`, opcodes in hex, operands in signed decimal.
pub fn operations(expression: &Expression) -> String {
    let operation = |operation: &cfidiff_model::Operation| {
        let mut text = format!("{:02x}", operation.opcode);
        for (index, &operand) in operation.operands.iter().enumerate() {
            text += &format!("{}{}", if index == 0 { ' ' } else { ',' }, operand as i64);
        }
        for byte in &operation.block {
            text += &format!(" [{byte:02x}]");
        }
        text
    };
    format!("({})", expression.operations.iter().map(operation).collect::<Vec<_>>().join(" "))
}
