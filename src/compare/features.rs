//! Features: facts of a record and its section, by which known faults and open questions are recognized.
//!
//! | feature | value |
//! |---|---|
//! | `section` | `.eh_frame` or `.debug_frame` |
//! | `machine`, `class`, `endianness` | `x86_64`, `32` or `64`, `little` or `big` |
//! | `relocatable` | present in relocatable objects |
//! | `kind` | `CIE`, `FDE`, `terminator`, `unreadable record` |
//! | `format` | `32` or `64` |
//! | `version`, `address-size`, `segment-selector-size` | of the record's CIE |
//! | `address-size-is-not-class` | present when a CIE's address size differs from the file's |
//! | `augmentation` | the string |
//! | `letter` | each letter behind `z` |
//! | `code-alignment-factor`, `return-address-register` | of the record's CIE |
//! | `data-alignment-factor-size` | its absolute value |
//! | `fde-encoding`, `lsda-encoding`, `personality-encoding` | such as `0x1b` |
//! | `fde-format`, `fde-application` | such as `sdata4`, `pcrel` |
//! | `lsda` | `null` when the LSDA encoding is there and the pointer is null |
//! | `range-high-bit` | present when the address range has the top bit of its format set |
//! | `zero-length` | present when an FDE covers nothing |
//! | `cie-after-fde` | present when an FDE stands before its CIE |
//! | `opcode` | each instruction's name |
//! | `operation` | each DWARF operation's opcode, such as `0x77` |
//! | `big-offset` | present when an instruction's offset does not fit 31 bits |
//! | `cfa-undefined` | present when some row has no CFA rule |
//! | `fault` | each fault's key |
//! | `cie-fault` | each fault's key of the record's CIE |
//! | `trailing-bytes` | on sections: how many bytes at the end are no record |
//! | `has-terminator-inside` | on sections: a terminator with records behind it |

use cfidiff_cfi::{Semantics, Table};
use cfidiff_model::{
    CfaRule, Cie, Class, Endianness, Entry, EntryKind, Expression, Format, Instruction, Says, Section, Target,
};
use cfidiff_oracles::known::Feature;

/// Features of one record, its CIE's included.
pub(crate) fn of_record<S: Semantics + ?Sized>(
    section: &Section,
    target: &Target,
    table: &mut Table<'_, S>,
    index: usize,
) -> Vec<Feature> {
    let mut features = Features::default();
    features.common(section, target);
    let mut entry = Entry::default();
    if !table.fill(index, Says::all(), &mut entry) {
        return features.list;
    }
    features.entry(&entry);
    match &entry.kind {
        EntryKind::Cie(cie) => features.cie(cie, target),
        EntryKind::Fde(fde) => {
            let cie_entry = fde.cie.and_then(|offset| table.index_of(offset)).and_then(|index| {
                let mut entry = Entry::default();
                table.fill(index, Says::all(), &mut entry).then_some(entry)
            });
            if let Some(Entry { kind: EntryKind::Cie(cie), faults, offset, .. }) = &cie_entry {
                features.cie(cie, target);
                features.fde(&entry, cie);
                for fault in faults {
                    features.add("cie-fault", fault.kind.key());
                }
                if *offset > entry.offset {
                    features.add("cie-after-fde", "");
                }
            }
        }
        _ => {}
    }
    features.list
}

/// Features of a section: what any of its records has, and what is true of the whole.
pub(crate) fn of_section<S: Semantics + ?Sized>(
    section: &Section,
    target: &Target,
    table: &mut Table<'_, S>,
) -> Vec<Feature> {
    let mut features = Features::default();
    features.common(section, target);
    let mut entry = Entry::default();
    let mut terminated = false;
    for index in 0..table.len() {
        if !table.fill(index, Says::INSTRUCTIONS, &mut entry) {
            break;
        }
        features.entry(&entry);
        match &entry.kind {
            EntryKind::Terminator => terminated = true,
            EntryKind::Cie(cie) => features.cie(cie, target),
            EntryKind::Unreadable if index + 1 == table.len() => {
                let size = section.data.len() as u64 - entry.offset.0;
                features.add("trailing-bytes", size.to_string());
            }
            _ => {}
        }
        if terminated && !matches!(entry.kind, EntryKind::Terminator) {
            features.add("has-terminator-inside", "");
        }
    }
    features.list
}

/// No list names more than a handful, and hostile sections could have one for each record.
const MAX_FEATURES: usize = 512;

#[derive(Default)]
struct Features {
    list: Vec<Feature>,
}

impl Features {
    fn add(&mut self, name: &'static str, value: impl Into<String>) {
        let feature = Feature { name, value: value.into() };
        if self.list.len() < MAX_FEATURES && !self.list.contains(&feature) {
            self.list.push(feature);
        }
    }

    fn common(&mut self, section: &Section, target: &Target) {
        self.add("section", section.kind.name());
        self.add("machine", target.machine.to_string());
        self.add("class", if target.class == Class::Elf32 { "32" } else { "64" });
        self.add("endianness", if target.endianness == Endianness::Little { "little" } else { "big" });
        if target.relocatable {
            self.add("relocatable", "");
        }
    }

    fn entry(&mut self, entry: &Entry) {
        self.add("kind", entry.kind.name());
        self.add("format", if entry.format == Format::Dwarf32 { "32" } else { "64" });
        for fault in &entry.faults {
            self.add("fault", fault.kind.key());
        }
        for instruction in &entry.instructions {
            self.instruction(instruction);
        }
        if entry.rows.iter().any(|row| matches!(row.cfa, CfaRule::Undefined)) {
            self.add("cfa-undefined", "");
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        self.add("opcode", instruction.name());
        match instruction.canonical().as_ref() {
            Instruction::DefCfaExpression { expression }
            | Instruction::Expression { expression, .. }
            | Instruction::ValExpression { expression, .. } => self.expression(expression),
            Instruction::DefCfa { offset, .. } | Instruction::DefCfaOffset { offset } => {
                self.big_offset(*offset)
            }
            Instruction::Offset { offset, .. } | Instruction::ValOffset { offset, .. } => {
                self.big_offset(offset.unsigned_abs());
            }
            _ => {}
        }
    }

    fn big_offset(&mut self, offset: u64) {
        if offset >= 1 << 31 {
            self.add("big-offset", "");
        }
    }

    fn expression(&mut self, expression: &Expression) {
        for operation in &expression.operations {
            self.add("operation", format!("{:#04x}", operation.opcode));
        }
    }

    fn cie(&mut self, cie: &Cie, target: &Target) {
        self.add("version", cie.version.to_string());
        self.add("address-size", cie.address_size.to_string());
        self.add("segment-selector-size", cie.segment_selector_size.to_string());
        if cie.address_size != target.class.address_size() {
            self.add("address-size-is-not-class", "");
        }
        self.add("augmentation", String::from_utf8_lossy(&cie.augmentation));
        if let Some((b'z', letters)) = cie.augmentation.split_first() {
            for letter in letters {
                self.add("letter", char::from(*letter).to_string());
            }
        }
        self.add("code-alignment-factor", cie.code_alignment_factor.to_string());
        self.add("data-alignment-factor-size", cie.data_alignment_factor.unsigned_abs().to_string());
        self.add("return-address-register", cie.return_address_register.to_string());
        if let Some(encoding) = cie.fde_encoding {
            self.add("fde-encoding", format!("{encoding:#04x}"));
            self.add("fde-format", format_name(encoding));
            self.add("fde-application", application_name(encoding));
        }
        if let Some(encoding) = cie.lsda_encoding {
            self.add("lsda-encoding", format!("{encoding:#04x}"));
        }
        if let Some((encoding, _)) = cie.personality {
            self.add("personality-encoding", format!("{encoding:#04x}"));
        }
    }

    fn fde(&mut self, entry: &Entry, cie: &Cie) {
        let EntryKind::Fde(fde) = &entry.kind else { return };
        if fde.lsda.is_none() && cie.lsda_encoding.is_some() {
            self.add("lsda", "null");
        }
        if fde.address_range == 0 {
            self.add("zero-length", "");
        }
        let bits = match cie.fde_encoding.unwrap_or(0) & 0x07 {
            2 => 16,
            3 => 32,
            _ => 64,
        };
        if fde.address_range >> (bits - 1) & 1 == 1 {
            self.add("range-high-bit", "");
        }
    }
}

fn format_name(encoding: u8) -> &'static str {
    match encoding & 0x0f {
        0x00 => "absptr",
        0x01 => "uleb128",
        0x02 => "udata2",
        0x03 => "udata4",
        0x04 => "udata8",
        0x08 => "signed",
        0x09 => "sleb128",
        0x0a => "sdata2",
        0x0b => "sdata4",
        0x0c => "sdata8",
        _ => "undefined",
    }
}

fn application_name(encoding: u8) -> &'static str {
    match encoding & 0x70 {
        0x00 => "abs",
        0x10 => "pcrel",
        0x20 => "textrel",
        0x30 => "datarel",
        0x40 => "funcrel",
        0x50 => "aligned",
        _ => "undefined",
    }
}
