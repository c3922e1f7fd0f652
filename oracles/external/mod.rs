//! The user's own reader: any command that speaks the protocol of `PROTOCOL.md`.
//!
//! A command with `{file}` in it is started for each file. One without is started once and asked for file after
//! file on its standard input.

mod answer;
mod command;
mod convert;
mod json;
mod lines;
mod session;
#[cfg(test)]
mod tests;

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cfidiff_model::{
    Address, Case, Class, Endianness, Entry, LookUp, Machine, Outcome, Says, SectionKind, Sink, Target,
};

use self::answer::{Answer, Speaker};
pub use self::answer::{LOOK_UPS, capability, capability_name};
use self::command::Template;
pub(crate) use self::lines::EntryLine;
pub use self::lines::PROTOCOL;
use self::session::Session;
use crate::lines::{LONGEST, Lines};
use crate::process::{self, Ended, Errors, Killed, Limits};
use crate::usage::{Meter, Usage};
use crate::{Oracle, Pass};

/// A linked x86-64 file of one CIE and two FDEs, on which every reader is tried before it is trusted with others.
const HANDSHAKE: &[u8] = include_bytes!("handshake.elf");
/// The most bytes that a reader may print for one file.
const OUTPUT_LIMIT: u64 = 4 << 30;
/// How much of a reader's error stream goes into a report.
const WORDS: usize = 200;

/// A reader that is a command of the user's.
pub struct External {
    name: String,
    /// The pair of name and command that the user gave.
    pair: Option<String>,
    template: Template,
    limits: Limits,
    speaker: Speaker,
    passes: [Pass; 1],
    /// Processes that wait for the next file, for a command that lives on.
    idle: Mutex<Vec<Session>>,
    meter: Arc<Meter>,
}

impl External {
    /// A reader given as `NAME=CMD`. The command is split into words as a shell splits them, and run without a
    /// shell. It is tried on a small file at once.
    ///
    /// # Errors
    /// In words, when the text is no such pair, or the reader does not answer as the protocol asks.
    pub fn start(pair: &str, time_out: Duration) -> Result<External, String> {
        let (name, command) = pair.split_once('=').ok_or("expected NAME=CMD")?;
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(format!("{name:?} is no name for a reader"));
        }
        External::with_template(name, Some(pair), Template::parse(command)?, time_out)
    }

    /// A reader whose command is given word by word.
    ///
    /// # Errors
    /// In words, when the reader does not answer as the protocol asks.
    pub fn with_words(name: &str, words: Vec<String>, time_out: Duration) -> Result<External, String> {
        External::with_template(name, None, Template::new(words)?, time_out)
    }

    fn with_template(
        name: &str,
        pair: Option<&str>,
        template: Template,
        time_out: Duration,
    ) -> Result<External, String> {
        let mut external = External {
            name: name.to_owned(),
            pair: pair.map(str::to_owned),
            template,
            limits: Limits { time: time_out, output: OUTPUT_LIMIT },
            speaker: Speaker { version: String::new(), says: Says::empty(), looks_up: false },
            passes: [Pass { name: "answer", says: Says::empty() }],
            idle: Mutex::default(),
            meter: Arc::default(),
        };
        external.speaker = external.handshake()?;
        external.passes[0].says = external.speaker.says;
        Ok(external)
    }

    /// Asks for a small file. What the reader makes of it is compared nowhere.
    fn handshake(&self) -> Result<Speaker, String> {
        let mut file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
        file.write_all(HANDSHAKE).map_err(|error| error.to_string())?;
        let case = handshake_case(file.path());
        let mut last = LastWord(Outcome::Answered);
        let mut ignore = |_| {};
        let addresses = [Address(0x1010), Address(0x1011)];
        let answer = Answer::new(&case, 0, &mut last).with_look_ups(&addresses, &mut ignore);
        let speaker = self.ask(file.path(), &addresses, answer);
        match (last.0, speaker) {
            (Outcome::Failed(why), _) if self.template.lives_on() && self.pair.is_some() => {
                Err(format!("{why} (without {{file}} in its command it is asked on its standard input)"))
            }
            (Outcome::Failed(why), _) => Err(why),
            (_, Some(speaker)) => Ok(speaker),
            (_, None) => Err("it did not say who it is".to_owned()),
        }
    }

    /// Asks for one file and pushes the answer. Gives who spoke.
    fn ask(&self, file: &Path, addresses: &[Address], answer: Answer<'_>) -> Option<Speaker> {
        if self.template.lives_on() {
            self.ask_session(file, addresses, answer)
        } else {
            self.run(file, addresses, answer)
        }
    }

    /// Starts a process for the file.
    fn run(&self, file: &Path, addresses: &[Address], mut answer: Answer<'_>) -> Option<Speaker> {
        let list = match self.template.takes_addresses().then(|| write_addresses(addresses)).transpose() {
            Ok(list) => list,
            Err(error) => return answer.finish(Some(format!("cannot be given addresses: {error}"))),
        };
        let command = self.template.command(file, list.as_ref().map(|list| list.path()));
        let mut lines = Lines::default();
        let mut refusal = None;
        let limits = self.limits.to_read([answer.case()]);
        let ended = process::run(command, Errors::Apart, limits, &mut |chunk| {
            let fed = lines.split(chunk, |line| {
                if refusal.is_none() {
                    refusal = answer.line(line).err();
                }
            });
            if refusal.is_some() { ControlFlow::Break(()) } else { fed }
        });
        // A last line without its end counts, unless it was cut off.
        let rest = lines.rest();
        let by_itself = ended.as_ref().is_ok_and(|ended| ended.failure().is_none());
        if refusal.is_none() && by_itself && !rest.is_empty() {
            refusal = answer.line(&rest).err();
        }
        let why = match ended {
            Err(error) => Some(self.template.not_run(&error)),
            Ok(ended) => {
                self.meter.add(ended.usage);
                refusal.or_else(|| failure(&ended, &answer))
            }
        };
        answer.finish(why)
    }

    fn waiting(&self) -> Option<Session> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Asks a process that waits, or a new one.
    fn ask_session(&self, file: &Path, addresses: &[Address], answer: Answer<'_>) -> Option<Speaker> {
        let mut waiting = self.waiting();
        while waiting.as_mut().is_some_and(Session::has_left) {
            waiting = self.waiting();
        }
        let (mut session, mut answer) = match waiting {
            Some(session) => (session, answer.of(self.speaker.clone())),
            None => match Session::start(self.template.command(file, None), self.meter.clone()) {
                Ok(session) => (session, answer),
                Err(error) => return answer.finish(Some(self.template.not_run(&error))),
            },
        };
        let limits = self.limits.to_read([answer.case()]);
        match session.ask(file, addresses, limits, &mut |line| answer.line(line)) {
            Ok(()) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
                answer.finish(None)
            }
            Err(why) => answer.finish(Some(why)),
        }
    }
}

/// A JSON object as a line of its type, or words that name the line and the field which does not fit.
pub(crate) fn line<T: serde::de::DeserializeOwned>(
    value: serde_json::Value,
    number: usize,
) -> Result<T, String> {
    json::parse(&value.to_string()).map_err(|bad| answer::refusal(number, &bad))
}

/// Fills `entry` with the meaning of the line of this number. What `says` holds has to be there.
pub(crate) fn entry(line: EntryLine, says: Says, number: usize, entry: &mut Entry) -> Result<(), String> {
    convert::entry(line, says, entry).map_err(|bad| answer::refusal(number, &bad))
}

/// The addresses in a file, one on each line.
fn write_addresses(addresses: &[Address]) -> std::io::Result<tempfile::NamedTempFile> {
    let file = tempfile::NamedTempFile::new()?;
    let mut out = std::io::BufWriter::new(&file);
    for address in addresses {
        writeln!(out, "{:#x}", address.0)?;
    }
    out.flush()?;
    drop(out);
    Ok(file)
}

/// Why the protocol cannot name this case.
fn unnamed(case: &Case) -> Option<&'static str> {
    match (&case.path, &case.member) {
        (None, _) => Some("it is in memory only, and the reader reads files"),
        (_, Some(_)) => Some("it is a member of an archive, and the protocol names whole files"),
        _ => None,
    }
}

impl Oracle for External {
    fn name(&self) -> &str {
        &self.name
    }

    fn command(&self) -> Option<&str> {
        self.pair.as_deref()
    }

    fn version(&self) -> &str {
        &self.speaker.version
    }

    fn passes(&self) -> &[Pass] {
        &self.passes
    }

    fn reads_files(&self) -> bool {
        true
    }

    fn read(&self, _pass: usize, cases: &[Case], sink: &mut dyn Sink) {
        for (number, case) in cases.iter().enumerate() {
            match (&case.path, unnamed(case)) {
                _ if sink.cancelled() => {
                    sink.end_case(number, Outcome::Failed("was stopped on request".to_owned()));
                }
                (Some(path), None) => _ = self.ask(path, &[], Answer::new(case, number, sink)),
                (_, why) => {
                    let why = why.unwrap_or_default().to_owned();
                    sink.end_case(number, Outcome::Unsupported(why));
                }
            }
        }
    }

    fn usage(&self) -> Option<Usage> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Some(self.meter.usage())
    }

    fn looks_up(&self) -> bool {
        self.speaker.looks_up
    }

    fn look_up(&self, case: &Case, addresses: &[Address], each: &mut dyn FnMut(LookUp)) -> Outcome {
        let (Some(path), None) = (&case.path, unnamed(case)) else {
            return Outcome::Unsupported(unnamed(case).unwrap_or_default().to_owned());
        };
        let mut last = LastWord(Outcome::Answered);
        self.ask(path, addresses, Answer::new(case, 0, &mut last).with_look_ups(addresses, each));
        last.0
    }
}

/// In words how a process went wrong whose lines were all right.
fn failure(ended: &Ended, answer: &Answer<'_>) -> Option<String> {
    let said = said(&ended.errors);
    let heard = if answer.lines() == 0 { "printed nothing and " } else { "" };
    match ended.killed {
        Some(Killed::BySink) => Some(format!("printed a line of more than {LONGEST} bytes")),
        _ => match (ended.failure(), ended.status.code()) {
            (Some(failure), _) => Some(format!("{heard}{failure}{said}")),
            (None, Some(code)) if code != 0 => Some(format!("{heard}exited with {code}{said}")),
            _ if answer.is_complete() => None,
            _ => Some(format!("{heard}ended without a line of type \"end\"{said}")),
        },
    }
}

/// The last words of an error stream, for the end of a failure's words. They are what an interpreter's trace ends in.
fn said(errors: &[u8]) -> String {
    let words = String::from_utf8_lossy(errors).split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth_back(WORDS) {
        _ if words.is_empty() => String::new(),
        None => format!("; it said: {words}"),
        Some((start, _)) => format!("; it said: …{}", &words[start..]),
    }
}

/// The case of the small file, with the one section that an answer can name.
fn handshake_case(path: &Path) -> Case {
    let section = cfidiff_model::Section {
        kind: SectionKind::EhFrame,
        name: SectionKind::EhFrame.name().to_owned(),
        index: Some(2),
        section_type: 1,
        address: Address(0x2000),
        file_offset: Some(0x1f0),
        data: HANDSHAKE[0x1f0..0x23c].to_vec(),
        bases: cfidiff_model::Bases::default(),
        faults: Vec::new(),
    };
    let target = Target {
        machine: Machine::X86_64,
        class: Class::Elf64,
        endianness: Endianness::Little,
        relocatable: false,
    };
    Case {
        name: "handshake".to_owned(),
        path: Some(path.to_owned()),
        member: None,
        target,
        sections: vec![section],
        notes: Vec::new(),
    }
}

/// A sink that keeps only how the case ended.
struct LastWord(Outcome);

impl Sink for LastWord {
    fn section(&mut self, _case: usize, _section: usize, _says: Says) {}

    fn entry(&mut self, _entry: &Entry) {}

    fn end_section(&mut self, _outcome: Outcome) {}

    fn end_case(&mut self, _case: usize, outcome: Outcome) {
        self.0 = outcome;
    }
}
