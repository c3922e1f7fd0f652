//! What was made before, by the hash of everything that it was made from.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use tempfile::NamedTempFile;

/// Changed when the same parts of a key come to mean something else.
const FORMAT: &str = "cfidiff variants 1";

/// A hash over everything that a result depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key(blake3::Hash);

impl Key {
    /// The hash over the parts, each with its length, so that no two lists of parts run into each other.
    pub fn new<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(FORMAT.as_bytes());
        for part in parts {
            hasher.update(&(part.as_ref().len() as u64).to_le_bytes());
            hasher.update(part.as_ref());
        }
        Key(hasher.finalize())
    }

    /// The hash in hexadecimal.
    pub fn hex(&self) -> String {
        self.0.to_hex().to_string()
    }
}

/// A folder of results. What is in it is complete: a result is moved there when it is whole.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The folder that users expect: `cfidiff/variants` in `$XDG_CACHE_HOME`, else in `~/.cache`; `None` without a home.
    pub fn user_folder() -> Option<PathBuf> {
        Some(etcetera::base_strategy::Xdg::new().ok()?.cache_dir().join("cfidiff").join("variants"))
    }

    /// A cache in this folder, which is made.
    ///
    /// # Errors
    /// When the folder cannot be made or written.
    pub fn open(folder: &Path) -> io::Result<Cache> {
        fs::create_dir_all(folder)?;
        tempfile::tempfile_in(folder)?;
        Ok(Cache { folder: folder.to_owned() })
    }

    fn place(&self, key: &Key) -> PathBuf {
        let name = key.hex();
        self.folder.join(&name[..2]).join(&name[2..])
    }

    /// The file under this key.
    pub fn file(&self, key: &Key) -> Option<PathBuf> {
        Some(self.place(key)).filter(|place| place.is_file())
    }

    /// The text under this key.
    pub fn text(&self, key: &Key) -> Option<String> {
        fs::read_to_string(self.place(key)).ok()
    }

    /// Keeps a copy of the file.
    ///
    /// # Errors
    /// When it cannot be copied.
    pub fn keep_file(&self, key: &Key, file: &Path) -> io::Result<()> {
        copy(file, &self.place(key))
    }

    /// Keeps a text.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_text(&self, key: &Key, text: &str) -> io::Result<()> {
        write(&self.place(key), text.as_bytes())
    }
}

/// Writes a file that is either whole or not there.
///
/// # Errors
/// When it or its folder cannot be written.
pub fn write(to: &Path, bytes: &[u8]) -> io::Result<()> {
    place(to, |file| file.write_all(bytes))
}

/// Copies a file, its permissions as well; the copy is either whole or not there.
///
/// # Errors
/// When it cannot be read, or the copy or its folder cannot be written.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = fs::File::open(from)?;
    let permissions = source.metadata()?.permissions();
    place(to, |file| {
        io::copy(&mut source, file)?;
        file.as_file().set_permissions(permissions)
    })
}

fn place(to: &Path, fill: impl FnOnce(&mut NamedTempFile) -> io::Result<()>) -> io::Result<()> {
    let folder = to.parent().expect("a file is in a folder");
    fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    fill(&mut file)?;
    file.persist(to)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_eq!(Key::new(["ab", "c"]), Key::new(["ab", "c"]));
        assert_ne!(Key::new(["ab", "c"]), Key::new(["a", "bc"]));
        assert_ne!(Key::new(["ab"]), Key::new(["ab", ""]));
    }

    #[test]
    fn what_was_kept_is_there_under_its_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("inner")).unwrap();
        let (one, other) = (Key::new(["one"]), Key::new(["other"]));
        cache.keep_text(&one, "words").unwrap();
        assert_eq!((cache.text(&one).as_deref(), cache.text(&other)), (Some("words"), None));
        cache.keep_file(&other, &cache.file(&one).unwrap()).unwrap();
        assert_eq!(cache.text(&other).as_deref(), Some("words"));
    }
}
