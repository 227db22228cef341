//! What a bundle is on disk: a folder or a zip, flat in either case.
//!
//! Decided here: which bytes are read at all. Names are compared with plain file names and never joined to a path
//! before that; links are not followed; an entry of a zip is unpacked only as far as it may be long, so that no
//! bomb fills memory or disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use zip::ZipArchive;
use zip::result::ZipError;

use super::extent;
use crate::stop::{Stop, StopCode};

/// Files in a bundle.
const MOST: usize = 10_000;

/// Bytes that are unpacked of one file of a zip.
const LARGEST: u64 = 16 << 30;

/// The files of a bundle.
#[derive(Debug)]
pub(super) struct Container {
    /// `folder` or `zip`.
    pub kind: &'static str,
    path: PathBuf,
    zip: Option<ZipArchive<File>>,
    /// The names of the files that can be read, each once.
    pub names: Vec<String>,
    /// What else is there: the name and why it is not read.
    pub odd: Vec<(String, String)>,
}

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub bytes: u64,
    pub sha256: String,
}

/// A file whose path can be given to an audit.
#[derive(Debug)]
pub(super) struct Placed {
    pub path: PathBuf,
    /// The bytes that are stored under its name, as much of them as may be there.
    pub sum: Sum,
    /// Removes itself.
    _unpacked: Option<NamedTempFile>,
}

/// Why a file is nowhere where an audit can read it.
#[derive(Debug)]
pub(super) enum Unplaced {
    /// It cannot be read: the bundle's fault.
    Unreadable(io::Error),
    /// There is no room to unpack it: ours.
    NoRoom(Stop),
}

impl Container {
    /// Open a bundle.
    ///
    /// # Errors
    ///
    /// A stop for what is neither a readable folder nor a zip.
    pub fn open(path: &Path) -> Result<Self, Stop> {
        let stop = |why: String| {
            Stop::new(StopCode::Unreadable, format!("bundle {}: {why}", path.display()))
                .hint("a bundle is a folder or a zip with MANIFEST.json in it")
        };
        let failed = |error: io::Error| stop(error.to_string());
        let mut container =
            Container { kind: "folder", path: path.to_owned(), zip: None, names: Vec::new(), odd: Vec::new() };
        if path.metadata().map_err(failed)?.is_dir() {
            for entry in path.read_dir().map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let name = entry.file_name();
                let kind = entry.file_type().map_err(failed)?;
                let odd = match name.to_str() {
                    None => Some("its name is not UTF-8"),
                    Some(_) if kind.is_symlink() => Some("it is a link, which is not followed"),
                    Some(_) if kind.is_dir() => Some("it is a folder"),
                    Some(_) if !kind.is_file() => Some("it is no regular file"),
                    Some(_) => None,
                };
                container.take(name.to_string_lossy().into_owned(), odd).map_err(stop)?;
            }
        } else {
            let file = File::open(path).map_err(failed)?;
            let again = file.try_clone().map_err(failed)?;
            let mut zip = ZipArchive::new(file).map_err(|error| stop(told(&error)))?;
            container.kind = "zip";
            for index in 0..zip.len() {
                let entry = zip.by_index_data(index).map_err(|error| stop(told(&error)))?;
                let name = entry.name().ok().filter(|name| name.as_bytes() == entry.name_raw());
                let odd = match &name {
                    None => Some("its name is not UTF-8"),
                    Some(_) if entry.is_symlink() => Some("it is a link, which is not followed"),
                    Some(_) if entry.is_dir() => Some("it is a folder"),
                    Some(_) if entry.encrypted() => Some("it is encrypted"),
                    Some(name) if !is_plain(name) => Some("its name is no plain file name"),
                    Some(_) => None,
                };
                let name = name.unwrap_or_else(|| String::from_utf8_lossy(entry.name_raw()));
                container.take(name.into_owned(), odd).map_err(stop)?;
            }
            container.odd.extend(extent::strays(&mut zip, again).map_err(failed)?);
            container.zip = Some(zip);
        }
        container.names.sort();
        container.odd.sort();
        Ok(container)
    }

    fn take(&mut self, name: String, odd: Option<&'static str>) -> Result<(), String> {
        if self.names.len() + self.odd.len() >= MOST {
            return Err(format!("it holds more than {MOST} files"));
        }
        match odd {
            Some(odd) => self.odd.push((name, odd.to_owned())),
            None => self.names.push(name),
        }
        Ok(())
    }

    /// Why a file of this name is not read, though it is there.
    pub fn why_not(&self, name: &str) -> Option<&str> {
        self.odd.iter().find(|(odd, _)| odd == name).map(|(_, why)| why.as_str())
    }

    /// Whether a file of this name can be read.
    pub fn has(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }

    /// The first `most` bytes of a file and one more, if it has them.
    pub fn small(&mut self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read(name, |input| input.take(most + 1).read_to_end(&mut bytes).map(drop))?;
        Ok(bytes)
    }

    /// Length and digest of a file; of one that is longer than `most` bytes those of as much.
    pub fn sum(&mut self, name: &str, most: u64) -> io::Result<Sum> {
        self.copy(name, most, &mut io::sink())
    }

    /// The file where an audit can read it; one of a zip is unpacked, `most` bytes of it at most.
    pub fn place(&mut self, name: &str, most: u64) -> Result<Placed, Unplaced> {
        if self.zip.is_none() {
            let sum = self.sum(name, most).map_err(Unplaced::Unreadable)?;
            return Ok(Placed { path: self.path.join(name), sum, _unpacked: None });
        }
        let bundle = self.path.display().to_string();
        let no_room = |error: &io::Error| {
            let folder = std::env::temp_dir();
            let why = format!("bundle {bundle}: its ledger cannot be unpacked in {}: {error}", folder.display());
            let hint = "name a folder with room in TMPDIR, or unpack the zip and give the folder";
            Unplaced::NoRoom(Stop::new(StopCode::Unreadable, why).hint(hint))
        };
        let mut file = NamedTempFile::new().map_err(|error| no_room(&error))?;
        let mut room = Room { file: file.as_file_mut(), full: false };
        let copied = self.copy(name, most, &mut room);
        let full = room.full;
        match copied {
            Ok(sum) => Ok(Placed { path: file.path().to_owned(), sum, _unpacked: Some(file) }),
            Err(error) if full => Err(no_room(&error)),
            Err(error) => Err(Unplaced::Unreadable(error)),
        }
    }

    fn copy(&mut self, name: &str, most: u64, out: &mut dyn Write) -> io::Result<Sum> {
        let mut sum = Sum { bytes: 0, sha256: String::new() };
        self.read(name, |input| {
            let mut input = input.take(most.min(LARGEST).saturating_add(1));
            let (mut digest, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
            loop {
                let read = input.read(&mut buffer)?;
                let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { break };
                digest.update(part);
                out.write_all(part)?;
                sum.bytes += part.len() as u64;
            }
            sum.sha256 = data_encoding::HEXLOWER.encode(&digest.finalize());
            out.flush()
        })?;
        Ok(sum)
    }

    fn read(&mut self, name: &str, read: impl FnOnce(&mut dyn Read) -> io::Result<()>) -> io::Result<()> {
        match &mut self.zip {
            Some(zip) => read(&mut zip.by_name(name).map_err(|error| io::Error::other(told(&error)))?),
            None => read(&mut open_no_link(&self.path.join(name))?),
        }
    }
}

/// A file that is unpacked into, which tells its own failures from those of the zip.
struct Room<'f> {
    file: &'f mut File,
    full: bool,
}

impl Write for Room<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.full |= written.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().inspect_err(|_| self.full = true)
    }
}

/// What is wrong with a zip, in our words.
fn told(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => error.to_string(),
        ZipError::CompressionMethodNotSupported(method) => {
            format!("it is compressed by method {method}, and only what is stored or deflated is read")
        }
        ZipError::UnsupportedArchive(_) | ZipError::InvalidPassword => {
            "it is a zip of a kind that is not read: encrypted, or in several volumes".to_owned()
        }
        ZipError::FileNotFound => "the zip has no such entry".to_owned(),
        _ => "it is no zip, or one that is damaged".to_owned(),
    }
}

/// Whether this can be the name of a file in a folder, on any system, and of nothing outside it.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0', ':'])
}

/// Open a regular file; what became a link since it was listed is not followed.
fn open_no_link(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no regular file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use zip::write::{SimpleFileOptions, ZipWriter};

    fn zipped(files: &[(&str, &[u8])]) -> NamedTempFile {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
            zip.write_all(content).expect("room");
        }
        let mut file = NamedTempFile::new().expect("a file");
        file.write_all(zip.finish().expect("a zip").get_ref()).expect("room");
        file
    }

    #[test]
    fn names_that_lead_elsewhere_are_not_read() {
        let file = zipped(&[("../up.txt", b"a"), ("sub/file.txt", b"b"), ("c:x", b"c"), ("plain.txt", b"d")]);
        let container = Container::open(file.path()).expect("a zip");
        assert_eq!(container.names, ["plain.txt"]);
        assert_eq!(container.odd.len(), 3);
    }

    #[test]
    fn no_more_is_unpacked_than_was_asked_for() {
        let file = zipped(&[("bomb", &vec![0; 8 << 20])]);
        assert!(file.path().metadata().expect("a length").len() < 64 << 10, "it is a bomb");
        let mut container = Container::open(file.path()).expect("a zip");
        assert_eq!(container.sum("bomb", 1000).expect("readable").bytes, 1001);
        let placed = container.place("bomb", 1000).expect("unpacked");
        assert_eq!(placed.path.metadata().expect("a length").len(), 1001);
        let path = placed.path.clone();
        drop(placed);
        assert!(!path.exists(), "what is unpacked removes itself");
        assert_eq!(container.small("bomb", 10).expect("readable").len(), 11);
    }
}
