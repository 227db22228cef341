//! Earlier bytes, looked at again.
//!
//! Used only after a broken link, to say which fault it is: a copy of an earlier row, a fork, or
//! neither. What is found here is fetched from the file a second time and may differ from what
//! was checked if somebody writes to it meanwhile; so it may choose the name of a fault that
//! stands already, and must never excuse one.
//!
//! Each search reads back to the start of the export unless it is ended: its caller bounds how
//! many there are.

use std::ops::ControlFlow;

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use super::lines::divide;
use super::{Export, Limits, ReadError};
use crate::fact::Place;

/// The earlier lines of an export.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    export: &'a Export,
    /// Bytes fetched at a time.
    chunk: u64,
    max_row_bytes: usize,
}

/// A line found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierLine<'a> {
    /// Index of the part, from 0.
    pub part: u32,
    /// Byte offset of the line in the part.
    pub offset: u64,
    /// Bytes of the line without LF, as in [`Place`].
    pub length: u64,
    /// The line without BOM and line end, as in [`super::Line`].
    pub bytes: &'a [u8],
}

type Visit<'v> = dyn FnMut(EarlierLine<'_>) -> ControlFlow<()> + 'v;

impl<'a> Earlier<'a> {
    /// Over this export, fetching [`Limits::batch_bytes`] at a time.
    pub fn new(export: &'a Export, limits: Limits) -> Self {
        Earlier { export, chunk: limits.batch_bytes.max(1) as u64, max_row_bytes: limits.max_row_bytes }
    }

    /// Hands over each line before `before` (of its part and of the parts before) that contains
    /// `needle`, whole and once, the nearest first, until `visit` breaks.
    ///
    /// `before` must be the start of a line; only its part and offset are used. Lines longer than
    /// the limit are passed over. A needle that contains an LF is nowhere.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if the bytes can no longer be had.
    pub fn lines_containing(&self, needle: &[u8], before: Place, visit: &mut Visit<'_>) -> Result<(), ReadError> {
        let finder = Finder::new(needle);
        let mut part = before.part;
        let mut end = before.offset.min(self.export.length(part));
        let mut buffer = Vec::new();
        loop {
            while end > 0 {
                let (start, whole) = self.fetch_back(part, end, &mut buffer)?;
                if whole && visit_lines(&finder, part, start, &buffer, self.max_row_bytes, visit).is_break() {
                    return Ok(());
                }
                end = start;
            }
            let Some(previous) = part.checked_sub(1) else { return Ok(()) };
            part = previous;
            end = self.export.length(part);
        }
    }

    /// Fetches the last whole lines before `end`, about a chunk of them and at least one, and
    /// says where they start. False: it is one line too long to be held, and was not kept.
    fn fetch_back(&self, part: u32, end: u64, buffer: &mut Vec<u8>) -> Result<(u64, bool), ReadError> {
        // The line end, and one byte more to see whether the line before ends there.
        let most = (self.max_row_bytes as u64).saturating_add(3);
        let mut size = self.chunk;
        loop {
            let start = end.saturating_sub(size);
            buffer.clear();
            self.export.copy(part, start..end, buffer)?;
            // The last byte is the end of the last line, not of one before it.
            let earlier = &buffer[..buffer.len().saturating_sub(1)];
            match memchr(b'\n', earlier) {
                _ if start == 0 => return Ok((0, true)),
                Some(lf) => {
                    buffer.drain(..=lf);
                    return Ok((start + lf as u64 + 1, true));
                }
                None if size > most => return Ok((self.line_start(part, start, buffer)?, false)),
                None => size = size.saturating_mul(2).min(most.saturating_add(1)),
            }
        }
    }

    /// The start of the line that `at` stands in, found without holding it.
    fn line_start(&self, part: u32, mut at: u64, buffer: &mut Vec<u8>) -> Result<u64, ReadError> {
        while at > 0 {
            let start = at.saturating_sub(self.chunk);
            buffer.clear();
            self.export.copy(part, start..at, buffer)?;
            if let Some(lf) = memrchr(b'\n', buffer) {
                return Ok(start + lf as u64 + 1);
            }
            at = start;
        }
        Ok(0)
    }
}

/// Visits the lines in `bytes`, which are whole, the last one first.
fn visit_lines(
    finder: &Finder<'_>,
    part: u32,
    offset: u64,
    bytes: &[u8],
    max_row_bytes: usize,
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    // Found forwards and visited backwards: only the forward search is vectorised.
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let Some(hit) = finder.find(&bytes[at..]) else { break };
        let hit = at + hit;
        let start = memrchr(b'\n', &bytes[..hit]).map_or(0, |lf| lf + 1);
        let end = memchr(b'\n', &bytes[hit..]).map_or(bytes.len(), |lf| hit + lf);
        found.push((start, end));
        at = end + 1;
    }
    for (start, end) in found.into_iter().rev() {
        let at = offset + start as u64;
        let divided = divide(&bytes[start..end], end < bytes.len(), at == 0);
        // The hit may have lain in the line end or the BOM.
        if divided.counted <= max_row_bytes && finder.find(divided.bytes).is_some() {
            visit(EarlierLine { part, offset: at, length: (end - start) as u64, bytes: divided.bytes })?;
        }
    }
    ControlFlow::Continue(())
}
