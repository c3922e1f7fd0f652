//! The schema of the protocol is made from the types that read it.

mod protocol;

use std::fs;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::lines::{AtLine, EntryLine, Hello, PROTOCOL, SectionLine, WhyLine};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol.schema.json");

/// A kind of line: the fields of a type, and the constant that tells it.
fn line<T: JsonSchema>(generator: &mut SchemaGenerator, kind: &str) -> Value {
    let mut schema: Value = T::json_schema(generator).into();
    schema["properties"]["type"] = json!({ "const": kind });
    if let Some(required) = schema["required"].as_array_mut() {
        required.insert(0, "type".into());
    } else {
        schema["required"] = json!(["type"]);
    }
    schema
}

fn schema() -> String {
    let mut generator = SchemaGenerator::default();
    let lines = [
        line::<Hello>(&mut generator, "reader"),
        line::<SectionLine>(&mut generator, "section"),
        line::<EntryLine>(&mut generator, "entry"),
        line::<AtLine>(&mut generator, "at"),
        line::<WhyLine>(&mut generator, "unsupported"),
        line::<WhyLine>(&mut generator, "failed"),
        json!({ "type": "object", "properties": { "type": { "const": "end" } }, "required": ["type"] }),
    ];
    let definitions: Vec<(String, Schema)> = generator
        .take_definitions(true)
        .into_iter()
        .map(|(name, schema)| (name, Schema::try_from(schema).expect("a schema")))
        .collect();
    let mut all = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("A line of a reader's answer, protocol {PROTOCOL}"),
        "oneOf": lines,
        "$defs": {},
    });
    for (name, schema) in definitions {
        all["$defs"][name] = schema.into();
    }
    serde_json::to_string_pretty(&all).expect("a schema is JSON") + "\n"
}

#[test]
fn the_schema_is_that_of_the_types() {
    let schema = schema();
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        fs::write(PATH, &schema).expect("the schema can be written");
    }
    let there = fs::read_to_string(PATH).expect("the schema is there");
    assert!(there == schema, "BLESS=1 rewrites {PATH}");
}
