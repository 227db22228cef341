//! Where a word of a profile stands, so that a wrong one is named with its line.

use std::fmt;

use toml::de::{DeTable, DeValue};

/// A step from a table into one of its keys, or from an array into one of its items.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
}

/// A word that does not go with the others: where it stands, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// From the word outward.
    steps: Vec<Step>,
    why: String,
}

impl Wrong {
    /// Something is wrong here.
    pub fn new(why: impl Into<String>) -> Self {
        Wrong { steps: Vec::new(), why: why.into() }
    }

    /// The same, seen from the table that has it under this key.
    #[must_use]
    pub fn under(mut self, key: &str) -> Self {
        self.steps.push(Step::Key(key.to_owned()));
        self
    }

    /// The same, seen from the array that has it as this item.
    #[must_use]
    pub fn item(mut self, index: usize) -> Self {
        self.steps.push(Step::Item(index));
        self
    }

    /// The line of the text, from 1, on which the word stands, or the innermost table around it.
    pub fn line(&self, text: &str) -> usize {
        let start = DeTable::parse(text).ok().map_or(0, |document| {
            let whole = document.span().start;
            self.find(document.get_ref()).unwrap_or(whole)
        });
        1 + text.get(..start).map_or(0, |before| before.matches('\n').count())
    }

    fn find(&self, document: &DeTable<'_>) -> Option<usize> {
        let mut steps = self.steps.iter().rev();
        let Some(Step::Key(first)) = steps.next() else { return None };
        let (key, value) = document.get_key_value(first.as_str())?;
        let (mut start, mut value) = (key.span().start, value);
        for step in steps {
            let next = match (step, value.get_ref()) {
                (Step::Key(name), DeValue::Table(table)) => {
                    table.get_key_value(name.as_str()).map(|(key, value)| (key.span().start, value))
                }
                (Step::Item(index), DeValue::Array(array)) => {
                    array.get(*index).map(|value| (value.span().start, value))
                }
                _ => None,
            };
            let Some(next) = next else { break };
            (start, value) = next;
        }
        Some(start)
    }
}

/// `[[hash]] 2, preimage 1: why`, counted from 1.
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = self.steps.iter().rev().peekable();
        let mut first = true;
        while let Some(step) = steps.next() {
            let number = match steps.peek() {
                Some(Step::Item(index)) => Some(index + 1),
                _ => None,
            };
            let Step::Key(key) = step else { continue };
            let comma = if first { "" } else { ", " };
            match number {
                Some(number) if first => write!(f, "{comma}[[{key}]] {number}")?,
                Some(number) => write!(f, "{comma}{key} {number}")?,
                None if first => write!(f, "{comma}[{key}]")?,
                None => write!(f, "{comma}{key}")?,
            }
            first = false;
        }
        let colon = if first { "" } else { ": " };
        write!(f, "{colon}{}", self.why)
    }
}

/// Puts a key around what goes wrong inside it.
pub(super) trait Under<T> {
    /// The same result; what is wrong is under this key.
    fn under(self, key: &str) -> Result<T, Wrong>;
    /// The same result; what is wrong is in this item.
    fn item(self, index: usize) -> Result<T, Wrong>;
}

impl<T> Under<T> for Result<T, Wrong> {
    fn under(self, key: &str) -> Result<T, Wrong> {
        self.map_err(|wrong| wrong.under(key))
    }

    fn item(self, index: usize) -> Result<T, Wrong> {
        self.map_err(|wrong| wrong.item(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_its_keys() {
        let text = "[a]\nb = 1\n\n[[c]]\nd = [\n 1,\n 2,\n]\n[[c]]\nd = [3]\n";
        let at = |wrong: Wrong| (wrong.line(text), wrong.to_string());
        assert_eq!(at(Wrong::new("why").under("b").under("a")), (2, "[a], b: why".to_owned()));
        assert_eq!(at(Wrong::new("why").item(1).under("d").item(0).under("c")), (7, "[[c]] 1, d 2: why".to_owned()));
        assert_eq!(at(Wrong::new("why").under("d").item(1).under("c")), (10, "[[c]] 2, d: why".to_owned()));
        assert_eq!(at(Wrong::new("why").under("absent").under("a")).0, 1, "the table around it");
        assert_eq!(at(Wrong::new("why")), (1, "why".to_owned()));
    }
}
