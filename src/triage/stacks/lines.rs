//! One line of a list of stacks, in each form.

use serde::Deserialize;

use super::input::Form;

/// What one line holds.
pub(super) enum Line {
    /// A frame, with its number in the stack where the form tells it, else 1.
    Frame {
        /// The frame's number.
        number: u64,
        /// The address, where the line has one.
        address: Option<u64>,
    },
    /// A frame that gdb puts where a signal handler was called.
    Signal,
    /// A whole stack.
    Whole(Vec<u64>),
    /// The head of a new stack.
    NewStack,
    /// Nothing that concerns stacks.
    Nothing,
}

/// Whether a line is a comment. gdb and eu-stack write a number behind the sign.
pub(super) fn is_comment(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// The form of a list whose first telling line this is.
pub(super) fn form_of(text: &str) -> Option<Form> {
    let word = text.split_whitespace().next()?;
    if text.starts_with('{') {
        Some(Form::JsonLines)
    } else if text.starts_with("PID ") || text.starts_with("TID ") {
        Some(Form::EuStack)
    } else if text.starts_with("Thread ") || frame_number(text).is_some() {
        Some(Form::Gdb)
    } else if word.starts_with("0x") {
        // gdb says so where it stopped, before it is asked for a backtrace.
        (text.split_whitespace().nth(1) != Some("in")).then_some(Form::Plain)
    } else if is_perf_head(text) || (text.starts_with([' ', '\t']) && is_hexadecimal(word)) {
        Some(Form::Perf)
    } else {
        None
    }
}

/// Whether a debugger may say this before its first frame: text of several words.
pub(super) fn is_talk(text: &str) -> bool {
    !text.contains(|letter: char| letter.is_control() && letter != '\t') && text.contains(' ')
}

/// What is told of a line that starts no known form.
pub(super) fn unknown(text: &str) -> String {
    no_address(text.split_whitespace().next().unwrap_or_default())
}

/// Takes a line of a list of this form apart.
pub(super) fn parse(form: Form, text: &str) -> Result<Line, String> {
    match form {
        Form::Plain => plain(text),
        Form::JsonLines => json(text),
        Form::Gdb | Form::EuStack => Ok(debugger(text)),
        Form::Perf => perf(text),
    }
}

fn plain(text: &str) -> Result<Line, String> {
    if is_comment(text) {
        return Ok(Line::Nothing);
    }
    let word = text.split_whitespace().next().unwrap_or_default();
    Ok(Line::Frame { number: 1, address: Some(prefixed(word)?) })
}

#[derive(Deserialize)]
struct JsonStack {
    stack: Vec<String>,
}

fn json(text: &str) -> Result<Line, String> {
    let parsed: JsonStack = serde_json::from_str(text)
        .map_err(|error| format!("it is no object with \"stack\", a list of strings \"0x…\": {error}"))?;
    Ok(Line::Whole(parsed.stack.iter().map(|word| prefixed(word)).collect::<Result<_, _>>()?))
}

/// `#1  0x0000555555555199 in mid (…) at t.c:5`, `#1  0x00005635c7f42168 h`, `#0  leaf (…) at t.c:4`.
fn debugger(text: &str) -> Line {
    if ["Thread ", "PID ", "TID "].iter().any(|head| text.starts_with(head)) {
        return Line::NewStack;
    }
    let Some(number) = frame_number(text) else { return Line::Nothing };
    if text.contains("<signal handler called>") {
        return Line::Signal;
    }
    let address = text.split_whitespace().nth(1).and_then(|word| prefixed(word).ok());
    Line::Frame { number, address }
}

/// `    7f620b3d58a8 name+0x5 (file)` below a head that is not indented.
fn perf(text: &str) -> Result<Line, String> {
    if !text.starts_with([' ', '\t']) {
        return Ok(Line::NewStack);
    }
    if text.ends_with("(inlined)") {
        return Ok(Line::Nothing);
    }
    let word = text.split_whitespace().next().unwrap_or_default();
    if !is_hexadecimal(word) {
        return Err(format!(
            "{} is no address: perf script starts a frame with hexadecimal digits",
            shown(word)
        ));
    }
    let address = u64::from_str_radix(word, 16).map_err(|_| too_wide(word))?;
    Ok(Line::Frame { number: 1, address: Some(address) })
}

/// `comm pid/tid … time: period event:`
fn is_perf_head(text: &str) -> bool {
    let is_time = |word: &str| {
        let number = word.strip_suffix(':').and_then(|word| word.split_once('.'));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        number.is_some_and(|(seconds, rest)| digits(seconds) && digits(rest))
    };
    !text.starts_with([' ', '\t']) && text.split_whitespace().skip(1).any(is_time)
}

fn frame_number(text: &str) -> Option<u64> {
    text.strip_prefix('#')?.split_whitespace().next()?.parse().ok()
}

fn is_hexadecimal(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// An address behind `0x`.
fn prefixed(word: &str) -> Result<u64, String> {
    match word.strip_prefix("0x") {
        Some(digits) if is_hexadecimal(digits) => u64::from_str_radix(digits, 16).map_err(|_| too_wide(word)),
        _ => Err(no_address(word)),
    }
}

fn no_address(word: &str) -> String {
    format!("{} is no address: a frame starts with 0x and hexadecimal digits", shown(word))
}

fn too_wide(word: &str) -> String {
    format!("{} is no address of at most 64 bits", shown(word))
}

/// A word in quotation marks, cut when it is long.
fn shown(word: &str) -> String {
    let short: String = word.chars().take(40).collect();
    format!("{short:?}")
}
