//! A cursor over the values of a row.
//!
//! Decides nothing: it walks what a reader has found to be strict JSON. Asking for the wrong kind
//! or for something that is not there gives `None` or an empty iterator.

use super::{Node, Number, Row};

/// One value of a row.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    row: &'a Row,
    index: u32,
}

impl<'a> Value<'a> {
    pub(super) fn new(row: &'a Row, index: u32) -> Self {
        Value { row, index }
    }

    /// The row it belongs to.
    pub(crate) fn row(self) -> &'a Row {
        self.row
    }

    /// Its index on the tape; its members or items follow there.
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    fn node(self) -> Option<&'a Node> {
        self.row.nodes.get(self.index as usize)
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        matches!(self.node(), Some(Node::Object { .. }))
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        matches!(self.node(), Some(Node::Array { .. }))
    }

    /// Whether it is null (which is not the same as absent).
    pub fn is_null(self) -> bool {
        matches!(self.node(), Some(Node::Null))
    }

    /// The bytes of the string, unescaped, if it is one: UTF-8, in which a lone surrogate has the three bytes of
    /// its code point (WTF-8).
    pub fn as_bytes(self) -> Option<&'a [u8]> {
        match self.node() {
            Some(Node::String(_) | Node::Wide(_)) => Some(self.row.name(self.index)),
            _ => None,
        }
    }

    /// The string, unescaped, if it is one of characters: without a lone surrogate, which only
    /// [`Value::as_bytes`] gives.
    pub fn as_str(self) -> Option<&'a str> {
        match self.node() {
            Some(Node::String(span)) => Some(self.row.slice(*span)),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(self) -> Option<Number> {
        match self.node() {
            Some(Node::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// True or false, if it is one of them.
    pub fn as_bool(self) -> Option<bool> {
        match self.node() {
            Some(Node::Bool(bool)) => Some(*bool),
            _ => None,
        }
    }

    /// What kind of value it is, in the words of RFC 8259 §3.
    pub fn kind(self) -> &'static str {
        match self.node() {
            Some(Node::Object { .. }) => "object",
            Some(Node::Array { .. }) => "array",
            Some(Node::String(_) | Node::Wide(_)) => "string",
            Some(Node::Number(_)) => "number",
            Some(Node::Bool(true)) => "true",
            Some(Node::Bool(false)) => "false",
            Some(Node::Null) | None => "null",
        }
    }

    /// How many members or items it has; 0 for any other value.
    pub fn count(self) -> usize {
        match self.node() {
            Some(Node::Object { count, .. } | Node::Array { count, .. }) => *count as usize,
            _ => 0,
        }
    }

    /// The bytes of the value as they stand in the line, strings with their quotes and escapes;
    /// `None` unless the exact reader filled the row.
    pub fn written(self) -> Option<&'a str> {
        self.row.written(self.index)
    }

    /// The members of an object, in the order of the line. A name with a lone surrogate is U+FFFD here.
    pub fn members(self) -> Members<'a> {
        let left = if self.is_object() { self.count() } else { 0 };
        Members { row: self.row, index: self.index.saturating_add(1), left }
    }

    /// The items of an array.
    pub fn items(self) -> Items<'a> {
        let left = if self.is_array() { self.count() } else { 0 };
        Items { row: self.row, index: self.index.saturating_add(1), left }
    }

    /// The member of this name.
    #[inline]
    pub fn get(self, name: &str) -> Option<Value<'a>> {
        // By its bytes: a name with a lone surrogate is no text.
        let member = self.row.member(self.index, name.as_bytes())?;
        Some(Value::new(self.row, member.saturating_add(1)))
    }

    /// The value at the end of these pieces: a name for each object, a decimal index for each array.
    pub fn path<S: AsRef<str>>(self, pieces: &[S]) -> Option<Value<'a>> {
        if let [name] = pieces
            && let Node::Object { .. } = self.row.node(self.index)
        {
            return self.get(name.as_ref());
        }
        pieces.iter().try_fold(self, |value, piece| {
            let piece = piece.as_ref();
            if value.is_array() { value.items().nth(piece.parse().ok()?) } else { value.get(piece) }
        })
    }
}

/// The members of an object, in the order of the line.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    row: &'a Row,
    index: u32,
    left: usize,
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let name = self.row.string(self.index);
        let value = Value::new(self.row, self.index.saturating_add(1));
        self.index = self.row.after(value.index);
        Some((name, value))
    }
}

/// The items of an array.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    row: &'a Row,
    index: u32,
    left: usize,
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let value = Value::new(self.row, self.index);
        self.index = self.row.after(self.index);
        Some(value)
    }
}
