//! The list of features, and what adds to it: the section, the record, its CIE, its program.

use cfidiff_model::{
    CfaRule, Cie, Class, Endianness, Entry, Expression, Fde, Format, Instruction, Machine, RegisterRule,
    Section, Target, pointer_application_name, pointer_format_name,
};
use cfidiff_oracles::known::Feature;

use crate::compare::features::OfCie;
use crate::compare::features::encodings::{cie_data_size, is_leb128, pointer_size};

/// No list names more than a handful, and hostile sections could have one for each record.
const MAX_FEATURES: usize = 512;

#[derive(Default)]
pub(super) struct Features {
    pub list: Vec<Feature>,
}

impl Features {
    pub fn add(&mut self, name: &'static str, value: impl Into<String>) {
        let feature = Feature { name, value: value.into() };
        if self.list.len() < MAX_FEATURES && !self.list.contains(&feature) {
            self.list.push(feature);
        }
    }

    pub fn common(&mut self, section: &Section, target: &Target) {
        if section.name.starts_with(".zdebug") {
            self.add("gnu-compressed", "");
        }
        if section.index.is_none() {
            self.add("no-section-header", "");
        }
        self.add("section", section.kind.name());
        self.add("section-type", format!("{:#x}", section.section_type));
        self.target(target);
    }

    pub fn target(&mut self, target: &Target) {
        self.add("machine", target.machine.to_string());
        self.add("class", if target.class == Class::Elf32 { "32" } else { "64" });
        self.add("endianness", if target.endianness == Endianness::Little { "little" } else { "big" });
        if target.relocatable {
            self.add("relocatable", "");
        }
    }

    pub fn entry(&mut self, entry: &Entry, section: &Section, target: &Target) {
        self.add("kind", entry.kind.name());
        self.add("format", if entry.format == Format::Dwarf32 { "32" } else { "64" });
        for fault in &entry.faults {
            self.add("fault", fault.kind.name());
        }
        self.program(entry, section, target);
        for row in entry.rows.iter() {
            match row.cfa {
                CfaRule::Undefined => self.add("cfa-undefined", ""),
                CfaRule::RegisterOffset { offset, .. } => self.cfa_offset(*offset),
                _ => {}
            }
            for (_, rule) in row.rules {
                if let RegisterRule::Offset(offset) | RegisterRule::ValOffset(offset) = rule
                    && i32::try_from(*offset).is_err()
                {
                    self.add("big-rule-offset", "");
                }
            }
        }
    }

    /// What an FDE's rows depend on, in itself and in its CIE.
    pub fn program(&mut self, entry: &Entry, section: &Section, target: &Target) {
        for instruction in &entry.instructions {
            self.instruction(instruction);
        }
        if restores_too_much(&entry.instructions) {
            self.add("restore-without-remember", "");
        }
        if let Some(largest) = entry.instructions.iter().flat_map(registers).max() {
            self.add("largest-register", largest.to_string());
            if largest >= first_past_names(target.machine) {
                self.add("register-past-names", "");
            }
        }
        if has_long_leb128(bytes_of(entry, section)) {
            self.add("long-leb128", "");
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        self.add("opcode", instruction.name());
        let canonical = instruction.canonical();
        self.add("opcode", canonical.name());
        match canonical.as_ref() {
            Instruction::DefCfaExpression { expression }
            | Instruction::Expression { expression, .. }
            | Instruction::ValExpression { expression, .. } => self.expression(expression),
            Instruction::DefCfa { offset, .. } | Instruction::DefCfaOffset { offset } => {
                self.cfa_offset(offset.cast_signed());
            }
            _ => {}
        }
    }

    fn cfa_offset(&mut self, offset: i64) {
        if i32::try_from(offset).is_err() {
            self.add("big-cfa-offset", "");
        }
    }

    fn expression(&mut self, expression: &Expression) {
        for operation in &expression.operations {
            self.add("operation", format!("{:#04x}", operation.opcode));
        }
    }

    pub fn cie(&mut self, cie: &Cie, target: &Target) {
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
                if !b"LPRSBG".contains(letter) {
                    self.add("unknown-letter", "");
                }
            }
        }
        self.add("code-alignment-factor", cie.code_alignment_factor.to_string());
        self.add("data-alignment-factor-size", cie.data_alignment_factor.unsigned_abs().to_string());
        self.add("return-address-register", cie.return_address_register.to_string());
        if cie.return_address_register >= first_past_names(target.machine) {
            self.add("return-address-register-past-names", "");
        }
        if let Some(encoding) = cie.fde_encoding {
            self.add("fde-encoding", format!("{encoding:#04x}"));
            self.add("fde-format", pointer_format_name(encoding).unwrap_or("undefined"));
            if is_leb128(encoding) {
                self.add("fde-format-is-leb128", "");
            }
            self.add("fde-application", pointer_application_name(encoding).unwrap_or("undefined"));
            if encoding & 0x80 != 0 && encoding != 0xff {
                self.add("fde-indirect", "");
            }
        }
        if let Some(encoding) = cie.lsda_encoding {
            self.add("lsda-encoding", format!("{encoding:#04x}"));
            self.add("lsda-application", pointer_application_name(encoding).unwrap_or("undefined"));
            self.add("lsda-format", pointer_format_name(encoding).unwrap_or("undefined"));
            if encoding & 0x80 != 0 && encoding != 0xff {
                self.add("lsda-indirect", "");
            }
        }
        if let Some((encoding, pointer)) = cie.personality {
            self.add("personality-encoding", format!("{encoding:#04x}"));
            if is_leb128(encoding) {
                self.add("personality-format-is-leb128", "");
            }
            if pointer.is_none() {
                self.add("personality", "null");
            }
        }
        if cie_data_size(cie, target).is_some_and(|size| cie.augmentation_data.len() > size) {
            self.add("spare-augmentation-data", "");
        }
        let personality = cie.personality.map(|(encoding, _)| encoding);
        let encodings = [cie.fde_encoding, cie.lsda_encoding, personality];
        for (application, feature) in [("aligned", "aligned-pointer"), ("pcrel", "pcrel-pointer")] {
            if encodings
                .into_iter()
                .flatten()
                .any(|encoding| pointer_application_name(encoding) == Some(application))
            {
                self.add(feature, "");
            }
        }
        if encodings.into_iter().flatten().any(|encoding| pointer_format_name(encoding) == Some("signed")) {
            self.add("signed-pointer", "");
        }
    }

    pub fn spare_data(&mut self, fde: &Fde, lsda_encoding: Option<u8>, target: &Target) {
        let used = lsda_encoding.map_or(Some(0), |encoding| pointer_size(encoding, target));
        if used.is_some_and(|used| fde.augmentation_data.len() > used) {
            self.add("spare-augmentation-data", "");
        }
    }

    /// Where an FDE starts and ends in the address space.
    pub fn location(&mut self, entry: &Entry, fde: &Fde, cie: &OfCie, section: &Section, target: &Target) {
        let (start, bits) = (fde.initial_location.0, 8 * u32::from(target.class.address_size()));
        if start >> (bits - 1) & 1 == 1 {
            self.add("high-location", "");
        }
        if u128::from(start) + u128::from(fde.address_range) == 1 << bits {
            self.add("ends-at-the-top", "");
        }
        // A 32-bit file has records of the 32-bit format, whose CIE pointer has four bytes.
        let field =
            section.address.0.wrapping_add(entry.offset.0).wrapping_add(entry.format.length_size() + 4);
        let encoding = cie.fde_encoding.unwrap_or(0);
        if bits == 32 && pointer_application_name(encoding) == Some("pcrel") && wraps(start, field, encoding)
        {
            self.add("location-wraps", "");
        }
    }

    pub fn fde(&mut self, fde: &Fde, cie: &OfCie) {
        if fde.lsda.is_none() && cie.lsda_encoding.is_some() {
            self.add("lsda", "null");
        }
        if fde.address_range == 0 {
            self.add("zero-length", "");
        }
        let bits = match cie.fde_encoding.unwrap_or(0) & 0x0f {
            0x0a => 16,
            0x0b => 32,
            0x0c => 64,
            _ => return,
        };
        if fde.address_range >> (bits - 1) & 1 == 1 {
            self.add("signed-range-high-bit", "");
        }
    }
}

/// Whether a 32-bit location is reached from its field by a difference that leaves the address space.
fn wraps(location: u64, field: u64, encoding: u8) -> bool {
    let distance = location.wrapping_sub(field) as u32;
    let is_signed = encoding & 0x08 != 0;
    let distance = if is_signed { i64::from(distance.cast_signed()) } else { i64::from(distance) };
    u32::try_from(field.cast_signed().wrapping_add(distance)).is_err()
}

/// The bytes of a record, its length field included.
fn bytes_of<'s>(entry: &Entry, section: &'s Section) -> &'s [u8] {
    let start = usize::try_from(entry.offset.0).unwrap_or(usize::MAX);
    let size = usize::try_from(entry.length.saturating_add(entry.format.length_size())).unwrap_or(usize::MAX);
    let end = start.saturating_add(size).min(section.data.len());
    section.data.get(start..end).unwrap_or_default()
}

fn restores_too_much(instructions: &[Instruction]) -> bool {
    let mut remembered = 0_u64;
    for instruction in instructions {
        match instruction {
            Instruction::RememberState => remembered += 1,
            Instruction::RestoreState if remembered == 0 => return true,
            Instruction::RestoreState => remembered -= 1,
            _ => {}
        }
    }
    false
}

fn has_long_leb128(record: &[u8]) -> bool {
    record.split(|byte| byte & 0x80 == 0).any(|continued| continued.len() >= 10)
}

/// The registers among an instruction's operands.
fn registers(instruction: &Instruction) -> impl Iterator<Item = u64> + use<> {
    let (first, second) = match *instruction.canonical().as_ref() {
        Instruction::Offset { register, .. }
        | Instruction::Restore { register }
        | Instruction::Undefined { register }
        | Instruction::SameValue { register }
        | Instruction::DefCfa { register, .. }
        | Instruction::DefCfaRegister { register }
        | Instruction::Expression { register, .. }
        | Instruction::ValOffset { register, .. }
        | Instruction::ValExpression { register, .. }
        | Instruction::LlvmDefAspaceCfa { register, .. } => (Some(register), None),
        Instruction::Register { register, source } => (Some(register), Some(source)),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}

/// The first number that GNU readelf 2.40 keeps no column for: one past its list of names, or 1024 on machines
/// without a list.
fn first_past_names(machine: Machine) -> u64 {
    match machine {
        Machine::X86_64 => 127,
        Machine::I386 => 102,
        Machine::AARCH64 => 129,
        Machine::S390 => 85,
        Machine::RISCV => 8193,
        _ => 1024,
    }
}
