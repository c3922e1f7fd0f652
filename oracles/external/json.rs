//! A line as JSON: which type of line it is, and its fields; in words that fit a line of text what is wrong with it.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// How many characters of a line are shown that is no JSON.
const SHOWN: usize = 40;

/// A field that is missing or has no meaning, by its path in the line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BadField {
    pub path: String,
    pub why: String,
}

impl BadField {
    /// With the field's path, empty for the line itself.
    pub fn new(path: &str, why: impl Into<String>) -> BadField {
        BadField { path: path.to_owned(), why: why.into() }
    }

    /// The same in what the field of this path holds.
    pub fn inside(self, path: &str) -> BadField {
        BadField { path: format!("{path}.{}", self.path), ..self }
    }
}

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
}

/// The line as text; else what it is, in words that go behind its number.
pub(super) fn text(line: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(line).map_err(|error| {
        let at = error.valid_up_to();
        format!("is not UTF-8: byte {} is {:#04x}", at + 1, line[at])
    })
}

/// The type of a line. Without a path the fault is the line's, and its words go behind the line's number.
pub(super) fn kind(text: &str) -> Result<Cow<'_, str>, BadField> {
    match serde_json::from_str::<Typed<'_>>(text) {
        Ok(Typed { kind }) => Ok(kind),
        Err(error) if !error.is_data() => {
            let shown: String = text.chars().take(SHOWN).collect();
            let more = if shown.len() < text.len() { "…" } else { "" };
            let why = format!("is not JSON: {} at column {}: {shown}{more}", words(&error), error.column());
            Err(BadField::new("", why))
        }
        Err(_) if !text.trim_start().starts_with('{') => Err(BadField::new("", "is not a JSON object")),
        Err(error) => match words(&error) {
            missing if missing.starts_with("missing field") => Err(BadField::new("type", "is missing")),
            other => Err(BadField::new("type", other)),
        },
    }
}

/// A line as an object of its type.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, BadField> {
    // The path of a field is looked for only when it is needed, since that takes time for each field.
    serde_json::from_str(text).or_else(|_| {
        serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text)).map_err(|error| {
            let path = error.path().to_string();
            BadField::new(if path == "." { "" } else { &path }, words(error.inner()))
        })
    })
}

/// An error without its place, of which the line is always the first.
fn words(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    words.strip_suffix(&place).map_or(words.clone(), str::to_owned)
}
