//! The Rust crate gimli as a reader, in this process.
//!
//! gimli leaves the address size, the vendor and the base addresses to its caller, so what it says of them is what
//! the case says. It gives factored operands, and the adapter multiplies them as gimli's own rows do. Three of
//! its habits show in the answers and are kept as they are: an error in a CIE or in a record's head ends the
//! section, reading of `.eh_frame` stops at the first zero terminator, and a row without a CFA rule has the rule
//! "register 0 plus 0".

mod convert;
mod expression;
mod section;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use cfidiff_model::{Case, Entry, Outcome, Says, SectionKind, Sink};

use self::section::SectionReader;
use crate::{Oracle, Pass};

/// The version of gimli that this crate is built with.
const VERSION: &str = "0.34.0";

/// What gimli says of a section of either kind.
///
/// Left out, since gimli's interface keeps them to itself: the format of an FDE, the augmentation string, raw
/// augmentation data, CIE pointers, terminators, the initial row of a CIE, and which encoding of an instruction
/// was used.
const SAYS: Says = Says::RECORDS
    .union(Says::CIE_FACTORS)
    .union(Says::CIE_VERSION)
    .union(Says::ADDRESS_SIZE)
    .union(Says::AUGMENTATION)
    .union(Says::CIE_OF_FDE)
    .union(Says::RANGE)
    .union(Says::LSDA)
    .union(Says::INSTRUCTIONS)
    .union(Says::ROWS)
    .union(Says::UNDEFINED_RULES)
    .union(Says::ROW_EXPRESSIONS)
    .union(Says::ARCHITECTURAL_RULES)
    .union(Says::ROWS_OF_NOPS)
    .union(Says::INDIRECT);

/// gimli steps over zero words in `.debug_frame` and stops at them in `.eh_frame`.
const SAYS_DEBUG_FRAME: Says = SAYS.union(Says::PAST_TERMINATOR);

/// The reader made of gimli's `EhFrame` and `DebugFrame`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gimli;

impl Oracle for Gimli {
    fn name(&self) -> &str {
        "gimli"
    }

    fn version(&self) -> &str {
        VERSION
    }

    fn passes(&self) -> &[Pass] {
        &[Pass { name: "gimli", says: SAYS_DEBUG_FRAME }]
    }

    fn reads_files(&self) -> bool {
        false
    }

    fn read(&self, _pass: usize, cases: &[Case], sink: &mut dyn Sink) {
        let mut reader = SectionReader::default();
        for (case_index, case) in cases.iter().enumerate() {
            for (section_index, section) in case.frame_sections() {
                if sink.cancelled() {
                    break;
                }
                let says = if section.kind == SectionKind::DebugFrame { SAYS_DEBUG_FRAME } else { SAYS };
                sink.section(case_index, section_index, says);
                let outcome = guarded(sink, |sink| reader.read(&case.target, section, sink));
                sink.end_section(outcome);
            }
            sink.end_case(case_index, Outcome::Answered);
        }
    }
}

/// A sink that knows whether control is inside it.
struct Listener<'a> {
    sink: &'a mut dyn Sink,
    listening: bool,
}

impl Listener<'_> {
    fn entry(&mut self, entry: &Entry) {
        self.listening = true;
        self.sink.entry(entry);
        self.listening = false;
    }

    fn cancelled(&self) -> bool {
        self.sink.cancelled()
    }
}

/// Reads one section and turns a panic of gimli into an outcome. A panic of the sink is none of gimli's and
/// goes on its way.
fn guarded(sink: &mut dyn Sink, read: impl FnOnce(&mut Listener<'_>) -> Outcome) -> Outcome {
    let mut listener = Listener { sink, listening: false };
    // The reader resets its storage before each record, so a section that broke leaves nothing behind.
    match catch_unwind(AssertUnwindSafe(|| read(&mut listener))) {
        Ok(outcome) => outcome,
        Err(payload) if listener.listening => resume_unwind(payload),
        Err(payload) => Outcome::Failed(format!("panicked: {}", panic_words(payload.as_ref()))),
    }
}

fn panic_words(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without words")
}
