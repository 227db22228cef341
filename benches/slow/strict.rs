//! The strict reading of one row: RFC 8259 and I-JSON, by recursive descent, one character at a time.
//!
//! serde_json alone would not do as an oracle: it takes duplicate members, refuses honest rows beyond
//! 128 levels, and forgets how a number was spelled. This reader builds a serde_json `Value`, so that
//! the canonical form is still somebody else's code.

use std::str::Chars;

use serde_json::{Map, Number, Value};

/// The deepest nesting of a row, its own braces among them.
const DEEPEST: usize = 1_000;

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Bytes that are not UTF-8.
    Utf8,
    /// It ends where JSON must go on.
    EndsEarly,
    /// Anything else that is not JSON.
    Syntax,
    /// More than 1,000 levels.
    Depth,
    /// An object names a member twice.
    Duplicate,
    /// A number without finite double.
    Range,
}

/// A text that was read.
pub struct Read {
    /// Its value; every number is a double.
    pub value: Value,
    /// Whether an integer in it is none that a double or the canonical text can hold.
    pub imprecise: bool,
    /// What is wrong with its value: a duplicate before a range.
    pub flaw: Option<Flaw>,
}

/// Read one JSON text.
pub fn read(bytes: &[u8]) -> Result<Read, Flaw> {
    let text = std::str::from_utf8(bytes).map_err(|_| Flaw::Utf8)?;
    let mut reader = Reader { rest: text.chars(), imprecise: false, duplicate: false, range: false };
    let value = reader.value(0)?;
    reader.space();
    if reader.peek().is_some() {
        return Err(Flaw::Syntax);
    }
    let flaw = if reader.duplicate { Some(Flaw::Duplicate) } else { reader.range.then_some(Flaw::Range) };
    Ok(Read { value, imprecise: reader.imprecise, flaw })
}

struct Reader<'a> {
    rest: Chars<'a>,
    imprecise: bool,
    duplicate: bool,
    range: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn next(&mut self) -> Result<char, Flaw> {
        self.rest.next().ok_or(Flaw::EndsEarly)
    }

    fn expect(&mut self, wanted: &str) -> Result<(), Flaw> {
        wanted.chars().try_for_each(|wanted| if self.next()? == wanted { Ok(()) } else { Err(Flaw::Syntax) })
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\r' | '\n')) {
            self.rest.next();
        }
    }

    /// A value that stands inside `depth` brackets.
    fn value(&mut self, depth: usize) -> Result<Value, Flaw> {
        self.space();
        match self.peek().ok_or(Flaw::EndsEarly)? {
            '{' | '[' if depth == DEEPEST => Err(Flaw::Depth),
            '{' => self.object(depth + 1),
            '[' => self.array(depth + 1),
            '"' => Ok(Value::String(self.string()?)),
            't' => self.expect("true").map(|()| Value::Bool(true)),
            'f' => self.expect("false").map(|()| Value::Bool(false)),
            'n' => self.expect("null").map(|()| Value::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Flaw> {
        let mut members = Map::new();
        self.next()?;
        self.space();
        if self.peek() == Some('}') {
            self.next()?;
            return Ok(Value::Object(members));
        }
        loop {
            self.space();
            if self.peek().ok_or(Flaw::EndsEarly)? != '"' {
                return Err(Flaw::Syntax);
            }
            let name = self.string()?;
            self.space();
            self.expect(":")?;
            let value = self.value(depth)?;
            self.duplicate |= members.insert(name, value).is_some();
            self.space();
            match self.next()? {
                ',' => {}
                '}' => return Ok(Value::Object(members)),
                _ => return Err(Flaw::Syntax),
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Flaw> {
        let mut items = Vec::new();
        self.next()?;
        self.space();
        if self.peek() == Some(']') {
            self.next()?;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.space();
            match self.next()? {
                ',' => {}
                ']' => return Ok(Value::Array(items)),
                _ => return Err(Flaw::Syntax),
            }
        }
    }

    fn string(&mut self) -> Result<String, Flaw> {
        let mut text = String::new();
        self.next()?;
        loop {
            match self.next()? {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                control if control < ' ' => return Err(Flaw::Syntax),
                character => text.push(character),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Flaw> {
        Ok(match self.next()? {
            plain @ ('"' | '\\' | '/') => plain,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let unit = self.four_hex_digits()?;
                let code = match unit {
                    0xd800..=0xdbff => {
                        self.expect("\\u")?;
                        let low = self.four_hex_digits()?;
                        if !(0xdc00..=0xdfff).contains(&low) {
                            return Err(Flaw::Syntax);
                        }
                        0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
                    }
                    _ => unit,
                };
                // A low surrogate by itself is no character.
                char::from_u32(code).ok_or(Flaw::Syntax)?
            }
            _ => return Err(Flaw::Syntax),
        })
    }

    fn four_hex_digits(&mut self) -> Result<u32, Flaw> {
        (0..4).try_fold(0, |code, _| Ok(code * 16 + self.next()?.to_digit(16).ok_or(Flaw::Syntax)?))
    }

    fn number(&mut self) -> Result<Value, Flaw> {
        let start = self.rest.as_str();
        if self.peek() == Some('-') {
            self.next()?;
        }
        if self.peek() == Some('0') {
            self.next()?;
        } else {
            self.digits()?;
        }
        if self.peek() == Some('.') {
            self.next()?;
            self.digits()?;
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            self.next()?;
            if matches!(self.peek(), Some('+' | '-')) {
                self.next()?;
            }
            self.digits()?;
        }
        let text = &start[..start.len() - self.rest.as_str().len()];
        let double: f64 = text.parse().map_err(|_| Flaw::Syntax)?;
        let Some(number) = Number::from_f64(double) else {
            self.range = true;
            return Ok(Value::Null);
        };
        self.imprecise |= imprecise(text, double);
        Ok(Value::Number(number))
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Flaw> {
        if !self.peek().ok_or(Flaw::EndsEarly)?.is_ascii_digit() {
            return Err(Flaw::Syntax);
        }
        while self.peek().is_some_and(|character| character.is_ascii_digit()) {
            self.next()?;
        }
        Ok(())
    }
}

/// Whether the text is an integer that is neither its double nor the canonical text of that double.
fn imprecise(text: &str, double: f64) -> bool {
    let Some(integer) = Decimal::of(text).filter(|decimal| decimal.exponent >= 0) else { return false };
    // Rust prints all digits of a double where no fraction is asked for.
    let exact = Decimal::of(&format!("{double:.0}"));
    let canonical = Decimal::of(ryu_js::Buffer::new().format(double));
    Some(&integer) != exact.as_ref() && Some(&integer) != canonical.as_ref()
}

/// A decimal number's exact value: the digits without zeros at either end, times a power of ten.
#[derive(PartialEq, Eq)]
struct Decimal {
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// The magnitude of a number's text. `None` where even the exponent has no end.
    fn of(text: &str) -> Option<Decimal> {
        let text = text.trim_start_matches('-').to_ascii_lowercase();
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0').to_string();
        if digits.is_empty() {
            return Some(Decimal { digits, exponent: 0 });
        }
        let zeros = all.len() - all.trim_end_matches('0').len();
        let exponent = exponent.parse::<i64>().ok()? - fraction.len() as i64 + zeros as i64;
        Some(Decimal { digits, exponent })
    }
}
