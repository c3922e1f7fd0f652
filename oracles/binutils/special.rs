//! Lines between the tables: which file and which section comes next. This is where the two programs differ.

use std::borrow::Cow;

use super::Program;
use crate::printed::Special;

/// Knows the lines that belong to no record.
pub(super) struct SpecialLines {
    program: Program,
    /// The archive that objdump is in, which it names once for all members.
    archive: Vec<u8>,
}

impl SpecialLines {
    pub(super) fn of(program: Program) -> SpecialLines {
        SpecialLines { program, archive: Vec::new() }
    }

    /// What a line says that is no complaint. `None` when it may be the words of a record.
    pub(super) fn line<'l>(&mut self, line: &'l [u8]) -> Option<Special<'l>> {
        let file = match self.program {
            Program::Readelf => file_of_readelf(line),
            Program::Objdump => self.file_of_objdump(line),
        };
        file.or_else(|| heading(line).map(Special::Section))
            .or_else(|| without_contents(line).map(Special::Empty))
    }

    /// `In archive lib.a:`, then `NAME:     file format elf64-x86-64` for each file or member.
    fn file_of_objdump<'l>(&mut self, line: &'l [u8]) -> Option<Special<'l>> {
        const FORMAT: &[u8] = b":     file format ";
        if let Some(archive) = line.strip_prefix(b"In archive ").and_then(|name| name.strip_suffix(b":")) {
            self.archive = archive.to_vec();
            return Some(Special::Idle);
        }
        let at = memchr::memmem::rfind(line, FORMAT)?;
        let (name, format) = (&line[..at], &line[at + FORMAT.len()..]);
        let member = [&self.archive, &b"("[..], name, b")"].concat();
        let generic = [&b"elf64-little"[..], b"elf64-big", b"elf32-little", b"elf32-big"].contains(&format);
        let unsupported = generic.then_some(
            "this objdump is built without the machine; it would guess its addresses (binutils-multiarch has all)",
        );
        Some(Special::File { names: [Cow::Owned(member), Cow::Borrowed(name)], unsupported })
    }
}

/// `File: NAME`, of a member `File: lib.a(NAME)`; only when there are several. The spaces that fill up a short name in
/// some archives, such as those of Go, are shown with it.
fn file_of_readelf(line: &[u8]) -> Option<Special<'_>> {
    let name = line.strip_prefix(b"File: ")?;
    let member = name.strip_suffix(b")").map(<[u8]>::trim_ascii_end);
    let filled = member.map_or(Cow::Borrowed(name), |member| Cow::Owned([member, b")"].concat()));
    Some(Special::File { names: [Cow::Borrowed(name), filled], unsupported: None })
}

/// The section's name in `Contents of the .eh_frame section:`, also with `(loaded from FILE)`. Up to 2.16 it is
/// `The section .eh_frame contains:`.
fn heading(line: &[u8]) -> Option<&[u8]> {
    let Some(rest) = line.strip_prefix(b"Contents of the ") else {
        return line.strip_prefix(b"The section ")?.strip_suffix(b" contains:");
    };
    let end = memchr::memmem::find(rest, b" section")?;
    rest.ends_with(b":").then_some(&rest[..end])
}

/// The section's name in `Section '.eh_frame' has no debugging data.` and
/// `section '.eh_frame' has the NOBITS type - its contents are unreliable.`
fn without_contents(line: &[u8]) -> Option<&[u8]> {
    let quoted = line.strip_prefix(b"Section '").or_else(|| line.strip_prefix(b"section '"))?;
    let end = memchr::memchr(b'\'', quoted)?;
    let rest = &quoted[end + 1..];
    (rest.starts_with(b" has no debugging data") || rest.starts_with(b" has the NOBITS type"))
        .then_some(&quoted[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(special: Option<Special<'_>>) -> Option<(Vec<String>, bool)> {
        let Some(Special::File { names, unsupported }) = special else { return None };
        let text = |name: &Cow<'_, [u8]>| String::from_utf8_lossy(name).into_owned();
        Some((names.iter().map(text).collect(), unsupported.is_some()))
    }

    #[test]
    fn objdump_names_an_archive_once_and_each_file() {
        let mut lines = SpecialLines::of(Program::Objdump);
        assert_eq!(lines.line(b"In archive ./lib.a:"), Some(Special::Idle));
        let file = names(lines.line(b"x.o:     file format elf64-x86-64"));
        assert_eq!(file, Some((vec!["./lib.a(x.o)".into(), "x.o".into()], false)));
        let foreign = names(lines.line(b"./a: b:     file format elf64-little"));
        assert!(foreign.is_some_and(|(names, unsupported)| names[1] == "./a: b" && unsupported));
        assert_eq!(lines.line(b"File: x"), None);
    }

    #[test]
    fn sections_are_headed_by_both() {
        for program in [Program::Readelf, Program::Objdump] {
            let mut lines = SpecialLines::of(program);
            let line = b"Contents of the .eh_frame section:";
            assert_eq!(lines.line(line), Some(Special::Section(b".eh_frame")));
            let line = b"The section .debug_frame contains:";
            assert_eq!(lines.line(line), Some(Special::Section(b".debug_frame")));
            let line = b"Section '.eh_frame' has no debugging data.";
            assert_eq!(lines.line(line), Some(Special::Empty(b".eh_frame")));
            assert_eq!(lines.line(b"00000000 ZERO terminator"), None);
        }
    }
}
