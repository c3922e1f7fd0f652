//! A case's answer as JSON Lines: the case first, then each section, behind it its entries; then frames and the header.
//!
//! Values that say nothing (`null`, `false`, an empty string or list) are left out of a line. What the case leaves to
//! the reader is left out as well, and named in `free`.

use serde_json::{Map, Value, json};

use crate::suite::{Answer, Case, Damage, Expected, FrameAnswer, HeaderAnswer, Role};
use crate::{Compression, OMIT};

/// A number as JSON holds it.
fn hex(value: u64) -> Value {
    Value::from(format!("{value:#x}"))
}

/// An object as a line: without the values that say nothing.
fn line(kind: &str, fields: Value) -> String {
    let mut all = Map::new();
    all.insert("type".to_owned(), kind.into());
    if let Value::Object(fields) = fields {
        all.extend(fields.into_iter().filter(|(_, value)| !says_nothing(value)));
    }
    format!("{}\n", Value::Object(all))
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

impl Case {
    /// The case's lines, each an object on a line of its own.
    pub fn json_lines(&self) -> String {
        let mut lines = line("case", self.head());
        for section in &self.sections {
            lines += &line("section", section.place());
            lines.extend(section.entries.iter().map(Expected::line));
        }
        lines.extend(self.frames.iter().map(FrameAnswer::line));
        lines.extend(self.header.as_ref().map(|header| header.line(self)));
        lines
    }

    fn head(&self) -> Value {
        let target = self.target;
        let readings = self.readings.iter().map(|each| json!({ "name": each.name, "why": each.why }));
        json!({
            "about": self.about,
            "clause": self.clause,
            "catches": self.catches,
            "damage": self.damage.map(Damage::name),
            "readings": readings.collect::<Vec<_>>(),
            "e_machine": target.machine.0,
            "address_size": target.class.address_size(),
            "endianness": target.endianness.name(),
            "relocatable": target.relocatable,
        })
    }
}

impl Answer {
    /// Where the section is, so that nobody has to read ELF for it.
    fn place(&self) -> Value {
        json!({
            "name": self.name,
            "index": self.index,
            "address": hex(self.address.0),
            "file_offset": hex(self.file_offset),
            "size": hex(self.size),
            "relocated": self.relocated,
            "compression": self.compression.map(Compression::name),
            "text": self.bases.text.map(|base| hex(base.0)),
            "data": self.bases.data.map(|base| hex(base.0)),
        })
    }
}

impl Expected {
    fn line(&self) -> String {
        let mut fields = Map::new();
        fields.insert("reading".to_owned(), self.reading.into());
        fields.insert("role".to_owned(), self.role.map(Role::name).into());
        fields.insert("free".to_owned(), self.free_fields().into());
        fields.extend(self.pattern());
        line("entry", Value::Object(fields))
    }

    /// The fields of the entry that are left to the reader, in the order of the entry.
    fn free_fields(&self) -> Vec<String> {
        let fields = self.fields().into_iter().map(|(name, _)| name);
        fields.filter(|name| self.free.contains(&name.as_str())).collect()
    }

    /// The fields that a reader's entry has to have, with their values.
    pub fn pattern(&self) -> Map<String, Value> {
        let mut fields = self.fields();
        fields.retain(|name, _| !self.free.contains(&name.as_str()));
        fields
    }

    fn fields(&self) -> Map<String, Value> {
        // An entry is an object of strings, numbers and lists of such, which always has a JSON form.
        let Ok(Value::Object(mut fields)) = serde_json::to_value(&self.entry) else {
            return Map::new();
        };
        let faults: Vec<Value> = self.faults.iter().map(|fault| json!({ "key": fault.name() })).collect();
        fields.insert("faults".to_owned(), faults.into());
        fields
    }
}

impl FrameAnswer {
    fn line(&self) -> String {
        let pairs = |list: &[(u64, u64)], names: [&str; 2]| -> Vec<Value> {
            list.iter().map(|&(key, value)| json!({ names[0]: hex(key), names[1]: hex(value) })).collect()
        };
        let fields = json!({
            "address": hex(self.address.0),
            "registers": pairs(&self.registers, ["register", "value"]),
            "memory": pairs(&self.memory, ["address", "value"]),
            "cfa": hex(self.cfa),
            "saved": pairs(&self.saved, ["register", "address"]),
            "values": pairs(&self.values, ["register", "value"]),
        });
        line("frame", fields)
    }
}

impl HeaderAnswer {
    fn line(&self, case: &Case) -> String {
        let mut fields = Map::new();
        fields.insert("index".to_owned(), self.index.into());
        fields.insert("address".to_owned(), hex(self.spec.address.0));
        fields.insert("file_offset".to_owned(), hex(self.file_offset));
        fields.insert("size".to_owned(), hex(self.size));
        fields.insert("free".to_owned(), self.free.clone().into());
        fields.extend(self.pattern(case));
        line("header", Value::Object(fields))
    }

    /// The fields that a reader's header has to have.
    pub fn pattern(&self, case: &Case) -> Map<String, Value> {
        let spec = &self.spec;
        let unless_omitted = |encoding: u8, value: Value| if encoding == OMIT { Value::Null } else { value };
        let mask = if case.target.class.address_size() == 4 { u64::from(u32::MAX) } else { u64::MAX };
        let mut fields = Map::new();
        let faults: Vec<Value> = self.faults.iter().map(|fault| json!({ "key": fault.name() })).collect();
        fields.insert("faults".to_owned(), faults.into());
        let count = spec.false_count.unwrap_or(spec.entries.len() as u64);
        let told = if spec.count_encoding == OMIT { 0 } else { usize::try_from(count).unwrap_or(usize::MAX) };
        let entries = spec.entries.iter().take(told).map(|entry| {
            json!({
                "initial_location": hex(entry.initial_location.0 & mask),
                "fde": hex(entry.fde.0 & mask),
            })
        });
        let table = if spec.table_encoding == OMIT { Vec::new() } else { entries.collect() };
        fields.insert("version".to_owned(), spec.version.into());
        fields.insert("eh_frame_encoding".to_owned(), hex(spec.eh_frame_encoding.into()));
        fields.insert("count_encoding".to_owned(), hex(spec.count_encoding.into()));
        fields.insert("table_encoding".to_owned(), hex(spec.table_encoding.into()));
        let eh_frame = unless_omitted(spec.eh_frame_encoding, hex(spec.eh_frame.0 & mask));
        fields.insert("eh_frame".to_owned(), eh_frame);
        fields.insert("count".to_owned(), unless_omitted(spec.count_encoding, hex(count)));
        fields.insert("table".to_owned(), table.into());
        fields.retain(|name, _| !self.free.contains(&name.as_str()));
        fields
    }
}
