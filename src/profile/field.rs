//! Members of a row, as a profile names them: a dotted path, perhaps into JSON text that a member holds,
//! perhaps with a regular expression that takes the member's text apart.

use regex::Regex;

use super::view::View;
use crate::row::Value;

/// A dotted path to a member of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    pieces: Vec<String>,
}

impl Path {
    /// Of a text such as `result.items.0`; an empty text is the row itself.
    pub fn new(text: &str) -> Self {
        let pieces = text.split('.').filter(|_| !text.is_empty());
        Path { pieces: pieces.map(str::to_owned).collect() }
    }

    /// The member of this row.
    pub fn find<'r>(&self, row: Value<'r>) -> Option<Value<'r>> {
        row.path(&self.pieces)
    }

    /// Whether it is the row itself.
    pub fn is_whole(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The names and indices on the way.
    pub(super) fn pieces(&self) -> &[String] {
        &self.pieces
    }

    /// As it stands in the profile.
    pub fn text(&self) -> String {
        self.pieces.join(".")
    }
}

/// A member as a profile names it.
#[derive(Clone, Debug)]
pub struct Field {
    /// The place in the profile's list of members with JSON text, where it is inside one of these.
    pub(super) opened: Option<usize>,
    pub(super) path: Path,
    /// As findings name it.
    pub(super) name: String,
    pub(super) regex: Option<Regex>,
    pub(super) strip_prefix: String,
    pub(super) strip_suffix: String,
    /// Whether it is taken out of text, so that digits stand for a number.
    pub(super) textual: bool,
}

/// What was found of a member.
#[derive(Clone, Copy, Debug)]
pub enum Found<'r> {
    /// A value as it stands.
    Value(Value<'r>),
    /// A part of a text.
    Text(&'r str),
}

impl Field {
    /// The member at this path of the row, with all its text.
    pub(super) fn plain(path: &str) -> Self {
        Field {
            opened: None,
            path: Path::new(path),
            name: path.to_owned(),
            regex: None,
            strip_prefix: String::new(),
            strip_suffix: String::new(),
            textual: false,
        }
    }

    /// The member in this row; `None` where it is absent, or its text does not fit the expression.
    pub fn find<'r>(&self, view: &View<'r>) -> Option<Found<'r>> {
        let root = match self.opened {
            Some(index) => view.opened(index)?,
            None => view.root,
        };
        let value = self.path.find(root)?;
        match value.as_str() {
            Some(text) if self.regex.is_some() || !self.strip_prefix.is_empty() || !self.strip_suffix.is_empty() => {
                self.taken(text).map(Found::Text)
            }
            _ => Some(Found::Value(value)),
        }
    }

    /// Whether it is a member of the row with all its text.
    pub fn is_whole(&self) -> bool {
        self.opened.is_none() && self.regex.is_none()
    }

    /// As findings name it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is taken out of text, so that digits stand for a number.
    pub fn is_textual(&self) -> bool {
        self.textual
    }

    fn taken<'r>(&self, text: &'r str) -> Option<&'r str> {
        let text = match &self.regex {
            // The first group is the value; an expression without one is its own.
            Some(regex) => {
                let captures = regex.captures(text)?;
                captures.get(1).or_else(|| captures.get(0))?.as_str()
            }
            None => text,
        };
        let text = text.strip_prefix(&self.strip_prefix).unwrap_or(text);
        Some(text.strip_suffix(&self.strip_suffix).unwrap_or(text))
    }
}

impl<'r> Found<'r> {
    /// The value, if it was not taken out of a text.
    pub fn value(self) -> Option<Value<'r>> {
        match self {
            Found::Value(value) => Some(value),
            Found::Text(_) => None,
        }
    }

    /// Its text, if it is one.
    pub fn as_str(self) -> Option<&'r str> {
        match self {
            Found::Value(value) => value.as_str(),
            Found::Text(text) => Some(text),
        }
    }

    /// The bytes of its text, if it is one: UTF-8, or halves of surrogate pairs among it (WTF-8).
    pub fn as_bytes(self) -> Option<&'r [u8]> {
        match self {
            Found::Value(value) => value.as_bytes(),
            Found::Text(text) => Some(text.as_bytes()),
        }
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.value().is_some_and(Value::is_null)
    }
}
