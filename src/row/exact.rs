//! The exact reader: RFC 8259 and I-JSON, byte by byte.
//!
//! Decides whether a text is strict JSON, and if not what is wrong first and where. It accepts
//! UTF-8 only, no control character in a string, no lone surrogate in either order (RFC 7493 §2.1),
//! nesting up to [`MAX_DEPTH`], and as whitespace space, tab, LF and CR only (RFC 8259 §2). Open
//! brackets are kept in a list and not on the stack, so no text can overflow it.
//!
//! It is the slow twin of `simd` and the one whose verdict counts.

use super::unreadable::{Kind, Unreadable};
use super::{Decimal, LONG, MAX_DEPTH, MAX_LENGTH, Node, Number, Row, Span};

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
    pub(super) fn fill(&mut self, row: &mut Row, text: &[u8]) -> Result<Option<usize>, Unreadable> {
        row.clear();
        self.open.clear();
        if text.len() > MAX_LENGTH {
            let why = format!("longer than {MAX_LENGTH} bytes");
            return Err(Unreadable::new(Kind::TooLong, MAX_LENGTH, why));
        }
        let text = std::str::from_utf8(text)
            .map_err(|error| Unreadable::new(Kind::InvalidUtf8, error.valid_up_to(), "not UTF-8"))?;
        row.text.push_str(text);
        let mut scan = Scan { text, at: 0, open: &mut self.open, row, out_of_range: None };
        scan.document()?;
        Ok(scan.out_of_range)
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
            Some(b'"') => self.string("a string")?,
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
        if self.open.len() == MAX_DEPTH {
            let why = format!("nested deeper than {MAX_DEPTH} levels");
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
        self.string("a name")?;
        self.skip_whitespace();
        if self.peek() != Some(b':') {
            return Err(self.wrong("expected ':' after a name"));
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a string (RFC 8259 §7), whose opening quote is next.
    fn string(&mut self, what: &str) -> Result<(), Unreadable> {
        let start = self.at;
        self.at += 1;
        let mut run = self.at;
        // Where the unescaped string starts in the text of the row, once an escape has been seen.
        let mut unescaped = None;
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
            self.at += length.unwrap_or(rest.len());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    unescaped.get_or_insert(self.row.text.len());
                    self.row.escapes = true;
                    self.keep(run);
                    let char = self.escape()?;
                    self.row.text.push(char);
                    run = self.at;
                }
                Some(_) => return Err(self.wrong(&format!("a control character in {what}"))),
                None => return Err(self.wrong(&format!("expected the end of {what}"))),
            }
        }
        let span = match unescaped {
            Some(first) => {
                self.keep(run);
                Span::new(first, self.row.text.len())
            }
            None => Span::new(run, self.at),
        };
        self.at += 1;
        self.push(Node::String(span), start);
        Ok(())
    }

    /// Appends what stands between `run` and here to the text of the row.
    fn keep(&mut self, run: usize) {
        // Both ends are beside ASCII bytes, so this is a slice.
        self.row.text.push_str(self.text.get(run..self.at).unwrap_or_default());
    }

    /// Reads an escape (RFC 8259 §7), whose backslash is next.
    fn escape(&mut self) -> Result<char, Unreadable> {
        let start = self.at;
        self.at += 1;
        let char = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.code_point(start);
            }
            _ => return Err(self.wrong("no escape has this letter")),
        };
        self.at += 1;
        Ok(char)
    }

    /// Reads the digits of a `\u` escape, and of a second one after a high surrogate.
    fn code_point(&mut self, start: usize) -> Result<char, Unreadable> {
        let first = self.hex(0..=0xFFFF)?.unwrap_or_default();
        let code = match first {
            0xD800..=0xDBFF => {
                let second = match self.expect(b'\\')? && self.expect(b'u')? {
                    true => self.hex(0xDC00..=0xDFFF)?,
                    false => None,
                };
                second.map(|second| 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            }
            _ => Some(first),
        };
        code.and_then(char::from_u32).ok_or_else(|| {
            Unreadable::new(Kind::NotJson, start, "half of a surrogate pair, which stands for no character")
        })
    }

    /// Whether this byte is next, which is skipped then; an error if nothing is.
    fn expect(&mut self, byte: u8) -> Result<bool, Unreadable> {
        match self.peek() {
            None => Err(self.wrong("expected the second half of a surrogate pair")),
            Some(next) if next == byte => {
                self.at += 1;
                Ok(true)
            }
            Some(_) => Ok(false),
        }
    }

    /// Reads four hexadecimal digits; `None` as soon as the number cannot be in `range`, so that a
    /// text that ends within them ends early only if more digits could have helped.
    fn hex(&mut self, range: std::ops::RangeInclusive<u32>) -> Result<Option<u32>, Unreadable> {
        let mut code = 0;
        for left in [12, 8, 4, 0] {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else { return Err(self.wrong("expected four hexadecimal digits after '\\u'")) };
            code |= digit << left;
            self.at += 1;
            let most = code | ((1 << left) - 1);
            if most < *range.start() || code > *range.end() {
                return Ok(None);
            }
        }
        Ok(Some(code))
    }

    /// Reads a number (RFC 8259 §6).
    fn number(&mut self) -> Result<Number, Unreadable> {
        let start = self.at;
        let negative = self.skip(b"-");
        if !self.skip(b"0") {
            self.digits("expected a digit")?;
        }
        let mut integer = true;
        if self.skip(b".") {
            integer = false;
            self.digits("expected a digit after '.'")?;
        }
        if self.skip(b"eE") {
            integer = false;
            self.skip(b"+-");
            self.digits("expected a digit in the exponent")?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let exact = match (integer, negative) {
            (false, _) => None,
            (true, false) => text.parse().ok().map(Number::Unsigned),
            (true, true) => text.parse().ok().map(Number::Signed),
        };
        if let Some(number) = exact {
            return Ok(number);
        }
        let double = if text.len() < LONG {
            // Correctly rounded. Never an error: the grammar of Rust contains that of JSON.
            text.parse().unwrap_or(f64::INFINITY)
        } else {
            let double = Decimal::new(text).to_f64();
            if negative { -double } else { double }
        };
        if !double.is_finite() {
            self.out_of_range.get_or_insert(start);
        }
        Ok(Number::Double(double))
    }

    /// Skips one digit or more.
    fn digits(&mut self, missing: &str) -> Result<(), Unreadable> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        match rest.iter().take_while(|byte| byte.is_ascii_digit()).count() {
            0 => Err(self.wrong(missing)),
            count => {
                self.at += count;
                Ok(())
            }
        }
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
