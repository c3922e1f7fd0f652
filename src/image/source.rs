//! Where the bytes of one ELF image come from, and how many of them may be read.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use object::read::{ReadCache, ReadCacheRange, ReadRef};

use super::OpenError;

/// The first bytes of an ELF file.
pub(super) const ELF_MAGIC: &[u8] = b"\x7fELF";
/// The first bytes of an archive with its members inside.
pub(super) const ARCHIVE_MAGIC: &[u8] = b"!<arch>\n";
/// The first bytes of a GNU thin archive, which only names its members' files.
pub(super) const THIN_ARCHIVE_MAGIC: &[u8] = b"!<thin>\n";

/// Whether the first bytes of the regular file at `path` are those of an ELF file or of an archive.
///
/// Costs one look at the file's status and one read of eight bytes. Directories, pipes and devices are never
/// opened: they are neither.
pub fn is_elf_or_archive(path: &Path) -> io::Result<bool> {
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut magic = Vec::with_capacity(ARCHIVE_MAGIC.len());
    File::open(path)?.take(ARCHIVE_MAGIC.len() as u64).read_to_end(&mut magic)?;
    Ok(kind_of_magic(&magic).is_some())
}

/// What a file's first bytes say that it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Elf,
    Archive,
}

/// The kind that these first bytes tell, eight if the file has as many.
pub(super) fn kind_of_magic(magic: &[u8]) -> Option<Kind> {
    if magic.starts_with(ELF_MAGIC) {
        Some(Kind::Elf)
    } else if magic == ARCHIVE_MAGIC || magic == THIN_ARCHIVE_MAGIC {
        Some(Kind::Archive)
    } else {
        None
    }
}

/// The kind of an input, which errors call `name`.
pub(super) fn kind(mut input: Input<'_>, name: &str) -> Result<Kind, OpenError> {
    let mut magic = Vec::with_capacity(ARCHIVE_MAGIC.len());
    let read = input.rewind().and_then(|()| input.take(ARCHIVE_MAGIC.len() as u64).read_to_end(&mut magic));
    read.map_err(|error| OpenError::of_io(Path::new(name), error))?;
    kind_of_magic(&magic).ok_or_else(|| OpenError::NotElf { file: name.to_owned() })
}

/// Opens a file that can be read from any offset. Pipes are not opened, since that would wait for a writer.
pub(super) fn open_regular(path: &Path) -> Result<File, OpenError> {
    let of_io = |error| OpenError::of_io(path, error);
    let status = fs::metadata(path).map_err(of_io)?;
    let file = || path.display().to_string();
    if status.is_dir() {
        return Err(OpenError::IsDirectory { file: file() });
    }
    if !status.is_file() {
        return Err(OpenError::NotRegular { file: file() });
    }
    File::open(path).map_err(of_io)
}

/// A file or bytes in memory.
#[derive(Clone)]
pub(super) enum Input<'a> {
    File(&'a File),
    Memory(Cursor<&'a [u8]>),
}

impl<'a> Input<'a> {
    pub(super) fn memory(bytes: &'a [u8]) -> Input<'a> {
        Input::Memory(Cursor::new(bytes))
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::File(file) => file.read(buffer),
            Input::Memory(cursor) => cursor.read(buffer),
        }
    }
}

impl Seek for Input<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Input::File(file) => file.seek(to),
            Input::Memory(cursor) => cursor.seek(to),
        }
    }
}

/// What has been read of an input so far. Dropping it frees all of that.
pub(super) type Cache<'a> = ReadCache<Input<'a>>;

/// The part of an input that `object` reads.
pub(super) type Part<'c, 'a> = ReadCacheRange<'c, Input<'a>>;

/// Starts to read an input.
pub(super) fn cache(input: Input<'_>) -> Cache<'_> {
    ReadCache::new(input)
}

/// The bytes of one ELF image.
///
/// Parts of a well-formed image do not overlap, so what is read of them is at most the image's size. Twice that
/// is allowed; past it, an image whose headers tell of the same bytes again and again is refused.
pub(super) struct Source<'c> {
    data: Part<'c, 'c>,
    size: u64,
    left: u64,
}

impl<'c> Source<'c> {
    /// The image that fills the whole input.
    pub(super) fn whole(cache: &'c Cache<'c>) -> Source<'c> {
        Source::part(cache, 0, u64::MAX)
    }

    /// The image at `offset` of the input, `size` bytes long or less when the input ends before.
    pub(super) fn part(cache: &'c Cache<'c>, offset: u64, size: u64) -> Source<'c> {
        let size = size.min(cache.len().unwrap_or(0).saturating_sub(offset));
        Source { data: cache.range(offset, size), size, left: size.saturating_mul(2) }
    }

    /// For `object` to read headers from.
    pub(super) fn data(&self) -> Part<'c, 'c> {
        self.data
    }

    /// The image's size in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The bytes of one part of the image.
    pub(super) fn bytes(&mut self, offset: u64, size: u64) -> Result<&'c [u8], Unread> {
        let end = offset.checked_add(size).filter(|&end| end <= self.size);
        if end.is_none() {
            return Err(Unread::PastEnd { offset, size, file_size: self.size });
        }
        self.left = self.left.checked_sub(size).ok_or(Unread::Overlap)?;
        self.data.read_bytes_at(offset, size).map_err(|()| Unread::Failed { offset, size })
    }
}

/// Why a part of an image could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unread {
    /// It reaches past the end.
    PastEnd { offset: u64, size: u64, file_size: u64 },
    /// The image's parts overlap so much that they would be read many times over.
    Overlap,
    /// The operating system or the memory did not give it.
    Failed { offset: u64, size: u64 },
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Unread::PastEnd { offset, size, file_size } => {
                write!(
                    f,
                    "{size:#x} bytes at offset {offset:#x} reach past the end of the file at {file_size:#x}"
                )
            }
            Unread::Overlap => f.write_str("the file's parts overlap, and too much was read of them already"),
            Unread::Failed { offset, size } => {
                write!(f, "reading {size:#x} bytes at offset {offset:#x} failed")
            }
        }
    }
}
