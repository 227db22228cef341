//! Strings, as their escapes denote them (RFC 8259 §7).
//!
//! Two `\u` escapes may spell the halves of one character. A half that stands alone is no character: strict
//! JSON refuses it, and in Python's dialect it is a code point of its own, so that the string is none of
//! Rust's and is kept apart.

use super::super::unreadable::{Kind, Unreadable};
use super::super::{Dialect, Node, Span, wtf8};
use super::Scan;

/// What an escape stands for.
enum Escaped {
    Char(char),
    /// Half of a surrogate pair.
    Half(u16),
}

/// Where the string under way is kept.
enum Kept {
    /// Where it stands in the line: no escape was seen.
    Line,
    /// In the text of the row from here on.
    Text(usize),
    /// Among the strings with lone surrogates from here on.
    Wide(usize),
}

impl Scan<'_> {
    /// Reads a string (RFC 8259 §7), whose opening quote is next.
    pub(super) fn string(&mut self, what: &str) -> Result<Node, Unreadable> {
        self.at += 1;
        let mut run = self.at;
        let mut kept = Kept::Line;
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
            self.at += length.unwrap_or(rest.len());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    if let Kept::Line = kept {
                        kept = Kept::Text(self.row.text.len());
                    }
                    self.row.escapes = true;
                    self.keep(run, &kept);
                    match (self.escape()?, &kept) {
                        (Escaped::Char(char), Kept::Wide(_)) => wtf8::push(char, &mut self.row.wide),
                        (Escaped::Char(char), _) => self.row.text.push(char),
                        (Escaped::Half(half), _) => {
                            kept = Kept::Wide(self.widen(&kept));
                            wtf8::push_half(half, &mut self.row.wide);
                        }
                    }
                    run = self.at;
                }
                Some(_) => return Err(self.wrong(&format!("a control character in {what}"))),
                None => return Err(self.wrong(&format!("expected the end of {what}"))),
            }
        }
        self.keep(run, &kept);
        let node = match kept {
            Kept::Line => Node::String(Span::new(run, self.at)),
            Kept::Text(first) => Node::String(Span::new(first, self.row.text.len())),
            Kept::Wide(first) => Node::Wide(Span::new(first, self.row.wide.len())),
        };
        self.at += 1;
        Ok(node)
    }

    /// Appends what stands between `run` and here to the string under way.
    fn keep(&mut self, run: usize, kept: &Kept) {
        // Both ends are beside ASCII bytes, so this is a slice.
        let text = self.text.get(run..self.at).unwrap_or_default();
        match kept {
            Kept::Line => {}
            Kept::Text(_) => self.row.text.push_str(text),
            Kept::Wide(_) => self.row.wide.extend_from_slice(text.as_bytes()),
        }
    }

    /// The string under way has a lone surrogate: where it is kept from now on.
    fn widen(&mut self, kept: &Kept) -> usize {
        self.row.beyond_json = true;
        let Kept::Text(first) = *kept else {
            return if let Kept::Wide(first) = *kept { first } else { self.row.wide.len() };
        };
        let wide = self.row.wide.len();
        self.row.wide.extend_from_slice(self.row.text.as_bytes().get(first..).unwrap_or_default());
        self.row.text.truncate(first);
        wide
    }

    /// Reads an escape (RFC 8259 §7), whose backslash is next.
    fn escape(&mut self) -> Result<Escaped, Unreadable> {
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
                return match self.dialect {
                    Dialect::Json => self.code_point(start).map(Escaped::Char),
                    Dialect::Python => self.any_code_point(),
                };
            }
            _ => return Err(self.wrong("no escape has this letter")),
        };
        self.at += 1;
        Ok(Escaped::Char(char))
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

    /// The same as Python reads it: what does not follow a half as its other half is read by itself.
    fn any_code_point(&mut self) -> Result<Escaped, Unreadable> {
        let first = self.hex(0..=0xFFFF)?.unwrap_or_default();
        if let 0xD800..=0xDBFF = first
            && self.text.as_bytes().get(self.at..).unwrap_or_default().starts_with(b"\\u")
        {
            let behind = self.at;
            self.at += 2;
            let second = self.hex(0..=0xFFFF)?.unwrap_or_default();
            if let 0xDC00..=0xDFFF = second
                && let Some(char) = char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            {
                return Ok(Escaped::Char(char));
            }
            self.at = behind;
        }
        Ok(char::from_u32(first).map_or(Escaped::Half(first as u16), Escaped::Char))
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
}
