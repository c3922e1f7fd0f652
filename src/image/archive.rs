//! Archives, member by member: the System V, GNU and BSD formats, and GNU thin archives.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use object::read::archive::{ArchiveFile, ArchiveMember};

use super::elf::{Elf, Origin};
use super::source::{self, Cache, Input, Kind, Part, Source};
use super::{Loader, OpenError};

/// Adds a case per ELF member of the archive, and a note per member that is none.
///
/// A member of a thin archive is a file of its own: its case has that file's path and is no member to the tools
/// that run on it.
pub(super) fn read(loader: &mut Loader<'_>, input: Input<'_>, origin: &Origin) -> Result<(), OpenError> {
    let malformed = |why: object::Error| OpenError::Malformed {
        file: origin.name.clone(),
        what: "the archive header",
        offset: 0,
        why: why.to_string(),
    };
    let index = source::cache(input.clone());
    let data: Part<'_, '_> = index.range(0, Source::whole(&index).size());
    let archive = ArchiveFile::parse(data).map_err(malformed)?;
    for member in archive.members() {
        match member {
            Ok(member) if archive.is_thin() => thin_member(loader, &member, origin),
            Ok(member) => {
                // A cache per member, so that no more than one member's contents are kept beside its case.
                plain_member(loader, &member, &source::cache(input.clone()), origin);
            }
            Err(error) => {
                let words = format!("{}: the archive's next member cannot be read: {error}", origin.name);
                loader.image.damage.push(words);
            }
        }
    }
    Ok(())
}

fn plain_member<'c>(
    loader: &mut Loader<'_>,
    member: &ArchiveMember<'_>,
    cache: &'c Cache<'c>,
    origin: &Origin,
) {
    let name = String::from_utf8_lossy(member.name()).into_owned();
    let (offset, size) = member.file_range();
    let mut source = Source::part(cache, offset, size);
    let display = format!("{}({name})", origin.name);
    if source.size() < size {
        loader.image.damage.push(format!("{display}: the member reaches past the end of the archive"));
    }
    let magic_size = source.size().min(source::ELF_MAGIC.len() as u64);
    if source.bytes(0, magic_size).map(source::kind_of_magic) != Ok(Some(Kind::Elf)) {
        loader.image.notes.push(format!("{display}: the member is not an ELF image"));
        return;
    }
    let member = OsStr::from_bytes(member.name()).to_owned();
    let origin = Origin { name: display, path: origin.path.clone(), member: Some(member) };
    add(loader, source, &origin);
}

fn thin_member(loader: &mut Loader<'_>, member: &ArchiveMember<'_>, origin: &Origin) {
    let name = String::from_utf8_lossy(member.name()).into_owned();
    let display = format!("{}({name})", origin.name);
    let Some(archive) = &origin.path else {
        loader
            .image
            .notes
            .push(format!("{display}: the member is a file of its own, and the archive has no path"));
        return;
    };
    let path = archive.parent().unwrap_or(Path::new("")).join(&name);
    let opened = source::open_regular(&path).and_then(|file| {
        source::kind(Input::File(&file), &path.display().to_string()).map(|kind| (file, kind))
    });
    match opened {
        Ok((file, Kind::Elf)) => {
            let origin = Origin { name: display, path: Some(path), member: None };
            add(loader, Source::whole(&source::cache(Input::File(&file))), &origin);
        }
        Ok((_, Kind::Archive)) | Err(OpenError::NotElf { .. }) => {
            loader.image.notes.push(format!("{display}: the member is not an ELF image"));
        }
        Err(error) => {
            loader.image.damage.push(format!("{display}: the thin archive's member is missing: {error}"));
        }
    }
}

fn add(loader: &mut Loader<'_>, source: Source<'_>, origin: &Origin) {
    match loader.read_elf(source, origin) {
        Ok(Elf { case, layout, .. }) => loader.push(case, layout),
        Err(error) => loader.image.damage.push(error.to_string()),
    }
}
