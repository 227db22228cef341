//! Bytes that come once: standard input, a pipe, a device, a compressed file.
//!
//! Decided here: what is compressed is read decompressed, all members and frames of it, and what
//! stands behind the last one is an error, as is a damaged stream. The most recent bytes are kept,
//! so that rows can be looked at again; what is older is gone. Nothing is trusted: a stream may
//! never end.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::Why;

/// Bytes that are kept after they were handed out.
pub(super) const KEPT: u64 = 64 << 20;

/// Bytes fetched from the system at a time.
const BUFFER: usize = 64 << 10;

/// The first bytes of a gzip member (RFC 1952 §2.3.1).
const GZIP: &[u8] = b"\x1f\x8b";

/// The first bytes of a zstd frame (RFC 8878 §3.1.1).
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// A stream and its most recent bytes.
pub(super) struct Stream {
    state: Mutex<State>,
}

struct State {
    reader: Box<dyn BufRead + Send>,
    /// What was read last, in the pieces in which it came.
    kept: VecDeque<Vec<u8>>,
    /// Bytes in `kept`.
    held: u64,
    /// Bytes read so far.
    read: u64,
    ended: bool,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("read", &self.length()).finish_non_exhaustive()
    }
}

/// Whether a file starts as a compressed one that is read decompressed.
pub(super) fn is_compressed(start: &[u8]) -> bool {
    start.starts_with(GZIP) || start.starts_with(ZSTD)
}

impl Stream {
    /// Over this file or device, decompressed where it is compressed.
    pub(super) fn of_file(file: File) -> io::Result<Self> {
        Self::new(Box::new(file))
    }

    /// Over standard input.
    pub(super) fn of_stdin() -> io::Result<Self> {
        Self::new(Box::new(io::stdin()))
    }

    fn new(source: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut source = BufReader::with_capacity(BUFFER, source);
        let mut start = Vec::new();
        source.by_ref().take(ZSTD.len() as u64).read_to_end(&mut start)?;
        let (gzip, zstd) = (start.starts_with(GZIP), start.starts_with(ZSTD));
        let source = io::Cursor::new(start).chain(source);
        let reader: Box<dyn BufRead + Send> = match (gzip, zstd) {
            (true, _) => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(source))),
            (_, true) => Box::new(BufReader::with_capacity(BUFFER, Frames::new(source))),
            _ => Box::new(source),
        };
        let state = State { reader, kept: VecDeque::new(), held: 0, read: 0, ended: false };
        Ok(Stream { state: Mutex::new(state) })
    }

    /// Bytes read so far; all of them once the end was seen.
    pub(super) fn length(&self) -> u64 {
        self.state().read
    }

    /// Appends up to `count` bytes from `at` on, which must be where reading stands or a little
    /// before; fewer only at the end. Says whether the end is reached.
    pub(super) fn fetch(&self, at: u64, count: u64, into: &mut Vec<u8>) -> Result<bool, Why> {
        let mut state = self.state();
        let end = at.saturating_add(count);
        state.read_to(end)?;
        let end = end.min(state.read);
        state.copy(at..end, into)?;
        Ok(state.ended && end == state.read)
    }

    /// Appends bytes that were read already, if they are still kept.
    pub(super) fn copy(&self, range: Range<u64>, into: &mut Vec<u8>) -> Result<(), Why> {
        self.state().copy(range, into)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves the bytes as they are.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Read on until `end` bytes were read, or the end is known to be there.
    fn read_to(&mut self, end: u64) -> Result<(), Why> {
        while !self.ended && self.read <= end {
            // One look further than asked: the last byte must be known as the last.
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Why::Io(error.to_string())),
            };
            if available.is_empty() {
                self.ended = true;
            } else if self.read == end {
                break;
            } else {
                let take = usize::try_from(end - self.read).unwrap_or(usize::MAX).min(available.len());
                let piece = available.get(..take).unwrap_or(available).to_vec();
                self.reader.consume(piece.len());
                self.keep(piece);
            }
        }
        Ok(())
    }

    fn keep(&mut self, piece: Vec<u8>) {
        self.read += piece.len() as u64;
        self.held += piece.len() as u64;
        self.kept.push_back(piece);
        while let Some(oldest) = self.kept.front().map(|oldest| oldest.len() as u64)
            && self.held - oldest >= KEPT
        {
            self.held -= oldest;
            self.kept.pop_front();
        }
    }

    fn copy(&self, range: Range<u64>, into: &mut Vec<u8>) -> Result<(), Why> {
        if range.start < self.read - self.held || range.end > self.read {
            return Err(Why::Io("the bytes of a stream are read once, and these are gone".to_owned()));
        }
        let mut offset = self.read - self.held;
        for piece in &self.kept {
            let end = offset + piece.len() as u64;
            if end > range.start && offset < range.end {
                let from = range.start.saturating_sub(offset) as usize;
                let to = (range.end.min(end) - offset) as usize;
                into.extend_from_slice(piece.get(from..to).unwrap_or_default());
            }
            offset = end;
        }
        Ok(())
    }
}

/// All frames of a zstd stream, one after the other.
struct Frames<R: BufRead> {
    /// `None` once everything was read.
    current: Option<Frame<R>>,
}

enum Frame<R: BufRead> {
    Before(R),
    Within(Box<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>),
}

impl<R: BufRead> Frames<R> {
    fn new(source: R) -> Self {
        Frames { current: Some(Frame::Before(source)) }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            self.current = match self.current.take() {
                None => return Ok(0),
                Some(Frame::Before(mut source)) => {
                    if source.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    Some(Frame::Within(Box::new(StreamingDecoder::new(source).map_err(damaged)?)))
                }
                Some(Frame::Within(mut decoder)) => match decoder.read(into).map_err(damaged)? {
                    0 if !into.is_empty() => Some(Frame::Before(decoder.into_inner())),
                    count => {
                        self.current = Some(Frame::Within(decoder));
                        return Ok(count);
                    }
                },
            };
        }
    }
}

fn damaged(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}
