//! The exact reader: a text of JSON, byte by byte.
//!
//! Decides whether a text is JSON in its [`Dialect`], and if not what is wrong first and where. Strict
//! JSON (RFC 8259 and I-JSON) has no lone surrogate in either order (RFC 7493 §2.1) and no number beyond
//! the doubles; both are values to Python's json module, as are `NaN` and `Infinity`. Everything else is
//! the same in both: UTF-8 only, no control character in a string, nesting up to a limit, and as
//! whitespace space, tab, LF and CR only (RFC 8259 §2). Open brackets are kept in a list and not on the
//! stack, so no text can overflow it.
//!
//! It is the slow twin of `simd` and the one whose verdict counts.

mod number;
mod string;

use super::unreadable::{Kind, Unreadable};
use super::{Dialect, MAX_LENGTH, Node, Number, Row, Span};

/// The exact reader; keeps its list of open brackets from row to row.
#[derive(Debug, Default)]
pub(super) struct Exact {
    open: Vec<Open>,
}

/// An object or array that is not closed yet.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: usize,
    object: bool,
    count: u32,
}

impl Exact {
    /// Fills the row with any JSON value and gives the place of the first number that no finite
    /// double stands for. Duplicate names are left in.
    pub(super) fn fill(&mut self, row: &mut Row, text: &[u8], dialect: Dialect) -> Result<Option<usize>, Unreadable> {
        row.clear();
        self.open.clear();
        if text.len() > MAX_LENGTH {
            let why = format!("longer than {MAX_LENGTH} bytes");
            return Err(Unreadable::new(Kind::TooLong, MAX_LENGTH, why));
        }
        let text = std::str::from_utf8(text)
            .map_err(|error| Unreadable::new(Kind::InvalidUtf8, error.valid_up_to(), "not UTF-8"))?;
        row.text.push_str(text);
        let mut scan = Scan { text, dialect, at: 0, open: &mut self.open, row, out_of_range: None };
        scan.document()?;
        Ok(scan.out_of_range)
    }

    /// The string whose quote is at this place of a text, which the text of the row starts with, and where it
    /// ends; `None` if it is none. What its escapes denote is put behind the text of the row.
    pub(super) fn string(&mut self, row: &mut Row, text: &str, at: usize, dialect: Dialect) -> Option<(Node, usize)> {
        let mut scan = Scan { text, dialect, at, open: &mut self.open, row, out_of_range: None };
        let node = scan.string("a string").ok()?;
        Some((node, scan.at))
    }
}

/// What a value leads to.
enum Next {
    /// It opened a bracket: its first member or item follows.
    Value,
    /// It is complete.
    Done,
}

struct Scan<'a> {
    text: &'a str,
    dialect: Dialect,
    at: usize,
    open: &'a mut Vec<Open>,
    row: &'a mut Row,
    out_of_range: Option<usize>,
}

impl Scan<'_> {
    fn document(&mut self) -> Result<(), Unreadable> {
        loop {
            self.skip_whitespace();
            if let Next::Value = self.value()? {
                continue;
            }
            if !self.follow()? {
                break;
            }
        }
        self.skip_whitespace();
        match self.peek() {
            Some(_) => Err(self.wrong("expected nothing after the value")),
            None => Ok(()),
        }
    }

    /// Reads a value, or as much of it as comes before its first member or item.
    fn value(&mut self) -> Result<Next, Unreadable> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => return self.bracket(true),
            Some(b'[') => return self.bracket(false),
            Some(b'"') => {
                let node = self.string("a string")?;
                self.push(node, start);
            }
            Some(b'N') if self.dialect == Dialect::Python => self.word("NaN", f64::NAN)?,
            Some(b'I') if self.dialect == Dialect::Python => self.word("Infinity", f64::INFINITY)?,
            Some(b'-') if self.dialect == Dialect::Python && self.text.as_bytes().get(self.at + 1) == Some(&b'I') => {
                self.word("-Infinity", f64::NEG_INFINITY)?;
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = self.number()?;
                self.row.note(number);
                self.push(Node::Number(number), start);
            }
            Some(b't') => self.literal("true", Node::Bool(true))?,
            Some(b'f') => self.literal("false", Node::Bool(false))?,
            Some(b'n') => self.literal("null", Node::Null)?,
            _ => return Err(self.wrong("expected a value")),
        }
        Ok(Next::Done)
    }

    /// Opens an object or array and reads on to its first value, or to its end if it is empty.
    fn bracket(&mut self, object: bool) -> Result<Next, Unreadable> {
        let most = self.dialect.depth();
        if self.open.len() == most {
            let why = format!("nested deeper than {most} levels");
            return Err(Unreadable::new(Kind::NestingTooDeep, self.at, why));
        }
        self.open.push(Open { node: self.row.nodes.len(), object, count: 0 });
        // The real counts are known when it closes.
        let node = if object { Node::Object { count: 0, end: 0 } } else { Node::Array { count: 0, end: 0 } };
        let start = self.at;
        self.at += 1;
        self.push(node, start);
        self.skip_whitespace();
        match (object, self.peek()) {
            (true, Some(b'}')) | (false, Some(b']')) => {
                self.close();
                Ok(Next::Done)
            }
            (true, Some(b'"')) => {
                self.name()?;
                Ok(Next::Value)
            }
            (true, _) => Err(self.wrong("expected a name or '}' after '{'")),
            (false, _) => Ok(Next::Value),
        }
    }

    /// Reads what follows a complete value; reports whether another value must.
    fn follow(&mut self) -> Result<bool, Unreadable> {
        while let Some(open) = self.open.last_mut() {
            open.count += 1;
            let object = open.object;
            self.skip_whitespace();
            match (object, self.peek()) {
                (true, Some(b',')) => {
                    self.at += 1;
                    self.skip_whitespace();
                    self.name()?;
                    return Ok(true);
                }
                (false, Some(b',')) => {
                    self.at += 1;
                    return Ok(true);
                }
                (true, Some(b'}')) | (false, Some(b']')) => self.close(),
                (true, _) => return Err(self.wrong("expected ',' or '}' after a member")),
                (false, _) => return Err(self.wrong("expected ',' or ']' after an item")),
            }
        }
        Ok(false)
    }

    /// Closes the innermost bracket, whose closing byte is next.
    fn close(&mut self) {
        self.at += 1;
        let end = self.row.nodes.len() as u32;
        let Some(Open { node, object, count }) = self.open.pop() else { return };
        if let Some(place) = self.row.nodes.get_mut(node) {
            *place = if object { Node::Object { count, end } } else { Node::Array { count, end } };
        }
        if let Some(span) = self.row.written.get_mut(node) {
            span.end = self.at as u32;
        }
    }

    /// Reads a name and its colon.
    fn name(&mut self) -> Result<(), Unreadable> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong("expected a name"));
        }
        let start = self.at;
        let node = self.string("a name")?;
        self.push(node, start);
        self.skip_whitespace();
        if self.peek() != Some(b':') {
            return Err(self.wrong("expected ':' after a name"));
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a word that stands for a number, which JSON has not.
    fn word(&mut self, word: &str, double: f64) -> Result<(), Unreadable> {
        self.row.note(Number::Double(double));
        self.literal(word, Node::Number(Number::Double(double)))
    }

    fn literal(&mut self, word: &str, node: Node) -> Result<(), Unreadable> {
        let start = self.at;
        for byte in word.bytes() {
            if self.peek() != Some(byte) {
                return Err(self.wrong(&format!("expected '{word}'")));
            }
            self.at += 1;
        }
        self.push(node, start);
        Ok(())
    }

    fn push(&mut self, node: Node, start: usize) {
        self.row.nodes.push(node);
        self.row.written.push(Span::new(start, self.at));
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips the next byte if it is one of these.
    fn skip(&mut self, any: &[u8]) -> bool {
        let next = self.peek().is_some_and(|byte| any.contains(&byte));
        self.at += usize::from(next);
        next
    }

    fn skip_whitespace(&mut self) {
        while self.skip(b" \t\n\r") {}
    }

    /// The error for this place: where the text is at its end, more of it could have helped.
    fn wrong(&self, why: &str) -> Unreadable {
        match self.peek() {
            None => Unreadable::new(Kind::EndsEarly, self.at, format!("the text ends early: {why}")),
            Some(byte @ 0x20..0x7F) => {
                Unreadable::new(Kind::NotJson, self.at, format!("{why}, found {:?}", char::from(byte)))
            }
            Some(byte) => Unreadable::new(Kind::NotJson, self.at, format!("{why}, found byte 0x{byte:02x}")),
        }
    }
}
