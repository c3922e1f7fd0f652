//! One file's answer, line by line, into the model. A line that cannot be taken is told by its number and field.

use cfidiff_model::{Case, Entry, LookUp, Outcome, Says, Sink};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::convert::{self, BadField};
use super::lines::{Hello, PROTOCOL, SectionLine, WhyLine};

/// Why an answer cannot be taken, in words that name the line and the field.
pub(super) type Refusal = String;

/// A reader as its first line tells it.
#[derive(Clone, Debug)]
pub(super) struct Speaker {
    pub version: String,
    pub says: Says,
    /// Whether it answers for single addresses only.
    pub looks_up: bool,
}

/// The one capability of a reader that answers for single addresses only.
pub const LOOK_UPS: &str = "look-ups";

/// The names of what a reader can say, each with what it stands for: the flags of [`Says`] in lower case with
/// hyphens.
pub fn capability(name: &str) -> Option<Says> {
    Says::all().iter_names().find(|(flag, _)| capability_name(flag) == name).map(|(_, says)| says)
}

/// The protocol's name of a flag of [`Says`].
pub fn capability_name(flag: &str) -> String {
    flag.to_ascii_lowercase().replace('_', "-")
}

/// A line as an object of its type, with the field's path when it does not fit.
pub(super) fn parse<T: DeserializeOwned>(value: Value) -> Result<T, BadField> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        BadField { path: if path == "." { String::new() } else { path }, why: error.into_inner().to_string() }
    })
}

/// The words for a field that does not fit.
pub(super) fn refusal(line: usize, bad: &BadField) -> Refusal {
    match bad.path.as_str() {
        "" => format!("line {line}: {}", bad.why),
        path => format!("line {line}, field {path}: {}", bad.why),
    }
}

/// Reads a first line.
pub(super) fn hello(value: Value, line: usize) -> Result<Speaker, Refusal> {
    let hello: Hello = parse(value).map_err(|bad| refusal(line, &bad))?;
    if hello.protocol != PROTOCOL {
        return Err(format!("line {line}: speaks protocol {}, this is protocol {PROTOCOL}", hello.protocol));
    }
    let looks_up = hello.says == [LOOK_UPS];
    let names = if looks_up { &[][..] } else { &hello.says };
    let says = says(names).map_err(|why| format!("line {line}, field says: {why}"))?;
    Ok(Speaker { version: hello.version, says, looks_up })
}

fn says(names: &[String]) -> Result<Says, String> {
    let mut says = Says::RECORDS;
    for name in names {
        says |= capability(name).ok_or_else(|| format!("{name:?} is no capability"))?;
    }
    Ok(says)
}

/// Takes the lines of one file's answer and pushes what they say into a sink.
pub(super) struct Answer<'a> {
    case: &'a Case,
    /// The case's number among those that the sink knows.
    number: usize,
    sink: &'a mut dyn Sink,
    /// Where answers for single addresses go, when those were asked for.
    look_ups: Option<&'a mut dyn FnMut(LookUp)>,
    speaker: Option<Speaker>,
    lines: usize,
    /// What is said of the section that is open.
    section: Option<Says>,
    entry: Entry,
    /// What the reader says of the file as a whole, when it cannot read it.
    word: Option<Outcome>,
    /// Whether the line came that ends every answer.
    complete: bool,
}

impl<'a> Answer<'a> {
    /// An answer on a case, the first line included.
    pub fn new(case: &'a Case, number: usize, sink: &'a mut dyn Sink) -> Answer<'a> {
        Answer {
            case,
            number,
            sink,
            look_ups: None,
            speaker: None,
            lines: 0,
            section: None,
            entry: Entry::default(),
            word: None,
            complete: false,
        }
    }

    /// The answer of a reader that has said before who it is.
    pub fn of(mut self, speaker: Speaker) -> Answer<'a> {
        self.speaker = Some(speaker);
        self
    }

    /// Takes answers for single addresses as well.
    pub fn with_look_ups(mut self, each: &'a mut dyn FnMut(LookUp)) -> Answer<'a> {
        self.look_ups = Some(each);
        self
    }

    /// Takes a line without its end. Gives whether the answer is complete.
    pub fn line(&mut self, line: &[u8]) -> Result<bool, Refusal> {
        self.lines += 1;
        if line.trim_ascii().is_empty() {
            return Ok(self.complete);
        }
        if self.complete {
            return Err(format!("line {}: stands behind the end of the answer", self.lines));
        }
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| format!("line {} is not JSON: {error}", self.lines))?;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if self.speaker.is_none() {
            if kind != "reader" {
                return Err(format!("line {}: the first line has to be of type \"reader\"", self.lines));
            }
            self.speaker = Some(hello(value, self.lines)?);
            return Ok(false);
        }
        match kind.as_str() {
            "section" => self.start(self.take(value)?)?,
            "entry" => self.entry(value)?,
            "at" => self.at(value)?,
            "unsupported" => {
                let WhyLine { why, .. } = self.take(value)?;
                self.end(Outcome::Unsupported(why));
            }
            "failed" => {
                let WhyLine { why, offset } = self.take(value)?;
                let at = offset.map(|offset| format!(" at {:#x}", offset.0)).unwrap_or_default();
                self.end(Outcome::Failed(format!("{why}{at}")));
            }
            "end" => {
                self.close();
                self.complete = true;
            }
            other => {
                return Err(format!("line {}, field type: {other:?} is no line of an answer", self.lines));
            }
        }
        Ok(self.complete)
    }

    fn take<T: DeserializeOwned>(&self, value: Value) -> Result<T, Refusal> {
        parse(value).map_err(|bad| refusal(self.lines, &bad))
    }

    fn start(&mut self, line: SectionLine) -> Result<(), Refusal> {
        self.close();
        let mut named = self.case.frame_sections().filter(|(_, section)| {
            section.name == line.name && (line.index.is_none() || section.index == line.index)
        });
        let Some((section, _)) = named.next() else {
            return Err(format!("line {}, field name: the file has no section {:?}", self.lines, line.name));
        };
        if named.next().is_some() {
            let why = format!("the file has several sections {:?}, tell which", line.name);
            return Err(format!("line {}, field index: {why}", self.lines));
        }
        let speaker = self.speaker.as_ref().map_or(Says::RECORDS, |speaker| speaker.says);
        let says = match &line.says {
            None => speaker,
            Some(names) => {
                speaker & says(names).map_err(|why| format!("line {}, field says: {why}", self.lines))?
            }
        };
        self.section = Some(says);
        self.sink.section(self.number, section, says);
        Ok(())
    }

    fn entry(&mut self, value: Value) -> Result<(), Refusal> {
        let Some(says) = self.section else {
            return Err(format!("line {}: an entry needs a line of type \"section\" before it", self.lines));
        };
        let line = self.take(value)?;
        convert::entry(line, says, &mut self.entry).map_err(|bad| refusal(self.lines, &bad))?;
        self.sink.entry(&self.entry);
        Ok(())
    }

    fn at(&mut self, value: Value) -> Result<(), Refusal> {
        let look_up = convert::look_up(&self.take(value)?).map_err(|bad| refusal(self.lines, &bad))?;
        match &mut self.look_ups {
            Some(each) => each(look_up),
            None => return Err(format!("line {}: no address was asked about", self.lines)),
        }
        Ok(())
    }

    /// Ends the open section so, or is the word on the whole case when none is open.
    fn end(&mut self, outcome: Outcome) {
        match self.section.take() {
            Some(_) => self.sink.end_section(outcome),
            None => self.word = self.word.take().or(Some(outcome)),
        }
    }

    fn close(&mut self) {
        if self.section.take().is_some() {
            self.sink.end_section(Outcome::Answered);
        }
    }

    /// Ends the case: as the reader said in a complete answer, or as a failure with these words. Gives who spoke.
    pub fn finish(mut self, failure: Option<String>) -> Option<Speaker> {
        let outcome = failure.map(Outcome::Failed).or(self.word.take()).unwrap_or(Outcome::Answered);
        if self.section.take().is_some() {
            self.sink.end_section(outcome.clone());
        }
        self.sink.end_case(self.number, outcome);
        self.speaker
    }

    /// Whether the answer is complete.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// How many lines were taken.
    pub fn lines(&self) -> usize {
        self.lines
    }
}
