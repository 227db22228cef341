//! A file becomes exact row slices with line numbers and offsets.
//!
//! Decided here: what can be an export at all (readable, JSON Lines in UTF-8 by its first bytes;
//! `form` knows the others by name), and how it is read. A regular file is mapped and has its length
//! at opening, for good; standard input, a pipe, a device and a compressed file are a stream. Nothing
//! is concluded from the bytes beyond that; what a row says is for the floors above. Bytes are
//! copied out once, a batch at a time ([`Batches`]), and the digest of the part, its rows and
//! everything shown come from that one copy. Nothing ever holds a whole file.

mod batch;
mod document;
mod earlier;
mod form;
mod lines;
mod mapped;
mod part;
mod shape;
mod sidecar;
mod stream;

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use batch::{Batch, Batches, Content, Limits, LongLine};
pub use document::{Item, MOST as DOCUMENT_BYTES};
pub use earlier::{Earlier, EarlierLine};
pub use lines::{Kind, Line, LineMark, Lines, Partner};
pub use shape::{Layout, LineEnds, LineForm, Shape};
pub use sidecar::Beside;
pub use stream::is_compressed;

pub use part::Identity;

use crate::stop::{Stop, StopCode};
use document::Document;
use part::{OpenFiles, Part};

/// The export: its parts in order, each a file of its own, readable when it was opened.
#[derive(Debug)]
pub struct Export {
    parts: Vec<Part>,
    open: OpenFiles,
    shape: Shape,
    /// The sidecars of the parts, in their order, where the shape asks for them.
    sidecars: Option<Box<Export>>,
    /// The documents that were read last: reading goes on while rows of the one before are looked at again.
    documents: Mutex<VecDeque<(u32, Arc<Document>)>>,
    /// Whether streams keep what was read of them.
    held: AtomicBool,
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
    /// Another file stands in its place.
    Replaced,
    /// The system refuses the bytes, or they are a damaged compressed stream, for this reason.
    Io(String),
    /// A line of a stream does not end.
    Endless,
    /// It is no JSON document with an array of rows, for this reason.
    Document(String),
    /// It happened to the part's sidecar.
    Sidecar(Box<Why>),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why.of_file() {
            Why::Shrunk => write!(f, "the file was cut off at byte {} while it was read", self.at),
            Why::Replaced => write!(f, "another file was put in its place while the export was read"),
            Why::Io(reason) => write!(f, "cannot be read at byte {}: {reason}", self.at),
            Why::Endless => write!(f, "the line at byte {} goes on and on", self.at),
            Why::Document(reason) => write!(f, "this is no JSON document with an array of rows: {reason}"),
            Why::Sidecar(_) => write!(f, "its sidecar cannot be read"),
        }
    }
}

impl std::error::Error for ReadError {}

impl Why {
    /// What happened to the file itself, the part or its sidecar.
    fn of_file(&self) -> &Why {
        if let Why::Sidecar(why) = self { why } else { self }
    }
}

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
        Self::open_as(paths, &Shape::default(), access)
    }

    /// The same, for files in which rows stand in another way than one JSON object a line.
    ///
    /// # Errors
    ///
    /// As [`Export::open`], and for a sidecar that is not there or cannot be read.
    pub fn open_as(paths: &[PathBuf], shape: &Shape, access: Access) -> Result<Self, Stop> {
        if paths.is_empty() {
            return Err(Stop::new(StopCode::Usage, "no export was given").hint("name the file to verify"));
        }
        let mut export = Export {
            parts: Vec::with_capacity(paths.len()),
            open: OpenFiles::new(access),
            shape: shape.clone(),
            sidecars: None,
            documents: Mutex::default(),
            held: AtomicBool::new(false),
        };
        for (index, path) in paths.iter().enumerate() {
            let opened = Part::open(path, &export.parts, &export.open)?;
            export.parts.push(opened);
            let part = export.parts() - 1;
            match form::foreign(&export, part) {
                Ok(None) => {}
                Ok(Some(form)) => return Err(form.stop(path)),
                Err(error) => return Err(export.stop(&error)),
            }
            if index >= part::OPEN {
                export.part(part).into_iter().for_each(Part::close);
            }
        }
        if let Layout::Text { sidecar: Some(suffix) } = &shape.layout {
            let sidecars = paths.iter().map(|path| sidecar::find(path, suffix)).collect::<Result<Vec<_>, Stop>>()?;
            let lines = Shape { layout: Layout::Text { sidecar: None }, ..shape.clone() };
            export.sidecars = Some(Box::new(Export::open_as(&sidecars, &lines, access)?));
        }
        Ok(export)
    }

    /// How rows stand in its files.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The same files, opened as lines of JSON, with other ends of lines: a format was recognised by then.
    pub fn with_ends(mut self, ends: LineEnds) -> Self {
        self.shape.ends = ends;
        self
    }

    /// The sidecars of the parts, as an export of as many parts; `None` where the shape asks for none.
    pub fn sidecars(&self) -> Option<&Export> {
        self.sidecars.as_deref()
    }

    /// The document that a part is.
    fn document(&self, part: u32, path: &[String]) -> Result<Arc<Document>, ReadError> {
        // A panic elsewhere leaves the documents whole.
        let mut known = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, document)) = known.iter().find(|(of, _)| *of == part) {
            return Ok(Arc::clone(document));
        }
        let failed = |why| ReadError { part, at: 0, why: Why::Document(why) };
        let mut text = Vec::new();
        let most = DOCUMENT_BYTES as u64 + 1;
        while !self.fetch(part, text.len() as u64, (1 << 20).min(most - text.len() as u64), &mut text)? {
            if text.len() as u64 >= most {
                return Err(failed(format!("it is larger than {DOCUMENT_BYTES} bytes")));
            }
        }
        if text.len() > DOCUMENT_BYTES {
            return Err(failed(format!("it is larger than {DOCUMENT_BYTES} bytes")));
        }
        let document = Arc::new(Document::read(text, path).map_err(failed)?);
        known.truncate(1);
        known.push_front((part, Arc::clone(&document)));
        Ok(document)
    }

    /// Whether a part is a file that stands in a folder, compressed or not.
    pub fn is_file(&self, part: u32) -> bool {
        self.part(part).is_some_and(Part::is_file)
    }

    /// Number of parts, at least 1.
    pub fn parts(&self) -> u32 {
        // As many were counted in a u32 at opening.
        u32::try_from(self.parts.len()).unwrap_or(u32::MAX)
    }

    /// The path of a part as it was given; empty for a part that does not exist.
    pub fn path(&self, part: u32) -> &Path {
        self.part(part).map_or(Path::new(""), Part::path)
    }

    /// Bytes of a part when it was opened, of a stream those read so far; 0 for a part that does not
    /// exist.
    pub fn length(&self, part: u32) -> u64 {
        self.part(part).map_or(0, Part::length)
    }

    /// Whether a part comes as a stream, so that only its recent bytes can be looked at again.
    pub fn is_stream(&self, part: u32) -> bool {
        self.part(part).is_some_and(Part::is_stream)
    }

    /// Bytes of a part now, which a live log may have grown to; `None` if that cannot be told.
    pub fn length_now(&self, part: u32) -> Option<u64> {
        self.part(part)?.length_now(part, &self.open)
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
        match self.part(part) {
            Some(found) => found.copy(part, &self.open, range, into),
            None => Err(ReadError { part, at: range.start, why: Why::Io("there is no such part".to_owned()) }),
        }
    }

    /// Appends up to `count` bytes of a part from `at` on to `into`, and says whether its end is reached:
    /// the next bytes of a stream, which reads on for them.
    fn fetch(&self, part: u32, at: u64, count: u64, into: &mut Vec<u8>) -> Result<bool, ReadError> {
        match self.part(part) {
            Some(found) if found.is_stream() => found.fetch(part, at, count, into),
            _ => {
                let end = at.saturating_add(count).min(self.length(part));
                self.copy(part, at..end, into)?;
                Ok(end >= self.length(part))
            }
        }
    }

    /// Keep all bytes of streams up to so many in each, so that the export can be read once more from its start.
    pub fn hold(&self, most: u64) {
        self.parts.iter().for_each(|part| part.hold(most));
        self.held.store(true, Ordering::Relaxed);
    }

    /// Reading begins with this part. What is kept of streams is kept of all of them together, the most recent
    /// bytes of the parts before: ten parts must not cost ten times the memory of one.
    fn forget_before(&self, part: u32) {
        if self.held.load(Ordering::Relaxed) {
            return;
        }
        let mut most = stream::KEPT;
        let before = self.parts.get(..usize::try_from(part).unwrap_or(usize::MAX)).unwrap_or_default();
        // Those further back were forgotten when a part before this one began.
        for (back, earlier) in before.iter().rev().take(part::OPEN).enumerate() {
            most = if back + 1 < part::OPEN { earlier.keep_at_most(most) } else { earlier.keep_at_most(0) };
        }
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
        if let (Why::Sidecar(why), Some(sidecars)) = (&error.why, self.sidecars()) {
            return sidecars.stop(&ReadError { part: error.part, at: error.at, why: (**why).clone() });
        }
        let stop = Stop::new(StopCode::Unfinished, format!("{}: {error}", self.path(error.part).display()));
        match error.why {
            Why::Document(_) => Stop { code: StopCode::Form, ..stop }
                .hint("ask for the file again, or for its rows as JSON Lines, or check array in the profile's [input]"),
            Why::Sidecar(_) => stop,
            Why::Shrunk => stop.hint("something writes to this file: verify a copy of it"),
            Why::Replaced => stop.hint("something renames files here, a log rotation perhaps: verify a copy of them"),
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
