//! A row as a plan looks at it: its values, its bytes, and the JSON texts that its members hold.

use super::field::Path;
use crate::row::{Reader, Value};

/// A row, and what was opened of it.
#[derive(Clone, Copy, Debug)]
pub struct View<'r> {
    /// The row.
    pub root: Value<'r>,
    /// Its exact bytes, without the line end.
    pub line: &'r [u8],
    opened: Option<&'r Opened>,
}

impl<'r> View<'r> {
    /// Of a value alone, a manifest's entry for example.
    pub fn of(root: Value<'r>) -> Self {
        View { root, line: &[], opened: None }
    }

    /// Of a row in a line, with what was opened of it.
    pub fn new(root: Value<'r>, line: &'r [u8], opened: &'r Opened) -> Self {
        View { root, line, opened: Some(opened) }
    }

    /// The value in the JSON text of this member, by its place in the profile's list.
    pub fn opened(&self, index: usize) -> Option<Value<'r>> {
        self.opened?.texts.get(index).filter(|text| text.holds).map(|text| text.reader.last().root())
    }
}

/// The JSON texts inside the members of a row, read with the same buffers for every row.
#[derive(Debug, Default)]
pub struct Opened {
    texts: Vec<Text>,
}

#[derive(Debug, Default)]
struct Text {
    reader: Reader,
    holds: bool,
}

impl Opened {
    /// Read the texts in these members of the row; gives the members that hold something else.
    pub fn open<'p>(&mut self, members: &'p [Path], root: Value<'_>) -> Vec<&'p Path> {
        self.texts.resize_with(members.len(), Text::default);
        let mut wrong = Vec::new();
        for (path, text) in members.iter().zip(&mut self.texts) {
            let held = path.find(root).filter(|value| !value.is_null());
            let read = held
                .map(|value| value.as_str().is_some_and(|json| text.reader.read_value_exact(json.as_bytes()).is_ok()));
            text.holds = read == Some(true);
            if read == Some(false) {
                wrong.push(path);
            }
        }
        wrong
    }
}
