//! The export becomes batches of whole lines.
//!
//! Decided here: where the export is cut, which is always behind the end of a line, and which line is too
//! long to be held. Every byte of every part stands in exactly one batch, in order, and was
//! fetched from the file once: who hashes the `bytes` of the batches of a part one after the
//! other has hashed the file, and has hashed what the rows were read from.
//!
//! A line longer than the limit is handed out in pieces of a batch each ([`Content::Piece`]), so
//! that the hash sees its bytes and memory does not; the last piece says how long it was. The
//! memory of a reader is one batch and the start of the next; a batch holds at most the batch
//! size plus the longest line allowed.

use std::sync::Arc;

use memchr::memchr_iter;

use super::document::{Document, Item};
use super::lines::{BOM, Lines};
use super::shape::{Blank, Layout, LineForm};
use super::sidecar::{Beside, SidecarLines};
use super::{Export, ReadError, Why};
use crate::fact::Place;

/// How much is held at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a batch, about; at least 1.
    pub batch_bytes: usize,
    /// Bytes of the longest row, without the line end (a BOM before it counts).
    pub max_row_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { batch_bytes: 512 * 1024, max_row_bytes: 64 * 1024 * 1024 }
    }
}

/// A run of bytes of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Index of the part, from 0.
    pub part: u32,
    /// Physical line, from 1, in which the first byte stands.
    pub first_line: u64,
    /// Byte offset of the first byte in the part.
    pub offset: u64,
    /// The bytes as they stand in the file, line ends included.
    pub bytes: Vec<u8>,
    /// What the bytes are.
    pub content: Content,
    /// The limit that its lines are measured by, in bytes.
    pub max_row_bytes: usize,
    /// How its lines are divided.
    pub form: LineForm,
    /// The lines of the sidecar that stand beside them, where there is one.
    pub beside: Option<Beside>,
}

/// What the bytes of a [`Batch`] are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Whole lines; the last one of a part perhaps without an end.
    Lines,
    /// A stretch of a document, with the items that end in it.
    Items(Vec<Item>),
    /// A piece of a line that is too long; the next batch goes on with it.
    Piece,
    /// The last piece of such a line.
    LastPiece(LongLine),
}

/// A line that was handed out in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongLine {
    /// Where it stands, with its true length as in [`super::Line`].
    pub place: Place,
    /// Whether it ends in CR LF.
    pub crlf: bool,
    /// Whether its end is there.
    pub terminated: bool,
    /// Whether it starts the part with a UTF-8 BOM.
    pub bom: bool,
    /// Whether it is nothing but white space, and so no row at all.
    pub blank: bool,
}

impl Batch {
    /// Its lines.
    pub fn lines(&self) -> Lines<'_> {
        Lines::new(self)
    }

    /// The number of the physical line in which its last byte stands.
    pub fn last_line(&self) -> u64 {
        self.first_line + self.form.count_ends(self.form.without_end(&self.bytes))
    }
}

/// A line in pieces that is not at its end.
#[derive(Debug)]
struct UnderWay {
    line: LongLine,
    /// Its last byte so far.
    last: u8,
    blank: Blank,
}

/// The batches of an export, in order. Ends after the first error.
#[derive(Debug)]
pub struct Batches<'a> {
    export: &'a Export,
    limits: Limits,
    part: u32,
    /// Offset in the part of the next byte to fetch.
    at: u64,
    /// Whether that is the end of the part.
    at_end: bool,
    /// Physical line in which the next batch starts.
    line: u64,
    /// Bytes before `at` that were fetched and not handed out: less than a batch.
    carry: Vec<u8>,
    /// The line in pieces that is under way.
    long: Option<UnderWay>,
    /// That line was given up.
    endless: bool,
    /// The lines of the sidecars.
    sidecar: Option<SidecarLines<'a>>,
    /// The document of this part, how many of its items were handed out, and how many bytes.
    document: Option<(Arc<Document>, usize, usize)>,
}

impl<'a> Batches<'a> {
    /// From the first byte of the export.
    pub fn new(export: &'a Export, limits: Limits) -> Self {
        let limits = Limits { batch_bytes: limits.batch_bytes.max(1), ..limits };
        Batches {
            export,
            limits,
            part: 0,
            at: 0,
            at_end: false,
            line: 1,
            carry: Vec::new(),
            long: None,
            endless: false,
            sidecar: export.sidecars().map(|sidecars| SidecarLines::new(sidecars, limits)),
            document: None,
        }
    }

    /// The next batch, in `buffer`'s memory (its content is dropped); `None` at the end.
    pub fn next_into(&mut self, mut buffer: Vec<u8>) -> Option<Result<Batch, ReadError>> {
        // One long row must not leave every buffer in circulation as large as itself.
        if buffer.capacity() / 8 > self.limits.batch_bytes {
            buffer = Vec::new();
        }
        buffer.clear();
        if self.endless {
            let error = ReadError { part: self.part, at: self.at, why: Why::Endless };
            (self.part, self.endless) = (u32::MAX, false);
            return Some(Err(error));
        }
        while self.part < self.export.parts() {
            if !self.at_end || !self.carry.is_empty() {
                let batch = match &self.export.shape().layout {
                    Layout::Document(path) => self.stretch(path, buffer),
                    _ if self.long.is_some() => self.piece(buffer),
                    _ => self.whole(buffer),
                };
                match batch.and_then(|batch| self.paired(batch)) {
                    // Only the look for more bytes showed that there are none.
                    Ok(batch) if batch.bytes.is_empty() && batch.content == Content::Lines => {
                        buffer = batch.bytes;
                        continue;
                    }
                    Err(error) => return self.fail(error),
                    Ok(batch) => return Some(Ok(batch)),
                }
            }
            match self.surplus(std::mem::take(&mut buffer)) {
                Err(error) => return self.fail(error),
                Ok(Some(batch)) => return Some(Ok(batch)),
                Ok(None) => {}
            }
            self.part += 1;
            self.export.forget_before(self.part);
            (self.at, self.at_end, self.line) = (0, false, 1);
        }
        None
    }

    fn fail(&mut self, error: ReadError) -> Option<Result<Batch, ReadError>> {
        self.part = u32::MAX;
        Some(Err(error))
    }

    /// The next stretch of a document: about a batch, up to the end of an item, the last one up to the end of
    /// the document.
    fn stretch(&mut self, path: &[String], mut buffer: Vec<u8>) -> Result<Batch, ReadError> {
        let (document, first, start) = match self.document.take() {
            Some(under_way) => under_way,
            None => (self.export.document(self.part, path)?, 0, 0),
        };
        let most = start.saturating_add(self.limits.batch_bytes);
        let left = document.items.get(first..).unwrap_or_default();
        // One item at least, however long it is.
        let count = left.iter().take_while(|item| item.end <= most).count().max(1).min(left.len());
        let end = match left.get(..count).and_then(<[Item]>::last) {
            Some(last) if count < left.len() => last.end,
            _ => document.text.len(),
        };
        let of_batch = |item: &Item| Item { start: item.start - start, end: item.end - start, line: item.line };
        let items: Vec<Item> = left.iter().take(count).map(of_batch).collect();
        buffer.extend_from_slice(document.text.get(start..end).unwrap_or_default());
        let first_line = items.first().map_or(1, |item| item.line);
        self.at = end as u64;
        self.at_end = end == document.text.len();
        if !self.at_end {
            self.document = Some((document, first + count, end));
        }
        Ok(self.batch(first_line, start as u64, buffer, Content::Items(items)))
    }

    /// The batch with its lines of the sidecar. Where these are more bytes than a batch has, it is cut short.
    fn paired(&mut self, mut batch: Batch) -> Result<Batch, ReadError> {
        let Some(sidecar) = &mut self.sidecar else { return Ok(batch) };
        let lines = match batch.content {
            Content::Lines => {
                let unterminated = batch.bytes.last().is_some_and(|last| *last != b'\n');
                memchr_iter(b'\n', &batch.bytes).count() as u64 + u64::from(unterminated)
            }
            Content::LastPiece(_) => 1,
            Content::Piece | Content::Items(_) => 0,
        };
        let (beside, taken) = sidecar.take(lines)?;
        if taken < lines && !sidecar.ended() {
            let nth = usize::try_from(taken.saturating_sub(1)).unwrap_or(usize::MAX);
            let cut = memchr_iter(b'\n', &batch.bytes).nth(nth).map_or(0, |lf| lf + 1);
            let mut rest = batch.bytes.split_off(cut);
            rest.append(&mut self.carry);
            self.carry = rest;
            self.line = batch.first_line + taken;
        }
        batch.beside = Some(beside);
        Ok(batch)
    }

    /// Lines that the sidecar has beyond the last one of this part.
    fn surplus(&mut self, buffer: Vec<u8>) -> Result<Option<Batch>, ReadError> {
        let Some(sidecar) = &mut self.sidecar else { return Ok(None) };
        let line = sidecar.line();
        let (beside, taken) = sidecar.take(u64::MAX)?;
        if taken == 0 {
            sidecar.next_part();
            return Ok(None);
        }
        let batch = self.batch(line, self.at, buffer, Content::Lines);
        Ok(Some(Batch { beside: Some(beside), ..batch }))
    }

    /// Fetches up to `count` bytes more.
    fn fetch(&mut self, count: usize, buffer: &mut Vec<u8>) -> Result<(), ReadError> {
        let before = buffer.len();
        self.at_end = self.export.fetch(self.part, self.at, count as u64, buffer)?;
        self.at += (buffer.len() - before) as u64;
        Ok(())
    }

    /// Whole lines, or the first piece of one that is too long.
    fn whole(&mut self, mut buffer: Vec<u8>) -> Result<Batch, ReadError> {
        let offset = self.at - self.carry.len() as u64;
        buffer.append(&mut self.carry);
        let mut searched = 0;
        let content = loop {
            let short = self.limits.batch_bytes.saturating_sub(buffer.len());
            self.fetch(if short > 0 { short } else { self.limits.batch_bytes }, &mut buffer)?;
            if self.at_end {
                break Content::Lines;
            }
            if let Some(cut) = self.form().last_end(&buffer, searched) {
                self.carry.extend_from_slice(&buffer[cut..]);
                buffer.truncate(cut);
                break Content::Lines;
            }
            // Without an end so far. One more byte than the limit may still be the CR of CR LF; and
            // the first piece must be long enough to show a BOM, and not end in half a line end.
            let long = buffer.len() > self.limits.max_row_bytes.saturating_add(1).max(BOM.len());
            if long && !self.form().is_open(&buffer) {
                break Content::Piece;
            }
            // The last byte may turn out to be an end.
            searched = buffer.len().saturating_sub(1);
        };
        let first_line = self.line;
        if content == Content::Lines {
            self.line += self.form().count_ends(&buffer);
        } else {
            self.long = Some(self.long_line(offset, &buffer));
        }
        Ok(self.batch(first_line, offset, buffer, content))
    }

    /// A line that has begun with `bytes` and will be handed out in pieces.
    fn long_line(&self, offset: u64, bytes: &[u8]) -> UnderWay {
        let marked = offset == 0 && self.form().strips_bom();
        let unmarked = if marked { bytes.strip_prefix(BOM) } else { None };
        let mut blank = self.form().blank();
        blank.push(unmarked.unwrap_or(bytes));
        let line = LongLine {
            place: Place { part: self.part, line: self.line, offset, length: bytes.len() as u64 },
            crlf: false,
            terminated: false,
            bom: unmarked.is_some(),
            blank: false,
        };
        UnderWay { line, last: bytes.last().copied().unwrap_or(0), blank }
    }

    /// The next piece of the line under way.
    fn piece(&mut self, mut buffer: Vec<u8>) -> Result<Batch, ReadError> {
        let (first_line, offset) = (self.line, self.at);
        let form = self.form();
        let end = loop {
            self.fetch(self.limits.batch_bytes, &mut buffer)?;
            let end = form.first_end(&buffer);
            // Half a line end is not one yet.
            let is_last = end.is_some_and(|end| end.behind == buffer.len());
            if self.at_end || !is_last || !form.is_open(&buffer) {
                break end;
            }
        };
        let Some(UnderWay { line: mut long, last, mut blank }) = self.long.take() else {
            return Ok(self.batch(first_line, offset, buffer, Content::Lines));
        };
        let piece = &buffer[..end.map_or(buffer.len(), |end| end.start)];
        long.place.length += piece.len() as u64;
        blank.push(piece);
        long.blank = blank.is_blank();
        let last = piece.last().copied().unwrap_or(last);
        let content = match end {
            Some(end) => {
                long.terminated = true;
                long.crlf = last == b'\r' && form.tells_cr();
                self.carry.extend_from_slice(&buffer[end.behind..]);
                buffer.truncate(end.behind);
                self.line += 1;
                Content::LastPiece(long)
            }
            None if self.at_end => Content::LastPiece(long),
            // An endless line is told as what it is before reading is given up.
            None if long.place.length >= self.export.longest_line(self.part) => {
                self.endless = true;
                Content::LastPiece(long)
            }
            None => {
                self.long = Some(UnderWay { line: long, last, blank });
                Content::Piece
            }
        };
        Ok(self.batch(first_line, offset, buffer, content))
    }

    fn form(&self) -> LineForm {
        self.export.shape().lines()
    }

    fn batch(&self, first_line: u64, offset: u64, bytes: Vec<u8>, content: Content) -> Batch {
        let (part, max_row_bytes) = (self.part, self.limits.max_row_bytes);
        Batch { part, first_line, offset, bytes, content, max_row_bytes, form: self.form(), beside: None }
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_into(Vec::new())
    }
}
