//! A file becomes exact row slices with line numbers and offsets.
//!
//! Decided here: what can be an export at all (readable, JSON Lines in UTF-8 by its first bytes;
//! `form` knows the others by name), and how it is read. A regular file is mapped and has its length
//! at opening, for good; standard input, a pipe, a device and a compressed file are a stream. Nothing
//! is concluded from the bytes beyond that; what a row says is for the floors above. Bytes are
//! copied out once, a batch at a time ([`Batches`]), and the digest of the part, its rows and
//! everything shown come from that one copy. Nothing ever holds a whole file.

mod batch;
mod earlier;
mod form;
mod lines;
mod mapped;
mod stream;

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use batch::{Batch, Batches, Content, Limits, LongLine};
pub use earlier::{Earlier, EarlierLine};
pub use lines::{Kind, Line, Lines};

use crate::stop::{Stop, StopCode};
use mapped::Mapped;
use stream::Stream;

/// The export: its parts in order, each a file of its own, open for reading.
#[derive(Debug)]
pub struct Export {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    path: PathBuf,
    store: Store,
}

/// Where the bytes of a part are.
#[derive(Debug)]
enum Store {
    /// A regular file, that can be looked at again.
    File(Mapped),
    /// Bytes that come once.
    Stream(Stream),
}

/// Bytes of a line on a stream, beyond any limit, after which it is taken for endless.
const ENDLESS: u64 = 1 << 30;

/// How the bytes are fetched. The bytes, the rows and the errors are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Through a map where the system allows it, else with `pread`.
    #[default]
    Mapped,
    /// With `pread`.
    Pread,
}

/// Bytes that were there when the export was opened cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Index of the part, from 0.
    pub part: u32,
    /// Byte offset in the part: where the file ends now if it shrank, else near where it failed.
    pub at: u64,
    /// What happened.
    pub why: Why,
}

/// What happened to a file while it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is shorter than when it was opened.
    Shrunk,
    /// The system refuses the bytes, or they are a damaged compressed stream, for this reason.
    Io(String),
    /// A line of a stream does not end.
    Endless,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Why::Shrunk => write!(f, "the file was cut off at byte {} while it was read", self.at),
            Why::Io(reason) => write!(f, "cannot be read at byte {}: {reason}", self.at),
            Why::Endless => write!(f, "the line at byte {} goes on and on", self.at),
        }
    }
}

impl std::error::Error for ReadError {}

impl Export {
    /// Opens the files as consecutive parts of one export.
    ///
    /// # Errors
    ///
    /// A [`Stop`] that names the file: [`StopCode::Unreadable`] for what is no readable regular
    /// file, [`StopCode::Form`] for what is plainly not JSON Lines in UTF-8,
    /// [`StopCode::Unfinished`] for a file that fails while its first bytes are looked at.
    pub fn open(paths: &[PathBuf]) -> Result<Self, Stop> {
        Self::open_by(paths, Access::default())
    }

    /// The same, with a choice of how the bytes are fetched.
    ///
    /// # Errors
    ///
    /// As [`Export::open`].
    pub fn open_by(paths: &[PathBuf], access: Access) -> Result<Self, Stop> {
        if paths.is_empty() {
            return Err(Stop::new(StopCode::Usage, "no export was given").hint("name the file to verify"));
        }
        let mut export = Export { parts: Vec::with_capacity(paths.len()) };
        for (index, path) in paths.iter().enumerate() {
            let part = u32::try_from(index).map_err(|_| Stop::new(StopCode::Usage, "too many parts"))?;
            export.parts.push(Part { path: path.clone(), store: open_store(path, part, access)? });
            match form::foreign(&export, part) {
                Ok(None) => {}
                Ok(Some(form)) => return Err(form.stop(path)),
                Err(error) => return Err(export.stop(&error)),
            }
        }
        Ok(export)
    }

    /// Number of parts, at least 1.
    pub fn parts(&self) -> u32 {
        // As many were counted in a u32 at opening.
        u32::try_from(self.parts.len()).unwrap_or(u32::MAX)
    }

    /// The path of a part as it was given; empty for a part that does not exist.
    pub fn path(&self, part: u32) -> &Path {
        self.part(part).map_or(Path::new(""), |part| &part.path)
    }

    /// Bytes of a part when it was opened, of a stream those read so far; 0 for a part that does not
    /// exist.
    pub fn length(&self, part: u32) -> u64 {
        self.part(part).map_or(0, |part| match &part.store {
            Store::File(file) => file.length(),
            Store::Stream(stream) => stream.length(),
        })
    }

    /// Whether a part comes as a stream, so that only its recent bytes can be looked at again.
    pub fn is_stream(&self, part: u32) -> bool {
        self.part(part).is_some_and(|part| matches!(part.store, Store::Stream(_)))
    }

    /// Bytes of a part now, which a live log may have grown to; `None` if that cannot be told.
    pub fn length_now(&self, part: u32) -> Option<u64> {
        match &self.part(part)?.store {
            Store::File(file) => file.length_now(),
            Store::Stream(stream) => Some(stream.length()),
        }
    }

    /// Bytes of all parts together.
    pub fn bytes(&self) -> u64 {
        (0..self.parts()).map(|part| self.length(part)).fold(0, u64::saturating_add)
    }

    /// The whole export in batches of whole lines, in order.
    pub fn batches(&self, limits: Limits) -> Batches<'_> {
        Batches::new(self, limits)
    }

    /// Appends bytes of a part to `into`; on an error `into` is as it was.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if they can no longer be had.
    pub fn copy(&self, part: u32, range: Range<u64>, into: &mut Vec<u8>) -> Result<(), ReadError> {
        let at = range.start;
        match self.part(part).map(|part| &part.store) {
            Some(Store::File(file)) => file.copy(range, into),
            Some(Store::Stream(stream)) => stream.copy(range, into).map_err(|why| ReadError { part, at, why }),
            None => Err(ReadError { part, at, why: Why::Io("there is no such part".to_owned()) }),
        }
    }

    /// Appends up to `count` bytes of a part from `at` on to `into`, and says whether its end is reached:
    /// the next bytes of a stream, which reads on for them.
    fn fetch(&self, part: u32, at: u64, count: u64, into: &mut Vec<u8>) -> Result<bool, ReadError> {
        if let Some(Store::Stream(stream)) = self.part(part).map(|part| &part.store) {
            return stream.fetch(at, count, into).map_err(|why| ReadError { part, at: stream.length(), why });
        }
        let end = at.saturating_add(count).min(self.length(part));
        self.copy(part, at..end, into)?;
        Ok(end >= self.length(part))
    }

    /// How far into a part its form is looked for.
    fn looked_at(&self, part: u32) -> u64 {
        if self.is_stream(part) { stream::KEPT / 2 } else { u64::MAX }
    }

    /// Bytes after which a line of this part is given up; a file is always read to its end.
    fn longest_line(&self, part: u32) -> u64 {
        if self.is_stream(part) { ENDLESS } else { u64::MAX }
    }

    /// The stop for a run that could not read to the end, where no fault outranks it.
    pub fn stop(&self, error: &ReadError) -> Stop {
        let stop = Stop::new(StopCode::Unfinished, format!("{}: {error}", self.path(error.part).display()));
        match error.why {
            Why::Shrunk => stop.hint("something writes to this file: verify a copy of it"),
            Why::Endless => stop.hint("is it the right file? a row is at most 64 MiB long"),
            Why::Io(_) if self.is_stream(error.part) => {
                stop.hint("the stream is damaged or was cut: ask for the export again, or decompress it by hand to see")
            }
            Why::Io(_) => stop.hint("verify a copy of it, from a medium that reads without errors"),
        }
    }

    fn part(&self, part: u32) -> Option<&Part> {
        self.parts.get(usize::try_from(part).ok()?)
    }
}

/// Opens a part: a regular file, or anything else that gives bytes.
fn open_store(path: &Path, part: u32, access: Access) -> Result<Store, Stop> {
    let cannot = |error: io::Error| cannot_open(path, &error);
    if path == Path::new("-") {
        return Stream::of_stdin().map(Store::Stream).map_err(cannot);
    }
    // Asked before opening: a directory opens, and reads as nothing.
    let metadata = std::fs::metadata(path).map_err(cannot)?;
    if metadata.is_dir() {
        return Err(Stop::new(StopCode::Unreadable, format!("{}: this is a directory", path.display()))
            .hint("give the file, or the files of one ledger in order: part-1.jsonl part-2.jsonl"));
    }
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if !metadata.is_file() {
        return Stream::of_file(file).map(Store::Stream).map_err(cannot);
    }
    let mapped = Mapped::new(file, metadata.len(), part, access);
    let mut start = Vec::new();
    match mapped.copy(0..metadata.len().min(4), &mut start) {
        Ok(()) if stream::is_compressed(&start) => {
            let file = File::open(path).map_err(cannot)?;
            Stream::of_file(file).map(Store::Stream).map_err(cannot)
        }
        _ => Ok(Store::File(mapped)),
    }
}

fn cannot_open(path: &Path, error: &io::Error) -> Stop {
    let shown = path.display();
    let stop = |text: &str| Stop::new(StopCode::Unreadable, format!("{shown}: {text}"));
    #[cfg(unix)]
    if error.raw_os_error() == Some(libc::ELOOP) {
        return stop("its symbolic links lead in a circle").hint("give the path of the file itself");
    }
    match error.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => {
            stop("this symbolic link leads to a file that is not there").hint("give the path of the file itself")
        }
        io::ErrorKind::NotFound if path.as_os_str().is_empty() => {
            stop("the path is empty").hint("name the file to verify")
        }
        io::ErrorKind::NotFound => stop("there is no such file").hint(match std::env::current_dir() {
            Ok(directory) if path.is_relative() => {
                format!("check the path; it was looked for in {}", directory.display())
            }
            _ => "check the path".to_owned(),
        }),
        io::ErrorKind::NotADirectory => {
            stop("there is no such file: a part of the path is no directory").hint("check the path")
        }
        io::ErrorKind::PermissionDenied => {
            stop("no permission to read it").hint(format!("see who may: ls -l '{shown}'"))
        }
        _ => stop(&format!("cannot be opened: {error}")).hint("check the path, or verify a copy of the file"),
    }
}
