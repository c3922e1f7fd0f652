//! Many cases in few processes, and what to do when a process breaks in the midst of them.
//!
//! The tool's output is buffered, so a process that crashes loses the last few kilobytes: the case that was being
//! read when the output stopped may be innocent, and the culprit may not have been heard of. Therefore that case is
//! run again by itself, from the entry where it stopped, and blamed only if it breaks a process of its own. The
//! cases that had not begun go into the next process.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cfidiff_model::{Case, Outcome, Sink};

use super::Printer;
use super::stream::{Heard, Mark, Stream};
use crate::lines::LONGEST;
use crate::process::{self, Ended, Killed};

/// How many bytes of file names go into one command. Linux takes 128 KiB for a single argument, and far more
/// for all of them together.
const NAMES: usize = 128 * 1024;

/// Reads all cases.
pub(super) fn read<P: Printer>(printer: &P, pass: usize, cases: &[Case], sink: &mut dyn Sink) {
    let mut batches = Batches { printer, pass, cases, sink, waiting: VecDeque::new() };
    batches.accept();
    while !batches.waiting.is_empty() {
        let batch = batches.next();
        batches.run(&batch, None);
    }
}

struct Batches<'a, P> {
    printer: &'a P,
    pass: usize,
    cases: &'a [Case],
    sink: &'a mut dyn Sink,
    /// The cases that no process has begun with, in order, each with whether it needs a process of its own.
    waiting: VecDeque<(usize, bool)>,
}

/// The cases of one process.
struct Batch {
    cases: Vec<usize>,
    /// The names of their files, each once.
    files: Vec<OsString>,
}

impl Batch {
    /// Whether a failure can only be of this one file.
    fn is_single(&self) -> bool {
        self.files.len() == 1
    }
}

impl<P: Printer> Batches<'_, P> {
    /// Sorts out the cases that the tool cannot be run on.
    fn accept(&mut self) {
        for (index, case) in self.cases.iter().enumerate() {
            let Some(path) = &case.path else {
                let why = format!("it is in memory only, and {} reads files", self.printer.name());
                self.sink.end_case(index, Outcome::Unsupported(why));
                continue;
            };
            // A line break in a name would take apart the line that names the file. A single file is not named.
            let broken = path.as_os_str().as_bytes().contains(&b'\n');
            let in_member =
                case.member.as_ref().is_some_and(|member| broken || member.as_bytes().contains(&b'\n'));
            if in_member {
                let why = "the name of a member of an archive holds a line break".to_owned();
                self.sink.end_case(index, Outcome::Unsupported(why));
            } else {
                self.waiting.push_back((index, broken));
            }
        }
    }

    /// Takes the cases of the next process. A path is taken once, for all its members at a time.
    ///
    /// Files of one machine only, since a tool may carry something over: readelf 2.40 judges registers by the names of the machine before, when a machine
    /// without names follows one with names, and then calls good registers bad.
    fn next(&mut self) -> Batch {
        let mut chosen = HashSet::new();
        let mut batch = Batch { cases: Vec::new(), files: Vec::new() };
        let mut bytes = 0;
        let mut full = false;
        let mut left = VecDeque::new();
        let machine = self.waiting.front().map(|&(index, _)| self.cases[index].target.machine);
        for (index, alone) in self.waiting.drain(..) {
            let case = &self.cases[index];
            let other_machine = Some(case.target.machine) != machine;
            let path = case.path.as_deref().unwrap_or(Path::new(""));
            let another_member = case.member.is_some() && chosen.contains(path);
            let file = argument(path);
            if other_machine && !another_member {
                left.push_back((index, alone));
                continue;
            }
            full |=
                bytes + file.len() > NAMES || batch.files.len() >= self.printer.files_per_process().max(1);
            full |= alone && !batch.files.is_empty();
            if another_member {
                batch.cases.push(index);
            } else if (full && !batch.files.is_empty()) || chosen.contains(path) {
                left.push_back((index, alone));
            } else {
                chosen.insert(path);
                bytes += file.len();
                batch.files.push(file);
                batch.cases.push(index);
                full |= alone;
            }
        }
        self.waiting = left;
        batch
    }

    /// Runs one process, from `resume` on if an earlier one broke there.
    fn run(&mut self, batch: &Batch, resume: Option<Mark>) {
        let cases = self.cases;
        let expected = expected(cases, batch);
        let first = batch.cases[0];
        let dialect = self.printer.dialect(self.pass, &cases[first]);
        let mut stream = Stream::new(cases, &mut *self.sink, self.printer.says(self.pass), dialect, expected);
        if batch.is_single() && cases[first].member.is_none() {
            stream.start_in(first, resume);
        }
        let name = self.printer.name();
        let mut command = self.printer.command(self.pass);
        command.args(&batch.files);
        let limits = self.printer.limits().to_read(batch.cases.iter().map(|&case| &cases[case]));
        let ended = process::run(command, self.printer.errors(), limits, &mut |chunk| stream.feed(chunk));
        if let Ok(ended) = &ended {
            self.printer.meter().add(ended.usage);
        }
        if let Ok(ended) = &ended
            && !ended.errors.is_empty()
        {
            // A line break first, since the output may have ended within a line.
            let _ = stream.feed(b"\n");
            let _ = stream.feed(&ended.errors);
        }
        let why = match &ended {
            Ok(ended) => failure(name, ended),
            Err(error) => Some(format!("cannot run {name}: {error}")),
        };
        // Out of time is who was at it when the time was out, or the one behind, as with a crash.
        let timed_out = ended.as_ref().is_ok_and(|ended| ended.killed == Some(Killed::TimeOut));
        let lost_output =
            ended.is_ok_and(|ended| ended.killed.is_none_or(|killed| killed == Killed::TimeOut));
        let in_file = stream.case().is_some_and(|case| cases[case].member.is_none());
        let Heard { finished, mark, stray } = match &why {
            None => stream.finish(),
            Some(_) if lost_output && in_file && !batch.is_single() => stream.stop(),
            Some(why) => stream.fail(why),
        };
        if self.sink.cancelled() {
            return self.give_up(batch, &finished);
        }
        let retried = mark.as_ref().map(|mark| mark.case);
        if let Some(mark) = mark {
            let case = mark.case;
            let path = cases[case].path.as_deref().unwrap_or(Path::new(""));
            self.run(&Batch { cases: vec![case], files: vec![argument(path)] }, Some(mark));
        }
        let done = |case: &usize| finished.contains(case) || retried == Some(*case);
        let left: Vec<usize> = batch.cases.iter().copied().filter(|case| !done(case)).collect();
        let progress = left.len() < batch.cases.len();
        if batch.is_single() && (why.is_some() || !progress) {
            // In an archive the culprit can neither be left out nor be told from the members behind it.
            let is_archive = left.iter().all(|&case| cases[case].member.is_some());
            let is_refused =
                is_archive && stray.as_ref().is_some_and(|words| self.printer.refuses_archive(words));
            let said = stray.map(|stray| format!("; it said: {stray}")).unwrap_or_default();
            let why = why.unwrap_or_else(|| format!("{name} printed nothing of this file"));
            for case in left {
                // Not every tool names a file of which it has nothing to print.
                let outcome = match cases[case].frame_sections().next() {
                    None => Outcome::Answered,
                    Some(_) if is_refused => Outcome::Unsupported(REFUSED.to_owned()),
                    Some(_) => Outcome::Failed(format!("{why}{said}")),
                };
                self.sink.end_case(case, outcome);
            }
            return;
        }
        // A process that ended well had nothing to print of the others, so each is asked about by itself. After
        // one that broke only the first can be to blame. After one that ran out of time each is asked by itself as well:
        // a start costs less than another process that waits for the time of all to run out.
        for (index, case) in left.into_iter().enumerate().rev() {
            self.waiting.push_front((case, why.is_none() || timed_out || index == 0));
        }
    }

    /// Nobody listens any more, but each case is still owed its end.
    fn give_up(&mut self, batch: &Batch, finished: &[usize]) {
        let begun = batch.cases.iter().copied().filter(|case| !finished.contains(case));
        for case in begun.chain(self.waiting.drain(..).map(|(case, _)| case)).collect::<Vec<_>>() {
            self.sink
                .end_case(case, Outcome::Failed(format!("{} was stopped on request", self.printer.name())));
        }
    }
}

/// Why a tool is not asked about the members of an archive that it reads nothing of.
const REFUSED: &str = "it reads no archive with a member that is no object file";

/// The words for a process that did not come to its end.
fn failure(name: &str, ended: &Ended) -> Option<String> {
    match ended.killed {
        Some(Killed::BySink) => Some(format!("{name} printed a line of more than {LONGEST} bytes")),
        _ => ended.failure().map(|words| format!("{name} {words}")),
    }
}

/// The cases by the name that the tool prints above each, in order.
fn expected(cases: &[Case], batch: &Batch) -> HashMap<Vec<u8>, VecDeque<usize>> {
    let mut expected: HashMap<Vec<u8>, VecDeque<usize>> = HashMap::new();
    let mut cut = Vec::new();
    for &index in &batch.cases {
        let Some(path) = &cases[index].path else { continue };
        let file = argument(path);
        match &cases[index].member {
            None => expected.entry(file.as_bytes().to_vec()).or_default().push_back(index),
            Some(member) => {
                let member = member.as_bytes();
                let name = |member: &[u8]| [file.as_bytes(), b"(", member, b")"].concat();
                expected.entry(name(member)).or_default().push_back(index);
                // BFD and libelf take the last of the sixteen bytes that a name can fill for its end.
                if member.len() == 16 {
                    cut.push((name(&member[..15]), index));
                }
            }
        }
    }
    for (name, index) in cut {
        expected.entry(name).or_insert_with(|| [index].into());
    }
    expected
}

/// A path as an argument: one that starts with `-` would be an option, one with `@` a file of options, and one with
/// a digit or a space would look like a line of a table where the tool starts a line with it.
pub(crate) fn argument(path: &Path) -> OsString {
    match path.as_os_str().as_bytes() {
        [b'/' | b'.', ..] => path.as_os_str().to_owned(),
        _ => [OsStr::new("./"), path.as_os_str()].into_iter().collect(),
    }
}
