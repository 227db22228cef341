//! What is said of a receipt: the model, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::escape::escape_cut;
use super::identity::text as shown;

/// The name and version of the JSON form.
pub const SCHEMA: &str = "ledger-verify.receipt/v1";

/// Characters of foreign text in a line.
const MAX_FACT: usize = 240;

/// What came of a receipt.
#[derive(Clone, Debug)]
pub struct ReceiptReport {
    /// Its name as given.
    pub name: String,
    /// What it calls itself, or `unknown`.
    pub kind: &'static str,
    /// Whether the format's own verifier would pass it.
    pub ok: bool,
    /// What was looked at and how it came out, in the words of the format.
    pub facts: Vec<(&'static str, Fact)>,
    /// Why it is not passed.
    pub reasons: Vec<String>,
    /// What was not looked at, which a pass leaves open.
    pub open: Vec<Open>,
}

/// Something that was not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// What.
    pub what: &'static str,
    /// Whether it bounds the verdict. The format's own verifier never looks at the rest, which is told all the same.
    pub bounds: bool,
}

/// How something came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Yes, no, or not looked at.
    Bool(Option<bool>),
    /// A word of ours or a text of the receipt.
    Text(Option<String>),
}

impl Fact {
    /// A word of ours.
    pub fn word(word: &str) -> Self {
        Fact::Text(Some(word.to_owned()))
    }
}

impl ReceiptReport {
    /// The word.
    pub fn word(&self) -> &'static str {
        match self.exit_code() {
            0 => "verified",
            1 => "broken",
            _ => "bounded",
        }
    }

    /// The exit code: a receipt that passes is bounded by what it leaves open.
    pub fn exit_code(&self) -> u8 {
        match (self.ok, self.open.iter().any(|open| open.bounds)) {
            (false, _) => 1,
            (true, false) => 0,
            (true, true) => 3,
        }
    }

    /// The JSON form, with a line end.
    pub fn json(&self) -> String {
        let mut out = Map::new();
        out.insert("schema".to_owned(), json!(SCHEMA));
        out.insert("verdict".to_owned(), json!(self.word()));
        out.insert("exit_code".to_owned(), json!(self.exit_code()));
        out.insert("receipt".to_owned(), json!({ "name": shown(&self.name), "kind": self.kind }));
        out.insert("ok".to_owned(), json!(self.ok));
        for (name, fact) in &self.facts {
            let value = match fact {
                Fact::Bool(value) => json!(value),
                Fact::Text(value) => json!(value.as_deref().map(shown)),
            };
            out.insert((*name).to_owned(), value);
        }
        out.insert("reasons".to_owned(), self.reasons.iter().map(|reason| shown(reason)).collect());
        out.insert("open".to_owned(), self.open.iter().map(|open| open.what).collect());
        format!("{:#}\n", Value::Object(out))
    }

    /// Write the text form.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}  {}", escape_cut(&self.name, MAX_FACT), self.kind)?;
        for (name, fact) in &self.facts {
            let value = match fact {
                Fact::Bool(Some(value)) => value.to_string(),
                Fact::Text(Some(value)) => escape_cut(value, MAX_FACT).into_owned(),
                Fact::Bool(None) | Fact::Text(None) => "–".to_owned(),
            };
            writeln!(out, "  {name}: {value}")?;
        }
        self.reasons.iter().try_for_each(|reason| writeln!(out, "  ✗ {}", escape_cut(reason, MAX_FACT)))?;
        self.open.iter().try_for_each(|open| writeln!(out, "  – {}", open.what))?;
        writeln!(out, "receipt {}", self.word())
    }
}
