//! Why a file gives no case at all.

use std::io;
use std::path::Path;

/// Why a file gives no case at all. Each message names the file.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file.
    #[error("{file}: no such file")]
    NotFound {
        /// The path as given.
        file: String,
    },
    /// The file may not be read.
    #[error("{file}: permission denied")]
    PermissionDenied {
        /// The path as given.
        file: String,
    },
    /// The path is a directory.
    #[error("{file}: is a directory")]
    IsDirectory {
        /// The path as given.
        file: String,
    },
    /// The path is a pipe, a socket or a device, which cannot be read from any offset.
    #[error("{file}: is not a regular file")]
    NotRegular {
        /// The path as given.
        file: String,
    },
    /// The file's first bytes are neither ELF's nor an archive's.
    #[error("{file}: is neither an ELF file nor an archive")]
    NotElf {
        /// The path as given.
        file: String,
    },
    /// The file claims to be an ELF file or an archive, and its headers cannot be read.
    #[error("{file}: {what} at offset {offset:#x} cannot be read: {why}")]
    Malformed {
        /// The path as given.
        file: String,
        /// Which part of the file.
        what: &'static str,
        /// The file offset of that part.
        offset: u64,
        /// What is wrong with it.
        why: String,
    },
    /// Reading failed for a reason of the operating system's.
    #[error("{file}: cannot be read: {source}")]
    Io {
        /// The path as given.
        file: String,
        /// The operating system's reason.
        source: io::Error,
    },
}

impl OpenError {
    /// The error for what the operating system said of `path`.
    pub(super) fn of_io(path: &Path, source: io::Error) -> OpenError {
        let file = path.display().to_string();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OpenError::NotFound { file },
            io::ErrorKind::PermissionDenied => OpenError::PermissionDenied { file },
            io::ErrorKind::IsADirectory => OpenError::IsDirectory { file },
            _ => OpenError::Io { file, source },
        }
    }
}
