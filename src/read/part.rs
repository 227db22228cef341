//! One part of an export, and which files of all parts are open at a time.
//!
//! Decided here: what can be a part at all, and that thousands of them can be read although a process
//! may have only so many files open. The first [`OPEN`] files stay open from the start: whatever is renamed
//! then, their bytes are those of the file that was opened. Beyond that a file is opened again when
//! its turn comes. Trusted is then only its identity as the system tells it: another file in its place is an
//! error of the run.

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::mapped::Mapped;
use super::stream::{self, Stream};
use super::{Access, ReadError, Why};
use crate::stop::{Stop, StopCode};

/// Files that are open at a time, of each kind: plain and compressed.
pub(super) const OPEN: usize = 64;

/// Which file a path led to. Two that are not known are never the same.
#[derive(Clone, Copy, Debug)]
pub struct Identity(Option<(u64, u64)>);

impl Identity {
    /// The device and the number on it, where the system has such.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Identity(Some((metadata.dev(), metadata.ino())))
    }

    /// Not known on this system.
    #[cfg(not(unix))]
    pub fn of(_: &Metadata) -> Self {
        Identity(None)
    }

    /// What standard input is, where that can be told.
    #[cfg(unix)]
    pub fn of_stdin() -> Self {
        use std::os::fd::AsFd;
        let stdin = io::stdin().as_fd().try_clone_to_owned();
        let metadata = stdin.and_then(|stdin| File::from(stdin).metadata());
        metadata.map_or(Identity(None), |metadata| Identity::of(&metadata))
    }

    /// Not known on this system.
    #[cfg(not(unix))]
    pub fn of_stdin() -> Self {
        Identity(None)
    }

    /// Whether both are known to be one file.
    pub fn is(self, other: Identity) -> bool {
        self.0.is_some() && self.0 == other.0
    }

    fn is_another(self, other: Identity) -> bool {
        self.0 != other.0
    }
}

/// A part of an export.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    source: Source,
}

/// Where the bytes of a part are.
#[derive(Debug)]
enum Source {
    /// In a regular file that can be looked at again, of this length at opening.
    File { identity: Identity, length: u64 },
    /// In a compressed file; the stream is there once it is read.
    Compressed { identity: Identity, stream: Mutex<Option<Arc<Stream>>> },
    /// They come once.
    Stream { pipe: Identity, stream: Stream },
}

/// The plain files that are open, the one used last at the end.
#[derive(Debug)]
pub(super) struct OpenFiles {
    access: Access,
    files: Mutex<VecDeque<(u32, Arc<Mapped>)>>,
}

impl OpenFiles {
    pub(super) fn new(access: Access) -> Self {
        OpenFiles { access, files: Mutex::new(VecDeque::new()) }
    }

    fn add(&self, part: u32, file: File, length: u64) -> Arc<Mapped> {
        let file = Arc::new(Mapped::new(file, length, part, self.access));
        let mut files = lock(&self.files);
        if files.len() >= OPEN {
            files.pop_front();
        }
        files.push_back((part, Arc::clone(&file)));
        file
    }

    fn find(&self, part: u32) -> Option<Arc<Mapped>> {
        let mut files = lock(&self.files);
        let at = files.iter().position(|(open, _)| *open == part)?;
        let found = files.remove(at)?;
        let file = Arc::clone(&found.1);
        files.push_back(found);
        Some(file)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere leaves what is behind it whole: it is replaced in one step.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Part {
    /// Opens a regular file, or anything else that gives bytes, behind `earlier` parts; `-` is standard
    /// input.
    pub(super) fn open(path: &Path, earlier: &[Part], open: &OpenFiles) -> Result<Self, Stop> {
        let cannot = |error: io::Error| cannot_open(path, &error);
        let part_of = |source| Ok(Part { path: path.to_owned(), source });
        let part = u32::try_from(earlier.len()).map_err(|_| Stop::new(StopCode::Usage, "too many parts"))?;
        if path == Path::new("-") {
            if earlier.iter().any(|part| part.path == path) {
                return Err(given_twice("standard input"));
            }
            let stream = Stream::of_stdin().map_err(cannot)?;
            return part_of(Source::Stream { pipe: Identity(None), stream });
        }
        // Asked before opening: a folder opens, and reads as nothing.
        let metadata = std::fs::metadata(path).map_err(cannot)?;
        if metadata.is_dir() {
            return Err(Stop::new(StopCode::Unreadable, format!("{}: this is a directory", path.display()))
                .hint("give the file, or the files of one ledger in order: part-1.jsonl part-2.jsonl"));
        }
        if is_pipe(&metadata) && earlier.iter().any(|part| part.is_pipe(Identity::of(&metadata))) {
            return Err(given_twice(&path.display().to_string()));
        }
        if is_socket(&metadata) {
            return Err(Stop::new(StopCode::Unreadable, format!("{}: this is a socket", path.display()))
                .hint("give the file, or a pipe: program | ledger-verify - --key FILE"));
        }
        let file = File::open(path).map_err(cannot)?;
        let metadata = file.metadata().map_err(cannot)?;
        let identity = Identity::of(&metadata);
        if !metadata.is_file() {
            let pipe = if is_pipe(&metadata) { identity } else { Identity(None) };
            return part_of(Source::Stream { pipe, stream: Stream::of_file(file).map_err(cannot)? });
        }
        let length = metadata.len();
        // Some file systems, /proc among them, tell no length: such a file must not pass for an empty one.
        if length == 0 && (&file).read(&mut [0]).map_err(cannot)? > 0 {
            let file = File::open(path).map_err(cannot)?;
            return part_of(Source::Stream { pipe: Identity(None), stream: Stream::of_file(file).map_err(cannot)? });
        }
        let mapped = open.add(part, file, length);
        let mut start = Vec::new();
        match mapped.copy(0..length.min(4), &mut start) {
            Ok(()) if stream::is_compressed(&start) => {
                lock(&open.files).retain(|(open, _)| *open != part);
                part_of(Source::Compressed { identity, stream: Mutex::new(None) })
            }
            _ => part_of(Source::File { identity, length }),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes at opening, of a stream those read so far.
    pub(super) fn length(&self) -> u64 {
        match &self.source {
            Source::File { length, .. } => *length,
            Source::Compressed { stream, .. } => lock(stream).as_ref().map_or(0, |stream| stream.length()),
            Source::Stream { stream, .. } => stream.length(),
        }
    }

    pub(super) fn length_now(&self, part: u32, open: &OpenFiles) -> Option<u64> {
        match &self.source {
            Source::File { .. } => self.file(part, open).ok()?.length_now(),
            _ => Some(self.length()),
        }
    }

    fn is_pipe(&self, identity: Identity) -> bool {
        matches!(&self.source, Source::Stream { pipe, .. } if pipe.is(identity))
    }

    pub(super) fn is_stream(&self) -> bool {
        !matches!(self.source, Source::File { .. })
    }

    pub(super) fn is_file(&self) -> bool {
        !matches!(self.source, Source::Stream { .. })
    }

    /// Closes a compressed file, which is then read from its start.
    pub(super) fn close(&self) {
        if let Source::Compressed { stream, .. } = &self.source {
            *lock(stream) = None;
        }
    }

    /// From now on a stream keeps so many bytes.
    pub(super) fn hold(&self, most: u64) {
        match &self.source {
            Source::File { .. } => {}
            Source::Compressed { stream, .. } => lock(stream).iter().for_each(|stream| stream.hold(most)),
            Source::Stream { stream, .. } => stream.hold(most),
        }
    }

    /// Forgets bytes that a stream has kept beyond `most`; gives how much of `most` is left.
    pub(super) fn keep_at_most(&self, most: u64) -> u64 {
        match &self.source {
            Source::File { .. } => most,
            Source::Compressed { stream, .. } => lock(stream).as_ref().map_or(most, |stream| stream.keep_at_most(most)),
            Source::Stream { stream, .. } => stream.keep_at_most(most),
        }
    }

    /// Appends bytes to `into`; on an error `into` is as it was.
    pub(super) fn copy(
        &self,
        part: u32,
        open: &OpenFiles,
        range: Range<u64>,
        into: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        let failed = |why| ReadError { part, at: range.start, why };
        match &self.source {
            Source::File { .. } => self.file(part, open)?.copy(range, into),
            Source::Compressed { .. } => self.stream(part)?.copy(range.clone(), into).map_err(failed),
            Source::Stream { stream, .. } => stream.copy(range.clone(), into).map_err(failed),
        }
    }

    /// The next bytes of a stream, and whether they are the last.
    pub(super) fn fetch(&self, part: u32, at: u64, count: u64, into: &mut Vec<u8>) -> Result<bool, ReadError> {
        let fetch = |stream: &Stream, into: &mut Vec<u8>| {
            stream.fetch(at, count, into).map_err(|why| ReadError { part, at: stream.length(), why })
        };
        match &self.source {
            Source::Stream { stream, .. } => fetch(stream, into),
            _ => fetch(&*self.stream(part)?, into),
        }
    }

    fn file(&self, part: u32, open: &OpenFiles) -> Result<Arc<Mapped>, ReadError> {
        if let Some(file) = open.find(part) {
            return Ok(file);
        }
        let file = self.again(part)?;
        Ok(open.add(part, file, self.length()))
    }

    fn stream(&self, part: u32) -> Result<Arc<Stream>, ReadError> {
        let Source::Compressed { stream, .. } = &self.source else {
            return Err(ReadError { part, at: 0, why: Why::Io("this is no compressed file".to_owned()) });
        };
        let mut stream = lock(stream);
        if stream.is_none() {
            let opened = self.again(part).and_then(|file| Stream::of_file(file).map_err(|error| failed(part, &error)));
            *stream = Some(Arc::new(opened?));
        }
        stream.clone().ok_or_else(|| failed(part, &io::ErrorKind::NotFound.into()))
    }

    /// Opens the file once more, if it is still the same.
    fn again(&self, part: u32) -> Result<File, ReadError> {
        let (Source::File { identity, .. }
        | Source::Compressed { identity, .. }
        | Source::Stream { pipe: identity, .. }) = &self.source;
        let file = File::open(&self.path).map_err(|error| failed(part, &error))?;
        let now = file.metadata().map_err(|error| failed(part, &error))?;
        match identity.is_another(Identity::of(&now)) {
            true => Err(ReadError { part, at: 0, why: Why::Replaced }),
            false => Ok(file),
        }
    }
}

fn given_twice(what: &str) -> Stop {
    Stop::new(StopCode::Usage, format!("{what} was given twice")).hint("what it brings comes once: give it once")
}

fn failed(part: u32, error: &io::Error) -> ReadError {
    ReadError { part, at: 0, why: Why::Io(error.to_string()) }
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(unix)]
fn is_socket(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_socket(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
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
        io::ErrorKind::PermissionDenied => stop("no permission to read it")
            .hint(format!("see who may: ls -l '{}'", shown.to_string().replace('\'', r"'\''"))),
        _ => stop(&format!("cannot be opened: {error}")).hint("check the path, or verify a copy of the file"),
    }
}
