//! A slice of an export becomes a strict JSON row.
//!
//! Decides whether the bytes of one line are one JSON text as RFC 8259 and I-JSON (RFC 7493) allow
//! it, or as Python's json module does where a format is in that [`Dialect`], and gives its values.
//! Nothing here is trusted: every byte comes from the export. Three readers fill the same [`Row`]:
//! `shape` where a row is built like an earlier one, `simd` for speed, and `exact`, whose verdict and
//! diagnosis always win.
//!
//! A [`Row`] owns what it needs and is filled again and again, so that reading allocates nothing
//! once the buffers have grown to the size of the rows.

mod decimal;
mod duplicates;
mod exact;
mod last;
pub mod python;
mod reader;
mod scan;
mod shape;
mod simd;
mod unreadable;
mod value;
pub(crate) mod wtf8;

use std::sync::Arc;

use serde::Deserialize;

pub(crate) use decimal::Decimal;
use exact::Exact;
pub use reader::Reader;
use shape::Shape;
pub use unreadable::{Kind, Unreadable};
pub use value::{Items, Members, Value};

/// The deepest nesting that is read; the row's own braces are level 1.
pub const MAX_DEPTH: usize = 1_000;

/// The deepest nesting that is read in Python's dialect, which leaves it to the interpreter: each accepts
/// this, and what lies beyond some of them refuse.
pub const PYTHON_DEPTH: usize = 900;

/// Whose JSON a format's rows are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// Strict JSON: RFC 8259 and I-JSON.
    #[default]
    Json,
    /// What Python's json module reads: also `NaN`, `Infinity`, numbers of any size, lone surrogates.
    Python,
}

impl Dialect {
    /// The deepest nesting that is read.
    pub fn depth(self) -> usize {
        match self {
            Dialect::Json => MAX_DEPTH,
            Dialect::Python => PYTHON_DEPTH,
        }
    }
}

/// The longest text that is read: spans are 32 bits wide, and unescaped strings may stand beside
/// the text itself.
pub const MAX_LENGTH: usize = 1 << 30;

/// A shorter text has too few digits to make up for an exponent of 65,536 or more, where the
/// standard library stops counting.
const LONG: usize = 1 << 15;

/// From here on two integers share one double (RFC 7493 §2.2): 2^53.
const FIRST_SHARED: u64 = 1 << 53;

/// One JSON text.
#[derive(Debug, Default)]
pub struct Row {
    /// What the spans point into: the line itself, then strings that had to be unescaped; or such
    /// strings alone. A `String`, so that every slice of it is UTF-8 without looking again.
    text: String,
    /// The strings that hold a lone surrogate, in WTF-8.
    wide: Vec<u8>,
    /// The values in the order of the text; a member is its name and then its value.
    nodes: Vec<Node>,
    /// The bytes of each node as they stand in the line, beside `nodes`; empty after the fast reader.
    written: Vec<Span>,
    large_numbers: bool,
    doubles: bool,
    /// Whether a string was written with an escape.
    escapes: bool,
    /// Whether a value is none of strict JSON.
    beyond_json: bool,
    /// What it shares with other rows, where it is built like one of them.
    shape: Option<Arc<Shape>>,
}

/// A stretch of the text of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

/// One value, or the name of a member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Node {
    /// `count` members follow, and `end` is the index of the node after them.
    Object {
        count: u32,
        end: u32,
    },
    /// Likewise items.
    Array {
        count: u32,
        end: u32,
    },
    String(Span),
    /// A string with a lone surrogate, in a text of its own.
    Wide(Span),
    Number(Number),
    Bool(bool),
    Null,
}

/// A number as it was read: an integer text that fits 64 bits keeps them, everything else is the
/// nearest double (RFC 7493 §2.2, RFC 8785 §3.2.2.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer text without a minus sign.
    Unsigned(u64),
    /// An integer text with a minus sign; `-0` is 0.
    Signed(i64),
    /// Any other number; always finite in strict JSON.
    Double(f64),
}

impl Number {
    /// The double that RFC 8785 §3.2.2.3 prints.
    pub fn as_f64(self) -> f64 {
        match self {
            // Rounds to nearest, ties to even: the double that the decimal text denotes.
            Number::Unsigned(number) => number as f64,
            Number::Signed(number) => number as f64,
            Number::Double(number) => number,
        }
    }

    /// The number as an integer from 0, if it is one, however spelled (3.0 is 3), and if its double
    /// denotes no other: below 2^53.
    pub fn as_exact_u64(self) -> Option<u64> {
        let number = match self {
            Number::Unsigned(number) => number,
            Number::Signed(number) => u64::try_from(number).ok()?,
            Number::Double(number) if number >= 0.0 && number < FIRST_SHARED as f64 && number.fract() == 0.0 => {
                number as u64
            }
            Number::Double(_) => return None,
        };
        (number < FIRST_SHARED).then_some(number)
    }

    /// Whether its magnitude is 2^53 or more.
    fn is_large(self) -> bool {
        match self {
            Number::Unsigned(number) => number >= FIRST_SHARED,
            Number::Signed(number) => number.unsigned_abs() >= FIRST_SHARED,
            Number::Double(number) => number.abs() >= FIRST_SHARED as f64,
        }
    }
}

impl Row {
    /// The outermost value: an object, unless [`Reader::read_value_exact`] filled the row.
    pub fn root(&self) -> Value<'_> {
        Value::new(self, 0)
    }

    /// Whether a number of 2^53 or more is among the values: the digits of an integer text may say
    /// more than its double then, and only [`Reader::read_exact`] keeps them.
    pub fn large_numbers(&self) -> bool {
        self.large_numbers
    }

    /// Whether a number is among the values that is no integer text of up to 64 bits: only its text
    /// in the line says how it was spelled, and only [`Reader::read_exact`] keeps it.
    pub fn has_doubles(&self) -> bool {
        self.doubles
    }

    /// Whether the exact reader filled the row, so that the text of each value is there.
    pub fn is_exact(&self) -> bool {
        !self.written.is_empty()
    }

    /// Each number that has a magnitude of 2^53 or more, as it stands in the line; none unless the
    /// exact reader filled the row.
    pub fn large_number_texts(&self) -> impl Iterator<Item = &str> {
        let numbers = if self.large_numbers { self.nodes.as_slice() } else { &[] };
        numbers.iter().zip(&self.written).filter_map(|(node, span)| match node {
            Node::Number(number) if number.is_large() => Some(self.slice(*span)),
            _ => None,
        })
    }

    /// Whether a string was written with an escape. If not, none holds a character that RFC 8785
    /// §3.2.2.2 escapes: RFC 8259 §7 demands an escape for each of them.
    pub(crate) fn has_escapes(&self) -> bool {
        self.escapes
    }

    /// Whether a value is none that strict JSON can hold: a string with a lone surrogate, or a number that is
    /// not finite.
    pub(crate) fn is_beyond_json(&self) -> bool {
        self.beyond_json
    }

    /// Whether nothing is nested deeper than this.
    fn is_nested_at_most(&self, depth: usize) -> bool {
        // Most rows have fewer values than that.
        if self.nodes.len() <= depth {
            return true;
        }
        let mut open: Vec<u32> = Vec::new();
        (0u32..).zip(&self.nodes).all(|(index, node)| {
            while open.last().is_some_and(|end| *end <= index) {
                open.pop();
            }
            if let Node::Object { end, .. } | Node::Array { end, .. } = node {
                open.push(*end);
            }
            open.len() <= depth
        })
    }

    /// Takes a number's size and kind down.
    fn note(&mut self, number: Number) {
        self.beyond_json |= matches!(number, Number::Double(double) if !double.is_finite());
        self.large_numbers |= number.is_large();
        self.doubles |= matches!(number, Number::Double(_));
    }

    /// Bytes that the row holds on to for the next one.
    fn capacity(&self) -> usize {
        self.text.capacity()
            + self.wide.capacity()
            + self.nodes.capacity() * size_of::<Node>()
            + self.written.capacity() * size_of::<Span>()
    }

    fn clear(&mut self) {
        self.text.clear();
        self.wide.clear();
        self.nodes.clear();
        self.written.clear();
        self.large_numbers = false;
        self.doubles = false;
        self.escapes = false;
        self.beyond_json = false;
        self.shape = None;
    }

    fn slice(&self, span: Span) -> &str {
        // Spans are made by the readers only and always fit; an empty text beats a panic.
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The name or string at this index, U+FFFD for one with a lone surrogate, empty for any other node.
    fn string(&self, index: u32) -> &str {
        match self.nodes.get(index as usize) {
            Some(Node::String(span)) => self.slice(*span),
            Some(Node::Wide(_)) => "\u{FFFD}",
            _ => "",
        }
    }

    /// The bytes of a string, without asking whether the span keeps characters whole.
    #[inline]
    pub(crate) fn bytes(&self, span: Span) -> &[u8] {
        self.text.as_bytes().get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The bytes of a string with a lone surrogate, in WTF-8.
    pub(crate) fn wide(&self, span: Span) -> &[u8] {
        self.wide.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The bytes of the name or string at this index, in WTF-8, empty for any other node.
    #[inline]
    pub(crate) fn name(&self, index: u32) -> &[u8] {
        match self.nodes.get(index as usize) {
            Some(Node::String(span)) => self.bytes(*span),
            Some(Node::Wide(span)) => self.wide(*span),
            _ => &[],
        }
    }

    /// The value at this index of the tape.
    #[inline]
    pub(crate) fn node(&self, index: u32) -> Node {
        self.nodes.get(index as usize).copied().unwrap_or(Node::Null)
    }

    /// The bytes of this value as they stand in the line; `None` unless the exact reader filled the row.
    pub(crate) fn written(&self, index: u32) -> Option<&str> {
        self.written.get(index as usize).map(|span| self.slice(*span))
    }

    /// A number that this row shares with the rows that have the same names in the same order and nesting, and
    /// with no others; `None` where that was not looked at.
    pub(crate) fn shape(&self) -> Option<u64> {
        self.shape.as_deref().map(Shape::identity)
    }

    /// The member of this name of the object at this index, as the index of its name.
    #[inline]
    fn member(&self, object: u32, name: &[u8]) -> Option<u32> {
        if let Some(shape) = &self.shape {
            return shape.member(self, object, name);
        }
        let Node::Object { count, .. } = self.node(object) else { return None };
        let mut index = object.saturating_add(1);
        (0..count).find_map(|_| {
            let found = index;
            index = self.after(index.saturating_add(1));
            (self.name(found) == name).then_some(found)
        })
    }

    /// The nodes of names, and those of values that are neither object nor array, in the order of the line.
    fn leaves(&self) -> (Vec<u32>, Vec<u32>) {
        let (mut names, mut scalars) = (Vec::new(), Vec::new());
        let mut open: Vec<(u32, bool)> = Vec::new();
        let mut name_is_read = false;
        for (index, node) in (0u32..).zip(&self.nodes) {
            while open.last().is_some_and(|(end, _)| *end <= index) {
                open.pop();
            }
            let in_object = open.last().is_some_and(|(_, object)| *object);
            if in_object && !name_is_read {
                names.push(index);
                name_is_read = true;
                continue;
            }
            name_is_read = false;
            match node {
                Node::Object { end, .. } => open.push((*end, true)),
                Node::Array { end, .. } => open.push((*end, false)),
                _ => scalars.push(index),
            }
        }
        (names, scalars)
    }

    /// The bytes of this string in the line, with its quotes, if they are known and hold no escape.
    #[inline]
    pub(crate) fn unescaped(&self, index: u32, string: Span) -> Option<&[u8]> {
        let written = self.written.get(index as usize)?;
        // With an escape it stands behind the line.
        (string.start == written.start.wrapping_add(1)).then(|| self.bytes(*written))
    }

    /// The index of the node after this value.
    #[inline]
    pub(crate) fn after(&self, index: u32) -> u32 {
        match self.nodes.get(index as usize) {
            Some(Node::Object { end, .. } | Node::Array { end, .. }) => *end,
            _ => index.saturating_add(1),
        }
    }
}

impl Span {
    /// A span of a text no longer than twice [`MAX_LENGTH`], which fits 32 bits.
    fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }
}
