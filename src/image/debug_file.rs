//! Separate debug files: from a stripped file to the file that has its `.debug_frame`.
//!
//! Two ways lead there, as in GDB ("Debugging Information in Separate Files"): the build id, and the name and
//! checksum in `.gnu_debuglink`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use object::elf as abi;

use super::elf::{Elf, Origin};
use super::headers::Headers;
use super::source::{self, Input, Kind, Source};
use super::{Loader, OpenError, integer};

/// The largest note section that is searched for a build id, in bytes.
const NOTES_LIMIT: u64 = 1 << 16;
/// The largest `.gnu_debuglink` that is read, in bytes: a file name and a checksum.
const LINK_LIMIT: u64 = 1 << 13;

/// What leads from a file to its debug file.
#[derive(Default, Debug)]
pub(super) struct Link {
    build_id: Option<Vec<u8>>,
    name: Option<NameAndChecksum>,
}

/// The contents of `.gnu_debuglink`.
#[derive(Debug)]
struct NameAndChecksum {
    name: String,
    /// The CRC-32 (ISO 3309) of the whole debug file.
    checksum: u32,
}

/// Reads what the image says of its debug file.
pub(super) fn link(headers: &Headers<'_>, source: &mut Source<'_>) -> Link {
    let sections = headers.sections.iter().filter(|section| section.kind == abi::SHT_NOTE.0);
    let segments = headers.segments.iter().filter(|segment| segment.kind == abi::PT_NOTE.0);
    let of_sections: Vec<_> = sections.map(|section| (section.offset, section.size)).collect();
    let of_segments = segments.map(|segment| (segment.offset, segment.file_size));
    let notes = if headers.sections.is_empty() { of_segments.collect() } else { of_sections };
    let build_id = notes
        .into_iter()
        .filter(|&(_, size)| size <= NOTES_LIMIT)
        .find_map(|(offset, size)| find_build_id(source.bytes(offset, size).ok()?, headers));
    let name = headers
        .section(b".gnu_debuglink")
        .filter(|section| section.kind != abi::SHT_NOBITS.0 && section.size <= LINK_LIMIT)
        .and_then(|section| source.bytes(section.offset, section.size).ok())
        .and_then(|contents| parse_link(contents, headers));
    Link { build_id, name }
}

/// The descriptor of the note "GNU" of type NT_GNU_BUILD_ID (ELF gABI, "Note Section").
fn find_build_id(mut notes: &[u8], headers: &Headers<'_>) -> Option<Vec<u8>> {
    while let Some((head, rest)) = notes.split_at_checked(12) {
        let word = |at: usize| integer::read(&head[at..at + 4], headers.target.endianness) as usize;
        let (name_size, size, kind) = (word(0), word(4), word(8));
        let (name, rest) = rest.split_at_checked(name_size.checked_next_multiple_of(4)?)?;
        let descriptor = rest.get(..size)?;
        if name == b"GNU\0" && kind == abi::NT_GNU_BUILD_ID.0 as usize {
            return Some(descriptor.to_vec());
        }
        notes = rest.get(size.checked_next_multiple_of(4)?..)?;
    }
    None
}

/// A file name, NUL, padding to a multiple of four, and the checksum in the file's byte order.
fn parse_link(contents: &[u8], headers: &Headers<'_>) -> Option<NameAndChecksum> {
    let end = contents.iter().position(|&byte| byte == 0)?;
    let at = (end + 1).next_multiple_of(4);
    let checksum = integer::read(contents.get(at..at + 4)?, headers.target.endianness) as u32;
    let name = std::str::from_utf8(&contents[..end]).ok()?;
    // A plain name only: a path would let a file send its reader anywhere.
    let mut parts = Path::new(name).components();
    let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    plain.then(|| NameAndChecksum { name: name.to_owned(), checksum })
}

/// Adds the case of the file's debug file, if there is one and it has call frame information of its own.
pub(super) fn follow(loader: &mut Loader<'_>, path: &Path, link: &Link) {
    let own = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    for candidate in candidates(&own, path, link, &loader.options.debug_root) {
        if fs::canonicalize(&candidate.path).is_ok_and(|candidate| candidate == own) {
            continue;
        }
        match read(loader, &candidate) {
            Ok(Some(Elf { mut case, layout, .. })) => {
                if !case.sections.is_empty() {
                    case.notes.insert(0, format!("debug file of {}", path.display()));
                    loader.push(case, layout);
                }
                return;
            }
            Ok(None) => loader.image.notes.push(format!(
                "{}: is not the debug file of {}: its {} differs",
                candidate.path.display(),
                path.display(),
                candidate.proof.name()
            )),
            Err(OpenError::NotFound { .. }) => {}
            Err(error) => loader.image.notes.push(error.to_string()),
        }
    }
}

/// A place where the debug file may be, and what proves that it is the one.
struct Candidate<'l> {
    path: PathBuf,
    proof: Proof<'l>,
}

enum Proof<'l> {
    BuildId(&'l [u8]),
    Checksum(u32),
}

impl Proof<'_> {
    fn name(&self) -> &'static str {
        match self {
            Proof::BuildId(_) => "build id",
            Proof::Checksum(_) => "checksum",
        }
    }
}

/// The places in the order in which GDB looks: by build id, then by name beside the file, in `.debug` there, and
/// in the file's directory below the root.
fn candidates<'l>(own: &Path, path: &Path, link: &'l Link, root: &Path) -> Vec<Candidate<'l>> {
    let mut candidates = Vec::new();
    if let Some(build_id) = &link.build_id
        && let Some((first, rest)) = build_id.split_first()
        && !rest.is_empty()
    {
        let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = root.join(".build-id").join(format!("{first:02x}")).join(format!("{rest}.debug"));
        candidates.push(Candidate { path, proof: Proof::BuildId(build_id) });
    }
    if let Some(NameAndChecksum { name, checksum }) = &link.name {
        let given = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut places = Vec::new();
        for directory in [own.parent(), given.parent()].into_iter().flatten() {
            let below_root = root.join(directory.strip_prefix("/").unwrap_or(directory));
            places.extend([directory.join(name), directory.join(".debug").join(name), below_root.join(name)]);
        }
        let mut seen = Vec::new();
        places.retain(|place| {
            !seen.contains(place) && {
                seen.push(place.clone());
                true
            }
        });
        candidates
            .extend(places.into_iter().map(|path| Candidate { path, proof: Proof::Checksum(*checksum) }));
    }
    candidates
}

/// Reads a candidate. `None` when it is not the file that is looked for.
fn read(loader: &mut Loader<'_>, candidate: &Candidate<'_>) -> Result<Option<Elf>, OpenError> {
    let path = &candidate.path;
    let file = source::open_regular(path)?;
    let origin = Origin::of_file(path);
    if source::kind(Input::File(&file), &origin.name)? != Kind::Elf {
        return Err(OpenError::NotElf { file: origin.name });
    }
    if let Proof::Checksum(expected) = candidate.proof
        && checksum(&file).map_err(|error| OpenError::of_io(path, error))? != expected
    {
        return Ok(None);
    }
    let elf = loader.read_elf(Source::whole(&source::cache(Input::File(&file))), &origin)?;
    let proved = match candidate.proof {
        Proof::BuildId(expected) => elf.link.build_id.as_deref() == Some(expected),
        Proof::Checksum(_) => true,
    };
    Ok(proved.then_some(elf))
}

/// The CRC-32 of the whole file.
fn checksum(file: &File) -> io::Result<u32> {
    let mut input = Input::File(file);
    io::Seek::rewind(&mut input)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(hasher.finalize()),
            size => hasher.update(&buffer[..size]),
        }
    }
}
