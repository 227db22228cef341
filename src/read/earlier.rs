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

use super::batch::{Batch, Content};
use super::lines::divide;
use super::{Export, Item, Layout, Limits, LineForm, ReadError, Why, document};
use crate::fact::Place;

/// The earlier lines of an export.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    export: &'a Export,
    /// Bytes fetched at a time.
    chunk: u64,
    max_row_bytes: usize,
    form: LineForm,
}

/// A line found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierLine<'a> {
    /// Index of the part, from 0.
    pub part: u32,
    /// Byte offset of the line in the part.
    pub offset: u64,
    /// Bytes of the line as in [`super::Line`].
    pub length: u64,
    /// The line without BOM and line end, as in [`super::Line`].
    pub bytes: &'a [u8],
}

type Visit<'v> = dyn FnMut(EarlierLine<'_>) -> ControlFlow<()> + 'v;

impl<'a> Earlier<'a> {
    /// Over this export, fetching [`Limits::batch_bytes`] at a time.
    pub fn new(export: &'a Export, limits: Limits) -> Self {
        let (chunk, form) = (limits.batch_bytes.max(1) as u64, export.shape().lines());
        Earlier { export, chunk, max_row_bytes: limits.max_row_bytes, form }
    }

    /// Hands over each line before `before` (of its part and of the parts before) that contains
    /// `needle`, whole and once, the nearest first, until `visit` breaks.
    ///
    /// `before` must be the start of a line; only its part and offset are used. Lines longer than
    /// the limit are passed over. A needle that contains a byte that ends lines is nowhere.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if the bytes can no longer be had.
    pub fn lines_containing(&self, needle: &[u8], before: Place, visit: &mut Visit<'_>) -> Result<(), ReadError> {
        let finder = Finder::new(needle);
        if let Layout::Document(path) = &self.export.shape().layout {
            return self.items_containing(&finder, path, before, visit);
        }
        let mut part = before.part;
        let mut end = before.offset.min(self.export.length(part));
        let mut buffer = Vec::new();
        loop {
            while end > 0 {
                let (start, whole) = self.fetch_back(part, end, &mut buffer)?;
                if whole && self.visit_lines(&finder, part, start, &buffer, visit).is_break() {
                    return Ok(());
                }
                end = start;
            }
            let Some(previous) = part.checked_sub(1) else { return Ok(()) };
            part = previous;
            end = self.export.length(part);
        }
    }

    /// The same as [`Earlier::lines_containing`] for the items of documents.
    fn items_containing(
        &self,
        finder: &Finder<'_>,
        path: &[String],
        before: Place,
        visit: &mut Visit<'_>,
    ) -> Result<(), ReadError> {
        for part in (0..=before.part).rev() {
            let document = self.export.document(part, path)?;
            let earlier = |item: &&Item| part < before.part || (item.start as u64) < before.offset;
            for item in document.items.iter().rev().skip_while(|item| !earlier(item)) {
                let bytes = document.text.get(item.start..item.end).unwrap_or_default();
                let found = bytes.len() <= self.max_row_bytes && finder.find(bytes).is_some();
                let (offset, length) = (item.start as u64, bytes.len() as u64);
                if found && visit(EarlierLine { part, offset, length, bytes }).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The lines or items from one place to another that this export's rows have, once more.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if the bytes can no longer be had.
    pub fn between(&self, from: Place, to: Place) -> Result<Batch, ReadError> {
        let mut bytes = Vec::new();
        let (part, end) = (from.part, to.offset.saturating_add(to.length));
        let no_rows = |why: &str| ReadError { part, at: from.offset, why: Why::Io(why.to_owned()) };
        if to.part != part {
            return Err(no_rows("a stretch of two parts was asked for"));
        }
        self.export.copy(part, from.offset..end, &mut bytes)?;
        let content = match self.export.shape().layout {
            Layout::Document(_) => {
                let items = document::list(&bytes, from.line).ok_or_else(|| no_rows("these are no items"))?;
                Content::Items(items)
            }
            Layout::Rows | Layout::Text { .. } => Content::Lines,
        };
        let (first_line, offset, max_row_bytes) = (from.line, from.offset, self.max_row_bytes);
        Ok(Batch { part, first_line, offset, bytes, content, max_row_bytes, form: self.form, beside: None })
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
            // The last bytes are the end of the last line, not of one before it.
            match self.form.first_end(self.form.without_end(buffer)) {
                _ if start == 0 => return Ok((0, true)),
                Some(end) => {
                    buffer.drain(..end.behind);
                    return Ok((start + end.behind as u64, true));
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
            if let Some(found) = self.form.line_start(buffer) {
                return Ok(start + found as u64);
            }
            at = start;
        }
        Ok(0)
    }

    /// Visits the lines in `bytes`, which are whole, the last one first.
    fn visit_lines(
        &self,
        finder: &Finder<'_>,
        part: u32,
        offset: u64,
        bytes: &[u8],
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        // Found forwards and visited backwards: only the forward search is vectorised.
        let mut found = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let Some(hit) = finder.find(&bytes[at..]) else { break };
            let hit = at + hit;
            let start = self.form.line_start(&bytes[..hit]).unwrap_or(0);
            let end = self.form.first_end(&bytes[hit..]);
            let (end, behind) = end.map_or((bytes.len(), bytes.len()), |end| (hit + end.start, hit + end.behind));
            found.push((start, end));
            at = behind;
        }
        for (start, end) in found.into_iter().rev() {
            let at = offset + start as u64;
            let divided = divide(&bytes[start..end], end < bytes.len(), at == 0, self.form);
            // The hit may have lain in the line end or the BOM.
            if divided.counted <= self.max_row_bytes && finder.find(divided.bytes).is_some() {
                visit(EarlierLine { part, offset: at, length: (end - start) as u64, bytes: divided.bytes })?;
            }
        }
        ControlFlow::Continue(())
    }
}
