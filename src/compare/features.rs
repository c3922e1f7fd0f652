//! Features: facts of a record and its section, by which known faults and open questions are recognized.
//!
//! | feature | value |
//! |---|---|
//! | `section` | `.eh_frame` or `.debug_frame` |
//! | `machine`, `class`, `endianness` | `x86_64`, `32` or `64`, `little` or `big` |
//! | `gnu-compressed` | present when the section's name starts with `.zdebug` |
//! | `eh-frame-hdr` | on sections, when the case has an `.eh_frame_hdr`: its first four bytes, such as `011b033b` |
//! | `eh-frame-hdr-unsorted` | on sections, when that starts with `011b033b` and its locations do not ascend |
//! | `name-comes-again`, `name-came-before` | on sections: a later one, an earlier one has the same name |
//! | `no-section-header` | present when the section was found through program headers alone |
//! | `relocatable` | present in relocatable objects |
//! | `kind` | `CIE`, `FDE`, `terminator`, `unreadable record` |
//! | `format` | `32` or `64` |
//! | `version`, `address-size`, `segment-selector-size` | of the record's CIE |
//! | `address-size-is-not-class` | present when a CIE's address size differs from the file's |
//! | `augmentation` | the string |
//! | `letter` | each letter behind `z` |
//! | `unknown-letter` | present when one of them is none of `L`, `P`, `R`, `S`, `B`, `G` |
//! | `code-alignment-factor`, `return-address-register` | of the record's CIE |
//! | `data-alignment-factor-size` | its absolute value |
//! | `fde-encoding`, `lsda-encoding`, `personality-encoding` | such as `0x1b` |
//! | `fde-format`, `fde-application`, `lsda-format`, `lsda-application` | such as `sdata4`, `pcrel` |
//! | `fde-indirect`, `lsda-indirect` | present when the encoding has DW_EH_PE_indirect |
//! | `fde-format-is-leb128` | present for `uleb128` and `sleb128` |
//! | `personality-format-is-leb128` | present for `uleb128` and `sleb128` |
//! | `signed-pointer` | present when one of these encodings has the format `signed` |
//! | `personality` | `null` when the personality encoding is there and the pointer is null |
//! | `lsda` | `null` when the LSDA encoding is there and the pointer is null |
//! | `signed-range-high-bit` | present when the FDE format is signed and the address range has its top bit set |
//! | `zero-length` | present when an FDE covers nothing |
//! | `high-location` | present when the top bit of an FDE's initial location is set |
//! | `location-wraps` | present when an FDE of a 32-bit file starts at a pcrel location that is reached by wrapping |
//! | `ends-at-the-top` | present when an FDE covers the last address of the address space |
//! | `cie-after-fde` | present when an FDE stands before its CIE |
//! | `aligned-pointer`, `pcrel-pointer` | present when one of these encodings is DW_EH_PE_aligned, DW_EH_PE_pcrel |
//! | `spare-augmentation-data` | present when the record's augmentation data is longer than its letters need |
//! | `opcode` | each instruction's name and that of its canonical form, the CIE's included |
//! | `restore-without-remember` | present when an FDE's own instructions restore more states than they remember |
//! | `operation` | each DWARF operation's opcode, such as `0x77` |
//! | `largest-register` | the largest register number among the operands, the CIE's included |
//! | `register-past-names` | present when that is past the end of GNU binutils' register names, see below |
//! | `return-address-register-past-names` | the same of the return address register |
//! | `long-leb128` | present when ten bytes in a row have the high bit set, as in a LEB128 number of more than ten |
//! | `big-cfa-offset` | present when the offset of a CFA rule does not fit 31 bits |
//! | `big-rule-offset` | present when the offset of a register's rule does not fit 31 bits |
//! | `cfa-undefined` | present when some row has no CFA rule |
//! | `initial-cfa-expression` | present when the CIE's instructions make the CFA an expression |
//! | `fault` | each fault's key |
//! | `cie-fault` | each fault's key of the record's CIE |
//! | `trailing-bytes` | on sections: how many bytes at the end are no record |
//! | `zero-byte-behind-terminator` | on sections: a record behind a terminator whose first byte is zero |
//! | `has-terminator-inside` | on sections: a terminator with records behind it |
//!
//! GNU readelf keeps one column for each register that it has names for, which depends on the machine. A number
//! past them is a fact of the input as much as one past 16 bits is.

use std::collections::HashMap;

use cfidiff_cfi::{Semantics, Table};
use cfidiff_model::{
    Case, CfaRule, Cie, Class, Endianness, Entry, EntryKind, Expression, Fde, Format, Instruction, Machine,
    RegisterRule, Says, Section, SectionKind, Target,
};
use cfidiff_oracles::known::Feature;

/// Features of one record, its CIE's included.
pub(crate) fn of_record<S: Semantics + ?Sized>(
    section: &Section,
    target: &Target,
    table: &mut Table<'_, S>,
    index: usize,
    seen: &mut SeenCies,
) -> Vec<Feature> {
    let mut features = Features::default();
    features.common(section, target);
    let mut entry = Entry::default();
    if !table.fill(index, Says::all(), &mut entry) {
        return features.list;
    }
    features.entry(&entry, section, target);
    match &entry.kind {
        EntryKind::Cie(cie) => features.cie(cie, target),
        EntryKind::Fde(fde) => {
            let cie_index = fde.cie.and_then(|offset| table.index_of(offset));
            if let Some(cie) = cie_index.and_then(|index| seen.cie(section, target, table, index)) {
                cie.features.iter().for_each(|feature| features.add(feature.name, feature.value.as_str()));
                features.fde(fde, cie);
                features.location(&entry, fde, cie, section, target);
                features.spare_data(fde, cie.lsda_encoding, target);
                if fde.cie > Some(entry.offset) {
                    features.add("cie-after-fde", "");
                }
            }
        }
        _ => {}
    }
    features.list
}

/// What an FDE takes over from its CIE.
struct OfCie {
    features: Vec<Feature>,
    fde_encoding: Option<u8>,
    lsda_encoding: Option<u8>,
}

/// The CIEs by which FDEs were judged, by number. To read a large CIE again for each of its FDEs would take time
/// quadratic in the section's size.
#[derive(Default)]
pub(crate) struct SeenCies {
    cies: HashMap<usize, Option<OfCie>>,
}

impl SeenCies {
    /// More are not kept, since hostile sections could have one for each FDE.
    const MAX: usize = 1024;

    fn cie<S: Semantics + ?Sized>(
        &mut self,
        section: &Section,
        target: &Target,
        table: &mut Table<'_, S>,
        index: usize,
    ) -> Option<&OfCie> {
        if self.cies.len() >= SeenCies::MAX && !self.cies.contains_key(&index) {
            self.cies.clear();
        }
        self.cies.entry(index).or_insert_with(|| of_cie(section, target, table, index)).as_ref()
    }
}

fn of_cie<S: Semantics + ?Sized>(
    section: &Section,
    target: &Target,
    table: &mut Table<'_, S>,
    index: usize,
) -> Option<OfCie> {
    let mut features = Features::default();
    let mut entry = Entry::default();
    table.fill(index, Says::all(), &mut entry);
    let EntryKind::Cie(cie) = &entry.kind else { return None };
    features.cie(cie, target);
    features.program(&entry, section, target);
    if entry.rows.get(0).is_some_and(|row| matches!(row.cfa, CfaRule::Expression(_))) {
        features.add("initial-cfa-expression", "");
    }
    for fault in &entry.faults {
        features.add("cie-fault", fault.kind.name());
    }
    let (fde_encoding, lsda_encoding) = (cie.fde_encoding, cie.lsda_encoding);
    Some(OfCie { features: features.list, fde_encoding, lsda_encoding })
}

/// Features of the section with this index: what any of its records has, what is true of the whole, and what stands
/// beside it in the case.
pub(crate) fn of_section<S: Semantics + ?Sized>(
    case: &Case,
    index: usize,
    table: &mut Table<'_, S>,
) -> Vec<Feature> {
    let (section, target) = (&case.sections[index], &case.target);
    let mut features = Features::default();
    features.common(section, target);
    let has_name = |other: &Section| other.name == section.name;
    if case.sections[index + 1..].iter().any(has_name) {
        features.add("name-comes-again", "");
    }
    if case.sections[..index].iter().any(has_name) {
        features.add("name-came-before", "");
    }
    if let Some(header) = case.sections.iter().find(|other| other.kind == SectionKind::EhFrameHdr) {
        let start = &header.data[..header.data.len().min(4)];
        features.add("eh-frame-hdr", start.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        if start == [0x01, 0x1b, 0x03, 0x3b] && !is_sorted(&header.data, target.endianness) {
            features.add("eh-frame-hdr-unsorted", "");
        }
    }
    let mut cies = HashMap::new();
    let mut entry = Entry::default();
    let mut terminated = false;
    for index in 0..table.len() {
        if !table.fill(index, Says::INSTRUCTIONS, &mut entry) {
            break;
        }
        features.entry(&entry, section, target);
        match &entry.kind {
            EntryKind::Terminator => terminated = true,
            EntryKind::Cie(cie) => {
                features.cie(cie, target);
                cies.insert(entry.offset, cie.lsda_encoding);
            }
            EntryKind::Fde(fde) => {
                let lsda_encoding = fde.cie.and_then(|cie| cies.get(&cie).copied()).flatten();
                features.spare_data(fde, lsda_encoding, target);
                if fde.cie > Some(entry.offset) {
                    features.add("cie-after-fde", "");
                }
            }
            EntryKind::Unreadable if index + 1 == table.len() => {
                let size = section.data.len() as u64 - entry.offset.0;
                features.add("trailing-bytes", size.to_string());
            }
            _ => {}
        }
        if terminated && !matches!(entry.kind, EntryKind::Terminator) {
            features.add("has-terminator-inside", "");
            if section.data.get(entry.offset.0 as usize) == Some(&0) {
                features.add("zero-byte-behind-terminator", "");
            }
        }
    }
    features.list
}

/// Whether the locations of an `.eh_frame_hdr` in the usual encodings ascend: behind twelve bytes, each has four, as
/// has the address of its FDE.
fn is_sorted(header: &[u8], endianness: Endianness) -> bool {
    let locations = header.get(12..).unwrap_or_default().chunks_exact(8).map(|entry| {
        let location = [entry[0], entry[1], entry[2], entry[3]];
        match endianness {
            Endianness::Little => i32::from_le_bytes(location),
            Endianness::Big => i32::from_be_bytes(location),
        }
    });
    locations.is_sorted()
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
        if section.name.starts_with(".zdebug") {
            self.add("gnu-compressed", "");
        }
        if section.index.is_none() {
            self.add("no-section-header", "");
        }
        self.add("section", section.kind.name());
        self.add("machine", target.machine.to_string());
        self.add("class", if target.class == Class::Elf32 { "32" } else { "64" });
        self.add("endianness", if target.endianness == Endianness::Little { "little" } else { "big" });
        if target.relocatable {
            self.add("relocatable", "");
        }
    }

    fn entry(&mut self, entry: &Entry, section: &Section, target: &Target) {
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
    fn program(&mut self, entry: &Entry, section: &Section, target: &Target) {
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
            self.add("fde-format", format_name(encoding));
            if is_leb128(encoding) {
                self.add("fde-format-is-leb128", "");
            }
            self.add("fde-application", application_name(encoding));
            if encoding & 0x80 != 0 && encoding != 0xff {
                self.add("fde-indirect", "");
            }
        }
        if let Some(encoding) = cie.lsda_encoding {
            self.add("lsda-encoding", format!("{encoding:#04x}"));
            self.add("lsda-application", application_name(encoding));
            self.add("lsda-format", format_name(encoding));
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
            if encodings.into_iter().flatten().any(|encoding| application_name(encoding) == application) {
                self.add(feature, "");
            }
        }
        if encodings.into_iter().flatten().any(|encoding| format_name(encoding) == "signed") {
            self.add("signed-pointer", "");
        }
    }

    fn spare_data(&mut self, fde: &Fde, lsda_encoding: Option<u8>, target: &Target) {
        let used = lsda_encoding.map_or(Some(0), |encoding| pointer_size(encoding, target));
        if used.is_some_and(|used| fde.augmentation_data.len() > used) {
            self.add("spare-augmentation-data", "");
        }
    }

    /// Where an FDE starts and ends in the address space.
    fn location(&mut self, entry: &Entry, fde: &Fde, cie: &OfCie, section: &Section, target: &Target) {
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
        if bits == 32 && application_name(encoding) == "pcrel" && wraps(start, field, encoding) {
            self.add("location-wraps", "");
        }
    }

    fn fde(&mut self, fde: &Fde, cie: &OfCie) {
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

/// The size of a pointer in this encoding, where it does not depend on its value or its place.
fn pointer_size(encoding: u8, target: &Target) -> Option<usize> {
    match encoding {
        0xff => Some(0),
        _ if application_name(encoding) == "aligned" => None,
        _ => match encoding & 0x07 {
            0x00 => Some(target.class.address_size().into()),
            0x02 => Some(2),
            0x03 => Some(4),
            0x04 => Some(8),
            _ => None,
        },
    }
}

/// How many bytes of augmentation data a CIE's letters use, when that is known of each.
fn cie_data_size(cie: &Cie, target: &Target) -> Option<usize> {
    let Some((b'z', letters)) = cie.augmentation.split_first() else { return None };
    let size = |letter: &u8| match letter {
        b'L' | b'R' => Some(1),
        b'P' => Some(1 + pointer_size(cie.personality?.0, target)?),
        b'S' | b'B' | b'G' => Some(0),
        _ => None,
    };
    letters.iter().map(size).sum()
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

fn is_leb128(encoding: u8) -> bool {
    matches!(format_name(encoding), "uleb128" | "sleb128")
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
