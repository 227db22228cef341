//! The pin line of a format: a head, how many rows there were, and when, in a text of the format's own.
//!
//! Decided here: what such a line is. A text that is not exactly one is refused, never guessed at.

use crate::fact::{CountPin, LinkForm};

/// How a format writes its pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinForm {
    pieces: Vec<Piece>,
    /// How many lower-case hex digits a digest has, where digests are cut so that their text alone does not say.
    digits: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Head,
    Rows,
    Time,
}

/// What a pin line states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinLine {
    /// The row and its digest; `None` for a pin over no row, which constrains nothing.
    pub pin: Option<CountPin>,
    /// The digest, as the line has it.
    pub head: String,
    /// How many rows there were.
    pub rows: u64,
    /// When it was made, as it says itself.
    pub time: Option<String>,
}

impl PinForm {
    /// The form that this text describes: `{head}` and `{rows}` once each, `{time}` once or not at all, with text
    /// between them.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(super) fn new(text: &str, digits: Option<usize>) -> Result<Self, &'static str> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or("a { has no }")?;
            let piece = match name {
                "head" => Piece::Head,
                "rows" => Piece::Rows,
                "time" => Piece::Time,
                _ => return Err("it knows {head}, {rows} and {time} only"),
            };
            match (before.is_empty(), pieces.is_empty()) {
                (false, _) => pieces.push(Piece::Text(before.to_owned())),
                (true, false) => return Err("two values stand side by side, with no text that parts them"),
                (true, true) => {}
            }
            if pieces.contains(&piece) {
                return Err("a value stands twice");
            }
            pieces.push(piece);
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        match pieces.contains(&Piece::Head) && pieces.contains(&Piece::Rows) {
            true => Ok(PinForm { pieces, digits }),
            false => Err("it needs {head} and {rows}"),
        }
    }

    /// What this line states, space around it aside; `None` if it is not one.
    pub fn read(&self, line: &str, form: &LinkForm) -> Option<PinLine> {
        let mut rest = line.trim();
        let (mut head, mut rows, mut time) = (None, None, None);
        let mut pieces = self.pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            if let Piece::Text(text) = piece {
                rest = rest.strip_prefix(text.as_str())?;
                continue;
            }
            let end = match pieces.peek() {
                Some(Piece::Text(text)) => rest.find(text.as_str())?,
                _ => rest.len(),
            };
            let (value, after) = rest.split_at_checked(end)?;
            if value.is_empty() || value.contains(|c: char| c.is_whitespace() || c.is_control()) {
                return None;
            }
            match piece {
                Piece::Head => head = Some(value),
                Piece::Rows => rows = Some(decimal(value)?),
                Piece::Time => time = Some(value.to_owned()),
                Piece::Text(_) => {}
            }
            rest = after;
        }
        let (head, rows) = (head?, rows?);
        let genesis = !form.genesis.is_empty() && head == form.genesis;
        let digest = match genesis {
            true => None,
            false => Some(form.decode(head).filter(|_| self.is_head(head))?),
        };
        let pin = (rows > 0).then_some(CountPin { rows, digest });
        rest.is_empty().then(|| PinLine { pin, head: head.to_owned(), rows, time })
    }

    /// Whether this text can be a digest, as far as its form alone says.
    pub fn is_head(&self, text: &str) -> bool {
        let hex = || text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        self.digits.is_none_or(|digits| text.len() == digits && hex())
    }

    /// The line of a pin.
    pub fn write(&self, head: &str, rows: u64, time: &str) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Head => head.to_owned(),
            Piece::Rows => rows.to_string(),
            Piece::Time => time.to_owned(),
        };
        self.pieces.iter().map(piece).collect()
    }

    /// What such a line looks like.
    pub fn example(&self) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Head => "HASH".to_owned(),
            Piece::Rows => "N".to_owned(),
            Piece::Time => "TIME".to_owned(),
        };
        self.pieces.iter().map(piece).collect()
    }
}

/// A decimal number without leading zeros; one that no ledger has so many rows as is the largest there is.
fn decimal(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Digest, NameForm};

    const FORM: &str = "arcaeon-ledger head chain={head} rows={rows} as_of={time}";
    const HEAD: &str = "f26396ea8c4b49a924bea753a4a84889";

    fn links() -> LinkForm {
        let names = NameForm::Text { affixes: vec![(String::new(), String::new())] };
        LinkForm { names, genesis: "genesis".to_owned() }
    }

    #[test]
    fn a_line_is_read_back_as_it_was_written() {
        let form = PinForm::new(FORM, Some(32)).expect("a form");
        let line = form.write(HEAD, 10, "2026-01-01T00:00:00Z");
        assert_eq!(line, format!("arcaeon-ledger head chain={HEAD} rows=10 as_of=2026-01-01T00:00:00Z"));
        let read = form.read(&format!("  {line}\n"), &links()).expect("a pin");
        assert_eq!(read.pin, Some(CountPin { rows: 10, digest: Some(Digest::of_text(HEAD)) }));
        assert_eq!((read.rows, read.time.as_deref()), (10, Some("2026-01-01T00:00:00Z")));
    }

    #[test]
    fn a_pin_over_no_row_constrains_nothing() {
        let form = PinForm::new(FORM, Some(32)).expect("a form");
        let empty = form.read("arcaeon-ledger head chain=genesis rows=0 as_of=x", &links()).expect("a pin");
        assert_eq!(empty.pin, None);
        // One over rows of which none is a link fits no link.
        let prechain = form.read("arcaeon-ledger head chain=genesis rows=3 as_of=x", &links()).expect("a pin");
        assert_eq!(prechain.pin, Some(CountPin { rows: 3, digest: None }));
    }

    #[test]
    fn what_is_no_pin_is_refused() {
        let form = PinForm::new(FORM, Some(32)).expect("a form");
        let upper = HEAD.to_ascii_uppercase();
        for wrong in [
            "",
            HEAD,
            &format!("arcaeon-ledger head chain={upper} rows=10 as_of=x"),
            &format!("arcaeon-ledger head chain={HEAD}0 rows=10 as_of=x"),
            &format!("arcaeon-ledger head chain={HEAD} rows=010 as_of=x"),
            &format!("arcaeon-ledger head chain={HEAD} rows=+1 as_of=x"),
            &format!("arcaeon-ledger head chain={HEAD} rows=-1 as_of=x"),
            &format!("arcaeon-ledger head chain={HEAD} rows=1 as_of="),
            &format!("arcaeon-ledger head chain={HEAD} rows=1 as_of=x y"),
            &format!("arcaeon-ledger head chain={HEAD}  rows=1 as_of=x"),
            &format!("arcaeon-ledger  head chain={HEAD} rows=1 as_of=x"),
        ] {
            assert_eq!(form.read(wrong, &links()), None, "{wrong}");
        }
    }

    #[test]
    fn what_describes_no_pin_is_refused() {
        for wrong in ["", "{head}", "{head}{rows}", "{head} {rows} {head}", "{head} {rows", "{head} {sequence} {rows}"]
        {
            assert!(PinForm::new(wrong, None).is_err(), "{wrong}");
        }
    }
}
