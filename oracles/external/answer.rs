//! One file's answer, line by line, into the model. A line that cannot be taken is told by its number and field.

use std::collections::HashSet;

use cfidiff_model::{Address, Case, Entry, LookUp, Outcome, Says, Sink};
use serde::de::DeserializeOwned;

use super::convert;
use super::json::{self, BadField};
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

/// The bytes of the smallest record, a zero terminator.
const LEAST_RECORD: usize = 4;

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

/// The words for a field that does not fit.
pub(super) fn refusal(line: usize, bad: &BadField) -> Refusal {
    match bad.path.as_str() {
        "" => format!("line {line}: {}", bad.why),
        path => format!("line {line}, field {path}: {}", bad.why),
    }
}

/// Reads a first line.
fn hello(text: &str, line: usize) -> Result<Speaker, Refusal> {
    let hello: Hello = json::parse(text).map_err(|bad| refusal(line, &bad))?;
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
    /// Where answers for single addresses go, and those that were asked for.
    look_ups: Option<LookUps<'a>>,
    speaker: Option<Speaker>,
    lines: usize,
    /// The sections that were spoken of.
    seen: HashSet<usize>,
    /// The section that is open.
    section: Option<Open>,
    entry: Entry,
    /// What the reader says of the file as a whole, when it cannot read it.
    word: Option<Outcome>,
    /// Whether the line came that ends every answer.
    complete: bool,
}

struct LookUps<'a> {
    asked: HashSet<Address>,
    each: &'a mut dyn FnMut(LookUp),
}

/// A section while its entries come.
#[derive(Clone, Copy)]
struct Open {
    says: Says,
    /// How many entries it may still have: each takes four bytes of it. It is what bounds an answer without end.
    room: usize,
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
            seen: HashSet::new(),
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

    /// Takes answers for these addresses as well.
    pub fn with_look_ups(mut self, asked: &[Address], each: &'a mut dyn FnMut(LookUp)) -> Answer<'a> {
        self.look_ups = Some(LookUps { asked: asked.iter().copied().collect(), each });
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
        let text = json::text(line).map_err(|why| format!("line {} {why}", self.lines))?;
        let kind = match json::kind(text) {
            Ok(kind) => kind,
            Err(bad) if bad.path.is_empty() => return Err(format!("line {} {}", self.lines, bad.why)),
            Err(bad) => return Err(refusal(self.lines, &bad)),
        };
        if self.speaker.is_none() {
            if kind != "reader" {
                let why = "the first line has to be of type \"reader\"";
                return Err(format!("line {}: {why}, this is of type {kind:?}", self.lines));
            }
            self.speaker = Some(hello(text, self.lines)?);
            return Ok(false);
        }
        match &*kind {
            "section" => self.start(self.take(text)?)?,
            "entry" => self.entry(text)?,
            "at" => self.at(text)?,
            "unsupported" => {
                let WhyLine { why, .. } = self.take(text)?;
                self.end(Outcome::Unsupported(why));
            }
            "failed" => {
                let WhyLine { why, offset } = self.take(text)?;
                let at = offset.map(|offset| format!(" at {:#x}", offset.0)).unwrap_or_default();
                self.end(Outcome::Failed(format!("{why}{at}")));
            }
            "end" => {
                self.close();
                self.complete = true;
            }
            "reader" => {
                let why = "a line of type \"reader\" comes once for each process";
                return Err(format!("line {}: {why}", self.lines));
            }
            other => {
                return Err(format!("line {}, field type: {other:?} is no line of an answer", self.lines));
            }
        }
        Ok(self.complete)
    }

    fn take<T: DeserializeOwned>(&self, text: &str) -> Result<T, Refusal> {
        json::parse(text).map_err(|bad| refusal(self.lines, &bad))
    }

    fn start(&mut self, line: SectionLine) -> Result<(), Refusal> {
        self.close();
        let mut named = self.case.frame_sections().filter(|(_, section)| {
            section.name == line.name && (line.index.is_none() || section.index == line.index)
        });
        let Some((section, data)) = named.next() else {
            let which = line.index.map(|index| format!(" with the index {index}")).unwrap_or_default();
            let why = format!("the file has no section {:?}{which}", line.name);
            return Err(format!("line {}, field name: {why}", self.lines));
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
        if !self.seen.insert(section) {
            return Err(format!("line {}, field name: {:?} was answered before", self.lines, line.name));
        }
        self.section = Some(Open { says, room: data.data.len() / LEAST_RECORD + 1 });
        self.sink.section(self.number, section, says);
        Ok(())
    }

    fn entry(&mut self, text: &str) -> Result<(), Refusal> {
        let Some(open) = &mut self.section else {
            return Err(format!("line {}: an entry needs a line of type \"section\" before it", self.lines));
        };
        open.room = match open.room.checked_sub(1) {
            Some(room) => room,
            None => return Err(format!("line {}: the section has no room for so many entries", self.lines)),
        };
        let says = open.says;
        convert::entry(self.take(text)?, says, &mut self.entry).map_err(|bad| refusal(self.lines, &bad))?;
        self.sink.entry(&self.entry);
        Ok(())
    }

    fn at(&mut self, text: &str) -> Result<(), Refusal> {
        let look_up = convert::look_up(&self.take(text)?).map_err(|bad| refusal(self.lines, &bad))?;
        // Sections may speak of the same address, so that an answer may come twice.
        let asked = self.look_ups.as_mut().filter(|look_ups| look_ups.asked.contains(&look_up.address));
        let Some(LookUps { each, .. }) = asked else {
            let why = format!("{:#x} was not asked about", look_up.address.0);
            return Err(format!("line {}, field address: {why}", self.lines));
        };
        each(look_up);
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

    /// The case that is answered on.
    pub fn case(&self) -> &'a Case {
        self.case
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
