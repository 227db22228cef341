//! The fast reader: simd-json fills the row.
//!
//! Decides only that a line is certainly strict JSON. Whatever simd-json refuses, or gives in a
//! form that is not expected, is "no": the caller asks the exact reader then. Not found here are
//! duplicate names. The line is copied first, because simd-json unescapes strings in place and the
//! batch must stay as it was read.

use std::fmt;

use simd_json::{Buffers, StaticNode, Tape};

use super::{LONG, MAX_DEPTH, Node, Number, Row, Span};

/// simd-json and the buffers it works in.
pub(super) struct Simd {
    buffers: Buffers,
    /// Empty between rows, so its lifetime says nothing.
    tape: Tape<'static>,
    /// The copy of a line whose strings have to be unescaped.
    scratch: Vec<u8>,
}

impl Default for Simd {
    fn default() -> Self {
        Simd { buffers: Buffers::with_max_depth(1024, MAX_DEPTH), tape: Tape(Vec::new()), scratch: Vec::new() }
    }
}

impl fmt::Debug for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simd").finish_non_exhaustive()
    }
}

impl Simd {
    /// Fills the row and reports whether that went well; if not, the row holds nothing of use.
    pub(super) fn fill(&mut self, row: &mut Row, line: &[u8]) -> bool {
        // Without a backslash strings stand in the line as they are, and the copy of the line is
        // the text of the row. With one, simd-json leaves debris between the strings that need not
        // be UTF-8, so they are collected in a text of their own.
        let escapes = memchr::memchr(b'\\', line).is_some();
        let text = std::mem::take(&mut row.text);
        row.clear();
        row.escapes = escapes;
        let (mut bytes, mut strings) = match escapes {
            true => (std::mem::take(&mut self.scratch), Some(text)),
            false => (text.into_bytes(), None),
        };
        if let Some(strings) = &mut strings {
            strings.clear();
        }
        bytes.clear();
        bytes.extend_from_slice(line);

        let start = bytes.as_ptr().addr();
        let mut tape = std::mem::replace(&mut self.tape, Tape(Vec::new())).reset();
        let read = simd_json::fill_tape(&mut bytes, &mut self.buffers, &mut tape).is_ok()
            && copy(&tape, row, start, strings.as_mut())
            // simd-json asks the standard library for some doubles, and that is not exact there.
            && (line.len() < LONG || !row.nodes.iter().any(|node| matches!(node, Node::Number(Number::Double(_)))));
        self.tape = tape.reset();

        match strings {
            Some(strings) => {
                self.scratch = bytes;
                row.text = strings;
                read
            }
            None => match String::from_utf8(bytes) {
                Ok(text) => {
                    row.text = text;
                    read
                }
                Err(_) => false,
            },
        }
    }
}

/// Copies the tape into the row. Strings are spans of the line, which stands at `start`, or are
/// appended to `strings`.
fn copy(tape: &Tape<'_>, row: &mut Row, start: usize, mut strings: Option<&mut String>) -> bool {
    for node in &tape.0 {
        let end = |count: usize| (row.nodes.len() + 1 + count) as u32;
        let node = match *node {
            simd_json::Node::Object { len, count } => Node::Object { count: len as u32, end: end(count) },
            simd_json::Node::Array { len, count } => Node::Array { count: len as u32, end: end(count) },
            simd_json::Node::String(string) => {
                let at = match &mut strings {
                    Some(strings) => {
                        strings.push_str(string);
                        strings.len() - string.len()
                    }
                    // simd-json hands out slices of the line; were it ever to hand out another
                    // address, the span would not fit and the row be doubtful.
                    None => string.as_ptr().addr().wrapping_sub(start),
                };
                match at.checked_add(string.len()) {
                    Some(end) if end <= u32::MAX as usize => Node::String(Span::new(at, end)),
                    _ => return false,
                }
            }
            simd_json::Node::Static(StaticNode::Null) => Node::Null,
            simd_json::Node::Static(StaticNode::Bool(bool)) => Node::Bool(bool),
            simd_json::Node::Static(number) => {
                let number = match number {
                    StaticNode::U64(number) => Number::Unsigned(number),
                    StaticNode::I64(number) => Number::Signed(number),
                    StaticNode::F64(number) if number.is_finite() => Number::Double(number),
                    _ => return false,
                };
                row.note(number);
                Node::Number(number)
            }
        };
        row.nodes.push(node);
    }
    true
}
