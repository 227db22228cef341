//! A batch becomes lines.
//!
//! Decided here: where a line starts and ends (only LF splits; CR, U+2028, U+2029, U+0085 and VT
//! do not), what belongs to its end and what to its content, and which lines are rows. All bytes
//! are distrusted: any sequence of bytes has exactly one division into lines, and it does not
//! depend on how the file was cut into batches.

use super::batch::{Batch, Content};
use crate::fact::Place;

/// The UTF-8 byte order mark.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// One line of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Where it stands. Its length is that of the line as it stands without LF: a BOM and the CR
    /// before the LF are counted.
    pub place: Place,
    /// The row: the line without BOM and line end. Empty unless `kind` is [`Kind::Row`].
    pub bytes: &'a [u8],
    /// Whether it ends in CR LF. A CR at the end of a file is not a line end.
    pub crlf: bool,
    /// Whether it ends in LF. Only the last line of a part may not.
    pub terminated: bool,
    /// Whether it is the first line of a part and starts with a UTF-8 BOM. A BOM anywhere else
    /// stays in `bytes`, where it is not JSON.
    pub bom: bool,
    /// What it is.
    pub kind: Kind,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing but spaces, tabs and CR, however long.
    Blank,
    /// Something else, to be read as a row.
    Row,
    /// Longer than [`super::Limits::max_row_bytes`]; its bytes are not kept.
    TooLong,
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
pub(super) fn divide(line: &[u8], terminated: bool, start: bool) -> Divided<'_> {
    let stripped = if terminated { line.strip_suffix(b"\r") } else { None };
    let counted = stripped.unwrap_or(line);
    let unmarked = if start { counted.strip_prefix(BOM) } else { None };
    Divided {
        bytes: unmarked.unwrap_or(counted),
        crlf: stripped.is_some(),
        bom: unmarked.is_some(),
        counted: counted.len(),
    }
}

/// Whether there is nothing but white space.
pub(super) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
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
}

impl<'a> Lines<'a> {
    /// The lines of this batch.
    pub fn new(batch: &'a Batch) -> Self {
        Lines { batch, at: 0, line: batch.first_line, long: true }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        match self.batch.content {
            Content::Lines => {}
            Content::Piece => return None,
            Content::LastPiece(long) => {
                let kind = if long.blank { Kind::Blank } else { Kind::TooLong };
                return std::mem::take(&mut self.long).then_some(Line {
                    place: long.place,
                    bytes: &[],
                    crlf: long.crlf,
                    terminated: long.terminated,
                    bom: long.bom,
                    kind,
                });
            }
        }
        let rest = self.batch.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest);
        let line = &rest[..end.unwrap_or(rest.len())];
        let offset = self.batch.offset + self.at as u64;
        let place = Place { part: self.batch.part, line: self.line, offset, length: line.len() as u64 };
        let divided = divide(line, end.is_some(), offset == 0);
        let kind = if is_blank(divided.bytes) {
            Kind::Blank
        } else if divided.counted > self.batch.max_row_bytes {
            Kind::TooLong
        } else {
            Kind::Row
        };
        self.at += line.len() + usize::from(end.is_some());
        self.line += 1;
        Some(Line {
            place,
            bytes: if kind == Kind::Row { divided.bytes } else { &[] },
            crlf: divided.crlf,
            terminated: end.is_some(),
            bom: divided.bom,
            kind,
        })
    }
}
