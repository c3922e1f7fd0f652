//! What the tool says on its error stream, in between the lines of its output.

use memchr::memmem::Finder;

use crate::printed::cursor::Cursor;

/// Tells the tool's complaints from the lines of its output: they start with the name that it was called by.
#[derive(Clone, Debug)]
pub(super) struct Complaints {
    /// For instance `readelf: `.
    name: Finder<'static>,
}

impl Complaints {
    pub(super) fn of_program(program: &[u8]) -> Complaints {
        let mut name = program.to_vec();
        name.extend_from_slice(b": ");
        Complaints { name: Finder::new(&name).into_owned() }
    }

    /// A complaint without the program's name. `None` for any other line.
    #[inline]
    pub(super) fn words<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        line.strip_prefix(self.name.needle())
    }

    /// Where in a line a complaint begins. The tool flushes its output before it complains, in the middle of
    /// a line if need be.
    pub(super) fn find(&self, line: &[u8]) -> Option<usize> {
        self.name.find_iter(line).find(|&at| self.words(&line[at..]).is_some_and(is_complaint))
    }
}

/// The opcode in `Warning: Unsupported or unknown Dwarf Call Frame Instruction number: 0x17`.
pub(super) fn unknown_opcode(words: &[u8]) -> Option<u8> {
    const BEFORE: &[u8] = b"Call Frame Instruction number: ";
    let at = memchr::memmem::find(words, BEFORE)?;
    u8::try_from(Cursor::new(&words[at + BEFORE.len()..]).prefixed_hex()?).ok()
}

fn is_complaint(words: &[u8]) -> bool {
    [&b"Warning: "[..], b"Error: ", b"Info: "].iter().any(|kind| words.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_found_at_the_start_and_within() {
        let complaints = Complaints::of_program(b"readelf");
        let line = b"readelf: Warning: Unsupported or unknown Dwarf Call Frame Instruction number: 0x17";
        let words = complaints.words(line).expect("a complaint");
        assert!(words.starts_with(b"Warning: Unsupported"));
        assert_eq!(unknown_opcode(words), Some(0x17));
        assert_eq!(complaints.find(b"  DW_CFA_nopreadelf: Error: end of data"), Some(12));
        assert_eq!(complaints.words(b"readelf: 'x': No such file"), Some(&b"'x': No such file"[..]));
        assert_eq!(complaints.words(b"  readelf: x"), None);
        assert_eq!(complaints.find(b"  \"readelf: x\""), None, "an augmentation string may hold it");
        assert_eq!(complaints.find(b"  DW_CFA_nop"), None);
    }
}
