//! The twin: Python's json by recursive descent over code points, and its printer, as plainly as can be.

/// A value of Python.
pub enum Tree {
    Word(&'static str),
    Int(String),
    Float(f64),
    Text(Vec<u32>),
    List(Vec<Tree>),
    Dict(Vec<(Vec<u32>, Tree)>),
}

/// A text that was read, and the key that a strict reader would have stopped at.
pub struct Document {
    pub tree: Tree,
    pub repeated: Option<Vec<u32>>,
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    repeated: Option<Vec<u32>>,
}

/// The value of a text; `None` if it is none.
pub fn read(text: &str) -> Option<Document> {
    let mut reader = Reader { chars: text.chars().collect(), at: 0, repeated: None };
    reader.space();
    let tree = reader.value()?;
    reader.space();
    (reader.at == reader.chars.len()).then_some(Document { tree, repeated: reader.repeated })
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, word: &str) -> bool {
        let chars: Vec<char> = word.chars().collect();
        let there = self.chars[self.at..].starts_with(&chars);
        self.at += if there { chars.len() } else { 0 };
        there
    }

    fn value(&mut self) -> Option<Tree> {
        for word in ["true", "false", "null"] {
            if self.take(word) {
                return Some(Tree::Word(word));
            }
        }
        for (word, double) in [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)] {
            if self.take(word) {
                return Some(Tree::Float(double));
            }
        }
        match self.peek()? {
            '"' => self.text().map(Tree::Text),
            '[' => self.list(),
            '{' => self.dict(),
            _ => self.number(),
        }
    }

    fn list(&mut self) -> Option<Tree> {
        self.take("[");
        let mut items = Vec::new();
        self.space();
        while !self.take("]") {
            if !items.is_empty() && !self.take(",") {
                return None;
            }
            self.space();
            items.push(self.value()?);
            self.space();
        }
        Some(Tree::List(items))
    }

    fn dict(&mut self) -> Option<Tree> {
        self.take("{");
        let mut members: Vec<(Vec<u32>, Tree)> = Vec::new();
        let (mut count, mut again) = (0, None);
        self.space();
        while !self.take("}") {
            if count > 0 && !self.take(",") {
                return None;
            }
            count += 1;
            self.space();
            if self.peek() != Some('"') {
                return None;
            }
            let name = self.text()?;
            self.space();
            if !self.take(":") {
                return None;
            }
            self.space();
            let value = self.value()?;
            self.space();
            match members.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => {
                    again.get_or_insert(name);
                    *known = value;
                }
                None => members.push((name, value)),
            }
        }
        // This object closes: what it had twice counts if none that closed before had anything twice.
        self.repeated = self.repeated.take().or(again);
        Some(Tree::Dict(members))
    }

    fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(digit @ '0'..='9') = self.peek() {
            digits.push(digit);
            self.at += 1;
        }
        digits
    }

    fn number(&mut self) -> Option<Tree> {
        let sign = if self.take("-") { "-" } else { "" };
        let whole = if self.take("0") { "0".to_owned() } else { self.digits() };
        if whole.is_empty() {
            return None;
        }
        let behind_whole = self.at;
        let mut text = format!("{sign}{whole}");
        if self.take(".") {
            let fraction = self.digits();
            match fraction.is_empty() {
                true => self.at = behind_whole,
                false => text.push_str(&format!(".{fraction}")),
            }
        }
        let behind = self.at;
        if self.take("e") || self.take("E") {
            let sign = if self.take("-") { "-" } else { "" };
            if sign.is_empty() {
                self.take("+");
            }
            let exponent = self.digits();
            match exponent.is_empty() {
                true => self.at = behind,
                false => text.push_str(&format!("e{sign}{exponent}")),
            }
        }
        if self.at == behind_whole {
            return (whole.len() <= 4_300).then(|| Tree::Int(if text == "-0" { "0".to_owned() } else { text }));
        }
        Some(Tree::Float(text.parse().expect("a float of Rust")))
    }

    /// A string without joining halves that were not written one behind the other.
    fn text(&mut self) -> Option<Vec<u32>> {
        self.take("\"");
        let mut units = Vec::new();
        loop {
            let char = self.peek()?;
            self.at += 1;
            match char {
                '"' => return Some(units),
                '\\' => {
                    let letter = self.peek()?;
                    self.at += 1;
                    let plain = ['"', '\\', '/', 'b', 'f', 'n', 'r', 't'].iter().position(|known| *known == letter);
                    match plain {
                        Some(index) => units.push(u32::from(b"\"\\/\x08\x0c\n\r\t"[index])),
                        None if letter == 'u' => {
                            let unit = self.hex()?;
                            units.push(unit);
                            if (0xD800..0xDC00).contains(&unit) && self.take("\\u") {
                                let low = self.hex()?;
                                match (0xDC00..0xE000).contains(&low) {
                                    true => {
                                        units.pop();
                                        units.push(0x1_0000 + (unit - 0xD800) * 0x400 + (low - 0xDC00));
                                    }
                                    false => self.at -= 6,
                                }
                            }
                        }
                        None => return None,
                    }
                }
                '\0'..='\u{1F}' => return None,
                other => units.push(u32::from(other)),
            }
        }
    }

    fn hex(&mut self) -> Option<u32> {
        let digits: String = self.chars.get(self.at..self.at + 4)?.iter().collect();
        self.at += 4;
        if !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        u32::from_str_radix(&digits, 16).ok()
    }
}

/// UTF-8, a lone surrogate in three bytes.
pub fn wtf8(units: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    for unit in units {
        match char::from_u32(*unit) {
            Some(char) => out.extend(char.to_string().bytes()),
            None => out.extend([0xE0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 63) as u8, 0x80 | (unit & 63) as u8]),
        }
    }
    out
}

/// What `json.dumps` prints.
pub fn print(tree: &Tree, sorted: bool, ascii: bool) -> Vec<u8> {
    match tree {
        Tree::Word(word) => word.as_bytes().to_vec(),
        Tree::Int(text) => text.clone().into_bytes(),
        Tree::Float(double) => float(*double).into_bytes(),
        Tree::Text(units) => text(units, ascii),
        Tree::List(items) => {
            let items: Vec<Vec<u8>> = items.iter().map(|item| print(item, sorted, ascii)).collect();
            [b"[", items.join(&b", "[..]).as_slice(), b"]"].concat()
        }
        Tree::Dict(members) => {
            let mut members: Vec<&(Vec<u32>, Tree)> = members.iter().collect();
            if sorted {
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
            }
            let member = |(name, value): &&(Vec<u32>, Tree)| {
                [text(name, ascii).as_slice(), b": ", &print(value, sorted, ascii)].concat()
            };
            let members: Vec<Vec<u8>> = members.iter().map(member).collect();
            [b"{", members.join(&b", "[..]).as_slice(), b"}"].concat()
        }
    }
}

fn text(units: &[u32], ascii: bool) -> Vec<u8> {
    let mut out = b"\"".to_vec();
    for unit in units {
        match *unit {
            0x22 => out.extend(b"\\\""),
            0x5C => out.extend(b"\\\\"),
            0x08 => out.extend(b"\\b"),
            0x09 => out.extend(b"\\t"),
            0x0A => out.extend(b"\\n"),
            0x0C => out.extend(b"\\f"),
            0x0D => out.extend(b"\\r"),
            0x20..=0x7E => out.push(*unit as u8),
            0..0x20 => out.extend(format!("\\u{unit:04x}").bytes()),
            _ if !ascii => out.extend(wtf8(&[*unit])),
            0x1_0000.. => {
                let low = *unit - 0x1_0000;
                out.extend(format!("\\u{:04x}\\u{:04x}", 0xD800 + (low >> 10), 0xDC00 + (low & 0x3FF)).bytes());
            }
            _ => out.extend(format!("\\u{unit:04x}").bytes()),
        }
    }
    out.push(b'"');
    out
}

/// Python's `repr`: of the shortest decimals that denote the double the nearest to it, of two the even one.
pub fn float(double: f64) -> String {
    if double.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if double.is_sign_negative() { "-" } else { "" };
    let size = double.abs();
    if size.is_infinite() {
        return format!("{sign}Infinity");
    }
    if size == 0.0 {
        return format!("{sign}0.0");
    }
    // All of its digits, of which there are at most 767.
    let exact = format!("{size:.800e}");
    let (digits, exponent) = exact.split_once('e').expect("an exponent");
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let exponent: i32 = exponent.parse().expect("a number");
    let (shortest, exponent) = (1..=17).find_map(|count| shortest(size, &digits, exponent, count)).expect("17 do");
    let shortest = shortest.to_string();
    let places = exponent + shortest.len() as i32 - 1;
    let shown = shortest.trim_end_matches('0');
    let shown = if shown.is_empty() { "0" } else { shown };
    let body = if (0..16).contains(&places) {
        let point = places as usize + 1;
        let padded = format!("{shown:0<point$}");
        let fraction = if padded.len() > point { &padded[point..] } else { "0" };
        format!("{}.{fraction}", &padded[..point])
    } else if (-4..0).contains(&places) {
        format!("0.{}{shown}", "0".repeat((-places - 1) as usize))
    } else {
        let fraction = if shown.len() > 1 { format!(".{}", &shown[1..]) } else { String::new() };
        format!("{}{fraction}e{}{:02}", &shown[..1], if places < 0 { '-' } else { '+' }, places.abs())
    };
    format!("{sign}{body}")
}

/// The decimal of so many digits that denotes the double, as an integer and a power of ten.
fn shortest(size: f64, digits: &str, exponent: i32, count: usize) -> Option<(u64, i32)> {
    let below: u64 = digits[..count].parse().expect("digits");
    let power = exponent - count as i32 + 1;
    let denotes = |number: u64| format!("{number}e{power}").parse() == Ok(size);
    let rest = &digits[count..];
    let half = format!("5{}", "0".repeat(rest.len() - 1));
    match (denotes(below), denotes(below + 1)) {
        (false, false) => None,
        (true, false) => Some((below, power)),
        (false, true) => Some((below + 1, power)),
        (true, true) => {
            let up = rest > half.as_str() || (rest == half && below % 2 == 1);
            Some((below + u64::from(up), power))
        }
    }
}
