//! The wire format: an entry as JSON. Addresses, offsets and LEB128 values are strings `"0x…"`, signed ones with
//! the sign before it, since JSON's numbers do not hold 64 bits.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use crate::{
    CfaRule, Cie, Entry, EntryKind, Expression, Fault, Fde, Format, Instruction, LookUp, Operand, Operation,
    Pointer, RegisterRule, RowRef, Rows, operation_name,
};

/// An unsigned number as `"0x…"`.
fn hex(value: u64) -> String {
    format!("{value:#x}")
}

/// A signed number as `"0x…"` or `"-0x…"`.
fn signed_hex(value: i64) -> String {
    if value < 0 { format!("-{:#x}", value.unsigned_abs()) } else { hex(value.unsigned_abs()) }
}

/// Bytes as two digits each, without separators.
fn hex_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.kind.name())?;
        map.serialize_entry("offset", &self.offset)?;
        map.serialize_entry("length", &hex(self.length))?;
        map.serialize_entry("format", if self.format == Format::Dwarf32 { "32" } else { "64" })?;
        match &self.kind {
            EntryKind::Cie(cie) => cie_fields(&mut map, cie)?,
            EntryKind::Fde(fde) => fde_fields(&mut map, fde)?,
            EntryKind::Terminator | EntryKind::Unreadable => {}
        }
        if matches!(self.kind, EntryKind::Cie(_) | EntryKind::Fde(_)) {
            map.serialize_entry("instructions", &self.instructions)?;
            map.serialize_entry("rows", &self.rows)?;
        }
        map.serialize_entry("faults", &self.faults)?;
        map.end()
    }
}

fn cie_fields<M: SerializeMap>(map: &mut M, cie: &Cie) -> Result<(), M::Error> {
    map.serialize_entry("version", &cie.version)?;
    map.serialize_entry("augmentation", &String::from_utf8_lossy(&cie.augmentation))?;
    map.serialize_entry("address_size", &cie.address_size)?;
    map.serialize_entry("segment_selector_size", &cie.segment_selector_size)?;
    map.serialize_entry("code_alignment_factor", &hex(cie.code_alignment_factor))?;
    map.serialize_entry("data_alignment_factor", &signed_hex(cie.data_alignment_factor))?;
    map.serialize_entry("return_address_register", &hex(cie.return_address_register))?;
    map.serialize_entry("augmentation_data", &hex_bytes(&cie.augmentation_data))?;
    map.serialize_entry("fde_encoding", &cie.fde_encoding.map(|encoding| hex(encoding.into())))?;
    map.serialize_entry("lsda_encoding", &cie.lsda_encoding.map(|encoding| hex(encoding.into())))?;
    map.serialize_entry("personality_encoding", &cie.personality.map(|(encoding, _)| hex(encoding.into())))?;
    map.serialize_entry("personality", &cie.personality.and_then(|(_, pointer)| pointer))?;
    map.serialize_entry("signal_frame", &cie.signal_frame)?;
    map.serialize_entry("b_key", &cie.b_key)?;
    map.serialize_entry("mte_tagged", &cie.mte_tagged)
}

fn fde_fields<M: SerializeMap>(map: &mut M, fde: &Fde) -> Result<(), M::Error> {
    map.serialize_entry("cie", &fde.cie)?;
    map.serialize_entry("cie_pointer", &hex(fde.cie_pointer))?;
    map.serialize_entry("segment", &fde.segment.map(hex))?;
    map.serialize_entry("initial_location", &fde.initial_location)?;
    map.serialize_entry("indirect", &fde.indirect)?;
    map.serialize_entry("address_range", &hex(fde.address_range))?;
    map.serialize_entry("augmentation_data", &hex_bytes(&fde.augmentation_data))?;
    map.serialize_entry("lsda", &fde.lsda)
}

impl Serialize for Pointer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Pointer", 2)?;
        fields.serialize_field("address", &self.address)?;
        fields.serialize_field("indirect", &self.indirect)?;
        fields.end()
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Fault", 4)?;
        fields.serialize_field("key", self.kind.name())?;
        fields.serialize_field("offset", &self.offset)?;
        fields.serialize_field("bytes", &hex_bytes(&self.bytes))?;
        fields.serialize_field("expected", &self.expected)?;
        fields.end()
    }
}

impl Serialize for Instruction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("op", self.name())?;
        for operand in self.operands() {
            match operand {
                Operand::Location(location) => map.serialize_entry("location", &location)?,
                Operand::Delta(delta) => map.serialize_entry("delta", &hex(delta))?,
                Operand::Register(register) => map.serialize_entry("register", &hex(register))?,
                Operand::Source(register) => map.serialize_entry("source", &hex(register))?,
                Operand::Offset(offset) => map.serialize_entry("offset", &signed_hex(offset))?,
                Operand::UnsignedOffset(offset) => map.serialize_entry("offset", &hex(offset))?,
                Operand::Expression(expression) => map.serialize_entry("expression", expression)?,
                Operand::Size(size) => map.serialize_entry("size", &hex(size))?,
                Operand::AddressSpace(space) => map.serialize_entry("address_space", &hex(space))?,
                Operand::Opcode(opcode) => map.serialize_entry("opcode", &hex(opcode.into()))?,
            }
        }
        map.end()
    }
}

impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.operations.serialize(serializer)
    }
}

impl Serialize for Operation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("op", &operation_name(self.opcode).unwrap_or_else(|| hex(self.opcode.into())))?;
        let operands: Vec<String> =
            self.operands.iter().map(|operand| signed_hex(operand.cast_signed())).collect();
        map.serialize_entry("operands", &operands)?;
        if !self.block.is_empty() {
            map.serialize_entry("block", &hex_bytes(&self.block))?;
        }
        map.end()
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for row in self.iter() {
            list.serialize_element(&row)?;
        }
        list.end()
    }
}

impl Serialize for RowRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Row", 4)?;
        fields.serialize_field("start", &self.start)?;
        fields.serialize_field("end", &self.end)?;
        fields.serialize_field("cfa", self.cfa)?;
        fields.serialize_field("rules", &Rules(self.rules))?;
        fields.end()
    }
}

struct Rules<'a>(&'a [(u64, RegisterRule)]);

impl Serialize for Rules<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for (register, rule) in self.0 {
            list.serialize_element(&Rule(*register, rule))?;
        }
        list.end()
    }
}

struct Rule<'a>(u64, &'a RegisterRule);

impl Serialize for Rule<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("register", &hex(self.0))?;
        rule_fields(&mut map, self.1)?;
        map.end()
    }
}

impl Serialize for RegisterRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        rule_fields(&mut map, self)?;
        map.end()
    }
}

fn rule_fields<M: SerializeMap>(map: &mut M, rule: &RegisterRule) -> Result<(), M::Error> {
    match rule {
        RegisterRule::Undefined => map.serialize_entry("rule", "undefined"),
        RegisterRule::SameValue => map.serialize_entry("rule", "same_value"),
        RegisterRule::Offset(offset) => entry(map, "offset", "offset", &signed_hex(*offset)),
        RegisterRule::ValOffset(offset) => entry(map, "val_offset", "offset", &signed_hex(*offset)),
        RegisterRule::Register(source) => entry(map, "register", "source", &hex(*source)),
        RegisterRule::Expression(expression) => entry(map, "expression", "expression", expression),
        RegisterRule::ValExpression(expression) => entry(map, "val_expression", "expression", expression),
        RegisterRule::Architectural(value) => entry(map, "architectural", "value", &hex(*value)),
    }
}

impl Serialize for LookUp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("LookUp", 3)?;
        fields.serialize_field("address", &self.address)?;
        fields.serialize_field("cfa", &self.cfa)?;
        fields.serialize_field("return_address", &self.return_address)?;
        fields.end()
    }
}

fn entry<M: SerializeMap, V: Serialize>(
    map: &mut M,
    rule: &str,
    key: &str,
    value: &V,
) -> Result<(), M::Error> {
    map.serialize_entry("rule", rule)?;
    map.serialize_entry(key, value)
}

impl Serialize for CfaRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            CfaRule::Undefined => map.serialize_entry("rule", "undefined")?,
            CfaRule::RegisterOffset { register, offset } => {
                entry(&mut map, "register_offset", "register", &hex(*register))?;
                map.serialize_entry("offset", &signed_hex(*offset))?;
            }
            CfaRule::RegisterOffsetInSpace { register, offset, address_space } => {
                entry(&mut map, "register_offset", "register", &hex(*register))?;
                map.serialize_entry("offset", &signed_hex(*offset))?;
                map.serialize_entry("address_space", &hex(*address_space))?;
            }
            CfaRule::Expression(expression) => entry(&mut map, "expression", "expression", expression)?,
        }
        map.end()
    }
}
