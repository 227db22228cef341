//! A batch becomes lines.
//!
//! Decided here: where a line starts and ends (LF splits, and CR where the shape says so; U+2028, U+2029,
//! U+0085 and VT never do), what belongs to its end and what to its content, and which lines are rows. All
//! bytes are distrusted: any sequence of bytes has exactly one division into lines, and it does not
//! depend on how the file was cut into batches.

use super::batch::{Batch, Content};
use super::document::Item;
use super::shape::LineForm;
use crate::fact::Place;

/// The UTF-8 byte order mark.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// One line of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Where it stands. Its length is that of the line as it stands without LF: a BOM is counted, and so is
    /// the CR before the LF unless CR alone would have ended the line.
    pub place: Place,
    /// The row: the line without BOM and line end. Empty unless `kind` is [`Kind::Row`].
    pub bytes: &'a [u8],
    /// Whether it ends in CR LF. A CR at the end of a file is not a line end.
    pub crlf: bool,
    /// Whether its end is there, an LF for the most part. Only the last line of a part may have none.
    pub terminated: bool,
    /// Whether it is the first line of a part and starts with a UTF-8 BOM. A BOM anywhere else
    /// stays in `bytes`, where it is not JSON.
    pub bom: bool,
    /// What it is.
    pub kind: Kind,
    /// The line of the sidecar that stands beside it.
    pub partner: Partner<'a>,
}

impl<'a> Line<'a> {
    /// A row alone, as a whole line that ends in LF.
    pub fn row(place: Place, bytes: &'a [u8]) -> Self {
        Line { place, bytes, crlf: false, terminated: true, bom: false, kind: Kind::Row, partner: Partner::None }
    }
}

/// What stands beside a line in the sidecar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner<'a> {
    /// There is no sidecar.
    None,
    /// This line, without its end.
    Line(&'a [u8]),
    /// Nothing: the sidecar is shorter.
    Missing,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing but white space, however long, where rows are JSON: spaces, tabs and CR, or more where the shape
    /// says so.
    Blank,
    /// Something else, to be read as a row.
    Row,
    /// Longer than [`super::Limits::max_row_bytes`]; its bytes are not kept.
    TooLong,
    /// No line at all: the sidecar has one more than the export. It stands at the export's end.
    Absent,
}

/// A line without its LF, divided.
pub(super) struct Divided<'a> {
    /// Without BOM and line end.
    pub(super) bytes: &'a [u8],
    /// Whether the line ended in CR LF.
    pub(super) crlf: bool,
    /// Whether it started with a BOM that counts as one.
    pub(super) bom: bool,
    /// Bytes that count against the limit: all but the line end.
    pub(super) counted: usize,
}

/// Divides a line given without its LF. `start`: it is the first line of its part.
pub(super) fn divide(line: &[u8], terminated: bool, start: bool, form: LineForm) -> Divided<'_> {
    let stripped = if terminated && form.strips_cr() { line.strip_suffix(b"\r") } else { None };
    let counted = stripped.unwrap_or(line);
    let unmarked = if start && form.strips_bom() { counted.strip_prefix(BOM) } else { None };
    Divided {
        bytes: unmarked.unwrap_or(counted),
        crlf: stripped.is_some() && form.tells_cr(),
        bom: unmarked.is_some(),
        counted: counted.len(),
    }
}

/// The lines of a batch, in order.
///
/// Of a line that comes in pieces there is one [`Line`], with the last piece.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    batch: &'a Batch,
    /// Index in the batch's bytes of what is still to come.
    at: usize,
    /// Physical line of the next one.
    line: u64,
    /// Whether the one line of a last piece is still to come.
    long: bool,
    /// The item that is next, where rows are items of a document.
    item: usize,
    /// Index in the sidecar's bytes of what is still to come.
    beside: usize,
}

/// How far the lines of a batch were handed out: for a caller who owns the batch and comes back to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineMark {
    at: usize,
    line: u64,
    long: bool,
    item: usize,
    beside: usize,
}

impl<'a> Lines<'a> {
    /// The lines of this batch.
    pub fn new(batch: &'a Batch) -> Self {
        Lines { batch, at: 0, line: batch.first_line, long: true, item: 0, beside: 0 }
    }

    /// How far they were handed out.
    pub fn mark(&self) -> LineMark {
        let Lines { at, line, long, item, beside, .. } = *self;
        LineMark { at, line, long, item, beside }
    }

    /// The lines of this batch from a mark on that was set in it.
    pub fn from_mark(batch: &'a Batch, mark: LineMark) -> Self {
        let LineMark { at, line, long, item, beside } = mark;
        Lines { batch, at, line, long, item, beside }
    }

    /// The sidecar's next line.
    fn partner(&mut self) -> Partner<'a> {
        let Some(beside) = &self.batch.beside else { return Partner::None };
        let rest = beside.bytes.get(self.beside..).unwrap_or_default();
        if rest.is_empty() {
            return Partner::Missing;
        }
        let end = memchr::memchr(b'\n', rest);
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let start = beside.offset == 0 && self.beside == 0;
        self.beside += line.len() + usize::from(end.is_some());
        Partner::Line(divide(line, end.is_some(), start, self.batch.form).bytes)
    }

    /// The next item of a document.
    fn of_items(&mut self, items: &[Item]) -> Option<Line<'a>> {
        let item = items.get(self.item)?;
        let bytes = self.batch.bytes.get(item.start..item.end)?;
        let offset = self.batch.offset + item.start as u64;
        let place = Place { part: self.batch.part, line: item.line, offset, length: bytes.len() as u64 };
        let bom = self.item == 0 && self.batch.offset == 0 && self.batch.bytes.starts_with(BOM);
        self.item += 1;
        let kind = if bytes.len() > self.batch.max_row_bytes { Kind::TooLong } else { Kind::Row };
        let bytes = if kind == Kind::Row { bytes } else { &[] };
        Some(Line { bom, kind, ..Line::row(place, bytes) })
    }

    /// A line that the sidecar has beyond the export's last one.
    fn absent(&mut self) -> Option<Line<'a>> {
        let Partner::Line(partner) = self.partner() else { return None };
        let offset = self.batch.offset + self.batch.bytes.len() as u64;
        let place = Place { part: self.batch.part, line: self.line, offset, length: 0 };
        self.line += 1;
        Some(Line { kind: Kind::Absent, partner: Partner::Line(partner), ..Line::row(place, &[]) })
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        match &self.batch.content {
            Content::Lines => {}
            Content::Items(items) => return self.of_items(items),
            Content::Piece => return None,
            Content::LastPiece(long) => {
                let kind = if long.blank { Kind::Blank } else { Kind::TooLong };
                return std::mem::take(&mut self.long).then(|| Line {
                    crlf: long.crlf,
                    terminated: long.terminated,
                    bom: long.bom,
                    kind,
                    partner: self.partner(),
                    ..Line::row(long.place, &[])
                });
            }
        }
        let Some(rest) = self.batch.bytes.get(self.at..).filter(|rest| !rest.is_empty()) else { return self.absent() };
        let form = self.batch.form;
        let end = form.first_end(rest);
        let line = rest.get(..end.map_or(rest.len(), |end| end.start)).unwrap_or_default();
        let offset = self.batch.offset + self.at as u64;
        let place = Place { part: self.batch.part, line: self.line, offset, length: line.len() as u64 };
        let divided = divide(line, end.is_some(), offset == 0, form);
        let kind = if form.is_blank(divided.bytes) {
            Kind::Blank
        } else if divided.counted > self.batch.max_row_bytes {
            Kind::TooLong
        } else {
            Kind::Row
        };
        self.at += end.map_or(line.len(), |end| end.behind);
        self.line += 1;
        Some(Line {
            place,
            bytes: if kind == Kind::Row { divided.bytes } else { &[] },
            crlf: divided.crlf,
            terminated: end.is_some(),
            bom: divided.bom,
            kind,
            partner: self.partner(),
        })
    }
}
