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
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::Why;

/// Bytes that are kept after they were handed out: what is read ahead of a row, and what is near to it.
pub(super) const KEPT: u64 = 72 << 20;

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
    /// Bytes that are kept at most.
    most: u64,
    /// Why no more can be read.
    failed: Option<Why>,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("read", &self.length()).finish_non_exhaustive()
    }
}

/// Whether a file starts as a compressed one that is read decompressed.
pub fn is_compressed(start: &[u8]) -> bool {
    start.starts_with(GZIP) || is_zstd(start)
}

/// Whether these bytes start a zstd frame, one that holds no data among them (RFC 8878 §3.1.2).
fn is_zstd(start: &[u8]) -> bool {
    start.starts_with(ZSTD) || matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
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
        let (gzip, zstd) = (start.starts_with(GZIP), is_zstd(&start));
        let source = io::Cursor::new(start).chain(source);
        let reader: Box<dyn BufRead + Send> = match (gzip, zstd) {
            (true, _) => Box::new(BufReader::with_capacity(BUFFER, Members(MultiGzDecoder::new(source)))),
            (_, true) => Box::new(BufReader::with_capacity(BUFFER, Frames::new(source))),
            _ => Box::new(source),
        };
        let state = State { reader, kept: VecDeque::new(), held: 0, read: 0, ended: false, most: KEPT, failed: None };
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
        state.read_to(end);
        let end = end.min(state.read);
        // What came before the failure is handed out first: it may hold a fault.
        match &state.failed {
            Some(why) if end <= at => return Err(why.clone()),
            _ => state.copy(at..end, into)?,
        }
        Ok(state.ended && end == state.read)
    }

    /// Appends bytes that were read already, if they are still kept.
    pub(super) fn copy(&self, range: Range<u64>, into: &mut Vec<u8>) -> Result<(), Why> {
        self.state().copy(range, into)
    }

    /// From now on keeps so many bytes.
    pub(super) fn hold(&self, most: u64) {
        self.state().most = most.max(KEPT);
    }

    /// Forgets the oldest bytes until at most `most` are kept; gives how much of `most` is left.
    pub(super) fn keep_at_most(&self, most: u64) -> u64 {
        let mut state = self.state();
        while state.held > most
            && let Some(oldest) = state.kept.pop_front()
        {
            state.held -= oldest.len() as u64;
        }
        most.saturating_sub(state.held)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves the bytes as they are.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Read on until `end` bytes were read, or the end is known to be there.
    fn read_to(&mut self, end: u64) {
        while !self.ended && self.failed.is_none() && self.read <= end {
            // One look further than asked: the last byte must be known as the last.
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.failed = Some(Why::Io(error.to_string()));
                    break;
                }
            };
            if available.is_empty() {
                self.ended = true;
                // The file is closed: of many parts only one is read at a time.
                self.reader = Box::new(io::empty());
            } else if self.read == end {
                break;
            } else {
                let take = usize::try_from(end - self.read).unwrap_or(usize::MAX).min(available.len());
                let piece = available.get(..take).unwrap_or(available).to_vec();
                self.reader.consume(piece.len());
                self.keep(piece);
            }
        }
    }

    fn keep(&mut self, piece: Vec<u8>) {
        self.read += piece.len() as u64;
        self.held += piece.len() as u64;
        self.kept.push_back(piece);
        while let Some(oldest) = self.kept.front().map(|oldest| oldest.len() as u64)
            && self.held - oldest >= self.most
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

/// All members of a gzip stream, one after the other.
struct Members<R>(MultiGzDecoder<R>);

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => damaged("gzip", "member", error),
        })
    }
}

/// All frames of a zstd stream, one after the other.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    /// Whether a frame is under way.
    within: bool,
}

impl<R: BufRead> Frames<R> {
    fn new(source: R) -> Self {
        Frames { source, decoder: FrameDecoder::new(), within: false }
    }

    /// Begin the frame that starts here, or pass over one that holds no data (RFC 8878 §3.1.2).
    fn begin(&mut self) -> io::Result<()> {
        match self.decoder.init(&mut self.source) {
            Ok(()) => self.within = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let mut skipped = self.source.by_ref().take(u64::from(length));
                if io::copy(&mut skipped, &mut io::sink())? < u64::from(length) {
                    return Err(damaged("zstd", "frame", "it is cut"));
                }
            }
            Err(error) => return Err(damaged("zstd", "frame", error)),
        }
        Ok(())
    }

    /// Whether the frame under way was read to its end; its checksum must fit then, if it has one.
    fn ends(&mut self) -> io::Result<bool> {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            let blocks = BlockDecodingStrategy::UptoBlocks(1);
            self.decoder.decode_blocks(&mut self.source, blocks).map_err(|error| damaged("zstd", "frame", error))?;
        }
        if self.decoder.can_collect() > 0 {
            return Ok(false);
        }
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(stated), Some(found)) if stated != found => {
                Err(damaged("zstd", "frame", "its checksum does not fit"))
            }
            _ => Ok(true),
        }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.within {
                if !self.ends()? {
                    return self.decoder.read(into);
                }
                self.within = false;
            }
            if self.source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.begin()?;
        }
    }
}

fn damaged(form: &str, unit: &str, error: impl std::fmt::Display) -> io::Error {
    let text = format!("the {form} stream is damaged or cut, or other bytes stand behind its last {unit} ({error})");
    io::Error::new(io::ErrorKind::InvalidData, text)
}
