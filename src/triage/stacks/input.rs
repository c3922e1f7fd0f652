//! Lists of stacks: read line by line, with limits, from what people write and tools print.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::lines::{self, Line};

/// The most bytes that a line may have.
pub const MAX_LINE: usize = 64 << 10;
/// The most frames that one stack may have.
pub const MAX_FRAMES: usize = 16 << 10;
/// The most frames that a list may have.
pub const MAX_TOTAL: usize = 2 << 20;

/// How a list of stacks is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A frame a line as `0x…`, innermost first, stacks separated by empty lines.
    Plain,
    /// JSON Lines: `{"stack":["0x…"]}`.
    JsonLines,
    /// gdb's `bt`, of one thread or of all.
    Gdb,
    /// elfutils' `eu-stack`.
    EuStack,
    /// `perf script`, with its headers or without.
    Perf,
}

impl Form {
    /// How reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Plain => "plain",
            Form::JsonLines => "JSON Lines",
            Form::Gdb => "gdb bt",
            Form::EuStack => "eu-stack",
            Form::Perf => "perf script",
        }
    }
}

/// One frame as a list tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The run-time address; `None` when a debugger shows the frame without it, as gdb does for one that stands at the
    /// start of a source line.
    pub address: Option<u64>,
    /// Whether the list itself tells that a signal interrupted the frame, so that its address is no return address.
    pub interrupted: bool,
}

/// One stack, innermost frame first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stack {
    /// The line of its first frame, from 1.
    pub line: u64,
    /// Its frames.
    pub frames: Vec<Frame>,
}

/// A list of stacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stacks {
    /// How it is written; `None` of an empty list.
    pub form: Option<Form>,
    /// The stacks in order.
    pub list: Vec<Stack>,
}

impl Stacks {
    /// How many frames all stacks have.
    pub fn frames(&self) -> usize {
        self.list.iter().map(|stack| stack.frames.len()).sum()
    }
}

/// Why a list cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system did not give it.
    #[error("{file}: cannot be read: {why}")]
    Io {
        /// The path as given.
        file: String,
        /// The reason.
        why: io::Error,
    },
    /// A line is not as it should be.
    #[error("{file}:{line}: {what}")]
    Line {
        /// The path as given.
        file: String,
        /// The line's number, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
}

/// Reads a list from a file. What is read is at most [`MAX_TOTAL`] frames, and a line at a time.
pub fn read(path: &Path) -> Result<Stacks, ReadError> {
    let name = path.display().to_string();
    let of_io = |why| ReadError::Io { file: name.clone(), why };
    let file = File::open(path).map_err(of_io)?;
    from_reader(&name, BufReader::new(file))
}

/// Reads a list that errors call `name`.
pub(super) fn from_reader(name: &str, mut input: impl BufRead) -> Result<Stacks, ReadError> {
    let mut list = List { form: None, stacks: Vec::new(), open: false, interrupted: false, total: 0 };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|why| ReadError::Io { file: name.to_owned(), why })?;
        if read == 0 {
            break;
        }
        let wrong = |what| ReadError::Line { file: name.to_owned(), line: number, what };
        if read > MAX_LINE {
            return Err(wrong(format!("the line has more than {MAX_LINE} bytes")));
        }
        let text = String::from_utf8_lossy(&line);
        list.line(number, text.trim_end()).map_err(wrong)?;
    }
    Ok(Stacks { form: list.form, list: list.stacks })
}

/// A list in the making.
struct List {
    form: Option<Form>,
    stacks: Vec<Stack>,
    /// Whether the last stack takes more frames.
    open: bool,
    /// Whether the next frame is one that a signal interrupted.
    interrupted: bool,
    total: usize,
}

impl List {
    fn line(&mut self, number: u64, text: &str) -> Result<(), String> {
        if text.trim().is_empty() {
            // Some debuggers print an empty line between the frames' own output; the next frame's number tells.
            self.open &= matches!(self.form, Some(Form::Gdb | Form::EuStack));
            return Ok(());
        }
        if self.form.is_none() && lines::is_comment(text) {
            return Ok(());
        }
        let form = match self.form {
            Some(form) => form,
            None => match lines::form_of(text) {
                Some(form) => *self.form.insert(form),
                // What a debugger says before its first frame.
                None if lines::is_talk(text) => return Ok(()),
                None => return Err(lines::unknown(text)),
            },
        };
        match lines::parse(form, text)? {
            Line::Nothing => Ok(()),
            Line::NewStack => {
                self.open = false;
                Ok(())
            }
            Line::Whole(addresses) => {
                self.open = false;
                self.start(number);
                addresses.into_iter().try_for_each(|address| self.frame(number, Some(address)))?;
                self.open = false;
                Ok(())
            }
            Line::Frame { number: 0, address } if matches!(form, Form::Gdb | Form::EuStack) => {
                self.open = false;
                self.frame(number, address)
            }
            // A frame that is inlined into the next one has no address of its own.
            Line::Frame { address: None, .. } if !self.interrupted => Ok(()),
            Line::Frame { address, .. } => self.frame(number, address),
            Line::Signal => {
                self.frame(number, None)?;
                self.interrupted = true;
                Ok(())
            }
        }
    }

    fn start(&mut self, line: u64) {
        self.stacks.push(Stack { line, frames: Vec::new() });
        (self.open, self.interrupted) = (true, false);
    }

    fn frame(&mut self, line: u64, address: Option<u64>) -> Result<(), String> {
        if !self.open {
            self.start(line);
        }
        self.total += 1;
        if self.total > MAX_TOTAL {
            return Err(format!("the list has more than {MAX_TOTAL} frames"));
        }
        let interrupted = std::mem::take(&mut self.interrupted);
        let Some(stack) = self.stacks.last_mut() else { return Ok(()) };
        if stack.frames.len() == MAX_FRAMES {
            return Err(format!("the stack has more than {MAX_FRAMES} frames"));
        }
        stack.frames.push(Frame { address, interrupted });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, MAX_LINE, Stacks, from_reader};

    fn read(text: &str) -> Result<Stacks, String> {
        from_reader("list", text.as_bytes()).map_err(|error| error.to_string())
    }

    fn addresses(stacks: &Stacks) -> Vec<Vec<Option<u64>>> {
        let of = |stack: &super::Stack| stack.frames.iter().map(|frame| frame.address).collect();
        stacks.list.iter().map(of).collect()
    }

    #[test]
    fn plain_stacks_are_separated_by_empty_lines() {
        let stacks = read("# mine\n0x1\n0x2 main+0x4\n\n\n0x3\n").expect("a list");
        assert_eq!(stacks.form, Some(Form::Plain));
        assert_eq!(addresses(&stacks), [vec![Some(1), Some(2)], vec![Some(3)]]);
        assert_eq!(stacks.list[1].line, 6);
    }

    #[test]
    fn json_lines_hold_a_stack_each() {
        let stacks = read("{\"stack\":[\"0x10\",\"0xffffffffffffffff\"],\"tid\":3}\n{\"stack\":[]}\n")
            .expect("a list");
        assert_eq!(stacks.form, Some(Form::JsonLines));
        assert_eq!(addresses(&stacks), [vec![Some(0x10), Some(u64::MAX)], vec![]]);
    }

    #[test]
    fn gdb_shows_frames_without_an_address() {
        let said = "[Using host libthread_db]\n0x0000555555555199 in h () at t.c:7\n\nThread 2 (Thread 0x7ffff7d8a6c0 (LWP 7) \"t\"):\n\
            #0  h (s=10) at t.c:7\n#1  <signal handler called>\n#2  leaf (p=0x7ffe0) at t.c:4\n\
            #3  inlined (x=1) at t.c:5\n#4  0x0000555555555199 in mid (x=<optimized\n    out>) at t.c:5\n\n\
            Thread 1 (LWP 6):\n#0  0x1234 in main () at t.c:9\n(More stack frames follow...)\n";
        let stacks = read(said).expect("a list");
        assert_eq!(stacks.form, Some(Form::Gdb));
        assert_eq!(addresses(&stacks), [vec![None, None, None, Some(0x5555_5555_5199)], vec![Some(0x1234)]]);
        let interrupted: Vec<bool> = stacks.list[0].frames.iter().map(|frame| frame.interrupted).collect();
        assert_eq!(interrupted, [false, false, true, false]);
    }

    #[test]
    fn eu_stack_starts_a_stack_with_each_thread() {
        let said = "PID 9 - process\nTID 9:\n#0  0x00007fb695525dd0 pause\n#1  0x00005635c7f42168 - 1 h\n\
            TID 10:\n#0  0x00007fb69548e050 __restore_rt\n";
        let stacks = read(said).expect("a list");
        assert_eq!(stacks.form, Some(Form::EuStack));
        let wanted = [vec![Some(0x7fb6_9552_5dd0), Some(0x5635_c7f4_2168)], vec![Some(0x7fb6_9548_e050)]];
        assert_eq!(addresses(&stacks), wanted);
    }

    #[test]
    fn perf_script_has_numbers_without_a_prefix() {
        let said = "t 22141 34534.673392:     250000 cpu-clock:pppH: \n\t            6d15 f+0x5 (/lib/ld.so)\n\
            \t            6d15 g (inlined)\n\t    7f620b3d58a8 [unknown] ([unknown])\n\nt 22141 3.5: 1 cycles:\n\
            \t 80c5 g+0x5 (/lib/ld.so)\n";
        let stacks = read(said).expect("a list");
        assert_eq!(stacks.form, Some(Form::Perf));
        assert_eq!(addresses(&stacks), [vec![Some(0x6d15), Some(0x7f62_0b3d_58a8)], vec![Some(0x80c5)]]);
        let without_headers = read("            6d15\n            80c5\n\n    10\n").expect("a list");
        assert_eq!(without_headers.form, Some(Form::Perf));
        assert_eq!(addresses(&without_headers), [vec![Some(0x6d15), Some(0x80c5)], vec![Some(0x10)]]);
    }

    #[test]
    fn a_line_that_is_no_frame_is_told_by_its_number() {
        for (text, wanted) in [
            ("0x1\nmain\n", "list:2: \"main\" is no address: a frame starts with 0x and hexadecimal digits"),
            ("0x12345678901234567\n", "list:1: \"0x12345678901234567\" is no address of at most 64 bits"),
            ("0x\n", "list:1: \"0x\" is no address: a frame starts with 0x and hexadecimal digits"),
            ("{\"stack\":[\"0x1\"]}\n{\"stack\":[7]}\n", "list:2: it is no object with \"stack\""),
            ("{\"frames\":[]}\n", "list:1: it is no object with \"stack\""),
            ("\u{0}\u{1}\n", "list:1: "),
        ] {
            let error = read(text).expect_err("an error");
            assert!(error.starts_with(wanted), "{error}");
        }
    }

    #[test]
    fn nothing_and_far_too_much_are_no_lists() {
        assert_eq!(read("\n\n").expect("an empty list").form, None);
        let error = read(&format!("0x1\n{}", "a".repeat(MAX_LINE + 9))).expect_err("an error");
        assert!(error.starts_with("list:2: the line has more than"), "{error}");
        let error = read(&"0x1\n".repeat(super::MAX_FRAMES + 1)).expect_err("an error");
        assert!(error.starts_with("list:16385: the stack has more than"), "{error}");
    }
}
